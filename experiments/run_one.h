/* run_one.h: one run, from search to the rows that are stored; and one reference. Private to experiments/.
 *
 * No state is shared between runs but the problem, which nobody changes: any thread may do any run, at any time, with the
 * same outcome. What a run could not do (no feasible plan, a scheduler's own failure) is part of its result, not an error. */
#ifndef HO_EXPERIMENTS_RUN_ONE_H
#define HO_EXPERIMENTS_RUN_ONE_H

#include "experiments/expand.h"

typedef struct {
  ho_store_result result; /* points into the arena */
  ho_arena *arena;
} ho_run_record;

void ho_run_one(const ho_experiment *e, const ho_experiment_run *run, ho_run_record *out);
void ho_run_record_clear(ho_run_record *record);

#endif
