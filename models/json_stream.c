/* json_stream.c: see json_stream.h. */
#include "models/json_stream.h"

#include <string.h>

#include "base/error.h"
#include "base/fileio.h"

/* ---- places ---------------------------------------------------------------------------------------------------------- */

/* Fails at an offset of the text; line and column (in characters) are counted only here. */
static gboolean fail_at(const ho_json_stream *s, size_t at, const char *what, GError **error) {
  int line = 1, column = 1;
  for (size_t i = 0; i < at && i < s->length; i++) {
    if (s->text[i] == '\n') {
      line++;
      column = 1;
    } else if (((unsigned char)s->text[i] & 0xC0) != 0x80) {
      column++;
    }
  }
  return ho_fail(error, HO_ERROR_INPUT, "%s:%d:%d: not JSON: %s", s->file, line, column, what);
}

static size_t skip_space(const ho_json_stream *s, size_t at) {
  while (at < s->length && strchr(" \t\r\n", s->text[at]) && s->text[at]) at++;
  return at;
}

static char char_at(const ho_json_stream *s, size_t at) {
  return at < s->length ? s->text[at] : '\0';
}

/* ---- values ---------------------------------------------------------------------------------------------------------- */

/* Parses the value at *at and moves behind it. */
static json_t *parse_value(const ho_json_stream *s, size_t *at, GError **error) {
  json_error_t what;
  size_t flags = JSON_REJECT_DUPLICATES | JSON_DISABLE_EOF_CHECK | JSON_DECODE_ANY;
  json_t *value = json_loadb(s->text + *at, s->length - *at, flags, &what);
  *at += (size_t)MAX(what.position, 0);
  if (value) return value;
  g_autofree char *shown = ho_printable(what.text);
  fail_at(s, *at ? *at - 1 : 0, shown, error);
  return NULL;
}

/* Offset behind the array that begins at `at`, or 0 when it does not end. Only brackets and strings are looked at: what lies
 * between is checked when its elements are parsed. */
static size_t skip_array(const ho_json_stream *s, size_t at) {
  size_t depth = 0;
  for (; at < s->length; at++) {
    char c = s->text[at];
    if (c == '"') {
      for (at++; at < s->length && s->text[at] != '"'; at++) at += s->text[at] == '\\';
    } else if (c == '[' || c == '{') {
      depth++;
    } else if ((c == ']' || c == '}') && --depth == 0) {
      return at + 1;
    }
  }
  return 0;
}

/* ---- the top-level object -------------------------------------------------------------------------------------------- */

static int streamed_index(const ho_json_stream *s, const char *key) {
  for (int i = 0; s->streamed[i]; i++)
    if (strcmp(s->streamed[i], key) == 0) return i;
  return -1;
}

/* Reads `key: value` at *at and moves behind it. */
static gboolean read_member(ho_json_stream *s, size_t *at, GError **error) {
  size_t begin = *at;
  if (char_at(s, *at) != '"') return fail_at(s, *at, "a key in double quotes was expected", error);
  json_t *key = parse_value(s, at, error);
  if (!key) return FALSE;
  g_autofree char *name = g_strdup(json_string_value(key));
  json_decref(key);
  int index = streamed_index(s, name);
  if (json_object_get(s->head, name) || (index >= 0 && s->array[index]))
    return fail_at(s, begin, "this key is here a second time", error);
  *at = skip_space(s, *at);
  if (char_at(s, *at) != ':') return fail_at(s, *at, "':' was expected", error);
  *at = skip_space(s, *at + 1);
  if (index >= 0 && char_at(s, *at) == '[') {
    s->array[index] = *at;
    *at = skip_array(s, *at);
    return *at || fail_at(s, s->array[index], "the array that begins here has no end", error);
  }
  json_t *value = parse_value(s, at, error);
  return value && json_object_set_new(s->head, name, value) == 0;
}

static gboolean read_object(ho_json_stream *s, GError **error) {
  size_t at = skip_space(s, 0);
  if (char_at(s, at) != '{') return fail_at(s, at, "an object was expected", error);
  at = skip_space(s, at + 1);
  if (char_at(s, at) != '}') {
    for (;;) {
      if (!read_member(s, &at, error)) return FALSE;
      at = skip_space(s, at);
      if (char_at(s, at) != ',') break;
      at = skip_space(s, at + 1);
    }
    if (char_at(s, at) != '}') return fail_at(s, at, "',' or '}' was expected", error);
  }
  at = skip_space(s, at + 1);
  return at == s->length || fail_at(s, at, "end of file was expected", error);
}

/* Takes the text. */
static ho_json_stream *stream_of(const char *name, char *text, size_t length, const char *const *streamed, GError **error) {
  g_autoptr(ho_json_stream) s = g_new0(ho_json_stream, 1);
  s->file = name;
  s->text = text;
  s->length = length;
  s->head = json_object();
  s->streamed = streamed;
  s->array = g_new0(size_t, g_strv_length((char **)streamed) + 1);
  return read_object(s, error) ? g_steal_pointer(&s) : NULL;
}

ho_json_stream *ho_json_stream_open(const char *file, const char *const *streamed, GError **error) {
  char *text;
  size_t length;
  if (!ho_file_read(file, &text, &length, error)) return NULL;
  return stream_of(strcmp(file, "-") == 0 ? "standard input" : file, text, length, streamed, error);
}

ho_json_stream *ho_json_stream_of_text(const char *name, const char *text, const char *const *streamed, GError **error) {
  return stream_of(name, g_strdup(text), strlen(text), streamed, error);
}

void ho_json_stream_free(ho_json_stream *s) {
  if (!s) return;
  g_free(s->text);
  g_free(s->array);
  json_decref(s->head);
  g_free(s);
}

/* ---- elements -------------------------------------------------------------------------------------------------------- */

gboolean ho_json_stream_elements(const ho_json_stream *s, const char *name, ho_json_elements *e) {
  size_t at = s->array[streamed_index(s, name)];
  *e = (ho_json_elements){.stream = s, .name = name, .at = at + 1, .first = TRUE};
  return at > 0;
}

gboolean ho_json_elements_begin(ho_json_elements *e, char **text, GError **error) {
  const ho_json_stream *s = e->stream;
  *text = NULL;
  e->at = skip_space(s, e->at);
  char c = char_at(s, e->at);
  if (c == ']') return TRUE;
  if (!e->first) {
    if (c != ',') return fail_at(s, e->at, "',' or ']' was expected", error);
    e->at = skip_space(s, e->at + 1);
  }
  e->first = FALSE;
  *text = s->text + e->at;
  return TRUE;
}

void ho_json_elements_skip(ho_json_elements *e, size_t length) {
  e->at += length;
}

gboolean ho_json_elements_parse(ho_json_elements *e, json_t **element, GError **error) {
  *element = parse_value(e->stream, &e->at, error);
  return *element != NULL;
}

gboolean ho_json_elements_next(ho_json_elements *e, json_t **element, GError **error) {
  char *text;
  *element = NULL;
  if (!ho_json_elements_begin(e, &text, error)) return FALSE;
  return !text || ho_json_elements_parse(e, element, error);
}
