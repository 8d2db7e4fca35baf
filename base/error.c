/* error.c: see error.h. */
#include "base/error.h"

#include <string.h>

G_DEFINE_QUARK(ho - error - quark, ho_error)

gboolean ho_fail(GError **error, ho_error_code code, const char *format, ...) {
  if (!error) return FALSE;
  va_list args;
  va_start(args, format);
  GError *made = g_error_new_valist(HO_ERROR, code, format, args);
  va_end(args);
  g_strdelimit(made->message, "\n\r", ' ');
  g_propagate_error(error, made);
  return FALSE;
}

char *ho_printable(const char *text) {
  enum { LONGEST = 80 };
  g_autofree char *valid = g_utf8_make_valid(text, -1);
  GString *shown = g_string_new(NULL);
  int n = 0;
  for (const char *p = valid; *p; p = g_utf8_next_char(p)) {
    if (n++ == LONGEST) {
      g_string_append(shown, "…");
      break;
    }
    gunichar c = g_utf8_get_char(p);
    if (g_unichar_iscntrl(c))
      g_string_append_printf(shown, "\\x%02x", c);
    else
      g_string_append_unichar(shown, c);
  }
  return g_string_free(shown, FALSE);
}

int ho_error_exit_status(const GError *error) {
  if (error->domain != HO_ERROR) return 1;
  if (error->code == HO_ERROR_USAGE) return 2;
  return error->code == HO_ERROR_INTERNAL ? 3 : 1;
}

/* Levenshtein distance in one row; words here are short. */
static size_t edit_distance(const char *a, const char *b) {
  size_t n = strlen(b);
  g_autofree size_t *row = g_new(size_t, n + 1);
  for (size_t j = 0; j <= n; j++) row[j] = j;
  for (size_t i = 1; a[i - 1]; i++) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= n; j++) {
      size_t substitute = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = MIN(substitute, MIN(row[j], row[j - 1]) + 1);
    }
  }
  return row[n];
}

const char *ho_did_you_mean(const char *word, const char *const *names) {
  const char *best = NULL;
  size_t least = strlen(word) / 3 + 1;
  for (; *names; names++) {
    size_t d = edit_distance(word, *names);
    if (d < least || (d == least && !best && d < strlen(*names))) {
      best = *names;
      least = d;
    }
  }
  return best;
}
