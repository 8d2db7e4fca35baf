/* plan.h: what a scheduler returns and the engine replays.
 *
 * A plan is a list of entries in the order of issue, one per op (more when ops are duplicated: copy 1, 2, …): device, stream,
 * precision, operating point, earliest start. It belongs to one graph and one platform. The plan is a value: entries in one array, and a
 * reference to the variant of the graph that they are about. */
#ifndef HO_SIM_PLAN_H
#define HO_SIM_PLAN_H

#include <stdint.h>

#include "sim/cost.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  ho_op op;
  int16_t device;
  int16_t stream;
  int16_t copy;
  int8_t precision;  /* ho_dtype; HO_DTYPE_NONE: the default one (cost.h) */
  int8_t point;      /* 0: nominal */
  double not_before; /* s */
} ho_entry;

struct ho_variant;

typedef struct ho_plan {
  int32_t n;
  ho_entry *entry;            /* owned; ops are those of the variant's graph */
  struct ho_variant *variant; /* the rewrites (variant.h), a reference of its own; NULL: the graph as it is */
} ho_plan;

ho_plan *ho_plan_new(int32_t n); /* n zeroed entries with precision HO_DTYPE_NONE and op -1 */
ho_plan *ho_plan_copy(const ho_plan *p);
void ho_plan_free(ho_plan *p); /* NULL is allowed */
int ho_plan_equal(const ho_plan *a, const ho_plan *b);
/* Makes the plan one for this variant (NULL: for the graph as it is). */
void ho_plan_set_variant(ho_plan *p, const struct ho_variant *v);

/* Order of issue from start times: sorts entries by (start, position in topo), `start[op]` s, and repairs nothing: the result is
 * topological when the times respect precedence and zero-length ties follow `topo`. For plans without duplicates. */
void ho_plan_sort_by_start(ho_plan *p, const ho_graph *g, const double *start);

#ifdef __cplusplus
}
#endif

#endif
