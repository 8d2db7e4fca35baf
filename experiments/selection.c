/* selection.c: reading --only and --shard. See selection.h. */
#include "experiments/selection.h"

#include <string.h>

#include "base/error.h"

static const char *const keys[] = {"study", "scheduler", "problem", NULL};
enum { STUDY, SCHEDULER, PROBLEM, N_KEYS };

/* Which key a piece of the text begins with ("study=…"), or -1. */
static int key_of(const char *piece) {
  for (int k = 0; k < N_KEYS; k++)
    if (g_str_has_prefix(piece, keys[k]) && piece[strlen(keys[k])] == '=') return k;
  return -1;
}

/* Splits at commas; a piece without one of the keys belongs to the value before it, since names of problems have commas. */
static gboolean split(const char *only, GPtrArray *values[N_KEYS], GError **error) {
  g_auto(GStrv) pieces = g_strsplit(only, ",", -1);
  int k = -1;
  for (int i = 0; pieces[i]; i++) {
    int next = key_of(pieces[i]);
    if (next >= 0) {
      k = next;
      g_ptr_array_add(values[k], g_strdup(pieces[i] + strlen(keys[k]) + 1));
    } else if (k >= 0) {
      gpointer *last = &values[k]->pdata[values[k]->len - 1];
      char *joined = g_strconcat(*last, ",", pieces[i], NULL);
      g_free(*last);
      *last = joined;
    } else {
      return ho_fail(error, HO_ERROR_USAGE, "--only %s: expected study=NAME, scheduler=LABEL or problem=NAME, joined by commas",
                     only);
    }
  }
  return TRUE;
}

static gboolean means_problem(const ho_experiment *e, const char *pattern, int32_t i) {
  const ho_experiment_problem *q = &e->problem[i];
  return g_pattern_match_simple(pattern, q->name) || g_pattern_match_simple(pattern, e->config->workload[q->workload].label) ||
         g_pattern_match_simple(pattern, e->config->mode[q->mode]) ||
         g_pattern_match_simple(pattern, e->config->platform[q->platform].label);
}

static int32_t n_names(const ho_experiment *e, int key) {
  return key == STUDY ? e->config->n_studies : key == SCHEDULER ? e->n_contenders : e->n_problems;
}

static const char *name_of(const ho_experiment *e, int key, int32_t i) {
  return key == STUDY ? e->config->study[i] : key == SCHEDULER ? e->contender[i].label : e->problem[i].name;
}

static gboolean means(const ho_experiment *e, int key, const char *pattern, int32_t i) {
  return key == PROBLEM ? means_problem(e, pattern, i) : g_pattern_match_simple(pattern, name_of(e, key, i));
}

static gboolean nothing_matches(const ho_experiment *e, int key, const char *pattern, GError **error) {
  g_autoptr(GPtrArray) names = g_ptr_array_new();
  for (int32_t i = 0; i < n_names(e, key); i++) g_ptr_array_add(names, (void *)name_of(e, key, i));
  g_ptr_array_add(names, NULL);
  const char *near = ho_did_you_mean(pattern, (const char *const *)names->pdata);
  if (near)
    return ho_fail(error, HO_ERROR_USAGE, "--only %s=%s: no such %s in %s (did you mean '%s'?)", keys[key], pattern, keys[key],
                   e->config->file, near);
  g_autofree char *all = g_strjoinv(", ", (char **)names->pdata);
  return ho_fail(error, HO_ERROR_USAGE, "--only %s=%s: no such %s in %s, expected one of %s", keys[key], pattern, keys[key],
                 e->config->file, all);
}

/* The names of a key that its values leave: all when there are none. NULL when a value matches nothing. */
static uint8_t *match(const ho_experiment *e, int key, const GPtrArray *values, GError **error) {
  int32_t n = n_names(e, key);
  g_autofree uint8_t *kept = g_new0(uint8_t, n);
  if (values->len == 0) memset(kept, 1, (gsize)n);
  for (guint v = 0; v < values->len; v++) {
    gboolean found = FALSE;
    for (int32_t i = 0; i < n; i++)
      if (means(e, key, values->pdata[v], i)) found = kept[i] = TRUE;
    if (!found) {
      nothing_matches(e, key, values->pdata[v], error);
      return NULL;
    }
  }
  return g_steal_pointer(&kept);
}

uint8_t *ho_select_runs(const ho_experiment *e, const char *only, int32_t shard, int32_t shards, GError **error) {
  GPtrArray *values[N_KEYS];
  uint8_t *kept[N_KEYS] = {NULL};
  for (int k = 0; k < N_KEYS; k++) values[k] = g_ptr_array_new_with_free_func(g_free);
  gboolean fine = !only || split(only, values, error);
  for (int k = 0; k < N_KEYS && fine; k++) fine = (kept[k] = match(e, k, values[k], error)) != NULL;
  uint8_t *selected = NULL;
  if (fine) {
    /* every study shows every run, so that a study that matches leaves them all */
    selected = g_new0(uint8_t, e->n_runs);
    for (int32_t i = 0; i < e->n_runs; i++)
      selected[i] =
          kept[PROBLEM][e->run[i].problem] && kept[SCHEDULER][e->run[i].contender] && (shards <= 1 || i % shards == shard);
  }
  for (int k = 0; k < N_KEYS; k++) {
    g_ptr_array_unref(values[k]);
    g_free(kept[k]);
  }
  return selected;
}

gboolean ho_shard_parse(const char *text, int32_t *shard, int32_t *shards, GError **error) {
  g_auto(GStrv) parts = g_strsplit(text, "/", -1);
  gint64 i = 0, n = 0;
  if (g_strv_length(parts) != 2 || !g_ascii_string_to_signed(parts[1], 10, 1, 1000000, &n, NULL) ||
      !g_ascii_string_to_signed(parts[0], 10, 0, n - 1, &i, NULL))
    return ho_fail(error, HO_ERROR_USAGE, "--shard %s: expected I/N with 0 <= I < N, such as 0/4", text);
  *shard = (int32_t)i;
  *shards = (int32_t)n;
  return TRUE;
}
