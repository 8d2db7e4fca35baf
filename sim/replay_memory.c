/* replay_memory.c: what lies in which memory, from when to when.
 *
 * A buffer is counted from the instant it is taken until its last user is done: consumers there, copies away from there, views of it. Graph
 * outputs and weights stay. A request that does not fit blocks the memory for the rest of the instant, so that requests of later ops (which
 * come later: replay.c goes in the order of issue) cannot overtake it; a request for nothing always passes. Two copies of one op on one
 * memory: the first to start owns the tensor's buffer, the other's output is workspace. */
#include <math.h>

#include "base/error.h"
#include "sim/replay_state.h"

int ho_memory_ask(ho_replay *r, ho_memory m, int64_t bytes) {
  memory_t *k = &r->memory[m];
  if (bytes == 0 || !r->account) return 1;
  if (k->blocked) return 0;
  if (bytes > k->capacity - k->used) k->blocked = 1;
  return !k->blocked;
}

static void grow(ho_replay *r, ho_memory m, int64_t bytes) {
  memory_t *k = &r->memory[m];
  k->used += bytes;
  r->total += bytes;
  if (m != r->q->platform->host) r->accelerator += bytes;
  if (bytes <= 0) return;
  k->peak = MAX(k->peak, k->used);
  r->total_peak = MAX(r->total_peak, r->total);
  r->accelerator_peak = MAX(r->accelerator_peak, r->accelerator);
}

int32_t ho_memory_take(ho_replay *r, ho_memory m, int64_t bytes, ho_tensor t, int32_t entry, int32_t refs, int pinned) {
  if (!r->account) return -1;
  g_assert(r->n_buffers < r->max_buffers);
  int32_t b = r->n_buffers++;
  r->buffer[b] = (buffer_t){.tensor = t,
                            .entry = entry,
                            .memory = m,
                            .refs = refs,
                            .pinned = (int8_t)pinned,
                            .bytes = bytes,
                            .from = r->now,
                            .to = NAN,
                            .born = r->turn++};
  grow(r, m, bytes);
  return b;
}

void ho_memory_drop(ho_replay *r, int32_t b) {
  if (b < 0) return;
  buffer_t *k = &r->buffer[b];
  g_assert(k->refs > 0);
  if (--k->refs > 0 || k->pinned) return;
  k->to = r->now;
  k->died = r->turn++;
  grow(r, k->memory, -k->bytes);
}

void ho_memory_output(ho_replay *r, int32_t i, int32_t index) {
  entry_t *e = &r->entry[i];
  cell_t *c = &r->cell[index];
  ho_tensor t = c->tensor;
  if (c->buffer >= 0) { /* another copy of the op on this memory, or a copy from elsewhere, has it */
    int32_t spare = ho_memory_take(r, e->memory, r->tensor_bytes[t], t, i, 1, 0);
    if (e->workspace < 0) {
      e->workspace = spare;
      return;
    }
    /* One buffer for all it holds besides. */
    r->buffer[e->workspace].bytes += r->buffer[spare].bytes;
    r->n_buffers--;
    return;
  }
  c->owner = i;
  int32_t shared = c->view >= 0 ? r->cell[c->view].buffer : -1;
  /* Its consumers here, and its maker until copies away from here are requested. */
  if (shared < 0) {
    c->buffer = ho_memory_take(r, e->memory, r->tensor_bytes[t], t, i, c->uses + 1, c->is_output);
    return;
  }
  c->buffer = shared;
  r->buffer[shared].refs += c->uses + 1;
  r->buffer[shared].pinned |= (int8_t)c->is_output;
}

static gboolean no_room(const ho_replay *r, const cell_t *c, int64_t bytes, GError **error) {
  const memory_t *m = &r->memory[c->memory];
  const char *op = c->first == INT32_MAX ? "(none)" : r->q->graph->op[r->entry[c->first].op].name;
  return ho_fail(error, HO_ERROR_INFEASIBLE,
                 "plan is infeasible: memory '%s' cannot hold '%s' for op '%s' at 0 s: %" G_GINT64_FORMAT
                 " B asked for, %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " B are free",
                 r->q->platform->memory[c->memory].name, r->q->graph->tensor[c->tensor].name, op, bytes, m->capacity - m->used,
                 m->capacity);
}

static int lies_here(const ho_replay *r, const cell_t *c) {
  const ho_tensor_info *t = &r->q->graph->tensor[c->tensor];
  if (t->role != HO_ROLE_INPUT) return t->role == HO_ROLE_WEIGHT;
  return c->memory == (t->memory ? ho_platform_find_memory(r->q->platform, t->memory) : r->q->platform->host);
}

/* The buffer that tensor of a cell that is there from the start is a view of, -1. */
static int32_t viewed_from_start(const ho_replay *r, const cell_t *c) {
  ho_tensor root = r->q->graph->tensor[c->tensor].root;
  int32_t of = root != c->tensor ? ho_cells_find(r, root, c->memory) : -1;
  return of >= 0 && lies_here(r, &r->cell[of]) ? r->cell[of].buffer : -1;
}

static gboolean place(ho_replay *r, cell_t *c, GError **error) {
  const ho_tensor_info *t = &r->q->graph->tensor[c->tensor];
  int weight = t->role == HO_ROLE_WEIGHT, pinned = weight || t->is_output;
  int32_t of = viewed_from_start(r, c);
  if (of >= 0) {
    c->buffer = of;
    r->buffer[of].refs += c->uses + 1;
    r->buffer[of].pinned |= (int8_t)pinned;
    return TRUE;
  }
  int64_t bytes = weight ? c->weight_bytes : r->tensor_bytes[c->tensor];
  if (r->account && bytes > r->memory[c->memory].capacity - r->memory[c->memory].used) return no_room(r, c, bytes, error);
  c->buffer = ho_memory_take(r, c->memory, bytes, c->tensor, -1, c->uses + 1, pinned);
  return TRUE;
}

/* Weights wherever they are used, inputs where they lie; then the views of them. */
gboolean ho_memory_initial(ho_replay *r, GError **error) {
  const ho_graph *g = r->q->graph;
  for (int views = 0; views < 2; views++)
    for (int32_t i = 0; i < r->n_cells; i++) {
      cell_t *c = &r->cell[i];
      if (lies_here(r, c) && (g->tensor[c->tensor].root != c->tensor) == views && !place(r, c, error)) return FALSE;
    }
  return TRUE;
}

void ho_memory_finish(ho_replay *r) {
  for (int32_t b = 0; b < r->n_buffers; b++)
    if (isnan(r->buffer[b].to)) {
      r->buffer[b].to = r->now;
      r->buffer[b].died = r->turn;
    }
}
