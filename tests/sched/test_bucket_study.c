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
