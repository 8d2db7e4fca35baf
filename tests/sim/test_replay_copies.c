/* test_replay_copies.c: transfers, staging, copy engines and the three kinds of contention, each time by hand. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "scene.h"

#define DEVICE(name, memory, engines)                                                                   \
  "  - {name: " name ", kind: generic, memory: " memory                                                 \
  ", launch: {mode: async, host: 0, device: 0}, streams: 4, sharing: exclusive, copy_engines: " engines \
  ", power: {idle: 0, busy: 0, peak: 0}}\n"
#define HEAD                                                                                              \
  "format: heteroopt-platform/1\nname: p\nmemories:\n  - {name: host, capacity: 1e12, bandwidth: 1e12}\n" \
  "  - {name: x, capacity: 1e12, bandwidth: 1e12}\n  - {name: y, capacity: 1e12, bandwidth: 1e12}\nswitches: [root]\n"
#define LINKS                                                                                         \
  "links:\n  - {name: up, ends: [host, root], bandwidth: 100, latency: 1, duplex: full, energy: 2}\n" \
  "  - {name: lx, ends: [root, x], bandwidth: 50, latency: 0.5, duplex: full}\n"                      \
  "  - {name: ly, ends: [root, y], bandwidth: 100, latency: 0.25, duplex: full}\n"
#define THREE(engines) HEAD "devices:\n" DEVICE("h", "host", "0") DEVICE("dx", "x", engines) DEVICE("dy", "y", engines) LINKS

#define OP(name, t) "{\"name\":\"" name "\",\"time\":{\"h\":" t ",\"dx\":" t ",\"dy\":" t "}}"
#define TENSOR(name, bytes, from, to) \
  "{\"name\":\"" name "\",\"bytes\":" bytes ",\"producer\":\"" from "\",\"consumers\":[" to "]}"
#define GRAPH(ops, tensors) "{\"format\":\"heteroopt-graph/1\",\"name\":\"g\",\"ops\":[" ops "],\"tensors\":[" tensors "]}"

#define ONE GRAPH(OP("a", "2") "," OP("b", "1"), TENSOR("t", "100", "a", "\"b\""))

/* host to x alone: latency 1.5, then 100 B at 50 B/s. */
Test(replay_copies, a_lone_copy_takes_latency_and_the_slowest_link) {
  scene *s = scene_new(THREE("0"), ONE);
  const ho_replay_result *r = scene_replay(s, "a h, b dx");
  NEAR(scene_arrival(s, r, "t", "x"), 2 + 1.5 + 2);
  NEAR(scene_start(s, r, "b"), 5.5);
  NEAR(r->figures.latency, 6.5);
  NEAR(r->link[0].bytes, 100);
  NEAR(r->link[0].busy, 2); /* nothing is drawn during the latency */
  NEAR(r->link[0].energy, 200);
  NEAR(r->figures.energy, 200);
  cr_assert_eq(r->bottleneck, HO_BOTTLENECK_TRANSFER);
  NEAR(r->share[HO_BOTTLENECK_TRANSFER], 3.5);
  NEAR(r->share[HO_BOTTLENECK_COMPUTE], 3);
  scene_free(s);
}

/* x to y is no pair of peers: x to host 1.5 + 2, host to y 1.25 + 1. The staged copy is host memory until the second hop ends. */
Test(replay_copies, memories_that_are_not_peers_go_through_host) {
  scene *s = scene_new(THREE("0"), ONE);
  const ho_replay_result *r = scene_replay(s, "a dx, b dy");
  NEAR(scene_arrival(s, r, "t", "host"), 2 + 3.5);
  NEAR(scene_arrival(s, r, "t", "y"), 2 + 3.5 + 2.25);
  cr_assert_eq(r->n_transfers, 2);
  NEAR(r->memory[0].peak, 100);
  NEAR(r->memory[1].peak, 100);
  NEAR(r->figures.total, 200); /* in two memories at once, never in three */
  scene_free(s);
}

/* Peers copy directly: 0.5 + 0.25 and the slower of the links. */
Test(replay_copies, peers_copy_directly) {
  scene *s = scene_new(THREE("0") "peer_to_peer: [[x, y]]\n", ONE);
  const ho_replay_result *r = scene_replay(s, "a dx, b dy");
  NEAR(scene_arrival(s, r, "t", "y"), 2 + 0.75 + 2);
  NEAR(r->memory[0].peak, 0);
  NEAR(r->link[0].bytes, 0);
  scene_free(s);
}

/* One tensor, three consumers in two memories: it crosses twice, not three times. */
Test(replay_copies, a_tensor_crosses_once_per_memory) {
  scene *s = scene_new(THREE("0"), GRAPH(OP("a", "2") "," OP("b", "1") "," OP("c", "1") "," OP("d", "1"),
                                         TENSOR("t", "100", "a", "\"b\",\"c\",\"d\"")));
  const ho_replay_result *r = scene_replay(s, "a h, b dx, c dx, d dy");
  cr_assert_eq(r->n_transfers, 2);
  NEAR(r->link[0].bytes, 200);
  scene_free(s);
}

/* From x to host and y: the copy on host serves its consumer there and the hop to y. */
Test(replay_copies, one_staged_copy_serves_all_later_hops) {
  scene *s = scene_new(THREE("0"), GRAPH(OP("a", "2") "," OP("b", "1") "," OP("c", "1"), TENSOR("t", "100", "a", "\"b\",\"c\"")));
  const ho_replay_result *r = scene_replay(s, "a dx, b dy, c h");
  cr_assert_eq(r->n_transfers, 2);
  NEAR(scene_start(s, r, "c"), 5.5);
  NEAR(scene_start(s, r, "b"), 5.5 + 2.25);
  scene_free(s);
}

#define TWO \
  GRAPH(OP("a", "0") "," OP("c", "0") "," OP("d", "0"), TENSOR("t", "100", "a", "\"c\"") "," TENSOR("u", "50", "a", "\"d\""))

/* Both to x, issued d first: with one copy engine u (1.5 + 1) goes before t (1.5 + 2). */
Test(replay_copies, a_copy_engine_serves_the_earlier_consumer_first) {
  scene *s = scene_new(THREE("1"), TWO);
  const ho_replay_result *r = scene_replay(s, "a h, d dx 0, c dx 1");
  NEAR(scene_arrival(s, r, "u", "x"), 2.5);
  NEAR(scene_arrival(s, r, "t", "x"), 2.5 + 3.5);
  scene_free(s);
  s = scene_new(THREE("2"), TWO); /* two engines: 25 B/s each from 1.5; u ends at 3.5, then t has 50 B left at 50 B/s */
  r = scene_replay(s, "a h, d dx 0, c dx 1");
  NEAR(scene_arrival(s, r, "u", "x"), 3.5);
  NEAR(scene_arrival(s, r, "t", "x"), 4.5);
  scene_free(s);
}

/* A copy whose engine is busy keeps nobody of another route waiting. */
Test(replay_copies, routes_do_not_wait_for_each_other) {
  scene *s = scene_new(THREE("1"), GRAPH(OP("a", "0") "," OP("b", "0") "," OP("c", "0") "," OP("d", "0"),
                                         TENSOR("t", "100", "a", "\"b\"") "," TENSOR("u", "100", "a", "\"c\"") "," TENSOR(
                                             "v", "100", "a", "\"d\"")));
  const ho_replay_result *r = scene_replay(s, "a h, b dx, c dx, d dy");
  /* t to x and v to y from 0; v flows from 1.25, t from 1.5: up carries 100, then 50 each; lx lets t have 50 anyway. */
  NEAR(scene_arrival(s, r, "v", "y"), 1.25 + 0.25 + 75 / 50.0);
  NEAR(scene_arrival(s, r, "t", "x"), 1.5 + 2);
  NEAR(scene_arrival(s, r, "u", "x"), 3.5 + 3.5);
  scene_free(s);
}

#define SHARED                                                           \
  GRAPH(OP("a", "0") "," OP("b", "0") "," OP("c", "0") "," OP("d", "0"), \
        TENSOR("t", "100", "a", "\"c\"") "," TENSOR("u", "100", "b", "\"d\""))

/* serial: t takes up and lx for 1.5 + 2; u, which needs up too, goes from 3.5, for 1.25 + 1. none: each as if alone. */
Test(replay_copies, serial_links_are_taken_whole_and_none_ignores_the_others) {
  scene *s = scene_new(THREE("0") "contention: serial\n", SHARED);
  const ho_replay_result *r = scene_replay(s, "a h 0, b h 1, c dx, d dy");
  NEAR(scene_arrival(s, r, "t", "x"), 3.5);
  NEAR(scene_arrival(s, r, "u", "y"), 3.5 + 2.25);
  scene_free(s);
  s = scene_new(THREE("0") "contention: none\n", SHARED);
  r = scene_replay(s, "a h 0, b h 1, c dx, d dy");
  NEAR(scene_arrival(s, r, "t", "x"), 3.5);
  NEAR(scene_arrival(s, r, "u", "y"), 2.25);
  scene_free(s);
}

/* First come, first served: u was asked for at 0, t at 1, although t's consumer is issued first. */
Test(replay_copies, serial_is_first_come_first_served) {
  scene *s = scene_new(
      THREE("0") "contention: serial\n",
      GRAPH(OP("a", "1") "," OP("b", "0") "," OP("c", "0") "," OP("d", "0") "," OP("w", "0") "," OP("v", "0"),
            TENSOR("t", "100", "a", "\"c\"") "," TENSOR("u", "100", "b", "\"d\"") "," TENSOR("q", "100", "w", "\"v\"")));
  /* q holds up until 3.5; then u (from 0, after q), then t (from 1). */
  const ho_replay_result *r = scene_replay(s, "w h 0, b h 1, a h 2, v dx 0, c dx 1, d dx 2");
  NEAR(scene_arrival(s, r, "q", "x"), 3.5);
  NEAR(scene_arrival(s, r, "u", "x"), 7);
  NEAR(scene_arrival(s, r, "t", "x"), 10.5);
  scene_free(s);
}

/* A fat link bounds a copy's speed but is never shared: both at 50 although they run together. */
Test(replay_copies, a_fat_link_has_no_contention) {
  scene *s = scene_new(HEAD "devices:\n" DEVICE("h", "host", "0") DEVICE("dx", "x", "0") DEVICE("dy", "y", "0")
                            "links:\n  - {name: f, ends: [host, x], bandwidth: 50, latency: 0, duplex: fat}\n"
                            "  - {name: g, ends: [host, y], bandwidth: 50, latency: 0, duplex: full}\n",
                       GRAPH(OP("a", "0") "," OP("c", "0") "," OP("d", "0"), TENSOR("t", "100", "a", "\"c\"") "," TENSOR("u", "100", "a", "\"d\"")));
  const ho_replay_result *r = scene_replay(s, "a h, c dx 0, d dx 1");
  NEAR(scene_arrival(s, r, "t", "x"), 2);
  NEAR(scene_arrival(s, r, "u", "x"), 2);
  r = scene_replay(s, "a h, c dy 0, d dy 1");
  NEAR(scene_arrival(s, r, "t", "y"), 4);
  NEAR(scene_arrival(s, r, "u", "y"), 4);
  scene_free(s);
}

/* b may not start before 7, so its input is not fetched before 7 either. */
Test(replay_copies, a_prefetch_waits_for_the_first_consumers_not_before) {
  scene *s = scene_new(THREE("0"), ONE);
  g_autoptr(ho_plan) plan = scene_plan(s, "a h, b dx");
  plan->entry[1].not_before = 7;
  const ho_replay_result *r = ho_replay_run(s->replay, plan, NULL, NULL);
  NEAR(scene_arrival(s, r, "t", "x"), 7 + 3.5);
  NEAR(scene_start(s, r, "b"), 10.5);
  scene_free(s);
}

/* An input lies on host (or where it says) and travels from 0; a weight is there. */
Test(replay_copies, inputs_travel_and_weights_do_not) {
  scene *s = scene_new(THREE("0"), "{\"format\":\"heteroopt-graph/1\",\"name\":\"g\",\"ops\":[" OP("a", "1") "],\"tensors\":["
                                   "{\"name\":\"i\",\"bytes\":100,\"consumers\":[\"a\"]},{\"name\":\"j\",\"bytes\":50,\"memory\":\"x\",\"consumers\":[\"a\"]},"
                                   "{\"name\":\"w\",\"bytes\":1000,\"role\":\"weight\",\"consumers\":[\"a\"]}]}");
  const ho_replay_result *r = scene_replay(s, "a dx");
  cr_assert_eq(r->n_transfers, 1);
  NEAR(scene_arrival(s, r, "i", "x"), 3.5);
  NEAR(r->figures.latency, 4.5);
  NEAR(r->memory[1].peak, 1150);
  NEAR(r->memory[0].peak, 100);
  scene_free(s);
}

/* b runs in x and again in y; c in y takes the copy made there, d on host the one that ended first. */
Test(replay_copies, duplicates_serve_their_own_memory) {
  scene *s = scene_new(THREE("0"), GRAPH("{\"name\":\"b\",\"time\":{\"dx\":4,\"dy\":3}}," OP("c", "1") "," OP("d", "1"),
                                         TENSOR("t", "100", "b", "\"c\",\"d\"")));
  const ho_replay_result *r = scene_replay(s, "b dx, b dy, c dy, d h");
  NEAR(scene_start(s, r, "c"), 3);
  cr_assert_eq(r->n_transfers, 1);
  cr_assert_eq(r->transfer[0].from, ho_platform_find_memory(s->platform, "y"));
  NEAR(scene_start(s, r, "d"), 3 + 2.25);
  scene_free(s);
}
