/* compare.c: `heteroopt compare`: the comparison table of a database. */
#include <string.h>

#include "cli/command.h"
#include "experiments/table.h"

static gboolean run(const ho_command *self, int argc, char **argv, GString *out, GError **error) {
  g_autofree char *indicator = NULL, *format = NULL, *study = NULL, *frame = NULL, *against = NULL;
  const GOptionEntry entries[] = {
      {"indicator", 'i', 0, G_OPTION_ARG_STRING, &indicator, "hv (default), or a column such as latency, energy, memory, slr",
       "NAME"},
      {"format", 'f', 0, G_OPTION_ARG_STRING, &format, "text (default), latex, csv or json", "FORMAT"},
      {"study", 0, 0, G_OPTION_ARG_FILENAME, &study, "one study (default: all)", "NAME"},
      {"frame", 0, 0, G_OPTION_ARG_STRING, &frame, "kind of frame (default: the study's own)", "KIND"},
      {"against", 'a', 0, G_OPTION_ARG_STRING, &against, "every scheduler against this one, by statistics (text and csv)",
       "LABEL"},
      {NULL}};
  ho_cli_parsed parsed = ho_cli_parse(self, entries, &argc, argv, 1, 1, out, error);
  if (parsed != HO_CLI_GO) return parsed == HO_CLI_DONE;
  const char *const formats[] = {"text", "latex", "csv", "json", NULL};
  if (format && ho_cli_choice("--format", format, formats, error) < 0) return FALSE;
  if (against && format && strcmp(format, "text") != 0 && strcmp(format, "csv") != 0)
    return ho_cli_usage(error, "--against: printed as text or csv, not as %s", format);
  g_autoptr(ho_store) s = ho_store_open(argv[1], HO_STORE_READ, error);
  if (!s) return FALSE;
  const ho_table_setup setup = {.study = study,
                                .frame = frame,
                                .indicator = indicator,
                                .against = against,
                                .format = (ho_table_format)ho_table_format_parse(format ? format : "text")};
  g_autofree char *text = ho_table(s, &setup, error);
  if (!text) return FALSE;
  g_string_append(out, text);
  return TRUE;
}

const ho_command ho_command_compare = {
    .name = "compare",
    .arguments = "DB",
    .summary = "the comparison table of a database",
    .details =
        "One row per problem, one column per scheduler: median and interquartile range over replicates. Every value belongs to\n"
        "the frame that the head line names.\n\n"
        "Examples:\n"
        "  heteroopt compare quickstart.db\n"
        "  heteroopt compare quickstart.db --against nsga2\n"
        "  heteroopt compare quickstart.db --indicator slr --format latex",
    .run = run,
};
