/* run_references.c: see run_references.h. */
#include "experiments/run_references.h"

#include <math.h>

#include "base/error.h"
#include "sim/plan_check.h"
#include "sim/replay.h"

/* --- figures of a problem ------------------------------------------------------------------------------------------------------- */

/* Longest path with every op on its fastest device and no copies: the SLR's denominator (Topcuoglu et al. 2002, equation 11). */
static double critical_path(const ho_problem *q) {
  const ho_graph *g = q->graph;
  g_autofree double *finish = g_new0(double, g->n_ops);
  double longest = 0;
  for (int32_t i = 0; i < g->n_ops; i++) {
    ho_op o = g->topo[i];
    double start = g->op[o].release, least = INFINITY;
    for (int32_t k = g->in_start[o]; k < g->in_start[o + 1]; k++) {
      ho_op producer = g->tensor[g->in[k]].producer;
      if (producer >= 0) start = MAX(start, finish[producer]);
    }
    for (ho_device d = 0; d < q->platform->n_devices; d++) least = MIN(least, ho_cost_time(q->cost, o, d));
    finish[o] = start + least;
    longest = MAX(longest, finish[o]);
  }
  return longest;
}

/* Rated power of all devices, W; NAN when one states none. */
static double rated_power(const ho_platform *p) {
  double sum = 0;
  for (ho_device d = 0; d < p->n_devices; d++) sum += p->device[d].peak_power > 0 ? p->device[d].peak_power : NAN;
  return sum;
}

static ho_plan *plan_on(const ho_problem *q, ho_device d) {
  const ho_graph *g = q->graph;
  g_autoptr(ho_plan) plan = ho_plan_new(g->n_ops);
  for (int32_t i = 0; i < g->n_ops; i++) {
    if (!ho_cost_can_run(q->cost, g->topo[i], d)) return NULL;
    plan->entry[i].op = g->topo[i];
    plan->entry[i].device = (int16_t)d;
  }
  return g_steal_pointer(&plan);
}

/* Seconds of the whole graph on the fastest single device that can hold it; NAN when there is none. */
static double single_device_time(const ho_problem *q) {
  g_autoptr(ho_replay) replay = ho_replay_new(q);
  double best = NAN;
  for (ho_device d = 0; d < q->platform->n_devices; d++) {
    g_autoptr(ho_plan) plan = plan_on(q, d);
    ho_replay_options exact = {0};
    const ho_replay_result *r = plan ? ho_replay_run(replay, plan, &exact, NULL) : NULL;
    if (r && !(r->figures.latency >= best)) best = r->figures.latency;
  }
  return best;
}

static gboolean store_figures(const ho_problem *q, ho_store *s, int64_t problem_id, GError **error) {
  double t_ref = single_device_time(q), tdp = rated_power(q->platform);
  return ho_store_put_bound(s, problem_id, HO_OBJECTIVE_LATENCY, "critical-path", critical_path(q), error) &&
         ho_store_put_figure(s, problem_id, "t_ref", t_ref, isnan(t_ref) ? "no single device can hold the whole graph" : NULL,
                             error) &&
         ho_store_put_figure(s, problem_id, "tdp", tdp, isnan(tdp) ? "a device states no peak power" : NULL, error);
}

/* --- public ----------------------------------------------------------------------------------------------------------------------- */

int ho_has_references(const ho_experiment *e, ho_store *s, int64_t problem_id, GError **error) {
  (void)e;
  (void)s;
  (void)problem_id;
  (void)error;
  return 0;
}

gboolean ho_run_references(const ho_experiment *e, int32_t problem, ho_store *s, int64_t problem_id, GError **error) {
  return store_figures(&e->problem[problem].problem, s, problem_id, error);
}

gboolean ho_reference_warnings(const ho_experiment *e, int32_t problem, GPtrArray *warnings, GError **error) {
  (void)e;
  (void)problem;
  (void)warnings;
  (void)error;
  return TRUE;
}
