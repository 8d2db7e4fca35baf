/* test_replay_memory.c: when memory is held, waited for and refused, by hand. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "scene.h"

#define ON_HOST(name) "  - {name: " name ", kind: generic, memory: host}\n"
#define PLATFORM(capacity) \
  "format: heteroopt-platform/1\nname: p\nmemories:\n  - {name: host, capacity: " capacity                               \
  ", bandwidth: 1e12}\n"                                                                                                 \
  "  - {name: x, capacity: " capacity                                                                                    \
  ", bandwidth: 1e12}\ndevices:\n"                                                                                       \
  ON_HOST("d") ON_HOST("d1") ON_HOST("d2")                                                                               \
  "  - {name: e, kind: generic, memory: x, launch: {mode: async, host: 0, device: 0}, streams: 4, sharing: spatial, "    \
  "copy_engines: 0, power: {idle: 0, busy: 0, peak: 0}}\n"                                                               \
  "links: [{name: l, ends: [host, x], bandwidth: 100, latency: 0, duplex: full}]\n"
#define OP(name, t, more) "{\"name\":\"" name "\",\"time\":{\"d\":" t ",\"d1\":" t ",\"d2\":" t ",\"e\":" t "}" more "}"
#define TENSOR(name, bytes, from, to) \
  "{\"name\":\"" name "\",\"bytes\":" bytes ",\"producer\":\"" from "\",\"consumers\":[" to "]}"
#define GRAPH(ops, tensors) "{\"format\":\"heteroopt-graph/1\",\"name\":\"g\",\"ops\":[" ops "],\"tensors\":[" tensors "]}"

/* a -> t(40) -> b -> u(30) -> c -> v(20): live 40, 70, 30+20+5 (workspace), 20 at the end. */
#define CHAIN                                                                       \
  GRAPH(OP("a", "1", "") "," OP("b", "1", "") "," OP("c", "1", ",\"workspace\":5"), \
        TENSOR("t", "40", "a", "\"b\"") "," TENSOR("u", "30", "b", "\"c\"") "," TENSOR("v", "20", "c", ""))

Test(replay_memory, outputs_live_until_their_last_use) {
  scene *s = scene_new(PLATFORM("1000"), CHAIN);
  const ho_replay_result *r = scene_replay(s, "a d, b d, c d");
  NEAR(r->memory[0].peak, 70);
  NEAR(r->figures.tightest, 0.07);
  NEAR(r->figures.total, 70);
  NEAR(r->figures.accelerator, 0);
  const ho_replay_buffer *b;
  int32_t n = ho_replay_buffers(s->replay, &b);
  cr_assert_eq(n, 4);
  NEAR(ho_replay_arena(s->replay)[0], 70);
  scene_free(s);
}

/* Two chains side by side, 60 each at their widest; 100 in all: the second waits until the first has given back. */
Test(replay_memory, an_op_waits_until_memory_is_given_back) {
  const char *graph = GRAPH(OP("a", "1", "") "," OP("b", "1", "") "," OP("c", "1", "") "," OP("f", "1", ""),
                            TENSOR("t", "60", "a", "\"b\"") "," TENSOR("u", "60", "c", "\"f\""));
  scene *s = scene_new(PLATFORM("1000"), graph);
  NEAR(scene_replay(s, "a d, c d1, b d, f d1")->figures.latency, 2);
  scene_free(s);
  s = scene_new(PLATFORM("100"), graph);
  const ho_replay_result *r = scene_replay(s, "a d, c d1, b d, f d1");
  NEAR(scene_start(s, r, "c"), 2);
  NEAR(r->figures.latency, 4);
  NEAR(r->memory[0].peak, 60);
  NEAR(r->share[HO_BOTTLENECK_MEMORY], 2);
  NEAR(r->share[HO_BOTTLENECK_COMPUTE], 2);
  scene_free(s);
}

/* c (small) is issued after b (large): while b waits, c may not take what b needs. */
Test(replay_memory, requests_are_granted_in_order_of_issue) {
  const char *graph = GRAPH(OP("a", "2", "") "," OP("b", "1", "") "," OP("c", "1", ""),
                            TENSOR("t", "60", "a", "") "," TENSOR("u", "50", "b", "") "," TENSOR("v", "30", "c", ""));
  scene *s = scene_new(PLATFORM("150"), graph);
  NEAR(scene_replay(s, "a d, b d1, c d2")->figures.latency, 2); /* 140 fit */
  scene_free(s);
  s = scene_new(PLATFORM("100"),
                GRAPH(OP("a", "2", "") "," OP("z", "1", "") "," OP("b", "1", "") "," OP("c", "1", ""),
                      TENSOR("t", "60", "a", "\"z\"") "," TENSOR("u", "50", "b", "\"c\"") "," TENSOR("v", "30", "c", "")));
  /* b waits for t to be given back by z at 3. */
  const ho_replay_result *r = scene_replay(s, "a d, z d, b d1, c d1");
  NEAR(scene_start(s, r, "b"), 3);
  scene_free(s);
}

Test(replay_memory, a_small_late_request_does_not_overtake_a_waiting_one) {
  /* a: t 60 until z ends at 3. b wants 50, waits from 0. c wants 30, is issued later: it waits for b although 40 are free. */
  scene *s = scene_new(PLATFORM("100"),
                       GRAPH(OP("a", "2", "") "," OP("z", "1", "") "," OP("b", "1", "") "," OP("c", "1", ""),
                             TENSOR("t", "60", "a", "\"z\"") "," TENSOR("u", "50", "b", "") "," TENSOR("v", "30", "c", "")));
  const ho_replay_result *r = scene_replay(s, "a d, z d, b d1, c d2");
  NEAR(scene_start(s, r, "b"), 3);
  NEAR(scene_start(s, r, "c"), 3);
  scene_free(s);
}

Test(replay_memory, what_can_never_fit_is_refused_with_op_memory_time_and_bytes) {
  scene *s = scene_new(PLATFORM("60"), CHAIN);
  g_autoptr(GError) error = scene_refusal(s, "a d, b d, c d");
  cr_assert_eq(error->code, HO_ERROR_INFEASIBLE);
  const char *const expected[] = {"'host'", "'b'", "1 s", "30 B", "20 of 60 B"};
  for (size_t i = 0; i < G_N_ELEMENTS(expected); i++)
    cr_assert(strstr(error->message, expected[i]), "'%s' lacks %s", error->message, expected[i]);
  scene_free(s);
}

/* A prefetch into x waits while x is full, and starts when it is not. */
Test(replay_memory, a_copy_waits_for_memory_at_its_target) {
  const char *graph = GRAPH(OP("a", "1", "") "," OP("b", "5", "") "," OP("c", "1", "") "," OP("f", "1", ""),
                            TENSOR("t", "60", "b", "\"f\"") "," TENSOR("u", "50", "a", "\"c\""));
  scene *s = scene_new(PLATFORM("100"), graph);
  const ho_replay_result *r = scene_replay(s, "b e 0, f e 0, a d, c e 1");
  NEAR(scene_arrival(s, r, "u", "x"), 6 + 0.5); /* t is given back when f ends at 6 */
  scene_free(s);
}

/* An in-place op needs no memory of its own, and its view keeps what it looks at. */
Test(replay_memory, a_view_takes_no_memory_and_keeps_its_root) {
  scene *s = scene_new(
      PLATFORM("1000"),
      GRAPH(OP("a", "1", "") "," OP("b", "1", "") "," OP("c", "1", ""),
            TENSOR("t", "40", "a",
                   "\"b\"") ","
                            "{\"name\":\"u\",\"bytes\":40,\"producer\":\"b\",\"alias\":\"t\",\"consumers\":[\"c\"]}," TENSOR(
                                "v", "7", "c", "")));
  const ho_replay_result *r = scene_replay(s, "a d, b d, c d");
  NEAR(r->memory[0].peak, 47);
  const ho_replay_buffer *b;
  cr_assert_eq(ho_replay_buffers(s->replay, &b), 2);
  NEAR(b[0].to, 3);
  scene_free(s);
}

/* A graph output stays to the end; the workspace is given back. */
Test(replay_memory, outputs_of_the_graph_stay_to_the_end) {
  scene *s = scene_new(PLATFORM("1000"), GRAPH(OP("a", "1", ",\"workspace\":100") "," OP("b", "1", ""),
                                               TENSOR("t", "40", "a", "") "," TENSOR("u", "50", "b", "")));
  const ho_replay_result *r = scene_replay(s, "a d, b d");
  NEAR(r->memory[0].peak, 140);
  const ho_replay_buffer *b;
  int32_t n = ho_replay_buffers(s->replay, &b);
  for (int32_t i = 0; i < n; i++) NEAR(b[i].to, b[i].tensor < 0 ? 1.0 : 2.0);
  scene_free(s);
}
