/* truth.h: what the estimate is off by, learnt from replays.
 *
 * The estimate's error has causes (contention, kernels side by side) that depend on which devices a plan uses and whether it uses streams: for each such
 * set the mean logarithm of replay / estimate is kept per objective, the newest replay with weight 0.2; a set that has not been replayed takes
 * the mean over all. Objectives that are 0 have no ratio and are left alone. */
#ifndef HO_SCHED_SEARCH_TRUTH_H
#define HO_SCHED_SEARCH_TRUTH_H

#include "sched/search/solution.h"

typedef struct ho_truth ho_truth;

ho_truth *ho_truth_new(int32_t n_objectives);
void ho_truth_free(ho_truth *t); /* NULL is allowed */

/* What a replay of the plan is expected to say, from what its estimate says. In place. */
void ho_truth_correct(const ho_truth *t, const ho_plan *plan, double *objectives);
/* What it did say. */
void ho_truth_learn(ho_truth *t, const ho_plan *plan, const double *estimated, const double *replayed);

#endif
