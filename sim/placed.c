/* placed.c: see placed.h. */
#include "sim/placed.h"

#include <math.h>
#include <stdlib.h>

/* ---- edges ---------------------------------------------------------------------------------------------------------------------- */

static ho_memory memory_of(const ho_replay_result *r, int32_t entry) {
  return r->problem->platform->device[r->plan->entry[entry].device].memory;
}

/* Whether a copy had brought a tensor to the memory of entry i when it started: arrivals[tensor * n_memories + memory], s. */
static int came_by_copy(const ho_replay_result *r, const double *arrivals, ho_tensor t, int32_t i) {
  return arrivals[(size_t)t * (size_t)r->problem->platform->n_memories + (size_t)memory_of(r, i)] <= r->op[i].start;
}

static void count_edges(const ho_replay_result *r, ho_placed *p) {
  const ho_graph *g = r->problem->graph;
  size_t n = (size_t)g->n_tensors * (size_t)p->n_memories;
  g_autofree double *arrivals = g_new(double, n + 1);
  for (size_t k = 0; k < n; k++) arrivals[k] = INFINITY;
  for (int32_t i = 0; i < r->n_transfers; i++) {
    const ho_replay_transfer *t = &r->transfer[i];
    arrivals[(size_t)t->tensor * (size_t)p->n_memories + (size_t)t->to] = t->end;
    p->bytes += t->bytes;
  }
  p->copies = r->n_transfers;
  for (int32_t i = 0; i < r->plan->n; i++)
    for (ho_op o = r->plan->entry[i].op, k = g->in_start[o]; k < g->in_start[o + 1]; k++) {
      if (g->tensor[g->in[k]].producer < 0) continue;
      if (came_by_copy(r, arrivals, g->in[k], i))
        p->communication++;
      else
        p->data++;
    }
}

/* ---- contention ----------------------------------------------------------------------------------------------------------------- */

typedef struct {
  double *start, *end; /* s */
  int32_t n;
} spans;

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void add_span(spans *s, double start, double end) {
  if (!(end > start)) return;
  s->start[s->n] = start;
  s->end[s->n++] = end;
}

/* Pairs that overlap for some time; empties the list. */
static int64_t overlaps(spans *s) {
  int64_t pairs = 0;
  int32_t ended = 0;
  qsort(s->start, (size_t)s->n, sizeof *s->start, by_value);
  qsort(s->end, (size_t)s->n, sizeof *s->end, by_value);
  for (int32_t i = 0; i < s->n; i++) {
    while (s->end[ended] <= s->start[i]) ended++;
    pairs += i - ended;
  }
  s->n = 0;
  return pairs;
}

static void count_kernels(const ho_replay_result *r, spans *s, ho_placed *p) {
  const ho_device_info *device = r->problem->platform->device;
  for (ho_device d = 0; d < p->n_devices; d++) {
    for (int32_t i = 0; i < r->plan->n; i++)
      if (r->plan->entry[i].device == d) add_span(s, r->op[i].kernel, r->op[i].end);
    p->device[d] = overlaps(s);
  }
  for (ho_memory m = 0; m < p->n_memories; m++) {
    for (int32_t i = 0; i < r->plan->n; i++)
      if (memory_of(r, i) == m) add_span(s, r->op[i].kernel, r->op[i].end);
    p->memory[m] = overlaps(s);
    for (ho_device d = 0; d < p->n_devices; d++)
      if (device[d].memory == m) p->memory[m] -= p->device[d];
  }
}

/* Whether a transfer passes a link in that direction (backward -1: in any). */
static int passes(const ho_replay_result *r, const ho_replay_transfer *t, ho_link l, int backward) {
  const ho_route *route = ho_platform_route(r->problem->platform, t->from, t->to);
  for (int32_t h = 0; h < route->n; h++)
    if (route->hop[h].link == l && (backward < 0 || route->hop[h].backward == backward)) return 1;
  return 0;
}

static void count_transfers(const ho_replay_result *r, spans *s, ho_placed *p) {
  for (ho_link l = 0; l < p->n_links; l++) {
    int half = r->problem->platform->link[l].duplex == HO_DUPLEX_HALF;
    for (int backward = half ? -1 : 0; backward < (half ? 0 : 2); backward++) {
      for (int32_t i = 0; i < r->n_transfers; i++)
        if (passes(r, &r->transfer[i], l, backward)) add_span(s, r->transfer[i].start, r->transfer[i].end);
      p->link[l] += overlaps(s);
    }
  }
}

ho_placed *ho_placed_new(const ho_replay_result *r) {
  const ho_platform *platform = r->problem->platform;
  ho_placed *p = g_new0(ho_placed, 1);
  p->n_devices = platform->n_devices;
  p->n_memories = platform->n_memories;
  p->n_links = platform->n_links;
  p->device = g_new0(int64_t, (gsize)p->n_devices + 1);
  p->memory = g_new0(int64_t, (gsize)p->n_memories + 1);
  p->link = g_new0(int64_t, (gsize)p->n_links + 1);
  gsize n = (gsize)MAX(r->plan->n, r->n_transfers) + 1;
  g_autofree double *start = g_new(double, n);
  g_autofree double *end = g_new(double, n);
  spans s = {start, end, 0};
  count_edges(r, p);
  count_kernels(r, &s, p);
  count_transfers(r, &s, p);
  return p;
}

void ho_placed_free(ho_placed *p) {
  if (!p) return;
  g_free(p->device);
  g_free(p->memory);
  g_free(p->link);
  g_free(p);
}

/* ---- what if -------------------------------------------------------------------------------------------------------------------- */

/* Costs of kernels do not depend on what is changed here. */
static double makespan_on(const ho_replay_result *r, const ho_platform *changed) {
  ho_problem q = *r->problem;
  q.platform = changed;
  q.variant = NULL; /* the rewritten graph by itself */
  ho_plan plan = *r->plan;
  plan.variant = NULL;
  g_autoptr(ho_replay) replay = ho_replay_new(&q);
  const ho_replay_result *other = ho_replay_run(replay, &plan, NULL, NULL);
  return other ? other->figures.latency : INFINITY;
}

double ho_what_if_contention(const ho_replay_result *r, ho_contention contention) {
  ho_platform changed = *r->problem->platform;
  changed.contention = contention;
  return makespan_on(r, &changed);
}

double ho_what_if_launch(const ho_replay_result *r, ho_launch_mode launch) {
  ho_platform changed = *r->problem->platform;
  g_autofree ho_device_info *device = g_memdup2(changed.device, sizeof *device * (gsize)changed.n_devices);
  for (ho_device d = 0; d < changed.n_devices; d++) device[d].launch = launch;
  changed.device = device;
  return makespan_on(r, &changed);
}
