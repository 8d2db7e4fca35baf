/* test_profile.c: where the time of a replay went: by hand, and what holds for every replay. */
#include <criterion/criterion.h>
#include <math.h>

#include "random_scene.h"
#include "sim/profile.h"

#define DEVICE                                                                                                           \
  "kind: generic, saturation: 0, sharing: exclusive, copy_engines: 0, launch: {mode: async, host: 1e-3, device: 2e-3}, " \
  "efficiency: "                                                                                                         \
  "{default: 1, memory: 1}, power: {idle: 0, busy: 0}, peak: {fp32: 1e9}}\n"
#define PLATFORM                                                                                         \
  "format: heteroopt-platform/1\nname: p\nmemories:\n  - {name: host, capacity: 1e9, bandwidth: 1e12}\n" \
  "  - {name: near, capacity: 1e9, bandwidth: 1e12}\ndevices:\n  - {name: cpu, memory: host, " DEVICE    \
  "  - {name: gpu, memory: near, " DEVICE                                                                \
  "links:\n  - {name: bus, ends: [host, near], bandwidth: 1e6, latency: 0, duplex: full}\n"

/* a (10 ms) on cpu -> p (20 kB, 20 ms on the bus) -> b (5 ms) on gpu; c (3 ms) on gpu, ready at once. */
#define GRAPH                                                                                                                 \
  "{\"format\":\"heteroopt-graph/1\",\"name\":\"g\",\"ops\":[{\"name\":\"a\",\"flops\":10e6},{\"name\":\"c\",\"flops\":3e6}," \
  "{\"name\":\"b\",\"flops\":5e6}],\"tensors\":[{\"name\":\"p\",\"bytes\":20000,\"producer\":\"a\",\"consumers\":[\"b\"]}]}"

Test(profile, gaps_have_the_cause_that_hand_calculation_gives) {
  scene *s = scene_new(PLATFORM, GRAPH);
  const ho_replay_result *r = scene_replay(s, "a cpu, c gpu, b gpu");
  g_autoptr(ho_profile) p = ho_profile_new(r);
  const ho_profile_device *cpu = &p->device[0], *gpu = &p->device[1];
  /* launched at 1 ms on either, 2 ms on the device, a ends at 13 ms; p arrives at 33 ms; b begins 2 ms later and ends at 40 ms */
  NEAR(r->figures.latency, 40e-3);
  NEAR(cpu->busy, 10e-3);
  NEAR(cpu->idle[HO_IDLE_LAUNCH], 3e-3);
  NEAR(cpu->idle[HO_IDLE_NO_WORK], 27e-3);
  NEAR(gpu->busy, 8e-3);
  NEAR(gpu->idle[HO_IDLE_LAUNCH], 3e-3 + 2e-3); /* before c; of b */
  NEAR(gpu->idle[HO_IDLE_DATA], 33e-3 - 6e-3);
  NEAR(gpu->idle[HO_IDLE_NO_WORK], 0);
  NEAR(cpu->load, 10.0 / 18);
  /* alone: 1 ms and 2 ms before the first, 2 ms before each of the others; launches hide */
  NEAR(cpu->alone, 1e-3 + 3 * 2e-3 + 18e-3);
  NEAR(p->longest_path, 15e-3);
  scene_free(s);
}

/* a (10 ms) on gpu -> x (20 kB) -> c on cpu; b on gpu makes 20 kB, too, and there is room for 30 kB. x is gone when it has crossed, at 33 ms. */
Test(profile, waiting_for_memory_is_told_apart) {
  g_autoptr(GString) tight = g_string_new(PLATFORM);
  g_string_replace(tight, "{name: near, capacity: 1e9,", "{name: near, capacity: 30000,", 1);
  scene *s = scene_new(
      tight->str,
      "{\"format\":\"heteroopt-graph/1\",\"name\":\"g\",\"ops\":[{\"name\":\"a\",\"flops\":10e6},{\"name\":\"b\",\"flops\":5e6},"
      "{\"name\":\"c\",\"flops\":1e6}],\"tensors\":[{\"name\":\"x\",\"bytes\":20000,\"producer\":\"a\",\"consumers\":[\"c\"]},"
      "{\"name\":\"y\",\"bytes\":20000,\"producer\":\"b\"}]}");
  const ho_replay_result *r = scene_replay(s, "a gpu, b gpu, c cpu");
  g_autoptr(ho_profile) p = ho_profile_new(r);
  NEAR(p->device[1].busy, 15e-3);
  NEAR(p->device[1].idle[HO_IDLE_MEMORY], 20e-3);
  NEAR(p->device[1].idle[HO_IDLE_LAUNCH], 3e-3 + 2e-3);
  scene_free(s);
}

Test(profile, busy_and_idle_add_up_to_the_makespan, .timeout = 120) {
  ho_stream random = ho_stream_small(77);
  int32_t slowed = 0, causes[HO_N_IDLE_CAUSES] = {0};
  for (int k = 0; k < 400; k++) {
    scene *s = random_scene(&random, k % 4 == 0);
    g_autoptr(ho_plan) plan = random_plan(s, &random);
    const ho_replay_result *r = ho_replay_run(s->replay, plan, NULL, NULL);
    if (!r) {
      scene_free(s);
      continue;
    }
    g_autoptr(ho_profile) p = ho_profile_new(r);
    double load = 0, makespan = r->figures.latency;
    for (ho_device d = 0; d < p->n_devices; d++) {
      const ho_profile_device *x = &p->device[d];
      double sum = x->busy, bins = 0;
      for (int c = 0; c < HO_N_IDLE_CAUSES; c++) {
        cr_assert_geq(x->idle[c], 0);
        sum += x->idle[c];
        causes[c] += x->idle[c] > 0;
      }
      for (int b = 0; b < HO_PROFILE_BINS; b++) bins += x->over[b] * makespan / HO_PROFILE_BINS;
      cr_assert_float_eq(sum, makespan, 1e-9 * makespan + 1e-15);
      cr_assert_float_eq(x->busy, r->device[d].busy, 1e-9 * makespan + 1e-15, "scene %d, device %d: %g busy, the replay has %g",
                         k, d, x->busy, r->device[d].busy);
      cr_assert_float_eq(bins, x->busy, 1e-9 * makespan + 1e-15);
      load += x->load;
    }
    for (int32_t i = 0; i < p->n_entries; i++) {
      cr_assert_geq(p->slowdown[i], 1 - 1e-9, "scene %d: entry %d is faster than alone: %.12g", k, i, p->slowdown[i]);
      slowed += p->slowdown[i] > 1.01;
    }
    for (int32_t i = 0; i < p->n_transfers; i++) cr_assert_geq(p->transfer_slowdown[i], 1 - 1e-9);
    cr_assert(load == 0 || fabs(load - 1) < 1e-9);
    scene_free(s);
  }
  cr_assert_gt(slowed, 100);
  for (int c = 0; c < HO_N_IDLE_CAUSES; c++)
    if (c != HO_IDLE_MEMORY)
      cr_assert_gt(causes[c], 10, "cause %s was met %d times", ho_idle_cause_name((ho_idle_cause)c), causes[c]);
}
