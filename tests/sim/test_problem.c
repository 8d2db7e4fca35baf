/* test_problem.c: laws of sim/problem.h. */
#include <criterion/criterion.h>
#include <math.h>

#include "scene.h"

#define PLATFORM                                                                                          \
  "format: heteroopt-platform/1\nname: p\nmemories:\n  - {name: host, capacity: 1e12, bandwidth: 1e12}\n" \
  "  - {name: card, capacity: 1e12, bandwidth: 1e12}\ndevices:\n"                                         \
  "  - {name: d, kind: generic, memory: host, launch: {mode: async, host: 4us, device: 1us}}\n"           \
  "  - {name: e, kind: generic, memory: card, launch: {mode: async, host: 4us, device: 1us}}\n"           \
  "links:\n  - {name: l, ends: [host, card], bandwidth: 1e9, latency: 1us}\n"

/* a (2 on d, 5 on e) and b (not before 4; 7 or 3) into c (6 or 1): max(2, 4 + 3) + 1. */
#define GRAPH                                                                                              \
  "{\"format\":\"heteroopt-graph/1\",\"name\":\"g\",\"tensors\":["                                         \
  "{\"name\":\"x\",\"shape\":[1],\"dtype\":\"fp32\",\"producer\":\"a\",\"consumers\":[\"c\"]},"            \
  "{\"name\":\"y\",\"shape\":[1],\"dtype\":\"fp32\",\"producer\":\"b\",\"consumers\":[\"c\"]}],\"ops\":["  \
  "{\"name\":\"a\",\"time\":{\"d\":2,\"e\":5}},{\"name\":\"b\",\"release\":4,\"time\":{\"d\":7,\"e\":3}}," \
  "{\"name\":\"c\",\"time\":{\"d\":6,\"e\":1}}]}"

Test(problem, the_critical_path_takes_each_op_on_its_fastest_device_after_its_release) {
  scene *s = scene_new(PLATFORM, GRAPH);
  NEAR(ho_problem_critical_path(&s->problem), 8);
  scene_free(s);
}

Test(problem, no_plan_is_faster_than_the_critical_path) {
  static const char *const plans[] = {"a d, b d, c d", "a d, b d, c e", "a d, b e, c d", "a d, b e, c e",
                                      "a e, b d, c d", "a e, b d, c e", "a e, b e, c d", "a e, b e, c e"};
  scene *s = scene_new(PLATFORM, GRAPH);
  double bound = ho_problem_critical_path(&s->problem);
  for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) cr_assert_geq(scene_replay(s, plans[i])->figures.latency, bound);
  scene_free(s);
}
