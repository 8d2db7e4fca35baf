/* platform.c: `heteroopt platform info`: what a platform is read as, after profiles and overrides. */
#include <math.h>

#include "base/units.h"
#include "cli/command.h"
#include "hwprofiles/platform_yaml.h"

static const char *vertex_name(const ho_platform *p, int32_t v) {
  return v < p->n_memories ? p->memory[v].name : p->switch_name[v - p->n_memories];
}

static json_t *device_json(const ho_platform *p, const ho_device_info *d) {
  json_t *peak = json_object(), *points = json_array();
  for (int t = 0; t < HO_N_PRECISIONS; t++)
    if (d->peak[t] > 0) json_object_set_new(peak, ho_dtype_name((ho_dtype)t), ho_cli_number(d->peak[t]));
  for (int32_t i = 0; i < d->n_points; i++)
    json_array_append_new(
        points, json_pack("{s:s, s:f, s:f}", "name", d->point[i].name, "speed", d->point[i].speed, "power", d->point[i].power));
  json_t *j = json_pack("{s:s, s:s*, s:s, s:s}", "name", d->name, "profile", d->profile, "kind", ho_device_kind_name(d->kind),
                        "memory", p->memory[d->memory].name);
  json_object_set_new(j, "peak", peak);
  json_object_set_new(j, "bandwidth", ho_cli_number(d->bandwidth));
  json_object_set_new(j, "memory_efficiency", json_real(d->memory_efficiency));
  json_object_set_new(j, "streams", json_integer(d->streams));
  json_object_set_new(j, "sharing", json_string(ho_sharing_name(d->sharing)));
  json_object_set_new(
      j, "launch",
      json_pack("{s:s, s:f, s:f}", "mode", ho_launch_mode_name(d->launch), "host", d->launch_host, "device", d->launch_device));
  json_object_set_new(j, "copy_engines", json_integer(d->copy_engines));
  json_t *power = json_pack("{s:f, s:f}", "idle", d->idle, "peak", d->peak_power);
  if (!isnan(d->busy)) json_object_set_new(power, "busy", json_real(d->busy));
  json_object_set_new(j, "power", power);
  json_object_set_new(j, "points", points);
  json_object_set_new(j, "estimated", json_boolean(d->estimated));
  return j;
}

static json_t *info_json(const ho_platform *p) {
  json_t *devices = json_array(), *memories = json_array(), *links = json_array(), *switches = json_array();
  for (int32_t i = 0; i < p->n_devices; i++) json_array_append_new(devices, device_json(p, &p->device[i]));
  for (int32_t i = 0; i < p->n_memories; i++)
    json_array_append_new(
        memories, json_pack("{s:s, s:o, s:o}", "name", p->memory[i].name, "capacity", ho_cli_number(p->memory[i].capacity),
                            "bandwidth", ho_cli_number(p->memory[i].bandwidth)));
  for (int32_t i = 0; i < p->n_switches; i++) json_array_append_new(switches, json_string(p->switch_name[i]));
  for (int32_t i = 0; i < p->n_links; i++) {
    const ho_link_info *l = &p->link[i];
    json_array_append_new(
        links, json_pack("{s:s, s:[s,s], s:o, s:f, s:s, s:f}", "name", l->name, "ends", vertex_name(p, l->ends[0]),
                         vertex_name(p, l->ends[1]), "bandwidth", ho_cli_number(l->bandwidth), "latency", l->latency, "duplex",
                         ho_duplex_name(l->duplex), "energy", l->energy));
  }
  return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:s}", "name", p->name, "digest", p->digest, "host",
                   p->memory[p->host].name, "devices", devices, "memories", memories, "switches", switches, "links", links,
                   "contention", ho_contention_name(p->contention));
}

/* "26.0 TOP/s" for integers, "19.5 TFLOP/s" otherwise; g_free. */
static char *peak_text(ho_dtype t, double peak) {
  g_autofree char *text = ho_unit_format(peak, HO_UNIT_FLOPS);
  if (t != HO_INT8 && t != HO_INT4) return g_steal_pointer(&text);
  g_auto(GStrv) around = g_strsplit(text, "FLOP", 2);
  return g_strjoinv("OP", around);
}

static void device_text(const ho_platform *p, const ho_device_info *d, GString *out) {
  g_string_append_printf(out, "device  %-8s %-7s in %-8s", d->name, ho_device_kind_name(d->kind), p->memory[d->memory].name);
  for (int t = 0; t < HO_N_PRECISIONS; t++)
    if (d->peak[t] > 0) {
      g_autofree char *peak = peak_text((ho_dtype)t, d->peak[t]);
      g_string_append_printf(out, " %s %s,", ho_dtype_name((ho_dtype)t), peak);
    }
  g_autofree char *bandwidth = ho_unit_format(d->bandwidth, HO_UNIT_BANDWIDTH);
  g_string_append_printf(out, " %s · %d stream%s · %.4g to %.4g W", bandwidth, d->streams, d->streams == 1 ? "" : "s", d->idle,
                         d->peak_power);
  if (d->profile) g_string_append_printf(out, " · %s", d->profile);
  if (d->estimated) g_string_append(out, " (some numbers estimated)");
  g_string_append_c(out, '\n');
}

static void info_text(const ho_platform *p, GString *out) {
  g_string_append_printf(out, "%s: %d devices, %d memories, %d links, contention %s\n", p->name, p->n_devices, p->n_memories,
                         p->n_links, ho_contention_name(p->contention));
  for (int32_t i = 0; i < p->n_devices; i++) device_text(p, &p->device[i], out);
  for (int32_t i = 0; i < p->n_memories; i++) {
    g_autofree char *capacity = ho_unit_format(p->memory[i].capacity, HO_UNIT_BYTES);
    g_autofree char *bandwidth = ho_unit_format(p->memory[i].bandwidth, HO_UNIT_BANDWIDTH);
    g_string_append_printf(out, "memory  %-8s %s at %s%s\n", p->memory[i].name, capacity, bandwidth,
                           i == p->host ? " (host)" : "");
  }
  for (int32_t i = 0; i < p->n_links; i++) {
    const ho_link_info *l = &p->link[i];
    g_autofree char *bandwidth = ho_unit_format(l->bandwidth, HO_UNIT_BANDWIDTH);
    g_autofree char *latency = ho_unit_format(l->latency, HO_UNIT_SECONDS);
    g_string_append_printf(out, "link    %-8s %s - %s: %s, %s, %s\n", l->name, vertex_name(p, l->ends[0]),
                           vertex_name(p, l->ends[1]), bandwidth, latency, ho_duplex_name(l->duplex));
  }
}

static gboolean run(const ho_command *self, int argc, char **argv, GString *out, GError **error) {
  gboolean json = FALSE;
  const GOptionEntry entries[] = {{"json", 0, 0, G_OPTION_ARG_NONE, &json, "print one JSON object", NULL}, {NULL}};
  ho_cli_parsed parsed = ho_cli_parse(self, entries, &argc, argv, 2, 2, out, error);
  if (parsed != HO_CLI_GO) return parsed == HO_CLI_DONE;
  const char *const actions[] = {"info", NULL};
  if (ho_cli_choice("platform", argv[1], actions, error) < 0) return FALSE;
  g_autoptr(ho_platform) p = ho_platform_load(argv[2], error);
  if (!p) return FALSE;
  if (json) {
    ho_cli_json(out, info_json(p));
  } else {
    info_text(p, out);
  }
  return TRUE;
}

const ho_command ho_command_platform = {
    .name = "platform",
    .arguments = "info P",
    .summary = "what a platform is read as, profiles and overrides applied",
    .details =
        "P is a YAML file or the name of an installed platform.\n\n"
        "Example:\n"
        "  heteroopt platform info workstation",
    .run = run,
};
