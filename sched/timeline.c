/* timeline.c: see timeline.h. */
#include "sched/timeline.h"

#include <glib.h>
#include <string.h>

void ho_timeline_clear(ho_timeline *t) {
  g_free(t->slot);
  *t = (ho_timeline){0};
}

/* First slot that ends after `time`. */
static int32_t first_after(const ho_timeline *t, double time) {
  int32_t low = 0, high = t->n;
  while (low < high) {
    int32_t mid = (low + high) / 2;
    if (t->slot[mid].end > time)
      high = mid;
    else
      low = mid + 1;
  }
  return low;
}

double ho_timeline_earliest(const ho_timeline *t, double ready, double length) {
  double at = ready;
  for (int32_t i = first_after(t, ready); i < t->n; i++) {
    if (at + length <= t->slot[i].start) return at;
    if (t->slot[i].end > at) at = t->slot[i].end;
  }
  return at;
}

static void remove_slot(ho_timeline *t, int32_t i) {
  memmove(t->slot + i, t->slot + i + 1, sizeof(ho_slot) * (size_t)(t->n - i - 1));
  t->n--;
}

static void insert_slot(ho_timeline *t, int32_t i, ho_slot slot) {
  if (t->n == t->capacity) {
    t->capacity = t->capacity ? 2 * t->capacity : 64;
    t->slot = g_renew(ho_slot, t->slot, t->capacity);
  }
  memmove(t->slot + i + 1, t->slot + i, sizeof(ho_slot) * (size_t)(t->n - i));
  t->slot[i] = slot;
  t->n++;
}

void ho_timeline_insert(ho_timeline *t, double start, double length) {
  int32_t i = first_after(t, start);
  double end = start + length;
  int joins_before = i > 0 && t->slot[i - 1].end == start, joins_after = i < t->n && t->slot[i].start == end;
  if (joins_before && joins_after) {
    t->slot[i - 1].end = t->slot[i].end;
    remove_slot(t, i);
  } else if (joins_before) {
    t->slot[i - 1].end = end;
  } else if (joins_after) {
    t->slot[i].start = start;
  } else {
    insert_slot(t, i, (ho_slot){start, end});
  }
}

void ho_timeline_remove(ho_timeline *t, double start, double length) {
  double end = start + length;
  int32_t i = first_after(t, start);
  if (length == 0) {
    if (i > 0 && t->slot[i - 1].start == start && t->slot[i - 1].end == start) remove_slot(t, i - 1);
    return;
  }
  ho_slot whole = t->slot[i];
  if (whole.start == start && whole.end == end) {
    remove_slot(t, i);
  } else if (whole.start == start) {
    t->slot[i].start = end;
  } else {
    t->slot[i].end = start;
    if (whole.end != end) insert_slot(t, i + 1, (ho_slot){end, whole.end});
  }
}
