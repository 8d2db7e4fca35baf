/* graph_dot.c: a graph as DOT, for `dot -Tsvg`: one box per op, coloured by family, one arrow per tensor and consumer. Inputs
 * are ovals; weights are left out, since they hide the structure. */
#include "base/fileio.h"
#include "base/units.h"
#include "models/source.h"

static void put_quoted(GString *out, const char *text) {
  g_string_append_c(out, '"');
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') g_string_append_c(out, '\\');
    g_string_append_c(out, *text);
  }
  g_string_append_c(out, '"');
}

static void put_op(GString *out, const ho_graph *g, ho_op o) {
  /* ColorBrewer's set312 has one colour per family but the last two, which share with the first two */
  int colour = (int)g->op[o].family % 12 + 1;
  g_string_append_printf(out, "  o%d [shape=box, style=filled, fillcolor=%d, label=", o, colour);
  g_autofree char *label = g_strdup_printf("%s\n%s", g->op[o].name, g->op[o].kind);
  put_quoted(out, label);
  g_string_append(out, "];\n");
}

static void put_tensor(GString *out, const ho_graph *g, ho_tensor t) {
  const ho_tensor_info *tensor = &g->tensor[t];
  if (tensor->role == HO_ROLE_WEIGHT) return;
  g_autofree char *size = ho_unit_format((double)tensor->bytes, HO_UNIT_BYTES);
  if (tensor->producer < 0) {
    g_string_append_printf(out, "  t%d [shape=oval, label=", t);
    put_quoted(out, tensor->name);
    g_string_append(out, "];\n");
  }
  for (int32_t i = g->use_start[t]; i < g->use_start[t + 1]; i++) {
    char from = tensor->producer >= 0 ? 'o' : 't';
    g_string_append_printf(out, "  %c%d -> o%d [label=", from, tensor->producer >= 0 ? tensor->producer : t, g->use[i]);
    put_quoted(out, size);
    g_string_append(out, "];\n");
  }
}

gboolean ho_graph_write_dot(const ho_graph *g, const char *file, GError **error) {
  g_autoptr(GString) out = g_string_new("digraph ");
  put_quoted(out, g->name);
  g_string_append(out, " {\n  node [fontname=\"Helvetica\", colorscheme=set312];\n");
  for (ho_op o = 0; o < g->n_ops; o++) put_op(out, g, o);
  for (ho_tensor t = 0; t < g->n_tensors; t++) put_tensor(out, g, t);
  g_string_append(out, "}\n");
  return ho_file_write(file, out->str, out->len, error);
}
