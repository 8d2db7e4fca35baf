/* plot.c: `heteroopt plot`: a figure out of a database or a file. */
#include <stdio.h>
#include <string.h>

#include "base/jsonio.h"
#include "cli/command.h"
#include "cli/stored_plan.h"
#include "plots/front.h"
#include "plots/gantt.h"

typedef struct {
  char *kind, *output, *study, *problem, *plan_text;
} plot_options;

static void plot_options_clear(plot_options *o) {
  g_free(o->kind);
  g_free(o->output);
  g_free(o->study);
  g_free(o->problem);
  g_free(o->plan_text);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(plot_options, plot_options_clear)

/* Every SQLite file begins with these bytes. */
static gboolean is_database(const char *file) {
  char head[16] = {0};
  FILE *f = g_file_test(file, G_FILE_TEST_IS_REGULAR) ? fopen(file, "rb") : NULL;
  if (!f) return FALSE;
  size_t n = fread(head, 1, sizeof head, f);
  fclose(f);
  return n == sizeof head && !memcmp(head, "SQLite format 3", sizeof head);
}

static gboolean plot_front(const char *file, const plot_options *o, const char *const *outputs, char **note, GError **error) {
  g_autoptr(ho_front_figure) f = NULL;
  if (is_database(file)) {
    g_autoptr(ho_store) s = ho_store_open(file, HO_STORE_READ, error);
    f = s ? ho_front_from_store(s, o->study, o->problem, error) : NULL;
  } else if (o->study || o->problem) {
    return ho_cli_usage(error, "plot: --study and --problem are for databases, and '%s' is none", file);
  } else {
    f = ho_front_from_file(file, error);
  }
  return f && ho_front_draw(f, outputs, note, error);
}

static gboolean plot_gantt(const char *file, const plot_options *o, const char *const *outputs, char **note, GError **error) {
  gint64 plan = 0;
  g_autofree char *title = NULL;
  json_t *replay;
  if (is_database(file)) {
    if (!o->plan_text)
      return ho_cli_usage(error, "plot: --plan is missing: which plan of the database, a plan_id of its view final_front");
    if (!ho_cli_int("--plan", o->plan_text, 1, G_MAXINT64, &plan, error)) return FALSE;
    replay = ho_cli_replay_stored(file, plan, &title, error);
  } else {
    if (o->plan_text) return ho_cli_usage(error, "plot: --plan is for databases, and '%s' is none", file);
    replay = ho_json_read(file, error);
    title = g_path_get_basename(file);
  }
  if (!replay) return FALSE;
  gboolean ok = ho_gantt_draw(replay, title, outputs, note, error);
  json_decref(replay);
  return ok;
}

static gboolean run(const ho_command *self, int argc, char **argv, GString *out, GError **error) {
  g_auto(plot_options) o = {0};
  const GOptionEntry entries[] = {
      {"kind", 'k', 0, G_OPTION_ARG_STRING, &o.kind,
       "front (default; of a database or a front file) or gantt (of a plan or a replay)", "KIND"},
      {"output", 'o', 0, G_OPTION_ARG_FILENAME, &o.output, "where to: .pdf, .png or .svg", "FILE"},
      {"study", 0, 0, G_OPTION_ARG_FILENAME, &o.study, "front: study of the database (default: the first)", "NAME"},
      {"problem", 0, 0, G_OPTION_ARG_FILENAME, &o.problem,
       "front: only problems whose name holds TEXT, or matches it with * and ?", "TEXT"},
      {"plan", 0, 0, G_OPTION_ARG_STRING, &o.plan_text, "gantt: a plan_id of the database's view final_front", "ID"},
      {NULL}};
  ho_cli_parsed parsed = ho_cli_parse(self, entries, &argc, argv, 1, 1, out, error);
  if (parsed != HO_CLI_GO) return parsed == HO_CLI_DONE;
  const char *const kinds[] = {"front", "gantt", NULL};
  int kind = ho_cli_choice("--kind", o.kind ? o.kind : "front", kinds, error);
  if (kind < 0) return FALSE;
  if (!o.output) return ho_cli_usage(error, "plot: -o is missing: where to draw, such as -o front.pdf");
  const char *const outputs[] = {o.output, NULL};
  g_autofree char *note = NULL;
  gboolean ok = kind == 0 ? plot_front(argv[1], &o, outputs, &note, error) : plot_gantt(argv[1], &o, outputs, &note, error);
  if (!ok) return FALSE;
  if (note) {
    ho_cli_note("%s", note);
  } else {
    g_string_append_printf(out, "%s\n", o.output);
  }
  return TRUE;
}

const ho_command ho_command_plot = {
    .name = "plot",
    .arguments = "DB|FILE --kind front|gantt -o FILE.pdf",
    .summary = "a figure out of a database or a file, for a paper",
    .details =
        "A front is drawn of a database or a front file; a Gantt chart of a plan in a database, or of what simulate --json\n"
        "printed. Draws with gnuplot, and leaves data (.dat) and script (.gp) beside the figure, to be edited and run again.\n\n"
        "Examples:\n"
        "  heteroopt plot quickstart.db --kind front -o front.pdf\n"
        "  heteroopt plot quickstart.db --kind front --problem inference/workstation -o workstation.pdf\n"
        "  heteroopt plot quickstart.db --kind gantt --plan 1000000 -o plan.pdf\n"
        "  heteroopt simulate --graph resnet50 --platform workstation --policy fifo --json > run.json\n"
        "  heteroopt plot run.json --kind gantt -o gantt.pdf",
    .run = run,
};
