/* graph_dot.c: a graph as DOT, for `dot -Tsvg` and for programs that take SimGrid's attributes: one box per op, coloured by family,
 * one arrow per tensor and consumer, ovals for inputs and outputs. Weights are left out, since they hide the structure.
 *
 * What drawing does not need is in attributes that read_dot.c reads back: the structure, names, kinds, work, bytes and measured times
 * of what is drawn survive; shapes, aliases and weights do not. */
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

static void put_text(GString *out, const char *key, const char *text) {
  g_string_append_printf(out, ", %s=", key);
  put_quoted(out, text);
}

static void put_number(GString *out, const char *key, double value) {
  char text[32];
  put_text(out, key, ho_double_text(value, text));
}

/* Traffic is written where it is not what the drawn tensors make. */
static void put_traffic(GString *out, const ho_graph *g, ho_op o) {
  double read = 0, write = 0;
  for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++)
    if (g->tensor[g->in[i]].role != HO_ROLE_WEIGHT) read += (double)g->tensor[g->in[i]].bytes;
  for (int32_t i = g->out_start[o]; i < g->out_start[o + 1]; i++) write += (double)g->tensor[g->out[i]].bytes;
  if (read != g->op[o].read) put_number(out, "read", g->op[o].read);
  if (write != g->op[o].write) put_number(out, "write", g->op[o].write);
}

static void put_times(GString *out, const ho_graph *g, const ho_op_info *op) {
  if (op->n_times <= 0) return;
  g_autoptr(GString) times = g_string_new(NULL);
  char text[32];
  for (int32_t i = 0; i < op->n_times; i++)
    g_string_append_printf(times, "%s%s=%s", i ? ";" : "", g->time_devices[op->times[i].device],
                           ho_double_text(op->times[i].seconds, text));
  put_text(out, "time", times->str);
}

static void put_op(GString *out, const ho_graph *g, ho_op o) {
  const ho_op_info *op = &g->op[o];
  /* ColorBrewer's set312 has one colour per family but the last two, which share with the first two */
  int colour = (int)op->family % 12 + 1;
  g_string_append_printf(out, "  o%d [shape=box, style=filled, fillcolor=%d", o, colour);
  g_autofree char *label = g_strdup_printf("%s\n%s", op->name, op->kind);
  put_text(out, "label", label);
  put_text(out, "name", op->name);
  put_text(out, "kind", op->kind);
  put_number(out, "size", op->flops);
  put_traffic(out, g, o);
  if (op->workspace) put_number(out, "workspace", (double)op->workspace);
  if (op->parallelism != 0) put_number(out, "parallelism", op->parallelism);
  if (op->phase != HO_PHASE_FORWARD) put_text(out, "phase", ho_phase_name(op->phase));
  if (op->layer) put_text(out, "layer", op->layer);
  put_times(out, g, op);
  g_string_append(out, "];\n");
}

static void put_oval(GString *out, const ho_graph *g, ho_tensor t, const char *role) {
  g_string_append_printf(out, "  t%d [shape=oval", t);
  put_text(out, "label", g->tensor[t].name);
  put_text(out, "role", role);
  g_string_append(out, "];\n");
}

/* From the producer, or the oval of an input; to a consumer, or (-1) the oval of an output. */
static void put_edge(GString *out, const ho_graph *g, ho_tensor t, ho_op consumer) {
  const ho_tensor_info *tensor = &g->tensor[t];
  gboolean input = tensor->producer < 0, output = consumer < 0;
  g_autofree char *size = ho_unit_format((double)tensor->bytes, HO_UNIT_BYTES);
  g_string_append_printf(out, "  %c%d -> %c%d [label=", input ? 't' : 'o', input ? t : tensor->producer, output ? 't' : 'o',
                         output ? t : consumer);
  put_quoted(out, size);
  g_string_append_printf(out, ", size=%" G_GINT64_FORMAT, tensor->bytes);
  put_text(out, "tensor", tensor->name);
  if (tensor->dtype != HO_UINT8) put_text(out, "dtype", ho_dtype_name(tensor->dtype));
  g_string_append(out, "];\n");
}

static void put_tensor(GString *out, const ho_graph *g, ho_tensor t) {
  const ho_tensor_info *tensor = &g->tensor[t];
  gboolean unused = g->use_start[t] == g->use_start[t + 1];
  if (tensor->role == HO_ROLE_WEIGHT || (tensor->producer < 0 && unused)) return;
  if (tensor->producer < 0) put_oval(out, g, t, "input");
  if (unused) put_oval(out, g, t, "output");
  if (unused) put_edge(out, g, t, -1);
  for (int32_t i = g->use_start[t]; i < g->use_start[t + 1]; i++) put_edge(out, g, t, g->use[i]);
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
