/* test_stream.c: seeded streams. Reference outputs of xoshiro256** from the authors' code (prng.di.unimi.it, xoshiro256starstar.c
 * with state 1, 2, 3, 4), of SplitMix64 from splitmix64.c with seed 1234567; states of keyed streams from Python's hashlib. */
#include <criterion/criterion.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stream.h"

Test(stream, next_is_xoshiro256_starstar) {
  static const uint64_t expected[] = {11520u,
                                      0u,
                                      1509978240u,
                                      1215971899390074240u,
                                      1216172134540287360u,
                                      607988272756665600u,
                                      16172922978634559625u,
                                      8476171486693032832u,
                                      10595114339597558777u,
                                      2904607092377533576u};
  ho_stream s = {{1, 2, 3, 4}};
  for (size_t i = 0; i < 10; i++) cr_expect_eq(ho_stream_next(&s), expected[i], "output %zu", i);
}

Test(stream, small_streams_are_seeded_by_splitmix64) {
  ho_stream s = ho_stream_small(1234567);
  cr_expect_eq(s.s[0], 6457827717110365317u);
  cr_expect_eq(s.s[1], 3203168211198807973u);
  cr_expect_eq(s.s[2], 9817491932198370423u);
  cr_expect_eq(s.s[3], 4593380528125082431u);
}

Test(stream, keyed_streams_are_seeded_by_sha256) {
  ho_stream s = ho_stream_keyed(7, (const char *const[]){"noise", "3", "conv1", NULL});
  static const uint64_t noise[4] = {0x1a81ed376a5f1b67, 0xfca6a2307a8d24b1, 0xd550d74944f90f1f, 0xcf1a1e3c177efda3};
  cr_assert_arr_eq(s.s, noise, sizeof noise);
  s = ho_stream_keyed(0, NULL);
  static const uint64_t bare[4] = {0x7a0b81a1f57055af, 0x0f660ac74baf8cf7, 0x4d1df9ba421ef50d, 0xfc3de8e08d32b2e5};
  cr_assert_arr_eq(s.s, bare, sizeof bare);
}

Test(stream, keys_that_join_to_the_same_text_are_different) {
  ho_stream a = ho_stream_keyed(1, (const char *const[]){"a", "bc", NULL});
  ho_stream b = ho_stream_keyed(1, (const char *const[]){"ab", "c", NULL});
  ho_stream c = ho_stream_keyed(2, (const char *const[]){"a", "bc", NULL});
  ho_stream again = ho_stream_keyed(1, (const char *const[]){"a", "bc", NULL});
  cr_assert_arr_neq(a.s, b.s, sizeof a.s);
  cr_assert_arr_neq(a.s, c.s, sizeof a.s);
  cr_assert_arr_eq(a.s, again.s, sizeof a.s);
}

/* The bits that stored results rest on: a change here makes every database irreproducible. */
Test(stream, distributions_have_golden_bits) {
  ho_stream s = ho_stream_keyed(42, (const char *const[]){"golden", NULL});
  static const double expected[] = {0x1.699cdffc5c8d2p-1,
                                    0x1.a871049859658p-3,
                                    0x1.02e95da5056a8p-1,
                                    0x1.0f9f190d99d5cp-1,
                                    0x1.2a6ca45b9532ep+0,
                                    0x1.106738433641ep-4,
                                    0x1.89p+8,
                                    0x1p+1};
  double found[8];
  for (int i = 0; i < 2; i++) found[i] = ho_stream_uniform(&s);
  for (int i = 2; i < 4; i++) found[i] = ho_stream_normal(&s);
  found[4] = ho_stream_lognormal(&s, 0.1);
  found[5] = ho_stream_lognormal(&s, 2.0);
  found[6] = (double)ho_stream_below(&s, 1000);
  found[7] = (double)ho_stream_below(&s, 3);
  for (size_t i = 0; i < 8; i++) cr_expect_eq(found[i], expected[i], "number %zu: %a", i, found[i]);
  int32_t v[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  ho_stream_shuffle(&s, v, 8);
  static const int32_t order[8] = {1, 3, 4, 6, 7, 0, 5, 2};
  cr_expect_arr_eq(v, order, sizeof order, "order %d %d %d %d %d %d %d %d", v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]);
  cr_expect_eq(ho_mix(1, 2), 0xbcd9dbb49673066b, "mix %llx", (unsigned long long)ho_mix(1, 2));
}

Test(stream, mixing_flips_about_half_of_the_bits) {
  for (int side = 0; side < 2; side++) {
    double flips = 0;
    for (int i = 0; i < 64; i++)
      for (uint64_t k = 0; k < 64; k++) {
        uint64_t bit = (uint64_t)1 << i, plain = ho_mix(k, k), other = side ? ho_mix(k ^ bit, k) : ho_mix(k, k ^ bit);
        flips += __builtin_popcountll(plain ^ other);
      }
    cr_assert_float_eq(flips / (64 * 64), 32.0, 0.5, "side %d: %g", side, flips / (64 * 64));
  }
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

enum { DRAWS = 100000 };

/* Kolmogorov–Smirnov distance of DRAWS numbers (sorted in place) to a distribution; 1.95/√n is exceeded once in 1000. */
static void must_follow(double *v, double (*cdf)(double)) {
  qsort(v, DRAWS, sizeof *v, ascending);
  double distance = 0;
  for (int i = 0; i < DRAWS; i++) {
    double p = cdf(v[i]);
    distance = fmax(distance, fmax(fabs(p - (double)i / DRAWS), fabs((double)(i + 1) / DRAWS - p)));
  }
  cr_assert_lt(distance, 1.95 / sqrt(DRAWS));
}

static double uniform_cdf(double x) {
  return x;
}

static double lognormal_cdf(double x) {
  double variance = log1p(0.3 * 0.3);
  return gsl_cdf_ugaussian_P((log(x) + variance / 2) / sqrt(variance));
}

Test(stream, distributions_are_what_they_say) {
  static double v[DRAWS];
  ho_stream s = ho_stream_small(11);
  for (int i = 0; i < DRAWS; i++) v[i] = ho_stream_uniform(&s);
  must_follow(v, uniform_cdf);
  for (int i = 0; i < DRAWS; i++) v[i] = ho_stream_normal(&s);
  must_follow(v, gsl_cdf_ugaussian_P);
  for (int i = 0; i < DRAWS; i++) v[i] = ho_stream_lognormal(&s, 0.3);
  must_follow(v, lognormal_cdf);
}

Test(stream, uniform_numbers_stay_below_one) {
  ho_stream s = {{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}};
  for (int i = 0; i < 10000; i++) {
    double u = ho_stream_uniform(&s);
    cr_assert(u >= 0 && u < 1);
  }
}

Test(stream, lognormal_without_variation_is_one_and_draws_nothing) {
  ho_stream s = ho_stream_small(5), before = s;
  cr_assert_eq(ho_stream_lognormal(&s, 0), 1.0);
  cr_assert_arr_eq(s.s, before.s, sizeof s.s);
  double tiny = ho_stream_lognormal(&s, 1e-9);
  cr_assert(tiny != 1.0 && fabs(tiny - 1) < 1e-7, "a tiny variation is not lost to rounding");
}

Test(stream, bounded_numbers_are_unbiased) {
  ho_stream s = ho_stream_small(3);
  cr_assert_eq(ho_stream_below(&s, 1), 0);
  enum { N = 7 };
  int count[N] = {0};
  for (int i = 0; i < DRAWS; i++) {
    uint64_t k = ho_stream_below(&s, N);
    cr_assert_lt(k, N);
    count[k]++;
  }
  double chi2 = 0, mean = (double)DRAWS / N;
  for (int k = 0; k < N; k++) chi2 += (count[k] - mean) * (count[k] - mean) / mean;
  cr_assert_lt(chi2, gsl_cdf_chisq_Pinv(0.999, N - 1));
  uint64_t large = ((uint64_t)1 << 63) + 1; /* where taking the remainder would be far off */
  int upper = 0;
  for (int i = 0; i < 10000; i++) upper += ho_stream_below(&s, large) >= large / 2;
  cr_assert(abs(upper - 5000) < 200, "%d of 10000 in the upper half", upper);
}

Test(stream, shuffles_are_permutations_all_alike) {
  ho_stream s = ho_stream_small(4);
  int count[6] = {0};
  for (int i = 0; i < 60000; i++) {
    int32_t v[3] = {0, 1, 2};
    ho_stream_shuffle(&s, v, 3);
    cr_assert_eq((1 << v[0]) | (1 << v[1]) | (1 << v[2]), 7);
    count[2 * v[0] + (v[1] > v[2])]++;
  }
  for (int k = 0; k < 6; k++) cr_assert(abs(count[k] - 10000) < 400, "order %d came %d times", k, count[k]);
  ho_stream_shuffle(&s, NULL, 0);
}
