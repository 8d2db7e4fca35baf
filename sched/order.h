/* order.h: the topological order that priorities ask for.
 *
 * Of the ops all of whose producers are placed, the one of highest priority comes next; ties go to the lower index. Priorities that fall
 * along every edge (upward ranks) give simply their decreasing order; any other priorities give a valid order too.
 * Cost: O((ops + edges) log ops). */
#ifndef HO_SCHED_ORDER_H
#define HO_SCHED_ORDER_H

#include "models/graph.h"

typedef struct ho_order ho_order; /* scratch for one graph */

ho_order *ho_order_new(const ho_graph *g);
void ho_order_free(ho_order *w);

/* `out`: n_ops ops. Priorities must not be NaN. */
void ho_order_by_priority(ho_order *w, const double *priority, ho_op *out);

/* The same one op at a time, for algorithms that choose as they go: begin, then next until it answers -1. */
void ho_order_begin(ho_order *w, const double *priority);
ho_op ho_order_next(ho_order *w);

#endif
