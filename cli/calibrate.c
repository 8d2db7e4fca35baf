/* calibrate.c: `heteroopt calibrate`: how far a profile is from measured kernel times, and a profile that is fitted to them. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/fileio.h"
#include "base/units.h"
#include "cli/command.h"
#include "hwprofiles/platform_yaml.h"
#include "sim/calibrate.h"

#define FOLDS 5

typedef struct {
  char *profile, *device, *bandwidth_text, *output, *held, *folds_text, *seed_text;
  gboolean json, markdown;
  gint64 folds;
  guint64 seed;
  double bandwidth; /* B/s; NAN: not given */
} calibrate_options;

static void calibrate_options_clear(calibrate_options *o) {
  g_free(o->profile);
  g_free(o->device);
  g_free(o->bandwidth_text);
  g_free(o->output);
  g_free(o->held);
  g_free(o->folds_text);
  g_free(o->seed_text);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(calibrate_options, calibrate_options_clear)

/* ---- printing -------------------------------------------------------------------------------------------------------- */

/* Some row of a group, which names it; NULL for all rows. */
static const ho_kernel_time *row_of(const ho_kernel_times *t, int32_t group) {
  for (int32_t i = 0; i < t->n; i++)
    if (t->row[i].group == group) return &t->row[i];
  return NULL;
}

static void rank(double spearman, char *text, size_t size) {
  if (isnan(spearman))
    g_snprintf(text, (gulong)size, "-");
  else
    g_snprintf(text, (gulong)size, "%.3f", spearman);
}

static void error_line(const ho_kernel_times *t, const ho_calibration *c, int32_t g, gboolean markdown, GString *out) {
  const ho_kernel_time *some = row_of(t, g);
  char before[16], unseen[16];
  rank(c->before[g].spearman, before, sizeof before);
  rank(c->unseen[g].spearman, unseen, sizeof unseen);
  const char *format = markdown ? "| %s | %s | %d | %.1f %% | %s | %.1f %% | %.1f %% | %s |\n"
                                : "%-14s%-10s%6d%10.1f %%%10s%10.1f %%%10.1f %%%10s\n";
  const char *op = some ? some->op : "all", *precision = some ? ho_dtype_name(some->precision) : "";
  g_string_append_printf(out, format, op, precision, c->before[g].n, 100 * c->before[g].mape, before, 100 * c->after[g].mape,
                         100 * c->unseen[g].mape, unseen);
}

static void value_line(const char *what, double before, double after, ho_unit unit, GString *out) {
  g_autofree char *old = unit == HO_UNIT_NONE ? g_strdup_printf("%.4g", before) : ho_unit_format(before, unit);
  g_autofree char *new = unit == HO_UNIT_NONE ? g_strdup_printf("%.4g", after) : ho_unit_format(after, unit);
  g_string_append_printf(out, "%-24s%14s%14s\n", what, old, new);
}

static void print_values(const ho_device_info *d, const ho_calibration *c, GString *out) {
  g_string_append_printf(out, "%-24s%14s%14s\n", "", "profile", "fitted");
  for (int p = 0; p < HO_N_PRECISIONS; p++)
    for (int f = 0; f < HO_N_FAMILIES; f++) {
      if (!c->fitted[p][f]) continue;
      g_autofree char *what = g_strdup_printf("%s, %s", ho_family_name((ho_family)f), ho_dtype_name((ho_dtype)p));
      value_line(what, ho_device_efficiency(d, (ho_dtype)p, (ho_family)f),
                 ho_device_efficiency(&c->device, (ho_dtype)p, (ho_family)f), HO_UNIT_NONE, out);
    }
  for (int f = 0; f < HO_N_FAMILIES; f++) {
    if (!c->fitted_memory[f]) continue;
    g_autofree char *what = g_strdup_printf("%s, memory", ho_family_name((ho_family)f));
    value_line(what, ho_device_memory_efficiency(d, (ho_family)f), ho_device_memory_efficiency(&c->device, (ho_family)f),
               HO_UNIT_NONE, out);
  }
  value_line("launch.device", d->launch_device, c->device.launch_device, HO_UNIT_SECONDS, out);
  if (c->fitted_saturation) value_line("saturation", d->saturation, c->device.saturation, HO_UNIT_NONE, out);
}

static void print_text(const calibrate_options *o, const ho_kernel_times *t, const ho_device_info *d, const ho_calibration *c,
                       GString *out) {
  if (o->markdown) {
    g_string_append(out,
                    "| op | precision | rows | profile, error | Spearman | fitted, error | unseen, error | Spearman |\n"
                    "|---|---|---|---|---|---|---|---|\n");
  } else {
    g_string_append_printf(out, "%d rows%s%s by profile %s, %d set aside; errors are mean |predicted - measured| / measured\n",
                           t->n, t->device ? " of " : "", t->device ? t->device : "", d->name, c->set_aside);
    g_string_append_printf(out, "%-14s%-10s%6s%12s%10s%12s%12s%10s\n", "op", "precision", "rows", "profile", "Spearman", "fitted",
                           "unseen", "Spearman");
  }
  for (int32_t g = 0; g <= t->n_groups; g++) error_line(t, c, g, o->markdown, out);
  if (o->markdown) return;
  g_string_append_printf(out, "unseen: each row by a fit to the other %d of %d parts (seed %" G_GUINT64_FORMAT ")\n\n",
                         c->folds - 1, c->folds, o->seed);
  print_values(d, c, out);
}

/* Both devices on rows that the fit had no part of. */
static void print_held(const char *file, const ho_kernel_times *t, const ho_device_info *d, const ho_calibration *c,
                       GString *out) {
  const ho_device_info *const devices[] = {d, &c->device};
  g_string_append_printf(out, "\n%d rows of %s, of which the fit saw none:\n%-12s%12s%10s%24s\n", t->n, file, "", "error",
                         "Spearman", "predicted / measured");
  for (int i = 0; i < 2; i++) {
    ho_calibrate_error e = ho_calibrate_error_of(devices[i], t);
    char text[16];
    rank(e.spearman, text, sizeof text);
    g_string_append_printf(out, "%-12s%10.1f %%%10s%24.3f\n", i ? "fitted" : "profile", 100 * e.mape, text, e.total);
  }
}

static json_t *error_json(const ho_calibrate_error *e) {
  return json_pack("{s:f, s:f, s:o}", "mape", e->mape, "total", e->total, "spearman",
                   isnan(e->spearman) ? json_null() : json_real(e->spearman));
}

static void print_json(const ho_kernel_times *t, const ho_kernel_times *held, const ho_device_info *d, const ho_calibration *c,
                       GString *out) {
  json_t *groups = json_array(), *efficiency = json_object();
  for (int32_t g = 0; g <= t->n_groups; g++) {
    const ho_kernel_time *some = row_of(t, g);
    json_array_append_new(
        groups, json_pack("{s:s, s:s?, s:i, s:o, s:o, s:o}", "op", some ? some->op : "all", "precision",
                          some ? ho_dtype_name(some->precision) : NULL, "rows", c->before[g].n, "profile",
                          error_json(&c->before[g]), "fitted", error_json(&c->after[g]), "unseen", error_json(&c->unseen[g])));
  }
  for (int p = 0; p < HO_N_PRECISIONS; p++) {
    json_t *families = json_object();
    for (int f = 0; f < HO_N_FAMILIES; f++)
      if (c->fitted[p][f])
        json_object_set_new(families, ho_family_name((ho_family)f),
                            json_real(ho_device_efficiency(&c->device, (ho_dtype)p, (ho_family)f)));
    if (json_object_size(families)) json_object_set(efficiency, ho_dtype_name((ho_dtype)p), families);
    json_decref(families);
  }
  json_t *memory = json_object();
  for (int f = 0; f < HO_N_FAMILIES; f++)
    if (c->fitted_memory[f])
      json_object_set_new(memory, ho_family_name((ho_family)f), json_real(ho_device_memory_efficiency(&c->device, (ho_family)f)));
  json_object_set_new(efficiency, "memory", memory);
  json_t *all = json_pack("{s:s, s:s?, s:i, s:i, s:i, s:o, s:o, s:f}", "profile", d->name, "device", t->device, "rows", t->n,
                          "set_aside", c->set_aside, "folds", c->folds, "errors", groups, "efficiency", efficiency,
                          "launch_device", c->device.launch_device);
  if (c->fitted_saturation) json_object_set_new(all, "saturation", json_real(c->device.saturation));
  if (held) {
    ho_calibrate_error before = ho_calibrate_error_of(d, held), after = ho_calibrate_error_of(&c->device, held);
    json_object_set_new(
        all, "held", json_pack("{s:i, s:o, s:o}", "rows", held->n, "profile", error_json(&before), "fitted", error_json(&after)));
  }
  ho_cli_json(out, all);
}

/* ---- the profile ----------------------------------------------------------------------------------------------------- */

static gboolean write_profile(const calibrate_options *o, const char *times, const ho_kernel_times *t, const ho_calibration *c,
                              GError **error) {
  ho_device_info d = c->device;
  g_autofree char *leaf = g_path_get_basename(o->output), *file = g_path_get_basename(times);
  if (!g_str_has_suffix(leaf, ".yaml") || strlen(leaf) == strlen(".yaml"))
    return ho_cli_usage(error, "calibrate: -o '%s': expected a file called NAME.yaml, as the profile is to be called", o->output);
  leaf[strlen(leaf) - strlen(".yaml")] = 0;
  g_autofree char *name = g_utf8_make_valid(leaf, -1), *from = g_utf8_make_valid(file, -1);
  g_autofree char *what = g_utf8_make_valid(t->device ? t->device : d.name, -1);
  g_autofree char *summary = g_strdup_printf("%s, fitted to measured kernel times", what);
  g_autofree char *with = g_strdup_printf("%s%sheteroopt calibrate on %d rows of %s%s%s", d.measured_with ? d.measured_with : "",
                                          d.measured_with ? "; " : "", t->n, from, t->device ? ", " : "", t->device ? what : "");
  d.measured_with = with;
  g_autofree char *text = ho_profile_to_yaml(&d, name, summary);
  return ho_file_write(o->output, text, strlen(text), error);
}

static gboolean read_options(calibrate_options *o, GError **error) {
  o->bandwidth = NAN;
  o->folds = FOLDS;
  o->seed = 1;
  if (!o->profile) return ho_cli_usage(error, "calibrate: --profile is missing: an installed device, or a file");
  if (!ho_cli_int("--folds", o->folds_text, 2, 1000, &o->folds, error) || !ho_cli_uint("--seed", o->seed_text, &o->seed, error))
    return FALSE;
  if (!o->bandwidth_text) return TRUE;
  g_autoptr(GError) fault = NULL;
  if (!ho_unit_parse(o->bandwidth_text, HO_UNIT_BANDWIDTH, &o->bandwidth, &fault))
    return ho_cli_usage(error, "--bandwidth: %s", fault->message);
  return o->bandwidth > 0 || ho_cli_usage(error, "--bandwidth: '%s' is not above 0", o->bandwidth_text);
}

static gboolean calibrate(const calibrate_options *o, const char *file, ho_arena *arena, GString *out, GError **error) {
  ho_device_info d;
  g_autoptr(ho_kernel_times) times = NULL, held = NULL;
  g_autoptr(ho_calibration) c = NULL;
  if (!ho_profile_load(o->profile, o->bandwidth, arena, &d, error)) return FALSE;
  if (o->bandwidth > 0) d.bandwidth = o->bandwidth;
  times = ho_kernel_times_read(file, o->device, error);
  if (times) c = ho_calibrate(times, &d, (int32_t)o->folds, o->seed, file, error);
  if (c && o->held && !(held = ho_kernel_times_read(o->held, NULL, error))) return FALSE;
  if (held && !ho_calibrate_can_predict(held, &d, o->held, error)) return FALSE;
  if (!c || (o->output && !write_profile(o, file, times, c, error))) return FALSE;
  if (o->json)
    print_json(times, held, &d, c, out);
  else
    print_text(o, times, &d, c, out);
  if (held && !o->json) print_held(o->held, held, &d, c, out);
  return TRUE;
}

static gboolean run(const ho_command *self, int argc, char **argv, GString *out, GError **error) {
  g_auto(calibrate_options) o = {0};
  const GOptionEntry entries[] = {
      {"profile", 'p', 0, G_OPTION_ARG_FILENAME, &o.profile, "profile to start from: an installed device, or a file", "D"},
      {"device", 'd', 0, G_OPTION_ARG_STRING, &o.device, "rows of this device only, as the file calls it", "NAME"},
      {"bandwidth", 'b', 0, G_OPTION_ARG_STRING, &o.bandwidth_text, "of the device's memory, where the profile states none",
       "B/s"},
      {"output", 'o', 0, G_OPTION_ARG_FILENAME, &o.output, "write the fitted profile", "NAME.yaml"},
      {"held", 't', 0, G_OPTION_ARG_FILENAME, &o.held, "print the errors on these times too, which are not fitted to", "FILE"},
      {"folds", 'k', 0, G_OPTION_ARG_STRING, &o.folds_text, "parts for the error on unseen rows (default: 5)", "K"},
      {"seed", 's', 0, G_OPTION_ARG_STRING, &o.seed_text, "by which rows are dealt to the parts (default: 1)", "N"},
      {"markdown", 0, 0, G_OPTION_ARG_NONE, &o.markdown, "print the errors as a Markdown table", NULL},
      {"json", 0, 0, G_OPTION_ARG_NONE, &o.json, "print one object", NULL},
      {NULL}};
  ho_cli_parsed parsed = ho_cli_parse(self, entries, &argc, argv, 1, 1, out, error);
  if (parsed != HO_CLI_GO) return parsed == HO_CLI_DONE;
  if (!read_options(&o, error)) return FALSE;
  ho_arena *arena = ho_arena_new();
  gboolean good = calibrate(&o, argv[1], arena, out, error);
  ho_arena_free(arena);
  return good;
}

const ho_command ho_command_calibrate = {
    .name = "calibrate",
    .arguments = "TIMES.csv|- --profile D",
    .summary = "fit a device profile to measured kernel times",
    .details =
        "TIMES.csv has a line of column names (op, precision, flops, bytes, time_us; device and parallelism where known) and a\n"
        "line per kernel. Fitted by robust regression are the efficiency of each family of operators, of memory, the launch on\n"
        "the device and, where parallelism is stated, the saturation. Printed are the errors of the profile, of the fit, and of\n"
        "fits on rows that they did not see.\n\n"
        "Example:\n"
        "  heteroopt calibrate times.csv --profile nvidia-t4 --bandwidth 320GB/s -o my-t4.yaml",
    .run = run,
};
