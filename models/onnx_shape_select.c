/* onnx_shape_select.c: shapes of operators that select: sorted, counted, or as many as the data has. */
#include "models/onnx_infer.h"

void ho_onnx_shape_topk(ho_onnx_inference *i) {
  ho_onnx_shape y = *ho_onnx_in(i, 0);
  const int32_t axis = ho_onnx_axis(ho_onnx_int(i->n, "axis", -1), MAX(y.rank, 0));
  size_t n;
  const ho_onnx_scalar *given = ho_onnx_values(i, 1, &n);
  ho_onnx_set_type(i, 1, HO_INT64);
  if (axis < 0) return;
  const int64_t upper = y.dim[axis];
  int64_t k = given && n == 1 ? given->i : ho_onnx_int(i->n, "k", -1);
  if (k < 0) k = ho_onnx_data_size(i, 0, axis, upper);
  y.dim[axis] = k;
  ho_onnx_set(i, 0, &y);
  ho_onnx_set(i, 1, &y);
}

void ho_onnx_shape_onehot(ho_onnx_inference *i) {
  const ho_onnx_shape *x = ho_onnx_in(i, 0);
  const ho_onnx_tensor *depth = ho_onnx_input(i, 1);
  if (x->rank < 0 || x->rank >= HO_ONNX_MAX_RANK || depth == NULL || depth->value == NULL || depth->n_values != 1) return;
  const double size = ho_onnx_is_float(depth->dtype) ? depth->value->d : (double)depth->value->i;
  const int32_t axis = ho_onnx_axis(ho_onnx_int(i->n, "axis", -1), x->rank + 1);
  if (axis < 0 || !(size >= 0 && size < (double)HO_ONNX_MAX_DIM)) return;
  ho_onnx_shape y = {.rank = x->rank + 1};
  for (int32_t k = 0, from = 0; k < y.rank; k++) y.dim[k] = k == axis ? (int64_t)size : x->dim[from++];
  ho_onnx_set(i, 0, &y);
}

static int64_t all_elements(const ho_onnx_shape *x) {
  return MIN(ho_onnx_elements(x), HO_ONNX_MAX_DIM);
}

void ho_onnx_shape_nonzero(ho_onnx_inference *i) {
  const ho_onnx_shape *x = ho_onnx_in(i, 0);
  const ho_onnx_tensor *t = ho_onnx_input(i, 0);
  if (x->rank < 0) return;
  int64_t count = 0;
  if (t->value != NULL)
    for (size_t k = 0; k < t->n_values; k++) count += ho_onnx_is_float(t->dtype) ? t->value[k].d != 0 : t->value[k].i != 0;
  else
    count = ho_onnx_data_size(i, 0, 1, all_elements(x));
  ho_onnx_set_dims(i, 0, 2, (int64_t[]){MAX(x->rank, 1), count});
}

/* As many as the condition selects, when it is a constant. */
static int64_t selected(ho_onnx_inference *i, int32_t axis, int64_t upper) {
  size_t n;
  const ho_onnx_scalar *condition = ho_onnx_values(i, 1, &n);
  if (condition == NULL) return ho_onnx_data_size(i, 0, axis, upper);
  int64_t count = 0;
  for (size_t k = 0; k < n; k++) count += condition[k].i != 0;
  return MIN(count, upper);
}

void ho_onnx_shape_compress(ho_onnx_inference *i) {
  const ho_onnx_shape *x = ho_onnx_in(i, 0);
  if (x->rank < 0) return;
  if (ho_onnx_attribute(i->n, "axis") == NULL) {
    ho_onnx_set_dims(i, 0, 1, (int64_t[]){selected(i, 0, all_elements(x))});
    return;
  }
  ho_onnx_shape y = *x;
  const int32_t axis = ho_onnx_axis(ho_onnx_int(i->n, "axis", 0), x->rank);
  if (axis < 0) return;
  y.dim[axis] = selected(i, axis, x->dim[axis]);
  ho_onnx_set(i, 0, &y);
}

void ho_onnx_shape_unique(ho_onnx_inference *i) {
  const ho_onnx_shape *x = ho_onnx_in(i, 0);
  for (int32_t k = 1; k < 4; k++) ho_onnx_set_type(i, k, HO_INT64);
  if (x->rank < 0) return;
  int64_t count, all;
  if (ho_onnx_attribute(i->n, "axis") != NULL) {
    const int32_t axis = ho_onnx_axis(ho_onnx_int(i->n, "axis", 0), x->rank);
    if (axis < 0) return;
    ho_onnx_shape y = *x;
    all = x->dim[axis];
    count = y.dim[axis] = ho_onnx_data_size(i, 0, axis, all);
    ho_onnx_set(i, 0, &y);
  } else {
    all = all_elements(x);
    count = ho_onnx_data_size(i, 0, 0, all);
    ho_onnx_set_dims(i, 0, 1, &count);
  }
  ho_onnx_set_dims(i, 1, 1, &count);
  ho_onnx_set_dims(i, 2, 1, &all);
  ho_onnx_set_dims(i, 3, 1, &count);
}

/* NonMaxSuppression: at most max_output_boxes_per_class boxes of every class of every image. */
void ho_onnx_shape_nms(ho_onnx_inference *i) {
  const ho_onnx_shape *boxes = ho_onnx_in(i, 0), *scores = ho_onnx_in(i, 1);
  size_t n;
  const ho_onnx_scalar *most = ho_onnx_values(i, 2, &n);
  if (boxes->rank != 3 || scores->rank != 3) return;
  int64_t each = boxes->dim[1];
  if (most != NULL && n == 1 && most->i < each) each = MAX(most->i, 0);
  const int64_t upper = MIN(ho_onnx_mul(ho_onnx_mul(scores->dim[0], scores->dim[1]), each), HO_ONNX_MAX_DIM);
  ho_onnx_set_dims(i, 0, 2, (int64_t[]){ho_onnx_data_size(i, 0, 0, upper), 3});
}
