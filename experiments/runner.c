/* runner.c: the pool of threads that works off an experiment's tasks. See runner.h.
 *
 * Tasks are numbered: first the references of each problem, then the runs, in layout order; a thread takes the next one. One mutex
 * guards the counter, the outcome and the first error; the store serialises its own calls. A thread that cannot write stops
 * the others: they finish what they have in hand. */
#include "experiments/runner.h"

#include "base/error.h"
#include "experiments/run_one.h"
#include "experiments/run_references.h"
#include "experiments/selection.h"
#include "results/judge.h"

typedef struct {
  const ho_experiment *e;
  ho_store *store;
  const ho_layout *layout;
  const ho_run_setup *setup;
  int32_t n_references; /* the first tasks: problems */
  int32_t *task;        /* of the first n_references: problem; of the others: run */
  int32_t n_tasks;
  gint64 start_us;

  GMutex lock; /* guards all below */
  int32_t next, finished;
  ho_run_outcome *out;
  int32_t first_failed; /* the run that out->first_failure is about: the one with the lowest index */
  GError *error;
} ho_pool;

/* --- one task ---------------------------------------------------------------------------------------------------------------- */

static void keep_failure(ho_pool *pool, int32_t i, const char *reason) {
  if (pool->out->first_failure && pool->first_failed < i) return;
  const ho_experiment_run *run = &pool->e->run[i];
  pool->first_failed = i;
  g_free(pool->out->first_failure);
  pool->out->first_failure = g_strdup_printf("%s on %s, replicate %d: %s", pool->e->contender[run->contender].label,
                                             pool->e->problem[run->problem].name, run->replicate, reason);
}

static void count(ho_pool *pool, int32_t i, const ho_store_result *r) {
  g_mutex_lock(&pool->lock);
  pool->out->done += r->status == HO_RUN_DONE;
  pool->out->infeasible += r->status == HO_RUN_INFEASIBLE;
  pool->out->failed += r->status == HO_RUN_FAILED;
  if (r->status != HO_RUN_DONE) keep_failure(pool, i, r->reason);
  g_mutex_unlock(&pool->lock);
}

static gboolean carry_out_run(ho_pool *pool, int32_t i, GError **error) {
  int64_t id = pool->layout->run_id[i];
  int claimed = ho_store_claim_run(pool->store, id, pool->layout->environment_id, error);
  if (claimed < 0) return FALSE;
  if (claimed == 0) { /* another process has finished it meanwhile */
    g_mutex_lock(&pool->lock);
    pool->out->unchanged++;
    g_mutex_unlock(&pool->lock);
    return TRUE;
  }
  ho_run_record record;
  ho_run_one(pool->e, &pool->e->run[i], &record);
  gboolean stored = ho_store_finish_run(pool->store, id, &record.result, error);
  if (stored) count(pool, i, &record.result);
  ho_run_record_clear(&record);
  return stored;
}

static gboolean carry_out(ho_pool *pool, int32_t task, GError **error) {
  int32_t i = pool->task[task];
  if (task >= pool->n_references) return carry_out_run(pool, i, error);
  return ho_run_references(pool->e, i, pool->store, pool->layout->problem_id[i], error);
}

/* --- the pool ---------------------------------------------------------------------------------------------------------------- */

/* The next task, or -1 when there is none, the user wants to stop, or a thread could not write. */
static int32_t take(ho_pool *pool) {
  g_mutex_lock(&pool->lock);
  gboolean stopped = pool->error || (pool->setup->stop && *pool->setup->stop);
  int32_t task = stopped || pool->next == pool->n_tasks ? -1 : pool->next++;
  g_mutex_unlock(&pool->lock);
  return task;
}

static void finished_one(ho_pool *pool, GError *error) {
  g_mutex_lock(&pool->lock);
  pool->finished++;
  if (error && pool->error)
    g_error_free(error);
  else if (error)
    pool->error = error;
  ho_run_progress p = {
      .done = pool->finished, .total = pool->n_tasks, .seconds = (double)(g_get_monotonic_time() - pool->start_us) * 1e-6};
  if (pool->setup->progress) pool->setup->progress(&p, pool->setup->user);
  g_mutex_unlock(&pool->lock);
}

static gpointer work(gpointer data) {
  ho_pool *pool = data;
  for (int32_t task; (task = take(pool)) >= 0;) {
    GError *error = NULL;
    carry_out(pool, task, &error);
    finished_one(pool, error);
  }
  return NULL;
}

static void run_pool(ho_pool *pool) {
  int32_t jobs = CLAMP(pool->setup->jobs, 1, MAX(pool->n_tasks, 1));
  GThread **threads = g_new0(GThread *, jobs);
  for (int32_t i = 0; i < jobs; i++) threads[i] = g_thread_new("run", work, pool);
  for (int32_t i = 0; i < jobs; i++) g_thread_join(threads[i]);
  g_free(threads);
}

/* --- tasks --------------------------------------------------------------------------------------------------------------------- */

static gboolean is_stored(ho_run_status s) {
  return s == HO_RUN_DONE || s == HO_RUN_INFEASIBLE;
}

/* References of the problems that a selected run is on and that the database does not have yet; then the open runs. */
static gboolean list_tasks(ho_pool *pool, const uint8_t *selected, GError **error) {
  const ho_experiment *e = pool->e;
  pool->task = g_new(int32_t, e->n_problems + e->n_runs);
  g_autofree uint8_t *needed = g_new0(uint8_t, e->n_problems);
  for (int32_t i = 0; i < e->n_runs; i++) needed[e->run[i].problem] |= selected[i];
  for (int32_t q = 0; q < e->n_problems; q++) {
    if (!needed[q]) continue;
    int stored = ho_has_references(e, pool->store, pool->layout->problem_id[q], error);
    if (stored < 0) return FALSE;
    if (!stored) pool->task[pool->n_tasks++] = q;
  }
  pool->n_references = pool->n_tasks;
  for (int32_t i = 0; i < e->n_runs; i++) {
    if (!selected[i]) continue;
    pool->out->selected++;
    if (is_stored(pool->layout->status[i]))
      pool->out->unchanged++;
    else
      pool->task[pool->n_tasks++] = i;
  }
  return TRUE;
}

static gboolean judge(const ho_pool *pool, GError **error) {
  for (int32_t i = 0; i < pool->e->config->n_studies; i++)
    if (!ho_judge_study(pool->store, pool->layout->study_id[i], error)) return FALSE;
  return TRUE;
}

gboolean ho_experiment_run_all(const ho_experiment *e, ho_store *s, const ho_run_setup *setup, ho_run_outcome *out,
                               GError **error) {
  *out = (ho_run_outcome){0};
  g_autofree uint8_t *selected = ho_select_runs(e, setup->only, setup->shard, setup->shards, error);
  if (!selected) return FALSE;
  g_autoptr(ho_layout) layout = ho_experiment_lay_out(e, s, error);
  if (!layout) return FALSE;
  ho_pool pool = {.e = e, .store = s, .layout = layout, .setup = setup, .start_us = g_get_monotonic_time(), .out = out};
  gboolean fine = list_tasks(&pool, selected, error);
  if (fine) {
    g_mutex_init(&pool.lock);
    run_pool(&pool);
    g_mutex_clear(&pool.lock);
    if (pool.error) {
      g_propagate_error(error, pool.error);
      fine = FALSE;
    }
  }
  g_free(pool.task);
  out->left = out->selected - out->unchanged - out->done - out->infeasible - out->failed;
  return fine && judge(&pool, error);
}
