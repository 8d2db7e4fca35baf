/* front_file.c: the plans of a heteroopt-front/1 file as a figure. See front.h. */
#include <math.h>

#include "base/error.h"
#include "base/jsonio.h"
#include "plots/front.h"

/* Reads the objectives of plans[i]; one that is absent from the first plan is no objective of the figure. */
static gboolean read_plan(ho_front_problem *q, const json_t *plan, const char *file, size_t i, GError **error) {
  g_autofree char *place = g_strdup_printf("plans[%zu].objectives", i);
  const ho_json_at at = {file, place};
  const json_t *objectives = json_object_get(plan, "objectives");
  if (!json_is_object(objectives))
    return ho_fail(error, HO_ERROR_INPUT, "%s: %s: missing, expected latency, energy, memory", file, place);
  double v[HO_N_OBJECTIVES];
  for (int k = 0; k < HO_N_OBJECTIVES; k++) {
    v[k] = NAN;
    if (!ho_json_get_double(objectives, at, ho_objective_name((ho_objective)k), FALSE, 0, &v[k], error)) return FALSE;
    if (i == 0 && !isnan(v[k])) q->objective[q->n_objectives++] = (ho_objective)k;
  }
  for (int32_t k = 0; k < q->n_objectives; k++)
    if (isnan(v[q->objective[k]]))
      return ho_fail(error, HO_ERROR_INPUT, "%s: %s.%s: missing, the first plan has it", file, place,
                     ho_objective_name(q->objective[k]));
  if (v[HO_OBJECTIVE_MEMORY] > 1) q->measure = HO_MEMORY_TOTAL; /* a share of a capacity never exceeds 1; bytes always do */
  g_array_append_vals(g_ptr_array_index(q->points, 0), v, HO_N_OBJECTIVES);
  return TRUE;
}

static char *name_of(const json_t *plan) {
  const char *graph = json_string_value(json_object_get(plan, "graph"));
  const char *platform = json_string_value(json_object_get(plan, "platform"));
  return g_strdup_printf("%s on %s", graph ? graph : "graph", platform ? platform : "platform");
}

ho_front_figure *ho_front_from_file(const char *file, GError **error) {
  json_t *root = ho_json_read(file, error);
  if (!root) return NULL;
  g_autoptr(ho_front_figure) f = ho_front_figure_new();
  const ho_json_at at = {file, "the front"};
  json_t *plans = NULL;
  gboolean ok =
      ho_json_check_format(root, at, "heteroopt-front/1", error) && ho_json_get_array(root, at, "plans", TRUE, &plans, error);
  if (ok && !json_array_size(plans)) ok = ho_fail(error, HO_ERROR_INPUT, "%s: plans: empty, there is nothing to draw", file);
  if (ok) {
    const json_t *first = json_array_get(plans, 0);
    const char *scheduler = json_string_value(json_object_get(first, "scheduler"));
    g_autofree char *name = name_of(first);
    ho_front_figure_add_series(f, scheduler ? scheduler : "plans", json_array_size(plans) == 1);
    ho_front_problem *q = ho_front_figure_add_problem(f, name);
    for (size_t i = 0; ok && i < json_array_size(plans); i++) ok = read_plan(q, json_array_get(plans, i), file, i, error);
  }
  json_decref(root);
  return ok ? g_steal_pointer(&f) : NULL;
}
