/* scene.c: see scene.h. */
#include "tests/experiments/scene.h"

#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <sqlite3.h>
#include <string.h>
#include <unistd.h>

/* Eight ops in a diamond of two chains; `scale` makes the tensors of b.json larger. */
static char *graph_text(const char *name, double scale) {
  g_autoptr(GString) ops = g_string_new(NULL);
  g_autoptr(GString) tensors = g_string_new(NULL);
  static const char *const from[] = {"-", "0", "1", "0", "3", "24", "5", "6"};
  for (int i = 0; i < 8; i++) {
    g_string_append_printf(ops, "%s{\"name\":\"o%d\",\"kind\":\"%s\",\"flops\":%d,\"parallelism\":%d}", i ? "," : "", i,
                           i % 2 ? "relu" : "conv", (i % 2 ? 100000 : 40000000) * (i + 1), 4000 * (i + 1));
    g_string_append_printf(tensors, "%s{\"name\":\"t%d\",\"bytes\":%d,\"producer\":\"o%d\",\"consumers\":[", i ? "," : "", i,
                           (int)(scale * 100000 * (8 - i)), i);
    gboolean first = TRUE;
    for (int j = 0; j < 8; j++)
      if (strchr(from[j], '0' + i)) {
        g_string_append_printf(tensors, "%s\"o%d\"", first ? "" : ",", j);
        first = FALSE;
      }
    g_string_append(tensors, "]}");
  }
  return g_strdup_printf("{\"format\":\"heteroopt-graph/1\",\"name\":\"%s\",\"ops\":[%s],\"tensors\":[%s]}", name, ops->str,
                         tensors->str);
}

static char *platform_text(const char *name, const char *capacity) {
  return g_strdup_printf(
      "format: heteroopt-platform/1\nname: %s\nmemories:\n"
      "  - {name: host, capacity: %s, bandwidth: 50GB/s}\n  - {name: hbm, capacity: %s, bandwidth: 500GB/s}\n"
      "devices:\n"
      "  - {name: cpu, kind: cpu, memory: host, peak: {fp32: 1e12}, launch: {mode: sync, host: 1us, device: 0},"
      " power: {idle: 20, busy: 30, peak: 100, per_flop: {fp32: 40e-12}, per_byte: 50e-12}}\n"
      "  - {name: gpu, kind: gpu, memory: hbm, peak: {fp32: 10e12}, saturation: 20000, streams: 2, sharing: spatial, "
      "copy_engines: 1,"
      " launch: {mode: async, host: 4us, device: 1us},"
      " power: {idle: 10, busy: 60, peak: 250, per_flop: {fp32: 10e-12}, per_byte: 60e-12}}\n"
      "links:\n  - {name: bus, ends: [host, hbm], bandwidth: 16GB/s, latency: 1us, duplex: full, energy: 10e-12}\n",
      name, capacity, capacity);
}

static void write_file(const ho_scene *s, const char *name, const char *text) {
  g_autofree char *path = ho_scene_path(s, name);
  cr_assert(g_file_set_contents(path, text, -1, NULL), "cannot write %s", path);
}

char *ho_scene_path(const ho_scene *s, const char *name) {
  return g_build_filename(s->folder, name, NULL);
}

ho_scene *ho_scene_new(void) {
  ho_scene *s = g_new0(ho_scene, 1);
  s->folder = g_dir_make_tmp("heteroopt-XXXXXX", NULL);
  cr_assert_not_null(s->folder);
  s->config_file = ho_scene_path(s, "scene.yaml");
  s->database = ho_scene_path(s, "scene.db");
  g_autofree char *a = graph_text("a", 1), *b = graph_text("b", 10);
  g_autofree char *pair = platform_text("pair", "1GB"), *tiny = platform_text("tiny", "3MB");
  write_file(s, "a.json", a);
  write_file(s, "b.json", b);
  write_file(s, "pair.yaml", pair);
  write_file(s, "tiny.yaml", tiny);
  ho_scene_configure(s, "{times: 5, noise: 0.05}", "");
  return s;
}

void ho_scene_free(ho_scene *s) {
  GDir *folder = g_dir_open(s->folder, 0, NULL);
  for (const char *name; folder && (name = g_dir_read_name(folder));) {
    g_autofree char *path = ho_scene_path(s, name);
    g_unlink(path);
  }
  if (folder) g_dir_close(folder);
  g_rmdir(s->folder);
  g_free(s->folder);
  g_free(s->config_file);
  g_free(s->database);
  g_free(s);
}

void ho_scene_write(const ho_scene *s, const char *config) {
  write_file(s, "scene.yaml", config);
}

void ho_scene_configure(const ho_scene *s, const char *replays, const char *extra) {
  g_autofree char *config = g_strdup_printf(
      "format: heteroopt-experiment/1\nname: scene\nseed: 5\nreplicates: 3\nworkloads: [a.json, b.json]\n"
      "platforms: [./pair.yaml, ./tiny.yaml]\nexclude:\n  - {workload: a, platform: tiny, why: too easy}\n"
      "budget: {evaluations: 200}\ncheckpoints: 4\nreplays: %s\n"
      "schedulers:\n  - {use: heft}\n  - {use: random}\n  - {use: nsga2, set: [population=20]}\n%s",
      replays, extra);
  ho_scene_write(s, config);
}

ho_scene_loaded ho_scene_load(const ho_scene *s) {
  GError *error = NULL;
  ho_scene_loaded l = {.config = ho_config_load(s->config_file, &error)};
  cr_assert_not_null(l.config, "%s", error ? error->message : "");
  l.experiment = ho_experiment_new(l.config, &error);
  cr_assert_not_null(l.experiment, "%s", error ? error->message : "");
  return l;
}

void ho_scene_unload(ho_scene_loaded *l) {
  ho_experiment_free(l->experiment);
  ho_config_free(l->config);
}

ho_run_outcome ho_scene_run(const ho_scene *s, const ho_run_setup *setup) {
  const ho_run_setup plain = {.jobs = 1};
  GError *error = NULL;
  ho_scene_loaded l = ho_scene_load(s);
  ho_store *store = ho_store_open(s->database, HO_STORE_CREATE, &error);
  cr_assert_not_null(store, "%s", error ? error->message : "");
  ho_run_outcome outcome;
  cr_assert(ho_experiment_run_all(l.experiment, store, setup ? setup : &plain, &outcome, &error), "%s",
            error ? error->message : "");
  cr_assert(ho_store_close(store, &error), "%s", error ? error->message : "");
  ho_scene_unload(&l);
  return outcome;
}

void ho_scene_kill_at(const ho_run_progress *p, void *user) {
  if (p->done == *(int32_t *)user) kill(getpid(), SIGKILL);
}

/* --- the database ------------------------------------------------------------------------------------------------------------- */

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql) {
  sqlite3_stmt *q = NULL;
  cr_assert_eq(sqlite3_prepare_v2(db, sql, -1, &q, NULL), SQLITE_OK, "%s: %s", sql, sqlite3_errmsg(db));
  return q;
}

static gboolean is_content(const char *column) {
  return !g_str_has_prefix(column, "seconds") && !g_str_has_suffix(column, "_at") && strcmp(column, "attempts") != 0;
}

/* "SELECT every content column of the table, in an order that depends on content only". */
static char *select_all(sqlite3 *db, const char *table) {
  g_autofree char *about = g_strdup_printf("SELECT name FROM pragma_table_info('%s') ORDER BY cid", table);
  g_autoptr(GString) columns = g_string_new(NULL);
  sqlite3_stmt *q = prepare(db, about);
  while (sqlite3_step(q) == SQLITE_ROW) {
    const char *name = (const char *)sqlite3_column_text(q, 0);
    if (is_content(name)) g_string_append_printf(columns, "%s\"%s\"", columns->len ? "," : "", name);
  }
  sqlite3_finalize(q);
  return g_strdup_printf("SELECT %s FROM \"%s\" ORDER BY %s", columns->str, table, columns->str);
}

static void dump_table(sqlite3 *db, const char *table, GString *out) {
  g_autofree char *sql = select_all(db, table);
  g_string_append_printf(out, "== %s\n", table);
  sqlite3_stmt *q = prepare(db, sql);
  while (sqlite3_step(q) == SQLITE_ROW) {
    for (int i = 0; i < sqlite3_column_count(q); i++) {
      if (sqlite3_column_type(q, i) == SQLITE_FLOAT) /* all bits */
        g_string_append_printf(out, "%a|", sqlite3_column_double(q, i));
      else
        g_string_append_printf(out, "%s|",
                               sqlite3_column_type(q, i) == SQLITE_NULL ? "" : (const char *)sqlite3_column_text(q, i));
    }
    g_string_append_c(out, '\n');
  }
  sqlite3_finalize(q);
}

static sqlite3 *open_database(const char *database) {
  sqlite3 *db = NULL;
  cr_assert_eq(sqlite3_open_v2(database, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK, "cannot open %s", database);
  return db;
}

char *ho_scene_dump(const char *database) {
  sqlite3 *db = open_database(database);
  g_autoptr(GString) out = g_string_new(NULL);
  sqlite3_stmt *q = prepare(db, "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name");
  while (sqlite3_step(q) == SQLITE_ROW) dump_table(db, (const char *)sqlite3_column_text(q, 0), out);
  sqlite3_finalize(q);
  sqlite3_close(db);
  return g_string_free(g_steal_pointer(&out), FALSE);
}

double ho_scene_number(const char *database, const char *sql) {
  sqlite3 *db = open_database(database);
  sqlite3_stmt *q = prepare(db, sql);
  cr_assert_eq(sqlite3_step(q), SQLITE_ROW, "%s", sql);
  double value = sqlite3_column_double(q, 0);
  sqlite3_finalize(q);
  sqlite3_close(db);
  return value;
}
