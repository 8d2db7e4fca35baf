/* store_layout.c: laying out an experiment (store.h, part 1): content by digest, then what each study shows of it. */
#include <string.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/units.h"
#include "results/store_private.h"

/* Runs an INSERT … ON CONFLICT DO NOTHING and gives the id of the row with that digest, new or old. */
static int64_t id_of(ho_store *s, GError **error, gboolean inserted, const char *table, const char *digest) {
  if (!inserted) return -1;
  g_autofree char *sql = g_strdup_printf("SELECT %s_id FROM %s WHERE digest = ?1", table, table);
  return ho_sql_int(s, error, sql, "s", digest);
}

int64_t ho_store_add_environment(ho_store *s, const char *json, const char *digest, GError **error) {
  HO_STORE_LOCK(s);
  gboolean ok =
      ho_sql_run(s, error, "INSERT INTO environment(digest, json) VALUES(?1, ?2) ON CONFLICT DO NOTHING", "ss", digest, json);
  return id_of(s, error, ok, "environment", digest);
}

static gboolean same_experiment(ho_store *s, const char *name, GError **error) {
  g_autoptr(sqlite3_stmt) q = ho_sql(s, error, "SELECT name FROM experiment WHERE name <> ?1 LIMIT 1", "s", name);
  int row = q ? ho_sql_step(s, q, error) : -1;
  if (row <= 0) return row == 0;
  return ho_fail(error, HO_ERROR_INPUT, "%s: holds the experiment '%s', expected '%s' or another file", s->file,
                 (const char *)sqlite3_column_text(q, 0), name);
}

int64_t ho_store_add_experiment(ho_store *s, const char *name, const char *config, const char *digest, uint64_t seed,
                                GError **error) {
  HO_STORE_LOCK(s);
  gboolean ok =
      same_experiment(s, name, error) && ho_sql_run(s, error, "DELETE FROM study", "") &&
      ho_sql_run(s, error, "INSERT INTO experiment(digest, name, seed, config) VALUES(?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
                 "ssis", digest, name, (int64_t)seed, config);
  return id_of(s, error, ok, "experiment", digest);
}

int64_t ho_store_add_graph(ho_store *s, const ho_graph *g, const char *content, GError **error) {
  HO_STORE_LOCK(s);
  double flops = 0;
  for (int32_t o = 0; o < g->n_ops; o++) flops += g->op[o].flops;
  gboolean ok = ho_sql_run(s, error,
                           "INSERT INTO graph(digest, name, source, ops, tensors, edges, flops, samples, content)"
                           " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"
                           " ON CONFLICT DO UPDATE SET content = coalesce(content, excluded.content)",
                           "sssiiidds", g->digest, g->name, g->source, (int64_t)g->n_ops, (int64_t)g->n_tensors,
                           (int64_t)g->n_edges, flops, g->samples, content);
  return id_of(s, error, ok, "graph", g->digest);
}

int64_t ho_store_add_platform(ho_store *s, const ho_platform *p, const char *content, GError **error) {
  HO_STORE_LOCK(s);
  gboolean ok =
      ho_sql_run(s, error,
                 "INSERT INTO platform(digest, name, devices, memories, links, content) VALUES(?1, ?2, ?3, ?4, ?5, ?6)"
                 " ON CONFLICT DO UPDATE SET content = coalesce(content, excluded.content)",
                 "ssiiis", p->digest, p->name, (int64_t)p->n_devices, (int64_t)p->n_memories, (int64_t)p->n_links, content);
  return id_of(s, error, ok, "platform", p->digest);
}

static char *objective_list(const ho_problem *q) {
  g_autoptr(GString) text = g_string_new(NULL);
  for (int32_t k = 0; k < q->n_objectives; k++)
    g_string_append_printf(text, "%s%s", k ? "," : "", ho_objective_name(q->objective[k]));
  return g_string_free(g_steal_pointer(&text), FALSE);
}

char *ho_problem_digest(const ho_problem *q) {
  g_autofree char *objectives = objective_list(q);
  g_autoptr(ho_digest) d = ho_digest_new();
  ho_digest_string(d, q->graph->digest);
  ho_digest_string(d, q->platform->digest);
  ho_digest_string(d, objectives);
  ho_digest_string(d, ho_memory_measure_name(q->memory_measure));
  return ho_digest_finish(d);
}

int64_t ho_store_add_problem(ho_store *s, const ho_problem *q, int64_t graph_id, int64_t platform_id, GError **error) {
  HO_STORE_LOCK(s);
  g_autofree char *digest = ho_problem_digest(q);
  g_autofree char *objectives = objective_list(q);
  gboolean ok =
      ho_sql_run(s, error,
                 "INSERT INTO problem(digest, graph_id, platform_id, objectives, memory_measure) VALUES(?1, ?2, ?3, ?4, ?5)"
                 " ON CONFLICT DO NOTHING",
                 "siiss", digest, graph_id, platform_id, objectives, ho_memory_measure_name(q->memory_measure));
  return id_of(s, error, ok, "problem", digest);
}

int64_t ho_store_add_scheduler(ho_store *s, const ho_store_scheduler *c, GError **error) {
  HO_STORE_LOCK(s);
  g_autoptr(ho_digest) d = ho_digest_new();
  ho_digest_string(d, c->name);
  ho_digest_string(d, c->options);
  ho_digest_string(d, c->code_digest);
  g_autofree char *digest = ho_digest_finish(d);
  gboolean ok = ho_sql_run(
      s, error,
      "INSERT INTO scheduler(digest, name, options, code_digest, deterministic, single) VALUES(?1, ?2, ?3, ?4, ?5, ?6)"
      " ON CONFLICT DO NOTHING",
      "ssssii", digest, c->name, c->options, c->code_digest, (int64_t)(c->deterministic != 0), (int64_t)(c->single != 0));
  return id_of(s, error, ok, "scheduler", digest);
}

int64_t ho_store_add_study(ho_store *s, int64_t experiment_id, const char *name, ho_frame_kind frame, GError **error) {
  HO_STORE_LOCK(s);
  return ho_sql_int(s, error, "INSERT INTO study(experiment_id, name, frame) VALUES(?1, ?2, ?3) RETURNING study_id", "iss",
                    experiment_id, name, ho_frame_kind_name(frame));
}

int64_t ho_store_add_study_problem(ho_store *s, int64_t study_id, int64_t problem_id, const char *workload, const char *mode,
                                   const char *platform, GError **error) {
  HO_STORE_LOCK(s);
  g_autofree char *name = g_strdup_printf("%s/%s/%s", workload, mode, platform);
  return ho_sql_int(
      s, error,
      "INSERT INTO study_problem(study_id, problem_id, name, workload, mode, platform) VALUES(?1, ?2, ?3, ?4, ?5, ?6)"
      " RETURNING study_problem_id",
      "iissss", study_id, problem_id, name, workload, mode, platform);
}

gboolean ho_store_add_parameter(ho_store *s, int64_t study_problem_id, const char *name, const char *value, GError **error) {
  HO_STORE_LOCK(s);
  for (const char *const *column = ho_store_result_columns; *column; column++)
    if (g_ascii_strcasecmp(*column, name) == 0)
      return ho_fail(error, HO_ERROR_INPUT, "parameter '%s': the view results has a column of that name, expected another label",
                     name);
  double number;
  const char *sql = "INSERT INTO parameter(study_problem_id, name, value) VALUES(?1, ?2, ?3)";
  if (ho_double_parse(value, &number, NULL)) return ho_sql_run(s, error, sql, "isd", study_problem_id, name, number);
  return ho_sql_run(s, error, sql, "iss", study_problem_id, name, value);
}

int64_t ho_store_add_study_scheduler(ho_store *s, int64_t study_id, int64_t scheduler_id, const char *label, GError **error) {
  HO_STORE_LOCK(s);
  return ho_sql_int(s, error,
                    "INSERT INTO study_scheduler(study_id, scheduler_id, label) VALUES(?1, ?2, ?3) RETURNING study_scheduler_id",
                    "iis", study_id, scheduler_id, label);
}

gboolean ho_store_add_excluded(ho_store *s, int64_t study_id, const char *workload, const char *mode, const char *platform,
                               const char *scheduler, const char *why, GError **error) {
  HO_STORE_LOCK(s);
  return ho_sql_run(s, error,
                    "INSERT INTO excluded(study_id, workload, mode, platform, scheduler, why) VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
                    "isssss", study_id, workload, mode, platform, scheduler, why);
}

/* Digest of the digests of problem and scheduler and of the rest of the key: ids are not content. NULL on error. */
static char *key_digest(ho_store *s, const ho_store_key *key, GError **error) {
  g_autoptr(sqlite3_stmt) q =
      ho_sql(s, error, "SELECT p.digest, c.digest FROM problem p, scheduler c WHERE problem_id = ?1 AND scheduler_id = ?2", "ii",
             key->problem_id, key->scheduler_id);
  int row = q ? ho_sql_step(s, q, error) : -1;
  if (row == 0) ho_fail(error, HO_ERROR_INTERNAL, "%s: a run of a problem or scheduler that was not added", s->file);
  if (row <= 0) return NULL;
  g_autoptr(ho_digest) d = ho_digest_new();
  ho_digest_string(d, (const char *)sqlite3_column_text(q, 0));
  ho_digest_string(d, (const char *)sqlite3_column_text(q, 1));
  ho_digest_int(d, (int64_t)key->seed);
  ho_digest_int(d, key->replicate);
  ho_digest_int(d, key->evaluations);
  ho_digest_string(d, key->protocol);
  return ho_digest_finish(d);
}

int64_t ho_store_add_run(ho_store *s, const ho_store_key *key, ho_run_status *status, GError **error) {
  HO_STORE_LOCK(s);
  g_autofree char *digest = key_digest(s, key, error);
  if (!digest) return -1;
  gboolean ok = ho_sql_run(s, error,
                           "INSERT INTO run(digest, problem_id, scheduler_id, seed, replicate, budget, protocol)"
                           " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO NOTHING",
                           "siiiiis", digest, key->problem_id, key->scheduler_id, (int64_t)key->seed, (int64_t)key->replicate,
                           key->evaluations, key->protocol);
  int64_t id = id_of(s, error, ok, "run", digest);
  if (id > 0 && status) {
    int64_t index =
        ho_sql_int(s, error,
                   "SELECT CASE status WHEN 'pending' THEN 0 WHEN 'running' THEN 1 WHEN 'done' THEN 2 WHEN 'failed' THEN 3"
                   " ELSE 4 END FROM run WHERE run_id = ?1",
                   "i", id);
    if (index < 0) return -1;
    *status = (ho_run_status)index;
  }
  return id;
}

gboolean ho_store_add_study_run(ho_store *s, int64_t study_problem_id, int64_t study_scheduler_id, int32_t replicate,
                                int64_t run_id, GError **error) {
  HO_STORE_LOCK(s);
  return ho_sql_run(s, error,
                    "INSERT INTO study_run(study_problem_id, study_scheduler_id, replicate, run_id) VALUES(?1, ?2, ?3, ?4)",
                    "iiii", study_problem_id, study_scheduler_id, (int64_t)replicate, run_id);
}

gboolean ho_store_finish_layout(ho_store *s, GError **error) {
  HO_STORE_LOCK(s);
  return ho_store_make_results_view(s, error);
}
