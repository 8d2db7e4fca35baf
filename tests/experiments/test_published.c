/* test_published.c: a whole experiment on a published example ends in the published numbers. */
#include <criterion/criterion.h>
#include <math.h>

#include "tests/experiments/scene.h"

/* Topcuoglu, Hariri & Wu, IEEE TPDS 13(3), 2002, figure 2: ten tasks on three processors. */
#define N_TASKS 10
static const int cost[N_TASKS][3] = {{14, 16, 9}, {13, 19, 18}, {11, 13, 19}, {13, 8, 17},  {12, 13, 10},
                                     {13, 16, 9}, {7, 15, 11},  {5, 11, 14},  {18, 12, 20}, {21, 7, 16}};
static const int edge[][3] = {{1, 2, 18}, {1, 3, 12}, {1, 4, 9},  {1, 5, 11}, {1, 6, 14},  {2, 8, 19},  {2, 9, 16}, {3, 7, 23},
                              {4, 8, 27}, {4, 9, 23}, {5, 9, 13}, {6, 8, 15}, {7, 10, 17}, {8, 10, 11}, {9, 10, 13}};

static void write_example(const ho_scene *s) {
  g_autoptr(GString) graph = g_string_new("{\"format\":\"heteroopt-graph/1\",\"name\":\"ten\",\"ops\":[");
  for (int i = 0; i < N_TASKS; i++)
    g_string_append_printf(graph, "%s{\"name\":\"t%d\",\"time\":{\"p1\":%d,\"p2\":%d,\"p3\":%d}}", i ? "," : "", i + 1,
                           cost[i][0], cost[i][1], cost[i][2]);
  g_string_append(graph, "],\"tensors\":[");
  for (gsize i = 0; i < G_N_ELEMENTS(edge); i++)
    g_string_append_printf(graph, "%s{\"name\":\"e%d-%d\",\"bytes\":%d,\"producer\":\"t%d\",\"consumers\":[\"t%d\"]}",
                           i ? "," : "", edge[i][0], edge[i][1], edge[i][2], edge[i][0], edge[i][1]);
  g_string_append(graph, "]}");
  const char *platform =
      "format: heteroopt-platform/1\nname: three\nmemories:\n"
      "  - {name: m1, capacity: 1MB, bandwidth: 1GB/s}\n  - {name: m2, capacity: 1MB, bandwidth: 1GB/s}\n"
      "  - {name: m3, capacity: 1MB, bandwidth: 1GB/s}\ndevices:\n"
      "  - {name: p1, kind: generic, memory: m1, copy_engines: 0, launch: {mode: async, host: 0, device: 0}, power: {idle: 1, "
      "busy: 2}}\n"
      "  - {name: p2, kind: generic, memory: m2, copy_engines: 0, launch: {mode: async, host: 0, device: 0}, power: {idle: 1, "
      "busy: 2}}\n"
      "  - {name: p3, kind: generic, memory: m3, copy_engines: 0, launch: {mode: async, host: 0, device: 0}, power: {idle: 1, "
      "busy: 2}}\n"
      "links:\n  - {name: l12, ends: [m1, m2], bandwidth: 1, latency: 0, duplex: fat}\n"
      "  - {name: l13, ends: [m1, m3], bandwidth: 1, latency: 0, duplex: fat}\n"
      "  - {name: l23, ends: [m2, m3], bandwidth: 1, latency: 0, duplex: fat}\npeer_to_peer: [[m1, m2], [m1, m3], [m2, m3]]\n";
  g_autofree char *graph_file = ho_scene_path(s, "ten.json"), *platform_file = ho_scene_path(s, "three.yaml");
  cr_assert(g_file_set_contents(graph_file, graph->str, -1, NULL) && g_file_set_contents(platform_file, platform, -1, NULL));
  ho_scene_write(s,
                 "format: heteroopt-experiment/1\nname: scene\nworkloads: [ten.json]\nplatforms: [./three.yaml]\n"
                 "replays: {times: 5, noise: 0}\nschedulers:\n  - {use: heft}\n  - {use: cpop}\n");
}

Test(published, heft_and_cpop_end_as_in_the_paper) {
  ho_scene *s = ho_scene_new();
  write_example(s);
  ho_scene_run(s, NULL);
#define LATENCY(scheduler) ho_scene_number(s->database, "SELECT latency FROM results WHERE scheduler = '" scheduler "'")
  cr_assert_float_eq(LATENCY("heft"), 80, 1e-9, "figure 3a: %.17g", LATENCY("heft"));
  cr_assert_float_eq(LATENCY("cpop"), 86, 1e-9, "figure 3b: %.17g", LATENCY("cpop"));
  /* Least costs along t1-t2-t9-t10: 9 + 13 + 12 + 7 = 41, the longest such path (by hand). */
  double slr = ho_scene_number(s->database, "SELECT slr FROM results WHERE scheduler = 'heft'");
  cr_assert_float_eq(slr, 80.0 / 41, 1e-12, "%.17g", slr);
  /* Sums of the columns, by hand: 127 on p1, 130 on p2, 143 on p3. */
  cr_assert_float_eq(ho_scene_number(s->database, "SELECT value FROM figure WHERE name = 't_ref'"), 127, 1e-9);
  /* Without noise every replay repeats the plan. */
  cr_assert_float_eq(ho_scene_number(s->database, "SELECT max(latency_p95) FROM results WHERE scheduler = 'heft'"), 80, 1e-9);
  ho_scene_free(s);
}
