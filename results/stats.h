/* stats.h: the statistics that comparisons of schedulers are made of.
 *
 * Quantiles are of type 7 (Hyndman & Fan, The American Statistician 50(4), 1996; R's default). Tests are two-sided and follow R's
 * wilcox.test: exact when both samples are smaller than 50 and nothing ties, else the normal approximation with the correction for ties
 * and for continuity. Values must be finite or infinite, never NaN (asserted); an empty sample has the median NAN. */
#ifndef HO_RESULTS_STATS_H
#define HO_RESULTS_STATS_H

#include <stdint.h>

#include "base/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The input need not be sorted and is not changed. 0 ≤ p ≤ 1. */
double ho_quantile(const double *x, int32_t n, double p);
double ho_median(const double *x, int32_t n);
double ho_mean(const double *x, int32_t n);

typedef struct {
  double q1, median, q3;
} ho_quartiles;
ho_quartiles ho_quartiles_of(const double *x, int32_t n); /* interquartile range: q3 - q1 */

typedef enum { HO_TEST_AUTO, HO_TEST_EXACT, HO_TEST_NORMAL } ho_test_method;

typedef struct {
  double statistic;      /* U of the first sample (R's W); V, the sum of ranks of positive differences */
  double p;              /* two-sided; 1 when there is nothing to compare */
  ho_test_method method; /* the one that was used */
} ho_test;

/* Mann & Whitney's test of two independent samples. HO_TEST_EXACT with ties falls back to the normal approximation. */
ho_test ho_rank_sum(const double *a, int32_t na, const double *b, int32_t nb, ho_test_method method);
/* Wilcoxon's test of n pairs; pairs without a difference are left out (then never exact). */
ho_test ho_signed_rank(const double *a, const double *b, int32_t n, ho_test_method method);

/* Holm's adjustment of n p-values (Scandinavian Journal of Statistics 6(2), 1979), in place. */
void ho_holm(double *p, int32_t n);

/* P(a > b) + P(a = b)/2: Vargha & Delaney, J. Educ. Behav. Stat. 25(2), 2000. NAN when a sample is empty. */
double ho_a12(const double *a, int32_t na, const double *b, int32_t nb);

/* Percentile bootstrap interval of the median (Efron & Tibshirani 1993, chapter 13). `level`: 0.95. n ≥ 1. */
void ho_bootstrap_median(const double *x, int32_t n, double level, int32_t resamples, ho_stream *stream, double *low, double *high);

#ifdef __cplusplus
}
#endif

#endif
