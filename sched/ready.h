/* ready.h: a schedule that grows op by op out of those that are ready, without insertion: what ETF, DLS, min-min and the like share.
 *
 * An op is ready when all its producers are placed. It starts on a device when its data is there (as in list.h) and the device has done
 * what it was given before. The rule picks one of the ready ops and its device, again and again. */
#ifndef HO_SCHED_READY_H
#define HO_SCHED_READY_H

#include "sched/list.h"

typedef struct {
  ho_list *list;
  int32_t n;      /* ready ops, in the order in which they became so: by index among those of one step */
  ho_op *op;      /* by slot */
  double *data;   /* [slot * n_memories + memory]: when the op's data is there */
  double *free;   /* by device: when it has done what it has */
  int32_t placed; /* ops */
} ho_ready;

/* When the op of a slot can start on d; INFINITY: it cannot run there, or not be reached. */
double ho_ready_start(const ho_ready *r, int32_t slot, ho_device d);
double ho_ready_time(const ho_ready *r, int32_t slot, ho_device d); /* s on d, alone */
static inline double ho_ready_finish(const ho_ready *r, int32_t slot, ho_device d) {
  return ho_ready_start(r, slot, d) + ho_ready_time(r, slot, d);
}
/* The device of earliest finish; *second (may be NULL): the next earliest finish, INFINITY when there is one device only. -1: none. */
ho_device ho_ready_best(const ho_ready *r, int32_t slot, double *finish, double *second);

/* Picks a slot and a device; leaves *device -1 where the op of *slot has none. */
typedef void (*ho_ready_rule)(const ho_ready *r, void *data, int32_t *slot, ho_device *device);

/* Places all ops of an empty list by a rule. Returns -1, or the op that no device can take. */
ho_op ho_ready_fill(ho_list *l, ho_ready_rule rule, void *data);

#endif
