/* run_references.h: the deterministic references of a problem, from which its frame is made. Private to experiments/.
 *
 * They depend on the problem alone, not on what is compared: least latency, energy and memory, each by a search of its own with a fixed
 * budget; the time of the whole graph on the fastest single device that can hold it; the platform's rated power; and the
 * critical path with each op on its fastest device, which no schedule can beat. */
#ifndef HO_EXPERIMENTS_RUN_REFERENCES_H
#define HO_EXPERIMENTS_RUN_REFERENCES_H

#include "experiments/expand.h"

/* 1 when the database holds all of them for this problem, 0 when not, -1 on error. */
int ho_has_references(const ho_experiment *e, ho_store *s, int64_t problem_id, GError **error);

/* Computes and stores them. An infeasible one is stored with its reason. */
gboolean ho_run_references(const ho_experiment *e, int32_t problem, ho_store *s, int64_t problem_id, GError **error);

/* Computes them without storing; adds a line (g_free) for each that is infeasible, with what the frame then does. */
gboolean ho_reference_warnings(const ho_experiment *e, int32_t problem, GPtrArray *warnings, GError **error);

#endif
