/* test_rates.c: rates of links and devices over time: by hand, and their integrals on random scenes. */
#include <criterion/criterion.h>
#include <math.h>

#include "random_scene.h"
#include "sim/rates.h"

#define POINT(curve, i) g_array_index((curve), ho_curve_point, (i))

static double peak(const GArray *curve) {
  double most = 0;
  for (guint i = 0; i < curve->len; i++) most = fmax(most, POINT(curve, i).value);
  return most;
}

/* 10 MB and 20 MB over one link of 10 MB/s, both from 0: 5 MB/s each until 2 s, then the larger alone until 3 s (docs/replay.md). */
#define DEVICE                                                                                                                 \
  "kind: generic, saturation: 0, sharing: exclusive, copy_engines: 0, launch: {mode: graph, host: 0, device: 0}, efficiency: " \
  "{default: 1, memory: 1}, peak: {fp32: 1e9}, "
static const char *const two_memories =
    "format: heteroopt-platform/1\nname: p\nmemories:\n  - {name: host, capacity: 1e9, bandwidth: 1e12}\n"
    "  - {name: near, capacity: 1e9, bandwidth: 1e12}\ndevices:\n  - {name: cpu, memory: host, " DEVICE
    "power: {idle: 20, busy: 50, peak: 250, per_flop: {fp32: 3e-7}}}\n  - {name: gpu, memory: near, " DEVICE
    "power: {idle: 0, busy: 0}}\nlinks:\n  - {name: bus, ends: [host, near], bandwidth: 1e7, latency: 0, duplex: full}\n";

Test(rates, two_transfers_share_a_link_as_in_the_example) {
  scene *s =
      scene_new(two_memories,
                "{\"format\":\"heteroopt-graph/1\",\"name\":\"g\",\"ops\":[{\"name\":\"a\"},{\"name\":\"b\"}],\"tensors\":["
                "{\"name\":\"x\",\"bytes\":10000000,\"consumers\":[\"a\"]},"
                "{\"name\":\"y\",\"bytes\":20000000,\"consumers\":[\"b\"]}]}");
  scene_replay(s, "a gpu, b gpu");
  g_autoptr(ho_rates) rates = ho_rates_new(s->replay);
  const GArray *out = rates->link[0], *back = rates->link[1];
  /* 5 + 5, then 10 alone: one value until 3 s */
  cr_assert_eq(out->len, 2u);
  NEAR(POINT(out, 0).value, 1e7);
  NEAR(POINT(out, 1).time, 3);
  NEAR(POINT(out, 1).value, 0);
  NEAR(ho_curve_integral(out, 10), 3e7);
  NEAR(ho_curve_integral(out, 1), 1e7);
  NEAR(peak(back), 0);
  scene_free(s);
}

/* A kernel of 1 s and 300 J under 200 W of room is stretched to 1.5 s at 250 W (docs/replay.md); then the CPU rests at 20 W for 0.5 s while
 * 5 MB go to the GPU. */
Test(rates, a_capped_kernel_draws_the_cap) {
  scene *s = scene_new(two_memories,
                       "{\"format\":\"heteroopt-graph/"
                       "1\",\"name\":\"g\",\"ops\":[{\"name\":\"a\",\"flops\":1e9,\"write\":0},{\"name\":\"b\",\"read\":0}],"
                       "\"tensors\":[{\"name\":\"x\",\"bytes\":5000000,\"producer\":\"a\",\"consumers\":[\"b\"]}]}");
  const ho_replay_result *r = scene_replay(s, "a cpu, b gpu");
  NEAR(r->figures.latency, 2);
  g_autoptr(ho_rates) rates = ho_rates_new(s->replay);
  const GArray *cpu = rates->device[0];
  cr_assert_eq(cpu->len, 2u);
  NEAR(POINT(cpu, 0).value, 250);
  NEAR(POINT(cpu, 1).time, 1.5);
  NEAR(POINT(cpu, 1).value, 20);
  NEAR(r->device[0].energy, 250 * 1.5 + 20 * 0.5);
  scene_free(s);
}

static int has_instant_kernel(const ho_replay_result *r, ho_device d) {
  for (int32_t i = 0; i < r->plan->n; i++)
    if (r->plan->entry[i].device == d && !(r->op[i].end > r->op[i].kernel)) return 1;
  return 0;
}

static int has_time_table(const scene *s, const ho_replay_result *r, ho_device d) {
  for (int32_t i = 0; i < r->plan->n; i++)
    if (r->plan->entry[i].device == d && s->graph->op[r->plan->entry[i].op].n_times >= 0) return 1;
  return 0;
}

static int check_devices(const scene *s, const ho_replay_result *r, const ho_rates *rates) {
  double makespan = r->figures.latency;
  int capped = 0;
  for (ho_device d = 0; d < rates->n_devices; d++) {
    const ho_device_info *info = &s->platform->device[d];
    if (!has_instant_kernel(r, d)) NEAR(ho_curve_integral(rates->device[d], makespan), r->device[d].energy);
    if (info->power_by_use || !(info->peak_power > info->busy) || has_time_table(s, r, d)) continue;
    cr_assert_leq(peak(rates->device[d]), info->peak_power * (1 + 1e-9));
    capped += peak(rates->device[d]) > info->peak_power * (1 - 1e-9);
  }
  return capped;
}

static int check_links(const scene *s, const ho_replay_result *r, const ho_rates *rates) {
  int full = 0;
  for (ho_link l = 0; l < rates->n_links; l++) {
    const ho_link_info *info = &s->platform->link[l];
    const GArray *out = rates->link[2 * l], *back = rates->link[2 * l + 1];
    NEAR(ho_curve_integral(out, r->figures.latency) + ho_curve_integral(back, r->figures.latency), r->link[l].bytes);
    if (info->duplex == HO_DUPLEX_FAT || s->platform->contention == HO_CONTENTION_NONE) continue;
    cr_assert_leq(fmax(peak(out), peak(back)), info->bandwidth * (1 + 1e-9));
    full += fmax(peak(out), peak(back)) > info->bandwidth * (1 - 1e-9);
  }
  return full;
}

Test(rates, integrals_are_the_bytes_and_the_joules_of_the_replay, .timeout = 120) {
  ho_stream random = ho_stream_small(4711);
  int replays = 0, capped = 0, full = 0;
  for (int k = 0; k < 600; k++) {
    scene *s = random_scene(&random, k % 4 == 0);
    g_autoptr(ho_plan) plan = random_plan(s, &random);
    const ho_replay_result *r = ho_replay_run(s->replay, plan, NULL, NULL);
    if (r) {
      replays++;
      double latency = r->figures.latency, energy = r->figures.energy;
      g_autoptr(ho_rates) rates = ho_rates_new(s->replay);
      capped += check_devices(s, r, rates);
      full += check_links(s, r, rates);
      r = ho_replay_run(s->replay, plan, NULL, NULL); /* and leaves no trace in the next run */
      cr_assert(r && r->figures.latency == latency && r->figures.energy == energy);
    }
    scene_free(s);
  }
  cr_assert(replays > 400 && capped > 20 && full > 100, "%d replays, %d capped, %d full", replays, capped, full);
}

Test(rates, noise_stretches_transfers_and_keeps_their_bytes, .timeout = 120) {
  ho_stream random = ho_stream_small(4712);
  int replays = 0;
  for (int k = 0; k < 100; k++) {
    scene *s = random_scene(&random, 0);
    g_autoptr(ho_plan) plan = random_plan(s, &random);
    const ho_replay_options options = {.seed = 3, .noise = 0.3, .model_error = 0.2};
    const ho_replay_result *r = ho_replay_run(s->replay, plan, &options, NULL);
    if (r) {
      replays++;
      g_autoptr(ho_rates) rates = ho_rates_new(s->replay);
      for (ho_link l = 0; l < rates->n_links; l++)
        NEAR(ho_curve_integral(rates->link[2 * l], r->figures.latency) +
                 ho_curve_integral(rates->link[2 * l + 1], r->figures.latency),
             r->link[l].bytes);
      for (ho_device d = 0; d < rates->n_devices; d++)
        if (!has_instant_kernel(r, d)) NEAR(ho_curve_integral(rates->device[d], r->figures.latency), r->device[d].energy);
    }
    scene_free(s);
  }
  cr_assert_gt(replays, 80);
}
