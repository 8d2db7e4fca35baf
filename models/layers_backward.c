/* layers_backward.c: what training adds to a net: loss, gradients, optimiser.
 *
 * The tape is walked from its end. A tensor that several layers read gets a gradient from each; they are added as they come.
 * Gradients of weights are ops of their own, beside those of the data, since nothing forces the two on one device. What the
 * backward ops read of the forward pass (inputs, statistics, indices) stays alive by being read. The optimiser is SGD with
 * momentum and weight decay; the weights it gives are aliases of the old ones. */
#include "models/layers_net.h"

typedef struct {
  ho_net *net;
  ho_tensor *gradient; /* by forward tensor; -1: none yet */
} backward;

/* Adds an op "name.suffix" of a step that reads the gradient of the step's output. */
static ho_op gradient_op(const backward *b, const ho_step *s, const char *suffix, const char *kind, ho_work work) {
  ho_op o = ho_net_op(b->net, s->name, suffix, kind, work);
  ho_graph_build_consume(b->net->build, b->gradient[s->out.tensor], o);
  return o;
}

/* Takes `gradient` as one more contribution to what belongs to x, the `which`-th input of step s. */
static void contribute(backward *b, const ho_step *s, const char *suffix, ho_feature x, ho_tensor gradient) {
  ho_tensor before = b->gradient[x.tensor];
  b->gradient[x.tensor] = gradient;
  if (before < 0) return;
  double elements = (double)ho_net_elements(b->net, x);
  ho_op o = ho_net_op(b->net, s->name, suffix, "add", ho_work_on_tensors(elements, elements));
  ho_graph_build_consume(b->net->build, before, o);
  ho_graph_build_consume(b->net->build, gradient, o);
  g_autofree char *name = g_strconcat(s->name, ".", suffix, NULL);
  b->gradient[x.tensor] = ho_net_like(b->net, name, "out", x, o);
}

/* The input of the whole net needs no gradient. */
static gboolean is_wanted(const backward *b, ho_feature x) {
  return x.tensor != g_array_index(b->net->steps, ho_step, 0).in[0].tensor;
}

/* An op that gives the gradient of the step's only input. */
static ho_op input_gradient(backward *b, const ho_step *s, const char *suffix, const char *kind, ho_work work) {
  ho_op o = gradient_op(b, s, suffix, kind, work);
  g_autofree char *name = g_strconcat(s->name, ".", suffix, NULL);
  contribute(b, s, "grad_sum", s->in[0], ho_net_like(b->net, name, "out", s->in[0], o));
  return o;
}

/* SGD on all weights of a step: v' = m·v + (g + d·w), w' = w - r·v'. */
static void update(ho_net *net, const ho_step *s, const ho_tensor *gradient) {
  double size = 0;
  for (int32_t i = 0; i < s->n_weights; i++) size += (double)s->weight_size[i];
  net->phase = HO_PHASE_UPDATE;
  net->layer = s->layer;
  ho_op o = ho_net_op(net, s->name, "sgd", "sgd", ho_work_on_tensors(6 * size, size));
  for (int32_t i = 0; i < s->n_weights; i++) {
    static const char *const suffix[HO_STEP_MAX_WEIGHTS][3] = {{"weight.momentum", "weight.new", "weight.momentum.new"},
                                                               {"bias.momentum", "bias.new", "bias.momentum.new"}};
    ho_tensor momentum = ho_net_vector(net, s->name, suffix[i][0], s->weight_size[i], -1);
    ho_graph_build_consume(net->build, s->weight[i], o);
    ho_graph_build_consume(net->build, gradient[i], o);
    ho_graph_build_consume(net->build, momentum, o);
    ho_graph_build_alias(net->build, ho_net_vector(net, s->name, suffix[i][1], s->weight_size[i], o), s->weight[i]);
    ho_graph_build_alias(net->build, ho_net_vector(net, s->name, suffix[i][2], s->weight_size[i], o), momentum);
  }
  net->phase = HO_PHASE_BACKWARD;
}

/* Gradients of the weights come out of op o. */
static void weight_gradients(const backward *b, const ho_step *s, ho_op o, ho_tensor *gradient) {
  static const char *const suffix[HO_STEP_MAX_WEIGHTS] = {"weight.grad", "bias.grad"};
  for (int32_t i = 0; i < s->n_weights; i++) gradient[i] = ho_net_vector(b->net, s->name, suffix[i], s->weight_size[i], o);
}

/* Convolution and gemm: each gradient costs as many multiply-accumulates as the way forward. That of the weights sums over the
 * batch, and libraries split the sum when the weights alone are too few work items. */
static void multiply_backward(backward *b, const ho_step *s, const char *data_kind, const char *weight_kind,
                              ho_tensor *gradient) {
  ho_net *net = b->net;
  ho_feature x = s->in[0];
  double out = (double)ho_net_elements(net, s->out), weights = (double)s->weight_size[0];
  ho_op wgrad = gradient_op(b, s, "wgrad", weight_kind, ho_work_on_tensors(2 * s->macs, MAX(out, weights)));
  ho_graph_build_consume(net->build, x.tensor, wgrad);
  weight_gradients(b, s, wgrad, gradient);
  if (!is_wanted(b, x)) return;
  ho_op dgrad = input_gradient(b, s, "dgrad", data_kind, ho_work_on_tensors(2 * s->macs, (double)ho_net_elements(net, x)));
  ho_graph_build_consume(net->build, s->weight[0], dgrad);
}

/* Two passes over input and gradient: one for the sums, one for the result. Per element: x̂ 2, dβ 1, dγ 2, dx 4. */
static void batchnorm_backward(backward *b, const ho_step *s, ho_tensor *gradient) {
  ho_net *net = b->net;
  double elements = (double)ho_net_elements(net, s->in[0]);
  ho_work work = ho_work_on_tensors(9 * elements, elements);
  work.read = 4 * ho_net_bytes(net, s->in[0]) + 3.0 * (double)s->in[0].c * ho_dtype_bits(net->dtype) / 8;
  ho_op o = input_gradient(b, s, "grad", "batchnorm_grad", work);
  ho_graph_build_consume(net->build, s->in[0].tensor, o);
  ho_graph_build_consume(net->build, s->weight[0], o);
  ho_graph_build_consume(net->build, s->saved, o);
  weight_gradients(b, s, o, gradient);
}

static void flatten_backward(backward *b, const ho_step *s) {
  ho_op o = gradient_op(b, s, "grad", "flatten_grad", (ho_work){0});
  ho_tensor view = ho_net_like(b->net, s->name, "grad.out", s->in[0], o);
  ho_graph_build_alias(b->net->build, view, b->gradient[s->out.tensor]);
  contribute(b, s, "grad_sum", s->in[0], view);
}

/* Every input has its part of the gradient. */
static void concat_backward(backward *b, const ho_step *s) {
  double elements = (double)ho_net_elements(b->net, s->out);
  ho_op o = gradient_op(b, s, "grad", "split", ho_work_on_tensors(0, elements));
  for (int32_t i = 0; i < s->n_many; i++) {
    g_autofree char *part = g_strdup_printf("grad.%d", i), *sum = g_strdup_printf("grad_sum.%d", i);
    contribute(b, s, sum, s->many[i], ho_net_like(b->net, s->name, part, s->many[i], o));
  }
}

static void step_backward(backward *b, const ho_step *s, ho_tensor *gradient) {
  ho_net *net = b->net;
  double in = (double)ho_net_elements(net, s->in[0]), out = (double)ho_net_elements(net, s->out);
  ho_op o;
  switch (s->kind) {
    case HO_STEP_CONV:
      multiply_backward(b, s, s->depthwise ? "depthwise_conv_dgrad" : "conv_dgrad",
                        s->depthwise ? "depthwise_conv_wgrad" : "conv_wgrad", gradient);
      return;
    case HO_STEP_GEMM:
      multiply_backward(b, s, "gemm_dgrad", "gemm_wgrad", gradient);
      return;
    case HO_STEP_BATCHNORM:
      batchnorm_backward(b, s, gradient);
      return;
    case HO_STEP_RELU:
      o = input_gradient(b, s, "grad", "relu_grad", ho_work_on_tensors(in, in));
      ho_graph_build_consume(net->build, s->out.tensor, o);
      return;
    case HO_STEP_MAXPOOL:
      o = input_gradient(b, s, "grad", "maxpool_grad", ho_work_on_tensors(out, in));
      ho_graph_build_consume(net->build, s->saved, o);
      return;
    case HO_STEP_AVGPOOL:
      input_gradient(b, s, "grad", "avgpool_grad", ho_work_on_tensors((double)(s->kernel * s->kernel) * out, in));
      return;
    case HO_STEP_CONCAT:
      concat_backward(b, s);
      return;
    case HO_STEP_GLOBALAVGPOOL:
      input_gradient(b, s, "grad", "globalavgpool_grad", ho_work_on_tensors(in, in));
      return;
    case HO_STEP_ADD: /* both inputs have the gradient of the output itself */
      contribute(b, s, "grad_sum", s->in[0], b->gradient[s->out.tensor]);
      contribute(b, s, "grad_sum.1", s->in[1], b->gradient[s->out.tensor]);
      return;
    case HO_STEP_FLATTEN:
      flatten_backward(b, s);
      return;
  }
}

/* Softmax cross-entropy: the eight operations of a logarithmic softmax per logit and one to pick and sum; it keeps the
 * logarithms of the probabilities, out of which the gradient is an exponential (counted as 4) and a subtraction. */
static ho_tensor loss(ho_net *net, const char *name, ho_feature logits, ho_tensor labels) {
  double elements = (double)ho_net_elements(net, logits);
  net->phase = HO_PHASE_FORWARD;
  ho_op forward = ho_net_op(net, name, NULL, "loss", ho_work_on_tensors(9 * elements, elements));
  ho_graph_build_consume(net->build, logits.tensor, forward);
  ho_graph_build_consume(net->build, labels, forward);
  ho_net_vector(net, name, "value", 1, forward);
  ho_tensor logarithms = ho_net_like(net, name, "log_probabilities", logits, forward);

  net->phase = HO_PHASE_BACKWARD;
  ho_op back = ho_net_op(net, name, "grad", "loss_grad", ho_work_on_tensors(5 * elements, elements));
  ho_graph_build_consume(net->build, labels, back);
  ho_graph_build_consume(net->build, logarithms, back);
  return ho_net_like(net, name, "grad.out", logits, back);
}

void ho_net_backward(ho_net *net, ho_feature logits) {
  const ho_step *steps = (const ho_step *)(void *)net->steps->data;
  int32_t n = (int32_t)net->steps->len;
  int32_t n_forward = logits.tensor + 1; /* the last tensor of the last layer */
  backward b = {.net = net, .gradient = g_new(ho_tensor, n_forward)};
  for (int32_t i = 0; i < n_forward; i++) b.gradient[i] = -1;
  ho_tensor(*weights)[HO_STEP_MAX_WEIGHTS] = g_malloc(sizeof *weights * (size_t)n);

  ho_net_group(net, NULL);
  ho_tensor labels = ho_graph_build_tensor(net->build, "labels", HO_INT64, 1, &net->batch, 0, HO_ROLE_INPUT, -1);
  b.gradient[logits.tensor] = loss(net, "loss", logits, labels);
  if (net->has_auxiliary) b.gradient[net->auxiliary.tensor] = loss(net, "loss.auxiliary", net->auxiliary, labels);
  for (int32_t i = n - 1; i >= 0; i--) {
    net->layer = steps[i].layer;
    step_backward(&b, &steps[i], weights[i]);
  }
  for (int32_t i = 0; i < n; i++)
    if (steps[i].n_weights) update(net, &steps[i], weights[i]);
  g_free(b.gradient);
  g_free(weights);
}
