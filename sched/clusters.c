/* clusters.c: see clusters.h. */
#include "sched/clusters.h"

#include <glib.h>
#include <math.h>
#include <stdlib.h>

typedef struct {
  double seconds;
  int32_t number;
} by_seconds;

static int most_first(const void *a, const void *b) {
  const by_seconds *x = a, *y = b;
  if (x->seconds != y->seconds) return x->seconds > y->seconds ? -1 : 1;
  return x->number < y->number ? -1 : x->number > y->number;
}

void ho_clusters_map(const ho_costs *c, const int32_t *cluster, int32_t n, int16_t *device) {
  size_t cells = ((size_t)n + 1) * (size_t)c->n_devices;
  g_autofree double *seconds = g_new0(double, cells), *load = g_new0(double, c->n_devices + 1);
  g_autofree by_seconds *order = g_new(by_seconds, n + 1);
  g_autofree int16_t *to = g_new0(int16_t, n + 1);
  for (int32_t k = 0; k < n; k++) order[k] = (by_seconds){0, k};
  for (ho_op o = 0; o < c->n_ops; o++) {
    order[cluster[o]].seconds += c->mean[o];
    for (ho_device d = 0; d < c->n_devices; d++) {
      double time = c->time[(int64_t)o * c->n_devices + d];
      seconds[(int64_t)cluster[o] * c->n_devices + d] += isfinite(time) ? time : c->mean[o];
    }
  }
  qsort(order, (size_t)n, sizeof *order, most_first);
  for (int32_t i = 0; i < n; i++) {
    const double *here = seconds + (int64_t)order[i].number * c->n_devices;
    ho_device best = 0;
    for (ho_device d = 1; d < c->n_devices; d++)
      if (load[d] + here[d] < load[best] + here[best]) best = d;
    load[best] += here[best];
    to[order[i].number] = (int16_t)best;
  }
  for (ho_op o = 0; o < c->n_ops; o++) device[o] = to[cluster[o]];
}
