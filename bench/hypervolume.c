/* hypervolume.c: how the time of exact hypervolumes grows: fronts of 1e3 … 1e6 points in two and three objectives.
 *
 * Prints one row per size: seconds (the best of a few), and nanoseconds per n·log2 n, which stays level when the cost is O(n log n).
 * Points lie on the plane Σ f = d/2 around 1/2 each, all non-dominated, in random order. An argument gives the largest size. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <glib.h>

#include "base/stream.h"
#include "results/hypervolume.h"

/* Uniform on the part of the plane where the last objective is what the others leave. */
static double *front(int32_t n, int32_t d) {
  ho_stream s = ho_stream_small((uint64_t)n);
  double *p = g_new(double, (gsize)n *(gsize)d);
  for (int32_t i = 0; i < n; i++) {
    double rest = d / 2.0;
    for (int32_t k = 0; k < d - 1; k++) rest -= p[(int64_t)i * d + k] = ho_stream_uniform(&s);
    p[(int64_t)i * d + d - 1] = rest;
  }
  return p;
}

static double seconds_of(const double *p, int32_t n, int32_t d, double *volume) {
  const double reference[] = {2, 2, 2};
  double best = INFINITY;
  for (int trial = 0; trial < 3; trial++) {
    gint64 start = g_get_monotonic_time();
    *volume = ho_hypervolume(p, n, d, reference);
    best = MIN(best, (double)(g_get_monotonic_time() - start) * 1e-6);
  }
  return best;
}

int main(int argc, char **argv) {
  int32_t most = argc > 1 ? (int32_t)strtol(argv[1], NULL, 10) : 1000000;
  printf("objectives   points    seconds   ns/(n log2 n)   volume\n");
  for (int32_t d = 2; d <= 3; d++)
    for (int32_t n = 1000; n <= most && n > 0; n *= 10) {
      g_autofree double *p = front(n, d);
      double volume, t = seconds_of(p, n, d, &volume);
      printf("%10d %8d %10.6f %15.2f   %.17g\n", (int)d, (int)n, t, t * 1e9 / (n * log2(n)), volume);
    }
  return 0;
}
