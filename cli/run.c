/* run.c: `heteroopt run`: carries out an experiment, prints its comparison, and draws its fronts. */
#include <errno.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/progress.h"
#include "experiments/runner.h"
#include "experiments/selection.h"
#include "experiments/table.h"
#include "plots/front.h"
#include "results/store_query.h"

typedef struct {
  char *database, *jobs_text, *shard_text;
  char **only;
  gint64 jobs;
  int32_t shard, shards;
} run_options;

static void run_options_clear(run_options *o) {
  g_free(o->database);
  g_free(o->jobs_text);
  g_free(o->shard_text);
  g_strfreev(o->only);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(run_options, run_options_clear)

/* Set by the first interrupt: runs in flight are finished and stored. A second one ends the program at once. */
static volatile sig_atomic_t interrupted;

static void on_interrupt(int number) {
  interrupted = 1;
  signal(number, SIG_DFL);
}

/* "quickstart-out" for "quickstart.db": figures go beside the database, wherever that was asked to be. */
static char *output_folder(const char *database) {
  size_t length = strlen(database) - (g_str_has_suffix(database, ".db") ? strlen(".db") : 0);
  return g_strdup_printf("%.*s-out", (int)length, database);
}

/* PDF and PNG of the fronts. */
static gboolean draw(const char *database, ho_store *s, GString *out, GError **error) {
  g_autofree char *folder = output_folder(database);
  if (g_mkdir_with_parents(folder, 0777)) return ho_fail(error, HO_ERROR_IO, "%s: %s", folder, g_strerror(errno));
  g_autofree char *pdf = g_build_filename(folder, "front.pdf", NULL);
  g_autofree char *png = g_build_filename(folder, "front.png", NULL);
  const char *const outputs[] = {pdf, png, NULL};
  g_autofree char *note = NULL;
  g_autoptr(ho_front_figure) f = ho_front_from_store(s, NULL, NULL, error);
  if (!f || !ho_front_draw(f, outputs, &note, error)) return FALSE;
  if (note) {
    ho_cli_note("%s", note);
  } else {
    g_string_append_printf(out, "figure    %s %s\n", pdf, png);
  }
  return TRUE;
}

static void print_outcome(const ho_run_outcome *o) {
  if (o->unchanged) ho_cli_note("%d of %d runs were there already", o->unchanged, o->selected);
  if (o->failed || o->infeasible)
    ho_cli_note("%d failed, %d infeasible; the first: %s", o->failed, o->infeasible, o->first_failure ? o->first_failure : "-");
}

static gboolean report(const ho_config *c, ho_store *s, const char *database, const ho_run_outcome *outcome, GString *out,
                       GError **error) {
  print_outcome(outcome);
  if (outcome->left)
    return ho_fail(error, HO_ERROR_IO, "%s: interrupted: %d runs done, %d left; the same command goes on", database,
                   outcome->done, outcome->left);
  const ho_table_setup table = {.format = HO_TABLE_TEXT};
  g_autofree char *text = ho_table(s, &table, error);
  if (!text) return FALSE;
  g_string_append(out, text);
  g_string_append_printf(out, "database  %s\n", database);
  g_autoptr(GPtrArray) points = ho_store_final_fronts(s, NULL, NULL, error);
  if (!points) return FALSE;
  if (points->len > 0 && c->n_objectives > 1) return draw(database, s, out, error);
  ho_cli_note("no front to draw: %s", points->len > 0 ? "there is one objective only" : "no run found a plan");
  return TRUE;
}

static gboolean run_experiment(const run_options *o, const char *file, GString *out, GError **error) {
  g_autoptr(ho_config) c = ho_config_load(file, error);
  if (!c) return FALSE;
  g_autoptr(ho_experiment) e = ho_experiment_new(c, error);
  if (!e) return FALSE;
  g_autofree char *database = o->database ? g_strdup(o->database) : ho_config_database(c);
  g_autofree char *only = o->only ? g_strjoinv(",", o->only) : NULL;
  ho_store *s = ho_store_open(database, HO_STORE_CREATE, error);
  if (!s) return FALSE;
  ho_progress bar = ho_progress_begin("runs");
  const ho_run_setup setup = {.jobs = (int32_t)o->jobs,
                              .only = only,
                              .shard = o->shard,
                              .shards = o->shards,
                              .stop = &interrupted,
                              .progress = ho_progress_show,
                              .user = &bar};
  ho_run_outcome outcome = {0};
  signal(SIGINT, on_interrupt);
  signal(SIGTERM, on_interrupt);
  gboolean ok = ho_experiment_run_all(e, s, &setup, &outcome, error);
  ho_progress_end(&bar);
  ok = ok && report(c, s, database, &outcome, out, error);
  g_free(outcome.first_failure);
  if (!ok) {
    ho_store_free(s);
    return FALSE;
  }
  return ho_store_close(s, error);
}

static gboolean run(const ho_command *self, int argc, char **argv, GString *out, GError **error) {
  g_auto(run_options) o = {.jobs = g_get_num_processors()};
  const GOptionEntry entries[] = {
      {"db", 0, 0, G_OPTION_ARG_FILENAME, &o.database, "database (default: NAME.db beside the config)", "FILE"},
      {"jobs", 'j', 0, G_OPTION_ARG_STRING, &o.jobs_text, "threads (default: one per processor); changes no result", "N"},
      {"only", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &o.only, "run a part: study=…,scheduler=…,problem=… with * and ?",
       "KEY=VALUE,…"},
      {"shard", 0, 0, G_OPTION_ARG_STRING, &o.shard_text, "run every N-th run, beginning with I (0 … N-1)", "I/N"},
      {NULL}};
  ho_cli_parsed parsed = ho_cli_parse(self, entries, &argc, argv, 1, 1, out, error);
  if (parsed != HO_CLI_GO) return parsed == HO_CLI_DONE;
  if (!ho_cli_int("--jobs", o.jobs_text, 1, 4096, &o.jobs, error)) return FALSE;
  if (o.shard_text && !ho_shard_parse(o.shard_text, &o.shard, &o.shards, error)) return FALSE;
  return run_experiment(&o, argv[1], out, error);
}

const ho_command ho_command_run = {
    .name = "run",
    .arguments = "CONFIG.yaml",
    .summary = "carry out an experiment: search, replay, store, compare, draw",
    .details =
        "Runs that the database holds already are not made again: the same command resumes after an interruption, and\n"
        "after a change of the config makes only what is new.\n\n"
        "Example:\n"
        "  heteroopt run experiments/quickstart.yaml --jobs 2",
    .run = run,
};
