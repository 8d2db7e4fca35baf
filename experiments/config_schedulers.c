/* config_schedulers.c: what competes: schedulers with their options, and portfolios of them. */
#include <string.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/fileio.h"
#include "base/units.h"
#include "experiments/config_read.h"
#include "experiments/foreign.h"
#include "sched/plugin.h"

static gboolean unknown_scheduler(const ho_config_reader *r, const char *path, const char *name, GError **error) {
  g_autoptr(GPtrArray) names = g_ptr_array_new();
  for (int i = 0; ho_schedulers[i]; i++) g_ptr_array_add(names, (void *)ho_schedulers[i]->name);
  g_ptr_array_add(names, NULL);
  return ho_config_unknown(r, path, name, "scheduler", (const char *const *)names->pdata, error);
}

/* Keys of schedulers that run outside this program belong to no other. */
static gboolean refuse_foreign_keys(const ho_config_reader *r, unsigned i, GError **error) {
  const ho_raw_scheduler *raw = &r->raw->schedulers[i];
  const char *key = raw->files ? "files" : raw->timeout ? "timeout" : raw->keep ? "keep" : NULL;
  if (!key) return TRUE;
  g_autofree char *path = g_strdup_printf("schedulers[%u].%s", i, key);
  return ho_yaml_fail(r->yaml, error, path, "belongs to schedulers of the form exec:COMMAND; '%s' is built in", raw->use);
}

/* A digest over names and contents of the files that a process says it is made of. */
static char *digest_files(const ho_config_reader *r, unsigned i, GError **error) {
  const ho_raw_scheduler *raw = &r->raw->schedulers[i];
  g_autoptr(ho_digest) d = ho_digest_new();
  for (unsigned j = 0; j < raw->files_count; j++) {
    g_autofree char *file =
        g_path_is_absolute(raw->files[j]) ? g_strdup(raw->files[j]) : g_build_filename(r->config->folder, raw->files[j], NULL);
    g_autofree char *text = NULL, *path = g_strdup_printf("schedulers[%u].files[%u]", i, j);
    g_autoptr(GError) why = NULL;
    size_t length;
    if (!ho_file_read(file, &text, &length, &why)) {
      ho_yaml_fail(r->yaml, error, path, "%s", why->message);
      return NULL;
    }
    ho_digest_string(d, raw->files[j]);
    ho_digest_bytes(d, text, length);
  }
  return ho_digest_finish(d);
}

/* Starts the process to hear what it is called and which options it has. */
static gboolean open_foreign(const ho_config_reader *r, unsigned i, ho_config_scheduler *s, GError **error) {
  const ho_raw_scheduler *raw = &r->raw->schedulers[i];
  g_autofree char *use = g_strdup_printf("schedulers[%u].use", i), *timeout = g_strdup_printf("schedulers[%u].timeout", i),
                  *keep = g_strdup_printf("schedulers[%u].keep", i);
  g_autoptr(GError) why = NULL;
  double seconds = 0;
  if (raw->timeout && (!ho_unit_parse(raw->timeout, HO_UNIT_SECONDS, &seconds, &why) || !(seconds > 0)))
    return ho_yaml_fail(r->yaml, error, timeout, "%s", why ? why->message : "expected more than 0 s");
  gboolean keeps = g_strcmp0(raw->keep, "true") == 0;
  if (raw->keep && !keeps && strcmp(raw->keep, "false") != 0)
    return ho_yaml_fail(r->yaml, error, keep, "'%s', expected true or false", raw->keep);
  s->foreign = ho_foreign_open(raw->use + strlen("exec:"), r->config->folder, seconds, keeps, &why);
  if (!s->foreign) return ho_yaml_fail(r->yaml, error, use, "%s", why->message);
  s->scheduler = ho_foreign_scheduler(s->foreign);
  return TRUE;
}

/* A shared object counts by its content. */
static gboolean open_plugin(const ho_config_reader *r, unsigned i, ho_config_scheduler *s, char **digest, GError **error) {
  const char *name = r->raw->schedulers[i].use + strlen("plugin:");
  g_autofree char *file = g_path_is_absolute(name) ? g_strdup(name) : g_build_filename(r->config->folder, name, NULL);
  g_autofree char *use = g_strdup_printf("schedulers[%u].use", i), *text = NULL;
  g_autoptr(GError) why = NULL;
  g_autoptr(ho_digest) d = ho_digest_new();
  size_t length;
  s->scheduler = ho_plugin_load(file, &why);
  if (!s->scheduler || !ho_file_read(file, &text, &length, &why)) return ho_yaml_fail(r->yaml, error, use, "%s", why->message);
  ho_digest_bytes(d, text, length);
  *digest = ho_digest_finish(d);
  return TRUE;
}

/* Options from `use` and `set` together. Each text is first read alone, so that an error names its own line. */
static ho_options *read_options(const ho_config_reader *r, unsigned i, const ho_scheduler *scheduler, char *const *in_use,
                                GError **error) {
  const ho_raw_scheduler *raw = &r->raw->schedulers[i];
  g_autoptr(GPtrArray) all = g_ptr_array_new();
  for (unsigned j = 0; in_use[j]; j++) g_ptr_array_add(all, in_use[j]);
  for (unsigned j = 0; j < raw->set_count; j++) g_ptr_array_add(all, raw->set[j]);
  g_ptr_array_add(all, NULL);
  unsigned n_in_use = g_strv_length((char **)in_use);
  for (unsigned j = 0; j + 1 < all->len; j++) {
    const char *one[] = {all->pdata[j], NULL};
    g_autoptr(GError) reason = NULL;
    g_autoptr(ho_options) options = ho_options_parse(scheduler->options, one, scheduler->name, &reason);
    if (options) continue;
    g_autofree char *path =
        j < n_in_use ? g_strdup_printf("schedulers[%u].use", i) : g_strdup_printf("schedulers[%u].set[%u]", i, j - n_in_use);
    ho_yaml_fail(r->yaml, error, path, "%s", reason->message);
    return NULL;
  }
  g_autoptr(GError) reason = NULL;
  ho_options *options = ho_options_parse(scheduler->options, (const char *const *)all->pdata, scheduler->name, &reason);
  g_autofree char *path = g_strdup_printf("schedulers[%u].%s", i, raw->set_count ? "set" : "use");
  if (!options) ho_yaml_fail(r->yaml, error, path, "%s", reason->message);
  return options;
}

/* All that says which scheduler it is beside its name. In the arena. `files`, `rewrites`: NULL when there are none. */
static const char *canonical(const ho_config *c, const char *use, gboolean foreign, const char *files, const ho_options *options,
                             const char *rewrites) {
  g_autofree char *settings = ho_options_canonical(options);
  g_autoptr(GString) text = g_string_new(foreign ? use : NULL);
  if (files) g_string_append_printf(text, "%sfiles=%.16s", text->len ? "," : "", files);
  if (*settings) g_string_append_printf(text, "%s%s", text->len ? "," : "", settings);
  if (rewrites) g_string_append_printf(text, "%srewrites=%s", text->len ? "," : "", rewrites);
  return ho_arena_strdup(c->arena, text->str);
}

/* `i` schedulers are in the configuration already; adds one. */
static gboolean read_scheduler(const ho_config_reader *r, unsigned i, ho_config_scheduler *list, GError **error) {
  const ho_raw_scheduler *raw = &r->raw->schedulers[i];
  ho_config *c = r->config;
  g_autofree char *use = g_strdup_printf("schedulers[%u].use", i);
  g_autofree char *label = g_strdup_printf("schedulers[%u].label", i);
  if (!raw->use) return ho_yaml_fail(r->yaml, error, use, "key 'use' is missing: expected the name of a scheduler");
  gboolean plugin = g_str_has_prefix(raw->use, "plugin:"), foreign = g_str_has_prefix(raw->use, "exec:");
  if (!foreign && !refuse_foreign_keys(r, i, error)) return FALSE;
  g_autofree char *name = NULL, *files = NULL;
  g_auto(GStrv) given = NULL;
  ho_config_scheduler *s = &list[i];
  if (foreign || plugin) {
    if (!raw->label) return ho_yaml_fail(r->yaml, error, use, "'%s' needs a label: it would be a long name in tables", raw->use);
    if (plugin ? !open_plugin(r, i, s, &files, error) : !(files = digest_files(r, i, error)) || !open_foreign(r, i, s, error))
      return FALSE;
    given = g_new0(char *, 1);
  } else {
    ho_spec_split(raw->use, &name, &given);
    s->scheduler = ho_scheduler_find(name);
    if (!s->scheduler) return unknown_scheduler(r, use, name, error);
  }
  c->n_schedulers++; /* from here on ho_config_free frees options and processes */
  s->label = ho_arena_strdup(c->arena, raw->label ? raw->label : raw->use);
  if (!raw->label && given[0])
    return ho_yaml_fail(r->yaml, error, use, "'%s' needs a label: options make a long name in tables", raw->use);
  if (!ho_config_check_label(r, raw->label ? label : use, s->label, error)) return FALSE;
  s->options = read_options(r, i, s->scheduler, given, error);
  if (!s->options) return FALSE;
  g_autofree char *rewrites = NULL;
  if (!ho_config_read_rewrites(r, i, s, &rewrites, error)) return FALSE;
  s->canonical = canonical(c, raw->use, foreign, files, s->options, rewrites);
  for (unsigned j = 0; j < i; j++) {
    if (strcmp(list[j].label, s->label) == 0)
      return ho_yaml_fail(r->yaml, error, raw->label ? label : use, "'%s' is the label of two schedulers", s->label);
    if (strcmp(list[j].scheduler->name, s->scheduler->name) == 0 && strcmp(list[j].canonical, s->canonical) == 0)
      return ho_yaml_fail(r->yaml, error, use, "'%s' is '%s' again: the same scheduler with the same options", s->label,
                          list[j].label);
  }
  return TRUE;
}

static int32_t scheduler_of(const ho_config *c, const char *label) {
  for (int32_t i = 0; i < c->n_schedulers; i++)
    if (strcmp(c->scheduler[i].label, label) == 0) return i;
  return -1;
}

/* One member of a portfolio: a scheduler of this experiment that leaves one plan. */
static gboolean read_member(const ho_config_reader *r, const char *path, const char *label, int32_t *member, GError **error) {
  const ho_config *c = r->config;
  *member = scheduler_of(c, label);
  if (*member >= 0) {
    return (c->scheduler[*member].scheduler->flags & HO_SCHEDULER_SINGLE) ||
           ho_yaml_fail(r->yaml, error, path, "'%s' makes a front already: a portfolio joins schedulers that leave one plan",
                        label);
  }
  g_autoptr(GPtrArray) labels = g_ptr_array_new();
  for (int32_t i = 0; i < c->n_schedulers; i++) g_ptr_array_add(labels, (void *)c->scheduler[i].label);
  g_ptr_array_add(labels, NULL);
  return ho_config_unknown(r, path, label, "scheduler of this experiment", (const char *const *)labels->pdata, error);
}

static gboolean read_portfolio(const ho_config_reader *r, unsigned i, ho_config_portfolio *list, GError **error) {
  const ho_raw_portfolio *raw = &r->raw->portfolios[i];
  const ho_config *c = r->config;
  g_autofree char *label = g_strdup_printf("portfolios[%u].label", i);
  g_autofree char *of = g_strdup_printf("portfolios[%u].of", i);
  if (!raw->label) return ho_yaml_fail(r->yaml, error, label, "key 'label' is missing: a portfolio needs a name");
  if (!ho_config_check_label(r, label, raw->label, error)) return FALSE;
  gboolean taken = scheduler_of(c, raw->label) >= 0;
  for (unsigned j = 0; j < i; j++) taken = taken || strcmp(list[j].label, raw->label) == 0;
  if (taken) return ho_yaml_fail(r->yaml, error, label, "'%s' is a label already", raw->label);
  if (raw->of_count == 0) return ho_yaml_fail(r->yaml, error, of, "missing or empty: expected labels of schedulers");
  int32_t *member = ho_arena_new_array(c->arena, int32_t, raw->of_count);
  for (unsigned j = 0; j < raw->of_count; j++) {
    g_autofree char *path = g_strdup_printf("portfolios[%u].of[%u]", i, j);
    if (!read_member(r, path, raw->of[j], &member[j], error)) return FALSE;
    for (unsigned k = 0; k < j; k++)
      if (member[k] == member[j]) return ho_yaml_fail(r->yaml, error, path, "'%s' is listed twice", raw->of[j]);
  }
  list[i] = (ho_config_portfolio){.label = ho_arena_strdup(c->arena, raw->label), .n = (int32_t)raw->of_count, .of = member};
  return TRUE;
}

gboolean ho_config_read_schedulers(const ho_config_reader *r, GError **error) {
  ho_config *c = r->config;
  unsigned n = r->raw->schedulers_count, n_portfolios = r->raw->portfolios_count;
  if (n == 0) return ho_yaml_fail(r->yaml, error, "schedulers", "missing or empty: expected at least one scheduler");
  ho_config_scheduler *schedulers = ho_arena_new_array(c->arena, ho_config_scheduler, n);
  c->scheduler = schedulers;
  for (unsigned i = 0; i < n; i++)
    if (!read_scheduler(r, i, schedulers, error)) return FALSE;
  ho_config_portfolio *portfolios = ho_arena_new_array(c->arena, ho_config_portfolio, n_portfolios ? n_portfolios : 1);
  for (unsigned i = 0; i < n_portfolios; i++)
    if (!read_portfolio(r, i, portfolios, error)) return FALSE;
  c->n_portfolios = (int32_t)n_portfolios;
  c->portfolio = portfolios;
  return TRUE;
}
