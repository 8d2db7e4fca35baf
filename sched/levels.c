/* levels.c: see levels.h. */
#include "sched/levels.h"

#include <glib.h>
#include <math.h>
#include <stdlib.h>

void ho_static_level(const ho_costs *c, const double *seconds, double *out) {
  const ho_graph *g = c->g;
  for (int32_t k = g->n_ops - 1; k >= 0; k--) {
    ho_op o = g->topo[k];
    double longest = 0;
    for (int32_t i = g->out_start[o]; i < g->out_start[o + 1]; i++)
      for (int32_t u = g->use_start[g->out[i]]; u < g->use_start[g->out[i] + 1]; u++) longest = fmax(longest, out[g->use[u]]);
    out[o] = seconds[o] + longest;
  }
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

void ho_median_seconds(const ho_costs *c, double *out) {
  g_autofree double *t = g_new(double, (size_t)c->n_devices + 1);
  for (ho_op o = 0; o < c->n_ops; o++) {
    int32_t n = 0;
    for (ho_device d = 0; d < c->n_devices; d++) {
      double s = c->time[(int64_t)o * c->n_devices + d];
      if (isfinite(s)) t[n++] = s;
    }
    qsort(t, (size_t)n, sizeof *t, by_value);
    out[o] = n == 0 ? 0 : n % 2 ? t[n / 2] : 0.5 * (t[n / 2 - 1] + t[n / 2]);
  }
}
