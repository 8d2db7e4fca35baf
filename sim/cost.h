/* cost.h: what one operator costs on one device, alone; and what one copy costs on an idle route.
 *
 * Kernel alone (docs/replay.md; the roofline of Williams, Waterman & Patterson, CACM 52(4), 2009):
 *     t = max(FLOP / (peak · efficiency · occupancy), bytes / (bandwidth · efficiency)) / speed of the operating point
 *     occupancy = min(1, parallelism / saturation)
 * At no point do the bytes pass faster than the memory's bandwidth. An op with a `time` table takes the table's seconds (divided by the
 * point's speed), holds all of its device's compute and draws on nothing else. An op cannot run
 * where its table does not list it, where its kind or precision is not supported, or where it has FLOPs but the device no peak:
 * its time is INFINITY there. A fused op also needs the support of every kind that it is made of.
 *
 * A cost table belongs to one graph and one platform, is made once and is then read by many threads. */
#ifndef HO_SIM_COST_H
#define HO_SIM_COST_H

#include <stdint.h>

#include "hwprofiles/platform.h"
#include "models/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One op on one device at one precision and operating point. */
typedef struct {
  double time;         /* s alone, without launch; INFINITY: cannot run */
  double compute_time; /* s that the FLOPs alone would take, of a table the whole; time is the larger of the two */
  double memory_time;  /* s that the bytes alone would take */
  double compute;      /* share of the device's compute it holds while it runs (the occupancy); 1 for table times */
  double use;     /* mean compute utilisation while it runs alone, 0…1: compute_time · occupancy / time; 1 for table times */
  double bytes;   /* B of memory traffic at this precision; 0 for table times */
  double joules;  /* J of per-FLOP and per-byte energy at this point */
  int from_table; /* 1: time from a `time` table */
} ho_kernel;

typedef struct ho_cost ho_cost;

ho_cost *ho_cost_new(const ho_graph *g, const ho_platform *p); /* keeps pointers to both */
void ho_cost_free(ho_cost *c);

/* The precision an op runs in on a device when the plan does not say: the op's dtype where the device has it, else the device's
 * most precise one. */
ho_dtype ho_cost_default_precision(const ho_cost *c, ho_op o, ho_device d);

/* At default precision and nominal point: a table look-up. */
const ho_kernel *ho_cost_kernel(const ho_cost *c, ho_op o, ho_device d);
double ho_cost_time(const ho_cost *c, ho_op o, ho_device d); /* = ho_cost_kernel(…)->time */
int ho_cost_can_run(const ho_cost *c, ho_op o, ho_device d); /* time < INFINITY */

/* At any precision and point: computed. */
ho_kernel ho_cost_kernel_at(const ho_cost *c, ho_op o, ho_device d, ho_dtype precision, int point);

/* The same where the plan says which precision each op runs in (`precision_of[op]`): an input takes its producer's, weights and outputs
 * the op's own. NULL: inputs at their own dtypes, as in the two functions above. Differs from them only where a producer does not run
 * in the dtype of what it makes. */
ho_kernel ho_cost_kernel_in(const ho_cost *c, ho_op o, ho_device d, ho_dtype precision, int point, const int8_t *precision_of);

/* The per-FLOP part of ho_kernel.joules; the rest is per byte. */
double ho_cost_flop_joules(const ho_cost *c, ho_op o, ho_device d, ho_dtype precision, int point);

/* Why an op cannot run there, for messages; static text or inside `buffer`. */
const char *ho_cost_why_not(const ho_cost *c, ho_op o, ho_device d, ho_dtype precision, char *buffer, int size);

/* Seconds to copy `bytes` between two memories alone, staging included: per hop latency + bytes/bandwidth; 0 when from == to;
 * INFINITY when there is no way. */
double ho_copy_time(const ho_platform *p, ho_memory from, ho_memory to, double bytes);

#ifdef __cplusplus
}
#endif

#endif
