/* decomposition.h: MOEA/D over genomes that only their owner understands.
 *
 * Zhang & Li, "MOEA/D: A multiobjective evolutionary algorithm based on decomposition", IEEE TEC 11(6), 2007, section III: one individual per direction
 * (directions.h); in turn each breeds with two of its `neighbours` nearest directions, and the child takes the place of those neighbours for whose
 * direction it is better, at most `replaced` of them, in random order (Li & Zhang, IEEE TEC 13(2), 2009, section III B). Better: less violation; among feasible
 * ones the smaller value of
 *     tchebycheff: max_k weight_k · z_k, a weight of 0 counting as 1e-6;
 *     pbi: d1 + 5 · d2, d1 the length of z along the direction, d2 the distance from it (2007, III D),
 * where z are objectives less the best seen, over the range of the population. Ties: the one that is there stays.
 * Deterministic in (problem, settings, stream). Cost: O(neighbours · objectives) per child besides its evaluation. */
#ifndef HO_SCHED_DECOMPOSITION_H
#define HO_SCHED_DECOMPOSITION_H

#include "sched/directions.h"
#include "sched/evolution.h"

typedef enum { HO_TCHEBYCHEFF, HO_PBI } ho_scalarisation;

typedef struct {
  const ho_directions *directions; /* n ≥ 3 */
  int32_t neighbours;              /* ≥ 2; at most n */
  int32_t replaced;                /* ≥ 1 */
  int64_t generations;
  double crossover_rate;
  ho_scalarisation scalarisation;
} ho_decomposition_settings;

/* Runs to the end. `objectives`: room for n × d, those of the last population; NULL: not wanted. Returns how many individuals there are: fewer than directions
 * where evaluate stopped in the first generation. */
int32_t ho_decomposition_run(const ho_evolution_problem *problem, const ho_decomposition_settings *settings, ho_stream *r,
                             double *objectives);

/* Value of z (less the ideal, over the range) in a direction. */
double ho_scalarise(ho_scalarisation how, const double *z, const double *weight, int32_t d);

#endif
