/* energy_split.h: the energy of a replay by what it was spent on, as far as the power model (docs/replay.md, Energy) tells it apart.
 *
 *   idle     what a device draws at rest, over the whole horizon, while a kernel runs too; less `launch`
 *   launch   idle power of the seconds in which a device holds an op whose kernel has not begun (its own launch seconds, a
 *            reconfiguration) and no kernel runs. The host's seconds of launching draw nothing of their own in this model.
 *   busy     busy - idle watts while kernels run: neither compute nor memory, a device draws it whatever the kernel does
 *   compute  per-FLOP energy; where power follows use, what is drawn above idle while compute is the more used of compute and memory
 *   memory   per-byte energy; where power follows use, the same while memory is
 *   link     J per byte on links; belongs to no device
 *
 * The parts of a device add up to its energy in the replay, all parts to the replay's energy (but for rounding). */
#ifndef HO_SIM_ENERGY_SPLIT_H
#define HO_SIM_ENERGY_SPLIT_H

#include "sim/replay.h"

G_BEGIN_DECLS

typedef enum {
  HO_ENERGY_IDLE,
  HO_ENERGY_LAUNCH,
  HO_ENERGY_BUSY,
  HO_ENERGY_COMPUTE,
  HO_ENERGY_MEMORY,
  HO_ENERGY_LINK,
  HO_N_ENERGY_PARTS
} ho_energy_part;

const char *ho_energy_part_name(ho_energy_part part); /* "idle" */

typedef struct {
  double part[HO_N_ENERGY_PARTS]; /* J */
} ho_energy_split;

/* split[d] of every device, whose `link` is 0. Returns that of the whole replay. Allocates: not for hot loops. */
ho_energy_split ho_energy_split_of(const ho_replay_result *r, ho_energy_split *split);

G_END_DECLS

#endif
