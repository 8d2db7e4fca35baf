/* linear_clustering.c: the longest path is a cluster, then the longest of what is left.
 *
 * Source: Kim & Browne, "A general approach to mapping of parallel computations upon multiprocessor architectures", ICPP 1988, vol. 3, as
 * in Gerasoulis & Yang, J. Parallel and Distributed Computing 16, 1992, section 3.2.
 * A path's length is its ops' mean seconds and its edges' mean copies (costs.h). The longest one becomes a cluster, and its ops and their edges
 * go, until nothing is left. Clusters go to devices by load (clusters.h); ops in order of upward rank, with insertion.
 * Where the paper is silent: for unlike devices, means; an op that its cluster's device cannot run goes where it finishes first.
 * Complexity: O(clusters · (ops + edges)). Options: none. Ties: the lower index. */
#include <glib.h>
#include <math.h>

#include "sched/builtin.h"
#include "sched/clusters.h"
#include "sched/list.h"

/* length[o]: longest path from o on through ops without a cluster; next[o]: its second op, -1. Returns the op where the longest starts, -1: none. */
static ho_op longest_path(const ho_costs *c, const int32_t *cluster, double *length, ho_op *next) {
  const ho_graph *g = c->g;
  ho_op best = -1;
  for (int32_t k = g->n_ops - 1; k >= 0; k--) {
    ho_op o = g->topo[k];
    if (cluster[o] >= 0) continue;
    double longest = 0;
    next[o] = -1;
    for (int32_t i = g->out_start[o]; i < g->out_start[o + 1]; i++) {
      double copy = ho_costs_mean_copy(c, g->out[i]);
      for (int32_t u = g->use_start[g->out[i]]; u < g->use_start[g->out[i] + 1]; u++) {
        ho_op to = g->use[u];
        if (cluster[to] >= 0) continue;
        double way = copy + length[to];
        if (next[o] >= 0 && (way < longest || (way == longest && to >= next[o]))) continue;
        longest = way;
        next[o] = to;
      }
    }
    length[o] = c->mean[o] + longest;
    if (best < 0 || length[o] > length[best] || (length[o] == length[best] && o < best)) best = o;
  }
  return best;
}

static ho_op linear_fill(ho_list *l) {
  size_t n = (size_t)l->c->n_ops + 1;
  g_autofree int32_t *cluster = g_new(int32_t, n);
  g_autofree double *length = g_new(double, n);
  g_autofree ho_op *next = g_new(ho_op, n);
  g_autofree int16_t *device = g_new(int16_t, n);
  int32_t clusters = 0;
  for (size_t i = 0; i < n; i++) cluster[i] = -1;
  for (ho_op o = longest_path(l->c, cluster, length, next); o >= 0; o = longest_path(l->c, cluster, length, next)) {
    for (; o >= 0; o = next[o]) cluster[o] = clusters;
    clusters++;
  }
  ho_clusters_map(l->c, cluster, clusters, device);
  return ho_list_by_devices(l, device);
}

static int linear_run(ho_search *s) {
  return ho_list_run(s, linear_fill);
}

const ho_scheduler ho_scheduler_linear_clustering = {
    HO_LIST_SCHEDULER,
    .name = "linear-clustering",
    .summary = "longest paths become clusters, clusters go to devices by load",
    .source = "Kim, Browne, ICPP 1988, vol. 3",
    .run = linear_run,
};
