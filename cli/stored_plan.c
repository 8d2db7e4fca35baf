/* stored_plan.c: see stored_plan.h. */
#include "cli/stored_plan.h"

#include "base/error.h"
#include "cli/command.h"
#include "cli/inputs.h"
#include "cli/replay_json.h"
#include "models/source.h"
#include "results/store_query.h"
#include "sim/plan_check.h"

static ho_platform *platform_from_text(const char *name, const char *text, GError **error) {
  g_autoptr(ho_yaml) y = ho_yaml_from_text(name, text);
  return ho_platform_from_yaml(y, error);
}

static json_t *replay(ho_cli_inputs *in, const char *file, const char *plan_text, char **title, GError **error) {
  const ho_json_at at = {file, "plan"};
  json_auto_t *json = json_loads(plan_text, 0, NULL);
  if (!json) {
    ho_fail(error, HO_ERROR_INPUT, "%s: the plan is not JSON", file);
    return NULL;
  }
  ho_cli_inputs_finish(in);
  g_autoptr(ho_plan) plan = ho_plan_from_json(json, at, in->graph, in->platform, in->cost, error);
  if (!plan) return NULL;
  g_autoptr(ho_replay) engine = ho_replay_new(&in->problem);
  const ho_replay_options options = {0};
  const ho_replay_result *r = ho_replay_run(engine, plan, &options, error);
  if (!r) return NULL;
  const char *scheduler = json_string_value(json_object_get(json, "scheduler"));
  *title = g_strdup_printf("%s on %s, by %s", in->graph->name, in->platform->name, scheduler ? scheduler : "a plan");
  return ho_cli_replay_json(r->problem, engine, r, NULL);
}

json_t *ho_cli_replay_stored(const char *file, gint64 plan_id, char **title, GError **error) {
  g_autoptr(ho_store) s = ho_store_open(file, HO_STORE_READ, error);
  if (!s) return NULL;
  g_autofree char *plan = ho_store_plan_json(s, plan_id, error);
  g_autofree char *graph = NULL, *platform = NULL;
  if (!plan || !ho_store_plan_inputs(s, plan_id, &graph, &platform, error)) return NULL;
  if (!graph || !platform) {
    ho_fail(error, HO_ERROR_INPUT, "%s: keeps neither graph nor platform of plan %" G_GINT64_FORMAT, file, plan_id);
    return NULL;
  }
  g_auto(ho_cli_inputs) in = {0};
  in.graph = ho_graph_parse_json(file, graph, error);
  in.platform = in.graph ? platform_from_text(file, platform, error) : NULL;
  return in.platform ? replay(&in, file, plan, title, error) : NULL;
}
