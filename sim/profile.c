/* profile.c: see profile.h. */
#include "sim/profile.h"

#include <math.h>
#include <stdlib.h>

const char *ho_idle_cause_name(ho_idle_cause c) {
  static const char *const names[] = {"data", "launch", "memory", "time", "no work"};
  return names[c];
}

const char *ho_profile_advice(ho_bottleneck b) {
  static const char *const texts[] = {
      "kernels are what takes the time: lower precision, fusion, or sharing the batch among devices (split) shortens the path",
      "copies are what takes the time: place readers where tensors are made, fuse across the cut, or cut where tensors are small",
      "launching is what takes the time: fuse small ops, or launch the whole graph at once",
      "waiting for memory is what takes the time: recompute or offload activations, or use a device with more room"};
  return texts[b];
}

/* ---- gaps ----------------------------------------------------------------------------------------------------------------------- */
typedef struct {
  int32_t entry;
  double from, to; /* of its kernel */
} kernel;

static int by_start(const void *a, const void *b) {
  const kernel *x = a, *y = b;
  if (x->from != y->from) return x->from < y->from ? -1 : 1;
  return x->entry < y->entry ? -1 : x->entry > y->entry;
}

/* What the op waited for until it started. */
static ho_idle_cause cause_of(const ho_replay_result *r, int32_t entry) {
  const ho_replay_op *t = &r->op[entry];
  const ho_entry *e = &r->plan->entry[entry];
  double gate = fmax(e->not_before, r->problem->graph->op[e->op].release), eps = 1e-12 * r->figures.latency;
  double last = fmax(fmax(t->ready, t->launched), gate);
  if (t->start > last + eps) return HO_IDLE_MEMORY;
  if (t->ready >= last - eps && t->ready > 0) return HO_IDLE_DATA;
  return t->launched >= last - eps && t->launched > 0 ? HO_IDLE_LAUNCH : HO_IDLE_TIME;
}

static void add_busy(double *over, double makespan, double from, double to) {
  double piece = makespan / HO_PROFILE_BINS;
  for (int b = 0; b < HO_PROFILE_BINS && piece > 0; b++) {
    double low = fmax(from, b * piece), high = fmin(to, (b + 1) * piece);
    if (high > low) over[b] += (high - low) / piece;
  }
}

/* Kernels of one device in order of start: busy where one or more run, and the gaps between. */
static void account_device(const ho_replay_result *r, const kernel *list, int32_t n, ho_profile_device *out) {
  double makespan = r->figures.latency, reached = 0;
  for (int32_t i = 0; i < n; i++) {
    const kernel *k = &list[i];
    if (k->from > reached) {
      double started = fmax(reached, fmin(r->op[k->entry].start, k->from));
      out->idle[cause_of(r, k->entry)] += started - reached;
      out->idle[HO_IDLE_LAUNCH] += k->from - started;
      reached = k->from;
    }
    if (k->to > reached) {
      out->busy += k->to - reached;
      add_busy(out->over, makespan, reached, k->to);
      reached = k->to;
    }
  }
  out->idle[HO_IDLE_NO_WORK] += fmax(0, makespan - reached);
}

static void account_devices(const ho_replay_result *r, ho_profile *p) {
  g_autofree kernel *list = g_new(kernel, (size_t)p->n_entries + 1);
  double all = 0;
  for (ho_device d = 0; d < p->n_devices; d++) {
    int32_t n = 0;
    for (int32_t i = 0; i < p->n_entries; i++) {
      if (r->plan->entry[i].device != d) continue;
      list[n++] = (kernel){i, r->op[i].kernel, r->op[i].end};
      p->device[d].load += r->op[i].end - r->op[i].kernel;
    }
    qsort(list, (size_t)n, sizeof *list, by_start);
    account_device(r, list, n, &p->device[d]);
    all += p->device[d].load;
  }
  for (ho_device d = 0; d < p->n_devices; d++) p->device[d].load = all > 0 ? p->device[d].load / all : 0;
}

/* ---- slow-down and links --------------------------------------------------------------------------------------------------------- */
static void account_slowdown(const ho_replay_result *r, ho_profile *p) {
  const ho_problem *q = r->problem;
  g_autofree int8_t *precision = g_new(int8_t, (size_t)q->graph->n_ops + 1);
  for (int32_t i = 0; i < p->n_entries; i++) {
    const ho_entry *e = &r->plan->entry[i];
    int8_t own = e->precision != HO_DTYPE_NONE ? e->precision : (int8_t)ho_cost_default_precision(q->cost, e->op, e->device);
    if (e->copy == 0) precision[e->op] = own;
  }
  for (int32_t i = 0; i < p->n_entries; i++) {
    const ho_entry *e = &r->plan->entry[i];
    ho_dtype own = e->precision != HO_DTYPE_NONE ? (ho_dtype)e->precision : ho_cost_default_precision(q->cost, e->op, e->device);
    double alone = ho_cost_kernel_in(q->cost, e->op, e->device, own, e->point, precision).time;
    p->slowdown[i] = alone > 0 ? (r->op[i].end - r->op[i].kernel) / alone : 1;
  }
}

/* The pieces of time in which some transfer is on a link, overlaps once. */
static void account_links(const ho_replay_result *r, ho_profile *p) {
  const ho_platform *platform = r->problem->platform;
  g_autofree double *reached = g_new0(double, (size_t)p->n_links + 1);
  for (int32_t i = 0; i < p->n_transfers; i++) { /* in order of start */
    const ho_replay_transfer *t = &r->transfer[i];
    double alone = ho_copy_time(platform, t->from, t->to, t->bytes);
    p->transfer_slowdown[i] = alone > 0 ? (t->end - t->start) / alone : 1;
    const ho_route *route = ho_platform_route(platform, t->from, t->to);
    for (int32_t h = 0; h < route->n; h++) {
      ho_link l = route->hop[h].link;
      double from = fmax(t->start, reached[l]);
      if (t->end <= from) continue;
      add_busy(p->link[l], r->figures.latency, from, t->end);
      reached[l] = t->end;
    }
  }
}

/* ---- speed-up -------------------------------------------------------------------------------------------------------------------- */
static double time_alone(const ho_problem *q, ho_replay *replay, ho_device d) {
  const ho_graph *g = q->graph;
  g_autofree ho_entry *entries = g_new0(ho_entry, (size_t)g->n_ops + 1);
  ho_plan plan = {.n = g->n_ops, .entry = entries, .variant = NULL};
  for (int32_t i = 0; i < g->n_ops; i++) {
    if (!ho_cost_can_run(q->cost, g->topo[i], d)) return INFINITY;
    entries[i] = (ho_entry){.op = g->topo[i], .device = (int16_t)d, .precision = HO_DTYPE_NONE};
  }
  const ho_replay_result *r = ho_replay_run(replay, &plan, NULL, NULL);
  return r ? r->figures.latency : INFINITY;
}

static void account_speedup(const ho_replay_result *r, ho_profile *p) {
  ho_problem q = *r->problem;
  q.variant = NULL; /* the rewritten graph by itself */
  g_autoptr(ho_replay) replay = ho_replay_new(&q);
  p->fastest_alone = INFINITY;
  for (ho_device d = 0; d < p->n_devices; d++) {
    p->device[d].alone = time_alone(&q, replay, d);
    p->fastest_alone = fmin(p->fastest_alone, p->device[d].alone);
  }
  p->longest_path = ho_problem_critical_path(&q);
}

ho_profile *ho_profile_new(const ho_replay_result *r) {
  ho_profile *p = g_new0(ho_profile, 1);
  p->n_devices = r->problem->platform->n_devices;
  p->n_links = r->problem->platform->n_links;
  p->n_entries = r->plan->n;
  p->n_transfers = r->n_transfers;
  p->device = g_new0(ho_profile_device, (size_t)p->n_devices + 1);
  p->link = g_malloc0(sizeof *p->link * ((size_t)p->n_links + 1));
  p->slowdown = g_new0(double, (size_t)p->n_entries + 1);
  p->transfer_slowdown = g_new0(double, (size_t)p->n_transfers + 1);
  account_devices(r, p);
  account_slowdown(r, p);
  account_links(r, p);
  account_speedup(r, p);
  return p;
}

void ho_profile_free(ho_profile *p) {
  if (!p) return;
  g_free(p->device);
  g_free(p->link);
  g_free(p->slowdown);
  g_free(p->transfer_slowdown);
  g_free(p);
}
