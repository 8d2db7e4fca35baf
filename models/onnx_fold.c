/* onnx_fold.c: computing small constants through operators that move data.
 *
 * Exported models compute shapes with tensors: Shape, Gather, Concat and the like, ending in a Reshape or an Expand. Where all inputs are
 * known and the output has at most HO_ONNX_MAX_CONSTANT elements, its values are computed here; elements are moved whole, whatever
 * their type. Folding has no errors: what cannot be computed stays unknown. */
#include <math.h>
#include <string.h>

#include "models/onnx_infer.h"

static const ho_onnx_tensor *input(const ho_onnx_node *n, int32_t k) {
  return k < n->n_in ? n->in[k] : NULL;
}

static const ho_onnx_tensor *known_input(const ho_onnx_node *n, int32_t k) {
  const ho_onnx_tensor *t = input(n, k);
  return t != NULL && t->value != NULL ? t : NULL;
}

ho_onnx_scalar *ho_onnx_fold_room(ho_onnx_model *m, const ho_onnx_node *n, int32_t k) {
  if (k >= n->n_out || n->out[k] == NULL) return NULL;
  const int64_t elements = ho_onnx_elements(&n->out[k]->shape);
  if (elements < 0 || elements > HO_ONNX_MAX_CONSTANT || m->n_folded + (size_t)elements > HO_ONNX_MAX_FOLDED) return NULL;
  m->n_folded += (size_t)elements;
  return ho_arena_new_array(m->arena, ho_onnx_scalar, elements + 1);
}

void ho_onnx_fold_done(const ho_onnx_node *n, int32_t k, const ho_onnx_scalar *value) {
  n->out[k]->value = value;
  n->out[k]->n_values = (size_t)ho_onnx_elements(&n->out[k]->shape);
}

void ho_onnx_fold_broadcast(const ho_onnx_shape *from, const ho_onnx_shape *to, int32_t *index) {
  int32_t stride[HO_ONNX_MAX_RANK] = {0}, step = 1;
  int64_t at[HO_ONNX_MAX_RANK] = {0};
  const int64_t n = ho_onnx_elements(to);
  if (n == 0) return;
  for (int32_t k = from->rank - 1; k >= 0; k--) {
    stride[k + to->rank - from->rank] = from->dim[k] == 1 ? 0 : step;
    step *= (int32_t)from->dim[k];
  }
  int32_t where = 0;
  for (int64_t o = 0; o < n; o++) {
    index[o] = where;
    for (int32_t k = to->rank - 1; k >= 0; k--) {
      where += stride[k];
      if (++at[k] < to->dim[k]) break;
      where -= stride[k] * (int32_t)to->dim[k];
      at[k] = 0;
    }
  }
}

/* ---- operators ---- */

static void fold_shape(ho_onnx_model *m, const ho_onnx_node *n) {
  const ho_onnx_tensor *x = input(n, 0);
  ho_onnx_scalar *v = ho_onnx_fold_room(m, n, 0);
  if (v == NULL || x == NULL || x->shape.rank < 0) return;
  int64_t start = CLAMP(ho_onnx_int(n, "start", 0), -x->shape.rank, x->shape.rank);
  if (start < 0) start += x->shape.rank;
  if (start + ho_onnx_elements(&n->out[0]->shape) > x->shape.rank) return;
  for (int64_t k = 0; k < ho_onnx_elements(&n->out[0]->shape); k++) v[k].i = x->shape.dim[start + k];
  ho_onnx_fold_done(n, 0, v);
}

static void fold_size(ho_onnx_model *m, const ho_onnx_node *n) {
  const ho_onnx_tensor *x = input(n, 0);
  ho_onnx_scalar *v = ho_onnx_fold_room(m, n, 0);
  if (v == NULL || x == NULL || ho_onnx_elements(&x->shape) < 0) return;
  v->i = ho_onnx_elements(&x->shape);
  ho_onnx_fold_done(n, 0, v);
}

/* The same elements under another shape. */
static void fold_same(ho_onnx_model *m, const ho_onnx_node *n) {
  (void)m;
  const ho_onnx_tensor *x = known_input(n, 0);
  if (x == NULL || n->n_out < 1 || n->out[0] == NULL || ho_onnx_elements(&n->out[0]->shape) != (int64_t)x->n_values) return;
  ho_onnx_fold_done(n, 0, x->value);
}

static int64_t to_int(double x) {
  return x > -9.2e18 && x < 9.2e18 ? (int64_t)x : 0;
}

static void fold_cast(ho_onnx_model *m, const ho_onnx_node *n) {
  const ho_onnx_tensor *x = known_input(n, 0);
  ho_onnx_scalar *v = ho_onnx_fold_room(m, n, 0);
  if (x == NULL || v == NULL || ho_onnx_elements(&n->out[0]->shape) != (int64_t)x->n_values) return;
  const gboolean from = ho_onnx_is_float(x->dtype), to = ho_onnx_is_float(n->out[0]->dtype), truth = n->out[0]->dtype == HO_BOOL;
  for (size_t k = 0; k < x->n_values; k++) {
    if (to)
      v[k].d = from ? x->value[k].d : (double)x->value[k].i;
    else if (truth)
      v[k].i = from ? x->value[k].d != 0 : x->value[k].i != 0;
    else
      v[k].i = from ? to_int(x->value[k].d) : x->value[k].i;
  }
  ho_onnx_fold_done(n, 0, v);
}

static void fold_gather(ho_onnx_model *m, const ho_onnx_node *n) {
  const ho_onnx_tensor *x = known_input(n, 0), *index = known_input(n, 1);
  ho_onnx_scalar *v = ho_onnx_fold_room(m, n, 0);
  if (x == NULL || x->n_values == 0 || index == NULL || v == NULL) return;
  const int32_t axis = ho_onnx_axis(ho_onnx_int(n, "axis", 0), x->shape.rank);
  if (axis < 0 || n->out[0]->shape.rank != x->shape.rank - 1 + index->shape.rank) return;
  int64_t outer = 1, inner = 1;
  for (int32_t k = 0; k < axis; k++) outer *= x->shape.dim[k];
  for (int32_t k = axis + 1; k < x->shape.rank; k++) inner *= x->shape.dim[k];
  if (ho_onnx_elements(&n->out[0]->shape) != outer * inner * (int64_t)index->n_values) return;
  const int64_t size = x->shape.dim[axis];
  ho_onnx_scalar *to = v;
  for (int64_t o = 0; o < outer; o++) {
    for (size_t k = 0; k < index->n_values; k++) {
      const int64_t at = index->value[k].i < 0 ? index->value[k].i + size : index->value[k].i;
      if (at < 0 || at >= size) return;
      for (int64_t e = 0; e < inner; e++) *to++ = x->value[(o * size + at) * inner + e];
    }
  }
  ho_onnx_fold_done(n, 0, v);
}

static void fold_concat(ho_onnx_model *m, const ho_onnx_node *n) {
  ho_onnx_scalar *v = ho_onnx_fold_room(m, n, 0);
  const ho_onnx_tensor *first = known_input(n, 0);
  if (v == NULL || first == NULL) return;
  const int32_t axis = ho_onnx_axis(ho_onnx_int(n, "axis", 1), first->shape.rank);
  if (axis < 0) return;
  int64_t outer = 1, total = 0;
  for (int32_t k = 0; k < axis; k++) outer = ho_onnx_mul(outer, first->shape.dim[k]);
  for (int32_t j = 0; j < n->n_in; j++) {
    const ho_onnx_tensor *x = known_input(n, j);
    if (x == NULL || x->shape.rank != first->shape.rank || (outer > 0 && (int64_t)x->n_values % outer != 0)) return;
    total += (int64_t)x->n_values;
  }
  if (total != ho_onnx_elements(&n->out[0]->shape)) return;
  ho_onnx_scalar *to = v;
  for (int64_t o = 0; total > 0 && o < outer; o++) {
    for (int32_t j = 0; j < n->n_in; j++) {
      const int64_t each = (int64_t)n->in[j]->n_values / outer;
      for (int64_t e = 0; e < each; e++) *to++ = n->in[j]->value[o * each + e];
    }
  }
  ho_onnx_fold_done(n, 0, v);
}

/* y[index] = x[start + step·index] along every axis: Slice and one part of Split. */
static void copy_part(const ho_onnx_tensor *x, const ho_onnx_shape *y, const int64_t *start, const int64_t *step,
                      ho_onnx_scalar *to) {
  int64_t at[HO_ONNX_MAX_RANK] = {0};
  const int64_t n = ho_onnx_elements(y);
  for (int64_t o = 0; o < n; o++) {
    int64_t from = 0;
    for (int32_t k = 0; k < y->rank; k++) from = from * x->shape.dim[k] + start[k] + step[k] * at[k];
    to[o] = x->value[from];
    for (int32_t k = y->rank - 1; k >= 0; k--) {
      if (++at[k] < y->dim[k]) break;
      at[k] = 0;
    }
  }
}

static void fold_slice(ho_onnx_model *m, const ho_onnx_node *n) {
  const ho_onnx_tensor *x = known_input(n, 0);
  const ho_onnx_inference i = {.m = m, .n = n};
  int64_t start[HO_ONNX_MAX_RANK], step[HO_ONNX_MAX_RANK], count[HO_ONNX_MAX_RANK];
  ho_onnx_scalar *v = ho_onnx_fold_room(m, n, 0);
  if (x == NULL || v == NULL || !ho_onnx_slice_range(&i, start, step, count)) return;
  const ho_onnx_shape *y = &n->out[0]->shape;
  if (y->rank != x->shape.rank || memcmp(y->dim, count, sizeof *count * (size_t)y->rank) != 0) return;
  copy_part(x, y, start, step, v);
  ho_onnx_fold_done(n, 0, v);
}

static void fold_split(ho_onnx_model *m, const ho_onnx_node *n) {
  const ho_onnx_tensor *x = known_input(n, 0);
  const int32_t axis = x && x->n_values > 0 ? ho_onnx_axis(ho_onnx_int(n, "axis", 0), x->shape.rank) : -1;
  int64_t start[HO_ONNX_MAX_RANK] = {0}, step[HO_ONNX_MAX_RANK];
  if (axis < 0) return;
  for (int32_t k = 0; k < x->shape.rank; k++) step[k] = 1;
  for (int32_t k = 0; k < n->n_out; k++) {
    ho_onnx_scalar *v = ho_onnx_fold_room(m, n, k);
    if (v == NULL || n->out[k]->shape.rank != x->shape.rank) return;
    const int64_t size = n->out[k]->shape.dim[axis];
    for (int32_t d = 0; d < x->shape.rank; d++)
      if (d != axis && n->out[k]->shape.dim[d] != x->shape.dim[d]) return;
    if (start[axis] + size > x->shape.dim[axis]) return;
    copy_part(x, &n->out[k]->shape, start, step, v);
    ho_onnx_fold_done(n, k, v);
    start[axis] += size;
  }
}

static void fold_expand(ho_onnx_model *m, const ho_onnx_node *n) {
  const ho_onnx_tensor *x = known_input(n, 0);
  ho_onnx_scalar *v = ho_onnx_fold_room(m, n, 0);
  ho_onnx_shape both;
  int32_t index[HO_ONNX_MAX_CONSTANT];
  if (x == NULL || v == NULL) return;
  const ho_onnx_shape *y = &n->out[0]->shape;
  if (!ho_onnx_broadcast(&x->shape, y, &both) || both.rank != y->rank ||
      memcmp(both.dim, y->dim, sizeof *y->dim * (size_t)y->rank) != 0)
    return;
  ho_onnx_fold_broadcast(&x->shape, y, index);
  for (int64_t k = 0; k < ho_onnx_elements(y); k++) v[k] = x->value[index[k]];
  ho_onnx_fold_done(n, 0, v);
}

static void fold_transpose(ho_onnx_model *m, const ho_onnx_node *n) {
  const ho_onnx_tensor *x = known_input(n, 0);
  if (x == NULL) return;
  if (x->shape.rank < 2) fold_same(m, n);
}

static void fold_constant_of_shape(ho_onnx_model *m, const ho_onnx_node *n) {
  const ho_onnx_tensor *value = ho_onnx_payload_tensor(n, "value");
  ho_onnx_scalar *v = ho_onnx_fold_room(m, n, 0), fill = {.i = 0};
  if (v == NULL || (value != NULL && (value->value == NULL || value->n_values != 1))) return;
  if (value != NULL) fill = value->value[0];
  if (value == NULL) fill.d = 0;
  for (int64_t k = 0; k < ho_onnx_elements(&n->out[0]->shape); k++) v[k] = fill;
  ho_onnx_fold_done(n, 0, v);
}

static void fold_range(ho_onnx_model *m, const ho_onnx_node *n) {
  const ho_onnx_tensor *from = known_input(n, 0), *step = known_input(n, 2);
  ho_onnx_scalar *v = ho_onnx_fold_room(m, n, 0);
  if (from == NULL || step == NULL || v == NULL || from->n_values != 1 || step->n_values != 1) return;
  const gboolean is_float = ho_onnx_is_float(from->dtype);
  for (int64_t k = 0; k < ho_onnx_elements(&n->out[0]->shape); k++) {
    if (is_float)
      v[k].d = from->value->d + (double)k * step->value->d;
    else
      v[k].i = (int64_t)((uint64_t)from->value->i + (uint64_t)k * (uint64_t)step->value->i);
  }
  ho_onnx_fold_done(n, 0, v);
}

/* Indices of what is not zero, for a vector. */
static void fold_nonzero(ho_onnx_model *m, const ho_onnx_node *n) {
  const ho_onnx_tensor *x = known_input(n, 0);
  ho_onnx_scalar *v = ho_onnx_fold_room(m, n, 0);
  if (x == NULL || v == NULL || x->shape.rank != 1) return;
  const int64_t room = ho_onnx_elements(&n->out[0]->shape);
  int64_t found = 0;
  for (size_t k = 0; k < x->n_values; k++) {
    if (ho_onnx_is_float(x->dtype) ? x->value[k].d == 0 : x->value[k].i == 0) continue;
    if (found == room) return;
    v[found++].i = (int64_t)k;
  }
  if (found == room) ho_onnx_fold_done(n, 0, v);
}

static const struct {
  const char *op;
  void (*fold)(ho_onnx_model *m, const ho_onnx_node *n);
} table[] = {
    {"Shape", fold_shape},  {"Size", fold_size},       {"Identity", fold_same},       {"Reshape", fold_same},
    {"Flatten", fold_same}, {"Squeeze", fold_same},    {"Unsqueeze", fold_same},      {"Dropout", fold_same},
    {"Cast", fold_cast},    {"Gather", fold_gather},   {"Concat", fold_concat},       {"Slice", fold_slice},
    {"Split", fold_split},  {"Expand", fold_expand},   {"Transpose", fold_transpose}, {"ConstantOfShape", fold_constant_of_shape},
    {"Range", fold_range},  {"NonZero", fold_nonzero},
};

void ho_onnx_fold(ho_onnx_model *m, const ho_onnx_node *n) {
  for (size_t k = 0; k < G_N_ELEMENTS(table); k++) {
    if (strcmp(table[k].op, n->op) == 0) {
      table[k].fold(m, n);
      return;
    }
  }
  ho_onnx_fold_arithmetic(m, n);
}
