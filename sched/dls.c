/* dls.c: dynamic level scheduling.
 *
 * Source: Sih & Lee, "A compile-time scheduling heuristic for interconnection-constrained heterogeneous processor architectures", IEEE TPDS
 * 4(2), 1993, sections 3 and 4.
 * The pair of a ready op v and a device p of greatest dynamic level goes next: DL(v, p) = SL(v) - max(data ready, device free) + Δ(v, p), with
 * the static level SL by median seconds and Δ(v, p) = median(v) - seconds(v, p). No insertion.
 * Where the paper is silent: the descendant consideration and the resource scarcity terms of its section 4 are left out, as in Topcuoglu et al.
 * 2002. The median of an even number is the mean of the middle two. Costs as in heft.c.
 * Complexity: O(ops · ready · devices). Options: none. Ties: the op that was ready first, the lower device. */
#include <glib.h>
#include <math.h>

#include "sched/builtin.h"
#include "sched/levels.h"
#include "sched/ready.h"

typedef struct {
  double *level, *median;
} levels;

static void greatest_level(const ho_ready *r, void *data, int32_t *slot, ho_device *device) {
  const levels *x = data;
  double most = -INFINITY;
  for (int32_t i = 0; i < r->n; i++) {
    ho_op o = r->op[i];
    int reachable = 0;
    for (ho_device d = 0; d < r->list->c->n_devices; d++) {
      double start = ho_ready_start(r, i, d);
      if (!isfinite(start)) continue;
      reachable = 1;
      double level = x->level[o] - start + (x->median[o] - ho_ready_time(r, i, d));
      if (!(level > most)) continue;
      most = level;
      *slot = i;
      *device = d;
    }
    if (reachable) continue;
    *slot = i;
    *device = -1;
    return;
  }
}

static ho_op dls_fill(ho_list *l) {
  g_autofree double *level = g_new(double, (size_t)l->c->n_ops + 1), *median = g_new(double, (size_t)l->c->n_ops + 1);
  ho_median_seconds(l->c, median);
  ho_static_level(l->c, median, level);
  levels x = {level, median};
  return ho_ready_fill(l, greatest_level, &x);
}

static int dls_run(ho_search *s) {
  return ho_list_run(s, dls_fill);
}

const ho_scheduler ho_scheduler_dls = {
    HO_LIST_SCHEDULER,
    .name = "dls",
    .summary = "the pair of a ready op and a device of greatest dynamic level",
    .source = "Sih, Lee, IEEE TPDS 4(2), 1993, sections 3 and 4",
    .run = dls_run,
};
