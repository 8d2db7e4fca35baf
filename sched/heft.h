/* heft.h: HEFT for others to start from: references, initial populations. */
#ifndef HO_SCHED_HEFT_H
#define HO_SCHED_HEFT_H

#include "sched/list.h"

/* Places all ops of an empty list by HEFT. Returns -1, or the op that has no device that its inputs can reach. */
ho_op ho_heft_fill(ho_list *l);

#endif
