/* skeleton.h: the solutions that the search starts from: its floor.
 *
 * Stages: the problem's graph; the same with everything removed, folded and fused; in training also with everything recomputed, with everything
 * offloaded; and, where a run of ops can be cut by batch, cut in two by the speeds of two devices.
 * On each: what list schedulers, rules and single devices make of it (seeds.h), with default precisions and with the lowest that are allowed, at
 * every operating point. */
#ifndef HO_SCHED_SEARCH_SKELETON_H
#define HO_SCHED_SEARCH_SKELETON_H

#include "sched/search/solution.h"

typedef struct {
  int rewrites, precision, points; /* 0: only the problem's graph, default precisions, nominal points */
} ho_skeleton_setup;

/* Calls `take` with each solution (not kept), until it answers other than 0. */
void ho_skeleton(ho_stage *first, const ho_skeleton_setup *setup, int (*take)(void *data, const ho_solution *a), void *data);

#endif
