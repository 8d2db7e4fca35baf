/* timeline_svg.h: a replay as a picture: who computes what when, what crosses which link, how full memories are.
 *
 * Lanes from top to bottom: each stream of each device, each direction of each link in use, live memory of each memory in use, power.
 * Colour says the family of an op (colour-blind safe, and of different lightness); names are written where they fit. Ops narrower
 * than half a pixel are drawn together, so that a graph of 1e5 ops gives a small file too. */
#ifndef HO_PLOTS_TIMELINE_SVG_H
#define HO_PLOTS_TIMELINE_SVG_H

#include "sim/replay.h"

G_BEGIN_DECLS

/* Draws the last run of `replay`, whose result is `r`. */
gboolean ho_timeline_write(const ho_problem *q, ho_replay *replay, const ho_replay_result *r, const char *file, GError **error);

G_END_DECLS

#endif
