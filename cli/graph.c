/* graph.c: `heteroopt graph info|convert|rewrite`: is my model understood, as what, and what do rewrites make of it? */
#include "cli/command.h"
#include "cli/graph_plan.h"
#include "cli/graph_rewrite.h"
#include "cli/inputs.h"
#include "models/graph_stats.h"
#include "models/source.h"

typedef struct {
  char *platform, *plan, *number; /* of a placed graph; NULL */
  gboolean json;
} info_options;

static void info_options_clear(info_options *o) {
  g_free(o->platform);
  g_free(o->plan);
  g_free(o->number);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(info_options, info_options_clear)

static gboolean info(const ho_graph *g, const info_options *o, GString *out, GError **error) {
  g_autoptr(ho_graph_stats) stats = ho_graph_stats_new(g);
  g_autofree char *text = ho_graph_stats_text(g, stats);
  json_t *json = o->json ? ho_graph_stats_json(g, stats) : NULL;
  if (!json) g_string_append(out, text);
  if (o->plan && !ho_cli_graph_plan(g, o->platform, o->plan, o->number, json, out, error)) {
    json_decref(json);
    return FALSE;
  }
  if (json) ho_cli_json(out, json);
  return TRUE;
}

/* The format that --to names, or else the end of the file's name. */
static int format_of(const char *to, const char *output, GError **error) {
  static const char *const formats[] = {"json", "dot", "stg", NULL};
  if (to) return ho_cli_choice("--to", to, formats, error);
  if (output && (g_str_has_suffix(output, ".dot") || g_str_has_suffix(output, ".gv"))) return 1;
  return output && g_str_has_suffix(output, ".stg") ? 2 : 0;
}

static gboolean convert(const ho_graph *g, int format, const char *output, GError **error) {
  const char *file = output ? output : "-";
  if (format == 1) return ho_graph_write_dot(g, file, error);
  return format == 2 ? ho_graph_write_stg(g, file, error) : ho_graph_write_json(g, file, error);
}

static gboolean run(const ho_command *self, int argc, char **argv, GString *out, GError **error) {
  g_auto(info_options) about = {0};
  g_autofree char *output = NULL, *rules = NULL, *to = NULL, *times = NULL;
  gboolean list = FALSE;
  g_auto(GStrv) bind = NULL, device = NULL;
  const GOptionEntry entries[] = {
      {"bind", 'b', 0, G_OPTION_ARG_FILENAME_ARRAY, &bind, "value of a symbolic dimension (repeatable)", "NAME=N"},
      {"device", 'd', 0, G_OPTION_ARG_STRING_ARRAY, &device,
       "the times of the file, or of the trace, are those of this device (repeatable)", "NAME"},
      {"times", 't', 0, G_OPTION_ARG_FILENAME, &times, "lay the times of a profiler's trace over the graph, by name of op",
       "TRACE"},
      {"json", 0, 0, G_OPTION_ARG_NONE, &about.json, "info, rewrite: print JSON", NULL},
      {"plan", 0, 0, G_OPTION_ARG_FILENAME, &about.plan,
       "info: add the edges of the graph as this plan places it, and what if contention or launches were otherwise", "FILE"},
      {"number", 'n', 0, G_OPTION_ARG_STRING, &about.number, "info: which plan of a front, from 1", "N"},
      {"platform", 'p', 0, G_OPTION_ARG_FILENAME, &about.platform, "info: the platform that the plan is for", "P"},
      {"to", 0, 0, G_OPTION_ARG_STRING, &to, "convert: json, dot or stg (default: as FILE ends, else json)", "FORMAT"},
      {"output", 'o', 0, G_OPTION_ARG_FILENAME, &output,
       "convert, rewrite: write to FILE; rewrite writes JSON, or ONNX where FILE ends in .onnx", "FILE"},
      {"rule", 0, 0, G_OPTION_ARG_FILENAME, &rules,
       "rewrite: rules applied everywhere, such as remove,fold,fuse, single rewrites, or a file", "REWRITES"},
      {"list", 0, 0, G_OPTION_ARG_NONE, &list, "rewrite: only list where the rules apply and what each saves", NULL},
      {NULL}};
  ho_cli_parsed parsed = ho_cli_parse(self, entries, &argc, argv, 2, 2, out, error);
  if (parsed != HO_CLI_GO) return parsed == HO_CLI_DONE;
  const char *const actions[] = {"info", "convert", "rewrite", NULL};
  int action = ho_cli_choice("graph", argv[1], actions, error);
  if (action < 0) return FALSE;
  int format = format_of(to, output, error);
  if (format < 0) return FALSE;
  g_autoptr(ho_graph) g = ho_cli_load_measured(argv[2], bind, device, times, error);
  if (!g) return FALSE;
  if (action == 1) return convert(g, format, output, error);
  if (action == 2) {
    const ho_cli_rewrite_options options = {
        .rules = rules, .output = output, .spec = argv[2], .bind = bind, .list = list, .json = about.json};
    return ho_cli_graph_rewrite(g, &options, out, error);
  }
  return info(g, &about, out, error);
}

const ho_command ho_command_graph = {
    .name = "graph",
    .arguments = "info|convert|rewrite G",
    .summary = "what a model is understood as; any format to JSON, DOT or STG; what rewrite rules make of it",
    .details =
        "G is a file or a built-in such as resnet50:batch=8,mode=training. Files are recognised by their content: ONNX, "
        "heteroopt-graph/1\n"
        "JSON, WfCommons, Chakra, DOT, STG, TGFF, DAX, dnn-partitioning, PipeDream. What a reader assumes is in the note.\n"
        "Edges are distinct (tensor, consumer) pairs with a producer; parameters are the elements of floating weights,\n"
        "integer weights those of integers: quantised parameters, but tables of indices and shapes, too.\n\n"
        "Examples:\n"
        "  heteroopt graph info resnet50:batch=8\n"
        "  heteroopt graph info resnet50:batch=8 --platform workstation --plan front.json --number 1\n"
        "  heteroopt graph convert resnet50:batch=1 -o resnet50.json\n"
        "  heteroopt graph rewrite resnet50:batch=1 --rule fuse",
    .run = run,
};
