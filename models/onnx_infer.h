/* onnx_infer.h: what is worked out about a parsed model: order, shapes, constants, costs.
 *
 * Nodes are visited in topological order. For each, a shape rule states the outputs' shapes and dtypes as far as they follow from the
 * inputs; what the file states itself (value_info) goes before; what is still open is a symbolic dimension, which --bind sets.
 * Small constant tensors are computed through (folding), since exported models compute their shapes that way. Then a cost rule gives
 * kind and FLOPs. Nothing here fails because an operator is strange: what is not known stays not known.
 *
 * Internal to the reader: not installed. */
#ifndef HO_MODELS_ONNX_INFER_H
#define HO_MODELS_ONNX_INFER_H

#include "models/onnx_model.h"

G_BEGIN_DECLS

/* One node whose outputs are wanted. */
typedef struct {
  ho_onnx_model *m;
  const ho_onnx_node *n;
  ho_onnx_shape *out; /* n->n_out, not known at first */
  ho_dtype *dtype;    /* n->n_out */
} ho_onnx_inference;

typedef void (*ho_onnx_shape_rule)(ho_onnx_inference *i);

/* How the outputs' dtype follows, unless the shape rule says otherwise. */
typedef enum {
  HO_ONNX_TYPE_IN0,
  HO_ONNX_TYPE_IN1,
  HO_ONNX_TYPE_IN2,
  HO_ONNX_TYPE_BOOL,
  HO_ONNX_TYPE_INT64,
  HO_ONNX_TYPE_INT32,
  HO_ONNX_TYPE_FP32,
  HO_ONNX_TYPE_UINT8,
  HO_ONNX_TYPE_TO,      /* attribute "to" */
  HO_ONNX_TYPE_DTYPE,   /* attribute "dtype", else the input's, else fp32 */
  HO_ONNX_TYPE_FLOAT_IN /* the first floating input's, else fp32 */
} ho_onnx_type_rule;

typedef struct {
  const char *op;
  ho_onnx_shape_rule rule;
  ho_onnx_type_rule type;
} ho_onnx_shape_entry;

/* The rule of an operator, NULL when there is none (onnx_shape.c). */
const ho_onnx_shape_entry *ho_onnx_shape_find(const char *op);
/* For tests: the table, in the order it must be in (strcmp). */
const ho_onnx_shape_entry *ho_onnx_shape_table(size_t *n);

/* ---- help for rules (onnx_rule.c) ---- */

const ho_onnx_tensor *ho_onnx_input(const ho_onnx_inference *i, int32_t k);             /* NULL when left out */
const ho_onnx_shape *ho_onnx_in(const ho_onnx_inference *i, int32_t k);                 /* rank -1 when left out or not known */
const ho_onnx_scalar *ho_onnx_values(const ho_onnx_inference *i, int32_t k, size_t *n); /* integers; NULL when not known */
void ho_onnx_set(ho_onnx_inference *i, int32_t k, const ho_onnx_shape *s);              /* ignored where there is no output k */
void ho_onnx_set_dims(ho_onnx_inference *i, int32_t k, int32_t rank, const int64_t *dim);
void ho_onnx_set_type(ho_onnx_inference *i, int32_t k, ho_dtype t);
/* Integers given by an attribute in old operator sets, by input k in newer ones; NULL when neither is known. */
const int64_t *ho_onnx_list(const ho_onnx_inference *i, const char *attribute, int32_t k, size_t *n);
/* Element k of an attribute's list, within ±2^40, or `otherwise`. */
int64_t ho_onnx_at(const int64_t *list, size_t n, size_t k, int64_t otherwise);
/* axis counted from the end when negative; -1 when it is outside of 0 … rank-1. */
int32_t ho_onnx_axis(int64_t axis, int32_t rank);
int64_t ho_onnx_mul(int64_t a, int64_t b); /* of non-negative numbers, saturating */
/* numpy's broadcasting; FALSE when the shapes do not fit or are not known. */
gboolean ho_onnx_broadcast(const ho_onnx_shape *a, const ho_onnx_shape *b, ho_onnx_shape *to);
/* A size that depends on data: --bind "tensor.axis", else its upper bound. */
int64_t ho_onnx_data_size(ho_onnx_inference *i, int32_t output, int32_t axis, int64_t upper);

/* Rules that are in a file of their own. */
void ho_onnx_shape_conv(ho_onnx_inference *i);
void ho_onnx_shape_conv_transpose(ho_onnx_inference *i);
void ho_onnx_shape_pool(ho_onnx_inference *i);
void ho_onnx_shape_global_pool(ho_onnx_inference *i);
void ho_onnx_shape_resize(ho_onnx_inference *i);
void ho_onnx_shape_depth_to_space(ho_onnx_inference *i);
void ho_onnx_shape_space_to_depth(ho_onnx_inference *i);
void ho_onnx_shape_grid_sample(ho_onnx_inference *i);
void ho_onnx_shape_roi_align(ho_onnx_inference *i);
void ho_onnx_shape_max_unpool(ho_onnx_inference *i);
void ho_onnx_shape_matmul(ho_onnx_inference *i);
void ho_onnx_shape_gemm(ho_onnx_inference *i);
void ho_onnx_shape_einsum(ho_onnx_inference *i);
void ho_onnx_shape_recurrent(ho_onnx_inference *i);
void ho_onnx_shape_norm(ho_onnx_inference *i);
void ho_onnx_shape_loss(ho_onnx_inference *i);
void ho_onnx_shape_attention(ho_onnx_inference *i);
void ho_onnx_shape_attention_contrib(ho_onnx_inference *i);
void ho_onnx_shape_multi_head(ho_onnx_inference *i);
void ho_onnx_shape_group_query(ho_onnx_inference *i);
void ho_onnx_shape_embed_layer_norm(ho_onnx_inference *i);
void ho_onnx_shape_matmul_nbits(ho_onnx_inference *i);
void ho_onnx_shape_reshape(ho_onnx_inference *i);
void ho_onnx_shape_flatten(ho_onnx_inference *i);
void ho_onnx_shape_squeeze(ho_onnx_inference *i);
void ho_onnx_shape_unsqueeze(ho_onnx_inference *i);
void ho_onnx_shape_transpose(ho_onnx_inference *i);
void ho_onnx_shape_concat(ho_onnx_inference *i);
void ho_onnx_shape_split(ho_onnx_inference *i);
void ho_onnx_shape_slice(ho_onnx_inference *i);
void ho_onnx_shape_pad(ho_onnx_inference *i);
void ho_onnx_shape_tile(ho_onnx_inference *i);
void ho_onnx_shape_expand(ho_onnx_inference *i);
void ho_onnx_shape_constant_of_shape(ho_onnx_inference *i);
void ho_onnx_shape_gather(ho_onnx_inference *i);
void ho_onnx_shape_gather_nd(ho_onnx_inference *i);
void ho_onnx_shape_compress(ho_onnx_inference *i);
void ho_onnx_shape_nonzero(ho_onnx_inference *i);
void ho_onnx_shape_unique(ho_onnx_inference *i);
void ho_onnx_shape_topk(ho_onnx_inference *i);
void ho_onnx_shape_onehot(ho_onnx_inference *i);
void ho_onnx_shape_range(ho_onnx_inference *i);
void ho_onnx_shape_nms(ho_onnx_inference *i);

/* Start and number of elements that Slice takes along every axis; FALSE when not known. */
gboolean ho_onnx_slice_range(const ho_onnx_inference *i, int64_t *start, int64_t *step, int64_t *count);

/* ---- folding (onnx_fold.c) ---- */

/* Values of the node's small outputs where all that they need is known. Shapes and dtypes of the outputs are set by then. */
void ho_onnx_fold(ho_onnx_model *m, const ho_onnx_node *n);
gboolean ho_onnx_fold_arithmetic(ho_onnx_model *m, const ho_onnx_node *n); /* onnx_fold_math.c; TRUE: it was such an operator */
/* Room for the values of output k; NULL when it is too large or its shape is not known. */
ho_onnx_scalar *ho_onnx_fold_room(ho_onnx_model *m, const ho_onnx_node *n, int32_t k);
/* Makes them the output's. */
void ho_onnx_fold_done(const ho_onnx_node *n, int32_t k, const ho_onnx_scalar *value);
/* For every element of `to`, in order, the index of the element of `from` that broadcasting puts there. */
void ho_onnx_fold_broadcast(const ho_onnx_shape *from, const ho_onnx_shape *to, int32_t *index);

/* Bits 1 << ho_axis of the ways in which the node must not be split, although kind and shapes look as if it could (onnx_axes.c). Shapes and
 * costs are known by then. */
uint32_t ho_onnx_unsplit(const ho_onnx_node *n);

/* ---- graphs (onnx_infer.c, onnx_body.c) ---- */

/* Works everything out for a graph whose inputs have their shapes. FALSE: a graph inside a node has a cycle. */
gboolean ho_onnx_infer(ho_onnx_model *m, ho_onnx_graph *g, GError **error);
/* Shapes of inputs that the file states, symbolic dimensions bound. */
void ho_onnx_infer_inputs(ho_onnx_model *m, ho_onnx_graph *g);
/* The shape and dtype of a tensor: what the file states, then what was inferred, then what is bound. */
void ho_onnx_settle(ho_onnx_model *m, ho_onnx_tensor *t, const ho_onnx_shape *inferred, ho_dtype dtype);

/* If, Loop and Scan: shapes of their outputs, and n->cost from their bodies. */
gboolean ho_onnx_has_body(const ho_onnx_node *n);
gboolean ho_onnx_infer_body(ho_onnx_inference *i, ho_onnx_node *n, GError **error);

G_END_DECLS

#endif
