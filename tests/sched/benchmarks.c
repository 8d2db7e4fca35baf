/* benchmarks.c: see benchmarks.h. */
#include "benchmarks.h"

#include <glib.h>
#include <math.h>

#include "sched/variation.h"

void zdt1(const double *x, int32_t n, double *f) {
  double g = 0;
  for (int32_t i = 1; i < n; i++) g += x[i];
  g = 1 + 9 * g / (n - 1);
  f[0] = x[0];
  f[1] = g * (1 - sqrt(x[0] / g));
}

void zdt3(const double *x, int32_t n, double *f) {
  double g = 0;
  for (int32_t i = 1; i < n; i++) g += x[i];
  g = 1 + 9 * g / (n - 1);
  f[0] = x[0];
  f[1] = g * (1 - sqrt(x[0] / g) - x[0] / g * sin(10 * G_PI * x[0]));
}

static void dtlz2(const double *x, int32_t n, int32_t d, double *f) {
  double g = 0;
  for (int32_t i = d - 1; i < n; i++) g += (x[i] - 0.5) * (x[i] - 0.5);
  for (int32_t k = 0; k < d; k++) {
    f[k] = 1 + g;
    for (int32_t i = 0; i < d - 1 - k; i++) f[k] *= cos(0.5 * G_PI * x[i]);
    if (k > 0) f[k] *= sin(0.5 * G_PI * x[d - 1 - k]);
  }
}
void dtlz2_2(const double *x, int32_t n, double *f) {
  dtlz2(x, n, 2, f);
}
void dtlz2_3(const double *x, int32_t n, double *f) {
  dtlz2(x, n, 3, f);
}

static void create(void *data, ho_stream *r, int32_t index, void *genome) {
  const benchmark *b = data;
  (void)index;
  for (int32_t i = 0; i < b->n; i++) ((double *)genome)[i] = ho_stream_uniform(r);
}
static void cross(void *data, ho_stream *r, void *x, void *y) {
  const benchmark *b = data;
  ho_cross_sbx(r, x, y, b->n, NULL, NULL, b->eta > 0 ? b->eta : 20);
}
static void mutate(void *data, ho_stream *r, void *x) {
  const benchmark *b = data;
  ho_mutate_polynomial(r, x, b->n, NULL, NULL, 1.0 / b->n, 20);
}
static int evaluate(void *data, const void *genome, double *f, double *violation) {
  const benchmark *b = data;
  b->function(genome, b->n, f);
  *violation = 0;
  return 0;
}

ho_evolution_problem benchmark_problem(benchmark *b) {
  return (ho_evolution_problem){.genome_bytes = sizeof(double) * (size_t)b->n,
                                .n_objectives = b->d,
                                .context = b,
                                .create = create,
                                .cross = cross,
                                .mutate = mutate,
                                .evaluate = evaluate};
}
