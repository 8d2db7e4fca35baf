/* seeds.c: see seeds.h. */
#include "sched/seeds.h"

#include <glib.h>

#include "sched/decode.h"
#include "sched/heft.h"
#include "sched/peft.h"
#include "sched/place.h"

static int16_t *device_of(ho_seeds *z, int32_t i) {
  return z->device + (size_t)i * (size_t)z->n_ops;
}
static double *priority_of(ho_seeds *z, int32_t i) {
  return z->priority + (size_t)i * (size_t)z->n_ops;
}

static void add_list(ho_seeds *z, const ho_costs *c, ho_op (*fill)(ho_list *l)) {
  ho_list *l = ho_list_new(c);
  ho_plan *plan = fill(l) < 0 ? ho_list_plan(l) : NULL;
  if (plan) {
    ho_encode(plan, device_of(z, z->n), priority_of(z, z->n));
    z->n++;
  }
  ho_plan_free(plan);
  ho_list_free(l);
}

ho_seeds *ho_seeds_new(const ho_problem *q, const ho_space *v) {
  ho_seeds *z = g_new0(ho_seeds, 1);
  size_t most = 2 * (size_t)v->n_devices + 3;
  z->n_ops = v->n_ops;
  z->device = g_new0(int16_t, most * (size_t)v->n_ops + 1);
  z->priority = g_new0(double, most *(size_t)v->n_ops + 1);
  ho_costs *c = ho_costs_new(q);
  add_list(z, c, ho_heft_fill);
  add_list(z, c, ho_peft_fill);
  ho_costs_free(c);
  ho_place_greedy(q, 1, device_of(z, z->n));
  ho_priority_topological(q->graph, priority_of(z, z->n++));
  for (ho_device d = 0; d < v->n_devices; d++) {
    ho_op first;
    if (!ho_space_runs_all(v, q->graph, d, &first)) continue;
    ho_place_single(q, v, d, device_of(z, z->n));
    ho_priority_topological(q->graph, priority_of(z, z->n++));
    ho_place_single(q, v, d, device_of(z, z->n));
    ho_priority_depth_first(q->graph, priority_of(z, z->n++));
  }
  return z;
}

void ho_seeds_free(ho_seeds *z) {
  if (!z) return;
  g_free(z->device);
  g_free(z->priority);
  g_free(z);
}
