/* tape_backward.c: what training adds to a tape: loss, gradients, optimiser.
 *
 * The tape is walked from its end, and each step differentiated by its rule. Gradients of a value that several ops read are added
 * as they come, those of a weight too. What depends on no weight gets none. What a gradient reads of the forward pass stays alive by
 * being read. The optimiser is AdamW (Loshchilov & Hutter, ICLR 2019), one op for all weights of a step; the weights and moments it
 * gives are aliases of the old ones. */
#include "models/tape_private.h"

#define ADAM_FLOPS 14.0 /* per parameter: moments 3 and 4, denominator 2, quotient 1, decay 2, step 2 */

typedef struct {
  ho_tape *tape;
  ho_tensor *gradient; /* by forward tensor; -1: none yet */
} backward;

static double elements(ho_value v) {
  return (double)ho_value_elements(v);
}

static void consume(const backward *b, ho_tensor x, ho_op o) {
  ho_graph_build_consume(b->tape->build, x, o);
}

/* ---- adding up --------------------------------------------------------------------------------------------------------- */

static ho_tensor sum_of(backward *b, const char *name, ho_value shape, ho_tensor x, ho_tensor y) {
  ho_op o = ho_tape_op(b->tape, name, NULL, "add", ho_work_on_tensors(elements(shape), elements(shape)));
  consume(b, x, o);
  consume(b, y, o);
  return ho_tape_tensor(b->tape, name, "out", shape, o);
}

/* The input was repeated to the size of the output: its gradient is summed over the copies. */
static ho_tensor reduced(backward *b, const char *name, ho_value from, ho_tensor gradient, ho_value to) {
  if (elements(from) <= elements(to)) return gradient;
  ho_op o = ho_tape_op(b->tape, name, NULL, "reduce_sum", ho_work_on_tensors(elements(from), elements(from)));
  consume(b, gradient, o);
  return ho_tape_tensor(b->tape, name, "out", to, o);
}

/* Takes `gradient` as one more contribution to that of x, the `which`-th input of step s. */
static void contribute(backward *b, const ho_tape_step *s, int32_t which, ho_value x, ho_tensor gradient) {
  ho_tensor *sum = &b->gradient[x.tensor];
  g_autofree char *name = g_strdup_printf("%s.grad_sum.%d", s->name, which);
  *sum = *sum < 0 ? gradient : sum_of(b, name, x, *sum, gradient);
}

static void contribute_weight(backward *b, const ho_tape_step *s, ho_weight weight, ho_tensor gradient) {
  ho_tape_weight_info *w = ho_tape_weight_at(b->tape, weight);
  g_autofree char *name = g_strdup_printf("%s.weight_grad_sum.%d", s->name, weight);
  w->gradient = w->gradient < 0 ? gradient : sum_of(b, name, w->shape, w->gradient, gradient);
}

/* ---- the ops of a step --------------------------------------------------------------------------------------------------- */

/* An op "name.suffix" that reads the gradient of the step's output. */
static ho_op gradient_op(const backward *b, const ho_tape_step *s, const char *suffix, const char *kind, ho_work work) {
  ho_op o = ho_tape_op(b->tape, s->name, suffix, kind, work);
  consume(b, b->gradient[s->out.tensor], o);
  return o;
}

static void give_input(backward *b, const ho_tape_step *s, int32_t which, ho_value x, const char *suffix, ho_op o) {
  g_autofree char *name = g_strconcat(s->name, ".", suffix, NULL);
  contribute(b, s, which, x, ho_tape_tensor(b->tape, name, "out", x, o));
}

static void give_weights(backward *b, const ho_tape_step *s, ho_op o) {
  for (int32_t i = 0; i < s->n_weights; i++) {
    g_autofree char *suffix = g_strdup_printf("weight_grad.%d", i);
    ho_value shape = ho_tape_weight_at(b->tape, s->weight[i])->shape;
    contribute_weight(b, s, s->weight[i], ho_tape_tensor(b->tape, s->name, suffix, shape, o));
  }
}

static void read_of_forward(const backward *b, const ho_tape_step *s, ho_op o) {
  if (s->reads & HO_READS_INPUT) consume(b, s->in[0].tensor, o);
  if (s->reads & HO_READS_OUTPUT) consume(b, s->out.tensor, o);
  if (s->reads & HO_READS_WEIGHT) consume(b, ho_tape_weight_at(b->tape, s->weight[0])->tensor, o);
  if (s->reads & HO_READS_SAVED) consume(b, s->saved, o);
  for (int32_t i = 0; (s->reads & HO_READS_SIDE) && i < s->n_side; i++) consume(b, s->side[i].tensor, o);
}

/* ---- rules --------------------------------------------------------------------------------------------------------------- */

static void local_backward(backward *b, const ho_tape_step *s) {
  ho_op o = gradient_op(b, s, "grad", s->back, s->back_work);
  read_of_forward(b, s, o);
  if (s->n_in && ho_tape_wants(b->tape, s->in[0].tensor)) give_input(b, s, 0, s->in[0], "grad", o);
  give_weights(b, s, o);
}

static void pass_backward(backward *b, const ho_tape_step *s) {
  ho_tensor gradient = b->gradient[s->out.tensor];
  for (int32_t i = 0; i < s->n_in; i++) {
    if (!ho_tape_wants(b->tape, s->in[i].tensor)) continue;
    g_autofree char *name = g_strdup_printf("%s.reduce.%d", s->name, i);
    contribute(b, s, i, s->in[i], reduced(b, name, s->out, gradient, s->in[i]));
  }
  for (int32_t i = 0; i < s->n_weights; i++) {
    g_autofree char *name = g_strdup_printf("%s.weight_reduce.%d", s->name, i);
    ho_value shape = ho_tape_weight_at(b->tape, s->weight[i])->shape;
    contribute_weight(b, s, s->weight[i], reduced(b, name, s->out, gradient, shape));
  }
}

static void view_backward(backward *b, const ho_tape_step *s) {
  ho_op o = gradient_op(b, s, "grad", "reshape_grad", (ho_work){0});
  ho_tensor view = ho_tape_tensor(b->tape, s->name, "grad.out", s->in[0], o);
  ho_graph_build_alias(b->tape->build, view, b->gradient[s->out.tensor]);
  contribute(b, s, 0, s->in[0], view);
}

/* Each gradient costs as much as the way forward, and, where the input was repeated, the sum over its copies. */
static void product_backward(backward *b, const ho_tape_step *s) {
  gboolean pointwise = !ho_family_has_macs(ho_family_of_kind(s->back));
  for (int32_t i = 0; i < 2; i++) {
    if (!ho_tape_wants(b->tape, s->in[i].tensor)) continue;
    g_autofree char *suffix = g_strdup_printf("dgrad.%d", i);
    gboolean repeated = pointwise && elements(s->in[i]) < elements(s->out);
    double flops = repeated ? 2 * s->flops : s->flops, items = repeated ? elements(s->out) : elements(s->in[i]);
    ho_op o = gradient_op(b, s, suffix, s->back, ho_work_on_tensors(flops, items));
    consume(b, s->in[1 - i].tensor, o);
    give_input(b, s, i, s->in[i], suffix, o);
  }
}

/* The gradient of the weights sums over the rows, and libraries split the sum when the weights alone are too few work items. */
static void linear_backward(backward *b, const ho_tape_step *s) {
  g_autofree char *wgrad_kind = g_strconcat(s->back, "_wgrad", NULL), *dgrad_kind = g_strconcat(s->back, "_dgrad", NULL);
  const ho_tape_weight_info *w = ho_tape_weight_at(b->tape, s->weight[0]);
  ho_tensor weight = w->tensor;
  ho_op o = gradient_op(b, s, "wgrad", wgrad_kind, ho_work_on_tensors(s->flops, MAX(elements(s->out), elements(w->shape))));
  consume(b, s->in[0].tensor, o);
  give_weights(b, s, o);
  if (!ho_tape_wants(b->tape, s->in[0].tensor)) return;
  o = gradient_op(b, s, "dgrad", dgrad_kind, ho_work_on_tensors(s->flops, elements(s->in[0])));
  consume(b, weight, o);
  give_input(b, s, 0, s->in[0], "dgrad", o);
}

/* The parts' gradients side by side; of a part that nothing reads there is none. */
static void split_backward(backward *b, const ho_tape_step *s) {
  ho_op o = ho_tape_op(b->tape, s->name, "grad", "concat", ho_work_on_tensors(0, elements(s->in[0])));
  for (int32_t i = 0; i < s->n_out; i++)
    if (b->gradient[s->many[i].tensor] >= 0) consume(b, b->gradient[s->many[i].tensor], o);
  give_input(b, s, 0, s->in[0], "grad", o);
}

static void concat_backward(backward *b, const ho_tape_step *s) {
  ho_op o = gradient_op(b, s, "grad", "split", ho_work_on_tensors(0, elements(s->out)));
  for (int32_t i = 0; i < s->n_in; i++) {
    if (!ho_tape_wants(b->tape, s->many[i].tensor)) continue;
    g_autofree char *suffix = g_strdup_printf("grad.%d", i);
    give_input(b, s, i, s->many[i], suffix, o);
  }
}

static gboolean has_gradient(const backward *b, const ho_tape_step *s) {
  if (s->rule != HO_RULE_SPLIT) return b->gradient[s->out.tensor] >= 0;
  for (int32_t i = 0; i < s->n_out; i++)
    if (b->gradient[s->many[i].tensor] >= 0) return TRUE;
  return FALSE;
}

static void step_backward(backward *b, const ho_tape_step *s) {
  switch (s->rule) {
    case HO_RULE_NONE:
      return;
    case HO_RULE_PASS:
      pass_backward(b, s);
      return;
    case HO_RULE_VIEW:
      view_backward(b, s);
      return;
    case HO_RULE_PRODUCT:
      product_backward(b, s);
      return;
    case HO_RULE_LINEAR:
      linear_backward(b, s);
      return;
    case HO_RULE_LOCAL:
      local_backward(b, s);
      return;
    case HO_RULE_SPLIT:
      split_backward(b, s);
      return;
    case HO_RULE_CONCAT:
      concat_backward(b, s);
      return;
  }
}

static gboolean is_wanted(const backward *b, const ho_tape_step *s) {
  return ho_tape_wants(b->tape, s->rule == HO_RULE_SPLIT ? s->many[0].tensor : s->out.tensor);
}

/* ---- loss and optimiser -------------------------------------------------------------------------------------------------- */

/* As in layers_backward.c: a logarithmic softmax 8, picking and summing 1; back an exponential and a subtraction. */
static ho_tensor loss(ho_tape *t, ho_value logits) {
  double n = elements(logits);
  ho_op forward = ho_tape_op(t, "loss", NULL, "loss", ho_work_on_tensors(9 * n, n));
  ho_value rows = ho_shape1(ho_value_elements(logits) / logits.dim[logits.rank - 1]);
  ho_value labels = ho_tape_indices(t, "labels", rows);
  ho_graph_build_consume(t->build, logits.tensor, forward);
  ho_graph_build_consume(t->build, labels.tensor, forward);
  ho_tape_tensor(t, "loss", "value", ho_shape1(1), forward);
  ho_tensor logarithms = ho_tape_tensor(t, "loss", "log_probabilities", logits, forward);

  t->phase = HO_PHASE_BACKWARD;
  ho_op back = ho_tape_op(t, "loss", "grad", "loss_grad", ho_work_on_tensors(5 * n, n));
  ho_graph_build_consume(t->build, labels.tensor, back);
  ho_graph_build_consume(t->build, logarithms, back);
  return ho_tape_tensor(t, "loss", "grad.out", logits, back);
}

static void update_weight(ho_tape *t, const ho_tape_weight_info *w, ho_op o) {
  static const char *const suffix[][2] = {{"moment1", "moment1.new"}, {"moment2", "moment2.new"}};
  ho_graph_build_consume(t->build, w->tensor, o);
  ho_graph_build_consume(t->build, w->gradient, o);
  ho_graph_build_alias(t->build, ho_tape_tensor(t, w->name, "new", w->shape, o), w->tensor);
  for (int i = 0; i < 2; i++) {
    ho_tensor moment = ho_tape_tensor(t, w->name, suffix[i][0], w->shape, -1);
    ho_graph_build_consume(t->build, moment, o);
    ho_graph_build_alias(t->build, ho_tape_tensor(t, w->name, suffix[i][1], w->shape, o), moment);
  }
}

static gboolean is_updated_by(const ho_tape_weight_info *w, int32_t step) {
  return w->user == step && w->gradient >= 0;
}

/* Weights that several steps share are updated with the first of them. */
static void update(ho_tape *t, int32_t step) {
  const ho_tape_step *s = ho_tape_step_at(t, step);
  double size = 0;
  for (int32_t i = 0; i < s->n_weights; i++) {
    const ho_tape_weight_info *w = ho_tape_weight_at(t, s->weight[i]);
    if (is_updated_by(w, step)) size += elements(w->shape);
  }
  if (size <= 0) return;
  t->layer = s->layer;
  ho_op o = ho_tape_op(t, s->name, "adamw", "optimizer", ho_work_on_tensors(ADAM_FLOPS * size, size));
  for (int32_t i = 0; i < s->n_weights; i++) {
    const ho_tape_weight_info *w = ho_tape_weight_at(t, s->weight[i]);
    if (is_updated_by(w, step)) update_weight(t, w, o);
  }
}

void ho_tape_backward(ho_tape *t, ho_value logits) {
  int32_t n = (int32_t)t->steps->len;
  backward b = {.tape = t, .gradient = g_new(ho_tensor, t->wanted->len)};
  for (guint i = 0; i < t->wanted->len; i++) b.gradient[i] = -1;
  t->layer = NULL;
  b.gradient[logits.tensor] = loss(t, logits);
  for (int32_t i = n - 1; i >= 0; i--) {
    const ho_tape_step *s = ho_tape_step_at(t, i);
    t->layer = s->layer;
    if (is_wanted(&b, s) && has_gradient(&b, s)) step_backward(&b, s);
  }
  t->phase = HO_PHASE_UPDATE;
  for (int32_t i = 0; i < n; i++) update(t, i);
  g_free(b.gradient);
}
