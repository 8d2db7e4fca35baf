/* store_cells.c: values by study, problem and scheduler, each problem in one frame (store_query.h). */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "results/stats.h"
#include "results/store_private.h"
#include "results/store_query.h"

static void cell_free(void *row) {
  ho_cell *c = row;
  g_free(c->study);
  g_free(c->problem);
  g_free(c->scheduler);
  g_free(c->reason);
  g_free(c->values);
  g_free(c->replicates);
  g_free(c);
}

static gboolean same_cell(const ho_cell *c, const char *study, const char *problem, const char *scheduler) {
  return strcmp(c->study, study) == 0 && strcmp(c->problem, problem) == 0 && strcmp(c->scheduler, scheduler) == 0;
}

static void add_run(ho_cell *c, sqlite3_stmt *q) {
  int status = ho_store_parse_status((const char *)sqlite3_column_text(q, 4));
  c->n++;
  c->n_failed += status == HO_RUN_FAILED;
  c->n_infeasible += status == HO_RUN_INFEASIBLE;
  c->n_open += status == HO_RUN_PENDING || status == HO_RUN_RUNNING;
  if (!c->reason && (status == HO_RUN_FAILED || status == HO_RUN_INFEASIBLE)) c->reason = ho_sql_column_text(q, 5);
  double v = ho_sql_column_double(q, 7);
  if (status != HO_RUN_DONE || isnan(v)) return;
  c->values = g_renew(double, c->values, c->n_value + 1);
  c->replicates = g_renew(int32_t, c->replicates, c->n_value + 1);
  c->values[c->n_value] = v;
  c->replicates[c->n_value++] = (int32_t)sqlite3_column_int64(q, 3);
}

/* Groups rows (study, problem, scheduler, replicate, status, reason, deterministic, value), which come in order. */
static GPtrArray *group(ho_store *s, sqlite3_stmt *q, GError **error) {
  g_autoptr(GPtrArray) out = g_ptr_array_new_with_free_func(cell_free);
  ho_cell *c = NULL;
  int row = q ? 0 : -1;
  while (q && (row = ho_sql_step(s, q, error)) > 0) {
    const char *study = (const char *)sqlite3_column_text(q, 0), *problem = (const char *)sqlite3_column_text(q, 1);
    const char *scheduler = (const char *)sqlite3_column_text(q, 2);
    if (!c || !same_cell(c, study, problem, scheduler)) {
      c = g_new0(ho_cell, 1);
      c->study = g_strdup(study);
      c->problem = g_strdup(problem);
      c->scheduler = g_strdup(scheduler);
      c->deterministic = sqlite3_column_int(q, 6);
      g_ptr_array_add(out, c);
    }
    add_run(c, q);
  }
  if (row < 0) return NULL;
  for (guint i = 0; i < out->len; i++) {
    c = g_ptr_array_index(out, i);
    ho_quartiles q3 = ho_quartiles_of(c->values, c->n_value);
    c->median = q3.median;
    c->q1 = q3.q1;
    c->q3 = q3.q3;
  }
  return g_steal_pointer(&out);
}

#define CELL_COLUMNS "SELECT study, problem, scheduler, replicate, status, reason, deterministic, "
#define CELL_ROWS \
  " FROM run_row r WHERE (?1 IS NULL OR study = ?1) ORDER BY study_id, study_problem_id, study_scheduler_id, replicate"

GPtrArray *ho_store_plain_cells(ho_store *s, const char *study, const char *column, GError **error) {
  static const char *const columns[] = {"latency", "energy",      "memory",      "slr",        "seconds",    "evaluations",
                                        "plans",   "latency_p50", "latency_p95", "energy_p50", "energy_p95", NULL};
  HO_STORE_LOCK(s);
  if (!ho_store_check_names(s, study, NULL, error)) return NULL;
  if (!g_strv_contains(columns, column)) {
    g_autofree char *list = g_strjoinv(", ", (char **)columns);
    ho_fail(error, HO_ERROR_INPUT,
            "'%s' is neither an indicator nor a number of the view results, expected one of: hv, epsilon, igd_plus, %s", column,
            list);
    return NULL;
  }
  g_autofree char *sql = g_strconcat(CELL_COLUMNS, column, CELL_ROWS, NULL);
  g_autoptr(sqlite3_stmt) q = ho_sql(s, error, sql, "s", study);
  return group(s, q, error);
}

const char *ho_indicator_frame(const char *indicator, const char *frame) {
  return frame || strcmp(indicator, "hv") == 0 ? frame : ho_frame_kind_name(HO_FRAME_UNION);
}

static gboolean check_indicator(const char *indicator, const char **frame, GError **error) {
  static const char *const indicators[] = {"hv", "epsilon", "igd_plus", NULL};
  if (!g_strv_contains(indicators, indicator))
    return ho_fail(error, HO_ERROR_INPUT, "'%s' is not an indicator, expected one of: hv, epsilon, igd_plus", indicator);
  if (*frame && ho_frame_kind_parse(*frame) < 0)
    return ho_fail(error, HO_ERROR_INPUT, "'%s' is not a frame, expected one of: payoff, near, absolute, union", *frame);
  const char *only = ho_indicator_frame(indicator, NULL);
  if (only && *frame && strcmp(*frame, only) != 0)
    return ho_fail(error, HO_ERROR_INPUT, "%s belongs to the frame %s, expected not to be asked in %s", indicator, only, *frame);
  *frame = ho_indicator_frame(indicator, *frame);
  return TRUE;
}

/* Values of a problem that was not judged in this kind of frame would have to come from another one: refused. */
static gboolean check_judged(ho_store *s, const char *study, const char *frame, GError **error) {
  g_autoptr(sqlite3_stmt) q =
      ho_sql(s, error,
             "SELECT study, problem, coalesce(?2, frame) FROM run_row r WHERE (?1 IS NULL OR study = ?1) AND status = 'done'"
             " AND NOT EXISTS (SELECT 1 FROM study_frame f WHERE f.study = r.study AND f.problem_id = r.problem_id"
             " AND f.kind = coalesce(?2, r.frame)) ORDER BY study_id, study_problem_id LIMIT 1",
             "ss", study, frame);
  int row = q ? ho_sql_step(s, q, error) : -1;
  if (row <= 0) return row == 0;
  return ho_fail(error, HO_ERROR_INPUT,
                 "%s: study %s: problem %s was not judged in the frame '%s': values of other frames cannot stand in", s->file,
                 (const char *)sqlite3_column_text(q, 0), (const char *)sqlite3_column_text(q, 1),
                 (const char *)sqlite3_column_text(q, 2));
}

GPtrArray *ho_store_cells(ho_store *s, const char *study, const char *frame, const char *indicator, GError **error) {
  HO_STORE_LOCK(s);
  if (!ho_store_check_names(s, study, NULL, error) || !check_indicator(indicator, &frame, error) ||
      !check_judged(s, study, frame, error))
    return NULL;
  g_autoptr(sqlite3_stmt) q =
      ho_sql(s, error,
             CELL_COLUMNS
             "(SELECT i.value FROM study_frame f JOIN indicator i ON i.frame_id = f.frame_id WHERE f.study = r.study"
             " AND f.problem_id = r.problem_id AND f.kind = coalesce(?2, r.frame) AND i.run_id = r.run_id"
             " AND i.indicator = ?3 AND i.judged = 'replay')" CELL_ROWS,
             "sss", study, frame, indicator);
  return group(s, q, error);
}

/* The problem of that name in the study; -1 on error. */
static int64_t problem_id_of(ho_store *s, const char *study, const char *problem, GError **error) {
  if (!ho_store_check_names(s, study, problem, error)) return -1;
  return ho_sql_int(s, error,
                    "SELECT problem_id FROM study_problem sp JOIN study st USING(study_id) WHERE st.name = ?1 AND sp.name = ?2",
                    "ss", study, problem);
}

int32_t ho_store_objectives(ho_store *s, const char *study, const char *problem, ho_objective *out, GError **error) {
  HO_STORE_LOCK(s);
  int64_t id = problem_id_of(s, study, problem, error);
  if (id < 0) return -1;
  g_autoptr(sqlite3_stmt) q = ho_sql(s, error, "SELECT objectives FROM problem WHERE problem_id = ?1", "i", id);
  if (!q || ho_sql_step(s, q, error) <= 0) return -1;
  return ho_store_parse_objectives((const char *)sqlite3_column_text(q, 0), out);
}

gboolean ho_store_measure(ho_store *s, const char *study, const char *problem, ho_memory_measure *out, GError **error) {
  HO_STORE_LOCK(s);
  int64_t id = problem_id_of(s, study, problem, error);
  if (id < 0) return FALSE;
  g_autoptr(sqlite3_stmt) q = ho_sql(s, error, "SELECT memory_measure FROM problem WHERE problem_id = ?1", "i", id);
  if (!q || ho_sql_step(s, q, error) <= 0) return FALSE;
  *out = ho_store_parse_measure((const char *)sqlite3_column_text(q, 0));
  return TRUE;
}

char *ho_store_infeasible_references(ho_store *s, const char *study, const char *problem, GError **error) {
  HO_STORE_LOCK(s);
  int64_t id = problem_id_of(s, study, problem, error);
  if (id < 0) return NULL;
  g_autoptr(sqlite3_stmt) q = ho_sql(
      s, error, "SELECT objective, infeasible FROM reference WHERE problem_id = ?1 AND infeasible IS NOT NULL ORDER BY objective",
      "i", id);
  g_autoptr(GString) names = g_string_new(NULL);
  g_autofree char *why = NULL;
  int row = q ? 0 : -1;
  while (q && (row = ho_sql_step(s, q, error)) > 0) {
    g_string_append_printf(names, "%s%s", names->len ? ", " : "", (const char *)sqlite3_column_text(q, 0));
    if (!why) why = ho_sql_column_text(q, 1);
  }
  return row == 0 && why ? g_strdup_printf("%s: %s", names->str, why) : NULL;
}

static gboolean read_axes(ho_store *s, int64_t frame_id, ho_frame *out, GError **error) {
  g_autoptr(sqlite3_stmt) q = ho_sql(
      s, error, "SELECT dropped, ideal, nadir, reference FROM frame_axis WHERE frame_id = ?1 ORDER BY position", "i", frame_id);
  int row = q ? 0 : -1;
  while (q && out->n < HO_FRAME_MAX && (row = ho_sql_step(s, q, error)) > 0) {
    out->dropped[out->n] = (uint8_t)sqlite3_column_int(q, 0);
    out->ideal[out->n] = ho_sql_column_double(q, 1);
    out->nadir[out->n] = ho_sql_column_double(q, 2);
    out->reference[out->n++] = ho_sql_column_double(q, 3);
  }
  return row >= 0;
}

gboolean ho_store_frame(ho_store *s, const char *study, const char *problem, const char *kind, ho_frame *out, GError **error) {
  HO_STORE_LOCK(s);
  int64_t id = problem_id_of(s, study, problem, error);
  if (id < 0) return FALSE;
  g_autoptr(sqlite3_stmt) q = ho_sql(
      s, error,
      "SELECT frame_id, f.kind, scale, defined, reason FROM study_frame sf JOIN frame f USING(frame_id) WHERE sf.study = ?1"
      " AND sf.problem_id = ?2 AND sf.kind = coalesce(?3, (SELECT frame FROM study WHERE name = ?1))",
      "sis", study, id, kind);
  int row = q ? ho_sql_step(s, q, error) : -1;
  if (row == 0 && kind)
    return ho_fail(
        error, HO_ERROR_INPUT,
        "%s: study %s: problem %s was not judged in the frame '%s': with 'frame: %s' in the config, run judges what is stored",
        s->file, study, problem, kind, kind);
  if (row == 0)
    return ho_fail(error, HO_ERROR_INPUT, "%s: study %s: problem %s was not judged in the frame of the study", s->file, study,
                   problem);
  if (row < 0) return FALSE;
  memset(out, 0, sizeof *out);
  out->kind = (ho_frame_kind)MAX(ho_frame_kind_parse((const char *)sqlite3_column_text(q, 1)), 0);
  out->scale = strcmp((const char *)sqlite3_column_text(q, 2), "log") == 0 ? HO_SCALE_LOG : HO_SCALE_LINEAR;
  out->defined = sqlite3_column_int(q, 3);
  const char *reason = (const char *)sqlite3_column_text(q, 4);
  g_strlcpy(out->reason, reason ? reason : "", sizeof out->reason);
  return read_axes(s, sqlite3_column_int64(q, 0), out, error);
}

static void trace_free(void *row) {
  ho_trace_point *t = row;
  g_free(t->study);
  g_free(t->problem);
  g_free(t->scheduler);
  g_free(t);
}

GPtrArray *ho_store_convergence(ho_store *s, const char *study, const char *problem, const char *indicator, GError **error) {
  HO_STORE_LOCK(s);
  const char *frame = NULL;
  if (!ho_store_check_names(s, study, problem, error) || !check_indicator(indicator, &frame, error) ||
      !check_judged(s, study, frame, error))
    return NULL;
  g_autoptr(sqlite3_stmt) q =
      ho_sql(s, error,
             "SELECT r.study, r.problem, r.scheduler, r.replicate, i.evaluations, i.value FROM shown r JOIN study_frame f ON "
             "f.study = r.study"
             " AND f.problem_id = r.problem_id AND f.kind = coalesce(?3, r.frame) JOIN indicator i ON i.run_id = r.run_id"
             " AND i.frame_id = f.frame_id AND i.indicator = ?4 AND i.judged = 'estimate'"
             " WHERE (?1 IS NULL OR r.study = ?1) AND (?2 IS NULL OR r.problem = ?2)"
             " ORDER BY study_id, study_problem_id, study_scheduler_id, replicate, i.evaluations",
             "ssss", study, problem, frame, indicator);
  g_autoptr(GPtrArray) out = g_ptr_array_new_with_free_func(trace_free);
  int row = q ? 0 : -1;
  while (q && (row = ho_sql_step(s, q, error)) > 0) {
    ho_trace_point *t = g_new(ho_trace_point, 1);
    *t = (ho_trace_point){ho_sql_column_text(q, 0),   ho_sql_column_text(q, 1),
                          ho_sql_column_text(q, 2),   (int32_t)sqlite3_column_int64(q, 3),
                          sqlite3_column_int64(q, 4), ho_sql_column_double(q, 5)};
    g_ptr_array_add(out, t);
  }
  return row == 0 ? g_steal_pointer(&out) : NULL;
}
