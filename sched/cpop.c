/* cpop.c: critical path on a processor.
 *
 * Source: Topcuoglu, Hariri & Wu, IEEE TPDS 13(3), 2002, section 4.2.
 * An op's priority is its upward plus its downward rank. The critical path starts at the op without producers of highest priority and
 * goes on to the consumer of highest priority. Its ops run on the one device with the least sum of their seconds; all others where they
 * finish first, with insertion. Ops are taken from the ready ones by priority.
 * Where the paper is silent: ops of the path that its device cannot run go where they finish first; when no device can run the whole path,
 * the sum is over what it can run, and more such ops come before a lesser sum. Costs as in heft.c.
 * Complexity: as HEFT. Options: none. Ties: the lower index. */
#include <glib.h>
#include <math.h>

#include "sched/builtin.h"
#include "sched/list.h"

static ho_op best_of(const double *priority, ho_op best, ho_op o) {
  return best < 0 || priority[o] > priority[best] || (priority[o] == priority[best] && o < best) ? o : best;
}

/* Marks the ops of the critical path. */
static void find_path(const ho_costs *c, const double *priority, uint8_t *on_path) {
  const ho_graph *g = c->g;
  ho_op at = -1;
  for (ho_op o = 0; o < g->n_ops; o++) {
    int producers = 0;
    for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++) producers += g->tensor[g->in[i]].producer >= 0;
    if (producers == 0) at = best_of(priority, at, o);
  }
  while (at >= 0) {
    on_path[at] = 1;
    ho_op next = -1;
    for (int32_t i = g->out_start[at]; i < g->out_start[at + 1]; i++)
      for (int32_t u = g->use_start[g->out[i]]; u < g->use_start[g->out[i] + 1]; u++) next = best_of(priority, next, g->use[u]);
    at = next;
  }
}

static ho_device path_device(const ho_costs *c, const uint8_t *on_path) {
  ho_device best = -1;
  int32_t most = -1;
  double least = INFINITY;
  for (ho_device d = 0; d < c->n_devices; d++) {
    int32_t n = 0;
    double sum = 0;
    for (ho_op o = 0; o < c->n_ops; o++) {
      double t = c->time[(int64_t)o * c->n_devices + d];
      if (!on_path[o] || !isfinite(t)) continue;
      n++;
      sum += t;
    }
    if (n < most || (n == most && sum >= least)) continue;
    most = n;
    least = sum;
    best = d;
  }
  return best;
}

typedef struct {
  const uint8_t *on_path;
  ho_device device;
} path;

static ho_device path_on_its_device(ho_list *l, ho_op o, void *data) {
  const path *p = data;
  ho_device d = ho_list_best(l, o, NULL);
  return d >= 0 && p->on_path[o] && isfinite(ho_list_finish_on(l, o, p->device)) ? p->device : d;
}

static ho_op cpop_fill(ho_list *l) {
  const ho_costs *c = l->c;
  g_autofree double *priority = g_new(double, (size_t)c->n_ops + 1), *down = g_new(double, (size_t)c->n_ops + 1);
  g_autofree uint8_t *on_path = g_new0(uint8_t, (size_t)c->n_ops + 1);
  ho_rank_upward(c, priority);
  ho_rank_downward(c, down);
  for (ho_op o = 0; o < c->n_ops; o++) priority[o] += down[o];
  find_path(c, priority, on_path);
  path p = {on_path, path_device(c, on_path)};
  return ho_list_by_priority(l, priority, path_on_its_device, &p);
}

static int cpop_run(ho_search *s) {
  return ho_list_run(s, cpop_fill);
}

const ho_scheduler ho_scheduler_cpop = {
    HO_LIST_SCHEDULER,
    .name = "cpop",
    .summary = "the critical path on one device, the rest by earliest finish time",
    .source = "Topcuoglu, Hariri, Wu, IEEE TPDS 13(3), 2002, section 4.2",
    .run = cpop_run,
};
