/* exact_bounds.c: see exact_bounds.h. */
#include "sched/exact_bounds.h"

#include <glib.h>
#include <math.h>
#include <string.h>

/* ---- the problem ---------------------------------------------------------------------------------------------------------------- */
static int64_t at(const ho_exact_node *n, ho_op o, ho_device d) {
  return (int64_t)o * n->n_devices + d;
}

/* J above idle of a kernel that takes `seconds`. */
static double above_idle(const ho_device_info *d, const ho_kernel *k) {
  double power = d->power_by_use ? (d->peak_power - d->idle) * k->use : fmax(0, d->busy - d->idle);
  return k->joules + power * k->time;
}

static void fill_kernels(ho_exact_node *n) {
  const ho_problem *q = n->q;
  g_autofree int8_t *least = g_new(int8_t, (size_t)n->n_ops + 1);
  for (ho_op o = 0; o < n->n_ops; o++) {
    least[o] = HO_DTYPE_NONE;
    for (ho_device d = 0; d < n->n_devices; d++) {
      int8_t p = (int8_t)ho_cost_default_precision(q->cost, o, d);
      n->precision[at(n, o, d)] = p;
      if (!ho_cost_can_run(q->cost, o, d)) continue;
      if (least[o] == HO_DTYPE_NONE || ho_dtype_bits((ho_dtype)p) < ho_dtype_bits((ho_dtype)least[o])) least[o] = p;
    }
  }
  for (ho_op o = 0; o < n->n_ops; o++) {
    n->least_time[o] = n->least_energy[o] = INFINITY;
    for (ho_device d = 0; d < n->n_devices; d++) {
      int64_t k = at(n, o, d);
      n->time[k] = n->energy[k] = INFINITY;
      if (!ho_cost_can_run(q->cost, o, d)) continue;
      ho_kernel kernel = ho_cost_kernel_in(q->cost, o, d, (ho_dtype)n->precision[k], 0, least);
      n->time[k] = kernel.time + q->platform->device[d].launch_device;
      n->energy[k] = above_idle(&q->platform->device[d], &kernel);
      n->least_time[o] = fmin(n->least_time[o], n->time[k]);
      n->least_energy[o] = fmin(n->least_energy[o], n->energy[k]);
    }
    n->left_time += n->least_time[o];
    n->left_energy += n->least_energy[o];
  }
}

static void fill_tails(ho_exact_node *n) {
  const ho_graph *g = n->q->graph;
  for (int32_t i = g->n_ops - 1; i >= 0; i--) {
    ho_op o = g->topo[i];
    double longest = 0;
    for (int32_t k = g->out_start[o]; k < g->out_start[o + 1]; k++)
      for (int32_t u = g->use_start[g->out[k]]; u < g->use_start[g->out[k] + 1]; u++) longest = fmax(longest, n->tail[g->use[u]]);
    n->tail[o] = n->least_time[o] + longest;
  }
}

ho_exact_node *ho_exact_node_new(const ho_problem *q) {
  ho_exact_node *n = g_new0(ho_exact_node, 1);
  const ho_graph *g = q->graph;
  size_t ops = (size_t)g->n_ops, devices = (size_t)q->platform->n_devices;
  n->q = q;
  n->n_ops = g->n_ops;
  n->n_devices = q->platform->n_devices;
  n->time = g_new(double, ops *devices + 1);
  n->energy = g_new(double, ops *devices + 1);
  n->precision = g_new(int8_t, ops * devices + 1);
  n->least_time = g_new(double, ops + 1);
  n->least_energy = g_new(double, ops + 1);
  n->tail = g_new(double, ops + 1);
  n->order = g_new(ho_op, ops + 1);
  n->device = g_new(int16_t, ops + 1);
  n->waiting = g_new0(int32_t, ops + 1);
  n->start = g_new0(double, ops + 1);
  n->end = g_new0(double, ops + 1);
  n->early = g_new0(double, ops + 1);
  n->free = g_new0(double, devices + 1);
  n->used = g_new0(int32_t, devices + 1);
  n->crossings = g_new0(int32_t, (size_t)g->n_tensors * (size_t)q->platform->n_memories + 1);
  n->saved = g_new(double, 4 * (ops + 1));
  for (ho_op o = 0; o < n->n_ops; o++) {
    n->device[o] = -1;
    for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++) n->waiting[o] += g->tensor[g->in[i]].producer >= 0;
  }
  fill_kernels(n);
  fill_tails(n);
  return n;
}

void ho_exact_node_free(ho_exact_node *n) {
  if (!n) return;
  void *const all[] = {n->time,    n->energy, n->precision, n->least_time, n->least_energy, n->tail, n->order,     n->device,
                       n->waiting, n->start,  n->end,       n->early,      n->free,         n->used, n->crossings, n->saved};
  for (size_t i = 0; i < G_N_ELEMENTS(all); i++) g_free(all[i]);
  g_free(n);
}

/* ---- appending ------------------------------------------------------------------------------------------------------------------ */
/* Where a tensor is made or lies, its bytes there, and when; -1: a weight, which is everywhere. */
static ho_memory source_of(const ho_exact_node *n, ho_tensor t, double *bytes, double *when) {
  const ho_tensor_info *x = &n->q->graph->tensor[t];
  const ho_platform *p = n->q->platform;
  *bytes = (double)x->bytes;
  *when = 0;
  if (x->producer >= 0) {
    ho_device d = n->device[x->producer];
    *bytes = (double)ho_tensor_bytes(x, (ho_dtype)n->precision[at(n, x->producer, d)]);
    *when = n->end[x->producer];
    return p->device[d].memory;
  }
  if (x->role == HO_ROLE_WEIGHT) return -1;
  return x->memory ? ho_platform_find_memory(p, x->memory) : p->host;
}

static double start_of(const ho_exact_node *n, ho_op o, ho_device d) {
  const ho_graph *g = n->q->graph;
  ho_memory to = n->q->platform->device[d].memory;
  double start = fmax(n->free[d], g->op[o].release);
  if (!isfinite(n->time[at(n, o, d)])) return INFINITY;
  for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++) {
    double bytes, when;
    ho_memory from = source_of(n, g->in[i], &bytes, &when);
    if (from >= 0) start = fmax(start, when + ho_copy_time(n->q->platform, from, to, bytes));
  }
  return start;
}

static int reads_from(const ho_graph *g, ho_op o, ho_op producer) {
  for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++)
    if (g->tensor[g->in[i]].producer == producer) return 1;
  return 0;
}

int ho_exact_may_follow(const ho_exact_node *n, ho_op o, ho_device d) {
  double start = start_of(n, o, d);
  if (!isfinite(start)) return 0;
  if (n->placed == 0) return 1;
  ho_op last = n->order[n->placed - 1];
  if (start != n->start[last]) return start > n->start[last];
  return o > last || reads_from(n->q->graph, o, last) || d == n->device[last];
}

static double link_energy(const ho_platform *p, ho_memory from, ho_memory to, double bytes) {
  if (from == to) return 0;
  if (ho_platform_direct(p, from, to)) return ho_platform_route(p, from, to)->energy * bytes;
  return (ho_platform_route(p, from, p->host)->energy + ho_platform_route(p, p->host, to)->energy) * bytes;
}

/* Counts o's inputs into its memory by one; returns the J that first crossings take. */
static double count_crossings(ho_exact_node *n, ho_op o, ho_device d, int32_t by) {
  const ho_graph *g = n->q->graph;
  const ho_platform *p = n->q->platform;
  double joules = 0;
  for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++) {
    double bytes, when;
    ho_memory to = p->device[d].memory, from = source_of(n, g->in[i], &bytes, &when);
    if (from < 0 || from == to) continue;
    int32_t *count = &n->crossings[(size_t)g->in[i] * (size_t)p->n_memories + (size_t)to];
    if (by > 0 && *count == 0) joules += link_energy(p, from, to, bytes);
    *count += by;
  }
  return joules;
}

static void count_waiting(ho_exact_node *n, ho_op o, int32_t by) {
  const ho_graph *g = n->q->graph;
  for (int32_t i = g->out_start[o]; i < g->out_start[o + 1]; i++)
    for (int32_t u = g->use_start[g->out[i]]; u < g->use_start[g->out[i] + 1]; u++) n->waiting[g->use[u]] += by;
}

void ho_exact_push(ho_exact_node *n, ho_op o, ho_device d) {
  double *saved = n->saved + 4 * (size_t)n->placed;
  saved[0] = n->free[d];
  saved[1] = n->latest;
  saved[2] = n->spent;
  n->start[o] = start_of(n, o, d);
  n->spent += n->energy[at(n, o, d)] + count_crossings(n, o, d, 1);
  n->device[o] = (int16_t)d;
  n->end[o] = n->free[d] = n->start[o] + n->time[at(n, o, d)];
  n->latest = fmax(n->latest, n->end[o]);
  n->left_time -= n->least_time[o];
  n->left_energy -= n->least_energy[o];
  n->used[d]++;
  n->order[n->placed++] = o;
  count_waiting(n, o, -1);
}

void ho_exact_pop(ho_exact_node *n) {
  ho_op o = n->order[--n->placed];
  ho_device d = n->device[o];
  const double *saved = n->saved + 4 * (size_t)n->placed;
  count_waiting(n, o, 1);
  count_crossings(n, o, d, -1);
  n->device[o] = -1;
  n->used[d]--;
  n->left_time += n->least_time[o];
  n->left_energy += n->least_energy[o];
  n->free[d] = saved[0];
  n->latest = saved[1];
  n->spent = saved[2];
}

/* ---- bounds --------------------------------------------------------------------------------------------------------------------- */
/* What is not placed starts no earlier than the last that is, nor before its producers end; and all of it has to be run somewhere. */
static double latency_bound(ho_exact_node *n) {
  const ho_graph *g = n->q->graph;
  double now = n->placed ? n->start[n->order[n->placed - 1]] : 0, bound = n->latest, load = n->left_time;
  for (int32_t i = 0; i < g->n_ops; i++) {
    ho_op o = g->topo[i];
    if (n->device[o] >= 0) continue;
    n->early[o] = fmax(now, g->op[o].release);
    for (int32_t k = g->in_start[o]; k < g->in_start[o + 1]; k++) {
      ho_op p = g->tensor[g->in[k]].producer;
      if (p >= 0) n->early[o] = fmax(n->early[o], n->device[p] >= 0 ? n->end[p] : n->early[p] + n->least_time[p]);
    }
    bound = fmax(bound, n->early[o] + n->tail[o]);
  }
  for (ho_device d = 0; d < n->n_devices; d++) load += fmax(n->free[d], now);
  return fmax(bound, load / n->n_devices);
}

/* Rounding must not cut off a plan that is as good as the bound: it is taken a little lower. */
static double with_slack(double x) {
  return x * (1 - 1e-12);
}

void ho_exact_bound(ho_exact_node *n, double *bound) {
  const ho_problem *q = n->q;
  double latency = latency_bound(n), idle = 0;
  for (ho_device d = 0; d < n->n_devices; d++)
    idle += n->used[d] > 0 ? q->platform->device[d].idle : fmin(q->platform->device[d].idle, q->platform->device[d].off);
  for (int32_t k = 0; k < q->n_objectives; k++)
    bound[k] = q->objective[k] == HO_OBJECTIVE_LATENCY  ? with_slack(latency)
               : q->objective[k] == HO_OBJECTIVE_ENERGY ? with_slack(n->spent + n->left_energy + idle * latency)
                                                        : 0;
}
