/* scene.h: a platform, a graph and perhaps a plan written out in a test. */
#ifndef HO_TESTS_SIM_SCENE_H
#define HO_TESTS_SIM_SCENE_H

#include "hwprofiles/platform_yaml.h"
#include "models/source.h"
#include "sim/plan_check.h"
#include "sim/problem.h"
#include "sim/replay.h"

typedef struct {
  ho_platform *platform;
  ho_graph *graph;
  ho_cost *cost;
  ho_problem problem;
  ho_replay *replay;
  char *folder;
} scene;

/* Fails the test when one of the texts is refused. */
scene *scene_new(const char *platform_yaml, const char *graph_json);
void scene_free(scene *s);

/* "op device [stream]" separated by commas, e.g. "a cpu, b gpu 1"; the rest at defaults. */
ho_plan *scene_plan(const scene *s, const char *text);
/* Replays it without noise and fails the test when that fails. */
const ho_replay_result *scene_replay(scene *s, const char *plan);
/* The error of a replay that must fail; g_error_free. */
GError *scene_refusal(scene *s, const char *plan);

double scene_start(const scene *s, const ho_replay_result *r, const char *op);
double scene_end(const scene *s, const ho_replay_result *r, const char *op);
/* End of the copy of a tensor into a memory; NAN when there is none. */
double scene_arrival(const scene *s, const ho_replay_result *r, const char *tensor, const char *memory);

#define NEAR(x, y) \
  cr_assert_float_eq((x), (double)(y), 1e-9 * fabs((double)(y)) + 1e-15, "%s is %.17g, expected %.17g", #x, (double)(x), (double)(y))

#endif
