/* compare.c: `heteroopt compare`: the comparison table of a database. */
#include "cli/command.h"
#include "experiments/table.h"

static gboolean run(const ho_command *self, int argc, char **argv, GString *out, GError **error) {
  g_autofree char *indicator = NULL, *format = NULL, *study = NULL, *frame = NULL;
  const GOptionEntry entries[] = {
      {"indicator", 'i', 0, G_OPTION_ARG_STRING, &indicator, "hv (default), or a column such as latency, energy, memory, slr",
       "NAME"},
      {"format", 'f', 0, G_OPTION_ARG_STRING, &format, "text (default), latex, csv or json", "FORMAT"},
      {"study", 0, 0, G_OPTION_ARG_FILENAME, &study, "one study (default: all)", "NAME"},
      {"frame", 0, 0, G_OPTION_ARG_STRING, &frame, "kind of frame (default: the study's own)", "KIND"},
      {NULL}};
  ho_cli_parsed parsed = ho_cli_parse(self, entries, &argc, argv, 1, 1, out, error);
  if (parsed != HO_CLI_GO) return parsed == HO_CLI_DONE;
  const char *const formats[] = {"text", "latex", "csv", "json", NULL};
  if (format && ho_cli_choice("--format", format, formats, error) < 0) return FALSE;
  g_autoptr(ho_store) s = ho_store_open(argv[1], HO_STORE_READ, error);
  if (!s) return FALSE;
  const ho_table_setup setup = {.study = study,
                                .frame = frame,
                                .indicator = indicator,
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
        "  heteroopt compare quickstart.db --indicator slr --format latex",
    .run = run,
};
