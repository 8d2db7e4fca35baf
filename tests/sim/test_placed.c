/* test_placed.c: edges of placed graphs, who met on a resource, and what if: by hand, and what holds for every replay. */
#include <criterion/criterion.h>
#include <math.h>

#include "random_scene.h"
#include "sim/placed.h"

#define DEVICE                                                                                                             \
  "kind: generic, saturation: 0, copy_engines: 0, efficiency: {default: 1, memory: 1}, peak: {fp32: 1}, power: {idle: 0, " \
  "busy: 0}, "
static const char *const platform =
    "format: heteroopt-platform/1\nname: p\nmemories:\n  - {name: host, capacity: 1e9, bandwidth: 1e9}\n"
    "  - {name: near, capacity: 1e9, bandwidth: 1e9}\ndevices:\n"
    "  - {name: cpu, memory: host, sharing: exclusive, launch: {mode: async, host: 1, device: 0}, " DEVICE
    "}\n"
    "  - {name: gpu, memory: near, sharing: spatial, streams: 2, launch: {mode: async, host: 1, device: 0}, " DEVICE
    "}\n"
    "links:\n  - {name: bus, ends: [host, near], bandwidth: 10, latency: 0, duplex: full}\n";

/* x (100 B) and y (200 B) share the bus from 0: at 20 and 30 s, one after the other at 10 and 30, unshared at 10 and 20. a (5 s) and b (4 s)
 * read them; c on the gpu reads what both made, d on the cpu what c made. No time of a memory's bandwidth counts. */
static const char *const graph =
    "{\"format\":\"heteroopt-graph/1\",\"name\":\"g\",\"ops\":[{\"name\":\"a\",\"flops\":5,\"read\":0,\"write\":0},"
    "{\"name\":\"b\",\"flops\":4,\"read\":0,\"write\":0},{\"name\":\"c\",\"flops\":2,\"read\":0,\"write\":0},"
    "{\"name\":\"d\",\"flops\":1,\"read\":0,\"write\":0}],\"tensors\":["
    "{\"name\":\"x\",\"bytes\":100,\"consumers\":[\"a\"]},{\"name\":\"y\",\"bytes\":200,\"consumers\":[\"b\"]},"
    "{\"name\":\"p\",\"bytes\":8,\"producer\":\"a\",\"consumers\":[\"c\"]},{\"name\":\"q\",\"bytes\":8,\"producer\":\"b\","
    "\"consumers\":"
    "[\"c\"]},{\"name\":\"r\",\"bytes\":50,\"producer\":\"c\",\"consumers\":[\"d\"]}]}";

Test(placed, edges_and_what_if_of_a_hand_calculation) {
  scene *s = scene_new(platform, graph);
  const ho_replay_result *r = scene_replay(s, "a gpu, b gpu 1, c gpu, d cpu");
  NEAR(r->figures.latency, 30 + 4 + 2 + 5 + 1);
  g_autoptr(ho_placed) p = ho_placed_new(r);
  cr_assert_eq(p->data, 2);          /* p and q */
  cr_assert_eq(p->communication, 1); /* r; x and y have no producer */
  cr_assert_eq(p->copies, 3);
  NEAR(p->bytes, 350);
  cr_assert_eq(p->link[0], 1); /* x with y */
  cr_assert_eq(p->device[1] + p->device[0] + p->memory[0] + p->memory[1], 0);
  NEAR(ho_what_if_contention(r, HO_CONTENTION_FAIR), 42);
  NEAR(ho_what_if_contention(r, HO_CONTENTION_SERIAL), 42);
  NEAR(ho_what_if_contention(r, HO_CONTENTION_NONE), 32);
  /* sync: a is launched at 1 and ends at 25; b is launched at 26, waits for y until 30, ends at 34; c is launched at 35 */
  NEAR(ho_what_if_launch(r, HO_LAUNCH_SYNC), 35 + 2 + 5 + 1);
  NEAR(ho_what_if_launch(r, HO_LAUNCH_GRAPH), 42);
  scene_free(s);
}

/* Both copies arrive at 20 s; a (5 s) and b (4 s) then share the gpu's compute, each at half its speed, until b ends at 28 and a at 29. */
Test(placed, kernels_that_share_a_device_are_a_pair) {
  g_autoptr(GString) text = g_string_new(graph);
  g_string_replace(text, "\"bytes\":200", "\"bytes\":100", 1);
  scene *s = scene_new(platform, text->str);
  const ho_replay_result *r = scene_replay(s, "a gpu, b gpu 1, c gpu, d cpu");
  g_autoptr(ho_placed) p = ho_placed_new(r);
  cr_assert_eq(p->device[1], 1);
  cr_assert_eq(p->memory[1], 0);
  NEAR(r->figures.latency, 20 + 9 + 2 + 5 + 1);
  scene_free(s);
}

Test(placed, nothing_changes_where_nothing_is_changed_and_serial_transfers_never_meet, .timeout = 120) {
  ho_stream random = ho_stream_small(31);
  int replays = 0, met = 0;
  for (int k = 0; k < 300; k++) {
    scene *s = random_scene(&random, k % 4 == 0);
    g_autoptr(ho_plan) plan = random_plan(s, &random);
    const ho_replay_result *r = ho_replay_run(s->replay, plan, NULL, NULL);
    if (r) {
      replays++;
      cr_assert_eq(ho_what_if_contention(r, s->platform->contention), r->figures.latency);
      g_autoptr(ho_placed) p = ho_placed_new(r);
      int32_t edges = 0;
      for (int32_t i = 0; i < plan->n; i++)
        for (int32_t j = s->graph->in_start[plan->entry[i].op]; j < s->graph->in_start[plan->entry[i].op + 1]; j++)
          edges += s->graph->tensor[s->graph->in[j]].producer >= 0;
      cr_assert_eq(p->data + p->communication, edges);
      for (ho_device d = 0; d < p->n_devices; d++)
        if (s->platform->device[d].sharing == HO_SHARING_EXCLUSIVE) cr_assert_eq(p->device[d], 0);
      for (ho_memory m = 0; m < p->n_memories; m++) cr_assert_geq(p->memory[m], 0);
      for (ho_link l = 0; l < p->n_links; l++) {
        int held = s->platform->contention == HO_CONTENTION_SERIAL && s->platform->link[l].duplex != HO_DUPLEX_FAT;
        if (held) cr_assert_eq(p->link[l], 0, "scene %d: %d pairs", k, (int)p->link[l]);
        met += p->link[l] > 0;
      }
    }
    scene_free(s);
  }
  cr_assert(replays > 200 && met > 100, "%d replays, %d links where transfers met", replays, met);
}
