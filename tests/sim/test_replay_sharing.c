/* test_replay_sharing.c: kernels that slow each other, and what they draw, by hand. */
#include <criterion/criterion.h>
#include <math.h>

#include "scene.h"

/* 1000 FLOP/s, 100 B/s; saturated by 10 items. */
#define DEVICE(name, more)                                                                                   \
  "  - {name: " name                                                                                         \
  ", kind: gpu, memory: host, peak: {fp32: 1000}, efficiency: {default: 1.0, memory: 1.0}, saturation: 10, " \
  "launch: {mode: async, host: 0, device: 0}, streams: 4, copy_engines: 0, " more "}\n"
#define PLATFORM(devices, rest) \
  "format: heteroopt-platform/1\nname: p\nmemories:\n  - {name: host, capacity: 1e12, bandwidth: 100}\ndevices:\n" devices rest
#define OP(name, flops, bytes, items) \
  "{\"name\":\"" name "\",\"flops\":" flops ",\"read\":" bytes ",\"write\":0,\"parallelism\":" items "}"
#define GRAPH(ops) "{\"format\":\"heteroopt-graph/1\",\"name\":\"g\",\"ops\":[" ops "],\"tensors\":[]}"
#define NO_POWER "power: {idle: 0, busy: 0, peak: 0}"
#define SPATIAL "sharing: spatial, "
#define EXCLUSIVE "sharing: exclusive, "

/* 600 FLOP at occupancy 0.6: 1 s alone. Two need 1.2 of the compute: each at 1/1.2. */
Test(replay_sharing, kernels_of_two_streams_share_the_compute) {
  scene *s = scene_new(PLATFORM(DEVICE("d", SPATIAL NO_POWER), ""), GRAPH(OP("a", "600", "0", "6") "," OP("b", "600", "0", "6")));
  NEAR(scene_replay(s, "a d 0, b d 0")->figures.latency, 2);
  NEAR(scene_replay(s, "a d 0, b d 1")->figures.latency, 1.2);
  scene_free(s);
  s = scene_new(PLATFORM(DEVICE("d", SPATIAL NO_POWER), ""), GRAPH(OP("a", "400", "0", "4") "," OP("b", "400", "0", "4")));
  NEAR(scene_replay(s, "a d 0, b d 1")->figures.latency, 1); /* 0.8 fits */
  scene_free(s);
}

/* a: occupancy 0.8, 1 s; b: occupancy 0.4, 2 s. Dominant shares grow equally: both hold 0.5, but b needs 0.4 only, so a gets 0.6:
 * a runs at 0.75 until 4/3 s. b, at full speed throughout, ends at 2. */
Test(replay_sharing, dominant_shares_grow_equally_and_never_beyond_alone) {
  scene *s = scene_new(PLATFORM(DEVICE("d", SPATIAL NO_POWER), ""), GRAPH(OP("a", "800", "0", "8") "," OP("b", "800", "0", "4")));
  const ho_replay_result *r = scene_replay(s, "a d 0, b d 1");
  NEAR(scene_end(s, r, "a"), 4.0 / 3);
  NEAR(scene_end(s, r, "b"), 2);
  scene_free(s);
}

/* Two devices on one memory (an SoC): each kernel alone draws all of it; together each has half. */
Test(replay_sharing, devices_on_one_memory_share_its_bandwidth) {
  scene *s = scene_new(PLATFORM(DEVICE("d", EXCLUSIVE NO_POWER) DEVICE("e", EXCLUSIVE NO_POWER), ""),
                       GRAPH(OP("a", "0", "100", "10") "," OP("b", "0", "200", "10")));
  NEAR(scene_replay(s, "a d, b d")->figures.latency, 3);
  const ho_replay_result *r = scene_replay(s, "a d, b e");
  NEAR(scene_end(s, r, "a"), 2); /* 50 B/s each */
  NEAR(scene_end(s, r, "b"), 3); /* then 100 left at 100 */
  scene_free(s);
}

/* A compute-bound kernel that draws 50 B/s next to a memory-bound one. Dominant shares: a 1 (compute of d), b 1 (port and memory).
 * Both grow to 2/3: 0.5 · 2/3 + 2/3 = 1. */
Test(replay_sharing, a_compute_bound_kernel_gives_way_by_its_dominant_share) {
  scene *s = scene_new(PLATFORM(DEVICE("d", EXCLUSIVE NO_POWER) DEVICE("e", EXCLUSIVE NO_POWER), ""),
                       GRAPH(OP("a", "1000", "50", "10") "," OP("b", "0", "100", "10")));
  const ho_replay_result *r = scene_replay(s, "a d, b e");
  NEAR(scene_end(s, r, "a"), 1.5);
  NEAR(scene_end(s, r, "b"), 1.5);
  scene_free(s);
}

/* idle 10, busy 30, 0.01 J/FLOP, 0.1 J/B: a (500 FLOP, 0.5 s), b (20 B, 0.2 s): 0.7 s · 30 + 5 + 2. */
Test(replay_sharing, energy_is_idle_busy_and_work) {
  scene *s = scene_new(
      PLATFORM(DEVICE("d", EXCLUSIVE "power: {idle: 10, busy: 30, peak: 100, per_flop: {fp32: 0.01}, per_byte: 0.1}"), ""),
      GRAPH(OP("a", "500", "0", "10") "," OP("b", "0", "20", "10")));
  const ho_replay_result *r = scene_replay(s, "a d, b d");
  NEAR(r->figures.latency, 0.7);
  NEAR(r->figures.energy, 0.7 * 30 + 5 + 2);
  NEAR(r->device[0].idle_energy, 7);
  NEAR(r->device[0].busy, 0.7);
  scene_free(s);
}

/* The unused e: nothing, its idle power, or its `off` power; the host's devices always count their idle power. */
Test(replay_sharing, devices_that_the_plan_does_not_use) {
#define E "power: {idle: 10, busy: 30, peak: 100, off: 3}"
#define FAR \
  "format: heteroopt-platform/1\nname: p\nmemories:\n  - {name: host, capacity: 1e12, bandwidth: 100}\n"                       \
  "  - {name: x, capacity: 1e12, bandwidth: 100}\ndevices:\n" DEVICE("d", EXCLUSIVE E)                                          \
  "  - {name: e, kind: gpu, memory: x, peak: {fp32: 1000}, efficiency: {default: 1.0, memory: 1.0}, saturation: 10, "           \
  "launch: {mode: async, host: 0, device: 0}, copy_engines: 0, " EXCLUSIVE E "}\n"                                             \
  "links: [{name: l, ends: [host, x], bandwidth: 100, latency: 0, duplex: full}]\n"
  scene *s = scene_new(FAR, GRAPH(OP("a", "1000", "0", "10")));
  NEAR(scene_replay(s, "a d")->figures.energy, 30 + 3);
  NEAR(scene_replay(s, "a e")->figures.energy, 30 + 10);
  scene_free(s);
  s = scene_new(FAR "count_idle: all\n", GRAPH(OP("a", "1000", "0", "10")));
  NEAR(scene_replay(s, "a d")->figures.energy, 30 + 10);
  scene_free(s);
}

/* A request every 5 s: idle power counts to 5 s, the kernel to 1 s. */
Test(replay_sharing, idle_power_counts_to_the_end_of_the_period) {
  scene *s = scene_new(
      PLATFORM(DEVICE("d", EXCLUSIVE "power: {idle: 10, busy: 30, peak: 100}"), ""),
      "{\"format\":\"heteroopt-graph/1\",\"name\":\"g\",\"period\":5,\"ops\":[" OP("a", "1000", "0", "10") "],\"tensors\":[]}");
  const ho_replay_result *r = scene_replay(s, "a d");
  NEAR(r->figures.latency, 1);
  NEAR(r->figures.energy, 5 * 10 + 1 * 20);
  scene_free(s);
}

/* 1000 FLOP at 0.1 J: 100 W above busy 30; the cap leaves 50: the kernel takes 2 s, and the same energy of work. */
Test(replay_sharing, a_power_cap_stretches_kernels) {
#define CAPPED "power: {idle: 10, busy: 30, peak: 80, per_flop: {fp32: 0.1}}"
  scene *s = scene_new(PLATFORM(DEVICE("d", EXCLUSIVE CAPPED), ""), GRAPH(OP("a", "1000", "0", "10")));
  const ho_replay_result *r = scene_replay(s, "a d");
  NEAR(r->figures.latency, 2);
  NEAR(r->figures.energy, 2 * 30 + 100);
  scene_free(s);
  s = scene_new(PLATFORM(DEVICE("d", SPATIAL CAPPED), ""), GRAPH(OP("a", "400", "0", "4") "," OP("b", "400", "0", "4")));
  r = scene_replay(s, "a d 0, b d 1"); /* each 40 W alone, 50 for both: 80/50 */
  NEAR(r->figures.latency, 1.6);
  NEAR(r->figures.energy, 1.6 * 30 + 80);
  scene_free(s);
}

/* Only idle and peak known: P = 10 + 90 · max(compute, memory). a: compute 1; b: memory 1, compute 0.5. */
Test(replay_sharing, power_follows_utilisation_where_only_idle_and_peak_are_known) {
#define BY_USE "power: {idle: 10, peak: 100}"
  scene *s =
      scene_new(PLATFORM(DEVICE("d", EXCLUSIVE BY_USE), ""), GRAPH(OP("a", "1000", "50", "10") "," OP("b", "250", "100", "5")));
  const ho_replay_result *r = scene_replay(s, "a d, b d");
  NEAR(r->figures.latency, 2);
  NEAR(r->figures.energy, 2 * 10 + 1 * 90 + 1 * 90);
  scene_free(s);
  /* Occupancy 0.4 for 1 s: compute utilisation 0.4. */
  s = scene_new(PLATFORM(DEVICE("d", SPATIAL BY_USE), ""), GRAPH(OP("a", "400", "0", "4") "," OP("b", "400", "0", "4")));
  NEAR(scene_replay(s, "a d 0, b d 0")->figures.energy, 2 * 10 + 2 * 0.4 * 90);
  NEAR(scene_replay(s, "a d 0, b d 1")->figures.energy, 1 * 10 + 0.8 * 90);
  scene_free(s);
}

/* eco: half the speed, a quarter of the power above idle: 2 s, 20 · 0.25 W, and 100 J · 0.25 / 0.5 of work. */
Test(replay_sharing, an_operating_point_scales_speed_and_dynamic_power) {
  scene *s = scene_new(
      PLATFORM(
          DEVICE(
              "d", EXCLUSIVE
              "points: [{name: eco, speed: 0.5, power: 0.25}], power: {idle: 10, busy: 30, peak: 1000, per_flop: {fp32: 0.1}}"),
          ""),
      GRAPH(OP("a", "1000", "0", "10")));
  g_autoptr(ho_plan) plan = scene_plan(s, "a d");
  plan->entry[0].point = 1;
  const ho_replay_result *r = ho_replay_run(s->replay, plan, NULL, NULL);
  NEAR(r->figures.latency, 2);
  NEAR(r->figures.energy, 2 * 10 + 2 * 20 * 0.25 + 100 * 0.25 / 0.5);
  scene_free(s);
}

/* 3 s to load another kernel kind; what comes first is loaded. */
Test(replay_sharing, an_fpga_reconfigures_when_the_kernel_kind_changes) {
  scene *s = scene_new(PLATFORM(DEVICE("d", EXCLUSIVE "reconfigure: 3, " NO_POWER), ""),
                       GRAPH("{\"name\":\"a\",\"kind\":\"conv\",\"flops\":1000},{\"name\":\"b\",\"kind\":\"gemm\",\"flops\":1000}"
                             ",{\"name\":\"c\",\"kind\":\"conv\",\"flops\":1000}"));
  NEAR(scene_replay(s, "a d, c d, b d")->figures.latency, 6);
  NEAR(scene_replay(s, "a d, b d, c d")->figures.latency, 9);
  scene_free(s);
}
