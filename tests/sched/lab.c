/* lab.c: see lab.h. */
#include "lab.h"

#include <criterion/criterion.h>
#include <glib/gstdio.h>

#include "base/jsonio.h"
#include "models/graph_build.h"

lab *lab_new(ho_graph *g, ho_platform *p) {
  lab *l = g_new0(lab, 1);
  l->graph = g;
  l->platform = p;
  l->cost = ho_cost_new(g, p);
  l->options = g_ptr_array_new_with_free_func((GDestroyNotify)ho_options_free);
  l->problem = (ho_problem){.graph = g,
                            .platform = p,
                            .cost = l->cost,
                            .n_objectives = 3,
                            .objective = {HO_OBJECTIVE_LATENCY, HO_OBJECTIVE_ENERGY, HO_OBJECTIVE_MEMORY}};
  return l;
}

void lab_free(lab *l) {
  if (!l) return;
  g_ptr_array_free(l->options, TRUE);
  ho_cost_free(l->cost);
  ho_graph_free(l->graph);
  ho_platform_free(l->platform);
  g_free(l);
}

static lab *load(const char *graph, const char *platform) {
  g_autoptr(GError) error = NULL;
  ho_graph *g = ho_graph_load(graph, NULL, NULL, &error);
  cr_assert(g, "%s", error ? error->message : "");
  ho_platform *p = ho_platform_load(platform, &error);
  cr_assert(p, "%s", error ? error->message : "");
  return lab_new(g, p);
}

static char *own_folder(const char *name) {
  const char *top = g_getenv("HO_TEST_SRCDIR");
  return g_build_filename(top ? top : ".", "tests", "data", name, NULL);
}

static char *shared_folder(const char *name) {
  const char *given = g_getenv("HO_SHARED"), *top = g_getenv("HO_TEST_SRCDIR");
  char *folder = given ? g_build_filename(given, "cases", name, NULL)
                       : g_build_filename(top ? top : ".", "..", "shared", "cases", name, NULL);
  if (!g_file_test(folder, G_FILE_TEST_IS_DIR)) cr_skip_test("no shared case %s", name);
  return folder;
}

static lab *load_folder(const char *folder) {
  g_autofree char *graph = g_build_filename(folder, "graph.json", NULL),
                  *platform = g_build_filename(folder, "platform.yaml", NULL);
  return load(graph, platform);
}

lab *lab_own(const char *name) {
  g_autofree char *folder = own_folder(name);
  return load_folder(folder);
}

lab *lab_shared(const char *name) {
  g_autofree char *folder = shared_folder(name);
  return load_folder(folder);
}

json_t *lab_expected(const char *name, int shared) {
  g_autofree char *folder = shared ? shared_folder(name) : own_folder(name);
  g_autofree char *file = g_build_filename(folder, "expected.json", NULL);
  g_autoptr(GError) error = NULL;
  json_t *value = ho_json_read(file, &error);
  cr_assert(value, "%s", error ? error->message : "");
  return value;
}

static ho_platform *platform_from(const char *text) {
  g_autoptr(GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp("ho-lab-XXXXXX", &error);
  cr_assert(folder, "%s", error ? error->message : "");
  g_autofree char *file = g_build_filename(folder, "platform.yaml", NULL);
  cr_assert(g_file_set_contents(file, text, -1, &error));
  ho_platform *p = ho_platform_load(file, &error);
  cr_assert(p, "%s", error ? error->message : "");
  g_unlink(file);
  g_rmdir(folder);
  return p;
}

lab *lab_spec(const char *graph, const char *platform_yaml) {
  g_autoptr(GError) error = NULL;
  ho_graph *g = ho_graph_load(graph, NULL, NULL, &error);
  cr_assert(g, "%s", error ? error->message : "");
  return lab_new(g, platform_from(platform_yaml));
}

lab *lab_texts(const char *graph_json, const char *platform_yaml) {
  g_autoptr(GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp("ho-lab-XXXXXX", &error);
  cr_assert(folder, "%s", error ? error->message : "");
  g_autofree char *file = g_build_filename(folder, "graph.json", NULL);
  cr_assert(g_file_set_contents(file, graph_json, -1, &error));
  lab *l = lab_spec(file, platform_yaml);
  g_unlink(file);
  g_rmdir(folder);
  return l;
}

#define PLAIN_DEVICE(name, memory, power)               \
  "  - {name: " name ", kind: generic, memory: " memory \
  ", launch: {mode: async, host: 0, device: 0}, streams: 1, sharing: exclusive, copy_engines: 0, power: " power "}\n"

ho_platform *lab_plain_platform(void) {
  return platform_from(
      "format: heteroopt-platform/1\nname: plain\nmemories:\n  - {name: m0, capacity: 1e12, bandwidth: 1e12}\n"
      "  - {name: m1, capacity: 1e12, bandwidth: 1e12}\n  - {name: m2, capacity: 1e12, bandwidth: 1e12}\ndevices:\n"  //
      PLAIN_DEVICE("d0", "m0", "{idle: 1, busy: 5, peak: 5}") PLAIN_DEVICE("d1", "m1", "{idle: 2, busy: 3, peak: 3}")
          PLAIN_DEVICE("d2", "m2", "{idle: 0, busy: 9, peak: 9}")
      "links:\n  - {name: l01, ends: [m0, m1], bandwidth: 1, latency: 1, duplex: full}\n"
      "  - {name: l02, ends: [m0, m2], bandwidth: 2, latency: 0, duplex: full}\n"
      "contention: none\n");
}

ho_graph *lab_random_graph(uint64_t seed, int32_t most, int32_t least, const ho_platform *p) {
  ho_stream r = ho_stream_small(seed);
  int32_t n = 1 + (int32_t)ho_stream_below(&r, (uint64_t)most);
  ho_graph_build *b = ho_graph_build_new("random", "random graph of a test");
  for (int32_t i = 0; i < n; i++) {
    g_autofree char *name = g_strdup_printf("op%d", i), *out = g_strdup_printf("t%d", i);
    ho_op_info info = ho_op_info_init(name, "generic");
    info.workspace = (int64_t)ho_stream_below(&r, 3);
    if (ho_stream_below(&r, 10) == 0) info.release = (double)ho_stream_below(&r, 20);
    ho_op o = ho_graph_build_op(b, &info);
    ho_graph_build_time_table(b, o);
    int32_t sure = (int32_t)ho_stream_below(&r, (uint64_t)p->n_devices); /* at least one device can run it */
    for (ho_device d = 0; d < p->n_devices; d++)
      if (d == sure || ho_stream_below(&r, 4) > 0)
        ho_graph_build_time(b, o, p->device[d].name, (double)least + (double)ho_stream_below(&r, 12));
    ho_tensor t = ho_graph_build_tensor(b, out, HO_FP32, -1, NULL, (int64_t)ho_stream_below(&r, 9), HO_ROLE_NONE, o);
    if (i == 0) continue;
    for (uint64_t k = ho_stream_below(&r, 4); k > 0; k--)
      ho_graph_build_consume(b, (ho_tensor)ho_stream_below(&r, (uint64_t)i), o);
    (void)t;
  }
  g_autoptr(GError) error = NULL;
  ho_graph *g = ho_graph_build_finish(b, &error);
  cr_assert(g, "%s", error ? error->message : "");
  return g;
}

ho_search *lab_run(const lab *l, const char *scheduler, const char *const *options, uint64_t seed, int64_t budget,
                   GError **error) {
  const ho_scheduler *x = ho_scheduler_find(scheduler);
  cr_assert(x, "no scheduler %s", scheduler);
  ho_options *parsed = ho_options_parse(x->options, options, scheduler, error);
  if (!parsed) return NULL;
  g_ptr_array_add(l->options, parsed);
  const char *const key[] = {"test", NULL};
  ho_search_setup setup = {.problem = &l->problem,
                           .scheduler = x,
                           .options = parsed,
                           .stream = ho_stream_keyed(seed, key),
                           .evaluations = budget,
                           .checkpoints = 5};
  ho_search *s = ho_search_new(&setup);
  gboolean ok = ho_search_run(s, error);
  if (ok) return s;
  ho_search_free(s);
  return NULL;
}

ho_search *lab_must_run(const lab *l, const char *scheduler, const char *const *options, uint64_t seed, int64_t budget) {
  g_autoptr(GError) error = NULL;
  ho_search *s = lab_run(l, scheduler, options, seed, budget, &error);
  cr_assert(s, "%s", error ? error->message : "");
  return s;
}

double lab_replayed(const lab *l, ho_search *s) {
  g_autoptr(ho_replay) replay = ho_replay_new(&l->problem);
  g_autoptr(GError) error = NULL;
  const ho_replay_result *r = ho_replay_run(replay, ho_archive_payload(ho_search_archive(s), 0), NULL, &error);
  cr_assert(r, "%s", error ? error->message : "");
  return r->figures.latency;
}

void lab_check_plans(const lab *l, ho_search *s) {
  g_autoptr(ho_replay) replay = ho_replay_new(&l->problem);
  ho_archive *a = ho_search_archive(s);
  cr_assert(ho_archive_size(a) > 0);
  for (int32_t i = 0; i < ho_archive_size(a); i++) {
    g_autoptr(GError) error = NULL;
    const ho_plan *plan = ho_archive_payload(a, i);
    cr_assert(ho_plan_check(plan, l->graph, l->platform, l->cost, &error), "%s", error ? error->message : "");
    cr_assert(ho_replay_run(replay, plan, NULL, &error), "%s", error ? error->message : "");
  }
}
