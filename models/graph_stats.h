/* graph_stats.h: what a graph amounts to: work, traffic, parameters, shape. What `graph info` prints.
 *
 * Edges, parameters and MACs are counted as the ONNX world counts them:
 *   edges       distinct (tensor, consumer) pairs whose tensor has a producer
 *   macs        half the FLOPs of the families that multiply and accumulate (kind.h)
 *   parameters  elements of floating-point weights that a forward op reads: no optimiser state, no
 *               caches (weights that a forward op writes in place), no integers, no views
 *   integers    elements of integer weights, counted likewise: what a quantised model has in place of parameters, but tables of
 *               indices and shapes, too, which a graph does not tell apart
 *   bytes       what the ops read and write, weights included, each at its own dtype */
#ifndef HO_MODELS_GRAPH_STATS_H
#define HO_MODELS_GRAPH_STATS_H

#include <glib.h>
#include <jansson.h>

#include "models/graph.h"

G_BEGIN_DECLS

#define HO_STATS_LARGEST 5
#define HO_STATS_STRETCHES 24

typedef struct {
  const char *kind;
  int32_t ops;
  double flops, bytes;
} ho_kind_stats;

typedef struct {
  double flops, macs;
  double bytes;
  int64_t parameters, integers;
  int64_t weight_bytes;     /* of all weights, optimiser state included; views count nothing */
  int64_t activation_bytes; /* of all tensors with a producer; views count nothing */
  int32_t critical_path_ops; /* longest chain */
  int32_t widest;            /* most ops at the same distance (in ops) from the beginning */
  double parallelism;        /* ops / critical path */
  double critical_path_flops; /* most FLOP on a chain */
  int32_t n_timed;           /* ops with a time table that lists a device */
  double timed_seconds;      /* least times of those, summed, and on the chain where they sum to most */
  double critical_path_seconds;
  int32_t n_stretches;       /* of levels: each one level, or as many as make HO_STATS_STRETCHES stretches of equal length */
  double profile[HO_STATS_STRETCHES]; /* mean ops per level in each stretch: how parallel the graph is from beginning to end */
  double intensity;          /* FLOP/B; 0 when there are no bytes */
  int32_t n_kinds;
  ho_kind_stats *kinds; /* in alphabetical order */
  int32_t n_largest;
  ho_tensor largest[HO_STATS_LARGEST]; /* by bytes, then by index; views left out */
} ho_graph_stats;

ho_graph_stats *ho_graph_stats_new(const ho_graph *g);
void ho_graph_stats_free(ho_graph_stats *s);

/* `graph info --json`; new reference. */
json_t *ho_graph_stats_json(const ho_graph *g, const ho_graph_stats *s);
/* The same for people, several lines; caller frees. */
char *ho_graph_stats_text(const ho_graph *g, const ho_graph_stats *s);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ho_graph_stats, ho_graph_stats_free)

G_END_DECLS

#endif
