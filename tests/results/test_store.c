/* test_store.c: the database: content keys, studies, resuming, what finishing a run writes, and what jobs and order cannot change. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "results/judge.h"
#include "results/store_query.h"
#include "tests/results/store_fixture.h"

#define OK(call)                                                                \
  do {                                                                          \
    GError *e_ = NULL;                                                          \
    int64_t r_ = (int64_t)(call);                                               \
    cr_assert(r_ != 0 && r_ != -1 && !e_, #call ": %s", e_ ? e_->message : ""); \
  } while (0)

static char *folder, *file;

static void set_up(void) {
  folder = make_folder();
  file = g_build_filename(folder, "x.db", NULL);
}

static void tear_down(void) {
  g_free(file);
  remove_folder(folder);
}

TestSuite(store, .init = set_up, .fini = tear_down);

static ho_store *open_or_fail(ho_store_mode mode) {
  g_autoptr(GError) error = NULL;
  ho_store *s = ho_store_open(file, mode, &error);
  cr_assert_not_null(s, "%s", error ? error->message : "");
  return s;
}

/* A filled database, closed. */
static void fill(fixture *f, int32_t replicates) {
  ho_store *s = open_or_fail(HO_STORE_CREATE);
  OK(ho_store_add_environment(s, "{}", "environment", &e_));
  OK(lay_out(s, f, replicates, &e_));
  OK(put_references(s, f, &e_));
  for (int32_t i = 0; i < f->n_runs; i++) OK(compute_run(s, f->run[i], &e_));
  OK(ho_judge_study(s, f->study, &e_));
  OK(ho_store_close(s, &e_));
}

Test(store, a_new_database_says_what_it_is_and_is_one_file_when_closed) {
  fixture f;
  fill(&f, 3);
  cr_assert_eq(sql_number(file, "PRAGMA application_id"), HO_STORE_APPLICATION_ID);
  cr_assert_eq(sql_number(file, "PRAGMA user_version"), HO_STORE_SCHEMA);
  g_autofree char *integrity = sql_text(file, "PRAGMA integrity_check"), *journal = sql_text(file, "PRAGMA journal_mode");
  cr_assert_str_eq(integrity, "ok");
  cr_assert_str_eq(journal, "wal");
  g_autofree char *keys = sql_text(file, "SELECT count(*) FROM pragma_foreign_key_check");
  cr_assert_str_eq(keys, "0");
  cr_assert_eq(sql_number(file, "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE '%STRICT%'"), 0);
}

Test(store, laying_out_again_finds_every_run_and_changes_nothing) {
  fixture f, again;
  fill(&f, 3);
  g_autofree char *before = dump_content(file);
  ho_store *s = open_or_fail(HO_STORE_CREATE);
  OK(lay_out(s, &again, 3, &e_));
  cr_assert_eq(memcmp(&f, &again, sizeof f), 0);
  ho_store_key key = {f.problem[0], f.scheduler[1], 7, 2, 1000, "checkpoints=2,replays=5"};
  ho_run_status status;
  OK(ho_store_add_run(s, &key, &status, &e_));
  cr_assert_eq(status, HO_RUN_DONE);
  GArray *open = ho_store_open_runs(s, NULL);
  cr_assert_eq(open->len, 0);
  g_array_unref(open);
  OK(ho_store_close(s, &e_));
  g_autofree char *after = dump_content(file);
  cr_assert_str_eq(before, after);
}

Test(store, a_changed_config_adds_only_what_is_new) {
  fixture f, more;
  fill(&f, 2);
  ho_store *s = open_or_fail(HO_STORE_CREATE);
  OK(lay_out(s, &more, 3, &e_)); /* one more replicate of the seeded scheduler on each problem */
  GArray *open = ho_store_open_runs(s, NULL);
  cr_assert_eq(open->len, 2);
  for (guint i = 0; i < open->len; i++) {
    ho_open_run r = g_array_index(open, ho_open_run, i);
    cr_assert(r.status == HO_RUN_PENDING && r.replicate == 2 && r.scheduler_id == f.scheduler[1] && r.seed == 7 &&
              r.evaluations == 1000);
  }
  g_array_unref(open);
  OK(lay_out(s, &more, 1, &e_)); /* fewer: the runs stay, the study does not show them */
  GPtrArray *rows = ho_store_results(s, NULL, NULL);
  cr_assert_eq(rows->len, 4);
  g_ptr_array_unref(rows);
  OK(ho_store_close(s, &e_));
  cr_assert_eq(sql_number(file, "SELECT count(*) FROM run"), 8);
}

Test(store, another_experiment_is_refused) {
  fixture f;
  fill(&f, 1);
  ho_store *s = open_or_fail(HO_STORE_WRITE);
  g_autoptr(GError) error = NULL;
  cr_assert_eq(ho_store_add_experiment(s, "other", "", "d", 1, &error), -1);
  cr_assert(strstr(error->message, "'fixture'") && strstr(error->message, "'other'") && g_str_has_prefix(error->message, file));
  ho_store_free(s);
}

static gpointer work_backwards(gpointer data) {
  void **arg = data;
  ho_store *s = arg[0];
  const fixture *f = arg[1];
  int32_t first = GPOINTER_TO_INT(arg[2]);
  for (int32_t i = f->n_runs - 1 - first; i >= 0; i -= 3)
    if (!compute_run(s, f->run[i], NULL)) return NULL;
  return s;
}

Test(store, neither_threads_nor_their_order_change_what_is_stored) {
  fixture f;
  fill(&f, 9);
  g_autofree char *one = dump_content(file);
  g_free(file);
  file = g_build_filename(folder, "y.db", NULL);
  ho_store *s = open_or_fail(HO_STORE_CREATE);
  OK(ho_store_add_environment(s, "{}", "environment", &e_));
  OK(lay_out(s, &f, 9, &e_));
  GThread *thread[3];
  void *arg[3][3];
  for (int i = 0; i < 3; i++) {
    arg[i][0] = s;
    arg[i][1] = &f;
    arg[i][2] = GINT_TO_POINTER(i);
    thread[i] = g_thread_new(NULL, work_backwards, arg[i]);
  }
  for (int i = 0; i < 3; i++) cr_assert_not_null(g_thread_join(thread[i]));
  OK(put_references(s, &f, &e_));
  OK(ho_judge_study(s, f.study, &e_));
  OK(ho_store_close(s, &e_));
  g_autofree char *three = dump_content(file);
  cr_assert_str_eq(one, three);
}

Test(store, a_front_is_what_no_other_plan_of_the_run_dominates) {
  fixture f;
  fill(&f, 1);
  ho_store *s = open_or_fail(HO_STORE_READ);
  GPtrArray *points = ho_store_final_fronts(s, "main", "one/inference/desk", NULL);
  cr_assert_eq(points->len, 4, "two of three plans of two runs");
  for (guint i = 0; i < points->len; i++) {
    const ho_front_point *p = g_ptr_array_index(points, i);
    double base = 1 + 0.01 * (double)f.run[i / 2];
    cr_assert_eq(p->plan_id, f.run[i / 2] * 1000000 + i % 2);
    cr_assert_str_eq(p->scheduler, i < 2 ? "HEFT" : "NSGA-II");
    cr_assert_eq(p->value[HO_OBJECTIVE_LATENCY], base * (i % 2 ? 3 : 1));
    cr_assert_eq(p->value[HO_OBJECTIVE_ENERGY], base * (i % 2 ? 1 : 4));
    cr_assert_eq(p->value[HO_OBJECTIVE_MEMORY], 0.25);
  }
  const ho_front_point *first = g_ptr_array_index(points, 0);
  g_autofree char *json = ho_store_plan_json(s, first->plan_id, NULL);
  cr_assert_str_eq(json, "{\"plan\":0,\"run\":1}");
  g_autofree char *graph = NULL, *platform = NULL;
  OK(ho_store_plan_inputs(s, first->plan_id, &graph, &platform, &e_));
  cr_assert_str_eq(graph, "{\"graph\":1}");
  cr_assert_str_eq(platform, "name: desk\n");
  g_ptr_array_unref(points);
  ho_store_free(s);
}

Test(store, results_has_a_row_per_run_with_quantiles_of_the_fastest_plan) {
  fixture f;
  fill(&f, 2);
  ho_store *s = open_or_fail(HO_STORE_READ);
  GPtrArray *rows = ho_store_results(s, NULL, NULL);
  cr_assert_eq(rows->len, 6);
  const ho_result_row *r = g_ptr_array_index(rows, 0);
  double latency = 1 + 0.01 * (double)f.run[0];
  cr_assert_str_eq(r->workload, "one");
  cr_assert(r->deterministic && r->single && r->status == HO_RUN_DONE && r->evaluations == 1000 && r->seconds == 0.75);
  cr_assert_eq(r->value[HO_OBJECTIVE_LATENCY], latency);
  cr_assert_float_eq(r->latency_p50, latency * 1.2, 1e-14);
  cr_assert_float_eq(r->latency_p95, latency * 1.38, 1e-14); /* type 7: position 4·0.95 = 3.8 */
  cr_assert_float_eq(r->slr, latency / 0.5, 1e-14);
  cr_assert_eq(r->value[HO_OBJECTIVE_ENERGY], latency, "of the second plan");
  cr_assert(r->hv > 0 && r->hv < 1);
  r = g_ptr_array_index(rows, 5);
  cr_assert_str_eq(r->problem, "two:batch=8/inference/desk");
  cr_assert_eq(r->replicate, 1);
  g_ptr_array_unref(rows);
  ho_store_free(s);
}

Test(store, a_run_whose_plans_cannot_be_replayed_is_infeasible) {
  fixture f;
  ho_store *s = open_or_fail(HO_STORE_CREATE);
  OK(ho_store_add_environment(s, "{}", "environment", &e_));
  OK(lay_out(s, &f, 1, &e_));
  ho_store_plan plan = {.json = "{}", .estimate = {1, 1, NAN}, .exact = {.infeasible = "op b: no room in hbm0"}};
  ho_store_result r = {.status = HO_RUN_DONE, .n_plans = 1, .plans = &plan};
  cr_assert_eq(ho_store_claim_run(s, f.run[0], 1, NULL), 1);
  OK(ho_store_finish_run(s, f.run[0], &r, &e_));
  cr_assert_eq(ho_store_claim_run(s, f.run[0], 1, NULL), 0, "final");
  ho_store_result failed = {.status = HO_RUN_FAILED, .reason = "it gave up"};
  OK(ho_store_finish_run(s, f.run[1], &failed, &e_));
  cr_assert_eq(ho_store_claim_run(s, f.run[1], 1, NULL), 1, "a failure can be tried again");
  OK(ho_store_finish_run(s, f.run[1], &failed, &e_));
  OK(ho_judge_study(s, f.study, &e_));
  GPtrArray *cells = ho_store_plain_cells(s, "main", "latency", NULL);
  const ho_cell *c = g_ptr_array_index(cells, 0);
  cr_assert(c->n == 1 && c->n_infeasible == 1 && c->n_value == 0 && isnan(c->median));
  cr_assert_str_eq(c->reason, "op b: no room in hbm0");
  c = g_ptr_array_index(cells, 1);
  cr_assert(c->n_failed == 1);
  cr_assert_str_eq(c->reason, "it gave up");
  c = g_ptr_array_index(cells, 2);
  cr_assert(c->n_open == 1 && !c->reason);
  g_ptr_array_unref(cells);
  ho_store_free(s);
}

Test(store, trying_again_replaces_what_an_attempt_left) {
  fixture f;
  ho_store *s = open_or_fail(HO_STORE_CREATE);
  OK(ho_store_add_environment(s, "{}", "environment", &e_));
  OK(lay_out(s, &f, 1, &e_));
  double point[] = {1, 2, 0.5};
  ho_store_checkpoint checkpoint = {5, 1, point};
  ho_store_plan plan = {.json = "{}", .exact = {{1, 2, 0.5, 1, 1}, NULL}};
  ho_store_result failed = {
      .status = HO_RUN_FAILED, .reason = "late", .n_checkpoints = 1, .checkpoints = &checkpoint, .n_plans = 1, .plans = &plan};
  OK(ho_store_finish_run(s, f.run[0], &failed, &e_));
  OK(compute_run(s, f.run[0], &e_));
  ho_store_free(s);
  cr_assert_eq(sql_number(file, "SELECT count(*) FROM checkpoint"), 2);
  cr_assert_eq(sql_number(file, "SELECT count(*) FROM plan"), 3);
}

Test(store, a_swept_parameter_is_a_column_of_results) {
  fixture f;
  ho_store *s = open_or_fail(HO_STORE_CREATE);
  OK(ho_store_add_environment(s, "{}", "environment", &e_));
  OK(lay_out(s, &f, 1, &e_));
  OK(ho_store_add_parameter(s, 1, "PCIe", "8GB/s", &e_));
  OK(ho_store_add_parameter(s, 2, "PCIe", "16GB/s", &e_));
  OK(ho_store_add_parameter(s, 2, "odd \"name\"", "64", &e_));
  OK(ho_store_finish_layout(s, &e_));
  g_autoptr(GError) error = NULL;
  cr_assert(!ho_store_add_parameter(s, 1, "HV", "1", &error));
  cr_assert_not_null(strstr(error->message, "'HV'"));
  OK(ho_store_close(s, &e_));
  g_autofree char *two = sql_text(file, "SELECT PCIe FROM results WHERE problem = 'two:batch=8/inference/desk'");
  g_autofree char *type = sql_text(file, "SELECT typeof(\"odd \"\"name\"\"\") FROM results WHERE PCIe = '16GB/s'");
  g_autofree char *columns =
      sql_text(file, "SELECT group_concat(name) FROM (SELECT name FROM pragma_table_info('results') LIMIT 7)");
  cr_assert_str_eq(two, "16GB/s");
  cr_assert_str_eq(type, "real");
  cr_assert_str_eq(columns, "study,workload,mode,platform,PCIe,odd \"name\",scheduler");
}

/* The columns that every database has. */
Test(store, views_have_the_columns_that_others_rely_on) {
  ho_store_free(open_or_fail(HO_STORE_CREATE));
  g_autofree char *front = sql_text(file, "SELECT group_concat(name) FROM pragma_table_info('final_front')");
  g_autofree char *indicator = sql_text(file, "SELECT group_concat(name) FROM pragma_table_info('final_indicator')");
  g_autofree char *results = sql_text(file, "SELECT group_concat(name) FROM pragma_table_info('results')");
  cr_assert_str_eq(front, "study,problem,scheduler,replicate,plan_id,latency,energy,memory");
  cr_assert_str_eq(indicator, "study,problem,scheduler,replicate,frame,indicator,value");
  cr_assert(g_str_has_prefix(
      results, "study,workload,mode,platform,scheduler,replicate,seconds,evaluations,status,hv,slr,latency_p50,latency_p95"));
}

Test(store, names_that_are_not_there_are_answered_with_those_that_are) {
  fixture f;
  fill(&f, 1);
  ho_store *s = open_or_fail(HO_STORE_READ);
  g_autoptr(GError) a = NULL;
  g_autoptr(GError) b = NULL;
  cr_assert_null(ho_store_results(s, "mian", &a));
  cr_assert_not_null(strstr(a->message, "no study 'mian', expected one of: main"));
  cr_assert_null(ho_store_final_fronts(s, NULL, "one", &b));
  cr_assert_not_null(strstr(b->message, "one/inference/desk, two:batch=8/inference/desk"));
  ho_store_free(s);
}

Test(store, a_database_for_reading_cannot_be_written) {
  fixture f;
  fill(&f, 1);
  ho_store *s = open_or_fail(HO_STORE_READ);
  g_autoptr(GError) error = NULL;
  cr_assert(!lay_out(s, &f, 1, &error));
  cr_assert(g_str_has_prefix(error->message, file) && strstr(error->message, "read-only"), "%s", error->message);
  ho_store_free(s);
}
