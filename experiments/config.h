/* config.h: one experiment, read from a heteroopt-experiment/1 file and checked: what is compared, on what, and how often.
 *
 * The file's keys, defaults and ranges are in docs/experiments.md. A configuration is checked as a whole before anything runs:
 * unknown keys, schedulers, options, models, platforms and labels, values out of range, and exclusions that match nothing are
 * errors that name file, line, column and key. What the format has room for but this version does not carry out (exec and plug-in
 * schedulers, sweeps, outputs) is refused by name, never ignored.
 *
 * Paths in the file are relative to the file. A configuration is immutable once loaded; all of it is freed at once. */
#ifndef HO_EXPERIMENTS_CONFIG_H
#define HO_EXPERIMENTS_CONFIG_H

#include <glib.h>

#include "base/arena.h"
#include "base/optparse.h"
#include "results/frame.h"
#include "sched/scheduler.h"
#include "sim/problem.h"

G_BEGIN_DECLS

#define HO_MIN_REPLAYS 5 /* fewer say nothing about a 95th percentile */

typedef struct {
  const char *spec;         /* as written: "resnet50:batch=8", "../models/mine.onnx:seq=128" */
  const char *label;        /* in problem names: the spec; of a file its last path element */
  const char *name;         /* the built-in's name, or the file's path from the current directory */
  const char *const *given; /* "k=v" texts after the name: options of a built-in, bindings of a file; NULL-terminated */
  gboolean is_file;
  const char *place; /* in the file, for what shows when the graph is loaded: "mine.yaml:6:5: workloads[1]" */
} ho_config_workload;

typedef struct {
  const char *label; /* in problem names: the platform's name; of a file its last path element without ".yaml" */
  const char *name;  /* what ho_platform_load gets */
  const char *place;
} ho_config_platform;

typedef struct {
  const char *workload, *mode, *platform; /* NULL: any */
  const char *why;
} ho_config_exclusion;

typedef struct {
  const char *label;
  const ho_scheduler *scheduler;
  ho_options *options;
  const char
      *canonical;       /* "k=v,k=v": every option, defaults included; of a process, its command and files first; rewrites last */
  const char *rewrites; /* of the graph before it schedules (models/rewrite_spec.h); NULL: none */
  const char *place;    /* of the key `rewrites` in the file */
  struct ho_foreign *foreign; /* of a process; NULL: built in */
} ho_config_scheduler;

typedef struct {
  const char *label;
  int32_t n;
  const int32_t *of; /* indices of schedulers */
} ho_config_portfolio;

typedef struct {
  const char *file;   /* as given to ho_config_load */
  const char *folder; /* of the file; "." when it has none */
  const char *text;   /* of the file, for the database */
  const char *digest; /* SHA-256 of the text */
  const char *name;
  uint64_t seed;
  int32_t replicates;
  int32_t n_workloads, n_modes, n_platforms, n_exclusions, n_schedulers, n_portfolios, n_studies;
  const ho_config_workload *workload;
  const char *const *mode; /* "inference", "training" */
  const ho_config_platform *platform;
  const ho_config_exclusion *exclusion;
  const ho_config_scheduler *scheduler;
  const ho_config_portfolio *portfolio;
  const char *const *study; /* names; "main" when the file has none */
  int32_t n_objectives;
  ho_objective objective[HO_MAX_OBJECTIVES];
  ho_memory_measure memory_measure;
  ho_frame_kind frame;
  int64_t evaluations; /* budget of a run */
  int32_t checkpoints;
  int32_t replays;    /* noisy replays per plan and kind */
  double noise;       /* coefficient of variation of durations */
  double model_error; /* of device efficiencies; 0: no such replays */
  ho_arena *arena;
} ho_config;

ho_config *ho_config_load(const char *file, GError **error);
/* As ho_config_load, from a text; `file` stands for it in messages, and paths are relative to its folder. */
ho_config *ho_config_from_text(const char *file, const char *text, GError **error);
void ho_config_free(ho_config *c); /* NULL is allowed */

/* The exclusion that drops this combination, or NULL. */
const ho_config_exclusion *ho_config_excluded(const ho_config *c, int32_t workload, int32_t mode, int32_t platform);

/* Where results go by default: NAME.db beside the file; in the current directory when the file's folder cannot be
 * written or is the folder of configurations that came with the program. g_free. */
char *ho_config_database(const ho_config *c);

/* A commented file to start from, which runs as it stands, named `name`. g_free. */
char *ho_config_template(const char *name);
/* A commented platform file to start from, named `name`. g_free. */
char *ho_platform_template(const char *name);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ho_config, ho_config_free)

G_END_DECLS

#endif
