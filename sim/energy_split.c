/* energy_split.c: see energy_split.h. */
#include "sim/energy_split.h"

#include <math.h>
#include <stdlib.h>

const char *ho_energy_part_name(ho_energy_part part) {
  static const char *const names[] = {"idle", "launch", "busy", "compute", "memory", "link"};
  return names[part];
}

/* ---- seconds of launching ---------------------------------------------------------------------------------------------------- */
typedef struct {
  double start, kernel, end; /* s */
} life;

static int by_kernel(const void *a, const void *b) {
  const life *x = a, *y = b;
  if (x->kernel != y->kernel) return x->kernel < y->kernel ? -1 : 1;
  return (x->end > y->end) - (x->end < y->end);
}

/* Seconds in which one of n ops has started, its kernel has not, and no other's kernel runs. `first` has room for n. */
static double launching(life *list, int32_t n, double *first) {
  double seconds = 0, reached = 0;
  qsort(list, (size_t)n, sizeof *list, by_kernel);
  for (int32_t i = n - 1; i >= 0; i--) first[i] = i + 1 < n ? fmin(list[i].start, first[i + 1]) : list[i].start;
  for (int32_t i = 0; i < n; i++) { /* between `reached` and list[i].kernel no kernel runs: those to come may have started */
    if (list[i].kernel > reached) seconds += list[i].kernel - fmax(reached, first[i]);
    reached = fmax(reached, list[i].end);
  }
  return seconds;
}

/* ---- the parts --------------------------------------------------------------------------------------------------------------- */

static void split_time(const ho_replay_result *r, ho_device d, double launch_seconds, ho_energy_split *out) {
  const ho_device_info *dev = &r->problem->platform->device[d];
  const ho_replay_device *x = &r->device[d];
  out->part[HO_ENERGY_LAUNCH] = dev->idle * launch_seconds;
  out->part[HO_ENERGY_IDLE] = x->idle_energy - out->part[HO_ENERGY_LAUNCH];
  if (dev->power_by_use) {
    out->part[HO_ENERGY_MEMORY] = x->memory_time_energy;
    out->part[HO_ENERGY_COMPUTE] = x->time_energy - x->memory_time_energy;
  } else {
    out->part[HO_ENERGY_BUSY] = x->time_energy;
  }
}

static ho_dtype precision_of(const ho_replay_result *r, const ho_entry *e) {
  return e->precision == HO_DTYPE_NONE ? ho_cost_default_precision(r->problem->cost, e->op, e->device) : (ho_dtype)e->precision;
}

static void split_work(const ho_replay_result *r, ho_energy_split *split) {
  const ho_cost *cost = r->problem->cost;
  g_autofree int8_t *precision = g_new(int8_t, (size_t)r->problem->graph->n_ops + 1);
  for (int32_t i = 0; i < r->plan->n; i++) {
    const ho_entry *e = &r->plan->entry[i];
    if (e->copy == 0) precision[e->op] = (int8_t)precision_of(r, e);
  }
  for (int32_t i = 0; i < r->plan->n; i++) {
    const ho_entry *e = &r->plan->entry[i];
    ho_dtype own = precision_of(r, e);
    double all = ho_cost_kernel_in(cost, e->op, e->device, own, e->point, precision).joules;
    double flops = ho_cost_flop_joules(cost, e->op, e->device, own, e->point);
    split[e->device].part[HO_ENERGY_COMPUTE] += flops;
    split[e->device].part[HO_ENERGY_MEMORY] += all - flops;
  }
}

ho_energy_split ho_energy_split_of(const ho_replay_result *r, ho_energy_split *split) {
  const ho_platform *p = r->problem->platform;
  g_autofree life *list = g_new(life, (size_t)r->plan->n + 1);
  g_autofree double *first = g_new(double, (size_t)r->plan->n + 1);
  ho_energy_split all = {{0}};
  for (ho_device d = 0; d < p->n_devices; d++) {
    int32_t n = 0;
    split[d] = (ho_energy_split){{0}};
    for (int32_t i = 0; i < r->plan->n; i++)
      if (r->plan->entry[i].device == d) list[n++] = (life){r->op[i].start, r->op[i].kernel, r->op[i].end};
    split_time(r, d, launching(list, n, first), &split[d]);
  }
  split_work(r, split);
  for (ho_device d = 0; d < p->n_devices; d++)
    for (int k = 0; k < HO_N_ENERGY_PARTS; k++) all.part[k] += split[d].part[k];
  for (ho_link l = 0; l < p->n_links; l++) all.part[HO_ENERGY_LINK] += r->link[l].energy;
  return all;
}
