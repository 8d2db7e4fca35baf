/* profile.c: see profile.h. */
#include "cli/profile.h"

#include <math.h>
#include <string.h>

#include "base/units.h"
#include "cli/explain.h"
#include "cli/profile_path.h"

#define MOST_SLOWED 5

static void put_seconds(GString *out, double seconds, int width) {
  g_autofree char *text = ho_unit_format(seconds, HO_UNIT_SECONDS);
  g_string_append_printf(out, "%*s", width, seconds > 0 ? text : "-");
}

static void device_table(const ho_replay_result *r, const ho_profile *p, GString *out) {
  g_string_append_printf(out, "%-12s%10s%8s", "device", "busy", "load");
  for (int c = 0; c < HO_N_IDLE_CAUSES; c++) g_string_append_printf(out, "%10s", ho_idle_cause_name((ho_idle_cause)c));
  g_string_append(out, "   idle for want of\n");
  for (ho_device d = 0; d < p->n_devices; d++) {
    const ho_profile_device *x = &p->device[d];
    g_string_append_printf(out, "%-12s", r->problem->platform->device[d].name);
    put_seconds(out, x->busy, 10);
    g_string_append_printf(out, "%6.1f %%", 100 * x->load);
    for (int c = 0; c < HO_N_IDLE_CAUSES; c++) put_seconds(out, x->idle[c], 10);
    g_string_append_c(out, '\n');
  }
}

/* The largest of n slow-downs that is not in `taken`; -1: none is above 1.01. */
static int32_t most_slowed(const double *slowdown, int32_t n, const guint8 *taken) {
  int32_t most = -1;
  for (int32_t i = 0; i < n; i++)
    if (!taken[i] && slowdown[i] > 1.01 && (most < 0 || slowdown[i] > slowdown[most])) most = i;
  return most;
}

static void slowed_ops(const ho_replay_result *r, const ho_profile *p, GString *out) {
  g_autofree guint8 *taken = g_malloc0((gsize)p->n_entries + 1);
  for (int k = 0; k < MOST_SLOWED; k++) {
    int32_t i = most_slowed(p->slowdown, p->n_entries, taken);
    if (i < 0) break;
    taken[i] = 1;
    const ho_entry *e = &r->plan->entry[i];
    g_string_append_printf(out, "%s%s on %s %.2f x", k ? ", " : "slowed by sharing: ", r->problem->graph->op[e->op].name,
                           r->problem->platform->device[e->device].name, p->slowdown[i]);
  }
  g_string_append(out, most_slowed(p->slowdown, p->n_entries, taken) < 0 && !memchr(taken, 1, (size_t)p->n_entries)
                           ? "slowed by sharing: no kernel\n"
                           : "\n");
}

static void slowed_transfers(const ho_replay_result *r, const ho_profile *p, GString *out) {
  double sum = 0, alone = 0;
  for (int32_t i = 0; i < p->n_transfers; i++) {
    sum += r->transfer[i].end - r->transfer[i].start;
    alone += (r->transfer[i].end - r->transfer[i].start) / fmax(p->transfer_slowdown[i], 1e-300);
  }
  if (p->n_transfers > 0 && alone > 0)
    g_string_append_printf(out, "transfers: %d, together %.2f times as long as alone\n", p->n_transfers, sum / alone);
}

void ho_cli_profile(ho_replay *replay, const ho_replay_result *r, const ho_profile *p, GString *out) {
  double latency = r->figures.latency;
  device_table(r, p, out);
  slowed_ops(r, p, out);
  slowed_transfers(r, p, out);
  if (isfinite(p->fastest_alone) && latency > 0) {
    g_string_append(out, "speed-up:");
    for (ho_device d = 0; d < p->n_devices; d++)
      if (isfinite(p->device[d].alone))
        g_string_append_printf(out, " %.2f over %s alone,", p->device[d].alone / latency, r->problem->platform->device[d].name);
    if (p->longest_path > 0)
      g_string_append_printf(out, " at most %.2f over the best (longest path)\n", p->fastest_alone / p->longest_path);
  }
  ho_cli_path(replay, r, out);
  ho_cli_energy(r, out);
  ho_cli_arena(replay, r, out);
  g_string_append_printf(out, "bottleneck: %s: %s\n", ho_cli_bottleneck_name(r->bottleneck), ho_profile_advice(r->bottleneck));
}

static json_t *numbers(const double *x, int32_t n) {
  json_t *list = json_array();
  for (int32_t i = 0; i < n; i++) json_array_append_new(list, json_real(x[i]));
  return list;
}

json_t *ho_cli_profile_json(ho_replay *replay, const ho_replay_result *r, const ho_profile *p) {
  const ho_platform *platform = r->problem->platform;
  json_t *devices = json_object(), *links = json_object(), *j = json_object();
  for (ho_device d = 0; d < p->n_devices; d++) {
    const ho_profile_device *x = &p->device[d];
    json_t *idle = json_object();
    for (int c = 0; c < HO_N_IDLE_CAUSES; c++)
      json_object_set_new(idle, ho_idle_cause_name((ho_idle_cause)c), json_real(x->idle[c]));
    json_t *one = json_pack("{s:f, s:o, s:f, s:o}", "busy", x->busy, "idle", idle, "load", x->load, "utilisation",
                            numbers(x->over, HO_PROFILE_BINS));
    json_object_set_new(one, "energy", ho_cli_energy_json(r, d));
    if (isfinite(x->alone)) json_object_set_new(one, "alone", json_real(x->alone));
    json_object_set_new(devices, platform->device[d].name, one);
  }
  for (ho_link l = 0; l < p->n_links; l++)
    if (r->link[l].bytes > 0) json_object_set_new(links, platform->link[l].name, numbers(p->link[l], HO_PROFILE_BINS));
  json_object_set_new(j, "devices", devices);
  json_object_set_new(j, "links", links);
  json_object_set_new(j, "critical_path", ho_cli_path_json(replay, r));
  json_object_set_new(j, "energy", ho_cli_energy_json(r, -1));
  json_object_set_new(j, "memory", ho_cli_arena_json(replay, r));
  json_object_set_new(j, "op_slowdown", numbers(p->slowdown, p->n_entries));
  json_object_set_new(j, "transfer_slowdown", numbers(p->transfer_slowdown, p->n_transfers));
  if (isfinite(p->fastest_alone)) json_object_set_new(j, "fastest_alone", json_real(p->fastest_alone));
  json_object_set_new(j, "longest_path", json_real(p->longest_path));
  json_object_set_new(j, "advice", json_string(ho_profile_advice(r->bottleneck)));
  return j;
}
