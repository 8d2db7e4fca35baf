/* onnx_rule.c: what shape rules have in common: inputs, lists, axes, broadcasting. */
#include "models/onnx_infer.h"

const ho_onnx_tensor *ho_onnx_input(const ho_onnx_inference *i, int32_t k) {
  return k >= 0 && k < i->n->n_in ? i->n->in[k] : NULL;
}

const ho_onnx_shape *ho_onnx_in(const ho_onnx_inference *i, int32_t k) {
  static const ho_onnx_shape unknown = {.rank = -1};
  const ho_onnx_tensor *t = ho_onnx_input(i, k);
  return t ? &t->shape : &unknown;
}

const ho_onnx_scalar *ho_onnx_values(const ho_onnx_inference *i, int32_t k, size_t *n) {
  const ho_onnx_tensor *t = ho_onnx_input(i, k);
  *n = 0;
  if (t == NULL || t->value == NULL || ho_onnx_is_float(t->dtype)) return NULL;
  *n = t->n_values;
  return t->value;
}

void ho_onnx_set(ho_onnx_inference *i, int32_t k, const ho_onnx_shape *s) {
  if (k < i->n->n_out && i->n->out[k] != NULL) i->out[k] = *s;
}

void ho_onnx_set_dims(ho_onnx_inference *i, int32_t k, int32_t rank, const int64_t *dim) {
  ho_onnx_shape s = {.rank = rank};
  if (rank > HO_ONNX_MAX_RANK) return;
  for (int32_t d = 0; d < rank; d++) s.dim[d] = dim[d];
  ho_onnx_set(i, k, &s);
}

void ho_onnx_set_type(ho_onnx_inference *i, int32_t k, ho_dtype t) {
  if (k < i->n->n_out) i->dtype[k] = t;
}

const int64_t *ho_onnx_list(const ho_onnx_inference *i, const char *attribute, int32_t k, size_t *n) {
  if (attribute != NULL && ho_onnx_attribute(i->n, attribute) != NULL) {
    static const int64_t empty = 0;
    const int64_t *given = ho_onnx_ints(i->n, attribute, n);
    return given ? given : &empty;
  }
  const ho_onnx_scalar *v = ho_onnx_values(i, k, n);
  return v ? &v->i : NULL; /* a scalar is as large as an int64 */
}

int64_t ho_onnx_at(const int64_t *list, size_t n, size_t k, int64_t otherwise) {
  return list != NULL && k < n ? CLAMP(list[k], -HO_ONNX_MAX_DIM, HO_ONNX_MAX_DIM) : otherwise;
}

int32_t ho_onnx_axis(int64_t axis, int32_t rank) {
  if (axis < -(int64_t)rank || axis >= rank) return -1;
  return (int32_t)(axis < 0 ? axis + rank : axis);
}

int64_t ho_onnx_mul(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

gboolean ho_onnx_broadcast(const ho_onnx_shape *a, const ho_onnx_shape *b, ho_onnx_shape *to) {
  if (a->rank < 0 || b->rank < 0) return FALSE;
  const int32_t rank = MAX(a->rank, b->rank);
  ho_onnx_shape s = {.rank = rank};
  for (int32_t k = 0; k < rank; k++) {
    const int64_t x = k < rank - a->rank ? 1 : a->dim[k - (rank - a->rank)];
    const int64_t y = k < rank - b->rank ? 1 : b->dim[k - (rank - b->rank)];
    if (x != y && x != 1 && y != 1) return FALSE;
    s.dim[k] = x == 1 ? y : x;
  }
  *to = s;
  return TRUE;
}

int64_t ho_onnx_data_size(ho_onnx_inference *i, int32_t output, int32_t axis, int64_t upper) {
  if (output >= i->n->n_out || i->n->out[output] == NULL) return upper;
  const ho_onnx_tensor *t = i->n->out[output];
  if (t->has_declared && axis < t->declared.rank && t->declared.dim[axis] >= 0) return t->declared.dim[axis];
  if (t->has_declared && axis < t->declared.rank && t->symbol[axis] != NULL)
    return ho_onnx_bound(i->m, t->symbol[axis], upper, i->m->bounded);
  char *name = g_strdup_printf("%s.%d", t->name, axis);
  const char *kept = ho_arena_strdup(i->m->arena, name);
  g_free(name);
  return ho_onnx_bound(i->m, kept, upper, i->m->bounded);
}
