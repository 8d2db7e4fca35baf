/* plot.c: `heteroopt plot`: a figure out of a database or a file. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "plots/front.h"
#include "plots/gantt.h"

typedef struct {
  char *kind, *output, *study, *problem;
} plot_options;

static void plot_options_clear(plot_options *o) {
  g_free(o->kind);
  g_free(o->output);
  g_free(o->study);
  g_free(o->problem);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(plot_options, plot_options_clear)

/* Every SQLite file begins with these bytes. */
static gboolean is_database(const char *file) {
  char head[16] = {0};
  FILE *f = fopen(file, "rb");
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
  } else {
    f = ho_front_from_file(file, error);
  }
  return f && ho_front_draw(f, outputs, note, error);
}

static gboolean plot_gantt(const char *file, const char *const *outputs, char **note, GError **error) {
  if (is_database(file))
    return ho_fail(error, HO_ERROR_INPUT,
                   "%s: a Gantt chart is drawn from what `heteroopt simulate --json` prints, not from a database", file);
  return ho_gantt_draw(file, outputs, note, error);
}

static gboolean run(const ho_command *self, int argc, char **argv, GString *out, GError **error) {
  g_auto(plot_options) o = {0};
  const GOptionEntry entries[] = {
      {"kind", 'k', 0, G_OPTION_ARG_STRING, &o.kind, "front (of a database or a front file) or gantt (of simulate --json)",
       "KIND"},
      {"output", 'o', 0, G_OPTION_ARG_FILENAME, &o.output, "where to: .pdf, .png or .svg", "FILE"},
      {"study", 0, 0, G_OPTION_ARG_FILENAME, &o.study, "study of the database (default: the first)", "NAME"},
      {"problem", 0, 0, G_OPTION_ARG_FILENAME, &o.problem, "only problems whose name holds TEXT, or matches it with * and ?",
       "TEXT"},
      {NULL}};
  ho_cli_parsed parsed = ho_cli_parse(self, entries, &argc, argv, 1, 1, out, error);
  if (parsed != HO_CLI_GO) return parsed == HO_CLI_DONE;
  const char *const kinds[] = {"front", "gantt", NULL};
  int kind = ho_cli_choice("--kind", o.kind ? o.kind : "front", kinds, error);
  if (kind < 0) return FALSE;
  if (!o.output) return ho_cli_usage(error, "plot: -o is missing: where to draw, such as -o front.pdf");
  const char *const outputs[] = {o.output, NULL};
  g_autofree char *note = NULL;
  gboolean ok = kind == 0 ? plot_front(argv[1], &o, outputs, &note, error) : plot_gantt(argv[1], outputs, &note, error);
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
        "Draws with gnuplot, and leaves data (.dat) and script (.gp) beside the figure, to be edited and run again.\n\n"
        "Examples:\n"
        "  heteroopt plot quickstart.db --kind front -o front.pdf\n"
        "  heteroopt plot quickstart.db --kind front --problem inference/workstation -o workstation.pdf\n"
        "  heteroopt simulate --graph resnet50 --platform workstation --policy fifo --json > run.json\n"
        "  heteroopt plot run.json --kind gantt -o gantt.pdf",
    .run = run,
};
