/* test_expand.c: laws of experiments/expand.h and selection.h: which runs there are, and what they draw from. */
#include <criterion/criterion.h>
#include <string.h>

#include "experiments/selection.h"
#include "tests/experiments/scene.h"

static ho_scene *scene;
static void set_up(void) {
  scene = ho_scene_new();
}
static void tear_down(void) {
  ho_scene_free(scene);
}
TestSuite(expand, .init = set_up, .fini = tear_down);

Test(expand, lists_multiply_and_deterministic_schedulers_run_once) {
  ho_scene_loaded l = ho_scene_load(scene);
  const ho_experiment *e = l.experiment;
  cr_assert_eq(e->n_problems, 4, "2 workloads x 1 mode x 2 platforms");
  cr_assert_eq(e->n_contenders, 3);
  cr_assert_eq(e->n_runs, 3 * (1 + 3 + 3), "3 problems that are not excluded; heft once, random and nsga2 3 times");
  const char *const names[] = {"a.json/inference/pair", "a.json/inference/tiny", "b.json/inference/pair",
                               "b.json/inference/tiny"};
  for (int i = 0; i < 4; i++) cr_assert_str_eq(e->problem[i].name, names[i]);
  cr_assert_str_eq(e->problem[1].why, "too easy");
  for (int32_t i = 0; i < e->n_runs; i++) cr_assert_neq(e->run[i].problem, 1, "an excluded problem has a run");
  for (int32_t i = 1; i < e->n_runs; i++) {
    const ho_experiment_run *a = &e->run[i - 1], *b = &e->run[i];
    cr_assert(a->problem < b->problem ||
              (a->problem == b->problem &&
               (a->contender < b->contender || (a->contender == b->contender && a->replicate + 1 == b->replicate))));
  }
  ho_scene_unload(&l);
}

Test(expand, no_two_runs_share_a_stream) {
  ho_scene_loaded l = ho_scene_load(scene);
  const ho_experiment *e = l.experiment;
  for (int32_t i = 0; i < e->n_runs; i++)
    for (int32_t j = 0; j < i; j++) {
      ho_stream a = ho_experiment_stream(e, &e->run[i], e->run[i].contender);
      ho_stream b = ho_experiment_stream(e, &e->run[j], e->run[j].contender);
      cr_assert(memcmp(&a, &b, sizeof a) != 0, "runs %d and %d draw the same numbers", i, j);
    }
  cr_assert_neq(ho_experiment_noise_seed(e, 0), ho_experiment_noise_seed(e, 2));
  ho_scene_unload(&l);
}

/* Streams by problem and replicate of the scheduler at `index`, all bits. */
static char *streams_of(int32_t index) {
  ho_scene_loaded l = ho_scene_load(scene);
  GString *out = g_string_new(NULL);
  for (int32_t i = 0; i < l.experiment->n_runs; i++) {
    if (l.experiment->run[i].contender != index) continue;
    ho_stream s = ho_experiment_stream(l.experiment, &l.experiment->run[i], index);
    for (int k = 0; k < 4; k++) g_string_append_printf(out, "%016" G_GINT64_MODIFIER "x ", s.s[k]);
    g_string_append_c(out, '\n');
  }
  ho_scene_unload(&l);
  return g_string_free(out, FALSE);
}

Test(expand, a_stream_depends_neither_on_labels_nor_on_other_schedulers) {
  const char *config =
      "format: heteroopt-experiment/1\nname: scene\nseed: %d\nreplicates: 3\nworkloads: [a.json, b.json]\n"
      "platforms: [./pair.yaml]\nschedulers:\n%s";
  g_autofree char *alone = g_strdup_printf(config, 5, "  - {use: random}\n");
  g_autofree char *second = g_strdup_printf(config, 5, "  - {use: heft}\n  - {use: random, label: dice}\n  - {use: nsga2}\n");
  g_autofree char *reseeded = g_strdup_printf(config, 6, "  - {use: random}\n");
  ho_scene_write(scene, alone);
  g_autofree char *a = streams_of(0);
  ho_scene_write(scene, second);
  g_autofree char *b = streams_of(1);
  ho_scene_write(scene, reseeded);
  g_autofree char *c = streams_of(0);
  cr_assert_str_eq(a, b);
  cr_assert_str_neq(a, c, "the seed changes every stream");
}

/* The key of docs/experiments.md: a change here changes every published number. */
Test(expand, a_stream_is_hashed_from_what_it_is_for) {
  ho_scene_loaded l = ho_scene_load(scene);
  const ho_experiment *e = l.experiment;
  for (int32_t i = 0; i < e->n_runs; i++) {
    const ho_config_scheduler *c = &l.config->scheduler[e->run[i].contender];
    g_autofree char *replicate = g_strdup_printf("%d", e->run[i].replicate);
    const char *parts[] = {"search", e->problem[e->run[i].problem].digest, c->scheduler->name, c->canonical, replicate, NULL};
    ho_stream expected = ho_stream_keyed(5, parts), found = ho_experiment_stream(e, &e->run[i], e->run[i].contender);
    cr_assert(memcmp(&expected, &found, sizeof found) == 0);
  }
  ho_scene_unload(&l);
}

Test(expand, the_same_problem_under_two_names_is_refused) {
  g_autofree char *from = ho_scene_path(scene, "a.json"), *to = ho_scene_path(scene, "c.json");
  g_autofree char *text = NULL;
  cr_assert(g_file_get_contents(from, &text, NULL, NULL) && g_file_set_contents(to, text, -1, NULL));
  ho_scene_write(scene,
                 "format: heteroopt-experiment/1\nname: scene\nworkloads: [a.json, c.json]\nplatforms: [./pair.yaml]\n"
                 "schedulers:\n  - {use: heft}\n");
  GError *error = NULL;
  g_autoptr(ho_config) c = ho_config_load(scene->config_file, &error);
  cr_assert_not_null(c, "%s", error ? error->message : "");
  cr_assert_null(ho_experiment_new(c, &error));
  cr_assert(strstr(error->message, "'a.json/inference/pair' and 'c.json/inference/pair' are the same problem under two names"),
            "%s", error->message);
  g_error_free(error);
}

static int32_t n_selected(const ho_experiment *e, const char *only, int32_t shard, int32_t shards) {
  GError *error = NULL;
  g_autofree uint8_t *selected = ho_select_runs(e, only, shard, shards, &error);
  cr_assert_not_null(selected, "%s", error ? error->message : "");
  int32_t n = 0;
  for (int32_t i = 0; i < e->n_runs; i++) n += selected[i];
  return n;
}

Test(expand, only_selects_by_name_part_and_pattern) {
  ho_scene_loaded l = ho_scene_load(scene);
  const ho_experiment *e = l.experiment;
  cr_assert_eq(n_selected(e, NULL, 0, 1), 21);
  cr_assert_eq(n_selected(e, "scheduler=heft", 0, 1), 3);
  cr_assert_eq(n_selected(e, "scheduler=heft,scheduler=nsga2", 0, 1), 12);
  cr_assert_eq(n_selected(e, "problem=pair", 0, 1), 14);
  cr_assert_eq(n_selected(e, "problem=b.json/inference/tiny,scheduler=r*", 0, 1), 3);
  cr_assert_eq(n_selected(e, "study=main", 0, 1), 21);
  GError *error = NULL;
  cr_assert_null(ho_select_runs(e, "scheduler=hefft", 0, 1, &error));
  cr_assert(strstr(error->message, "did you mean 'heft'?"), "%s", error->message);
  g_clear_error(&error);
  cr_assert_null(ho_select_runs(e, "nonsense", 0, 1, &error));
  g_clear_error(&error);
  ho_scene_unload(&l);
}

Test(expand, shards_share_out_every_run_once) {
  ho_scene_loaded l = ho_scene_load(scene);
  const ho_experiment *e = l.experiment;
  g_autofree int *times = g_new0(int, e->n_runs);
  for (int32_t shard = 0; shard < 4; shard++) {
    g_autofree uint8_t *selected = ho_select_runs(e, NULL, shard, 4, NULL);
    for (int32_t i = 0; i < e->n_runs; i++) times[i] += selected[i];
  }
  for (int32_t i = 0; i < e->n_runs; i++) cr_assert_eq(times[i], 1);
  ho_scene_unload(&l);
  int32_t shard, shards;
  cr_assert(ho_shard_parse("3/4", &shard, &shards, NULL));
  cr_assert(shard == 3 && shards == 4);
  const char *const wrong[] = {"4/4", "-1/4", "1", "1/0", "a/b", "1/2/3", ""};
  for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++) cr_assert_not(ho_shard_parse(wrong[i], &shard, &shards, NULL), "%s", wrong[i]);
}
