/* graph.c: `heteroopt graph info|convert|rewrite`: is my model understood, as what, and what do rewrites make of it? */
#include "cli/command.h"
#include "cli/graph_rewrite.h"
#include "cli/inputs.h"
#include "models/graph_stats.h"
#include "models/source.h"

static void info(const ho_graph *g, gboolean json, GString *out) {
  g_autoptr(ho_graph_stats) stats = ho_graph_stats_new(g);
  if (json) {
    ho_cli_json(out, ho_graph_stats_json(g, stats));
    return;
  }
  g_autofree char *text = ho_graph_stats_text(g, stats);
  g_string_append(out, text);
}

static gboolean run(const ho_command *self, int argc, char **argv, GString *out, GError **error) {
  gboolean json = FALSE;
  g_autofree char *output = NULL, *rules = NULL;
  gboolean list = FALSE;
  g_auto(GStrv) bind = NULL;
  const GOptionEntry entries[] = {
      {"bind", 'b', 0, G_OPTION_ARG_FILENAME_ARRAY, &bind, "value of a symbolic dimension (repeatable)", "NAME=N"},
      {"json", 0, 0, G_OPTION_ARG_NONE, &json, "info, rewrite: print JSON", NULL},
      {"output", 'o', 0, G_OPTION_ARG_FILENAME, &output,
       "convert, rewrite: write JSON to FILE; convert: DOT when it ends in .dot (default: standard output)", "FILE"},
      {"rule", 0, 0, G_OPTION_ARG_FILENAME, &rules,
       "rewrite: rules, applied everywhere one after the other, such as remove,fold,fuse", "RULES"},
      {"list", 0, 0, G_OPTION_ARG_NONE, &list, "rewrite: only list where the rules apply and what each saves", NULL},
      {NULL}};
  ho_cli_parsed parsed = ho_cli_parse(self, entries, &argc, argv, 2, 2, out, error);
  if (parsed != HO_CLI_GO) return parsed == HO_CLI_DONE;
  const char *const actions[] = {"info", "convert", "rewrite", NULL};
  int action = ho_cli_choice("graph", argv[1], actions, error);
  if (action < 0) return FALSE;
  g_autoptr(ho_graph) g = ho_cli_load_graph(argv[2], bind, error);
  if (!g) return FALSE;
  if (action == 0) {
    info(g, json, out);
    return TRUE;
  }
  if (action == 2) {
    const ho_cli_rewrite_options options = {.rules = rules, .output = output, .list = list, .json = json};
    return ho_cli_graph_rewrite(g, &options, out, error);
  }
  if (output && g_str_has_suffix(output, ".dot")) return ho_graph_write_dot(g, output, error);
  return ho_graph_write_json(g, output ? output : "-", error);
}

const ho_command ho_command_graph = {
    .name = "graph",
    .arguments = "info|convert|rewrite G",
    .summary = "what a model is understood as; any format to heteroopt-graph/1 JSON; what rewrite rules make of it",
    .details =
        "G is a file (ONNX or heteroopt-graph/1 JSON) or a built-in such as resnet50:batch=8,mode=training.\n"
        "Edges are distinct (tensor, consumer) pairs with a producer; parameters are the elements of floating weights.\n\n"
        "Examples:\n"
        "  heteroopt graph info resnet50:batch=8\n"
        "  heteroopt graph convert resnet50:batch=1 -o resnet50.json\n"
        "  heteroopt graph rewrite resnet50:batch=1 --rule fuse",
    .run = run,
};
