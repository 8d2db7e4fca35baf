/* list.c: see list.h. */
#include "sched/list.h"

#include <glib.h>
#include <math.h>

#include "sched/order.h"
#include "sched/space.h"

ho_list *ho_list_new(const ho_costs *c) {
  ho_list *l = g_new0(ho_list, 1);
  l->c = c;
  l->start = g_new0(double, c->n_ops + 1);
  l->finish = g_new0(double, c->n_ops + 1);
  l->device = g_new(int16_t, c->n_ops + 1);
  for (ho_op o = 0; o < c->n_ops; o++) l->device[o] = -1;
  l->line = g_new0(ho_timeline, c->n_devices + 1);
  l->ready = g_new0(double, c->n_memories + 1);
  return l;
}

void ho_list_free(ho_list *l) {
  if (!l) return;
  for (ho_device d = 0; d < l->c->n_devices; d++) ho_timeline_clear(&l->line[d]);
  g_free(l->start);
  g_free(l->finish);
  g_free(l->device);
  g_free(l->line);
  g_free(l->ready);
  ho_plan_free(l->plan);
  g_free(l);
}

void ho_list_ready(ho_list *l, ho_op o) {
  const ho_costs *c = l->c;
  const ho_graph *g = c->g;
  for (ho_memory m = 0; m < c->n_memories; m++) l->ready[m] = g->op[o].release;
  for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++) {
    const ho_tensor_info *t = &g->tensor[g->in[i]];
    ho_memory from = c->input_memory[g->in[i]];
    double at = 0, bytes = (double)t->bytes;
    if (t->producer >= 0) {
      ho_device d = l->device[t->producer];
      from = c->p->device[d].memory;
      at = l->finish[t->producer];
      bytes = (double)ho_tensor_bytes(t, (ho_dtype)c->precision[(int64_t)t->producer * c->n_devices + d]);
    }
    if (from < 0) continue; /* weights are there */
    for (ho_memory m = 0; m < c->n_memories; m++) {
      double there = at + ho_costs_copy(c, from, m, bytes);
      if (there > l->ready[m]) l->ready[m] = there;
    }
  }
}

static double start_on(const ho_list *l, ho_device d, double ready, double time) {
  const ho_timeline *line = &l->line[d];
  if (l->append) return line->n ? fmax(ready, line->slot[line->n - 1].end) : ready;
  return ho_timeline_earliest(line, ready, time);
}

double ho_list_start_on(const ho_list *l, ho_op o, ho_device d) {
  double time = l->c->time[(int64_t)o * l->c->n_devices + d], ready = l->ready[l->c->p->device[d].memory];
  return isfinite(time) && isfinite(ready) ? start_on(l, d, ready, time) : INFINITY;
}

double ho_list_finish_on(const ho_list *l, ho_op o, ho_device d) {
  double time = l->c->time[(int64_t)o * l->c->n_devices + d], ready = l->ready[l->c->p->device[d].memory];
  if (!isfinite(time) || !isfinite(ready)) return INFINITY;
  return start_on(l, d, ready, time) + time;
}

ho_device ho_list_best(ho_list *l, ho_op o, const double *bias) {
  ho_list_ready(l, o);
  ho_device best = -1;
  double least = INFINITY;
  for (ho_device d = 0; d < l->c->n_devices; d++) {
    double value = ho_list_finish_on(l, o, d) + (bias ? bias[d] : 0);
    if (!(value < least)) continue;
    least = value;
    best = d;
  }
  return best;
}

ho_device ho_list_first_start(ho_list *l, ho_op o, void *unused) {
  (void)unused;
  ho_list_ready(l, o);
  ho_device best = -1;
  double first = INFINITY, soonest = INFINITY;
  for (ho_device d = 0; d < l->c->n_devices; d++) {
    double time = l->c->time[(int64_t)o * l->c->n_devices + d], ready = l->ready[l->c->p->device[d].memory];
    if (!isfinite(time) || !isfinite(ready)) continue;
    double start = start_on(l, d, ready, time);
    if (start > first || (start == first && !(start + time < soonest))) continue;
    first = start;
    soonest = start + time;
    best = d;
  }
  return best;
}

void ho_list_place(ho_list *l, ho_op o, ho_device d) {
  double time = l->c->time[(int64_t)o * l->c->n_devices + d];
  l->start[o] = start_on(l, d, l->ready[l->c->p->device[d].memory], time);
  l->finish[o] = l->start[o] + time;
  l->device[o] = (int16_t)d;
  ho_timeline_insert(&l->line[d], l->start[o], time);
}

ho_op ho_list_walk(const ho_graph *g, const double *priority, ho_op (*place)(void *data, ho_op o), void *data) {
  ho_order *order = ho_order_new(g);
  ho_order_begin(order, priority);
  ho_op stuck = -1;
  for (ho_op o = ho_order_next(order); o >= 0 && stuck < 0; o = ho_order_next(order)) stuck = place(data, o);
  ho_order_free(order);
  return stuck;
}

typedef struct {
  ho_list *l;
  ho_list_choice choose;
  void *data;
} choosing;

static ho_op choose_and_place(void *data, ho_op o) {
  const choosing *x = data;
  ho_device d = x->choose ? x->choose(x->l, o, x->data) : ho_list_best(x->l, o, NULL);
  if (d < 0) return o;
  ho_list_place(x->l, o, d);
  return -1;
}

ho_op ho_list_by_priority(ho_list *l, const double *priority, ho_list_choice choose, void *data) {
  choosing x = {l, choose, data};
  return ho_list_walk(l->c->g, priority, choose_and_place, &x);
}

static ho_device as_said(ho_list *l, ho_op o, void *data) {
  const int16_t *device = data;
  ho_device best = ho_list_best(l, o, NULL);
  return best >= 0 && isfinite(ho_list_finish_on(l, o, device[o])) ? device[o] : best;
}

ho_op ho_list_by_devices(ho_list *l, const int16_t *device) {
  g_autofree double *rank = g_new(double, (size_t)l->c->n_ops + 1);
  ho_rank_upward(l->c, rank);
  return ho_list_by_priority(l, rank, as_said, (void *)device);
}

ho_plan *ho_list_plan(const ho_list *l) {
  ho_plan *plan = ho_plan_new(l->c->n_ops);
  for (ho_op o = 0; o < l->c->n_ops; o++) {
    if (l->device[o] < 0) {
      ho_plan_free(plan);
      return NULL;
    }
    plan->entry[o].op = o;
    plan->entry[o].device = l->device[o];
  }
  ho_plan_sort_by_start(plan, l->c->g, l->start);
  return plan;
}

static int keep(ho_search *s, const ho_list *l) {
  ho_plan *plan = l->plan ? ho_plan_copy(l->plan) : ho_list_plan(l);
  if (!plan) return ho_search_fail(s, "left an op without a device");
  double objectives[HO_MAX_OBJECTIVES];
  ho_search_keep(s, plan, objectives);
  ho_plan_free(plan);
  return 0;
}

static int fail_stuck(ho_search *s, ho_op o) {
  const ho_problem *q = ho_search_problem(s);
  return ho_search_fail(s, "op '%s' has no device on platform '%s' that can run it and that all its inputs can reach",
                        q->graph->op[o].name, q->platform->name);
}

int ho_list_run_with(ho_search *s, ho_op (*fill)(ho_list *l, void *data), void *data) {
  ho_space *space = ho_space_new(s); /* says which op nothing can run */
  if (!space) return -1;
  ho_space_free(space);
  ho_costs *c = ho_costs_new(ho_search_problem(s));
  ho_list *l = ho_list_new(c);
  ho_op stuck = fill(l, data);
  int status = stuck >= 0 ? fail_stuck(s, stuck) : keep(s, l);
  ho_list_free(l);
  ho_costs_free(c);
  return status;
}

typedef struct {
  ho_op (*fill)(ho_list *l);
} plain_fill;

static ho_op fill_plainly(ho_list *l, void *data) {
  return ((plain_fill *)data)->fill(l);
}

int ho_list_run(ho_search *s, ho_op (*fill)(ho_list *l)) {
  plain_fill plain = {fill};
  return ho_list_run_with(s, fill_plainly, &plain);
}
