/* region.h: sets of ops that a move changes together.
 *
 * Sizes are drawn log-uniformly from 1 to half of the graph: cuts of a graph are found by moving large pieces first and their edges last. */
#ifndef HO_SCHED_SEARCH_REGION_H
#define HO_SCHED_SEARCH_REGION_H

#include "base/stream.h"
#include "sched/search/solution.h"

typedef struct {
  int32_t n, room;
  ho_op *op;
  uint8_t *inside; /* by op */
} ho_region;

void ho_region_init(ho_region *r);
void ho_region_clear(ho_region *r);

void ho_region_one(ho_region *r, const ho_stage *x, ho_op o);
/* A stretch of the topological order. */
void ho_region_stretch(ho_region *r, const ho_stage *x, ho_stream *s);
/* Ops around one, by steps over data edges. */
void ho_region_around(ho_region *r, const ho_stage *x, ho_op o, ho_stream *s);
/* All ops of one family, of one device, of one layer; all. */
void ho_region_family(ho_region *r, const ho_stage *x, ho_family f);
void ho_region_device(ho_region *r, const ho_solution *a, ho_device d);
void ho_region_layer(ho_region *r, const ho_stage *x, ho_op o);
void ho_region_all(ho_region *r, const ho_stage *x);
/* Any of these, drawn. */
void ho_region_draw(ho_region *r, const ho_solution *a, ho_stream *s);

#endif
