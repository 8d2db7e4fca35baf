/* search.h: making and running a search context: the side of scheduler.h that the runner sees.
 *
 * Fronts at log-spaced numbers of evaluations are kept as checkpoints. A scheduler's own seconds and the evaluator's are measured
 * apart. Not thread safe; one per run. */
#ifndef HO_SCHED_SEARCH_H
#define HO_SCHED_SEARCH_H

#include <glib.h>

#include "base/optparse.h"
#include "results/archive.h"
#include "sched/scheduler.h"

G_BEGIN_DECLS

typedef struct {
  const ho_problem *problem;
  const ho_scheduler *scheduler;
  const ho_options *options; /* parsed against scheduler->options */
  ho_stream stream;
  int64_t evaluations; /* budget, ≥ 1 */
  int32_t checkpoints; /* 0: none */
} ho_search_setup;

typedef struct {
  int64_t evaluations;
  int32_t n;          /* points, sorted */
  double *objectives; /* n × n_objectives */
} ho_checkpoint;

ho_search *ho_search_new(const ho_search_setup *setup);
void ho_search_free(ho_search *s);

/* Runs the scheduler. FALSE with its reason when it failed. An empty archive after a run is an error too: "no feasible plan". */
gboolean ho_search_run(ho_search *s, GError **error);

/* What runs: for schedulers that are objects of their own. */
const ho_scheduler *ho_search_scheduler(const ho_search *s);
/* Offers a plan whose objectives were evaluated before, without counting it again: looked up, or estimated anew. 1: it is in the archive now. */
int ho_search_keep_evaluated(ho_search *s, const ho_plan *plan);

/* For searches that check the estimate as they go: objectives of a plan by a replay without noise, which counts as no evaluation. 0, or 1 when it does
 * not fit (nothing is filled in). */
int ho_search_replay(ho_search *s, const ho_plan *plan, double *objectives);
/* Offers the plan that was replayed last, by its replayed objectives. A run offers either such plans only, or none. 1: it is in the archive now. */
int ho_search_offer_replayed(ho_search *s, const ho_plan *plan);

ho_archive *ho_search_archive(ho_search *s);       /* payloads are ho_plan*; sorted after a run */
int64_t ho_search_evaluations(const ho_search *s); /* used */
int64_t ho_search_replays(const ho_search *s);     /* made by the scheduler */
double ho_search_scheduler_seconds(const ho_search *s);
double ho_search_engine_seconds(const ho_search *s);
int32_t ho_search_checkpoints(const ho_search *s, const ho_checkpoint **c);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ho_search, ho_search_free)

G_END_DECLS

#endif
