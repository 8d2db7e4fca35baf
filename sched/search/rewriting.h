/* rewriting.h: moves from one version of the graph to a neighbouring one.
 *
 * Each gives a new solution on a new stage, with the decisions carried over; NULL when what was drawn does not apply there. Where an op
 * has just been split, the parts behind the first go to a drawn device: on one device a split only costs. */
#ifndef HO_SCHED_SEARCH_REWRITING_H
#define HO_SCHED_SEARCH_REWRITING_H

#include "base/stream.h"
#include "sched/search/solution.h"

/* One more rewrite: a fusion, a split in two at a drawn share, in training a recomputation or an offload, at a drawn place. */
ho_solution *ho_rewriting_add(const ho_solution *a, ho_stream *s);
/* One less; the problem's own stay. */
ho_solution *ho_rewriting_drop(const ho_solution *a, ho_stream *s);
/* A split in two at another share. */
ho_solution *ho_rewriting_shares(const ho_solution *a, ho_stream *s);

#endif
