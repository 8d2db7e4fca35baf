/* ippts.c: improved predict priority task scheduling.
 *
 * Source: Djigal, Feng, Lu & Ge, "IPPTS: An efficient algorithm for scientific workflow scheduling in heterogeneous computing systems", IEEE TPDS
 * 32(5), 2021.
 * PCM(i, p) = max over consumers j of min over devices w of [PCM(j, w) + time(i, w) + time(j, w) + mean copy, none when w = p]; of an op without
 * consumers its time on p. Ready ops by decreasing (mean of their row) · (number of consumers); each goes to the device of least
 * [earliest finish + PCM − time there], with insertion.
 * That sum is the earliest start + PCM, and is computed so, since devices tie often.
 * Where the paper is silent: devices on one memory copy nothing between them; rows are averaged over devices that can run the op; a device counts
 * for w when it can run both ops, or, where none can, when it can run the consumer, the op itself at its least. Costs as in heft.c.
 * Complexity: O(edges · devices²). Options: none. Ties: the lower index. */
#include <glib.h>
#include <math.h>

#include "sched/builtin.h"
#include "sched/list.h"

static double least_time(const ho_costs *c, ho_op o) {
  double least = INFINITY;
  for (ho_device d = 0; d < c->n_devices; d++) least = fmin(least, c->time[(int64_t)o * c->n_devices + d]);
  return least;
}

/* What consumer j adds to the way of op i from device p on, its data coming by a copy of `copy` seconds. */
static double cheapest(const ho_costs *c, const double *table, ho_op i, ho_op j, ho_device p, double copy) {
  double least = INFINITY, apart = INFINITY;
  for (ho_device w = 0; w < c->n_devices; w++) {
    int64_t k = (int64_t)j * c->n_devices + w;
    int here = w == p || c->p->device[w].memory == c->p->device[p].memory;
    double way = table[k] + c->time[k] + (here ? 0 : copy);
    least = fmin(least, way + c->time[(int64_t)i * c->n_devices + w]);
    apart = fmin(apart, way);
  }
  return isfinite(least) ? least : apart + least_time(c, i);
}

static double predicted(const ho_costs *c, const double *table, ho_op o, ho_device p) {
  const ho_graph *g = c->g;
  double longest = -1;
  for (int32_t i = g->out_start[o]; i < g->out_start[o + 1]; i++) {
    ho_tensor t = g->out[i];
    double copy = ho_costs_mean_copy(c, t);
    for (int32_t u = g->use_start[t]; u < g->use_start[t + 1]; u++)
      longest = fmax(longest, cheapest(c, table, o, g->use[u], p, copy));
  }
  return longest < 0 ? c->time[(int64_t)o * c->n_devices + p] : longest;
}

/* Consumers, each once however many tensors it reads; `seen` by op. */
static int32_t out_degree(const ho_graph *g, ho_op o, ho_op *seen) {
  int32_t n = 0;
  for (int32_t i = g->out_start[o]; i < g->out_start[o + 1]; i++)
    for (int32_t u = g->use_start[g->out[i]]; u < g->use_start[g->out[i] + 1]; u++) {
      n += seen[g->use[u]] != o;
      seen[g->use[u]] = o;
    }
  return n;
}

static void fill_table(const ho_costs *c, double *table) {
  for (int32_t k = c->n_ops - 1; k >= 0; k--) {
    ho_op o = c->g->topo[k];
    for (ho_device p = 0; p < c->n_devices; p++) table[(int64_t)o * c->n_devices + p] = predicted(c, table, o, p);
  }
}

static void fill_priority(const ho_costs *c, const double *table, double *priority) {
  g_autofree ho_op *seen = g_new(ho_op, (size_t)c->n_ops + 1);
  for (ho_op o = 0; o < c->n_ops; o++) seen[o] = -1;
  for (ho_op o = 0; o < c->n_ops; o++) {
    double sum = 0;
    int32_t n = 0;
    for (ho_device d = 0; d < c->n_devices; d++) {
      if (!isfinite(c->time[(int64_t)o * c->n_devices + d])) continue;
      sum += table[(int64_t)o * c->n_devices + d];
      n++;
    }
    priority[o] = sum / n * out_degree(c->g, o, seen);
  }
}

static ho_device choose(ho_list *l, ho_op o, void *data) {
  const double *table = data;
  int64_t row = (int64_t)o * l->c->n_devices;
  ho_device best = -1;
  double least = INFINITY;
  ho_list_ready(l, o);
  for (ho_device d = 0; d < l->c->n_devices; d++) {
    double start = ho_list_start_on(l, o, d);
    if (!isfinite(start)) continue;
    double value = start + table[row + d];
    if (!(value < least)) continue;
    least = value;
    best = d;
  }
  return best;
}

static ho_op ippts_fill(ho_list *l) {
  size_t n = (size_t)l->c->n_ops;
  g_autofree double *table = g_new(double, n *(size_t)l->c->n_devices + 1), *priority = g_new(double, n + 1);
  fill_table(l->c, table);
  fill_priority(l->c, table, priority);
  return ho_list_by_priority(l, priority, choose, table);
}

static int ippts_run(ho_search *s) {
  return ho_list_run(s, ippts_fill);
}

const ho_scheduler ho_scheduler_ippts = {
    HO_LIST_SCHEDULER,
    .name = "ippts",
    .summary = "PEFT's idea with the op's own time in the table, and many consumers first",
    .source = "Djigal, Feng, Lu, Ge, IEEE TPDS 32(5), 2021",
    .run = ippts_run,
};
