/* test_platform_yaml.c: what platform files say, key by key, and what is said about bad ones. */
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "hwprofiles/platform_schema.h"
#include "tests/hwprofiles/read_text.h"

#define HEAD "format: heteroopt-platform/1\nname: p\nmemories:\n  - {name: m, capacity: 80GB, bandwidth: 2TB/s}\n"
#define PAIR                                                                                                                   \
  "format: heteroopt-platform/1\nname: p\nmemories: [{name: m, capacity: 1, bandwidth: 1}, {name: n, capacity: 1, bandwidth: " \
  "1}]\n"
#define DEVICE "devices:\n  - {name: d, memory: m}\n"

static ho_platform *good(const char *text) {
  g_autoptr(GError) e = NULL;
  ho_platform *p = read_text(text, &e);
  cr_assert_not_null(p, "%s", e ? e->message : "");
  return p;
}

Test(platform, a_device_written_in_full_is_read_in_base_units) {
  g_autoptr(ho_platform) p = good(HEAD
                                  "devices:\n"
                                  "  - name: p1\n    kind: gpu\n    memory: m\n"
                                  "    peak: {fp32: 19.5e12, fp16: 312TFLOP/s}\n"
                                  "    efficiency: {gemm: 0.85, conv: 0.6, default: 0.5, memory: 0.8}\n"
                                  "    saturation: 200000\n    error: {fp16: 1.5}\n"
                                  "    supports: {kinds: [gemm, conv], except: [conv_transpose], precisions: [fp32, fp16]}\n"
                                  "    launch: {mode: sync, host: 4us, device: 1us}\n    streams: 4\n    sharing: spatial\n"
                                  "    copy_engines: 2\n    bandwidth: 500GB/s\n"
                                  "    power: {idle: 50, busy: 66W, peak: 0.4kW, per_flop: {fp16: 0.6pJ}, per_byte: 118e-12}\n"
                                  "    points: [{name: eco, speed: 0.7, power: 0.45}]\n    reconfigure: 8s\n"
                                  "    measured_with: by hand\n    estimated: true\n");
  const ho_device_info *d = &p->device[0];
  cr_expect_eq(d->kind, HO_DEVICE_GPU);
  cr_expect_eq(d->peak[HO_FP32], 19.5e12);
  cr_expect_eq(d->peak[HO_FP16], 312e12);
  cr_expect_eq(d->efficiency[HO_FAMILY_GEMM], 0.85);
  cr_expect_eq(d->efficiency[HO_FAMILY_SOFTMAX], 0.5, "a family that is not given has the default's efficiency");
  cr_expect_eq(d->memory_efficiency, 0.8);
  cr_expect_eq(d->saturation, 200000);
  cr_expect_eq(d->error[HO_FP16], 1.5);
  cr_expect_eq(d->error[HO_INT8], 8);
  cr_expect_eq(d->n_kinds, 2);
  cr_expect_str_eq(d->kinds[1], "conv");
  cr_expect_eq(d->n_excluded, 1);
  cr_expect_eq(d->precisions, 1u << HO_FP32 | 1u << HO_FP16);
  cr_expect_eq(d->launch, HO_LAUNCH_SYNC);
  cr_expect_eq(d->launch_host, 4e-6);
  cr_expect_eq(d->launch_device, 1e-6);
  cr_expect_eq(d->streams, 4);
  cr_expect_eq(d->sharing, HO_SHARING_SPATIAL);
  cr_expect_eq(d->copy_engines, 2);
  cr_expect_eq(d->bandwidth, 5e11);
  cr_expect(d->idle == 50 && d->busy == 66 && d->peak_power == 400 && d->off == 0);
  cr_expect(d->per_flop[HO_FP16] == 0.6e-12 && d->per_flop[HO_FP32] == 0 && d->per_byte == 118e-12);
  cr_expect_not(d->power_by_use);
  cr_expect(d->n_points == 2 && d->point[0].speed == 1 && d->point[1].speed == 0.7 && d->point[1].power == 0.45);
  cr_expect_str_eq(d->point[0].name, "nominal");
  cr_expect_eq(d->reconfigure, 8);
  cr_expect_str_eq(d->measured_with, "by hand");
  cr_expect_eq(d->estimated, 1);
}

Test(platform, what_is_left_out_has_its_default) {
  g_autoptr(ho_platform) p = good(HEAD DEVICE);
  const ho_device_info *d = &p->device[0];
  cr_expect_eq(d->kind, HO_DEVICE_GENERIC);
  cr_expect_eq(d->efficiency[HO_FAMILY_CONV], 1);
  cr_expect_eq(d->memory_efficiency, 1);
  cr_expect_eq(d->bandwidth, 2e12, "its memory's");
  cr_expect_eq(d->n_kinds, -1);
  cr_expect_eq(d->precisions, (1u << HO_N_PRECISIONS) - 1, "without peaks, ops run by their time tables in any precision");
  cr_expect(d->streams == 1 && d->sharing == HO_SHARING_EXCLUSIVE && d->copy_engines == 0 && d->launch == HO_LAUNCH_ASYNC);
  cr_expect(d->idle == 0 && d->busy == 0 && d->peak_power == 0 && !d->power_by_use);
  cr_expect(p->host == 0 && p->contention == HO_CONTENTION_FAIR && p->dispatchers == HO_DISPATCH_PER_DEVICE &&
            p->count_idle == HO_IDLE_USED);
  cr_expect(ho_platform_is_host_device(p, 0));
}

Test(platform, precisions_follow_the_peaks_when_they_are_not_listed) {
  g_autoptr(ho_platform) p = good(HEAD "devices: [{name: d, memory: m, peak: {fp16: 2e12, int8: 4e12, fp64: 0}}]\n");
  cr_expect_eq(p->device[0].precisions, 1u << HO_FP16 | 1u << HO_INT8);
  cr_expect_eq(ho_device_best_precision(&p->device[0]), HO_FP16);
}

Test(platform, only_idle_and_peak_mean_power_by_use) {
  g_autoptr(ho_platform) p = good(HEAD "devices: [{name: d, memory: m, power: {idle: 50, peak: 400}}]\n");
  cr_expect(p->device[0].power_by_use && isnan(p->device[0].busy));
  g_autoptr(ho_platform) q = good(HEAD "devices: [{name: d, memory: m, power: {idle: 50, peak: 400, per_byte: 1pJ}}]\n");
  cr_expect(!q->device[0].power_by_use && q->device[0].busy == 50);
}

/* ---- profiles ---- */

static char *in_folder; /* with devices/mine.yaml */

static void make_folder(void) {
  in_folder = g_dir_make_tmp("heteroopt-profiles-XXXXXX", NULL);
  g_autofree char *devices = g_build_filename(in_folder, "devices", NULL), *file = g_build_filename(devices, "mine.yaml", NULL);
  cr_assert_eq(g_mkdir(devices, 0700), 0);
  cr_assert(g_file_set_contents(file,
                                "format: heteroopt-device/1\nname: mine\nkind: npu\npeak: {fp32: 1e12, fp16: 2e12}\n"
                                "efficiency: {gemm: 0.9, default: 0.4}\nsupports: {kinds: [gemm], except: [conv]}\n"
                                "launch: {mode: graph, host: 7us, device: 2us}\nstreams: 3\n"
                                "power: {idle: 1, busy: 2, peak: 30, per_flop: {fp32: 3pJ, fp16: 1pJ}}\n"
                                "points: [{name: eco, speed: 0.5, power: 0.25}, {name: low, speed: 0.2, power: 0.1}]\n"
                                "estimated: true\n",
                                -1, NULL));
}

static void remove_folder(void) {
  g_autofree char *devices = g_build_filename(in_folder, "devices", NULL), *file = g_build_filename(devices, "mine.yaml", NULL);
  g_unlink(file);
  g_rmdir(devices);
  g_rmdir(in_folder);
  g_free(in_folder);
}

/* The platform of a text that lies beside devices/mine.yaml. */
static ho_platform *beside(const char *text, GError **error) {
  g_autofree char *file = g_build_filename(in_folder, "p.yaml", NULL);
  g_autoptr(ho_yaml) y = ho_yaml_from_text(file, text);
  return ho_platform_from_yaml(y, error);
}

TestSuite(profile, .init = make_folder, .fini = remove_folder);

Test(profile, a_device_inherits_every_key_of_its_profile) {
  g_autoptr(ho_platform) p = beside(HEAD "devices: [{name: d, profile: mine, memory: m}]\n", NULL);
  cr_assert_not_null(p);
  const ho_device_info *d = &p->device[0];
  cr_expect_str_eq(d->name, "d");
  cr_expect_str_eq(d->profile, "mine");
  cr_expect(d->kind == HO_DEVICE_NPU && d->peak[HO_FP32] == 1e12 && d->launch == HO_LAUNCH_GRAPH && d->streams == 3);
  cr_expect(d->n_points == 3 && d->estimated && d->n_kinds == 1 && d->n_excluded == 1 && d->busy == 2);
}

Test(profile, a_platform_overrides_key_by_key_and_lists_as_a_whole) {
  g_autoptr(ho_platform) p =
      beside(HEAD
             "devices:\n  - name: d\n    profile: mine\n    memory: m\n    peak: {fp32: 5e12, int8: 8e12}\n"
             "    efficiency: {conv: 0.7}\n    launch: {host: 1us}\n    supports: {except: []}\n"
             "    power: {peak: 40, per_flop: {fp16: 2pJ}}\n    points: []\n    estimated: false\n",
             NULL);
  cr_assert_not_null(p);
  const ho_device_info *d = &p->device[0];
  cr_expect(d->peak[HO_FP32] == 5e12 && d->peak[HO_FP16] == 2e12 && d->peak[HO_INT8] == 8e12);
  cr_expect(d->efficiency[HO_FAMILY_CONV] == 0.7 && d->efficiency[HO_FAMILY_GEMM] == 0.9 && d->efficiency[HO_FAMILY_POOL] == 0.4);
  cr_expect(d->launch == HO_LAUNCH_GRAPH && d->launch_host == 1e-6 && d->launch_device == 2e-6);
  cr_expect(d->n_kinds == 1 && d->n_excluded == 0, "an empty list is a list");
  cr_expect(d->idle == 1 && d->busy == 2 && d->peak_power == 40 && d->per_flop[HO_FP32] == 3e-12 &&
            d->per_flop[HO_FP16] == 2e-12);
  cr_expect(d->n_points == 1 && !d->estimated);
}

Test(profile, the_digest_is_of_the_content_not_of_how_it_is_written) {
  g_autoptr(ho_platform) a = beside(HEAD "devices: [{name: d, profile: mine, memory: m, streams: 3}]\n", NULL);
  g_autoptr(ho_platform) b = beside(HEAD "devices:\n - memory: m\n   name: d\n   profile: mine\n", NULL);
  g_autoptr(ho_platform) c = beside(HEAD "devices: [{name: d, profile: mine, memory: m, streams: 4}]\n", NULL);
  cr_expect_str_eq(a->digest, b->digest);
  cr_expect_str_neq(a->digest, c->digest);
  cr_expect_eq(strlen(a->digest), 64);
}

Test(profile, faults_in_a_profile_are_told_in_its_file) {
  g_autofree char *file = g_build_filename(in_folder, "devices", "mine.yaml", NULL);
  static const struct {
    const char *text, *message;
  } bad[] = {
      {"format: heteroopt-device/1\nname: mine\npeak: {fp32: fast}\n",
       ":3:8: key 'fp32': 'fast' is not a rate of operations: expected a finite number ≥ 0 such as 19.5TFLOP/s"},
      {"format: heteroopt-device/1\nname: yours\n", ":2:1: key 'name': found 'yours', expected 'mine' as the file is called"},
      {"format: heteroopt-platform/1\nname: mine\n",
       ":1:1: key 'format': found 'heteroopt-platform/1', expected heteroopt-device/1"},
      {"format: heteroopt-device/1\nname: mine\nmemory: m\n",
       ":3:1: key 'memory' is not known here (known: format, name, summary, kind, peak, "
       "efficiency, efficiency_memory, efficiency_in, bandwidth, saturation, error, supports, launch, streams, sharing, "
       "copy_engines, power, points, reconfigure, measured_with, estimated)"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
    cr_assert(g_file_set_contents(file, bad[i].text, -1, NULL));
    g_autoptr(GError) e = NULL;
    cr_assert_null(beside(HEAD "devices: [{name: d, profile: mine, memory: m}]\n", &e));
    g_autofree char *message = g_strconcat(file, bad[i].message, NULL);
    cr_expect_str_eq(e->message, message, "said: %s", e->message);
  }
}

/* ---- bad files ---- */

Test(platform, each_fault_has_its_place_and_one_line) {
  static const struct {
    const char *text, *message;
  } bad[] = {
      {"name: p\n", "p.yaml: key 'format' is missing, expected format: heteroopt-platform/1"},
      {"format: heteroopt-graph/1\n", "p.yaml:1:1: key 'format': found 'heteroopt-graph/1', expected heteroopt-platform/1"},
      {HEAD, "p.yaml:1:1: key 'devices' is missing in the file"},
      {HEAD "devices: []\n", "p.yaml:5:1: key 'devices': found 0 entries, expected at least 1"},
      {HEAD DEVICE "link: []\n", "p.yaml:7:1: key 'link' is not known here (did you mean 'links'?)"},
      {HEAD "devices: [{name: d, memory: m, streem: 1}]\n",
       "p.yaml:5:32: key 'streem' is not known here (did you mean 'streams'?)"},
      {HEAD "devices: [{name: d, memory: n}]\n", "p.yaml:5:21: key 'memory': no memory is called 'n'"},
      {HEAD "devices: [{name: d, memory: m}, {name: d, memory: m}]\n",
       "p.yaml:5:34: key 'name': 'd' is taken, expected another name"},
      {HEAD "devices: [{name: d, memory: m, profile: nvidia-a100}]\n",
       "p.yaml:5:32: key 'profile': no profile is called 'nvidia-a100' (did you mean 'nvidia-t4'?)"},
      {HEAD "devices: [{name: d, memory: m, kind: tpu}]\n",
       "p.yaml:5:32: key 'kind': found 'tpu', expected cpu | gpu | npu | fpga | dsp | generic"},
      {HEAD "devices: [{name: d, memory: m, efficiency: {conv: 1.5}}]\n",
       "p.yaml:5:45: key 'conv': found 1.5, expected a share above 0 and at most 1"},
      {HEAD "devices: [{name: d, memory: m, efficiency: {memory: 0}}]\n",
       "p.yaml:5:45: key 'memory': found 0, expected a share above 0 and at most 1"},
      {HEAD "devices: [{name: d, memory: m, peak: {fp32: -1}}]\n",
       "p.yaml:5:39: key 'fp32': '-1' is not a rate of operations: expected a finite number ≥ 0 such as 19.5TFLOP/s"},
      {HEAD "devices: [{name: d, memory: m, saturation: nan}]\n",
       "p.yaml:5:32: key 'saturation': 'nan' is not a number: expected a finite number ≥ 0 such as 1.5 or 2e9"},
      {HEAD "devices: [{name: d, memory: m, launch: {host: 3usec}}]\n",
       "p.yaml:5:41: key 'host': '3usec' is not a time: expected a finite number ≥ 0 such as 5us"},
      {HEAD "devices: [{name: d, memory: m, streams: 0}]\n", "p.yaml:5:32: key 'streams': found 0, expected 1 to 32767"},
      {HEAD "devices: [{name: d, memory: m, streams: -1}]\n",
       "p.yaml:5:32: key 'streams': found '-1', expected a whole number that is not negative"},
      {HEAD "devices: [{name: d, memory: m, copy_engines: 99999}]\n",
       "p.yaml:5:32: key 'copy_engines': found 99999, expected 0 (unlimited) to 32767"},
      {HEAD "devices: [{name: d, memory: m, bandwidth: 0}]\n", "p.yaml:5:32: key 'bandwidth': found 0, expected more than 0"},
      {HEAD "devices: [{name: d, memory: m, supports: {precisions: [fp32, fp31]}}]\n",
       "p.yaml:5:62: precisions[1]: found 'fp31', expected one of fp64, fp32, tf32, bf16, fp16, fp8, int8, int4"},
      {HEAD "devices: [{name: d, memory: m, points: [{name: eco, speed: 0, power: 1}]}]\n",
       "p.yaml:5:53: key 'speed': found 0, expected more than 0"},
      {HEAD "devices: [{name: d, memory: m, points: [{name: nominal, speed: 1, power: 1}]}]\n",
       "p.yaml:5:42: key 'name': 'nominal' is always there, expected another name"},
      {HEAD "devices: [{name: d, memory: m, points: [{name: e, speed: 1, power: 1}, {name: e, speed: 1, power: 1}]}]\n",
       "p.yaml:5:73: key 'name': 'e' is taken, expected another name"},
      {HEAD "devices: [{name: d, memory: m, power: {idle: 5, busy: 4}}]\n",
       "p.yaml:5:32: key 'power': busy 4 W is below idle 5 W, expected idle ≤ busy ≤ peak"},
      {HEAD "devices: [{name: d, memory: m, power: {idle: 5, busy: 6, peak: 5.5}}]\n",
       "p.yaml:5:32: key 'power': peak 5.5 W is below busy 6 W, expected idle ≤ busy ≤ peak"},
      {HEAD "devices: [{name: d, memory: m, power: {idle: 5, peak: 4}}]\n",
       "p.yaml:5:32: key 'power': peak 4 W is below idle 5 W, expected idle ≤ peak"},
      {HEAD "devices: [{name: d, memory: m, power: {busy: 6, peak: 6, per_byte: 1pJ}}]\n",
       "p.yaml:5:32: key 'power': peak 6 W leaves nothing above busy for per_flop and per_byte, expected more"},
      {"format: heteroopt-platform/1\nname: p\nmemories: [{name: m, capacity: 0, bandwidth: 1}]\n" DEVICE,
       "p.yaml:3:22: key 'capacity': found 0, expected more than 0"},
      {"format: heteroopt-platform/1\nname: p\nmemories: [{name: m, capacity: 1e19, bandwidth: 1}]\n" DEVICE,
       "p.yaml:3:22: key 'capacity': found 1e19, expected less than 2^63 bytes"},
      {"format: heteroopt-platform/1\nname: p\nmemories: [{name: m, capacity: 80gb, bandwidth: 1}]\n" DEVICE,
       "p.yaml:3:22: key 'capacity': '80gb' is not a size: expected a finite number ≥ 0 such as 80GB"},
      {"format: heteroopt-platform/1\nname: p\nmemories: [{name: m, capacity: 1, bandwidth: inf}]\n" DEVICE,
       "p.yaml:3:35: key 'bandwidth': 'inf' is not a bandwidth: expected a finite number ≥ 0 such as 32GB/s"},
      {"format: heteroopt-platform/1\nname: p\nmemories: [{name: m, capacity: 1, bandwidth: 1}, {name: m, capacity: 1, "
       "bandwidth: 1}]\n" DEVICE,
       "p.yaml:3:51: key 'name': 'm' is taken, expected another name"},
      {HEAD "switches: [m]\n" DEVICE, "p.yaml:5:12: switches[0]: 'm' is taken, expected another name"},
      {HEAD DEVICE "host: hots\n", "p.yaml:7:1: key 'host': no memory is called 'hots'"},
      {HEAD DEVICE "contention: unfair\n", "p.yaml:7:1: key 'contention': found 'unfair', expected fair | serial | none"},
      {HEAD "switches: [root]\n" DEVICE "links: [{name: l, ends: [m, rot], bandwidth: 1}]\n",
       "p.yaml:8:19: key 'ends': no memory or switch is called 'rot' (did you mean 'root'?)"},
      {HEAD DEVICE "links: [{name: l, ends: [m, m], bandwidth: 1}]\n",
       "p.yaml:7:19: key 'ends': both are 'm', expected two different ones"},
      {HEAD DEVICE "links: [{name: l, ends: [m], bandwidth: 1}]\n", "p.yaml:7:19: key 'ends': found 1 entries, expected 2"},
      {HEAD "switches: [s]\n" DEVICE "links: [{name: l, ends: [m, s], bandwidth: 0}]\n",
       "p.yaml:8:33: key 'bandwidth': found 0, expected more than 0"},
      {HEAD "switches: [s]\n" DEVICE "links: [{name: l, ends: [m, s], bandwidth: 1, latency: -1us}]\n",
       "p.yaml:8:47: key 'latency': '-1us' is not a time: expected a finite number ≥ 0 such as 5us"},
      {HEAD "switches: [s]\n" DEVICE "links: [{name: l, ends: [m, s], bandwidth: 1}, {name: l, ends: [m, s], bandwidth: 1}]\n",
       "p.yaml:8:49: key 'name': 'l' is taken, expected another name"},
      {PAIR DEVICE "peer_to_peer: [[m, n]]\n", "p.yaml:6:16: peer_to_peer[0]: no links lead between 'm' and 'n', expected a way"},
      {PAIR DEVICE "peer_to_peer: [[m, m]]\n", "p.yaml:6:16: peer_to_peer[0]: both are 'm', expected two different memories"},
      {PAIR DEVICE "peer_to_peer: [m, n]\n", "p.yaml:6:16: peer_to_peer[0]: found 'm', expected a list ([a, b] or lines with -)"},
      {PAIR DEVICE "peer_to_peer: [[m, x]]\n", "p.yaml:6:16: peer_to_peer[0]: no memory is called 'x'"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
    g_autoptr(GError) e = NULL;
    cr_assert_null(read_text(bad[i].text, &e), "accepted:\n%s", bad[i].text);
    cr_expect_str_eq(e->message, bad[i].message, "%s\n  said: %s\n  must: %s", bad[i].text, e->message, bad[i].message);
    cr_expect(g_error_matches(e, HO_ERROR, HO_ERROR_INPUT));
  }
}

Test(platform, memories_without_links_are_no_fault_of_the_file) {
  g_autoptr(ho_platform) p = good(PAIR DEVICE);
  cr_expect_not(ho_platform_route(p, 0, 1)->reachable, "only a plan that needs the way is at fault");
}

Test(platform, the_host_device_is_the_cpu_on_the_host_memory) {
  g_autoptr(ho_platform) p =
      good(PAIR "devices: [{name: a, memory: m}, {name: b, memory: m, kind: cpu}, {name: c, memory: n, kind: cpu}]\n");
  cr_expect(!ho_platform_is_host_device(p, 0) && ho_platform_is_host_device(p, 1) && !ho_platform_is_host_device(p, 2));
  g_autoptr(ho_platform) q = good(PAIR "devices: [{name: a, memory: n}, {name: b, memory: m}, {name: c, memory: m}]\n");
  cr_expect(!ho_platform_is_host_device(q, 0) && ho_platform_is_host_device(q, 1) && !ho_platform_is_host_device(q, 2));
}

Test(platform, a_name_that_is_nowhere_is_told_with_what_there_is) {
  g_autoptr(GError) e = NULL;
  cr_assert_null(ho_platform_load("sever", &e));
  cr_expect_str_eq(e->message,
                   "'sever' is neither a file nor an installed platform (edge-soc, root-complex, server, workstation)");
}

/* libcyaml needs the keys as literals; the enums they stand for have names of their own. */
Test(platform, keys_of_the_schema_are_the_names_of_precisions_and_families) {
  g_autoptr(GString) text = g_string_new(HEAD "devices: [{name: d, memory: m, peak: {");
  for (int p = 0; p < HO_N_PRECISIONS; p++) g_string_append_printf(text, "%s: %d, ", ho_dtype_name((ho_dtype)p), p + 1);
  g_string_append(text, "}, efficiency: {");
  for (int f = 0; f < HO_N_FAMILIES; f++) g_string_append_printf(text, "%s: 0.%02d, ", ho_family_name((ho_family)f), f + 1);
  g_string_append(text, "}}]\n");
  g_autoptr(ho_platform) p = good(text->str);
  for (int i = 0; i < HO_N_PRECISIONS; i++) cr_expect_eq(p->device[0].peak[i], i + 1);
  for (int f = 0; f < HO_N_FAMILIES; f++) cr_expect_float_eq(p->device[0].efficiency[f], (f + 1) / 100.0, 1e-12);
}
