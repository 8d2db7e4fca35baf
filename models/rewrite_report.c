/* rewrite_report.c: see rewrite_report.h. */
#include "models/rewrite_report.h"

#include "base/units.h"
#include "models/graph_stats.h"
#include "models/rewrite_json.h"

/* ---- figures --------------------------------------------------------------------------------------------------------- */

/* B of an op's inputs (outputs) and those of them that are weights; what it says it reads beside that is shared out alike. */
static double of_activations(const ho_graph *g, const ho_tensor *list, int32_t begin, int32_t end, double traffic) {
  double all = 0, weights = 0;
  for (int32_t i = begin; i < end; i++) {
    const ho_tensor_info *t = &g->tensor[list[i]];
    all += (double)t->bytes;
    if (t->role == HO_ROLE_WEIGHT) weights += (double)t->bytes;
  }
  if (all <= 0 || traffic == all) return traffic - (all > 0 ? weights : 0);
  return traffic * ((all - weights) / all);
}

double ho_graph_activation_traffic(const ho_graph *g) {
  double sum = 0;
  for (ho_op o = 0; o < g->n_ops; o++)
    sum += of_activations(g, g->in, g->in_start[o], g->in_start[o + 1], g->op[o].read) +
           of_activations(g, g->out, g->out_start[o], g->out_start[o + 1], g->op[o].write);
  return sum;
}

/* ---- JSON ------------------------------------------------------------------------------------------------------------ */

static json_t *figures(const ho_graph *g) {
  g_autoptr(ho_graph_stats) s = ho_graph_stats_new(g);
  return json_pack("{s:i, s:i, s:i, s:f, s:f, s:f, s:f}", "ops", g->n_ops, "tensors", g->n_tensors, "edges", g->n_edges, "macs",
                   s->macs, "flops", s->flops, "bytes", s->bytes, "activation_traffic", ho_graph_activation_traffic(g));
}

json_t *ho_rewrite_report_json(const ho_graph *before, const ho_graph *after, const GPtrArray *list) {
  return json_pack("{s:o, s:o, s:o}", "rewrites", ho_rewrites_to_json(list), "before", figures(before), "after", figures(after));
}

/* ---- text ------------------------------------------------------------------------------------------------------------ */

static void count_line(GString *s, const char *what, double before, double after) {
  g_string_append_printf(s, "%-20s%12.0f %11.0f\n", what, before, after);
}

static void bytes_line(GString *s, const char *what, double before, double after) {
  g_autofree char *a = ho_unit_format(before, HO_UNIT_BYTES), *b = ho_unit_format(after, HO_UNIT_BYTES);
  g_string_append_printf(s, "%-20s%12s%12s", what, a, b);
  if (before > 0) g_string_append_printf(s, "  (%+.1f %%)", 100 * (after - before) / before);
  g_string_append_c(s, '\n');
}

char *ho_rewrite_report_text(const ho_graph *before, const ho_graph *after, const GPtrArray *list) {
  g_autoptr(ho_graph_stats) a = ho_graph_stats_new(before), b = ho_graph_stats_new(after);
  GString *s = g_string_new(NULL);
  g_string_append_printf(s, "%s: %u rewrites\n%-20s%12s%12s\n", before->name, list->len, "", "before", "after");
  count_line(s, "ops", before->n_ops, after->n_ops);
  count_line(s, "tensors", before->n_tensors, after->n_tensors);
  count_line(s, "edges", before->n_edges, after->n_edges);
  count_line(s, "MACs", a->macs, b->macs);
  bytes_line(s, "activation traffic", ho_graph_activation_traffic(before), ho_graph_activation_traffic(after));
  bytes_line(s, "all traffic", a->bytes, b->bytes);
  return g_string_free(s, FALSE);
}
