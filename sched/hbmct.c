/* hbmct.c: hybrid heuristic with balanced minimum completion time.
 *
 * Source: Sakellariou & Zhao, "A hybrid heuristic for DAG scheduling on heterogeneous systems", Heterogeneous Computing Workshop (IPDPS), 2004.
 * Ops in decreasing upward rank fall into groups of independent ones: an op that reads what one of the running group makes begins the next group.
 * A group's ops first go to their quickest devices, in the order in which they could start there. Then, as long as it helps, an op of the device
 * that ends last, the one that could start first on average, moves to the device that would end first with it, provided that this ends before
 * the last one did, and that the last one ends earlier without it.
 * Where the paper is silent: an op starts behind all that its device has (no insertion), and not before its data is there; of an op's possible
 * starts the mean is over the devices that can run it. Costs as in heft.c.
 * Complexity: O(ops log ops + moves · group² · devices); a group is at most as wide as the graph. Options: none. Ties: the lower index of ops and
 * of devices. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "sched/builtin.h"
#include "sched/list.h"
#include "sched/order.h"

typedef struct {
  ho_list *l;
  int32_t n;        /* ops of the group */
  ho_op *op;        /* in order of rank */
  double *earliest; /* [slot * n_devices + device]: data there and what the device had before done; INFINITY: cannot run */
  double *average;  /* by slot */
  ho_device *on;    /* by slot */
  double *free;     /* by device: the end of what it had before the group */
  double *ends;     /* by device */
  int32_t *queue;   /* scratch: slots of one device */
} group;

static double earliest_of(const group *w, int32_t slot, ho_device d) {
  return w->earliest[(int64_t)slot * w->l->c->n_devices + d];
}

/* When device d has done its slots, without `without` and with `with` (-1: none), in the order in which they could start there. Their starts and
 * finishes are kept when `keep`. */
static double run_device(const group *w, ho_device d, int32_t without, int32_t with, int keep) {
  int32_t n = 0;
  for (int32_t i = 0; i < w->n; i++) {
    if ((w->on[i] != d && i != with) || i == without) continue;
    int32_t k = n++;
    for (; k > 0; k--) {
      int32_t before = w->queue[k - 1];
      double a = earliest_of(w, before, d), b = earliest_of(w, i, d);
      if (a < b || (a == b && w->op[before] < w->op[i])) break;
      w->queue[k] = before;
    }
    w->queue[k] = i;
  }
  double at = w->free[d];
  for (int32_t k = 0; k < n; k++) {
    ho_op o = w->op[w->queue[k]];
    double start = fmax(at, earliest_of(w, w->queue[k], d));
    at = start + w->l->c->time[(int64_t)o * w->l->c->n_devices + d];
    if (!keep) continue;
    w->l->start[o] = start;
    w->l->finish[o] = at;
    w->l->device[o] = (int16_t)d;
  }
  return at;
}

/* Where the data of the group's ops is when, and their quickest devices. -1, or the op that has no device. */
static ho_op begin(group *w) {
  const ho_costs *c = w->l->c;
  for (int32_t i = 0; i < w->n; i++) {
    double quickest = INFINITY, sum = 0;
    int32_t can = 0;
    ho_list_ready(w->l, w->op[i]);
    w->on[i] = -1;
    for (ho_device d = 0; d < c->n_devices; d++) {
      double time = c->time[(int64_t)w->op[i] * c->n_devices + d], ready = w->l->ready[c->p->device[d].memory];
      int possible = isfinite(time) && isfinite(ready);
      w->earliest[(int64_t)i * c->n_devices + d] = possible ? fmax(ready, w->free[d]) : INFINITY;
      if (!possible) continue;
      sum += earliest_of(w, i, d);
      can++;
      if (!(time < quickest)) continue;
      quickest = time;
      w->on[i] = d;
    }
    if (can == 0) return w->op[i];
    w->average[i] = sum / can;
  }
  return -1;
}

static ho_device ends_last(const group *w) {
  ho_device last = 0;
  for (ho_device d = 1; d < w->l->c->n_devices; d++)
    if (w->ends[d] > w->ends[last]) last = d;
  return last;
}

/* The slot of device d that comes after (average, op) of slot `previous` (-1: the first). -1: no more. */
static int32_t next_slot(const group *w, ho_device d, int32_t previous) {
  int32_t best = -1;
  for (int32_t i = 0; i < w->n; i++) {
    if (w->on[i] != d || i == previous) continue;
    if (previous >= 0 &&
        (w->average[i] < w->average[previous] || (w->average[i] == w->average[previous] && w->op[i] < w->op[previous])))
      continue;
    if (best < 0 || w->average[i] < w->average[best] || (w->average[i] == w->average[best] && w->op[i] < w->op[best])) best = i;
  }
  return best;
}

/* Moves one op away from the device that ends last. 0: nothing helps. */
static int improve(group *w) {
  ho_device last = ends_last(w);
  for (int32_t i = next_slot(w, last, -1); i >= 0; i = next_slot(w, last, i)) {
    double without = run_device(w, last, i, -1, 0), least = w->ends[last];
    ho_device to = -1;
    if (!(without < w->ends[last])) continue;
    for (ho_device d = 0; d < w->l->c->n_devices; d++) {
      if (d == last || !isfinite(earliest_of(w, i, d))) continue;
      double with = run_device(w, d, -1, i, 0);
      if (!(with < least)) continue;
      least = with;
      to = d;
    }
    if (to < 0) continue;
    w->on[i] = to;
    w->ends[last] = without;
    w->ends[to] = least;
    return 1;
  }
  return 0;
}

static ho_op place_group(group *w) {
  ho_op stuck = begin(w);
  if (stuck >= 0) return stuck;
  for (ho_device d = 0; d < w->l->c->n_devices; d++) w->ends[d] = run_device(w, d, -1, -1, 0);
  while (improve(w)) {
  }
  for (ho_device d = 0; d < w->l->c->n_devices; d++) w->free[d] = run_device(w, d, -1, -1, 1);
  return -1;
}

static int reads_from(const ho_graph *g, ho_op o, const int32_t *group_of, int32_t number) {
  for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++) {
    ho_op p = g->tensor[g->in[i]].producer;
    if (p >= 0 && group_of[p] == number) return 1;
  }
  return 0;
}

static ho_op hbmct_fill(ho_list *l) {
  size_t n = (size_t)l->c->n_ops + 1, m = (size_t)l->c->n_devices + 1;
  g_autofree double *rank = g_new(double, n), *earliest = g_new(double, n *m), *average = g_new(double, n),
                    *idle = g_new0(double, m), *ends = g_new(double, m);
  g_autofree ho_op *order = g_new(ho_op, n);
  g_autofree ho_device *on = g_new(ho_device, n);
  g_autofree int32_t *queue = g_new(int32_t, n), *group_of = g_new0(int32_t, n);
  ho_rank_upward(l->c, rank);
  ho_order *w = ho_order_new(l->c->g);
  ho_order_by_priority(w, rank, order);
  ho_order_free(w);
  group x = {.l = l, .earliest = earliest, .average = average, .on = on, .free = idle, .ends = ends, .queue = queue};
  ho_op stuck = -1;
  for (int32_t k = 0, number = 1; k < l->c->n_ops && stuck < 0; number++) {
    x.op = order + k;
    for (x.n = 0; k < l->c->n_ops && !reads_from(l->c->g, order[k], group_of, number); k++, x.n++) group_of[order[k]] = number;
    stuck = place_group(&x);
  }
  return stuck;
}

static int hbmct_run(ho_search *s) {
  return ho_list_run(s, hbmct_fill);
}

const ho_scheduler ho_scheduler_hbmct = {
    HO_LIST_SCHEDULER,
    .name = "hbmct",
    .summary = "groups of independent ops by upward rank, each balanced between the devices",
    .source = "Sakellariou, Zhao, Heterogeneous Computing Workshop, 2004",
    .run = hbmct_run,
};
