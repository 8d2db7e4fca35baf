/* place.h: placements by simple rules, for the rule-based schedulers and as starting points of searches. */
#ifndef HO_SCHED_PLACE_H
#define HO_SCHED_PLACE_H

#include "sched/space.h"

/* Operational intensity, FLOP/B, at the op's default precision on a device; INFINITY when it moves no byte, NAN for `time` tables. */
double ho_place_intensity(const ho_problem *q, ho_op o, ho_device d);
/* Intensity at which the device's reachable peak for this op meets its reachable bandwidth, FLOP/B: the ridge of its roofline. */
double ho_place_ridge(const ho_problem *q, ho_op o, ho_device d);

/* Of the devices in `kinds` (bit set of ho_device_kind) that can run o and, where `keep` is not NULL, that it accepts: the one with the
 * least kernel time, the lower index on ties; -1: none. */
int16_t ho_place_quickest(const ho_problem *q, ho_op o, unsigned kinds,
                          int (*keep)(const ho_problem *q, ho_op o, ho_device d, double x), double x);

/* The rule of greedy-rules; fills device[op]. */
void ho_place_greedy(const ho_problem *q, double threshold, int16_t *device);

/* Every op on d, or where d cannot run it, on its quickest device. */
void ho_place_single(const ho_problem *q, const ho_space *v, ho_device d, int16_t *device);

/* A plan of these devices in the graph's topological order, stream 0; NULL when memories are not connected and an op cannot be reached. */
ho_plan *ho_place_plan(const ho_problem *q, const ho_space *v, const int16_t *device);

/* The same as the one plan of a run: what a rule ends with. 0, or -1 after ho_search_fail. */
int ho_place_keep(ho_search *s, const ho_space *v, const int16_t *device);

#endif
