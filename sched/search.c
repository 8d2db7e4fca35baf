/* search.c: see search.h and scheduler.h. */
#include "sched/search.h"

#include <stdarg.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/fmath.h"
#include "sim/estimate.h"
#include "sim/plan_check.h"
#include "sim/replay.h"
#include "sim/variant.h"

#define KEPT_VARIANTS 64

/* The estimate of a rewritten graph, kept for the next plan with the same rewrites. */
typedef struct {
  ho_variant *variant;
  ho_problem problem;
  ho_estimate *estimate;
} kept_estimate;

struct ho_search {
  ho_search_setup setup;
  ho_stream stream;
  ho_estimate *estimate;
  kept_estimate kept[KEPT_VARIANTS];
  int32_t next_kept; /* the one that is given up next */
  ho_archive *archive;
  ho_replay *replay;                  /* made when first asked for */
  double replayed[HO_MAX_OBJECTIVES]; /* of the plan replayed last; */
  int fits;                           /* and whether it did */
  int64_t evaluations, replays;
  ho_figures figures;        /* of the last evaluation */
  double least_tightest;     /* over all evaluations */
  ho_memory tightest_memory; /* of that evaluation */
  char *reason;              /* why the scheduler gave up, or what was wrong with its plans */
  double engine_seconds, scheduler_seconds;
  GArray *checkpoints; /* ho_checkpoint */
  int64_t *due;        /* numbers of evaluations at which a checkpoint is taken, increasing */
  int32_t n_due, next_due;
};

static double seconds_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void drop_plan(void *plan) {
  ho_plan_free(plan);
}

static void clear_checkpoint(void *c) {
  g_free(((ho_checkpoint *)c)->objectives);
}

/* Numbers of evaluations budget^(k/n), k = 1 … n, rounded up, without repetition. */
static void plan_checkpoints(ho_search *s) {
  int32_t n = s->setup.checkpoints;
  s->due = g_new(int64_t, n + 1);
  double log_budget = ho_log((double)s->setup.evaluations);
  for (int32_t k = 1; k <= n; k++) {
    int64_t at = k == n ? s->setup.evaluations : (int64_t)ho_exp(log_budget * k / n) + 1;
    at = CLAMP(at, 1, s->setup.evaluations);
    if (s->n_due == 0 || at > s->due[s->n_due - 1]) s->due[s->n_due++] = at;
  }
}

ho_search *ho_search_new(const ho_search_setup *setup) {
  ho_search *s = g_new0(ho_search, 1);
  s->setup = *setup;
  s->stream = setup->stream;
  s->estimate = ho_estimate_new(setup->problem);
  s->archive = ho_archive_new(setup->problem->n_objectives, drop_plan);
  s->least_tightest = G_MAXDOUBLE;
  s->checkpoints = g_array_new(FALSE, FALSE, sizeof(ho_checkpoint));
  g_array_set_clear_func(s->checkpoints, clear_checkpoint);
  plan_checkpoints(s);
  return s;
}

void ho_search_free(ho_search *s) {
  if (!s) return;
  ho_estimate_free(s->estimate);
  for (int32_t i = 0; i < KEPT_VARIANTS; i++) {
    ho_estimate_free(s->kept[i].estimate);
    ho_variant_unref(s->kept[i].variant);
  }
  ho_archive_free(s->archive);
  ho_replay_free(s->replay);
  g_array_free(s->checkpoints, TRUE);
  g_free(s->due);
  g_free(s->reason);
  g_free(s);
}

/* --- checkpoints ---------------------------------------------------------------------------------------------------------------- */
static void take_checkpoint(ho_search *s) {
  int32_t d = s->setup.problem->n_objectives, n = ho_archive_size(s->archive);
  ho_archive_sort(s->archive);
  ho_checkpoint c = {s->evaluations, n, g_new(double, (size_t)n *(size_t)d + 1)};
  for (int32_t i = 0; i < n; i++)
    memcpy(c.objectives + (size_t)i * (size_t)d, ho_archive_objectives(s->archive, i), sizeof(double) * (size_t)d);
  g_array_append_val(s->checkpoints, c);
}

/* Before another evaluation: what was offered after the last one belongs to it. */
static void take_due_checkpoint(ho_search *s) {
  if (s->next_due == s->n_due || s->evaluations < s->due[s->next_due]) return;
  take_checkpoint(s);
  s->next_due++;
}

/* The last one is the front at the end, whether or not the budget was used up. */
static void take_last_checkpoint(ho_search *s) {
  if (s->n_due == 0) return;
  int32_t n = (int32_t)s->checkpoints->len;
  if (n > 0 && g_array_index(s->checkpoints, ho_checkpoint, n - 1).evaluations == s->evaluations) return;
  take_checkpoint(s);
}

/* --- what a scheduler asks ------------------------------------------------------------------------------------------------------ */
const ho_problem *ho_search_problem(const ho_search *s) {
  return s->setup.problem;
}
ho_stream *ho_search_stream(ho_search *s) {
  return &s->stream;
}
int64_t ho_search_budget(const ho_search *s) {
  return s->setup.evaluations;
}
int64_t ho_search_left(const ho_search *s) {
  return s->setup.evaluations - s->evaluations;
}
int64_t ho_search_option_int(const ho_search *s, const char *name) {
  return ho_options_int(s->setup.options, name);
}
double ho_search_option_double(const ho_search *s, const char *name) {
  return ho_options_double(s->setup.options, name);
}
const char *ho_search_option_string(const ho_search *s, const char *name) {
  return ho_options_string(s->setup.options, name);
}
const ho_figures *ho_search_figures(const ho_search *s) {
  return &s->figures;
}

/* For the message when nothing is feasible. */
static void note_excess(ho_search *s, const ho_estimate *e) {
  if (s->figures.tightest >= s->least_tightest) return;
  const ho_platform *p = s->setup.problem->platform;
  s->least_tightest = s->figures.tightest;
  for (ho_memory m = 0; m < p->n_memories; m++)
    if (ho_estimate_peak(e, m) / p->memory[m].capacity >= s->figures.tightest) s->tightest_memory = m;
}

/* The estimate for the graph that the plan is about. */
static ho_estimate *estimate_for(ho_search *s, const ho_plan *plan) {
  ho_variant *v = plan->variant;
  if (!v || v->graph == s->setup.problem->graph) return s->estimate;
  for (int32_t i = 0; i < KEPT_VARIANTS; i++)
    if (s->kept[i].variant == v) return s->kept[i].estimate;
  kept_estimate *k = &s->kept[s->next_kept];
  s->next_kept = (s->next_kept + 1) % KEPT_VARIANTS;
  ho_estimate_free(k->estimate);
  ho_variant_unref(k->variant);
  k->variant = ho_variant_ref(v);
  k->problem = ho_variant_problem(v, s->setup.problem);
  k->estimate = ho_estimate_new(&k->problem);
  return k->estimate;
}

int ho_search_evaluate(ho_search *s, const ho_plan *plan, double *objectives) {
  if (s->reason || s->evaluations >= s->setup.evaluations) return -1;
  double began = seconds_now();
  take_due_checkpoint(s);
  s->evaluations++;
  ho_estimate *e = estimate_for(s, plan);
  int infeasible = ho_estimate_run(e, plan, &s->figures);
  ho_problem_objectives(s->setup.problem, &s->figures, objectives);
  if (infeasible) note_excess(s, e);
  s->engine_seconds += seconds_now() - began;
  return infeasible;
}

static int add_copy(ho_search *s, const ho_plan *plan, const double *objectives) {
  const ho_problem *q = s->setup.problem;
  ho_plan *copy = ho_plan_copy(plan);
  if (q->variant && !copy->variant) ho_plan_set_variant(copy, q->variant); /* a scheduler of a rewritten problem need not know */
  if (ho_archive_add(s->archive, objectives, copy)) return 1;
  ho_plan_free(copy);
  return 0;
}

/* Everything that enters the archive by its evaluation passes here: the plan is valid and its objectives are what the estimate says. */
static int admit(ho_search *s, const ho_plan *plan, const double *objectives) {
  const ho_problem *q = s->setup.problem;
  g_autoptr(GError) error = NULL;
  if (!ho_plan_check(plan, q->graph, q->platform, q->cost, &error))
    return ho_search_fail(s, "made an invalid plan: %s", error->message);
  ho_figures figures;
  double again[HO_MAX_OBJECTIVES];
  if (ho_estimate_run(estimate_for(s, plan), plan, &figures)) return 0;
  ho_problem_objectives(q, &figures, again);
  if (memcmp(again, objectives, sizeof(double) * (size_t)q->n_objectives) != 0)
    return ho_search_fail(s, "offered a plan with objectives that its evaluation did not give");
  return add_copy(s, plan, objectives);
}

int ho_search_offer(ho_search *s, const ho_plan *plan, const double *objectives) {
  double began = seconds_now();
  int in = ho_archive_accepts(s->archive, objectives) ? admit(s, plan, objectives) : 0;
  s->engine_seconds += seconds_now() - began;
  return in > 0;
}

int ho_search_replay(ho_search *s, const ho_plan *plan, double *objectives) {
  const ho_problem *q = s->setup.problem;
  if (s->reason) return 1;
  double began = seconds_now();
  if (!s->replay) s->replay = ho_replay_new(q);
  const ho_replay_options options = {0};
  g_autoptr(GError) error = NULL;
  const ho_replay_result *r = ho_replay_run(s->replay, plan, &options, &error);
  s->replays++;
  s->fits = r != NULL;
  if (r) {
    ho_problem_objectives(q, &r->figures, objectives);
    memcpy(s->replayed, objectives, sizeof(double) * (size_t)q->n_objectives);
  } else if (error->code != HO_ERROR_INFEASIBLE) {
    ho_search_fail(s, "made an invalid plan: %s", error->message);
  }
  s->engine_seconds += seconds_now() - began;
  return r == NULL;
}

int ho_search_offer_replayed(ho_search *s, const ho_plan *plan) {
  return s->fits && !s->reason && add_copy(s, plan, s->replayed);
}

const ho_scheduler *ho_search_scheduler(const ho_search *s) {
  return s->setup.scheduler;
}

int ho_search_keep_evaluated(ho_search *s, const ho_plan *plan) {
  ho_figures figures;
  double objectives[HO_MAX_OBJECTIVES];
  if (s->reason || ho_estimate_run(estimate_for(s, plan), plan, &figures)) return 0;
  ho_problem_objectives(s->setup.problem, &figures, objectives);
  return ho_search_offer(s, plan, objectives);
}

int ho_search_keep(ho_search *s, const ho_plan *plan, double *objectives) {
  int status = ho_search_evaluate(s, plan, objectives);
  if (status < 0) return -1;
  return status == 0 ? ho_search_offer(s, plan, objectives) : 0;
}

int ho_search_fail(ho_search *s, const char *format, ...) {
  if (s->reason) return -1; /* the first reason is the one that counts */
  va_list args;
  va_start(args, format);
  s->reason = g_strdup_vprintf(format, args);
  va_end(args);
  return -1;
}

/* --- what the runner asks -------------------------------------------------------------------------------------------------------- */
gboolean ho_search_run(ho_search *s, GError **error) {
  const char *name = s->setup.scheduler->name;
  double began = seconds_now();
  int status = s->setup.scheduler->run(s);
  s->scheduler_seconds = MAX(0, seconds_now() - began - s->engine_seconds);
  take_last_checkpoint(s);
  ho_archive_sort(s->archive);
  if (status != 0 || s->reason)
    return ho_fail(error, HO_ERROR_PLAN, "scheduler %s: %s", name, s->reason ? s->reason : "failed without a reason");
  if (ho_archive_size(s->archive) > 0) return TRUE;
  if (s->evaluations == 0) return ho_fail(error, HO_ERROR_PLAN, "scheduler %s: made no plan", name);
  return ho_fail(error, HO_ERROR_INFEASIBLE,
                 "scheduler %s: no feasible plan in %" G_GINT64_FORMAT
                 " evaluations: the one that came nearest needs %.3g times the capacity of memory '%s'",
                 name, s->evaluations, s->least_tightest, s->setup.problem->platform->memory[s->tightest_memory].name);
}

ho_archive *ho_search_archive(ho_search *s) {
  return s->archive;
}
int64_t ho_search_evaluations(const ho_search *s) {
  return s->evaluations;
}
int64_t ho_search_replays(const ho_search *s) {
  return s->replays;
}
double ho_search_scheduler_seconds(const ho_search *s) {
  return s->scheduler_seconds;
}
double ho_search_engine_seconds(const ho_search *s) {
  return s->engine_seconds;
}

int32_t ho_search_checkpoints(const ho_search *s, const ho_checkpoint **c) {
  *c = (const ho_checkpoint *)(void *)s->checkpoints->data;
  return (int32_t)s->checkpoints->len;
}
