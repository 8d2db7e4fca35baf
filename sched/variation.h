/* variation.h: variation operators of evolutionary search.
 *
 * Real genes: simulated binary crossover (Deb & Agrawal, Complex Systems 9, 1995) and polynomial mutation (Deb & Goyal, 1996), both in the
 * bounded form of Deb's NSGA-II code: a gene is crossed with probability 1/2 and then swapped with probability 1/2. Discrete genes:
 * uniform and one-point crossover. All in place, on two children that begin as copies of their parents. */
#ifndef HO_SCHED_VARIATION_H
#define HO_SCHED_VARIATION_H

#include <stdint.h>

#include "base/stream.h"

/* SBX on genes within [low[i], high[i]]; low/high NULL: [0, 1]. eta: distribution index, larger stays nearer. */
void ho_cross_sbx(ho_stream *r, double *a, double *b, int32_t n, const double *low, const double *high, double eta);

/* Mutates each gene with the given probability. */
void ho_mutate_polynomial(ho_stream *r, double *x, int32_t n, const double *low, const double *high, double probability,
                          double eta);

/* Swaps each gene with probability 1/2. */
void ho_cross_uniform_real(ho_stream *r, double *a, double *b, int32_t n);
void ho_cross_uniform_int(ho_stream *r, int16_t *a, int16_t *b, int32_t n);
/* Swaps all genes from a uniformly drawn place on. */
void ho_cross_one_point_int(ho_stream *r, int16_t *a, int16_t *b, int32_t n);

#endif
