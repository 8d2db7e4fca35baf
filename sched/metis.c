/* metis.c: parts of a graph between which little data flows, one per device, by METIS.
 *
 * Source: Karypis & Kumar, "A fast and high quality multilevel scheme for partitioning irregular graphs", SIAM J. Scientific Computing 20(1), 1998;
 * the library METIS 5.1. As a placement baseline: Mirhoseini et al., ICML 2017, section 4 (Scotch there).
 * Vertices are ops, weighing their mean seconds; an edge is what flows between two ops, in bytes. A device's part shall have the share of
 * all weight that its speed has of all speeds; speed: the mean over all ops of mean seconds / seconds there, 0 where it cannot run. Ops are issued
 * by upward rank; one that its part's device cannot run goes where it finishes first. Costs as in heft.c.
 * Weights are whole numbers to METIS: seconds are scaled to 1 … 1000 (0: 1), bytes to 1 … 1000000 by their largest.
 * Graphs of fewer ops than twice the devices are not partitioned: each op goes where it finishes first.
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

/* Shares of the devices, which add up to 1. */
static void find_shares(const ho_costs *c, real_t *share) {
  g_autofree double *speed = g_new0(double, c->n_devices + 1);
  double sum = 0;
  for (ho_op o = 0; o < c->n_ops; o++)
    for (ho_device d = 0; d < c->n_devices; d++) {
      double time = c->time[(int64_t)o * c->n_devices + d];
      if (isfinite(time)) speed[d] += time > 0 ? c->mean[o] / time : 1;
    }
  for (ho_device d = 0; d < c->n_devices; d++) sum += speed[d];
  for (ho_device d = 0; d < c->n_devices; d++) share[d] = (real_t)(sum > 0 ? speed[d] / sum : 1.0 / c->n_devices);
}

static int call_metis(idx_t n, idx_t *start, idx_t *adjacent, idx_t *weight, idx_t *edge_weight, idx_t parts, real_t *share,
                      idx_t *settings, idx_t *part) {
  static GMutex turn; /* see above: the library's state, not ours */
  idx_t constraints = 1, cut;
  g_mutex_lock(&turn);
  int status = METIS_PartGraphRecursive(&n, &constraints, start, adjacent, weight, NULL, edge_weight, &parts, share, NULL,
                                        settings, &cut, part);
  g_mutex_unlock(&turn);
  return status == METIS_OK;
}

/* 0: METIS gave up. */
static int partition(ho_search *s, const ho_costs *c, int16_t *device) {
  size_t n = (size_t)c->n_ops + 1;
  GArray *flows = find_flows(c->g);
  g_autofree idx_t *start = g_new0(idx_t, n), *weight = g_new(idx_t, n), *part = g_new0(idx_t, n),
                   *adjacent = g_new(idx_t, flows->len + 1), *edge_weight = g_new(idx_t, flows->len + 1);
  g_autofree real_t *share = g_new(real_t, c->n_devices + 1);
  double longest = 0, largest = 0;
  for (ho_op o = 0; o < c->n_ops; o++) longest = fmax(longest, c->mean[o]);
  for (guint i = 0; i < flows->len; i++) largest = fmax(largest, g_array_index(flows, flow, i).bytes);
  for (ho_op o = 0; o < c->n_ops; o++) weight[o] = scaled(c->mean[o], longest, 1e3);
  for (guint i = 0; i < flows->len; i++) {
    const flow *x = &g_array_index(flows, flow, i);
    start[x->from + 1]++;
    adjacent[i] = x->to;
    edge_weight[i] = scaled(x->bytes, largest, 1e6);
  }
  for (ho_op o = 0; o < c->n_ops; o++) start[o + 1] += start[o];
  g_array_free(flows, TRUE);
  find_shares(c, share);
  idx_t settings[METIS_NOPTIONS];
  METIS_SetDefaultOptions(settings);
  settings[METIS_OPTION_SEED] = (idx_t)ho_search_option_int(s, "seed");
  settings[METIS_OPTION_UFACTOR] = (idx_t)ho_search_option_int(s, "imbalance");
  int done = call_metis(c->n_ops, start, adjacent, weight, edge_weight, c->n_devices, share, settings, part);
  for (ho_op o = 0; o < c->n_ops; o++) device[o] = (int16_t)part[o];
  return done;
}

static ho_op metis_fill(ho_list *l, void *data) {
  const ho_costs *c = l->c;
  g_autofree int16_t *device = g_new0(int16_t, (size_t)c->n_ops + 1);
  if (c->n_ops < 2 * c->n_devices || c->n_devices == 1) {
    g_autofree double *rank = g_new(double, (size_t)c->n_ops + 1);
    ho_rank_upward(c, rank);
    return ho_list_by_priority(l, rank, NULL, NULL);
  }
  if (partition(data, c, device)) return ho_list_by_devices(l, device);
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
