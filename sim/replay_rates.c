/* replay_rates.c: see rates.h. Goes through the kernels and transfers of a run that is over: at each instant first what ends, then what
 * starts, then one solution of the rates, as the run itself did. */
#include <math.h>
#include <stdlib.h>

#include "sim/rates.h"
#include "sim/replay_state.h"

typedef struct {
  double time;
  int32_t starts;   /* 0: it ends */
  int32_t activity; /* entry, or n_entries + copy */
} change;

typedef struct {
  ho_replay *r;
  ho_rates *out;
  change *list;
  int32_t n;
  int32_t *running, n_running; /* activities */
  int8_t *flows;               /* by activity: it is in the fluid */
  double *now;                 /* by curve, links first: its value at this instant */
} again;

static int by_time(const void *a, const void *b) {
  const change *x = a, *y = b;
  if (x->time != y->time) return x->time < y->time ? -1 : 1;
  if (x->starts != y->starts) return x->starts - y->starts;
  return (x->activity > y->activity) - (x->activity < y->activity);
}

static void list_change(again *g, double from, double to, int32_t activity) {
  if (!(to > from)) return;
  g->list[g->n++] = (change){from, 1, activity};
  g->list[g->n++] = (change){to, 0, activity};
}

static void list_changes(again *g) {
  const ho_replay *r = g->r;
  for (int32_t i = 0; i < r->n_entries; i++) list_change(g, r->times[i].kernel, r->times[i].end, i);
  for (int32_t x = 0; x < r->n_copies; x++) {
    const copy_t *c = &r->copy[x];
    double latency = r->q->platform->route[c->pair].latency * c->factor;
    list_change(g, c->start + latency, c->end, r->n_entries + x);
  }
  qsort(g->list, (size_t)g->n, sizeof *g->list, by_time);
}

static void start(again *g, const change *k) {
  ho_replay *r = g->r;
  int32_t x = k->activity - r->n_entries;
  g->running[g->n_running++] = k->activity;
  if (x < 0) {
    r->running_in[r->entry[k->activity].slot] = k->activity;
    g->flows[k->activity] = (int8_t)ho_ops_flow(r, k->activity, k->time);
    return;
  }
  const copy_t *c = &r->copy[x];
  double work = c->bytes * c->factor;
  g->flows[k->activity] = r->pair_fluid[c->pair] && work > 0;
  if (g->flows[k->activity]) ho_fluid_start(r->fluid, k->time, c->pair, work, x);
}

static int32_t class_of(const ho_replay *r, int32_t activity) {
  int32_t x = activity - r->n_entries;
  return x < 0 ? r->n_routes + r->entry[activity].slot : r->copy[x].pair;
}

static void end(again *g, const change *k) {
  ho_replay *r = g->r;
  int32_t i = 0;
  while (g->running[i] != k->activity) i++;
  g->running[i] = g->running[--g->n_running];
  if (k->activity < r->n_entries) r->running_in[r->entry[k->activity].slot] = -1;
  if (g->flows[k->activity]) ho_fluid_end(r->fluid, k->time, class_of(r, k->activity));
}

/* J of per-FLOP and per-byte energy that a kernel takes per second now. */
static double kernel_watts(const again *g, int32_t i) {
  const ho_replay *r = g->r;
  const entry_t *e = &r->entry[i];
  if (!g->flows[i]) return e->kernel->joules / (r->times[i].end - r->times[i].kernel);
  return e->kernel->joules / e->work * ho_fluid_rate(r->fluid, class_of(r, i));
}

static void add_transfer(again *g, int32_t x) {
  const ho_replay *r = g->r;
  const copy_t *c = &r->copy[x];
  const ho_route *route = &r->q->platform->route[c->pair];
  double rate = (g->flows[r->n_entries + x] ? ho_fluid_rate(r->fluid, c->pair) : route->bandwidth) / c->factor;
  for (int32_t h = 0; h < route->n; h++) g->now[2 * route->hop[h].link + route->hop[h].backward] += rate;
}

static double rest_watts(const ho_replay *r, ho_device d) {
  double horizon = fmax(r->now, r->q->graph->period);
  return horizon > 0 ? r->out_device[d].idle_energy / horizon : 0;
}

/* Values are kept where they change: at one instant the last one counts. */
static void add_point(GArray *curve, double time, double value) {
  ho_curve_point *last = curve->len ? &g_array_index(curve, ho_curve_point, curve->len - 1) : NULL;
  const ho_curve_point point = {time, value};
  if (!last || (last->value != value && last->time < time))
    g_array_append_val(curve, point);
  else if (last->time == time)
    last->value = value;
}

static void add_points(again *g, double time) {
  ho_replay *r = g->r;
  int32_t links = 2 * r->n_links;
  for (int32_t k = 0; k < links; k++) g->now[k] = 0;
  for (ho_device d = 0; d < r->n_devices; d++) {
    int by_memory;
    int busy = 0;
    for (int32_t s = r->slot_start[d]; s < r->slot_start[d + 1]; s++) busy |= r->running_in[s] >= 0;
    g->now[links + d] = rest_watts(r, d) + (busy ? ho_ops_power(r, d, &by_memory) : 0);
  }
  for (int32_t i = 0; i < g->n_running; i++) {
    int32_t a = g->running[i], x = a - r->n_entries;
    if (x < 0)
      g->now[links + r->entry[a].device] += kernel_watts(g, a);
    else
      add_transfer(g, x);
  }
  for (int32_t k = 0; k < links; k++) add_point(g->out->link[k], time, g->now[k]);
  for (ho_device d = 0; d < r->n_devices; d++) add_point(g->out->device[d], time, g->now[links + d]);
}

static void run_again(again *g) {
  ho_replay *r = g->r;
  ho_fluid_reset(r->fluid);
  for (int32_t s = 0; s < r->n_slots; s++) r->running_in[s] = -1;
  add_points(g, 0);
  for (int32_t k = 0; k < g->n;) {
    double time = g->list[k].time;
    for (; k < g->n && g->list[k].time == time; k++) {
      if (g->list[k].starts)
        start(g, &g->list[k]);
      else
        end(g, &g->list[k]);
    }
    ho_fluid_settle(r->fluid, time);
    add_points(g, time);
  }
}

ho_rates *ho_rates_new(ho_replay *r) {
  if (r->ran_inner) return ho_rates_new(r->inner);
  size_t n = (size_t)r->n_entries + (size_t)r->n_copies + 1;
  ho_rates *out = g_new0(ho_rates, 1);
  out->n_links = r->n_links;
  out->n_devices = r->n_devices;
  out->link = g_new(GArray *, 2 * (size_t)r->n_links + 1);
  out->device = g_new(GArray *, (size_t)r->n_devices + 1);
  for (int32_t k = 0; k < 2 * r->n_links; k++) out->link[k] = g_array_new(FALSE, FALSE, sizeof(ho_curve_point));
  for (ho_device d = 0; d < r->n_devices; d++) out->device[d] = g_array_new(FALSE, FALSE, sizeof(ho_curve_point));
  g_autofree change *list = g_new(change, 2 * n);
  g_autofree int32_t *running = g_new(int32_t, n);
  g_autofree int8_t *flows = g_new0(int8_t, n);
  g_autofree double *now = g_new0(double, 2 * (size_t)r->n_links + (size_t)r->n_devices + 1);
  again g = {.r = r, .out = out, .list = list, .running = running, .flows = flows, .now = now};
  list_changes(&g);
  run_again(&g);
  return out;
}

void ho_rates_free(ho_rates *rates) {
  if (!rates) return;
  for (int32_t k = 0; k < 2 * rates->n_links; k++) g_array_unref(rates->link[k]);
  for (ho_device d = 0; d < rates->n_devices; d++) g_array_unref(rates->device[d]);
  g_free(rates->link);
  g_free(rates->device);
  g_free(rates);
}

double ho_curve_integral(const GArray *curve, double until) {
  double sum = 0;
  for (guint i = 0; i < curve->len; i++) {
    const ho_curve_point *p = &g_array_index(curve, ho_curve_point, i);
    double next = i + 1 < curve->len ? g_array_index(curve, ho_curve_point, i + 1).time : until;
    sum += p->value * (fmin(next, until) - fmin(p->time, until));
  }
  return sum;
}
