/* split_batch.c: the axis `batch`: which ops treat the first dimension of their tensors sample by sample; see split.h.
 *
 * Judged by kind and shape. Ops that mix samples (batch normalisation in training, sums over the batch, gradients of weights, losses), that
 * draw random numbers (parts with one seed would draw the same), whose meaning hangs on attributes that shapes do not show (einsum, recurrences,
 * scatter), or that nobody knows, do not split. A reshape keeps the order of elements, so that a piece of its first dimension is a piece of
 * the other's. */
#include <string.h>

#include "models/rules/split_private.h"

typedef enum { MIXES, POINTWISE, PLAIN, PRODUCT, RESHAPE, TRANSPOSE, CONCAT, EXPAND, REDUCE, GATHER, ATTENTION } sample_class;

static sample_class class_of(const ho_workgraph *w, const char *kind, ho_family family) {
  static const struct {
    const char *kind;
    sample_class class;
  } words[] = {{"attention", ATTENTION},
               {"batchnorm_grad", MIXES},
               {"cast", PLAIN},
               {"concat", CONCAT},
               {"conv_transpose", MIXES},
               {"copy", PLAIN},
               {"cumsum", MIXES},
               {"deform_conv", MIXES},
               {"depth_to_space", PLAIN},
               {"einsum", MIXES},
               {"embedding", GATHER},
               {"expand", EXPAND},
               {"flatten", RESHAPE},
               {"flatten_grad", RESHAPE},
               {"gather", GATHER},
               {"identity", PLAIN},
               {"loss", MIXES},
               {"loss_grad", MIXES},
               {"pad", PLAIN},
               {"reshape", RESHAPE},
               {"random", MIXES},
               {"reshape_grad", RESHAPE},
               {"slice", PLAIN},
               {"slice_grad", PLAIN},
               {"space_to_depth", PLAIN},
               {"split", PLAIN},
               {"squeeze", RESHAPE},
               {"transpose", TRANSPOSE},
               {"transpose_grad", TRANSPOSE},
               {"unsqueeze", RESHAPE}};
  for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
    if (strcmp(words[i].kind, kind) == 0) return words[i].class;
  if (g_str_has_suffix(kind, "_wgrad") || (strcmp(kind, "batchnorm") == 0 && w->trains)) return MIXES;
  switch (family) {
    case HO_FAMILY_ELEMENTWISE:
      return POINTWISE;
    case HO_FAMILY_CONV:
    case HO_FAMILY_DEPTHWISE:
    case HO_FAMILY_NORM:
    case HO_FAMILY_SOFTMAX:
    case HO_FAMILY_POOL:
      return PLAIN;
    case HO_FAMILY_GEMM:
      return PRODUCT;
    case HO_FAMILY_REDUCE:
      return REDUCE;
    default:
      return MIXES;
  }
}

static gboolean is_separable_part(const ho_workgraph *w, const char *kind, ho_family family) {
  sample_class c = class_of(w, kind, family);
  return c == POINTWISE || c == PLAIN || c == PRODUCT || c == ATTENTION;
}

static const char *batch_obstacle(const ho_workgraph *w, ho_op o) {
  const ho_work_op *x = &w->op[o];
  if (class_of(w, x->info.kind, x->info.family) == MIXES) return "does not treat samples one by one, as far as its kind says";
  if (x->out.n == 0) return "makes nothing";
  return ho_axis_parts_obstacle(w, o, is_separable_part);
}

static int64_t samples_of(const ho_workgraph *w, ho_op o) {
  return ho_axis_size(w, w->op[o].out.item[0], 0);
}

/* Whether no other dimension of t is as large: then a dimension of that size in what comes out is this one. */
static gboolean first_is_unique(const ho_workgraph *w, ho_tensor t) {
  const ho_tensor_info *x = ho_axis_info(w, t);
  for (int32_t d = 1; d < x->rank; d++)
    if (x->shape[d] == x->shape[0]) return FALSE;
  return TRUE;
}

/* The right operand of a product of two matrices has no samples; that of stacks of matrices has. */
static int32_t of_product(const ho_workgraph *w, ho_op o, ho_tensor t) {
  const ho_tensor_info *x = ho_axis_info(w, t), *y = ho_axis_info(w, w->op[o].out.item[0]);
  int64_t n = samples_of(w, o);
  if (x->rank < y->rank || (x->rank > 2 && x->shape[0] == 1))
    return x->rank <= 2 || x->shape[0] == 1 ? HO_CUT_WHOLE : HO_CUT_NEVER;
  if (x->rank > 2) return x->shape[0] == n ? 0 : HO_CUT_NEVER;
  if (y->rank != 2) return HO_CUT_NEVER;
  for (int32_t i = 0; i < w->op[o].in.n; i++) { /* [M, K] · [K, N]: which of the two is t? */
    ho_tensor other = w->op[o].in.item[i];
    if (other == t || ho_axis_info(w, other)->rank != 2) continue;
    gboolean left = x->shape[0] == n && (ho_axis_size(w, other, 0) == x->shape[1] || ho_axis_size(w, other, 1) == x->shape[1]);
    gboolean right = ho_axis_size(w, other, 0) == n && (x->shape[0] == ho_axis_size(w, other, 1) || ho_axis_is_weight(w, t));
    if (left != right) return left ? 0 : HO_CUT_WHOLE;
    return HO_CUT_NEVER;
  }
  return x->shape[0] == n ? 0 : HO_CUT_NEVER;
}

static int32_t same_first(const ho_workgraph *w, ho_op o, ho_tensor t) {
  return ho_axis_size(w, t, 0) == samples_of(w, o) ? 0 : HO_CUT_NEVER;
}

static gboolean is_index(const ho_workgraph *w, ho_tensor t) {
  ho_dtype d = ho_axis_info(w, t)->dtype;
  return d == HO_INT64 || d == HO_INT32;
}

/* Saved statistics of a normalisation lie row by row. */
static gboolean is_row_statistics(const ho_workgraph *w, ho_op o, ho_tensor t) {
  const ho_op_info *x = &w->op[o].info;
  return x->family == HO_FAMILY_NORM && strcmp(x->kind, "batchnorm") != 0 && ho_axis_info(w, t)->rank == 1 &&
         samples_of(w, o) > 0 && ho_axis_size(w, t, 0) % samples_of(w, o) == 0;
}

/* A weight of a fused op that fits the output in every dimension may be added to it, sample by sample. */
static gboolean could_be_samples(const ho_workgraph *w, ho_op o, ho_tensor t) {
  ho_origin self;
  int32_t n;
  ho_workgraph_origins(w, o, &self, &n);
  ho_tensor y = w->op[o].out.item[0];
  if (n < 2 || ho_axis_broadcast(w, t, y, 0) < 0) return FALSE;
  for (int32_t d = 1; d < ho_axis_info(w, y)->rank; d++)
    if (ho_axis_broadcast(w, t, y, d) == HO_CUT_NEVER) return FALSE;
  return TRUE;
}

static int32_t batch_in(const ho_workgraph *w, ho_op o, ho_tensor t) {
  const ho_op_info *x = &w->op[o].info;
  sample_class class = class_of(w, x->kind, x->family);
  if (class == POINTWISE) return ho_axis_broadcast(w, t, w->op[o].out.item[0], 0);
  if (ho_axis_is_weight(w, t) && class == GATHER && is_index(w, t)) return same_first(w, o, t);
  if (ho_axis_is_weight(w, t) && class == PRODUCT && ho_axis_info(w, t)->rank > 2) return of_product(w, o, t);
  if (ho_axis_is_weight(w, t)) return class == CONCAT || could_be_samples(w, o, t) ? HO_CUT_NEVER : HO_CUT_WHOLE;
  if (ho_axis_info(w, t)->rank == 0) return HO_CUT_WHOLE;
  switch (class) {
    case PRODUCT:
      return of_product(w, o, t);
    case RESHAPE:
      return ho_axis_info(w, t)->rank > 0 && !is_index(w, t) ? 0 : HO_CUT_NEVER;
    case REDUCE:
    case TRANSPOSE:
      return first_is_unique(w, t) ? same_first(w, o, t) : HO_CUT_NEVER;
    case EXPAND:
      return ho_axis_size(w, t, 0) == 1 || is_index(w, t) ? HO_CUT_WHOLE : same_first(w, o, t);
    case GATHER:
      return is_index(w, t) ? same_first(w, o, t) : HO_CUT_WHOLE;
    case ATTENTION: /* a cache of keys and values has its batch elsewhere */
      if (ho_axis_info(w, t)->rank > 4) return HO_CUT_NEVER;
      return ho_axis_size(w, t, 0) == 1 || ho_axis_info(w, t)->rank < 3 ? HO_CUT_WHOLE : same_first(w, o, t);
    default:
      return is_row_statistics(w, o, t) || same_first(w, o, t) == 0 ? 0 : HO_CUT_NEVER;
  }
}

static int32_t batch_out(const ho_workgraph *w, ho_op o, ho_tensor t) {
  const ho_op_info *x = &w->op[o].info;
  if (ho_axis_info(w, t)->rank < 1) return HO_CUT_NEVER;
  if (class_of(w, x->kind, x->family) == ATTENTION && ho_axis_info(w, t)->rank > 4) return HO_CUT_NEVER;
  return same_first(w, o, t) == 0 || is_row_statistics(w, o, t) ? 0 : HO_CUT_NEVER;
}

/* Rows that a gather takes are one piece each; the rest follows from shapes. */
const ho_split_axis ho_split_batch = {"batch", batch_obstacle, batch_in, batch_out, NULL, 0};
