/* jsontext.c: JSON as text, for jsonio.h. jansson's own writer has no shortest form for doubles. */
#include <string.h>

#include "base/jsonio.h"
#include "base/units.h"

enum { LINE = 110 }; /* what fits in so many characters beside its indent stays on one line */

typedef struct {
  GString *text;
  const char *comma, *colon; /* "," ":" or ", " ": " */
  size_t limit;              /* stop when the text is longer: somebody only wants to know whether it fits */
} writer;

static void put_string(GString *text, const char *s, size_t length) {
  g_string_append_c(text, '"');
  for (size_t i = 0; i < length; i++) {
    unsigned char c = (unsigned char)s[i];
    if (c == '"' || c == '\\')
      g_string_append_printf(text, "\\%c", c);
    else if (c == '\n')
      g_string_append(text, "\\n");
    else if (c == '\t')
      g_string_append(text, "\\t");
    else if (c < 0x20)
      g_string_append_printf(text, "\\u%04x", c);
    else
      g_string_append_c(text, (char)c);
  }
  g_string_append_c(text, '"');
}

/* A real stays one when it is read again: 3.0, not 3. */
static void put_real(GString *text, double value) {
  char number[40];
  ho_double_text(value, number);
  g_string_append(text, number);
  if (!strpbrk(number, ".en")) g_string_append(text, ".0");
}

static void put_scalar(GString *text, const json_t *value) {
  switch (json_typeof(value)) {
    case JSON_STRING:
      put_string(text, json_string_value(value), json_string_length(value));
      break;
    case JSON_INTEGER:
      g_string_append_printf(text, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
      break;
    case JSON_REAL:
      put_real(text, json_real_value(value));
      break;
    case JSON_TRUE:
      g_string_append(text, "true");
      break;
    case JSON_FALSE:
      g_string_append(text, "false");
      break;
    default:
      g_string_append(text, "null");
  }
}

static void put_line(writer *w, const json_t *value) {
  const char *key;
  json_t *item;
  size_t i;
  if (w->text->len > w->limit) return;
  if (json_is_object(value)) {
    const char *separator = "";
    g_string_append_c(w->text, '{');
    json_object_foreach((json_t *)value, key, item) {
      g_string_append(w->text, separator);
      put_string(w->text, key, strlen(key));
      g_string_append(w->text, w->colon);
      put_line(w, item);
      separator = w->comma;
    }
    g_string_append_c(w->text, '}');
  } else if (json_is_array(value)) {
    g_string_append_c(w->text, '[');
    json_array_foreach(value, i, item) {
      if (i) g_string_append(w->text, w->comma);
      put_line(w, item);
      if (w->text->len > w->limit) break;
    }
    g_string_append_c(w->text, ']');
  } else {
    put_scalar(w->text, value);
  }
}

static void new_line(GString *text, int depth) {
  g_string_append_printf(text, "\n%*s", 2 * depth, "");
}

static void put_pretty(GString *text, const json_t *value, int depth) {
  const char *key;
  json_t *item;
  size_t i, before = text->len;
  writer w = {text, ", ", ": ", before + LINE};
  put_line(&w, value);
  if (text->len <= w.limit || !(json_is_object(value) || json_is_array(value))) return;
  g_string_truncate(text, before);
  const char *separator = "";
  g_string_append_c(text, json_is_object(value) ? '{' : '[');
  if (json_is_object(value)) {
    json_object_foreach((json_t *)value, key, item) {
      g_string_append(text, separator);
      new_line(text, depth + 1);
      put_string(text, key, strlen(key));
      g_string_append(text, ": ");
      put_pretty(text, item, depth + 1);
      separator = ",";
    }
  } else {
    json_array_foreach(value, i, item) {
      g_string_append(text, separator);
      new_line(text, depth + 1);
      put_pretty(text, item, depth + 1);
      separator = ",";
    }
  }
  new_line(text, depth);
  g_string_append_c(text, json_is_object(value) ? '}' : ']');
}

char *ho_json_text(const json_t *value) {
  GString *text = g_string_new(NULL);
  put_pretty(text, value, 0);
  g_string_append_c(text, '\n');
  return g_string_free(text, FALSE);
}

char *ho_json_line(const json_t *value) {
  GString *text = g_string_new(NULL);
  writer w = {text, ",", ":", G_MAXSIZE};
  put_line(&w, value);
  return g_string_free(text, FALSE);
}
