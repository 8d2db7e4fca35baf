/* graph.h: a deep-learning graph: operators, tensors, and who reads what.
 *
 * A graph is made by a builder (graph_build.h), checked once, and never changes afterwards; all its arrays lie in one arena.
 * Ops and tensors are small integers, in the order of the file; adjacency is in compressed rows. A tensor has at most one
 * producer and any number of consumers; an op that names a tensor twice is its consumer once.
 *
 * Units: bytes are int64, FLOPs are double, times are seconds. -1 means "none" for every index. */
#ifndef HO_MODELS_GRAPH_H
#define HO_MODELS_GRAPH_H

#include <math.h>
#include <stdint.h>

#include "base/dtype.h"
#include "models/kind.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t ho_op;
typedef int32_t ho_tensor;

/* Sizes of all tensors and workspaces of a graph together: at most this many bytes (72 PB), so that sums over memories and
 * conversions to wider types never leave int64. */
#define HO_GRAPH_MAX_BYTES (INT64_C(1) << 56)

typedef enum { HO_PHASE_FORWARD, HO_PHASE_BACKWARD, HO_PHASE_UPDATE } ho_phase;
typedef enum { HO_ROLE_NONE /* has a producer */, HO_ROLE_INPUT, HO_ROLE_WEIGHT } ho_role;

/* Ways to split an op (models/rules/split.h says what each means). */
typedef enum {
  HO_AXIS_ROWS,
  HO_AXIS_COLUMNS,
  HO_AXIS_REDUCTION,
  HO_AXIS_CHANNELS,
  HO_AXIS_BATCH,
  HO_AXIS_HEADS,
  HO_N_AXES
} ho_axis;

typedef struct {
  int32_t device; /* index into ho_graph.time_devices */
  double seconds;
} ho_time;

typedef struct {
  const char *name;
  const char *kind;
  const char *layer;  /* NULL if none */
  int32_t kind_index; /* into ho_graph.kinds */
  ho_family family;
  ho_phase phase;
  double flops;
  double
      other_flops; /* those of `flops` that are no multiply-accumulates although the family's are: of fused activations and the like */
  double read, write; /* B of memory traffic; default: the sums over inputs (weights included) and outputs */
  int64_t workspace;  /* B held while it runs */
  double parallelism; /* independent work items; 0: unknown, taken as filling any device */
  double sensitivity; /* predicted loss in points per unit of relative rounding error */
  double release;     /* s */
  double priority;
  uint32_t unsplit; /* bits 1 << ho_axis: it does not split so, although kind and shapes look as if it did */
  int32_t n_times;  /* -1: no table, the cost model decides; otherwise only the listed devices can run it */
  const ho_time *times;
} ho_op_info;

typedef struct {
  const char *name;
  int64_t bytes; /* at its own dtype */
  ho_dtype dtype;
  int32_t rank; /* -1: shape not given */
  const int64_t *shape;
  ho_role role;
  const char *memory; /* where an input lies; NULL: the platform's host */
  ho_tensor alias;    /* tensor this one is a view or in-place update of; -1 */
  ho_tensor root;     /* end of the alias chain; itself when not an alias */
  ho_op producer;     /* -1 */
  int is_output;      /* no consumers, or declared an output: lives to the makespan */
} ho_tensor_info;

/* What an op of a rewritten graph stands for: the part [from, to) of an op of the original graph, 0 … 1 the whole. */
typedef struct {
  ho_op op;
  const char *axis; /* along which it was split; NULL: whole */
  double from, to;
} ho_origin;

typedef struct ho_graph {
  const char *name;
  const char *digest; /* SHA-256 of the content, 64 hex digits; independent of key order and white space; NULL of some
                              * rewritten graphs (rewrite_graph.h) */
  const char *source; /* how it came to be: a file name or the built-in's canonical specification */
  double period;      /* s; 0: none (docs/replay.md, Energy) */
  double samples;     /* samples one execution serves: the batch; default 1 */

  int32_t n_ops, n_tensors, n_edges; /* edges: distinct (tensor, consumer) pairs whose tensor has a producer */
  const ho_op_info *op;
  const ho_tensor_info *tensor;

  const int32_t *in_start; /* n_ops + 1; inputs of op o are in[in_start[o] … in_start[o+1]-1] */
  const ho_tensor *in;
  const int32_t *out_start; /* n_ops + 1 */
  const ho_tensor *out;
  const int32_t *use_start; /* n_tensors + 1; consumers, in increasing op index */
  const ho_op *use;
  const ho_op *topo; /* n_ops: Kahn's order, lowest index first */

  int32_t n_kinds;
  const char *const *kinds;
  int32_t n_time_devices;
  const char *const *time_devices;

  int32_t n_unknown; /* ops that no cost rule knew (readers) */
  const char *note;  /* one line for the user about what reading left out; NULL: nothing */

  /* Of a rewritten graph (rewrite_graph.h): the graph it was made of, which must outlive it, and what each op stands for. */
  const struct ho_graph *original; /* NULL: not a rewritten one */
  const int32_t *origin_start;     /* n_ops + 1 */
  const ho_origin *origin;

  struct ho_arena *arena;
  struct _GHashTable *op_names, *tensor_names; /* name -> index + 1; read by the two find functions only; NULL: looked through */
} ho_graph;

void ho_graph_free(ho_graph *g); /* NULL is allowed */

const char *ho_phase_name(ho_phase p); /* "forward" */
const char *ho_axis_name(ho_axis a);   /* "rows" */
const char *ho_role_name(ho_role r);   /* "none", "input", "weight" */

/* Index by name, -1 when absent. */
ho_op ho_graph_find_op(const ho_graph *g, const char *name);
ho_tensor ho_graph_find_tensor(const ho_graph *g, const char *name);

/* Bytes of a tensor when its precision is p: floating tensors (and int8/int4, which are precisions) scale, integer data does
 * not; rounded up to whole bytes. */
int64_t ho_tensor_bytes(const ho_tensor_info *t, ho_dtype p);
/* The op's own precision: the dtype of its first output that is a precision, else of its first such input, else fp32. */
ho_dtype ho_graph_op_dtype(const ho_graph *g, ho_op o);

#ifdef __cplusplus
}
#endif

#endif
