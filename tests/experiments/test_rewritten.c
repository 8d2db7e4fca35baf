/* test_rewritten.c: schedulers of an experiment that are given a rewritten graph compete on the problem as it is. */
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <sqlite3.h>
#include <string.h>

#include "experiments/run_one.h"
#include "sched/search.h"
#include "sim/plan_check.h"
#include "sim/replay.h"
#include "tests/experiments/scene.h"

static ho_scene *scene;
static void set_up(void) {
  scene = ho_scene_new();
}
static void tear_down(void) {
  ho_scene_free(scene);
}
TestSuite(rewritten, .init = set_up, .fini = tear_down);

#define HEAD                                                                                                    \
  "format: heteroopt-experiment/1\nname: scene\nworkloads: [a.json]\nplatforms: [./pair.yaml]\nreplicates: 2\n" \
  "budget: {evaluations: 100}\nreplays: {times: 5, noise: 0.1}\nschedulers:\n  - {use: heft}\n"
#define FUSED "  - {use: heft, label: fused, rewrites: [remove, fold, fuse]}\n"
#define SEARCH "  - {use: nsga2, label: search, set: [population=10], rewrites: [fuse]}\n"

/* What a text of the config is refused with when it is laid out. g_free. */
static char *refusal(const char *config) {
  ho_scene_write(scene, config);
  GError *error = NULL;
  g_autoptr(ho_config) c = ho_config_load(scene->config_file, &error);
  g_autoptr(ho_experiment) e = c ? ho_experiment_new(c, &error) : NULL;
  cr_assert_null(e, "accepted:\n%s", config);
  char *message = g_strdup(error->message);
  g_error_free(error);
  cr_assert_null(strchr(message, '\n'), "more than one line: %s", message);
  return message;
}

static void refuses(const char *config, const char *expected) {
  g_autofree char *message = refusal(config);
  cr_assert(strstr(message, expected), "found    %s\nexpected %s", message, expected);
}

/* ---- what is stored -------------------------------------------------------------------------------------------------- */

/* Every plan in the database, read back against the graph as it is, gives the stored figures, and those under noise, to the last bit. */
static int32_t replay_stored(const ho_experiment *e) {
  const ho_problem *q = &e->problem[0].problem;
  g_autoptr(ho_replay) engine = ho_replay_new(q);
  sqlite3 *db = NULL;
  sqlite3_stmt *row = NULL;
  cr_assert_eq(sqlite3_open_v2(scene->database, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
  cr_assert_eq(sqlite3_prepare_v2(db,
                                  "SELECT p.json, p.latency, p.energy, p.memory, x.latency, r.replicate, r.seed FROM plan p"
                                  " JOIN run r USING(run_id) JOIN replay x ON x.plan_id = p.plan_id AND x.replay = 3",
                                  -1, &row, NULL),
               SQLITE_OK, "%s", sqlite3_errmsg(db));
  int32_t rewritten = 0;
  while (sqlite3_step(row) == SQLITE_ROW) {
    g_autoptr(GError) error = NULL;
    json_auto_t *json = json_loads((const char *)sqlite3_column_text(row, 0), 0, NULL);
    g_autoptr(ho_plan) plan = ho_plan_from_json(json, (ho_json_at){"plan", ""}, q->graph, q->platform, q->cost, &error);
    cr_assert(plan, "%s", error ? error->message : "");
    rewritten += plan->variant != NULL;
    double v[HO_MAX_OBJECTIVES];
    const ho_replay_result *r = ho_replay_run(engine, plan, NULL, &error);
    cr_assert(r, "%s", error ? error->message : "");
    ho_problem_objectives(q, &r->figures, v);
    for (int k = 0; k < HO_N_OBJECTIVES; k++) cr_assert_eq(v[k], sqlite3_column_double(row, 1 + k), "objective %d", k);
    const ho_replay_options noisy = {
        .seed = ho_experiment_noise_seed(e, 0), .replicate = sqlite3_column_int(row, 5), .replay = 3, .noise = 0.1};
    r = ho_replay_run(engine, plan, &noisy, &error);
    cr_assert(r, "%s", error ? error->message : "");
    cr_assert_eq(r->figures.latency, sqlite3_column_double(row, 4));
  }
  sqlite3_finalize(row);
  sqlite3_close(db);
  return rewritten;
}

Test(rewritten, stored_plans_replay_to_the_stored_numbers) {
  ho_scene_write(scene, HEAD FUSED SEARCH);
  ho_run_outcome o = ho_scene_run(scene, NULL);
  cr_assert_eq(o.done, 1 + 1 + 2);
  cr_assert_eq(ho_scene_number(scene->database, "SELECT count(*) FROM problem"), 1, "one problem, whatever is rewritten");
  ho_scene_loaded l = ho_scene_load(scene);
  cr_assert_geq(replay_stored(l.experiment), 3);
  ho_scene_unload(&l);
  cr_assert_eq(ho_scene_number(scene->database, "SELECT count(*) FROM plan WHERE json_array_length(json, '$.rewrites') > 0"),
               ho_scene_number(scene->database,
                               "SELECT count(*) FROM plan JOIN run USING(run_id) JOIN scheduler USING(scheduler_id)"
                               " WHERE options LIKE '%rewrites=%'"),
               "all plans on the rewritten graph say so, and no others");
}

/* HEFT by hand on the rewritten graph. */
Test(rewritten, the_scheduler_sees_the_rewritten_graph) {
  ho_scene_write(scene, HEAD FUSED);
  ho_scene_loaded l = ho_scene_load(scene);
  const ho_experiment *e = l.experiment;
  const ho_problem *q = &e->problem[0].problem;
  cr_assert_null(e->problem[0].variant[0]);
  g_autoptr(ho_variant) v = ho_variant_by_spec(q->graph, q->platform, q->cost, "remove,fold,fuse", NULL);
  cr_assert_lt(v->graph->n_ops, q->graph->n_ops);
  cr_assert_str_eq(e->problem[0].variant[1]->graph->digest, v->graph->digest);
  ho_problem on = ho_variant_problem(v, q);
  const ho_search_setup setup = {.problem = &on,
                                 .scheduler = l.config->scheduler[1].scheduler,
                                 .options = l.config->scheduler[1].options,
                                 .evaluations = 100};
  g_autoptr(ho_search) search = ho_search_new(&setup);
  cr_assert(ho_search_run(search, NULL));
  g_autoptr(ho_replay) engine = ho_replay_new(&on);
  const ho_replay_result *r = ho_replay_run(engine, ho_archive_payload(ho_search_archive(search), 0), NULL, NULL);
  ho_run_record record;
  ho_run_one(e, &e->run[1], &record);
  cr_assert_eq(record.result.n_plans, 1);
  cr_assert_eq(record.result.plans[0].exact.figures.latency, r->figures.latency);
  cr_assert_eq(record.result.plans[0].exact.figures.energy, r->figures.energy);
  ho_run_record_clear(&record);
  ho_scene_unload(&l);
}

/* ---- what makes a run another one ------------------------------------------------------------------------------------ */

Test(rewritten, rewrites_are_part_of_the_key_of_a_run) {
  ho_scene_write(scene, HEAD FUSED);
  cr_assert_eq(ho_scene_run(scene, NULL).done, 2);
  cr_assert_eq(ho_scene_run(scene, NULL).unchanged, 2);
  ho_scene_write(scene, HEAD "  - {use: heft, label: other name, rewrites: [remove, fold, fuse]}\n");
  cr_assert_eq(ho_scene_run(scene, NULL).unchanged, 2, "labels say nothing");
  ho_scene_write(scene, HEAD "  - {use: heft, label: fused, rewrites: [fuse]}\n");
  ho_run_outcome o = ho_scene_run(scene, NULL);
  cr_assert_eq(o.unchanged, 1, "heft as it is");
  cr_assert_eq(o.done, 1);
}

Test(rewritten, a_file_of_rewrites_counts_by_its_content) {
  g_autofree char *file = ho_scene_path(scene, "list.json");
  cr_assert(g_file_set_contents(file, "[{\"rule\":\"fuse\",\"ops\":[\"o0\",\"o1\"]}]", -1, NULL));
  ho_scene_write(scene, HEAD "  - {use: heft, label: listed, rewrites: [list.json]}\n");
  cr_assert_eq(ho_scene_run(scene, NULL).done, 2);
  cr_assert_eq(ho_scene_run(scene, NULL).unchanged, 2);
  cr_assert(g_file_set_contents(file, "[{\"rule\":\"fuse\",\"ops\":[\"o4\",\"o5\"]}]", -1, NULL));
  cr_assert_eq(ho_scene_run(scene, NULL).done, 1, "another list, another run");
}

Test(rewritten, threads_and_interruptions_change_nothing) {
  ho_scene_write(scene, HEAD FUSED SEARCH);
  ho_scene_run(scene, &(ho_run_setup){.jobs = 1});
  g_autofree char *whole = ho_scene_dump(scene->database);
  g_unlink(scene->database);
  for (int32_t i = 0; i < 3; i++) ho_scene_run(scene, &(ho_run_setup){.jobs = 3, .shard = i, .shards = 3});
  g_autofree char *pieces = ho_scene_dump(scene->database);
  cr_assert_str_eq(whole, pieces);
}

/* ---- faults ---------------------------------------------------------------------------------------------------------- */

Test(rewritten, faults_are_told_at_their_place) {
  refuses(HEAD "  - {use: peft, rewrites: []}\n", "scene.yaml:10:17: key 'rewrites': empty");
  refuses(HEAD "  - {use: peft, rewrites: [fuze]}\n", "'fuze' is no rewrite rule (did you mean 'fuse'?)");
  refuses(HEAD "  - use: peft\n    rewrites: ['fold,fuse']\n", "expected one rewrite an entry, without commas");
  refuses(HEAD "  - {use: peft, rewrites: [none.json]}\n", "none.json");
  refuses(HEAD "  - {use: heft, label: again, rewrites: [fuse]}\n  - {use: heft, label: more, rewrites: [fuse]}\n",
          "'more' is 'again' again");
  refuses(
      HEAD "  - use: peft\n    rewrites: ['split:axis=batch:ops=nowhere']\n",
      "scene.yaml:11:5: key 'rewrites': a.json/inference/pair: rewrite 'split:axis=batch:ops=nowhere': ops[0]: there is no op "
      "'nowhere' in the graph at this point");
}

Test(rewritten, a_file_that_is_no_graph_or_platform_is_told_with_the_line_that_names_it) {
  g_autofree char *graph = ho_scene_path(scene, "bad.json"), *platform = ho_scene_path(scene, "bad.yaml");
  cr_assert(g_file_set_contents(graph, "{\"format\":\"heteroopt-graph/1\",\"ops\":7}", -1, NULL));
  cr_assert(g_file_set_contents(platform, "format: heteroopt-platform/1\nname: bad\n", -1, NULL));
#define ASK(workload, platform)                                                                                  \
  "format: heteroopt-experiment/1\nname: scene\nworkloads:\n  - a.json\n  - " workload "\nplatforms: [" platform \
  "]\n"                                                                                                          \
  "schedulers: [{use: heft}]\n"
  refuses(ASK("bad.json", "./pair.yaml"), "scene.yaml:5:5: workloads[1]: ");
  refuses(ASK("b.json", "./bad.yaml"), "scene.yaml:6:13: platforms[0]: ");
}
