/* lanes.h: a replay laid out for pictures and traces: which transfer is drawn where, and curves over time.
 *
 * A transfer occupies every link of its route, so it is drawn once on each. Transfers that overlap on one direction of a link get
 * lanes of their own: the lowest that is free when they start. */
#ifndef HO_PLOTS_LANES_H
#define HO_PLOTS_LANES_H

#include "sim/replay.h"

G_BEGIN_DECLS

typedef struct {
  ho_link link;
  int32_t backward; /* 0: from ends[0] to ends[1] */
  int32_t lane;     /* 0 … lanes of this direction - 1 */
  int32_t transfer; /* into ho_replay_result.transfer */
} ho_link_slice;

/* Every transfer on every link it draws on, in order of start. lanes[2·link + backward] (2·n_links of them, filled in) is how many
 * lanes that direction needs. Caller frees with g_array_unref. */
GArray *ho_link_slices(const ho_platform *p, const ho_replay_result *r, int32_t *lanes);

/* A step curve: `value` holds from `time` (s) to the next point's. */
typedef struct {
  double time, value;
} ho_curve_point;

/* Live bytes of a memory, in the last run of `replay`. */
GArray *ho_memory_curve(ho_replay *replay, ho_memory memory);

/* Watts of a device, or of all of them (device -1): what it draws when it rests, and above that the energy of its kernels, each with the
 * share that it would draw alone, spread evenly over its duration. The integral up to the makespan is the energy that the replay
 * reports, links and idling after the makespan (a period) left out. */
GArray *ho_power_curve(const ho_problem *q, const ho_replay_result *r, ho_device device);

double ho_curve_peak(const GArray *curve);

G_END_DECLS

#endif
