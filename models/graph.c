/* graph.c: looking things up in a finished graph; see graph.h. */
#include "models/graph.h"

#include <glib.h>
#include <string.h>

#include "base/arena.h"

void ho_graph_free(ho_graph *g) {
  if (!g) return;
  g_clear_pointer(&g->op_names, g_hash_table_destroy);
  g_clear_pointer(&g->tensor_names, g_hash_table_destroy);
  ho_arena_free(g->arena); /* the graph itself lies in it */
}

ho_op ho_graph_find_op(const ho_graph *g, const char *name) {
  if (g->op_names) return GPOINTER_TO_INT(g_hash_table_lookup(g->op_names, name)) - 1;
  for (ho_op o = 0; o < g->n_ops; o++)
    if (strcmp(g->op[o].name, name) == 0) return o;
  return -1;
}

ho_tensor ho_graph_find_tensor(const ho_graph *g, const char *name) {
  if (g->tensor_names) return GPOINTER_TO_INT(g_hash_table_lookup(g->tensor_names, name)) - 1;
  for (ho_tensor t = 0; t < g->n_tensors; t++)
    if (strcmp(g->tensor[t].name, name) == 0) return t;
  return -1;
}

const char *ho_axis_name(ho_axis a) {
  static const char *const names[HO_N_AXES] = {"rows", "columns", "reduction", "channels", "batch", "heads"};
  return names[a];
}

const char *ho_phase_name(ho_phase p) {
  return p == HO_PHASE_FORWARD ? "forward" : p == HO_PHASE_BACKWARD ? "backward" : "update";
}

const char *ho_role_name(ho_role r) {
  return r == HO_ROLE_NONE ? "none" : r == HO_ROLE_INPUT ? "input" : "weight";
}

static gboolean is_precision(ho_dtype t) {
  return t >= 0 && t < HO_N_PRECISIONS;
}

/* A shape counts elements exactly; bytes alone cannot tell how many int4 share the last byte, and are taken as full. */
int64_t ho_tensor_bytes(const ho_tensor_info *t, ho_dtype p) {
  if (p == t->dtype || !is_precision(t->dtype) || !is_precision(p)) return t->bytes;
  if (t->bytes == 0) return 0; /* one dimension is 0, and the others may be anything */
  int64_t bits = ho_dtype_bits(p), own = ho_dtype_bits(t->dtype);
  if (t->rank >= 0) {
    int64_t elements = 1;
    for (int32_t i = 0; i < t->rank; i++) elements *= t->shape[i];
    return elements / 8 * bits + (elements % 8 * bits + 7) / 8;
  }
  if (bits >= own) return t->bytes * (bits / own);
  int64_t ratio = own / bits;
  return t->bytes / ratio + (t->bytes % ratio != 0);
}

ho_dtype ho_graph_op_dtype(const ho_graph *g, ho_op o) {
  for (int32_t i = g->out_start[o]; i < g->out_start[o + 1]; i++)
    if (is_precision(g->tensor[g->out[i]].dtype)) return g->tensor[g->out[i]].dtype;
  for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++)
    if (is_precision(g->tensor[g->in[i]].dtype)) return g->tensor[g->in[i]].dtype;
  return HO_FP32;
}
