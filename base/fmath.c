/* fmath.c: see fmath.h.
 *
 * Method and coefficients of exp and log are those of FDLIBM 5.3 (e_exp.c and e_log.c, Copyright (C) 1993 by Sun
 * Microsystems, Inc.; permission to use, copy, modify and distribute is freely granted, provided that this notice is
 * preserved). The code is written anew over bit patterns, without its global state and its double-rounded tails. */
#include "base/fmath.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* log 2 in two parts; the first has 32 trailing zero bits, so that k * LN2_HI is exact for every exponent k. */
static const double LN2_HI = 6.93147180369123816490e-01, LN2_LO = 1.90821492927058770002e-10;
static const double INV_LN2 = 1.44269504088896338700e+00;

static uint64_t bits_of(double x) {
  uint64_t u;
  memcpy(&u, &x, sizeof u);
  return u;
}

static double of_bits(uint64_t u) {
  double x;
  memcpy(&x, &u, sizeof x);
  return x;
}

/* 2^k for -1022 <= k <= 1023. */
static double power_of_two(int k) {
  return of_bits((uint64_t)(k + 1023) << 52);
}

/* y * 2^k where the result may be subnormal or overflow; y in [1/2, 2]. At most one rounding, in the last product. */
static double scale(double y, int k) {
  if (k > 1023) return y * power_of_two(k - 1) * 2.0;
  if (k < -1000) return y * power_of_two(k + 100) * power_of_two(-100);
  return y * power_of_two(k);
}

/* x = k log 2 + r, |r| <= log(2)/2; exp(r) from the Remez polynomial of r (exp(r) + 1) / (exp(r) - 1) in r². */
double ho_exp(double x) {
  static const double P1 = 1.66666666666666019037e-01, P2 = -2.77777777770155933842e-03, P3 = 6.61375632143793436117e-05,
                      P4 = -1.65339022054652515390e-06, P5 = 4.13813679705723846039e-08;
  if (x != x) return x;
  if (x > 709.782712893383973096) return INFINITY; /* log of the largest double */
  if (x < -745.13321910194110842) return 0.0;      /* log of half the smallest one */
  int k = (int)(INV_LN2 * x + (x < 0 ? -0.5 : 0.5));
  double hi = x - k * LN2_HI, lo = k * LN2_LO;
  double r = hi - lo, t = r * r;
  double c = r - t * (P1 + t * (P2 + t * (P3 + t * (P4 + t * P5))));
  double y = 1.0 - ((lo - (r * c) / (2.0 - c)) - hi);
  return scale(y, k);
}

/* x = 2^k (1 + f) with sqrt(1/2) < 1 + f < sqrt(2); log(1 + f) from the Remez polynomial in s = f / (2 + f). */
double ho_log(double x) {
  static const double L1 = 6.666666666666735130e-01, L2 = 3.999999999940941908e-01, L3 = 2.857142874366239149e-01,
                      L4 = 2.222219843214978396e-01, L5 = 1.818357216161805012e-01, L6 = 1.531383769920937332e-01,
                      L7 = 1.479819860511658591e-01;
  if (x != x || x == INFINITY) return x;
  if (x == 0) return -INFINITY;
  if (x < 0) return NAN;
  int k = 0;
  if (x < 0x1p-1022) { /* subnormal */
    x *= 0x1p54;
    k = -54;
  }
  uint64_t u = bits_of(x), mantissa = u & 0xfffffffffffff;
  int above = mantissa > 0x6a09e667f3bcc; /* 1.mantissa > sqrt(2): take half of it and one more power of two */
  k += (int)(u >> 52) - 1023 + above;
  double f = of_bits(mantissa | (uint64_t)(1023 - above) << 52) - 1.0;
  double s = f / (2.0 + f), z = s * s, w = z * z;
  double odd = w * (L2 + w * (L4 + w * L6)), even = z * (L1 + w * (L3 + w * (L5 + w * L7)));
  double half = 0.5 * f * f;
  return k * LN2_HI - ((half - (s * (half + (odd + even)) + k * LN2_LO)) - f);
}

double ho_pow(double x, double y) {
  if (y == 0 || x == 1) return 1.0;
  return ho_exp(y * ho_log(x));
}
