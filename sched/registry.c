/* registry.c: the schedulers that are built in, one line each, in the order of `heteroopt list schedulers`. */
#include <stddef.h>
#include <string.h>

#include "sched/builtin.h"

const ho_scheduler *const ho_schedulers[] = {
    &ho_scheduler_nsga2,          &ho_scheduler_heft,         &ho_scheduler_cpop,           &ho_scheduler_peft,
    &ho_scheduler_single_fastest, &ho_scheduler_greedy_rules, &ho_scheduler_grouped_expert, &ho_scheduler_random,
    &ho_scheduler_fastest,        &ho_scheduler_least_energy, &ho_scheduler_least_memory,   NULL,
};

const ho_scheduler *ho_scheduler_find(const char *name) {
  for (const ho_scheduler *const *s = ho_schedulers; *s; s++)
    if (strcmp((*s)->name, name) == 0) return *s;
  return NULL;
}
