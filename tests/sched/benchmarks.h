/* benchmarks.h: ZDT (Zitzler, Deb & Thiele, 2000) and DTLZ2 (Deb, Thiele, Laumanns & Zitzler, 2002) as problems of evolution.h. */
#ifndef HO_TESTS_SCHED_BENCHMARKS_H
#define HO_TESTS_SCHED_BENCHMARKS_H

#include "sched/evolution.h"

typedef struct {
  int32_t n, d; /* variables, objectives */
  void (*function)(const double *x, int32_t n, double *f);
  double eta; /* distribution index of SBX; 0: 20 */
} benchmark;

void zdt1(const double *x, int32_t n, double *f);
void zdt3(const double *x, int32_t n, double *f);
void dtlz2_2(const double *x, int32_t n, double *f); /* 2 objectives */
void dtlz2_3(const double *x, int32_t n, double *f); /* 3 objectives */

/* Genomes are n doubles in [0, 1]; SBX, and polynomial mutation of index 20, each gene with probability 1/n. */
ho_evolution_problem benchmark_problem(benchmark *b);

#endif
