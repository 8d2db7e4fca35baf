/* lanes.h: a replay laid out for pictures and traces: which transfer is drawn where, and curves over time.
 *
 * A transfer occupies every link of its route, so it is drawn once on each. Transfers that overlap on one direction of a link get
 * lanes of their own: the lowest that is free when they start. */
#ifndef HO_PLOTS_LANES_H
#define HO_PLOTS_LANES_H

#include "sim/rates.h"

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

/* first[i]: the slice of transfer i on the first link of its route; -1: it crosses none. */
void ho_first_slices(const GArray *slices, int32_t n_transfers, int32_t *first);

const char *ho_vertex_name(const ho_platform *p, int32_t vertex); /* of a memory or a switch */
/* "host to hbm": where one direction of a link leads. g_free. */
char *ho_direction_text(const ho_platform *p, ho_link link, int32_t backward);

/* Live bytes of a memory, in the last run of `replay`, as a step curve (ho_curve_point). */
GArray *ho_memory_curve(ho_replay *replay, ho_memory memory);

/* Watts of all devices together. */
GArray *ho_power_curve(const ho_rates *rates);

double ho_curve_peak(const GArray *curve);

G_END_DECLS

#endif
