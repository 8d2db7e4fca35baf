/* split_axis.c: the axes along which ops of products, convolutions and attention split; see split.h. Runs by batch are in split_batch.c. */
#include <string.h>

#include "models/rules/fuse.h"
#include "models/rules/split_private.h"

const ho_tensor_info *ho_axis_info(const ho_workgraph *w, ho_tensor t) {
  return &w->tensor[t].info;
}

gboolean ho_axis_is_weight(const ho_workgraph *w, ho_tensor t) {
  return w->tensor[t].info.role == HO_ROLE_WEIGHT;
}

int64_t ho_axis_size(const ho_workgraph *w, ho_tensor t, int32_t dim) {
  const ho_tensor_info *x = &w->tensor[t].info;
  if (dim < 0) dim += x->rank;
  return dim >= 0 && dim < x->rank ? x->shape[dim] : -1;
}

gboolean ho_axis_same_shape(const ho_workgraph *w, ho_tensor a, ho_tensor b) {
  const ho_tensor_info *x = &w->tensor[a].info, *y = &w->tensor[b].info;
  return x->rank == y->rank && x->rank > 0 && memcmp(x->shape, y->shape, sizeof *x->shape * (size_t)x->rank) == 0;
}

int32_t ho_axis_broadcast(const ho_workgraph *w, ho_tensor t, ho_tensor out, int32_t dim) {
  const ho_tensor_info *x = &w->tensor[t].info, *y = &w->tensor[out].info;
  if (x->rank < 0 || x->rank > y->rank || dim < 0 || dim >= y->rank) return HO_CUT_NEVER;
  int32_t d = dim - (y->rank - x->rank);
  if (d < 0 || x->shape[d] == 1) return HO_CUT_WHOLE;
  return x->shape[d] == y->shape[dim] ? d : HO_CUT_NEVER;
}

const char *ho_axis_parts_obstacle(const ho_workgraph *w, ho_op o,
                                   gboolean (*fits)(const ho_workgraph *w, const char *kind, ho_family family)) {
  ho_origin self;
  int32_t n;
  const ho_origin *origin = ho_workgraph_origins(w, o, &self, &n);
  for (int32_t i = 0; n > 1 && i < n; i++) {
    const ho_op_info *x = &w->first->op[origin[i].op];
    if (!fits(w, x->kind, x->family)) return "is fused with something that does not split so";
  }
  return NULL;
}

/* Whether the member of a fused op that multiplies and adds reads t, or what t is a piece or another name of. What others add, such as a
 * residual, may have the same shape. */
static gboolean is_operand(const ho_workgraph *w, ho_op o, ho_tensor t) {
  ho_origin self;
  int32_t n;
  const ho_origin *origin = ho_workgraph_origins(w, o, &self, &n);
  const ho_graph *g = w->first;
  ho_tensor whole = w->tensor[t].added ? w->tensor[t].place : t;
  for (int32_t i = 0; n > 1 && whole >= 0 && i < n; i++) {
    if (!ho_family_has_macs(g->op[origin[i].op].family)) continue;
    for (int32_t k = g->in_start[origin[i].op]; k < g->in_start[origin[i].op + 1]; k++)
      if (g->tensor[g->in[k]].root == g->tensor[whole].root) return TRUE;
  }
  return n <= 1;
}

static int32_t n_outputs(const ho_workgraph *w, ho_op o) {
  return w->op[o].out.n;
}

static ho_tensor output(const ho_workgraph *w, ho_op o) {
  return w->op[o].out.item[0];
}

/* ---- products -------------------------------------------------------------------------------------------------------- */

static const char *const product_kinds[] = {"gemm", "matmul", "linear", NULL};

static gboolean is_product(const ho_workgraph *w, const char *kind, ho_family family) {
  (void)w;
  return g_strv_contains(product_kinds, kind) || family == HO_FAMILY_ELEMENTWISE;
}

typedef struct {
  ho_tensor left, right; /* [… M, K], and [K, N], [N, K] or [… K, N] */
  int32_t right_k, right_n;
} product;

static gboolean is_left(const ho_workgraph *w, ho_tensor t, ho_tensor out) {
  const ho_tensor_info *x = ho_axis_info(w, t), *y = ho_axis_info(w, out);
  if (x->rank < 2 || x->rank != y->rank) return FALSE;
  for (int32_t d = 0; d + 1 < x->rank; d++)
    if (x->shape[d] != y->shape[d] && x->shape[d] != 1) return FALSE;
  return x->shape[x->rank - 2] == y->shape[y->rank - 2];
}

/* Weights may be stored either way round; where both fit, as [K, N]. */
static gboolean is_right(const ho_workgraph *w, ho_tensor t, int64_t k, int64_t n, product *p) {
  const ho_tensor_info *x = ho_axis_info(w, t);
  if (x->rank < 2) return FALSE;
  int64_t a = x->shape[x->rank - 2], b = x->shape[x->rank - 1];
  gboolean plain = a == k && b == n, turned = x->rank == 2 && a == n && b == k && x->role == HO_ROLE_WEIGHT;
  if (!plain && !turned) return FALSE;
  p->right = t;
  p->right_k = plain ? x->rank - 2 : x->rank - 1;
  p->right_n = plain ? x->rank - 1 : x->rank - 2;
  return TRUE;
}

/* Finds the two operands among the inputs by their shapes. */
static gboolean find_product(const ho_workgraph *w, ho_op o, product *p) {
  const ho_row *in = &w->op[o].in;
  if (n_outputs(w, o) != 1) return FALSE;
  ho_tensor y = output(w, o);
  int64_t n = ho_axis_size(w, y, -1);
  for (int32_t i = 0; i < in->n; i++) {
    if (ho_axis_is_weight(w, in->item[i]) || !is_operand(w, o, in->item[i]) || !is_left(w, in->item[i], y)) continue;
    p->left = in->item[i];
    int64_t k = ho_axis_size(w, p->left, -1);
    for (int32_t j = 0; j < in->n; j++)
      if (in->item[j] != p->left && is_operand(w, o, in->item[j]) && is_right(w, in->item[j], k, n, p)) return TRUE;
  }
  return FALSE;
}

static const char *product_obstacle(const ho_workgraph *w, ho_op o) {
  product p;
  if (!g_strv_contains(product_kinds, w->op[o].info.kind)) return "is no gemm or matmul";
  if (!find_product(w, o, &p)) return "has operands whose shapes do not say which is which";
  return ho_axis_parts_obstacle(w, o, is_product);
}

/* The outermost dimension of rows that has more than one: such a piece lies in one stretch. Where the right operand has rows of matrices
 * of its own, only the last but one will do. */
static int32_t row_dim(const ho_workgraph *w, ho_op o, const product *p) {
  const ho_tensor_info *x = ho_axis_info(w, p->left), *y = ho_axis_info(w, output(w, o));
  if (ho_axis_info(w, p->right)->rank > 2) return x->rank - 2;
  for (int32_t d = 0; d + 1 < x->rank; d++)
    if (x->shape[d] > 1 && x->shape[d] == y->shape[d]) return d;
  return 0;
}

static int32_t rows_in(const ho_workgraph *w, ho_op o, ho_tensor t) {
  product p;
  if (!find_product(w, o, &p)) return HO_CUT_NEVER;
  int32_t d = row_dim(w, o, &p);
  if (t == p.left) return d;
  return t == p.right ? HO_CUT_WHOLE : ho_axis_broadcast(w, t, output(w, o), d);
}

static int32_t rows_out(const ho_workgraph *w, ho_op o, ho_tensor t) {
  (void)t;
  product p;
  return find_product(w, o, &p) ? row_dim(w, o, &p) : HO_CUT_NEVER;
}

static int32_t columns_in(const ho_workgraph *w, ho_op o, ho_tensor t) {
  product p;
  if (!find_product(w, o, &p)) return HO_CUT_NEVER;
  if (t == p.left) return HO_CUT_WHOLE;
  if (t == p.right) return p.right_n;
  return ho_axis_broadcast(w, t, output(w, o), ho_axis_info(w, output(w, o))->rank - 1);
}

static int32_t columns_out(const ho_workgraph *w, ho_op o, ho_tensor t) {
  (void)o;
  return ho_axis_info(w, t)->rank - 1;
}

static gboolean is_weight_gradient(const ho_workgraph *w, ho_op o) {
  return g_str_has_suffix(w->op[o].info.kind, "_wgrad");
}

/* What follows a sum inside the op cannot be done on summands. A bias is no op of its own. */
static const char *reduction_obstacle(const ho_workgraph *w, ho_op o) {
  ho_origin self;
  int32_t n;
  ho_workgraph_origins(w, o, &self, &n);
  if (n > 1) return "is fused: what follows the sum cannot be done on summands";
  if (!is_weight_gradient(w, o)) return product_obstacle(w, o);
  for (int32_t i = 0; i < w->op[o].in.n; i++)
    if (ho_axis_size(w, w->op[o].in.item[i], 0) != ho_axis_size(w, w->op[o].in.item[0], 0))
      return "has operands that do not begin with the same dimension";
  return w->op[o].in.n < 2 ? "has one operand" : NULL;
}

static int32_t reduction_in(const ho_workgraph *w, ho_op o, ho_tensor t) {
  product p;
  if (is_weight_gradient(w, o)) return 0;
  if (!find_product(w, o, &p)) return HO_CUT_NEVER;
  if (t == p.left) return ho_axis_info(w, t)->rank - 1;
  return t == p.right ? p.right_k : HO_CUT_FIRST;
}

static int32_t reduction_out(const ho_workgraph *w, ho_op o, ho_tensor t) {
  (void)w, (void)o, (void)t;
  return HO_CUT_SUM;
}

/* ---- convolutions ---------------------------------------------------------------------------------------------------- */

static gboolean is_conv_part(const ho_workgraph *w, const char *kind, ho_family family) {
  return strcmp(kind, "conv") == 0 || strcmp(kind, "depthwise_conv") == 0 || family == HO_FAMILY_ELEMENTWISE ||
         (strcmp(kind, "batchnorm") == 0 && !w->trains);
}

/* The kernel is the weight of the map's rank; the map the input of that rank with as many samples as comes out. */
static gboolean find_conv(const ho_workgraph *w, ho_op o, ho_tensor *map, ho_tensor *kernel) {
  *map = *kernel = -1;
  if (n_outputs(w, o) != 1 || ho_axis_info(w, output(w, o))->rank < 3) return FALSE;
  const ho_tensor_info *y = ho_axis_info(w, output(w, o));
  for (int32_t i = 0; i < w->op[o].in.n; i++) {
    ho_tensor t = w->op[o].in.item[i];
    const ho_tensor_info *x = ho_axis_info(w, t);
    if (x->rank != y->rank) continue;
    if (x->role == HO_ROLE_WEIGHT && x->shape[0] == y->shape[1] && *kernel < 0 && is_operand(w, o, t)) *kernel = t;
  }
  for (int32_t i = 0; *kernel >= 0 && i < w->op[o].in.n; i++) {
    ho_tensor t = w->op[o].in.item[i];
    const ho_tensor_info *x = ho_axis_info(w, t);
    int64_t depth = ho_axis_size(w, *kernel, 1);
    if (x->rank == y->rank && x->role != HO_ROLE_WEIGHT && is_operand(w, o, t) && x->shape[0] == y->shape[0] && depth > 0 &&
        x->shape[1] % depth == 0 && y->shape[1] % (x->shape[1] / depth) == 0 &&
        (*map < 0 || ho_axis_same_shape(w, *map, output(w, o))))
      *map = t;
  }
  return *map >= 0;
}

static int64_t groups_of(const ho_workgraph *w, ho_tensor map, ho_tensor kernel) {
  return ho_axis_size(w, map, 1) / ho_axis_size(w, kernel, 1);
}

static const char *channels_obstacle(const ho_workgraph *w, ho_op o) {
  ho_tensor map, kernel;
  const char *kind = w->op[o].info.kind;
  if (strcmp(kind, "conv") != 0 && strcmp(kind, "depthwise_conv") != 0) return "is no convolution";
  if (!find_conv(w, o, &map, &kernel)) return "has inputs whose shapes do not say which is the kernel";
  return ho_axis_parts_obstacle(w, o, is_conv_part);
}

/* As many values as channels and as the last dimension has: of a convolution that is not fused, the bias; else nothing says. */
static int32_t bias_or_row(const ho_workgraph *w, ho_op o, ho_tensor t) {
  ho_origin self;
  int32_t n;
  ho_workgraph_origins(w, o, &self, &n);
  return n == 1 && ho_axis_size(w, t, 0) == ho_axis_size(w, output(w, o), 1) ? 0 : HO_CUT_NEVER;
}

static int32_t channels_in(const ho_workgraph *w, ho_op o, ho_tensor t) {
  ho_tensor map, kernel;
  if (!find_conv(w, o, &map, &kernel)) return HO_CUT_NEVER;
  if (t == kernel) return 0;
  if (t == map) return groups_of(w, map, kernel) > 1 ? 1 : HO_CUT_WHOLE;
  const ho_tensor_info *x = ho_axis_info(w, t), *y = ho_axis_info(w, output(w, o));
  if (x->rank != 1 || x->shape[0] == 1) return ho_axis_broadcast(w, t, output(w, o), 1);
  return x->shape[0] == y->shape[1] && x->shape[0] != y->shape[y->rank - 1] ? 0 : bias_or_row(w, o, t);
}

static int32_t channels_out(const ho_workgraph *w, ho_op o, ho_tensor t) {
  (void)w, (void)o, (void)t;
  return 1;
}

static int64_t channels_units(const ho_workgraph *w, ho_op o) {
  ho_tensor map, kernel;
  if (!find_conv(w, o, &map, &kernel)) return 0;
  int64_t groups = groups_of(w, map, kernel);
  return groups > 1 ? groups : 0;
}

/* ---- attention ------------------------------------------------------------------------------------------------------- */

static gboolean is_attention_part(const ho_workgraph *w, const char *kind, ho_family family) {
  (void)w;
  return strcmp(kind, "matmul") == 0 || family == HO_FAMILY_SOFTMAX || family == HO_FAMILY_ELEMENTWISE;
}

static const char *heads_obstacle(const ho_workgraph *w, ho_op o) {
  const ho_op_info *x = &w->op[o].info;
  if (strcmp(x->kind, "attention") != 0 && !is_attention_part(w, x->kind, x->family)) return "is no part of attention";
  if (n_outputs(w, o) != 1 || ho_axis_info(w, output(w, o))->rank != 4)
    return "does not make a tensor [batch, heads, …], so that heads cannot be told apart";
  return ho_axis_parts_obstacle(w, o, is_attention_part);
}

/* Keys and values may have fewer heads than queries: then several of these share one of those. */
static int32_t heads_in(const ho_workgraph *w, ho_op o, ho_tensor t) {
  const ho_tensor_info *x = ho_axis_info(w, t);
  gboolean whole = strcmp(w->op[o].info.kind, "attention") == 0;
  if (whole && x->rank == 4 && x->shape[1] > 1) return ho_axis_size(w, output(w, o), 1) % x->shape[1] == 0 ? 1 : HO_CUT_NEVER;
  return ho_axis_broadcast(w, t, output(w, o), 1);
}

static int32_t heads_out(const ho_workgraph *w, ho_op o, ho_tensor t) {
  (void)w, (void)o, (void)t;
  return 1;
}

/* ---- the table ------------------------------------------------------------------------------------------------------- */

static const ho_split_axis rows = {"rows", product_obstacle, rows_in, rows_out, NULL, 1},
                           columns = {"columns", product_obstacle, columns_in, columns_out, NULL, 1},
                           reduction = {"reduction", reduction_obstacle, reduction_in, reduction_out, NULL, 1},
                           channels = {"channels", channels_obstacle, channels_in, channels_out, channels_units, 1},
                           heads = {"heads", heads_obstacle, heads_in, heads_out, NULL, 0};

const ho_split_axis *const ho_split_axes[] = {&rows, &columns, &reduction, &channels, &ho_split_batch, &heads, NULL};

const ho_split_axis *ho_split_axis_find(const char *name) {
  for (int i = 0; name && ho_split_axes[i]; i++)
    if (strcmp(ho_split_axes[i]->name, name) == 0) return ho_split_axes[i];
  return NULL;
}
