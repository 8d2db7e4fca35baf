/* rewrite_freeze.c: an ordinary graph out of a work graph; see rewrite_graph.h.
 *
 * Linear but for the topological order. What the first graph owns is shared with it; what was added is copied into the new
 * graph's arena, so that the work graph may go on changing. */
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "models/graph_draft.h"
#include "models/graph_order.h"
#include "models/rewrite_private.h"

typedef struct {
  const ho_workgraph *w;
  ho_graph *g;
  ho_op_info *ops;
  ho_tensor_info *tensors;
  int32_t *op_slot, *tensor_slot; /* new index -> slot */
  int32_t *op_new, *tensor_new;   /* slot -> new index; -1 */
} freezer;

/* ---- order ----------------------------------------------------------------------------------------------------------- */

/* Slots of what lives by place, then by index: a counting sort. `n_places` places. */
static int32_t sort_ops(const freezer *f) {
  const ho_workgraph *w = f->w;
  int32_t places = w->first->n_ops, n = 0;
  g_autofree int32_t *start = g_new0(int32_t, places + 1);
  for (ho_op o = 0; o < w->n_ops; o++) start[w->op[o].place + 1] += w->op[o].alive;
  for (int32_t i = 0; i < places; i++) start[i + 1] += start[i];
  for (ho_op o = 0; o < w->n_ops; o++) {
    f->op_new[o] = -1;
    if (!w->op[o].alive) continue;
    f->op_new[o] = start[w->op[o].place]++;
    f->op_slot[f->op_new[o]] = o;
    n++;
  }
  return n;
}

static int32_t sort_tensors(const freezer *f) {
  const ho_workgraph *w = f->w;
  int32_t places = w->first->n_tensors, n = 0;
  g_autofree int32_t *start = g_new0(int32_t, places + 1);
  for (ho_tensor t = 0; t < w->n_tensors; t++) start[w->tensor[t].place + 1] += w->tensor[t].alive;
  for (int32_t i = 0; i < places; i++) start[i + 1] += start[i];
  for (ho_tensor t = 0; t < w->n_tensors; t++) {
    f->tensor_new[t] = -1;
    if (!w->tensor[t].alive) continue;
    f->tensor_new[t] = start[w->tensor[t].place]++;
    f->tensor_slot[f->tensor_new[t]] = t;
    n++;
  }
  return n;
}

/* ---- ops and tensors ------------------------------------------------------------------------------------------------- */

/* Kinds in the order of their first op. Those of the first graph are known by index, the few others by word. */
static void freeze_kinds(const freezer *f) {
  const ho_workgraph *w = f->w;
  ho_graph *g = f->g;
  int32_t old = w->first->n_kinds;
  g_autofree int32_t *index = g_new0(int32_t, old + 1);
  const char **kinds = ho_arena_new_array(g->arena, const char *, MIN(g->n_ops, old + w->n_ops - w->first->n_ops) + 1);
  for (ho_op o = 0; o < g->n_ops; o++) {
    const ho_work_op *x = &w->op[f->op_slot[o]];
    int32_t k = -1;
    if (!x->added)
      k = index[x->info.kind_index] - 1;
    else
      for (k = g->n_kinds - 1; k >= 0 && strcmp(kinds[k], x->info.kind) != 0; k--) {
      }
    if (k < 0) {
      for (k = 0; k < g->n_kinds && strcmp(kinds[k], x->info.kind) != 0; k++) {
      }
      if (k == g->n_kinds) kinds[g->n_kinds++] = x->added ? ho_arena_strdup(g->arena, x->info.kind) : x->info.kind;
      if (!x->added) index[x->info.kind_index] = k + 1;
    }
    f->ops[o].kind_index = k;
    f->ops[o].kind = kinds[k];
  }
  g->kinds = kinds;
}

static void freeze_ops(const freezer *f) {
  const ho_workgraph *w = f->w;
  ho_arena *arena = f->g->arena;
  for (ho_op o = 0; o < f->g->n_ops; o++) {
    const ho_work_op *x = &w->op[f->op_slot[o]];
    ho_op_info *op = &f->ops[o];
    *op = x->info;
    if (!x->added) continue;
    op->name = ho_arena_strdup(arena, op->name);
    op->layer = ho_arena_strdup(arena, op->layer);
    if (op->n_times > 0) op->times = ho_arena_memdup(arena, op->times, sizeof *op->times * (size_t)op->n_times);
  }
  freeze_kinds(f);
}

static void freeze_tensors(const freezer *f) {
  const ho_workgraph *w = f->w;
  ho_arena *arena = f->g->arena;
  for (ho_tensor t = 0; t < f->g->n_tensors; t++) {
    const ho_work_tensor *x = &w->tensor[f->tensor_slot[t]];
    ho_tensor_info *info = &f->tensors[t];
    *info = x->info;
    if (info->producer >= 0) {
      info->producer = f->op_new[info->producer];
      info->is_output |= x->use.n == 0;
    }
    if (info->alias >= 0) info->alias = f->tensor_new[info->alias];
    if (!x->added) continue;
    info->name = ho_arena_strdup(arena, info->name);
    info->memory = ho_arena_strdup(arena, info->memory);
    if (info->rank > 0) info->shape = ho_arena_memdup(arena, info->shape, sizeof *info->shape * (size_t)info->rank);
  }
  for (ho_tensor t = 0; t < f->g->n_tensors; t++) {
    ho_tensor root = t;
    while (f->tensors[root].alias >= 0) root = f->tensors[root].alias;
    f->tensors[t].root = root;
  }
}

/* ---- rows ------------------------------------------------------------------------------------------------------------ */

static void sum_up(int32_t *start, int32_t n) {
  for (int32_t i = 0; i < n; i++) start[i + 1] += start[i];
}

/* Filled by walking the other side in order, so that every row comes out sorted. */
static void freeze_rows(const freezer *f) {
  const ho_workgraph *w = f->w;
  ho_graph *g = f->g;
  int32_t n_ops = g->n_ops, n_tensors = g->n_tensors;
  int32_t *in_start = ho_arena_new_array(g->arena, int32_t, n_ops + 1);
  int32_t *out_start = ho_arena_new_array(g->arena, int32_t, n_ops + 1);
  int32_t *use_start = ho_arena_new_array(g->arena, int32_t, n_tensors + 1);
  for (ho_op o = 0; o < n_ops; o++) {
    in_start[o + 1] = w->op[f->op_slot[o]].in.n;
    out_start[o + 1] = w->op[f->op_slot[o]].out.n;
  }
  for (ho_tensor t = 0; t < n_tensors; t++) {
    use_start[t + 1] = w->tensor[f->tensor_slot[t]].use.n;
    if (f->tensors[t].producer >= 0) g->n_edges += use_start[t + 1];
  }
  sum_up(in_start, n_ops);
  sum_up(out_start, n_ops);
  sum_up(use_start, n_tensors);
  ho_tensor *in = ho_arena_new_array(g->arena, ho_tensor, in_start[n_ops]);
  ho_tensor *out = ho_arena_new_array(g->arena, ho_tensor, out_start[n_ops]);
  ho_op *use = ho_arena_new_array(g->arena, ho_op, use_start[n_tensors]);
  g_autofree int32_t *in_at = g_memdup2(in_start, sizeof *in_start * ((size_t)n_ops + 1));
  g_autofree int32_t *out_at = g_memdup2(out_start, sizeof *out_start * ((size_t)n_ops + 1));
  g_autofree int32_t *use_at = g_memdup2(use_start, sizeof *use_start * ((size_t)n_tensors + 1));
  for (ho_op o = 0; o < n_ops; o++) {
    const ho_row *row = &w->op[f->op_slot[o]].in;
    for (int32_t i = 0; i < row->n; i++) use[use_at[f->tensor_new[row->item[i]]]++] = o;
  }
  for (ho_tensor t = 0; t < n_tensors; t++) {
    for (int32_t i = use_start[t]; i < use_start[t + 1]; i++) in[in_at[use[i]]++] = t;
    if (f->tensors[t].producer >= 0) out[out_at[f->tensors[t].producer]++] = t;
  }
  g->in_start = in_start;
  g->out_start = out_start;
  g->use_start = use_start;
  g->in = in;
  g->out = out;
  g->use = use;
}

static void freeze_origins(const freezer *f) {
  const ho_workgraph *w = f->w;
  ho_graph *g = f->g;
  int32_t *start = ho_arena_new_array(g->arena, int32_t, g->n_ops + 1);
  ho_origin self;
  for (ho_op o = 0; o < g->n_ops; o++) {
    ho_workgraph_origins(w, f->op_slot[o], &self, &start[o + 1]);
    start[o + 1] += start[o];
  }
  ho_origin *all = ho_arena_new_array(g->arena, ho_origin, start[g->n_ops]);
  for (ho_op o = 0; o < g->n_ops; o++) {
    int32_t n;
    const ho_origin *from = ho_workgraph_origins(w, f->op_slot[o], &self, &n);
    for (int32_t i = 0; i < n; i++) {
      all[start[o] + i] = from[i];
      if (w->op[f->op_slot[o]].added) all[start[o] + i].axis = ho_arena_strdup(g->arena, from[i].axis);
    }
  }
  g->original = w->first;
  g->origin_start = start;
  g->origin = all;
}

static void freeze_names(ho_graph *g) {
  g->op_names = g_hash_table_new(g_str_hash, g_str_equal);
  g->tensor_names = g_hash_table_new(g_str_hash, g_str_equal);
  for (ho_op o = 0; o < g->n_ops; o++) g_hash_table_insert(g->op_names, (gpointer)g->op[o].name, GINT_TO_POINTER(o + 1));
  for (ho_tensor t = 0; t < g->n_tensors; t++)
    g_hash_table_insert(g->tensor_names, (gpointer)g->tensor[t].name, GINT_TO_POINTER(t + 1));
  g->digest = ho_graph_digest(g);
}

/* ---- all of it ------------------------------------------------------------------------------------------------------- */

static void describe(ho_graph *g, const ho_graph *first, ho_arena *arena) {
  g->name = first->name;
  g->source = first->source;
  g->period = first->period;
  g->samples = first->samples;
  g->n_unknown = first->n_unknown;
  g->note = first->note;
  g->n_time_devices = first->n_time_devices;
  g->time_devices = first->time_devices;
  g->arena = arena;
}

ho_graph *ho_workgraph_freeze(const ho_workgraph *w, ho_freeze how, GError **error) {
  ho_arena *arena = ho_arena_new();
  ho_graph *g = ho_arena_new_array(arena, ho_graph, 1);
  describe(g, w->first, arena);
  g_autofree int32_t *index = g_new(int32_t, 2 * ((size_t)w->n_ops + (size_t)w->n_tensors) + 1);
  freezer f = {.w = w, .g = g, .op_slot = index, .op_new = index + w->n_ops, .tensor_slot = index + 2 * (size_t)w->n_ops};
  f.tensor_new = f.tensor_slot + w->n_tensors;
  g->n_ops = sort_ops(&f);
  g->n_tensors = sort_tensors(&f);
  f.ops = ho_arena_new_array(arena, ho_op_info, g->n_ops);
  f.tensors = ho_arena_new_array(arena, ho_tensor_info, g->n_tensors);
  g->op = f.ops;
  g->tensor = f.tensors;
  freeze_ops(&f);
  freeze_tensors(&f);
  freeze_rows(&f);
  freeze_origins(&f);
  ho_op *topo = ho_arena_new_array(arena, ho_op, g->n_ops);
  g->topo = topo;
  if (g->n_ops == 0) ho_fail(error, HO_ERROR_INPUT, "%s: nothing is left of the graph", g->source);
  if (g->n_ops == 0 || !ho_graph_order(g, topo, error)) {
    ho_graph_free(g);
    return NULL;
  }
  if (how == HO_FREEZE_NAMED) freeze_names(g);
  return g;
}
