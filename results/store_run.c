/* store_run.c: claiming a run and writing what came out of it (store.h, part 2). */
#include <math.h>
#include <string.h>

#include "base/digest.h"
#include "base/error.h"
#include "results/archive.h"
#include "results/stats.h"
#include "results/store_private.h"

#define MOST_PLANS 1000000 /* per run: plan ids are run_id · MOST_PLANS + position */

static const char *const status_names[] = {"pending", "running", "done", "failed", "infeasible"};

const char *ho_run_status_name(ho_run_status st) {
  return status_names[st];
}

int ho_store_claim_run(ho_store *s, int64_t run_id, int64_t environment_id, GError **error) {
  HO_STORE_LOCK(s);
  g_autoptr(GDateTime) now = g_date_time_new_now_utc();
  g_autofree char *started = g_date_time_format(now, "%Y-%m-%dT%H:%M:%SZ");
  if (!ho_sql_run(s, error,
                  "UPDATE run SET status = 'running', attempts = attempts + 1, started_at = ?2, environment_id = ?3"
                  " WHERE run_id = ?1 AND status NOT IN ('done', 'infeasible')",
                  "isi", run_id, started, environment_id))
    return -1;
  return sqlite3_changes(s->db) > 0;
}

/* What a problem says about its objectives. */
typedef struct {
  ho_objective objective[HO_MAX_OBJECTIVES];
  int32_t n;
  ho_memory_measure measure;
} objectives;

ho_memory_measure ho_store_parse_measure(const char *name) {
  return strcmp(name, "total") == 0         ? HO_MEMORY_TOTAL
         : strcmp(name, "accelerator") == 0 ? HO_MEMORY_ACCELERATOR
                                            : HO_MEMORY_TIGHTEST;
}

static gboolean read_objectives(ho_store *s, const char *sql, int64_t id, objectives *out, GError **error) {
  g_autoptr(sqlite3_stmt) q = ho_sql(s, error, sql, "i", id);
  int row = q ? ho_sql_step(s, q, error) : -1;
  if (row == 0) return ho_fail(error, HO_ERROR_INTERNAL, "%s: no row %" G_GINT64_FORMAT, s->file, id);
  if (row < 0) return FALSE;
  out->n = ho_store_parse_objectives((const char *)sqlite3_column_text(q, 0), out->objective);
  out->measure = ho_store_parse_measure((const char *)sqlite3_column_text(q, 1));
  return TRUE;
}

int32_t ho_store_parse_objectives(const char *text, ho_objective *out) {
  g_auto(GStrv) word = g_strsplit(text, ",", -1);
  int32_t n = 0;
  for (int32_t i = 0; word[i]; i++)
    for (int k = 0; k < HO_N_OBJECTIVES && n < HO_MAX_OBJECTIVES; k++)
      if (strcmp(word[i], ho_objective_name((ho_objective)k)) == 0) out[n++] = (ho_objective)k;
  return n;
}

/* All three objectives of some figures, by ho_objective. */
static void by_objective(const ho_figures *f, ho_memory_measure measure, double *out) {
  out[HO_OBJECTIVE_LATENCY] = f->latency;
  out[HO_OBJECTIVE_ENERGY] = f->energy;
  out[HO_OBJECTIVE_MEMORY] = measure == HO_MEMORY_TOTAL         ? f->total
                             : measure == HO_MEMORY_ACCELERATOR ? f->accelerator
                                                                : f->tightest;
}

/* 1 for the plans that are feasible in the replay and that no other dominates or, earlier, equals. */
static uint8_t *front_mask(const ho_store_result *r, const objectives *o) {
  uint8_t *mask = g_new0(uint8_t, MAX(r->n_plans, 1));
  g_autofree double *point = g_new(double, (gsize)MAX(r->n_plans, 1) * HO_MAX_OBJECTIVES);
  g_autofree int32_t *index = g_new(int32_t, MAX(r->n_plans, 1));
  g_autofree uint8_t *keep = g_new(uint8_t, MAX(r->n_plans, 1));
  int32_t m = 0;
  for (int32_t i = 0; i < r->n_plans; i++) {
    if (r->plans[i].exact.infeasible) continue;
    double all[HO_N_OBJECTIVES];
    by_objective(&r->plans[i].exact.figures, o->measure, all);
    for (int32_t k = 0; k < o->n; k++) point[(int64_t)m * o->n + k] = all[o->objective[k]];
    index[m++] = i;
  }
  ho_nondominated(point, m, o->n, keep);
  for (int32_t i = 0; i < m; i++) mask[index[i]] = keep[i];
  return mask;
}

static char *digest_text(const char *text) {
  g_autoptr(ho_digest) d = ho_digest_new();
  ho_digest_string(d, text);
  return ho_digest_finish(d);
}

/* Of the final front: plans and objectives, in order. */
static char *front_digest(const ho_store_result *r, const objectives *o, const uint8_t *mask) {
  g_autoptr(ho_digest) d = ho_digest_new();
  for (int32_t i = 0; i < r->n_plans; i++) {
    if (!mask[i]) continue;
    double all[HO_N_OBJECTIVES];
    by_objective(&r->plans[i].exact.figures, o->measure, all);
    ho_digest_string(d, r->plans[i].json);
    for (int32_t k = 0; k < o->n; k++) ho_digest_double(d, all[o->objective[k]]);
  }
  return ho_digest_finish(d);
}

static gboolean write_checkpoints(ho_store *s, int64_t run_id, const ho_store_result *r, GError **error) {
  g_autoptr(sqlite3_stmt) checkpoint =
      ho_sql(s, error, "INSERT INTO checkpoint(run_id, evaluations, points) VALUES(?1, ?2, ?3)", "");
  g_autoptr(sqlite3_stmt) point =
      ho_sql(s, error,
             "INSERT INTO front_point(run_id, evaluations, point, latency, energy, memory) VALUES(?1, ?2, ?3, ?4, ?5, ?6)", "");
  if (!checkpoint || !point) return FALSE;
  for (int32_t c = 0; c < r->n_checkpoints; c++) {
    const ho_store_checkpoint *k = &r->checkpoints[c];
    if (!ho_sql_again(s, checkpoint, error, "iii", run_id, k->evaluations, (int64_t)k->n)) return FALSE;
    for (int32_t i = 0; i < k->n; i++) {
      const double *v = k->points + (int64_t)i * HO_N_OBJECTIVES;
      if (!ho_sql_again(s, point, error, "iiiddd", run_id, k->evaluations, (int64_t)i, v[HO_OBJECTIVE_LATENCY],
                        v[HO_OBJECTIVE_ENERGY], v[HO_OBJECTIVE_MEMORY]))
        return FALSE;
    }
  }
  return TRUE;
}

static gboolean write_replays(ho_store *s, sqlite3_stmt *q, int64_t plan_id, const char *kind, int32_t n,
                              const ho_store_replay *replay, ho_memory_measure measure, GError **error) {
  for (int32_t i = 0; i < n; i++) {
    double v[HO_N_OBJECTIVES];
    ho_figures f = replay[i].figures;
    if (replay[i].infeasible) f = (ho_figures){NAN, NAN, NAN, NAN, NAN};
    by_objective(&f, measure, v);
    if (!ho_sql_again(s, q, error, "isidddddds", plan_id, kind, (int64_t)i, v[HO_OBJECTIVE_LATENCY], v[HO_OBJECTIVE_ENERGY],
                      v[HO_OBJECTIVE_MEMORY], f.tightest, f.total, f.accelerator, replay[i].infeasible))
      return FALSE;
  }
  return TRUE;
}

/* Quantiles p of latency and energy over the noisy replays that ended; NAN when none did. */
static void replay_quantile(const ho_store_plan *plan, double p, double *latency, double *energy) {
  g_autofree double *l = g_new(double, MAX(plan->n_replays, 1));
  g_autofree double *e = g_new(double, MAX(plan->n_replays, 1));
  int32_t n = 0;
  for (int32_t i = 0; i < plan->n_replays; i++) {
    if (plan->replays[i].infeasible) continue;
    l[n] = plan->replays[i].figures.latency;
    e[n++] = plan->replays[i].figures.energy;
  }
  *latency = ho_quantile(l, n, p);
  *energy = ho_quantile(e, n, p);
}

static gboolean write_plan(ho_store *s, sqlite3_stmt *q, int64_t run_id, int32_t position, const ho_store_plan *plan,
                           int on_front, ho_memory_measure measure, GError **error) {
  g_autofree char *digest = digest_text(plan->json);
  ho_figures f = plan->exact.figures;
  if (plan->exact.infeasible) f = (ho_figures){NAN, NAN, NAN, NAN, NAN};
  double v[HO_N_OBJECTIVES], l50, l95, e50, e95;
  by_objective(&f, measure, v);
  replay_quantile(plan, 0.5, &l50, &e50);
  replay_quantile(plan, 0.95, &l95, &e95);
  return ho_sql_again(s, q, error, "iiissisdddddddddidddd", run_id * MOST_PLANS + position, run_id, (int64_t)position, digest,
                      plan->json, (int64_t)on_front, plan->exact.infeasible, v[HO_OBJECTIVE_LATENCY], v[HO_OBJECTIVE_ENERGY],
                      v[HO_OBJECTIVE_MEMORY], f.tightest, f.total, f.accelerator, plan->estimate[HO_OBJECTIVE_LATENCY],
                      plan->estimate[HO_OBJECTIVE_ENERGY], plan->estimate[HO_OBJECTIVE_MEMORY], (int64_t)plan->n_replays, l50,
                      l95, e50, e95);
}

static gboolean write_plans(ho_store *s, int64_t run_id, const ho_store_result *r, const objectives *o, const uint8_t *mask,
                            GError **error) {
  g_autoptr(sqlite3_stmt) plan = ho_sql(
      s, error,
      "INSERT INTO plan(plan_id, run_id, position, digest, json, on_front, infeasible, latency, energy, memory, memory_tightest,"
      " memory_total, memory_accelerator, estimate_latency, estimate_energy, estimate_memory, replays, latency_p50, latency_p95,"
      " energy_p50, energy_p95)"
      " VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17,?18,?19,?20,?21)",
      "");
  g_autoptr(sqlite3_stmt) replay = ho_sql(
      s, error,
      "INSERT INTO replay(plan_id, kind, replay, latency, energy, memory, memory_tightest, memory_total, memory_accelerator,"
      " infeasible) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
      "");
  if (!plan || !replay) return FALSE;
  for (int32_t i = 0; i < r->n_plans; i++) {
    const ho_store_plan *p = &r->plans[i];
    int64_t id = run_id * MOST_PLANS + i;
    if (!write_plan(s, plan, run_id, i, p, mask[i], o->measure, error) ||
        !write_replays(s, replay, id, "noise", p->n_replays, p->replays, o->measure, error) ||
        !write_replays(s, replay, id, "model", p->n_model_replays, p->model_replays, o->measure, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean clear_run(ho_store *s, int64_t run_id, GError **error) {
  return ho_sql_run(s, error, "DELETE FROM indicator WHERE run_id = ?1", "i", run_id) &&
         ho_sql_run(s, error, "DELETE FROM checkpoint WHERE run_id = ?1", "i", run_id) &&
         ho_sql_run(s, error, "DELETE FROM plan WHERE run_id = ?1", "i", run_id);
}

static gboolean write_result(ho_store *s, int64_t run_id, const ho_store_result *r, GError **error) {
  objectives o;
  if (!read_objectives(s, "SELECT objectives, memory_measure FROM run JOIN problem USING(problem_id) WHERE run_id = ?1", run_id,
                       &o, error))
    return FALSE;
  if (r->n_plans > MOST_PLANS) return ho_fail(error, HO_ERROR_INTERNAL, "%s: a run with %d plans", s->file, (int)r->n_plans);
  g_autofree uint8_t *mask = front_mask(r, &o);
  ho_run_status status = r->status;
  const char *reason = status == HO_RUN_DONE ? NULL : r->reason;
  if (status == HO_RUN_DONE && !memchr(mask, 1, (size_t)r->n_plans)) {
    status = HO_RUN_INFEASIBLE;
    reason = r->n_plans > 0 ? r->plans[0].exact.infeasible : "no feasible plan";
  }
  g_autofree char *digest = status == HO_RUN_DONE ? front_digest(r, &o, mask) : NULL;
  if (!clear_run(s, run_id, error) || !write_checkpoints(s, run_id, r, error) || !write_plans(s, run_id, r, &o, mask, error))
    return FALSE;
  return ho_sql_run(s, error,
                    "UPDATE run SET status = ?2, reason = ?3, evaluations = ?4, front_digest = ?5, seconds_scheduler = ?6,"
                    " seconds_engine = ?7, seconds_replay = ?8 WHERE run_id = ?1",
                    "issisddd", run_id, status_names[status], reason, r->evaluations, digest, r->seconds_scheduler,
                    r->seconds_engine, r->seconds_replay);
}

gboolean ho_store_finish_run(ho_store *s, int64_t run_id, const ho_store_result *r, GError **error) {
  g_assert(r->status == HO_RUN_DONE || r->status == HO_RUN_FAILED || r->status == HO_RUN_INFEASIBLE);
  int own;
  if (!ho_store_enter(s, &own, error)) return FALSE;
  return ho_store_leave(s, own, write_result(s, run_id, r, error), error);
}
