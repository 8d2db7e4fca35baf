/* single_fastest.c: the whole graph on one device.
 *
 * Source: the baseline every placement paper compares with, e.g. Mirhoseini et al., "Device placement optimization with reinforcement
 * learning", ICML 2017, section 4 ("single-CPU", "single-GPU").
 * Every device that can run all ops gets a plan in the graph's topological order, stream 0, default precision; of those that memory can
 * hold, the one with the least value of the objective is kept.
 * Complexity: one evaluation per device that can run everything (devices beyond the budget are not tried).
 * Options: objective. Ties: least latency, then the lower index. */
#include <glib.h>

#include "sched/builtin.h"
#include "sched/place.h"

static const char *const objective_choices[] = {"latency", "energy", "memory", NULL};

static const ho_option options[] = {
    {"objective", HO_OPTION_CHOICE, "latency", 0, 0, objective_choices, "what the chosen device is best in"},
    {0},
};

static double value_of(const ho_search *s, int64_t objective) {
  const ho_figures *f = ho_search_figures(s);
  if (objective == HO_OBJECTIVE_LATENCY) return f->latency;
  if (objective == HO_OBJECTIVE_ENERGY) return f->energy;
  switch (ho_search_problem(s)->memory_measure) {
    case HO_MEMORY_TIGHTEST:
      return f->tightest;
    case HO_MEMORY_TOTAL:
      return f->total;
    default:
      return f->accelerator;
  }
}

static int fail_nothing_runs_all(ho_search *s, const ho_space *v) {
  const ho_problem *q = ho_search_problem(s);
  g_autoptr(GString) why = g_string_new(NULL);
  for (ho_device d = 0; d < v->n_devices; d++) {
    ho_op first;
    char one[300];
    if (ho_space_runs_all(v, q->graph, d, &first)) continue;
    g_string_append_printf(why, "%s'%s' not on %s", why->len ? "; " : "", q->graph->op[first].name,
                           ho_space_why_not(q, first, d, one, sizeof one));
  }
  return ho_search_fail(s, "no device of platform '%s' can run the whole graph (%s)", q->platform->name, why->str);
}

typedef struct {
  ho_plan *plan;
  double value, latency, objectives[HO_MAX_OBJECTIVES];
} candidate;

static void consider(ho_search *s, ho_plan *plan, candidate *best, int64_t objective) {
  double objectives[HO_MAX_OBJECTIVES];
  if (ho_search_evaluate(s, plan, objectives) != 0) {
    ho_plan_free(plan);
    return;
  }
  double value = value_of(s, objective), latency = ho_search_figures(s)->latency;
  if (best->plan && (value > best->value || (value == best->value && latency >= best->latency))) {
    ho_plan_free(plan);
    return;
  }
  ho_plan_free(best->plan);
  *best = (candidate){.plan = plan, .value = value, .latency = latency};
  for (int32_t k = 0; k < ho_search_problem(s)->n_objectives; k++) best->objectives[k] = objectives[k];
}

static int run(ho_search *s) {
  const ho_problem *q = ho_search_problem(s);
  ho_space *v = ho_space_new(s);
  if (!v) return -1;
  g_autofree int16_t *device = g_new(int16_t, (size_t)v->n_ops + 1);
  candidate best = {0};
  int32_t able = 0;
  for (ho_device d = 0; d < v->n_devices; d++) {
    ho_op first;
    if (!ho_space_runs_all(v, q->graph, d, &first)) continue;
    able++;
    ho_place_single(q, v, d, device);
    ho_plan *plan = ho_place_plan(q, v, device);
    if (plan) consider(s, plan, &best, ho_search_option_int(s, "objective"));
  }
  int status = able > 0 ? 0 : fail_nothing_runs_all(s, v);
  if (best.plan) ho_search_offer(s, best.plan, best.objectives);
  ho_plan_free(best.plan);
  ho_space_free(v);
  return status;
}

const ho_scheduler ho_scheduler_single_fastest = {
    .abi = HO_SCHEDULER_ABI,
    .struct_size = sizeof(ho_scheduler),
    .name = "single-fastest",
    .summary = "the whole graph on the one device that is best and can hold it",
    .source = "Mirhoseini et al., ICML 2017, section 4: single-device baselines",
    .options = options,
    .flags = HO_SCHEDULER_DETERMINISTIC | HO_SCHEDULER_SINGLE,
    .run = run,
};
