/* estimate.h: the static cost model's fast answer to "what would this plan cost?".
 *
 * One pass over the entries in order of issue: launch times of the dispatchers, link reservations (each copy takes the links of its
 * route from the instant all are free: contention approximated), device availability, then energy as in the replay's formulae and
 * peak memory by a liveness scan over the estimated times. Kernels of several streams of one spatial device are slowed by a
 * simple rule stated in estimate.c. It ignores waiting for memory: a plan whose estimated peak exceeds a capacity is infeasible.
 * docs/validation.md states how far it is from the replay. No allocation per call. */
#ifndef HO_SIM_ESTIMATE_H
#define HO_SIM_ESTIMATE_H

#include "sim/plan.h"
#include "sim/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ho_estimate ho_estimate; /* scratch for one problem; one per thread */

ho_estimate *ho_estimate_new(const ho_problem *q);
void ho_estimate_free(ho_estimate *e);

/* Figures of a plan that passes ho_plan_check (not checked here). Returns 0, or 1 when a memory would overflow (figures are still
 * filled in: tightest > 1). */
int ho_estimate_run(ho_estimate *e, const ho_plan *plan, ho_figures *out);

/* Estimated start and finish of entry i of the last run, s. */
double ho_estimate_start(const ho_estimate *e, int32_t i);
double ho_estimate_finish(const ho_estimate *e, int32_t i);

#ifdef __cplusplus
}
#endif

#endif
