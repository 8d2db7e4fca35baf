/* place.c: see place.h. */
#include "sched/place.h"

#include <glib.h>
#include <math.h>

#include "sched/decode.h"

double ho_place_intensity(const ho_problem *q, ho_op o, ho_device d) {
  const ho_kernel *k = ho_cost_kernel(q->cost, o, d);
  if (k->from_table) return NAN;
  return k->bytes > 0 ? q->graph->op[o].flops / k->bytes : INFINITY;
}

double ho_place_ridge(const ho_problem *q, ho_op o, ho_device d) {
  const ho_device_info *x = &q->platform->device[d];
  ho_dtype p = ho_cost_default_precision(q->cost, o, d);
  double peak = p >= 0 ? x->peak[p] * ho_device_efficiency(x, p, q->graph->op[o].family) : 0;
  return peak / (x->bandwidth * ho_device_memory_efficiency(x, q->graph->op[o].family));
}

int16_t ho_place_quickest(const ho_problem *q, ho_op o, unsigned kinds,
                          int (*keep)(const ho_problem *q, ho_op o, ho_device d, double x), double x) {
  int16_t best = -1;
  for (ho_device d = 0; d < q->platform->n_devices; d++) {
    if (!(kinds >> q->platform->device[d].kind & 1) || !ho_cost_can_run(q->cost, o, d) || (keep && !keep(q, o, d, x))) continue;
    if (best < 0 || ho_cost_time(q->cost, o, d) < ho_cost_time(q->cost, o, best)) best = (int16_t)d;
  }
  return best;
}

static int compute_bound(const ho_problem *q, ho_op o, ho_device d, double threshold) {
  return ho_place_intensity(q, o, d) >= threshold * ho_place_ridge(q, o, d); /* no for time tables: NAN */
}

void ho_place_greedy(const ho_problem *q, double threshold, int16_t *device) {
  const unsigned accelerators = 1U << HO_DEVICE_GPU | 1U << HO_DEVICE_NPU, cpu = 1U << HO_DEVICE_CPU, all = ~0U;
  for (ho_op o = 0; o < q->graph->n_ops; o++) {
    device[o] = -1;
    if (q->graph->op[o].n_times < 0) {
      device[o] = ho_place_quickest(q, o, accelerators, compute_bound, threshold);
      if (device[o] < 0) device[o] = ho_place_quickest(q, o, cpu, NULL, 0);
    }
    if (device[o] < 0) device[o] = ho_place_quickest(q, o, all, NULL, 0);
  }
}

void ho_place_single(const ho_problem *q, const ho_space *v, ho_device d, int16_t *device) {
  for (ho_op o = 0; o < v->n_ops; o++)
    device[o] = ho_cost_can_run(q->cost, o, d) ? (int16_t)d : ho_place_quickest(q, o, ~0U, NULL, 0);
}

ho_plan *ho_place_plan(const ho_problem *q, const ho_space *v, const int16_t *device) {
  g_autofree double *priority = g_new(double, (size_t)q->graph->n_ops + 1);
  ho_priority_topological(q->graph, priority);
  ho_decoder *w = ho_decoder_new(q, v, HO_STREAMS_ONE);
  ho_plan *plan = ho_plan_new(q->graph->n_ops);
  int status = ho_decode(w, device, priority, plan);
  ho_decoder_free(w);
  if (status == 0) return plan;
  ho_plan_free(plan);
  return NULL;
}

int ho_place_keep(ho_search *s, const ho_space *v, const int16_t *device) {
  const ho_problem *q = ho_search_problem(s);
  ho_plan *plan = ho_place_plan(q, v, device);
  if (!plan) return ho_search_fail(s, "an op has no device that its inputs can reach on platform '%s'", q->platform->name);
  double objectives[HO_MAX_OBJECTIVES];
  ho_search_keep(s, plan, objectives);
  ho_plan_free(plan);
  return 0;
}
