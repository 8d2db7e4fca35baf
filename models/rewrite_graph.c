/* rewrite_graph.c: making a work graph, and the questions that rules ask of it; see rewrite_graph.h. The edits are in
 * rewrite_edit.c. */
#include "models/rewrite_graph.h"

#include <string.h>

#include "base/arena.h"
#include "models/rewrite_private.h"

#define LEVEL_GAP (INT64_C(1) << 16)

/* ---- making and freeing ---------------------------------------------------------------------------------------------- */

/* A row that is a slice of *pool, which moves on. */
static ho_row slice(int32_t **pool, const int32_t *from, int32_t n) {
  ho_row r = {n, 0, *pool};
  if (n) memcpy(*pool, from, sizeof *from * (size_t)n);
  *pool += n;
  return r;
}

static void copy_ops(ho_workgraph *w, const ho_graph *g, int32_t **pool) {
  for (ho_op o = 0; o < g->n_ops; o++) {
    ho_work_op *x = &w->op[o];
    *x = (ho_work_op){.info = g->op[o], .place = o, .alive = 1};
    x->in = slice(pool, g->in + g->in_start[o], g->in_start[o + 1] - g->in_start[o]);
    x->out = slice(pool, g->out + g->out_start[o], g->out_start[o + 1] - g->out_start[o]);
    w->trains |= g->op[o].phase != HO_PHASE_FORWARD;
  }
}

static void copy_tensors(ho_workgraph *w, const ho_graph *g, int32_t **pool) {
  for (ho_tensor t = 0; t < g->n_tensors; t++) {
    w->tensor[t].info = g->tensor[t];
    w->tensor[t].place = t;
    w->tensor[t].alive = 1;
    w->tensor[t].use = slice(pool, g->use + g->use_start[t], g->use_start[t + 1] - g->use_start[t]);
    if (g->tensor[t].alias >= 0) w->tensor[g->tensor[t].alias].n_aliases++;
  }
}

static void set_levels(ho_workgraph *w, const ho_graph *g) {
  for (int32_t i = 0; i < g->n_ops; i++) {
    ho_op o = g->topo[i];
    int64_t level = 0;
    for (int32_t k = g->in_start[o]; k < g->in_start[o + 1]; k++) {
      ho_op p = g->tensor[g->in[k]].producer;
      if (p >= 0) level = MAX(level, w->op[p].level + LEVEL_GAP);
    }
    w->op[o].level = level;
  }
}

ho_workgraph *ho_workgraph_new(const ho_graph *g) {
  ho_workgraph *w = g_new0(ho_workgraph, 1);
  w->own = g_new0(ho_workgraph_private, 1);
  w->first = g;
  w->n_ops = w->own->room_ops = g->n_ops;
  w->n_tensors = w->own->room_tensors = g->n_tensors;
  w->op = g_new(ho_work_op, (size_t)g->n_ops + 1);
  w->tensor = g_new0(ho_work_tensor, (size_t)g->n_tensors + 1);
  size_t rows = (size_t)g->in_start[g->n_ops] + (size_t)g->out_start[g->n_ops] + (size_t)g->use_start[g->n_tensors];
  int32_t *pool = w->own->pool = g_new(int32_t, rows + 1);
  copy_ops(w, g, &pool);
  copy_tensors(w, g, &pool);
  set_levels(w, g);
  w->own->log = g_array_new(FALSE, FALSE, sizeof(ho_edit));
  w->own->old_ops = g_array_new(FALSE, FALSE, sizeof(ho_op_info));
  w->own->old_tensors = g_array_new(FALSE, FALSE, sizeof(ho_tensor_info));
  w->own->ops_named = g_hash_table_new(g_str_hash, g_str_equal);
  w->own->tensors_named = g_hash_table_new(g_str_hash, g_str_equal);
  w->own->words = g_string_chunk_new(256);
  return w;
}

void ho_workgraph_free(ho_workgraph *w) {
  if (!w) return;
  for (ho_op o = 0; o < w->n_ops; o++) ho_work_op_clear(&w->op[o]);
  for (ho_tensor t = 0; t < w->n_tensors; t++) ho_work_tensor_clear(&w->tensor[t]);
  g_free(w->op);
  g_free(w->tensor);
  g_free(w->own->pool);
  g_array_free(w->own->log, TRUE);
  g_array_free(w->own->old_ops, TRUE);
  g_array_free(w->own->old_tensors, TRUE);
  g_hash_table_destroy(w->own->ops_named);
  g_hash_table_destroy(w->own->tensors_named);
  g_string_chunk_free(w->own->words);
  g_free(w->own->stack);
  g_free(w->own->seen);
  g_free(w->own);
  g_free(w);
}

/* ---- names ----------------------------------------------------------------------------------------------------------- */

ho_op ho_workgraph_find_op(const ho_workgraph *w, const char *name) {
  ho_op o = GPOINTER_TO_INT(g_hash_table_lookup(w->own->ops_named, name)) - 1;
  if (o < 0) o = ho_graph_find_op(w->first, name);
  return o >= 0 && w->op[o].alive ? o : -1;
}

ho_tensor ho_workgraph_find_tensor(const ho_workgraph *w, const char *name) {
  ho_tensor t = GPOINTER_TO_INT(g_hash_table_lookup(w->own->tensors_named, name)) - 1;
  if (t < 0) t = ho_graph_find_tensor(w->first, name);
  return t >= 0 && w->tensor[t].alive ? t : -1;
}

gboolean ho_workgraph_fresh_op(const ho_workgraph *w, const char *name) {
  return !g_hash_table_contains(w->own->ops_named, name) && ho_graph_find_op(w->first, name) < 0;
}

gboolean ho_workgraph_fresh_tensor(const ho_workgraph *w, const char *name) {
  return !g_hash_table_contains(w->own->tensors_named, name) && ho_graph_find_tensor(w->first, name) < 0;
}

/* ---- questions ------------------------------------------------------------------------------------------------------- */

gboolean ho_workgraph_consumes(const ho_workgraph *w, ho_tensor t, ho_op o) {
  const ho_row *in = &w->op[o].in, *use = &w->tensor[t].use; /* the shorter of the two is looked through */
  if (in->n <= use->n) {
    for (int32_t i = 0; i < in->n; i++)
      if (in->item[i] == t) return TRUE;
  } else {
    for (int32_t i = 0; i < use->n; i++)
      if (use->item[i] == o) return TRUE;
  }
  return FALSE;
}

ho_op ho_workgraph_only_consumer(const ho_workgraph *w, ho_tensor t) {
  const ho_work_tensor *x = &w->tensor[t];
  return x->use.n == 1 && !x->info.is_output ? x->use.item[0] : -1;
}

ho_tensor ho_workgraph_only_output(const ho_workgraph *w, ho_op o) {
  return w->op[o].out.n == 1 ? w->op[o].out.item[0] : -1;
}

static gboolean is_among(ho_op o, int32_t n, const ho_op *ops) {
  for (int32_t i = 0; i < n; i++)
    if (ops[i] == o) return TRUE;
  return FALSE;
}

/* Puts the consumers of o below the level `high` on the stack. TRUE when one of the ops is among them and `from_outside`. */
static gboolean push_consumers(ho_workgraph_private *own, const ho_workgraph *w, ho_op o, int64_t high, int32_t n,
                               const ho_op *ops, gboolean from_outside, guint *depth) {
  const ho_row *out = &w->op[o].out;
  for (int32_t i = 0; i < out->n; i++) {
    const ho_row *use = &w->tensor[out->item[i]].use;
    for (int32_t k = 0; k < use->n; k++) {
      ho_op c = use->item[k];
      if (w->op[c].level > high) continue;
      if (is_among(c, n, ops)) {
        if (from_outside) return TRUE;
        continue;
      }
      if (own->seen[c] == own->stamp) continue;
      own->seen[c] = own->stamp;
      own->stack[(*depth)++] = c;
    }
  }
  return FALSE;
}

gboolean ho_workgraph_convex(const ho_workgraph *w, int32_t n, const ho_op *ops) {
  ho_workgraph_private *own = w->own;
  ho_work_search_begin(w);
  int64_t high = G_MININT64;
  for (int32_t i = 0; i < n; i++) high = MAX(high, w->op[ops[i]].level);
  guint depth = 0;
  for (int32_t i = 0; i < n; i++) push_consumers(own, w, ops[i], high, n, ops, FALSE, &depth);
  while (depth > 0)
    if (push_consumers(own, w, own->stack[--depth], high, n, ops, TRUE, &depth)) return FALSE;
  return TRUE;
}

static double share(const ho_workgraph *w, const ho_row *row, double traffic, ho_tensor t) {
  int64_t sum = 0;
  for (int32_t i = 0; i < row->n; i++) sum += w->tensor[row->item[i]].info.bytes;
  double bytes = (double)w->tensor[t].info.bytes;
  return traffic == (double)sum || sum == 0 ? bytes : traffic * (bytes / (double)sum);
}

double ho_workgraph_read(const ho_workgraph *w, ho_op o, ho_tensor t) {
  return share(w, &w->op[o].in, w->op[o].info.read, t);
}

double ho_workgraph_write(const ho_workgraph *w, ho_op o, ho_tensor t) {
  return share(w, &w->op[o].out, w->op[o].info.write, t);
}

const ho_origin *ho_workgraph_origins(const ho_workgraph *w, ho_op o, ho_origin *self, int32_t *n) {
  if (w->op[o].added) {
    *n = w->op[o].n_origins;
    return w->op[o].origin;
  }
  *self = (ho_origin){o, NULL, 0, 1};
  *n = 1;
  return self;
}
