/* graph.c: `heteroopt graph info|convert`: is my model understood, and as what? */
#include <string.h>

#include "base/jsonio.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/inputs.h"
#include "models/source.h"

typedef struct {
  double flops, macs, bytes; /* bytes: of all tensors at their own dtype, views left out */
  gint64 parameters;         /* elements of floating weights */
  int32_t critical_path_ops;
} graph_totals;

/* Elements of a tensor: from its shape, or from its bytes. */
static gint64 elements(const ho_tensor_info *t) {
  if (t->rank < 0) return t->bytes * 8 / ho_dtype_bits(t->dtype);
  gint64 n = 1;
  for (int32_t k = 0; k < t->rank; k++) n *= t->shape[k];
  return n;
}

/* Ops on the longest chain. */
static int32_t longest_chain(const ho_graph *g) {
  g_autofree int32_t *depth = g_new0(int32_t, (size_t)g->n_ops + 1);
  int32_t longest = 0;
  for (int32_t i = 0; i < g->n_ops; i++) {
    ho_op o = g->topo[i];
    int32_t before = 0;
    for (int32_t k = g->in_start[o]; k < g->in_start[o + 1]; k++) {
      ho_op producer = g->tensor[g->in[k]].producer;
      if (producer >= 0) before = MAX(before, depth[producer]);
    }
    depth[o] = before + 1;
    longest = MAX(longest, depth[o]);
  }
  return longest;
}

static graph_totals total(const ho_graph *g) {
  graph_totals t = {.critical_path_ops = longest_chain(g)};
  for (int32_t o = 0; o < g->n_ops; o++) {
    t.flops += g->op[o].flops;
    if (ho_family_has_macs(g->op[o].family)) t.macs += g->op[o].flops / 2;
  }
  for (int32_t i = 0; i < g->n_tensors; i++) {
    const ho_tensor_info *x = &g->tensor[i];
    if (x->alias < 0) t.bytes += (double)x->bytes;
    if (x->role == HO_ROLE_WEIGHT && x->dtype < HO_N_PRECISIONS && x->dtype >= 0) t.parameters += elements(x);
  }
  return t;
}

static json_t *info_json(const ho_graph *g, const graph_totals *t) {
  json_t *kinds = json_object();
  for (int32_t o = 0; o < g->n_ops; o++) {
    json_t *n = json_object_get(kinds, g->op[o].kind);
    json_object_set_new(kinds, g->op[o].kind, json_integer(json_integer_value(n) + 1));
  }
  json_t *j = json_object();
  json_object_set_new(j, "name", json_string(g->name));
  json_object_set_new(j, "ops", json_integer(g->n_ops));
  json_object_set_new(j, "tensors", json_integer(g->n_tensors));
  json_object_set_new(j, "edges", json_integer(g->n_edges));
  json_object_set_new(j, "macs", ho_cli_number(t->macs));
  json_object_set_new(j, "flops", ho_cli_number(t->flops));
  json_object_set_new(j, "bytes", ho_cli_number(t->bytes));
  json_object_set_new(j, "parameters", json_integer(t->parameters));
  json_object_set_new(j, "kinds", kinds);
  json_object_set_new(j, "critical_path_ops", json_integer(t->critical_path_ops));
  json_object_set_new(j, "unknown", json_integer(g->n_unknown));
  json_object_set_new(j, "digest", json_string(g->digest));
  return j;
}

static void info_text(const ho_graph *g, const graph_totals *t, GString *out) {
  g_autofree char *bytes = ho_unit_format(t->bytes, HO_UNIT_BYTES);
  g_string_append_printf(out, "%s\n", g->name);
  g_string_append_printf(out, "ops %d · tensors %d · edges %d · longest chain %d ops\n", g->n_ops, g->n_tensors, g->n_edges,
                         t->critical_path_ops);
  g_string_append_printf(
      out, "%.5g GMAC (multiply-add = 1) · %.5g GFLOP · %.5g M parameters · tensors %s · %d ops without a cost rule\n",
      t->macs / 1e9, t->flops / 1e9, (double)t->parameters / 1e6, bytes, g->n_unknown);
  g_autofree int32_t *count = g_new0(int32_t, (size_t)g->n_kinds + 1);
  for (int32_t o = 0; o < g->n_ops; o++) count[g->op[o].kind_index]++;
  g_string_append(out, "kinds");
  for (int32_t k = 0; k < g->n_kinds; k++) g_string_append_printf(out, "%s %s %d", k ? " ·" : "", g->kinds[k], count[k]);
  g_string_append_c(out, '\n');
}

static gboolean info(const ho_graph *g, gboolean json, GString *out) {
  graph_totals t = total(g);
  if (json) {
    ho_cli_json(out, info_json(g, &t));
  } else {
    info_text(g, &t, out);
  }
  return TRUE;
}

static gboolean run(const ho_command *self, int argc, char **argv, GString *out, GError **error) {
  gboolean json = FALSE;
  g_autofree char *output = NULL;
  g_auto(GStrv) bind = NULL;
  const GOptionEntry entries[] = {
      {"bind", 'b', 0, G_OPTION_ARG_FILENAME_ARRAY, &bind, "value of a symbolic dimension (repeatable)", "NAME=N"},
      {"json", 0, 0, G_OPTION_ARG_NONE, &json, "info: print one JSON object", NULL},
      {"output", 'o', 0, G_OPTION_ARG_FILENAME, &output,
       "convert: write JSON to FILE, or DOT when it ends in .dot (default: standard output)", "FILE"},
      {NULL}};
  ho_cli_parsed parsed = ho_cli_parse(self, entries, &argc, argv, 2, 2, out, error);
  if (parsed != HO_CLI_GO) return parsed == HO_CLI_DONE;
  const char *const actions[] = {"info", "convert", NULL};
  int action = ho_cli_choice("graph", argv[1], actions, error);
  if (action < 0) return FALSE;
  g_autoptr(ho_graph) g = ho_cli_load_graph(argv[2], bind, error);
  if (!g) return FALSE;
  if (action == 0) return info(g, json, out);
  if (output && g_str_has_suffix(output, ".dot")) return ho_graph_write_dot(g, output, error);
  return ho_graph_write_json(g, output ? output : "-", error);
}

const ho_command ho_command_graph = {
    .name = "graph",
    .arguments = "info|convert G",
    .summary = "what a model is understood as; any format to heteroopt-graph/1 JSON",
    .details =
        "G is a file (ONNX or heteroopt-graph/1 JSON) or a built-in such as resnet50:batch=8,mode=training.\n"
        "Edges are distinct (tensor, consumer) pairs with a producer; parameters are the elements of floating weights.\n\n"
        "Examples:\n"
        "  heteroopt graph info resnet50:batch=8\n"
        "  heteroopt graph convert resnet50:batch=1 -o resnet50.json",
    .run = run,
};
