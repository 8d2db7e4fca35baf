/* lanes.c: see lanes.h. */
#include "plots/lanes.h"

#include <math.h>
#include <stdlib.h>

/* The lowest lane of one direction whose last slice has ended. `ends`: GArray of double, one per lane. */
static int32_t take_lane(GArray *ends, double start, double end) {
  for (guint k = 0; k < ends->len; k++)
    if (g_array_index(ends, double, k) <= start) {
      g_array_index(ends, double, k) = end;
      return (int32_t)k;
    }
  g_array_append_val(ends, end);
  return (int32_t)ends->len - 1;
}

GArray *ho_link_slices(const ho_platform *p, const ho_replay_result *r, int32_t *lanes) {
  GArray *slices = g_array_new(FALSE, FALSE, sizeof(ho_link_slice));
  g_autoptr(GPtrArray) ends = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
  for (int32_t k = 0; k < 2 * p->n_links; k++) g_ptr_array_add(ends, g_array_new(FALSE, FALSE, sizeof(double)));
  for (int32_t i = 0; i < r->n_transfers; i++) {
    const ho_replay_transfer *t = &r->transfer[i];
    const ho_route *route = ho_platform_route(p, t->from, t->to);
    for (int32_t h = 0; h < route->n; h++) {
      ho_link_slice s = {route->hop[h].link, route->hop[h].backward, 0, i};
      s.lane = take_lane(g_ptr_array_index(ends, (guint)(2 * s.link + s.backward)), t->start, t->end);
      g_array_append_val(slices, s);
    }
  }
  for (int32_t k = 0; k < 2 * p->n_links; k++) lanes[k] = (int32_t)((GArray *)g_ptr_array_index(ends, (guint)k))->len;
  return slices;
}

/* A change of a curve's value at one instant. */
typedef struct {
  double time, by;
} change;

static int by_time(const void *a, const void *b) {
  const change *x = a, *y = b;
  if (x->time != y->time) return x->time < y->time ? -1 : 1;
  return (x->by > y->by) - (x->by < y->by); /* releases first: a peak that never was must not show */
}

static void add_change(GArray *changes, double from, double to, double by) {
  const change up = {from, by}, down = {to, -by};
  g_array_append_val(changes, up);
  g_array_append_val(changes, down);
}

/* Sums changes into a step curve that starts at `start` at time 0. Changes of one instant make one point. */
static GArray *sum_changes(GArray *changes, double start) {
  GArray *curve = g_array_new(FALSE, FALSE, sizeof(ho_curve_point));
  ho_curve_point now = {0, start};
  g_array_sort(changes, by_time);
  for (guint i = 0; i < changes->len; i++) {
    const change *c = &g_array_index(changes, change, i);
    if (c->time > now.time) {
      g_array_append_val(curve, now);
      now.time = c->time;
    }
    now.value += c->by;
  }
  g_array_append_val(curve, now);
  return curve;
}

GArray *ho_memory_curve(ho_replay *replay, ho_memory memory) {
  g_autoptr(GArray) changes = g_array_new(FALSE, FALSE, sizeof(change));
  const ho_replay_buffer *buffers;
  int32_t n = ho_replay_buffers(replay, &buffers);
  for (int32_t i = 0; i < n; i++)
    if (buffers[i].memory == memory && buffers[i].bytes > 0)
      add_change(changes, buffers[i].from, buffers[i].to, buffers[i].bytes);
  return sum_changes(changes, 0);
}

/* J that an entry's kernel would draw above idle, alone. */
static double alone_joules(const ho_problem *q, const ho_replay_result *r, int32_t i) {
  const ho_entry *e = &r->plan->entry[i];
  const ho_device_info *d = &q->platform->device[e->device];
  ho_dtype precision =
      e->precision == HO_DTYPE_NONE ? ho_cost_default_precision(q->cost, e->op, e->device) : (ho_dtype)e->precision;
  const ho_kernel k = ho_cost_kernel_at(q->cost, e->op, e->device, precision, e->point);
  double duration = r->op[i].end - r->op[i].kernel;
  double above_idle =
      d->power_by_use ? (d->peak_power - d->idle) * fmax(k.use, k.memory_time / fmax(k.time, 1e-30)) : d->busy - d->idle;
  return k.joules + above_idle * duration * d->point[e->point].power;
}

static void add_kernel_power(const ho_problem *q, const ho_replay_result *r, ho_device device, GArray *changes) {
  double sum = 0;
  for (int32_t i = 0; i < r->plan->n; i++)
    if (r->plan->entry[i].device == device && r->op[i].end > r->op[i].kernel) sum += alone_joules(q, r, i);
  if (!(sum > 0)) return;
  for (int32_t i = 0; i < r->plan->n; i++) {
    double duration = r->op[i].end - r->op[i].kernel;
    if (r->plan->entry[i].device == device && duration > 0)
      add_change(changes, r->op[i].kernel, r->op[i].end,
                 r->device[device].kernel_energy * alone_joules(q, r, i) / sum / duration);
  }
}

GArray *ho_power_curve(const ho_problem *q, const ho_replay_result *r, ho_device device) {
  g_autoptr(GArray) changes = g_array_new(FALSE, FALSE, sizeof(change));
  double horizon = fmax(r->figures.latency, q->graph->period), rest = 0;
  for (ho_device d = 0; d < q->platform->n_devices; d++) {
    if (device >= 0 && d != device) continue;
    if (horizon > 0) rest += r->device[d].idle_energy / horizon;
    add_kernel_power(q, r, d, changes);
  }
  return sum_changes(changes, rest);
}

double ho_curve_peak(const GArray *curve) {
  double peak = 0;
  for (guint i = 0; i < curve->len; i++) peak = MAX(peak, g_array_index(curve, ho_curve_point, i).value);
  return peak;
}
