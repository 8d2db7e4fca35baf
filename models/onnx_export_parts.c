/* onnx_export_parts.c: what splits add to an ONNX file: slices, concats, sums, and pieces of weights; and whether a part's pieces are what its
 * operator takes. See onnx_export_private.h.
 *
 * The rule `split` judges by shapes. Here attributes are at hand: a transposed operand, or operands in the other order, whose square shapes
 * let pass what is not meant, are refused. */
#include <math.h>
#include <string.h>

#include "models/onnx_export_private.h"

int32_t ho_onnx_cut_dim(const ho_workgraph *w, ho_tensor u, ho_tensor whole) {
  const ho_tensor_info *a = &w->tensor[u].info, *b = &w->tensor[whole].info;
  for (int32_t d = 0; d < a->rank && a->rank == b->rank; d++)
    if (a->shape[d] != b->shape[d]) return d;
  return -1;
}

static int64_t opset(const ho_onnx_exporter *x) {
  return GPOINTER_TO_INT(g_hash_table_lookup(x->m->opsets, "")) - 1;
}

/* Slice: from version 10 on its bounds are inputs. */
static void put_slice(ho_onnx_exporter *x, const char *name, const char *from, const char *to, int32_t dim, int64_t begin,
                      int64_t end) {
  g_autoptr(GByteArray) node = g_byte_array_new();
  const int64_t axis = dim;
  ho_onnx_put_text(node, HO_NODE_INPUT, from);
  const int64_t *const values[] = {&begin, &end, &axis};
  static const char *const words[] = {"starts", "ends", "axes"};
  for (int i = 0; i < 3 && opset(x) >= 10; i++) {
    g_autofree char *input = g_strdup_printf("%s/%s", to, words[i]);
    ho_onnx_put_ints(x, input, 1, values[i]);
    ho_onnx_put_text(node, HO_NODE_INPUT, input);
  }
  ho_onnx_put_text(node, HO_NODE_OUTPUT, to);
  ho_onnx_put_text(node, HO_NODE_NAME, name);
  ho_onnx_put_text(node, HO_NODE_TYPE, "Slice");
  for (int i = 0; i < 3 && opset(x) < 10; i++) ho_onnx_put_ints_attribute(node, words[i], 1, values[i]);
  ho_wire_put_bytes(x->nodes, HO_GRAPH_NODE, node->data, node->len);
}

/* Slices of a tensor come one behind the other, split by split. */
static gboolean put_cut(ho_onnx_exporter *x, ho_op o, GError **error) {
  const ho_workgraph *w = x->w;
  ho_tensor from = w->op[o].in.item[0], to = w->op[o].out.item[0];
  int32_t d = ho_onnx_cut_dim(w, to, from);
  if (d < 0) return ho_onnx_cannot(x, o, error, "its piece is no shorter than the whole");
  if (w->tensor[from].info.role == HO_ROLE_WEIGHT && !ho_onnx_export_constant(x, o, from, error)) return FALSE;
  int64_t begin = x->cut[from], end = begin + w->tensor[to].info.shape[d];
  x->cut[from] = end == w->tensor[from].info.shape[d] ? 0 : end;
  put_slice(x, w->op[o].info.name, w->tensor[from].info.name, w->tensor[to].info.name, d, begin, end);
  return TRUE;
}

static int by_index(const void *a, const void *b) {
  ho_tensor x = *(const ho_tensor *)a, y = *(const ho_tensor *)b;
  return x < y ? -1 : x > y;
}

/* Pieces were made in their order. */
static gboolean put_join(ho_onnx_exporter *x, ho_op o, GError **error) {
  const ho_workgraph *w = x->w;
  gboolean sums = strcmp(w->op[o].info.kind, "sum") == 0;
  ho_tensor to = w->op[o].out.item[0];
  g_autofree ho_tensor *piece = g_memdup2(w->op[o].in.item, sizeof *piece * (size_t)w->op[o].in.n);
  qsort(piece, (size_t)w->op[o].in.n, sizeof *piece, by_index);
  int32_t d = ho_onnx_cut_dim(w, piece[0], to);
  if (!sums && d < 0) return ho_onnx_cannot(x, o, error, "its pieces are no shorter than the whole");
  g_autoptr(GByteArray) node = g_byte_array_new();
  for (int32_t i = 0; i < w->op[o].in.n; i++) ho_onnx_put_text(node, HO_NODE_INPUT, w->tensor[piece[i]].info.name);
  ho_onnx_put_text(node, HO_NODE_OUTPUT, w->tensor[to].info.name);
  ho_onnx_put_text(node, HO_NODE_NAME, w->op[o].info.name);
  ho_onnx_put_text(node, HO_NODE_TYPE, sums ? "Sum" : "Concat");
  if (!sums) ho_onnx_put_int_attribute(node, "axis", d);
  ho_wire_put_bytes(x->nodes, HO_GRAPH_NODE, node->data, node->len);
  return TRUE;
}

gboolean ho_onnx_export_glue(ho_onnx_exporter *x, ho_op o, GError **error) {
  const char *kind = x->w->op[o].info.kind;
  if (strcmp(kind, "slice") == 0) return put_cut(x, o, error);
  if (strcmp(kind, "concat") == 0 || strcmp(kind, "sum") == 0) return put_join(x, o, error);
  return ho_onnx_cannot(x, o, error, "it moves data between memories, which ONNX does not know");
}

static int64_t place_on(double share, int64_t size) {
  return (int64_t)floor(share * (double)size + 0.5);
}

gboolean ho_onnx_export_weight_piece(ho_onnx_exporter *x, ho_op o, const ho_onnx_node *n, ho_tensor u, ho_tensor whole,
                                     GError **error) {
  const ho_workgraph *w = x->w;
  const char *name = w->tensor[u].info.name;
  if (!g_hash_table_add(x->constants, (gpointer)name)) return TRUE;
  int32_t d = ho_onnx_cut_dim(w, u, whole);
  ho_origin self;
  int32_t n_origins;
  const ho_origin *part = ho_workgraph_origins(w, o, &self, &n_origins);
  if (d < 0 || !part->axis) return ho_onnx_cannot(x, o, error, "its piece of a weight is no shorter than the whole");
  gboolean square = w->tensor[whole].info.rank == 2 && w->tensor[whole].info.shape[0] == w->tensor[whole].info.shape[1];
  gboolean right = n->n_in > 1 && n->in[1] && n->in[1]->index == whole;
  if (square && right &&
      (strcmp(n->op, "Gemm") == 0 || strcmp(n->op, "MatMul") == 0)) /* either way round by shape, one by attribute */
    d = (strcmp(part->axis, "columns") == 0) != (ho_onnx_int(n, "transB", 0) != 0);
  int64_t size = w->first->tensor[whole].shape[d], begin = place_on(part->from, size), end = place_on(part->to, size);
  g_autofree char *node = g_strdup_printf("%s/slice", name);
  put_slice(x, node, w->first->tensor[whole].name, name, d, begin, end);
  return TRUE;
}

/* ---- products -------------------------------------------------------------------------------------------------------- */

static gboolean is_product(const ho_onnx_node *n) {
  return strcmp(n->op, "Gemm") == 0 || strcmp(n->op, "MatMul") == 0;
}

/* The dimension that an operand must be cut along; -1: not at all, -2: as it is. */
static int32_t expected_dim(const char *axis, int32_t operand, const ho_tensor_info *t) {
  if (strcmp(axis, "rows") == 0) return operand == 0 ? -2 : -1;
  if (strcmp(axis, "columns") == 0) return operand == 0 ? -1 : t->rank - 1;
  if (strcmp(axis, "reduction") == 0) return operand == 0 ? t->rank - 1 : t->rank - 2;
  return -2;
}

gboolean ho_onnx_check_part(const ho_onnx_exporter *x, ho_op o, const ho_onnx_node *n, const ho_tensor *in, GError **error) {
  const ho_workgraph *w = x->w;
  ho_origin self;
  int32_t n_origins;
  const char *axis = ho_workgraph_origins(w, o, &self, &n_origins)->axis;
  if (!is_product(n)) return TRUE;
  if (ho_onnx_int(n, "transA", 0) != 0) return ho_onnx_cannot(x, o, error, "it is part of a Gemm with transA");
  for (int32_t k = 0; k < 2 && k < n->n_in; k++) {
    ho_tensor u = in[k];
    if (u < 0 || w->tensor[u].info.role == HO_ROLE_WEIGHT) continue; /* of weights the attribute has decided */
    int32_t want = expected_dim(axis, k, &w->tensor[u].info),
            have = w->tensor[u].added ? ho_onnx_cut_dim(w, u, n->in[k]->index) : -1;
    if (want != -2 && want != have)
      return ho_onnx_cannot(x, o, error, "its operands are cut as shapes allow, not as the operator means");
    if (strcmp(axis, "rows") == 0 && (k == 0 ? have < 0 : have >= 0))
      return ho_onnx_cannot(x, o, error, "its operands are cut as shapes allow, not as the operator means");
  }
  return TRUE;
}
