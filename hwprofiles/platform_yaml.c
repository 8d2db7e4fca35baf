/* platform_yaml.c: see platform_yaml.h. From the texts of a platform file to a checked ho_platform. */
#include "hwprofiles/platform_yaml.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/units.h"
#include "hwprofiles/device_yaml.h"
#include "hwprofiles/platform_digest.h"
#include "hwprofiles/profile.h"
#include "hwprofiles/routes.h"

/* A platform being read. The arrays are those of `p`, still writable. */
typedef struct {
  const ho_yaml *yaml;
  const ho_raw_platform *raw;
  ho_arena *arena;
  ho_platform *p;
  ho_device_info *device;
  ho_memory_info *memory;
  const char **switch_name;
  ho_link_info *link;
  uint8_t *direct;
  GError **error;
} reader;

static gboolean fail_at(const reader *r, const char *list, uint32_t i, const char *key, const char *format, ...)
    G_GNUC_PRINTF(5, 6);

static gboolean fail_at(const reader *r, const char *list, uint32_t i, const char *key, const char *format, ...) {
  va_list args;
  va_start(args, format);
  g_autofree char *message = g_strdup_vprintf(format, args);
  va_end(args);
  g_autofree char *path = g_strdup_printf("%s[%u]%s%s", list, i, *key ? "." : "", key);
  return ho_yaml_fail(r->yaml, r->error, path, "%s", message);
}

/* A quantity of entry i of a list; absent: unchanged. */
static gboolean quantity(const reader *r, const char *list, uint32_t i, const char *key, const char *text, ho_unit unit,
                         double *out) {
  if (!text) return TRUE;
  g_autoptr(GError) fault = NULL;
  if (ho_unit_parse(text, unit, out, &fault)) return TRUE;
  return fail_at(r, list, i, key, "%s", fault->message);
}

static gboolean positive(const reader *r, const char *list, uint32_t i, const char *key, const char *text, ho_unit unit,
                         double *out) {
  if (!quantity(r, list, i, key, text, unit, out)) return FALSE;
  return *out > 0 || fail_at(r, list, i, key, "found %s, expected more than 0", text);
}

/* ---- names ---- */

/* Index of a memory (0 …) or switch (n_memories …) among what has been read; -1. */
static int32_t find_vertex(const reader *r, const char *name) {
  for (int32_t m = 0; m < r->p->n_memories; m++)
    if (!strcmp(r->memory[m].name, name)) return m;
  for (int32_t s = 0; s < r->p->n_switches; s++)
    if (!strcmp(r->switch_name[s], name)) return r->p->n_memories + s;
  return -1;
}

/* "(did you mean 'hbm0'?)" among the memories, and the switches when `switches`. g_free. */
static char *hint(const reader *r, const char *name, gboolean switches) {
  g_autoptr(GPtrArray) names = g_ptr_array_new();
  for (int32_t m = 0; m < r->p->n_memories; m++) g_ptr_array_add(names, (gpointer)r->memory[m].name);
  for (int32_t s = 0; switches && s < r->p->n_switches; s++) g_ptr_array_add(names, (gpointer)r->switch_name[s]);
  g_ptr_array_add(names, NULL);
  const char *near = ho_did_you_mean(name, (const char *const *)names->pdata);
  return near ? g_strdup_printf(" (did you mean '%s'?)", near) : g_strdup("");
}

/* A memory by name, or an error at `path`. */
static ho_memory memory_named(const reader *r, const char *path, const char *name) {
  int32_t v = find_vertex(r, name);
  if (v >= 0 && v < r->p->n_memories) return v;
  g_autofree char *near = hint(r, name, FALSE), *shown = ho_printable(name);
  ho_yaml_fail(r->yaml, r->error, path, "no memory is called '%s'%s", shown, near);
  return -1;
}

/* ---- memories, switches, links ---- */

static gboolean read_memories(reader *r) {
  for (uint32_t i = 0; i < r->raw->memories_count; i++) {
    const ho_raw_memory *raw = &r->raw->memories[i];
    ho_memory_info *m = &r->memory[i];
    if (find_vertex(r, raw->name) >= 0)
      return fail_at(r, "memories", i, "name", "'%s' is taken, expected another name", raw->name);
    m->name = ho_arena_strdup(r->arena, raw->name);
    r->p->n_memories++;
    if (!positive(r, "memories", i, "capacity", raw->capacity, HO_UNIT_BYTES, &m->capacity) ||
        !positive(r, "memories", i, "bandwidth", raw->bandwidth, HO_UNIT_BANDWIDTH, &m->bandwidth))
      return FALSE;
    if (m->capacity >= 0x1p63)
      return fail_at(r, "memories", i, "capacity", "found %s, expected less than 2^63 bytes", raw->capacity);
  }
  return TRUE;
}

static gboolean read_switches(reader *r) {
  for (uint32_t i = 0; i < r->raw->switches_count; i++) {
    const char *name = r->raw->switches[i];
    if (find_vertex(r, name) >= 0) return fail_at(r, "switches", i, "", "'%s' is taken, expected another name", name);
    r->switch_name[i] = ho_arena_strdup(r->arena, name);
    r->p->n_switches++;
  }
  return TRUE;
}

static gboolean read_ends(const reader *r, uint32_t i, ho_link_info *l) {
  for (uint32_t e = 0; e < 2; e++) {
    const char *name = r->raw->links[i].ends[e];
    l->ends[e] = find_vertex(r, name);
    if (l->ends[e] >= 0) continue;
    g_autofree char *near = hint(r, name, TRUE), *shown = ho_printable(name);
    return fail_at(r, "links", i, "ends", "no memory or switch is called '%s'%s", shown, near);
  }
  return l->ends[0] != l->ends[1] ||
         fail_at(r, "links", i, "ends", "both are '%s', expected two different ones", r->raw->links[i].ends[0]);
}

static gboolean read_links(reader *r) {
  for (uint32_t i = 0; i < r->raw->links_count; i++) {
    const ho_raw_link *raw = &r->raw->links[i];
    ho_link_info *l = &r->link[i];
    for (uint32_t k = 0; k < i; k++)
      if (!strcmp(r->link[k].name, raw->name))
        return fail_at(r, "links", i, "name", "'%s' is taken, expected another name", raw->name);
    l->name = ho_arena_strdup(r->arena, raw->name);
    l->duplex = raw->duplex ? *raw->duplex : HO_DUPLEX_FULL;
    r->p->n_links++;
    if (!read_ends(r, i, l) || !positive(r, "links", i, "bandwidth", raw->bandwidth, HO_UNIT_BANDWIDTH, &l->bandwidth) ||
        !quantity(r, "links", i, "latency", raw->latency, HO_UNIT_SECONDS, &l->latency) ||
        !quantity(r, "links", i, "energy", raw->energy, HO_UNIT_JOULES, &l->energy))
      return FALSE;
  }
  return TRUE;
}

/* ---- devices ---- */

static gboolean apply_profile(const reader *r, const char *name, ho_device_place place, ho_device_info *d) {
  g_autofree char *file = ho_profile_file(name, ho_yaml_file(r->yaml));
  if (!file) {
    g_auto(GStrv) known = ho_device_list();
    const char *near = ho_did_you_mean(name, (const char *const *)known);
    g_autofree char *shown = ho_printable(name);
    return ho_device_fail(place, "profile", r->error, "no profile is called '%s'%s%s%s", shown, near ? " (did you mean '" : "",
                          near ? near : "", near ? "'?)" : "");
  }
  d->profile = ho_arena_strdup(r->arena, name);
  return ho_profile_apply(file, name, r->arena, d, r->error);
}

static gboolean read_device(const reader *r, uint32_t i) {
  const ho_raw_device *raw = &r->raw->devices[i];
  ho_device_info *d = &r->device[i];
  g_autofree char *path = g_strdup_printf("devices[%u]", i), *memory = g_strdup_printf("%s.memory", path);
  ho_device_place place = {r->yaml, path};
  *d = ho_device_defaults();
  for (uint32_t k = 0; k < i; k++)
    if (!strcmp(r->device[k].name, raw->name))
      return ho_device_fail(place, "name", r->error, "'%s' is taken, expected another name", raw->name);
  d->name = ho_arena_strdup(r->arena, raw->name);
  d->memory = memory_named(r, memory, raw->memory);
  if (d->memory < 0 || (raw->profile && !apply_profile(r, raw->profile, place, d))) return FALSE;
  return ho_device_apply(raw, place, r->arena, d, r->error) &&
         ho_device_finish(d, r->memory[d->memory].bandwidth, r->arena, place, r->error);
}

static gboolean read_devices(reader *r) {
  for (uint32_t i = 0; i < r->raw->devices_count; i++)
    if (!read_device(r, i)) return FALSE;
  r->p->n_devices = (int32_t)r->raw->devices_count;
  return TRUE;
}

/* ---- the whole ---- */

static gboolean read_host(reader *r) {
  r->p->host = r->raw->host ? memory_named(r, "host", r->raw->host) : 0;
  return r->p->host >= 0;
}

static gboolean read_pairs(reader *r) {
  int32_t n = r->p->n_memories;
  for (ho_memory m = 0; m < n; m++) r->direct[m * n + m] = r->direct[m * n + r->p->host] = r->direct[r->p->host * n + m] = 1;
  for (uint32_t i = 0; i < r->raw->peer_to_peer_count; i++) {
    char **pair = r->raw->peer_to_peer[i];
    g_autofree char *path = g_strdup_printf("peer_to_peer[%u]", i);
    ho_memory a = memory_named(r, path, pair[0]);
    ho_memory b = a < 0 ? -1 : memory_named(r, path, pair[1]);
    if (b < 0) return FALSE;
    if (a == b) return fail_at(r, "peer_to_peer", i, "", "both are '%s', expected two different memories", pair[0]);
    if (!ho_platform_route(r->p, a, b)->reachable && !ho_platform_route(r->p, b, a)->reachable)
      return fail_at(r, "peer_to_peer", i, "", "no links lead between '%s' and '%s', expected a way", pair[0], pair[1]);
    r->direct[a * n + b] = r->direct[b * n + a] = 1;
  }
  return TRUE;
}

static void allocate(reader *r) {
  const ho_raw_platform *raw = r->raw;
  ho_platform *p = r->p = ho_arena_alloc(r->arena, sizeof *p);
  p->arena = r->arena;
  p->memory = r->memory = ho_arena_new_array(r->arena, ho_memory_info, raw->memories_count);
  p->switch_name = r->switch_name = ho_arena_new_array(r->arena, const char *, raw->switches_count + 1);
  p->device = r->device = ho_arena_new_array(r->arena, ho_device_info, raw->devices_count);
  p->link = r->link = ho_arena_new_array(r->arena, ho_link_info, raw->links_count + 1);
  p->direct = r->direct = ho_arena_new_array(r->arena, uint8_t, raw->memories_count * raw->memories_count);
}

static gboolean read_platform(reader *r) {
  allocate(r);
  ho_platform *p = r->p;
  p->name = ho_arena_strdup(r->arena, r->raw->name);
  p->summary = ho_arena_strdup(r->arena, r->raw->summary);
  p->file = ho_arena_strdup(r->arena, ho_yaml_file(r->yaml));
  if (r->raw->contention) p->contention = *r->raw->contention;
  if (r->raw->dispatchers) p->dispatchers = *r->raw->dispatchers;
  if (r->raw->count_idle) p->count_idle = *r->raw->count_idle;
  if (!read_memories(r) || !read_switches(r) || !read_links(r) || !read_devices(r) || !read_host(r)) return FALSE;
  p->route = ho_routes_new(p->n_memories, p->n_memories + p->n_switches, p->link, p->n_links, r->arena);
  if (!read_pairs(r)) return FALSE;
  g_autofree char *digest = ho_platform_digest(p);
  p->digest = p->file_digest = ho_arena_strdup(r->arena, digest);
  return TRUE;
}

ho_platform *ho_platform_from_yaml(ho_yaml *y, GError **error) {
  void *data = NULL;
  if (!ho_yaml_check_format(y, NULL, HO_PLATFORM_FORMAT, error) || !ho_yaml_load(y, &ho_platform_schema, &data, error))
    return NULL;
  reader r = {.yaml = y, .raw = data, .arena = ho_arena_new(), .error = error};
  gboolean good = read_platform(&r);
  ho_yaml_release(&ho_platform_schema, data);
  if (good) return r.p;
  ho_arena_free(r.arena);
  return NULL;
}

/* ---- by name ---- */

static gboolean looks_like_file(const char *name) {
  return strchr(name, '/') || g_str_has_suffix(name, ".yaml") || g_str_has_suffix(name, ".yml");
}

ho_platform *ho_platform_load(const char *name, GError **error) {
  g_autofree char *file = looks_like_file(name) || !strcmp(name, "-") ? g_strdup(name) : ho_platform_file(name);
  if (!file && g_file_test(name, G_FILE_TEST_IS_REGULAR)) file = g_strdup(name);
  if (!file) {
    g_auto(GStrv) known = ho_platform_list();
    g_autofree char *list = g_strjoinv(", ", known), *shown = ho_printable(name);
    ho_fail(error, HO_ERROR_INPUT, "'%s' is neither a file nor an installed platform (%s)", shown, list);
    return NULL;
  }
  g_autoptr(ho_yaml) y = ho_yaml_open(file, error);
  return y ? ho_platform_from_yaml(y, error) : NULL;
}
