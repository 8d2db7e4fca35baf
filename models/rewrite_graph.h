/* rewrite_graph.h: a graph that can be changed and changed back: what rewrite rules work on.
 *
 * A work graph is made out of a finished graph in O(n), edited by a few primitives, and frozen into an ordinary graph in O(n) (the
 * topological order takes O(n log n)). Every primitive is logged: ho_workgraph_undo goes back to a mark, at the cost of what was
 * changed since. Ops and tensors keep their index as long as they live; what is added gets the next one, and what is removed
 * leaves a hole (`alive` 0). Rows of consumers, inputs and outputs are in no particular order.
 *
 * Cycles: every op has a level above those of all its producers. An edge that would break that raises the levels behind it; if that
 * comes back to where it began, the edge closes a cycle and is refused. Levels begin 65,536 apart, so that almost every
 * edit finds room and touches nothing else.
 *
 * Origins: every op says which ops of the first graph, and which share of them, it stands for. Ops that only glue parts together
 * (concat, sum, copies) stand for none.
 *
 * The first graph must outlive the work graph and everything frozen out of it: they share its strings. Not thread safe. */
#ifndef HO_MODELS_REWRITE_GRAPH_H
#define HO_MODELS_REWRITE_GRAPH_H

#include <glib.h>

#include "models/graph.h"

G_BEGIN_DECLS

typedef struct {
  int32_t n, room; /* room 0: item is a slice of a common pool */
  int32_t *item;
} ho_row;

typedef struct {
  ho_op_info info;
  ho_row in, out; /* tensors */
  int64_t level;
  ho_op place; /* op of the first graph in whose place it stands in the order of a frozen graph */
  int8_t alive;
  int8_t added; /* not of the first graph */
  int32_t n_origins;
  const ho_origin *origin; /* NULL for ops of the first graph: the op itself */
} ho_work_op;

typedef struct {
  ho_tensor_info info; /* root is not kept up to date */
  ho_row use;          /* consumers */
  int32_t n_aliases;   /* living tensors that are an alias of it */
  ho_tensor place;
  int8_t alive;
  int8_t added;
} ho_work_tensor;

/* Read by rules; changed by the functions below only. */
typedef struct ho_workgraph {
  const ho_graph *first;
  int32_t n_ops, n_tensors; /* with holes */
  ho_work_op *op;
  ho_work_tensor *tensor;
  int trains; /* the first graph has ops of another phase than forward: weights are no constants in it */
  struct ho_workgraph_private *own;
} ho_workgraph;

ho_workgraph *ho_workgraph_new(const ho_graph *g);
void ho_workgraph_free(ho_workgraph *w);

/* A mark, and the way back to it. Marks nest: going back to an earlier one drops the later ones. */
int32_t ho_workgraph_mark(const ho_workgraph *w);
void ho_workgraph_undo(ho_workgraph *w, int32_t mark);

/* By name, among what lives; -1. */
ho_op ho_workgraph_find_op(const ho_workgraph *w, const char *name);
ho_tensor ho_workgraph_find_tensor(const ho_workgraph *w, const char *name);
/* Whether no op (tensor) has or had this name. */
gboolean ho_workgraph_fresh_op(const ho_workgraph *w, const char *name);
gboolean ho_workgraph_fresh_tensor(const ho_workgraph *w, const char *name);

/* ---- edits ----------------------------------------------------------------------------------------------------------- */

/* Strings and tables are copied; n_times and times count, kind_index and family follow from the kind. The name must be fresh. */
ho_op ho_workgraph_add_op(ho_workgraph *w, const ho_op_info *info, ho_op place_of, int32_t n_origins, const ho_origin *origin);
/* Also takes it out of the rows of its tensors. */
void ho_workgraph_remove_op(ho_workgraph *w, ho_op o);
/* Numbers of `info`: flops, read, write, parallelism, … The name, kind and tables stay. */
void ho_workgraph_set_op(ho_workgraph *w, ho_op o, const ho_op_info *info);

/* The name must be fresh; producer and root of `info` do not count. */
ho_tensor ho_workgraph_add_tensor(ho_workgraph *w, const ho_tensor_info *info, ho_tensor place_of);
void ho_workgraph_remove_tensor(ho_workgraph *w, ho_tensor t);
/* Bytes, role, memory, alias, is_output. The name, shape, and who makes it stay. */
void ho_workgraph_set_tensor(ho_workgraph *w, ho_tensor t, const ho_tensor_info *info);

/* Makes o a consumer, or the producer (-1: nobody), of t. FALSE: that closes a cycle; the graph is then only good for undo. */
gboolean ho_workgraph_consume(ho_workgraph *w, ho_tensor t, ho_op o);
gboolean ho_workgraph_produce(ho_workgraph *w, ho_tensor t, ho_op o);
void ho_workgraph_unconsume(ho_workgraph *w, ho_tensor t, ho_op o);

/* ---- questions ------------------------------------------------------------------------------------------------------- */

gboolean ho_workgraph_consumes(const ho_workgraph *w, ho_tensor t, ho_op o);
/* The consumer of t when it is the only one and t is no output; -1. */
ho_op ho_workgraph_only_consumer(const ho_workgraph *w, ho_tensor t);
/* The only output of o; -1 when it has none or several. */
ho_tensor ho_workgraph_only_output(const ho_workgraph *w, ho_op o);
/* Whether no path leaves the ops and comes back to them: they can become one. Looks at ops between their levels only. */
gboolean ho_workgraph_convex(const ho_workgraph *w, int32_t n, const ho_op *ops);
/* B that o reads of its input t, writes of its output t: the tensor's bytes, or its share of what the op says it reads (writes). */
double ho_workgraph_read(const ho_workgraph *w, ho_op o, ho_tensor t);
double ho_workgraph_write(const ho_workgraph *w, ho_op o, ho_tensor t);
/* The origins of o, also when it is of the first graph; *n of them. `self` is room for one. */
const ho_origin *ho_workgraph_origins(const ho_workgraph *w, ho_op o, ho_origin *self, int32_t *n);

/* ---- freezing -------------------------------------------------------------------------------------------------------- */

/* PLAIN: no digest (NULL), and names are found by looking through all: what an evaluator needs. NAMED: as any other graph. */
typedef enum { HO_FREEZE_PLAIN, HO_FREEZE_NAMED } ho_freeze;

/* A graph of what lives, in the order of places, then of indices; its `original` is the first graph. */
ho_graph *ho_workgraph_freeze(const ho_workgraph *w, ho_freeze how, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ho_workgraph, ho_workgraph_free)

G_END_DECLS

#endif
