/* space.h: which devices each op can run on.
 *
 * Made once per run. An op that no device can run ends the run with a reason that names it and says why for each device. */
#ifndef HO_SCHED_SPACE_H
#define HO_SCHED_SPACE_H

#include "sched/scheduler.h"

typedef struct {
  int32_t n_ops, n_devices;
  int32_t *start;  /* n_ops + 1 */
  int16_t *device; /* those of op o: device[start[o] … start[o+1]-1], in platform order */
  int connected;   /* 1: every memory of a device can be reached from every other, and from where inputs lie */
} ho_space;

ho_space *ho_space_new(ho_search *s);                       /* NULL after ho_search_fail */
ho_space *ho_space_make(const ho_problem *q, ho_op *stuck); /* NULL with the op that no device can run */
void ho_space_free(ho_space *v);                            /* NULL is allowed */

static inline int32_t ho_space_choices(const ho_space *v, ho_op o) {
  return v->start[o + 1] - v->start[o];
}

/* One of the devices of op o, each with the same probability. */
static inline int16_t ho_space_draw(const ho_space *v, ho_op o, ho_stream *r) {
  return v->device[v->start[o] + (int32_t)ho_stream_below(r, (uint64_t)ho_space_choices(v, o))];
}

/* Device of op o that `wish` is: itself when it can run o, else the first device that can. */
int16_t ho_space_allowed(const ho_space *v, ho_op o, int16_t wish);

/* Whether device d can run every op, copies in the host's memory left aside; when not, *first is the first op it cannot. */
int ho_space_runs_all(const ho_space *v, const ho_graph *g, ho_device d, ho_op *first);

/* "why device cannot run op", text inside `buffer`. */
const char *ho_space_why_not(const ho_problem *q, ho_op o, ho_device d, char *buffer, int size);

#endif
