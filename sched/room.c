/* room.c: see room.h. */
#include "sched/room.h"

#include <glib.h>
#include <math.h>
#include <string.h>

typedef struct {
  double at, bytes; /* held from `at` to the next step */
} step;

typedef struct {
  step *step; /* in order of time; the first is at 0 */
  int32_t n, room;
} steps;

struct ho_room {
  const ho_platform *p;
  steps *memory;
};

ho_room *ho_room_new(const ho_platform *p) {
  ho_room *r = g_new0(ho_room, 1);
  r->p = p;
  r->memory = g_new0(steps, p->n_memories + 1);
  for (ho_memory m = 0; m < p->n_memories; m++) {
    r->memory[m].room = 64;
    r->memory[m].step = g_new(step, 64);
    r->memory[m].step[0] = (step){0, 0};
    r->memory[m].n = 1;
  }
  return r;
}

void ho_room_free(ho_room *r) {
  if (!r) return;
  for (ho_memory m = 0; m < r->p->n_memories; m++) g_free(r->memory[m].step);
  g_free(r->memory);
  g_free(r);
}

/* The step that holds at time `at`. */
static int32_t find(const steps *s, double at) {
  int32_t low = 0, high = s->n;
  while (high - low > 1) {
    int32_t mid = (low + high) / 2;
    if (s->step[mid].at <= at)
      low = mid;
    else
      high = mid;
  }
  return low;
}

void ho_room_add(ho_room *r, ho_memory m, double from, double bytes) {
  steps *s = &r->memory[m];
  if (bytes == 0) return;
  int32_t i = find(s, from);
  if (s->step[i].at < from) {
    if (s->n == s->room) {
      s->room *= 2;
      s->step = g_renew(step, s->step, s->room);
    }
    i++;
    memmove(s->step + i + 1, s->step + i, sizeof *s->step * (size_t)(s->n - i));
    s->step[i] = (step){from, s->step[i - 1].bytes};
    s->n++;
  }
  for (; i < s->n; i++) s->step[i].bytes += bytes;
}

double ho_room_most(const ho_room *r, ho_memory m, double from) {
  const steps *s = &r->memory[m];
  double most = 0;
  for (int32_t i = find(s, from); i < s->n; i++) most = fmax(most, s->step[i].bytes);
  return most;
}

double ho_room_from(const ho_room *r, ho_memory m, double bytes) {
  const steps *s = &r->memory[m];
  double capacity = (double)r->p->memory[m].capacity, from = INFINITY;
  for (int32_t i = s->n - 1; i >= 0 && s->step[i].bytes + bytes <= capacity; i--) from = s->step[i].at;
  return from;
}
