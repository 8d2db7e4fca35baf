/* test_results_doc.c: docs/results.md is enough: its queries run, and what they give makes a hypervolume again. */
#include <criterion/criterion.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "tests/experiments/scene.h"

static ho_scene *scene;
static sqlite3 *db;
static void set_up(void) {
  scene = ho_scene_new();
  ho_scene_run(scene, NULL);
  cr_assert_eq(sqlite3_open_v2(scene->database, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
}
static void tear_down(void) {
  sqlite3_close(db);
  ho_scene_free(scene);
}
TestSuite(results_doc, .init = set_up, .fini = tear_down);

/* The page's first block of SQL; g_free. */
static char *sql_of_page(void) {
  g_autofree char *file = g_build_filename(g_getenv("HO_TEST_SRCDIR"), "docs", "results.md", NULL), *page = NULL;
  cr_assert(g_file_get_contents(file, &page, NULL, NULL), "cannot read %s", file);
  char *from = strstr(page, "```sql\n"), *to = from ? strstr(from, "\n```\n") : NULL;
  cr_assert_not_null(to, "no block of SQL in %s", file);
  from += strlen("```sql\n");
  return g_strndup(from, (gsize)(to - from) + 1);
}

/* The statement whose text holds `what`; finalized by the caller. */
static sqlite3_stmt *query_with(const char *sql, const char *what) {
  for (const char *rest = sql; *rest;) {
    const char *at = rest;
    sqlite3_stmt *q = NULL;
    cr_assert_eq(sqlite3_prepare_v2(db, at, -1, &q, &rest), SQLITE_OK, "%s: %s", sqlite3_errmsg(db), at);
    if (q && strstr(sqlite3_sql(q), what)) return q;
    sqlite3_finalize(q);
    if (!q) break;
  }
  cr_assert_fail("no query with '%s' in\n%s", what, sql);
  return NULL;
}

Test(results_doc, every_query_of_the_page_runs) {
  g_autofree char *sql = sql_of_page();
  int n = 0;
  for (const char *rest = sql; *rest; n++) {
    sqlite3_stmt *q = NULL;
    cr_assert_eq(sqlite3_prepare_v2(db, rest, -1, &q, &rest), SQLITE_OK, "%s", sqlite3_errmsg(db));
    if (!q) break;
    int row = sqlite3_step(q);
    cr_assert(row == SQLITE_ROW || row == SQLITE_DONE, "%s: %s", sqlite3_sql(q), sqlite3_errmsg(db));
    sqlite3_finalize(q);
  }
  cr_assert_geq(n, 4);
}

typedef struct {
  double ideal, nadir, reference;
} axis;

/* The frame of one problem as the page's query gives it, in the order latency, energy, memory; asserts a logarithmic scale. */
static void read_axes(const char *sql, const char *problem, const char *kind, axis out[3]) {
  sqlite3_stmt *q = query_with(sql, "study_frame");
  int n = 0;
  while (sqlite3_step(q) == SQLITE_ROW) {
    if (strcmp((const char *)sqlite3_column_text(q, 1), problem) != 0 ||
        strcmp((const char *)sqlite3_column_text(q, 2), kind) != 0)
      continue;
    cr_assert_str_eq((const char *)sqlite3_column_text(q, 3), "log");
    cr_assert_lt(n, 3);
    out[n++] = (axis){sqlite3_column_double(q, 5), sqlite3_column_double(q, 6), sqlite3_column_double(q, 7)};
  }
  cr_assert_eq(n, 3, "three axes of %s", problem);
  sqlite3_finalize(q);
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Volume below `reference` by the definition: cells of the grid through all coordinates that some point is below of. */
static double volume(double (*u)[3], int n, const double *reference) {
  double *grid[3], sum = 0;
  for (int k = 0; k < 3; k++) {
    grid[k] = g_new(double, n + 1);
    for (int i = 0; i < n; i++) grid[k][i] = fmin(u[i][k], reference[k]);
    grid[k][n] = reference[k];
    qsort(grid[k], (size_t)n + 1, sizeof(double), ascending);
  }
  for (int x = 0; x < n; x++)
    for (int y = 0; y < n; y++)
      for (int z = 0; z < n; z++) {
        int covered = 0;
        for (int i = 0; i < n && !covered; i++) covered = u[i][0] <= grid[0][x] && u[i][1] <= grid[1][y] && u[i][2] <= grid[2][z];
        if (covered) sum += (grid[0][x + 1] - grid[0][x]) * (grid[1][y + 1] - grid[1][y]) * (grid[2][z + 1] - grid[2][z]);
      }
  for (int k = 0; k < 3; k++) g_free(grid[k]);
  return sum;
}

Test(results_doc, a_hypervolume_is_computed_again_from_views_and_frame) {
  static const char *const problem = "a.json/inference/pair";
  g_autofree char *sql = sql_of_page();
  axis a[3];
  read_axes(sql, problem, "payoff", a);
  double u[500][3], reference[3], whole = 1;
  int n = 0;
  sqlite3_stmt *q = NULL;
  sqlite3_prepare_v2(
      db,
      "SELECT latency, energy, memory FROM final_front WHERE problem = 'a.json/inference/pair' AND scheduler = 'nsga2'"
      " AND replicate = 1",
      -1, &q, NULL);
  for (; sqlite3_step(q) == SQLITE_ROW; n++)
    for (int k = 0; k < 3; k++) u[n][k] = log(sqlite3_column_double(q, k) / a[k].ideal) / log(a[k].nadir / a[k].ideal);
  sqlite3_finalize(q);
  for (int k = 0; k < 3; k++) whole *= reference[k] = log(a[k].reference / a[k].ideal) / log(a[k].nadir / a[k].ideal);
  double stored =
      ho_scene_number(scene->database,
                      "SELECT value FROM final_indicator WHERE problem = 'a.json/inference/pair' AND scheduler = 'nsga2'"
                      " AND replicate = 1 AND frame = 'payoff' AND indicator = 'hv'");
  cr_assert(n > 1 && stored > 0, "%d plans, hypervolume %g", n, stored);
  cr_assert_float_eq(volume(u, n, reference) / whole, stored, 1e-12);
}
