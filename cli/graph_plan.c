/* graph_plan.c: see graph_plan.h. */
#include "cli/graph_plan.h"

#include <math.h>

#include "base/units.h"
#include "cli/inputs.h"
#include "sim/placed.h"
#include "sim/plan_check.h"

#define N_MODES 3

typedef struct {
  double contention[N_MODES], launch[N_MODES]; /* s: makespans */
} what_if;

static what_if try_all(const ho_replay_result *r) {
  what_if w;
  for (int k = 0; k < N_MODES; k++) {
    w.contention[k] = ho_what_if_contention(r, (ho_contention)k);
    w.launch[k] = ho_what_if_launch(r, (ho_launch_mode)k);
  }
  return w;
}

static const char *contention_name(int k) {
  return ho_contention_name((ho_contention)k);
}
static const char *launch_name(int k) {
  return ho_launch_mode_name((ho_launch_mode)k);
}

/* ---- text ------------------------------------------------------------------------------------------------------------------------ */

static void put_pairs(GString *out, const char *what, const char *name, int64_t pairs, int *n) {
  if (pairs) g_string_append_printf(out, "%s %" G_GINT64_FORMAT " of %s on %s", (*n)++ ? "," : ":", (gint64)pairs, what, name);
}

static void put_row(GString *out, const char *title, const char *(*name)(int), const double *makespan, double now) {
  g_string_append_printf(out, "  %-12s", title);
  for (int k = 0; k < N_MODES; k++) {
    g_autofree char *text = ho_unit_format(makespan[k], HO_UNIT_SECONDS);
    if (isfinite(makespan[k]) && now > 0)
      g_string_append_printf(out, "%s %s %s (%.3f x)", k ? "," : "", name(k), text, makespan[k] / now);
    else
      g_string_append_printf(out, "%s %s %s", k ? "," : "", name(k), isfinite(makespan[k]) ? text : "infeasible");
  }
  g_string_append_c(out, '\n');
}

static void put_text(const ho_replay_result *r, const ho_placed *p, const what_if *w, GString *out) {
  const ho_platform *platform = r->problem->platform;
  g_autofree char *bytes = ho_unit_format(p->bytes, HO_UNIT_BYTES);
  g_autofree char *makespan = ho_unit_format(r->figures.latency, HO_UNIT_SECONDS);
  int n = 0;
  g_string_append_printf(out, "placed: %d data edges, %d communication edges (%d copies, %s); contending pairs", p->data,
                         p->communication, p->copies, bytes);
  for (ho_device d = 0; d < p->n_devices; d++) put_pairs(out, "kernels", platform->device[d].name, p->device[d], &n);
  for (ho_memory m = 0; m < p->n_memories; m++) put_pairs(out, "kernels", platform->memory[m].name, p->memory[m], &n);
  for (ho_link l = 0; l < p->n_links; l++) put_pairs(out, "transfers", platform->link[l].name, p->link[l], &n);
  g_string_append_printf(out, "%s\nmakespan: %s; what if\n", n ? "" : ": none", makespan);
  put_row(out, "contention", contention_name, w->contention, r->figures.latency);
  put_row(out, "launch", launch_name, w->launch, r->figures.latency);
}

/* ---- JSON ------------------------------------------------------------------------------------------------------------------------ */

static json_t *makespans(const char *(*name)(int), const double *makespan) {
  json_t *j = json_object();
  for (int k = 0; k < N_MODES; k++) json_object_set_new(j, name(k), isfinite(makespan[k]) ? json_real(makespan[k]) : json_null());
  return j;
}

static json_t *placed_json(const ho_replay_result *r, const ho_placed *p, const what_if *w) {
  const ho_platform *platform = r->problem->platform;
  json_t *devices = json_object(), *memories = json_object(), *links = json_object();
  for (ho_device d = 0; d < p->n_devices; d++) json_object_set_new(devices, platform->device[d].name, json_integer(p->device[d]));
  for (ho_memory m = 0; m < p->n_memories; m++)
    json_object_set_new(memories, platform->memory[m].name, json_integer(p->memory[m]));
  for (ho_link l = 0; l < p->n_links; l++) json_object_set_new(links, platform->link[l].name, json_integer(p->link[l]));
  return json_pack("{s:i, s:i, s:i, s:o, s:{s:o, s:o, s:o}, s:f, s:{s:o, s:o}}", "data_edges", p->data, "communication_edges",
                   p->communication, "copies", p->copies, "bytes", ho_cli_number(p->bytes), "contention", "devices", devices,
                   "memories", memories, "links", links, "makespan", r->figures.latency, "what_if", "contention",
                   makespans(contention_name, w->contention), "launch", makespans(launch_name, w->launch));
}

gboolean ho_cli_graph_plan(const ho_graph *g, const char *platform, const char *file, const char *number, json_t *json,
                           GString *out, GError **error) {
  gint64 which = 0;
  if (!platform) return ho_cli_usage(error, "graph info: --plan needs --platform, the platform that the plan is for");
  if (!ho_cli_int("--number", number, 1, G_MAXINT32, &which, error)) return FALSE;
  g_autoptr(ho_platform) p = ho_platform_load(platform, error);
  if (!p || !ho_problem_check(g, p, error)) return FALSE;
  ho_cost *cost = ho_cost_new(g, p);
  const ho_problem q = {.graph = g, .platform = p, .cost = cost};
  g_autoptr(ho_plan) plan = ho_cli_read_plan(&q, file, which, error);
  g_autoptr(ho_replay) replay = ho_replay_new(&q);
  const ho_replay_result *r = plan ? ho_replay_run(replay, plan, NULL, error) : NULL;
  if (r) {
    g_autoptr(ho_placed) placed = ho_placed_new(r);
    what_if w = try_all(r);
    if (json)
      json_object_set_new(json, "placed", placed_json(r, placed, &w));
    else
      put_text(r, placed, &w, out);
  }
  ho_cost_free(cost);
  return r != NULL;
}
