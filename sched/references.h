/* references.h: the three deterministic single-objective references that frames are made of (docs/results.md, Frames).
 *
 * Starting points: HEFT, PEFT, the greedy rules and every single device that can run all (seeds.h). The best of them is improved by
 * moving one op at a time to another device, ops in topological order, devices in platform order, keeping the order of issue: the first
 * improvement is taken; it ends when a whole pass found none, or after a fixed number of evaluations. Better means, in this order: less
 * excess over a memory's capacity, less of the objective, less latency, less energy. Nothing is random. */
#ifndef HO_SCHED_REFERENCES_H
#define HO_SCHED_REFERENCES_H

#include <glib.h>

#include "sched/scheduler.h"

G_BEGIN_DECLS

/* Evaluations of a reference of a frame: fixed, so that a frame does not depend on a study's budget. */
#define HO_REFERENCE_EVALUATIONS 2000

/* The reference that is best in `which`. Fills the problem's objectives and figures; *plan (may be NULL) is the caller's. */
gboolean ho_reference_solve(const ho_problem *q, ho_objective which, ho_plan **plan, double *objectives, ho_figures *figures,
                            GError **error);

/* Name of the scheduler that is the reference of an objective: "fastest", "least-energy", "least-memory". */
const char *ho_reference_name(ho_objective which);

G_END_DECLS

#endif
