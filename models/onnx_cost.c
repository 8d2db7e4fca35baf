/* onnx_cost.c: kind, FLOPs, traffic and parallelism of an operator, by the formulae of onnx_cost.h.
 *
 * A size that is not known counts as 0, so that a formula gives what is certain. */
#include "models/onnx_cost.h"

#include <math.h>
#include <string.h>

static const ho_onnx_tensor *in(const ho_onnx_node *n, int32_t k) {
  return k < n->n_in ? n->in[k] : NULL;
}
static const ho_onnx_tensor *out(const ho_onnx_node *n, int32_t k) {
  return k < n->n_out ? n->out[k] : NULL;
}

static double elements(const ho_onnx_tensor *t) {
  const int64_t n = t ? ho_onnx_elements(&t->shape) : -1;
  return n < 0 ? 0 : (double)n;
}

static double bytes(const ho_onnx_tensor *t) {
  return t ? ho_onnx_bytes(t) : 0;
}

/* Size along an axis, counted from the end when negative; 0 when it is not known. */
static double size(const ho_onnx_tensor *t, int32_t axis) {
  if (t == NULL) return 0;
  if (axis < 0) axis += t->shape.rank;
  return axis >= 0 && axis < t->shape.rank ? (double)t->shape.dim[axis] : 0;
}

static int32_t rank(const ho_onnx_tensor *t) {
  return t ? t->shape.rank : -1;
}

/* Multiply-accumulates for one output element of a convolution: all of the weight but its first dimension. */
static double filter(const ho_onnx_tensor *w) {
  double n = rank(w) >= 1 ? 1 : 0;
  for (int32_t k = 1; k < rank(w); k++) n *= size(w, k);
  return n;
}

static double window(const ho_onnx_node *n) {
  size_t count;
  const int64_t *kernel = ho_onnx_ints(n, "kernel_shape", &count);
  double product = 1;
  for (size_t k = 0; k < count; k++) product *= (double)kernel[k];
  return product;
}

/* Length of the dimension that a product sums over. */
static double inner(const ho_onnx_node *n) {
  const ho_onnx_tensor *a = in(n, 0);
  return rank(a) > 1 && ho_onnx_int(n, "transA", 0) ? size(a, -2) : size(a, -1);
}

static double gemm_macs(const ho_onnx_node *n) {
  const ho_onnx_tensor *a = in(n, 0), *b = in(n, 1);
  return elements(a) * (ho_onnx_int(n, "transB", 0) ? size(b, 0) : size(b, 1));
}

static double einsum_macs(ho_onnx_model *m, const ho_onnx_node *n) {
  const char *equation = ho_onnx_string(m, n, "equation");
  gboolean seen[256] = {FALSE};
  double product = 1;
  int32_t k = 0, at = 0;
  for (const char *p = equation; *p && *p != '-'; p++) {
    if (*p == '.') return 0; /* an ellipsis: not covered */
    if (*p == ' ') continue;
    if (*p == ',') {
      k++;
      at = 0;
      continue;
    }
    if (!seen[(unsigned char)*p]) product *= size(in(n, k), at);
    seen[(unsigned char)*p] = TRUE;
    at++;
  }
  return product;
}

/* ---- attention ---- */

static double with_past(double fresh, const ho_onnx_tensor *past, int32_t axis) {
  return fresh + size(past, axis);
}

static double attention_macs(const ho_onnx_node *n) {
  const ho_onnx_tensor *q = in(n, 0), *k = in(n, 1), *v = in(n, 2);
  const double heads = rank(q) == 4 ? size(q, 1) : (double)ho_onnx_int(n, "q_num_heads", 1);
  const double kv_heads = rank(k) == 4 ? 1 : fmax(1, (double)ho_onnx_int(n, "kv_num_heads", 1));
  const double keys = with_past(size(k, -2), in(n, 4), 2), queries = size(q, -2);
  return size(q, 0) * heads * queries * keys * (size(k, -1) + size(v, -1)) / kv_heads;
}

static double contrib_macs(const ho_onnx_node *n) {
  const ho_onnx_tensor *x = in(n, 0), *w = in(n, 1);
  const double tokens = size(x, 0) * size(x, 1), keys = with_past(size(x, 1), in(n, 4), 3);
  const double values = size(out(n, 0), -1);
  const double queries = (size(w, 1) - values) / 2; /* W holds queries, keys and values side by side */
  return tokens * elements(w) + tokens * keys * (queries + values);
}

static double multi_head_macs(const ho_onnx_node *n) {
  const ho_onnx_tensor *q = in(n, 0), *k = in(n, 1);
  const double tokens = size(q, 0) * size(q, 1), wide = size(out(n, 0), -1);
  const double fresh = rank(k) == 4 ? size(k, 2) : rank(k) >= 3 ? size(k, 1) : size(q, 1);
  return tokens * with_past(fresh, in(n, 6), 2) * ((rank(q) == 3 ? size(q, 2) : wide) + wide);
}

static double group_query_macs(const ho_onnx_node *n) {
  const ho_onnx_tensor *q = in(n, 0);
  return size(q, 0) * size(q, 1) * with_past(size(q, 1), in(n, 3), 2) * 2 * size(out(n, 0), -1);
}

/* ---- others ---- */

static double resize_flops(const ho_onnx_node *n) {
  const ho_onnx_tensor *x = in(n, 0), *y = out(n, 0);
  double corners = 1;
  if (ho_onnx_string_is(n, "mode", "cubic")) return 32 * elements(y);
  if (!ho_onnx_string_is(n, "mode", "linear") && !ho_onnx_string_is(n, "mode", "bilinear")) return 0;
  for (int32_t k = 0; k < rank(x) && rank(x) == rank(y); k++)
    if (size(x, k) != size(y, k)) corners *= 2;
  return 3 * (corners - 1) * elements(y);
}

static double sort_flops(const ho_onnx_node *n) {
  const ho_onnx_tensor *x = in(n, 0);
  const gboolean one_axis = strcmp(n->op, "TopK") == 0 || ho_onnx_attribute(n, "axis") != NULL;
  const double length =
      one_axis ? size(x, (int32_t)CLAMP(ho_onnx_int(n, "axis", -1), -HO_ONNX_MAX_RANK, HO_ONNX_MAX_RANK)) : elements(x);
  double levels = 0;
  for (double reach = 1; reach < length; reach *= 2) levels++;
  return elements(x) * levels;
}

static double all_in(const ho_onnx_node *n) {
  double sum = 0;
  for (int32_t k = 0; k < n->n_in; k++) {
    gboolean again = FALSE;
    for (int32_t j = 0; j < k && !again && k < 64; j++) again = n->in[j] == n->in[k];
    if (!again) sum += bytes(n->in[k]);
  }
  return sum;
}

static double all_out(const ho_onnx_node *n) {
  double sum = 0;
  for (int32_t k = 0; k < n->n_out; k++) sum += bytes(n->out[k]);
  return sum;
}

static double widest_output(const ho_onnx_node *n) {
  double most = 0;
  for (int32_t k = 0; k < n->n_out; k++) most = fmax(most, elements(n->out[k]));
  return most;
}

static double flops_of(ho_onnx_model *m, const ho_onnx_node *n, ho_onnx_formula formula, double amount) {
  const ho_onnx_tensor *x = in(n, 0), *w = in(n, 1), *y = out(n, 0);
  switch (formula) {
    case HO_COST_OUT:
    case HO_COST_RANDOM:
    case HO_COST_EMBED:
      return amount * elements(y);
    case HO_COST_IN:
      return amount * elements(x);
    case HO_COST_VARIADIC:
      return amount * elements(y) * fmax(n->n_in - 1, 1);
    case HO_COST_CONV:
      return 2 * elements(y) * filter(w);
    case HO_COST_QCONV:
      return 2 * elements(y) * filter(in(n, 3));
    case HO_COST_DEFORM:
      return 2 * elements(y) * filter(w) + 8 * elements(y) / fmax(size(y, 1), 1) * filter(w);
    case HO_COST_CONV_TRANSPOSE:
      return 2 * elements(x) * filter(w);
    case HO_COST_GEMM:
      return 2 * gemm_macs(n);
    case HO_COST_MATMUL:
      return 2 * elements(y) * inner(n);
    case HO_COST_NBITS:
      return 2 * elements(y) * (double)ho_onnx_int(n, "K", 0);
    case HO_COST_EINSUM:
      return 2 * einsum_macs(m, n);
    case HO_COST_RECURRENT:
      return 2 * size(x, 0) * size(x, 1) * (elements(w) + elements(in(n, 2)));
    case HO_COST_POOL:
      return amount * elements(y) * window(n);
    case HO_COST_RESIZE:
      return resize_flops(n);
    case HO_COST_LRN:
      return (2 * (double)ho_onnx_int(n, "size", 1) + 6) * elements(y);
    case HO_COST_SORT:
      return sort_flops(n);
    case HO_COST_NMS:
      return 10 * size(x, 1) * size(x, 1) * size(w, 0) * size(w, 1);
    case HO_COST_ATTENTION:
      return 2 * attention_macs(n);
    case HO_COST_ATTENTION_CONTRIB:
      return 2 * contrib_macs(n);
    case HO_COST_MULTI_HEAD:
      return 2 * multi_head_macs(n);
    case HO_COST_GROUP_QUERY:
      return 2 * group_query_macs(n);
    case HO_COST_NONE:
    case HO_COST_VIEW:
    case HO_COST_NO_READ:
    case HO_COST_PART:
    case HO_COST_GATHER:
      return 0;
  }
  return 0;
}

static void set_traffic(ho_onnx_node *n, ho_onnx_formula formula) {
  ho_onnx_cost *c = &n->cost;
  switch (formula) {
    case HO_COST_VIEW:
      c->view = TRUE;
      c->read = c->write = 0;
      break;
    case HO_COST_NO_READ:
    case HO_COST_RANDOM:
      c->read = 0;
      break;
    case HO_COST_PART:
      c->read = fmin(all_out(n), bytes(in(n, 0)));
      break;
    case HO_COST_GATHER:
      c->read = fmin(bytes(out(n, 0)), bytes(in(n, 0))) + bytes(in(n, 1));
      break;
    case HO_COST_EMBED:
      c->read = bytes(in(n, 0)) + bytes(in(n, 1)) + 3 * bytes(out(n, 0));
      break;
    default:
      break;
  }
}

/* What the entry's word does not say: depthwise convolutions, tables of embeddings, casts that change nothing. */
static const char *kind_of(const ho_onnx_node *n, const ho_onnx_cost_entry *e) {
  const ho_onnx_tensor *x = in(n, 0), *index = in(n, 1);
  if (e->formula == HO_COST_CONV || e->formula == HO_COST_QCONV) {
    const double groups = (double)ho_onnx_int(n, "group", 1);
    return groups > 1 && groups == size(x, 1) ? "depthwise_conv" : e->kind;
  }
  if (strcmp(e->op, "Gather") == 0 && rank(x) == 2 && x->source == HO_ONNX_WEIGHT && rank(index) > 0 &&
      ho_onnx_is_float(x->dtype))
    return "embedding";
  return e->kind;
}

void ho_onnx_cost_of(ho_onnx_model *m, ho_onnx_node *n) {
  const ho_onnx_cost_entry *e = ho_onnx_cost_find(n->op);
  n->cost = (ho_onnx_cost){.kind = n->op, .read = NAN, .write = NAN, .parallelism = widest_output(n)};
  if (e == NULL) return;
  const double flops = flops_of(m, n, e->formula, e->amount);
  n->cost.known = TRUE;
  n->cost.kind = kind_of(n, e);
  n->cost.flops = isfinite(flops) && flops > 0 ? flops : 0;
  set_traffic(n, e->formula);
  if (strcmp(e->op, "Cast") == 0 && in(n, 0) != NULL && out(n, 0) != NULL && in(n, 0)->dtype == out(n, 0)->dtype)
    set_traffic(n, HO_COST_VIEW);
}

double ho_onnx_read_bytes(const ho_onnx_node *n) {
  return isnan(n->cost.read) ? all_in(n) : n->cost.read;
}

double ho_onnx_write_bytes(const ho_onnx_node *n) {
  return isnan(n->cost.write) ? all_out(n) : n->cost.write;
}
