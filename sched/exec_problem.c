/* exec_problem.c: see exec_problem.h. */
#include "sched/exec_problem.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "models/source.h"
#include "sched/costs.h"
#include "sim/variant.h"

/* ---- problems ------------------------------------------------------------------------------------------------------------------- */
static json_t *number_or_null(double x) {
  return isfinite(x) ? json_real(x) : json_null();
}

static json_t *ops_json(const ho_graph *g) {
  json_t *list = json_array();
  for (ho_op o = 0; o < g->n_ops; o++)
    json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:f, s:f}", "name", g->op[o].name, "kind", g->op[o].kind, "phase",
                                          ho_phase_name(g->op[o].phase), "flops", g->op[o].flops, "release", g->op[o].release));
  return list;
}

static json_t *edges_json(const ho_graph *g) {
  json_t *list = json_array();
  for (ho_tensor t = 0; t < g->n_tensors; t++)
    for (int32_t u = g->use_start[t]; g->tensor[t].producer >= 0 && u < g->use_start[t + 1]; u++)
      json_array_append_new(list, json_pack("{s:i, s:i, s:I, s:s}", "from", g->tensor[t].producer, "to", g->use[u], "bytes",
                                            (json_int_t)g->tensor[t].bytes, "tensor", g->tensor[t].name));
  return list;
}

static json_t *devices_json(const ho_platform *p) {
  json_t *list = json_array();
  for (ho_device d = 0; d < p->n_devices; d++)
    json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "name", p->device[d].name, "kind",
                                          ho_device_kind_name(p->device[d].kind), "memory", p->memory[p->device[d].memory].name));
  return list;
}

static json_t *memories_json(const ho_platform *p) {
  json_t *list = json_array();
  for (ho_memory m = 0; m < p->n_memories; m++)
    json_array_append_new(
        list, json_pack("{s:s, s:f, s:b}", "name", p->memory[m].name, "capacity", p->memory[m].capacity, "host", m == p->host));
  return list;
}

/* Seconds of ops with launching, as list schedulers compute with them. */
static json_t *cost_json(const ho_costs *c) {
  json_t *list = json_array();
  for (ho_op o = 0; o < c->n_ops; o++) {
    json_t *row = json_array();
    for (ho_device d = 0; d < c->n_devices; d++)
      json_array_append_new(row, number_or_null(c->time[(int64_t)o * c->n_devices + d]));
    json_array_append_new(list, row);
  }
  return list;
}

/* When graph inputs and the op's release allow it to start on a device, s. */
static json_t *ready_json(const ho_costs *c) {
  const ho_graph *g = c->g;
  json_t *list = json_array();
  for (ho_op o = 0; o < c->n_ops; o++) {
    json_t *row = json_array();
    for (ho_device d = 0; d < c->n_devices; d++) {
      double ready = g->op[o].release;
      for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++) {
        ho_memory from = c->input_memory[g->in[i]];
        if (from >= 0) ready = fmax(ready, ho_costs_copy(c, from, c->p->device[d].memory, (double)g->tensor[g->in[i]].bytes));
      }
      json_array_append_new(row, number_or_null(ready));
    }
    json_array_append_new(list, row);
  }
  return list;
}

static json_t *copies_json(const ho_costs *c, const double *of_memories) {
  json_t *list = json_array();
  for (ho_device a = 0; a < c->n_devices; a++) {
    json_t *row = json_array();
    for (ho_device b = 0; b < c->n_devices; b++)
      json_array_append_new(row, number_or_null(of_memories[c->p->device[a].memory * c->n_memories + c->p->device[b].memory]));
    json_array_append_new(list, row);
  }
  return list;
}

static json_t *set_json(const ho_search *s, const ho_option *options) {
  json_t *set = json_object();
  for (const ho_option *o = options; o && o->name; o++)
    json_object_set_new(set, o->name,
                        o->type == HO_OPTION_INT      ? json_integer(ho_search_option_int(s, o->name))
                        : o->type == HO_OPTION_DOUBLE ? json_real(ho_search_option_double(s, o->name))
                                                      : json_string(ho_search_option_string(s, o->name)));
  return set;
}

char *ho_exec_problem_line(ho_search *s, const ho_option *options) {
  const ho_problem *q = ho_search_problem(s);
  ho_costs *c = ho_costs_new(q);
  json_t *objectives = json_array(), *j = json_object();
  for (int32_t k = 0; k < q->n_objectives; k++)
    json_array_append_new(objectives, json_string(ho_objective_name(q->objective[k])));
  json_object_set_new(j, "type", json_string("problem"));
  json_object_set_new(j, "graph", json_string(q->graph->name));
  json_object_set_new(j, "platform", json_string(q->platform->name));
  json_object_set_new(
      j, "seed", json_integer((json_int_t)(ho_stream_next(ho_search_stream(s)) >> 11))); /* 53 bits: any JSON reader keeps them */
  json_object_set_new(j, "budget", json_pack("{s:I}", "evaluations", (json_int_t)ho_search_budget(s)));
  json_object_set_new(j, "set", set_json(s, options));
  json_object_set_new(j, "objectives", objectives);
  json_object_set_new(j, "ops", ops_json(q->graph));
  json_object_set_new(j, "edges", edges_json(q->graph));
  json_object_set_new(j, "devices", devices_json(q->platform));
  json_object_set_new(j, "memories", memories_json(q->platform));
  json_object_set_new(j, "cost", cost_json(c));
  json_object_set_new(j, "ready", ready_json(c));
  json_object_set_new(j, "latency", copies_json(c, c->latency));
  json_object_set_new(j, "seconds_per_byte", copies_json(c, c->per_byte));
  ho_costs_free(c);
  char *line = ho_json_line(j);
  json_decref(j);
  return line;
}

/* ---- plans ---------------------------------------------------------------------------------------------------------------------- */
static gboolean read_index(const json_t *v, const char *what, size_t i, int64_t most,
                           int64_t (*find)(const void *of, const char *name), const void *of, int64_t *out, GError **error) {
  const char *name = json_string_value(v);
  *out = json_is_integer(v) ? json_integer_value(v) : name ? find(of, name) : -1;
  if (*out >= 0 && *out < most) return TRUE;
  g_autofree char *shown = name ? ho_printable(name) : NULL;
  if (name) return ho_fail(error, HO_ERROR_PLAN, "assign[%zu]: there is no %s '%s'", i, what, shown);
  if (json_is_integer(v))
    return ho_fail(error, HO_ERROR_PLAN, "assign[%zu]: %s %" G_GINT64_FORMAT ", expected 0 to %" G_GINT64_FORMAT, i, what, *out,
                   most - 1);
  return ho_fail(error, HO_ERROR_PLAN, "assign[%zu]: expected a %s, by index or name", i, what);
}

static int64_t find_op(const void *g, const char *name) {
  return ho_graph_find_op(g, name);
}
static int64_t find_device(const void *p, const char *name) {
  return ho_platform_find_device(p, name);
}

static ho_plan *read_pairs(const json_t *assign, const ho_problem *q, GError **error) {
  g_autoptr(ho_plan) plan = ho_plan_new((int32_t)MIN(json_array_size(assign), INT32_MAX));
  for (size_t i = 0; i < json_array_size(assign); i++) {
    const json_t *pair = json_array_get(assign, i);
    int64_t op, device;
    if (json_array_size(pair) != 2) {
      ho_fail(error, HO_ERROR_PLAN, "assign[%zu]: expected [op, device]", i);
      return NULL;
    }
    if (!read_index(json_array_get(pair, 0), "op", i, q->graph->n_ops, find_op, q->graph, &op, error) ||
        !read_index(json_array_get(pair, 1), "device", i, q->platform->n_devices, find_device, q->platform, &device, error))
      return NULL;
    plan->entry[i].op = (ho_op)op;
    plan->entry[i].device = (int16_t)device;
  }
  return ho_plan_check(plan, q->graph, q->platform, q->cost, error) ? g_steal_pointer(&plan) : NULL;
}

/* What a plan file says of its graph and platform goes without saying here. */
static ho_plan *read_object(const json_t *value, const ho_problem *q, GError **error) {
  const ho_graph *g = q->variant ? q->variant->base : q->graph;
  json_t *full = json_copy((json_t *)value);
  json_object_set_new(full, "format", json_string("heteroopt-plan/1"));
  json_object_set_new(full, "graph", json_string(g->name));
  json_object_set_new(full, "platform", json_string(q->platform->name));
  ho_plan *plan =
      ho_plan_from_json(full, (ho_json_at){"plan", ""}, g, q->platform, q->variant ? q->variant->base_cost : q->cost, error);
  json_decref(full);
  return plan;
}

ho_plan *ho_exec_read_plan(const json_t *value, const ho_problem *q, GError **error) {
  const json_t *assign = json_is_array(value) ? value : json_object_get(value, "assign");
  if (!json_is_array(assign)) {
    ho_fail(error, HO_ERROR_PLAN, "expected an array of [op, device], or an object with 'assign'");
    return NULL;
  }
  if (json_is_array(value) || (json_is_array(json_array_get(assign, 0)) && !json_object_get(value, "rewrites")))
    return read_pairs(assign, q, error);
  return read_object(value, q, error);
}
