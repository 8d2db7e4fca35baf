/* placed.h: a placed graph: which of its edges cross memories, which activities met on a resource, and what if the platform were otherwise.
 *
 *   data           (tensor, consumer) pairs with a producer where the consumer found the tensor in its memory without a copy
 *   communication  the others: a copy brought it. Several consumers in one memory wait for one copy
 *   contention     pairs of activities without a dependency that used one resource at the same time: kernels on a device, kernels of
 *                  different devices on a memory, transfers on a direction of a link (`half`: on a link)
 *
 * Contention is counted as the replay met it: a pair that could meet and did not (in another order, or under `serial`) is none. */
#ifndef HO_SIM_PLACED_H
#define HO_SIM_PLACED_H

#include "sim/replay.h"

G_BEGIN_DECLS

typedef struct {
  int32_t n_devices, n_memories, n_links;
  int32_t data, communication;
  int32_t copies;                  /* transfers, one per hop */
  double bytes;                    /* B of these */
  int64_t *device, *memory, *link; /* contending pairs by resource; both directions of a link together */
} ho_placed;

/* Of the last run, whose result is r. Allocates: not for hot loops. */
ho_placed *ho_placed_new(const ho_replay_result *r);
void ho_placed_free(ho_placed *p); /* NULL is allowed */

/* Makespan (s) of what r replayed, without noise, with one thing about the platform changed; INFINITY where it is infeasible then. */
double ho_what_if_contention(const ho_replay_result *r, ho_contention contention);
/* Every device launches so. */
double ho_what_if_launch(const ho_replay_result *r, ho_launch_mode launch);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ho_placed, ho_placed_free)

G_END_DECLS

#endif
