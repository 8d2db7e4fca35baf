/* tape_math.c: the ops of a tape that compute: products, pointwise functions, normalisations. */
#include "models/tape_private.h"

static int64_t last(ho_value v) {
  return v.dim[v.rank - 1];
}

static double elements(ho_value v) {
  return (double)ho_value_elements(v);
}

static char *weight_name(const char *name, const char *suffix) {
  return g_strconcat(name, ".", suffix, NULL);
}

static ho_weight named_weight(ho_tape *t, const char *name, const char *suffix, ho_value shape) {
  g_autofree char *full = weight_name(name, suffix);
  return ho_tape_weight(t, full, shape);
}

/* ---- products -------------------------------------------------------------------------------------------------------- */

ho_value ho_tape_matmul(ho_tape *t, const char *name, ho_value a, ho_value b) {
  ho_value out = a;
  out.dim[out.rank - 1] = last(b);
  double flops = 2 * elements(out) * (double)last(a);
  ho_tape_step s = {.rule = HO_RULE_PRODUCT, .n_in = 2, .in = {a, b}, .out = out, .flops = flops, .back = "matmul_dgrad"};
  return ho_tape_record(t, name, "matmul", ho_work_on_tensors(flops, elements(out)), &s);
}

static ho_value linear(ho_tape *t, const char *name, const char *kind, ho_value x, ho_value out, double macs, int32_t n_weights,
                       const ho_weight *w) {
  ho_tape_step s = {
      .rule = HO_RULE_LINEAR, .n_in = 1, .in = {x}, .out = out, .n_weights = n_weights, .flops = 2 * macs, .back = kind};
  for (int32_t i = 0; i < n_weights; i++) s.weight[i] = w[i];
  return ho_tape_record(t, name, kind, ho_work_on_tensors(2 * macs, elements(out)), &s);
}

ho_value ho_tape_linear(ho_tape *t, const char *name, ho_value x, ho_weight w, int64_t n) {
  ho_value out = x;
  out.dim[out.rank - 1] = n;
  return linear(t, name, "matmul", x, out, elements(out) * (double)last(x), 1, &w);
}

ho_value ho_tape_dense(ho_tape *t, const char *name, ho_value x, int64_t n) {
  g_autofree char *product = weight_name(name, "matmul"), *sum = weight_name(name, "add");
  ho_weight w = named_weight(t, name, "weight", ho_shape2(last(x), n)), b = named_weight(t, name, "bias", ho_shape1(n));
  return ho_tape_bias(t, sum, ho_tape_linear(t, product, x, w, n), b);
}

ho_value ho_tape_gemm(ho_tape *t, const char *name, ho_value x, int64_t n) {
  ho_weight w[] = {named_weight(t, name, "weight", ho_shape2(n, last(x))), named_weight(t, name, "bias", ho_shape1(n))};
  ho_value out = ho_shape2(x.dim[0], n);
  return linear(t, name, "gemm", x, out, elements(out) * (double)last(x), 2, w);
}

ho_value ho_tape_project(ho_tape *t, const char *name, ho_value x) {
  ho_weight w = named_weight(t, name, "weight", ho_shape2(x.dim[1], x.dim[2]));
  return linear(t, name, "einsum", x, ho_shape2(x.dim[0], x.dim[1]), elements(x), 1, &w);
}

ho_value ho_tape_patches(ho_tape *t, const char *name, ho_value image, int64_t n, int64_t patch) {
  int64_t channels = image.dim[1];
  ho_weight w[] = {named_weight(t, name, "weight", ho_shape4(n, channels, patch, patch)),
                   named_weight(t, name, "bias", ho_shape1(n))};
  ho_value out = ho_shape4(image.dim[0], n, image.dim[2] / patch, image.dim[3] / patch);
  return linear(t, name, "conv", image, out, elements(out) * (double)(channels * patch * patch), 2, w);
}

/* ---- pointwise ------------------------------------------------------------------------------------------------------- */

const ho_pointwise ho_relu = {"relu", 1, 1, TRUE};
const ho_pointwise ho_gelu = {"gelu", 12, 18, FALSE}; /* Φ(x) again 10, density: square, exp, scale 6, x·φ + Φ, times dy 2 */
const ho_pointwise ho_silu = {"silu", 7, 11, FALSE};  /* σ 6, σ·(1 + x·(1 - σ)) 4, times dy 1 */
const ho_pointwise ho_tanh = {"tanh", 6, 3, TRUE};    /* dy·(1 - y²) */
const ho_pointwise ho_elu = {"elu", 6, 3, TRUE};      /* comparison, y + 1, times dy */
const ho_pointwise ho_leakyrelu = {"leakyrelu", 2, 2, FALSE};

/* An op of which one other op is the gradient; `back` is the kind of that and `back_flops` what it takes per element of the input. */
static ho_tape_step local(ho_value x, ho_value out, const char *back, double back_flops, unsigned reads) {
  return (ho_tape_step){.rule = HO_RULE_LOCAL,
                        .n_in = 1,
                        .in = {x},
                        .out = out,
                        .back = back,
                        .back_work = ho_work_on_tensors(back_flops * elements(x), elements(x)),
                        .reads = reads};
}

static const char *gradient_of(ho_tape *t, const char *kind) {
  g_autofree char *name = g_strconcat(kind, "_grad", NULL);
  return ho_arena_strdup(t->arena, name);
}

ho_value ho_tape_pointwise(ho_tape *t, const char *name, const ho_pointwise *f, ho_value x) {
  ho_tape_step s = local(x, x, gradient_of(t, f->kind), f->backward, f->keeps_output ? HO_READS_OUTPUT : HO_READS_INPUT);
  return ho_tape_record(t, name, f->kind, ho_work_on_tensors(f->flops * elements(x), elements(x)), &s);
}

ho_value ho_tape_scale(ho_tape *t, const char *name, const char *kind, ho_value x) {
  ho_tape_step s = local(x, x, gradient_of(t, kind), 1, 0);
  return ho_tape_record(t, name, kind, ho_work_on_tensors(elements(x), elements(x)), &s);
}

ho_value ho_tape_add(ho_tape *t, const char *name, ho_value x, ho_value y) {
  ho_tape_step s = {.rule = HO_RULE_PASS, .n_in = 2, .in = {x, y}, .out = x};
  return ho_tape_record(t, name, "add", ho_work_on_tensors(elements(x), elements(x)), &s);
}

ho_value ho_tape_mul(ho_tape *t, const char *name, ho_value x, ho_value y) {
  ho_tape_step s = {.rule = HO_RULE_PRODUCT, .n_in = 2, .in = {x, y}, .out = x, .flops = elements(x), .back = "mul_grad"};
  return ho_tape_record(t, name, "mul", ho_work_on_tensors(elements(x), elements(x)), &s);
}

ho_value ho_tape_bias(ho_tape *t, const char *name, ho_value x, ho_weight w) {
  ho_tape_step s = {.rule = HO_RULE_PASS, .n_in = 1, .in = {x}, .out = x, .n_weights = 1, .weight = {w}};
  return ho_tape_record(t, name, "add", ho_work_on_tensors(elements(x), elements(x)), &s);
}

ho_value ho_tape_rope(ho_tape *t, const char *name, ho_value x, ho_value table) {
  ho_tape_step s = local(x, x, "rope_grad", 3, HO_READS_SIDE);
  s.n_side = 1;
  s.side[0] = table;
  return ho_tape_record(t, name, "rope", ho_work_on_tensors(3 * elements(x), elements(x)), &s);
}

/* ---- along a dimension ------------------------------------------------------------------------------------------------ */

/* Backward: y·(dy - Σ dy·y). */
ho_value ho_tape_softmax(ho_tape *t, const char *name, ho_value x) {
  ho_tape_step s = local(x, x, "softmax_grad", 4, HO_READS_OUTPUT);
  return ho_tape_record(t, name, "softmax", ho_work_on_tensors(8 * elements(x), elements(x)), &s);
}

ho_value ho_tape_softmax_by(ho_tape *t, const char *name, ho_value x, ho_value destination) {
  ho_tape_step s = local(x, x, "softmax_grad", 4, HO_READS_OUTPUT | HO_READS_SIDE);
  s.n_side = 1;
  s.side[0] = destination;
  return ho_tape_record(t, name, "softmax", ho_work_on_tensors(8 * elements(x), elements(x)), &s);
}

typedef struct {
  const char *kind, *back;
  int32_t n_weights;
  int64_t statistics; /* kept for the way back, elements */
} normalisation;

static const char *const norm_weights[] = {"weight", "bias"};

static ho_value normalise(ho_tape *t, const char *name, ho_value x, const normalisation *n, ho_work work, ho_work back_work) {
  ho_tape_step s = local(x, x, n->back, 0, HO_READS_INPUT | HO_READS_WEIGHT | HO_READS_SAVED);
  s.back_work = back_work;
  s.n_weights = n->n_weights;
  for (int32_t i = 0; i < n->n_weights; i++) s.weight[i] = named_weight(t, name, norm_weights[i], ho_shape1(last(x)));
  ho_value y = ho_tape_record(t, name, n->kind, work, &s);
  if (t->mode != HO_MODE_TRAINING) return y;
  ho_tape_step *step = ho_tape_step_at(t, (int32_t)t->steps->len - 1);
  ho_op o = ho_graph_build_find_op(t->build, step->name);
  step->saved = ho_tape_tensor(t, step->name, "statistics", ho_shape1(n->statistics), o);
  return y;
}

/* Backward: x̂ 2, dβ 1, dγ 2, γ·dy 1, two sums of a row 3, dx 3. */
ho_value ho_tape_layernorm(ho_tape *t, const char *name, ho_value x) {
  double n = elements(x);
  normalisation norm = {"layernorm", "layernorm_grad", 2, 2 * ho_value_elements(x) / last(x)};
  return normalise(t, name, x, &norm, ho_work_on_tensors(8 * n, n), ho_work_on_tensors(12 * n, n));
}

/* Backward: x̂ 1, dγ 2, γ·dy 1, the sum of a row 2, dx 3. */
ho_value ho_tape_rmsnorm(ho_tape *t, const char *name, ho_value x) {
  double n = elements(x);
  normalisation norm = {"rmsnorm", "rmsnorm_grad", 1, ho_value_elements(x) / last(x)};
  return normalise(t, name, x, &norm, ho_work_on_tensors(5 * n, n), ho_work_on_tensors(9 * n, n));
}

/* As layers.c has it: in inference the statistics are folded into scale and shift; in training the input is read twice, and on the
 * way back input and gradient are. */
ho_value ho_tape_batchnorm(ho_tape *t, const char *name, ho_value x) {
  gboolean training = t->mode == HO_MODE_TRAINING;
  double n = elements(x), columns = ho_tape_bytes(t, ho_shape1(last(x)));
  normalisation norm = {"batchnorm", "batchnorm_grad", 2, 2 * last(x)};
  ho_work work = ho_work_on_tensors((training ? 6 : 2) * n, n), back = ho_work_on_tensors(9 * n, n);
  if (training) work.read = 2 * ho_tape_bytes(t, x) + 2 * columns;
  back.read = 4 * ho_tape_bytes(t, x) + 3 * columns;
  return normalise(t, name, x, &norm, work, back);
}

ho_value ho_tape_mean(ho_tape *t, const char *name, ho_value x, ho_value shape) {
  ho_tape_step s = local(x, shape, "reduce_mean_grad", 1, 0);
  return ho_tape_record(t, name, "reduce_mean", ho_work_on_tensors(elements(x), elements(x)), &s);
}
