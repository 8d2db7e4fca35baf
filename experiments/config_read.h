/* config_read.h: what the parts of the configuration's reader share. Private to experiments/.
 *
 * Every function returns FALSE with *error set to "file:line:column: key …: what was found, what was expected". */
#ifndef HO_EXPERIMENTS_CONFIG_READ_H
#define HO_EXPERIMENTS_CONFIG_READ_H

#include "base/yamlio.h"
#include "experiments/config.h"
#include "experiments/config_schema.h"

typedef struct {
  const ho_yaml *yaml;
  const ho_raw_config *raw;
  ho_config *config; /* filled step by step */
} ho_config_reader;

/* Scalars: an absent text (NULL) leaves *out as it was. */
gboolean ho_config_read_int(const ho_config_reader *r, const char *path, const char *text, int64_t min, int64_t max, int64_t *out,
                            GError **error);
gboolean ho_config_read_double(const ho_config_reader *r, const char *path, const char *text, double min, double max, double *out,
                               GError **error);
/* One of `names` (NULL-terminated); *out is its index. */
gboolean ho_config_read_choice(const ho_config_reader *r, const char *path, const char *text, const char *const *names,
                               const char *what, int *out, GError **error);
/* A name that tables, problem names and --only can carry: not empty, without control characters, '/' and ','. */
gboolean ho_config_check_label(const ho_config_reader *r, const char *path, const char *label, GError **error);
/* Fails with "'word' is not a WHAT here, expected one of …" and a did-you-mean. */
gboolean ho_config_unknown(const ho_config_reader *r, const char *path, const char *word, const char *what,
                           const char *const *names, GError **error);

/* What multiplies (config_problems.c): workloads, modes, platforms, exclusions. */
gboolean ho_config_read_problems(const ho_config_reader *r, GError **error);
/* What competes (config_schedulers.c): schedulers, portfolios. */
gboolean ho_config_read_schedulers(const ho_config_reader *r, GError **error);
/* What scheduler i rewrites first (config_rewrites.c). *key, when there is any, says it whatever the folder: of files the content, too. */
gboolean ho_config_read_rewrites(const ho_config_reader *r, unsigned i, ho_config_scheduler *s, char **key, GError **error);

#endif
