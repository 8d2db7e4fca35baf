/* judge.c: see judge.h. */
#include "results/judge.h"

#include <math.h>
#include <string.h>

#include "base/digest.h"
#include "base/error.h"
#include "results/archive.h"
#include "results/indicators.h"
#include "results/store_private.h"

static const double near_factor[HO_N_OBJECTIVES] = {2, 2, 1.1}; /* latency, energy, memory: what a user would accept */

typedef struct {
  int64_t run_id;
  GArray *front; /* of double, rows of the problem's objectives */
} judged_run;

/* One problem of the study while it is judged. */
typedef struct {
  ho_store *store;
  const char *study;
  int64_t problem_id;
  char *digest, *measure;
  int32_t n; /* objectives */
  ho_objective objective[HO_MAX_OBJECTIVES];
  GArray *runs;        /* of judged_run: done, each once, by id */
  GArray *all;         /* of double: the fronts of all runs */
  GArray *union_front; /* of double: its non-dominated rows */
} judged_problem;

static int32_t rows(const GArray *a, int32_t n) {
  return (int32_t)(a->len / (guint)n);
}
static const double *values(const GArray *a) {
  return (const double *)(const void *)a->data;
}

static void free_front(void *run) {
  g_array_unref(((judged_run *)run)->front);
}

/* Appends the problem's objectives out of three columns (latency, energy, memory) of each row. */
static gboolean append_rows(judged_problem *p, sqlite3_stmt *q, GArray *out, GError **error) {
  int row = q ? 0 : -1;
  while (q && (row = ho_sql_step(p->store, q, error)) > 0)
    for (int32_t k = 0; k < p->n; k++) {
      double v = ho_sql_column_double(q, (int)p->objective[k]);
      if (isnan(v))
        return ho_fail(error, HO_ERROR_INPUT, "%s: a stored point has no %s", p->store->file, ho_objective_name(p->objective[k]));
      g_array_append_val(out, v);
    }
  return row == 0;
}

static gboolean read_front(judged_problem *p, int64_t run_id, GArray *out, GError **error) {
  g_autoptr(sqlite3_stmt) q = ho_sql(
      p->store, error, "SELECT latency, energy, memory FROM plan WHERE run_id = ?1 AND on_front ORDER BY position", "i", run_id);
  return append_rows(p, q, out, error);
}

static gboolean read_runs(judged_problem *p, GError **error) {
  g_autoptr(sqlite3_stmt) q = ho_sql(p->store, error,
                                     "SELECT DISTINCT run_id FROM shown JOIN run USING(run_id)"
                                     " WHERE study = ?1 AND shown.problem_id = ?2 AND status = 'done' ORDER BY run_id",
                                     "si", p->study, p->problem_id);
  int row = q ? 0 : -1;
  while (q && (row = ho_sql_step(p->store, q, error)) > 0) {
    judged_run run = {sqlite3_column_int64(q, 0), g_array_new(FALSE, FALSE, sizeof(double))};
    g_array_append_val(p->runs, run);
    if (!read_front(p, run.run_id, run.front, error)) return FALSE;
    g_array_append_vals(p->all, run.front->data, run.front->len);
  }
  return row == 0;
}

/* Non-dominated rows in lexicographic order: the same set, the same bits, whatever order the runs came in. */
static void make_union(judged_problem *p) {
  ho_archive *a = ho_archive_new(p->n, NULL);
  for (int32_t i = 0; i < rows(p->all, p->n); i++) ho_archive_add(a, values(p->all) + (int64_t)i * p->n, NULL);
  ho_archive_sort(a);
  for (int32_t i = 0; i < ho_archive_size(a); i++) g_array_append_vals(p->union_front, ho_archive_objectives(a, i), (guint)p->n);
  ho_archive_free(a);
}

static gboolean is_objective(const judged_problem *p, const char *name) {
  for (int32_t k = 0; k < p->n; k++)
    if (strcmp(name, ho_objective_name(p->objective[k])) == 0) return TRUE;
  return FALSE;
}

/* Rows of the feasible references of this problem's objectives, in table order; *fastest: index of latency's, -1 without one. */
static gboolean read_references(judged_problem *p, GArray *out, int32_t *fastest, GError **error) {
  *fastest = -1;
  g_autoptr(sqlite3_stmt) q = ho_sql(p->store, error,
                                     "SELECT latency, energy, memory, objective FROM reference"
                                     " WHERE problem_id = ?1 AND infeasible IS NULL ORDER BY objective",
                                     "i", p->problem_id);
  int row = q ? 0 : -1;
  while (q && (row = ho_sql_step(p->store, q, error)) > 0) {
    const char *name = (const char *)sqlite3_column_text(q, 3);
    if (!is_objective(p, name)) continue;
    if (strcmp(name, ho_objective_name(HO_OBJECTIVE_LATENCY)) == 0) *fastest = rows(out, p->n);
    for (int32_t k = 0; k < p->n; k++) {
      double v = ho_sql_column_double(q, (int)p->objective[k]);
      g_array_append_val(out, v);
    }
  }
  return row == 0;
}

static gboolean read_figure(judged_problem *p, const char *name, double *out, GError **error) {
  *out = NAN;
  g_autoptr(sqlite3_stmt) q =
      ho_sql(p->store, error, "SELECT value FROM figure WHERE problem_id = ?1 AND name = ?2", "is", p->problem_id, name);
  int row = q ? ho_sql_step(p->store, q, error) : -1;
  if (row > 0) *out = ho_sql_column_double(q, 0);
  return row >= 0;
}

static ho_frame without_frame(ho_frame_kind kind, int32_t n, const char *why) {
  ho_frame f = {.kind = kind, .n = n};
  g_strlcpy(f.reason, why, sizeof f.reason);
  return f;
}

static gboolean absolute_frame(judged_problem *p, ho_frame *out, GError **error) {
  double t_ref, watts;
  int32_t kind[HO_MAX_OBJECTIVES];
  if (!read_figure(p, "t_ref", &t_ref, error) || !read_figure(p, "tdp", &watts, error)) return FALSE;
  for (int32_t k = 0; k < p->n; k++) kind[k] = (int32_t)p->objective[k];
  *out = ho_frame_absolute(t_ref, watts, kind, p->n);
  if (is_objective(p, ho_objective_name(HO_OBJECTIVE_MEMORY)) &&
      strcmp(p->measure, ho_memory_measure_name(HO_MEMORY_TIGHTEST)) != 0)
    *out = without_frame(HO_FRAME_ABSOLUTE, p->n, "needs memory as a share of capacity: measure tightest");
  return TRUE;
}

static gboolean reference_frame(judged_problem *p, ho_frame_kind kind, ho_frame *out, GError **error) {
  g_autoptr(GArray) table = g_array_new(FALSE, FALSE, sizeof(double));
  int32_t fastest;
  if (!read_references(p, table, &fastest, error)) return FALSE;
  int32_t n = rows(table, p->n);
  if (kind == HO_FRAME_PAYOFF) {
    *out = ho_frame_payoff(values(table), n, p->n);
    return TRUE;
  }
  if (n > 0 && fastest < 0) {
    *out = without_frame(kind, p->n, "no fastest reference");
    return TRUE;
  }
  double factor[HO_MAX_OBJECTIVES];
  for (int32_t k = 0; k < p->n; k++) factor[k] = near_factor[p->objective[k]];
  *out = ho_frame_near(values(table), n, p->n, n > 0 ? values(table) + (int64_t)fastest * p->n : NULL, factor);
  return TRUE;
}

static gboolean make_frame(judged_problem *p, ho_frame_kind kind, ho_frame *out, GError **error) {
  if (kind == HO_FRAME_ABSOLUTE) return absolute_frame(p, out, error);
  if (kind != HO_FRAME_UNION) return reference_frame(p, kind, out, error);
  *out = ho_frame_union(values(p->union_front), rows(p->union_front, p->n), p->n);
  return TRUE;
}

static char *frame_digest(const judged_problem *p, const ho_frame *f) {
  g_autoptr(ho_digest) d = ho_digest_new();
  ho_digest_string(d, p->digest);
  ho_digest_string(d, ho_frame_kind_name(f->kind));
  ho_digest_int(d, f->scale);
  ho_digest_int(d, f->defined);
  ho_digest_string(d, f->reason);
  for (int32_t k = 0; k < f->n; k++) {
    ho_digest_int(d, f->dropped[k]);
    ho_digest_double(d, f->ideal[k]);
    ho_digest_double(d, f->nadir[k]);
    ho_digest_double(d, f->reference[k]);
  }
  if (f->kind == HO_FRAME_UNION)
    for (guint i = 0; i < p->union_front->len; i++) ho_digest_double(d, values(p->union_front)[i]);
  return ho_digest_finish(d);
}

/* A frame that a study had when fewer of its runs were done goes with its indicators: what is stored does not tell how often the
 * study was interrupted. */
#define OF_NO_STUDY \
  "FROM frame f WHERE f.problem_id = ?1 AND NOT EXISTS (SELECT 1 FROM study_frame s WHERE s.frame_id = f.frame_id)"

static gboolean forget_frames_of_no_study(judged_problem *p, GError **error) {
  return ho_sql_run(p->store, error, "DELETE FROM indicator WHERE frame_id IN (SELECT f.frame_id " OF_NO_STUDY ")", "i",
                    p->problem_id) &&
         ho_sql_run(p->store, error, "DELETE FROM frame WHERE frame_id IN (SELECT f.frame_id " OF_NO_STUDY ")", "i",
                    p->problem_id);
}

/* The frame's row, found or added; its id is made of its digest, so that no order of writing shows. -1 on error. */
static int64_t write_frame(judged_problem *p, const ho_frame *f, GError **error) {
  g_autofree char *digest = frame_digest(p, f);
  g_autofree char *head = g_strndup(digest, 15);
  int64_t id = (int64_t)g_ascii_strtoull(head, NULL, 16) + 1;
  ho_store *s = p->store;
  if (!ho_sql_run(
          s, error,
          "INSERT INTO frame(frame_id, digest, problem_id, kind, scale, defined, reason) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)"
          " ON CONFLICT(digest) DO NOTHING",
          "isissis", id, digest, p->problem_id, ho_frame_kind_name(f->kind), f->scale == HO_SCALE_LOG ? "log" : "linear",
          (int64_t)f->defined, f->reason[0] ? f->reason : NULL))
    return -1;
  for (int32_t k = 0; k < f->n; k++)
    if (!ho_sql_run(s, error, "INSERT OR IGNORE INTO frame_axis VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)", "iisiddd", id, (int64_t)k,
                    ho_objective_name(p->objective[k]), (int64_t)f->dropped[k], f->ideal[k], f->nadir[k], f->reference[k]))
      return -1;
  gboolean ok =
      ho_sql_run(s, error, "INSERT OR REPLACE INTO study_frame(study, problem_id, kind, frame_id) VALUES(?1, ?2, ?3, ?4)", "sisi",
                 p->study, p->problem_id, ho_frame_kind_name(f->kind), id) &&
      forget_frames_of_no_study(p, error);
  return ok ? id : -1;
}

static gboolean write_indicator(judged_problem *p, int64_t run_id, int64_t frame_id, const char *name, const char *judged,
                                int64_t evaluations, double value, GError **error) {
  return ho_sql_run(p->store, error,
                    "INSERT OR REPLACE INTO indicator(run_id, frame_id, indicator, judged, evaluations, value)"
                    " VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
                    "iissid", run_id, frame_id, name, judged, evaluations, value);
}

static double *normalised(const ho_frame *f, const GArray *points, int32_t *d) {
  int32_t n = rows(points, f->n);
  double *out = g_new(double, (gsize)MAX(n, 1) * HO_FRAME_MAX), reference[HO_FRAME_MAX];
  *d = ho_frame_reference(f, reference);
  for (int32_t i = 0; i < n; i++) ho_frame_normalise(f, values(points) + (int64_t)i * f->n, out + (int64_t)i * *d);
  return out;
}

static gboolean judge_final(judged_problem *p, const judged_run *run, const ho_frame *f, int64_t frame_id, GError **error) {
  int64_t evaluations =
      ho_sql_int(p->store, error, "SELECT coalesce(evaluations, 0) FROM run WHERE run_id = ?1", "i", run->run_id);
  int32_t n = rows(run->front, p->n), d;
  double hv = ho_frame_hypervolume(f, values(run->front), n);
  if (evaluations < 0 || !write_indicator(p, run->run_id, frame_id, "hv", "replay", evaluations, hv, error)) return FALSE;
  if (f->kind != HO_FRAME_UNION) return TRUE;
  g_autofree double *a = normalised(f, run->front, &d);
  g_autofree double *r = normalised(f, p->union_front, &d);
  int32_t nr = rows(p->union_front, p->n);
  return write_indicator(p, run->run_id, frame_id, "epsilon", "replay", evaluations, ho_epsilon(a, n, r, nr, d), error) &&
         write_indicator(p, run->run_id, frame_id, "igd_plus", "replay", evaluations, ho_igd_plus(a, n, r, nr, d), error);
}

static gboolean judge_checkpoints(judged_problem *p, const judged_run *run, const ho_frame *f, int64_t frame_id, GError **error) {
  g_autoptr(sqlite3_stmt) q =
      ho_sql(p->store, error, "SELECT evaluations FROM checkpoint WHERE run_id = ?1 ORDER BY evaluations", "i", run->run_id);
  g_autoptr(GArray) points = g_array_new(FALSE, FALSE, sizeof(double));
  int row = q ? 0 : -1;
  while (q && (row = ho_sql_step(p->store, q, error)) > 0) {
    int64_t evaluations = sqlite3_column_int64(q, 0);
    g_autoptr(sqlite3_stmt) point = ho_sql(
        p->store, error, "SELECT latency, energy, memory FROM front_point WHERE run_id = ?1 AND evaluations = ?2 ORDER BY point",
        "ii", run->run_id, evaluations);
    g_array_set_size(points, 0);
    if (!append_rows(p, point, points, error)) return FALSE;
    double hv = ho_frame_hypervolume(f, values(points), rows(points, p->n));
    if (!write_indicator(p, run->run_id, frame_id, "hv", "estimate", evaluations, hv, error)) return FALSE;
  }
  return row == 0;
}

static gboolean judge_in(judged_problem *p, ho_frame_kind kind, GError **error) {
  ho_frame f;
  if (!make_frame(p, kind, &f, error)) return FALSE;
  int64_t frame_id = write_frame(p, &f, error);
  if (frame_id < 0) return FALSE;
  for (guint i = 0; f.defined && i < p->runs->len; i++) {
    const judged_run *run = &g_array_index(p->runs, judged_run, i);
    if (!judge_final(p, run, &f, frame_id, error) || !judge_checkpoints(p, run, &f, frame_id, error)) return FALSE;
  }
  return TRUE;
}

static gboolean judge_problem(ho_store *s, const char *study, sqlite3_stmt *q, const ho_frame_kind *kinds, int n_kinds,
                              GError **error) {
  judged_problem p = {.store = s, .study = study, .problem_id = sqlite3_column_int64(q, 0)};
  p.digest = ho_sql_column_text(q, 1);
  p.n = ho_store_parse_objectives((const char *)sqlite3_column_text(q, 2), p.objective);
  p.measure = ho_sql_column_text(q, 3);
  p.runs = g_array_new(FALSE, FALSE, sizeof(judged_run));
  g_array_set_clear_func(p.runs, free_front);
  p.all = g_array_new(FALSE, FALSE, sizeof(double));
  p.union_front = g_array_new(FALSE, FALSE, sizeof(double));
  gboolean ok = read_runs(&p, error);
  if (ok) make_union(&p);
  for (int k = 0; ok && k < n_kinds; k++) ok = judge_in(&p, kinds[k], error);
  g_array_unref(p.runs);
  g_array_unref(p.all);
  g_array_unref(p.union_front);
  g_free(p.digest);
  g_free(p.measure);
  return ok;
}

static gboolean judge_all(ho_store *s, int64_t study_id, const ho_frame_kind *kinds, int n_kinds, GError **error) {
  g_autoptr(sqlite3_stmt) q = ho_sql(s, error,
                                     "SELECT problem_id, digest, objectives, memory_measure, st.name FROM study_problem sp"
                                     " JOIN study st USING(study_id) JOIN problem USING(problem_id) WHERE study_id = ?1"
                                     " GROUP BY problem_id ORDER BY min(study_problem_id)",
                                     "i", study_id);
  int row = q ? 0 : -1;
  while (q && (row = ho_sql_step(s, q, error)) > 0) {
    g_autofree char *study = ho_sql_column_text(q, 4);
    if (!judge_problem(s, study, q, kinds, n_kinds, error)) return FALSE;
  }
  return row == 0;
}

/* Frames that no study is judged in any more, with their indicators: what was computed on the way to a result is no part of it. */
static gboolean drop_superseded(ho_store *s, GError **error) {
  return ho_sql_run(s, error, "DELETE FROM indicator WHERE frame_id NOT IN (SELECT frame_id FROM study_frame)", "") &&
         ho_sql_run(s, error, "DELETE FROM frame WHERE frame_id NOT IN (SELECT frame_id FROM study_frame)", "");
}

static gboolean judge_and_tidy(ho_store *s, int64_t study_id, const ho_frame_kind *kinds, int n_kinds, GError **error) {
  return judge_all(s, study_id, kinds, n_kinds, error) && drop_superseded(s, error);
}

gboolean ho_judge_study_in(ho_store *s, int64_t study_id, ho_frame_kind kind, GError **error) {
  int own;
  if (!ho_store_enter(s, &own, error)) return FALSE;
  return ho_store_leave(s, own, judge_and_tidy(s, study_id, &kind, 1, error), error);
}

static int own_kind(ho_store *s, int64_t study_id, GError **error) {
  g_autoptr(sqlite3_stmt) q = ho_sql(s, error, "SELECT frame FROM study WHERE study_id = ?1", "i", study_id);
  int row = q ? ho_sql_step(s, q, error) : -1;
  if (row == 0) ho_fail(error, HO_ERROR_INTERNAL, "%s: no study %" G_GINT64_FORMAT, s->file, study_id);
  return row > 0 ? ho_frame_kind_parse((const char *)sqlite3_column_text(q, 0)) : -1;
}

gboolean ho_judge_study(ho_store *s, int64_t study_id, GError **error) {
  int own;
  if (!ho_store_enter(s, &own, error)) return FALSE;
  int kind = own_kind(s, study_id, error);
  ho_frame_kind kinds[] = {HO_FRAME_UNION, (ho_frame_kind)MAX(kind, 0)};
  gboolean ok = kind >= 0 && judge_and_tidy(s, study_id, kinds, kind == HO_FRAME_UNION ? 1 : 2, error);
  return ho_store_leave(s, own, ok, error);
}
