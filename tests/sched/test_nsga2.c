/* test_nsga2.c: the core against examples by hand and against another NSGA-II; the operators against their laws. */
#include <criterion/criterion.h>
#include <glib.h>
#include <math.h>
#include <string.h>

#include "benchmarks.h"
#include "results/archive.h"
#include "results/hypervolume.h"
#include "results/stats.h"
#include "sched/survival.h"
#include "sched/variation.h"
#include "tests/results/shared_data.h"

/* By hand: (1,4), (2,2), (4,1) do not dominate each other; (3,3) is behind (2,2); (4,4) behind (3,3); an infeasible point comes after all
 * feasible ones, and of two infeasible ones the one with less violation. */
Test(sched_nsga2, fronts_follow_constrained_domination) {
  const double f[] = {1, 4, 3, 3, 2, 2, 4, 4, 4, 1, 0, 0, 0, 1}, violation[] = {0, 0, 0, 0, 0, 2, 1};
  const int32_t want[] = {0, 1, 0, 2, 0, 4, 3};
  int32_t rank[7];
  ho_nsga2_sort(f, violation, 7, 2, rank);
  for (int i = 0; i < 7; i++) cr_expect_eq(rank[i], want[i], "point %d: rank %d", i, rank[i]);
}

Test(sched_nsga2, fronts_are_those_of_the_archive) {
  ho_stream r = ho_stream_small(3);
  double f[3 * 120], violation[120] = {0};
  int32_t a[120], b[120];
  for (int i = 0; i < 3 * 120; i++) f[i] = (double)ho_stream_below(&r, 12);
  ho_nsga2_sort(f, violation, 120, 3, a);
  ho_nondominated_ranks(f, 120, 3, b);
  for (int i = 0; i < 120; i++) cr_expect_eq(a[i], b[i]);
}

/* By hand: of (0,4), (1,2), (3,1), (4,0) the inner ones have (3-0)/4 + (4-1)/4 = 1.5 and (4-1)/4 + (2-0)/4 = 1.25. */
Test(sched_nsga2, crowding_distances_are_those_by_hand) {
  const double f[] = {3, 1, 0, 4, 4, 0, 1, 2};
  const int32_t member[] = {0, 1, 2, 3};
  double distance[4];
  ho_nsga2_crowding(f, 2, member, 4, distance);
  cr_expect(distance[0] == 1.25 && isinf(distance[1]) && isinf(distance[2]) && distance[3] == 1.5);
}

/* Hypervolume of the last population with the reference 1.1 in every objective, as in the reference data. */
static double quality(benchmark *b, uint64_t seed, int32_t population, int64_t generations) {
  const double reference[] = {1.1, 1.1, 1.1};
  ho_evolution_problem p = benchmark_problem(b);
  ho_evolution_settings settings = {population, generations, 0.9, ho_survival_nsga2, NULL};
  ho_stream r = ho_stream_small(seed);
  ho_evolution *n = ho_evolution_run(&p, &settings, &r);
  double points[3 * 200];
  for (int32_t i = 0; i < ho_evolution_size(n); i++)
    memcpy(points + i * b->d, ho_evolution_objectives(n, i), sizeof(double) * (size_t)b->d);
  double hv = ho_hypervolume(points, ho_evolution_size(n), b->d, reference);
  ho_evolution_free(n);
  return hv;
}

/* Another NSGA-II with the same settings over 31 seeds: ours is as good, or better. */
Test(sched_nsga2, quality_is_that_of_another_nsga2, .timeout = 300) {
  static const struct {
    const char *name;
    benchmark b;
  } known[] = {
      {"zdt1", {30, 2, zdt1, 20}}, {"zdt3", {30, 2, zdt3, 20}}, {"dtlz2_2obj", {11, 2, dtlz2_2, 20}}, {"dtlz2_3obj", {12, 3, dtlz2_3, 20}}};
  json_t *data = shared_optimisation("nsga2_quality.json"), *one;
  size_t index;
  int checked = 0;
  json_array_foreach(data, index, one) {
    for (size_t k = 0; k < G_N_ELEMENTS(known); k++) {
      if (strcmp(known[k].name, json_string_value(json_object_get(one, "problem"))) != 0) continue;
      benchmark b = known[k].b;
      double ours[31];
      for (int i = 0; i < 31; i++)
        ours[i] = quality(&b, (uint64_t)i + 1, (int32_t)json_integer_value(json_object_get(one, "pop")),
                          json_integer_value(json_object_get(one, "gen")));
      g_autofree double *theirs = numbers_of(json_object_get(one, "hv"));
      double median = ho_median(ours, 31), theirs_median = ho_median(theirs, 31),
             p = ho_rank_sum(ours, 31, theirs, 31, HO_TEST_AUTO).p;
      cr_expect(median >= json_number_value(json_object_get(one, "hv_min")), "%s: median %.6f", known[k].name, median);
      cr_expect(p > 0.05 || median > theirs_median, "%s: median %.6f against %.6f, p = %.4f", known[k].name, median,
                theirs_median, p);
      checked++;
    }
  }
  cr_expect_eq(checked, 4);
  json_decref(data);
}

/* Stands alone: ZDT1's front f2 = 1 - sqrt(f1) has the hypervolume 0.11 + 0.1 + 2/3 for reference (1.1, 1.1); none can have more. */
Test(sched_nsga2, zdt1_is_nearly_solved) {
  benchmark b = {30, 2, zdt1, 20};
  double hv = quality(&b, 5, 100, 250), ideal = 0.11 + 0.1 + 2.0 / 3;
  cr_expect(hv < ideal && hv > 0.985 * ideal, "%.6f of %.6f", hv, ideal);
}

Test(sched_nsga2, the_same_seed_gives_the_same_population) {
  benchmark b = {12, 3, dtlz2_3, 20};
  cr_expect_eq(quality(&b, 9, 20, 15), quality(&b, 9, 20, 15));
  cr_expect_neq(quality(&b, 9, 20, 15), quality(&b, 10, 20, 15));
}

/* Populations that are not a multiple of four wrap the last group of a tournament. */
Test(sched_nsga2, small_and_odd_groups_work) {
  benchmark b = {3, 2, zdt1, 20};
  cr_expect(quality(&b, 1, 4, 10) >= 0);
  cr_expect(quality(&b, 1, 6, 10) >= 0);
}

Test(sched_nsga2, crossover_keeps_genes_in_bounds_and_their_mean) {
  ho_stream r = ho_stream_small(4);
  for (int k = 0; k < 2000; k++) {
    double a[3], b[3], low[3] = {-2, 0, 5}, high[3] = {3, 1, 5.5}, x[3], y[3];
    for (int i = 0; i < 3; i++) {
      a[i] = x[i] = low[i] + ho_stream_uniform(&r) * (high[i] - low[i]);
      b[i] = y[i] = low[i] + ho_stream_uniform(&r) * (high[i] - low[i]);
    }
    ho_cross_sbx(&r, a, b, 3, low, high, 20);
    ho_mutate_polynomial(&r, x, 3, low, high, 1, 20);
    for (int i = 0; i < 3; i++) {
      cr_assert(a[i] >= low[i] && a[i] <= high[i] && b[i] >= low[i] && b[i] <= high[i]);
      cr_assert(x[i] >= low[i] && x[i] <= high[i]);
    }
    (void)y;
  }
}

Test(sched_nsga2, swaps_exchange_genes_and_lose_none) {
  ho_stream r = ho_stream_small(6);
  int16_t a[200], b[200];
  for (int k = 0; k < 50; k++) {
    for (int16_t i = 0; i < 200; i++) {
      a[i] = i;
      b[i] = (int16_t)(1000 + i);
    }
    int one_point = k % 2, changes = 0;
    if (one_point)
      ho_cross_one_point_int(&r, a, b, 200);
    else
      ho_cross_uniform_int(&r, a, b, 200);
    for (int16_t i = 0; i < 200; i++) {
      cr_assert((a[i] == i && b[i] == 1000 + i) || (a[i] == 1000 + i && b[i] == i));
      changes += i > 0 && (a[i] >= 1000) != (a[i - 1] >= 1000);
    }
    cr_expect(one_point ? changes <= 1 : changes > 50);
  }
}
