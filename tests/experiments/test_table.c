/* test_table.c: laws of experiments/table.h and check.h: what is printed is what is stored. */
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "experiments/check.h"
#include "experiments/table.h"
#include "experiments/table_study.h"
#include "tests/experiments/scene.h"

static ho_scene *scene;
static void set_up(void) {
  scene = ho_scene_new();
}
static void tear_down(void) {
  ho_scene_free(scene);
}
TestSuite(table, .init = set_up, .fini = tear_down);

static char *table(ho_table_format format, const char *indicator) {
  GError *error = NULL;
  g_autoptr(ho_store) s = ho_store_open(scene->database, HO_STORE_READ, &error);
  cr_assert_not_null(s, "%s", error ? error->message : "");
  char *text = ho_table(s, &(ho_table_setup){.format = format, .indicator = indicator}, &error);
  cr_assert_not_null(text, "%s", error ? error->message : "");
  return text;
}

/* The line that begins with `head`; g_free. */
static char *line(const char *text, const char *head) {
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  for (int i = 0; lines[i]; i++)
    if (g_str_has_prefix(lines[i], head)) return g_strdup(lines[i]);
  cr_assert_fail("no line begins with '%s' in\n%s", head, text);
  return NULL;
}

Test(table, text_states_frame_n_dashes_statuses_and_reasons) {
  ho_scene_run(scene, NULL);
  g_autofree char *text = table(HO_TABLE_TEXT, NULL);
  g_autofree char *head = line(text, "HV (frame payoff, n=3)");
  cr_assert(strstr(head, "heft") && strstr(head, "random") && strstr(head, "nsga2"), "%s", head);
  g_autofree char *pair = line(text, "a.json/inference/pair");
  cr_assert(strstr(pair, "±") && strchr(pair, '*'), "%s", pair);
  g_autofree char *tiny = line(text, "b.json/inference/tiny");
  cr_assert(strstr(tiny, "OOM  OOM  ") || strstr(tiny, "OOM"), "%s", tiny);
  cr_assert(strstr(text, "a.json/inference/tiny: excluded: too easy\n"), "%s", text);
  cr_assert(strstr(text, "deterministic, n=1: heft"), "%s", text);
}

Test(table, a_range_has_the_decimals_of_its_median) {
  ho_scene_run(scene, NULL);
  g_autofree char *text = table(HO_TABLE_TEXT, "slr");
  g_autoptr(GRegex) cell = g_regex_new(" [0-9]+\\.([0-9]+) ±[0-9]+\\.([0-9]+)", 0, 0, NULL);
  g_autoptr(GMatchInfo) found = NULL;
  int n = 0;
  for (g_regex_match(cell, text, 0, &found); g_match_info_matches(found); g_match_info_next(found, NULL), n++) {
    g_autofree char *of_median = g_match_info_fetch(found, 1), *of_range = g_match_info_fetch(found, 2);
    cr_assert_eq(strlen(of_median), strlen(of_range), "%s", text);
  }
  cr_assert_gt(n, 0, "%s", text);
}

Test(table, a_volume_of_zero_is_explained_below) {
  ho_scene_run(scene, NULL);
  g_autofree char *text = table(HO_TABLE_TEXT, NULL);
  gboolean zero = ho_scene_number(scene->database, "SELECT count(*) FROM results WHERE hv = 0 AND scheduler = 'heft'") > 0;
  cr_assert_eq(strstr(text, "HV 0: no plan") != NULL, zero, "%s", text);
}

Test(table, csv_has_a_line_per_cell_and_the_medians_of_the_database) {
  ho_scene_run(scene, NULL);
  g_autofree char *text = table(HO_TABLE_CSV, NULL);
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  cr_assert_eq(g_strv_length(lines), 1 + 4 * 3 + 1, "a head, 4 problems x 3 schedulers, the end");
  g_autofree char *cell = line(text, "main,a.json/inference/pair,random,hv,payoff,3,3,");
  double printed = g_ascii_strtod(cell + strlen("main,a.json/inference/pair,random,hv,payoff,3,3,"), NULL);
  double middle = ho_scene_number(scene->database,
                                  "SELECT value FROM final_indicator WHERE problem = 'a.json/inference/pair' AND scheduler = "
                                  "'random' AND indicator = 'hv' AND frame = 'payoff' ORDER BY value LIMIT 1 OFFSET 1");
  cr_assert_float_eq(printed, middle, 0, "the median of three is the middle one: %.17g, %.17g", printed, middle);
}

Test(table, json_holds_the_same_cells) {
  ho_scene_run(scene, NULL);
  g_autofree char *text = table(HO_TABLE_JSON, NULL);
  json_t *root = json_loads(text, 0, NULL);
  cr_assert_not_null(root, "%s", text);
  json_t *study = json_array_get(json_object_get(root, "studies"), 0), *cells = json_object_get(study, "cells"), *cell;
  cr_assert_str_eq(json_string_value(json_object_get(study, "frame")), "payoff");
  cr_assert_eq(json_array_size(cells), 12);
  size_t i, values = 0;
  json_array_foreach(cells, i, cell) values += json_array_size(json_object_get(cell, "values"));
  cr_assert_eq(values, 14);
  json_decref(root);
}

Test(table, latex_marks_the_best_and_escapes) {
  ho_scene_run(scene, NULL);
  ho_scene_configure(scene, "{times: 5, noise: 0.05}", "  - {use: peft, label: a_b&c}\n");
  ho_scene_run(scene, NULL);
  g_autofree char *text = table(HO_TABLE_LATEX, NULL);
  cr_assert(strstr(text, "\\begin{tabular}{lrrrr}") && strstr(text, "\\textbf{") && strstr(text, "a\\_b\\&c"), "%s", text);
}

Test(table, a_column_of_results_is_an_indicator_too_and_a_wrong_one_is_named) {
  ho_scene_run(scene, NULL);
  g_autofree char *text = table(HO_TABLE_TEXT, "latency");
  g_autofree char *head = line(text, "latency (n=3)");
  cr_assert(strstr(head, "heft"), "%s", head);
  g_autoptr(ho_store) s = ho_store_open(scene->database, HO_STORE_READ, NULL);
  GError *error = NULL;
  cr_assert_null(ho_table(s, &(ho_table_setup){.indicator = "latncy"}, &error));
  cr_assert(strstr(error->message, "latncy"), "%s", error->message);
  g_clear_error(&error);
  cr_assert_null(ho_table(s, &(ho_table_setup){.study = "mian"}, &error));
  cr_assert(strstr(error->message, "mian"), "%s", error->message);
  g_clear_error(&error);
}

/* --- against ----------------------------------------------------------------------------------------------------------------- */

/* Field k of the line of the CSV that begins with `head`. */
static double against_field(const char *text, const char *head, int k) {
  g_autofree char *found = line(text, head);
  g_auto(GStrv) fields = g_strsplit(found, ",", -1);
  cr_assert_gt((int)g_strv_length(fields), k);
  return *fields[k] ? g_ascii_strtod(fields[k], NULL) : NAN;
}

static char *against(const char *label, ho_table_format format) {
  g_autoptr(ho_store) s = ho_store_open(scene->database, HO_STORE_READ, NULL);
  GError *error = NULL;
  char *text = ho_table(s, &(ho_table_setup){.format = format, .against = label}, &error);
  cr_assert_not_null(text, "%s", error ? error->message : "");
  return text;
}

/* The middle of three runs. */
static double middle(const char *scheduler) {
  g_autofree char *sql = g_strdup_printf(
      "SELECT value FROM final_indicator WHERE problem = 'a.json/inference/pair' AND scheduler = '%s' AND indicator = 'hv' AND "
      "frame = 'payoff' "
      "ORDER BY value LIMIT 1 OFFSET 1",
      scheduler);
  return ho_scene_number(scene->database, sql);
}

Test(table, against_a_baseline_are_ratios_of_the_medians_of_the_database) {
  ho_scene_run(scene, NULL);
  g_autofree char *text = against("random", HO_TABLE_CSV);
  const char *head = "main,a.json/inference/pair,nsga2,random,hv,payoff,";
  cr_expect_float_eq(against_field(text, head, 6), middle("nsga2") / middle("random"), 1e-12);
  /* Three runs against three that all differ: A12 counts the pairs in which the first is larger, ties half. */
  double wins = ho_scene_number(
      scene->database,
      "SELECT SUM((a.value > b.value) + 0.5 * (a.value = b.value)) / 9.0 FROM final_indicator a, final_indicator b WHERE "
      "a.problem = 'a.json/inference/pair' AND b.problem = a.problem AND a.scheduler = 'nsga2' AND b.scheduler = 'random' "
      "AND a.indicator = 'hv' AND b.indicator = 'hv' AND a.frame = 'payoff' AND b.frame = 'payoff'");
  cr_expect_float_eq(against_field(text, head, 8), wins, 1e-12);
  double p = against_field(text, head, 7);
  cr_expect(p >= 0.1 - 1e-12 && p <= 1, "three against three cannot be below 2/20: %g", p);
}

Test(table, what_is_saved_is_the_least_within_five_percent_of_the_fastest) {
  ho_scene_run(scene, NULL);
  g_autofree char *text = against("heft", HO_TABLE_CSV); /* one run, one plan: its own latency and energy */
  double latency = ho_scene_number(
             scene->database, "SELECT latency FROM final_front WHERE problem = 'a.json/inference/pair' AND scheduler = 'heft'"),
         energy = ho_scene_number(
             scene->database, "SELECT energy FROM final_front WHERE problem = 'a.json/inference/pair' AND scheduler = 'heft'");
  double least[3];
  for (int r = 0; r < 3; r++) {
    g_autofree char *sql = g_strdup_printf(
        "SELECT MIN(energy) FROM final_front WHERE problem = 'a.json/inference/pair' AND scheduler = 'nsga2' AND "
        "replicate = %d AND latency <= 1.05 * %.17g",
        r, latency);
    least[r] = ho_scene_number(scene->database, sql);
    if (least[r] == 0) least[r] = INFINITY; /* none */
  }
  double median = MAX(MIN(least[0], least[1]), MIN(MAX(least[0], least[1]), least[2]));
  double saved = against_field(text, "main,a.json/inference/pair,nsga2,heft,hv,payoff,", 9);
  if (isfinite(median))
    cr_expect_float_eq(saved, 1 - median / energy, 1e-9, "%g", saved);
  else
    cr_expect(isnan(saved));
}

Test(table, against_needs_a_scheduler_of_the_study) {
  ho_scene_run(scene, NULL);
  g_autofree char *text = against("heft", HO_TABLE_TEXT);
  g_autofree char *head = line(text, "against heft: hv, frame payoff");
  g_autofree char *other = line(text, "nsga2 ");
  cr_expect(strchr(other, '/'), "%s", other);
  g_autoptr(ho_store) s = ho_store_open(scene->database, HO_STORE_READ, NULL);
  GError *error = NULL;
  cr_assert_null(ho_table(s, &(ho_table_setup){.against = "heff"}, &error));
  cr_expect(strstr(error->message, "did you mean 'heft'"), "%s", error->message);
  g_clear_error(&error);
}

/* --- check ------------------------------------------------------------------------------------------------------------------- */

static ho_check *check(void) {
  GError *error = NULL;
  ho_scene_loaded l = ho_scene_load(scene);
  ho_check *k = ho_experiment_check(l.experiment, scene->database, 2, &error);
  cr_assert_not_null(k, "%s", error ? error->message : "");
  ho_scene_unload(&l);
  return k;
}

Test(table, check_counts_without_changing_anything) {
  g_autoptr(ho_check) before = check();
  cr_assert_not(g_file_test(scene->database, G_FILE_TEST_EXISTS), "check makes no database");
  cr_assert_eq(before->runs, 21);
  cr_assert_eq(before->fresh, 21);
  cr_assert_eq(before->excluded->len, 1);
  cr_assert_str_eq(before->excluded->pdata[0], "a.json/inference/tiny (too easy)");
  cr_assert(before->seconds > 0 && before->bytes > 0);
  cr_assert(before->warnings->len > 0, "b.json fits nowhere on tiny");

  ho_scene_run(scene, NULL);
  g_autofree char *stored = ho_scene_dump(scene->database);
  ho_scene_configure(scene, "{times: 5, noise: 0.05}", "  - {use: peft}\n");
  g_autoptr(ho_check) after = check();
  cr_assert_eq(after->runs, 24);
  cr_assert_eq(after->fresh, 3);
  g_autofree char *still = ho_scene_dump(scene->database);
  cr_assert_str_eq(stored, still);
}

/* --- ranking --------------------------------------------------------------------------------------------------------------------- */

/* Three contenders on three problems, by hand: hv .5 .5 .2, then .1 .3 (none), the third is excluded. Ranks 1.5 1.5 3 and 2 1 3: means
 * 1.75, 1.25, 3. Latency 1 2 4 s, then 8 4 (none): over the least 1 · 2, 2 · 1, and 4 alone: geometric means √2, √2, 4. */
Test(table, ranking_shares_ranks_and_puts_failures_last) {
  ho_cell hv[6] = {{.n_value = 1, .median = 0.5}, {.n_value = 1, .median = 0.5}, {.n_value = 1, .median = 0.2},
                   {.n_value = 1, .median = 0.1}, {.n_value = 1, .median = 0.3}, {.n_value = 0}};
  ho_cell latency[6] = {{.n_value = 1, .median = 1}, {.n_value = 1, .median = 2}, {.n_value = 1, .median = 4},
                        {.n_value = 1, .median = 8}, {.n_value = 1, .median = 4}, {.n_value = 0}};
  ho_cell *cells[9] = {&hv[0], &hv[1], &hv[2], &hv[3], &hv[4], &hv[5]},
          *seconds[9] = {&latency[0], &latency[1], &latency[2], &latency[3], &latency[4], &latency[5]};
  const char *why[3] = {NULL, NULL, "left out"};
  char *labels[3] = {(char *)"a", (char *)"b", (char *)"c"};
  ho_table_study t = {.indicator = "hv",
                      .larger_is_better = TRUE,
                      .n_rows = 3,
                      .n_columns = 3,
                      .label = labels,
                      .why = why,
                      .cell = cells,
                      .raw = {seconds, seconds, seconds}};
  g_autoptr(GString) out = g_string_new(NULL);
  ho_table_write_ranking(&t, out);
  cr_assert_str_eq(out->str,
                   "\nmean rank over 2 problems\n"
                   "scheduler         hv  latency   energy   memory          latency / least (solved)\n"
                   "b               1.25     1.50     1.50     1.50          1.414 (2)\n"
                   "a               1.75     1.50     1.50     1.50          1.414 (2)\n"
                   "c               3.00     3.00     3.00     3.00          4.000 (1)\n",
                   "%s", out->str);
}
