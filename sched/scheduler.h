/* scheduler.h: the interface of every scheduling algorithm, built in or a plug-in.
 *
 * One const struct per algorithm; a run gets a search context (the problem, an evaluator that counts, an archive, a seeded stream,
 * typed options) and leaves plans in the archive. No GLib or GSL type appears here, so that a shared object built elsewhere can
 * implement it. A scheduler is deterministic in (problem, options, seed, budget); it keeps no state between runs.
 *
 * One evaluation = one whole plan whose objectives were read, whoever asks. When the budget is used up ho_search_evaluate refuses;
 * a scheduler then returns. Plans kept without evaluation are evaluated by ho_search_keep (and counted). */
#ifndef HO_SCHED_SCHEDULER_H
#define HO_SCHED_SCHEDULER_H

#include <stdint.h>

#include "base/options.h"
#include "base/stream.h"
#include "sim/plan.h"
#include "sim/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HO_SCHEDULER_ABI 1

typedef struct ho_search ho_search;

enum {
  HO_SCHEDULER_DETERMINISTIC = 1, /* ignores the seed: run once per problem, reported with n = 1 */
  HO_SCHEDULER_SINGLE = 2         /* leaves one plan */
};

typedef struct ho_scheduler {
  uint32_t abi;         /* HO_SCHEDULER_ABI */
  uint32_t struct_size; /* sizeof(ho_scheduler) */
  const char *name;
  const char *summary;      /* one line */
  const char *source;       /* paper and section */
  const ho_option *options; /* NULL: none */
  uint32_t flags;
  /* 0, or non-zero after ho_search_fail has said why. */
  int (*run)(ho_search *s);
} ho_scheduler;

/* --- what a run may ask its context ------------------------------------------------------------------------------------- */
const ho_problem *ho_search_problem(const ho_search *s);
ho_stream *ho_search_stream(ho_search *s);
int64_t ho_search_budget(const ho_search *s); /* evaluations in all */
int64_t ho_search_left(const ho_search *s);   /* evaluations left */
int64_t ho_search_option_int(const ho_search *s, const char *name);
double ho_search_option_double(const ho_search *s, const char *name);
const char *ho_search_option_string(const ho_search *s, const char *name);

/* Objectives (in the problem's order) of a plan by the estimate. 0: feasible; 1: infeasible in memory, objectives are filled in
 * all the same (a search may rank by them) but the plan cannot be kept; -1: budget used up, nothing was evaluated.
 * The plan must be complete and topological; asserted in debug builds, always checked before it is stored. */
int ho_search_evaluate(ho_search *s, const ho_plan *plan, double *objectives);

/* All figures of the plan that was evaluated last (also those that are no objective of the problem). */
const ho_figures *ho_search_figures(const ho_search *s);

/* As above, and offers the plan to the archive (copied). 1: it is in the archive now; 0: dominated or infeasible; -1: budget used up. */
int ho_search_keep(ho_search *s, const ho_plan *plan, double *objectives);

/* Offers a plan that ho_search_evaluate has answered with those objectives, without a further evaluation. A plan that enters the archive
 * is checked, and so are its objectives: when either is wrong the run fails. */
int ho_search_offer(ho_search *s, const ho_plan *plan, const double *objectives);

/* Ends the run with a reason; returns -1 so that `return ho_search_fail(…)` reads well. */
int ho_search_fail(ho_search *s, const char *format, ...)
#ifdef __GNUC__
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* --- the registry (registry.c): one line per scheduler --------------------------------------------------------------------- */
extern const ho_scheduler *const ho_schedulers[];        /* ends with NULL */
const ho_scheduler *ho_scheduler_find(const char *name); /* NULL */

#ifdef __cplusplus
}
#endif

#endif
