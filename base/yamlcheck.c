/* yamlcheck.c: see yamlcheck.h. */
#include "base/yamlcheck.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/error.h"

typedef struct {
  const char *file;
  GString *path; /* "devices[2].power" */
} walk;

static gboolean check_value(walk *w, const ho_yaml_node *n, const ho_yaml_node *place, const cyaml_schema_value_t *s,
                            GError **error);

/* The last part of the path: "key 'idle'" or "devices[2]". */
static char *subject(const walk *w) {
  const char *dot = strrchr(w->path->str, '.');
  const char *last = dot ? dot + 1 : w->path->str;
  if (!*last) return g_strdup("the file");
  return strchr(last, '[') ? g_strdup(last) : g_strdup_printf("key '%s'", last);
}

static const char *found_kind(const ho_yaml_node *n) {
  return n->kind == HO_YAML_SEQUENCE ? "a list" : "keys and values";
}

/* "found …, expected …" at a node. */
static gboolean fail_found(const walk *w, const ho_yaml_node *n, const ho_yaml_node *place, const char *expected,
                           GError **error) {
  g_autofree char *who = subject(w);
  if (n->kind != HO_YAML_SCALAR)
    return ho_fail(error, HO_ERROR_INPUT, "%s:%u:%u: %s: found %s, expected %s", w->file, place->line, place->column, who,
                   found_kind(n), expected);
  if (ho_yaml_node_is_null(n))
    return ho_fail(error, HO_ERROR_INPUT, "%s:%u:%u: %s has no value, expected %s", w->file, place->line, place->column, who,
                   expected);
  g_autofree char *shown = ho_printable(n->text);
  return ho_fail(error, HO_ERROR_INPUT, "%s:%u:%u: %s: found '%s', expected %s", w->file, place->line, place->column, who, shown,
                 expected);
}

/* ---- mappings ---- */

static const char *place_in(const walk *w) {
  return w->path->len ? w->path->str : "the file";
}

static gboolean fail_unknown(const walk *w, const ho_yaml_node *mapping, const ho_yaml_node *key,
                             const cyaml_schema_field_t *fields, GError **error) {
  g_autofree char *shown = ho_printable(key->text);
  if (mapping->flow && strchr(key->text, '=') && key != mapping->first)
    return ho_fail(error, HO_ERROR_INPUT,
                   "%s:%u:%u: '%s' stands alone: inside { } YAML splits a text at its comma, expected the text in quotes",
                   w->file, key->line, key->column, shown);
  g_autoptr(GPtrArray) names = g_ptr_array_new();
  for (const cyaml_schema_field_t *f = fields; f->key; f++) g_ptr_array_add(names, (gpointer)f->key);
  g_ptr_array_add(names, NULL);
  const char *near = ho_did_you_mean(key->text, (const char *const *)names->pdata);
  g_autofree char *known = near ? g_strdup_printf("did you mean '%s'?", near) : g_strjoinv(", ", (char **)names->pdata);
  return ho_fail(error, HO_ERROR_INPUT, "%s:%u:%u: key '%s' is not known here (%s%s)", w->file, key->line, key->column, shown,
                 near ? "" : "known: ", known);
}

static gboolean check_mapping(walk *w, const ho_yaml_node *n, const ho_yaml_node *place, const cyaml_schema_field_t *fields,
                              GError **error) {
  gsize n_fields = 0, length = w->path->len;
  while (fields[n_fields].key) n_fields++;
  g_autofree const ho_yaml_node **seen = g_new0(const ho_yaml_node *, n_fields + 1);
  for (const ho_yaml_node *key = n->first; key; key = key->next->next) {
    gsize i = 0;
    while (i < n_fields && strcmp(fields[i].key, key->text)) i++;
    if (i == n_fields) return fail_unknown(w, n, key, fields, error);
    if (seen[i])
      return ho_fail(error, HO_ERROR_INPUT, "%s:%u:%u: key '%s' is given twice (first at line %u), expected once", w->file,
                     key->line, key->column, key->text, seen[i]->line);
    seen[i] = key;
    g_string_append_printf(w->path, "%s%s", length ? "." : "", key->text);
    gboolean good = check_value(w, key->next, key, &fields[i].value, error);
    g_string_truncate(w->path, length);
    if (!good) return FALSE;
  }
  for (gsize i = 0; i < n_fields; i++)
    if (!seen[i] && !(fields[i].value.flags & CYAML_FLAG_OPTIONAL))
      return ho_fail(error, HO_ERROR_INPUT, "%s:%u:%u: key '%s' is missing in %s", w->file, place->line, place->column,
                     fields[i].key, place_in(w));
  return TRUE;
}

/* ---- sequences ---- */

/* `[resnet50:batch=8,mode=training]` is a list of two: an entry "k=v" after an entry "name:k=v". */
static gboolean is_split(const ho_yaml_node *before, const ho_yaml_node *n) {
  if (before->kind != HO_YAML_SCALAR || n->kind != HO_YAML_SCALAR || !before->plain || !n->plain) return FALSE;
  const char *colon = strchr(before->text, ':'), *equals = strchr(before->text, '=');
  return colon && equals && colon < equals && strchr(n->text, '=') && !strchr(n->text, ':');
}

static gboolean check_sequence(walk *w, const ho_yaml_node *n, const ho_yaml_node *place, const cyaml_schema_value_t *s,
                               GError **error) {
  if (n->n < s->sequence.min || n->n > s->sequence.max) {
    g_autofree char *who = subject(w);
    g_autofree char *number =
        n->n < s->sequence.min ? g_strdup_printf("%s%u", s->sequence.min == s->sequence.max ? "" : "at least ", s->sequence.min)
                               : g_strdup_printf("%s%u", s->sequence.min == s->sequence.max ? "" : "at most ", s->sequence.max);
    return ho_fail(error, HO_ERROR_INPUT, "%s:%u:%u: %s: found %u entries, expected %s", w->file, place->line, place->column, who,
                   n->n, number);
  }
  gsize length = w->path->len;
  guint i = 0;
  const ho_yaml_node *before = NULL;
  for (const ho_yaml_node *e = n->first; e; before = e, e = e->next) {
    if (n->flow && before && is_split(before, e)) {
      g_autofree char *a = ho_printable(before->text), *b = ho_printable(e->text);
      return ho_fail(
          error, HO_ERROR_INPUT,
          "%s:%u:%u: inside [ ] YAML splits '%s,%s' at its comma, expected quotes around it or one entry per line (- …)", w->file,
          before->line, before->column, a, b);
    }
    g_string_append_printf(w->path, "[%u]", i++);
    gboolean good = check_value(w, e, e, s->sequence.entry, error);
    g_string_truncate(w->path, length);
    if (!good) return FALSE;
  }
  return TRUE;
}

/* ---- scalars ---- */

static gboolean is_digits(const char *text) {
  if (*text == '-' || *text == '+') text++;
  return *text && strspn(text, "0123456789") == strlen(text);
}

static gboolean check_int(walk *w, const ho_yaml_node *n, const ho_yaml_node *place, const cyaml_schema_value_t *s,
                          GError **error) {
  guint bits = 8 * MIN(s->data_size, 8u);
  gint64 max = bits == 64 ? G_MAXINT64 : ((gint64)1 << (bits - 1)) - 1;
  errno = 0;
  gint64 v = g_ascii_strtoll(n->text, NULL, 10);
  if (is_digits(n->text) && !errno && v <= max && v >= -max - 1) return TRUE;
  return fail_found(w, n, place, "a whole number", error);
}

static gboolean check_uint(walk *w, const ho_yaml_node *n, const ho_yaml_node *place, const cyaml_schema_value_t *s,
                           GError **error) {
  guint bits = 8 * MIN(s->data_size, 8u);
  guint64 max = bits == 64 ? G_MAXUINT64 : ((guint64)1 << bits) - 1;
  errno = 0;
  guint64 v = g_ascii_strtoull(n->text, NULL, 10);
  if (is_digits(n->text) && *n->text != '-' && !errno && v <= max) return TRUE;
  return fail_found(w, n, place, "a whole number that is not negative", error);
}

static gboolean check_float(walk *w, const ho_yaml_node *n, const ho_yaml_node *place, GError **error) {
  char *end;
  double v = g_ascii_strtod(n->text, &end);
  gboolean decimal = strspn(n->text, "0123456789+-.eE") == strlen(n->text);
  if (end != n->text && !*end && decimal && isfinite(v)) return TRUE;
  return fail_found(w, n, place, "a number", error);
}

static gboolean check_bool(walk *w, const ho_yaml_node *n, const ho_yaml_node *place, GError **error) {
  static const char *const words[] = {"true", "false", "yes", "no", NULL};
  for (int i = 0; words[i]; i++)
    if (!g_ascii_strcasecmp(n->text, words[i])) return TRUE;
  return fail_found(w, n, place, "true or false", error);
}

static gboolean check_enum(walk *w, const ho_yaml_node *n, const ho_yaml_node *place, const cyaml_schema_value_t *s,
                           GError **error) {
  g_autoptr(GPtrArray) names = g_ptr_array_new();
  for (uint32_t i = 0; i < s->enumeration.count; i++) {
    if (!strcmp(s->enumeration.strings[i].str, n->text)) return TRUE;
    g_ptr_array_add(names, (gpointer)s->enumeration.strings[i].str);
  }
  g_ptr_array_add(names, NULL);
  g_autofree char *expected = g_strjoinv(" | ", (char **)names->pdata);
  return fail_found(w, n, place, expected, error);
}

static gboolean check_string(walk *w, const ho_yaml_node *n, const ho_yaml_node *place, const cyaml_schema_value_t *s,
                             GError **error) {
  gsize length = strlen(n->text);
  if (length < s->string.min) return fail_found(w, n, place, "a longer text", error);
  if (length > s->string.max) return fail_found(w, n, place, "a shorter text", error);
  return TRUE;
}

static gboolean check_scalar(walk *w, const ho_yaml_node *n, const ho_yaml_node *place, const cyaml_schema_value_t *s,
                             GError **error) {
  if (n->kind != HO_YAML_SCALAR || ho_yaml_node_is_null(n)) return fail_found(w, n, place, "one value", error);
  switch (s->type) {
    case CYAML_INT:
      return check_int(w, n, place, s, error);
    case CYAML_UINT:
      return check_uint(w, n, place, s, error);
    case CYAML_FLOAT:
      return check_float(w, n, place, error);
    case CYAML_BOOL:
      return check_bool(w, n, place, error);
    case CYAML_ENUM:
      return check_enum(w, n, place, s, error);
    case CYAML_STRING:
      return check_string(w, n, place, s, error);
    default:
      return TRUE;
  }
}

static gboolean check_value(walk *w, const ho_yaml_node *n, const ho_yaml_node *place, const cyaml_schema_value_t *s,
                            GError **error) {
  if (s->type == CYAML_IGNORE) return TRUE;
  if ((s->flags & CYAML_FLAG_POINTER_NULL) == CYAML_FLAG_POINTER_NULL && ho_yaml_node_is_null(n)) return TRUE;
  switch (s->type) {
    case CYAML_MAPPING:
    case CYAML_BITFIELD:
      if (n->kind != HO_YAML_MAPPING) return fail_found(w, n, place, "keys and values (key: value)", error);
      return s->type == CYAML_BITFIELD || check_mapping(w, n, place, s->mapping.fields, error);
    case CYAML_SEQUENCE:
    case CYAML_SEQUENCE_FIXED:
      if (n->kind != HO_YAML_SEQUENCE) return fail_found(w, n, place, "a list ([a, b] or lines with -)", error);
      return check_sequence(w, n, place, s, error);
    case CYAML_FLAGS:
      if (n->kind != HO_YAML_SEQUENCE) return fail_found(w, n, place, "a list of words", error);
      return TRUE;
    default:
      return check_scalar(w, n, place, s, error);
  }
}

gboolean ho_yaml_check(const char *file, const ho_yaml_tree *t, const cyaml_schema_value_t *schema, GError **error) {
  walk w = {.file = file, .path = g_string_new(NULL)};
  gboolean good = check_value(&w, t->root, t->root, schema, error);
  g_string_free(w.path, TRUE);
  return good;
}
