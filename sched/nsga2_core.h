/* nsga2_core.h: NSGA-II over genomes that only their owner understands.
 *
 * Deb, Pratap, Agarwal & Meyarivan, IEEE TEC 6(2), 2002: fast non-dominated sorting (III A), crowding distance (III B), elitist
 * replacement from parents and children (III C), constrained domination (VI A): of two individuals, a feasible one comes before an
 * infeasible one, of two infeasible ones the one with less violation; among feasible ones domination decides.
 * Parents are chosen by binary tournaments over two random permutations of the population, as in Deb's code: lower rank, then larger
 * crowding distance, then a coin. Two parents give two children, crossed with probability `crossover_rate`, then mutated.
 *
 * Ties in replacement: larger crowding distance, then the lower index (parents before children). Deterministic in (problem, settings,
 * stream). Cost per generation: O(objectives · population²) besides the evaluations. */
#ifndef HO_SCHED_NSGA2_CORE_H
#define HO_SCHED_NSGA2_CORE_H

#include <stddef.h>
#include <stdint.h>

#include "base/stream.h"

typedef struct {
  size_t genome_bytes;
  int32_t n_objectives;
  void *context;
  void (*create)(void *context, ho_stream *r, int32_t index, void *genome); /* individual `index` of the initial population */
  void (*cross)(void *context, ho_stream *r, void *a, void *b);             /* in place; both begin as copies of their parents */
  void (*mutate)(void *context, ho_stream *r, void *genome);
  /* Fills objectives and violation (0: feasible). Not 0: stop, this individual does not count. */
  int (*evaluate)(void *context, const void *genome, double *objectives, double *violation);
} ho_nsga2_problem;

typedef struct {
  int32_t population;  /* even, ≥ 4 */
  int64_t generations; /* at most; INT64_MAX: until evaluate stops it */
  double crossover_rate;
} ho_nsga2_settings;

typedef struct ho_nsga2 ho_nsga2;

/* Runs to the end. The result holds the last population and keeps pointers to `problem` and `settings`. */
ho_nsga2 *ho_nsga2_run(const ho_nsga2_problem *problem, const ho_nsga2_settings *settings, ho_stream *r);
void ho_nsga2_free(ho_nsga2 *n);

int32_t ho_nsga2_size(const ho_nsga2 *n); /* less than the population when evaluate stopped in the first one */
const double *ho_nsga2_objectives(const ho_nsga2 *n, int32_t i);
double ho_nsga2_violation(const ho_nsga2 *n, int32_t i);
int32_t ho_nsga2_rank(const ho_nsga2 *n, int32_t i); /* 0: the first front */
const void *ho_nsga2_genome(const ho_nsga2 *n, int32_t i);

/* --- its parts, for tests --------------------------------------------------------------------------------------------------- */
/* Ranks of n points of d objectives (row-major) under constrained domination. */
void ho_nsga2_sort(const double *objectives, const double *violation, int32_t n, int32_t d, int32_t *rank);
/* Crowding distances of the `m` points listed in `member`, into distance[member[i]]: INFINITY at the ends of an objective. */
void ho_nsga2_crowding(const double *objectives, int32_t d, const int32_t *member, int32_t m, double *distance);

#endif
