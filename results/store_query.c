/* store_query.c: lists of names, runs, fronts and plans out of the database (store_query.h). */
#include "results/store_query.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "results/store_private.h"

/* What SQL compares an optional name with: NULL matches everything. */
#define ANY(column, parameter) "(" parameter " IS NULL OR " column " = " parameter ")"
#define IN_ORDER " ORDER BY study_id, study_problem_id, study_scheduler_id, replicate"

static GPtrArray *strings(ho_store *s, GError **error, const char *sql, const char *study) {
  g_autoptr(sqlite3_stmt) q = ho_sql(s, error, sql, "s", study);
  g_autoptr(GPtrArray) out = g_ptr_array_new_with_free_func(g_free);
  int row = q ? 0 : -1;
  while (q && (row = ho_sql_step(s, q, error)) > 0) g_ptr_array_add(out, ho_sql_column_text(q, 0));
  return row == 0 ? g_steal_pointer(&out) : NULL;
}

GPtrArray *ho_store_studies(ho_store *s, GError **error) {
  HO_STORE_LOCK(s);
  return strings(s, error, "SELECT name FROM study WHERE ?1 IS NULL ORDER BY study_id", NULL);
}

GPtrArray *ho_store_problems(ho_store *s, const char *study, GError **error) {
  HO_STORE_LOCK(s);
  if (!ho_store_check_names(s, study, NULL, error)) return NULL;
  return strings(s, error,
                 "SELECT sp.name FROM study_problem sp JOIN study st USING(study_id) WHERE " ANY(
                     "st.name", "?1") " GROUP BY sp.name ORDER BY min(study_problem_id)",
                 study);
}

GPtrArray *ho_store_labels(ho_store *s, const char *study, GError **error) {
  HO_STORE_LOCK(s);
  if (!ho_store_check_names(s, study, NULL, error)) return NULL;
  return strings(s, error,
                 "SELECT label FROM study_scheduler JOIN study st USING(study_id) WHERE " ANY(
                     "st.name", "?1") " GROUP BY label ORDER BY min(study_scheduler_id)",
                 study);
}

static gboolean check_name(ho_store *s, const char *what, const char *name, GPtrArray *known, GError **error) {
  if (!known) return FALSE;
  g_autoptr(GString) list = g_string_new(NULL);
  for (guint i = 0; i < known->len; i++) {
    const char *k = g_ptr_array_index(known, i);
    if (strcmp(k, name) == 0) return TRUE;
    g_string_append_printf(list, "%s%s", i ? ", " : "", k);
  }
  return ho_fail(error, HO_ERROR_INPUT, "%s: no %s '%s', expected one of: %s", s->file, what, name,
                 list->len ? list->str : "(none)");
}

gboolean ho_store_check_names(ho_store *s, const char *study, const char *problem, GError **error) {
  if (study) {
    g_autoptr(GPtrArray) known = ho_store_studies(s, error);
    if (!check_name(s, "study", study, known, error)) return FALSE;
  }
  if (!problem) return TRUE;
  g_autoptr(GPtrArray) known = ho_store_problems(s, study, error);
  return check_name(s, "problem", problem, known, error);
}

int ho_store_parse_status(const char *name) {
  for (int k = HO_RUN_PENDING; k < HO_RUN_INFEASIBLE; k++)
    if (strcmp(name, ho_run_status_name((ho_run_status)k)) == 0) return k;
  return HO_RUN_INFEASIBLE;
}

GArray *ho_store_open_runs(ho_store *s, GError **error) {
  HO_STORE_LOCK(s);
  g_autoptr(sqlite3_stmt) q = ho_sql(s, error,
                                     "SELECT run_id, problem_id, scheduler_id, seed, replicate, budget, status FROM run"
                                     " WHERE status NOT IN ('done', 'infeasible') AND run_id IN (SELECT run_id FROM study_run)"
                                     " ORDER BY run_id",
                                     "");
  g_autoptr(GArray) out = g_array_new(FALSE, TRUE, sizeof(ho_open_run));
  int row = q ? 0 : -1;
  while (q && (row = ho_sql_step(s, q, error)) > 0) {
    ho_open_run run = {.run_id = sqlite3_column_int64(q, 0),
                       .problem_id = sqlite3_column_int64(q, 1),
                       .scheduler_id = sqlite3_column_int64(q, 2),
                       .seed = (uint64_t)sqlite3_column_int64(q, 3),
                       .replicate = (int32_t)sqlite3_column_int64(q, 4),
                       .evaluations = sqlite3_column_int64(q, 5),
                       .status = (ho_run_status)ho_store_parse_status((const char *)sqlite3_column_text(q, 6))};
    g_array_append_val(out, run);
  }
  return row == 0 ? g_steal_pointer(&out) : NULL;
}

static void front_point_free(void *row) {
  ho_front_point *p = row;
  g_free(p->study);
  g_free(p->problem);
  g_free(p->scheduler);
  g_free(p);
}

GPtrArray *ho_store_final_fronts(ho_store *s, const char *study, const char *problem, GError **error) {
  HO_STORE_LOCK(s);
  if (!ho_store_check_names(s, study, problem, error)) return NULL;
  g_autoptr(sqlite3_stmt) q =
      ho_sql(s, error,
             "SELECT study, problem, scheduler, replicate, plan_id, latency, energy, memory FROM final_front"
             " WHERE " ANY("study", "?1") " AND " ANY("problem", "?2"),
             "ss", study, problem);
  g_autoptr(GPtrArray) out = g_ptr_array_new_with_free_func(front_point_free);
  int row = q ? 0 : -1;
  while (q && (row = ho_sql_step(s, q, error)) > 0) {
    ho_front_point *p = g_new0(ho_front_point, 1);
    *p = (ho_front_point){ho_sql_column_text(q, 0),   ho_sql_column_text(q, 1),
                          ho_sql_column_text(q, 2),   (int32_t)sqlite3_column_int64(q, 3),
                          sqlite3_column_int64(q, 4), {0}};
    for (int k = 0; k < HO_N_OBJECTIVES; k++) p->value[k] = ho_sql_column_double(q, 5 + k);
    g_ptr_array_add(out, p);
  }
  return row == 0 ? g_steal_pointer(&out) : NULL;
}

static void result_free(void *row) {
  ho_result_row *r = row;
  g_free(r->study);
  g_free(r->problem);
  g_free(r->workload);
  g_free(r->mode);
  g_free(r->platform);
  g_free(r->scheduler);
  g_free(r->reason);
  g_free(r);
}

static ho_result_row *read_result(sqlite3_stmt *q) {
  ho_result_row *r = g_new0(ho_result_row, 1);
  char **text[] = {&r->study, &r->problem, &r->workload, &r->mode, &r->platform, &r->scheduler, &r->reason};
  double *number[] = {&r->seconds,
                      &r->hv,
                      &r->slr,
                      &r->value[HO_OBJECTIVE_LATENCY],
                      &r->value[HO_OBJECTIVE_ENERGY],
                      &r->value[HO_OBJECTIVE_MEMORY],
                      &r->latency_p50,
                      &r->latency_p95,
                      &r->energy_p50,
                      &r->energy_p95};
  int c = 0;
  for (size_t i = 0; i < G_N_ELEMENTS(text); i++) *text[i] = ho_sql_column_text(q, c++);
  for (size_t i = 0; i < G_N_ELEMENTS(number); i++) *number[i] = ho_sql_column_double(q, c++);
  r->replicate = (int32_t)sqlite3_column_int64(q, c++);
  r->run_id = sqlite3_column_int64(q, c++);
  r->status = (ho_run_status)ho_store_parse_status((const char *)sqlite3_column_text(q, c++));
  r->deterministic = sqlite3_column_int(q, c++);
  r->single = sqlite3_column_int(q, c++);
  r->evaluations = sqlite3_column_int64(q, c++);
  return r;
}

GPtrArray *ho_store_results(ho_store *s, const char *study, GError **error) {
  HO_STORE_LOCK(s);
  if (!ho_store_check_names(s, study, NULL, error)) return NULL;
  g_autoptr(sqlite3_stmt) q =
      ho_sql(s, error,
             "SELECT study, problem, workload, mode, platform, scheduler, reason, seconds, hv, slr, latency,"
             " energy, memory, latency_p50, latency_p95, energy_p50, energy_p95, replicate, run_id, status,"
             " deterministic, single, evaluations FROM run_row WHERE " ANY("study", "?1") IN_ORDER,
             "s", study);
  g_autoptr(GPtrArray) out = g_ptr_array_new_with_free_func(result_free);
  int row = q ? 0 : -1;
  while (q && (row = ho_sql_step(s, q, error)) > 0) g_ptr_array_add(out, read_result(q));
  return row == 0 ? g_steal_pointer(&out) : NULL;
}

static void excluded_free(void *row) {
  ho_excluded *e = row;
  g_free(e->study);
  g_free(e->problem);
  g_free(e->scheduler);
  g_free(e->why);
  g_free(e);
}

GPtrArray *ho_store_excluded(ho_store *s, const char *study, GError **error) {
  HO_STORE_LOCK(s);
  if (!ho_store_check_names(s, study, NULL, error)) return NULL;
  g_autoptr(sqlite3_stmt) q =
      ho_sql(s, error,
             "SELECT st.name, workload || '/' || mode || '/' || platform, scheduler, why"
             " FROM excluded JOIN study st USING(study_id) WHERE " ANY("st.name", "?1") " ORDER BY excluded_id",
             "s", study);
  g_autoptr(GPtrArray) out = g_ptr_array_new_with_free_func(excluded_free);
  int row = q ? 0 : -1;
  while (q && (row = ho_sql_step(s, q, error)) > 0) {
    ho_excluded *e = g_new(ho_excluded, 1);
    *e = (ho_excluded){ho_sql_column_text(q, 0), ho_sql_column_text(q, 1), ho_sql_column_text(q, 2), ho_sql_column_text(q, 3)};
    g_ptr_array_add(out, e);
  }
  return row == 0 ? g_steal_pointer(&out) : NULL;
}

static gboolean no_plan(ho_store *s, int64_t plan_id, GError **error) {
  return ho_fail(error, HO_ERROR_INPUT, "%s: no plan %" G_GINT64_FORMAT ", expected a plan_id of the view final_front", s->file,
                 plan_id);
}

char *ho_store_plan_json(ho_store *s, int64_t plan_id, GError **error) {
  HO_STORE_LOCK(s);
  g_autoptr(sqlite3_stmt) q = ho_sql(s, error, "SELECT json FROM plan WHERE plan_id = ?1", "i", plan_id);
  int row = q ? ho_sql_step(s, q, error) : -1;
  if (row == 0) no_plan(s, plan_id, error);
  return row > 0 ? ho_sql_column_text(q, 0) : NULL;
}

gboolean ho_store_plan_inputs(ho_store *s, int64_t plan_id, char **graph, char **platform, GError **error) {
  HO_STORE_LOCK(s);
  g_autoptr(sqlite3_stmt) q = ho_sql(s, error,
                                     "SELECT g.content, d.content FROM plan JOIN run USING(run_id) JOIN problem USING(problem_id)"
                                     " JOIN graph g USING(graph_id) JOIN platform d USING(platform_id) WHERE plan_id = ?1",
                                     "i", plan_id);
  int row = q ? ho_sql_step(s, q, error) : -1;
  if (row == 0) return no_plan(s, plan_id, error);
  if (row < 0) return FALSE;
  *graph = ho_sql_column_text(q, 0);
  *platform = ho_sql_column_text(q, 1);
  return TRUE;
}
