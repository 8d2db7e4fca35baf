/* etf.c: earliest task first.
 *
 * Source: Hwang, Chow, Anger & Lee, "Scheduling precedence graphs in systems with interprocessor communication times", SIAM J. Computing 18(2),
 * 1989, section 3.
 * Of all pairs of a ready op and a device the one that can start first goes next; where several start at that time, the op of greatest static
 * level (mean seconds to the end, communication left out). No insertion.
 * Where the paper is silent: its processors are alike; on unlike ones the pair of earliest start may be a slow device. Costs as in heft.c.
 * Complexity: O(ops · ready · devices). Options: none. Ties after the level: the lower op, the lower device. */
#include <glib.h>
#include <math.h>

#include "sched/builtin.h"
#include "sched/levels.h"
#include "sched/ready.h"

static void earliest(const ho_ready *r, void *data, int32_t *slot, ho_device *device) {
  const double *level = data;
  double first = INFINITY;
  for (int32_t i = 0; i < r->n; i++) {
    int reachable = 0;
    for (ho_device d = 0; d < r->list->c->n_devices; d++) {
      double start = ho_ready_start(r, i, d);
      if (!isfinite(start)) continue;
      reachable = 1;
      if (start > first) continue;
      if (start == first && *device >= 0) {
        ho_op o = r->op[i], best = r->op[*slot];
        if (o == best || level[o] < level[best] || (level[o] == level[best] && o > best)) continue;
      }
      first = start;
      *slot = i;
      *device = d;
    }
    if (reachable) continue;
    *slot = i;
    *device = -1;
    return;
  }
}

static ho_op etf_fill(ho_list *l) {
  g_autofree double *level = g_new(double, (size_t)l->c->n_ops + 1);
  ho_static_level(l->c, l->c->mean, level);
  return ho_ready_fill(l, earliest, level);
}

static int etf_run(ho_search *s) {
  return ho_list_run(s, etf_fill);
}

const ho_scheduler ho_scheduler_etf = {
    HO_LIST_SCHEDULER,
    .name = "etf",
    .summary = "the pair of a ready op and a device that can start first",
    .source = "Hwang, Chow, Anger, Lee, SIAM J. Computing 18(2), 1989, section 3",
    .run = etf_run,
};
