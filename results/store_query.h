/* store_query.h: typed reading of a results database, for compare, plot and reports.
 *
 * All lists are in the order of the config: study, problem, scheduler label, replicate, then plan. Strings belong to the rows, rows to
 * the returned array (its free function is set). `study` NULL means all studies, `problem` NULL all problems. A name that is not in the
 * database is an error that lists what is. */
#ifndef HO_RESULTS_STORE_QUERY_H
#define HO_RESULTS_STORE_QUERY_H

#include "results/store.h"

G_BEGIN_DECLS

/* Names, in config order. */
GPtrArray *ho_store_studies(ho_store *s, GError **error);                      /* char* */
GPtrArray *ho_store_problems(ho_store *s, const char *study, GError **error);  /* char*: "resnet50:batch=8/inference/server" */
GPtrArray *ho_store_labels(ho_store *s, const char *study, GError **error);    /* char* */

/* A run that is neither done nor infeasible and that a study shows, in order of id. */
typedef struct {
  int64_t run_id, problem_id, scheduler_id;
  uint64_t seed;
  int32_t replicate;
  int64_t evaluations;
  ho_run_status status;
} ho_open_run;
GArray *ho_store_open_runs(ho_store *s, GError **error); /* of ho_open_run */

/* A point of a final front: view final_front. */
typedef struct {
  char *study, *problem, *scheduler;
  int32_t replicate;
  int64_t plan_id;
  double value[HO_N_OBJECTIVES]; /* noise-free replay, by ho_objective */
} ho_front_point;
GPtrArray *ho_store_final_fronts(ho_store *s, const char *study, const char *problem, GError **error);

/* One run as a study shows it: view results. NAN where there is no value. */
typedef struct {
  char *study, *problem, *workload, *mode, *platform, *scheduler;
  int32_t replicate;
  int64_t run_id;
  ho_run_status status;
  char *reason;        /* NULL unless failed or infeasible */
  int deterministic;
  int single;
  double seconds;      /* s: scheduler and engine, measured */
  int64_t evaluations;
  double hv;           /* in the study's own frame */
  double slr;
  double value[HO_N_OBJECTIVES];     /* least of each objective over the final front */
  double latency_p50, latency_p95;   /* s: over the noisy replays of the front's fastest plan */
  double energy_p50, energy_p95;     /* J: likewise */
} ho_result_row;
GPtrArray *ho_store_results(ho_store *s, const char *study, GError **error);

/* A study's cell: one label on one problem, over its replicates. */
typedef struct {
  char *study, *problem, *scheduler;
  int deterministic;          /* printed with n = 1 */
  int32_t n, n_value;         /* runs shown; runs that have a value */
  int32_t n_failed, n_infeasible, n_open;
  char *reason;               /* of the first run that failed or is infeasible; NULL */
  double *values;             /* n_value, by replicate */
  int32_t *replicates;        /* n_value: which */
  double median, q1, q3;      /* type 7; NAN when n_value = 0 */
} ho_cell;

/* One frame per problem: values of an indicator ("hv", "epsilon", "igd_plus") in the frame of kind `frame`, never a mixture. `frame` NULL:
 * the study's own for hv, `union` for the others. Fails when a problem that has finished runs was not judged in such a frame, or the
 * frame has no such indicator. An undefined frame gives cells without values. */
GPtrArray *ho_store_cells(ho_store *s, const char *study, const char *frame, const char *indicator, GError **error);
/* The kind of frame that `frame` stands for there; NULL: the study's own. */
const char *ho_indicator_frame(const char *indicator, const char *frame);
/* Cells of a frame-free number in the view `results`: "latency", "energy", "memory", "slr", "seconds", "evaluations", "plans",
 * "latency_p50", "latency_p95", "energy_p50", "energy_p95". */
GPtrArray *ho_store_plain_cells(ho_store *s, const char *study, const char *column, GError **error);

/* The frame that a study uses for a problem; `kind` NULL: the study's own. */
gboolean ho_store_frame(ho_store *s, const char *study, const char *problem, const char *kind, ho_frame *out, GError **error);
/* The problem's objectives in order; returns how many, -1 on error. */
int32_t ho_store_objectives(ho_store *s, const char *study, const char *problem, ho_objective *out, GError **error);
/* Which figure the problem's objective memory is. */
gboolean ho_store_measure(ho_store *s, const char *study, const char *problem, ho_memory_measure *out, GError **error);
/* Single-objective references of the problem that memory could not hold: "latency, energy: reason of the first"; NULL without *error when
 * all could be made. g_free. */
char *ho_store_infeasible_references(ho_store *s, const char *study, const char *problem, GError **error);

/* Convergence: an indicator at the checkpoints of a study's runs, as the search saw them. */
typedef struct {
  char *study, *problem, *scheduler;
  int32_t replicate;
  int64_t evaluations;
  double value;
} ho_trace_point;
GPtrArray *ho_store_convergence(ho_store *s, const char *study, const char *problem, const char *indicator, GError **error);

/* Cells that a config left out on purpose. */
typedef struct {
  char *study, *problem, *scheduler /* NULL: all */, *why;
} ho_excluded;
GPtrArray *ho_store_excluded(ho_store *s, const char *study, GError **error);

/* The heteroopt-plan/1 text of a plan; caller frees. */
char *ho_store_plan_json(ho_store *s, int64_t plan_id, GError **error);
/* What its graph and platform were: content as it was stored, NULL members when it was not kept. */
gboolean ho_store_plan_inputs(ho_store *s, int64_t plan_id, char **graph, char **platform, GError **error);

G_END_DECLS

#endif
