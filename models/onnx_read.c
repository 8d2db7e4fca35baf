/* onnx_read.c: the ONNX reader: a model, worked out, becomes a ho_graph.
 *
 * Constants become weights and everything else an op, in the order of the file. Ops are named as in the file, else after their first
 * output. What was assumed on the way is said once, in the graph's note. */
#include <string.h>

#include "base/error.h"
#include "models/graph_build.h"
#include "models/onnx_cost.h"
#include "models/onnx_infer.h"
#include "models/onnx_note.h"

/* ---- names ---- */

typedef struct {
  GHashTable *taken; /* owns its keys */
} names;

/* `name` when it is free, else name#2, name#3, … */
static const char *fresh_name(names *n, const char *name) {
  char *own = g_strdup(*name ? name : "unnamed");
  for (int k = 2; g_hash_table_contains(n->taken, own); k++) {
    g_free(own);
    own = g_strdup_printf("%s#%d", *name ? name : "unnamed", k);
  }
  g_hash_table_add(n->taken, own);
  return own;
}

/* ---- ops and tensors ---- */

static void add_op(ho_graph_build *b, names *taken, ho_onnx_node *n) {
  n->index = -1;
  if (n->is_constant) return;
  ho_op_info info = ho_op_info_init(fresh_name(taken, n->name), n->cost.kind ? n->cost.kind : n->op);
  info.flops = n->cost.flops;
  info.parallelism = n->cost.parallelism;
  info.workspace = n->cost.workspace;
  info.unsplit = ho_onnx_unsplit(n);
  if (n->cost.kind != NULL) {
    info.read = n->cost.read;
    info.write = n->cost.write;
  }
  n->index = ho_graph_build_op(b, &info);
}

static void add_tensor(ho_graph_build *b, names *taken, ho_onnx_tensor *t, size_t *n_unsized) {
  static const ho_role roles[] = {
      [HO_ONNX_COMPUTED] = HO_ROLE_NONE, [HO_ONNX_INPUT] = HO_ROLE_INPUT, [HO_ONNX_WEIGHT] = HO_ROLE_WEIGHT};
  if (t->shape.rank < 0) (*n_unsized)++;
  t->index = ho_graph_build_tensor(b, fresh_name(taken, t->name), t->dtype == HO_DTYPE_NONE ? HO_FP32 : t->dtype, t->shape.rank,
                                   t->shape.dim, 0, roles[t->source],
                                   t->source == HO_ONNX_COMPUTED && t->producer ? t->producer->index : -1);
  if (t->is_output) ho_graph_build_output(b, t->index);
}

/* Initializers inside a node's graphs are weights of the node; small ones, like the Constant nodes there, are part of it. */
static void add_inner_weights(ho_graph_build *b, names *taken, const ho_onnx_graph *g, ho_op reader, size_t *n_unsized) {
  for (guint k = 0; k < g->tensors->len; k++) {
    ho_onnx_tensor *t = g->tensors->pdata[k];
    if (t->source != HO_ONNX_WEIGHT || t->producer != NULL || ho_onnx_elements(&t->shape) <= HO_ONNX_MAX_CONSTANT) continue;
    t->is_output = FALSE;
    add_tensor(b, taken, t, n_unsized);
    ho_graph_build_consume(b, t->index, reader);
  }
  for (guint k = 0; k < g->nodes->len; k++) {
    const ho_onnx_node *n = g->nodes->pdata[k];
    for (int32_t p = 0; p < n->n_payload; p++)
      if (n->payload[p].graph != NULL) add_inner_weights(b, taken, n->payload[p].graph, reader, n_unsized);
  }
}

static void connect_node(ho_graph_build *b, names *taken, const ho_onnx_node *n, size_t *n_unsized) {
  if (n->index < 0) return;
  for (int32_t k = 0; k < n->n_in; k++)
    if (n->in[k] != NULL) ho_graph_build_consume(b, n->in[k]->index, n->index);
  for (int32_t k = 0; k < n->n_captured; k++) ho_graph_build_consume(b, n->captured[k]->index, n->index);
  for (int32_t p = 0; p < n->n_payload; p++)
    if (n->payload[p].graph != NULL) add_inner_weights(b, taken, n->payload[p].graph, n->index, n_unsized);
  if (!n->cost.view || n->n_in < 1 || n->in[0] == NULL || n->n_out < 1 || n->out[0] == NULL) return;
  if (ho_onnx_bytes(n->in[0]) == ho_onnx_bytes(n->out[0])) ho_graph_build_alias(b, n->out[0]->index, n->in[0]->index);
}

/* ---- the whole ---- */

static gboolean is_batch_name(const char *name) {
  static const char *const words[] = {"batch", "batch_size", "batchsize", "N", "n", "B", "b", "bs"};
  for (size_t k = 0; k < G_N_ELEMENTS(words); k++)
    if (strcmp(name, words[k]) == 0) return TRUE;
  return FALSE;
}

/* How many samples one execution serves: a first dimension that is called so, or the first of an image-like input. */
static double samples_of(const ho_onnx_graph *g) {
  for (guint k = 0; k < g->inputs->len; k++) {
    const ho_onnx_tensor *t = g->inputs->pdata[k];
    if (t->shape.rank >= 1 && t->has_declared && t->symbol[0] != NULL && is_batch_name(t->symbol[0]))
      return (double)MAX(t->shape.dim[0], 1);
  }
  const ho_onnx_tensor *first = g->inputs->len > 0 ? g->inputs->pdata[0] : NULL;
  return first != NULL && first->shape.rank >= 4 ? (double)MAX(first->shape.dim[0], 1) : 1;
}

static char *name_of_file(const char *file) {
  char *base = g_path_get_basename(file);
  char *dot = strrchr(base, '.');
  if (dot != NULL && dot > base) *dot = 0;
  return base;
}

static ho_graph *build(ho_onnx_model *m, GError **error) {
  const ho_onnx_graph *g = m->main;
  char *name = name_of_file(m->file);
  ho_graph_build *b = ho_graph_build_new(name, m->file);
  names ops = {.taken = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL)};
  names tensors = {.taken = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL)};
  size_t n_unsized = 0;
  ho_graph_build_set(b, 0, samples_of(g));
  for (guint k = 0; k < g->nodes->len; k++) add_op(b, &ops, g->nodes->pdata[k]);
  for (guint k = 0; k < g->tensors->len; k++) add_tensor(b, &tensors, g->tensors->pdata[k], &n_unsized);
  for (guint k = 0; k < g->nodes->len; k++) connect_node(b, &tensors, g->nodes->pdata[k], &n_unsized);
  char *note = ho_onnx_note(m, n_unsized);
  ho_graph_build_note(b, (int32_t)m->unknown->len, note);
  g_free(note);
  g_free(name);
  g_hash_table_unref(ops.taken);
  g_hash_table_unref(tensors.taken);
  return ho_graph_build_finish(b, error);
}

static void fail_binding(const ho_onnx_model *m, const char *name, GError **error) {
  g_autoptr(GPtrArray) all = g_ptr_array_new();
  for (guint k = 0; k < m->symbols->len; k++) g_ptr_array_add(all, m->symbols->pdata[k]);
  g_ptr_array_add(all, NULL);
  const char *near = ho_did_you_mean(name, (const char *const *)all->pdata);
  g_autofree char *known = ho_onnx_name_list(m->symbols);
  if (near != NULL)
    ho_fail(error, HO_ERROR_INPUT, "%s: there is no '%s' to bind (did you mean '%s'?)", m->file, name, near);
  else if (m->symbols->len > 0)
    ho_fail(error, HO_ERROR_INPUT, "%s: there is no '%s' to bind, expected one of: %s", m->file, name, known);
  else
    ho_fail(error, HO_ERROR_INPUT, "%s: there is no '%s' to bind: all sizes are fixed", m->file, name);
}

/* Every bound name must mean something in this model. */
static gboolean check_bindings(const ho_onnx_model *m, GError **error) {
  for (int32_t k = 0; m->bindings != NULL && k < m->bindings->n; k++) {
    const char *name = m->bindings->name[k];
    if (m->bindings->value[k] < 0 || m->bindings->value[k] > HO_ONNX_MAX_DIM)
      return ho_fail(error, HO_ERROR_INPUT, "%s: '%s' is bound to %" G_GINT64_FORMAT ", expected 0 to 2^40", m->file, name,
                     m->bindings->value[k]);
    if (g_hash_table_contains(m->is_symbol, name)) continue;
    fail_binding(m, name, error);
    return FALSE;
  }
  return TRUE;
}

ho_graph *ho_onnx_model_graph(ho_onnx_model *m, GError **error) {
  ho_onnx_infer_inputs(m, m->main);
  return ho_onnx_infer(m, m->main, error) && check_bindings(m, error) ? build(m, error) : NULL;
}

ho_onnx_model *ho_onnx_model_read(const char *file, const ho_bindings *bindings, ho_graph **g, GError **error) {
  ho_onnx_model *m = ho_onnx_model_open(file, bindings, error);
  *g = m != NULL ? ho_onnx_model_graph(m, error) : NULL;
  if (*g != NULL) return m;
  ho_onnx_model_free(m);
  return NULL;
}

static ho_graph *read_onnx(const char *file, const ho_bindings *bindings, GError **error) {
  ho_graph *g;
  ho_onnx_model_free(ho_onnx_model_read(file, bindings, &g, error));
  return g;
}

/* A ModelProto begins with fields of its own, most often the version (tag 08), else the graph (3a) or an operator set (42). */
static gboolean looks_like_model(const unsigned char *head, size_t n) {
  static const unsigned char next[] = {0x12, 0x1a, 0x22, 0x28, 0x32, 0x3a, 0x42};
  if (n < 3) return FALSE;
  if (head[0] == 0x08) return head[1] > 0 && head[1] < 64 && memchr(next, head[2], sizeof next) != NULL;
  if (head[0] == 0x42) return head[1] < 64 && (head[2] == 0x0a || head[2] == 0x10);
  return head[0] == 0x3a && (head[1] & 0x80 || head[2] == 0x0a);
}

static gboolean sniff_onnx(const char *file, const unsigned char *head, size_t n) {
  return g_str_has_suffix(file, ".onnx") || looks_like_model(head, n);
}

const ho_graph_reader ho_graph_reader_onnx = {
    .name = "onnx",
    .summary = "ONNX model, any operator set; weights are not read",
    .extension = ".onnx",
    .sniff = sniff_onnx,
    .read = read_onnx,
};
