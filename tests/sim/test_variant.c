/* test_variant.c: plans that rewrite their graph. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "models/rewrite_json.h"
#include "scene.h"
#include "sim/estimate.h"
#include "sim/variant.h"

#define PLATFORM                                                                                                          \
  "format: heteroopt-platform/1\nname: p\nmemories:\n  - {name: host, capacity: 1e9, bandwidth: 1e12}\n"                  \
  "  - {name: near, capacity: 1e9, bandwidth: 1e12}\ndevices:\n"                                                          \
  "  - {name: cpu, kind: generic, memory: host, peak: {fp32: 1e9}, saturation: 0, sharing: exclusive, copy_engines: 0, "  \
  "launch: {mode: async, host: 0, device: 0}, efficiency: {default: 1, memory: 1}, power: {idle: 1, busy: 2, peak: 2}}\n" \
  "  - {name: npu, kind: generic, memory: near, peak: {fp32: 2e9}, saturation: 0, sharing: exclusive, copy_engines: 0, "  \
  "launch: {mode: async, host: 0, device: 0}, efficiency: {default: 1, memory: 1}, power: {idle: 1, busy: 2, peak: 2}, "  \
  "supports: {kinds: [conv, relu]}}\n"                                                                                    \
  "links:\n  - {name: bus, ends: [host, near], bandwidth: 1e9, latency: 0, duplex: full}\n"

/* x -> a (conv, 1 ms on cpu) -> b (relu, 3 ms) -> c (sigmoid, 1 ms) -> y */
#define GRAPH                                                                                                                    \
  "{\"format\":\"heteroopt-graph/1\",\"name\":\"g\",\"ops\":[{\"name\":\"a\",\"kind\":\"conv\",\"flops\":1e6},"                  \
  "{\"name\":\"b\",\"kind\":\"relu\",\"flops\":3e6},{\"name\":\"c\",\"kind\":\"sigmoid\",\"flops\":1e6}],"                       \
  "\"tensors\":[{\"name\":\"x\",\"bytes\":4000,\"consumers\":[\"a\"]},"                                                          \
  "{\"name\":\"p\",\"bytes\":4000,\"producer\":\"a\",\"consumers\":[\"b\"]},"                                                    \
  "{\"name\":\"q\",\"bytes\":4000,\"producer\":\"b\",\"consumers\":[\"c\"]},{\"name\":\"y\",\"bytes\":4000,\"producer\":\"c\"}]" \
  "}"

static ho_variant *variant(const scene *s, const char *rewrites, GError **error) {
  json_auto_t *json = json_loads(rewrites, 0, NULL);
  GPtrArray *list = ho_rewrites_from_json(json, (ho_json_at){"test", ""}, NULL);
  cr_assert_not_null(list);
  return ho_variant_new(s->graph, s->platform, s->cost, list, error);
}

/* The ops of the variant's graph in topological order, all on one device. */
static ho_plan *plan_on(const scene *s, ho_variant *v, const char *device) {
  ho_plan *plan = ho_plan_new(v->graph->n_ops);
  for (int32_t i = 0; i < plan->n; i++) {
    plan->entry[i].op = v->graph->topo[i];
    plan->entry[i].device = (int16_t)ho_platform_find_device(s->platform, device);
  }
  ho_plan_set_variant(plan, v);
  return plan;
}

static const ho_replay_result *replayed(scene *s, const ho_plan *plan, const ho_replay_options *options) {
  g_autoptr(GError) error = NULL;
  const ho_replay_result *r = ho_replay_run(s->replay, plan, options, &error);
  cr_assert(r, "%s", error ? error->message : "");
  return r;
}

Test(variant, a_plan_with_rewrites_is_replayed_on_the_rewritten_graph) {
  scene *s = scene_new(PLATFORM, GRAPH);
  g_autoptr(ho_variant) v = variant(s, "[{\"rule\":\"fuse\",\"ops\":[\"a\",\"b\"],\"into\":[\"ab\"]}]", NULL);
  g_autoptr(ho_plan) plan = plan_on(s, v, "cpu");
  const ho_replay_result *r = replayed(s, plan, NULL);
  NEAR(r->figures.latency, 5e-3);
  cr_assert_eq(r->plan->n, 2);
  cr_assert_eq(r->problem->graph, v->graph);
  NEAR(r->figures.total, 4000 * 2); /* p is never there; x goes before y comes */
  const ho_replay_buffer *buffers;
  cr_assert_eq(ho_replay_buffers(s->replay, &buffers), 3); /* of the replay that ran */
  /* and the graph as it is, with the same object */
  r = scene_replay(s, "a cpu, b cpu, c cpu");
  cr_assert_eq(r->problem->graph, s->graph);
  cr_assert_eq(ho_replay_buffers(s->replay, &buffers), 4);
  scene_free(s);
}

Test(variant, replay_and_estimate_are_those_of_the_rewritten_graph_by_itself) {
  scene *s = scene_new(PLATFORM, GRAPH);
  g_autoptr(ho_variant) v = variant(s, "[{\"rule\":\"fuse\",\"ops\":[\"b\",\"c\"],\"into\":[\"bc\"]}]", NULL);
  g_autoptr(ho_plan) plan = plan_on(s, v, "cpu");
  plan->entry[0].device = (int16_t)ho_platform_find_device(s->platform, "npu");
  ho_figures figures = replayed(s, plan, NULL)->figures;
  ho_problem q = ho_variant_problem(v, &s->problem);
  g_autoptr(ho_replay) own = ho_replay_new(&q);
  const ho_replay_result *r = ho_replay_run(own, plan, NULL, NULL);
  cr_assert_eq(memcmp(&figures, &r->figures, sizeof figures), 0);
  ho_estimate *e = ho_estimate_new(&q);
  ho_figures estimate;
  cr_assert_eq(ho_estimate_run(e, plan, &estimate), 0);
  NEAR(estimate.latency, figures.latency);
  ho_estimate_free(e);
  scene_free(s);
}

Test(variant, a_plan_survives_being_written_and_read) {
  scene *s = scene_new(PLATFORM, GRAPH);
  g_autoptr(ho_variant) v = variant(s, "[{\"rule\":\"fuse\",\"ops\":[\"a\",\"b\"],\"into\":[\"ab\"]}]", NULL);
  g_autoptr(ho_plan) plan = plan_on(s, v, "cpu");
  json_auto_t *json = ho_plan_to_json(plan, s->graph, s->platform, NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(ho_plan) again = ho_plan_from_json(json, (ho_json_at){"f", ""}, s->graph, s->platform, s->cost, &error);
  cr_assert(again, "%s", error ? error->message : "");
  cr_assert(ho_plan_equal(plan, again));
  cr_assert_str_eq(again->variant->graph->digest, v->graph->digest);
  g_autoptr(ho_plan) copy = ho_plan_copy(again), plain = scene_plan(s, "a cpu, b cpu, c cpu");
  cr_assert(ho_plan_equal(copy, plan));
  ho_plan_set_variant(copy, NULL);
  cr_assert_not(ho_plan_equal(copy, plan));
  /* the place of what is wrong */
  json_object_set_new(json_array_get(json_object_get(json, "rewrites"), 0), "ops", json_pack("[s,s]", "a", "z"));
  g_autoptr(ho_plan) bad = ho_plan_from_json(json, (ho_json_at){"f", ""}, s->graph, s->platform, s->cost, &error);
  cr_assert_null(bad);
  cr_assert_str_eq(error->message, "f: rewrites[0]: ops[1]: there is no op 'z' in the graph at this point");
  scene_free(s);
}

Test(variant, a_plan_of_another_graph_is_refused) {
  scene *s = scene_new(PLATFORM, GRAPH), *other = scene_new(PLATFORM, GRAPH);
  g_autoptr(ho_variant) v = variant(other, "[{\"rule\":\"fuse\",\"ops\":[\"a\",\"b\"]}]", NULL);
  g_autoptr(ho_plan) plan = plan_on(other, v, "cpu");
  g_autoptr(GError) error = NULL;
  cr_assert_null(ho_replay_run(s->replay, plan, NULL, &error));
  cr_assert_not_null(strstr(error->message, "another graph"), "%s", error->message);
  g_clear_pointer(&plan, ho_plan_free);
  scene_free(s);
  g_clear_pointer(&v, ho_variant_unref);
  scene_free(other);
}

/* The npu knows conv and relu, not sigmoid. */
Test(variant, a_fused_op_needs_the_support_of_all_its_parts) {
  scene *s = scene_new(PLATFORM, GRAPH);
  ho_device npu = ho_platform_find_device(s->platform, "npu");
  g_autoptr(ho_variant) ab = variant(s, "[{\"rule\":\"fuse\",\"ops\":[\"a\",\"b\"],\"into\":[\"ab\"]}]", NULL);
  g_autoptr(ho_variant) abc = variant(s, "[{\"rule\":\"fuse\",\"ops\":[\"a\",\"b\",\"c\"],\"into\":[\"abc\"]}]", NULL);
  NEAR(ho_cost_time(ab->cost, ho_graph_find_op(ab->graph, "ab"), npu), 2e-3);
  cr_assert_not(ho_cost_can_run(abc->cost, 0, npu));
  g_autoptr(ho_plan) plan = plan_on(s, abc, "npu");
  g_autoptr(GError) error = NULL;
  cr_assert_null(ho_replay_run(s->replay, plan, NULL, &error));
  cr_assert_not_null(strstr(error->message, "'sigmoid', which is part of it"), "%s", error->message);
  scene_free(s);
}

/* What the plain graph meets: a and b, 1 and 3 ms; the fused op, alone on its device, takes the sum of both as they were. */
Test(variant, a_fused_op_has_the_noise_of_its_parts_weighted_by_their_times) {
  scene *s = scene_new(PLATFORM, GRAPH);
  g_autoptr(ho_variant) v = variant(s, "[{\"rule\":\"fuse\",\"ops\":[\"a\",\"b\"],\"into\":[\"ab\"]}]", NULL);
  g_autoptr(ho_plan) plan = plan_on(s, v, "cpu"), plain = scene_plan(s, "a cpu, b cpu, c cpu");
  for (int64_t i = 0; i < 20; i++) {
    const ho_replay_options options = {.seed = 5, .replay = i, .noise = 0.2};
    double apart = replayed(s, plain, &options)->figures.latency;
    NEAR(replayed(s, plan, &options)->figures.latency, apart);
    cr_assert_gt(fabs(apart - 5e-3), 1e-9); /* there was noise */
  }
  scene_free(s);
}
