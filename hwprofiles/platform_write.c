/* platform_write.c: a platform as heteroopt-platform/1 with every device written out in full: what it was when it was used, whatever
 * becomes of the profiles it named. Reading the text gives the same digest. */
#include "base/units.h"
#include "hwprofiles/platform_yaml.h"

/* In double quotes, as YAML and JSON both read it. */
static void add_text(GString *out, const char *s) {
  g_string_append_c(out, '"');
  for (; *s; s++) {
    unsigned char c = (unsigned char)*s;
    if (c == '"' || c == '\\')
      g_string_append_printf(out, "\\%c", c);
    else if (c < 0x20 || c == 0x7f)
      g_string_append_printf(out, "\\x%02x", c);
    else
      g_string_append_c(out, (char)c);
  }
  g_string_append_c(out, '"');
}

static void add_number(GString *out, const char *key, double value) {
  char text[32];
  g_string_append_printf(out, "%s: %s", key, ho_double_text(value, text));
}

static void add_names(GString *out, const char *key, const char *const *names, int32_t n, const char *after) {
  g_string_append_printf(out, "%s: [", key);
  for (int32_t i = 0; i < n; i++) {
    if (i) g_string_append(out, ", ");
    add_text(out, names[i]);
  }
  g_string_append_printf(out, "]%s", after);
}

/* Every precision that has a value above 0: what is absent is 0, unless `all`. */
static void add_precisions(GString *out, const char *key, const double *value, int all) {
  const char *comma = "";
  g_string_append_printf(out, "%s: {", key);
  for (int p = 0; p < HO_N_PRECISIONS; p++) {
    if (!all && !(value[p] > 0)) continue;
    g_string_append(out, comma);
    add_number(out, ho_dtype_name((ho_dtype)p), value[p]);
    comma = ", ";
  }
  g_string_append_c(out, '}');
}

static int any(const double *value) {
  for (int p = 0; p < HO_N_PRECISIONS; p++)
    if (value[p] > 0) return 1;
  return 0;
}

static void add_efficiency_in(GString *out, const ho_device_info *d) {
  int lines = 0;
  for (int p = 0; p < HO_N_PRECISIONS; p++) {
    const char *before = "{";
    for (int f = 0; f < HO_N_FAMILIES; f++) {
      if (!(d->efficiency_in[p][f] > 0)) continue;
      if (*before == '{')
        g_string_append_printf(out, "%s      %s: ", lines++ ? "" : "    efficiency_in:\n", ho_dtype_name((ho_dtype)p));
      g_string_append(out, before);
      add_number(out, ho_family_name((ho_family)f), d->efficiency_in[p][f]);
      before = ", ";
    }
    if (*before == ',') g_string_append(out, "}\n");
  }
}

static void add_efficiency_memory(GString *out, const ho_device_info *d) {
  const char *before = "    efficiency_memory: {";
  for (int f = 0; f < HO_N_FAMILIES; f++) {
    if (!(d->memory_of[f] > 0)) continue;
    g_string_append(out, before);
    add_number(out, ho_family_name((ho_family)f), d->memory_of[f]);
    before = ", ";
  }
  if (*before == ',') g_string_append(out, "}\n");
}

static void add_supports(GString *out, const ho_device_info *d) {
  g_string_append(out, "    supports: {");
  if (d->n_kinds >= 0) add_names(out, "kinds", d->kinds, d->n_kinds, ", ");
  if (d->n_excluded > 0) add_names(out, "except", d->excluded, d->n_excluded, ", ");
  const char *precisions[HO_N_PRECISIONS];
  int32_t n = 0;
  for (int p = 0; p < HO_N_PRECISIONS; p++)
    if (d->precisions >> p & 1) precisions[n++] = ho_dtype_name((ho_dtype)p);
  add_names(out, "precisions", precisions, n, "}\n");
}

static void add_power(GString *out, const ho_device_info *d) {
  g_string_append(out, "    power: {");
  add_number(out, "idle", d->idle);
  if (!d->power_by_use) add_number(out, ", busy", d->busy);
  add_number(out, ", peak", d->peak_power);
  add_number(out, ", off", d->off);
  if (any(d->per_flop)) {
    g_string_append(out, ", ");
    add_precisions(out, "per_flop", d->per_flop, 0);
  }
  if (d->per_byte > 0) add_number(out, ", per_byte", d->per_byte);
  g_string_append(out, "}\n");
}

static void add_points(GString *out, const ho_device_info *d) {
  for (int32_t i = 1; i < d->n_points; i++) { /* the first is always there */
    g_string_append(out, i == 1 ? "    points:\n      - {name: " : "      - {name: ");
    add_text(out, d->point[i].name);
    add_number(out, ", speed", d->point[i].speed);
    add_number(out, ", power", d->point[i].power);
    g_string_append(out, "}\n");
  }
}

/* The keys that profiles and the devices of a platform share, four blanks in. */
static void add_keys(GString *out, const ho_device_info *d) {
  if (any(d->peak)) {
    g_string_append(out, "    ");
    add_precisions(out, "peak", d->peak, 0);
    g_string_append(out, "\n");
  }
  g_string_append(out, "    efficiency: {");
  for (int f = 0; f < HO_N_FAMILIES; f++) {
    add_number(out, ho_family_name((ho_family)f), d->efficiency[f]);
    g_string_append(out, ", ");
  }
  add_number(out, "memory", d->memory_efficiency);
  g_string_append(out, "}\n");
  add_efficiency_in(out, d);
  add_efficiency_memory(out, d);
  add_number(out, "    bandwidth", d->bandwidth);
  if (d->saturation > 0) add_number(out, "\n    saturation", d->saturation);
  g_string_append(out, "\n    ");
  add_precisions(out, "error", d->error, 1);
  g_string_append(out, "\n");
  add_supports(out, d);
  g_string_append_printf(out, "    launch: {mode: %s", ho_launch_mode_name(d->launch));
  add_number(out, ", host", d->launch_host);
  add_number(out, ", device", d->launch_device);
  g_string_append_printf(out, "}\n    streams: %d\n    sharing: %s\n    copy_engines: %d\n", d->streams,
                         ho_sharing_name(d->sharing), d->copy_engines);
  add_power(out, d);
  add_points(out, d);
  if (d->reconfigure > 0) {
    add_number(out, "    reconfigure", d->reconfigure);
    g_string_append(out, "\n");
  }
}

static void add_device(GString *out, const ho_platform *p, const ho_device_info *d) {
  g_string_append(out, "  - name: ");
  add_text(out, d->name);
  g_string_append_printf(out, "\n    kind: %s\n    memory: ", ho_device_kind_name(d->kind));
  add_text(out, p->memory[d->memory].name);
  g_string_append(out, "\n");
  add_keys(out, d);
}

static const char *vertex(const ho_platform *p, int32_t v) {
  return v < p->n_memories ? p->memory[v].name : p->switch_name[v - p->n_memories];
}

static void add_link(GString *out, const ho_platform *p, const ho_link_info *l) {
  g_string_append(out, "  - {name: ");
  add_text(out, l->name);
  const char *const ends[] = {vertex(p, l->ends[0]), vertex(p, l->ends[1])};
  add_names(out, ", ends", ends, 2, ", ");
  add_number(out, "bandwidth", l->bandwidth);
  add_number(out, ", latency", l->latency);
  g_string_append_printf(out, ", duplex: %s", ho_duplex_name(l->duplex));
  add_number(out, ", energy", l->energy);
  g_string_append(out, "}\n");
}

static void add_peers(GString *out, const ho_platform *p) {
  const char *before = "peer_to_peer: [";
  for (ho_memory a = 0; a < p->n_memories; a++)
    for (ho_memory b = a + 1; b < p->n_memories; b++) {
      if (a == p->host || b == p->host || !ho_platform_direct(p, a, b)) continue;
      const char *const pair[] = {p->memory[a].name, p->memory[b].name};
      g_string_append(out, before);
      g_string_append_c(out, '[');
      add_text(out, pair[0]);
      g_string_append(out, ", ");
      add_text(out, pair[1]);
      g_string_append_c(out, ']');
      before = ", ";
    }
  if (before[0] == ',') g_string_append(out, "]\n");
}

char *ho_platform_to_yaml(const ho_platform *p) {
  GString *out = g_string_new("format: heteroopt-platform/1\nname: ");
  add_text(out, p->name);
  g_string_append(out, "\nmemories:\n");
  for (ho_memory m = 0; m < p->n_memories; m++) {
    g_string_append(out, "  - {name: ");
    add_text(out, p->memory[m].name);
    add_number(out, ", capacity", p->memory[m].capacity);
    add_number(out, ", bandwidth", p->memory[m].bandwidth);
    g_string_append(out, "}\n");
  }
  if (p->n_switches > 0) add_names(out, "switches", p->switch_name, p->n_switches, "\n");
  g_string_append(out, "devices:\n");
  for (ho_device d = 0; d < p->n_devices; d++) add_device(out, p, &p->device[d]);
  if (p->n_links > 0) g_string_append(out, "links:\n");
  for (ho_link l = 0; l < p->n_links; l++) add_link(out, p, &p->link[l]);
  g_string_append(out, "host: ");
  add_text(out, p->memory[p->host].name);
  g_string_append_c(out, '\n');
  add_peers(out, p);
  g_string_append_printf(out, "contention: %s\ndispatchers: %s\ncount_idle: %s\n", ho_contention_name(p->contention),
                         ho_dispatch_name(p->dispatchers), ho_idle_name(p->count_idle));
  return g_string_free(out, FALSE);
}

char *ho_profile_to_yaml(const ho_device_info *d, const char *name, const char *summary) {
  GString *out = g_string_new("format: heteroopt-device/1\nname: ");
  add_text(out, name);
  g_string_append(out, "\nsummary: ");
  add_text(out, summary);
  g_string_append_printf(out, "\nkind: %s\n", ho_device_kind_name(d->kind));
  g_autoptr(GString) keys = g_string_new("\n");
  add_keys(keys, d);
  g_string_replace(keys, "\n    ", "\n", 0);
  g_string_append(out, keys->str + 1);
  if (d->measured_with) {
    g_string_append(out, "measured_with: ");
    add_text(out, d->measured_with);
    g_string_append_c(out, '\n');
  }
  g_string_append_printf(out, "estimated: %s\n", d->estimated ? "true" : "false");
  return g_string_free(out, FALSE);
}
