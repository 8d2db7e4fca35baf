/* graph_draft.h: a graph while it is being built: shared by graph_build.c, which collects, and graph_finish.c, which checks
 * and freezes. Not installed. */
#ifndef HO_MODELS_GRAPH_DRAFT_H
#define HO_MODELS_GRAPH_DRAFT_H

#include "base/arena.h"
#include "models/graph_build.h"

typedef struct {
  ho_tensor tensor;
  ho_op op;
} ho_draft_use;

typedef struct {
  ho_op op;
  int32_t device; /* in order of first mention until the draft is finished */
  double seconds;
} ho_draft_time;

struct ho_graph_build {
  ho_arena *arena; /* the finished graph's own: names and shapes go straight into it */
  const char *source, *name, *note;
  double period, samples;
  int32_t n_unknown;
  GArray *ops;     /* ho_op_info */
  GArray *tensors; /* ho_tensor_info */
  GArray *uses;    /* ho_draft_use */
  GArray *times;   /* ho_draft_time */
  GHashTable *op_names, *tensor_names; /* name -> index + 1 */
  GHashTable *words;                   /* layers and memories, each stored once */
  GHashTable *kind_index, *device_index;
  GPtrArray *kinds, *devices;
  GError *error; /* the first thing that was wrong */
};

/* "source: ops[3] 'conv1': …". Keeps the first error only. */
void ho_draft_fail_op(ho_graph_build *b, ho_op o, const char *format, ...) G_GNUC_PRINTF(3, 4);
void ho_draft_fail_tensor(ho_graph_build *b, ho_tensor t, const char *format, ...) G_GNUC_PRINTF(3, 4);

/* The digest of a graph's content, in its arena. */
const char *ho_graph_digest(const ho_graph *g);

#endif
