/* device_yaml.c: see device_yaml.h. */
#include "hwprofiles/device_yaml.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/units.h"

#define MAX_STREAMS 32767 /* plans number them in 16 bits */
#define MAX_POINTS 127    /* and operating points in 8 */

/* One device being read. */
typedef struct {
  ho_device_place place;
  ho_arena *arena;
  GError **error;
} reader;

static char *full_path(ho_device_place place, const char *key) {
  return *place.path && *key ? g_strdup_printf("%s.%s", place.path, key) : g_strdup(*place.path ? place.path : key);
}

gboolean ho_device_fail(ho_device_place place, const char *key, GError **error, const char *format, ...) {
  va_list args;
  va_start(args, format);
  g_autofree char *message = g_strdup_vprintf(format, args);
  va_end(args);
  g_autofree char *path = full_path(place, key);
  return ho_yaml_fail(place.yaml, error, path, "%s", message);
}

/* ---- single values ---- */

/* A key that is absent (text NULL) leaves *out as it was. */
static gboolean number(const reader *r, const char *key, const char *text, ho_unit unit, double *out) {
  if (!text) return TRUE;
  g_autoptr(GError) fault = NULL;
  if (ho_unit_parse(text, unit, out, &fault)) return TRUE;
  return ho_device_fail(r->place, key, r->error, "%s", fault->message);
}

static gboolean positive(const reader *r, const char *key, const char *text, ho_unit unit, double *out) {
  if (!number(r, key, text, unit, out)) return FALSE;
  if (!text || *out > 0) return TRUE;
  return ho_device_fail(r->place, key, r->error, "found %s, expected more than 0", text);
}

static gboolean share(const reader *r, const char *key, const char *text, double *out) {
  if (!number(r, key, text, HO_UNIT_NONE, out)) return FALSE;
  if (!text || (*out > 0 && *out <= 1)) return TRUE;
  return ho_device_fail(r->place, key, r->error, "found %s, expected a share above 0 and at most 1", text);
}

/* ---- groups of keys ---- */

static gboolean by_precision(const reader *r, const char *group, const ho_raw_precisions *raw, ho_unit unit, double *out) {
  if (!raw) return TRUE;
  for (int p = 0; p < HO_N_PRECISIONS; p++) {
    if (!raw->at[p]) continue;
    g_autofree char *key = g_strdup_printf("%s.%s", group, ho_dtype_name((ho_dtype)p));
    if (!number(r, key, raw->at[p], unit, &out[p])) return FALSE;
  }
  return TRUE;
}

static gboolean efficiency(const reader *r, const ho_raw_efficiency *raw, ho_device_info *d) {
  if (!raw) return TRUE;
  for (int f = 0; f < HO_N_FAMILIES; f++) {
    if (!raw->family[f]) continue;
    g_autofree char *key = g_strdup_printf("efficiency.%s", ho_family_name((ho_family)f));
    if (!share(r, key, raw->family[f], &d->efficiency[f])) return FALSE;
  }
  return share(r, "efficiency.memory", raw->memory, &d->memory_efficiency);
}

static gboolean efficiency_in(const reader *r, const ho_raw_efficiency_in *raw, ho_device_info *d) {
  for (int p = 0; raw && p < HO_N_PRECISIONS; p++)
    for (int f = 0; raw->at[p] && f < HO_N_FAMILIES; f++) {
      g_autofree char *key = g_strdup_printf("efficiency_in.%s.%s", ho_dtype_name((ho_dtype)p), ho_family_name((ho_family)f));
      if (!share(r, key, raw->at[p]->family[f], &d->efficiency_in[p][f])) return FALSE;
    }
  return TRUE;
}

static gboolean efficiency_memory(const reader *r, const ho_raw_efficiency *raw, ho_device_info *d) {
  for (int f = 0; raw && f < HO_N_FAMILIES; f++) {
    g_autofree char *key = g_strdup_printf("efficiency_memory.%s", ho_family_name((ho_family)f));
    if (!share(r, key, raw->family[f], &d->memory_of[f])) return FALSE;
  }
  return TRUE;
}

static const char *const *copy_names(ho_arena *arena, char **names, uint32_t n) {
  const char **copy = ho_arena_new_array(arena, const char *, n + 1);
  for (uint32_t i = 0; i < n; i++) copy[i] = ho_arena_strdup(arena, names[i]);
  return copy;
}

static gboolean precision_set(const reader *r, const ho_raw_supports *raw, uint32_t *set) {
  *set = 0;
  for (uint32_t i = 0; i < raw->precisions_count; i++) {
    ho_dtype p = ho_dtype_parse(raw->precisions[i]);
    if (p == HO_DTYPE_NONE || p >= HO_N_PRECISIONS) {
      g_autofree char *known = g_strjoinv(", ", (char **)ho_precision_names());
      g_autofree char *shown = ho_printable(raw->precisions[i]);
      g_autofree char *key = g_strdup_printf("supports.precisions[%u]", i);
      return ho_device_fail(r->place, key, r->error, "found '%s', expected one of %s", shown, known);
    }
    *set |= 1u << p;
  }
  return TRUE;
}

static gboolean supports(const reader *r, const ho_raw_supports *raw, ho_device_info *d) {
  if (!raw) return TRUE;
  if (raw->kinds_count) {
    d->kinds = copy_names(r->arena, raw->kinds, raw->kinds_count);
    d->n_kinds = (int32_t)raw->kinds_count;
  }
  g_autofree char *except = full_path(r->place, "supports.except");
  if (ho_yaml_has(r->place.yaml, except)) {
    d->excluded = copy_names(r->arena, raw->except, raw->except_count);
    d->n_excluded = (int32_t)raw->except_count;
  }
  return !raw->precisions_count || precision_set(r, raw, &d->precisions);
}

static gboolean launch(const reader *r, const ho_raw_launch *raw, ho_device_info *d) {
  if (!raw) return TRUE;
  if (raw->mode) d->launch = *raw->mode;
  return number(r, "launch.host", raw->host, HO_UNIT_SECONDS, &d->launch_host) &&
         number(r, "launch.device", raw->device, HO_UNIT_SECONDS, &d->launch_device);
}

static gboolean power(const reader *r, const ho_raw_power *raw, ho_device_info *d) {
  if (!raw) return TRUE;
  return number(r, "power.idle", raw->idle, HO_UNIT_WATTS, &d->idle) &&
         number(r, "power.busy", raw->busy, HO_UNIT_WATTS, &d->busy) &&
         number(r, "power.peak", raw->peak, HO_UNIT_WATTS, &d->peak_power) &&
         number(r, "power.off", raw->off, HO_UNIT_WATTS, &d->off) &&
         number(r, "power.per_byte", raw->per_byte, HO_UNIT_JOULES, &d->per_byte) &&
         by_precision(r, "power.per_flop", raw->per_flop, HO_UNIT_JOULES, d->per_flop);
}

static gboolean point(const reader *r, const ho_raw_point *raw, uint32_t i, const ho_point *before, int32_t n, ho_point *out) {
  g_autofree char *name = g_strdup_printf("points[%u].name", i), *speed = g_strdup_printf("points[%u].speed", i);
  g_autofree char *watts = g_strdup_printf("points[%u].power", i), *shown = ho_printable(raw->name);
  for (int32_t k = 0; k < n; k++)
    if (!strcmp(before[k].name, raw->name))
      return ho_device_fail(r->place, name, r->error, "'%s' is %s, expected another name", shown, k ? "taken" : "always there");
  out->name = ho_arena_strdup(r->arena, raw->name);
  return positive(r, speed, raw->speed, HO_UNIT_NONE, &out->speed) && positive(r, watts, raw->power, HO_UNIT_NONE, &out->power);
}

/* A list replaces the whole list that was there; only the nominal point stays. */
static gboolean points(const reader *r, const ho_raw_device *raw, ho_device_info *d) {
  g_autofree char *path = full_path(r->place, "points");
  if (!ho_yaml_has(r->place.yaml, path)) return TRUE;
  if (raw->points_count > MAX_POINTS)
    return ho_device_fail(r->place, "points", r->error, "found %u entries, expected at most %d", raw->points_count, MAX_POINTS);
  ho_point *list = ho_arena_new_array(r->arena, ho_point, raw->points_count + 1);
  list[0] = d->point[0];
  for (uint32_t i = 0; i < raw->points_count; i++)
    if (!point(r, &raw->points[i], i, list, (int32_t)i + 1, &list[i + 1])) return FALSE;
  d->point = list;
  d->n_points = (int32_t)raw->points_count + 1;
  return TRUE;
}

static gboolean counts(const reader *r, const ho_raw_device *raw, ho_device_info *d) {
  if (raw->streams && (*raw->streams < 1 || *raw->streams > MAX_STREAMS))
    return ho_device_fail(r->place, "streams", r->error, "found %u, expected 1 to %d", *raw->streams, MAX_STREAMS);
  if (raw->copy_engines && *raw->copy_engines > MAX_STREAMS)
    return ho_device_fail(r->place, "copy_engines", r->error, "found %u, expected 0 (unlimited) to %d", *raw->copy_engines,
                          MAX_STREAMS);
  if (raw->streams) d->streams = (int32_t)*raw->streams;
  if (raw->copy_engines) d->copy_engines = (int32_t)*raw->copy_engines;
  return TRUE;
}

/* ---- a device ---- */

/* Relative rounding error when nothing else is said: the unit roundoff of the format (2^-12 for fp16, 2^-9 for bf16, 2^-5 for fp8
 * e4m3) over that of fp16; int8 is assumed to err as bf16 does, int4 sixteen times that, as its step. */
static void default_errors(double *error) {
  error[HO_TF32] = error[HO_FP16] = 1;
  error[HO_BF16] = error[HO_INT8] = 8;
  error[HO_FP8] = error[HO_INT4] = 128;
}

ho_device_info ho_device_defaults(void) {
  static const ho_point nominal = {"nominal", 1, 1};
  ho_device_info d = {.kind = HO_DEVICE_GENERIC,
                      .memory = -1,
                      .memory_efficiency = 1,
                      .bandwidth = NAN,
                      .n_kinds = -1,
                      .streams = 1,
                      .busy = NAN,
                      .n_points = 1,
                      .point = &nominal};
  for (int f = 0; f < HO_N_FAMILIES; f++) d.efficiency[f] = NAN;
  default_errors(d.error);
  return d;
}

gboolean ho_device_apply(const ho_raw_device *raw, ho_device_place place, ho_arena *arena, ho_device_info *d, GError **error) {
  reader r = {place, arena, error};
  if (raw->kind) d->kind = *raw->kind;
  if (raw->sharing) d->sharing = *raw->sharing;
  if (raw->estimated) d->estimated = *raw->estimated;
  if (raw->measured_with) d->measured_with = ho_arena_strdup(arena, raw->measured_with);
  return by_precision(&r, "peak", raw->peak, HO_UNIT_FLOPS, d->peak) && efficiency(&r, raw->efficiency, d) &&
         efficiency_in(&r, raw->efficiency_in, d) && efficiency_memory(&r, raw->efficiency_memory, d) &&
         positive(&r, "bandwidth", raw->bandwidth, HO_UNIT_BANDWIDTH, &d->bandwidth) &&
         number(&r, "saturation", raw->saturation, HO_UNIT_NONE, &d->saturation) &&
         by_precision(&r, "error", raw->error, HO_UNIT_NONE, d->error) && supports(&r, raw->supports, d) &&
         launch(&r, raw->launch, d) && counts(&r, raw, d) && power(&r, raw->power, d) && points(&r, raw, d) &&
         number(&r, "reconfigure", raw->reconfigure, HO_UNIT_SECONDS, &d->reconfigure);
}

static gboolean has_energies(const ho_device_info *d) {
  double sum = d->per_byte;
  for (int p = 0; p < HO_N_PRECISIONS; p++) sum += d->per_flop[p];
  return sum > 0;
}

static gboolean finish_power(ho_device_info *d, ho_device_place place, GError **error) {
  int capped = d->peak_power > 0; /* 0: no cap */
  if (isnan(d->busy) && capped && !has_energies(d)) {
    if (d->peak_power < d->idle)
      return ho_device_fail(place, "power", error, "peak %g W is below idle %g W, expected idle ≤ peak", d->peak_power, d->idle);
    d->power_by_use = 1;
    return TRUE;
  }
  if (isnan(d->busy)) d->busy = d->idle;
  if (d->busy < d->idle)
    return ho_device_fail(place, "power", error, "busy %g W is below idle %g W, expected idle ≤ busy ≤ peak", d->busy, d->idle);
  if (capped && d->peak_power < d->busy)
    return ho_device_fail(place, "power", error, "peak %g W is below busy %g W, expected idle ≤ busy ≤ peak", d->peak_power,
                          d->busy);
  if (capped && d->peak_power == d->busy && has_energies(d))
    return ho_device_fail(place, "power", error, "peak %g W leaves nothing above busy for per_flop and per_byte, expected more",
                          d->peak_power);
  return TRUE;
}

static void finish_precisions(ho_device_info *d) {
  if (d->precisions) return;
  for (int p = 0; p < HO_N_PRECISIONS; p++)
    if (d->peak[p] > 0) d->precisions |= 1u << p;
  if (!d->precisions) d->precisions = (1u << HO_N_PRECISIONS) - 1;
}

gboolean ho_device_finish(ho_device_info *d, double memory_bandwidth, ho_arena *arena, ho_device_place place, GError **error) {
  double other = isnan(d->efficiency[HO_FAMILY_DEFAULT]) ? 1 : d->efficiency[HO_FAMILY_DEFAULT];
  for (int f = 0; f < HO_N_FAMILIES; f++)
    if (isnan(d->efficiency[f])) d->efficiency[f] = other;
  for (int p = 0; p < HO_N_PRECISIONS; p++)
    for (int f = 0; f < HO_N_FAMILIES; f++)
      if (!(d->efficiency_in[p][f] > 0)) d->efficiency_in[p][f] = d->efficiency_in[p][HO_FAMILY_DEFAULT];
  if (isnan(d->bandwidth)) d->bandwidth = memory_bandwidth;
  finish_precisions(d);
  if (d->n_points == 1) d->point = ho_arena_memdup(arena, d->point, sizeof *d->point);
  return finish_power(d, place, error);
}
