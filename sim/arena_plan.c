/* arena_plan.c: see arena_plan.h. */
#include "sim/arena_plan.h"

static int larger_first(const void *x, const void *y, void *data) {
  const ho_replay_buffer *b = data;
  int32_t i = *(const int32_t *)x, j = *(const int32_t *)y;
  if (b[i].bytes != b[j].bytes) return b[i].bytes > b[j].bytes ? -1 : 1;
  return i < j ? -1 : i > j;
}

static int meet(const ho_replay_buffer *a, const ho_replay_buffer *b) {
  return a->from < b->to && b->from < a->to;
}

/* Lowest offset of the smallest gap that holds buffer i among `placed`, which are sorted by offset. */
static double fit(const ho_replay_buffer *b, int32_t i, const int32_t *placed, int32_t n) {
  double best = -1, best_gap = G_MAXDOUBLE, top = 0;
  for (int32_t k = 0; k < n; k++) {
    const ho_replay_buffer *p = &b[placed[k]];
    if (!meet(&b[i], p)) continue;
    double gap = p->offset - top;
    if (gap >= b[i].bytes && gap < best_gap) {
      best = top;
      best_gap = gap;
    }
    top = MAX(top, p->offset + p->bytes);
  }
  return best >= 0 ? best : top;
}

void ho_arena_plan(ho_replay_buffer *b, int32_t n, int32_t n_memories, double *arena) {
  g_autofree int32_t *order = g_new(int32_t, (size_t)n + 1);
  g_autofree int32_t *placed = g_new(int32_t, (size_t)n + 1);
  for (int32_t i = 0; i < n; i++) order[i] = i;
  g_qsort_with_data(order, n, sizeof *order, larger_first, b);
  for (ho_memory m = 0; m < n_memories; m++) {
    int32_t n_placed = 0;
    arena[m] = 0;
    for (int32_t k = 0; k < n; k++) {
      ho_replay_buffer *x = &b[order[k]];
      if (x->memory != m) continue;
      x->offset = 0;
      if (x->bytes == 0 || x->from == x->to) continue;
      x->offset = fit(b, order[k], placed, n_placed);
      arena[m] = MAX(arena[m], x->offset + x->bytes);
      int32_t at = n_placed++;
      for (; at > 0 && b[placed[at - 1]].offset > x->offset; at--) placed[at] = placed[at - 1];
      placed[at] = order[k];
    }
  }
}
