/* test_replay_launch.c: dispatchers and queues, each time by hand (in microseconds of a 4 µs host and 1 µs device launch). */
#include <criterion/criterion.h>
#include <math.h>

#include "scene.h"

#define US 1e-6
#define DEVICE(name, mode)                                                 \
  "  - {name: " name ", kind: generic, memory: host, launch: {mode: " mode \
  ", host: 4us, device: 1us}, streams: 2, sharing: exclusive, copy_engines: 0, power: {idle: 0, busy: 0, peak: 0}}\n"
#define PLATFORM(devices, rest) \
  "format: heteroopt-platform/1\nname: p\nmemories:\n  - {name: host, capacity: 1e12, bandwidth: 1e12}\ndevices:\n" devices rest
#define OPS(t)                                                                                         \
  "{\"format\":\"heteroopt-graph/1\",\"name\":\"g\",\"tensors\":[],\"ops\":["                          \
  "{\"name\":\"a\",\"time\":{\"d\":" t ",\"e\":" t "}},{\"name\":\"b\",\"time\":{\"d\":" t ",\"e\":" t \
  "}},"                                                                                                \
  "{\"name\":\"c\",\"time\":{\"d\":" t ",\"e\":" t "}}]}"

static void expect(const char *platform, const char *graph, const char *plan, const double *start, const double *end) {
  scene *s = scene_new(platform, graph);
  const ho_replay_result *r = scene_replay(s, plan);
  const char *const names[] = {"a", "b", "c"};
  for (int i = 0; i < 3; i++) {
    NEAR(scene_start(s, r, names[i]), start[i] * US);
    NEAR(scene_end(s, r, names[i]), end[i] * US);
  }
  scene_free(s);
}

/* Launches end at 4, 8, 12; kernels of 10 hide those of the next. */
Test(replay_launch, asynchronous_launches_hide_behind_long_kernels) {
  expect(PLATFORM(DEVICE("d", "async"), ""), OPS("10e-6"), "a d, b d, c d", (double[]){4, 15, 26}, (double[]){15, 26, 37});
}

Test(replay_launch, asynchronous_launches_dominate_short_kernels) {
  expect(PLATFORM(DEVICE("d", "async"), ""), OPS("1e-6"), "a d, b d, c d", (double[]){4, 8, 12}, (double[]){6, 10, 14});
}

/* Each launch begins when the op before has ended: 4 + 1 + 10, then 4 more. */
Test(replay_launch, a_synchronous_dispatcher_waits_for_its_op) {
  expect(PLATFORM(DEVICE("d", "sync"), ""), OPS("10e-6"), "a d, b d, c d", (double[]){4, 19, 34}, (double[]){15, 30, 45});
}

Test(replay_launch, a_graph_is_launched_once) {
  expect(PLATFORM(DEVICE("d", "graph"), ""), OPS("10e-6"), "a d, b d, c d", (double[]){4, 15, 26}, (double[]){15, 26, 37});
  expect(PLATFORM(DEVICE("d", "graph"), ""), OPS("1e-6"), "a d, b d, c d", (double[]){4, 6, 8}, (double[]){6, 8, 10});
}

/* Own host threads: c on e is launched at 4. One thread: a 4, b 8, c 12. */
Test(replay_launch, one_dispatcher_launches_for_all_devices) {
  const char *both = PLATFORM(DEVICE("d", "async") DEVICE("e", "async"), "");
  expect(both, OPS("10e-6"), "a d, b d, c e", (double[]){4, 15, 4}, (double[]){15, 26, 15});
  const char *one = PLATFORM(DEVICE("d", "async") DEVICE("e", "async"), "dispatchers: one\n");
  expect(one, OPS("10e-6"), "a d, b d, c e", (double[]){4, 15, 12}, (double[]){15, 26, 23});
}

/* The one thread waits for a (sync, until 15) before it launches c on e: 15 + 4. */
Test(replay_launch, a_synchronous_op_holds_up_the_launches_of_other_devices) {
  expect(PLATFORM(DEVICE("d", "sync") DEVICE("e", "async"), "dispatchers: one\n"), OPS("10e-6"), "a d, c e, b e",
         (double[]){4, 30, 19}, (double[]){15, 41, 30});
}

/* c in stream 1 is launched at 8 and could start then, but the device is exclusive until 15; it comes before b, which is issued later. */
Test(replay_launch, streams_of_an_exclusive_device_take_turns_in_order_of_issue) {
  expect(PLATFORM(DEVICE("d", "async"), ""), OPS("10e-6"), "a d 0, c d 1, b d 0", (double[]){4, 26, 15}, (double[]){15, 37, 26});
}

Test(replay_launch, the_launch_that_runs_ahead_is_not_the_bottleneck) {
  scene *s = scene_new(PLATFORM(DEVICE("d", "async"), ""), OPS("100e-6"));
  cr_assert_eq(scene_replay(s, "a d, b d, c d")->bottleneck, HO_BOTTLENECK_COMPUTE);
  scene_free(s);
  s = scene_new(PLATFORM(DEVICE("d", "async"), ""), OPS("0.5e-6"));
  const ho_replay_result *r = scene_replay(s, "a d, b d, c d");
  cr_assert_eq(r->bottleneck, HO_BOTTLENECK_LAUNCH);
  NEAR(r->share[HO_BOTTLENECK_LAUNCH], 13 * US); /* 12 on the host and 1 on the device */
  NEAR(r->share[HO_BOTTLENECK_COMPUTE], 0.5 * US);
  scene_free(s);
}
