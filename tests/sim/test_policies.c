/* test_policies.c: the policies by which an idle device looks for an op, by hand. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "scene.h"

#define ONE_MEMORY "format: heteroopt-platform/1\nname: p\nmemories: [{name: m, capacity: 1GB, bandwidth: 1GB/s}]\n"

static const char unlike[] = ONE_MEMORY "devices: [{name: cpu, kind: cpu, memory: m}, {name: gpu, kind: gpu, memory: m}]\n";
static const char alike[] = ONE_MEMORY "devices: [{name: a, kind: cpu, memory: m}, {name: b, kind: cpu, memory: m}]\n";

static const ho_replay_result *run(scene *s, const char *policy) {
  GError *error = NULL;
  const ho_replay_result *r = ho_replay_policy(s->replay, policy, NULL, &error);
  cr_assert(r, "%s", error ? error->message : "");
  return r;
}

static const char *device_of(const scene *s, const ho_replay_result *r, const char *op) {
  for (int32_t i = 0; i < r->plan->n; i++)
    if (strcmp(s->graph->op[r->plan->entry[i].op].name, op) == 0) return s->platform->device[r->plan->entry[i].device].name;
  return "";
}

/* y takes the cpu 10 times as long as the gpu, x twice, z half as long: the cpu takes z, the gpu y, and the cpu, when it is free first, x. First come first
 * served, the cpu takes y: 10 s. */
Test(policies, heteroprio_gives_each_device_what_it_accelerates_most) {
  scene *s = scene_new(
      unlike,
      "{\"format\":\"heteroopt-graph/1\",\"name\":\"g\",\"ops\":[{\"name\":\"y\",\"time\":{\"cpu\":30,\"gpu\":3}},"
      "{\"name\":\"x\",\"time\":{\"cpu\":2,\"gpu\":1}},{\"name\":\"z\",\"time\":{\"cpu\":1,\"gpu\":2}}],\"tensors\":[]}");
  const ho_replay_result *r = run(s, "heteroprio");
  cr_expect_str_eq(device_of(s, r, "z"), "cpu");
  cr_expect_str_eq(device_of(s, r, "y"), "gpu");
  cr_expect_str_eq(device_of(s, r, "x"), "cpu");
  NEAR(r->figures.latency, 3);
  NEAR(run(s, "fifo")->figures.latency, 30);
  scene_free(s);
}

/* What no other kind can run has a factor of 0 and comes first. */
Test(policies, heteroprio_takes_first_what_only_it_can_run) {
  scene *s =
      scene_new(unlike,
                "{\"format\":\"heteroopt-graph/1\",\"name\":\"g\",\"ops\":[{\"name\":\"x\",\"time\":{\"cpu\":1,\"gpu\":5}},"
                "{\"name\":\"only\",\"time\":{\"cpu\":1}}],\"tensors\":[]}");
  const ho_replay_result *r = run(s, "heteroprio");
  NEAR(scene_start(s, r, "only"), 0);
  cr_expect_str_eq(device_of(s, r, "x"), "gpu");
  scene_free(s);
}

/* p and q are dealt to a and b. p ends at 1 and makes p1, p2 ready, a's own: it goes on with the last one, p2. q ends at 2; b has nothing, and steals the first
 * one, p1, which ends at 4. */
Test(policies, work_stealing_goes_on_with_the_last_and_steals_the_first) {
  scene *s = scene_new(alike,
                       "{\"format\":\"heteroopt-graph/1\",\"name\":\"g\",\"ops\":[{\"name\":\"p\",\"time\":{\"a\":1,\"b\":1}},"
                       "{\"name\":\"q\",\"time\":{\"a\":2,\"b\":2}},{\"name\":\"p1\",\"time\":{\"a\":2,\"b\":2}},{\"name\":"
                       "\"p2\",\"time\":{\"a\":2,\"b\":2}}],"
                       "\"tensors\":[{\"name\":\"t\",\"bytes\":4,\"producer\":\"p\",\"consumers\":[\"p1\",\"p2\"]}]}");
  const ho_replay_result *r = run(s, "ws");
  cr_expect_str_eq(device_of(s, r, "p"), "a");
  cr_expect_str_eq(device_of(s, r, "q"), "b");
  cr_expect_str_eq(device_of(s, r, "p2"), "a");
  cr_expect_str_eq(device_of(s, r, "p1"), "b");
  NEAR(scene_start(s, r, "p2"), 1);
  NEAR(scene_start(s, r, "p1"), 2);
  NEAR(r->figures.latency, 4);
  scene_free(s);
}

/* What the device cannot run is left to others. */
Test(policies, nobody_steals_what_it_cannot_run) {
  scene *s = scene_new(alike,
                       "{\"format\":\"heteroopt-graph/"
                       "1\",\"name\":\"g\",\"ops\":[{\"name\":\"p\",\"time\":{\"a\":1}},{\"name\":\"q\",\"time\":{\"a\":1}},"
                       "{\"name\":\"r\",\"time\":{\"a\":1}}],\"tensors\":[]}");
  const ho_replay_result *r = run(s, "ws");
  NEAR(r->figures.latency, 3);
  cr_expect_str_eq(device_of(s, r, "q"), "a");
  scene_free(s);
}
