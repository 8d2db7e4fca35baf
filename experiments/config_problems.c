/* config_problems.c: what multiplies: workloads × modes × platforms, and the exclusions from that product. */
#include <string.h>

#include "base/error.h"
#include "experiments/config_read.h"
#include "hwprofiles/platform_yaml.h"
#include "models/source.h"

static const char *const modes[] = {"inference", "training", NULL};

/* A path of the file: relative to its folder. In the arena. */
static const char *resolve(const ho_config *c, const char *path) {
  if (g_path_is_absolute(path) || strcmp(c->folder, ".") == 0) return ho_arena_strdup(c->arena, path);
  g_autofree char *joined = g_build_filename(c->folder, path, NULL);
  return ho_arena_strdup(c->arena, joined);
}

/* In the arena. */
static const char *place_of(const ho_config_reader *r, const char *path) {
  g_autofree char *place = ho_yaml_place(r->yaml, path);
  return ho_arena_strdup(r->config->arena, place);
}

static const char *const *keep_texts(const ho_config *c, char *const *given) {
  size_t n = g_strv_length((char **)given);
  const char **kept = ho_arena_new_array(c->arena, const char *, n + 1);
  for (size_t i = 0; i < n; i++) kept[i] = ho_arena_strdup(c->arena, given[i]);
  return kept;
}

static gboolean check_list(const ho_config_reader *r, const char *key, unsigned n, const char *what, GError **error) {
  return n > 0 || ho_yaml_fail(r->yaml, error, key, "missing or empty: expected at least one %s", what);
}

/* --- workloads ------------------------------------------------------------------------------------------------------------- */

static gboolean unknown_model(const ho_config_reader *r, const char *path, const char *name, const char *spec, GError **error) {
  if (strchr(name, '='))
    return ho_yaml_fail(
        r->yaml, error, path,
        "'%s' is not a model: inside [ ] YAML splits model:a=1,b=2 at its comma; write one '- model:a=1,b=2' a line", spec);
  g_autoptr(GPtrArray) names = g_ptr_array_new();
  for (int i = 0; ho_model_builders[i]; i++) g_ptr_array_add(names, (void *)ho_model_builders[i]->name);
  g_ptr_array_add(names, NULL);
  return ho_config_unknown(r, path, name, "model", (const char *const *)names->pdata, error);
}

static gboolean mode_in_spec(char *const *given) {
  for (int i = 0; given[i]; i++)
    if (g_str_has_prefix(given[i], "mode=")) return TRUE;
  return FALSE;
}

/* Options of a file are values for its symbolic dimensions: name=n. */
static gboolean check_bindings(const ho_config_reader *r, const char *path, char *const *given, GError **error) {
  for (int i = 0; given[i]; i++) {
    const char *equals = strchr(given[i], '=');
    if (!equals || equals == given[i] || !g_ascii_string_to_signed(equals + 1, 10, 1, G_MAXINT64, NULL, NULL))
      return ho_yaml_fail(r->yaml, error, path, "'%s' is not a dimension of a file: expected name=n with n a whole number from 1",
                          given[i]);
  }
  return TRUE;
}

static gboolean read_workload(const ho_config_reader *r, unsigned i, ho_config_workload *w, GError **error) {
  const ho_config *c = r->config;
  const char *spec = r->raw->workloads[i];
  g_autofree char *path = g_strdup_printf("workloads[%u]", i);
  g_autofree char *name = NULL;
  g_auto(GStrv) given = NULL;
  ho_spec_split(spec, &name, &given);
  w->spec = ho_arena_strdup(c->arena, spec);
  w->place = place_of(r, path);
  w->label = w->spec;
  w->is_file = strpbrk(name, "./") != NULL;
  w->given = keep_texts(c, given);
  if (mode_in_spec(given))
    return ho_yaml_fail(r->yaml, error, path, "'%s': modes are listed under the key 'modes', not here", spec);
  if (!w->is_file) {
    const ho_model_builder *builder = ho_model_find(name);
    if (!builder) return unknown_model(r, path, name, spec, error);
    w->name = builder->name;
    g_autoptr(GError) reason = NULL;
    g_autoptr(ho_options) options = ho_options_parse(builder->options, w->given, name, &reason);
    return options || ho_yaml_fail(r->yaml, error, path, "%s", reason->message);
  }
  if (!check_bindings(r, path, given, error)) return FALSE;
  w->name = resolve(c, name);
  g_autofree char *base = g_path_get_basename(spec);
  w->label = ho_arena_strdup(c->arena, base);
  return g_file_test(w->name, G_FILE_TEST_IS_REGULAR) || ho_yaml_fail(r->yaml, error, path, "no file '%s'", w->name);
}

static gboolean read_workloads(const ho_config_reader *r, GError **error) {
  ho_config *c = r->config;
  unsigned n = r->raw->workloads_count;
  if (!check_list(r, "workloads", n, "model or file", error)) return FALSE;
  ho_config_workload *w = ho_arena_new_array(c->arena, ho_config_workload, n);
  for (unsigned i = 0; i < n; i++) {
    if (!read_workload(r, i, &w[i], error)) return FALSE;
    g_autofree char *path = g_strdup_printf("workloads[%u]", i);
    for (unsigned j = 0; j < i; j++)
      if (strcmp(w[j].label, w[i].label) == 0)
        return ho_yaml_fail(r->yaml, error, path, "'%s' would have the same name as '%s' in tables", w[i].spec, w[j].spec);
  }
  c->n_workloads = (int32_t)n;
  c->workload = w;
  return TRUE;
}

static gboolean read_modes(const ho_config_reader *r, GError **error) {
  ho_config *c = r->config;
  unsigned n = r->raw->modes_count;
  if (ho_yaml_has(r->yaml, "modes") && !check_list(r, "modes", n, "mode", error)) return FALSE;
  const char **mode = ho_arena_new_array(c->arena, const char *, n ? n : 1);
  mode[0] = modes[0];
  for (unsigned i = 0; i < n; i++) {
    g_autofree char *path = g_strdup_printf("modes[%u]", i);
    int k = 0;
    if (!ho_config_read_choice(r, path, r->raw->modes[i], modes, "mode", &k, error)) return FALSE;
    mode[i] = modes[k];
    for (unsigned j = 0; j < i; j++)
      if (mode[j] == mode[i]) return ho_yaml_fail(r->yaml, error, path, "'%s' is listed twice", mode[i]);
  }
  c->n_modes = n ? (int32_t)n : 1;
  c->mode = mode;
  return TRUE;
}

/* --- platforms --------------------------------------------------------------------------------------------------------------- */

static gboolean read_platform(const ho_config_reader *r, unsigned i, ho_config_platform *p, GError **error) {
  const ho_config *c = r->config;
  const char *spec = r->raw->platforms[i];
  g_autofree char *path = g_strdup_printf("platforms[%u]", i);
  p->place = place_of(r, path);
  if (strpbrk(spec, "/") || g_str_has_suffix(spec, ".yaml") || g_str_has_suffix(spec, ".yml")) {
    p->name = resolve(c, spec);
    g_autofree char *base = g_path_get_basename(spec);
    char *dot = strrchr(base, '.');
    if (dot && dot != base) *dot = '\0';
    p->label = ho_arena_strdup(c->arena, base);
    return g_file_test(p->name, G_FILE_TEST_IS_REGULAR) || ho_yaml_fail(r->yaml, error, path, "no file '%s'", p->name);
  }
  p->name = p->label = ho_arena_strdup(c->arena, spec);
  g_autofree char *file = ho_platform_file(spec);
  if (file) return TRUE;
  g_auto(GStrv) names = ho_platform_list();
  return ho_config_unknown(r, path, spec, "platform", (const char *const *)names, error);
}

static gboolean read_platforms(const ho_config_reader *r, GError **error) {
  ho_config *c = r->config;
  unsigned n = r->raw->platforms_count;
  if (!check_list(r, "platforms", n, "platform", error)) return FALSE;
  ho_config_platform *p = ho_arena_new_array(c->arena, ho_config_platform, n);
  for (unsigned i = 0; i < n; i++) {
    if (!read_platform(r, i, &p[i], error)) return FALSE;
    g_autofree char *path = g_strdup_printf("platforms[%u]", i);
    for (unsigned j = 0; j < i; j++)
      if (strcmp(p[j].label, p[i].label) == 0)
        return ho_yaml_fail(r->yaml, error, path, "'%s' would have the same name as '%s' in tables", r->raw->platforms[i],
                            r->raw->platforms[j]);
  }
  c->n_platforms = (int32_t)n;
  c->platform = p;
  return TRUE;
}

/* --- exclusions -------------------------------------------------------------------------------------------------------------- */

/* A workload is meant by its spec, its label, the built-in's name, or the file's name without extension. */
static gboolean means_workload(const char *word, const ho_config_workload *w) {
  if (strcmp(word, w->spec) == 0 || strcmp(word, w->label) == 0 || (!w->is_file && strcmp(word, w->name) == 0)) return TRUE;
  if (!w->is_file) return FALSE;
  g_autofree char *base = g_path_get_basename(w->name);
  if (strcmp(word, base) == 0) return TRUE;
  char *dot = strrchr(base, '.');
  if (dot) *dot = '\0';
  return strcmp(word, base) == 0;
}

static gboolean excludes(const ho_config *c, const ho_config_exclusion *x, int32_t workload, int32_t mode, int32_t platform) {
  return (!x->workload || means_workload(x->workload, &c->workload[workload])) && (!x->mode || x->mode == c->mode[mode]) &&
         (!x->platform || strcmp(x->platform, c->platform[platform].label) == 0);
}

const ho_config_exclusion *ho_config_excluded(const ho_config *c, int32_t workload, int32_t mode, int32_t platform) {
  for (int32_t i = 0; i < c->n_exclusions; i++)
    if (excludes(c, &c->exclusion[i], workload, mode, platform)) return &c->exclusion[i];
  return NULL;
}

/* Each word of an exclusion must be one of the listed ones: then it matches at least one combination. */
static gboolean check_exclusion(const ho_config_reader *r, unsigned i, ho_config_exclusion *x, GError **error) {
  const ho_config *c = r->config;
  g_autofree char *workload_path = g_strdup_printf("exclude[%u].workload", i);
  g_autofree char *mode_path = g_strdup_printf("exclude[%u].mode", i);
  g_autofree char *platform_path = g_strdup_printf("exclude[%u].platform", i);
  g_autoptr(GPtrArray) names = g_ptr_array_new();
  gboolean found = !x->workload;
  for (int32_t w = 0; w < c->n_workloads; w++) {
    found = found || means_workload(x->workload, &c->workload[w]);
    g_ptr_array_add(names, (void *)(c->workload[w].is_file ? c->workload[w].label : c->workload[w].name));
  }
  g_ptr_array_add(names, NULL);
  if (!found) return ho_config_unknown(r, workload_path, x->workload, "workload of this experiment", (void *)names->pdata, error);

  int k = 0;
  if (!ho_config_read_choice(r, mode_path, x->mode, modes, "mode", &k, error)) return FALSE;
  if (x->mode) {
    x->mode = modes[k];
    found = FALSE;
    for (int32_t m = 0; m < c->n_modes; m++) found = found || c->mode[m] == x->mode;
    if (!found)
      return ho_yaml_fail(r->yaml, error, mode_path, "'%s' is not a mode of this experiment: it would exclude nothing", x->mode);
  }

  g_ptr_array_set_size(names, 0);
  found = !x->platform;
  for (int32_t p = 0; p < c->n_platforms; p++) {
    found = found || strcmp(x->platform, c->platform[p].label) == 0;
    g_ptr_array_add(names, (void *)c->platform[p].label);
  }
  g_ptr_array_add(names, NULL);
  return found || ho_config_unknown(r, platform_path, x->platform, "platform of this experiment", (void *)names->pdata, error);
}

static gboolean read_exclusions(const ho_config_reader *r, GError **error) {
  ho_config *c = r->config;
  unsigned n = r->raw->exclude_count;
  ho_config_exclusion *x = ho_arena_new_array(c->arena, ho_config_exclusion, n ? n : 1);
  for (unsigned i = 0; i < n; i++) {
    const ho_raw_exclusion *raw = &r->raw->exclude[i];
    g_autofree char *path = g_strdup_printf("exclude[%u]", i);
    if (!raw->workload && !raw->mode && !raw->platform)
      return ho_yaml_fail(r->yaml, error, path, "expected a workload, a mode or a platform to exclude");
    if (!raw->why || !*raw->why) return ho_yaml_fail(r->yaml, error, path, "key 'why' is missing: tables print the reason");
    x[i].workload = ho_arena_strdup(c->arena, raw->workload);
    x[i].mode = ho_arena_strdup(c->arena, raw->mode);
    x[i].platform = ho_arena_strdup(c->arena, raw->platform);
    x[i].why = ho_arena_strdup(c->arena, raw->why);
    if (!check_exclusion(r, i, &x[i], error)) return FALSE;
  }
  c->n_exclusions = (int32_t)n;
  c->exclusion = x;
  return TRUE;
}

/* --- the product -------------------------------------------------------------------------------------------------------------- */

static gboolean has_modes(const ho_config_workload *w) {
  if (w->is_file) return FALSE;
  for (const ho_option *o = ho_model_find(w->name)->options; o && o->name; o++)
    if (strcmp(o->name, "mode") == 0) return TRUE;
  return FALSE;
}

/* Something must be left, and what is left must exist: a file, or a model without modes, is inference only. */
static gboolean check_product(const ho_config_reader *r, GError **error) {
  const ho_config *c = r->config;
  int64_t left = 0;
  for (int32_t w = 0; w < c->n_workloads; w++)
    for (int32_t m = 0; m < c->n_modes; m++)
      for (int32_t p = 0; p < c->n_platforms; p++) {
        if (ho_config_excluded(c, w, m, p)) continue;
        left++;
        if (c->mode[m] == modes[0] || has_modes(&c->workload[w])) continue;
        g_autofree char *path = g_strdup_printf("workloads[%d]", w);
        return ho_yaml_fail(r->yaml, error, path, "'%s' is known for inference only: exclude its mode '%s'", c->workload[w].spec,
                            c->mode[m]);
      }
  return left > 0 || ho_yaml_fail(r->yaml, error, "exclude", "everything is excluded: nothing is left to run");
}

gboolean ho_config_read_problems(const ho_config_reader *r, GError **error) {
  return read_workloads(r, error) && read_modes(r, error) && read_platforms(r, error) && read_exclusions(r, error) &&
         check_product(r, error);
}
