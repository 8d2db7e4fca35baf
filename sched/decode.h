/* decode.h: from genes (device and priority of every op) to a plan.
 *
 * Order of issue: the topological order that the priorities ask for (order.h). Precision default, point nominal.
 * Streams: `one` puts every op on stream 0. `spread` uses the streams of spatial devices: an op goes on in the stream in which one of its
 * producers on the same device is the last op so far (the first such input decides), else to the stream whose last op was issued longest
 * ago, unused ones first, the lower index on ties. Exclusive devices always use stream 0.
 * Where some memories cannot reach each other, an op that an input could not reach is moved to the first device (from its gene on,
 * cyclically, in platform order) that all its inputs can reach.
 * Cost: O((ops + edges) log ops), no allocation. */
#ifndef HO_SCHED_DECODE_H
#define HO_SCHED_DECODE_H

#include "sched/order.h"
#include "sched/space.h"

typedef enum { HO_STREAMS_ONE, HO_STREAMS_SPREAD } ho_streams;
/* Choices of an option `streams`, in the order of ho_streams. */
extern const char *const ho_streams_choices[];

typedef struct ho_decoder ho_decoder; /* scratch for one problem */

ho_decoder *ho_decoder_new(const ho_problem *q, const ho_space *v, ho_streams streams);
void ho_decoder_free(ho_decoder *w);

/* Fills a plan of n_ops entries. device[op] must be able to run op. -1: an op has no device that its inputs can reach (only where
 * memories are not connected); the plan must then not be used. */
int ho_decode(ho_decoder *w, const int16_t *device, const double *priority, ho_plan *plan);

/* Genes of a plan without duplicates: its devices, and priorities that give its order again, falling from 1 to 0. */
void ho_encode(const ho_plan *plan, int16_t *device, double *priority);

/* Priorities that give the graph's own topological order. */
void ho_priority_topological(const ho_graph *g, double *priority);
/* Priorities that give a depth-first order: of the ops that became ready last the lowest index comes next, so that what was just made is
 * used up first. */
void ho_priority_depth_first(const ho_graph *g, double *priority);

#endif
