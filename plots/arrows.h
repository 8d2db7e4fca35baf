/* arrows.h: the ways of data through a replay, for traces: from the op that made it through the transfers to the ops that read it. */
#ifndef HO_PLOTS_ARROWS_H
#define HO_PLOTS_ARROWS_H

#include "sim/replay.h"

G_BEGIN_DECLS

/* An entry of the plan, or a transfer of the result; the other is -1. */
typedef struct {
  int32_t entry, transfer;
} ho_activity;

typedef struct {
  ho_activity from, to;
} ho_arrow;

/* From the entry that made a tensor, or the transfer before it, to each transfer; from the transfer that brought a tensor to each entry that
 * reads it; and from the entry that made it straight to those that read it in the same memory on another device or stream. No transfer
 * is left out. Caller frees with g_array_unref. */
GArray *ho_arrows(const ho_problem *q, const ho_replay_result *r);

G_END_DECLS

#endif
