/* graph_rewrite.c: see graph_rewrite.h. */
#include "cli/graph_rewrite.h"

#include <string.h>

#include "base/units.h"
#include "cli/command.h"
#include "cli/inputs.h"
#include "models/rewrite_json.h"
#include "models/rewrite_report.h"
#include "models/rewrite_spec.h"
#include "models/source.h"

typedef struct {
  const ho_workgraph *w;
  GString *text;
  json_t *array;
} listing;

static ho_find_answer add_to_list(const ho_candidate *c, void *data) {
  listing *l = data;
  json_t *ops = json_array();
  g_autoptr(GString) names = g_string_new(NULL);
  for (int32_t i = 0; i < c->n_ops; i++) {
    const char *name = l->w->op[c->op[i]].info.name;
    g_string_append_printf(names, "%s%s", i ? " " : "", name);
    json_array_append_new(ops, json_string(name));
  }
  g_autofree char *bytes = ho_unit_format(c->bytes_saved, HO_UNIT_BYTES);
  g_string_append_printf(l->text, "%-10s%-24s%12s  %s\n", c->rule->name, c->pattern, bytes, names->str);
  json_array_append_new(l->array,
                        json_pack("{s:s, s:s, s:o, s:f, s:f, s:I, s:I}", "rule", c->rule->name, "pattern", c->pattern, "ops", ops,
                                  "bytes_saved", c->bytes_saved, "flops_added", c->flops_added, "memory_saved",
                                  (json_int_t)c->memory_saved, "workspace_added", (json_int_t)c->workspace_added));
  return HO_FIND_ON;
}

gboolean ho_cli_rules(const char *option, const char *list, GError **error) {
  g_autoptr(GPtrArray) all = g_ptr_array_new();
  for (int i = 0; ho_rewrite_rules[i]; i++) g_ptr_array_add(all, (gpointer)ho_rewrite_rules[i]->name);
  g_ptr_array_add(all, NULL);
  g_auto(GStrv) names = g_strsplit(list, ",", -1);
  if (!names[0]) return ho_cli_usage(error, "%s: expected names of rules such as remove,fuse", option);
  for (char **name = names; *name; name++) {
    if (g_str_has_suffix(*name, ".json")) continue;
    g_autofree char *rule = g_strndup(*name, strcspn(*name, ":"));
    if (ho_cli_choice(option, rule, (const char *const *)all->pdata, error) < 0) return FALSE;
  }
  return TRUE;
}

static void list_candidates(const ho_workgraph *w, const ho_cli_rewrite_options *o, GString *out) {
  g_auto(GStrv) names = g_strsplit(o->rules, ",", -1);
  g_autoptr(GString) text = g_string_new(NULL);
  listing l = {w, text, json_array()};
  for (char **name = names; *name; name++) {
    const ho_rewrite_rule *rule = ho_rewrite_rule_find(*name);
    if (rule) rule->find(w, -1, add_to_list, &l);
  }
  if (o->json) {
    ho_cli_json(out, l.array);
  } else {
    g_string_append(out, text->str);
    json_decref(l.array);
  }
}

static gboolean write_graph(const ho_workgraph *w, const ho_graph *after, const ho_cli_rewrite_options *o, GError **error) {
  if (g_str_has_suffix(o->output, ".onnx")) return ho_cli_write_onnx(o->spec, o->bind, w, o->output, error);
  return ho_graph_write_json(after, o->output, error);
}

gboolean ho_cli_graph_rewrite(const ho_graph *g, const ho_cli_rewrite_options *o, GString *out, GError **error) {
  if (!o->rules) return ho_cli_usage(error, "graph rewrite: --rule is missing: heteroopt list rules shows them");
  if (!ho_cli_rules("--rule", o->rules, error)) return FALSE;
  g_autoptr(ho_workgraph) w = ho_workgraph_new(g);
  if (o->list) {
    list_candidates(w, o, out);
    return TRUE;
  }
  g_autoptr(GPtrArray) list = ho_rewrites_new();
  if (!ho_rewrites_by_spec(w, o->rules, list, error)) return FALSE;
  g_autoptr(ho_graph) after = ho_workgraph_freeze(w, HO_FREEZE_NAMED, error);
  if (!after || (o->output && !write_graph(w, after, o, error))) return FALSE;
  if (o->json) {
    ho_cli_json(out, ho_rewrite_report_json(g, after, list));
    return TRUE;
  }
  g_autofree char *text = ho_rewrite_report_text(g, after, list);
  g_string_append(out, text);
  return TRUE;
}
