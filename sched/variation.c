/* variation.c: see variation.h. */
#include "sched/variation.h"

#include <math.h>

#include "base/fmath.h"

static double spread(double u, double beta, double eta) {
  double alpha = 2 - ho_pow(beta, -(eta + 1));
  return u <= 1 / alpha ? ho_pow(u * alpha, 1 / (eta + 1)) : ho_pow(1 / (2 - u * alpha), 1 / (eta + 1));
}

static double clamp(double x, double low, double high) {
  return x < low ? low : x > high ? high : x;
}

/* u in (0, 1): a power of 0 is not needed. */
static double positive_uniform(ho_stream *r) {
  double u = ho_stream_uniform(r);
  return u > 0 ? u : 0x1p-54;
}

static void sbx_gene(ho_stream *r, double *a, double *b, double low, double high, double eta) {
  double y1 = fmin(*a, *b), y2 = fmax(*a, *b), u = positive_uniform(r);
  double left = spread(u, 1 + 2 * (y1 - low) / (y2 - y1), eta), right = spread(u, 1 + 2 * (high - y2) / (y2 - y1), eta);
  double c1 = clamp(0.5 * ((y1 + y2) - left * (y2 - y1)), low, high),
         c2 = clamp(0.5 * ((y1 + y2) + right * (y2 - y1)), low, high);
  int swap = ho_stream_uniform(r) <= 0.5;
  *a = swap ? c2 : c1;
  *b = swap ? c1 : c2;
}

void ho_cross_sbx(ho_stream *r, double *a, double *b, int32_t n, const double *low, const double *high, double eta) {
  for (int32_t i = 0; i < n; i++)
    if (ho_stream_uniform(r) <= 0.5 && fabs(a[i] - b[i]) > 1e-14)
      sbx_gene(r, &a[i], &b[i], low ? low[i] : 0, high ? high[i] : 1, eta);
}

void ho_mutate_polynomial(ho_stream *r, double *x, int32_t n, const double *low, const double *high, double probability,
                          double eta) {
  for (int32_t i = 0; i < n; i++) {
    if (ho_stream_uniform(r) >= probability) continue;
    double a = low ? low[i] : 0, b = high ? high[i] : 1, u = ho_stream_uniform(r), delta;
    if (b <= a) continue;
    double from_low = (x[i] - a) / (b - a), from_high = (b - x[i]) / (b - a);
    if (u <= 0.5) {
      double v = 2 * u + (1 - 2 * u) * (from_low < 1 ? ho_pow(1 - from_low, eta + 1) : 0);
      delta = (v > 0 ? ho_pow(v, 1 / (eta + 1)) : 0) - 1;
    } else {
      double v = 2 * (1 - u) + 2 * (u - 0.5) * (from_high < 1 ? ho_pow(1 - from_high, eta + 1) : 0);
      delta = 1 - (v > 0 ? ho_pow(v, 1 / (eta + 1)) : 0);
    }
    x[i] = clamp(x[i] + delta * (b - a), a, b);
  }
}

void ho_cross_uniform_real(ho_stream *r, double *a, double *b, int32_t n) {
  uint64_t bits = 0;
  for (int32_t i = 0; i < n; i++, bits >>= 1) {
    if (i % 64 == 0) bits = ho_stream_next(r);
    if (!(bits & 1)) continue;
    double x = a[i];
    a[i] = b[i];
    b[i] = x;
  }
}

static void swap_int(int16_t *a, int16_t *b) {
  int16_t x = *a;
  *a = *b;
  *b = x;
}

void ho_cross_uniform_int(ho_stream *r, int16_t *a, int16_t *b, int32_t n) {
  uint64_t bits = 0;
  for (int32_t i = 0; i < n; i++, bits >>= 1) {
    if (i % 64 == 0) bits = ho_stream_next(r);
    if (bits & 1) swap_int(&a[i], &b[i]);
  }
}

void ho_cross_one_point_int(ho_stream *r, int16_t *a, int16_t *b, int32_t n) {
  for (int32_t i = (int32_t)ho_stream_below(r, (uint64_t)n); i < n; i++) swap_int(&a[i], &b[i]);
}
