/* stats.c: see stats.h. Quantiles, effect size, adjustment and bootstrap; the tests are in rank_tests.c. */
#include "results/stats.h"

#include <glib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double *sorted_copy(const double *x, int32_t n) {
  double *v = g_new(double, MAX(n, 1));
  for (int32_t i = 0; i < n; i++) {
    g_assert(!isnan(x[i]));
    v[i] = x[i];
  }
  qsort(v, (size_t)n, sizeof *v, by_value);
  return v;
}

/* Type 7: position (n - 1)·p, linear between neighbours. */
static double quantile_sorted(const double *v, int32_t n, double p) {
  if (n == 0) return NAN;
  double at = (n - 1) * p;
  int32_t i = (int32_t)floor(at);
  if (i >= n - 1) return v[n - 1];
  double share = at - i;
  return share == 0 || v[i] == v[i + 1] ? v[i] : v[i] + share * (v[i + 1] - v[i]);
}

double ho_quantile(const double *x, int32_t n, double p) {
  g_assert(p >= 0 && p <= 1);
  g_autofree double *v = sorted_copy(x, n);
  return quantile_sorted(v, n, p);
}

double ho_median(const double *x, int32_t n) {
  return ho_quantile(x, n, 0.5);
}

double ho_mean(const double *x, int32_t n) {
  double sum = 0;
  for (int32_t i = 0; i < n; i++) sum += x[i];
  return n > 0 ? sum / n : NAN;
}

ho_quartiles ho_quartiles_of(const double *x, int32_t n) {
  g_autofree double *v = sorted_copy(x, n);
  return (ho_quartiles){quantile_sorted(v, n, 0.25), quantile_sorted(v, n, 0.5), quantile_sorted(v, n, 0.75)};
}

double ho_a12(const double *a, int32_t na, const double *b, int32_t nb) {
  if (na == 0 || nb == 0) return NAN;
  int64_t halves = 0;
  for (int32_t i = 0; i < na; i++)
    for (int32_t j = 0; j < nb; j++) halves += a[i] > b[j] ? 2 : a[i] == b[j];
  return (double)halves / (2.0 * na * nb);
}

typedef struct {
  double p;
  int32_t index;
} ranked_p;

static int by_p(const void *a, const void *b) {
  const ranked_p *x = a, *y = b;
  if (x->p != y->p) return x->p < y->p ? -1 : 1;
  return (x->index > y->index) - (x->index < y->index);
}

void ho_holm(double *p, int32_t n) {
  g_autofree ranked_p *r = g_new(ranked_p, MAX(n, 1));
  for (int32_t i = 0; i < n; i++) {
    g_assert(!isnan(p[i]));
    r[i] = (ranked_p){p[i], i};
  }
  qsort(r, (size_t)n, sizeof *r, by_p);
  double least = 0;
  for (int32_t i = 0; i < n; i++) {
    least = MAX(least, MIN(1.0, (n - i) * r[i].p));
    p[r[i].index] = least;
  }
}

void ho_bootstrap_median(const double *x, int32_t n, double level, int32_t resamples, ho_stream *stream, double *low,
                         double *high) {
  g_assert(n >= 1 && resamples >= 1 && level > 0 && level < 1);
  g_autofree double *median = g_new(double, resamples);
  g_autofree double *draw = g_new(double, n);
  for (int32_t r = 0; r < resamples; r++) {
    for (int32_t i = 0; i < n; i++) draw[i] = x[ho_stream_below(stream, (uint64_t)n)];
    median[r] = ho_median(draw, n);
  }
  *low = ho_quantile(median, resamples, (1 - level) / 2);
  *high = ho_quantile(median, resamples, (1 + level) / 2);
}
