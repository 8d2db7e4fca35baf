/* test_config.c: laws of experiments/config.h: what a file means, and what each fault is called. */
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <string.h>

#include "experiments/config.h"
#include "hwprofiles/platform_yaml.h"

#define HEAD                         \
  "format: heteroopt-experiment/1\n" \
  "name: t\n"                        \
  "workloads: [resnet50]\n"          \
  "platforms: [server]\n"            \
  "schedulers:\n"                    \
  "  - {use: heft}\n"

/* The message of a text that must be refused. The caller frees it. */
static char *refusal(const char *text) {
  GError *error = NULL;
  ho_config *c = ho_config_from_text("t.yaml", text, &error);
  cr_assert_null(c, "accepted:\n%s", text);
  char *message = g_strdup(error->message);
  g_error_free(error);
  cr_assert_null(strchr(message, '\n'), "more than one line: %s", message);
  return message;
}

static void refuses(const char *text, const char *expected) {
  g_autofree char *message = refusal(text);
  cr_assert_str_eq(message, expected, "found    %s\nexpected %s", message, expected);
}

static ho_config *accepts(const char *text) {
  GError *error = NULL;
  ho_config *c = ho_config_from_text("t.yaml", text, &error);
  cr_assert_not_null(c, "refused: %s", error ? error->message : "");
  return c;
}

Test(config, what_is_absent_has_its_default) {
  g_autoptr(ho_config) c = accepts(HEAD);
  cr_assert_eq(c->seed, 1);
  cr_assert_eq(c->replicates, 10);
  cr_assert_eq(c->n_modes, 1);
  cr_assert_str_eq(c->mode[0], "inference");
  cr_assert_eq(c->n_objectives, 3);
  cr_assert_eq(c->memory_measure, HO_MEMORY_TIGHTEST);
  cr_assert_eq(c->frame, HO_FRAME_PAYOFF);
  cr_assert_eq(c->evaluations, 10000);
  cr_assert_eq(c->checkpoints, 12);
  cr_assert_eq(c->replays, 20);
  cr_assert_float_eq(c->noise, 0.05, 0);
  cr_assert_float_eq(c->model_error, 0, 0);
  cr_assert_eq(c->n_studies, 1);
  cr_assert_str_eq(c->study[0], "main");
}

Test(config, every_key_is_read) {
  g_autoptr(ho_config) c = accepts(
      "format: heteroopt-experiment/1\nname: x.1\nseed: 9223372036854775807\nreplicates: 3\n"
      "workloads:\n  - resnet50:batch=8\n  - resnet50:batch=1\nmodes: [training, inference]\nplatforms: [server, edge-soc]\n"
      "exclude:\n  - {workload: resnet50, mode: training, platform: edge-soc, why: too slow}\n"
      "objectives: [energy, latency]\nmemory: total\nframe: near\nbudget: {evaluations: 7}\ncheckpoints: 0\n"
      "replays: {times: 5, noise: 0, model_error: 0.2}\n"
      "schedulers:\n  - {use: heft, label: HEFT}\n  - {use: single-fastest}\n  - {use: nsga2, set: [population=20]}\n"
      "portfolios:\n  - {label: Lists, of: [HEFT, single-fastest]}\nstudies:\n  - name: a\n  - {name: b}\n");
  cr_assert_str_eq(c->name, "x.1");
  cr_assert_eq(c->seed, G_MAXINT64);
  cr_assert_eq(c->n_workloads, 2);
  cr_assert_str_eq(c->workload[0].label, "resnet50:batch=8");
  cr_assert_str_eq(c->mode[0], "training");
  cr_assert_eq(c->n_objectives, 2);
  cr_assert_eq(c->objective[0], HO_OBJECTIVE_ENERGY);
  cr_assert_eq(c->memory_measure, HO_MEMORY_TOTAL);
  cr_assert_eq(c->frame, HO_FRAME_NEAR);
  cr_assert_eq(c->evaluations, 7);
  cr_assert_float_eq(c->model_error, 0.2, 0);
  cr_assert_eq(c->n_schedulers, 3);
  cr_assert_str_eq(c->scheduler[0].label, "HEFT");
  cr_assert_str_eq(c->scheduler[1].label, "single-fastest");
  cr_assert(strstr(c->scheduler[2].canonical, "population=20"));
  cr_assert_eq(c->n_portfolios, 1);
  cr_assert_eq(c->portfolio[0].of[1], 1);
  cr_assert_eq(c->n_studies, 2);
  cr_assert_str_eq(ho_config_excluded(c, 0, 0, 1)->why, "too slow");
  cr_assert_str_eq(ho_config_excluded(c, 1, 0, 1)->why, "too slow", "a model's name means it with any options");
  cr_assert_null(ho_config_excluded(c, 0, 1, 1));
  cr_assert_null(ho_config_excluded(c, 0, 0, 0));
}

Test(config, a_typing_error_is_told_at_its_place_with_a_guess) {
  refuses("format: heteroopt-experiment/1\nnaem: t\n", "t.yaml:2:1: key 'naem' is not known here (did you mean 'name'?)");
  refuses(HEAD "  - {use: hefft}\n", "t.yaml:7:6: key 'use': 'hefft' is no scheduler (did you mean 'heft'?)");
  refuses(HEAD "frame: payof\n", "t.yaml:7:1: key 'frame': 'payof' is no frame (did you mean 'payoff'?)");
  refuses(HEAD "objectives: [latncy]\n", "t.yaml:7:14: objectives[0]: 'latncy' is no objective (did you mean 'latency'?)");
  refuses("format: heteroopt-experiment/1\nname: t\nworkloads: [resnet5O]\n",
          "t.yaml:3:13: workloads[0]: 'resnet5O' is no model (did you mean 'resnet50'?)");
  refuses("format: heteroopt-experiment/1\nname: t\nworkloads: [resnet50]\nplatforms: [sever]\n",
          "t.yaml:4:13: platforms[0]: 'sever' is no platform (did you mean 'server'?)");
  refuses(HEAD "portfolios:\n  - {label: L, of: [hefd]}\n",
          "t.yaml:8:21: of[0]: 'hefd' is no scheduler of this experiment (did you mean 'heft'?)");
}

Test(config, options_are_read_by_the_scheduler_and_the_model) {
  g_autofree char *unknown = refusal(HEAD "  - {use: nsga2, set: [populaton=3]}\n");
  cr_assert(g_str_has_prefix(unknown, "t.yaml:7:24: set[0]: nsga2: option 'populaton' is not known"), "%s", unknown);
  g_autofree char *range = refusal(HEAD "  - use: nsga2\n    set: [population=-5]\n");
  cr_assert(g_str_has_prefix(range, "t.yaml:8:11: set[0]: nsga2: option 'population': found '-5'"), "%s", range);
  g_autofree char *model = refusal("format: heteroopt-experiment/1\nname: t\nworkloads:\n  - resnet50:bach=8\n");
  cr_assert(g_str_has_prefix(model, "t.yaml:4:5: workloads[0]: resnet50: option 'bach' is not known"), "%s", model);
}

Test(config, numbers_are_held_to_their_range) {
  refuses(HEAD "seed: -1\n", "t.yaml:7:1: key 'seed': '-1' is not a whole number from 0 to 9223372036854775807");
  refuses(HEAD "replicates: 0\n", "t.yaml:7:1: key 'replicates': '0' is not a whole number from 1 to 10000");
  refuses(HEAD "replicates: 1.5\n", "t.yaml:7:1: key 'replicates': '1.5' is not a whole number from 1 to 10000");
  refuses(HEAD "budget: {evaluations: 0}\n", "t.yaml:7:10: key 'evaluations': '0' is not a whole number from 1 to 1000000000000");
  refuses(HEAD "replays: {noise: nan}\n", "t.yaml:7:11: key 'noise': 'nan' is not a number from 0 to 10");
  refuses(HEAD "replays: {noise: -0.1}\n", "t.yaml:7:11: key 'noise': '-0.1' is not a number from 0 to 10");
  refuses(HEAD "replays: {times: 4}\n", "t.yaml:7:11: key 'times': '4' is not a whole number from 5 to 100000");
  refuses(HEAD "checkpoints: many\n", "t.yaml:7:1: key 'checkpoints': 'many' is not a whole number from 0 to 1000");
}

Test(config, an_exclusion_matches_something_and_says_why) {
  refuses(HEAD "exclude:\n  - {workload: bert-base, why: x}\n",
          "t.yaml:8:6: key 'workload': 'bert-base' is no workload of this experiment, expected one of resnet50");
  refuses(HEAD "exclude:\n  - {mode: training, why: x}\n",
          "t.yaml:8:6: key 'mode': 'training' is not a mode of this experiment: it would exclude nothing");
  refuses(HEAD "exclude:\n  - {platform: workstation, why: x}\n",
          "t.yaml:8:6: key 'platform': 'workstation' is no platform of this experiment, expected one of server");
  refuses(HEAD "exclude:\n  - {platform: server}\n", "t.yaml:8:5: exclude[0]: key 'why' is missing: tables print the reason");
  refuses(HEAD "exclude:\n  - {why: x}\n", "t.yaml:8:5: exclude[0]: expected a workload, a mode or a platform to exclude");
  refuses(HEAD "exclude:\n  - {platform: server, why: x}\n",
          "t.yaml:7:1: key 'exclude': everything is excluded: nothing is left to run");
}

Test(config, what_is_not_carried_out_is_refused_by_name) {
  refuses(
      HEAD "  - {use: 'exec:nothing-like-it', label: Ours}\n",
      "t.yaml:7:6: key 'use': exec:nothing-like-it: cannot be started: Failed to execute child process “nothing-like-it” (No such file or directory)");
  refuses(HEAD "  - {use: nsga2, keep: true}\n",
          "t.yaml:7:18: key 'keep': belongs to schedulers of the form exec:COMMAND; 'nsga2' is built in");
  refuses(HEAD "studies:\n  - name: a\n    sweep: [{path: workload.batch, values: [1, 8]}]\n",
          "t.yaml:9:5: key 'sweep': a study with settings of its own is not carried out by this version");
  refuses(HEAD "outputs:\n  - {table: tab/hv.tex}\n",
          "t.yaml:7:1: key 'outputs': tables and figures from a list are not carried out by this version: remove it");
  refuses(HEAD "budget: {seconds: 3}\n",
          "t.yaml:7:10: key 'seconds': a budget of time is not carried out by this version: give a number of evaluations");
}

Test(config, nothing_is_listed_twice) {
  refuses(HEAD "  - {use: nsga2, label: heft}\n", "t.yaml:7:18: key 'label': 'heft' is the label of two schedulers");
  refuses(HEAD "  - {use: heft, label: again}\n",
          "t.yaml:7:6: key 'use': 'again' is 'heft' again: the same scheduler with the same options");
  refuses(HEAD "modes: [inference, inference]\n", "t.yaml:7:20: modes[1]: 'inference' is listed twice");
  refuses(HEAD "objectives: [latency, latency]\n", "t.yaml:7:23: objectives[1]: 'latency' is listed twice");
  refuses(HEAD "studies: [{name: a}, {name: a}]\n", "t.yaml:7:23: key 'name': 'a' is listed twice");
}

Test(config, a_portfolio_joins_schedulers_that_leave_one_plan) {
  refuses(HEAD "  - {use: nsga2}\nportfolios:\n  - {label: L, of: [heft, nsga2]}\n",
          "t.yaml:9:27: of[1]: 'nsga2' makes a front already: a portfolio joins schedulers that leave one plan");
  refuses(HEAD "portfolios:\n  - {label: heft, of: [heft]}\n", "t.yaml:8:6: key 'label': 'heft' is a label already");
}

Test(config, a_name_can_be_a_file) {
  refuses(
      "format: heteroopt-experiment/1\nname: ../x\n",
      "t.yaml:2:1: key 'name': '../x' cannot be a file's name: expected up to 100 letters, digits, '.', '_' and '-', a letter "
      "or digit first");
  g_autofree char *missing = refusal("format: heteroopt-experiment/1\nseed: 1\n");
  cr_assert(strstr(missing, "an experiment needs a name"), "%s", missing);
}

Test(config, files_are_looked_for_beside_the_config) {
  GError *error = NULL;
  ho_config *c =
      ho_config_from_text("some/where/t.yaml", "format: heteroopt-experiment/1\nname: t\nworkloads: [../m.onnx]\n", &error);
  cr_assert_null(c);
  cr_assert_str_eq(error->message, "some/where/t.yaml:3:13: workloads[0]: no file 'some/where/../m.onnx'");
  g_error_free(error);
}

Test(config, a_list_split_at_a_comma_is_explained) {
  g_autofree char *message = refusal("format: heteroopt-experiment/1\nname: t\nworkloads: [resnet50:batch=8,mode=training]\n");
  cr_assert(strstr(message, "YAML splits"), "%s", message);
}

Test(config, results_go_beside_the_config_unless_that_is_the_programs_own_folder) {
  g_autofree char *folder = g_dir_make_tmp("heteroopt-XXXXXX", NULL);
  g_autofree char *file = g_build_filename(folder, "t.yaml", NULL);
  g_autofree char *expected = g_build_filename(folder, "t.db", NULL);
  GError *error = NULL;
  g_autoptr(ho_config) mine = ho_config_from_text(file, HEAD, &error);
  cr_assert_not_null(mine, "%s", error ? error->message : "");
  g_autofree char *database = ho_config_database(mine);
  cr_assert_str_eq(database, expected);
  g_rmdir(folder);

  g_autofree char *own = g_build_filename(g_getenv("HO_TEST_SRCDIR"), "experiments", "quickstart.yaml", NULL);
  g_autoptr(ho_config) shipped = ho_config_load(own, &error);
  cr_assert_not_null(shipped, "%s", error ? error->message : "");
  g_autofree char *here = ho_config_database(shipped);
  cr_assert_str_eq(here, "quickstart.db");
}

Test(config, the_template_works_as_it_stands) {
  g_autofree char *text = ho_config_template("mypaper");
  g_autoptr(ho_config) c = accepts(text);
  cr_assert_str_eq(c->name, "mypaper");
}

Test(config, the_template_of_a_platform_can_be_loaded) {
  g_autofree char *folder = g_dir_make_tmp("heteroopt-XXXXXX", NULL);
  g_autofree char *file = g_build_filename(folder, "mine.yaml", NULL);
  g_autofree char *text = ho_platform_template("mine");
  cr_assert(g_file_set_contents(file, text, -1, NULL));
  GError *error = NULL;
  g_autoptr(ho_platform) p = ho_platform_load(file, &error);
  cr_assert_not_null(p, "%s", error ? error->message : "");
  cr_assert_str_eq(p->name, "mine");
  cr_assert_eq(p->n_devices, 2);
  g_unlink(file);
  g_rmdir(folder);
}
