/* onnx_shape_nn.c: shapes of operators that slide a window over images: convolutions, pools, resizing. */
#include <math.h>

#include "models/onnx_infer.h"

/* How a window moves along one spatial axis. */
typedef struct {
  int64_t kernel, stride, dilation, begin, end; /* begin, end: padding */
} window;

typedef struct {
  int32_t rank; /* of the space: without batch and channels */
  window w[HO_ONNX_MAX_RANK];
  gboolean same, valid; /* auto_pad */
} windows;

static gboolean read_windows(const ho_onnx_inference *i, int32_t rank, const int64_t *kernel_of_weight, windows *to) {
  size_t n_kernel, n_stride, n_dilation, n_pad;
  const int64_t *kernel = ho_onnx_ints(i->n, "kernel_shape", &n_kernel), *stride = ho_onnx_ints(i->n, "strides", &n_stride);
  const int64_t *dilation = ho_onnx_ints(i->n, "dilations", &n_dilation), *pad = ho_onnx_ints(i->n, "pads", &n_pad);
  if (rank < 0 || (kernel == NULL && kernel_of_weight == NULL) || (kernel != NULL && n_kernel != (size_t)rank)) return FALSE;
  to->rank = rank;
  to->same = ho_onnx_string_is(i->n, "auto_pad", "SAME_UPPER") || ho_onnx_string_is(i->n, "auto_pad", "SAME_LOWER");
  to->valid = ho_onnx_string_is(i->n, "auto_pad", "VALID");
  for (int32_t k = 0; k < rank; k++) {
    const size_t at = (size_t)k;
    window *w = &to->w[k];
    w->kernel = kernel ? ho_onnx_at(kernel, n_kernel, at, 1) : kernel_of_weight[k];
    w->stride = ho_onnx_at(stride, n_stride, at, 1);
    w->dilation = ho_onnx_at(dilation, n_dilation, at, 1);
    w->begin = to->valid ? 0 : ho_onnx_at(pad, n_pad, at, 0);
    w->end = to->valid ? 0 : ho_onnx_at(pad, n_pad, at + (size_t)rank, 0);
    if (w->kernel < 1 || w->stride < 1 || w->dilation < 1) return FALSE;
  }
  return TRUE;
}

/* Elements that the window spans. */
static int64_t span(const window *w) {
  return ho_onnx_mul(w->kernel - 1, w->dilation) == INT64_MAX ? INT64_MAX / 2 : (w->kernel - 1) * w->dilation + 1;
}

static int64_t ceil_div(int64_t a, int64_t b) {
  return a / b + (a % b > 0);
}

/* Places of a window along an axis of `size`; -1 when there is none. */
static int64_t places(int64_t size, const windows *all, int32_t k, gboolean round_up) {
  const window *w = &all->w[k];
  if (all->same) return ceil_div(size, w->stride);
  const int64_t room = size + w->begin + w->end - span(w);
  if (room < 0) return -1;
  if (!round_up) return room / w->stride + 1;
  const int64_t n = ceil_div(room, w->stride) + 1;
  /* a last window that would begin in the padding behind the data is left out */
  return (n - 1) * w->stride >= size + w->begin ? n - 1 : n;
}

/* Batch and channels as given, and the places of the window in space. */
static gboolean slide(const ho_onnx_shape *x, int64_t channels, const windows *w, gboolean round_up, ho_onnx_shape *y) {
  y->rank = x->rank;
  y->dim[0] = x->dim[0];
  y->dim[1] = channels;
  for (int32_t k = 0; k < w->rank; k++) {
    const int64_t n = places(x->dim[k + 2], w, k, round_up);
    if (n < 0) return FALSE;
    y->dim[k + 2] = n;
  }
  return TRUE;
}

void ho_onnx_shape_conv(ho_onnx_inference *i) {
  const gboolean quantised = g_str_has_prefix(i->n->op, "QLinear");
  const ho_onnx_shape *x = ho_onnx_in(i, 0), *w = ho_onnx_in(i, quantised ? 3 : 1);
  windows win;
  ho_onnx_shape y;
  if (quantised && ho_onnx_input(i, 7)) ho_onnx_set_type(i, 0, ho_onnx_input(i, 7)->dtype);
  if (x->rank < 3 || w->rank != x->rank || !read_windows(i, x->rank - 2, w->dim + 2, &win)) return;
  if (slide(x, w->dim[0], &win, FALSE, &y)) ho_onnx_set(i, 0, &y);
}

void ho_onnx_shape_conv_transpose(ho_onnx_inference *i) {
  const ho_onnx_shape *x = ho_onnx_in(i, 0), *w = ho_onnx_in(i, 1);
  windows win;
  if (x->rank < 3 || w->rank != x->rank || !read_windows(i, x->rank - 2, w->dim + 2, &win)) return;
  size_t n_extra, n_given;
  const int64_t *extra = ho_onnx_ints(i->n, "output_padding", &n_extra), *given = ho_onnx_ints(i->n, "output_shape", &n_given);
  ho_onnx_shape y = {.rank = x->rank};
  y.dim[0] = x->dim[0];
  y.dim[1] = ho_onnx_mul(w->dim[1], MAX(1, ho_onnx_int(i->n, "group", 1)));
  for (int32_t k = 0; k < win.rank; k++) {
    const window *v = &win.w[k];
    /* old exporters list batch and channels in output_shape too */
    const size_t at = n_given == (size_t)x->rank ? (size_t)k + 2 : (size_t)k;
    int64_t size = ho_onnx_mul(MAX(x->dim[k + 2] - 1, 0), v->stride);
    if (win.same)
      size = ho_onnx_mul(x->dim[k + 2], v->stride);
    else
      size = size > HO_ONNX_MAX_DIM ? -1 : size + ho_onnx_at(extra, n_extra, (size_t)k, 0) + span(v) - v->begin - v->end;
    y.dim[k + 2] = given ? ho_onnx_at(given, n_given, at, -1) : size;
    if (y.dim[k + 2] < 0) return;
  }
  ho_onnx_set(i, 0, &y);
}

void ho_onnx_shape_pool(ho_onnx_inference *i) {
  const ho_onnx_shape *x = ho_onnx_in(i, 0);
  windows win;
  ho_onnx_shape y;
  if (x->rank < 3 || !read_windows(i, x->rank - 2, NULL, &win)) return;
  if (!slide(x, x->dim[1], &win, ho_onnx_int(i->n, "ceil_mode", 0) != 0, &y)) return;
  ho_onnx_set(i, 0, &y);
  ho_onnx_set(i, 1, &y); /* indices of MaxPool */
  ho_onnx_set_type(i, 1, HO_INT64);
}

void ho_onnx_shape_global_pool(ho_onnx_inference *i) {
  ho_onnx_shape y = *ho_onnx_in(i, 0);
  for (int32_t k = 2; k < y.rank; k++) y.dim[k] = 1;
  ho_onnx_set(i, 0, &y);
}

void ho_onnx_shape_max_unpool(ho_onnx_inference *i) {
  const ho_onnx_shape *x = ho_onnx_in(i, 0);
  size_t n;
  const ho_onnx_scalar *given = ho_onnx_values(i, 2, &n);
  windows win;
  if (x->rank < 3 || !read_windows(i, x->rank - 2, NULL, &win)) return;
  ho_onnx_shape y = *x;
  for (int32_t k = 2; k < y.rank; k++) {
    const window *w = &win.w[k - 2];
    y.dim[k] = ho_onnx_mul(MAX(x->dim[k] - 1, 0), w->stride);
    if (y.dim[k] > HO_ONNX_MAX_DIM) return;
    y.dim[k] += span(w) - w->begin - w->end;
    if (given != NULL && n == (size_t)y.rank) y.dim[k] = given[k].i;
    if (y.dim[k] < 0) return;
  }
  ho_onnx_set(i, 0, &y);
}

/* ---- resizing ---- */

static int64_t scaled(int64_t size, double scale) {
  const double x = floor((double)size * scale);
  return x >= 0 && x < (double)HO_ONNX_MAX_DIM ? (int64_t)x : -1;
}

static void resize_by_scales(ho_onnx_inference *i, const double *scale, size_t n, const int64_t *axes) {
  ho_onnx_shape y = *ho_onnx_in(i, 0);
  for (size_t k = 0; k < n; k++) {
    const int32_t axis = ho_onnx_axis(axes ? axes[k] : (int64_t)k, y.rank);
    if (axis < 0) return;
    y.dim[axis] = scaled(y.dim[axis], scale[k]);
    if (y.dim[axis] < 0) return;
  }
  ho_onnx_set(i, 0, &y);
}

static void resize_to_sizes(ho_onnx_inference *i, const ho_onnx_scalar *size, size_t n, const int64_t *axes) {
  const ho_onnx_shape *x = ho_onnx_in(i, 0);
  ho_onnx_shape y = *x;
  const gboolean larger = ho_onnx_string_is(i->n, "keep_aspect_ratio_policy", "not_larger");
  const gboolean smaller = ho_onnx_string_is(i->n, "keep_aspect_ratio_policy", "not_smaller");
  double scale = larger ? INFINITY : 0;
  for (size_t k = 0; k < n; k++) {
    const int32_t axis = ho_onnx_axis(axes ? axes[k] : (int64_t)k, x->rank);
    if (axis < 0 || size[k].i < 0) return;
    const double s = (double)size[k].i / (double)x->dim[axis];
    scale = larger ? fmin(scale, s) : fmax(scale, s);
    y.dim[axis] = size[k].i;
  }
  for (size_t k = 0; (larger || smaller) && k < n; k++) {
    const int32_t axis = ho_onnx_axis(axes ? axes[k] : (int64_t)k, x->rank);
    y.dim[axis] = scaled(x->dim[axis], scale + 0.5 / (double)MAX(1, x->dim[axis])); /* rounded, not cut */
    if (y.dim[axis] < 0) return;
  }
  ho_onnx_set(i, 0, &y);
}

/* Upsample 7 has its scales in an attribute, Upsample 9 and Resize 10 in input 1, Resize since 11 in input 2, sizes in input 3. */
void ho_onnx_shape_resize(ho_onnx_inference *i) {
  const ho_onnx_shape *x = ho_onnx_in(i, 0);
  const ho_onnx_tensor *scales = ho_onnx_input(i, i->n->n_in > 2 ? 2 : 1);
  size_t n_size, n_axes;
  const ho_onnx_scalar *size = ho_onnx_values(i, 3, &n_size);
  const int64_t *axes = ho_onnx_ints(i->n, "axes", &n_axes);
  const Ho__OnnxAttribute *given = ho_onnx_attribute(i->n, "scales");
  double scale[HO_ONNX_MAX_RANK];
  if (x->rank < 0) return;
  const size_t n = axes ? n_axes : (size_t)x->rank;
  if (n > (size_t)x->rank) return;
  if (size != NULL && n_size == n && n > 0) {
    resize_to_sizes(i, size, n, axes);
  } else if (scales != NULL && scales->value != NULL && scales->n_values == n && ho_onnx_is_float(scales->dtype)) {
    for (size_t k = 0; k < n; k++) scale[k] = scales->value[k].d;
    resize_by_scales(i, scale, n, axes);
  } else if (given != NULL && given->n_floats == n) {
    for (size_t k = 0; k < n; k++) scale[k] = (double)given->floats[k];
    resize_by_scales(i, scale, n, axes);
  }
}

void ho_onnx_shape_depth_to_space(ho_onnx_inference *i) {
  const ho_onnx_shape *x = ho_onnx_in(i, 0);
  const int64_t b = ho_onnx_int(i->n, "blocksize", 0);
  if (x->rank != 4 || b < 1 || b > 65536) return;
  ho_onnx_set_dims(i, 0, 4, (int64_t[]){x->dim[0], x->dim[1] / (b * b), ho_onnx_mul(x->dim[2], b), ho_onnx_mul(x->dim[3], b)});
}

void ho_onnx_shape_space_to_depth(ho_onnx_inference *i) {
  const ho_onnx_shape *x = ho_onnx_in(i, 0);
  const int64_t b = ho_onnx_int(i->n, "blocksize", 0);
  if (x->rank != 4 || b < 1 || b > 65536) return;
  ho_onnx_set_dims(i, 0, 4, (int64_t[]){x->dim[0], ho_onnx_mul(x->dim[1], b * b), x->dim[2] / b, x->dim[3] / b});
}

void ho_onnx_shape_grid_sample(ho_onnx_inference *i) {
  const ho_onnx_shape *x = ho_onnx_in(i, 0), *grid = ho_onnx_in(i, 1);
  if (x->rank < 3 || grid->rank != x->rank) return;
  ho_onnx_shape y = *x;
  for (int32_t k = 2; k < y.rank; k++) y.dim[k] = grid->dim[k - 1];
  ho_onnx_set(i, 0, &y);
}

void ho_onnx_shape_roi_align(ho_onnx_inference *i) {
  const ho_onnx_shape *x = ho_onnx_in(i, 0), *rois = ho_onnx_in(i, 1);
  if (x->rank != 4 || rois->rank != 2) return;
  ho_onnx_set_dims(i, 0, 4,
                   (int64_t[]){rois->dim[0], x->dim[1], MAX(1, ho_onnx_int(i->n, "output_height", 1)),
                               MAX(1, ho_onnx_int(i->n, "output_width", 1))});
}
