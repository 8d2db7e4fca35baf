/* test_fmath.c: exponential and logarithm with the same bits everywhere.
 *
 * `correct` are correctly rounded values, computed with mpmath 1.3.0 at 200 bits; `ours` are the bits that this project's
 * results rest on: a change of one of them changes every stored result, and needs a note to the users. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/fmath.h"
#include "base/stream.h"

typedef struct {
  double x;
  uint64_t correct, ours;
} known;

static const known exp_known[] = {
    {0x0.0p+0, 0x3ff0000000000000, 0x3ff0000000000000},
    {0x1.0000000000000p+0, 0x4005bf0a8b145769, 0x4005bf0a8b14576a},
    {-0x1.0000000000000p+0, 0x3fd78b56362cef38, 0x3fd78b56362cef38},
    {0x1.0000000000000p-1, 0x3ffa61298e1e069c, 0x3ffa61298e1e069c},
    {-0x1.0000000000000p-1, 0x3fe368b2fc6f960a, 0x3fe368b2fc6f960a},
    {0x1.0000000000000p+1, 0x401d8e64b8d4ddae, 0x401d8e64b8d4ddae},
    {0x1.4000000000000p+3, 0x40d5829dcf950560, 0x40d5829dcf950560},
    {-0x1.4000000000000p+3, 0x3f07cd79b5647c9b, 0x3f07cd79b5647c9a},
    {0x1.9000000000000p+6, 0x48f3494a9b171bf5, 0x48f3494a9b171bf5},
    {-0x1.9000000000000p+6, 0x36ea8c1f14e2af5d, 0x36ea8c1f14e2af5d},
    {0x1.999999999999ap-4, 0x3ff1aec7b35a00d4, 0x3ff1aec7b35a00d4},
    {-0x1.999999999999ap-4, 0x3fecf46d99d52b3a, 0x3fecf46d99d52b3a},
    {0x1.0624dd2f1a9fcp-10, 0x3ff0041919b7ee34, 0x3ff0041919b7ee34},
    {-0x1.0624dd2f1a9fcp-10, 0x3feff7cfe56f1a9e, 0x3feff7cfe56f1a9e},
    {0x1.b7cdfd9d7bdbbp-34, 0x3ff000000006df38, 0x3ff000000006df38},
    {0x1.79ca10c924223p-67, 0x3ff0000000000000, 0x3ff0000000000000},
    {0x1.62e42fefa39efp-2, 0x3ff6a09e667f3bcc, 0x3ff6a09e667f3bcc},
    {0x1.62e42fefa39f0p-2, 0x3ff6a09e667f3bcd, 0x3ff6a09e667f3bcd},
    {0x1.ce6dac18bf58cp+7, 0x54c7c74ad8891d91, 0x54c7c74ad8891d92},
    {0x1.5e00000000000p+9, 0x7f0d945df4f8ec8e, 0x7f0d945df4f8ec8e},
    {0x1.62e42fefa39efp+9, 0x7fefffffffffff2a, 0x7fefffffffffff2a},
    {-0x1.6200000000000p+9, 0x0017c8ab2288c9ab, 0x0017c8ab2288c9ab},
    {-0x1.6280000000000p+9, 0x0008bfe55de02338, 0x0008bfe55de02338},
    {-0x1.7480000000000p+9, 0x0000000000000001, 0x0000000000000001},
    {-0x1.74910d52d3051p+9, 0x0000000000000001, 0x0000000000000001},
    {0x1.921fb54442d18p+1, 0x403724046eb09339, 0x403724046eb09339},
};

static const known log_known[] = {
    {0x1.0000000000000p+0, 0x0000000000000000, 0x0000000000000000},
    {0x1.0000000000000p+1, 0x3fe62e42fefa39ef, 0x3fe62e42fefa39ef},
    {0x1.0000000000000p-1, 0xbfe62e42fefa39ef, 0xbfe62e42fefa39ef},
    {0x1.4000000000000p+3, 0x40026bb1bbb55516, 0x40026bb1bbb55516},
    {0x1.999999999999ap-4, 0xc0026bb1bbb55515, 0xc0026bb1bbb55515},
    {0x1.5bf0a8b145769p+1, 0x3ff0000000000000, 0x3ff0000000000000},
    {0x1.6a09e667f3bcdp+0, 0x3fd62e42fefa39f0, 0x3fd62e42fefa39f0},
    {0x1.6a09e667f3bccp+0, 0x3fd62e42fefa39ee, 0x3fd62e42fefa39ee},
    {0x1.6a09e667f3bcdp-1, 0xbfd62e42fefa39ee, 0xbfd62e42fefa39ee},
    {0x1.0000000000001p+0, 0x3cafffffffffffff, 0x3cafffffffffffff},
    {0x1.fffffffffffffp-1, 0xbca0000000000000, 0xbca0000000000000},
    {0x1.028f5c28f5c29p+0, 0x3f8460d6ccca367c, 0x3f8460d6ccca367c},
    {0x1.7e43c8800759cp+996, 0x4085963447f87fb5, 0x4085963447f87fb5},
    {0x1.56e1fc2f8f359p-997, 0xc085963447f87fb5, 0xc085963447f87fb5},
    {0x1.fffffffffffffp+1023, 0x40862e42fefa39ef, 0x40862e42fefa39ef},
    {0x1.0000000000000p-1022, 0xc086232bdd7abcd2, 0xc086232bdd7abcd2},
    {0x0.0000000000001p-1022, 0xc0874385446d71c3, 0xc0874385446d71c3},
    {0x1.8000000000000p+1, 0x3ff193ea7aad030b, 0x3ff193ea7aad030a},
    {0x1.4f8b588e368f1p-17, 0xc027069e2aa2aa5b, 0xc027069e2aa2aa5b},
    {0x1.e240c9fbe76c9p+16, 0x40277281cad8a844, 0x40277281cad8a844},
};

static uint64_t bits(double x) {
  uint64_t u;
  memcpy(&u, &x, sizeof u);
  return u;
}

static void check_known(double (*f)(double), const known *k, size_t n) {
  for (size_t i = 0; i < n; i++) {
    uint64_t found = bits(f(k[i].x));
    cr_expect_eq(found, k[i].ours, "at %a: %016llx", k[i].x, (unsigned long long)found);
    cr_expect(llabs((long long)(found - k[i].correct)) <= 1, "at %a: more than one unit in the last place off", k[i].x);
  }
}

Test(fmath, exp_has_the_known_bits) {
  check_known(ho_exp, exp_known, sizeof exp_known / sizeof *exp_known);
}

Test(fmath, log_has_the_known_bits) {
  check_known(ho_log, log_known, sizeof log_known / sizeof *log_known);
}

/* Distance to the true value in units of the last place of `y`; the long double functions carry 11 bits more. */
static double ulps_off(double y, long double exact) {
  int exponent;
  frexp((double)exact, &exponent);
  return (double)(fabsl((long double)y - exact) / ldexpl(1.0L, exponent - 53));
}

Test(fmath, exp_is_within_one_unit_in_the_last_place) {
  ho_stream s = ho_stream_small(1);
  for (int i = 0; i < 300000; i++) {
    double x = (i % 2 ? 1.0 : 708.0) * (2 * ho_stream_uniform(&s) - 1);
    cr_assert_lt(ulps_off(ho_exp(x), expl((long double)x)), 1.0, "at %a", x);
  }
}

Test(fmath, log_is_within_one_unit_in_the_last_place) {
  ho_stream s = ho_stream_small(2);
  for (int i = 0; i < 300000; i++) {
    double x =
        i % 2 ? 0.5 + 1.5 * ho_stream_uniform(&s) : ldexp(1 + ho_stream_uniform(&s), (int)ho_stream_below(&s, 2000) - 1000);
    if (x == 1) continue;
    cr_assert_lt(ulps_off(ho_log(x), logl((long double)x)), 1.0, "at %a", x);
  }
}

Test(fmath, special_values_are_those_of_c) {
  cr_assert_eq(ho_exp(INFINITY), INFINITY);
  cr_assert_eq(ho_exp(-INFINITY), 0.0);
  cr_assert_eq(ho_exp(710.0), INFINITY);
  cr_assert_eq(ho_exp(-746.0), 0.0);
  cr_assert_eq(ho_exp(-0.0), 1.0);
  cr_assert(isnan(ho_exp(NAN)));
  cr_assert_eq(ho_log(0.0), -INFINITY);
  cr_assert_eq(ho_log(-0.0), -INFINITY);
  cr_assert_eq(ho_log(INFINITY), INFINITY);
  cr_assert(isnan(ho_log(-1.0)));
  cr_assert(isnan(ho_log(NAN)));
}

Test(fmath, exp_and_log_never_fall_while_x_rises) {
  for (int i = -7000; i < 7000; i++) {
    double x = i * 0.1, next = nextafter(x, INFINITY);
    cr_assert_leq(ho_exp(x), ho_exp(next), "exp at %a", x);
    if (x > 0) cr_assert_leq(ho_log(x), ho_log(next), "log at %a", x);
  }
}

Test(fmath, powers_are_near_and_exact_where_trivial) {
  cr_assert_eq(ho_pow(1.0, 1e300), 1.0);
  cr_assert_eq(ho_pow(0.0, 0.0), 1.0);
  cr_assert_eq(ho_pow(0.0, 2.0), 0.0);
  cr_assert_float_eq(ho_pow(2.0, 0.5), 1.4142135623730951, 1e-15);
  cr_assert_float_eq(ho_pow(10.0, -3.0), 1e-3, 1e-17);
  cr_assert_float_eq(ho_pow(3.0, 20.0), 3486784401.0, 2e-5);
}
