/* test_bounds.c: lower bounds by hand, and below every plan that anything finds. */
#include <criterion/criterion.h>
#include <math.h>

#include "lab.h"
#include "sim/bounds.h"

#define TWO_DEVICES                                                                                                            \
  "format: heteroopt-platform/1\nname: p\nmemories:\n  - {name: m, capacity: 1000, bandwidth: 1e12}\ndevices:\n"               \
  "  - {name: a, kind: generic, memory: m, peak: {fp32: 1e9}, sharing: exclusive, launch: {mode: async, host: 0, device: 0}, " \
  "power: {idle: 1, busy: 3}}\n"                                                                                               \
  "  - {name: b, kind: generic, memory: m, peak: {fp32: 1e9}, sharing: exclusive, launch: {mode: async, host: 0, device: 0}, " \
  "power: {idle: 2, busy: 6}}\n"

static lab *independent(const char *times) {
  g_autofree char *text = g_strdup_printf("{\"format\":\"heteroopt-graph/1\",\"name\":\"g\",\"ops\":[%s],\"tensors\":[]}", times);
  return lab_texts(text, TWO_DEVICES);
}

/* Three ops of 2 s on either device: 6 s of work for two. Least energy above idle: 2 W on a for 2 s each; a, the host, is idle for 3 s. */
Test(bounds, load_is_spread_over_devices) {
  g_autoptr(lab) l = independent(
      "{\"name\":\"x\",\"time\":{\"a\":2,\"b\":2}},{\"name\":\"y\",\"time\":{\"a\":2,\"b\":2}},"
      "{\"name\":\"z\",\"time\":{\"a\":2,\"b\":2}}");
  ho_bounds b = ho_bounds_of(&l->problem);
  cr_assert_float_eq(b.load, 3, 1e-12);
  cr_assert_float_eq(b.path, 2, 1e-12);
  cr_assert_float_eq(b.energy, 3 * 2 * 2 + 1 * 3, 1e-9);
}

/* Unlike devices: x and y 1 s on a, 100 s on b; z 3 s on either. Fractionally z is split so that a and b end together: a has 2 + 3 f, b 3 (1 - f):
 * f = 1/6, both 2.5 s. Weights of 1/2 alone would give 0.5 + 0.5 + 1.5 = 2.5 as well; with z 4 s on b they would not. */
Test(bounds, weights_find_the_relaxation_of_unlike_devices) {
  g_autoptr(lab) l = independent(
      "{\"name\":\"x\",\"time\":{\"a\":1,\"b\":100}},{\"name\":\"y\",\"time\":{\"a\":1,\"b\":100}},"
      "{\"name\":\"z\",\"time\":{\"a\":3,\"b\":4}}");
  ho_bounds b = ho_bounds_of(&l->problem); /* 2 + 3 f = 4 (1 - f): f = 2/7, 20/7 s; weights 4/7 and 3/7 */
  cr_assert_leq(b.load, 20.0 / 7 + 1e-12);
  cr_assert_geq(b.load, 20.0 / 7 * 0.99, "%g", b.load);
  cr_assert_float_eq(b.path, 3, 1e-12);
}

Test(bounds, memory_is_what_one_op_needs_at_once) {
  g_autoptr(lab) l = lab_texts(
      "{\"format\":\"heteroopt-graph/"
      "1\",\"name\":\"g\",\"ops\":[{\"name\":\"x\",\"time\":{\"a\":1},\"workspace\":50}],\"tensors\":["
      "{\"name\":\"i\",\"bytes\":100,\"consumers\":[\"x\"]},{\"name\":\"w\",\"bytes\":200,\"role\":\"weight\",\"consumers\":["
      "\"x\"]},"
      "{\"name\":\"o\",\"bytes\":30,\"producer\":\"x\"}]}",
      TWO_DEVICES);
  cr_assert_float_eq(ho_bounds_of(&l->problem).tightest, 0.38, 1e-12);
}

static int32_t plans;

static void check_scheduler(const lab *l, const char *name, const ho_bounds *b) {
  g_autoptr(GError) error = NULL;
  g_autoptr(ho_search) s = lab_run(l, name, NULL, 1, 300, &error);
  if (!s) return; /* another test's business */
  g_autoptr(ho_replay) r = ho_replay_new(&l->problem);
  for (int32_t i = 0; i < ho_archive_size(ho_search_archive(s)); i++) {
    const ho_replay_result *x = ho_replay_run(r, ho_archive_payload(ho_search_archive(s), i), NULL, NULL);
    if (!x || !ho_bounds_hold(&l->problem, ho_archive_payload(ho_search_archive(s), i))) continue;
    plans++;
    cr_assert_geq(x->figures.latency, b->latency * (1 - 1e-9), "%s on %s: latency", name, l->graph->name);
    cr_assert_geq(x->figures.energy, b->energy * (1 - 1e-9), "%s on %s: energy", name, l->graph->name);
    cr_assert_geq(x->figures.tightest, b->tightest * (1 - 1e-9), "%s on %s: memory", name, l->graph->name);
  }
}

static void check_all(const lab *l) {
  ho_bounds b = ho_bounds_of(&l->problem);
  for (const ho_scheduler *const *x = ho_schedulers; *x; x++) check_scheduler(l, (*x)->name, &b);
}

Test(bounds, no_plan_of_any_scheduler_is_below_them, .timeout = 120) {
  static const char *const graphs[] = {"resnet18:batch=4", "bert-base:layers=1,batch=2", "gcn", "mobilenet_v2:mode=training"};
  static const char *const platforms[] = {"workstation", "server", "edge-soc", "root-complex"};
  plans = 0;
  for (uint64_t seed = 1; seed <= 15; seed++) {
    ho_platform *p = lab_plain_platform();
    g_autoptr(lab) l = lab_new(lab_random_graph(seed, 12, 1, p), p);
    check_all(l);
  }
  for (size_t g = 0; g < G_N_ELEMENTS(graphs); g++)
    for (size_t p = 0; p < G_N_ELEMENTS(platforms); p++) {
      g_autoptr(lab) l = lab_new(ho_graph_load(graphs[g], NULL, NULL, NULL), ho_platform_load(platforms[p], NULL));
      check_all(l);
    }
  cr_assert_gt(plans, 500);
}
