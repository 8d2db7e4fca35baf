/* test_stats.c: quantiles, tests and effect sizes. Values marked R are from R 4.2.2 (Debian 12). */
#include <criterion/criterion.h>
#include <glib.h>
#include <math.h>

#include "results/stats.h"
#include "tests/results/shared_data.h"

static void close_to(double found, double expected, int line) {
  cr_assert(fabs(found - expected) <= 1e-12 * fmax(1, fabs(expected)), "line %d: %.17g, expected %.17g", line, found, expected);
}
#define CLOSE(found, expected) close_to((found), (expected), __LINE__)

/* R's `a` and `b`: fifteen values each. */
static const double a[15] = {0, .447, .312, .045, .86, .409, .517, .468, .472, .282, .219, .714, .141, .38, .588};
static const double b[15] = {.25, 1.144, .873, .34, .971, 1.067, .285, 1.185, 1.195, .813, .687, .677, .531, 1.011, .426};
static const double t1[7] = {1, 2, 2, 3, 3, 3, 4}, t2[8] = {2, 3, 4, 4, 5, 5, 6, 6};

Test(stats, quantiles_are_of_type_7) { /* R: quantile(a, c(.25, .5, .75)) */
  ho_quartiles q = ho_quartiles_of(a, 15);
  CLOSE(q.q1, 0.2505);
  CLOSE(q.median, 0.409);
  CLOSE(q.q3, 0.4945);
  CLOSE(ho_quantile(a, 15, 0), 0);
  CLOSE(ho_quantile(a, 15, 1), 0.86);
  const double four[] = {4, 1, 3, 2}; /* by hand: position 3·0.95 = 2.85 */
  CLOSE(ho_quantile(four, 4, 0.95), 3.85);
  CLOSE(ho_median(four, 4), 2.5);
}

Test(stats, small_samples_have_the_quantiles_they_can) {
  cr_assert(isnan(ho_median(NULL, 0)));
  const double one[] = {7};
  CLOSE(ho_quantile(one, 1, 0.95), 7);
  const double infinite[] = {1, INFINITY, INFINITY};
  cr_assert_eq(ho_median(infinite, 3), INFINITY, "no NaN out of infinity minus infinity");
}

Test(stats, rank_sum_is_exact_without_ties) { /* R: wilcox.test(a, b) */
  ho_test t = ho_rank_sum(a, 15, b, 15, HO_TEST_AUTO);
  cr_assert_eq(t.method, HO_TEST_EXACT);
  CLOSE(t.statistic, 45);
  CLOSE(t.p, 0.0042661847610766333);
  t = ho_rank_sum(b, 15, a, 15, HO_TEST_AUTO);
  CLOSE(t.statistic, 15 * 15 - 45);
  CLOSE(t.p, 0.0042661847610766333);
}

Test(stats, rank_sum_by_the_normal_approximation) { /* R: wilcox.test(…, exact = FALSE) */
  CLOSE(ho_rank_sum(a, 15, b, 15, HO_TEST_NORMAL).p, 0.0054521398569405497);
  ho_test t = ho_rank_sum(t1, 7, t2, 8, HO_TEST_AUTO);
  cr_assert_eq(t.method, HO_TEST_NORMAL, "ties");
  CLOSE(t.statistic, 8.5);
  CLOSE(t.p, 0.025144761173357382);
}

/* By enumeration: of C(5,2) = 10 equally likely sets of ranks for the first sample, U = 0 is one; two-sided 2/10. */
Test(stats, the_smallest_rank_sum_can_be_counted) {
  const double x[] = {1, 2}, y[] = {3, 4, 5};
  CLOSE(ho_rank_sum(x, 2, y, 3, HO_TEST_AUTO).p, 0.2);
}

Test(stats, signed_rank_follows_r) { /* R: wilcox.test(a, b, paired = TRUE) */
  ho_test t = ho_signed_rank(a, b, 15, HO_TEST_AUTO);
  CLOSE(t.statistic, 8);
  CLOSE(t.p, 0.0015258789062500007);
  CLOSE(ho_signed_rank(a, b, 15, HO_TEST_NORMAL).p, 0.0034445240839164849);
}

Test(stats, nothing_to_compare_is_no_evidence) {
  CLOSE(ho_rank_sum(a, 15, b, 0, HO_TEST_AUTO).p, 1);
  CLOSE(ho_signed_rank(a, a, 15, HO_TEST_AUTO).p, 1);
  const double same[] = {2, 2, 2};
  CLOSE(ho_rank_sum(same, 3, same, 3, HO_TEST_AUTO).p, 1);
}

Test(stats, effect_size_counts_wins_and_half_ties) { /* R: mean(outer(a, b, ">") + outer(a, b, "==") / 2) */
  CLOSE(ho_a12(a, 15, b, 15), 0.2);
  CLOSE(ho_a12(t1, 7, t2, 8), 0.15178571428571427);
  CLOSE(ho_a12(a, 15, a, 15), 0.5);
}

Test(stats, holm_follows_r) { /* R: p.adjust(c(.01, .04, .03, .005), "holm") */
  double p[] = {0.01, 0.04, 0.03, 0.005};
  const double adjusted[] = {0.03, 0.06, 0.06, 0.02};
  ho_holm(p, 4);
  for (int i = 0; i < 4; i++) CLOSE(p[i], adjusted[i]);
  double large[] = {0.9, 0.8};
  ho_holm(large, 2);
  cr_assert(large[0] == 1 && large[1] == 1, "never above 1");
}

Test(stats, the_bootstrap_interval_repeats_and_holds_the_median) {
  double low[2], high[2];
  for (int i = 0; i < 2; i++) {
    ho_stream s = ho_stream_small(5);
    ho_bootstrap_median(a, 15, 0.9, 2000, &s, &low[i], &high[i]);
  }
  cr_assert(low[0] == low[1] && high[0] == high[1]);
  cr_assert(low[0] < 0.409 && 0.409 < high[0]);
  /* The median of 15 draws is at most the k-th smallest value with probability P(Bin(15, k/15) >= 8): 0.025, 0.088 for k = 4, 5 and
   * 0.912, 0.975 for k = 10, 11. So the 5 % quantile is the 5th smallest value, the 95 % quantile the 11th. */
  CLOSE(low[0], 0.282);
  CLOSE(high[0], 0.472);
}

Test(stats, the_reference_file_agrees) {
  json_t *r = shared_optimisation("stats_reference.json");
  g_autofree double *x = numbers_of(json_object_get(r, "a")), *y = numbers_of(json_object_get(r, "b"));
  for (int i = 0; i < 15; i++) cr_assert(x[i] == a[i] && y[i] == b[i]);
  json_t *rank_sum = json_object_get(r, "ranksum_ab");
  CLOSE(ho_rank_sum(x, 15, y, 15, HO_TEST_EXACT).p, json_number_value(json_object_get(rank_sum, "p_exact")));
  CLOSE(ho_rank_sum(x, 15, y, 15, HO_TEST_NORMAL).p, json_number_value(json_object_get(rank_sum, "p_normal_cc")));
  json_decref(r);
}
