/* test_rewrite_memory.c: what recompute and offload do to a replay, worked out by hand. */
#include <criterion/criterion.h>
#include <math.h>

#include "scene.h"
#include "sim/variant.h"

#define DEVICE                                                                                                                 \
  "kind: generic, saturation: 0, sharing: exclusive, copy_engines: 0, launch: {mode: async, host: 0, device: 0}, efficiency: " \
  "{default: 1, memory: 1}, power: {idle: 0, busy: 0}, peak: {fp32: 2e9}}\n"
#define PLATFORM                                                                                         \
  "format: heteroopt-platform/1\nname: p\nmemories:\n  - {name: host, capacity: 1e9, bandwidth: 1e12}\n" \
  "  - {name: near, capacity: 1e9, bandwidth: 1e12}\ndevices:\n  - {name: cpu, memory: host, " DEVICE    \
  "  - {name: gpu, memory: near, " DEVICE                                                                \
  "links:\n  - {name: bus, ends: [host, near], bandwidth: 1e9, latency: 0, duplex: full}\n"

/* x -> f1 -> a -> f2 -> y -> b2 -> g -> b1 -> out, and b1 reads a; every op takes 0.5 ms. */
#define GRAPH                                                                                                                 \
  "{\"format\":\"heteroopt-graph/1\",\"name\":\"g\",\"ops\":[{\"name\":\"f1\",\"kind\":\"conv\",\"flops\":1e6},"              \
  "{\"name\":\"f2\",\"kind\":\"conv\",\"flops\":1e6},{\"name\":\"b2\",\"kind\":\"conv_dgrad\",\"flops\":1e6,\"phase\":"       \
  "\"backward\"},"                                                                                                            \
  "{\"name\":\"b1\",\"kind\":\"conv_wgrad\",\"flops\":1e6,\"phase\":\"backward\"}],\"tensors\":["                             \
  "{\"name\":\"x\",\"bytes\":100,\"consumers\":[\"f1\"]},{\"name\":\"a\",\"bytes\":4000,\"producer\":\"f1\",\"consumers\":["  \
  "\"f2\",\"b1\"]},"                                                                                                          \
  "{\"name\":\"y\",\"bytes\":6000,\"producer\":\"f2\",\"consumers\":[\"b2\"]},"                                               \
  "{\"name\":\"g\",\"bytes\":1000,\"producer\":\"b2\",\"consumers\":[\"b1\"]},{\"name\":\"out\",\"bytes\":1000,\"producer\":" \
  "\"b1\"}]}"

/* Everything on the gpu, but what only the cpu can run. */
static ho_plan *plan_for(const scene *s, ho_variant *v) {
  const ho_graph *g = v ? v->graph : s->graph;
  ho_plan *plan = ho_plan_new(g->n_ops);
  for (int32_t i = 0; i < plan->n; i++)
    plan->entry[i] = (ho_entry){
        .op = g->topo[i],
        .device = (int16_t)ho_platform_find_device(s->platform, ho_kind_is_host_copy(g->op[g->topo[i]].kind) ? "cpu" : "gpu"),
        .precision = HO_DTYPE_NONE};
  if (v) ho_plan_set_variant(plan, v);
  return plan;
}

static void expect(const char *rewrites, double latency, double peak) {
  scene *s = scene_new(PLATFORM, GRAPH);
  g_autoptr(GError) error = NULL;
  g_autoptr(ho_variant) v = rewrites ? ho_variant_by_spec(s->graph, s->platform, s->cost, rewrites, &error) : NULL;
  cr_assert(!rewrites || v, "%s", error ? error->message : "");
  g_autoptr(ho_plan) plan = plan_for(s, v);
  const ho_replay_result *r = ho_replay_run(s->replay, plan, NULL, &error);
  cr_assert(r, "%s", error ? error->message : "");
  NEAR(r->figures.latency, latency);
  NEAR(r->memory[ho_platform_find_memory(s->platform, "near")].peak, peak);
  scene_free(s);
}

/* The peak is under b2: a + y + g. */
Test(rewrite_memory, without_rewrites_the_activation_stays) {
  expect(NULL, 0.1e-6 + 4 * 0.5e-3, 11000);
}

/* f1 runs again between b2 and b1, and x stays for it: under f2 there are x + a + y, under b2 only x + y + g. */
Test(rewrite_memory, recompute_costs_the_op_and_saves_the_activation) {
  expect("recompute:ops=f1", 0.1e-6 + 5 * 0.5e-3, 10100);
}

/* a crosses under f2 and is free behind it; it comes back after b2, 4 µs before b1 can begin. Under f2 there are a + y. */
Test(rewrite_memory, offload_costs_the_way_back_and_saves_the_activation) {
  expect("offload:tensor=a", 0.1e-6 + 4 * 0.5e-3 + 4e-6, 10000);
}

Test(rewrite_memory, copies_in_host_memory_run_there_only) {
  scene *s = scene_new(PLATFORM, GRAPH);
  g_autoptr(GError) error = NULL;
  g_autoptr(ho_variant) v = ho_variant_by_spec(s->graph, s->platform, s->cost, "offload:tensor=a", &error);
  g_autoptr(ho_plan) plan = plan_for(s, v);
  for (int32_t i = 0; i < plan->n; i++) plan->entry[i].device = (int16_t)ho_platform_find_device(s->platform, "gpu");
  cr_assert_null(ho_replay_run(s->replay, plan, NULL, &error));
  cr_assert(strstr(error->message, "kind 'offload' runs on devices in the host's memory 'host' only"), "%s", error->message);
  scene_free(s);
}
