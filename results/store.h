/* store.h: the SQLite database of one experiment: what was asked, what ran, what came out.
 *
 * One file holds one experiment (its config may change over time; every version of the text is kept). Life of a database:
 *   1. Lay out, one thread, one transaction, in the order of the config: experiment, graphs, platforms, problems, schedulers,
 *      studies and every run. Row ids are given here, in that order, so that no id depends on how many jobs run or which ends first.
 *   2. Run: each run that is not done is claimed, computed, and finished in one transaction. A process that is killed loses the runs
 *      in flight and nothing else; laying out the same config again finds the rows by content and resumes.
 *   3. Judge (judge.h): frames and indicators, which are derived and can be made again at any time.
 *   4. Read: store_query.h, or plain SQL over the views (docs/results.md).
 * Everything that came from a clock lies in columns named seconds… or …_at; nothing else depends on time, machine or order.
 *
 * Threads: one ho_store may be shared by threads; calls are serialised, and begin … commit excludes other threads.
 * Failure: one line that names the file: not a database, another program's, a newer schema, read-only, locked, disk full, corrupt.
 * Ids are ≥ 1; a function that returns one gives -1 on error. */
#ifndef HO_RESULTS_STORE_H
#define HO_RESULTS_STORE_H

#include <glib.h>

#include "results/frame.h"
#include "sim/problem.h"

G_BEGIN_DECLS

#define HO_STORE_APPLICATION_ID 0x484f5031 /* "HOP1" */
#define HO_STORE_SCHEMA 1                  /* user_version; a greater one is refused */

typedef struct ho_store ho_store;

typedef enum {
  HO_STORE_CREATE, /* read and write; made when absent or empty */
  HO_STORE_WRITE,  /* read and write; must exist */
  HO_STORE_READ    /* must exist; never changed */
} ho_store_mode;

ho_store *ho_store_open(const char *file, ho_store_mode mode, GError **error);
/* Folds the write-ahead log into the file, so that the one file is all, and closes. Frees `s` even when it fails. */
gboolean ho_store_close(ho_store *s, GError **error);
void ho_store_free(ho_store *s); /* closes without a word, for error paths; NULL is allowed */
const char *ho_store_file(const ho_store *s);

/* One transaction; not nested. Between begin and commit or rollback this thread has the store to itself. When anything in between fails,
 * end with rollback. */
gboolean ho_store_begin(ho_store *s, GError **error);
gboolean ho_store_commit(ho_store *s, GError **error); /* on failure: rolled back */
void ho_store_rollback(ho_store *s);

/* --- 1. laying out: each finds the row by content or adds it, and returns its id --------------------------------------------- */
int64_t ho_store_add_environment(ho_store *s, const char *json, const char *digest, GError **error);

/* Fails when the database belongs to an experiment of another name. `config`: the text of the file. */
/* First step of laying out: what studies listed before is forgotten; runs, frames and indicators stay. */
int64_t ho_store_add_experiment(ho_store *s, const char *name, const char *config, const char *digest, uint64_t seed, GError **error);

/* `content`: heteroopt-graph/1 text, or NULL when it is not to be kept. The same for a platform's YAML. */
int64_t ho_store_add_graph(ho_store *s, const ho_graph *g, const char *content, GError **error);
int64_t ho_store_add_platform(ho_store *s, const ho_platform *p, const char *content, GError **error);

/* By digests of graph and platform, objectives and memory measure: what ho_problem_digest digests. */
int64_t ho_store_add_problem(ho_store *s, const ho_problem *q, int64_t graph_id, int64_t platform_id, GError **error);
char *ho_problem_digest(const ho_problem *q); /* caller frees */

typedef struct {
  const char *name;        /* "nsga2"; "portfolio" for a set of others */
  const char *options;     /* canonical: "population=100,init=heuristics"; "" when none */
  const char *code_digest; /* of what runs: program version, or the files of a plug-in */
  int deterministic;       /* ignores the seed: one run per problem */
  int single;              /* leaves one plan */
} ho_store_scheduler;
int64_t ho_store_add_scheduler(ho_store *s, const ho_store_scheduler *c, GError **error);

/* A study. `frame`: the kind its indicators use by default. */
int64_t ho_store_add_study(ho_store *s, int64_t experiment_id, const char *name, ho_frame_kind frame, GError **error);

/* A problem under the name it has in this study: workload / mode / platform, each with its options or overrides. */
int64_t ho_store_add_study_problem(ho_store *s, int64_t study_id, int64_t problem_id, const char *workload, const char *mode,
                                   const char *platform, GError **error);
/* A swept parameter's value there: becomes a column of the view `results`. Text that looks like a number is stored as one. */
gboolean ho_store_add_parameter(ho_store *s, int64_t study_problem_id, const char *name, const char *value, GError **error);
/* A scheduler under its label in this study. */
int64_t ho_store_add_study_scheduler(ho_store *s, int64_t study_id, int64_t scheduler_id, const char *label, GError **error);
/* A cell that is left out on purpose, with the config's reason. `scheduler`: a label, or NULL for all. */
gboolean ho_store_add_excluded(ho_store *s, int64_t study_id, const char *workload, const char *mode, const char *platform,
                               const char *scheduler, const char *why, GError **error);

/* The content key of a run. */
typedef struct {
  int64_t problem_id, scheduler_id;
  uint64_t seed;        /* the experiment's */
  int32_t replicate;    /* 0 for deterministic schedulers */
  int64_t evaluations;  /* budget */
  const char *protocol; /* all else a result depends on: "checkpoints=12,replays=20,noise=0.05,model_error=0.2" */
} ho_store_key;

typedef enum { HO_RUN_PENDING, HO_RUN_RUNNING, HO_RUN_DONE, HO_RUN_FAILED, HO_RUN_INFEASIBLE } ho_run_status;
const char *ho_run_status_name(ho_run_status st); /* "pending" */

/* Finds or adds the run; *status (may be NULL) is what it was. */
int64_t ho_store_add_run(ho_store *s, const ho_store_key *key, ho_run_status *status, GError **error);
/* Says that a study shows this run, as replicate `replicate` of that label on that problem. */
gboolean ho_store_add_study_run(ho_store *s, int64_t study_problem_id, int64_t study_scheduler_id, int32_t replicate, int64_t run_id,
                                GError **error);

/* Last step of laying out: makes the view `results` anew, with one column per swept parameter. */
gboolean ho_store_finish_layout(ho_store *s, GError **error);

/* --- 2. running ------------------------------------------------------------------------------------------------------------------ */
/* Marks a run as running, in its own transaction: attempts + 1, started_at = now. 1: claimed; 0: it is done or infeasible already;
 * -1: error. A run that a killed process left as running can be claimed. */
int ho_store_claim_run(ho_store *s, int64_t run_id, int64_t environment_id, GError **error);

typedef struct {
  ho_figures figures;
  const char *infeasible; /* NULL, or why the replay stopped (figures are then not stored) */
} ho_store_replay;

typedef struct {
  const char *json;                  /* heteroopt-plan/1 */
  double estimate[HO_N_OBJECTIVES];  /* by ho_objective, as the search saw them; NAN: not known */
  ho_store_replay exact;             /* without noise: what a front is made of */
  int32_t n_replays;                 /* with noise: index 0 … */
  const ho_store_replay *replays;
  int32_t n_model_replays;           /* with noise and redrawn device efficiencies (model_error): index 0 … */
  const ho_store_replay *model_replays;
} ho_store_plan;

typedef struct {
  int64_t evaluations;
  int32_t n;
  const double *points; /* n × HO_N_OBJECTIVES, by ho_objective; NAN: not an objective. As the search saw them */
} ho_store_checkpoint;

typedef struct {
  ho_run_status status;     /* HO_RUN_DONE, HO_RUN_FAILED or HO_RUN_INFEASIBLE */
  const char *reason;       /* one line, of the latter two */
  int64_t evaluations;      /* used */
  double seconds_scheduler; /* s, measured: the scheduler's own */
  double seconds_engine;    /* s, measured: evaluations */
  double seconds_replay;    /* s, measured: replays */
  int32_t n_checkpoints;
  const ho_store_checkpoint *checkpoints; /* increasing evaluations */
  int32_t n_plans;
  const ho_store_plan *plans;             /* in the archive's order */
} ho_store_result;

/* Writes all of a run in one transaction, in place of what an earlier attempt left. P50 and P95 over the noisy replays are computed here, and
 * which plans are on the final front: the non-dominated ones by noise-free replay in the problem's objectives. The id of plan i
 * is run_id · 1 000 000 + i. A run all of whose plans are infeasible in the replay becomes HO_RUN_INFEASIBLE. */
gboolean ho_store_finish_run(ho_store *s, int64_t run_id, const ho_store_result *r, GError **error);

/* Single-objective reference plans of a problem, from which payoff and near frames are made. `protocol`: all it depends on. */
typedef struct {
  ho_objective objective;  /* which it minimises */
  const char *protocol;    /* e.g. "evaluations=2000" */
  const char *json;        /* plan; NULL when infeasible */
  double value[HO_N_OBJECTIVES]; /* noise-free replay, by ho_objective */
  const char *infeasible;  /* NULL, or the reason */
} ho_store_reference;
gboolean ho_store_put_reference(ho_store *s, int64_t problem_id, const ho_store_reference *r, GError **error);
/* 1 when that reference is stored with this protocol, 0 when not, -1 on error. */
int ho_store_has_reference(ho_store *s, int64_t problem_id, ho_objective objective, const char *protocol, GError **error);

/* A proven lower bound, by method ("critical-path": the SLR's denominator; "area"; …). */
gboolean ho_store_put_bound(ho_store *s, int64_t problem_id, ho_objective objective, const char *method, double value, GError **error);
/* A number of the problem that frames need: "t_ref" (s) and "tdp" (W) of the absolute one. NAN with a reason when there is none. */
gboolean ho_store_put_figure(ho_store *s, int64_t problem_id, const char *name, double value, const char *reason, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ho_store, ho_store_free)

G_END_DECLS

#endif
