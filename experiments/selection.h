/* selection.h: which runs `--only study=…,scheduler=…,problem=…` and `--shard I/N` leave. */
#ifndef HO_EXPERIMENTS_SELECTION_H
#define HO_EXPERIMENTS_SELECTION_H

#include "experiments/expand.h"

G_BEGIN_DECLS

/* One byte per run of the experiment: 1 when it is selected. Values may hold * and ?; of a key given twice either value will do. A
 * problem is meant by its whole name or by one of its parts (workload, mode, platform). A value that matches nothing is an error.
 * NULL on error; g_free. */
uint8_t *ho_select_runs(const ho_experiment *e, const char *only, int32_t shard, int32_t shards, GError **error);

/* Reads "I/N", 0 ≤ I < N. */
gboolean ho_shard_parse(const char *text, int32_t *shard, int32_t *shards, GError **error);

G_END_DECLS

#endif
