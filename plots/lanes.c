/* lanes.c: see lanes.h. */
#include "plots/lanes.h"

#include <stdlib.h>

const char *ho_vertex_name(const ho_platform *p, int32_t v) {
  return v < p->n_memories ? p->memory[v].name : p->switch_name[v - p->n_memories];
}

char *ho_direction_text(const ho_platform *p, ho_link link, int32_t backward) {
  const int32_t *ends = p->link[link].ends;
  return g_strdup_printf("%s to %s", ho_vertex_name(p, ends[backward]), ho_vertex_name(p, ends[1 - backward]));
}

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

void ho_first_slices(const GArray *slices, int32_t n_transfers, int32_t *first) {
  for (int32_t i = 0; i < n_transfers; i++) first[i] = -1;
  for (guint k = slices->len; k-- > 0;) first[g_array_index(slices, ho_link_slice, k).transfer] = (int32_t)k;
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

/* Sums changes into a step curve that starts at 0 at time 0. Changes of one instant make one point. */
static GArray *sum_changes(GArray *changes) {
  GArray *curve = g_array_new(FALSE, FALSE, sizeof(ho_curve_point));
  ho_curve_point now = {0, 0};
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
  return sum_changes(changes);
}

static int by_instant(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The instants at which some device's curve changes, each once, in order. */
static GArray *instants(const ho_rates *rates) {
  GArray *all = g_array_new(FALSE, FALSE, sizeof(double));
  for (ho_device d = 0; d < rates->n_devices; d++)
    for (guint i = 0; i < rates->device[d]->len; i++)
      g_array_append_val(all, g_array_index(rates->device[d], ho_curve_point, i).time);
  g_array_sort(all, by_instant);
  guint kept = 0;
  for (guint i = 0; i < all->len; i++) {
    double t = g_array_index(all, double, i);
    if (!kept || g_array_index(all, double, kept - 1) < t) g_array_index(all, double, kept++) = t;
  }
  g_array_set_size(all, kept);
  return all;
}

GArray *ho_power_curve(const ho_rates *rates) {
  g_autoptr(GArray) times = instants(rates);
  GArray *curve = g_array_sized_new(FALSE, FALSE, sizeof(ho_curve_point), times->len);
  g_autofree guint *at = g_new0(guint, (gsize)rates->n_devices + 1);
  for (guint i = 0; i < times->len; i++) {
    ho_curve_point sum = {g_array_index(times, double, i), 0};
    for (ho_device d = 0; d < rates->n_devices; d++) {
      const GArray *c = rates->device[d];
      while (at[d] + 1 < c->len && g_array_index(c, ho_curve_point, at[d] + 1).time <= sum.time) at[d]++;
      sum.value += g_array_index(c, ho_curve_point, at[d]).value;
    }
    g_array_append_val(curve, sum);
  }
  return curve;
}

double ho_curve_peak(const GArray *curve) {
  double peak = 0;
  for (guint i = 0; i < curve->len; i++) peak = MAX(peak, g_array_index(curve, ho_curve_point, i).value);
  return peak;
}
