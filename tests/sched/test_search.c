/* test_search.c: HeteroOpt's own search: known optima, its floor, its switches, and its parts. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "lab.h"
#include "results/hypervolume.h"
#include "sched/search/region.h"
#include "sched/search/truth.h"
#include "sim/accuracy.h"
#include "sim/variant.h"

static const char accelerator_and_host[] =
    "format: heteroopt-platform/1\n"
    "name: pair\n"
    "memories: [{name: host, capacity: 64GB, bandwidth: 200GB/s}, {name: hbm, capacity: 16GB, bandwidth: 900GB/s}]\n"
    "devices:\n"
    "  - {name: cpu, kind: cpu, memory: host, peak: {fp32: 2e12, fp16: 2e12}, power: {idle: 20, busy: 60},\n"
    "     points: [{name: eco, speed: 0.6, power: 0.3}]}\n"
    "  - {name: gpu, kind: gpu, memory: hbm, peak: {fp32: 10e12, fp16: 60e12, int8: 120e12}, error: {fp16: 1, int8: 8},\n"
    "     power: {idle: 30, busy: 200}, points: [{name: eco, speed: 0.7, power: 0.4}]}\n"
    "links: [{name: pcie, ends: [host, hbm], bandwidth: 12GB/s, latency: 5us}]\n";

/* ---- known answers ------------------------------------------------------------------------------------------------------------------ */

Test(search, finds_the_optimum_of_topcuoglu_2002) {
  g_autoptr(lab) l = lab_own("topcuoglu2002_fig3");
  l->problem.n_objectives = 1;
  double least = INFINITY;
  for (uint64_t seed = 1; seed <= 3; seed++) {
    g_autoptr(ho_search) s = lab_must_run(l, "heteroopt", NULL, seed, 10000);
    double makespan = lab_replayed(l, s);
    cr_expect_geq(makespan, 73, "73 is proved: %g", makespan);
    least = fmin(least, makespan);
  }
  cr_expect_eq(least, 73);
}

static double share_of_exact(const lab *l, uint64_t seed) {
  g_autoptr(GError) error = NULL;
  g_autoptr(ho_search) exact = lab_run(l, "exact", NULL, 1, 1000000, &error);
  if (!exact) return NAN;
  g_autoptr(ho_search) own = lab_must_run(l, "heteroopt", NULL, seed, 10000);
  double reference[3] = {0, 0, 0}, area[2];
  ho_archive *front[2] = {ho_search_archive(own), ho_search_archive(exact)};
  for (int32_t i = 0; i < ho_archive_size(front[1]); i++)
    for (int k = 0; k < 3; k++) reference[k] = fmax(reference[k], 1.1 * ho_archive_objectives(front[1], i)[k]);
  for (int f = 0; f < 2; f++) {
    int32_t n = ho_archive_size(front[f]);
    g_autofree double *points = g_new(double, 3 * (size_t)n);
    for (int32_t i = 0; i < n; i++)
      for (int k = 0; k < 3; k++) points[3 * i + k] = ho_archive_objectives(front[f], i)[k];
    area[f] = ho_hypervolume(points, n, 3, reference);
  }
  return area[0] / area[1];
}

Test(search, reaches_the_proved_fronts_of_small_problems, .timeout = 120) {
  int proved = 0;
  for (uint64_t seed = 1; seed <= 12; seed++) {
    ho_platform *p = lab_plain_platform();
    g_autoptr(lab) l = lab_new(lab_random_graph(seed, 9, 1, p), p);
    double share = share_of_exact(l, seed);
    if (isnan(share)) continue;
    proved++;
    cr_expect_geq(share, 0.99, "seed %d: %.4f of the exact hypervolume", (int)seed, share);
    cr_expect_leq(share, 1 + 1e-9, "seed %d: %.4f times a proved front", (int)seed, share);
  }
  cr_expect_geq(proved, 10);
}

/* ---- the floor ---------------------------------------------------------------------------------------------------------------------- */

static void least_of(ho_search *s, double *least) {
  ho_archive *a = ho_search_archive(s);
  for (int k = 0; k < 3; k++)
    for (int32_t i = 0; i < ho_archive_size(a); i++) least[k] = fmin(least[k], ho_archive_objectives(a, i)[k]);
}

/* Objectives of a heuristic's plan by replay. */
static void replayed_of(const lab *l, const char *scheduler, double *objectives) {
  g_autoptr(ho_search) s = lab_must_run(l, scheduler, NULL, 1, 1000);
  g_autoptr(ho_replay) r = ho_replay_new(&l->problem);
  const ho_replay_options exact = {0};
  const ho_replay_result *result = ho_replay_run(r, ho_archive_payload(ho_search_archive(s), 0), &exact, NULL);
  cr_assert(result);
  ho_problem_objectives(&l->problem, &result->figures, objectives);
}

Test(search, is_never_worse_than_the_heuristics_it_starts_from) {
  static const char *const graphs[] = {"mobilenet_v2:batch=2", "vit-b16", "resnet18:batch=4,mode=training"};
  static const char *const floor[] = {"heft", "peft", "single-fastest", "greedy-rules"};
  for (size_t i = 0; i < G_N_ELEMENTS(graphs); i++) {
    g_autoptr(lab) l = lab_spec(graphs[i], accelerator_and_host);
    g_autoptr(ho_search) s = lab_must_run(l, "heteroopt", NULL, 1, 400);
    lab_check_plans(l, s);
    double least[3] = {INFINITY, INFINITY, INFINITY};
    least_of(s, least);
    for (size_t k = 0; k < G_N_ELEMENTS(floor); k++) {
      double theirs[HO_MAX_OBJECTIVES];
      replayed_of(l, floor[k], theirs);
      for (int o = 0; o < 3; o++) cr_expect_leq(least[o], theirs[o], "%s: %s has objective %d", graphs[i], floor[k], o);
    }
  }
}

Test(search, what_it_returns_was_replayed) {
  g_autoptr(lab) l = lab_spec("resnet18:batch=2", accelerator_and_host);
  g_autoptr(ho_search) s = lab_must_run(l, "heteroopt", NULL, 1, 1500);
  g_autoptr(ho_replay) r = ho_replay_new(&l->problem);
  ho_archive *a = ho_search_archive(s);
  cr_expect_gt(ho_search_replays(s), 0);
  cr_expect_gt(ho_archive_size(a), 3);
  for (int32_t i = 0; i < ho_archive_size(a); i++) {
    const ho_replay_options exact = {0};
    double objectives[HO_MAX_OBJECTIVES];
    const ho_replay_result *result = ho_replay_run(r, ho_archive_payload(a, i), &exact, NULL);
    cr_assert(result);
    ho_problem_objectives(&l->problem, &result->figures, objectives);
    cr_expect_eq(memcmp(objectives, ho_archive_objectives(a, i), 3 * sizeof(double)), 0, "plan %d", i);
  }
}

/* ---- switches ----------------------------------------------------------------------------------------------------------------------- */

static void count(ho_search *s, int *rewritten, int *lowered, int *slowed) {
  ho_archive *a = ho_search_archive(s);
  *rewritten = *lowered = *slowed = 0;
  for (int32_t i = 0; i < ho_archive_size(a); i++) {
    const ho_plan *plan = ho_archive_payload(a, i);
    *rewritten += plan->variant != NULL;
    for (int32_t k = 0; k < plan->n; k++) {
      *lowered += plan->entry[k].precision != HO_DTYPE_NONE;
      *slowed += plan->entry[k].point != 0;
    }
  }
}

Test(search, what_is_switched_off_is_in_no_plan) {
  g_autoptr(lab) l = lab_spec("resnet18:batch=2", accelerator_and_host);
  int rewritten, lowered, slowed;
  g_autoptr(ho_search) all = lab_must_run(l, "heteroopt", NULL, 1, 1000);
  count(all, &rewritten, &lowered, &slowed);
  cr_expect(rewritten && lowered && slowed, "%d rewritten, %d lowered, %d slowed", rewritten, lowered, slowed);
  const char *const off[] = {"rewrites=off", "precision=off", "points=off", NULL};
  g_autoptr(ho_search) none = lab_must_run(l, "heteroopt", off, 1, 1000);
  count(none, &rewritten, &lowered, &slowed);
  cr_expect(!rewritten && !lowered && !slowed, "%d rewritten, %d lowered, %d slowed", rewritten, lowered, slowed);
  const char *const bare[] = {"skeleton=off", "beam=off", "neighbourhood=off", "replay=off", NULL};
  g_autoptr(ho_search) plain = lab_must_run(l, "heteroopt", bare, 1, 1000);
  cr_expect_eq(ho_search_replays(plain), 0);
  lab_check_plans(l, plain);
}

/* ---- accuracy ----------------------------------------------------------------------------------------------------------------------- */

static const char three_products[] =
    "{\"format\":\"heteroopt-graph/1\",\"name\":\"three\",\"ops\":["
    "{\"name\":\"a\",\"kind\":\"gemm\",\"flops\":1e11,\"sensitivity\":0.01},"
    "{\"name\":\"b\",\"kind\":\"gemm\",\"flops\":1e11,\"sensitivity\":0.02},"
    "{\"name\":\"c\",\"kind\":\"softmax\",\"flops\":1e11}],"
    "\"tensors\":[{\"name\":\"x\",\"bytes\":1000,\"producer\":\"a\",\"consumers\":[\"b\"]},"
    "{\"name\":\"y\",\"bytes\":1000,\"producer\":\"b\",\"consumers\":[\"c\"]},{\"name\":\"z\",\"bytes\":1000,\"producer\":\"c\"}]"
    "}";

/* By hand: int8 on the gpu costs 8 · 0.01 = 0.08 points of a and 0.16 of b, fp16 0.01 and 0.02. */
Test(accuracy, the_drop_is_sensitivity_times_error) {
  g_autoptr(lab) l = lab_texts(three_products, accelerator_and_host);
  g_autoptr(ho_plan) plan = ho_plan_new(3);
  for (int i = 0; i < 3; i++) plan->entry[i] = (ho_entry){.op = i, .device = 1, .precision = HO_INT8};
  cr_expect_float_eq(ho_accuracy_drop(&l->problem, plan), 0.24, 1e-15);
  plan->entry[1].precision = HO_FP16;
  cr_expect_float_eq(ho_accuracy_drop(&l->problem, plan), 0.10, 1e-15);
  plan->entry[0].precision = plan->entry[1].precision = HO_DTYPE_NONE; /* fp32 */
  cr_expect_eq(ho_accuracy_drop(&l->problem, plan), 0);
}

Test(accuracy, class_rules_are_those_of_automatic_mixed_precision) {
  g_autoptr(lab) l = lab_texts(three_products, accelerator_and_host);
  cr_expect(ho_accuracy_allows(l->graph, 0, HO_INT8), "a number is known");
  cr_expect(ho_accuracy_allows(l->graph, 2, HO_FP32) && ho_accuracy_allows(l->graph, 2, HO_FP64));
  cr_expect(!ho_accuracy_allows(l->graph, 2, HO_FP16), "softmax stays in fp32");
  g_autoptr(lab) net = lab_spec("resnet18", accelerator_and_host);
  for (ho_op o = 0; o < net->graph->n_ops; o++) {
    ho_family f = net->graph->op[o].family;
    cr_expect(!ho_accuracy_allows(net->graph, o, HO_INT8), "no number is known");
    if (f == HO_FAMILY_CONV || f == HO_FAMILY_NORM) cr_expect_eq(ho_accuracy_allows(net->graph, o, HO_FP16), f == HO_FAMILY_CONV);
  }
}

Test(search, precisions_stay_within_the_limit_of_accuracy) {
  g_autoptr(lab) l = lab_texts(three_products, accelerator_and_host);
  static const char *const limits[] = {"accuracy=0", "accuracy=0.09", "accuracy=0.2", "accuracy=1"};
  static const double limit[] = {0, 0.09, 0.2, 1};
  /* Fastest within each, on the gpu, s: c stays in fp32 (10 ms); of a and b fp32 10 ms, fp16 1e11/60e12, int8 1e11/120e12 each. a int8 (0.08) leaves no room
   * for b below 0.09 but 0.01: fp16 of both (0.03) or a int8 and b fp32 (0.08): the former. 0.2: a int8, b fp16 0.1; b int8, a fp16 0.17. */
  static const double fastest[] = {0.03, 0.01 + 2 * 1e11 / 60e12, 0.01 + 1e11 / 60e12 + 1e11 / 120e12, 0.01 + 2 * 1e11 / 120e12};
  for (int i = 0; i < 4; i++) {
    const char *const set[] = {limits[i], "rewrites=off", NULL};
    g_autoptr(ho_search) s = lab_must_run(l, "heteroopt", set, 1, 2000);
    ho_archive *a = ho_search_archive(s);
    double least[3] = {INFINITY, INFINITY, INFINITY};
    least_of(s, least);
    cr_expect_float_eq(least[0], fastest[i], 1e-6, "%s: %.9g", limits[i], least[0]);
    for (int32_t k = 0; k < ho_archive_size(a); k++)
      cr_expect_leq(ho_accuracy_drop(&l->problem, ho_archive_payload(a, k)), limit[i] + 1e-12);
  }
}

/* ---- parts -------------------------------------------------------------------------------------------------------------------------- */

Test(search, the_bias_is_the_mean_ratio_of_replay_and_estimate) {
  ho_truth *t = ho_truth_new(2);
  g_autoptr(ho_plan) one = ho_plan_new(1), other = ho_plan_new(1);
  one->entry[0].device = 0;
  other->entry[0].device = 3;
  const double estimated[] = {1, 0}, twice[] = {2, 5}, eight[] = {8, 5};
  ho_truth_learn(t, one, estimated, twice);
  double x[] = {10, 7};
  ho_truth_correct(t, one, x);
  cr_expect_float_eq(x[0], 20, 1e-12);
  cr_expect_eq(x[1], 7, "nothing is known of an objective that was 0");
  ho_truth_learn(t, one, estimated, eight); /* mean of logarithms: log 2 + 0.2 · (log 8 - log 2) = log(2 · 4^0.2) */
  double y[] = {1, 1};
  ho_truth_correct(t, one, y);
  cr_expect_float_eq(y[0], 2 * pow(4, 0.2), 1e-12);
  double z[] = {1, 1};
  ho_truth_correct(t, other, z); /* unknown devices: the mean of all */
  cr_expect_eq(z[0], y[0]);
  ho_truth_free(t);
}

Test(search, decisions_are_carried_over_rewrites_and_back) {
  g_autoptr(lab) l = lab_spec("resnet18", accelerator_and_host);
  g_autoptr(ho_search) s = lab_must_run(l, "heteroopt", NULL, 1, 1);
  int living = 0;
  ho_stage *first = ho_stage_first(s, &living);
  GPtrArray *list = g_ptr_array_ref(first->rewrites);
  cr_assert_eq(list->len, 0);
  g_ptr_array_unref(list);
  g_autoptr(ho_variant) fused = ho_variant_by_spec(l->graph, l->platform, l->cost, "remove,fold,fuse", NULL);
  ho_stage *second = ho_stage_rewritten(&l->problem, g_ptr_array_ref(fused->rewrites), &living);
  cr_assert(second);
  cr_expect_eq(living, 2);
  cr_expect_lt(ho_stage_ops(second), ho_stage_ops(first));
  ho_solution *a = ho_solution_new(first);
  for (ho_op o = 0; o < a->n; o++) a->device[o] = l->graph->op[o].family == HO_FAMILY_CONV;
  ho_solution *b = ho_solution_carry(a, second);
  for (ho_op o = 0; o < b->n; o++) { /* the convolution has nearly all FLOPs of what it is fused with */
    if (second->problem.graph->op[o].family == HO_FAMILY_CONV)
      cr_expect_eq(b->device[o], 1, "%s", second->problem.graph->op[o].name);
  }
  ho_solution *c = ho_solution_carry(b, first);
  for (ho_op o = 0; o < c->n; o++)
    if (l->graph->op[o].family == HO_FAMILY_CONV) cr_expect_eq(c->device[o], 1);
  cr_expect_eq(ho_solution_decode(b, 1), 0);
  cr_expect(ho_plan_check(second->plan, l->graph, l->platform, l->cost, NULL));
  ho_solution_free(a);
  ho_solution_free(b);
  ho_solution_free(c);
  ho_stage_unref(second);
  cr_expect_eq(living, 1);
  ho_stage_unref(first);
  cr_expect_eq(living, 0);
}

Test(search, regions_have_from_one_op_to_half_of_them) {
  g_autoptr(lab) l = lab_spec("resnet18", accelerator_and_host);
  g_autoptr(ho_search) s = lab_must_run(l, "heteroopt", NULL, 1, 1);
  int living = 0;
  ho_stage *x = ho_stage_first(s, &living);
  ho_region r;
  ho_region_init(&r);
  ho_stream stream = ho_stream_small(7);
  int32_t small = 0, large = 0, n = ho_stage_ops(x);
  for (int i = 0; i < 1000; i++) {
    if (i % 2)
      ho_region_stretch(&r, x, &stream);
    else
      ho_region_around(&r, x, (ho_op)ho_stream_below(&stream, (uint64_t)n), &stream);
    cr_assert(r.n >= 1 && r.n <= n / 2);
    for (int32_t k = 0; k < r.n; k++) cr_assert(r.inside[r.op[k]]);
    small += r.n <= 2;
    large += r.n >= n / 4;
  }
  cr_expect(small > 100 && large > 50, "%d small, %d large", small, large);
  ho_region_clear(&r);
  ho_stage_unref(x);
}
