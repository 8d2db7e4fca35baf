/* units.h: ops that a split keeps together.
 *
 * With HO_UNITS_LAYERS the ops of one `layer` are a unit, forward, backward and update alike (the colour classes of Tarnawski et al., 2020); an op without
 * a layer is alone. Backward and update ops whose layer has no forward op join the unit of their first producer. The order between units is that
 * of data between forward ops; only where a unit has no forward op at all, all its data counts. Units whose order would run in a circle become
 * one. With HO_UNITS_OPS every op is a unit.
 * Units are numbered in a topological order, breadth first from those that hold the lowest ops. */
#ifndef HO_SCHED_UNITS_H
#define HO_SCHED_UNITS_H

#include "models/graph.h"

typedef enum { HO_UNITS_OPS, HO_UNITS_LAYERS } ho_units_kind;

typedef struct {
  int32_t n;
  int32_t *of;                       /* by op */
  int32_t n_orders, *before, *after; /* pairs of units, each once */
} ho_units;

ho_units *ho_units_new(const ho_graph *g, ho_units_kind kind);
void ho_units_free(ho_units *x); /* NULL is allowed */

/* Neighbours in the order become one, so that at most `most` of about equal weight (by unit) remain, in a chain. */
void ho_units_to_chain(ho_units *x, int32_t n_ops, const double *weight, int32_t most);

#endif
