/* config_rewrites.c: the rewrites that a scheduler of an experiment is given: a list of what `schedule --rewrite` takes with commas between. */
#include <string.h>

#include "base/digest.h"
#include "base/fileio.h"
#include "experiments/config_read.h"
#include "models/rewrite.h"

/* A file of rewrites: its path from the current directory into `spec`, its name and a digest of its content into `key`. */
static gboolean add_file(const ho_config_reader *r, const char *path, const char *name, GString *spec, GString *key,
                         GError **error) {
  g_autofree char *file = g_path_is_absolute(name) || strcmp(r->config->folder, ".") == 0
                              ? g_strdup(name)
                              : g_build_filename(r->config->folder, name, NULL);
  if (strchr(file, ','))
    return ho_yaml_fail(r->yaml, error, path, "'%s': a file of rewrites cannot have a comma in its path", file);
  g_autofree char *text = NULL;
  g_autoptr(GError) why = NULL;
  size_t length;
  if (!ho_file_read(file, &text, &length, &why)) return ho_yaml_fail(r->yaml, error, path, "%s", why->message);
  g_autoptr(ho_digest) d = ho_digest_new();
  ho_digest_bytes(d, text, length);
  g_autofree char *digest = ho_digest_finish(d);
  g_string_append(spec, file);
  g_string_append_printf(key, "%s@%.16s", name, digest);
  return TRUE;
}

static gboolean add_entry(const ho_config_reader *r, const char *path, const char *entry, GString *spec, GString *key,
                          GError **error) {
  if (strchr(entry, ',')) return ho_yaml_fail(r->yaml, error, path, "'%s': expected one rewrite an entry, without commas", entry);
  if (spec->len) g_string_append_c(spec, ',');
  if (key->len) g_string_append_c(key, '+');
  if (g_str_has_suffix(entry, ".json")) return add_file(r, path, entry, spec, key, error);
  g_autofree char *rule = g_strndup(entry, strcspn(entry, ":"));
  if (!ho_rewrite_rule_find(rule)) {
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (int i = 0; ho_rewrite_rules[i]; i++) g_ptr_array_add(names, (void *)ho_rewrite_rules[i]->name);
    g_ptr_array_add(names, NULL);
    return ho_config_unknown(r, path, rule, "rewrite rule", (const char *const *)names->pdata, error);
  }
  g_string_append(spec, entry);
  g_string_append(key, entry);
  return TRUE;
}

gboolean ho_config_read_rewrites(const ho_config_reader *r, unsigned i, ho_config_scheduler *s, char **key, GError **error) {
  const ho_raw_scheduler *raw = &r->raw->schedulers[i];
  g_autofree char *list = g_strdup_printf("schedulers[%u].rewrites", i);
  if (!ho_yaml_has(r->yaml, list)) return TRUE;
  if (raw->rewrites_count == 0)
    return ho_yaml_fail(r->yaml, error, list, "empty: expected rewrites, such as [remove, fold, fuse]");
  g_autoptr(GString) spec = g_string_new(NULL);
  g_autoptr(GString) text = g_string_new(NULL);
  for (unsigned j = 0; j < raw->rewrites_count; j++) {
    g_autofree char *path = g_strdup_printf("%s[%u]", list, j);
    if (!add_entry(r, path, raw->rewrites[j], spec, text, error)) return FALSE;
  }
  g_autofree char *place = ho_yaml_place(r->yaml, list);
  s->rewrites = ho_arena_strdup(r->config->arena, spec->str);
  s->place = ho_arena_strdup(r->config->arena, place);
  *key = g_string_free(g_steal_pointer(&text), FALSE);
  return TRUE;
}
