/* expand.h: an experiment laid out: its problems, its contenders, and every run, in the order of the config.
 *
 * Problems are workloads × modes × platforms, the last varying fastest; an excluded one keeps its place and its reason. Contenders
 * are the schedulers and then the portfolios. A run is one contender on one problem with one replicate; contenders that ignore
 * the seed run once. Runs are ordered by problem, contender, replicate.
 *
 * Graphs, platforms and cost tables are loaded once and are then read by all threads. Everything is freed at once. */
#ifndef HO_EXPERIMENTS_EXPAND_H
#define HO_EXPERIMENTS_EXPAND_H

#include "experiments/config.h"
#include "results/store.h"
#include "sim/variant.h"

G_BEGIN_DECLS

typedef struct {
  int32_t workload, mode, platform; /* of the config */
  char *name;                       /* "resnet50:batch=8/inference/server" */
  const char *why;                  /* excluded, with this reason: no run, and nothing below is set; else NULL */
  char *digest;                     /* of the problem's content */
  ho_cost *cost;
  ho_problem problem;   /* points to graph, platform and cost */
  ho_variant **variant; /* by scheduler of the config: the graph that it is given instead; NULL: this one */
} ho_experiment_problem;

typedef struct {
  const char *label;
  int32_t n;         /* members: 1, or those of a portfolio */
  const int32_t *of; /* schedulers of the config */
  const char *name;  /* "nsga2"; "portfolio" */
  char *options;     /* canonical; of a portfolio "heft()+peft(k=2)" */
  gboolean deterministic;
  gboolean single;
} ho_contender;

typedef struct {
  int32_t problem, contender, replicate;
} ho_experiment_run;

typedef struct {
  const ho_config *config;
  int32_t n_problems, n_contenders, n_runs;
  ho_experiment_problem *problem;
  ho_contender *contender;
  int32_t *identity; /* 0, 1, …: members of contenders that are one scheduler */
  ho_experiment_run *run;
  GPtrArray *graphs;    /* n_workloads × n_modes: ho_graph*, NULL where everything is excluded */
  GPtrArray *platforms; /* n_platforms: ho_platform*, likewise */
} ho_experiment;

/* Loads what the config names. Two problems with the same content under two names are an error. Keeps a pointer to `c`. */
ho_experiment *ho_experiment_new(const ho_config *c, GError **error);
void ho_experiment_free(ho_experiment *e); /* NULL is allowed */

/* The stream that a member of a contender searches with: hashed from (seed, purpose, problem's content, scheduler with its options,
 * replicate), so that it depends neither on what else the config lists nor on labels. */
ho_stream ho_experiment_stream(const ho_experiment *e, const ho_experiment_run *run, int32_t scheduler);
/* Seed of the noise that all contenders meet on a problem: hashed from (seed, purpose, problem's content). */
uint64_t ho_experiment_noise_seed(const ho_experiment *e, int32_t problem);

/* All that a result depends on beside problem, scheduler, seed, replicate and budget: "checkpoints=12,replays=20,…". g_free. */
char *ho_experiment_protocol(const ho_config *c);

/* SHA-256 of the sources that results depend on, as this program was built. */
const char *ho_code_digest(void);

/* Where everything is in a database: row ids, by index of problem, study and run. */
typedef struct {
  int64_t environment_id;
  int64_t *problem_id;   /* n_problems; 0 for excluded ones */
  int64_t *study_id;     /* n_studies */
  int64_t *run_id;       /* n_runs */
  ho_run_status *status; /* n_runs: before this session */
} ho_layout;

/* Writes the layout into the database in one transaction, in config order; what is there already is found by content. */
ho_layout *ho_experiment_lay_out(const ho_experiment *e, ho_store *s, GError **error);
/* What laying out would find: the same, and the database stays as it was (ids of rows that are not there mean nothing). */
ho_layout *ho_experiment_look_up(const ho_experiment *e, ho_store *s, GError **error);
void ho_layout_free(ho_layout *l); /* NULL is allowed */

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ho_experiment, ho_experiment_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ho_layout, ho_layout_free)

G_END_DECLS

#endif
