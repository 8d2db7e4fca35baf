/* store_fixture.c: see store_fixture.h. */
#include "tests/results/store_fixture.h"

#include <glib/gstdio.h>
#include <math.h>
#include <sqlite3.h>
#include <string.h>

char *make_folder(void) {
  return g_dir_make_tmp("heteroopt-store-XXXXXX", NULL);
}

void remove_folder(char *folder) {
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  const char *name;
  while (dir && (name = g_dir_read_name(dir))) {
    g_autofree char *file = g_build_filename(folder, name, NULL);
    g_remove(file);
  }
  g_rmdir(folder);
  g_free(folder);
}

/* A graph and a platform as the store sees them: names, digests, counts. */
static gboolean add_problem(ho_store *s, int i, int64_t *id, GError **error) {
  static const char *const names[] = {"one", "two"};
  static const ho_op_info ops[] = {{.name = "a", .kind = "conv", .flops = 1e9}, {.name = "b", .kind = "relu", .flops = 5e6}};
  ho_graph g = {.name = names[i],
                .digest = i ? "graph-digest-2" : "graph-digest-1",
                .source = names[i],
                .samples = 1,
                .n_ops = 2,
                .op = ops};
  ho_platform p = {.name = "desk", .digest = "platform-digest", .n_devices = 2, .n_memories = 2, .n_links = 1};
  ho_problem q = {.graph = &g,
                  .platform = &p,
                  .n_objectives = 3,
                  .objective = {HO_OBJECTIVE_LATENCY, HO_OBJECTIVE_ENERGY, HO_OBJECTIVE_MEMORY},
                  .memory_measure = HO_MEMORY_TIGHTEST};
  int64_t graph = ho_store_add_graph(s, &g, i ? NULL : "{\"graph\":1}", error);
  int64_t platform = graph < 0 ? -1 : ho_store_add_platform(s, &p, "name: desk\n", error);
  *id = platform < 0 ? -1 : ho_store_add_problem(s, &q, graph, platform, error);
  return *id > 0;
}

static gboolean add_runs(ho_store *s, fixture *f, int problem, int64_t study_problem, const int64_t *labels, int32_t replicates,
                         GError **error) {
  for (int c = 0; c < 2; c++)
    for (int32_t r = 0; r < (c == 0 ? 1 : replicates); r++) {
      ho_store_key key = {f->problem[problem], f->scheduler[c], 7, r, 1000, "checkpoints=2,replays=5"};
      int64_t run = ho_store_add_run(s, &key, NULL, error);
      if (run < 0 || !ho_store_add_study_run(s, study_problem, labels[c], r, run, error)) return FALSE;
      f->run[f->n_runs++] = run;
    }
  return TRUE;
}

static gboolean lay_out_all(ho_store *s, fixture *f, int32_t replicates, GError **error) {
  const ho_store_scheduler schedulers[] = {{"heft", "", "code", 1, 1}, {"nsga2", "population=20", "code", 0, 0}};
  static const char *const workloads[] = {"one", "two:batch=8"};
  memset(f, 0, sizeof *f);
  if ((f->experiment = ho_store_add_experiment(s, "fixture", "name: fixture\n", "config-digest", 7, error)) < 0) return FALSE;
  for (int c = 0; c < 2; c++)
    if ((f->scheduler[c] = ho_store_add_scheduler(s, &schedulers[c], error)) < 0) return FALSE;
  if ((f->study = ho_store_add_study(s, f->experiment, "main", HO_FRAME_PAYOFF, error)) < 0) return FALSE;
  int64_t labels[2];
  for (int c = 0; c < 2; c++)
    if ((labels[c] = ho_store_add_study_scheduler(s, f->study, f->scheduler[c], c ? "NSGA-II" : "HEFT", error)) < 0) return FALSE;
  for (int i = 0; i < 2; i++) {
    if (!add_problem(s, i, &f->problem[i], error)) return FALSE;
    int64_t shown = ho_store_add_study_problem(s, f->study, f->problem[i], workloads[i], "inference", "desk", error);
    if (shown < 0 || !add_runs(s, f, i, shown, labels, replicates, error)) return FALSE;
  }
  return ho_store_add_excluded(s, f->study, "two:batch=8", "training", "desk", NULL, "nobody does", error) &&
         ho_store_finish_layout(s, error);
}

gboolean lay_out(ho_store *s, fixture *f, int32_t replicates, GError **error) {
  if (!ho_store_begin(s, error)) return FALSE;
  if (lay_out_all(s, f, replicates, error)) return ho_store_commit(s, error);
  ho_store_rollback(s);
  return FALSE;
}

gboolean compute_run(ho_store *s, int64_t run_id, GError **error) {
  int claimed = ho_store_claim_run(s, run_id, 1, error);
  if (claimed <= 0) return claimed == 0;
  double base = 1 + 0.01 * (double)run_id;
  ho_store_replay replay[3][5];
  ho_store_plan plan[3] = {{0}};
  g_autofree char *json[3];
  for (int i = 0; i < 3; i++) {
    /* The first two trade latency for energy, the third is worse than the first. */
    double stretch = i == 2 ? 1.5 : 1;
    ho_figures f = {base * (i == 1 ? 3 : 1) * stretch, base * (i == 1 ? 1 : 4) * stretch, 0.25 * stretch, 1e9, 5e8};
    for (int r = 0; r < 5; r++) {
      replay[i][r] = (ho_store_replay){f, NULL};
      replay[i][r].figures.latency *= 1 + 0.1 * r; /* by hand: P50 at 1.2, P95 at 1.38 times the exact latency */
    }
    json[i] = g_strdup_printf("{\"plan\":%d,\"run\":%d}", i, (int)run_id);
    plan[i] = (ho_store_plan){.json = json[i],
                              .estimate = {f.latency * 0.9, f.energy, f.tightest},
                              .exact = {f, NULL},
                              .n_replays = 5,
                              .replays = replay[i]};
  }
  const double early[] = {base * 2, base * 5, 0.25}, late[] = {base, base * 4, 0.25, base * 3, base, 0.25};
  const ho_store_checkpoint checkpoints[] = {{10, 1, early}, {1000, 2, late}};
  ho_store_result r = {.status = HO_RUN_DONE,
                       .evaluations = 1000,
                       .seconds_scheduler = 0.5,
                       .seconds_engine = 0.25,
                       .seconds_replay = 0.125,
                       .n_checkpoints = 2,
                       .checkpoints = checkpoints,
                       .n_plans = 3,
                       .plans = plan};
  gboolean ok = ho_store_finish_run(s, run_id, &r, error);
  g_clear_pointer(&json[1], g_free);
  g_clear_pointer(&json[2], g_free);
  return ok;
}

gboolean put_references(ho_store *s, const fixture *f, GError **error) {
  const double rows[3][3] = {{1, 8, 0.5}, {4, 2, 0.25}, {2, 4, 0.125}};
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < 3; k++) {
      ho_store_reference r = {.objective = (ho_objective)k, .protocol = "evaluations=100", .json = "{}"};
      memcpy(r.value, rows[k], sizeof r.value);
      if (!ho_store_put_reference(s, f->problem[i], &r, error)) return FALSE;
    }
    if (!ho_store_put_bound(s, f->problem[i], HO_OBJECTIVE_LATENCY, "critical-path", 0.5, error) ||
        !ho_store_put_figure(s, f->problem[i], "t_ref", 2, NULL, error) ||
        !ho_store_put_figure(s, f->problem[i], "tdp", 10, NULL, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean is_measured(const char *column) {
  return g_str_has_prefix(column, "seconds") || g_str_has_suffix(column, "_at") || g_str_equal(column, "attempts") ||
         g_str_equal(column, "environment_id");
}

/* "SELECT a, b FROM t" without measured columns; NULL when nothing is left. */
static char *content_query(sqlite3 *db, const char *table) {
  g_autoptr(GString) sql = g_string_new("SELECT ");
  sqlite3_stmt *q;
  int n = 0;
  sqlite3_prepare_v2(db, "SELECT name FROM pragma_table_info(?1)", -1, &q, NULL);
  sqlite3_bind_text(q, 1, table, -1, SQLITE_TRANSIENT);
  while (sqlite3_step(q) == SQLITE_ROW)
    if (!is_measured((const char *)sqlite3_column_text(q, 0)))
      g_string_append_printf(sql, "%s\"%s\"", n++ ? ", " : "", (const char *)sqlite3_column_text(q, 0));
  sqlite3_finalize(q);
  g_string_append_printf(sql, " FROM \"%s\"", table);
  return n ? g_string_free(g_steal_pointer(&sql), FALSE) : NULL;
}

char *dump_content(const char *file) {
  sqlite3 *db;
  sqlite3_open_v2(file, &db, SQLITE_OPEN_READONLY, NULL);
  GString *out = g_string_new(NULL);
  sqlite3_stmt *tables;
  sqlite3_prepare_v2(db, "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY name", -1, &tables, NULL);
  while (sqlite3_step(tables) == SQLITE_ROW) {
    const char *table = (const char *)sqlite3_column_text(tables, 0);
    g_autofree char *sql = content_query(db, table);
    sqlite3_stmt *q = NULL;
    if (!sql || sqlite3_prepare_v2(db, sql, -1, &q, NULL) != SQLITE_OK) continue;
    g_string_append_printf(out, "-- %s\n", table);
    while (sqlite3_step(q) == SQLITE_ROW)
      for (int c = 0; c < sqlite3_column_count(q); c++) {
        const char *text = (const char *)sqlite3_column_text(q, c);
        g_string_append_printf(out, "%s%c", text ? text : "NULL", c + 1 < sqlite3_column_count(q) ? '|' : '\n');
      }
    sqlite3_finalize(q);
  }
  sqlite3_finalize(tables);
  sqlite3_close(db);
  return g_string_free(out, FALSE);
}

char *sql_text(const char *file, const char *sql) {
  sqlite3 *db;
  sqlite3_open_v2(file, &db, SQLITE_OPEN_READONLY, NULL);
  sqlite3_stmt *q = NULL;
  char *out = NULL;
  if (sqlite3_prepare_v2(db, sql, -1, &q, NULL) == SQLITE_OK && sqlite3_step(q) == SQLITE_ROW)
    out = g_strdup((const char *)sqlite3_column_text(q, 0));
  if (!out) out = g_strdup(sqlite3_errmsg(db));
  sqlite3_finalize(q);
  sqlite3_close(db);
  return out;
}

int64_t sql_number(const char *file, const char *sql) {
  g_autofree char *text = sql_text(file, sql);
  return g_ascii_strtoll(text, NULL, 10);
}
