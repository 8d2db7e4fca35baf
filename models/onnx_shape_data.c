/* onnx_shape_data.c: shapes of operators that move data, and of those whose output depends on it. */
#include <math.h>

#include "models/onnx_infer.h"

/* A size of -1 is what is left of the elements; 0 copies the input's, unless allowzero says otherwise. */
void ho_onnx_shape_reshape(ho_onnx_inference *i) {
  const ho_onnx_shape *x = ho_onnx_in(i, 0);
  size_t n;
  const int64_t *want = ho_onnx_list(i, "shape", 1, &n);
  const int64_t elements = ho_onnx_elements(x);
  int32_t open = -1;
  int64_t rest = 1;
  if (want == NULL || n > HO_ONNX_MAX_RANK) return;
  ho_onnx_shape y = {.rank = (int32_t)n};
  for (int32_t k = 0; k < y.rank; k++) {
    y.dim[k] = ho_onnx_at(want, n, (size_t)k, 0);
    if (y.dim[k] == 0 && !ho_onnx_int(i->n, "allowzero", 0)) {
      if (k >= x->rank) return;
      y.dim[k] = x->dim[k];
    }
    if (y.dim[k] == -1 && open < 0)
      open = k;
    else if (y.dim[k] < 0)
      return;
    else
      rest = ho_onnx_mul(rest, y.dim[k]);
  }
  if (open >= 0) {
    if (elements < 0) return;
    y.dim[open] = rest == 0 ? 0 : elements / rest;
  }
  ho_onnx_set(i, 0, &y);
}

void ho_onnx_shape_flatten(ho_onnx_inference *i) {
  const ho_onnx_shape *x = ho_onnx_in(i, 0);
  int64_t axis = ho_onnx_int(i->n, "axis", 1), rows = 1, columns = 1;
  if (x->rank < 0 || axis < -x->rank || axis > x->rank) return;
  if (axis < 0) axis += x->rank;
  for (int32_t k = 0; k < x->rank; k++) {
    if (k < axis)
      rows = ho_onnx_mul(rows, x->dim[k]);
    else
      columns = ho_onnx_mul(columns, x->dim[k]);
  }
  ho_onnx_set_dims(i, 0, 2, (int64_t[]){rows, columns});
}

void ho_onnx_shape_squeeze(ho_onnx_inference *i) {
  const ho_onnx_shape *x = ho_onnx_in(i, 0);
  gboolean drop[HO_ONNX_MAX_RANK] = {FALSE};
  size_t n;
  const int64_t *axes = ho_onnx_list(i, "axes", 1, &n);
  if (x->rank < 0 || (axes == NULL && ho_onnx_input(i, 1) != NULL)) return;
  for (int32_t k = 0; axes == NULL && k < x->rank; k++) drop[k] = x->dim[k] == 1;
  for (size_t k = 0; axes != NULL && k < n; k++) {
    const int32_t axis = ho_onnx_axis(axes[k], x->rank);
    if (axis < 0) return;
    drop[axis] = TRUE;
  }
  ho_onnx_shape y = {.rank = 0};
  for (int32_t k = 0; k < x->rank; k++)
    if (!drop[k]) y.dim[y.rank++] = x->dim[k];
  ho_onnx_set(i, 0, &y);
}

void ho_onnx_shape_unsqueeze(ho_onnx_inference *i) {
  const ho_onnx_shape *x = ho_onnx_in(i, 0);
  gboolean fresh[HO_ONNX_MAX_RANK] = {FALSE};
  size_t n;
  const int64_t *axes = ho_onnx_list(i, "axes", 1, &n);
  if (x->rank < 0 || axes == NULL || n > (size_t)(HO_ONNX_MAX_RANK - x->rank)) return;
  ho_onnx_shape y = {.rank = x->rank + (int32_t)n};
  for (size_t k = 0; k < n; k++) {
    const int32_t axis = ho_onnx_axis(axes[k], y.rank);
    if (axis < 0 || fresh[axis]) return;
    fresh[axis] = TRUE;
  }
  for (int32_t k = 0, from = 0; k < y.rank; k++) y.dim[k] = fresh[k] ? 1 : x->dim[from++];
  ho_onnx_set(i, 0, &y);
}

void ho_onnx_shape_transpose(ho_onnx_inference *i) {
  const ho_onnx_shape *x = ho_onnx_in(i, 0);
  size_t n;
  const int64_t *perm = ho_onnx_ints(i->n, "perm", &n);
  if (x->rank < 0 || (perm != NULL && n != (size_t)x->rank)) return;
  ho_onnx_shape y = {.rank = x->rank};
  for (int32_t k = 0; k < x->rank; k++) {
    const int32_t from = perm ? ho_onnx_axis(perm[k], x->rank) : x->rank - 1 - k;
    if (from < 0) return;
    y.dim[k] = x->dim[from];
  }
  ho_onnx_set(i, 0, &y);
}

void ho_onnx_shape_concat(ho_onnx_inference *i) {
  ho_onnx_shape y = *ho_onnx_in(i, 0);
  /* optional before operator set 4, and 1 then */
  const int32_t axis = ho_onnx_axis(ho_onnx_int(i->n, "axis", 1), MAX(y.rank, 0));
  if (axis < 0) return;
  for (int32_t k = 1; k < i->n->n_in; k++) {
    const ho_onnx_shape *x = ho_onnx_in(i, k);
    if (x->rank != y.rank) return;
    y.dim[axis] = MIN(y.dim[axis] + x->dim[axis], HO_ONNX_MAX_DIM + 1);
  }
  ho_onnx_set(i, 0, &y);
}

void ho_onnx_shape_split(ho_onnx_inference *i) {
  const ho_onnx_shape *x = ho_onnx_in(i, 0);
  const int32_t axis = ho_onnx_axis(ho_onnx_int(i->n, "axis", 0), MAX(x->rank, 0));
  size_t n;
  const int64_t *sizes = ho_onnx_list(i, "split", 1, &n);
  if (axis < 0 || i->n->n_out < 1 || (sizes == NULL && ho_onnx_input(i, 1) != NULL)) return;
  const int64_t parts = i->n->n_out, chunk = (x->dim[axis] + parts - 1) / parts;
  for (int32_t k = 0; k < parts; k++) {
    ho_onnx_shape y = *x;
    y.dim[axis] = sizes ? ho_onnx_at(sizes, n, (size_t)k, -1) : CLAMP(x->dim[axis] - k * chunk, 0, chunk);
    if (y.dim[axis] >= 0) ho_onnx_set(i, k, &y);
  }
}

gboolean ho_onnx_slice_range(const ho_onnx_inference *i, int64_t *start, int64_t *step, int64_t *count) {
  const ho_onnx_shape *x = ho_onnx_in(i, 0);
  size_t n, n_end, n_axes, n_step;
  const int64_t *from = ho_onnx_list(i, "starts", 1, &n), *to = ho_onnx_list(i, "ends", 2, &n_end);
  const int64_t *axes = ho_onnx_list(i, "axes", 3, &n_axes), *steps = ho_onnx_list(i, NULL, 4, &n_step);
  if (x->rank < 0 || from == NULL || to == NULL || n_end != n || (axes != NULL && n_axes != n) || (steps != NULL && n_step != n))
    return FALSE;
  if ((axes == NULL && ho_onnx_input(i, 3) != NULL) || (steps == NULL && ho_onnx_input(i, 4) != NULL)) return FALSE;
  for (int32_t k = 0; k < x->rank; k++) {
    start[k] = 0;
    step[k] = 1;
    count[k] = x->dim[k];
  }
  for (size_t k = 0; k < n; k++) {
    const int32_t axis = ho_onnx_axis(axes ? axes[k] : (int64_t)k, x->rank);
    const int64_t by = ho_onnx_at(steps, n_step, k, 1);
    if (axis < 0 || by == 0) return FALSE;
    const int64_t size = x->dim[axis];
    int64_t first = ho_onnx_at(from, n, k, 0), last = ho_onnx_at(to, n_end, k, 0);
    if (first < 0) first += size;
    if (last < 0) last += size;
    first = by > 0 ? CLAMP(first, 0, size) : CLAMP(first, 0, size - 1);
    last = by > 0 ? CLAMP(last, 0, size) : CLAMP(last, -1, size - 1);
    start[axis] = first;
    step[axis] = by;
    count[axis] = by > 0 ? (last - first + by - 1) / by : (first - last - by - 1) / -by;
    if (size == 0 || count[axis] < 0) count[axis] = 0;
  }
  return TRUE;
}

void ho_onnx_shape_slice(ho_onnx_inference *i) {
  int64_t start[HO_ONNX_MAX_RANK], step[HO_ONNX_MAX_RANK], count[HO_ONNX_MAX_RANK];
  if (ho_onnx_slice_range(i, start, step, count)) ho_onnx_set_dims(i, 0, ho_onnx_in(i, 0)->rank, count);
}

void ho_onnx_shape_pad(ho_onnx_inference *i) {
  const ho_onnx_shape *x = ho_onnx_in(i, 0);
  size_t n, n_axes;
  const int64_t *pads = ho_onnx_list(i, ho_onnx_attribute(i->n, "paddings") ? "paddings" : "pads", 1, &n);
  const int64_t *axes = ho_onnx_list(i, NULL, 3, &n_axes);
  if (x->rank < 0 || pads == NULL || (axes == NULL && ho_onnx_input(i, 3) != NULL)) return;
  const size_t each = axes ? n_axes : (size_t)x->rank;
  if (n != 2 * each) return;
  ho_onnx_shape y = *x;
  for (size_t k = 0; k < each; k++) {
    const int32_t axis = ho_onnx_axis(axes ? axes[k] : (int64_t)k, x->rank);
    if (axis < 0) return;
    y.dim[axis] += ho_onnx_at(pads, n, k, 0) + ho_onnx_at(pads, n, k + each, 0);
    if (y.dim[axis] < 0 || y.dim[axis] > HO_ONNX_MAX_DIM) return;
  }
  ho_onnx_set(i, 0, &y);
}

void ho_onnx_shape_tile(ho_onnx_inference *i) {
  ho_onnx_shape y = *ho_onnx_in(i, 0);
  size_t n, n_axis;
  const ho_onnx_scalar *times = ho_onnx_values(i, 1, &n), *axis = ho_onnx_values(i, 2, &n_axis);
  if (times == NULL || y.rank < 0) return;
  if (ho_onnx_input(i, 2) != NULL) { /* operator set 1: how often, and along which axis */
    const int32_t at = axis && n_axis == 1 ? ho_onnx_axis(axis[0].i, y.rank) : -1;
    if (at < 0 || n != 1 || times[0].i < 0) return;
    y.dim[at] = ho_onnx_mul(y.dim[at], times[0].i);
    ho_onnx_set(i, 0, &y);
    return;
  }
  if (n != (size_t)y.rank) return;
  for (size_t k = 0; k < n; k++) {
    if (times[k].i < 0) return;
    y.dim[k] = ho_onnx_mul(y.dim[k], times[k].i);
  }
  ho_onnx_set(i, 0, &y);
}

void ho_onnx_shape_expand(ho_onnx_inference *i) {
  size_t n;
  const ho_onnx_scalar *want = ho_onnx_values(i, 1, &n);
  if (want == NULL || n > HO_ONNX_MAX_RANK) return;
  ho_onnx_shape to = {.rank = (int32_t)n}, y;
  for (size_t k = 0; k < n; k++) {
    if (want[k].i < 0) return;
    to.dim[k] = want[k].i;
  }
  if (ho_onnx_broadcast(ho_onnx_in(i, 0), &to, &y)) ho_onnx_set(i, 0, &y);
}

void ho_onnx_shape_constant_of_shape(ho_onnx_inference *i) {
  size_t n;
  const int64_t *want = ho_onnx_list(i, NULL, 0, &n);
  const ho_onnx_tensor *value = ho_onnx_payload_tensor(i->n, "value");
  ho_onnx_set_type(i, 0, value ? value->dtype : HO_FP32);
  if (want == NULL || n > HO_ONNX_MAX_RANK) return;
  for (size_t k = 0; k < n; k++)
    if (want[k] < 0) return;
  ho_onnx_set_dims(i, 0, (int32_t)n, want);
}

void ho_onnx_shape_gather(ho_onnx_inference *i) {
  const ho_onnx_shape *x = ho_onnx_in(i, 0), *index = ho_onnx_in(i, 1);
  const int32_t axis = ho_onnx_axis(ho_onnx_int(i->n, "axis", 0), MAX(x->rank, 0));
  if (axis < 0 || index->rank < 0 || x->rank - 1 + index->rank > HO_ONNX_MAX_RANK) return;
  ho_onnx_shape y = {.rank = 0};
  for (int32_t k = 0; k < axis; k++) y.dim[y.rank++] = x->dim[k];
  for (int32_t k = 0; k < index->rank; k++) y.dim[y.rank++] = index->dim[k];
  for (int32_t k = axis + 1; k < x->rank; k++) y.dim[y.rank++] = x->dim[k];
  ho_onnx_set(i, 0, &y);
}

void ho_onnx_shape_gather_nd(ho_onnx_inference *i) {
  const ho_onnx_shape *x = ho_onnx_in(i, 0), *index = ho_onnx_in(i, 1);
  const int64_t batch = ho_onnx_int(i->n, "batch_dims", 0);
  if (x->rank < 1 || index->rank < 1 || batch < 0 || batch >= index->rank) return;
  const int64_t taken = index->dim[index->rank - 1];
  if (taken > x->rank - batch || index->rank - 1 + x->rank - batch - taken > HO_ONNX_MAX_RANK) return;
  ho_onnx_shape y = {.rank = 0};
  for (int32_t k = 0; k < index->rank - 1; k++) y.dim[y.rank++] = index->dim[k];
  for (int32_t k = (int32_t)(batch + taken); k < x->rank; k++) y.dim[y.rank++] = x->dim[k];
  ho_onnx_set(i, 0, &y);
}

void ho_onnx_shape_range(ho_onnx_inference *i) {
  double v[3];
  for (int32_t k = 0; k < 3; k++) {
    const ho_onnx_tensor *t = ho_onnx_input(i, k);
    if (t == NULL || t->value == NULL || t->n_values != 1) return;
    v[k] = ho_onnx_is_float(t->dtype) ? t->value->d : (double)t->value->i;
  }
  const double n = ceil((v[1] - v[0]) / v[2]);
  if (isnan(n) || n > (double)HO_ONNX_MAX_DIM) return;
  ho_onnx_set_dims(i, 0, 1, (int64_t[]){n > 0 ? (int64_t)n : 0});
}
