/* schedule.c: `heteroopt schedule`: one scheduler on one problem, its plans replayed, the front of the replays printed. */
#include <math.h>
#include <string.h>

#include "base/jsonio.h"
#include "cli/command.h"
#include "cli/explain.h"
#include "cli/graph_rewrite.h"
#include "cli/inputs.h"
#include "results/archive.h"
#include "sched/search.h"
#include "sim/bounds.h"
#include "sim/plan_check.h"
#include "sim/variant.h"

#define DEFAULT_EVALUATIONS 20000

typedef struct {
  ho_cli_inputs in;
  char *scheduler_name, *seed_text, *evaluations_text, *output, *rules;
  ho_variant *variant; /* by --rewrite; NULL */
  ho_exec *exec;       /* the scheduler's process; NULL */
  char **set;
  gboolean explain, timing, json;
  guint64 seed;
  gint64 evaluations;
} schedule_options;

static void schedule_options_clear(schedule_options *o) {
  ho_variant_unref(o->variant);
  ho_exec_free(o->exec);
  g_free(o->rules);
  ho_cli_inputs_clear(&o->in);
  g_free(o->scheduler_name);
  g_free(o->seed_text);
  g_free(o->evaluations_text);
  g_free(o->output);
  g_strfreev(o->set);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(schedule_options, schedule_options_clear)

/* The plans that are non-dominated under replay, in the order of their objectives. */
typedef struct {
  int32_t n;
  ho_plan **plan; /* not owned: they lie in the search's archive */
  ho_figures *figures;
} replayed_front;

static void replayed_front_clear(replayed_front *f) {
  g_free(f->plan);
  g_free(f->figures);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(replayed_front, replayed_front_clear)

/* The search's stream, keyed by everything that says which search this is. */
static ho_stream search_stream(const schedule_options *o, const ho_scheduler *scheduler) {
  const char *const parts[] = {"schedule", o->in.graph->digest, o->in.platform->digest, scheduler->name, o->rules, NULL};
  return ho_stream_keyed(o->seed, parts);
}

/* Replays every plan of the archive and keeps the best. Plans that do not fit when replayed are counted in a note. */
static gboolean replay_front(const ho_problem *q, ho_archive *found, replayed_front *front, GError **error) {
  int32_t n = ho_archive_size(found);
  g_autoptr(ho_replay) replay = ho_replay_new(q);
  g_autofree ho_figures *figures = g_new0(ho_figures, (size_t)n + 1);
  g_autoptr(GError) last = NULL;
  ho_archive *best = ho_archive_new(q->n_objectives, NULL);
  int32_t infeasible = 0;
  for (int32_t i = 0; i < n; i++) {
    g_clear_error(&last);
    const ho_replay_options options = {0};
    const ho_replay_result *r = ho_replay_run(replay, ho_archive_payload(found, i), &options, &last);
    if (!r) {
      if (!g_error_matches(last, HO_ERROR, HO_ERROR_INFEASIBLE)) break;
      infeasible++;
      continue;
    }
    figures[i] = r->figures;
    double v[HO_MAX_OBJECTIVES];
    ho_problem_objectives(q, &figures[i], v);
    ho_archive_add(best, v, GINT_TO_POINTER(i + 1));
  }
  gboolean ok = ho_archive_size(best) > 0 && (!last || g_error_matches(last, HO_ERROR, HO_ERROR_INFEASIBLE));
  if (!ok && last) g_propagate_error(error, g_steal_pointer(&last));
  if (ok && infeasible) ho_cli_note("%d of %d plans do not fit in memory when replayed and are left out", infeasible, n);
  ho_archive_sort(best);
  front->n = ho_archive_size(best);
  front->plan = g_new0(ho_plan *, (size_t)front->n + 1);
  front->figures = g_new0(ho_figures, (size_t)front->n + 1);
  for (int32_t k = 0; k < front->n; k++) {
    int32_t i = GPOINTER_TO_INT(ho_archive_payload(best, k)) - 1;
    front->plan[k] = ho_archive_payload(found, i);
    front->figures[k] = figures[i];
  }
  ho_archive_free(best);
  return ok;
}

/* What no plan can be better than; memory where that is tightest. */
static double bound_of(const ho_problem *q, const ho_bounds *b, ho_objective o) {
  if (o == HO_OBJECTIVE_LATENCY) return b->latency;
  if (o == HO_OBJECTIVE_ENERGY) return b->energy;
  return q->memory_measure == HO_MEMORY_TIGHTEST ? b->tightest : NAN;
}

static json_t *bounds_json(const ho_problem *q) {
  ho_bounds b = ho_bounds_of(q);
  json_t *j = json_object();
  for (int32_t k = 0; k < q->n_objectives; k++) {
    double bound = bound_of(q, &b, q->objective[k]);
    if (isfinite(bound)) json_object_set_new(j, ho_objective_name(q->objective[k]), json_real(bound));
  }
  return j;
}

/* The least of the front's plans that a bound is about, as a multiple of it. */
static void bounds_text(const ho_problem *q, const replayed_front *front, GString *out) {
  ho_bounds b = ho_bounds_of(q);
  int32_t others = 0;
  for (int32_t i = 0; i < front->n; i++) others += !ho_bounds_hold(q, front->plan[i]);
  g_string_append(out, "bounds");
  for (int k = 0; k < HO_N_OBJECTIVES; k++) {
    double bound = bound_of(q, &b, (ho_objective)k), least = INFINITY;
    for (int32_t i = 0; i < front->n; i++) {
      const ho_figures *f = &front->figures[i];
      if (!ho_bounds_hold(q, front->plan[i])) continue;
      least = fmin(least, k == HO_OBJECTIVE_LATENCY  ? f->latency
                          : k == HO_OBJECTIVE_ENERGY ? f->energy
                                                     : ho_cli_memory_figure(q, f));
    }
    if (!isfinite(bound)) continue;
    g_autofree char *text = ho_cli_objective_text(q, (ho_objective)k, bound);
    g_string_append_printf(out, "%s %s %s", k ? "," : ":", ho_objective_name((ho_objective)k), text);
    if (bound > 0 && isfinite(least)) g_string_append_printf(out, " (%.3g x)", least / bound);
  }
  if (others) g_string_append_printf(out, "; not of %d plans of other rewrites, precisions or operating points", others);
  g_string_append(out, "\n");
}

static json_t *front_json(const schedule_options *o, const ho_scheduler *scheduler, const replayed_front *front) {
  g_autofree ho_plan_note *notes = g_new0(ho_plan_note, (size_t)front->n + 1);
  for (int32_t i = 0; i < front->n; i++)
    notes[i] = (ho_plan_note){.scheduler = scheduler->name,
                              .seed = o->seed,
                              .latency = front->figures[i].latency,
                              .energy = front->figures[i].energy,
                              .memory = ho_cli_memory_figure(&o->in.problem, &front->figures[i])};
  return ho_front_to_json(front->plan, notes, front->n, o->in.graph, o->in.platform);
}

static void front_text(const ho_problem *q, const replayed_front *front, GString *out) {
  double path = ho_problem_critical_path(q);
  g_string_append_printf(out, "%-6s%-12s%-12s%-12s%s\n", "plan", "latency", "energy", "memory", "SLR");
  for (int32_t i = 0; i < front->n; i++) {
    const ho_figures *f = &front->figures[i];
    g_autofree char *latency = ho_cli_objective_text(q, HO_OBJECTIVE_LATENCY, f->latency);
    g_autofree char *energy = ho_cli_objective_text(q, HO_OBJECTIVE_ENERGY, f->energy);
    g_autofree char *memory = ho_cli_objective_text(q, HO_OBJECTIVE_MEMORY, ho_cli_memory_figure(q, f));
    g_string_append_printf(out, "%-6d%-12s%-12s%-12s", i + 1, latency, energy, memory);
    if (path > 0) {
      g_string_append_printf(out, "%.3f\n", f->latency / path);
    } else {
      g_string_append(out, "-\n");
    }
  }
}

/* Explains every plan: as lines into `out`, or as members of the front's plans. */
static gboolean explain(const ho_problem *q, const replayed_front *front, json_t *json, GString *out, GError **error) {
  g_autoptr(ho_replay) replay = ho_replay_new(q);
  for (int32_t i = 0; i < front->n; i++) {
    const ho_replay_options options = {0};
    const ho_replay_result *r = ho_replay_run(replay, front->plan[i], &options, error);
    if (!r) return FALSE;
    if (json) {
      json_object_set_new(json_array_get(json_object_get(json, "plans"), (size_t)i), "explanation",
                          ho_cli_explain_json(r->problem, r));
    } else {
      g_string_append_printf(out, "plan %d\n", i + 1);
      ho_cli_explain(r->problem, r, out);
    }
  }
  return TRUE;
}

static gboolean print(const schedule_options *o, const ho_scheduler *scheduler, ho_search *search, const replayed_front *front,
                      GString *out, GError **error) {
  const ho_problem *q = &o->in.problem;
  json_t *json = front_json(o, scheduler, front);
  gboolean ok = !o->output || ho_json_write(json, o->output, error);
  if (o->json) {
    json_object_set_new(json, "bounds", bounds_json(q));
  } else {
    front_text(q, front, out);
    bounds_text(q, front, out);
  }
  if (ok && o->explain) ok = explain(q, front, o->json ? json : NULL, out, error);
  double seconds = ho_search_scheduler_seconds(search), engine = ho_search_engine_seconds(search);
  if (o->timing && o->json) {
    json_object_set_new(json, "seconds", json_pack("{s:f, s:f}", "scheduler", seconds, "engine", engine));
    json_object_set_new(json, "evaluations", json_integer(ho_search_evaluations(search)));
  } else if (o->timing) {
    g_string_append_printf(out, "%" G_GINT64_FORMAT " evaluations · %.3f s scheduler · %.3f s engine\n",
                           (gint64)ho_search_evaluations(search), seconds, engine);
  }
  if (o->json && ok) {
    ho_cli_json(out, json);
  } else {
    json_decref(json);
  }
  return ok;
}

/* From here on the problem is the rewritten one; plans list the rewrites. */
static gboolean rewrite(schedule_options *o, GError **error) {
  if (!o->rules) return TRUE;
  o->variant = ho_variant_by_spec(o->in.graph, o->in.platform, o->in.cost, o->rules, error);
  if (!o->variant) return FALSE;
  o->in.problem = ho_variant_problem(o->variant, &o->in.problem);
  return TRUE;
}

static gboolean search_and_print(const ho_command *self, schedule_options *o, const ho_scheduler *scheduler, GString *out,
                                 GError **error) {
  g_autofree char *who = g_strdup_printf("--set: %s", scheduler->name);
  g_autoptr(ho_options) options = ho_options_parse(scheduler->options, (const char *const *)o->set, who, error);
  if (!options || !ho_cli_inputs_load(&o->in, self, error) || !rewrite(o, error)) return FALSE;
  const ho_search_setup setup = {.problem = &o->in.problem,
                                 .scheduler = scheduler,
                                 .options = options,
                                 .stream = search_stream(o, scheduler),
                                 .evaluations = o->evaluations};
  g_autoptr(ho_search) search = ho_search_new(&setup);
  gboolean found = ho_search_run(search, error);
  if (o->exec && ho_exec_complaint(o->exec)) ho_cli_note("%s: %s", scheduler->source, ho_exec_complaint(o->exec));
  if (!found) return FALSE;
  g_auto(replayed_front) front = {0};
  return replay_front(&o->in.problem, ho_search_archive(search), &front, error) &&
         print(o, scheduler, search, &front, out, error);
}

static gboolean run(const ho_command *self, int argc, char **argv, GString *out, GError **error) {
  g_auto(schedule_options) o = {.seed = 1, .evaluations = DEFAULT_EVALUATIONS};
  const GOptionEntry entries[] = {
      HO_CLI_GRAPH_ENTRIES(&o.in),
      HO_CLI_PLATFORM_ENTRIES(&o.in),
      HO_CLI_LIMIT_ENTRIES(&o.in),
      {"scheduler", 's', 0, G_OPTION_ARG_FILENAME, &o.scheduler_name, "scheduler, as in heteroopt list schedulers", "S"},
      {"set", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &o.set, "an option of the scheduler (repeatable)", "K=V"},
      {"seed", 0, 0, G_OPTION_ARG_STRING, &o.seed_text, "seed of the search (default 1)", "N"},
      {"evaluations", 'e', 0, G_OPTION_ARG_STRING, &o.evaluations_text, "budget: whole plans scored (default 20000)", "N"},
      {"objectives", 0, 0, G_OPTION_ARG_STRING, &o.in.objectives, "what is minimised (default latency,energy,memory)", "LIST"},
      HO_CLI_MEASURE_ENTRIES(&o.in),
      {"rewrite", 0, 0, G_OPTION_ARG_FILENAME, &o.rules,
       "rewrites before scheduling: rules such as remove,fold,fuse, single ones, or a file", "REWRITES"},
      {"explain", 0, 0, G_OPTION_ARG_NONE, &o.explain, "say what bounds each plan", NULL},
      {"timing", 0, 0, G_OPTION_ARG_NONE, &o.timing, "add seconds of scheduler and engine, and evaluations", NULL},
      {"output", 'o', 0, G_OPTION_ARG_FILENAME, &o.output, "also write the front as JSON to FILE", "FILE"},
      {"json", 0, 0, G_OPTION_ARG_NONE, &o.json, "print the front as JSON (heteroopt-front/1)", NULL},
      {NULL}};
  ho_cli_parsed parsed = ho_cli_parse(self, entries, &argc, argv, 0, 0, out, error);
  if (parsed != HO_CLI_GO) return parsed == HO_CLI_DONE;
  if (!ho_cli_uint("--seed", o.seed_text, &o.seed, error) ||
      !ho_cli_int("--evaluations", o.evaluations_text, 1, G_MAXINT64, &o.evaluations, error))
    return FALSE;
  if (o.rules && !ho_cli_rules("--rewrite", o.rules, error)) return FALSE;
  const ho_scheduler *scheduler = ho_cli_scheduler(self->name, o.scheduler_name, &o.exec, error);
  return scheduler && search_and_print(self, &o, scheduler, out, error);
}

const ho_command ho_command_schedule = {
    .name = "schedule",
    .arguments = "--graph G --platform P --scheduler S",
    .summary = "run one scheduler on one problem and print the front of its plans",
    .details =
        "Every plan that the scheduler leaves is replayed without noise; the plans that no other dominates are printed, one a\n"
        "line, with their replayed objectives. SLR is the latency over the longest chain of ops, each on its fastest device.\n\n"
        "Examples:\n"
        "  heteroopt schedule --graph resnet50:batch=8 --platform workstation --scheduler heft --explain\n"
        "  heteroopt schedule --graph resnet50:batch=8 --platform workstation --scheduler heft --rewrite fuse\n"
        "  heteroopt schedule --graph resnet50:batch=8 --platform workstation --scheduler nsga2 --evaluations 2000 -o front.json",
    .run = run,
};
