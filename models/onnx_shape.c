/* onnx_shape.c: the table of shape rules, and the short ones.
 *
 * One line per operator, in strcmp order (a test checks it). Operators of other domains carry their domain's name. */
#include "models/onnx_infer.h"

#include <stdlib.h>
#include <string.h>

static void same(ho_onnx_inference *i) {
  ho_onnx_set(i, 0, ho_onnx_in(i, 0));
}

/* All inputs broadcast together; before operator set 7 the first input's shape was the result's. */
static void broadcast(ho_onnx_inference *i) {
  ho_onnx_shape y = *ho_onnx_in(i, 0);
  if (i->n->opset < 7 && i->n->n_in == 2) {
    ho_onnx_set(i, 0, &y);
    return;
  }
  for (int32_t k = 1; k < i->n->n_in; k++)
    if (!ho_onnx_broadcast(&y, ho_onnx_in(i, k), &y)) return;
  ho_onnx_set(i, 0, &y);
}

/* a, its scale and zero point, b, its scale and zero point, the result's scale and zero point */
static void qlinear_binary(ho_onnx_inference *i) {
  ho_onnx_shape y;
  if (ho_onnx_broadcast(ho_onnx_in(i, 0), ho_onnx_in(i, 3), &y)) ho_onnx_set(i, 0, &y);
}

static void dropout(ho_onnx_inference *i) {
  same(i);
  ho_onnx_set(i, 1, ho_onnx_in(i, 0));
  if (i->n->opset >= 10) ho_onnx_set_type(i, 1, HO_BOOL);
}

static void quantize(ho_onnx_inference *i) {
  const ho_onnx_tensor *zero = ho_onnx_input(i, 2);
  const ho_dtype stated = ho_onnx_dtype(ho_onnx_int(i->n, "output_dtype", 0));
  same(i);
  ho_onnx_set_type(i, 0, zero ? zero->dtype : stated != HO_DTYPE_NONE ? stated : HO_UINT8);
}

static void dynamic_quantize(ho_onnx_inference *i) {
  same(i);
  ho_onnx_set_dims(i, 1, 0, NULL);
  ho_onnx_set_dims(i, 2, 0, NULL);
  ho_onnx_set_type(i, 1, HO_FP32);
}

static void random_of_shape(ho_onnx_inference *i) {
  size_t n;
  const int64_t *shape = ho_onnx_list(i, "shape", -1, &n);
  if (shape == NULL || n > HO_ONNX_MAX_RANK) return;
  for (size_t k = 0; k < n; k++)
    if (shape[k] < 0) return;
  ho_onnx_set_dims(i, 0, (int32_t)n, shape);
}

static void multinomial(ho_onnx_inference *i) {
  const ho_onnx_shape *x = ho_onnx_in(i, 0);
  if (x->rank == 2) ho_onnx_set_dims(i, 0, 2, (int64_t[]){x->dim[0], MAX(ho_onnx_int(i->n, "sample_size", 1), 0)});
}

static void scalar(ho_onnx_inference *i) {
  ho_onnx_set_dims(i, 0, 0, NULL);
}

static void shape(ho_onnx_inference *i) {
  const ho_onnx_shape *x = ho_onnx_in(i, 0);
  if (x->rank < 0) return;
  int64_t start = CLAMP(ho_onnx_int(i->n, "start", 0), -x->rank, x->rank),
          end = CLAMP(ho_onnx_int(i->n, "end", x->rank), -x->rank, x->rank);
  if (start < 0) start += x->rank;
  if (end < 0) end += x->rank;
  ho_onnx_set_dims(i, 0, 1, (int64_t[]){MAX(end - start, 0)});
}

static void gather_elements(ho_onnx_inference *i) {
  ho_onnx_set(i, 0, ho_onnx_in(i, 1));
}

/* Axes are an attribute in old operator sets and input 1 in newer ones, and a single one for ArgMax and ArgMin. */
static void reduce(ho_onnx_inference *i) {
  const ho_onnx_shape *x = ho_onnx_in(i, 0);
  const gboolean arg = g_str_has_prefix(i->n->op, "Arg"), keep = ho_onnx_int(i->n, "keepdims", 1) != 0;
  const int64_t one = ho_onnx_int(i->n, "axis", 0);
  gboolean drop[HO_ONNX_MAX_RANK] = {FALSE};
  size_t n = 1;
  const int64_t *axes = arg ? &one : ho_onnx_list(i, "axes", 1, &n);
  if (x->rank < 0 || (axes == NULL && ho_onnx_input(i, 1) != NULL)) return;
  const gboolean none = axes == NULL || n == 0;
  if (none && ho_onnx_int(i->n, "noop_with_empty_axes", 0)) {
    ho_onnx_set(i, 0, x);
    return;
  }
  for (int32_t k = 0; none && k < x->rank; k++) drop[k] = TRUE;
  for (size_t k = 0; !none && k < n; k++) {
    const int32_t axis = ho_onnx_axis(axes[k], x->rank);
    if (axis < 0) return;
    drop[axis] = TRUE;
  }
  ho_onnx_shape y = {.rank = 0};
  for (int32_t k = 0; k < x->rank; k++)
    if (!drop[k] || keep) y.dim[y.rank++] = drop[k] ? 1 : x->dim[k];
  ho_onnx_set(i, 0, &y);
}

static const ho_onnx_shape_entry table[] = {
    {"Abs", same, HO_ONNX_TYPE_IN0},
    {"Acos", same, HO_ONNX_TYPE_IN0},
    {"Acosh", same, HO_ONNX_TYPE_IN0},
    {"Add", broadcast, HO_ONNX_TYPE_IN0},
    {"And", broadcast, HO_ONNX_TYPE_IN0},
    {"ArgMax", reduce, HO_ONNX_TYPE_INT64},
    {"ArgMin", reduce, HO_ONNX_TYPE_INT64},
    {"Asin", same, HO_ONNX_TYPE_IN0},
    {"Asinh", same, HO_ONNX_TYPE_IN0},
    {"Atan", same, HO_ONNX_TYPE_IN0},
    {"Atanh", same, HO_ONNX_TYPE_IN0},
    {"Attention", ho_onnx_shape_attention, HO_ONNX_TYPE_IN0},
    {"AveragePool", ho_onnx_shape_pool, HO_ONNX_TYPE_IN0},
    {"BatchNormalization", ho_onnx_shape_norm, HO_ONNX_TYPE_IN0},
    {"Bernoulli", same, HO_ONNX_TYPE_DTYPE},
    {"BitShift", broadcast, HO_ONNX_TYPE_IN0},
    {"BitwiseAnd", broadcast, HO_ONNX_TYPE_IN0},
    {"BitwiseNot", same, HO_ONNX_TYPE_IN0},
    {"BitwiseOr", broadcast, HO_ONNX_TYPE_IN0},
    {"BitwiseXor", broadcast, HO_ONNX_TYPE_IN0},
    {"Cast", same, HO_ONNX_TYPE_TO},
    {"CastLike", same, HO_ONNX_TYPE_IN1},
    {"Ceil", same, HO_ONNX_TYPE_IN0},
    {"Celu", same, HO_ONNX_TYPE_IN0},
    {"Clip", same, HO_ONNX_TYPE_IN0},
    {"Compress", ho_onnx_shape_compress, HO_ONNX_TYPE_IN0},
    {"Concat", ho_onnx_shape_concat, HO_ONNX_TYPE_IN0},
    {"ConstantOfShape", ho_onnx_shape_constant_of_shape, HO_ONNX_TYPE_IN0},
    {"Conv", ho_onnx_shape_conv, HO_ONNX_TYPE_IN0},
    {"ConvInteger", ho_onnx_shape_conv, HO_ONNX_TYPE_INT32},
    {"ConvTranspose", ho_onnx_shape_conv_transpose, HO_ONNX_TYPE_IN0},
    {"Cos", same, HO_ONNX_TYPE_IN0},
    {"Cosh", same, HO_ONNX_TYPE_IN0},
    {"CumSum", same, HO_ONNX_TYPE_IN0},
    {"DeformConv", ho_onnx_shape_conv, HO_ONNX_TYPE_IN0},
    {"DepthToSpace", ho_onnx_shape_depth_to_space, HO_ONNX_TYPE_IN0},
    {"DequantizeLinear", same, HO_ONNX_TYPE_IN1},
    {"Div", broadcast, HO_ONNX_TYPE_IN0},
    {"Dropout", dropout, HO_ONNX_TYPE_IN0},
    {"DynamicQuantizeLinear", dynamic_quantize, HO_ONNX_TYPE_UINT8},
    {"Einsum", ho_onnx_shape_einsum, HO_ONNX_TYPE_IN0},
    {"Elu", same, HO_ONNX_TYPE_IN0},
    {"Equal", broadcast, HO_ONNX_TYPE_BOOL},
    {"Erf", same, HO_ONNX_TYPE_IN0},
    {"Exp", same, HO_ONNX_TYPE_IN0},
    {"Expand", ho_onnx_shape_expand, HO_ONNX_TYPE_IN0},
    {"EyeLike", same, HO_ONNX_TYPE_DTYPE},
    {"Flatten", ho_onnx_shape_flatten, HO_ONNX_TYPE_IN0},
    {"Floor", same, HO_ONNX_TYPE_IN0},
    {"GRU", ho_onnx_shape_recurrent, HO_ONNX_TYPE_IN0},
    {"Gather", ho_onnx_shape_gather, HO_ONNX_TYPE_IN0},
    {"GatherElements", gather_elements, HO_ONNX_TYPE_IN0},
    {"GatherND", ho_onnx_shape_gather_nd, HO_ONNX_TYPE_IN0},
    {"Gelu", same, HO_ONNX_TYPE_IN0},
    {"Gemm", ho_onnx_shape_gemm, HO_ONNX_TYPE_IN0},
    {"GlobalAveragePool", ho_onnx_shape_global_pool, HO_ONNX_TYPE_IN0},
    {"GlobalLpPool", ho_onnx_shape_global_pool, HO_ONNX_TYPE_IN0},
    {"GlobalMaxPool", ho_onnx_shape_global_pool, HO_ONNX_TYPE_IN0},
    {"Greater", broadcast, HO_ONNX_TYPE_BOOL},
    {"GreaterOrEqual", broadcast, HO_ONNX_TYPE_BOOL},
    {"GridSample", ho_onnx_shape_grid_sample, HO_ONNX_TYPE_IN0},
    {"GroupNormalization", same, HO_ONNX_TYPE_IN0},
    {"HardSigmoid", same, HO_ONNX_TYPE_IN0},
    {"HardSwish", same, HO_ONNX_TYPE_IN0},
    {"Hardmax", same, HO_ONNX_TYPE_IN0},
    {"Identity", same, HO_ONNX_TYPE_IN0},
    {"InstanceNormalization", same, HO_ONNX_TYPE_IN0},
    {"IsInf", same, HO_ONNX_TYPE_BOOL},
    {"IsNaN", same, HO_ONNX_TYPE_BOOL},
    {"LRN", same, HO_ONNX_TYPE_IN0},
    {"LSTM", ho_onnx_shape_recurrent, HO_ONNX_TYPE_IN0},
    {"LayerNormalization", ho_onnx_shape_norm, HO_ONNX_TYPE_IN0},
    {"LeakyRelu", same, HO_ONNX_TYPE_IN0},
    {"Less", broadcast, HO_ONNX_TYPE_BOOL},
    {"LessOrEqual", broadcast, HO_ONNX_TYPE_BOOL},
    {"Log", same, HO_ONNX_TYPE_IN0},
    {"LogSoftmax", same, HO_ONNX_TYPE_IN0},
    {"LpNormalization", same, HO_ONNX_TYPE_IN0},
    {"LpPool", ho_onnx_shape_pool, HO_ONNX_TYPE_IN0},
    {"MatMul", ho_onnx_shape_matmul, HO_ONNX_TYPE_IN0},
    {"MatMulInteger", ho_onnx_shape_matmul, HO_ONNX_TYPE_INT32},
    {"Max", broadcast, HO_ONNX_TYPE_IN0},
    {"MaxPool", ho_onnx_shape_pool, HO_ONNX_TYPE_IN0},
    {"MaxUnpool", ho_onnx_shape_max_unpool, HO_ONNX_TYPE_IN0},
    {"Mean", broadcast, HO_ONNX_TYPE_IN0},
    {"MeanVarianceNormalization", same, HO_ONNX_TYPE_IN0},
    {"Min", broadcast, HO_ONNX_TYPE_IN0},
    {"Mish", same, HO_ONNX_TYPE_IN0},
    {"Mod", broadcast, HO_ONNX_TYPE_IN0},
    {"Mul", broadcast, HO_ONNX_TYPE_IN0},
    {"Multinomial", multinomial, HO_ONNX_TYPE_INT32},
    {"Neg", same, HO_ONNX_TYPE_IN0},
    {"NegativeLogLikelihoodLoss", ho_onnx_shape_loss, HO_ONNX_TYPE_IN0},
    {"NonMaxSuppression", ho_onnx_shape_nms, HO_ONNX_TYPE_INT64},
    {"NonZero", ho_onnx_shape_nonzero, HO_ONNX_TYPE_INT64},
    {"Not", same, HO_ONNX_TYPE_IN0},
    {"OneHot", ho_onnx_shape_onehot, HO_ONNX_TYPE_IN2},
    {"Or", broadcast, HO_ONNX_TYPE_IN0},
    {"PRelu", same, HO_ONNX_TYPE_IN0},
    {"Pad", ho_onnx_shape_pad, HO_ONNX_TYPE_IN0},
    {"Pow", broadcast, HO_ONNX_TYPE_IN0},
    {"QLinearConv", ho_onnx_shape_conv, HO_ONNX_TYPE_IN0},
    {"QLinearMatMul", ho_onnx_shape_matmul, HO_ONNX_TYPE_IN0},
    {"QuantizeLinear", quantize, HO_ONNX_TYPE_IN0},
    {"RMSNormalization", ho_onnx_shape_norm, HO_ONNX_TYPE_IN0},
    {"RNN", ho_onnx_shape_recurrent, HO_ONNX_TYPE_IN0},
    {"RandomNormal", random_of_shape, HO_ONNX_TYPE_DTYPE},
    {"RandomNormalLike", same, HO_ONNX_TYPE_DTYPE},
    {"RandomUniform", random_of_shape, HO_ONNX_TYPE_DTYPE},
    {"RandomUniformLike", same, HO_ONNX_TYPE_DTYPE},
    {"Range", ho_onnx_shape_range, HO_ONNX_TYPE_IN0},
    {"Reciprocal", same, HO_ONNX_TYPE_IN0},
    {"ReduceL1", reduce, HO_ONNX_TYPE_IN0},
    {"ReduceL2", reduce, HO_ONNX_TYPE_IN0},
    {"ReduceLogSum", reduce, HO_ONNX_TYPE_IN0},
    {"ReduceLogSumExp", reduce, HO_ONNX_TYPE_IN0},
    {"ReduceMax", reduce, HO_ONNX_TYPE_IN0},
    {"ReduceMean", reduce, HO_ONNX_TYPE_IN0},
    {"ReduceMin", reduce, HO_ONNX_TYPE_IN0},
    {"ReduceProd", reduce, HO_ONNX_TYPE_IN0},
    {"ReduceSum", reduce, HO_ONNX_TYPE_IN0},
    {"ReduceSumSquare", reduce, HO_ONNX_TYPE_IN0},
    {"Relu", same, HO_ONNX_TYPE_IN0},
    {"Reshape", ho_onnx_shape_reshape, HO_ONNX_TYPE_IN0},
    {"Resize", ho_onnx_shape_resize, HO_ONNX_TYPE_IN0},
    {"ReverseSequence", same, HO_ONNX_TYPE_IN0},
    {"RoiAlign", ho_onnx_shape_roi_align, HO_ONNX_TYPE_IN0},
    {"RotaryEmbedding", same, HO_ONNX_TYPE_IN0},
    {"Round", same, HO_ONNX_TYPE_IN0},
    {"Scatter", same, HO_ONNX_TYPE_IN0},
    {"ScatterElements", same, HO_ONNX_TYPE_IN0},
    {"ScatterND", same, HO_ONNX_TYPE_IN0},
    {"Selu", same, HO_ONNX_TYPE_IN0},
    {"Shape", shape, HO_ONNX_TYPE_INT64},
    {"Shrink", same, HO_ONNX_TYPE_IN0},
    {"Sigmoid", same, HO_ONNX_TYPE_IN0},
    {"Sign", same, HO_ONNX_TYPE_IN0},
    {"SimplifiedLayerNormalization", ho_onnx_shape_norm, HO_ONNX_TYPE_IN0},
    {"Sin", same, HO_ONNX_TYPE_IN0},
    {"Sinh", same, HO_ONNX_TYPE_IN0},
    {"Size", scalar, HO_ONNX_TYPE_INT64},
    {"Slice", ho_onnx_shape_slice, HO_ONNX_TYPE_IN0},
    {"Softmax", same, HO_ONNX_TYPE_IN0},
    {"SoftmaxCrossEntropyLoss", ho_onnx_shape_loss, HO_ONNX_TYPE_IN0},
    {"Softplus", same, HO_ONNX_TYPE_IN0},
    {"Softsign", same, HO_ONNX_TYPE_IN0},
    {"SpaceToDepth", ho_onnx_shape_space_to_depth, HO_ONNX_TYPE_IN0},
    {"Split", ho_onnx_shape_split, HO_ONNX_TYPE_IN0},
    {"Sqrt", same, HO_ONNX_TYPE_IN0},
    {"Squeeze", ho_onnx_shape_squeeze, HO_ONNX_TYPE_IN0},
    {"Sub", broadcast, HO_ONNX_TYPE_IN0},
    {"Sum", broadcast, HO_ONNX_TYPE_IN0},
    {"Swish", same, HO_ONNX_TYPE_IN0},
    {"Tan", same, HO_ONNX_TYPE_IN0},
    {"Tanh", same, HO_ONNX_TYPE_IN0},
    {"TensorScatter", same, HO_ONNX_TYPE_IN0},
    {"ThresholdedRelu", same, HO_ONNX_TYPE_IN0},
    {"Tile", ho_onnx_shape_tile, HO_ONNX_TYPE_IN0},
    {"TopK", ho_onnx_shape_topk, HO_ONNX_TYPE_IN0},
    {"Transpose", ho_onnx_shape_transpose, HO_ONNX_TYPE_IN0},
    {"Trilu", same, HO_ONNX_TYPE_IN0},
    {"Unique", ho_onnx_shape_unique, HO_ONNX_TYPE_IN0},
    {"Unsqueeze", ho_onnx_shape_unsqueeze, HO_ONNX_TYPE_IN0},
    {"Upsample", ho_onnx_shape_resize, HO_ONNX_TYPE_IN0},
    {"Where", broadcast, HO_ONNX_TYPE_IN1},
    {"Xor", broadcast, HO_ONNX_TYPE_IN0},
    {"com.microsoft::Attention", ho_onnx_shape_attention_contrib, HO_ONNX_TYPE_IN0},
    {"com.microsoft::BiasGelu", same, HO_ONNX_TYPE_IN0},
    {"com.microsoft::DequantizeLinear", same, HO_ONNX_TYPE_IN1},
    {"com.microsoft::DynamicQuantizeMatMul", ho_onnx_shape_matmul, HO_ONNX_TYPE_FP32},
    {"com.microsoft::EmbedLayerNormalization", ho_onnx_shape_embed_layer_norm, HO_ONNX_TYPE_IN0},
    {"com.microsoft::FastGelu", same, HO_ONNX_TYPE_IN0},
    {"com.microsoft::FusedConv", ho_onnx_shape_conv, HO_ONNX_TYPE_IN0},
    {"com.microsoft::FusedGemm", ho_onnx_shape_gemm, HO_ONNX_TYPE_IN0},
    {"com.microsoft::FusedMatMul", ho_onnx_shape_matmul, HO_ONNX_TYPE_IN0},
    {"com.microsoft::Gelu", same, HO_ONNX_TYPE_IN0},
    {"com.microsoft::GroupNorm", same, HO_ONNX_TYPE_IN0},
    {"com.microsoft::GroupQueryAttention", ho_onnx_shape_group_query, HO_ONNX_TYPE_IN0},
    {"com.microsoft::MatMulIntegerToFloat", ho_onnx_shape_matmul, HO_ONNX_TYPE_FP32},
    {"com.microsoft::MatMulNBits", ho_onnx_shape_matmul_nbits, HO_ONNX_TYPE_IN0},
    {"com.microsoft::MultiHeadAttention", ho_onnx_shape_multi_head, HO_ONNX_TYPE_IN0},
    {"com.microsoft::QLinearAdd", qlinear_binary, HO_ONNX_TYPE_IN0},
    {"com.microsoft::QLinearAveragePool", ho_onnx_shape_pool, HO_ONNX_TYPE_IN0},
    {"com.microsoft::QLinearGlobalAveragePool", ho_onnx_shape_global_pool, HO_ONNX_TYPE_IN0},
    {"com.microsoft::QLinearLeakyRelu", same, HO_ONNX_TYPE_IN0},
    {"com.microsoft::QLinearMul", qlinear_binary, HO_ONNX_TYPE_IN0},
    {"com.microsoft::QLinearSigmoid", same, HO_ONNX_TYPE_IN0},
    {"com.microsoft::QuantizeLinear", quantize, HO_ONNX_TYPE_IN0},
    {"com.microsoft::QuickGelu", same, HO_ONNX_TYPE_IN0},
    {"com.microsoft::RotaryEmbedding", same, HO_ONNX_TYPE_IN0},
    {"com.microsoft::SimplifiedLayerNormalization", ho_onnx_shape_norm, HO_ONNX_TYPE_IN0},
    {"com.microsoft::SkipLayerNormalization", ho_onnx_shape_norm, HO_ONNX_TYPE_IN0},
    {"com.microsoft::SkipSimplifiedLayerNormalization", ho_onnx_shape_norm, HO_ONNX_TYPE_IN0},
    {"com.microsoft::TransposeMatMul", ho_onnx_shape_matmul, HO_ONNX_TYPE_IN0},
};

static int by_op(const void *key, const void *entry) {
  return strcmp(key, ((const ho_onnx_shape_entry *)entry)->op);
}

const ho_onnx_shape_entry *ho_onnx_shape_find(const char *op) {
  return bsearch(op, table, G_N_ELEMENTS(table), sizeof *table, by_op);
}

const ho_onnx_shape_entry *ho_onnx_shape_table(size_t *n) {
  *n = G_N_ELEMENTS(table);
  return table;
}
