/* test_energy_split.c: what energy was spent on: by hand, and that the parts are all there is. */
#include <criterion/criterion.h>
#include <math.h>

#include "random_scene.h"
#include "sim/energy_split.h"

#define PLATFORM                                                                                                            \
  "format: heteroopt-platform/1\nname: p\nmemories:\n  - {name: host, capacity: 1e9, bandwidth: 1e9}\n"                     \
  "  - {name: near, capacity: 1e9, bandwidth: 1e9}\ndevices:\n"                                                             \
  "  - {name: cpu, kind: cpu, memory: host, saturation: 0, sharing: exclusive, launch: {mode: graph, host: 0, device: 1}, " \
  "efficiency: {default: 1, memory: 1}, peak: {fp32: 100}, power: {idle: 10, busy: 30, per_flop: {fp32: 2}, per_byte: 5}, " \
  "points: [{name: eco, speed: 0.5, power: 0.25}]}\n"                                                                       \
  "  - {name: gpu, kind: gpu, memory: near, saturation: 0, sharing: exclusive, launch: {mode: graph, host: 0, device: 0}, " \
  "efficiency: {default: 1, memory: 1}, peak: {fp32: 100}, bandwidth: 10, power: {idle: 4, peak: 104}}\n"                   \
  "links:\n  - {name: bus, ends: [host, near], bandwidth: 10, latency: 0, duplex: full, energy: 0.5}\n"

/* a on cpu: 1 s of launching, 400 FLOP in 4 s, 40 B written. Its 40 B take 4 s to the gpu. There b runs from 9: 300 FLOP in 3 s, 40 B in 4 s:
 * memory is used fully, compute to 3/4; then c: 200 FLOP in 2 s and no bytes. The end is at 15. */
#define GRAPH                                                                                                                \
  "{\"format\":\"heteroopt-graph/1\",\"name\":\"g\",\"ops\":[{\"name\":\"a\",\"flops\":400},{\"name\":\"b\",\"flops\":300}," \
  "{\"name\":\"c\",\"flops\":200}],\"tensors\":[{\"name\":\"x\",\"bytes\":40,\"producer\":\"a\",\"consumers\":[\"b\"]}]}"

Test(energy_split, parts_are_those_of_a_hand_calculation) {
  scene *s = scene_new(PLATFORM, GRAPH);
  const ho_replay_result *r = scene_replay(s, "a cpu, b gpu, c gpu");
  NEAR(r->figures.latency, 15);
  ho_energy_split split[2], all = ho_energy_split_of(r, split);
  const double *cpu = split[0].part, *gpu = split[1].part;
  NEAR(cpu[HO_ENERGY_LAUNCH], 10 * 1);
  NEAR(cpu[HO_ENERGY_IDLE], 10 * 14);
  NEAR(cpu[HO_ENERGY_BUSY], (30 - 10) * 4);
  NEAR(cpu[HO_ENERGY_COMPUTE], 2 * 400);
  NEAR(cpu[HO_ENERGY_MEMORY], 5 * 40);
  NEAR(gpu[HO_ENERGY_LAUNCH], 0);
  NEAR(gpu[HO_ENERGY_IDLE], 4 * 15);
  NEAR(gpu[HO_ENERGY_BUSY], 0);
  NEAR(gpu[HO_ENERGY_MEMORY], 100 * 4);
  NEAR(gpu[HO_ENERGY_COMPUTE], 100 * 2);
  NEAR(all.part[HO_ENERGY_LINK], 0.5 * 40);
  NEAR(r->figures.energy, 10 * 15 + 80 + 800 + 200 + 60 + 400 + 200 + 20);
  scene_free(s);
}

/* At eco, a takes 8 s, and dynamic power is a quarter: (busy - idle) · 1/4, joules · 0.25 / 0.5. */
Test(energy_split, an_operating_point_scales_what_is_above_idle) {
  scene *s = scene_new(PLATFORM, GRAPH);
  g_autoptr(ho_plan) plan = scene_plan(s, "a cpu, b gpu, c gpu");
  plan->entry[0].point = 1;
  const ho_replay_result *r = ho_replay_run(s->replay, plan, NULL, NULL);
  ho_energy_split split[2];
  cr_assert(r);
  ho_energy_split_of(r, split);
  NEAR(split[0].part[HO_ENERGY_BUSY], 20 * 0.25 * 8);
  NEAR(split[0].part[HO_ENERGY_COMPUTE], 800 * 0.5);
  NEAR(split[0].part[HO_ENERGY_MEMORY], 200 * 0.5);
  scene_free(s);
}

Test(energy_split, parts_are_not_negative_and_sum_to_the_energy, .timeout = 120) {
  ho_stream random = ho_stream_small(99);
  int replays = 0, met[HO_N_ENERGY_PARTS] = {0};
  for (int k = 0; k < 600; k++) {
    scene *s = random_scene(&random, k % 4 == 0);
    g_autoptr(ho_plan) plan = random_plan(s, &random);
    const ho_replay_options options = {.seed = 5, .noise = k % 3 ? 0 : 0.2, .model_error = k % 5 ? 0 : 0.1};
    const ho_replay_result *r = ho_replay_run(s->replay, plan, &options, NULL);
    if (r) {
      g_autofree ho_energy_split *split = g_new(ho_energy_split, (size_t)s->platform->n_devices);
      ho_energy_split all = ho_energy_split_of(r, split);
      double sum = 0;
      replays++;
      for (int c = 0; c < HO_N_ENERGY_PARTS; c++) {
        cr_assert_geq(all.part[c], -1e-12 * r->figures.energy);
        sum += all.part[c];
        met[c] += all.part[c] > 0;
      }
      cr_assert_float_eq(sum, r->figures.energy, 1e-12 * r->figures.energy);
      for (ho_device d = 0; d < s->platform->n_devices; d++) {
        double of_device = 0;
        for (int c = 0; c < HO_N_ENERGY_PARTS; c++) of_device += split[d].part[c];
        cr_assert_float_eq(of_device, r->device[d].energy, 1e-12 * r->device[d].energy);
      }
    }
    scene_free(s);
  }
  cr_assert_gt(replays, 400);
  for (int c = 0; c < HO_N_ENERGY_PARTS; c++) cr_assert_gt(met[c], 100, "%s", ho_energy_part_name((ho_energy_part)c));
}
