/* levels.h: how far an op is from the end of its graph, communication left out. */
#ifndef HO_SCHED_LEVELS_H
#define HO_SCHED_LEVELS_H

#include "sched/costs.h"

/* The static level: the most seconds of any way from the op to the end, its own included, by `seconds` (one per op). `out` n_ops long. */
void ho_static_level(const ho_costs *c, const double *seconds, double *out);
/* The median of an op's seconds over the devices that can run it (of an even number the mean of the middle two). */
void ho_median_seconds(const ho_costs *c, double *out);

#endif
