/* config_schema.h: the experiment file as libcyaml loads it: every scalar a text, nothing checked yet.
 *
 * All scalars are loaded as texts, so that config.c alone decides what a number may be and words its errors. NULL and a count
 * of 0 mean that the key is absent. Keys of later parts of the format (studies' own settings, outputs, exec schedulers) are
 * known here: config.c refuses by name what is not carried out. Private to experiments/. */
#ifndef HO_EXPERIMENTS_CONFIG_SCHEMA_H
#define HO_EXPERIMENTS_CONFIG_SCHEMA_H

#include <cyaml/cyaml.h>

typedef struct {
  char *workload, *mode, *platform, *why;
} ho_raw_exclusion;

typedef struct {
  char *evaluations, *seconds;
} ho_raw_budget;

typedef struct {
  char *times, *noise, *model_error;
} ho_raw_replays;

typedef struct {
  char *use, *label;
  char **set;
  unsigned set_count;
  char **files;
  unsigned files_count;
  char *timeout, *keep;
  char **rewrites;
  unsigned rewrites_count;
} ho_raw_scheduler;

typedef struct {
  char *label;
  char **of;
  unsigned of_count;
} ho_raw_portfolio;

typedef struct {
  char *path, *label;
  char **values;
  unsigned values_count;
} ho_raw_sweep;

typedef struct {
  char *name;
  char **workloads, **modes, **platforms, **only, **without;
  unsigned workloads_count, modes_count, platforms_count, only_count, without_count;
  ho_raw_sweep *sweep, *zip;
  unsigned sweep_count, zip_count;
} ho_raw_study;

typedef struct {
  char *table, *figure, *study, *kind, *problem, *x, *y, *against, *test, *adjust;
  char **value;
  unsigned value_count;
} ho_raw_output;

typedef struct {
  char *format, *name, *seed, *replicates, *frame, *memory, *checkpoints;
  char **workloads, **modes, **platforms, **objectives;
  unsigned workloads_count, modes_count, platforms_count, objectives_count;
  ho_raw_exclusion *exclude;
  unsigned exclude_count;
  ho_raw_budget *budget;   /* NULL: absent */
  ho_raw_replays *replays; /* NULL: absent */
  ho_raw_scheduler *schedulers;
  unsigned schedulers_count;
  ho_raw_portfolio *portfolios;
  unsigned portfolios_count;
  ho_raw_study *studies;
  unsigned studies_count;
  ho_raw_output *outputs;
  unsigned outputs_count;
} ho_raw_config;

extern const cyaml_schema_value_t ho_config_schema; /* of a ho_raw_config * */

#endif
