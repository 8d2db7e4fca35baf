/* yamlio.c: see yamlio.h. The text becomes a tree with places (yamltree.c), the tree is held against the schema (yamlcheck.c), and
 * only then does libcyaml fill the structs; its log is caught, for what it refuses nevertheless. */
#include "base/yamlio.h"

#include <string.h>

#include "base/error.h"
#include "base/fileio.h"
#include "base/yamlcheck.h"
#include "base/yamltree.h"

struct ho_yaml {
  char *file;
  char *text;
  gsize length;
  ho_yaml_tree *tree; /* NULL: `fault` says why */
  GError *fault;
};

static ho_yaml *yaml_new(const char *file, char *text, gsize length) {
  ho_yaml *y = g_new0(ho_yaml, 1);
  y->file = g_strdup(file);
  y->text = text;
  y->length = length;
  y->tree = ho_yaml_tree_new(file, text, length, &y->fault);
  return y;
}

ho_yaml *ho_yaml_open(const char *file, GError **error) {
  char *text;
  gsize length;
  if (!ho_file_read(file, &text, &length, error)) return NULL;
  ho_yaml *y = yaml_new(file, text, length);
  if (y->tree) return y;
  if (error) *error = g_error_copy(y->fault);
  ho_yaml_free(y);
  return NULL;
}

ho_yaml *ho_yaml_from_text(const char *name, const char *text) {
  return yaml_new(name, g_strdup(text), strlen(text));
}

void ho_yaml_free(ho_yaml *y) {
  if (!y) return;
  g_free(y->file);
  g_free(y->text);
  ho_yaml_tree_free(y->tree);
  g_clear_error(&y->fault);
  g_free(y);
}

const char *ho_yaml_file(const ho_yaml *y) {
  return y->file;
}

const char *ho_yaml_text(const ho_yaml *y) {
  return y->text;
}

/* ---- libcyaml ---- */

static void catch_log(cyaml_log_t level, void *context, const char *format, va_list args) {
  (void)level;
  GString *log = context;
  if (log->len < 2000) g_string_append_vprintf(log, format, args);
}

static cyaml_config_t config(GString *log) {
  return (cyaml_config_t){
      .log_fn = catch_log, .log_ctx = log, .mem_fn = cyaml_mem, .log_level = CYAML_LOG_ERROR, .flags = CYAML_CFG_NO_ALIAS};
}

gboolean ho_yaml_load(ho_yaml *y, const cyaml_schema_value_t *schema, void **data, GError **error) {
  *data = NULL;
  if (!y->tree) {
    if (error) *error = g_error_copy(y->fault);
    return FALSE;
  }
  if (!ho_yaml_check(y->file, y->tree, schema, error)) return FALSE;
  g_autoptr(GString) log = g_string_new(NULL);
  cyaml_config_t c = config(log);
  cyaml_err_t e = cyaml_load_data((const uint8_t *)y->text, y->length, &c, schema, (cyaml_data_t **)data, NULL);
  if (e == CYAML_OK) return TRUE;
  g_strdelimit(g_strchomp(log->str), "\r\n", ';');
  return ho_fail(error, HO_ERROR_INPUT, "%s: not in the expected form: %s (%s)", y->file, cyaml_strerror(e), log->str);
}

void ho_yaml_release(const cyaml_schema_value_t *schema, void *data) {
  g_autoptr(GString) log = g_string_new(NULL);
  cyaml_config_t c = config(log);
  if (data) cyaml_free(&c, schema, data, 0);
}

/* ---- places ---- */

/* "power.idle" -> "key 'idle'"; "devices[2]" -> "devices[2]"; "" -> NULL. */
static char *path_subject(const char *path) {
  const char *dot = strrchr(path, '.');
  const char *last = dot ? dot + 1 : path;
  if (!*last) return NULL;
  return strchr(last, '[') ? g_strdup(last) : g_strdup_printf("key '%s'", last);
}

gboolean ho_yaml_has(const ho_yaml *y, const char *path) {
  if (!y->tree) return FALSE;
  const ho_yaml_node *key;
  gboolean found;
  ho_yaml_tree_find(y->tree, path, &key, &found);
  return found;
}

char *ho_yaml_place(const ho_yaml *y, const char *path) {
  g_autofree char *who = path_subject(path);
  const char *colon = who ? ": " : "";
  if (!y->tree) return g_strconcat(y->file, colon, who, NULL);
  const ho_yaml_node *key;
  gboolean found;
  const ho_yaml_node *node = ho_yaml_tree_find(y->tree, path, &key, &found);
  const ho_yaml_node *place = key ? key : node;
  return g_strdup_printf("%s:%u:%u%s%s", y->file, place->line, place->column, colon, who ? who : "");
}

gboolean ho_yaml_fail(const ho_yaml *y, GError **error, const char *path, const char *format, ...) {
  va_list args;
  va_start(args, format);
  g_autofree char *message = g_strdup_vprintf(format, args);
  va_end(args);
  g_strdelimit(message, "\r\n", ' ');
  g_autofree char *place = ho_yaml_place(y, path);
  return ho_fail(error, HO_ERROR_INPUT, "%s: %s", place, message);
}

gboolean ho_yaml_check_format(const ho_yaml *y, const char *found, const char *format, GError **error) {
  if (!y->tree) {
    if (error) *error = g_error_copy(y->fault);
    return FALSE;
  }
  if (!found) {
    const ho_yaml_node *key;
    gboolean there;
    const ho_yaml_node *n = ho_yaml_tree_find(y->tree, "format", &key, &there);
    if (!there || n->kind != HO_YAML_SCALAR)
      return ho_fail(error, HO_ERROR_INPUT, "%s: key 'format' is missing, expected format: %s", y->file, format);
    found = n->text;
  }
  if (!strcmp(found, format)) return TRUE;
  g_autofree char *shown = ho_printable(found);
  return ho_yaml_fail(y, error, "format", "found '%s', expected %s", shown, format);
}
