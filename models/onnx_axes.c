/* onnx_axes.c: how a node must not be split, although its kind and the shapes of its tensors look as if it could: what attributes, and the
 * order of operands, say. See ho_op_info.unsplit.
 *
 * Only what shapes leave open is asked here: an operator whose output would have another size is refused by the rule itself. Where a value
 * is not known before run time, the worst is taken. */
#include <string.h>

#include "models/onnx_infer.h"

enum {
  ROWS = 1 << HO_AXIS_ROWS,
  COLUMNS = 1 << HO_AXIS_COLUMNS,
  REDUCTION = 1 << HO_AXIS_REDUCTION,
  CHANNELS = 1 << HO_AXIS_CHANNELS,
  BATCH = 1 << HO_AXIS_BATCH,
  HEADS = 1 << HO_AXIS_HEADS,
  PRODUCT = ROWS | COLUMNS | REDUCTION
};

static const ho_onnx_shape *shape(const ho_onnx_node *n, int32_t k) {
  static const ho_onnx_shape unknown = {.rank = -1};
  return k < n->n_in && n->in[k] ? &n->in[k]->shape : &unknown;
}

/* An op that mixes what lies along dimension d of its tensors. */
static uint32_t mixes(int64_t d) {
  return d == 0 ? BATCH : d == 1 ? HEADS : 0;
}

static uint32_t mixes_from(int64_t d) {
  return d <= 0 ? BATCH | HEADS : mixes(d);
}

static int64_t axis_of(const ho_onnx_node *n, int64_t otherwise) {
  int64_t axis = ho_onnx_int(n, "axis", otherwise), rank = shape(n, 0)->rank;
  return axis < 0 ? axis + rank : axis; /* of an unknown rank: negative, which is the worst */
}

/* ---- along a dimension ----------------------------------------------------------------------------------------------- */

/* Up to operator set 12 softmax takes all dimensions from its axis on as one. */
static uint32_t of_softmax(const ho_onnx_node *n) {
  return n->opset < 13 ? mixes_from(axis_of(n, 1)) : mixes(MAX(axis_of(n, -1), 0));
}

static uint32_t of_layer_norm(const ho_onnx_node *n) {
  return mixes_from(axis_of(n, -1));
}

static uint32_t of_one_axis(const ho_onnx_node *n) {
  return mixes(MAX(axis_of(n, -1), 0));
}

static uint32_t of_mean_variance(const ho_onnx_node *n) {
  size_t count = 0;
  const int64_t *axes = ho_onnx_ints(n, "axes", &count);
  uint32_t all = axes ? 0 : BATCH; /* default: all but channels */
  for (size_t i = 0; axes && i < count; i++) all |= mixes(axes[i] < 0 ? MAX(axes[i] + shape(n, 0)->rank, 0) : axes[i]);
  return all;
}

/* Integers of an attribute or, when that is not there, of a constant input; NULL: not known. Element k by get(). */
typedef struct {
  const int64_t *attribute;
  const ho_onnx_scalar *value;
  size_t n;
} integers;

static integers list_of(const ho_onnx_node *n, const char *attribute, int32_t input) {
  integers l = {NULL, NULL, 0};
  if (attribute) l.attribute = ho_onnx_ints(n, attribute, &l.n);
  if (l.attribute || input >= n->n_in || !n->in[input] || !n->in[input]->value) return l;
  l.value = n->in[input]->value;
  l.n = n->in[input]->n_values;
  return l;
}

static gboolean is_known(const integers *l) {
  return l->attribute || l->value;
}

static int64_t get(const integers *l, size_t k) {
  return l->attribute ? l->attribute[k] : l->value[k].i;
}

/* What is added before and behind may make up for each other in size. */
static uint32_t of_pad(const ho_onnx_node *n) {
  const char *name = ho_onnx_attribute(n, "paddings") ? "paddings" : "pads"; /* of operator set 1 */
  integers pads = list_of(n, name, 1), axes = list_of(n, NULL, 3);
  int32_t rank = shape(n, 0)->rank;
  gboolean all = n->n_in < 4 || !n->in[3];
  if (!is_known(&pads) || rank < 0 || (!all && !is_known(&axes))) return BATCH | HEADS;
  uint32_t result = 0;
  for (size_t i = 0; i < pads.n; i++) {
    size_t place = i % MAX(pads.n / 2, 1);
    int64_t d = all ? (int64_t)place : place < axes.n ? get(&axes, place) : 0;
    if (get(&pads, i) != 0) result |= mixes(d < 0 ? d + rank : d);
  }
  return result;
}

/* Backwards a slice keeps the size. */
static uint32_t of_slice(const ho_onnx_node *n) {
  if (n->n_in < 5 || !n->in[4]) return 0;
  integers steps = list_of(n, NULL, 4), axes = list_of(n, NULL, 3);
  gboolean all = !n->in[3];
  if (!is_known(&steps) || (!all && !is_known(&axes))) return BATCH | HEADS;
  uint32_t result = 0;
  for (size_t i = 0; i < steps.n; i++) {
    int64_t d = all ? (int64_t)i : i < axes.n ? get(&axes, i) : 0;
    if (get(&steps, i) < 0) result |= mixes(d < 0 ? d + shape(n, 0)->rank : d);
  }
  return result;
}

/* Scales of a row each are lined up by attribute, not at the end. */
static uint32_t of_quantize(const ho_onnx_node *n) {
  if (shape(n, 1)->rank == 0 || (shape(n, 1)->rank == 1 && shape(n, 1)->dim[0] == 1)) return 0;
  return mixes(MAX(axis_of(n, 1), 0)) | (ho_onnx_int(n, "block_size", 0) ? BATCH | HEADS : 0);
}

/* ---- by index -------------------------------------------------------------------------------------------------------- */

/* Pieces of indices take pieces of the result where these lie first, and where they name rows of the whole. */
static uint32_t of_gather(const ho_onnx_node *n) {
  return axis_of(n, 0) == 0 ? 0 : BATCH;
}

static uint32_t of_gather_nd(const ho_onnx_node *n) {
  return ho_onnx_int(n, "batch_dims", 0) == 0 ? 0 : BATCH;
}

/* Dimensions that a larger rank puts before those of the input. */
static uint32_t of_expand(const ho_onnx_node *n) {
  return shape(n, 0)->rank == (n->n_out > 0 && n->out[0] ? n->out[0]->shape.rank : -1) ? 0 : BATCH | HEADS;
}

/* Indices of a maximum count through the whole tensor. */
static uint32_t of_max_pool(const ho_onnx_node *n) {
  return n->n_out > 1 && n->out[1] ? BATCH : 0;
}

/* ---- products and convolutions --------------------------------------------------------------------------------------- */

static gboolean is_weight(const ho_onnx_node *n, int32_t k) {
  return k < n->n_in && n->in[k] && (n->in[k]->source == HO_ONNX_WEIGHT || n->in[k]->value);
}

static gboolean is_square(const ho_onnx_shape *s) {
  return s->rank < 2 || s->dim[s->rank - 1] == s->dim[s->rank - 2];
}

/* A tensor times itself, a weight on the left, and operands that could change places. */
static uint32_t of_operands(const ho_onnx_node *n) {
  if (n->n_in < 2 || !n->in[0] || !n->in[1]) return PRODUCT | BATCH;
  uint32_t of_batch = shape(n, 1)->rank > 2 ? 0 : BATCH;
  if (n->in[0] == n->in[1] || is_weight(n, 0)) return PRODUCT | of_batch;
  gboolean turns = is_square(shape(n, 0)) && is_square(shape(n, 1)) && !is_weight(n, 1);
  return turns ? PRODUCT | of_batch : 0;
}

static uint32_t of_gemm(const ho_onnx_node *n) {
  uint32_t all = of_operands(n);
  if (ho_onnx_int(n, "transA", 0)) all |= PRODUCT | BATCH;
  if (ho_onnx_int(n, "transB", 0) && !is_weight(n, 1)) all |= COLUMNS | REDUCTION;
  if (shape(n, 2)->rank == 2 && shape(n, 2)->dim[0] != 1 && is_weight(n, 2)) all |= BATCH; /* a row of its own for every sample */
  const ho_onnx_shape *b = shape(n, 1), *c = shape(n, 2);                                  /* which of the two is the operand? */
  if (b->rank == 2 && c->rank == 2 && MIN(b->dim[0], b->dim[1]) == MIN(c->dim[0], c->dim[1]) &&
      MAX(b->dim[0], b->dim[1]) == MAX(c->dim[0], c->dim[1]))
    all |= PRODUCT | BATCH;
  if (n->opset < 7) all |= REDUCTION | BATCH; /* how C spreads is an attribute */
  return all;
}

/* Packed, quantised or fused with more: only the rows of the left operand are free, when nothing turns it. */
static uint32_t of_other_product(const ho_onnx_node *n) {
  static const char *const turns[] = {"transA", "transBatchA", "transB", "transBatchB"};
  for (size_t i = 0; i < G_N_ELEMENTS(turns); i++)
    if (ho_onnx_int(n, turns[i], 0)) return PRODUCT | BATCH;
  return COLUMNS | REDUCTION | (shape(n, 0)->rank > 2 ? 0 : ROWS | BATCH);
}

static uint32_t of_conv(const ho_onnx_node *n) {
  return is_weight(n, 1) ? 0 : BATCH | CHANNELS;
}

/* A sum to add may have the shape of the map. */
static uint32_t of_fused_conv(const ho_onnx_node *n) {
  return of_conv(n) | (n->n_in > 3 && n->in[3] ? CHANNELS : 0);
}

static uint32_t of_batch_norm(const ho_onnx_node *n) {
  gboolean trains = n->opset < 7 ? !ho_onnx_int(n, "is_test", 0) && n->n_out > 1 : ho_onnx_int(n, "training_mode", 0) != 0;
  return trains ? BATCH : 0;
}

/* ---- the table ------------------------------------------------------------------------------------------------------- */

/* Operators before set 7 line a shorter operand up by attribute. */
static uint32_t of_old_broadcast(const ho_onnx_node *n) {
  gboolean shorter = n->n_in > 1 && shape(n, 0)->rank != shape(n, 1)->rank;
  return n->opset < 7 && shorter && ho_onnx_attribute(n, "axis") ? BATCH | HEADS | CHANNELS : 0;
}

static uint32_t never_by_batch(const ho_onnx_node *n) {
  (void)n;
  return BATCH;
}

uint32_t ho_onnx_unsplit(const ho_onnx_node *n) {
  static const struct {
    const char *op;
    uint32_t (*of)(const ho_onnx_node *n);
  } table[] = {{"Add", of_old_broadcast},
               {"And", of_old_broadcast},
               {"BatchNormalization", of_batch_norm},
               {"Conv", of_conv},
               {"DequantizeLinear", of_quantize},
               {"Div", of_old_broadcast},
               {"Equal", of_old_broadcast},
               {"Expand", of_expand},
               {"Gather", of_gather},
               {"GatherElements", of_gather},
               {"GatherND", of_gather_nd},
               {"Gemm", of_gemm},
               {"Greater", of_old_broadcast},
               {"Hardmax", of_softmax},
               {"LayerNormalization", of_layer_norm},
               {"Less", of_old_broadcast},
               {"LogSoftmax", of_softmax},
               {"LpNormalization", of_one_axis},
               {"MatMul", of_operands},
               {"MaxPool", of_max_pool},
               {"MaxRoiPool", never_by_batch},
               {"MaxUnpool", never_by_batch},
               {"MeanVarianceNormalization", of_mean_variance},
               {"Mul", of_old_broadcast},
               {"Or", of_old_broadcast},
               {"Pad", of_pad},
               {"Pow", of_old_broadcast},
               {"QuantizeLinear", of_quantize},
               {"com.microsoft::FusedConv", of_fused_conv},
               {"RMSNormalization", of_layer_norm},
               {"RoiAlign", never_by_batch},
               {"SimplifiedLayerNormalization", of_layer_norm},
               {"Slice", of_slice},
               {"Softmax", of_softmax},
               {"Sub", of_old_broadcast},
               {"Xor", of_old_broadcast}};
  static const char *const products[] = {"gemm", "matmul", "linear", NULL};
  for (size_t i = 0; i < G_N_ELEMENTS(table); i++)
    if (strcmp(table[i].op, n->op) == 0) return table[i].of(n);
  return n->cost.kind && g_strv_contains(products, n->cost.kind) ? of_other_product(n) : 0;
}
