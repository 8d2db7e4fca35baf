/* exec_problem.h: problems and plans as lines for a scheduler in a process of its own. */
#ifndef HO_SCHED_EXEC_PROBLEM_H
#define HO_SCHED_EXEC_PROBLEM_H

#include <glib.h>
#include <jansson.h>

#include "sched/scheduler.h"
#include "sim/plan_check.h"

/* The line that states a search's problem; caller frees. */
char *ho_exec_problem_line(ho_search *s, const ho_option *options);

/* A plan as a process writes it: an array with [op, device] per op, by index or name, in the order of issue; or an object with `assign`, each entry
 * such a pair or as in heteroopt-plan/1, and perhaps `rewrites`. NULL with one line. Checked. */
ho_plan *ho_exec_read_plan(const json_t *value, const ho_problem *q, GError **error);

#endif
