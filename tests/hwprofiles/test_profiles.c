/* test_profiles.c: the profiles and platforms that are shipped, and their numbers against the source they were taken from. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "tests/hwprofiles/read_text.h"

/* A platform of one device with this profile. */
static ho_platform *alone(const char *profile) {
  g_autofree char *text = g_strdup_printf(
      "format: heteroopt-platform/1\nname: p\nmemories: [{name: m, capacity: 1GB, bandwidth: 1GB/s}]\n"
      "devices: [{name: d, memory: m, profile: %s}]\n",
      profile);
  g_autoptr(GError) e = NULL;
  ho_platform *p = read_text(text, &e);
  cr_assert_not_null(p, "%s", e ? e->message : "");
  return p;
}

Test(profiles, every_shipped_device_loads_and_says_what_it_is) {
  g_auto(GStrv) names = ho_device_list();
  cr_assert_geq(g_strv_length(names), 16);
  for (char **n = names; *n; n++) {
    g_autoptr(ho_platform) p = alone(*n);
    g_autofree char *summary = ho_device_summary(*n, NULL);
    cr_expect_not_null(summary, "%s", *n);
    cr_expect_not_null(p->device[0].measured_with, "%s", *n);
    cr_expect_neq(p->device[0].kind, HO_DEVICE_GENERIC, "%s", *n);
  }
}

Test(profiles, every_kind_that_a_device_supports_is_a_word_of_the_graphs) {
  g_auto(GStrv) names = ho_device_list();
  for (char **n = names; *n; n++) {
    g_autoptr(ho_platform) p = alone(*n);
    const ho_device_info *d = &p->device[0];
    for (int32_t k = 0; k < d->n_kinds + d->n_excluded; k++) {
      const char *kind = k < d->n_kinds ? d->kinds[k] : d->excluded[k - MAX(d->n_kinds, 0)];
      int known = 0;
      for (int i = 0; !known && ho_kind_word(i); i++) known = !strcmp(ho_kind_word(i), kind);
      cr_expect(known, "%s: %s", *n, kind);
    }
  }
}

/* A kernel at the efficiency that the profile states must not be slowed by the profile's own cap of power (10 % is the precision of the
 * energies): else the efficiency, which was measured under that cap, would be taken twice. */
Test(profiles, a_matrix_product_at_its_measured_rate_stays_below_the_cap) {
  g_auto(GStrv) names = ho_device_list();
  for (char **n = names; *n; n++) {
    g_autoptr(ho_platform) p = alone(*n);
    const ho_device_info *d = &p->device[0];
    if (d->power_by_use) continue;
    const ho_family families[] = {HO_FAMILY_CONV, HO_FAMILY_GEMM};
    for (int i = 0; i < 2; i++) {
      ho_dtype t = ho_device_best_precision(d);
      if (t == HO_FP64) t = HO_FP32;
      double watts = d->busy + d->per_flop[t] * d->peak[t] * d->efficiency[families[i]];
      cr_expect_leq(watts, 1.1 * d->peak_power, "%s in %s: %g W of %g W", *n, ho_dtype_name(t), watts, d->peak_power);
    }
  }
}

Test(profiles, every_shipped_platform_loads_and_reaches_every_memory) {
  g_auto(GStrv) names = ho_platform_list();
  cr_assert_eq(g_strv_length(names), 4);
  for (char **n = names; *n; n++) {
    g_autoptr(GError) e = NULL;
    g_autoptr(ho_platform) p = ho_platform_load(*n, &e);
    cr_assert_not_null(p, "%s", e ? e->message : "");
    cr_expect_str_eq(p->name, *n);
    cr_expect_not_null(p->summary);
    for (ho_memory a = 0; a < p->n_memories; a++)
      for (ho_memory b = 0; b < p->n_memories; b++) cr_expect(ho_platform_route(p, a, b)->reachable, "%s: %d to %d", *n, a, b);
  }
}

Test(profiles, gpus_of_the_server_meet_on_nvlink_and_cards_of_the_workstation_on_the_uplink) {
  g_autoptr(ho_platform) s = ho_platform_load("server", NULL);
  g_autoptr(ho_platform) w = ho_platform_load("workstation", NULL);
  const ho_route *gpus = ho_platform_route(s, ho_platform_find_memory(s, "hbm0"), ho_platform_find_memory(s, "hbm3"));
  cr_expect_eq(gpus->n, 2);
  cr_expect_str_eq(s->link[gpus->hop[0].link].name, "nvlink0");
  cr_expect_eq(gpus->bandwidth, 276.3e9);
  for (ho_memory m = 1; m < w->n_memories; m++)
    cr_expect_str_eq(w->link[ho_platform_route(w, w->host, m)->hop[0].link].name, "uplink");
}

/* ---- against the source ---- */

static json_t *source_profiles(void) {
  const char *shared = g_getenv("HO_SHARED"), *top = g_getenv("HO_TEST_SRCDIR");
  g_autofree char *folder = shared ? g_strdup(shared) : g_build_filename(top ? top : ".", "..", "shared", NULL);
  g_autofree char *file = g_build_filename(folder, "data", "hardware", "platforms", "profiles.json", NULL);
  if (!g_file_test(file, G_FILE_TEST_EXISTS)) cr_skip_test("no reference data: %s is absent", file);
  json_t *j = json_load_file(file, 0, NULL);
  cr_assert_not_null(j);
  return j;
}

/* Value of a key, or of a sub-key of it; NAN when absent. */
static double value(const json_t *device, const char *key, const char *sub) {
  const json_t *v = json_object_get(json_object_get(device, key), "v");
  if (sub) v = json_object_get(v, sub);
  return v ? json_number_value(v) : NAN;
}

static const struct {
  const char *ours, *theirs;
  int threads;        /* saturation is theirs: resident threads */
  double energy;      /* our energies per FLOP over theirs: other operating point */
  const char *memory; /* key of the memory efficiency */
} sources[] = {
    {"intel-xeon-8380", "intel_xeon_8380", 0, 1, "mem_triad"},
    {"amd-epyc-7763", "amd_epyc_7763", 0, 1, "mem_triad"},
    {"arm-cortex-a78ae-orin", "orin_agx64_cpu_a78ae", 0, 1, "mem"},
    {"nvidia-a100-sxm-80gb", "nvidia_a100_sxm_80gb", 1, 1, "mem"},
    {"nvidia-h100-sxm", "nvidia_h100_sxm", 1, 1, "mem"},
    {"nvidia-t4", "nvidia_t4", 1, 1, "mem"},
    {"nvidia-rtx-4090", "nvidia_rtx4090", 1, 1, "mem"},
    {"nvidia-jetson-agx-orin-gpu", "orin_agx64_gpu", 1, 1.5, "mem"},
    {"nvidia-orin-dla", "orin_agx64_dla", 0, 1, "mem"},
    {"qualcomm-cloud-ai100-standard", "qualcomm_cloud_ai100_standard", 0, 1, "mem"},
    {"qualcomm-cloud-ai100-pro", "qualcomm_cloud_ai100_pro", 0, 1, "mem"},
    {"intel-gaudi2", "intel_gaudi2", 0, 1, "mem"},
    {"amd-alveo-u250", "amd_alveo_u250", 0, 1, "mem"},
    {"amd-alveo-u55c", "amd_alveo_u55c", 0, 1, "mem"},
    {"google-edge-tpu", "google_edge_tpu", 0, 1, "mem"},
};

#define SAME(a, b, ...) cr_expect_float_eq(a, b, 1e-9 * fabs(b), __VA_ARGS__)

static void same_rates(const ho_device_info *d, const json_t *s, int i) {
  const char *name = sources[i].ours;
  for (int t = 0; t < HO_N_PRECISIONS; t++) {
    if (!(d->peak[t] > 0)) continue;
    const char *word = ho_dtype_name((ho_dtype)t);
    g_autofree char *key = g_strconcat("peak_", word, NULL);
    SAME(d->peak[t], value(s, key, NULL) * 1e12, "%s: %s", name, key);
    double energy = value(s, "e_flop_pj", word);
    if (!isnan(energy)) SAME(d->per_flop[t], energy * sources[i].energy * 1e-12, "%s: energy of %s", name, word);
  }
  SAME(d->memory_efficiency, value(s, "eff", sources[i].memory), "%s: memory", name);
  if (sources[i].threads) SAME(d->saturation, value(s, "saturation", NULL), "%s: saturation", name);
}

static void same_power(const ho_device_info *d, const json_t *s, const char *name) {
  SAME(d->idle, value(s, "ctx_idle_w", NULL), "%s: idle", name);
  SAME(d->peak_power, value(s, "tdp_w", NULL), "%s: peak", name);
  SAME(d->per_byte, value(s, "e_byte_pj", NULL) * 1e-12, "%s: per byte", name);
  cr_expect(d->busy == value(s, "busy_stalled_w", NULL) || d->busy == value(s, "ctx_idle_w", NULL), "%s: busy", name);
}

Test(profiles, numbers_are_those_of_the_source) {
  json_t *all = source_profiles();
  for (size_t i = 0; i < G_N_ELEMENTS(sources); i++) {
    const json_t *s = json_object_get(all, sources[i].theirs);
    cr_assert_not_null(s, "%s", sources[i].theirs);
    g_autoptr(ho_platform) p = alone(sources[i].ours);
    const ho_device_info *d = &p->device[0];
    same_rates(d, s, (int)i);
    same_power(d, s, sources[i].ours);
    if (d->launch == HO_LAUNCH_ASYNC) { /* graphs share one launch among their ops */
      SAME(d->launch_host, value(s, "launch_host_us", NULL) * 1e-6, "%s: launch", sources[i].ours);
      SAME(d->launch_device, value(s, "launch_device_us", NULL) * 1e-6, "%s: launch", sources[i].ours);
    }
  }
  json_decref(all);
}

/* ---- written out ---- */

static void survives(const ho_platform *p) {
  g_autofree char *text = ho_platform_to_yaml(p);
  g_autoptr(ho_yaml) y = ho_yaml_from_text("written", text);
  g_autoptr(GError) e = NULL;
  g_autoptr(ho_platform) again = ho_platform_from_yaml(y, &e);
  cr_assert_not_null(again, "%s\n%s", e ? e->message : "", text);
  cr_expect_str_eq(again->digest, p->digest, "%s", text);
  for (ho_device d = 0; d < again->n_devices; d++) cr_expect_null(again->device[d].profile);
}

Test(profiles, a_platform_written_out_is_the_same_platform) {
  g_auto(GStrv) names = ho_platform_list();
  for (char **n = names; *n; n++) {
    g_autoptr(ho_platform) p = ho_platform_load(*n, NULL);
    survives(p);
  }
}

Test(profiles, what_is_odd_about_a_platform_is_written_out_too) {
  g_autoptr(ho_yaml) y = ho_yaml_from_text(
      "odd",
      "format: heteroopt-platform/1\nname: \"a \\\"quoted\\\" \\\\ name\"\nmemories:\n  - {name: \"m 1\", capacity: 1e18, "
      "bandwidth: 1}\n"
      "  - {name: m2, capacity: 1, bandwidth: 0.1}\n  - {name: m3, capacity: 7, bandwidth: 3}\nswitches: [s]\ndevices:\n"
      "  - {name: d, kind: fpga, memory: m2, reconfigure: 3, launch: {mode: graph, host: 1, device: 0.25}, streams: 3, sharing: "
      "spatial, "
      "copy_engines: 2, power: {idle: 1, peak: 9}, peak: {int8: 5, fp16: 2}, error: {int8: 3}, saturation: 12, "
      "supports: {kinds: [gemm, conv], except: [relu], precisions: [int8]}, points: [{name: eco, speed: 0.5, power: 0.25}]}\n"
      "  - {name: e, kind: dsp, memory: m3}\nlinks:\n  - {name: l, ends: [m2, s], bandwidth: 3, latency: 0.1, duplex: simplex, "
      "energy: 2}\n"
      "  - {name: k, ends: [s, \"m 1\"], bandwidth: 3, latency: 0, duplex: fat}\nhost: m3\npeer_to_peer: [[\"m 1\", m2]]\n"
      "contention: serial\ndispatchers: one\ncount_idle: all\n");
  g_autoptr(GError) e = NULL;
  g_autoptr(ho_platform) p = ho_platform_from_yaml(y, &e);
  cr_assert_not_null(p, "%s", e ? e->message : "");
  survives(p);
}
