/* scene.c: see scene.h. */
#include "scene.h"

#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

scene *scene_new(const char *platform_yaml, const char *graph_json) {
  scene *s = g_new0(scene, 1);
  g_autoptr(GError) error = NULL;
  s->folder = g_dir_make_tmp("ho-scene-XXXXXX", &error);
  cr_assert(s->folder, "%s", error ? error->message : "");
  g_autofree char *platform = g_build_filename(s->folder, "platform.yaml", NULL);
  g_autofree char *graph = g_build_filename(s->folder, "graph.json", NULL);
  cr_assert(g_file_set_contents(platform, platform_yaml, -1, &error) && g_file_set_contents(graph, graph_json, -1, &error));
  s->platform = ho_platform_load(platform, &error);
  cr_assert(s->platform, "%s", error ? error->message : "");
  s->graph = ho_graph_load(graph, NULL, NULL, &error);
  cr_assert(s->graph, "%s", error ? error->message : "");
  g_unlink(platform);
  g_unlink(graph);
  g_rmdir(s->folder);
  s->cost = ho_cost_new(s->graph, s->platform);
  s->problem = (ho_problem){.graph = s->graph,
                            .platform = s->platform,
                            .cost = s->cost,
                            .n_objectives = 3,
                            .objective = {HO_OBJECTIVE_LATENCY, HO_OBJECTIVE_ENERGY, HO_OBJECTIVE_MEMORY}};
  s->replay = ho_replay_new(&s->problem);
  return s;
}

void scene_free(scene *s) {
  ho_replay_free(s->replay);
  ho_cost_free(s->cost);
  ho_graph_free(s->graph);
  ho_platform_free(s->platform);
  g_free(s->folder);
  g_free(s);
}

ho_plan *scene_plan(const scene *s, const char *text) {
  g_auto(GStrv) parts = g_strsplit(text, ",", -1);
  ho_plan *plan = ho_plan_new((int32_t)g_strv_length(parts));
  for (int32_t i = 0; parts[i]; i++) {
    g_auto(GStrv) words = g_strsplit(g_strstrip(parts[i]), " ", -1);
    plan->entry[i].op = ho_graph_find_op(s->graph, words[0]);
    plan->entry[i].device = (int16_t)ho_platform_find_device(s->platform, words[1]);
    plan->entry[i].stream = words[2] ? (int16_t)atoi(words[2]) : 0;
    for (int32_t j = 0; j < i; j++)
      plan->entry[i].copy = (int16_t)(plan->entry[i].copy + (plan->entry[j].op == plan->entry[i].op));
    cr_assert(plan->entry[i].op >= 0 && plan->entry[i].device >= 0, "plan '%s' names what is not there", text);
  }
  return plan;
}

const ho_replay_result *scene_replay(scene *s, const char *text) {
  g_autoptr(ho_plan) plan = scene_plan(s, text);
  g_autoptr(GError) error = NULL;
  const ho_replay_result *r = ho_replay_run(s->replay, plan, NULL, &error);
  cr_assert(r, "%s", error ? error->message : "");
  return r;
}

GError *scene_refusal(scene *s, const char *text) {
  g_autoptr(ho_plan) plan = scene_plan(s, text);
  GError *error = NULL;
  cr_assert(!ho_replay_run(s->replay, plan, NULL, &error), "expected a refusal");
  cr_assert(error);
  return error;
}

static const ho_replay_op *times_of(const scene *s, const ho_replay_result *r, const char *op) {
  for (int32_t i = 0; i < r->plan->n; i++)
    if (strcmp(s->graph->op[r->plan->entry[i].op].name, op) == 0) return &r->op[i];
  cr_assert(0, "no op '%s'", op);
  return NULL;
}

double scene_start(const scene *s, const ho_replay_result *r, const char *op) {
  return times_of(s, r, op)->start;
}
double scene_end(const scene *s, const ho_replay_result *r, const char *op) {
  return times_of(s, r, op)->end;
}

double scene_arrival(const scene *s, const ho_replay_result *r, const char *tensor, const char *memory) {
  for (int32_t k = 0; k < r->n_transfers; k++)
    if (strcmp(s->graph->tensor[r->transfer[k].tensor].name, tensor) == 0 &&
        r->transfer[k].to == ho_platform_find_memory(s->platform, memory))
      return r->transfer[k].end;
  return NAN;
}
