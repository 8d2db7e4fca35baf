/* metis.c: parts of a graph between which little data flows, one per device, by METIS.
 *
 * Source: Karypis & Kumar, "A fast and high quality multilevel scheme for partitioning irregular graphs", SIAM J. Scientific Computing 20(1), 1998;
 * the library METIS 5.1. As a placement baseline: Mirhoseini et al., ICML 2017, section 4 (Scotch there).
 * Vertices are ops, weighing their mean seconds; an edge is what flows between two ops, in bytes. A device's part shall have the share of
 * all weight that its speed has of all speeds; speed: the mean over all ops of mean seconds / seconds there, 0 where it cannot run. Ops are issued
 * by upward rank; one that its part's device cannot run goes where it finishes first. Costs as in heft.c.
 * Weights are whole numbers to METIS: seconds are scaled to 1 … 1000 (0: 1), bytes to 1 … 1000000 by their largest.
 * Devices are halved in platform order, and ops bisected with them, until each device has its part.
 * METIS draws from the C library's one stream of random numbers, which it seeds itself: calls take turns, so that results do not depend on threads.
 * Without METIS at build time the scheduler is there and says so.
 * Complexity: about O(edges) for METIS. Options: seed, imbalance. Ties: METIS's. */
#include "config.h"

#include <glib.h>
#include <math.h>

#include "sched/builtin.h"
#include "sched/list.h"

static const ho_option options[] = {
    {"seed", HO_OPTION_INT, "1", 0, 1e9, NULL, "of METIS"},
    {"imbalance", HO_OPTION_INT, "30", 1, 1e4, NULL, "thousandths by which a part may be heavier than its share"},
    {0},
};

#ifdef HAVE_METIS
#include <metis.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  ho_op from, to;
  double bytes;
} flow;

static int by_ends(const void *a, const void *b) {
  const flow *x = a, *y = b;
  if (x->from != y->from) return x->from < y->from ? -1 : 1;
  return x->to < y->to ? -1 : x->to > y->to;
}

/* All flows in both directions, those between two ops as one, sorted. */
static GArray *find_flows(const ho_graph *g) {
  GArray *all = g_array_new(FALSE, FALSE, sizeof(flow));
  for (ho_tensor t = 0; t < g->n_tensors; t++) {
    ho_op p = g->tensor[t].producer;
    for (int32_t u = g->use_start[t]; p >= 0 && u < g->use_start[t + 1]; u++) {
      flow there = {p, g->use[u], (double)g->tensor[t].bytes}, back = {g->use[u], p, (double)g->tensor[t].bytes};
      g_array_append_val(all, there);
      g_array_append_val(all, back);
    }
  }
  if (all->len == 0) return all;
  qsort(all->data, all->len, sizeof(flow), by_ends);
  guint n = 0;
  for (guint i = 1; i < all->len; i++) {
    flow *last = &g_array_index(all, flow, n), *x = &g_array_index(all, flow, i);
    if (by_ends(last, x) == 0)
      last->bytes += x->bytes;
    else
      g_array_index(all, flow, ++n) = *x;
  }
  g_array_set_size(all, n + 1);
  return all;
}

static idx_t scaled(double value, double largest, double most) {
  return value > 0 && largest > 0 ? (idx_t)fmax(1, rint(value / largest * most)) : 1;
}

/* Speeds of the devices. */
static void find_shares(const ho_costs *c, double *share) {
  for (ho_op o = 0; o < c->n_ops; o++)
    for (ho_device d = 0; d < c->n_devices; d++) {
      double time = c->time[(int64_t)o * c->n_devices + d];
      if (isfinite(time)) share[d] += time > 0 ? c->mean[o] / time : 1;
    }
}

/* What is bisected: some ops, for devices first … last - 1. */
typedef struct {
  ho_search *s;
  const ho_costs *c;
  GArray *flows;        /* of the whole graph */
  const guint *start;   /* by op: its first flow; n_ops + 1 */
  double longest, most; /* of all mean seconds, of all flows */
  const double *share;  /* by device */
  idx_t *number;        /* by op: in the part that is being bisected; -1: not in it */
  int16_t *device;
} job;

/* In two, the first with `share` of the weight. 0: METIS gave up. */
static int call_metis(const job *j, idx_t n, idx_t *start, idx_t *adjacent, idx_t *weight, idx_t *edge_weight, double share,
                      idx_t *part) {
  static GMutex turn; /* see above: the library's state, not ours */
  idx_t constraints = 1, parts = 2, cut, settings[METIS_NOPTIONS];
  real_t shares[2] = {(real_t)share, 1 - (real_t)share};
  METIS_SetDefaultOptions(settings);
  settings[METIS_OPTION_SEED] = (idx_t)ho_search_option_int(j->s, "seed");
  settings[METIS_OPTION_UFACTOR] = (idx_t)ho_search_option_int(j->s, "imbalance");
  g_mutex_lock(&turn);
  int status = METIS_PartGraphRecursive(&n, &constraints, start, adjacent, weight, NULL, edge_weight, &parts, shares, NULL,
                                        settings, &cut, part);
  g_mutex_unlock(&turn);
  return status == METIS_OK;
}

/* Puts the ops of the first part in front; returns how many, -1 when METIS gave up. */
static int32_t bisect(job *j, ho_op *op, int32_t n, double share) {
  size_t edges = 0, size = (size_t)n + 1;
  for (int32_t i = 0; i < n; i++) {
    j->number[op[i]] = i;
    edges += j->start[op[i] + 1] - j->start[op[i]];
  }
  g_autofree idx_t *start = g_new0(idx_t, size), *weight = g_new(idx_t, size), *part = g_new0(idx_t, size),
                   *adjacent = g_new(idx_t, edges + 1), *edge_weight = g_new(idx_t, edges + 1);
  for (int32_t i = 0; i < n; i++) {
    weight[i] = scaled(j->c->mean[op[i]], j->longest, 1e3);
    start[i + 1] = start[i];
    for (guint k = j->start[op[i]]; k < j->start[op[i] + 1]; k++) {
      const flow *x = &g_array_index(j->flows, flow, k);
      if (j->number[x->to] < 0) continue;
      adjacent[start[i + 1]] = j->number[x->to];
      edge_weight[start[i + 1]++] = scaled(x->bytes, j->most, 1e6);
    }
  }
  int done = call_metis(j, n, start, adjacent, weight, edge_weight, share, part);
  g_autofree ho_op *behind = g_new(ho_op, size);
  int32_t front = 0, back = 0;
  for (int32_t i = 0; i < n; i++) {
    j->number[op[i]] = -1;
    if (part[i] == 0)
      op[front++] = op[i];
    else
      behind[back++] = op[i];
  }
  if (back > 0) memcpy(op + front, behind, sizeof *op * (size_t)back);
  return done ? front : -1;
}

/* Halves of the ops to halves of the devices, and so on: METIS's own recursion, which would print to standard output where a part has no op. */
static int partition(job *j, ho_op *op, int32_t n, ho_device first, ho_device last) {
  double sum = 0, before = 0;
  ho_device middle = first + (last - first) / 2;
  if (last - first == 1) {
    for (int32_t i = 0; i < n; i++) j->device[op[i]] = (int16_t)first;
    return 1;
  }
  for (ho_device d = first; d < last; d++) {
    sum += j->share[d];
    if (d < middle) before += j->share[d];
  }
  int32_t front = before > 0 ? n : 0; /* one op, or none; or one half has no share */
  if (n > 1 && before > 0 && before < sum) front = bisect(j, op, n, before / sum);
  if (n == 1 && before > 0) front = 2 * before >= sum;
  if (front < 0) return 0;
  return partition(j, op, front, first, middle) && partition(j, op + front, n - front, middle, last);
}

static int partition_all(ho_search *s, const ho_costs *c, int16_t *device) {
  size_t n = (size_t)c->n_ops + 1;
  g_autofree double *share = g_new0(double, c->n_devices + 1);
  g_autofree guint *start = g_new0(guint, n + 1);
  g_autofree idx_t *number = g_new(idx_t, n);
  g_autofree ho_op *op = g_new(ho_op, n);
  job j = {.s = s, .c = c, .flows = find_flows(c->g), .start = start, .share = share, .number = number, .device = device};
  find_shares(c, share);
  for (guint i = 0; i < j.flows->len; i++) {
    const flow *x = &g_array_index(j.flows, flow, i);
    j.most = fmax(j.most, x->bytes);
    start[x->from + 1]++;
  }
  for (ho_op o = 0; o < c->n_ops; o++) {
    start[o + 1] += start[o];
    j.longest = fmax(j.longest, c->mean[o]);
    number[o] = -1;
    op[o] = o;
  }
  int done = partition(&j, op, c->n_ops, 0, c->n_devices);
  g_array_free(j.flows, TRUE);
  return done;
}

static ho_op metis_fill(ho_list *l, void *data) {
  const ho_costs *c = l->c;
  g_autofree int16_t *device = g_new0(int16_t, (size_t)c->n_ops + 1);
  if (partition_all(data, c, device)) return ho_list_by_devices(l, device);
  ho_search_fail(data, "METIS could not partition the graph");
  return -1;
}

static int metis_run(ho_search *s) {
  return ho_list_run_with(s, metis_fill, s);
}

#else

#include "sched/space.h"

static int metis_run(ho_search *s) {
  ho_space *v = ho_space_new(s); /* an op that nothing can run comes first, as everywhere */
  if (!v) return -1;
  ho_space_free(v);
  return ho_search_fail(s, "this build is without METIS: install libmetis-dev, configure and make again");
}
#endif

const ho_scheduler ho_scheduler_metis = {
    HO_LIST_SCHEDULER,
    .name = "metis",
    .summary = "one part of the graph per device, little data between them, by METIS",
    .source = "Karypis, Kumar, SIAM J. Scientific Computing 20(1), 1998",
    .options = options,
    .run = metis_run,
};
