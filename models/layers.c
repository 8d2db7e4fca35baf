/* layers.c: the forward ops; see layers.h. */
#include "models/layers.h"

#include "models/layers_net.h"

/* ---- the net --------------------------------------------------------------------------------------------------------- */

ho_net *ho_net_new(const char *name, const char *source, int64_t batch, ho_dtype dtype, ho_mode mode) {
  ho_net *net = g_new0(ho_net, 1);
  net->build = ho_graph_build_new(name, source);
  net->batch = batch;
  net->dtype = dtype;
  net->mode = mode;
  net->texts = g_string_chunk_new(4096);
  net->steps = g_array_new(FALSE, FALSE, sizeof(ho_step));
  ho_graph_build_set(net->build, 0, (double)batch);
  return net;
}

ho_graph *ho_net_finish(ho_net *net, ho_feature logits, GError **error) {
  if (net->mode == HO_MODE_TRAINING) ho_net_backward(net, logits);
  ho_graph *g = ho_graph_build_finish(net->build, error);
  for (guint i = 0; i < net->steps->len; i++) g_free(g_array_index(net->steps, ho_step, i).many);
  g_array_free(net->steps, TRUE);
  g_string_chunk_free(net->texts);
  g_free(net);
  return g;
}

void ho_net_auxiliary(ho_net *net, ho_feature logits) {
  net->has_auxiliary = TRUE;
  net->auxiliary = logits;
}

void ho_net_group(ho_net *net, const char *layer) {
  net->layer = layer ? g_string_chunk_insert_const(net->texts, layer) : NULL;
}

/* ---- parts of layers ------------------------------------------------------------------------------------------------- */

int64_t ho_net_elements(const ho_net *net, ho_feature x) {
  return net->batch * x.c * x.h * x.w;
}

double ho_net_bytes(const ho_net *net, ho_feature x) {
  return (double)ho_net_elements(net, x) * ho_dtype_bits(net->dtype) / 8;
}

static char *join(const char *name, const char *suffix) {
  return suffix ? g_strconcat(name, ".", suffix, NULL) : g_strdup(name);
}

ho_op ho_net_op(ho_net *net, const char *name, const char *suffix, const char *kind, ho_work work) {
  g_autofree char *full = join(name, suffix);
  ho_op_info op = ho_op_info_init(full, kind);
  op.phase = net->phase;
  op.layer = net->layer;
  op.flops = work.flops;
  op.read = work.read;
  op.write = work.write;
  op.parallelism = work.items;
  return ho_graph_build_op(net->build, &op);
}

ho_tensor ho_net_like(ho_net *net, const char *name, const char *suffix, ho_feature x, ho_op producer) {
  g_autofree char *full = join(name, suffix);
  int64_t shape[] = {net->batch, x.c, x.h, x.w};
  return ho_graph_build_tensor(net->build, full, net->dtype, x.rank, shape, 0, HO_ROLE_INPUT, producer);
}

static ho_tensor weight_tensor(ho_net *net, const char *name, const char *suffix, int32_t rank, const int64_t *shape,
                               ho_op producer) {
  g_autofree char *full = join(name, suffix);
  return ho_graph_build_tensor(net->build, full, net->dtype, rank, shape, 0, HO_ROLE_WEIGHT, producer);
}

ho_tensor ho_net_vector(ho_net *net, const char *name, const char *suffix, int64_t n, ho_op producer) {
  return weight_tensor(net, name, suffix, 1, &n, producer);
}

/* Begins a step: an op that reads x, and gives a map like `out`. */
static ho_op begin_step(ho_net *net, ho_step *step, const char *name, const char *kind, ho_work work) {
  step->name = g_string_chunk_insert(net->texts, name);
  step->layer = net->layer;
  step->saved = -1;
  ho_op o = ho_net_op(net, name, NULL, kind, work);
  ho_graph_build_consume(net->build, step->in[0].tensor, o);
  step->out.tensor = ho_net_like(net, name, "out", step->out, o);
  return o;
}

static void add_weight(ho_net *net, ho_step *step, ho_op o, const char *suffix, int32_t rank, const int64_t *shape) {
  int64_t n = 1;
  for (int32_t i = 0; i < rank; i++) n *= shape[i];
  ho_tensor w = weight_tensor(net, step->name, suffix, rank, shape, -1);
  ho_graph_build_consume(net->build, w, o);
  step->weight[step->n_weights] = w;
  step->weight_size[step->n_weights++] = n;
}

static ho_feature end_step(ho_net *net, const ho_step *step) {
  g_array_append_vals(net->steps, step, 1);
  return step->out;
}

/* ---- layers ---------------------------------------------------------------------------------------------------------- */

ho_feature ho_net_input(ho_net *net, const char *name, int64_t channels, int64_t height, int64_t width) {
  ho_feature x = {.rank = 4, .c = channels, .h = height, .w = width};
  x.tensor = ho_net_like(net, name, NULL, x, -1);
  return x;
}

static int64_t slid(int64_t size, int64_t kernel, int64_t stride, int64_t padding) {
  return (size + 2 * padding - kernel) / stride + 1;
}

/* Multiply-accumulates: one per output element and weight of its channel. */
ho_feature ho_net_conv_wide(ho_net *net, const char *name, ho_feature x, ho_conv_shape s, int64_t kernel_w, int64_t padding_w) {
  ho_feature y = {
      .rank = 4, .c = s.channels, .h = slid(x.h, s.kernel, s.stride, s.padding), .w = slid(x.w, kernel_w, s.stride, padding_w)};
  int64_t weight[] = {s.channels, x.c / s.groups, s.kernel, kernel_w};
  double elements = (double)ho_net_elements(net, y);
  ho_step step = {.kind = HO_STEP_CONV, .in = {x}, .out = y};
  step.macs = elements * (double)(weight[1] * weight[2] * weight[3]);
  step.depthwise = s.groups > 1 && s.groups == x.c;
  const char *kind = step.depthwise ? "depthwise_conv" : "conv";
  ho_op o = begin_step(net, &step, name, kind, ho_work_on_tensors(2 * step.macs, elements));
  add_weight(net, &step, o, "weight", 4, weight);
  if (s.bias == HO_BIAS) add_weight(net, &step, o, "bias", 1, &s.channels);
  return end_step(net, &step);
}

ho_feature ho_net_conv(ho_net *net, const char *name, ho_feature x, ho_conv_shape s) {
  return ho_net_conv_wide(net, name, x, s, s.kernel, s.padding);
}

ho_feature ho_net_gemm(ho_net *net, const char *name, ho_feature x, int64_t features) {
  ho_feature y = {.rank = 2, .c = features, .h = 1, .w = 1};
  int64_t weight[] = {features, x.c};
  ho_step step = {.kind = HO_STEP_GEMM, .in = {x}, .out = y};
  step.macs = (double)net->batch * (double)features * (double)x.c;
  ho_op o = begin_step(net, &step, name, "gemm", ho_work_on_tensors(2 * step.macs, (double)ho_net_elements(net, y)));
  add_weight(net, &step, o, "weight", 2, weight);
  add_weight(net, &step, o, "bias", 1, &features);
  return end_step(net, &step);
}

/* In inference the running statistics are folded into scale and shift, as every run time does; in training the batch's own are
 * taken, in one more pass over the input, and kept for the way back. */
ho_feature ho_net_batchnorm(ho_net *net, const char *name, ho_feature x) {
  double elements = (double)ho_net_elements(net, x), parameters = 2.0 * (double)x.c * ho_dtype_bits(net->dtype) / 8;
  gboolean training = net->mode == HO_MODE_TRAINING;
  ho_step step = {.kind = HO_STEP_BATCHNORM, .in = {x}, .out = x};
  ho_work work = ho_work_on_tensors((training ? 6 : 2) * elements, elements);
  if (training) work.read = 2 * ho_net_bytes(net, x) + parameters;
  ho_op o = begin_step(net, &step, name, "batchnorm", work);
  add_weight(net, &step, o, "weight", 1, &x.c);
  add_weight(net, &step, o, "bias", 1, &x.c);
  if (training) step.saved = ho_net_vector(net, name, "statistics", 2 * x.c, o);
  return end_step(net, &step);
}

static ho_feature rectify(ho_net *net, const char *name, const char *kind, ho_feature x) {
  double elements = (double)ho_net_elements(net, x);
  ho_step step = {.kind = HO_STEP_RELU, .in = {x}, .out = x};
  begin_step(net, &step, name, kind, ho_work_on_tensors(elements, elements));
  return end_step(net, &step);
}

ho_feature ho_net_relu(ho_net *net, const char *name, ho_feature x) {
  return rectify(net, name, "relu", x);
}

ho_feature ho_net_relu6(ho_net *net, const char *name, ho_feature x) {
  return rectify(net, name, "relu6", x);
}

/* In training it keeps where each maximum came from, 8 bytes an element. */
ho_feature ho_net_maxpool(ho_net *net, const char *name, ho_feature x, int64_t kernel, int64_t stride, int64_t padding) {
  ho_feature y = {.rank = 4, .c = x.c, .h = slid(x.h, kernel, stride, padding), .w = slid(x.w, kernel, stride, padding)};
  double elements = (double)ho_net_elements(net, y);
  ho_step step = {.kind = HO_STEP_MAXPOOL, .in = {x}, .out = y};
  ho_op o = begin_step(net, &step, name, "maxpool", ho_work_on_tensors((double)(kernel * kernel) * elements, elements));
  if (net->mode == HO_MODE_TRAINING) {
    g_autofree char *indices = join(name, "indices");
    int64_t shape[] = {net->batch, y.c, y.h, y.w};
    step.saved = ho_graph_build_tensor(net->build, indices, HO_INT64, 4, shape, 0, HO_ROLE_NONE, o);
  }
  return end_step(net, &step);
}

/* Padding counts as zeros. */
ho_feature ho_net_avgpool(ho_net *net, const char *name, ho_feature x, int64_t kernel, int64_t stride, int64_t padding) {
  ho_feature y = {.rank = 4, .c = x.c, .h = slid(x.h, kernel, stride, padding), .w = slid(x.w, kernel, stride, padding)};
  double elements = (double)ho_net_elements(net, y);
  ho_step step = {.kind = HO_STEP_AVGPOOL, .in = {x}, .out = y, .kernel = kernel};
  begin_step(net, &step, name, "avgpool", ho_work_on_tensors((double)(kernel * kernel) * elements, elements));
  return end_step(net, &step);
}

ho_feature ho_net_add(ho_net *net, const char *name, ho_feature x, ho_feature y) {
  double elements = (double)ho_net_elements(net, x);
  ho_step step = {.kind = HO_STEP_ADD, .in = {x, y}, .out = x};
  ho_op o = begin_step(net, &step, name, "add", ho_work_on_tensors(elements, elements));
  ho_graph_build_consume(net->build, y.tensor, o);
  return end_step(net, &step);
}

ho_feature ho_net_concat(ho_net *net, const char *name, const ho_feature *x, int32_t n) {
  ho_feature y = x[0];
  for (int32_t i = 1; i < n; i++) y.c += x[i].c;
  ho_step step = {.kind = HO_STEP_CONCAT, .in = {x[0]}, .out = y, .n_many = n, .many = g_memdup2(x, sizeof *x * (size_t)n)};
  ho_op o = begin_step(net, &step, name, "concat", ho_work_on_tensors(0, (double)ho_net_elements(net, y)));
  for (int32_t i = 1; i < n; i++) ho_graph_build_consume(net->build, x[i].tensor, o);
  return end_step(net, &step);
}

/* A reduction's work items are its inputs: several threads share one sum. */
ho_feature ho_net_globalavgpool(ho_net *net, const char *name, ho_feature x) {
  double elements = (double)ho_net_elements(net, x);
  ho_step step = {.kind = HO_STEP_GLOBALAVGPOOL, .in = {x}, .out = {.rank = 4, .c = x.c, .h = 1, .w = 1}};
  begin_step(net, &step, name, "globalavgpool", ho_work_on_tensors(elements, elements));
  return end_step(net, &step);
}

/* A view of its input under another shape: an op without work. */
ho_feature ho_net_flatten(ho_net *net, const char *name, ho_feature x) {
  ho_step step = {.kind = HO_STEP_FLATTEN, .in = {x}, .out = {.rank = 2, .c = x.c * x.h * x.w, .h = 1, .w = 1}};
  begin_step(net, &step, name, "flatten", (ho_work){0});
  ho_graph_build_alias(net->build, step.out.tensor, x.tensor);
  return end_step(net, &step);
}
