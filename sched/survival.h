/* survival.h: who survives a generation: the rules of NSGA-II, NSGA-III and SPEA2 for evolution.h.
 *
 * Constrained domination (Deb et al., IEEE TEC 6(2), 2002, VI A) in all of them: of two individuals, a feasible one comes before an infeasible one, of
 * two infeasible ones the one with less violation; among feasible ones domination decides. */
#ifndef HO_SCHED_SURVIVAL_H
#define HO_SCHED_SURVIVAL_H

#include "sched/directions.h"
#include "sched/evolution.h"

/* 1: a comes before b, -1: b before a, 0: neither. */
int ho_survival_compare(const double *a, double va, const double *b, double vb, int32_t d);

/* NSGA-II: whole fronts, of the last one the least crowded; score: the crowding distance. Ties: the larger distance, then the lower index (parents
 * before children). Cost: O(objectives · n²). */
void ho_survival_nsga2(const ho_survival_task *t);

/* NSGA-III (Deb & Jain, IEEE TEC 18(4), 2014): whole fronts, of the last one those that belong to directions with the fewest survivors; rank: the
 * front, score 0. `data`: a ho_nsga3* of the run. Cost: O(objectives · n² + n · directions). Ties: drawn from the stream. */
void ho_survival_nsga3(const ho_survival_task *t);

/* What NSGA-III remembers from one generation to the next: the best seen of each objective, and the extreme points. */
typedef struct ho_nsga3 ho_nsga3;
ho_nsga3 *ho_nsga3_new(const ho_directions *x); /* keeps the pointer */
void ho_nsga3_free(ho_nsga3 *m);                /* NULL is allowed */

/* SPEA2 (Zitzler, Laumanns & Thiele, TIK-Report 103, 2001): strength, raw fitness and density by the distance to the √n-th neighbour; truncation
 * removes who is nearest to others. Distances are between objectives over their ranges. rank 0, score: minus the fitness. Cost: O(n² log n). */
void ho_survival_spea2(const ho_survival_task *t);

/* --- parts ---------------------------------------------------------------------------------------------------------------------- */
/* Ranks of n points of d objectives (row-major) under constrained domination. */
void ho_nsga2_sort(const double *objectives, const double *violation, int32_t n, int32_t d, int32_t *rank);
/* Crowding distances of the `m` points listed in `member`, into distance[member[i]]: INFINITY at the ends of an objective. */
void ho_nsga2_crowding(const double *objectives, int32_t d, const int32_t *member, int32_t m, double *distance);
/* Where the hyperplane through d extreme points (less the ideal) meets the axes; where there is none, or it meets one at or below the ideal, `largest`. */
void ho_nsga3_intercepts(const double *extreme, int32_t d, const double *largest, double *intercept);
/* Of m points (less the ideal) the one of least achievement scalarising function along axis k. */
int32_t ho_nsga3_extreme(const double *points, int32_t m, int32_t d, int32_t k);
/* Fitness of SPEA2: < 1 for those that nothing dominates. */
void ho_spea2_fitness(const double *objectives, const double *violation, int32_t n, int32_t d, double *fitness);

#endif
