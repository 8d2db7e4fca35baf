/* exact_bounds.h: a partial plan that grows by appending, and lower bounds of what it can still become: for exact.c.
 *
 * Times are lower bounds themselves: kernels with inputs at the least precision that any device would give them, launch seconds of the device
 * alone, copies on idle routes. On a platform without contention and without launches they are exact. */
#ifndef HO_SCHED_EXACT_BOUNDS_H
#define HO_SCHED_EXACT_BOUNDS_H

#include "sched/scheduler.h"

typedef struct {
  const ho_problem *q;
  int32_t n_ops, n_devices;
  /* of the problem */
  double *time;       /* [op * n_devices + device]: s; INFINITY: cannot run */
  double *energy;     /* the same: J above idle */
  double *least_time; /* by op */
  double *least_energy;
  double *tail;      /* by op: least s from its start to the end */
  int8_t *precision; /* [op * n_devices + device]: that it runs in */
  /* of the partial plan */
  int32_t placed;
  ho_op *order;                  /* placed ops, in order of start */
  int16_t *device;               /* by op; -1 */
  int32_t *waiting;              /* by op: inputs whose producers are not placed */
  double *start, *end;           /* by op */
  double *free;                  /* by device */
  int32_t *used;                 /* by device: ops */
  int32_t *crossings;            /* [tensor * n_memories + memory]: placed consumers there */
  double latest;                 /* end of the last op */
  double spent;                  /* J above idle of what is placed, links included */
  double left_time, left_energy; /* least of what is not */
  double *saved;                 /* [placed * (n_devices + 5)]: what pop puts back */
  double *early;                 /* by op, scratch */
} ho_exact_node;

ho_exact_node *ho_exact_node_new(const ho_problem *q);
void ho_exact_node_free(ho_exact_node *n);

/* Whether o can be appended on d: it can run and be reached there, and starts no earlier than the op before (of those that start together the
 * lower index first, unless it has just become ready). So every schedule is met once. */
int ho_exact_may_follow(const ho_exact_node *n, ho_op o, ho_device d);
void ho_exact_push(ho_exact_node *n, ho_op o, ho_device d);
void ho_exact_pop(ho_exact_node *n);
/* Lower bounds of the problem's objectives over all completions. */
void ho_exact_bound(ho_exact_node *n, double *bound);

#endif
