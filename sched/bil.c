/* bil.c: best imaginary level.
 *
 * Source: Oh & Ha, "A static scheduling heuristic for heterogeneous processors", Euro-Par 1996, section 3.
 * BIL(i, p) = seconds(i, p) + max over consumers k of min(BIL(k, p), min over q ≠ p of [BIL(k, q) + mean copy]). The makespan that a ready op
 * imagines on p is BIM(i, p) = start(i, p) + BIL(i, p). An op's priority is its k-th least BIM, k the number of ready ops, at most that of its
 * devices; the greatest goes next, on the device of least BIM(i, p) + seconds(i, p) · max(k / devices - 1, 0), k not limited here. No insertion.
 * Where the paper is silent: devices on one memory copy nothing between them. Costs as in heft.c.
 * Complexity: O(edges · devices² + ops · ready · devices · log devices). Options: none. Ties: the op that was ready first, the lower device. */
#include <glib.h>
#include <math.h>
#include <stdlib.h>

#include "sched/builtin.h"
#include "sched/ready.h"

static double cheapest(const ho_costs *c, const double *bil, ho_op k, ho_device p, double copy) {
  double least = INFINITY;
  for (ho_device q = 0; q < c->n_devices; q++) {
    int here = q == p || c->p->device[q].memory == c->p->device[p].memory;
    least = fmin(least, bil[(int64_t)k * c->n_devices + q] + (here ? 0 : copy));
  }
  return least;
}

static void fill_levels(const ho_costs *c, double *bil) {
  const ho_graph *g = c->g;
  for (int32_t i = g->n_ops - 1; i >= 0; i--) {
    ho_op o = g->topo[i];
    for (ho_device p = 0; p < c->n_devices; p++) {
      double longest = 0;
      for (int32_t k = g->out_start[o]; k < g->out_start[o + 1]; k++) {
        double copy = ho_costs_mean_copy(c, g->out[k]);
        for (int32_t u = g->use_start[g->out[k]]; u < g->use_start[g->out[k] + 1]; u++)
          longest = fmax(longest, cheapest(c, bil, g->use[u], p, copy));
      }
      bil[(int64_t)o * c->n_devices + p] = c->time[(int64_t)o * c->n_devices + p] + longest;
    }
  }
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

/* The imagined makespans of a slot on the devices that it can reach, `of` by device (INFINITY elsewhere), `sorted` without these. */
static int32_t imagine(const ho_ready *r, const double *bil, int32_t slot, double *of, double *sorted) {
  int32_t n = 0;
  for (ho_device d = 0; d < r->list->c->n_devices; d++) {
    double start = ho_ready_start(r, slot, d);
    of[d] = isfinite(start) ? start + bil[(int64_t)r->op[slot] * r->list->c->n_devices + d] : INFINITY;
    if (isfinite(of[d])) sorted[n++] = of[d];
  }
  qsort(sorted, (size_t)n, sizeof *sorted, by_value);
  return n;
}

static ho_device least_revised(const ho_ready *r, int32_t slot, const double *of) {
  ho_device best = -1;
  double least = INFINITY, crowd = fmax((double)r->n / r->list->c->n_devices - 1, 0);
  for (ho_device d = 0; d < r->list->c->n_devices; d++) {
    double revised = isfinite(of[d]) ? of[d] + ho_ready_time(r, slot, d) * crowd : INFINITY;
    if (!(revised < least)) continue;
    least = revised;
    best = d;
  }
  return best;
}

static void greatest(const ho_ready *r, void *data, int32_t *slot, ho_device *device) {
  const double *bil = data;
  double of[64], sorted[64], most = -INFINITY;
  g_autofree double *more = r->list->c->n_devices > 64 ? g_new(double, 2 * (size_t)r->list->c->n_devices) : NULL;
  double *makespan = more ? more : of, *list = more ? more + r->list->c->n_devices : sorted;
  for (int32_t i = 0; i < r->n; i++) {
    int32_t n = imagine(r, bil, i, makespan, list);
    if (n > 0 && !(list[MIN(r->n, n) - 1] > most)) continue;
    *slot = i;
    if (n == 0) return;
    most = list[MIN(r->n, n) - 1];
  }
  imagine(r, bil, *slot, makespan, list);
  *device = least_revised(r, *slot, makespan);
}

static ho_op bil_fill(ho_list *l) {
  g_autofree double *bil = g_new(double, (size_t)l->c->n_ops *(size_t)l->c->n_devices + 1);
  fill_levels(l->c, bil);
  return ho_ready_fill(l, greatest, bil);
}

static int bil_run(ho_search *s) {
  return ho_list_run(s, bil_fill);
}

const ho_scheduler ho_scheduler_bil = {
    HO_LIST_SCHEDULER,
    .name = "bil",
    .summary = "the ready op whose k-th best imagined makespan is worst goes next",
    .source = "Oh, Ha, Euro-Par 1996, section 3",
    .run = bil_run,
};
