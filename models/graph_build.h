/* graph_build.h: making a graph, step by step, then checking it once.
 *
 * The builder copies every string, and repairs what is not UTF-8. Names of ops, and of tensors, must be unique. ho_graph_build_finish checks: no cycle (the
 * message names the ops on one), no consumer or alias that does not exist, at most one producer, finite and non-negative
 * quantities, aliases without cycles; it fills defaults (read, write, bytes from shape, outputs), the adjacency, the topological
 * order and the digest. Messages are prefixed by the builder's `source`. */
#ifndef HO_MODELS_GRAPH_BUILD_H
#define HO_MODELS_GRAPH_BUILD_H

#include <glib.h>

#include "models/graph.h"

G_BEGIN_DECLS

typedef struct ho_graph_build ho_graph_build;

ho_graph_build *ho_graph_build_new(const char *name, const char *source);
void ho_graph_build_free(ho_graph_build *b);
void ho_graph_build_set(ho_graph_build *b, double period, double samples);
void ho_graph_build_note(ho_graph_build *b, int32_t n_unknown, const char *note);

/* What an op starts from: zero everywhere, read and write NAN (= default: sums of tensors), no time table. */
ho_op_info ho_op_info_init(const char *name, const char *kind);
/* kind_index, family, n_times, times of `info` are ignored; set times by ho_graph_build_time. */
ho_op ho_graph_build_op(ho_graph_build *b, const ho_op_info *info);
void ho_graph_build_time(ho_graph_build *b, ho_op o, const char *device, double seconds);
void ho_graph_build_time_table(ho_graph_build *b, ho_op o); /* an (as yet empty) table: the op runs only where listed */

/* Bytes of so many elements, rounded up; -1 when a dimension is negative or the size is beyond HO_GRAPH_MAX_BYTES. */
int64_t ho_graph_shape_bytes(ho_dtype dtype, int32_t rank, const int64_t *shape);

/* rank -1 with bytes given; otherwise bytes are computed from shape and dtype (bytes argument ignored). */
ho_tensor ho_graph_build_tensor(ho_graph_build *b, const char *name, ho_dtype dtype, int32_t rank, const int64_t *shape,
                                int64_t bytes, ho_role role, ho_op producer);
void ho_graph_build_consume(ho_graph_build *b, ho_tensor t, ho_op consumer); /* twice is once */
void ho_graph_build_alias(ho_graph_build *b, ho_tensor t, ho_tensor of);
void ho_graph_build_memory(ho_graph_build *b, ho_tensor t, const char *memory);
ho_op ho_graph_build_find_op(const ho_graph_build *b, const char *name); /* -1 */
ho_tensor ho_graph_build_find_tensor(const ho_graph_build *b, const char *name);
void ho_graph_build_output(ho_graph_build *b, ho_tensor t); /* an output although it has consumers */

/* Consumes the builder (frees it) whether it succeeds or not. */
ho_graph *ho_graph_build_finish(ho_graph_build *b, GError **error);

G_END_DECLS

#endif
