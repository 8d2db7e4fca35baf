/* dsc.c: dominant sequence clustering.
 *
 * Source: Yang & Gerasoulis, "DSC: Scheduling parallel tasks on an unbounded number of processors", IEEE TPDS 5(9), 1994, sections 4 and 5.
 * Ops are examined one by one. Of the free ones (all producers examined) the next is that of greatest top level + bottom level. It joins the
 * cluster of the producer whose data comes last, behind what is there, when it starts earlier so; producers next in line that have no other
 * consumer and no other op in their cluster come along as long as the start falls on. Else it begins a cluster of its own. When a
 * partially free op is more dominant, and its own start could be reduced in the cluster of its dominant producer, the free op must not take that
 * place (the paper's DSRW). Clusters go to devices by load (clusters.h); ops in order of upward rank, with insertion.
 * Where the paper is silent: for unlike devices, mean seconds and mean copies (costs.h); an op that its cluster's device cannot run goes where it
 * finishes first; a producer that comes along goes behind what is there.
 * Complexity: O(ops · (width + producers²)). Options: none. Ties: the lower index. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "sched/builtin.h"
#include "sched/clusters.h"
#include "sched/list.h"

typedef struct {
  const ho_costs *c;
  double *bottom;     /* upward rank */
  double *start;      /* of examined ops, s; of others the latest arrival from examined producers: their top level */
  int32_t *cluster;   /* -1: not examined */
  int32_t *missing;   /* by op: tensors whose producers are not examined */
  int32_t *consumers; /* by op: (tensor, consumer) pairs */
  double *ends;       /* by cluster */
  int32_t *size;      /* by cluster */
  int32_t n;          /* clusters */
  ho_op *seen;        /* ops that are free or partially free */
  int32_t n_seen;
  ho_op *producer; /* scratch of the op under examination, by arrival, the latest first */
} state;

static double arrival(const state *x, ho_tensor t) {
  ho_op p = x->c->g->tensor[t].producer;
  return x->start[p] + x->c->mean[p] + ho_costs_mean_copy(x->c, t);
}

/* When the data of o has come, its examined producers in cluster k (-1: none) sending for nothing; `also`: producers that count as being in k. */
static double data_of(const state *x, ho_op o, int32_t k, const ho_op *also, int32_t n_also) {
  const ho_graph *g = x->c->g;
  double last = 0;
  for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++) {
    ho_op p = g->tensor[g->in[i]].producer;
    if (p < 0 || x->cluster[p] < 0) continue;
    int here = k >= 0 && x->cluster[p] == k;
    for (int32_t j = 0; j < n_also; j++) here |= also[j] == p;
    if (!here) last = fmax(last, arrival(x, g->in[i]));
  }
  return last;
}

/* Latest arrival from p at o. */
static double arrival_from(const state *x, ho_op p, ho_op o) {
  const ho_graph *g = x->c->g;
  double last = 0;
  for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++)
    if (g->tensor[g->in[i]].producer == p) last = fmax(last, arrival(x, g->in[i]));
  return last;
}

/* Examined producers of o, each once, the latest arrival first. */
static int32_t producers_of(const state *x, ho_op o) {
  const ho_graph *g = x->c->g;
  int32_t n = 0;
  for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++) {
    ho_op p = g->tensor[g->in[i]].producer;
    if (p < 0 || x->cluster[p] < 0) continue;
    double at = arrival_from(x, p, o);
    int32_t k = 0;
    for (; k < n && x->producer[k] != p; k++) {
    }
    if (k < n) continue;
    for (k = n++; k > 0; k--) {
      double before = arrival_from(x, x->producer[k - 1], o);
      if (before > at || (before == at && x->producer[k - 1] < p)) break;
      x->producer[k] = x->producer[k - 1];
    }
    x->producer[k] = p;
  }
  return n;
}

/* Whether p has no consumer but o, and nothing else in its cluster. */
static int comes_along(const state *x, ho_op p, ho_op o) {
  const ho_graph *g = x->c->g;
  int32_t reads = 0;
  for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++) reads += g->tensor[g->in[i]].producer == p;
  return x->size[x->cluster[p]] == 1 && x->consumers[p] == reads;
}

static void examine(state *x, ho_op o, int32_t k, double start) {
  x->cluster[o] = k;
  x->start[o] = start;
  x->ends[k] = start + x->c->mean[o];
  x->size[k]++;
}

/* The cluster that o must leave to the partially free op `dominant`; -1: none. */
static int32_t reserved_cluster(const state *x, ho_op dominant) {
  int32_t n = producers_of(x, dominant);
  if (n == 0) return -1;
  int32_t k = x->cluster[x->producer[0]];
  double there = fmax(x->ends[k], data_of(x, dominant, k, NULL, 0));
  return there < x->start[dominant] ? k : -1;
}

/* Joins o to the cluster where it starts earliest, or begins one. */
static void place(state *x, ho_op o, int32_t reserved) {
  int32_t n = producers_of(x, o), moved = 0, k = n > 0 ? x->cluster[x->producer[0]] : -1;
  if (k >= 0 && k != reserved) {
    double end = x->ends[k], start = fmax(end, data_of(x, o, k, NULL, 0));
    for (int32_t i = 1; i < n; i++) {
      ho_op p = x->producer[i];
      if (x->cluster[p] == k) continue;
      if (!comes_along(x, p, o)) break;
      double p_end = fmax(end, data_of(x, p, k, x->producer + 1, moved)) + x->c->mean[p];
      ho_op swap = x->producer[1 + moved]; /* those who come along stand behind the first */
      x->producer[1 + moved] = p;
      double sooner = fmax(p_end, data_of(x, o, k, x->producer + 1, moved + 1));
      if (!(sooner < start)) {
        x->producer[1 + moved] = swap;
        break;
      }
      x->producer[i] = swap;
      moved++;
      end = p_end;
      start = sooner;
    }
    if (start < x->start[o]) {
      for (int32_t i = 1; i <= moved; i++) {
        ho_op p = x->producer[i];
        double p_start = fmax(x->ends[k], data_of(x, p, k, NULL, 0));
        x->size[x->cluster[p]] = 0;
        examine(x, p, k, p_start);
      }
      examine(x, o, k, start);
      return;
    }
  }
  examine(x, o, x->n++, x->start[o]);
}

static double dominance(const state *x, ho_op o) {
  return x->start[o] + x->bottom[o];
}

/* The most dominant of the ops seen that are free, or that are not. -1: none. */
static ho_op most_dominant(const state *x, int free) {
  ho_op best = -1;
  for (int32_t i = 0; i < x->n_seen; i++) {
    ho_op o = x->seen[i];
    if ((x->missing[o] == 0) != free) continue;
    if (best < 0 || dominance(x, o) > dominance(x, best) || (dominance(x, o) == dominance(x, best) && o < best)) best = o;
  }
  return best;
}

static void see(state *x, ho_op o) {
  for (int32_t i = 0; i < x->n_seen; i++)
    if (x->seen[i] == o) return;
  x->seen[x->n_seen++] = o;
}

static void forget(state *x, ho_op o) {
  int32_t i = 0;
  while (x->seen[i] != o) i++;
  x->seen[i] = x->seen[--x->n_seen];
}

static void tell_consumers(state *x, ho_op o) {
  const ho_graph *g = x->c->g;
  for (int32_t i = g->out_start[o]; i < g->out_start[o + 1]; i++)
    for (int32_t u = g->use_start[g->out[i]]; u < g->use_start[g->out[i] + 1]; u++) {
      ho_op to = g->use[u];
      x->missing[to]--;
      x->start[to] = data_of(x, to, -1, NULL, 0);
      see(x, to);
    }
}

static void cluster_all(state *x) {
  const ho_graph *g = x->c->g;
  for (ho_op o = 0; o < g->n_ops; o++) {
    x->cluster[o] = -1;
    x->start[o] = 0;
    for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++) {
      ho_op p = g->tensor[g->in[i]].producer;
      if (p < 0) continue;
      x->missing[o]++;
      x->consumers[p]++;
    }
    if (x->missing[o] == 0) see(x, o);
  }
  for (ho_op o = most_dominant(x, 1); o >= 0; o = most_dominant(x, 1)) {
    ho_op other = most_dominant(x, 0);
    int other_first = other >= 0 && dominance(x, other) > dominance(x, o);
    forget(x, o);
    place(x, o, other_first ? reserved_cluster(x, other) : -1);
    tell_consumers(x, o);
  }
}

static ho_op dsc_fill(ho_list *l) {
  size_t n = (size_t)l->c->n_ops + 1;
  g_autofree double *bottom = g_new(double, n), *start = g_new(double, n), *ends = g_new0(double, n);
  g_autofree int32_t *cluster = g_new(int32_t, n), *missing = g_new0(int32_t, n), *consumers = g_new0(int32_t, n),
                     *size = g_new0(int32_t, n);
  g_autofree ho_op *seen = g_new(ho_op, n), *producer = g_new(ho_op, n);
  g_autofree int16_t *device = g_new(int16_t, n);
  state x = {.c = l->c, .bottom = bottom, .start = start, .cluster = cluster, .missing = missing, .consumers = consumers};
  x.ends = ends;
  x.size = size;
  x.seen = seen;
  x.producer = producer;
  ho_rank_upward(l->c, bottom);
  cluster_all(&x);
  ho_clusters_map(l->c, cluster, x.n, device);
  return ho_list_by_devices(l, device);
}

static int dsc_run(ho_search *s) {
  return ho_list_run(s, dsc_fill);
}

const ho_scheduler ho_scheduler_dsc = {
    HO_LIST_SCHEDULER,
    .name = "dsc",
    .summary = "dominant sequence clustering, clusters go to devices by load",
    .source = "Yang, Gerasoulis, IEEE TPDS 5(9), 1994, sections 4 and 5",
    .run = dsc_run,
};
