/* optparse.c: see optparse.h. */
#include "base/optparse.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/units.h"

struct ho_options {
  const ho_option *table;
  int n;
  ho_option_value *values; /* n */
  char **texts;            /* n; what the string values point to */
};

static int table_length(const ho_option *table) {
  int n = 0;
  while (table && table[n].name) n++;
  return n;
}

static int find(const ho_option *table, int n, const char *name) {
  for (int i = 0; i < n; i++)
    if (strcmp(table[i].name, name) == 0) return i;
  return -1;
}

static gboolean has_range(const ho_option *o) {
  return o->min != 0 || o->max != 0;
}

static gboolean in_range(const ho_option *o, double v) {
  return !has_range(o) || (v >= o->min && v <= o->max);
}

/* "an integer from 2 to 1000", "a number", "one of fast, slow" */
static char *expectation(const ho_option *o) {
  if (o->type == HO_OPTION_CHOICE) {
    g_autofree char *list = g_strjoinv(", ", (char **)o->choices);
    return g_strconcat("one of ", list, NULL);
  }
  const char *noun = o->type == HO_OPTION_INT ? "an integer" : "a number";
  if (!has_range(o)) return g_strdup(noun);
  char least[32], most[32];
  if (o->max >= (o->type == HO_OPTION_INT ? 0x1p63 : INFINITY))
    return g_strdup_printf("%s ≥ %s", noun, ho_double_text(o->min, least));
  return g_strdup_printf("%s from %s to %s", noun, ho_double_text(o->min, least), ho_double_text(o->max, most));
}

static gboolean parse_int(const char *text, int64_t *value) {
  if (g_ascii_string_to_signed(text, 10, G_MININT64, G_MAXINT64, value, NULL)) return TRUE;
  double d; /* also 2e4 */
  if (!ho_double_parse(text, &d, NULL) || d != floor(d) || fabs(d) > 0x1p53) return FALSE;
  *value = (int64_t)d;
  return TRUE;
}

static gboolean parse_value(const ho_option *o, char *text, ho_option_value *value) {
  switch (o->type) {
    case HO_OPTION_INT:
      return parse_int(text, &value->i) && in_range(o, (double)value->i);
    case HO_OPTION_DOUBLE:
      return ho_double_parse(text, &value->d, NULL) && in_range(o, value->d);
    case HO_OPTION_CHOICE:
      for (value->i = 0; o->choices[value->i]; value->i++)
        if (strcmp(o->choices[value->i], text) == 0) return TRUE;
      return FALSE;
    case HO_OPTION_STRING:
      value->s = text;
      return TRUE;
  }
  return FALSE;
}

static gboolean set(ho_options *o, int i, const char *text, const char *who, GError **error) {
  o->texts[i] = g_strdup(text);
  if (parse_value(&o->table[i], o->texts[i], &o->values[i])) return TRUE;
  g_autofree char *expected = expectation(&o->table[i]), *shown = ho_printable(text);
  return ho_fail(error, HO_ERROR_INPUT, "%s: option '%s': found '%s', expected %s", who, o->table[i].name, shown, expected);
}

static gboolean unknown(const ho_options *o, const char *name, const char *who, GError **error) {
  g_autofree char *shown = ho_printable(name);
  if (o->n == 0) return ho_fail(error, HO_ERROR_INPUT, "%s: option '%s' is not known here: there are no options", who, shown);
  g_autofree const char **names = g_new0(const char *, o->n + 1);
  for (int i = 0; i < o->n; i++) names[i] = o->table[i].name;
  const char *near = ho_did_you_mean(name, names);
  if (near) return ho_fail(error, HO_ERROR_INPUT, "%s: option '%s' is not known here (did you mean '%s'?)", who, shown, near);
  g_autofree char *list = g_strjoinv(", ", (char **)names);
  return ho_fail(error, HO_ERROR_INPUT, "%s: option '%s' is not known here, expected one of %s", who, shown, list);
}

static gboolean take(ho_options *o, const char *given, const char *who, GError **error) {
  const char *equals = strchr(given, '=');
  if (!equals || equals == given) {
    g_autofree char *shown = ho_printable(given);
    return ho_fail(error, HO_ERROR_INPUT, "%s: found '%s', expected an option in the form name=value", who, shown);
  }
  g_autofree char *name = g_strndup(given, (gsize)(equals - given));
  int i = find(o->table, o->n, name);
  if (i < 0) return unknown(o, name, who, error);
  if (o->texts[i]) return ho_fail(error, HO_ERROR_INPUT, "%s: option '%s' is given twice", who, name);
  return set(o, i, equals + 1, who, error);
}

ho_options *ho_options_parse(const ho_option *table, const char *const *given, const char *who, GError **error) {
  g_autoptr(ho_options) o = g_new0(ho_options, 1);
  o->table = table;
  o->n = table_length(table);
  o->values = g_new0(ho_option_value, o->n);
  o->texts = g_new0(char *, o->n + 1);
  for (; given && *given; given++)
    if (!take(o, *given, who, error)) return NULL;
  for (int i = 0; i < o->n; i++)
    if (!o->texts[i] && !set(o, i, table[i].initial ? table[i].initial : "", who, error)) return NULL;
  return g_steal_pointer(&o);
}

void ho_options_free(ho_options *o) {
  if (!o) return;
  for (int i = 0; i < o->n; i++) g_free(o->texts[i]);
  g_free(o->texts);
  g_free(o->values);
  g_free(o);
}

/* The option that a plug-in asks for must be in its own table: anything else is a fault of the program. */
static int must_find(const ho_options *o, const char *name) {
  int i = find(o->table, o->n, name);
  if (i < 0) g_error("option '%s' is not in its table", name);
  return i;
}

int64_t ho_options_int(const ho_options *o, const char *name) {
  int i = must_find(o, name);
  g_assert(o->table[i].type == HO_OPTION_INT || o->table[i].type == HO_OPTION_CHOICE);
  return o->values[i].i;
}

double ho_options_double(const ho_options *o, const char *name) {
  int i = must_find(o, name);
  g_assert(o->table[i].type == HO_OPTION_DOUBLE);
  return o->values[i].d;
}

const char *ho_options_string(const ho_options *o, const char *name) {
  int i = must_find(o, name);
  if (o->table[i].type == HO_OPTION_CHOICE) return o->table[i].choices[o->values[i].i];
  g_assert(o->table[i].type == HO_OPTION_STRING);
  return o->values[i].s;
}

char *ho_options_canonical(const ho_options *o) {
  GString *text = g_string_new(NULL);
  char number[32];
  for (int i = 0; i < o->n; i++) {
    g_string_append_printf(text, "%s%s=", i ? "," : "", o->table[i].name);
    switch (o->table[i].type) {
      case HO_OPTION_INT:
        g_string_append_printf(text, "%" G_GINT64_FORMAT, o->values[i].i);
        break;
      case HO_OPTION_DOUBLE:
        g_string_append(text, ho_double_text(o->values[i].d, number));
        break;
      case HO_OPTION_CHOICE:
        g_string_append(text, o->table[i].choices[o->values[i].i]);
        break;
      case HO_OPTION_STRING:
        for (const char *p = o->values[i].s; *p; p++) {
          if (*p == ',' || *p == '\\') g_string_append_c(text, '\\');
          g_string_append_c(text, *p);
        }
        break;
    }
  }
  return g_string_free(text, FALSE);
}

/* A ':' separates options only where another "name=" follows it, so that a value may contain one. */
static gboolean separates(const char *p) {
  if (*p == ',') return TRUE;
  if (*p != ':') return FALSE;
  size_t name = strcspn(p + 1, "=:,");
  return name > 0 && p[1 + name] == '=';
}

void ho_spec_split(const char *spec, char **name, char ***given) {
  const char *p = strchr(spec, ':');
  *name = p ? g_strndup(spec, (gsize)(p - spec)) : g_strdup(spec);
  GPtrArray *texts = g_ptr_array_new();
  if (p && p[1]) {
    const char *start = ++p;
    for (; *p; p++)
      if (separates(p)) {
        g_ptr_array_add(texts, g_strndup(start, (gsize)(p - start)));
        start = p + 1;
      }
    g_ptr_array_add(texts, g_strndup(start, (gsize)(p - start)));
  }
  g_ptr_array_add(texts, NULL);
  *given = (char **)g_ptr_array_free(texts, FALSE);
}
