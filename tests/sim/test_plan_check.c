/* test_plan_check.c: what the validator refuses, and how it says so. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "scene.h"

#define PLATFORM                                                                                                               \
  "format: heteroopt-platform/1\nname: p\nmemories:\n  - {name: host, capacity: 1e12, bandwidth: 1e12}\n"                      \
  "  - {name: x, capacity: 1e12, bandwidth: 1e12}\n  - {name: island, capacity: 1e12, bandwidth: 1e12}\ndevices:\n"            \
  "  - {name: d, kind: generic, memory: host, peak: {fp32: 1e12}, streams: 2, launch: {mode: async, host: 0, device: 0}}\n"    \
  "  - {name: e, kind: gpu, memory: x, peak: {fp16: 1e12}, supports: {kinds: [gemm]}, launch: {mode: async, host: 0, device: " \
  "0}}\n"                                                                                                                      \
  "  - {name: lost, kind: generic, memory: island, launch: {mode: async, host: 0, device: 0}}\n"                               \
  "links: [{name: l, ends: [host, x], bandwidth: 100, latency: 0, duplex: full}]\n"
#define GRAPH                                                                                                         \
  "{\"format\":\"heteroopt-graph/1\",\"name\":\"g\",\"ops\":[{\"name\":\"a\",\"time\":{\"d\":1,\"e\":1,\"lost\":1}}," \
  "{\"name\":\"b\",\"time\":{\"d\":1,\"e\":1,\"lost\":1}},{\"name\":\"c\",\"kind\":\"conv\",\"flops\":5}],"           \
  "\"tensors\":[{\"name\":\"t\",\"bytes\":8,\"producer\":\"a\",\"consumers\":[\"b\"]}]}"

/* `change` spoils a plan that was fine; every part of `expected` (separated by '|') is in the message. */
static void refused(const char *text, void (*change)(ho_plan *), const char *expected) {
  scene *s = scene_new(PLATFORM, GRAPH);
  g_autoptr(ho_plan) plan = scene_plan(s, text);
  if (change) change(plan);
  g_autoptr(GError) error = NULL;
  cr_assert(!ho_plan_check(plan, s->graph, s->platform, s->cost, &error), "'%s' was accepted", text);
  cr_assert_eq(error->code, HO_ERROR_PLAN);
  g_auto(GStrv) parts = g_strsplit(expected, "|", -1);
  for (char **p = parts; *p; p++) cr_assert(strstr(error->message, *p), "'%s' lacks '%s'", error->message, *p);
  scene_free(s);
}

static void stream_two(ho_plan *p) {
  p->entry[0].stream = 2;
}
static void point_one(ho_plan *p) {
  p->entry[0].point = 1;
}
static void never(ho_plan *p) {
  p->entry[0].not_before = NAN;
}
static void late(ho_plan *p) {
  p->entry[0].not_before = INFINITY;
}
static void copy_five(ho_plan *p) {
  p->entry[1].copy = 5;
}
static void no_copy(ho_plan *p) {
  p->entry[1].copy = 0;
}
static void no_op(ho_plan *p) {
  p->entry[0].op = 3;
}
static void no_device(ho_plan *p) {
  p->entry[0].device = 3;
}

Test(plan_check, indices_out_of_range_are_refused) {
  refused("a d, b d, c d", stream_two, "assign[0]|'a'|stream 2|'d'|0 to 1");
  refused("a d, b d, c d", point_one, "assign[0]|'a'|operating point 1|'d'");
  refused("a d, b d, c d", no_op, "assign[0]|op index 3|0 to 2");
  refused("a d, b d, c d", no_device, "assign[0]|device index 3|0 to 2");
}

Test(plan_check, times_that_are_none_are_refused) {
  refused("a d, b d, c d", never, "assign[0]|not_before nan");
  refused("a d, b d, c d", late, "assign[0]|not_before inf");
}

Test(plan_check, every_op_is_there_once) {
  refused("a d, b d", NULL, "'c' is missing");
  refused("a d, a d, b d, c d", no_copy, "assign[1]|'a' is named twice|assign[0]");
  refused("a d, a d, b d, c d", copy_five, "assign[1]|copy 5, expected 1");
}

Test(plan_check, inputs_are_issued_before_their_consumers) {
  refused("b d, a d, c d", NULL, "assign[0]|'b'|input 't'|'a' (assign[1])");
}

Test(plan_check, what_a_device_cannot_run_is_refused_with_the_reason) {
  refused("a d, b d, c e", NULL, "assign[2]|'c' cannot run on device 'e'|kind 'conv'");
  refused("a d, b d, c lost", NULL, "assign[2]|'c' cannot run on device 'lost'|5 FLOP|no peak");
}

Test(plan_check, a_tensor_needs_a_way) {
  refused("a d, b lost, c d", NULL, "assign[1]|no route for tensor 't'|'host' to 'island'");
}
