/* stages.h: the best split of a graph into contiguous stages, one per device, for throughput.
 *
 * Source: Tarnawski, Phanishayee, Devanur, Mahajan & Nina Paravecino, "Efficient algorithms for device placement of DNN graph operators", NeurIPS
 * 2020, section 5.1.1: dynamic programming over ideals (sets of units that hold all that comes before their members); on a chain it is the
 * partitioner of PipeDream (Narayanan et al., SOSP 2019, section 3.1) without replication.
 * A stage is what one ideal has more than another. Its load on a device is the seconds of its units there plus the cost of every message that
 * crosses its border, once: in, when it comes from outside; out, when somebody outside reads it. The split has the least greatest load; devices
 * may stay empty. A stage whose units' bytes exceed the capacity is not allowed.
 * Ties: the first found: types in order, the ideal found first. Cost: O(pairs of ideals · (degree + combinations of devices · types)). */
#ifndef HO_SCHED_STAGES_H
#define HO_SCHED_STAGES_H

#include <stdint.h>

typedef struct {
  int32_t n_units, n_types;
  const int32_t *devices; /* by type: how many there are */
  const double *seconds;  /* [unit * n_types + type]; INFINITY: cannot run there */
  const double *bytes;    /* by unit: resident, B */
  const double *capacity; /* by type: of one device, B */
  int32_t n_orders;       /* pairs of units, the first before the second; no cycle */
  const int32_t *before, *after;
  int32_t n_messages;
  const int32_t *from;      /* by message: the unit that makes it */
  const int32_t *use_start; /* n_messages + 1 */
  const int32_t *use;       /* units that read it, each once, not the one that makes it */
  const double *cost_in;    /* [message * n_types + type], s */
  const double *cost_out;
} ho_stages;

/* Fills type[unit] and number[unit] (which device of that type). Returns the greatest load, s; INFINITY: no split is allowed; -1: there
 * are more than `most` ideals, nothing was filled. At least one unit; products of (devices + 1) over the types at most 65536. */
double ho_stages_solve(const ho_stages *p, int32_t most, int32_t *type, int32_t *number);

/* The load of the units of `in` (by unit, 0 or 1) as one stage on a device of a type, s; INFINITY: not allowed. */
double ho_stages_load(const ho_stages *p, const uint8_t *in, int32_t type);

#endif
