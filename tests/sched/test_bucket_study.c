/* test_bucket_study.c: what planning per bucket loses, where that is known. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "hwprofiles/platform_yaml.h"
#include "sched/bucket_study.h"
#include "sim/plan_check.h"
#include "sim/replay.h"

typedef struct {
  ho_symbolic *source;
  ho_sizes *sizes;
  ho_platform *platform;
  ho_options *options;
  ho_bucket_setup setup;
} bench;

static bench *bench_new(const char *sizes, int32_t n_edges, const int64_t *edges) {
  GError *error = NULL;
  bench *b = g_new0(bench, 1);
  b->source = ho_symbolic_open("bert-base:layers=1", &error);
  b->sizes = ho_sizes_parse(sizes, &error);
  b->platform = ho_platform_load("workstation", &error);
  cr_assert(b->source && b->sizes && b->platform, "%s", error ? error->message : "");
  const ho_scheduler *heft = ho_scheduler_find("heft");
  b->options = ho_options_parse(heft->options, NULL, "heft", NULL);
  b->setup = (ho_bucket_setup){.source = b->source,
                               .dim = "seq",
                               .sizes = b->sizes,
                               .n_edges = n_edges,
                               .edges = edges,
                               .platform = b->platform,
                               .scheduler = heft,
                               .options = b->options,
                               .seed = 1,
                               .evaluations = 1};
  return b;
}

static void bench_free(bench *b) {
  ho_symbolic_free(b->source);
  ho_sizes_free(b->sizes);
  ho_platform_free(b->platform);
  ho_options_free(b->options);
  g_free(b);
}

static ho_bucket_study *run(bench *b) {
  g_autoptr(GError) error = NULL;
  ho_bucket_study *s = ho_bucket_study_run(&b->setup, &error);
  cr_assert(s, "%s", error ? error->message : "");
  return s;
}

static const ho_figures *figures(const ho_bucket_study *s, int32_t i, ho_shapes_way way) {
  return &s->figures[(size_t)i * HO_N_SHAPES_WAYS + (size_t)way];
}

Test(bucket_study, a_bucket_per_size_loses_nothing) {
  const int64_t edges[] = {32, 64, 128};
  bench *b = bench_new("32,64*2,128", 3, edges);
  g_autoptr(ho_bucket_study) s = run(b);
  cr_assert_eq(s->plans, 3);
  for (int32_t i = 0; i < s->n; i++) {
    cr_assert_eq(memcmp(figures(s, i, HO_SHAPES_EXACT), figures(s, i, HO_SHAPES_BUCKET), sizeof(ho_figures)), 0);
    cr_assert_eq(memcmp(figures(s, i, HO_SHAPES_EXACT), figures(s, i, HO_SHAPES_BUCKET_PADDED), sizeof(ho_figures)), 0);
  }
  bench_free(b);
}

/* The exact figures are those of the graph at that size by itself; padded ones those of the edge; means are weighted. */
Test(bucket_study, figures_are_those_of_the_graphs_at_size_and_edge) {
  const int64_t edges[] = {96};
  bench *b = bench_new("48,64*3", 1, edges);
  g_autoptr(ho_bucket_study) s = run(b);
  cr_assert_eq(s->plans, 3); /* 48, 64 and 96 */
  g_autoptr(ho_graph) g = ho_graph_load("bert-base:layers=1,seq=48", NULL, NULL, NULL);
  ho_cost *cost = ho_cost_new(g, b->platform);
  ho_problem q = {.graph = g, .platform = b->platform, .cost = cost, .n_objectives = 1, .objective = {HO_OBJECTIVE_LATENCY}};
  const ho_search_setup setup = {.problem = &q, .scheduler = b->setup.scheduler, .options = b->options, .evaluations = 1};
  g_autoptr(ho_search) search = ho_search_new(&setup);
  cr_assert(ho_search_run(search, NULL));
  g_autoptr(ho_replay) replay = ho_replay_new(&q);
  const ho_replay_result *r = ho_replay_run(replay, ho_archive_payload(ho_search_archive(search), 0), NULL, NULL);
  cr_assert_eq(r->figures.latency, figures(s, 0, HO_SHAPES_EXACT)->latency);
  cr_assert_eq(figures(s, 0, HO_SHAPES_BUCKET_PADDED)->latency, figures(s, 1, HO_SHAPES_STATIC_PADDED)->latency);
  cr_assert_gt(figures(s, 0, HO_SHAPES_BUCKET_PADDED)->energy, figures(s, 0, HO_SHAPES_BUCKET)->energy);
  double mean = 0.25 * figures(s, 0, HO_SHAPES_BUCKET)->energy + 0.75 * figures(s, 1, HO_SHAPES_BUCKET)->energy;
  cr_assert_float_eq(ho_bucket_study_mean(s, &b->setup, HO_SHAPES_BUCKET, HO_OBJECTIVE_ENERGY, -1), mean, 1e-12 * mean);
  ho_cost_free(cost);
  bench_free(b);
}

Test(bucket_study, rewrites_go_with_the_plan) {
  const int64_t edges[] = {128};
  bench *b = bench_new("48,128", 1, edges);
  b->setup.rewrites = "fuse";
  g_autoptr(ho_bucket_study) s = run(b);
  b->setup.rewrites = NULL;
  g_autoptr(ho_bucket_study) plain = run(b);
  cr_assert_lt(figures(s, 0, HO_SHAPES_BUCKET)->energy, figures(plain, 0, HO_SHAPES_BUCKET)->energy);
  bench_free(b);
}

Test(bucket_study, sizes_with_other_ops_cannot_share_a_plan) {
  const int64_t edges[] = {3};
  bench *b = bench_new("2", 1, edges);
  b->setup.dim = "layers";
  g_autoptr(GError) error = NULL;
  cr_assert_null(ho_bucket_study_run(&b->setup, &error));
  cr_assert(strstr(error->message, "one plan cannot serve both"), "%s", error->message);
  bench_free(b);
}

/* ---- by hand --------------------------------------------------------------------------------------------------------- */

/* A product of 2 MFLOP per row. On `near`, 2 GFLOP/s and 1 W: n ms, n mJ. On `far`, 20 GFLOP/s and 2 W behind a launch of 5 ms without power:
 * 5 + n/10 ms, n/5 mJ. For 2 rows, `near` with 2 ms is faster, for 10 `far` with 6 ms. The bytes take nanoseconds. */
static const char two_devices[] =
    "format: heteroopt-platform/1\nname: two\nmemories:\n  - {name: host, capacity: 1GB, bandwidth: 1000TB/s}\ndevices:\n"
    "  - {name: near, kind: cpu, memory: host, peak: {fp32: 2e9}, launch: {mode: sync, host: 0, device: 0}, power: {idle: 0, "
    "busy: 1}}\n"
    "  - {name: far, kind: npu, memory: host, peak: {fp32: 20e9}, launch: {mode: sync, host: 5ms, device: 0}, power: {idle: 0, "
    "busy: 2}}\n";

static bench *by_hand(const char *sizes, int32_t n_edges, const int64_t *edges) {
  g_autoptr(GError) error = NULL;
  const char *source = g_getenv("HO_TEST_SRCDIR");
  g_autofree char *file = g_build_filename(source ? source : ".", "tests", "data", "onnx", "product.onnx", NULL);
  g_autoptr(ho_yaml) yaml = ho_yaml_from_text("two", two_devices);
  bench *b = bench_new(sizes, n_edges, edges);
  ho_symbolic_free(b->source);
  ho_platform_free(b->platform);
  b->source = ho_symbolic_open(file, &error);
  b->platform = b->source ? ho_platform_from_yaml(yaml, &error) : NULL;
  cr_assert(b->platform, "%s", error ? error->message : "");
  b->setup.source = b->source;
  b->setup.platform = b->platform;
  return b;
}

static void expect_means(const bench *b, const ho_bucket_study *s, ho_objective o, const double mean[HO_N_SHAPES_WAYS]) {
  for (int way = 0; way < HO_N_SHAPES_WAYS; way++) {
    double found = ho_bucket_study_mean(s, &b->setup, (ho_shapes_way)way, o, -1);
    cr_expect_float_eq(found, mean[way], 1e-5 * mean[way], "%s: %g, by hand %g", ho_shapes_way_name((ho_shapes_way)way), found,
                       mean[way]);
  }
}

/* Three times 2 and once 10, one bucket: 2 rows are planned for as 10, and go to `far`: 5.2 ms, 0.4 mJ; padded 6 ms, 2 mJ. */
Test(bucket_study, one_bucket_of_two_sizes_by_hand) {
  const int64_t edges[] = {10};
  bench *b = by_hand("2*3,10", 1, edges);
  g_autoptr(ho_bucket_study) s = run(b);
  cr_assert_eq(s->plans, 2);
  const double one = 0.75 * 5.2e-3 + 0.25 * 6e-3;
  expect_means(b, s, HO_OBJECTIVE_LATENCY, (double[]){0.75 * 2e-3 + 0.25 * 6e-3, one, 6e-3, one, 6e-3});
  const double frugal = 0.75 * 0.4e-3 + 0.25 * 2e-3;
  expect_means(b, s, HO_OBJECTIVE_ENERGY, (double[]){2e-3, frugal, 2e-3, frugal, 2e-3});
  bench_free(b);
}

/* A third size, 4, of which there are as many as of 2 and 10 together, in two buckets, up to 4 (both on `near`) and 10. */
Test(bucket_study, two_buckets_of_three_sizes_by_hand) {
  const int64_t edges[] = {4, 10};
  bench *b = by_hand("2,4*2,10", 2, edges);
  g_autoptr(ho_bucket_study) s = run(b);
  const double exact = (2e-3 + 2 * 4e-3 + 6e-3) / 4;
  expect_means(b, s, HO_OBJECTIVE_LATENCY,
               (double[]){exact, exact, (3 * 4e-3 + 6e-3) / 4, (5.2e-3 + 2 * 5.4e-3 + 6e-3) / 4, 6e-3});
  double low = ho_bucket_study_mean(s, &b->setup, HO_SHAPES_STATIC, HO_OBJECTIVE_LATENCY, 0);
  cr_assert_float_eq(low, (5.2e-3 + 2 * 5.4e-3) / 3, 1e-7, "the mean of a bucket is weighted within it");
  bench_free(b);
}
