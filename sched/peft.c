/* peft.c: predict earliest finish time.
 *
 * Source: Arabnejad & Barbosa, "List scheduling algorithm for heterogeneous systems by an optimistic cost table", IEEE TPDS 25(3), 2014,
 * section 4.
 * OCT(i, p) = max over consumers j of min over devices w of [OCT(j, w) + time(j, w) + mean copy, none when w = p]. Ready ops by decreasing
 * mean of their row; each goes to the device of least (earliest finish + OCT), with insertion.
 * Where the paper is silent: devices on one memory copy nothing between them; rows are averaged over devices that can run the op. Costs as
 * in heft.c.
 * Complexity: O(edges · devices²). Options: none. Ties: the lower index. */
#include "sched/peft.h"

#include <glib.h>
#include <math.h>

#include "sched/builtin.h"

/* What consumer j adds to the way from device p on, its data coming by a copy of `copy` seconds. */
static double cheapest_from(const ho_costs *c, const double *table, ho_op j, ho_device p, double copy) {
  double least = INFINITY;
  for (ho_device w = 0; w < c->n_devices; w++) {
    int64_t k = (int64_t)j * c->n_devices + w;
    int here = w == p || c->p->device[w].memory == c->p->device[p].memory;
    double way = table[k] + c->time[k] + (here ? 0 : copy);
    if (way < least) least = way;
  }
  return least;
}

void ho_peft_table(const ho_costs *c, double *out) {
  const ho_graph *g = c->g;
  for (int32_t k = g->n_ops - 1; k >= 0; k--) {
    ho_op o = g->topo[k];
    for (ho_device p = 0; p < c->n_devices; p++) {
      double longest = 0;
      for (int32_t i = g->out_start[o]; i < g->out_start[o + 1]; i++) {
        ho_tensor t = g->out[i];
        double copy = ho_costs_mean_copy(c, t);
        for (int32_t u = g->use_start[t]; u < g->use_start[t + 1]; u++)
          longest = fmax(longest, cheapest_from(c, out, g->use[u], p, copy));
      }
      out[(int64_t)o * c->n_devices + p] = longest;
    }
  }
}

void ho_peft_rank(const ho_costs *c, const double *table, double *out) {
  for (ho_op o = 0; o < c->n_ops; o++) {
    double sum = 0;
    int32_t n = 0;
    for (ho_device p = 0; p < c->n_devices; p++) {
      int64_t k = (int64_t)o * c->n_devices + p;
      if (!isfinite(c->time[k])) continue;
      sum += table[k];
      n++;
    }
    out[o] = n > 0 ? sum / n : 0;
  }
}

static ho_device least_with_table(ho_list *l, ho_op o, void *table) {
  return ho_list_best(l, o, (const double *)table + (int64_t)o * l->c->n_devices);
}

ho_op ho_peft_fill(ho_list *l) {
  const ho_costs *c = l->c;
  g_autofree double *table = g_new(double, (size_t)c->n_ops *(size_t)c->n_devices + 1),
                    *rank = g_new(double, (size_t)c->n_ops + 1);
  ho_peft_table(c, table);
  ho_peft_rank(c, table, rank);
  return ho_list_by_priority(l, rank, least_with_table, table);
}

static int peft_run(ho_search *s) {
  return ho_list_run(s, ho_peft_fill);
}

const ho_scheduler ho_scheduler_peft = {
    HO_LIST_SCHEDULER,
    .name = "peft",
    .summary = "earliest finish time with a table of optimistic costs to the end",
    .source = "Arabnejad, Barbosa, IEEE TPDS 25(3), 2014, section 4",
    .run = peft_run,
};
