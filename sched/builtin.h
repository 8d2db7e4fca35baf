/* builtin.h: the const structs that registry.c lists, each defined in the file of its algorithm. */
#ifndef HO_SCHED_BUILTIN_H
#define HO_SCHED_BUILTIN_H

#include "sched/scheduler.h"

extern const ho_scheduler ho_scheduler_nsga2;
extern const ho_scheduler ho_scheduler_heft;
extern const ho_scheduler ho_scheduler_cpop;
extern const ho_scheduler ho_scheduler_peft;
extern const ho_scheduler ho_scheduler_single_fastest;
extern const ho_scheduler ho_scheduler_greedy_rules;
extern const ho_scheduler ho_scheduler_grouped_expert;
extern const ho_scheduler ho_scheduler_random;
extern const ho_scheduler ho_scheduler_fastest;
extern const ho_scheduler ho_scheduler_least_energy;
extern const ho_scheduler ho_scheduler_least_memory;

#endif
