/* command.c: see command.h. Options are parsed by GLib's GOption; its wording of errors is replaced by ours. */
#include "cli/command.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/jsonio.h"
#include "base/units.h"

gboolean ho_cli_usage(GError **error, const char *format, ...) {
  va_list args;
  va_start(args, format);
  g_autofree char *text = g_strdup_vprintf(format, args);
  va_end(args);
  return ho_fail(error, HO_ERROR_USAGE, "%s", text);
}

void ho_cli_note(const char *format, ...) {
  va_list args;
  va_start(args, format);
  g_autofree char *text = g_strdup_vprintf(format, args);
  va_end(args);
  fprintf(stderr, "heteroopt: %s\n", text);
}

/* An option that GOption left in place because it knows none of that name. */
static gboolean unknown_option(const ho_command *self, const GOptionEntry *entries, const char *word, GError **error) {
  g_autofree char *name = g_strndup(word, strcspn(word, "="));
  g_autoptr(GPtrArray) known = g_ptr_array_new_with_free_func(g_free);
  for (const GOptionEntry *e = entries; e->long_name; e++) g_ptr_array_add(known, g_strdup_printf("--%s", e->long_name));
  g_ptr_array_add(known, g_strdup("--help"));
  g_ptr_array_add(known, NULL);
  const char *near = g_str_has_prefix(name, "--") ? ho_did_you_mean(name, (const char *const *)known->pdata) : NULL;
  if (near) return ho_cli_usage(error, "%s: unknown option %s (did you mean %s?)", self->name, name, near);
  return ho_cli_usage(error, "%s: unknown option %s", self->name, name);
}

static void append_help(GOptionContext *context, GString *out) {
  g_autofree char *help = g_option_context_get_help(context, TRUE, NULL);
  g_string_append(out, help);
}

ho_cli_parsed ho_cli_parse(const ho_command *self, const GOptionEntry *entries, int *argc, char **argv, int least, int most,
                           GString *out, GError **error) {
  gboolean help = FALSE;
  const GOptionEntry general[] = {{"help", 'h', 0, G_OPTION_ARG_NONE, &help, "show this text", NULL}, {NULL}};
  g_autoptr(GOptionContext) context = g_option_context_new(self->arguments);
  g_option_context_set_help_enabled(context, FALSE);
  g_option_context_set_ignore_unknown_options(context, TRUE);
  g_option_context_set_summary(context, self->summary);
  g_option_context_set_description(context, self->details);
  g_option_context_add_main_entries(context, entries, NULL);
  g_option_context_add_main_entries(context, general, NULL);
  g_set_prgname(argv[0]);

  g_autoptr(GError) local = NULL;
  if (!g_option_context_parse(context, argc, &argv, &local)) {
    ho_cli_usage(error, "%s: %s", self->name, local->message);
    return HO_CLI_WRONG;
  }
  if (help) {
    append_help(context, out);
    return HO_CLI_DONE;
  }
  gboolean options_over = FALSE;
  int kept = 1;
  for (int i = 1; i < *argc; i++) {
    if (!options_over && !strcmp(argv[i], "--")) {
      options_over = TRUE;
      continue;
    }
    if (!options_over && argv[i][0] == '-' && argv[i][1]) {
      unknown_option(self, entries, argv[i], error);
      return HO_CLI_WRONG;
    }
    argv[kept++] = argv[i];
  }
  *argc = kept;
  if (kept - 1 > most) {
    ho_cli_usage(error, "%s: unexpected argument '%s'", self->name, argv[most + 1]);
    return HO_CLI_WRONG;
  }
  if (kept - 1 < least) {
    ho_cli_usage(error, "%s: an argument is missing: usage is %s %s", self->name, argv[0], self->arguments);
    return HO_CLI_WRONG;
  }
  return HO_CLI_GO;
}

int ho_cli_choice(const char *option, const char *word, const char *const *names, GError **error) {
  for (int i = 0; names[i]; i++)
    if (!strcmp(word, names[i])) return i;
  const char *near = ho_did_you_mean(word, names);
  if (near) {
    ho_cli_usage(error, "%s: '%s' is not known (did you mean '%s'?)", option, word, near);
  } else {
    g_autofree char *all = g_strjoinv(", ", (char **)names);
    ho_cli_usage(error, "%s: '%s' is not known: expected one of %s", option, word, all);
  }
  return -1;
}

gboolean ho_cli_int(const char *option, const char *text, gint64 least, gint64 most, gint64 *value, GError **error) {
  if (!text) return TRUE;
  gint64 v;
  if (!g_ascii_string_to_signed(text, 10, least, most, &v, NULL)) {
    if (most == G_MAXINT64)
      return ho_cli_usage(error, "%s: '%s' is not a whole number of at least %" G_GINT64_FORMAT, option, text, least);
    return ho_cli_usage(error, "%s: '%s' is not a whole number from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT, option, text,
                        least, most);
  }
  *value = v;
  return TRUE;
}

gboolean ho_cli_uint(const char *option, const char *text, guint64 *value, GError **error) {
  if (!text) return TRUE;
  guint64 v;
  if (!g_ascii_string_to_unsigned(text, 10, 0, G_MAXINT64, &v, NULL))
    return ho_cli_usage(error, "%s: '%s' is not a whole number from 0 to 2^63-1", option, text);
  *value = v;
  return TRUE;
}

gboolean ho_cli_double(const char *option, const char *text, double least, double most, double *value, GError **error) {
  if (!text) return TRUE;
  double v;
  if (!ho_double_parse(text, &v, NULL) || v < least || v > most) {
    char low[32], high[32];
    return ho_cli_usage(error, "%s: '%s' is not a number from %s to %s", option, text, ho_double_text(least, low),
                        ho_double_text(most, high));
  }
  *value = v;
  return TRUE;
}

void ho_cli_json(GString *out, json_t *value) {
  g_autofree char *text = ho_json_text(value);
  g_string_append(out, text);
  if (!out->len || out->str[out->len - 1] != '\n') g_string_append_c(out, '\n');
  json_decref(value);
}

json_t *ho_cli_number(double value) {
  const double exact = 9007199254740992.0; /* 2^53: whole doubles up to here are whole numbers without doubt */
  if (fabs(value) <= exact && value == floor(value)) return json_integer((json_int_t)value);
  return json_real(value);
}
