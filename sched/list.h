/* list.h: a schedule that grows op by op, with insertion: what HEFT, CPOP and PEFT share.
 *
 * An op's data is ready in a memory when each input that has a producer has been copied there from the producer's memory, on an idle
 * route, and each graph input from where it lies (Topcuoglu, Hariri & Wu, 2002, equations 3 and 4). */
#ifndef HO_SCHED_LIST_H
#define HO_SCHED_LIST_H

#include "sched/costs.h"
#include "sched/scheduler.h"
#include "sched/timeline.h"

typedef struct {
  const ho_costs *c;
  double *start, *finish; /* by op, s */
  int16_t *device;        /* by op; -1: not placed yet */
  ho_timeline *line;      /* by device */
  double *ready;          /* by memory: of the op asked for last */
  int append;             /* 1: no gaps are used, an op starts behind all that its device has */
  ho_plan *plan; /* owned; what a run keeps where start and device do not say all (copies, not_before); NULL: ho_list_plan */
} ho_list;

ho_list *ho_list_new(const ho_costs *c);
void ho_list_free(ho_list *l);

/* Fills l->ready for op o, whose producers are placed. */
void ho_list_ready(ho_list *l, ho_op o);

/* Earliest start of o on device d after ho_list_ready; INFINITY where it cannot run or cannot be reached. */
double ho_list_start_on(const ho_list *l, ho_op o, ho_device d);
/* Earliest finish of o on device d after ho_list_ready; INFINITY where it cannot run or cannot be reached. */
double ho_list_finish_on(const ho_list *l, ho_op o, ho_device d);

/* Device of least (earliest finish + bias[device]), the lower index on ties; bias may be NULL. -1: none. Includes ho_list_ready. */
ho_device ho_list_best(ho_list *l, ho_op o, const double *bias);
/* Device where o can start first; of those alike where it finishes first, then the lower index. -1: none. Includes ho_list_ready. A choice for
 * ho_list_by_priority. */
ho_device ho_list_first_start(ho_list *l, ho_op o, void *unused);
void ho_list_place(ho_list *l, ho_op o, ho_device d);

/* Places all ops, the ready one of highest priority next; `choose` says on which device (-1: none), NULL: the one of earliest finish.
 * Returns -1, or the op that no device can take. */
typedef ho_device (*ho_list_choice)(ho_list *l, ho_op o, void *data);
ho_op ho_list_by_priority(ho_list *l, const double *priority, ho_list_choice choose, void *data);
/* The same for those who place the op themselves: `place` returns -1 when it has, or the op. */
ho_op ho_list_walk(const ho_graph *g, const double *priority, ho_op (*place)(void *data, ho_op o), void *data);

/* Places all ops in decreasing upward rank, each on device[op] where it can run and be reached there, else where it finishes first: for those
 * who only say where. Returns -1, or the op that no device can take. */
ho_op ho_list_by_devices(ho_list *l, const int16_t *device);

/* The schedule as a plan in order of start; NULL when an op is not placed. Stream 0, default precision. */
ho_plan *ho_list_plan(const ho_list *l);

/* A whole run of a list scheduler: `fill` places all ops of an empty list and returns -1, or the op that no device can take. */
int ho_list_run(ho_search *s, ho_op (*fill)(ho_list *l));
/* The same where `fill` has options to read. */
int ho_list_run_with(ho_search *s, ho_op (*fill)(ho_list *l, void *data), void *data);

/* The parts of a list scheduler's struct that are always the same. */
#define HO_LIST_SCHEDULER \
  .abi = HO_SCHEDULER_ABI, .struct_size = sizeof(ho_scheduler), .flags = HO_SCHEDULER_DETERMINISTIC | HO_SCHEDULER_SINGLE

#endif
