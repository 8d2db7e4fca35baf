/* estimate.h: the static cost model's fast answer to "what would this plan cost?".
 *
 * One walk over the entries by the ends of their kernels, so that what depends on order (links, queues, launches) is met in the order in
 * which it happens. It follows the replay's rules for queues, launches, exclusive devices, prefetch, staging and energy; without
 * contention, with launches and exclusive devices, its makespan is the replay's. It approximates
 * - contention: a copy takes the links of its route from the instant all are free, first come first served;
 * - kernels side by side (streams of a spatial device, devices on one memory): estimate_share.c;
 * - memory: peaks by a scan over the estimated lifetimes; nothing waits for memory, and a plan whose peak exceeds a capacity is infeasible.
 * docs/validation.md states how far it is from the replay. No allocation per call (except when a plan has more entries than any before). */
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

/* Figures of a plan that passes ho_plan_check (not checked here) and is about the problem's own graph: for one with rewrites, the problem is
 * that of its variant. Returns 0, or 1 when a memory would overflow (figures are still
 * filled in: tightest > 1). */
int ho_estimate_run(ho_estimate *e, const ho_plan *plan, ho_figures *out);

/* Estimated start and finish of entry i of the last run, s. */
double ho_estimate_start(const ho_estimate *e, int32_t i);
double ho_estimate_finish(const ho_estimate *e, int32_t i);
/* Estimated peak of a memory in the last run, B. */
double ho_estimate_peak(const ho_estimate *e, ho_memory m);

#ifdef __cplusplus
}
#endif

#endif
