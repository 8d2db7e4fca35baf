/* bounds.c: see bounds.h. The subgradient's steps are the same everywhere, so that a bound is the same bits everywhere. */
#include "sim/bounds.h"

#include <glib.h>
#include <math.h>

#include "sim/variant.h"

#define STEPS 300

/* What every op takes on every device. */
typedef struct {
  const ho_problem *q;
  int32_t n_ops, n_devices;
  double *time, *compute, *memory; /* [op * n_devices + device]: s; INFINITY: cannot run */
  double *energy;                  /* J above idle */
  int8_t *least;                   /* by op: the precision of fewest bits that it may run in */
} tables;

static int64_t at(const tables *t, ho_op o, ho_device d) {
  return (int64_t)o * t->n_devices + d;
}

static void fill_least(tables *t) {
  for (ho_op o = 0; o < t->n_ops; o++) {
    t->least[o] = HO_DTYPE_NONE;
    for (ho_device d = 0; d < t->n_devices; d++) {
      ho_dtype p = ho_cost_default_precision(t->q->cost, o, d);
      if (!ho_cost_can_run(t->q->cost, o, d)) continue;
      if (t->least[o] == HO_DTYPE_NONE || ho_dtype_bits(p) < ho_dtype_bits((ho_dtype)t->least[o])) t->least[o] = (int8_t)p;
    }
  }
}

static void fill_kernels(tables *t) {
  for (ho_op o = 0; o < t->n_ops; o++)
    for (ho_device d = 0; d < t->n_devices; d++) {
      int64_t k = at(t, o, d);
      const ho_device_info *dev = &t->q->platform->device[d];
      t->time[k] = t->compute[k] = t->memory[k] = t->energy[k] = INFINITY;
      if (!ho_cost_can_run(t->q->cost, o, d)) continue;
      ho_kernel x = ho_cost_kernel_in(t->q->cost, o, d, ho_cost_default_precision(t->q->cost, o, d), 0, t->least);
      int exclusive = dev->sharing == HO_SHARING_EXCLUSIVE || x.from_table;
      t->time[k] = x.time;
      t->compute[k] = exclusive ? x.time : x.compute_time * x.compute;
      t->memory[k] = exclusive ? x.time : x.memory_time;
      double power = dev->power_by_use ? (dev->peak_power - dev->idle) * x.use : fmax(0, dev->busy - dev->idle);
      /* kernels that overlap share the device's busy power: only the work's own joules are certain then */
      t->energy[k] = x.joules + (exclusive || dev->power_by_use ? power * x.time : 0);
    }
}

static tables *tables_new(const ho_problem *q) {
  tables *t = g_new0(tables, 1);
  size_t n = (size_t)q->graph->n_ops * (size_t)q->platform->n_devices + 1;
  *t = (tables){.q = q,
                .n_ops = q->graph->n_ops,
                .n_devices = q->platform->n_devices,
                .time = g_new(double, n),
                .compute = g_new(double, n),
                .memory = g_new(double, n),
                .energy = g_new(double, n),
                .least = g_new(int8_t, (size_t)q->graph->n_ops + 1)};
  fill_least(t);
  fill_kernels(t);
  return t;
}

static void tables_free(tables *t) {
  g_free(t->time);
  g_free(t->compute);
  g_free(t->memory);
  g_free(t->energy);
  g_free(t->least);
  g_free(t);
}

/* ---- latency -------------------------------------------------------------------------------------------------------------------- */
static double longest_path(const tables *t) {
  const ho_graph *g = t->q->graph;
  g_autofree double *end = g_new0(double, (size_t)g->n_ops + 1);
  double longest = 0;
  for (int32_t i = 0; i < g->n_ops; i++) {
    ho_op o = g->topo[i];
    double start = g->op[o].release, least = INFINITY;
    for (int32_t k = g->in_start[o]; k < g->in_start[o + 1]; k++)
      if (g->tensor[g->in[k]].producer >= 0) start = fmax(start, end[g->tensor[g->in[k]].producer]);
    for (ho_device d = 0; d < t->n_devices; d++) least = fmin(least, t->time[at(t, o, d)]);
    end[o] = start + least;
    longest = fmax(longest, end[o]);
  }
  return longest;
}

/* Σ min y·load, and what each device takes of it: the subgradient. */
static double weighted(const tables *t, const double *load, const double *y, double *taken) {
  double sum = 0;
  for (ho_device d = 0; d < t->n_devices; d++) taken[d] = 0;
  for (ho_op o = 0; o < t->n_ops; o++) {
    double least = INFINITY;
    ho_device best = -1;
    for (ho_device d = 0; d < t->n_devices; d++) {
      double value = load[at(t, o, d)];
      if (!isfinite(value) || !(y[d] * value < least)) continue;
      least = y[d] * value;
      best = d;
    }
    if (best < 0) return INFINITY;
    sum += least;
    taken[best] += load[at(t, o, best)];
  }
  return sum;
}

/* The best of the bounds along projected subgradient steps on the simplex, by multiplicative weights. */
static double load_bound(const tables *t, const double *load) {
  g_autofree double *y = g_new(double, (size_t)t->n_devices + 1), *taken = g_new(double, (size_t)t->n_devices + 1);
  double best = 0;
  for (ho_device d = 0; d < t->n_devices; d++) y[d] = 1.0 / t->n_devices;
  for (int step = 0; step < STEPS; step++) {
    double value = weighted(t, load, y, taken), most = 0, sum = 0;
    best = fmax(best, value);
    for (ho_device d = 0; d < t->n_devices; d++) most = fmax(most, taken[d]);
    if (!isfinite(value) || most <= 0) break;
    for (ho_device d = 0; d < t->n_devices; d++) {
      y[d] *= 1 + taken[d] / most * (2.0 / (2 + step / 10.0));
      sum += y[d];
    }
    for (ho_device d = 0; d < t->n_devices; d++) y[d] /= sum;
  }
  return best;
}

/* ---- energy and memory ---------------------------------------------------------------------------------------------------------- */
static double energy_bound(const tables *t, double latency) {
  const ho_platform *p = t->q->platform;
  double sum = 0, idle = 0, horizon = fmax(latency, t->q->graph->period);
  for (ho_op o = 0; o < t->n_ops; o++) {
    double least = INFINITY;
    for (ho_device d = 0; d < t->n_devices; d++) least = fmin(least, t->energy[at(t, o, d)]);
    sum += least;
  }
  for (ho_device d = 0; d < t->n_devices; d++)
    idle += ho_platform_is_host_device(p, d) || p->count_idle == HO_IDLE_ALL ? p->device[d].idle
                                                                             : fmin(p->device[d].idle, p->device[d].off);
  return sum + idle * horizon;
}

static double bytes_of(const tables *t, ho_tensor x, ho_op user) {
  const ho_tensor_info *info = &t->q->graph->tensor[x];
  ho_op o = info->producer >= 0 ? info->producer : user;
  return info->alias >= 0 ? 0 : (double)ho_tensor_bytes(info, (ho_dtype)t->least[o]);
}

/* An input that another device made may lie twice, never less than once. */
static double need_of(const tables *t, ho_op o) {
  const ho_graph *g = t->q->graph;
  double sum = (double)g->op[o].workspace;
  for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++) sum += bytes_of(t, g->in[i], o);
  for (int32_t i = g->out_start[o]; i < g->out_start[o + 1]; i++) sum += bytes_of(t, g->out[i], o);
  return sum;
}

static double memory_bound(const tables *t) {
  const ho_graph *g = t->q->graph;
  const ho_platform *p = t->q->platform;
  double bound = 0, weights = 0, capacity = 0;
  for (ho_op o = 0; o < t->n_ops; o++) {
    double room = 0;
    for (ho_device d = 0; d < t->n_devices; d++)
      if (isfinite(t->time[at(t, o, d)])) room = fmax(room, p->memory[p->device[d].memory].capacity);
    bound = fmax(bound, need_of(t, o) / room);
  }
  for (ho_tensor x = 0; x < g->n_tensors; x++) {
    double least = INFINITY; /* in the precision of the reader that wants it smallest */
    if (g->tensor[x].role != HO_ROLE_WEIGHT) continue;
    for (int32_t u = g->use_start[x]; u < g->use_start[x + 1]; u++) least = fmin(least, bytes_of(t, x, g->use[u]));
    weights += isfinite(least) ? least : 0;
  }
  for (ho_memory m = 0; m < p->n_memories; m++) capacity += p->memory[m].capacity;
  return fmax(bound, weights / capacity);
}

ho_bounds ho_bounds_of(const ho_problem *q) {
  tables *t = tables_new(q);
  ho_bounds b = {.path = longest_path(t), .load = fmax(load_bound(t, t->compute), load_bound(t, t->memory))};
  b.latency = fmax(b.path, b.load);
  b.energy = energy_bound(t, b.latency);
  b.tightest = memory_bound(t);
  tables_free(t);
  return b;
}

int ho_bounds_hold(const ho_problem *q, const ho_plan *plan) {
  if (plan->variant && plan->variant->graph != q->graph) return 0;
  for (int32_t i = 0; i < plan->n; i++)
    if (plan->entry[i].precision != HO_DTYPE_NONE || plan->entry[i].point != 0) return 0;
  return 1;
}
