/* costs.h: what list schedulers compute with: seconds of every op on every device, seconds of every copy, and their means.
 *
 * An op's seconds on a device are its kernel's at default precision plus what a launch costs there: async: the larger of host seconds
 * and (kernel + device seconds), since launches run ahead; sync: host + device + kernel; graph: device + kernel. INFINITY where it
 * cannot run. Copies cost latency + bytes / bandwidth on an idle route, staging included. The mean of an op is over the devices that can
 * run it; the mean of a copy is over all ordered pairs of distinct devices, where pairs on one memory count 0 and pairs without a way
 * are left out (Topcuoglu, Hariri & Wu, 2002, equations 5 and 7). */
#ifndef HO_SCHED_COSTS_H
#define HO_SCHED_COSTS_H

#include "sim/problem.h"

typedef struct {
  const ho_graph *g;
  const ho_platform *p;
  int32_t n_ops, n_devices, n_memories;
  double *time;     /* [op * n_devices + device], s */
  double *mean;     /* by op, s */
  double *latency;  /* [from * n_memories + to], s; INFINITY: no way */
  double *per_byte; /* the same, s/B */
  double mean_latency, mean_per_byte;
  int8_t *precision;       /* [op * n_devices + device]: default precision */
  ho_memory *input_memory; /* by tensor: where it lies at 0; -1: weights and what has a producer */
} ho_costs;

ho_costs *ho_costs_new(const ho_problem *q);
void ho_costs_free(ho_costs *c);

static inline double ho_costs_copy(const ho_costs *c, ho_memory from, ho_memory to, double bytes) {
  if (from == to) return 0;
  int32_t k = from * c->n_memories + to;
  return c->latency[k] + bytes * c->per_byte[k];
}
/* Mean seconds of a copy of tensor t, at its own dtype. */
static inline double ho_costs_mean_copy(const ho_costs *c, ho_tensor t) {
  return c->mean_latency + (double)c->g->tensor[t].bytes * c->mean_per_byte;
}

/* J of an op's kernel on a device: the power while it runs, less what the device draws idle, and the work's own. */
double ho_costs_energy(const ho_problem *q, ho_op o, ho_device d);

/* rank_u: mean cost plus the largest of (mean copy + rank) over all consumers (equation 8). `out` n_ops long. */
void ho_rank_upward(const ho_costs *c, double *out);
/* rank_d: the longest way from an entry op to the op, its own cost left out (equation 10). */
void ho_rank_downward(const ho_costs *c, double *out);

#endif
