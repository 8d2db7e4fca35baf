/* builtin.h: the const structs that registry.c lists, each defined in the file of its algorithm. */
#ifndef HO_SCHED_BUILTIN_H
#define HO_SCHED_BUILTIN_H

#include "sched/scheduler.h"

extern const ho_scheduler ho_scheduler_heft;
extern const ho_scheduler ho_scheduler_cpop;
extern const ho_scheduler ho_scheduler_peft;

#endif
