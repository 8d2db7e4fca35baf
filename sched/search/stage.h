/* stage.h: one version of the problem's graph, with all that a search needs to make plans on it.
 *
 * A stage is a list of rewrites (none: the problem's graph as it is) with the graph, the devices of every op, and decoders. Stages are counted
 * by reference: solutions own one each. Genes of one stage can be carried to another by way of the ops of the first graph, of which every op says
 * which ones it stands for (`origin`). */
#ifndef HO_SCHED_SEARCH_STAGE_H
#define HO_SCHED_SEARCH_STAGE_H

#include <glib.h>

#include "sched/decode.h"
#include "sim/variant.h"

typedef struct {
  const ho_problem *root; /* what the search is asked to solve */
  ho_variant *variant;    /* NULL: the problem's own graph */
  ho_problem problem;
  ho_space *space;
  ho_decoder *decoder[2]; /* by ho_streams */
  ho_plan *plan;          /* scratch, on this stage's graph */
  uint8_t *lower;         /* [op * n_devices + device]: bits 1 << precision that may be chosen beside the default one */
  int32_t *position;      /* by op, in the topological order */
  GPtrArray *rewrites;    /* ho_rewrite* of the user's graph, those of the problem itself first; owned by the variant, or empty */
  int32_t own;            /* how many of them are the problem's own, which stay */
  int references;
  int *living; /* how many stages there are */
} ho_stage;

/* The problem's own graph. NULL after ho_search_fail. *living counts stages; it must outlive them all. */
ho_stage *ho_stage_first(ho_search *s, int *living);
/* After these rewrites of the user's graph (taken; the problem's own must come first): NULL when one of them does not apply, or when some op then
 * runs nowhere. */
ho_stage *ho_stage_rewritten(const ho_problem *q, GPtrArray *rewrites, int *living);
/* Of a work graph that has had these rewrites applied. */
ho_stage *ho_stage_of(const ho_problem *q, const ho_workgraph *w, GPtrArray *rewrites, int *living);

ho_stage *ho_stage_ref(ho_stage *x);
void ho_stage_unref(ho_stage *x); /* NULL is allowed */

/* The user's graph, which rewrites are written against. */
const ho_graph *ho_stage_base(const ho_problem *q);
/* A work graph of it with the stage's rewrites applied: for what goes on from there. */
ho_workgraph *ho_stage_workgraph(const ho_stage *x);

/* Origins of an op in the user's graph; `self` is room for one. */
const ho_origin *ho_stage_origins(const ho_stage *x, ho_op o, ho_origin *self, int32_t *n);

static inline int32_t ho_stage_ops(const ho_stage *x) {
  return x->space->n_ops;
}

#endif
