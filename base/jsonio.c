/* jsonio.c: see jsonio.h. Reading and typed members; writing is in jsontext.c. */
#include "base/jsonio.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/fileio.h"
#include "base/units.h"

/* jansson limits the depth to JSON_PARSER_MAX_DEPTH (2048), refuses NaN, numbers out of range and what follows the value. */
json_t *ho_json_read(const char *file, GError **error) {
  g_autofree char *text = NULL;
  size_t length;
  if (!ho_file_read(file, &text, &length, error)) return NULL;
  json_error_t what;
  json_t *value = json_loadb(text, length, JSON_REJECT_DUPLICATES, &what);
  if (value) return value;
  const char *name = strcmp(file, "-") == 0 ? "standard input" : file;
  g_autofree char *shown = ho_printable(what.text);
  ho_fail(error, HO_ERROR_INPUT, "%s:%d:%d: not JSON: %s", name, MAX(what.line, 1), MAX(what.column, 1), shown);
  return NULL;
}

gboolean ho_json_write(const json_t *value, const char *file, GError **error) {
  g_autofree char *text = ho_json_text(value);
  return ho_file_write(file, text, strlen(text), error);
}

/* What a value is, for "found …". Caller frees. */
static char *describe(const json_t *value) {
  char number[32];
  switch (json_typeof(value)) {
    case JSON_OBJECT:
      return g_strdup("an object");
    case JSON_ARRAY:
      return g_strdup("an array");
    case JSON_STRING: {
      g_autofree char *shown = ho_printable(json_string_value(value));
      return g_strdup_printf("\"%s\"", shown);
    }
    case JSON_INTEGER:
      return g_strdup_printf("%" JSON_INTEGER_FORMAT, json_integer_value(value));
    case JSON_REAL:
      return g_strdup(ho_double_text(json_real_value(value), number));
    case JSON_TRUE:
      return g_strdup("true");
    case JSON_FALSE:
      return g_strdup("false");
    default:
      return g_strdup("null");
  }
}

/* "ops[3].flops", or the one of the two that is there. Caller frees. */
static char *join(const char *place, const char *key) {
  return place && *place ? g_strdup_printf("%s.%s", place, key) : g_strdup(key);
}

static gboolean wrong(ho_json_at at, const char *key, const json_t *found, GError **error, const char *expected) {
  g_autofree char *place = join(at.place, key), *what = describe(found);
  return ho_fail(error, HO_ERROR_INPUT, "%s: %s: found %s, expected %s", at.file, place, what, expected);
}

static gboolean must_be_object(const json_t *object, ho_json_at at, GError **error) {
  if (json_is_object(object)) return TRUE;
  g_autofree char *what = object ? describe(object) : g_strdup("nothing");
  const char *place = at.place && *at.place ? at.place : "the whole";
  return ho_fail(error, HO_ERROR_INPUT, "%s: %s: found %s, expected an object", at.file, place, what);
}

gboolean ho_json_object_only(const json_t *object, ho_json_at at, const char *const *keys, GError **error) {
  if (!must_be_object(object, at, error)) return FALSE;
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)object, key, value) {
    if (g_strv_contains(keys, key)) continue;
    g_autofree char *shown = ho_printable(key), *place = join(at.place, shown);
    const char *near = ho_did_you_mean(key, keys);
    if (near)
      return ho_fail(error, HO_ERROR_INPUT, "%s: %s: key '%s' is not known here (did you mean '%s'?)", at.file, place, shown,
                     near);
    g_autofree char *list = g_strjoinv(", ", (char **)keys);
    return ho_fail(error, HO_ERROR_INPUT, "%s: %s: key '%s' is not known here, expected one of %s", at.file, place, shown, list);
  }
  return TRUE;
}

/* Finds a member into *value (NULL: absent, but optional). FALSE: an error is set. */
static gboolean member(const json_t *object, ho_json_at at, const char *key, gboolean required, json_t **value, GError **error) {
  if (!must_be_object(object, at, error)) return FALSE;
  *value = json_object_get(object, key);
  if (*value || !required) return TRUE;
  const char *place = at.place && *at.place ? at.place : "the whole";
  return ho_fail(error, HO_ERROR_INPUT, "%s: %s: key '%s' is missing", at.file, place, key);
}

/* "a number ≥ 0"; `noun` alone where any value will do. Caller frees. */
static char *at_least(const char *noun, double min) {
  char text[32];
  return isfinite(min) ? g_strdup_printf("%s ≥ %s", noun, ho_double_text(min, text)) : g_strdup(noun);
}

gboolean ho_json_get_double(const json_t *object, ho_json_at at, const char *key, gboolean required, double min, double *out,
                            GError **error) {
  json_t *value;
  if (!member(object, at, key, required, &value, error)) return FALSE;
  if (!value) return TRUE;
  double v = json_number_value(value);
  if (!json_is_number(value) || !(v >= min)) {
    g_autofree char *expected = at_least("a number", min);
    return wrong(at, key, value, error, expected);
  }
  *out = v == 0 ? 0.0 : v; /* never -0 */
  return TRUE;
}

/* Also a real without a fraction, such as 8e5. */
static gboolean whole_number(const json_t *value, int64_t *out) {
  if (json_is_integer(value)) {
    *out = json_integer_value(value);
    return TRUE;
  }
  double v = json_is_real(value) ? json_real_value(value) : 0.5;
  if (v != floor(v) || fabs(v) > 0x1p62) return FALSE;
  *out = (int64_t)v;
  return TRUE;
}

gboolean ho_json_get_int(const json_t *object, ho_json_at at, const char *key, gboolean required, int64_t min, int64_t *out,
                         GError **error) {
  json_t *value;
  if (!member(object, at, key, required, &value, error)) return FALSE;
  if (!value) return TRUE;
  int64_t v;
  if (!whole_number(value, &v) || v < min) {
    g_autofree char *expected =
        min == INT64_MIN ? g_strdup("a whole number") : g_strdup_printf("a whole number ≥ %" G_GINT64_FORMAT, min);
    return wrong(at, key, value, error, expected);
  }
  *out = v;
  return TRUE;
}

gboolean ho_json_get_string(const json_t *object, ho_json_at at, const char *key, gboolean required, const char **out,
                            GError **error) {
  json_t *value;
  if (!member(object, at, key, required, &value, error)) return FALSE;
  if (!value) return TRUE;
  if (!json_is_string(value)) return wrong(at, key, value, error, "a string");
  *out = json_string_value(value);
  return TRUE;
}

gboolean ho_json_get_array(const json_t *object, ho_json_at at, const char *key, gboolean required, json_t **out,
                           GError **error) {
  json_t *value;
  if (!member(object, at, key, required, &value, error)) return FALSE;
  if (!value) return TRUE;
  if (!json_is_array(value)) return wrong(at, key, value, error, "an array");
  *out = value;
  return TRUE;
}

gboolean ho_json_check_format(const json_t *object, ho_json_at at, const char *format, GError **error) {
  const char *found;
  if (!ho_json_get_string(object, at, "format", TRUE, &found, error)) return FALSE;
  if (strcmp(found, format) == 0) return TRUE;
  g_autofree char *expected = g_strdup_printf("\"%s\"", format);
  return wrong(at, "format", json_object_get(object, "format"), error, expected);
}
