/* selftest.c: see selftest.h. */
#include "cli/selftest.h"

#include <string.h>

#include "cli/command.h"
#include "cli/inputs.h"
#include "sched/search.h"
#include "sim/plan_check.h"
#include "sim/replay.h"

#define EVALUATIONS 200

typedef struct {
  const char *command;
  const ho_problem *q;
  double timeout;
  const char *const *set;
  GString *out;
  GString *faults; /* of the tests that failed */
} tester;

static void say(tester *t, const char *what, gboolean ok, const char *why) {
  g_string_append_printf(t->out, "%-28s%s%s%s\n", what, ok ? "ok" : "FAILED", why ? ": " : "", why ? why : "");
  if (!ok) g_string_append_printf(t->faults, "%s%s%s%s", t->faults->len ? "; " : "", what, why ? ": " : "", why ? why : "");
}

static ho_exec *open_exec(const tester *t, double timeout, GError **error) {
  const ho_exec_limits limits = {.timeout = timeout};
  return ho_exec_open(t->command, &limits, error);
}

/* The plans that the process leaves, as text; NULL with the error. */
static char *front_of(const tester *t, ho_exec *x, const ho_problem *q, uint64_t seed, int64_t evaluations, int64_t *used,
                      GError **error) {
  const ho_scheduler *scheduler = ho_exec_scheduler(x);
  g_autoptr(ho_options) options = ho_options_parse(scheduler->options, t->set, "--set", error);
  if (!options) return NULL;
  const char *const parts[] = {"selftest", q->graph->digest, NULL};
  const ho_search_setup setup = {.problem = q,
                                 .scheduler = scheduler,
                                 .options = options,
                                 .stream = ho_stream_keyed(seed, parts),
                                 .evaluations = evaluations};
  g_autoptr(ho_search) s = ho_search_new(&setup);
  gboolean ok = ho_search_run(s, error);
  if (used) *used = ho_search_evaluations(s);
  if (!ok) return NULL;
  ho_archive *a = ho_search_archive(s);
  GString *text = g_string_new(NULL);
  for (int32_t i = 0; i < ho_archive_size(a); i++) {
    json_t *j = ho_plan_to_json(ho_archive_payload(a, i), q->graph, q->platform, NULL);
    g_autofree char *line = ho_json_line(j);
    json_decref(j);
    g_string_append(text, line);
  }
  return g_string_free(text, FALSE);
}

static char *front_of_fresh(const tester *t, const ho_problem *q, uint64_t seed, int64_t evaluations, int64_t *used,
                            GError **error) {
  g_autoptr(ho_exec) x = open_exec(t, t->timeout, error);
  return x ? front_of(t, x, q, seed, evaluations, used, error) : NULL;
}

/* ---- tests --------------------------------------------------------------------------------------------------------------------- */

static void test_repeats(tester *t) {
  g_autoptr(GError) error = NULL;
  g_autofree char *a = front_of_fresh(t, t->q, 7, EVALUATIONS, NULL, &error);
  g_autofree char *b = a ? front_of_fresh(t, t->q, 7, EVALUATIONS, NULL, &error) : NULL;
  say(t, "same seed, same plans", b && strcmp(a, b) == 0,
      error                    ? error->message
      : b && strcmp(a, b) != 0 ? "two runs differ"
                               : NULL);
}

/* The same problem in a fresh process, and in one that has solved two others before. */
static void test_resets(tester *t, const ho_problem *other) {
  g_autoptr(GError) error = NULL;
  g_autofree char *fresh = front_of_fresh(t, t->q, 7, EVALUATIONS, NULL, &error), *after = NULL;
  g_autoptr(ho_exec) x = fresh ? open_exec(t, t->timeout, &error) : NULL;
  for (uint64_t i = 0; x && !error && i < 2; i++) {
    g_autofree char *ignored = front_of(t, x, other, 3 + i, EVALUATIONS, NULL, &error);
  }
  if (x && !error) after = front_of(t, x, t->q, 7, EVALUATIONS, NULL, &error);
  say(t, "reset between problems", after && strcmp(fresh, after) == 0,
      error                                ? error->message
      : after && strcmp(fresh, after) != 0 ? "plans differ from those of a fresh process"
                                           : NULL);
}

/* It has to come to an end by itself when its evaluations are used up. */
static void test_budget(tester *t) {
  g_autoptr(GError) error = NULL;
  int64_t used = 0;
  g_autofree char *front = front_of_fresh(t, t->q, 1, 3, &used, &error);
  g_autofree char *why =
      g_strdup_printf("%s after %" G_GINT64_FORMAT " evaluations of 3", error ? error->message : "", (gint64)used);
  gboolean nothing_kept = error && strstr(error->message, "no feasible plan") != NULL;
  say(t, "budget kept", used <= 3 && (front || nothing_kept), front || nothing_kept ? NULL : why);
}

static gboolean calls_itself_heft(const ho_exec *x) {
  g_autofree char *low = g_ascii_strdown(ho_exec_scheduler(x)->name, -1);
  return g_str_has_prefix(low, "heft");
}

static double example_makespan(const tester *t, const char *name, GError **error) {
  ho_cli_inputs in = {0};
  g_autofree char *graph = ho_data_file("examples/heft", name, ".json"), *platform = ho_data_file("examples/heft", name, ".yaml");
  double makespan = 0;
  if (!graph || !platform) {
    ho_fail(error, HO_ERROR_IO, "examples/heft/%s is not installed", name);
    return 0;
  }
  in.graph_spec = g_steal_pointer(&graph);
  in.platform_name = g_steal_pointer(&platform);
  in.objectives = g_strdup("latency");
  if (ho_cli_inputs_load(&in, &ho_command_try, error)) {
    g_autoptr(ho_exec) x = open_exec(t, t->timeout, error);
    g_autoptr(ho_options) options = x ? ho_options_parse(ho_exec_scheduler(x)->options, t->set, "--set", error) : NULL;
    const ho_search_setup setup = {
        .problem = &in.problem, .scheduler = x ? ho_exec_scheduler(x) : NULL, .options = options, .evaluations = 10};
    g_autoptr(ho_search) s = options ? ho_search_new(&setup) : NULL;
    g_autoptr(ho_replay) r = ho_replay_new(&in.problem);
    const ho_replay_result *result =
        s && ho_search_run(s, error) ? ho_replay_run(r, ho_archive_payload(ho_search_archive(s), 0), NULL, error) : NULL;
    if (result) makespan = result->figures.latency;
  }
  ho_cli_inputs_clear(&in);
  return makespan;
}

/* Topcuoglu, Hariri & Wu 2002, figure 3: 80; Arabnejad & Barbosa 2014, figure 1: 133. */
static void test_heft(tester *t) {
  g_autoptr(GError) error = NULL;
  g_autoptr(ho_exec) x = open_exec(t, t->timeout, &error);
  if (x && !calls_itself_heft(x)) {
    g_string_append_printf(t->out, "%-28sskipped: it is called %s\n", "HEFT examples 80, 133", ho_exec_scheduler(x)->name);
    return;
  }
  double a = x ? example_makespan(t, "topcuoglu2002_fig3", &error) : 0,
         b = error ? 0 : example_makespan(t, "arabnejad2014_fig1", &error);
  g_autofree char *got = g_strdup_printf("got %g and %g", a, b);
  say(t, "HEFT examples 80, 133", a == 80 && b == 133, error ? error->message : a == 80 && b == 133 ? NULL : got);
}

/* A process that is given no time for a problem ends with that reason, and is gone. */
static void test_timeout(tester *t) {
  g_autoptr(GError) error = NULL;
  g_autoptr(ho_exec) x = open_exec(t, t->timeout, &error);
  if (x) ho_exec_set_timeout(x, 1e-6);
  gint64 begun = g_get_monotonic_time();
  g_autofree char *front = x ? front_of(t, x, t->q, 1, 1000000, NULL, &error) : NULL;
  double took = (double)(g_get_monotonic_time() - begun) * 1e-6;
  gboolean late = error && strstr(error->message, "time-out") != NULL && took < 5;
  say(t, "killed at time-out", late, late ? NULL : error ? error->message : "it answered within a microsecond");
}

gboolean ho_cli_selftest(const char *command, const ho_problem *q, double timeout, const char *const *set, GString *out,
                         GError **error) {
  g_autoptr(GString) faults = g_string_new(NULL);
  tester t = {.command = command, .q = q, .timeout = timeout, .set = set, .out = out, .faults = faults};
  g_autoptr(ho_exec) x = open_exec(&t, timeout, error);
  if (!x) return FALSE;
  g_autoptr(ho_graph) graph = ho_graph_load("resnet18", NULL, NULL, error);
  if (!graph) return FALSE;
  ho_cost *cost = ho_cost_new(graph, q->platform);
  ho_problem other = *q;
  other.graph = graph;
  other.cost = cost;
  test_resets(&t, &other);
  test_repeats(&t);
  test_budget(&t);
  test_heft(&t);
  test_timeout(&t);
  ho_cost_free(cost);
  return faults->len == 0 || ho_fail(error, HO_ERROR_INPUT, "exec:%s: %s", command, faults->str);
}
