/* arena_plan.c: see arena_plan.h. */
#include "sim/arena_plan.h"

#include <math.h>

static int larger_first(const void *x, const void *y, void *data) {
  const ho_replay_buffer *b = data;
  int32_t i = *(const int32_t *)x, j = *(const int32_t *)y;
  if (b[i].bytes != b[j].bytes) return b[i].bytes > b[j].bytes ? -1 : 1;
  return i < j ? -1 : i > j;
}

static int meet(const ho_replay_buffer *a, const ho_replay_buffer *b) {
  return a->born < b->died && b->born < a->died;
}

/* ---- who is there at a time ---------------------------------------------------------------------------------------------------- */

/* What has been placed, by the slices of time that it lives in, so that most of what a buffer does not meet is never looked at. What
 * lives in more than a few slices stands in a list of its own. */
enum { FEW_SLICES = 8 };

typedef struct {
  int64_t end; /* of the last buffer: slices share [0, end] */
  int32_t n_slices;
  GArray **slice; /* indices of buffers; the last one: those that live long */
  GArray *met;
} calendar;

static int32_t slice_of(const calendar *c, int64_t turn) {
  int32_t k = c->end > 0 ? (int32_t)((double)turn / (double)c->end * c->n_slices) : 0;
  return CLAMP(k, 0, c->n_slices - 1);
}

static calendar calendar_new(const ho_replay_buffer *b, int32_t n) {
  calendar c = {.n_slices = 1, .met = g_array_new(FALSE, FALSE, sizeof(int32_t))};
  while ((int64_t)c.n_slices * c.n_slices < n) c.n_slices++;
  for (int32_t i = 0; i < n; i++) c.end = MAX(c.end, b[i].died);
  c.slice = g_new(GArray *, (gsize)c.n_slices + 1);
  for (int32_t k = 0; k <= c.n_slices; k++) c.slice[k] = g_array_new(FALSE, FALSE, sizeof(int32_t));
  return c;
}

static void calendar_empty(calendar *c) {
  for (int32_t k = 0; k <= c->n_slices; k++) g_array_set_size(c->slice[k], 0);
}

static void calendar_clear(calendar *c) {
  for (int32_t k = 0; k <= c->n_slices; k++) g_array_unref(c->slice[k]);
  g_free(c->slice);
  g_array_unref(c->met);
}

static void calendar_add(calendar *c, const ho_replay_buffer *b, int32_t i) {
  int32_t first = slice_of(c, b[i].born), last = slice_of(c, b[i].died);
  if (last - first >= FEW_SLICES) first = last = c->n_slices;
  for (int32_t k = first; k <= last; k++) g_array_append_val(c->slice[k], i);
}

static int by_offset(const void *x, const void *y, void *data) {
  const ho_replay_buffer *b = data;
  int32_t i = *(const int32_t *)x, j = *(const int32_t *)y;
  if (b[i].offset != b[j].offset) return b[i].offset < b[j].offset ? -1 : 1;
  return i < j ? -1 : i > j;
}

/* Those that buffer i meets, by offset; one that lives in several slices is taken in the first that both live in. */
static void calendar_meet(calendar *c, ho_replay_buffer *b, int32_t i) {
  g_array_set_size(c->met, 0);
  int32_t first = slice_of(c, b[i].born), last = slice_of(c, b[i].died);
  for (int32_t k = first; k <= last + 1; k++) {
    const GArray *slice = c->slice[k <= last ? k : c->n_slices];
    for (guint j = 0; j < slice->len; j++) {
      int32_t other = g_array_index(slice, int32_t, j);
      if (!meet(&b[i], &b[other]) || (k <= last && k != MAX(first, slice_of(c, b[other].born)))) continue;
      g_array_append_val(c->met, other);
    }
  }
  /* Buffers of one size that all live at once are placed upwards: then there is nothing to sort. */
  for (guint k = 1; k < c->met->len; k++)
    if (by_offset(&g_array_index(c->met, int32_t, k - 1), &g_array_index(c->met, int32_t, k), b) > 0) {
      g_qsort_with_data(c->met->data, (int)c->met->len, sizeof(int32_t), by_offset, b);
      break;
    }
}

/* ---- placing ------------------------------------------------------------------------------------------------------------------- */

/* Lowest offset of the smallest gap that holds buffer i among those that it meets, which are sorted by offset. */
static double fit(const ho_replay_buffer *b, int32_t i, const GArray *met) {
  double best = -1, best_gap = G_MAXDOUBLE, top = 0;
  for (guint k = 0; k < met->len; k++) {
    const ho_replay_buffer *p = &b[g_array_index(met, int32_t, k)];
    double gap = p->offset - top;
    if (gap >= b[i].bytes && gap < best_gap) {
      best = top;
      best_gap = gap;
    }
    top = fmax(top, p->offset + p->bytes);
  }
  return best >= 0 ? best : top;
}

void ho_arena_plan(ho_replay_buffer *b, int32_t n, int32_t n_memories, double *arena) {
  g_autofree int32_t *order = g_new(int32_t, (size_t)n + 1);
  for (int32_t i = 0; i < n; i++) order[i] = i;
  g_qsort_with_data(order, n, sizeof *order, larger_first, b);
  calendar c = calendar_new(b, n);
  for (ho_memory m = 0; m < n_memories; m++) {
    arena[m] = 0;
    calendar_empty(&c);
    for (int32_t k = 0; k < n; k++) {
      ho_replay_buffer *x = &b[order[k]];
      if (x->memory != m) continue;
      x->offset = 0;
      if (x->bytes == 0 || x->born == x->died) continue;
      calendar_meet(&c, b, order[k]);
      x->offset = fit(b, order[k], c.met);
      arena[m] = fmax(arena[m], x->offset + x->bytes);
      calendar_add(&c, b, order[k]);
    }
  }
  calendar_clear(&c);
}
