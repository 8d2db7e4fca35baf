/* check.c: `heteroopt check`: what an experiment would do, without doing it. */
#include "experiments/check.h"
#include "cli/command.h"

static gboolean run(const ho_command *self, int argc, char **argv, GString *out, GError **error) {
  g_autofree char *database = NULL, *jobs_text = NULL;
  gint64 jobs = g_get_num_processors();
  gboolean json = FALSE;
  const GOptionEntry entries[] = {
      {"db", 0, 0, G_OPTION_ARG_FILENAME, &database, "database that run would continue (default: NAME.db beside the config)",
       "FILE"},
      {"jobs", 'j', 0, G_OPTION_ARG_STRING, &jobs_text, "threads to estimate the time for (default: one per processor)", "N"},
      {"json", 0, 0, G_OPTION_ARG_NONE, &json, "print one JSON object", NULL},
      {NULL}};
  ho_cli_parsed parsed = ho_cli_parse(self, entries, &argc, argv, 1, 1, out, error);
  if (parsed != HO_CLI_GO) return parsed == HO_CLI_DONE;
  if (!ho_cli_int("--jobs", jobs_text, 1, 4096, &jobs, error)) return FALSE;
  g_autoptr(ho_config) c = ho_config_load(argv[1], error);
  if (!c) return FALSE;
  g_autoptr(ho_experiment) e = ho_experiment_new(c, error);
  if (!e) return FALSE;
  if (!database) database = ho_config_database(c);
  g_autoptr(ho_check) k = ho_experiment_check(e, database, (int32_t)jobs, error);
  if (!k) return FALSE;
  if (json) {
    ho_cli_json(out, ho_check_json(k));
  } else {
    g_autofree char *text = ho_check_text(k);
    g_string_append(out, text);
  }
  return TRUE;
}

const ho_command ho_command_check = {
    .name = "check",
    .arguments = "CONFIG.yaml",
    .summary = "what an experiment would run, what is excluded and why, time and size",
    .details = "Example:\n  heteroopt check experiments/quickstart.yaml",
    .run = run,
};
