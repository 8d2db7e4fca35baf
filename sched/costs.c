/* costs.c: see costs.h. */
#include "sched/costs.h"

#include <glib.h>
#include <math.h>

static double op_seconds(const ho_problem *q, ho_op o, ho_device d) {
  const ho_device_info *x = &q->platform->device[d];
  double kernel = ho_cost_time(q->cost, o, d) + x->launch_device;
  switch (x->launch) {
    case HO_LAUNCH_ASYNC:
      return fmax(kernel, x->launch_host);
    case HO_LAUNCH_SYNC:
      return kernel + x->launch_host;
    default:
      return kernel;
  }
}

static void fill_ops(ho_costs *c, const ho_problem *q) {
  for (ho_op o = 0; o < c->n_ops; o++) {
    double sum = 0;
    int32_t n = 0;
    for (ho_device d = 0; d < c->n_devices; d++) {
      int64_t k = (int64_t)o * c->n_devices + d;
      c->time[k] = op_seconds(q, o, d);
      c->precision[k] = (int8_t)ho_cost_default_precision(q->cost, o, d);
      if (!isfinite(c->time[k])) continue;
      sum += c->time[k];
      n++;
    }
    c->mean[o] = n > 0 ? sum / n : INFINITY;
  }
}

static void fill_copies(ho_costs *c) {
  const ho_platform *p = c->p;
  for (ho_memory a = 0; a < c->n_memories; a++)
    for (ho_memory b = 0; b < c->n_memories; b++) {
      int32_t k = a * c->n_memories + b;
      c->latency[k] = ho_copy_time(p, a, b, 0);
      c->per_byte[k] = 0;
      if (a == b || !isfinite(c->latency[k])) continue;
      if (ho_platform_direct(p, a, b))
        c->per_byte[k] = 1 / ho_platform_route(p, a, b)->bandwidth;
      else
        c->per_byte[k] = 1 / ho_platform_route(p, a, p->host)->bandwidth + 1 / ho_platform_route(p, p->host, b)->bandwidth;
    }
  int64_t pairs = 0;
  for (ho_device a = 0; a < c->n_devices; a++)
    for (ho_device b = 0; b < c->n_devices; b++) {
      int32_t k = p->device[a].memory * c->n_memories + p->device[b].memory;
      if (a == b || !isfinite(c->latency[k])) continue;
      c->mean_latency += c->latency[k];
      c->mean_per_byte += c->per_byte[k];
      pairs++;
    }
  if (pairs == 0) return;
  c->mean_latency /= (double)pairs;
  c->mean_per_byte /= (double)pairs;
}

static void fill_inputs(ho_costs *c) {
  for (ho_tensor t = 0; t < c->g->n_tensors; t++) {
    const ho_tensor_info *x = &c->g->tensor[t];
    c->input_memory[t] = -1;
    if (x->producer >= 0 || x->role == HO_ROLE_WEIGHT) continue;
    ho_memory m = x->memory ? ho_platform_find_memory(c->p, x->memory) : c->p->host;
    c->input_memory[t] = m >= 0 ? m : c->p->host;
  }
}

ho_costs *ho_costs_new(const ho_problem *q) {
  ho_costs *c = g_new0(ho_costs, 1);
  c->g = q->graph;
  c->p = q->platform;
  c->n_ops = c->g->n_ops;
  c->n_devices = c->p->n_devices;
  c->n_memories = c->p->n_memories;
  size_t cells = (size_t)c->n_ops * (size_t)c->n_devices + 1, pairs = (size_t)c->n_memories * (size_t)c->n_memories;
  c->time = g_new(double, cells);
  c->precision = g_new(int8_t, cells);
  c->mean = g_new(double, c->n_ops + 1);
  c->latency = g_new(double, pairs);
  c->per_byte = g_new(double, pairs);
  c->input_memory = g_new(ho_memory, c->g->n_tensors + 1);
  fill_ops(c, q);
  fill_copies(c);
  fill_inputs(c);
  return c;
}

void ho_costs_free(ho_costs *c) {
  if (!c) return;
  g_free(c->time);
  g_free(c->precision);
  g_free(c->mean);
  g_free(c->latency);
  g_free(c->per_byte);
  g_free(c->input_memory);
  g_free(c);
}

double ho_costs_energy(const ho_problem *q, ho_op o, ho_device d) {
  const ho_kernel *k = ho_cost_kernel(q->cost, o, d);
  const ho_device_info *dev = &q->platform->device[d];
  double above_idle = dev->power_by_use ? (dev->peak_power - dev->idle) * k->use : fmax(0, dev->busy - dev->idle);
  return k->joules + above_idle * k->time;
}

void ho_rank_upward(const ho_costs *c, double *out) {
  const ho_graph *g = c->g;
  for (int32_t k = g->n_ops - 1; k >= 0; k--) {
    ho_op o = g->topo[k];
    double longest = 0;
    for (int32_t i = g->out_start[o]; i < g->out_start[o + 1]; i++) {
      ho_tensor t = g->out[i];
      double copy = ho_costs_mean_copy(c, t);
      for (int32_t u = g->use_start[t]; u < g->use_start[t + 1]; u++) longest = fmax(longest, copy + out[g->use[u]]);
    }
    out[o] = c->mean[o] + longest;
  }
}

void ho_rank_downward(const ho_costs *c, double *out) {
  const ho_graph *g = c->g;
  for (int32_t k = 0; k < g->n_ops; k++) {
    ho_op o = g->topo[k];
    out[o] = 0;
    for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++) {
      ho_op from = g->tensor[g->in[i]].producer;
      if (from >= 0) out[o] = fmax(out[o], out[from] + c->mean[from] + ho_costs_mean_copy(c, g->in[i]));
    }
  }
}
