/* indicators.c: see indicators.h. */
#include "results/indicators.h"

#include <math.h>

double ho_epsilon(const double *a, int32_t na, const double *r, int32_t nr, int32_t d) {
  if (nr == 0) return 0;
  double worst = -INFINITY;
  for (int32_t j = 0; j < nr; j++) {
    double nearest = INFINITY;
    for (int32_t i = 0; i < na; i++) {
      double most = -INFINITY;
      for (int32_t k = 0; k < d; k++) most = fmax(most, a[(int64_t)i * d + k] - r[(int64_t)j * d + k]);
      nearest = fmin(nearest, most);
    }
    worst = fmax(worst, nearest);
  }
  return worst;
}

double ho_igd_plus(const double *a, int32_t na, const double *r, int32_t nr, int32_t d) {
  if (nr == 0) return 0;
  double sum = 0;
  for (int32_t j = 0; j < nr; j++) {
    double nearest = INFINITY;
    for (int32_t i = 0; i < na; i++) {
      double square = 0;
      for (int32_t k = 0; k < d; k++) {
        double excess = fmax(a[(int64_t)i * d + k] - r[(int64_t)j * d + k], 0);
        square += excess * excess;
      }
      nearest = fmin(nearest, square);
    }
    sum += sqrt(nearest);
  }
  return sum / nr;
}
