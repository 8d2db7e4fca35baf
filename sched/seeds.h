/* seeds.h: plans that heuristics make, as genes to start a search from.
 *
 * In this order: HEFT, PEFT, the greedy rules, then every device alone that can run the whole graph, in topological
 * and in depth-first order. What cannot be made is left out. */
#ifndef HO_SCHED_SEEDS_H
#define HO_SCHED_SEEDS_H

#include "sched/space.h"

typedef struct {
  int32_t n, n_ops;
  int16_t *device;  /* n × n_ops */
  double *priority; /* n × n_ops */
} ho_seeds;

ho_seeds *ho_seeds_new(const ho_problem *q, const ho_space *v);
void ho_seeds_free(ho_seeds *z);

#endif
