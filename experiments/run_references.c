/* run_references.c: see run_references.h. */
#include "experiments/run_references.h"

#include <math.h>

#include "base/error.h"
#include "sched/references.h"
#include "sim/plan_check.h"
#include "sim/replay.h"

/* --- figures of a problem ------------------------------------------------------------------------------------------------------- */

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
  return ho_store_put_bound(s, problem_id, HO_OBJECTIVE_LATENCY, "critical-path", ho_problem_critical_path(q), error) &&
         ho_store_put_figure(s, problem_id, "t_ref", t_ref, isnan(t_ref) ? "no single device can hold the whole graph" : NULL,
                             error) &&
         ho_store_put_figure(s, problem_id, "tdp", tdp, isnan(tdp) ? "a device states no peak power" : NULL, error);
}

/* --- references ------------------------------------------------------------------------------------------------------------------ */

/* One reference; its texts are owned. */
typedef struct {
  ho_store_reference stored;
  char *json, *infeasible;
} ho_reference;

static void reference_clear(ho_reference *r) {
  g_free(r->json);
  g_free(r->infeasible);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ho_reference, reference_clear)

/* All that a reference depends on beside its problem. g_free. */
static char *protocol(void) {
  return g_strdup_printf("evaluations=%d,code=%s", HO_REFERENCE_EVALUATIONS, ho_code_digest());
}

/* TRUE with the reason kept when there is no such plan, or memory cannot hold it; FALSE for any other failure. */
static gboolean keep_reason(ho_reference *r, GError *reason, GError **error) {
  if (!g_error_matches(reason, HO_ERROR, HO_ERROR_INFEASIBLE) && !g_error_matches(reason, HO_ERROR, HO_ERROR_PLAN)) {
    g_propagate_error(error, reason);
    return FALSE;
  }
  r->infeasible = g_strdup(reason->message);
  r->stored.infeasible = r->infeasible;
  g_error_free(reason);
  return TRUE;
}

/* Searches for it by the estimate, and takes its values from the replay. */
static gboolean solve(const ho_problem *q, ho_objective which, ho_reference *r, GError **error) {
  r->stored.objective = which;
  for (int k = 0; k < HO_N_OBJECTIVES; k++) r->stored.value[k] = NAN;
  g_autoptr(ho_plan) plan = NULL;
  double objectives[HO_MAX_OBJECTIVES];
  GError *reason = NULL;
  if (!ho_reference_solve(q, which, &plan, objectives, NULL, &reason)) return keep_reason(r, reason, error);
  g_autoptr(ho_replay) replay = ho_replay_new(q);
  ho_replay_options exact = {0};
  const ho_replay_result *result = ho_replay_run(replay, plan, &exact, &reason);
  if (!result) return keep_reason(r, reason, error);
  ho_problem all = *q;
  all.n_objectives = HO_N_OBJECTIVES;
  for (int k = 0; k < HO_N_OBJECTIVES; k++) all.objective[k] = (ho_objective)k;
  ho_problem_objectives(&all, &result->figures, r->stored.value);
  ho_plan_note note = {.scheduler = ho_reference_name(which),
                       .latency = r->stored.value[HO_OBJECTIVE_LATENCY],
                       .energy = r->stored.value[HO_OBJECTIVE_ENERGY],
                       .memory = r->stored.value[HO_OBJECTIVE_MEMORY]};
  json_t *value = ho_plan_to_json(plan, q->graph, q->platform, &note);
  r->json = ho_json_line(value);
  r->stored.json = r->json;
  json_decref(value);
  return TRUE;
}

static gboolean store_reference(const ho_problem *q, ho_objective which, ho_store *s, int64_t problem_id, GError **error) {
  g_autofree char *with = protocol();
  g_auto(ho_reference) r = {.stored = {.protocol = with}};
  return solve(q, which, &r, error) && ho_store_put_reference(s, problem_id, &r.stored, error);
}

/* --- public ----------------------------------------------------------------------------------------------------------------------- */

int ho_has_references(const ho_experiment *e, ho_store *s, int64_t problem_id, GError **error) {
  g_autofree char *with = protocol();
  for (int32_t k = 0; k < e->config->n_objectives; k++) {
    int stored = ho_store_has_reference(s, problem_id, e->config->objective[k], with, error);
    if (stored != 1) return stored;
  }
  return 1;
}

gboolean ho_run_references(const ho_experiment *e, int32_t problem, ho_store *s, int64_t problem_id, GError **error) {
  const ho_problem *q = &e->problem[problem].problem;
  if (!store_figures(q, s, problem_id, error)) return FALSE;
  for (int32_t k = 0; k < q->n_objectives; k++)
    if (!store_reference(q, q->objective[k], s, problem_id, error)) return FALSE;
  return TRUE;
}

gboolean ho_reference_warnings(const ho_experiment *e, int32_t problem, GPtrArray *warnings, GError **error) {
  const ho_problem *q = &e->problem[problem].problem;
  int32_t n_infeasible = 0;
  g_autoptr(GString) names = g_string_new(NULL);
  g_autofree char *why = NULL;
  for (int32_t k = 0; k < q->n_objectives; k++) {
    g_auto(ho_reference) r = {0};
    if (!solve(q, q->objective[k], &r, error)) return FALSE;
    if (!r.infeasible) continue;
    n_infeasible++;
    g_string_append_printf(names, "%s%s", names->len ? ", " : "", ho_reference_name(q->objective[k]));
    if (!why) why = g_strdup(r.infeasible);
  }
  if (n_infeasible > 0)
    g_ptr_array_add(warnings,
                    g_strdup_printf("%s: no feasible reference %s (%s): the frame %s", e->problem[problem].name, names->str, why,
                                    n_infeasible < q->n_objectives ? "uses the others" : "is undefined there"));
  return TRUE;
}
