/* test_path.c: the critical path through a replay: by hand, and that its steps are the makespan. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "random_scene.h"

#define STEP(i) (&g_array_index(steps, ho_path_step, (i)))
#define DEVICE                                                                                                           \
  "kind: generic, saturation: 0, sharing: exclusive, copy_engines: 0, launch: {mode: async, host: 1e-3, device: 2e-3}, " \
  "efficiency: {default: 1, memory: 1}, power: {idle: 0, busy: 0}, peak: {fp32: 1e9}}\n"
#define PLATFORM                                                                                         \
  "format: heteroopt-platform/1\nname: p\nmemories:\n  - {name: host, capacity: 1e9, bandwidth: 1e12}\n" \
  "  - {name: near, capacity: 30000, bandwidth: 1e12}\ndevices:\n  - {name: cpu, memory: host, " DEVICE  \
  "  - {name: gpu, memory: near, " DEVICE                                                                \
  "links:\n  - {name: bus, ends: [host, near], bandwidth: 1e6, latency: 0, duplex: full}\n"

static void is_step(const scene *s, const ho_replay_result *r, const ho_path_step *step, const char *op, ho_path_cause cause,
                    double ms_compute, double ms_transfer, double ms_launch, double ms_memory, double ms_time) {
  const double expected[] = {ms_compute, ms_transfer, ms_launch, ms_memory, ms_time};
  cr_assert_str_eq(s->graph->op[r->plan->entry[step->entry].op].name, op);
  cr_assert_eq(step->cause, cause, "%s waited for %s", op, ho_path_cause_name(step->cause));
  for (int k = 0; k < HO_N_PATH_CLASSES; k++)
    cr_assert_float_eq(step->seconds[k], expected[k] * 1e-3, 1e-12, "%s: %s is %g s", op, ho_path_class_name((ho_path_class)k),
                       step->seconds[k]);
}

/* a (10 ms, after 1 ms and 2 ms of launching) makes 20 kB on cpu: 20 ms to gpu, where b (5 ms, after 2 ms) reads it and makes y for c (3 ms). */
Test(path, steps_have_the_cause_and_seconds_of_a_hand_calculation) {
  scene *s = scene_new(PLATFORM,
                       "{\"format\":\"heteroopt-graph/1\",\"name\":\"g\",\"ops\":[{\"name\":\"a\",\"flops\":10e6},"
                       "{\"name\":\"b\",\"flops\":5e6},{\"name\":\"c\",\"flops\":3e6,\"release\":0.05}],\"tensors\":["
                       "{\"name\":\"x\",\"bytes\":20000,\"producer\":\"a\",\"consumers\":[\"b\"]},"
                       "{\"name\":\"y\",\"bytes\":100,\"producer\":\"b\",\"consumers\":[\"c\"]}]}");
  const ho_replay_result *r = scene_replay(s, "a cpu, b gpu, c gpu");
  g_autoptr(GArray) steps = ho_replay_path(s->replay);
  cr_assert_eq(steps->len, 3u);
  is_step(s, r, STEP(0), "a", HO_PATH_FOR_LAUNCH, 10, 0, 1 + 2, 0, 0);
  is_step(s, r, STEP(1), "b", HO_PATH_FOR_COPY, 5, 20, 2, 0, 0);
  cr_assert_str_eq(s->graph->tensor[r->transfer[STEP(1)->transfer].tensor].name, "x");
  is_step(s, r, STEP(2), "c", HO_PATH_FOR_TIME, 3, 0, 2, 0, 10); /* b ends at 40 ms, the release is at 50 */
  scene_free(s);
}

/* As in test_profile.c: y of b has no room until x has left at 33 ms; b was the head of its queue from 13 ms on. */
Test(path, a_wait_for_memory_is_told_and_the_path_goes_on_from_before_it) {
  scene *s = scene_new(PLATFORM,
                       "{\"format\":\"heteroopt-graph/1\",\"name\":\"g\",\"ops\":[{\"name\":\"a\",\"flops\":10e6},"
                       "{\"name\":\"b\",\"flops\":5e6},{\"name\":\"c\",\"flops\":1e6}],\"tensors\":["
                       "{\"name\":\"x\",\"bytes\":20000,\"producer\":\"a\",\"consumers\":[\"c\"]},"
                       "{\"name\":\"y\",\"bytes\":20000,\"producer\":\"b\"}]}");
  const ho_replay_result *r = scene_replay(s, "a gpu, b gpu, c cpu");
  g_autoptr(GArray) steps = ho_replay_path(s->replay);
  cr_assert_eq(steps->len, 2u);
  is_step(s, r, STEP(0), "a", HO_PATH_FOR_LAUNCH, 10, 0, 3, 0, 0);
  is_step(s, r, STEP(1), "b", HO_PATH_FOR_MEMORY, 5, 0, 2, 20, 0);
  NEAR(r->share[HO_BOTTLENECK_MEMORY], 20e-3);
  scene_free(s);
}

static void steps_make_up_the_makespan(ho_replay *replay, const ho_replay_result *r, int *met) {
  double sum = 0, reached = 0, share[HO_N_PATH_CLASSES] = {0}, reported[4], eps = 1e-12 * r->figures.latency;
  memcpy(reported, r->share, sizeof reported);
  g_autoptr(GArray) steps = ho_replay_path(replay);
  for (guint i = 0; i < steps->len; i++) {
    double of_step = 0;
    cr_assert_eq(STEP(i)->from, reached, "step %u of %u", i, steps->len);
    reached = STEP(i)->to;
    for (int c = 0; c < HO_N_PATH_CLASSES; c++) {
      cr_assert_geq(STEP(i)->seconds[c], 0);
      of_step += STEP(i)->seconds[c];
      share[c] += STEP(i)->seconds[c];
    }
    cr_assert_float_eq(of_step, STEP(i)->to - STEP(i)->from, eps);
    sum += of_step;
    met[STEP(i)->cause]++;
    cr_assert(STEP(i)->cause != HO_PATH_FOR_COPY || STEP(i)->transfer >= 0);
  }
  cr_assert_eq(reached, r->figures.latency);
  cr_assert_float_eq(sum, r->figures.latency, eps);
  for (int c = 0; c < 4; c++) {
    cr_assert_float_eq(share[c], r->share[c], eps);
    cr_assert_eq(reported[c], r->share[c]); /* asking changes nothing */
  }
}

/* Every plan also with a little less of one memory than it took, where it still comes to an end. */
Test(path, its_steps_join_and_sum_to_the_makespan, .timeout = 120) {
  ho_stream random = ho_stream_small(1234);
  int replays = 0, met[HO_PATH_FOR_TIME + 1] = {0};
  for (int k = 0; k < 600; k++) {
    scene *s = random_scene(&random, 0);
    g_autoptr(ho_plan) plan = random_plan(s, &random);
    const ho_replay_result *r = ho_replay_run(s->replay, plan, NULL, NULL);
    cr_assert(r);
    steps_make_up_the_makespan(s->replay, r, met);
    const ho_memory m = k % s->platform->n_memories;
    if (r->memory[m].peak > 1)
      cr_assert(ho_platform_limit(s->platform, s->platform->memory[m].name, ceil(0.95 * r->memory[m].peak), NULL));
    g_autoptr(ho_replay) tight = ho_replay_new(&s->problem);
    r = ho_replay_run(tight, plan, NULL, NULL);
    if (r) steps_make_up_the_makespan(tight, r, met);
    replays += r != NULL;
    scene_free(s);
  }
  cr_assert_gt(replays, 50, "%d tight replays", replays);
  for (int c = 0; c <= HO_PATH_FOR_TIME; c++)
    cr_assert_gt(met[c], 5, "'%s' was met %d times", ho_path_cause_name((ho_path_cause)c), met[c]);
}
