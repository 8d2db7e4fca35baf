/* graph_json_write.c: writes heteroopt-graph/1, one op or tensor per line. What equals its default is left out; reading the
 * text again gives a graph with the same digest. */
#include <string.h>

#include "base/fileio.h"
#include "base/units.h"
#include "models/source.h"

static void put_text(GString *out, const char *text) {
  g_string_append_c(out, '"');
  for (; *text; text++) {
    unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\')
      g_string_append_printf(out, "\\%c", c);
    else if (c < 0x20)
      g_string_append_printf(out, "\\u%04x", c);
    else
      g_string_append_c(out, (char)c);
  }
  g_string_append_c(out, '"');
}

static void put_number(GString *out, double value) {
  char text[32];
  g_string_append(out, ho_double_text(value, text));
}

static void put_text_member(GString *out, const char *key, const char *text) {
  g_string_append_printf(out, ", \"%s\": ", key);
  put_text(out, text);
}

static void put_number_member(GString *out, const char *key, double value) {
  g_string_append_printf(out, ", \"%s\": ", key);
  put_number(out, value);
}

static void put_unless(GString *out, const char *key, double value, double initial) {
  if (value != initial) put_number_member(out, key, value);
}

/* ---- ops ------------------------------------------------------------------------------------------------------------- */

static double sum_bytes(const ho_graph *g, const ho_tensor *list, int32_t begin, int32_t end) {
  int64_t sum = 0;
  for (int32_t i = begin; i < end; i++) sum += g->tensor[list[i]].bytes;
  return (double)sum;
}

static void put_unsplit(GString *out, uint32_t axes) {
  const char *before = ", \"unsplit\": [";
  for (int a = 0; a < HO_N_AXES; a++) {
    if (!(axes >> a & 1)) continue;
    g_string_append(out, before);
    put_text(out, ho_axis_name((ho_axis)a));
    before = ", ";
  }
  g_string_append_c(out, ']');
}

static void put_op(GString *out, const ho_graph *g, ho_op o) {
  const ho_op_info *op = &g->op[o];
  g_string_append(out, "{\"name\": ");
  put_text(out, op->name);
  put_text_member(out, "kind", op->kind);
  put_unless(out, "flops", op->flops, 0);
  put_unless(out, "other_flops", op->other_flops, 0);
  put_unless(out, "read", op->read, sum_bytes(g, g->in, g->in_start[o], g->in_start[o + 1]));
  put_unless(out, "write", op->write, sum_bytes(g, g->out, g->out_start[o], g->out_start[o + 1]));
  if (op->workspace) g_string_append_printf(out, ", \"workspace\": %" G_GINT64_FORMAT, op->workspace);
  put_unless(out, "parallelism", op->parallelism, 0);
  if (op->phase != HO_PHASE_FORWARD) put_text_member(out, "phase", ho_phase_name(op->phase));
  if (op->layer) put_text_member(out, "layer", op->layer);
  put_unless(out, "sensitivity", op->sensitivity, 0);
  put_unless(out, "release", op->release, 0);
  put_unless(out, "priority", op->priority, 0);
  if (op->unsplit) put_unsplit(out, op->unsplit);
  if (op->n_times >= 0) {
    g_string_append(out, ", \"time\": {");
    for (int32_t i = 0; i < op->n_times; i++) {
      if (i) g_string_append(out, ", ");
      put_text(out, g->time_devices[op->times[i].device]);
      g_string_append(out, ": ");
      put_number(out, op->times[i].seconds);
    }
    g_string_append_c(out, '}');
  }
  g_string_append_c(out, '}');
}

/* ---- tensors --------------------------------------------------------------------------------------------------------- */

static void put_size(GString *out, const ho_tensor_info *tensor) {
  if (tensor->rank >= 0) {
    g_string_append(out, ", \"shape\": [");
    for (int32_t i = 0; i < tensor->rank; i++)
      g_string_append_printf(out, i ? ", %" G_GINT64_FORMAT : "%" G_GINT64_FORMAT, tensor->shape[i]);
    g_string_append_c(out, ']');
  } else {
    g_string_append_printf(out, ", \"bytes\": %" G_GINT64_FORMAT, tensor->bytes);
  }
  if (tensor->dtype != HO_FP32) put_text_member(out, "dtype", ho_dtype_name(tensor->dtype));
}

static void put_tensor(GString *out, const ho_graph *g, ho_tensor t) {
  const ho_tensor_info *tensor = &g->tensor[t];
  g_string_append(out, "{\"name\": ");
  put_text(out, tensor->name);
  put_size(out, tensor);
  if (tensor->role == HO_ROLE_WEIGHT) put_text_member(out, "role", ho_role_name(tensor->role));
  if (tensor->memory) put_text_member(out, "memory", tensor->memory);
  if (tensor->alias >= 0) put_text_member(out, "alias", g->tensor[tensor->alias].name);
  if (tensor->producer >= 0) put_text_member(out, "producer", g->op[tensor->producer].name);
  int32_t begin = g->use_start[t], end = g->use_start[t + 1];
  if (begin < end) {
    g_string_append(out, ", \"consumers\": [");
    for (int32_t i = begin; i < end; i++) {
      if (i > begin) g_string_append(out, ", ");
      put_text(out, g->op[g->use[i]].name);
    }
    g_string_append_c(out, ']');
  }
  if (tensor->is_output && (begin < end || tensor->producer < 0)) g_string_append(out, ", \"output\": true");
  g_string_append_c(out, '}');
}

/* ---- the file -------------------------------------------------------------------------------------------------------- */

typedef void (*put_element)(GString *out, const ho_graph *g, int32_t i);

static void put_list(GString *out, const ho_graph *g, const char *key, int32_t n, put_element put) {
  g_string_append_printf(out, ",\n \"%s\": [", key);
  for (int32_t i = 0; i < n; i++) {
    g_string_append(out, i ? ",\n  " : "\n  ");
    put(out, g, i);
  }
  g_string_append(out, n ? "\n ]" : "]");
}

char *ho_graph_json(const ho_graph *g) {
  g_autoptr(GString) out = g_string_new("{\"format\": \"heteroopt-graph/1\"");
  put_text_member(out, "name", g->name);
  put_unless(out, "period", g->period, 0);
  put_unless(out, "samples", g->samples, 1);
  if (g->n_unknown) g_string_append_printf(out, ", \"unknown\": %d", g->n_unknown);
  if (g->note) put_text_member(out, "note", g->note);
  put_list(out, g, "ops", g->n_ops, put_op);
  put_list(out, g, "tensors", g->n_tensors, put_tensor);
  g_string_append(out, "}\n");
  return g_string_free(g_steal_pointer(&out), FALSE);
}

gboolean ho_graph_write_json(const ho_graph *g, const char *file, GError **error) {
  g_autofree char *text = ho_graph_json(g);
  return ho_file_write(file, text, strlen(text), error);
}
