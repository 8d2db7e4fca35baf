/* store_schema.c: the tables and views of a results database (docs/results.md explains them).
 *
 * Every table is STRICT. Three groups: content (graph … run, by digest), listings (study … study_run: what the current config
 * shows, laid out anew each time), and results (checkpoint … indicator). */
#include <string.h>

#include "base/error.h"
#include "results/store_private.h"

static const char *const schema[] = {
    "CREATE TABLE environment(environment_id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE,"
    " json TEXT NOT NULL) STRICT",

    "CREATE TABLE experiment(experiment_id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, name TEXT NOT NULL,"
    " seed INTEGER NOT NULL, config TEXT NOT NULL) STRICT",

    "CREATE TABLE graph(graph_id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, name TEXT NOT NULL, source TEXT, ops INTEGER,"
    " tensors INTEGER, edges INTEGER, flops REAL /* of one execution */, samples REAL, content TEXT) STRICT",

    "CREATE TABLE platform(platform_id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, name TEXT NOT NULL, devices INTEGER,"
    " memories INTEGER, links INTEGER, content TEXT) STRICT",

    "CREATE TABLE problem(problem_id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, graph_id INTEGER NOT NULL REFERENCES "
    "graph,"
    " platform_id INTEGER NOT NULL REFERENCES platform, objectives TEXT NOT NULL /* in order, by comma */,"
    " memory_measure TEXT NOT NULL CHECK(memory_measure IN ('tightest','total','accelerator'))) STRICT",

    "CREATE TABLE scheduler(scheduler_id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, name TEXT NOT NULL, options TEXT NOT "
    "NULL,"
    " code_digest TEXT NOT NULL, deterministic INTEGER NOT NULL, single INTEGER NOT NULL) STRICT",

    "CREATE TABLE run(run_id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE /* of all that its result depends on */,"
    " problem_id INTEGER NOT NULL REFERENCES problem, scheduler_id INTEGER NOT NULL REFERENCES scheduler, seed INTEGER NOT NULL,"
    " replicate INTEGER NOT NULL, budget INTEGER NOT NULL /* evaluations */, protocol TEXT NOT NULL,"
    " status TEXT NOT NULL DEFAULT 'pending' CHECK(status IN ('pending','running','done','failed','infeasible')), reason TEXT,"
    " evaluations INTEGER, front_digest TEXT /* same bits, same digest */, environment_id INTEGER REFERENCES environment,"
    " attempts INTEGER NOT NULL DEFAULT 0, started_at TEXT /* measured, UTC */, seconds_scheduler REAL /* measured */,"
    " seconds_engine REAL /* measured */, seconds_replay REAL /* measured */) STRICT",

    "CREATE TABLE study(study_id INTEGER PRIMARY KEY, experiment_id INTEGER NOT NULL REFERENCES experiment,"
    " name TEXT NOT NULL UNIQUE, frame TEXT NOT NULL) STRICT",

    "CREATE TABLE study_problem(study_problem_id INTEGER PRIMARY KEY, study_id INTEGER NOT NULL REFERENCES study ON DELETE "
    "CASCADE,"
    " problem_id INTEGER NOT NULL REFERENCES problem, name TEXT NOT NULL, workload TEXT NOT NULL, mode TEXT NOT NULL,"
    " platform TEXT NOT NULL, UNIQUE(study_id, name)) STRICT",

    "CREATE TABLE parameter(study_problem_id INTEGER NOT NULL REFERENCES study_problem ON DELETE CASCADE, name TEXT NOT NULL,"
    " value ANY, PRIMARY KEY(study_problem_id, name)) STRICT, WITHOUT ROWID",

    "CREATE TABLE study_scheduler(study_scheduler_id INTEGER PRIMARY KEY,"
    " study_id INTEGER NOT NULL REFERENCES study ON DELETE CASCADE, scheduler_id INTEGER NOT NULL REFERENCES scheduler,"
    " label TEXT NOT NULL, UNIQUE(study_id, label)) STRICT",

    "CREATE TABLE excluded(excluded_id INTEGER PRIMARY KEY, study_id INTEGER NOT NULL REFERENCES study ON DELETE CASCADE,"
    " workload TEXT NOT NULL, mode TEXT NOT NULL, platform TEXT NOT NULL, scheduler TEXT, why TEXT NOT NULL) STRICT",

    "CREATE TABLE study_run(study_problem_id INTEGER NOT NULL REFERENCES study_problem ON DELETE CASCADE,"
    " study_scheduler_id INTEGER NOT NULL REFERENCES study_scheduler ON DELETE CASCADE, replicate INTEGER NOT NULL,"
    " run_id INTEGER NOT NULL REFERENCES run, PRIMARY KEY(study_problem_id, study_scheduler_id, replicate)) STRICT, WITHOUT "
    "ROWID",
    "CREATE INDEX study_run_run ON study_run(run_id)",

    "CREATE TABLE checkpoint(run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE, evaluations INTEGER NOT NULL,"
    " points INTEGER NOT NULL, PRIMARY KEY(run_id, evaluations)) STRICT, WITHOUT ROWID",

    "CREATE TABLE front_point(run_id INTEGER NOT NULL, evaluations INTEGER NOT NULL, point INTEGER NOT NULL, latency REAL, "
    "energy REAL,"
    " memory REAL, PRIMARY KEY(run_id, evaluations, point),"
    " FOREIGN KEY(run_id, evaluations) REFERENCES checkpoint ON DELETE CASCADE) STRICT, WITHOUT ROWID",

    "CREATE TABLE plan(plan_id INTEGER PRIMARY KEY, run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE, position INTEGER "
    "NOT NULL,"
    " digest TEXT NOT NULL, json TEXT NOT NULL, on_front INTEGER NOT NULL, infeasible TEXT /* why, in the replay */,"
    " latency REAL, energy REAL, memory REAL /* by the problem's measure */,"
    " memory_tightest REAL, memory_total REAL, memory_accelerator REAL,"
    " estimate_latency REAL, estimate_energy REAL, estimate_memory REAL, replays INTEGER NOT NULL,"
    " latency_p50 REAL, latency_p95 REAL, energy_p50 REAL, energy_p95 REAL, UNIQUE(run_id, position)) STRICT",

    "CREATE TABLE replay(plan_id INTEGER NOT NULL REFERENCES plan ON DELETE CASCADE,"
    " kind TEXT NOT NULL CHECK(kind IN ('noise','model')), replay INTEGER NOT NULL, latency REAL, energy REAL, memory REAL,"
    " memory_tightest REAL, memory_total REAL, memory_accelerator REAL, infeasible TEXT,"
    " PRIMARY KEY(plan_id, kind, replay)) STRICT, WITHOUT ROWID",

    "CREATE TABLE reference(problem_id INTEGER NOT NULL REFERENCES problem, objective TEXT NOT NULL, protocol TEXT NOT NULL, "
    "json TEXT,"
    " latency REAL, energy REAL, memory REAL, infeasible TEXT, PRIMARY KEY(problem_id, objective)) STRICT, WITHOUT ROWID",

    "CREATE TABLE bound(problem_id INTEGER NOT NULL REFERENCES problem, objective TEXT NOT NULL, method TEXT NOT NULL,"
    " value REAL NOT NULL, PRIMARY KEY(problem_id, objective, method)) STRICT, WITHOUT ROWID",

    "CREATE TABLE figure(problem_id INTEGER NOT NULL REFERENCES problem, name TEXT NOT NULL, value REAL, reason TEXT,"
    " PRIMARY KEY(problem_id, name)) STRICT, WITHOUT ROWID",

    "CREATE TABLE frame(frame_id INTEGER PRIMARY KEY /* of the digest: the same frame, the same id */, digest TEXT NOT NULL "
    "UNIQUE,"
    " problem_id INTEGER NOT NULL REFERENCES problem, kind TEXT NOT NULL, scale TEXT NOT NULL CHECK(scale IN ('linear','log')),"
    " defined INTEGER NOT NULL, reason TEXT) STRICT",

    "CREATE TABLE frame_axis(frame_id INTEGER NOT NULL REFERENCES frame ON DELETE CASCADE, position INTEGER NOT NULL,"
    " objective TEXT NOT NULL, dropped INTEGER NOT NULL, ideal REAL, nadir REAL, reference REAL,"
    " PRIMARY KEY(frame_id, position)) STRICT, WITHOUT ROWID",

    /* By the study's name, so that laying out anew leaves it. */
    "CREATE TABLE study_frame(study TEXT NOT NULL, problem_id INTEGER NOT NULL REFERENCES problem, kind TEXT NOT NULL,"
    " frame_id INTEGER NOT NULL REFERENCES frame, PRIMARY KEY(study, problem_id, kind)) STRICT, WITHOUT ROWID",

    "CREATE TABLE indicator(run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE, frame_id INTEGER NOT NULL REFERENCES frame,"
    " indicator TEXT NOT NULL, judged TEXT NOT NULL CHECK(judged IN ('estimate','replay')), evaluations INTEGER NOT NULL, value "
    "REAL,"
    " PRIMARY KEY(run_id, frame_id, indicator, judged, evaluations)) STRICT, WITHOUT ROWID",

    /* The runs that the studies show; ids are in the config's order. */
    "CREATE VIEW shown AS SELECT st.study_id, sp.study_problem_id, ss.study_scheduler_id, st.name AS study, sp.name AS problem,"
    " sp.workload, sp.mode, sp.platform, ss.label AS scheduler, sr.replicate, sr.run_id, sp.problem_id, ss.scheduler_id,"
    " st.frame AS frame FROM study_run sr JOIN study_problem sp USING(study_problem_id) JOIN study_scheduler ss "
    "USING(study_scheduler_id)"
    " JOIN study st ON st.study_id = sp.study_id",

    "CREATE VIEW final_front AS SELECT s.study, s.problem, s.scheduler, s.replicate, p.plan_id, p.latency, p.energy, p.memory"
    " FROM shown s JOIN run r USING(run_id) JOIN plan p USING(run_id) WHERE r.status = 'done' AND p.on_front"
    " ORDER BY s.study_id, s.study_problem_id, s.study_scheduler_id, s.replicate, p.plan_id",

    "CREATE VIEW final_indicator AS SELECT s.study, s.problem, s.scheduler, s.replicate, f.kind AS frame, i.indicator, i.value"
    " FROM shown s JOIN run r USING(run_id) JOIN study_frame f ON f.study = s.study AND f.problem_id = s.problem_id"
    " JOIN indicator i ON i.run_id = s.run_id AND i.frame_id = f.frame_id AND i.judged = 'replay' WHERE r.status = 'done'"
    " ORDER BY s.study_id, s.study_problem_id, s.study_scheduler_id, s.replicate, f.kind, i.indicator",

    /* All that `results` shows and its ids; the fastest plan stands for a front where one plan must. */
    "CREATE VIEW run_row AS SELECT s.*, r.seconds_scheduler + r.seconds_engine AS seconds, r.evaluations, r.status, r.reason,"
    " c.deterministic, c.single,"
    " (SELECT i.value FROM study_frame f JOIN indicator i ON i.frame_id = f.frame_id WHERE f.study = s.study"
    " AND f.problem_id = s.problem_id AND f.kind = s.frame AND i.run_id = s.run_id AND i.indicator = 'hv' AND i.judged = "
    "'replay') AS hv,"
    " p.latency / (SELECT b.value FROM bound b WHERE b.problem_id = s.problem_id AND b.objective = 'latency'"
    " AND b.method = 'critical-path' AND b.value > 0) AS slr,"
    " p.latency_p50, p.latency_p95, p.latency,"
    " (SELECT min(energy) FROM plan e WHERE e.run_id = s.run_id AND e.on_front) AS energy,"
    " (SELECT min(memory) FROM plan m WHERE m.run_id = s.run_id AND m.on_front) AS memory, p.energy_p50, p.energy_p95,"
    " (SELECT count(*) FROM plan n WHERE n.run_id = s.run_id AND n.on_front) AS plans"
    " FROM shown s JOIN run r USING(run_id) JOIN scheduler c ON c.scheduler_id = s.scheduler_id LEFT JOIN plan p ON p.plan_id ="
    " (SELECT q.plan_id FROM plan q WHERE q.run_id = s.run_id AND q.on_front ORDER BY q.latency, q.plan_id LIMIT 1)",
};

/* Columns of `results`; those of swept parameters come after `platform`. */
const char *const ho_store_result_columns[] = {"study",       "workload",    "mode",   "platform", "scheduler", "replicate",
                                               "seconds",     "evaluations", "status", "hv",       "slr",       "latency_p50",
                                               "latency_p95", "latency",     "energy", "memory",   "plans",     "energy_p50",
                                               "energy_p95",  "problem",     "reason", "run_id",   NULL};
#define N_BEFORE_PARAMETERS 4

static gboolean run_text(ho_store *s, GError **error, const char *sql) {
  return ho_sql_run(s, error, sql, "");
}

gboolean ho_store_make_schema(ho_store *s, GError **error) {
  for (size_t i = 0; i < G_N_ELEMENTS(schema); i++)
    if (!run_text(s, error, schema[i])) return FALSE;
  g_autofree char *id = g_strdup_printf("PRAGMA application_id = %d", HO_STORE_APPLICATION_ID);
  g_autofree char *version = g_strdup_printf("PRAGMA user_version = %d", HO_STORE_SCHEMA);
  return ho_store_make_results_view(s, error) && run_text(s, error, id) && run_text(s, error, version);
}

gboolean ho_store_make_results_view(ho_store *s, GError **error) {
  g_autoptr(GString) sql = g_string_new("CREATE VIEW results AS SELECT ");
  for (int i = 0; i < N_BEFORE_PARAMETERS; i++) g_string_append_printf(sql, "%s, ", ho_store_result_columns[i]);

  g_autoptr(sqlite3_stmt) q =
      ho_sql(s, error, "SELECT name FROM parameter GROUP BY name ORDER BY min(study_problem_id), name", "");
  int row = q ? 0 : -1;
  while (q && (row = ho_sql_step(s, q, error)) > 0) {
    const char *name = (const char *)sqlite3_column_text(q, 0);
    char *column = sqlite3_mprintf(
        "(SELECT value FROM parameter p WHERE p.study_problem_id = run_row.study_problem_id AND p.name = %Q) "
        "AS \"%w\", ",
        name, name);
    g_string_append(sql, column);
    sqlite3_free(column);
  }
  if (row < 0) return FALSE;
  for (int i = N_BEFORE_PARAMETERS; ho_store_result_columns[i]; i++)
    g_string_append_printf(sql, "%s%s", i > N_BEFORE_PARAMETERS ? ", " : "", ho_store_result_columns[i]);
  g_string_append(sql, " FROM run_row ORDER BY study_id, study_problem_id, study_scheduler_id, replicate");
  return run_text(s, error, "DROP VIEW IF EXISTS results") && run_text(s, error, sql->str);
}
