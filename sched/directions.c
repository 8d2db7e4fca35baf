/* directions.c: see directions.h. */
#include "sched/directions.h"

#include <glib.h>

int64_t ho_directions_count(int32_t d, int32_t divisions) {
  int64_t n = 1;
  for (int32_t k = 1; k < d; k++) n = n * (divisions + k) / k;
  return n;
}

int32_t ho_directions_divisions(int32_t d, int32_t most) {
  if (d == 1) return 1;
  int32_t divisions = 1;
  while (ho_directions_count(d, divisions + 1) <= most) divisions++;
  return divisions;
}

/* The next vector in lexicographic order: one unit moves left out of the last part that has any. */
static void next(int32_t *part, int32_t d) {
  int32_t k = d - 1;
  while (k > 0 && part[k] == 0) k--;
  if (k == 0) return;
  int32_t left = part[k];
  part[k] = 0;
  part[k - 1]++;
  part[d - 1] = left - 1;
}

ho_directions *ho_directions_new(int32_t d, int32_t divisions) {
  ho_directions *x = g_new0(ho_directions, 1);
  x->n = (int32_t)ho_directions_count(d, divisions);
  x->d = d;
  x->weight = g_new(double, (gsize)x->n *(gsize)d + 1);
  g_autofree int32_t *part = g_new0(int32_t, (gsize)d);
  part[d - 1] = divisions;
  for (int32_t i = 0; i < x->n; i++) {
    for (int32_t k = 0; k < d; k++) x->weight[(gsize)i * (gsize)d + (gsize)k] = (double)part[k] / divisions;
    next(part, d);
  }
  return x;
}

void ho_directions_free(ho_directions *x) {
  if (!x) return;
  g_free(x->weight);
  g_free(x);
}
