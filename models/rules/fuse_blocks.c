/* fuse_blocks.c: fusion of the pieces of attention, layer normalisation and GELU, as exporters write them; see fuse.h.
 *
 * The graph knows kinds and edges, not the values of constants: a pattern is the shape of the computation. The fused op does what its
 * pieces did, whatever their constants. Patterns follow ONNX Runtime's graph optimisers of the same names; attention without its
 * scores in memory is Dao et al., NeurIPS 2022. */
#include "models/rules/fuse.h"

static ho_op producer_of(const ho_workgraph *w, ho_tensor t) {
  return t >= 0 ? w->tensor[t].info.producer : -1;
}

/* The op of this kind that makes the only data input of o, and that nothing else reads; -1. */
static ho_op before(const ho_workgraph *w, ho_op o) {
  ho_op p = producer_of(w, ho_only_data_input(w, o));
  return p >= 0 && ho_next(w, p) == o ? p : -1;
}

static ho_op next_unary(const ho_workgraph *w, ho_op o, const char *kind) {
  ho_op n = ho_next(w, o);
  return ho_is_kind(w, n, kind) && ho_is_unary(w, n) ? n : -1;
}

static int32_t outputs_that_leave(const ho_workgraph *w, const ho_group *g) {
  int32_t n = 0;
  for (int32_t i = 0; i < g->n; i++)
    for (int32_t k = 0; k < w->op[g->op[i]].out.n; k++) n += !ho_fuse_keeps(w, g, w->op[g->op[i]].out.item[k]);
  return n;
}

/* ---- GELU ------------------------------------------------------------------------------------------------------------- */

/* The end of both forms: (inner + 1) · x · ½, or (inner + 1) · (x · ½), inner being erf or tanh of something of x. */
static gboolean match_gelu_end(const ho_workgraph *w, ho_op inner, ho_tensor x, ho_group *g) {
  ho_op add = next_unary(w, inner, "add"), mul = ho_next(w, add);
  if (!ho_is_kind(w, mul, "mul") || w->op[mul].in.n != 2) return FALSE;
  ho_tensor made = ho_workgraph_only_output(w, add), other = w->op[mul].in.item[w->op[mul].in.item[0] == made];
  ho_group_add(g, add);
  if (other != x) {
    ho_op half = producer_of(w, other);
    if (!ho_is_kind(w, half, "mul") || ho_next(w, half) != mul || ho_only_data_input(w, half) != x) return FALSE;
    ho_group_add(g, half);
    return ho_group_add(g, mul);
  }
  ho_group_add(g, mul);
  ho_op half = next_unary(w, mul, "mul");
  if (half >= 0) ho_group_add(g, half);
  return TRUE;
}

/* The inside of the other form: tanh(c · (x + c · x³)). */
static gboolean match_tanh_inside(const ho_workgraph *w, ho_op tanh_op, ho_tensor *x, ho_group *g) {
  ho_op scale = before(w, tanh_op), sum = scale >= 0 ? before(w, scale) : -1;
  if (!ho_is_kind(w, scale, "mul") || !ho_is_kind(w, sum, "add") || w->op[sum].in.n != 2) return FALSE;
  for (int i = 0; i < 2; i++) {
    ho_op c = producer_of(w, w->op[sum].in.item[i]);
    if (!ho_is_kind(w, c, "mul") || ho_next(w, c) != sum) continue;
    ho_op cube = before(w, c);
    *x = w->op[sum].in.item[1 - i];
    if (!ho_is_kind(w, cube, "pow") || ho_only_data_input(w, cube) != *x) continue;
    ho_op all[] = {cube, c, sum, scale};
    for (int k = 0; k < 4; k++) ho_group_add(g, all[k]);
    return TRUE;
  }
  return FALSE;
}

static gboolean match_gelu(const ho_workgraph *w, ho_op o, ho_group *g) {
  ho_tensor x = -1;
  if (ho_is_kind(w, o, "erf")) {
    ho_op scale = before(w, o);
    if (!ho_is_kind(w, scale, "div") && !ho_is_kind(w, scale, "mul")) return FALSE;
    x = ho_only_data_input(w, scale);
    ho_group_add(g, scale);
  } else if (!ho_is_kind(w, o, "tanh") || !match_tanh_inside(w, o, &x, g)) {
    return FALSE;
  }
  ho_group_add(g, o);
  return match_gelu_end(w, o, x, g) && outputs_that_leave(w, g) == 1;
}

/* ---- layer normalisation ------------------------------------------------------------------------------------------------ */

static gboolean is_square(const ho_workgraph *w, ho_op o) {
  return (ho_is_kind(w, o, "pow") || ho_is_kind(w, o, "mul")) && ho_only_data_input(w, o) >= 0;
}

/* A reader of t that squares it; -1. */
static ho_op square_of(const ho_workgraph *w, ho_tensor t) {
  for (int32_t i = 0; t >= 0 && i < w->tensor[t].use.n; i++)
    if (is_square(w, w->tensor[t].use.item[i])) return w->tensor[t].use.item[i];
  return -1;
}

/* mean, x - mean (once or twice), square, mean, + epsilon, root, divide, and where they follow · weight, + bias. */
static gboolean match_layernorm(const ho_workgraph *w, ho_op o, ho_group *g) {
  if (!ho_is_kind(w, o, "reduce_mean")) return FALSE;
  ho_tensor mean = ho_workgraph_only_output(w, o);
  if (mean < 0 || w->tensor[mean].use.n < 1 || w->tensor[mean].use.n > 2) return FALSE;
  ho_group_add(g, o);
  ho_op square = -1;
  for (int32_t i = 0; i < w->tensor[mean].use.n; i++) {
    ho_op sub = w->tensor[mean].use.item[i];
    if (!ho_is_kind(w, sub, "sub")) return FALSE;
    ho_group_add(g, sub);
    if (square < 0) square = square_of(w, ho_workgraph_only_output(w, sub));
  }
  ho_op mean2 = ho_next(w, square), plus = next_unary(w, mean2, "add"), root = next_unary(w, plus, "sqrt"),
        div = ho_next(w, root);
  if (!ho_is_kind(w, mean2, "reduce_mean") || !ho_is_kind(w, div, "div")) return FALSE;
  ho_op all[] = {square, mean2, plus, root, div};
  for (int k = 0; k < 5; k++) ho_group_add(g, all[k]);
  ho_op scale = next_unary(w, div, "mul"), shift = next_unary(w, scale, "add");
  if (scale >= 0) ho_group_add(g, scale);
  if (shift >= 0) ho_group_add(g, shift);
  return outputs_that_leave(w, g) == 1;
}

/* The sum before a normalisation, which may also be read later: then it is the fused op's second output. */
static gboolean match_skip_layernorm(const ho_workgraph *w, ho_op o, ho_group *g) {
  static const char *const norms[] = {"layernorm", "rmsnorm", NULL};
  if (!ho_is_one_of(w, o, norms)) return FALSE;
  for (int32_t i = 0; i < w->op[o].in.n; i++) {
    ho_tensor t = w->op[o].in.item[i];
    ho_op add = producer_of(w, t);
    if (!ho_is_kind(w, add, "add") || w->op[add].out.n != 1 || w->tensor[t].n_aliases > 0) continue;
    if (ho_only_data_input(w, add) >= 0 && w->tensor[t].use.n > 1) continue; /* a bias that others read too */
    ho_group_add(g, add);
    return ho_group_add(g, o);
  }
  return FALSE;
}

/* ---- attention ---------------------------------------------------------------------------------------------------------- */

static gboolean is_product(const ho_workgraph *w, ho_op o) {
  return ho_is_kind(w, o, "matmul") || ho_is_kind(w, o, "gemm") || ho_is_kind(w, o, "einsum");
}

/* What may stand between the products and the softmax: scale, mask, cast, dropout, another shape. */
static gboolean is_between(const ho_workgraph *w, ho_op o) {
  static const char *const views[] = {"reshape", "unsqueeze", "squeeze", "where", "dropout", NULL};
  return ho_is_one_of(w, o, views) || ho_is_pointwise(w, o);
}

/* Of the inputs of o, the op that makes the scores: as large as the output, read by o alone. */
static ho_op scores_of(const ho_workgraph *w, ho_op o) {
  ho_tensor out = ho_workgraph_only_output(w, o);
  for (int32_t i = 0; out >= 0 && i < w->op[o].in.n; i++) {
    ho_tensor t = w->op[o].in.item[i];
    ho_op p = producer_of(w, t);
    if (p >= 0 && w->tensor[t].info.bytes == w->tensor[out].info.bytes && ho_workgraph_only_consumer(w, t) == o &&
        (is_product(w, p) || is_between(w, p)))
      return p;
  }
  return -1;
}

static gboolean match_attention(const ho_workgraph *w, ho_op o, ho_group *g) {
  if (!ho_is_kind(w, o, "softmax")) return FALSE;
  ho_group_add(g, o);
  ho_op back = o, on = o;
  do {
    back = scores_of(w, back);
    if (back < 0 || g->n > 12) return FALSE;
    ho_group_add(g, back);
  } while (!is_product(w, back));
  do {
    on = ho_next(w, on);
    if (on < 0 || g->n > 16 || (!is_product(w, on) && !is_between(w, on))) return FALSE;
    ho_group_add(g, on);
  } while (!is_product(w, on));
  return outputs_that_leave(w, g) == 1;
}

const ho_fuse_pattern ho_fuse_attention = {"attention", match_attention}, ho_fuse_layernorm = {"layernorm", match_layernorm},
                      ho_fuse_gelu = {"gelu", match_gelu}, ho_fuse_skip_layernorm = {"skip+layernorm", match_skip_layernorm};
