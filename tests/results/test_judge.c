/* test_judge.c: frames and indicators out of a database. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "results/judge.h"
#include "results/store_query.h"
#include "tests/results/store_fixture.h"

static char *folder, *file;
static ho_store *s;
static fixture f;

static void set_up(void) {
  folder = make_folder();
  file = g_build_filename(folder, "x.db", NULL);
  s = ho_store_open(file, HO_STORE_CREATE, NULL);
  cr_assert(s && ho_store_add_environment(s, "{}", "environment", NULL) > 0 && lay_out(s, &f, 3, NULL));
  for (int32_t i = 0; i < f.n_runs; i++) cr_assert(compute_run(s, f.run[i], NULL));
}

static void tear_down(void) {
  ho_store_free(s);
  g_free(file);
  remove_folder(folder);
}

TestSuite(judge, .init = set_up, .fini = tear_down);

/* The payoff frame of the fixture's references has ideal (1, 2, 1/8) and a factor of 4 in each column; a run of base b has the final
 * front (b, 4b, 1/4), (3b, b, 1/4). */
static double expected_hv(double b) {
  double x1 = log(b) / log(4), y1 = log(2 * b) / log(4), x2 = log(3 * b) / log(4), y2 = log(b / 2) / log(4), z = 0.5;
  return ((1.1 - x1) * (1.1 - y1) + (1.1 - x2) * (y1 - y2)) * (1.1 - z) / (1.1 * 1.1 * 1.1);
}

Test(judge, hypervolumes_are_those_of_the_final_fronts_in_the_payoff_frame) {
  cr_assert(put_references(s, &f, NULL) && ho_judge_study(s, f.study, NULL));
  GPtrArray *cells = ho_store_cells(s, "main", NULL, "hv", NULL);
  cr_assert_eq(cells->len, 4);
  int run = 0;
  for (guint i = 0; i < cells->len; i++) {
    const ho_cell *c = g_ptr_array_index(cells, i);
    cr_assert_eq(c->n_value, i % 2 ? 3 : 1);
    cr_assert_eq(c->deterministic, i % 2 == 0);
    for (int32_t r = 0; r < c->n_value; r++) {
      double expected = expected_hv(1 + 0.01 * (double)f.run[run++]);
      cr_assert_float_eq(c->values[r], expected, 1e-13, "%.17g, expected %.17g", c->values[r], expected);
    }
    if (c->n_value == 3)
      cr_assert(c->median == c->values[1] && c->q1 == (c->values[1] + c->values[2]) / 2, "values fall as b grows");
  }
  g_ptr_array_unref(cells);
}

Test(judge, a_frame_reads_back_as_it_was) {
  cr_assert(put_references(s, &f, NULL) && ho_judge_study(s, f.study, NULL));
  ho_frame frame;
  cr_assert(ho_store_frame(s, "main", "one/inference/desk", NULL, &frame, NULL));
  cr_assert(frame.defined && frame.kind == HO_FRAME_PAYOFF && frame.scale == HO_SCALE_LOG && frame.n == 3);
  cr_assert(frame.ideal[0] == 1 && frame.nadir[1] == 8 && frame.ideal[2] == 0.125);
  ho_objective objective[HO_MAX_OBJECTIVES];
  cr_assert_eq(ho_store_objectives(s, "main", "one/inference/desk", objective, NULL), 3);
  cr_assert_eq(objective[1], HO_OBJECTIVE_ENERGY);
}

Test(judge, without_a_frame_of_that_kind_values_are_refused) {
  cr_assert(put_references(s, &f, NULL) && ho_judge_study(s, f.study, NULL));
  g_autoptr(GError) error = NULL;
  cr_assert_null(ho_store_cells(s, "main", "near", "hv", &error));
  cr_assert(strstr(error->message, "not judged in the frame 'near'"), "%s", error->message);
  cr_assert(ho_judge_study_in(s, f.study, HO_FRAME_NEAR, NULL) && ho_judge_study_in(s, f.study, HO_FRAME_ABSOLUTE, NULL));
  const char *const kinds[] = {"payoff", "near", "absolute", "union"};
  double value[4];
  for (int k = 0; k < 4; k++) {
    GPtrArray *cells = ho_store_cells(s, "main", kinds[k], "hv", NULL);
    const ho_cell *c = g_ptr_array_index(cells, 0);
    value[k] = c->median;
    for (int j = 0; j < k; j++) cr_assert_neq(value[j], value[k], "each kind has its own value");
    g_ptr_array_unref(cells);
  }
  /* absolute, by hand: t_ref 2 s, 10 W: (b, 4b, 1/4) is (b/2, b/5, 1/4), (3b, b, 1/4) is (3b/2, b/20, 1/4), up to (2, 1, 1). */
  double b = 1 + 0.01 * (double)f.run[0];
  double expected = ((2 - b / 2) * (1 - b / 5) + (2 - 1.5 * b) * (b / 5 - b / 20)) * 0.75 / 2;
  cr_assert_float_eq(value[2], expected, 1e-13);
}

Test(judge, without_references_the_frame_is_undefined_with_a_reason_and_nothing_has_a_value) {
  cr_assert(ho_judge_study(s, f.study, NULL));
  ho_frame frame;
  cr_assert(ho_store_frame(s, "main", "one/inference/desk", NULL, &frame, NULL));
  cr_assert(!frame.defined && frame.reason[0]);
  GPtrArray *cells = ho_store_cells(s, "main", NULL, "hv", NULL);
  const ho_cell *c = g_ptr_array_index(cells, 1);
  cr_assert(c->n == 3 && c->n_value == 0 && isnan(c->median));
  g_ptr_array_unref(cells);
}

Test(judge, the_best_run_is_at_no_distance_from_the_union) {
  cr_assert(put_references(s, &f, NULL) && ho_judge_study(s, f.study, NULL));
  /* Bases grow with the run: the first run of a problem dominates the others and is the union. */
  GPtrArray *epsilon = ho_store_cells(s, "main", NULL, "epsilon", NULL), *igd = ho_store_cells(s, "main", NULL, "igd_plus", NULL);
  const ho_cell *best = g_ptr_array_index(epsilon, 0), *other = g_ptr_array_index(epsilon, 1);
  cr_assert(best->values[0] == 0 && other->values[0] > 0 && other->values[1] > other->values[0]);
  best = g_ptr_array_index(igd, 0);
  other = g_ptr_array_index(igd, 1);
  cr_assert(best->values[0] == 0 && other->values[0] > 0 && other->values[2] > other->values[1]);
  g_ptr_array_unref(epsilon);
  g_ptr_array_unref(igd);
  g_autoptr(GError) error = NULL;
  cr_assert_null(ho_store_cells(s, "main", "payoff", "epsilon", &error));
  cr_assert_not_null(strstr(error->message, "union"));
}

Test(judge, judging_twice_changes_nothing) {
  cr_assert(put_references(s, &f, NULL) && ho_judge_study(s, f.study, NULL));
  g_autofree char *once = dump_content(file);
  cr_assert(ho_judge_study(s, f.study, NULL));
  g_autofree char *twice = dump_content(file);
  cr_assert_str_eq(once, twice);
}

/* As after an interruption: judged with what was done, then with the rest. */
Test(judge, a_study_judged_early_leaves_nothing_behind) {
  g_autofree char *early = g_build_filename(folder, "early.db", NULL);
  ho_store *t = ho_store_open(early, HO_STORE_CREATE, NULL);
  fixture g;
  cr_assert(t && ho_store_add_environment(t, "{}", "environment", NULL) > 0 && lay_out(t, &g, 3, NULL));
  cr_assert(put_references(t, &g, NULL) && compute_run(t, g.run[g.n_runs - 1], NULL) && ho_judge_study(t, g.study, NULL));
  cr_assert_gt(sql_number(early, "SELECT count(*) FROM frame WHERE kind = 'union' AND defined"), 0);
  for (int32_t i = 0; i < g.n_runs; i++) cr_assert(compute_run(t, g.run[i], NULL));
  cr_assert(ho_judge_study(t, g.study, NULL));
  cr_assert(put_references(s, &f, NULL) && ho_judge_study(s, f.study, NULL));
  g_autofree char *expected = dump_content(file), *found = dump_content(early);
  cr_assert_str_eq(found, expected);
  ho_store_free(t);
}

Test(judge, checkpoints_are_judged_as_the_search_saw_them) {
  cr_assert(put_references(s, &f, NULL) && ho_judge_study(s, f.study, NULL));
  GPtrArray *trace = ho_store_convergence(s, "main", "one/inference/desk", "hv", NULL);
  cr_assert_eq(trace->len, 8, "four runs, two checkpoints");
  const ho_trace_point *early = g_ptr_array_index(trace, 0), *late = g_ptr_array_index(trace, 1);
  double b = 1 + 0.01 * (double)f.run[0];
  double x = log(2 * b) / log(4), y = log(2.5 * b) / log(4);
  cr_assert(early->evaluations == 10 && late->evaluations == 1000);
  cr_assert_float_eq(early->value, (1.1 - x) * (1.1 - y) * 0.6 / (1.1 * 1.1 * 1.1), 1e-13);
  cr_assert_float_eq(late->value, expected_hv(b), 1e-13);
  g_ptr_array_unref(trace);
}
