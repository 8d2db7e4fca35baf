/* test_runner.c: laws of experiments/runner.h: what is stored depends on the config alone. */
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/experiments/scene.h"

static ho_scene *scene;
static void set_up(void) {
  scene = ho_scene_new();
}
static void tear_down(void) {
  ho_scene_free(scene);
}
TestSuite(runner, .init = set_up, .fini = tear_down);

#define COUNT(where) ho_scene_number(scene->database, "SELECT count(*) FROM " where)

/* The database of a run from nothing to the end with `jobs` threads, as text. */
static char *dump_with_jobs(int32_t jobs) {
  g_unlink(scene->database);
  const ho_run_setup setup = {.jobs = jobs};
  ho_run_outcome outcome = ho_scene_run(scene, &setup);
  cr_assert_eq(outcome.done + outcome.infeasible, 21);
  return ho_scene_dump(scene->database);
}

Test(runner, the_number_of_threads_changes_no_result) {
  g_autofree char *one = dump_with_jobs(1), *two = dump_with_jobs(2), *five = dump_with_jobs(5);
  cr_assert(strlen(one) > 10000, "the dump holds something");
  cr_assert_str_eq(one, two);
  cr_assert_str_eq(one, five);
}

Test(runner, a_run_leaves_fronts_replays_and_indicators) {
  ho_run_outcome o = ho_scene_run(scene, NULL);
  cr_assert_eq(o.selected, 21);
  cr_assert_eq(o.done, 14, "%d done: all on pair", o.done);
  cr_assert_eq(o.infeasible, 7, "%d infeasible: b.json fits nowhere on tiny", o.infeasible);
  cr_assert_eq(o.failed, 0);
  cr_assert_eq(COUNT("run WHERE status = 'done'"), 14);
  cr_assert_eq(COUNT("(SELECT DISTINCT problem, scheduler, replicate FROM final_front)"), 14);
  cr_assert_eq(COUNT("final_indicator WHERE indicator = 'hv' AND frame = 'payoff'"), 14);
  cr_assert_eq(COUNT("final_indicator WHERE indicator = 'hv' AND frame = 'payoff' AND NOT value BETWEEN 0 AND 1"), 0);
  cr_assert_eq(COUNT("replay WHERE kind = 'noise'"), 5 * COUNT("plan WHERE infeasible IS NULL"));
}

/* A child that is killed while its k-th task ends. */
static void run_and_die(int32_t k) {
  pid_t child = fork();
  cr_assert(child >= 0);
  if (child == 0) {
    ho_scene_run(scene, &(ho_run_setup){.jobs = 2, .progress = ho_scene_kill_at, .user = &k});
    _exit(1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "the child was to be killed after %d tasks", k);
}

Test(runner, a_killed_run_goes_on_to_the_same_content) {
  g_autofree char *whole = dump_with_jobs(1);
  g_unlink(scene->database);
  for (int32_t k = 1; k <= 6; k += 2) run_and_die(k);
  ho_run_outcome rest = ho_scene_run(scene, NULL);
  cr_assert(rest.unchanged > 0, "what was stored before the kill is kept");
  g_autofree char *resumed = ho_scene_dump(scene->database);
  cr_assert_str_eq(whole, resumed);
}

static void stop_at_first(const ho_run_progress *p, void *flag) {
  (void)p;
  *(volatile sig_atomic_t *)flag = 1;
}

Test(runner, an_interrupted_run_says_what_is_left_and_goes_on_to_the_same_content) {
  g_autofree char *whole = dump_with_jobs(1);
  g_unlink(scene->database);
  volatile sig_atomic_t stop = 0;
  const ho_run_setup setup = {.jobs = 1, .stop = &stop, .progress = stop_at_first, .user = (void *)&stop};
  ho_run_outcome first = ho_scene_run(scene, &setup);
  cr_assert_eq(first.left, 21 - first.done - first.infeasible);
  cr_assert(first.left >= 20);
  ho_run_outcome second = ho_scene_run(scene, NULL);
  cr_assert_eq(second.left, 0);
  cr_assert_eq(second.unchanged, 21 - first.left);
  cr_assert_eq(COUNT("run WHERE status NOT IN ('done', 'infeasible')"), 0);
  g_autofree char *resumed = ho_scene_dump(scene->database);
  cr_assert_str_eq(whole, resumed, "no frame is left of the fronts that were there at the interruption");
}

Test(runner, only_what_is_new_is_run) {
  ho_scene_run(scene, NULL);
  g_autofree char *before = ho_scene_dump(scene->database);
  ho_run_outcome again = ho_scene_run(scene, NULL);
  cr_assert_eq(again.unchanged, 21);
  g_autofree char *after = ho_scene_dump(scene->database);
  cr_assert_str_eq(before, after);

  double hv = ho_scene_number(scene->database, "SELECT total(value) FROM final_indicator WHERE frame = 'payoff'");
  ho_scene_configure(scene, "{times: 5, noise: 0.05}", "  - {use: peft}\n");
  ho_run_outcome more = ho_scene_run(scene, NULL);
  cr_assert_eq(more.unchanged, 21);
  cr_assert_eq(more.done + more.infeasible, 3);
  double same =
      ho_scene_number(scene->database, "SELECT total(value) FROM final_indicator WHERE frame = 'payoff' AND scheduler <> 'peft'");
  cr_assert_float_eq(hv, same, 0, "a frame of references does not depend on what is compared");
}

Test(runner, what_a_result_depends_on_is_part_of_its_key) {
  ho_scene_run(scene, NULL);
  ho_scene_configure(scene, "{times: 5, noise: 0.1}", "");
  cr_assert_eq(ho_scene_run(scene, NULL).unchanged, 0, "other noise");
  ho_scene_configure(scene, "{times: 6, noise: 0.05}", "");
  cr_assert_eq(ho_scene_run(scene, NULL).unchanged, 0, "other number of replays");
  ho_scene_configure(scene, "{times: 5, noise: 0.05}", "frame: union\n");
  cr_assert_eq(ho_scene_run(scene, NULL).unchanged, 21, "a frame judges, it does not change a run");
}

Test(runner, model_error_adds_replays_of_its_own) {
  ho_scene_configure(scene, "{times: 5, noise: 0.05}", "");
  ho_scene_run(scene, NULL);
  double noise = ho_scene_number(scene->database, "SELECT total(latency) FROM replay WHERE kind = 'noise'");
  g_unlink(scene->database);
  ho_scene_configure(scene, "{times: 5, noise: 0.05, model_error: 0.2}", "");
  ho_scene_run(scene, NULL);
  cr_assert_float_eq(ho_scene_number(scene->database, "SELECT total(latency) FROM replay WHERE kind = 'noise'"), noise, 0);
  cr_assert_eq(COUNT("replay WHERE kind = 'model'"), COUNT("replay WHERE kind = 'noise'"));
}

Test(runner, all_schedulers_meet_the_same_noise) {
  ho_scene_write(
      scene,
      "format: heteroopt-experiment/1\nname: scene\nworkloads: [a.json]\nplatforms: [./pair.yaml]\nreplays: {times: 5}\n"
      "budget: {evaluations: 50}\nreplicates: 1\nschedulers:\n  - {use: single-fastest}\n  - {use: single-fastest, label: "
      "frugal, set: [objective=energy]}\n");
  ho_scene_run(scene, NULL);
#define PAIRS                                                                                                         \
  "plan a JOIN plan b ON a.run_id < b.run_id AND json_extract(a.json, '$.assign') = json_extract(b.json, '$.assign')" \
  " JOIN replay x ON x.plan_id = a.plan_id JOIN replay y ON y.plan_id = b.plan_id AND y.replay = x.replay"
  cr_assert(COUNT(PAIRS) >= 5, "on this problem one device is best in both");
  cr_assert_eq(COUNT(PAIRS " WHERE x.latency <> y.latency OR x.energy <> y.energy"), 0, "equal noise gives equal replays");
  cr_assert(COUNT("(SELECT DISTINCT plan_id, latency FROM replay)") >= 10, "and there is noise");
}

Test(runner, a_portfolio_has_the_front_of_its_members) {
  ho_scene_configure(scene, "{times: 5, noise: 0.05}",
                     "  - {use: single-fastest}\n  - {use: greedy-rules}\n"
                     "portfolios:\n  - {label: Lists, of: [heft, single-fastest, greedy-rules]}\n");
  ho_scene_run(scene, NULL);
  cr_assert_eq(COUNT("(SELECT latency, energy, memory FROM final_front WHERE scheduler = 'Lists' EXCEPT SELECT latency, energy,"
                     " memory FROM final_front WHERE scheduler IN ('heft', 'single-fastest', 'greedy-rules'))"),
               0, "it has nothing that they do not have");
  cr_assert_eq(COUNT("final_front m WHERE scheduler IN ('heft', 'single-fastest', 'greedy-rules') AND NOT EXISTS (SELECT 1 FROM"
                     " final_front l WHERE l.scheduler = 'Lists' AND l.problem = m.problem AND l.latency <= m.latency AND"
                     " l.energy <= m.energy AND l.memory <= m.memory)"),
               0, "none of theirs is better than all of its");
}

Test(runner, only_and_shards_leave_the_rest_for_later) {
  static const char SUM[] =
      "SELECT total(value) FROM (SELECT value FROM final_indicator ORDER BY study, problem, scheduler,"
      " replicate, frame, indicator)";
  ho_scene_run(scene, NULL);
  double whole = ho_scene_number(scene->database, SUM);
  g_unlink(scene->database);
  ho_run_outcome o = ho_scene_run(scene, &(ho_run_setup){.jobs = 1, .only = "scheduler=heft"});
  cr_assert_eq(o.selected, 3);
  int32_t total = o.done + o.infeasible;
  for (int32_t i = 0; i < 3; i++) {
    o = ho_scene_run(scene, &(ho_run_setup){.jobs = 2, .shard = i, .shards = 3});
    total += o.done + o.infeasible;
  }
  cr_assert_eq(total, 21);
  cr_assert_eq(COUNT("run WHERE status NOT IN ('done', 'infeasible')"), 0);
  cr_assert_eq(COUNT("final_indicator WHERE indicator = 'hv' AND frame = 'payoff'"), 14);
  cr_assert_eq(ho_scene_number(scene->database, SUM), whole, "the pieces are judged like the whole");
}

/* Two devices without a way between them, and two ops in a row that each run on one of them only. */
static void write_what_cannot_be_scheduled(void) {
  g_autofree char *platform = ho_scene_path(scene, "island.yaml"), *graph = ho_scene_path(scene, "split.json");
  cr_assert(g_file_set_contents(platform,
                                "format: heteroopt-platform/1\nname: island\nmemories:\n"
                                "  - {name: a, capacity: 1GB, bandwidth: 1GB/s}\n  - {name: b, capacity: 1GB, bandwidth: 1GB/s}\n"
                                "devices:\n  - {name: x, kind: cpu, memory: a, power: {idle: 1, busy: 2}}\n"
                                "  - {name: y, kind: gpu, memory: b, power: {idle: 1, busy: 2}}\n",
                                -1, NULL));
  cr_assert(
      g_file_set_contents(graph,
                          "{\"format\":\"heteroopt-graph/1\",\"name\":\"split\",\"ops\":[{\"name\":\"A\",\"time\":"
                          "{\"x\":1e-3}},{\"name\":\"B\",\"time\":{\"y\":1e-3}}],\"tensors\":[{\"name\":\"t\",\"bytes\":100,"
                          "\"producer\":\"A\",\"consumers\":[\"B\"]}]}",
                          -1, NULL));
}

Test(runner, a_run_that_fails_is_a_row_with_its_reason_and_is_tried_again) {
  write_what_cannot_be_scheduled();
  ho_scene_write(scene,
                 "format: heteroopt-experiment/1\nname: scene\nworkloads: [split.json, a.json]\n"
                 "platforms: [./island.yaml, ./pair.yaml]\nexclude:\n  - {workload: a, platform: island, why: x}\n"
                 "  - {workload: split, platform: pair, why: x}\nreplays: {times: 5}\n"
                 "schedulers:\n  - {use: heft}\n  - {use: peft}\n");
  for (int attempt = 1; attempt <= 2; attempt++) {
    ho_run_outcome o = ho_scene_run(scene, NULL);
    cr_assert_eq(o.failed, 2);
    cr_assert_eq(o.unchanged + o.done, 2, "the other problem does not suffer");
    cr_assert(g_str_has_prefix(o.first_failure, "heft on split.json/inference/island, replicate 0: "), "%s", o.first_failure);
    g_free(o.first_failure);
    cr_assert_eq(COUNT("run WHERE status = 'failed' AND length(reason) > 10"), 2);
    cr_assert_eq(ho_scene_number(scene->database, "SELECT max(attempts) FROM run"), attempt);
  }
  cr_assert_eq(COUNT("frame WHERE kind = 'payoff' AND NOT defined"), 1);
}

/* In a child, since the limit cannot be taken back: files may not grow beyond `bytes`. */
static int run_on_a_full_disk(rlim_t bytes) {
  pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit = {bytes, bytes};
    setrlimit(RLIMIT_FSIZE, &limit);
    GError *error = NULL;
    ho_scene_loaded l = ho_scene_load(scene);
    ho_run_outcome outcome;
    ho_store *s = ho_store_open(scene->database, HO_STORE_CREATE, &error);
    if (!s) _exit(strchr(error->message, '\n') ? 3 : 2);
    gboolean fine = ho_experiment_run_all(l.experiment, s, &(ho_run_setup){.jobs = 2}, &outcome, &error);
    _exit(fine ? 0 : strchr(error->message, '\n') ? 3 : 2);
  }
  int status = 0;
  waitpid(child, &status, 0);
  cr_assert(WIFEXITED(status), "the child crashed");
  return WEXITSTATUS(status);
}

Test(runner, a_full_disk_is_an_error_and_loses_nothing_that_was_stored) {
  g_autofree char *whole = dump_with_jobs(1);
  g_unlink(scene->database);
  cr_assert_eq(run_on_a_full_disk(300000), 2, "one line, no crash");
  ho_scene_run(scene, NULL);
  g_autofree char *resumed = ho_scene_dump(scene->database);
  cr_assert_str_eq(whole, resumed);
}
