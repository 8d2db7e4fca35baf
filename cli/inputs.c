/* inputs.c: see inputs.h. */
#include "cli/inputs.h"

#include <string.h>

#include "base/units.h"
#include "models/onnx_export.h"
#include "models/trace_times.h"
#include "sched/plugin.h"
#include "sim/plan_check.h"

void ho_cli_bindings_free(ho_cli_bindings *b) {
  if (!b) return;
  g_ptr_array_unref(b->names);
  g_array_unref(b->values);
  g_free(b);
}

ho_cli_bindings *ho_cli_bindings_read(char **bind, GError **error) {
  g_autoptr(ho_cli_bindings) r = g_new0(ho_cli_bindings, 1);
  r->names = g_ptr_array_new_with_free_func(g_free);
  r->values = g_array_new(FALSE, FALSE, sizeof(int64_t));
  for (char **b = bind; b && *b; b++) {
    char *equals = strchr(*b, '=');
    gint64 v = 0;
    if (!equals || equals == *b || !g_ascii_string_to_signed(equals + 1, 10, 0, G_MAXINT64, &v, NULL)) {
      ho_cli_usage(error, "--bind: '%s' is not NAME=N with a whole number N", *b);
      return NULL;
    }
    int64_t value = v;
    g_ptr_array_add(r->names, g_strndup(*b, (size_t)(equals - *b)));
    g_array_append_val(r->values, value);
  }
  r->of = (ho_bindings){.n = (int32_t)r->names->len,
                        .name = (const char *const *)r->names->pdata,
                        .value = (const int64_t *)(const void *)r->values->data};
  return g_steal_pointer(&r);
}

/* With a trace, --device says where that was measured, and the file stays as it is. */
static ho_graph *load(const char *spec, const ho_bindings *bindings, const char *trace, GError **error) {
  if (!trace) return ho_graph_load(spec, NULL, bindings, error);
  ho_bindings of_file = *bindings;
  of_file.n_devices = 0;
  g_autoptr(ho_graph) g = ho_graph_load(spec, NULL, &of_file, error);
  return g ? ho_graph_with_times(g, trace, bindings, error) : NULL;
}

ho_graph *ho_cli_load_measured(const char *spec, char **bind, char **device, const char *trace, GError **error) {
  g_autoptr(ho_cli_bindings) b = ho_cli_bindings_read(bind, error);
  if (!b) return NULL;
  for (char **d = device; d && *d; d++)
    if (!**d || g_strv_contains((const char *const *)d + 1, *d)) {
      ho_cli_usage(error, "--device: '%s': expected names that are not empty, each once", *d);
      return NULL;
    }
  ho_bindings bindings = b->of;
  bindings.n_devices = device ? (int32_t)g_strv_length(device) : 0;
  bindings.device = (const char *const *)device;
  ho_graph *g = load(spec, &bindings, trace, error);
  if (g && g->note) ho_cli_note("%s", g->note);
  return g;
}

gboolean ho_cli_write_onnx(const char *spec, char **bind, const ho_workgraph *w, const char *output, GError **error) {
  if (!g_str_has_suffix(spec, ".onnx"))
    return ho_fail(error, HO_ERROR_INPUT,
                   "%s: the graph came from '%s', expected an ONNX file: only what has weights can go back into one", output,
                   spec);
  g_autoptr(ho_cli_bindings) b = ho_cli_bindings_read(bind, error);
  return b && ho_onnx_export(spec, &b->of, w, output, error);
}

ho_graph *ho_cli_load_graph(const char *spec, char **bind, GError **error) {
  return ho_cli_load_measured(spec, bind, NULL, NULL, error);
}

static gboolean read_objectives(ho_problem *q, const char *text, GError **error) {
  const char *names[HO_N_OBJECTIVES + 1] = {NULL};
  for (int k = 0; k < HO_N_OBJECTIVES; k++) names[k] = ho_objective_name((ho_objective)k);
  g_auto(GStrv) words = g_strsplit(text ? text : "latency,energy,memory", ",", -1);
  if (!words[0]) return ho_cli_usage(error, "--objectives: expected names such as latency,energy");
  for (char **w = words; *w; w++) {
    int k = ho_cli_choice("--objectives", g_strstrip(*w), names, error);
    if (k < 0) return FALSE;
    for (int32_t i = 0; i < q->n_objectives; i++)
      if (q->objective[i] == (ho_objective)k) return ho_cli_usage(error, "--objectives: '%s' is named twice", *w);
    q->objective[q->n_objectives++] = (ho_objective)k;
  }
  return TRUE;
}

gboolean ho_cli_measure(const char *text, ho_memory_measure *measure, GError **error) {
  const char *const names[] = {ho_memory_measure_name(HO_MEMORY_TIGHTEST), ho_memory_measure_name(HO_MEMORY_TOTAL),
                               ho_memory_measure_name(HO_MEMORY_ACCELERATOR), NULL};
  int k = text ? ho_cli_choice("--memory", text, names, error) : 0;
  if (k < 0) return FALSE;
  *measure = (ho_memory_measure)k;
  return TRUE;
}

static gboolean apply_limits(ho_platform *p, char **limit, GError **error) {
  for (char **l = limit; l && *l; l++) {
    const char *equals = strchr(*l, '=');
    double bytes;
    if (!equals || equals == *l) return ho_cli_usage(error, "--limit: '%s' is not NAME=BYTES, such as gpu0=4GB", *l);
    g_autofree char *name = g_strndup(*l, (gsize)(equals - *l));
    if (!ho_unit_parse(equals + 1, HO_UNIT_BYTES, &bytes, error) || !ho_platform_limit(p, name, bytes, error)) {
      g_prefix_error(error, "--limit: ");
      return FALSE;
    }
  }
  return TRUE;
}

void ho_cli_inputs_finish(ho_cli_inputs *in) {
  in->cost = ho_cost_new(in->graph, in->platform);
  in->problem.graph = in->graph;
  in->problem.platform = in->platform;
  in->problem.cost = in->cost;
}

gboolean ho_cli_inputs_load(ho_cli_inputs *in, const ho_command *self, GError **error) {
  if (!in->graph_spec)
    return ho_cli_usage(error, "%s: --graph is missing: a file, or a built-in such as resnet50:batch=8", self->name);
  if (!in->platform_name)
    return ho_cli_usage(error, "%s: --platform is missing: a file, or an installed one such as workstation", self->name);
  if (!read_objectives(&in->problem, in->objectives, error) || !ho_cli_measure(in->measure, &in->problem.memory_measure, error))
    return FALSE;
  in->graph = ho_cli_load_graph(in->graph_spec, in->bind, error);
  if (!in->graph) return FALSE;
  in->platform = ho_platform_load(in->platform_name, error);
  if (!in->platform || !apply_limits(in->platform, in->limit, error)) return FALSE;
  ho_cli_inputs_finish(in);
  return ho_problem_check(in->graph, in->platform, error);
}

void ho_cli_inputs_clear(ho_cli_inputs *in) {
  ho_cost_free(in->cost);
  ho_platform_free(in->platform);
  ho_graph_free(in->graph);
  g_free(in->graph_spec);
  g_free(in->platform_name);
  g_free(in->objectives);
  g_free(in->measure);
  g_strfreev(in->bind);
  g_strfreev(in->limit);
}

double ho_cli_memory_figure(const ho_problem *q, const ho_figures *f) {
  if (q->memory_measure == HO_MEMORY_TOTAL) return f->total;
  return q->memory_measure == HO_MEMORY_ACCELERATOR ? f->accelerator : f->tightest;
}

char *ho_cli_objective_text(const ho_problem *q, ho_objective objective, double value) {
  if (objective == HO_OBJECTIVE_LATENCY) return ho_unit_format(value, HO_UNIT_SECONDS);
  if (objective == HO_OBJECTIVE_ENERGY) return ho_unit_format(value, HO_UNIT_JOULES);
  if (q->memory_measure == HO_MEMORY_TIGHTEST) return ho_share_format(value);
  return ho_unit_format(value, HO_UNIT_BYTES);
}

const ho_scheduler *ho_cli_scheduler(const char *command, const char *name, ho_exec **exec, GError **error) {
  if (!name) {
    ho_cli_usage(error, "%s: --scheduler is missing: heteroopt list schedulers shows them", command);
    return NULL;
  }
  if (g_str_has_prefix(name, "plugin:")) return ho_plugin_load(name + strlen("plugin:"), error);
  if (g_str_has_prefix(name, "exec:")) {
    *exec = ho_exec_open(name + strlen("exec:"), NULL, error);
    return *exec ? ho_exec_scheduler(*exec) : NULL;
  }
  const ho_scheduler *s = ho_scheduler_find(name);
  if (s) return s;
  g_autoptr(GPtrArray) names = g_ptr_array_new();
  for (int i = 0; ho_schedulers[i]; i++) g_ptr_array_add(names, (void *)ho_schedulers[i]->name);
  g_ptr_array_add(names, NULL);
  ho_cli_choice("--scheduler", name, (const char *const *)names->pdata, error);
  return NULL;
}

ho_plan *ho_cli_read_plan(const ho_problem *q, const char *file, gint64 number, GError **error) {
  g_autoptr(GPtrArray) plans = ho_plans_read(file, q->graph, q->platform, q->cost, error);
  if (!plans) return NULL;
  if (number > (gint64)plans->len) {
    ho_fail(error, HO_ERROR_INPUT, "%s: --number %" G_GINT64_FORMAT ": the file has %u plans", file, number, plans->len);
    return NULL;
  }
  if (!number && plans->len != 1) {
    ho_fail(error, HO_ERROR_INPUT, "%s: a front of %u plans: say which with --number, from 1", file, plans->len);
    return NULL;
  }
  return ho_plan_copy(g_ptr_array_index(plans, (guint)MAX(number - 1, 0)));
}
