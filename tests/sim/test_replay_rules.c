/* test_replay_rules.c: rules of a replay that are easily got wrong where two of them meet, each by hand. The times stand in docs/replay.md's
 * words: sharing by ops with time tables, the memory under an operating point, weights in several precisions, staging, duplicates. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "scene.h"

#define MEMORY(name) "  - {name: " name ", capacity: 1e12, bandwidth: 100}\n"
#define HEAD "format: heteroopt-platform/1\nname: p\nmemories:\n" MEMORY("host") MEMORY("x") MEMORY("y")
#define DEVICE(name, memory, more) "  - {name: " name ", kind: generic, memory: " memory more "}\n"
#define LINKS                                                                            \
  "links:\n  - {name: lx, ends: [host, x], bandwidth: 50, latency: 1.5, duplex: half}\n" \
  "  - {name: ly, ends: [host, y], bandwidth: 100, latency: 1.25, duplex: half}\n"
#define THREE(engines) \
  HEAD "devices:\n" DEVICE("h", "host", "") DEVICE("dx", "x", ", copy_engines: " engines) DEVICE("dy", "y", "") LINKS
#define ONE(more) HEAD "devices:\n" DEVICE("d", "host", more)

#define OP(name, more) "{\"name\":\"" name "\"" more "}"
#define TIMED(name, t) OP(name, ",\"time\":{\"h\":" t ",\"dx\":" t ",\"dy\":" t ",\"d\":" t "}")
#define TENSOR(name, bytes, from, to) \
  "{\"name\":\"" name "\",\"bytes\":" bytes ",\"producer\":\"" from "\",\"consumers\":[" to "]}"
#define GRAPH(ops, tensors) "{\"format\":\"heteroopt-graph/1\",\"name\":\"g\",\"ops\":[" ops "],\"tensors\":[" tensors "]}"

/* Each holds all of the compute: alone 1 s and 2 s, together half as fast; the first ends at 2, the second has 1 s left. */
Test(replay_rules, ops_with_times_share_a_spatial_device) {
  scene *s = scene_new(ONE(", streams: 2, sharing: spatial"), GRAPH(TIMED("a", "1") "," TIMED("b", "2"), ""));
  const ho_replay_result *r = scene_replay(s, "a d 0, b d 1");
  NEAR(scene_end(s, r, "a"), 2);
  NEAR(scene_end(s, r, "b"), 3);
  scene_free(s);
}

/* 10 FLOP at 0.5 J and 8 B at 0.25 J. */
Test(replay_rules, ops_with_times_spend_the_energy_of_their_work) {
  scene *s = scene_new(ONE(", peak: {fp32: 100}, power: {idle: 0, busy: 0, peak: 1, per_flop: {fp32: 0.5}, per_byte: 0.25}"),
                       GRAPH(OP("a", ",\"flops\":10,\"read\":8,\"time\":{\"d\":2}"), ""));
  const ho_replay_result *r = scene_replay(s, "a d");
  NEAR(r->figures.latency, 2); /* whatever the cap: the table knows */
  NEAR(r->figures.energy, 7);
  scene_free(s);
}

/* 100 B at 100 B/s: twice the clock does not make the memory faster, whether or not somebody else could use it. */
Test(replay_rules, an_operating_point_does_not_make_the_memory_faster) {
#define FAST ", points: [{name: fast, speed: 2, power: 1}], peak: {fp32: 100}"
  const char *platform[] = {ONE(FAST), ONE(FAST) DEVICE("other", "host", "")};
  for (int k = 0; k < 2; k++) {
    scene *s = scene_new(platform[k], GRAPH(OP("a", ",\"read\":100,\"flops\":20"), ""));
    g_autoptr(ho_plan) plan = scene_plan(s, "a d");
    plan->entry[0].point = 1;
    const ho_replay_result *r = ho_replay_run(s->replay, plan, NULL, NULL);
    NEAR(r->figures.latency, 1);
    scene_free(s);
  }
}

/* w: 100 B for a in fp32 on host, 50 B for b in fp16 on x. */
Test(replay_rules, a_weight_is_as_large_as_its_consumers_in_that_memory_need) {
  scene *s = scene_new(
      HEAD "devices:\n" DEVICE("h", "host", ", peak: {fp32: 1, fp16: 1}") DEVICE("dx", "x", ", peak: {fp32: 1, fp16: 1}") LINKS,
      GRAPH(OP("a", "") "," OP("b", ""), "{\"name\":\"w\",\"bytes\":100,\"role\":\"weight\",\"consumers\":[\"a\",\"b\"]}"));
  g_autoptr(ho_plan) plan = scene_plan(s, "a h, b dx");
  plan->entry[1].precision = HO_FP16;
  const ho_replay_result *r = ho_replay_run(s->replay, plan, NULL, NULL);
  NEAR(r->memory[0].peak, 100);
  NEAR(r->memory[1].peak, 50);
  NEAR(r->figures.total, 150);
  scene_free(s);
}

Test(replay_rules, an_input_that_is_a_view_takes_no_memory) {
  scene *s = scene_new(THREE("0"), GRAPH(TIMED("a", "1") "," TIMED("b", "1"),
                                         "{\"name\":\"v\",\"bytes\":100,\"alias\":\"i\",\"consumers\":[\"b\"]},"
                                         "{\"name\":\"i\",\"bytes\":100,\"consumers\":[\"a\"]}"));
  NEAR(scene_replay(s, "a h, b h")->memory[0].peak, 100);
  scene_free(s);
}

/* a makes t and u on x at 2. Host needs t late (c) and u early (e), but b on y needs t first of all, through host: t goes first. */
Test(replay_rules, a_staged_copy_goes_as_early_as_the_first_it_serves) {
  scene *s = scene_new(THREE("1"), GRAPH(TIMED("a", "2") "," TIMED("b", "1") "," TIMED("e", "1") "," TIMED("c", "1"),
                                         TENSOR("u", "100", "a", "\"e\"") "," TENSOR("t", "100", "a", "\"b\",\"c\"")));
  const ho_replay_result *r = scene_replay(s, "a dx, b dy, e h, c h");
  NEAR(scene_arrival(s, r, "t", "host"), 5.5);
  NEAR(scene_arrival(s, r, "t", "y"), 5.5 + 2.25);
  NEAR(scene_arrival(s, r, "u", "host"), 9);
  scene_free(s);
}

/* a makes t and u on host at 2; u is needed first: 1.5 + 2 s on the half-duplex link, then t. */
Test(replay_rules, serial_requests_of_one_instant_go_in_order_of_issue) {
  scene *s =
      scene_new(THREE("0") "contention: serial\n", GRAPH(TIMED("a", "2") "," TIMED("b", "1") "," TIMED("e", "1"),
                                                         TENSOR("t", "100", "a", "\"e\"") "," TENSOR("u", "100", "a", "\"b\"")));
  const ho_replay_result *r = scene_replay(s, "a h, b dx, e dx");
  NEAR(scene_arrival(s, r, "u", "x"), 5.5);
  NEAR(scene_arrival(s, r, "t", "x"), 9);
  scene_free(s);
}

#define PAIR GRAPH(TIMED("a", "2") "," TIMED("b", "1"), TENSOR("t", "100", "a", "\"b\""))

/* Both copies of a end at 2: b takes that of copy 0, from y. */
Test(replay_rules, of_copies_that_end_together_the_first_is_taken) {
  scene *s = scene_new(THREE("0"), PAIR);
  const ho_replay_result *r = scene_replay(s, "a dy, a dx, b h");
  cr_assert_eq(r->n_transfers, 1);
  NEAR(scene_start(s, r, "b"), 2 + 2.25);
  scene_free(s);
}

/* The copy of a on x stands behind b in the queue: b cannot wait for it. */
Test(replay_rules, a_consumer_does_not_wait_for_a_copy_issued_after_it) {
  scene *s = scene_new(THREE("0"), PAIR);
  const ho_replay_result *r = scene_replay(s, "a h, b dx, a dx");
  NEAR(scene_start(s, r, "b"), 5.5);
  NEAR(r->figures.latency, 8.5);
  NEAR(r->memory[1].peak, 100); /* t is given back by b before the copy makes it again */
  scene_free(s);
}

/* b on y needs t from x through host, where a copy of a stands behind c, which waits for b. t 2 + 3.5 + 2.25, v 1.25 + 0.5. */
Test(replay_rules, staging_does_not_wait_for_a_copy_issued_later) {
  scene *s = scene_new(THREE("0"), GRAPH(TIMED("a", "2") "," TIMED("b", "1") "," TIMED("c", "1"),
                                         TENSOR("t", "100", "a", "\"b\"") "," TENSOR("v", "50", "b", "\"c\"")));
  const ho_replay_result *r = scene_replay(s, "a dx, b dy, c h, a h");
  NEAR(scene_start(s, r, "b"), 7.75);
  NEAR(scene_start(s, r, "c"), 10.5);
  NEAR(r->figures.latency, 13.5);
  scene_free(s);
}

/* The copy of a on x is faster than the transfer for b, which stands before it in another stream: t lies on x twice until the transfer ends. */
Test(replay_rules, what_is_made_while_it_is_brought_is_held_twice) {
  scene *s = scene_new(HEAD "devices:\n" DEVICE("h", "host", "") DEVICE("dx", "x", ", streams: 2, sharing: spatial") LINKS,
                       GRAPH(TIMED("a", "2") "," TIMED("b", "1"), TENSOR("t", "100", "a", "\"b\"")));
  const ho_replay_result *r = scene_replay(s, "a h, b dx 0, a dx 1");
  NEAR(scene_start(s, r, "b"), 2);
  NEAR(r->figures.latency, 5.5);
  NEAR(r->memory[1].peak, 200);
  scene_free(s);
}

/* b waits until 10, e does not: t travels for e. */
Test(replay_rules, a_copy_waits_for_the_earliest_of_its_consumers_only) {
  scene *s = scene_new(THREE("0"),
                       GRAPH(TIMED("a", "2") "," TIMED("b", "1") "," TIMED("e", "1"), TENSOR("t", "100", "a", "\"b\",\"e\"")));
  g_autoptr(ho_plan) plan = scene_plan(s, "a h, b dx, e dx");
  plan->entry[1].not_before = 10;
  const ho_replay_result *r = ho_replay_run(s->replay, plan, NULL, NULL);
  NEAR(scene_arrival(s, r, "t", "x"), 5.5);
  plan->entry[2].not_before = 3;
  r = ho_replay_run(s->replay, plan, NULL, NULL);
  NEAR(scene_arrival(s, r, "t", "x"), 6.5);
  scene_free(s);
}

/* The end of a makes p and q ready at 1; p could run on x too, which r holds. */
Test(replay_rules, a_policy_serves_what_one_event_made_ready_by_index) {
  scene *s = scene_new(THREE("0"), GRAPH(OP("a", ",\"time\":{\"h\":1}") "," OP("p", ",\"time\":{\"h\":1,\"dx\":5}") "," OP(
                                             "q", ",\"time\":{\"h\":1}") "," OP("r", ",\"time\":{\"dx\":10}"),
                                         TENSOR("t", "100", "a", "\"p\",\"q\"")));
  const ho_replay_result *r = ho_replay_policy(s->replay, "fifo", NULL, NULL);
  NEAR(scene_start(s, r, "p"), 1);
  NEAR(scene_start(s, r, "q"), 2);
  scene_free(s);
}

/* a and b take no time: what a makes is freed at 0, where what b makes is taken. Both count, and both need a place. */
Test(replay_rules, what_lives_for_an_instant_has_a_place_in_the_arena) {
  scene *s = scene_new(THREE("0"), GRAPH(TIMED("a", "0") "," TIMED("b", "0") "," TIMED("c", "0"),
                                         TENSOR("t", "100", "a", "\"b\"") "," TENSOR("u", "30", "b", "\"c\"")));
  const ho_replay_result *r = scene_replay(s, "a h, b h, c h");
  NEAR(r->figures.latency, 0);
  NEAR(r->memory[0].peak, 130);
  NEAR(ho_replay_arena(s->replay)[0], 130);
  scene_free(s);
}
