/* graph_order.h: the topological order of a graph, or the cycle that prevents one. Not installed. */
#ifndef HO_MODELS_GRAPH_ORDER_H
#define HO_MODELS_GRAPH_ORDER_H

#include <glib.h>

#include "models/graph.h"

/* Fills topo[n_ops] by Kahn's algorithm, of the ready ops the lowest index first. Needs the adjacency only. When there is a
 * cycle: FALSE, and an error that names the ops on one, in the order of its edges, prefixed by the graph's source. */
gboolean ho_graph_order(const ho_graph *g, ho_op *topo, GError **error);

#endif
