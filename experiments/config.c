/* config.c: loading and checking an experiment file: its scalars, and what this version does not carry out. See config.h. */
#include "experiments/config.h"
#include "experiments/foreign.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/units.h"
#include "experiments/config_read.h"

#define FORMAT "heteroopt-experiment/1"

/* --- scalars ------------------------------------------------------------------------------------------------------------- */

gboolean ho_config_read_int(const ho_config_reader *r, const char *path, const char *text, int64_t min, int64_t max, int64_t *out,
                            GError **error) {
  if (!text) return TRUE;
  gint64 value;
  if (!g_ascii_string_to_signed(text, 10, min, max, &value, NULL))
    return ho_yaml_fail(r->yaml, error, path, "'%s' is not a whole number from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT, text,
                        (gint64)min, (gint64)max);
  *out = value;
  return TRUE;
}

gboolean ho_config_read_double(const ho_config_reader *r, const char *path, const char *text, double min, double max, double *out,
                               GError **error) {
  if (!text) return TRUE;
  double value = NAN;
  if (!ho_double_parse(text, &value, NULL) || !(value >= min && value <= max)) {
    char low[32], high[32];
    return ho_yaml_fail(r->yaml, error, path, "'%s' is not a number from %s to %s", text, ho_double_text(min, low),
                        ho_double_text(max, high));
  }
  *out = value;
  return TRUE;
}

gboolean ho_config_unknown(const ho_config_reader *r, const char *path, const char *word, const char *what,
                           const char *const *names, GError **error) {
  const char *near = ho_did_you_mean(word, names);
  if (near) return ho_yaml_fail(r->yaml, error, path, "'%s' is no %s (did you mean '%s'?)", word, what, near);
  g_autofree char *all = g_strjoinv(", ", (char **)names);
  return ho_yaml_fail(r->yaml, error, path, "'%s' is no %s, expected one of %s", word, what, all);
}

gboolean ho_config_read_choice(const ho_config_reader *r, const char *path, const char *text, const char *const *names,
                               const char *what, int *out, GError **error) {
  if (!text) return TRUE;
  for (int i = 0; names[i]; i++)
    if (strcmp(names[i], text) == 0) {
      *out = i;
      return TRUE;
    }
  return ho_config_unknown(r, path, text, what, names, error);
}

gboolean ho_config_check_label(const ho_config_reader *r, const char *path, const char *label, GError **error) {
  gboolean fits = *label != '\0' && g_utf8_validate(label, -1, NULL);
  for (const char *c = label; *c && fits; c++) fits = (unsigned char)*c >= ' ' && *c != '/' && *c != ',' && *c != 127;
  return fits ||
         ho_yaml_fail(r->yaml, error, path, "'%s' cannot be a name: expected some characters, none of them '/' or ','", label);
}

/* --- the parts of the file that are not lists ------------------------------------------------------------------------------ */

static gboolean read_name(const ho_config_reader *r, GError **error) {
  const char *name = r->raw->name;
  if (!name) return ho_yaml_fail(r->yaml, error, "name", "missing: an experiment needs a name, which its database gets too");
  gboolean fits = g_ascii_isalnum(*name) && strlen(name) <= 100;
  for (const char *c = name; *c && fits; c++) fits = g_ascii_isalnum(*c) || strchr("._-", *c);
  if (!fits)
    return ho_yaml_fail(
        r->yaml, error, "name",
        "'%s' cannot be a file's name: expected up to 100 letters, digits, '.', '_' and '-', a letter or digit first", name);
  r->config->name = ho_arena_strdup(r->config->arena, name);
  return TRUE;
}

static gboolean read_objectives(const ho_config_reader *r, GError **error) {
  ho_config *c = r->config;
  const char *names[HO_N_OBJECTIVES + 1] = {NULL};
  for (int k = 0; k < HO_N_OBJECTIVES; k++) names[k] = ho_objective_name((ho_objective)k);
  if (!ho_yaml_has(r->yaml, "objectives")) {
    c->n_objectives = HO_N_OBJECTIVES;
    for (int k = 0; k < HO_N_OBJECTIVES; k++) c->objective[k] = (ho_objective)k;
    return TRUE;
  }
  if (r->raw->objectives_count == 0) return ho_yaml_fail(r->yaml, error, "objectives", "empty: expected at least one objective");
  for (unsigned i = 0; i < r->raw->objectives_count; i++) {
    g_autofree char *path = g_strdup_printf("objectives[%u]", i);
    int k = -1;
    if (!ho_config_read_choice(r, path, r->raw->objectives[i], names, "objective", &k, error)) return FALSE;
    for (int32_t j = 0; j < c->n_objectives; j++)
      if ((int)c->objective[j] == k) return ho_yaml_fail(r->yaml, error, path, "'%s' is listed twice", names[k]);
    c->objective[c->n_objectives++] = (ho_objective)k;
  }
  return TRUE;
}

static gboolean read_measures(const ho_config_reader *r, GError **error) {
  const char *memories[] = {ho_memory_measure_name(HO_MEMORY_TIGHTEST), ho_memory_measure_name(HO_MEMORY_TOTAL),
                            ho_memory_measure_name(HO_MEMORY_ACCELERATOR), NULL};
  const char *frames[] = {ho_frame_kind_name(HO_FRAME_PAYOFF), ho_frame_kind_name(HO_FRAME_NEAR),
                          ho_frame_kind_name(HO_FRAME_ABSOLUTE), ho_frame_kind_name(HO_FRAME_UNION), NULL};
  int memory = HO_MEMORY_TIGHTEST, frame = HO_FRAME_PAYOFF;
  if (!ho_config_read_choice(r, "memory", r->raw->memory, memories, "measure of memory", &memory, error)) return FALSE;
  if (!ho_config_read_choice(r, "frame", r->raw->frame, frames, "frame", &frame, error)) return FALSE;
  r->config->memory_measure = (ho_memory_measure)memory;
  r->config->frame = (ho_frame_kind)frame;
  return TRUE;
}

static gboolean read_amounts(const ho_config_reader *r, GError **error) {
  const ho_raw_config *raw = r->raw;
  ho_config *c = r->config;
  int64_t seed = 1, replicates = 10, evaluations = 10000, checkpoints = 12, times = 20;
  if (!ho_config_read_int(r, "seed", raw->seed, 0, G_MAXINT64, &seed, error)) return FALSE;
  if (!ho_config_read_int(r, "replicates", raw->replicates, 1, 10000, &replicates, error)) return FALSE;
  if (!ho_config_read_int(r, "checkpoints", raw->checkpoints, 0, 1000, &checkpoints, error)) return FALSE;
  if (raw->budget) {
    if (raw->budget->seconds)
      return ho_yaml_fail(r->yaml, error, "budget.seconds",
                          "a budget of time is not carried out by this version: give a number of evaluations");
    if (!ho_config_read_int(r, "budget.evaluations", raw->budget->evaluations, 1, (int64_t)1e12, &evaluations, error))
      return FALSE;
  }
  c->noise = 0.05;
  if (raw->replays) {
    if (!ho_config_read_int(r, "replays.times", raw->replays->times, HO_MIN_REPLAYS, 100000, &times, error)) return FALSE;
    if (!ho_config_read_double(r, "replays.noise", raw->replays->noise, 0, 10, &c->noise, error)) return FALSE;
    if (!ho_config_read_double(r, "replays.model_error", raw->replays->model_error, 0, 10, &c->model_error, error)) return FALSE;
  }
  c->seed = (uint64_t)seed;
  c->replicates = (int32_t)replicates;
  c->evaluations = evaluations;
  c->checkpoints = (int32_t)checkpoints;
  c->replays = (int32_t)times;
  return TRUE;
}

/* A study's own settings, which a later version carries out. NULL when there are none, else the key. */
static const char *study_setting(const ho_raw_study *s) {
  return s->workloads   ? "workloads"
         : s->modes     ? "modes"
         : s->platforms ? "platforms"
         : s->sweep     ? "sweep"
         : s->zip       ? "zip"
         : s->only      ? "only"
         : s->without   ? "without"
                        : NULL;
}

static gboolean read_studies(const ho_config_reader *r, GError **error) {
  ho_config *c = r->config;
  unsigned n = r->raw->studies_count;
  const char **study = ho_arena_new_array(c->arena, const char *, n ? n : 1);
  study[0] = "main";
  for (unsigned i = 0; i < n; i++) {
    const ho_raw_study *s = &r->raw->studies[i];
    g_autofree char *path = g_strdup_printf("studies[%u].name", i);
    if (!s->name) return ho_yaml_fail(r->yaml, error, path, "missing: a study needs a name");
    if (!ho_config_check_label(r, path, s->name, error)) return FALSE;
    for (unsigned j = 0; j < i; j++)
      if (strcmp(study[j], s->name) == 0) return ho_yaml_fail(r->yaml, error, path, "'%s' is listed twice", s->name);
    const char *setting = study_setting(s);
    if (setting) {
      g_autofree char *at = g_strdup_printf("studies[%u].%s", i, setting);
      return ho_yaml_fail(r->yaml, error, at, "a study with settings of its own is not carried out by this version");
    }
    study[i] = ho_arena_strdup(c->arena, s->name);
  }
  c->n_studies = n ? (int32_t)n : 1;
  c->study = study;
  return TRUE;
}

static gboolean read_all(const ho_config_reader *r, GError **error) {
  if (!read_name(r, error) || !read_amounts(r, error) || !read_objectives(r, error) || !read_measures(r, error)) return FALSE;
  if (!ho_config_read_problems(r, error) || !ho_config_read_schedulers(r, error) || !read_studies(r, error)) return FALSE;
  if (r->raw->outputs_count)
    return ho_yaml_fail(r->yaml, error, "outputs",
                        "tables and figures from a list are not carried out by this version: remove it");
  return TRUE;
}

static ho_config *config_of(ho_yaml *yaml, GError **error) {
  void *raw = NULL;
  /* first of all, so that a platform or a profile is called that */
  if (!ho_yaml_check_format(yaml, NULL, FORMAT, error)) return NULL;
  if (!ho_yaml_load(yaml, &ho_config_schema, &raw, error)) return NULL;
  ho_config *c = g_new0(ho_config, 1);
  c->arena = ho_arena_new();
  c->file = ho_arena_strdup(c->arena, ho_yaml_file(yaml));
  g_autofree char *folder = g_path_get_dirname(c->file);
  c->folder = ho_arena_strdup(c->arena, folder);
  c->text = ho_arena_strdup(c->arena, ho_yaml_text(yaml));
  g_autoptr(ho_digest) d = ho_digest_new();
  ho_digest_string(d, c->text);
  g_autofree char *digest = ho_digest_finish(d);
  c->digest = ho_arena_strdup(c->arena, digest);

  ho_config_reader r = {.yaml = yaml, .raw = raw, .config = c};
  gboolean fine = read_all(&r, error);
  ho_yaml_release(&ho_config_schema, raw);
  if (!fine) g_clear_pointer(&c, ho_config_free);
  return c;
}

/* --- public ------------------------------------------------------------------------------------------------------------------ */

ho_config *ho_config_load(const char *file, GError **error) {
  g_autoptr(ho_yaml) yaml = ho_yaml_open(file, error);
  return yaml ? config_of(yaml, error) : NULL;
}

ho_config *ho_config_from_text(const char *file, const char *text, GError **error) {
  g_autoptr(ho_yaml) yaml = ho_yaml_from_text(file, text);
  return config_of(yaml, error);
}

void ho_config_free(ho_config *c) {
  if (!c) return;
  for (int32_t i = 0; i < c->n_schedulers; i++) {
    ho_options_free(c->scheduler[i].options);
    ho_foreign_free(c->scheduler[i].foreign);
  }
  ho_arena_free(c->arena);
  g_free(c);
}

/* Whether `folder` is the one that the program's own experiments lie in, under `data` (NULL: not known). */
static gboolean is_own_folder(const char *folder, const char *data) {
  if (!data) return FALSE;
  g_autofree char *own = g_build_filename(data, "experiments", NULL);
  GStatBuf a, b;
  return g_stat(folder, &a) == 0 && g_stat(own, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static char *beside(const ho_config *c, const char *name) {
  gboolean here = g_access(c->folder, W_OK) != 0 || is_own_folder(c->folder, g_getenv("HETEROOPT_DATA")) ||
                  is_own_folder(c->folder, HO_INSTALLED_DATA) || is_own_folder(c->folder, HO_SOURCE_DATA);
  return here || strcmp(c->folder, ".") == 0 ? g_strdup(name) : g_build_filename(c->folder, name, NULL);
}

char *ho_config_database(const ho_config *c) {
  g_autofree char *name = g_strconcat(c->name, ".db", NULL);
  return beside(c, name);
}
