/* onnx_export.c: the ONNX writer: copies the model that was read, with other nodes. See onnx_export.h.
 *
 * Weights are never unpacked: their bytes go from the mapped file to the new one. Nodes come in the topological order of the rewritten
 * graph, ties by index. What the file says about shapes between its ends is left out: pieces have others. */
#include "models/onnx_export.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/fileio.h"
#include "models/onnx_export_private.h"

enum { MODEL_IR_VERSION = 1, MODEL_GRAPH = 7, MODEL_OPSET = 8, GRAPH_VALUE = 13, IR_WITH_FUNCTIONS = 8, IR_WITH_CONSTANTS = 4 };

/* ---- setting up ------------------------------------------------------------------------------------------------------ */

static void index_model(ho_onnx_exporter *x, const ho_graph *again) {
  const ho_onnx_graph *g = x->m->main;
  x->node = g_new0(ho_onnx_node *, (size_t)again->n_ops + 1);
  x->tensor = g_new0(ho_onnx_tensor *, (size_t)again->n_tensors + 1);
  x->position = g_new0(int32_t, (size_t)again->n_ops + 1);
  x->represented = g_new0(guint8, (size_t)again->n_ops + 1);
  x->cut = g_new0(int64_t, (size_t)x->w->n_tensors + 1);
  for (guint i = 0; i < g->nodes->len; i++) {
    ho_onnx_node *n = g->nodes->pdata[i];
    if (n->index >= 0) x->node[n->index] = n;
  }
  for (guint i = 0; i < g->tensors->len; i++) {
    ho_onnx_tensor *t = g->tensors->pdata[i];
    if (t->index >= 0) x->tensor[t->index] = t;
  }
  for (int32_t i = 0; i < again->n_ops; i++) x->position[again->topo[i]] = i;
  for (ho_op o = 0; o < x->w->n_ops; o++) {
    if (!x->w->op[o].alive) continue;
    ho_origin self;
    int32_t n;
    const ho_origin *origin = ho_workgraph_origins(x->w, o, &self, &n);
    for (int32_t i = 0; i < n; i++) x->represented[origin[i].op] = 1;
  }
}

static void clear(ho_onnx_exporter *x) {
  g_free(x->node);
  g_free(x->tensor);
  g_free(x->position);
  g_free(x->represented);
  g_free(x->cut);
  g_clear_pointer(&x->constants, g_hash_table_unref);
  g_clear_pointer(&x->nodes, g_byte_array_unref);
  g_clear_pointer(&x->initializers, g_byte_array_unref);
  g_clear_pointer(&x->functions, g_byte_array_unref);
  ho_onnx_model_free(x->m);
}

/* ---- nodes ----------------------------------------------------------------------------------------------------------- */

/* A graph output that is a constant has no op that would ask for it. */
static gboolean put_constant_outputs(ho_onnx_exporter *x, GError **error) {
  for (ho_tensor t = 0; t < x->w->first->n_tensors; t++) {
    const ho_work_tensor *u = &x->w->tensor[t];
    if (u->alive && u->info.is_output && u->info.role == HO_ROLE_WEIGHT && x->tensor[t] && x->tensor[t]->producer &&
        !ho_onnx_export_constant(x, 0, t, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean put_nodes(ho_onnx_exporter *x, GError **error) {
  g_autoptr(ho_graph) after = ho_workgraph_freeze(x->w, HO_FREEZE_NAMED, error);
  if (!after || !put_constant_outputs(x, error)) return FALSE;
  for (int32_t i = 0; i < after->n_ops; i++)
    if (!ho_onnx_export_op(x, ho_workgraph_find_op(x->w, after->op[after->topo[i]].name), error)) return FALSE;
  return TRUE;
}

/* ---- the file -------------------------------------------------------------------------------------------------------- */

static void add(GArray *pieces, const void *at, size_t size) {
  ho_file_piece p = {at, size};
  if (size > 0) g_array_append_val(pieces, p);
}

/* The graph's fields as they are but for nodes and shapes; then what is new. */
static void collect_graph(const ho_onnx_exporter *x, ho_wire w, GArray *pieces) {
  ho_wire_field f;
  while (ho_wire_next(&w, &f, NULL) == HO_WIRE_FIELD)
    if (f.number != HO_GRAPH_NODE && f.number != GRAPH_VALUE) add(pieces, f.tag, (size_t)(w.at - f.tag));
  add(pieces, x->initializers->data, x->initializers->len);
  add(pieces, x->nodes->data, x->nodes->len);
}

static size_t total(const GArray *pieces) {
  size_t sum = 0;
  for (guint i = 0; i < pieces->len; i++) sum += g_array_index(pieces, ho_file_piece, i).size;
  return sum;
}

static gboolean collect(const ho_onnx_exporter *x, GArray *pieces, GByteArray *head, GByteArray *graph_tag, GError **error) {
  ho_wire w = ho_wire_region(x->file, g_mapped_file_get_contents(x->m->map), g_mapped_file_get_length(x->m->map));
  g_autoptr(GArray) graph = g_array_new(FALSE, FALSE, sizeof(ho_file_piece));
  ho_wire_field f;
  int64_t version = 0;
  while (ho_wire_next(&w, &f, NULL) == HO_WIRE_FIELD) {
    if (f.number == MODEL_IR_VERSION)
      version = (int64_t)f.value;
    else if (f.number == MODEL_GRAPH)
      collect_graph(x, f.bytes, graph);
    else
      add(pieces, f.tag, (size_t)(w.at - f.tag));
  }
  if (x->initializers->len) version = MAX(version, IR_WITH_CONSTANTS); /* before, each had to be listed as an input too */
  ho_onnx_put_int(head, MODEL_IR_VERSION, x->n_functions ? MAX(version, IR_WITH_FUNCTIONS) : version);
  if (x->n_functions) {
    g_autoptr(GByteArray) domain = g_byte_array_new();
    ho_onnx_put_text(domain, 1, "heteroopt");
    ho_onnx_put_int(domain, 2, 1);
    ho_wire_put_bytes(head, MODEL_OPSET, domain->data, domain->len);
  }
  if (total(graph) > G_MAXINT32)
    return ho_fail(error, HO_ERROR_INPUT, "%s: the rewritten model has %zu B, expected at most 2 GiB in one ONNX file", x->file,
                   total(graph));
  ho_wire_put_varint(graph_tag, MODEL_GRAPH << 3 | HO_WIRE_BYTES);
  ho_wire_put_varint(graph_tag, total(graph));
  add(pieces, graph_tag->data, graph_tag->len);
  g_array_append_vals(pieces, graph->data, graph->len);
  add(pieces, x->functions->data, x->functions->len);
  return TRUE;
}

static gboolean write_file(const ho_onnx_exporter *x, const char *output, GError **error) {
  g_autoptr(GArray) pieces = g_array_new(FALSE, FALSE, sizeof(ho_file_piece));
  g_autoptr(GByteArray) head = g_byte_array_new(), tag = g_byte_array_new();
  if (!collect(x, pieces, head, tag, error)) return FALSE;
  const ho_file_piece first = {head->data, head->len};
  g_array_prepend_val(pieces, first);
  return ho_file_write_pieces(output, (const ho_file_piece *)(const void *)pieces->data, pieces->len, error);
}

/* The names that a model has for files of weights are seen from its own folder. */
static gboolean check_folder(const ho_onnx_exporter *x, const char *output, GError **error) {
  if (!x->m->has_external) return TRUE;
  g_autofree char *a = g_path_get_dirname(x->file), *b = g_path_get_dirname(output);
  char *from = realpath(a, NULL), *to = realpath(b, NULL);
  gboolean same = g_strcmp0(from, to) == 0;
  free(from);
  free(to);
  return same ||
         ho_fail(error, HO_ERROR_INPUT, "%s: has weights in files beside it, which %s would not find: expected a file in %s",
                 x->file, output, a);
}

gboolean ho_onnx_export(const char *file, const ho_bindings *bindings, const ho_workgraph *w, const char *output,
                        GError **error) {
  g_autoptr(ho_graph) again = NULL;
  ho_onnx_exporter x = {.file = file, .w = w, .m = ho_onnx_model_read(file, bindings, &again, error)};
  if (!x.m) return FALSE;
  gboolean ok = TRUE;
  if (strcmp(again->digest, w->first->digest) != 0)
    ok = ho_fail(error, HO_ERROR_INPUT, "%s: has changed since it was read", file);
  else if (x.m->functions->len > 0)
    ok = ho_fail(error, HO_ERROR_INPUT, "%s: has model-local functions, expected none in a model that is to be written", file);
  x.constants = g_hash_table_new(NULL, NULL);
  x.nodes = g_byte_array_new();
  x.initializers = g_byte_array_new();
  x.functions = g_byte_array_new();
  if (ok) {
    index_model(&x, again);
    ok = check_folder(&x, output, error) && put_nodes(&x, error) && write_file(&x, output, error);
  }
  clear(&x);
  return ok;
}
