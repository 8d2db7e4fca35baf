/* run_one.c: searches, replays what was found, and fills in what is stored of one run. See run_one.h. */
#include "experiments/run_one.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "experiments/foreign.h"
#include "sched/search.h"
#include "sim/plan_check.h"
#include "sim/replay.h"

#define N HO_N_OBJECTIVES

/* A run under way. */
typedef struct {
  const ho_experiment *e;
  const ho_experiment_run *run;
  const ho_problem *problem;
  ho_replay *replay;
  uint64_t noise_seed;
  GArray *plans; /* of ho_store_plan */
  ho_run_record *out;
} ho_running;

static double seconds_since(gint64 start_us) {
  return (double)(g_get_monotonic_time() - start_us) * 1e-6;
}

/* Objectives in the problem's order, by ho_objective; NAN where it is not one. */
static void spread(const ho_problem *q, const double *objectives, double by_kind[N]) {
  for (int k = 0; k < N; k++) by_kind[k] = NAN;
  for (int32_t k = 0; k < q->n_objectives; k++) by_kind[q->objective[k]] = objectives[k];
}

static void fail(ho_run_record *out, ho_run_status status, const char *reason) {
  out->result.status = status;
  out->result.reason = ho_arena_strdup(out->arena, reason);
}

/* --- replays --------------------------------------------------------------------------------------------------------------- */

/* FALSE with *error when the replay fails for a reason other than memory: the plan or this program is at fault. */
static gboolean replay(ho_running *u, const ho_plan *plan, const ho_replay_options *options, ho_store_replay *out,
                       GError **error) {
  g_autoptr(GError) reason = NULL;
  const ho_replay_result *r = ho_replay_run(u->replay, plan, options, &reason);
  if (r) {
    *out = (ho_store_replay){.figures = r->figures};
    return TRUE;
  }
  if (!g_error_matches(reason, HO_ERROR, HO_ERROR_INFEASIBLE)) {
    g_propagate_error(error, g_steal_pointer(&reason));
    return FALSE;
  }
  *out = (ho_store_replay){.infeasible = ho_arena_strdup(u->out->arena, reason->message)};
  return TRUE;
}

/* The configured number of replays with noise, and with redrawn devices when `model_error` is not 0. NULL on error. */
static ho_store_replay *replay_with_noise(ho_running *u, const ho_plan *plan, double model_error, GError **error) {
  const ho_config *c = u->e->config;
  ho_store_replay *replays = ho_arena_new_array(u->out->arena, ho_store_replay, c->replays);
  for (int32_t i = 0; i < c->replays; i++) {
    ho_replay_options options = {
        .seed = u->noise_seed, .replicate = u->run->replicate, .replay = i, .noise = c->noise, .model_error = model_error};
    if (!replay(u, plan, &options, &replays[i], error)) return NULL;
  }
  return replays;
}

static gboolean add_noisy_replays(ho_running *u, const ho_plan *plan, ho_store_plan *stored, GError **error) {
  const ho_config *c = u->e->config;
  stored->replays = replay_with_noise(u, plan, 0, error);
  if (!stored->replays) return FALSE;
  stored->n_replays = c->replays;
  if (c->model_error <= 0) return TRUE;
  stored->model_replays = replay_with_noise(u, plan, c->model_error, error);
  if (!stored->model_replays) return FALSE;
  stored->n_model_replays = c->replays;
  return TRUE;
}

static const char *plan_text(const ho_running *u, const ho_plan *plan, const char *scheduler, const ho_figures *f) {
  const ho_problem *q = u->problem;
  ho_problem all = {.n_objectives = 1, .objective = {HO_OBJECTIVE_MEMORY}, .memory_measure = q->memory_measure};
  ho_plan_note note = {.scheduler = scheduler, .seed = u->e->config->seed, .latency = f->latency, .energy = f->energy};
  ho_problem_objectives(&all, f, &note.memory);
  json_t *value = ho_plan_to_json(plan, q->graph, q->platform, &note);
  g_autofree char *line = ho_json_line(value);
  json_decref(value);
  return ho_arena_strdup(u->out->arena, line);
}

static gboolean add_plan(ho_running *u, const ho_plan *plan, const double *estimate, const char *scheduler, GError **error) {
  ho_store_plan stored = {0};
  ho_replay_options exact = {.seed = u->noise_seed, .replicate = u->run->replicate};
  spread(u->problem, estimate, stored.estimate);
  if (!replay(u, plan, &exact, &stored.exact, error)) return FALSE;
  ho_figures unknown = {NAN, NAN, NAN, NAN, NAN};
  stored.json = plan_text(u, plan, scheduler, stored.exact.infeasible ? &unknown : &stored.exact.figures);
  if (!stored.exact.infeasible && !add_noisy_replays(u, plan, &stored, error)) return FALSE;
  g_array_append_val(u->plans, stored);
  return TRUE;
}

/* --- search ------------------------------------------------------------------------------------------------------------------ */

static void keep_checkpoints(ho_running *u, ho_search *s) {
  const ho_checkpoint *from;
  int32_t n = ho_search_checkpoints(s, &from);
  ho_store_checkpoint *to = ho_arena_new_array(u->out->arena, ho_store_checkpoint, n ? n : 1);
  for (int32_t i = 0; i < n; i++) {
    double *points = ho_arena_new_array(u->out->arena, double, (gsize)from[i].n *N + 1);
    for (int32_t k = 0; k < from[i].n; k++)
      spread(u->problem, &from[i].objectives[(gsize)k * (gsize)u->problem->n_objectives], &points[(gsize)k * N]);
    to[i] = (ho_store_checkpoint){.evaluations = from[i].evaluations, .n = from[i].n, .points = points};
  }
  u->out->result.n_checkpoints = n;
  u->out->result.checkpoints = to;
}

/* Runs one scheduler and replays what it found. FALSE with the reason: no plan, or a plan that cannot be replayed. */
static gboolean run_member(ho_running *u, int32_t scheduler, GError **error) {
  const ho_config_scheduler *c = &u->e->config->scheduler[scheduler];
  g_autoptr(ho_exec) process = c->foreign ? ho_foreign_take(c->foreign, error) : NULL;
  if (c->foreign && !process) return FALSE;
  const ho_variant *v = u->e->problem[u->run->problem].variant[scheduler];
  const ho_problem rewritten = v ? ho_variant_problem(v, u->problem) : *u->problem;
  ho_search_setup setup = {.problem = &rewritten,
                           .scheduler = process ? ho_exec_scheduler(process) : c->scheduler,
                           .options = c->options,
                           .stream = ho_experiment_stream(u->e, u->run, scheduler),
                           .evaluations = u->e->config->evaluations,
                           .checkpoints = u->e->config->checkpoints};
  g_autoptr(ho_search) s = ho_search_new(&setup);
  gboolean fine = ho_search_run(s, error);
  if (process) ho_foreign_give(c->foreign, g_steal_pointer(&process), fine);
  ho_store_result *r = &u->out->result;
  r->evaluations += ho_search_evaluations(s);
  r->seconds_scheduler += ho_search_scheduler_seconds(s);
  r->seconds_engine += ho_search_engine_seconds(s);
  if (!fine) return FALSE;
  if (u->e->contender[u->run->contender].n == 1) keep_checkpoints(u, s);
  gint64 start = g_get_monotonic_time();
  ho_archive *found = ho_search_archive(s);
  for (int32_t i = 0; i < ho_archive_size(found) && fine; i++)
    fine = add_plan(u, ho_archive_payload(found, i), ho_archive_objectives(found, i), c->scheduler->name, error);
  r->seconds_replay += seconds_since(start);
  return fine;
}

/* The first reason, when the replay could hold none of the plans; NULL when it could hold one. */
static const char *no_plan_fits(const GArray *plans) {
  for (guint i = 0; i < plans->len; i++)
    if (!g_array_index(plans, ho_store_plan, i).exact.infeasible) return NULL;
  return g_array_index(plans, ho_store_plan, 0).exact.infeasible;
}

/* A portfolio has what any of its members found; it fails when none found anything, with the first one's reason. */
void ho_run_one(const ho_experiment *e, const ho_experiment_run *run, ho_run_record *out) {
  const ho_contender *x = &e->contender[run->contender];
  *out = (ho_run_record){.arena = ho_arena_new()};
  ho_running u = {.e = e,
                  .run = run,
                  .problem = &e->problem[run->problem].problem,
                  .noise_seed = ho_experiment_noise_seed(e, run->problem),
                  .plans = g_array_new(FALSE, FALSE, sizeof(ho_store_plan)),
                  .out = out};
  u.replay = ho_replay_new(u.problem);
  g_autoptr(GError) first = NULL;
  gboolean broken = FALSE;
  for (int32_t k = 0; k < x->n && !broken; k++) {
    GError *reason = NULL;
    if (run_member(&u, x->of[k], &reason)) continue;
    broken = !g_error_matches(reason, HO_ERROR, HO_ERROR_INFEASIBLE);
    if (broken) g_clear_error(&first);
    if (!first) first = g_steal_pointer(&reason);
    g_clear_error(&reason);
  }
  out->result.status = HO_RUN_DONE;
  if (broken)
    fail(out, HO_RUN_FAILED, first->message);
  else if (u.plans->len == 0)
    fail(out, HO_RUN_INFEASIBLE, first ? first->message : "the scheduler left no plan");
  else {
    if (no_plan_fits(u.plans)) fail(out, HO_RUN_INFEASIBLE, no_plan_fits(u.plans));
    out->result.n_plans = (int32_t)u.plans->len;
    out->result.plans = ho_arena_memdup(out->arena, u.plans->data, u.plans->len * sizeof(ho_store_plan));
  }
  g_array_unref(u.plans);
  ho_replay_free(u.replay);
}

void ho_run_record_clear(ho_run_record *record) {
  g_clear_pointer(&record->arena, ho_arena_free);
}
