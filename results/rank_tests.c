/* rank_tests.c: rank-sum and signed-rank tests (stats.h), as R's wilcox.test computes them. */
#include <glib.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "results/stats.h"

#define EXACT_BELOW 50

typedef struct {
  double value;
  int32_t index;
} ranked;

static int by_value(const void *a, const void *b) {
  const ranked *x = a, *y = b;
  if (x->value != y->value) return x->value < y->value ? -1 : 1;
  return (x->index > y->index) - (x->index < y->index);
}

/* Mid-ranks 1 … n of x into rank; returns Σ(t³ - t) over groups of t equal values: 0 when nothing ties. */
static double mid_ranks(const double *x, int32_t n, double *rank) {
  g_autofree ranked *r = g_new(ranked, MAX(n, 1));
  for (int32_t i = 0; i < n; i++) {
    g_assert(!isnan(x[i]));
    r[i] = (ranked){x[i], i};
  }
  qsort(r, (size_t)n, sizeof *r, by_value);
  double ties = 0;
  for (int32_t i = 0, j; i < n; i = j) {
    for (j = i + 1; j < n && r[j].value == r[i].value; j++) {
    }
    double t = j - i;
    for (int32_t k = i; k < j; k++) rank[r[k].index] = (i + 1 + j) / 2.0;
    ties += t * t * t - t;
  }
  return ties;
}

/* Share of the distribution `ways` (0 … top, symmetric) at or beyond `at` on the side of `at`, doubled. */
static double two_sided(const double *ways, int32_t top, double at) {
  double all = 0, tail = 0;
  int upper = at > top / 2.0;
  for (int32_t u = 0; u <= top; u++) {
    all += ways[u];
    if (upper ? u >= at : u <= at) tail += ways[u];
  }
  return MIN(1.0, 2 * tail / all);
}

/* In how many ways m of m + n ranks give U = u: the coefficients of the Gaussian binomial Π (1 - q^(n+i)) / (1 - q^i). */
static double rank_sum_exact(int32_t m, int32_t n, double u) {
  int32_t top = m * n;
  g_autofree double *ways = g_new0(double, top + 1);
  ways[0] = 1;
  for (int32_t i = 1; i <= m; i++) {
    for (int32_t k = top; k >= n + i; k--) ways[k] -= ways[k - n - i];
    for (int32_t k = i; k <= top; k++) ways[k] += ways[k - i];
  }
  return two_sided(ways, top, u);
}

/* In how many ways a subset of the ranks 1 … n sums to v. */
static double signed_rank_exact(int32_t n, double v) {
  int32_t top = n * (n + 1) / 2;
  g_autofree double *ways = g_new0(double, top + 1);
  ways[0] = 1;
  for (int32_t i = 1; i <= n; i++)
    for (int32_t k = top; k >= i; k--) ways[k] += ways[k - i];
  return two_sided(ways, top, v);
}

/* Two-sided normal tail of a deviation from the mean, half a unit nearer (continuity). */
static double normal_p(double deviation, double variance) {
  if (!(variance > 0)) return 1;
  double z = (fabs(deviation) - (deviation != 0 ? 0.5 : 0)) / sqrt(variance);
  return MIN(1.0, 2 * gsl_cdf_ugaussian_Q(z));
}

static int use_exact(ho_test_method wanted, int small, double ties) {
  return ties == 0 && (wanted == HO_TEST_EXACT || (wanted == HO_TEST_AUTO && small));
}

ho_test ho_rank_sum(const double *a, int32_t na, const double *b, int32_t nb, ho_test_method method) {
  ho_test out = {0, 1, HO_TEST_NORMAL};
  if (na == 0 || nb == 0) return out;
  int32_t n = na + nb;
  g_autofree double *all = g_new(double, n);
  g_autofree double *rank = g_new(double, n);
  for (int32_t i = 0; i < n; i++) all[i] = i < na ? a[i] : b[i - na];
  double ties = mid_ranks(all, n, rank);
  for (int32_t i = 0; i < na; i++) out.statistic += rank[i];
  out.statistic -= na * (na + 1) / 2.0;
  if (use_exact(method, na < EXACT_BELOW && nb < EXACT_BELOW, ties)) {
    out.method = HO_TEST_EXACT;
    out.p = rank_sum_exact(na, nb, out.statistic);
  } else {
    double mn = (double)na * nb, variance = mn / 12 * ((n + 1) - ties / ((double)n * (n - 1)));
    out.p = normal_p(out.statistic - mn / 2, variance);
  }
  return out;
}

ho_test ho_signed_rank(const double *a, const double *b, int32_t n, ho_test_method method) {
  ho_test out = {0, 1, HO_TEST_NORMAL};
  g_autofree double *size = g_new(double, MAX(n, 1));
  g_autofree double *rank = g_new(double, MAX(n, 1));
  g_autofree uint8_t *positive = g_new(uint8_t, MAX(n, 1));
  int32_t m = 0;
  for (int32_t i = 0; i < n; i++)
    if (a[i] != b[i]) {
      positive[m] = a[i] > b[i];
      size[m++] = fabs(a[i] - b[i]);
    }
  if (m == 0) return out;
  double ties = mid_ranks(size, m, rank);
  for (int32_t i = 0; i < m; i++) out.statistic += positive[i] ? rank[i] : 0;
  if (use_exact(method, m < EXACT_BELOW, m < n ? 1 : ties)) {
    out.method = HO_TEST_EXACT;
    out.p = signed_rank_exact(m, out.statistic);
  } else {
    double variance = m * (m + 1.0) * (2.0 * m + 1) / 24 - ties / 48;
    out.p = normal_p(out.statistic - m * (m + 1.0) / 4, variance);
  }
  return out;
}
