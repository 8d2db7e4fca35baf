/* runner.h: carries out what an experiment lays out, on several threads, and stores it.
 *
 * Tasks are the references of each problem (for its frame) and the runs that the database does not hold yet. A run: search; replay
 * every plan of its archive without noise; then the noisy replays; then one transaction. A run that fails is a row with its
 * reason. What is stored depends on the config alone, not on the number of threads, nor on which of them ends first, nor
 * on how often the program was stopped in between. */
#ifndef HO_EXPERIMENTS_RUNNER_H
#define HO_EXPERIMENTS_RUNNER_H

#include <signal.h>

#include "experiments/expand.h"

G_BEGIN_DECLS

typedef struct {
  int32_t done, total; /* tasks of this call */
  double seconds;      /* since it began */
} ho_run_progress;

typedef struct {
  int32_t jobs;                      /* threads, ≥ 1 */
  const char *only;                  /* "study=…,scheduler=…,problem=…" with * and ?, repeatable; NULL: everything */
  int32_t shard, shards;             /* runs with index % shards == shard; shards ≤ 1: all */
  const volatile sig_atomic_t *stop; /* NULL, or a flag: when not 0, runs in flight are finished and no further one is begun */
  void (*progress)(const ho_run_progress *p, void *user); /* NULL, or told after every task, by one thread at a time */
  void *user;
} ho_run_setup;

typedef struct {
  int32_t selected;                 /* runs that `only` and `shard` leave */
  int32_t unchanged;                /* of these: stored already */
  int32_t done, infeasible, failed; /* of the others, by how they ended */
  int32_t left;                     /* not begun, because of `stop` */
  char *first_failure; /* of those that failed or are infeasible: "label on problem, replicate 3: reason"; NULL; g_free */
} ho_run_outcome;

/* Lays the experiment out in `s`, runs it, and makes frames and indicators. FALSE when the selection matches nothing, or the
 * database cannot be written (runs stored so far stay); failed runs are no error. */
gboolean ho_experiment_run_all(const ho_experiment *e, ho_store *s, const ho_run_setup *setup, ho_run_outcome *out,
                               GError **error);

G_END_DECLS

#endif
