/* solution.h: a plan as genes, so that it can be changed a little: for every op of a stage a device, a priority, a wish for a lower precision and
 * one for an operating point.
 *
 * Wishes are kept when an op moves: an op whose device does not have the precision runs in its default one, one whose device does not have the point
 * at the nominal one. Decoding: decode.h; then precisions of the ops that lose most points (accuracy.h) are taken back until
 * the plan's drop is within the limit, or nothing is left to take back. */
#ifndef HO_SCHED_SEARCH_SOLUTION_H
#define HO_SCHED_SEARCH_SOLUTION_H

#include "sched/search/stage.h"

typedef struct {
  ho_stage *stage; /* a reference of its own */
  int32_t n;       /* ops */
  double *priority;
  int16_t *device;
  int8_t *precision; /* HO_DTYPE_NONE: the default one */
  int8_t *point;     /* 0: nominal */
  int8_t streams;    /* ho_streams */
} ho_solution;

ho_solution *ho_solution_new(ho_stage *x); /* device 0 of each op's, topological order, no wishes */
ho_solution *ho_solution_copy(const ho_solution *a);
void ho_solution_free(ho_solution *a);                             /* NULL is allowed */
void ho_solution_assign(ho_solution *to, const ho_solution *from); /* both on one stage */

/* The same decisions on another stage: each op decides as the op of the user's graph that most of its FLOPs come from, and comes at the mean of its
 * origins' places; what stands for nothing (glue) goes with its first producer, else its first consumer. */
ho_solution *ho_solution_carry(const ho_solution *a, ho_stage *to);

/* Into the stage's scratch plan; -1: an op has no device that its inputs can reach. */
int ho_solution_decode(const ho_solution *a, double accuracy_limit);

#endif
