/* figure.c: see figure.h. */
#include "plots/figure.h"

#include <math.h>
#include <string.h>
#include <sys/wait.h>

#include "base/error.h"
#include "base/fileio.h"
#include "base/units.h"

/* --- preamble --------------------------------------------------------------------------------------------------------------- */
static void quote(GString *s, const char *text) {
  g_string_append_c(s, '"');
  for (const char *p = text; *p; p++) {
    if (*p == '"' || *p == '\\') g_string_append_c(s, '\\');
    g_string_append_c(s, (unsigned char)*p < ' ' ? ' ' : *p);
  }
  g_string_append_c(s, '"');
}

void ho_figure_text(GString *preamble, const char *name, const char *text) {
  g_string_append_printf(preamble, "%s = ", name);
  quote(preamble, text);
  g_string_append_c(preamble, '\n');
}

void ho_figure_int(GString *preamble, const char *name, int value) {
  g_string_append_printf(preamble, "%s = %d\n", name, value);
}

void ho_figure_texts(GString *preamble, const char *name, int n, const char *const *texts) {
  g_string_append_printf(preamble, "array %s[%d] = [", name, n);
  for (int i = 0; i < n; i++) {
    if (i) g_string_append(preamble, ", ");
    quote(preamble, texts[i]);
  }
  g_string_append(preamble, "]\n");
}

void ho_figure_numbers(GString *preamble, const char *name, int n, const double *values) {
  char buffer[32];
  g_string_append_printf(preamble, "array %s[%d] = [", name, n);
  for (int i = 0; i < n; i++)
    g_string_append_printf(preamble, "%s%s", i ? ", " : "", isnan(values[i]) ? "NaN" : ho_double_text(values[i], buffer));
  g_string_append(preamble, "]\n");
}

double ho_axis_scale(ho_axis_unit unit, double largest, const char **name) {
  static const struct {
    double from, scale;
    const char *name[3];
  } steps[] = {{1e12, 1e-12, {"Ts", "TJ", "TB"}}, {1e9, 1e-9, {"Gs", "GJ", "GB"}}, {1e6, 1e-6, {"Ms", "MJ", "MB"}},
               {1e3, 1e-3, {"ks", "kJ", "kB"}},   {1, 1, {"s", "J", "B"}},         {1e-3, 1e3, {"ms", "mJ", NULL}},
               {0, 1e6, {"µs", "µJ", NULL}}};
  for (size_t i = 0; i < G_N_ELEMENTS(steps); i++) {
    if (unit == HO_AXIS_SECONDS && steps[i].from > 1) continue; /* nobody reads kiloseconds */
    if (unit == HO_AXIS_BYTES && steps[i].from < 1) break;
    if (largest < steps[i].from) continue;
    *name = steps[i].name[unit];
    return steps[i].scale;
  }
  *name = unit == HO_AXIS_BYTES ? "B" : unit == HO_AXIS_JOULES ? "J" : "s";
  return 1;
}

/* --- template, script, drawing ---------------------------------------------------------------------------------------------- */
static char *read_template(const char *kind, GError **error) {
  const char *const folders[] = {g_getenv("HETEROOPT_DATA"), HO_INSTALLED_DATA, HO_SOURCE_DATA};
  for (size_t i = 0; i < G_N_ELEMENTS(folders); i++) {
    if (!folders[i]) continue;
    g_autofree char *file = g_strdup_printf("%s/plots/%s.gp", folders[i], kind);
    char *text;
    if (g_file_test(file, G_FILE_TEST_IS_REGULAR)) return ho_file_read(file, &text, NULL, error) ? text : NULL;
  }
  ho_fail(error, HO_ERROR_IO, "plots/%s.gp: not found in %s", kind, HO_INSTALLED_DATA);
  return NULL;
}

static gboolean check_output(const char *output, GError **error) {
  const char *const suffixes[] = {".pdf", ".png", ".svg"};
  for (size_t i = 0; i < G_N_ELEMENTS(suffixes); i++)
    if (g_str_has_suffix(output, suffixes[i])) return TRUE;
  return ho_fail(error, HO_ERROR_USAGE, "%s: a figure ends in .pdf, .png or .svg", output);
}

/* A fixed date in place of the one of drawing, so that the same data gives the same bytes. */
static gboolean settle_date(const char *file, GError **error) {
  static const char key[] = "/CreationDate (D:", fixed[] = "20000101000000Z";
  g_autofree char *text = NULL;
  size_t length;
  if (!ho_file_read(file, &text, &length, error)) return FALSE;
  char *at = memmem(text, length, key, sizeof key - 1);
  char *close = at ? memchr(at, ')', (size_t)(text + length - at)) : NULL;
  if (!at || !close || (size_t)(close - at) < sizeof key - 1 + sizeof fixed - 1) return TRUE;
  char *digits = at + sizeof key - 1;
  memset(digits, ' ', (size_t)(close - digits));
  memcpy(digits, fixed, sizeof fixed - 1);
  return ho_file_write(file, text, length, error);
}

/* The last line that gnuplot complained with. */
static char *last_line(char *text) {
  g_strchomp(text);
  char *line = strrchr(text, '\n');
  return line ? line + 1 : text;
}

static gboolean run_gnuplot(const char *folder, const char *script, char **note, GError **error) {
  char *argv[] = {(char *)"gnuplot", (char *)"-d", (char *)script, NULL};
  g_autofree char *complaint = NULL;
  g_autoptr(GError) local = NULL;
  int status = 0;
  if (!g_spawn_sync(folder, argv, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL, &complaint, &status,
                    &local)) {
    if (!g_error_matches(local, G_SPAWN_ERROR, G_SPAWN_ERROR_NOENT))
      return ho_fail(error, HO_ERROR_IO, "gnuplot: %s", local->message);
    *note =
        g_strdup_printf("gnuplot is not installed: data and script are in %s; draw them later by: gnuplot %s", folder, script);
    return TRUE;
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return TRUE;
  return ho_fail(error, HO_ERROR_IO, "%s/%s: gnuplot failed: %s", folder, script, last_line(complaint));
}

gboolean ho_figure_draw(const char *kind, const char *const *outputs, const char *preamble, const char *data, char **note,
                        GError **error) {
  *note = NULL;
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
  for (int i = 0; outputs[i]; i++) {
    if (!check_output(outputs[i], error)) return FALSE;
    g_ptr_array_add(names, g_path_get_basename(outputs[i]));
  }
  g_autofree char *template = read_template(kind, error);
  if (!template) return FALSE;
  g_autofree char *folder = g_path_get_dirname(outputs[0]);
  g_autofree char *stem = g_strndup(g_ptr_array_index(names, 0), strlen(g_ptr_array_index(names, 0)) - 4);
  g_autofree char *data_name = g_strconcat(stem, ".dat", NULL);
  g_autofree char *script_name = g_strconcat(stem, ".gp", NULL);
  g_autofree char *data_file = g_build_filename(folder, data_name, NULL);
  g_autofree char *script_file = g_build_filename(folder, script_name, NULL);

  g_autoptr(GString) script = g_string_new(NULL);
  ho_figure_text(script, "data", data_name);
  ho_figure_texts(script, "outputs", (int)names->len, (const char *const *)names->pdata);
  g_string_append_printf(script, "%s\n%s", preamble, template);
  if (!ho_file_write(data_file, data, strlen(data), error) || !ho_file_write(script_file, script->str, script->len, error) ||
      !run_gnuplot(folder, script_name, note, error))
    return FALSE;
  for (int i = 0; outputs[i] && !*note; i++)
    if (g_str_has_suffix(outputs[i], ".pdf") && !settle_date(outputs[i], error)) return FALSE;
  return TRUE;
}
