/* test_estimate.c: the estimate against the replay: equal where theory says so, near elsewhere; and by hand. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "lab.h"
#include "sched/decode.h"
#include "sim/estimate_tables.h"

/* A random plan; points and precisions too when `all`. */
static ho_plan *random_plan(const lab *l, ho_stream *r, int all) {
  ho_op stuck;
  ho_space *v = ho_space_make(&l->problem, &stuck);
  cr_assert(v);
  ho_decoder *w = ho_decoder_new(&l->problem, v, all ? HO_STREAMS_SPREAD : HO_STREAMS_ONE);
  g_autofree int16_t *device = g_new(int16_t, v->n_ops);
  g_autofree double *priority = g_new(double, v->n_ops);
  for (ho_op o = 0; o < v->n_ops; o++) {
    device[o] = v->device[v->start[o] + (int32_t)ho_stream_below(r, (uint64_t)ho_space_choices(v, o))];
    priority[o] = ho_stream_uniform(r);
  }
  ho_plan *plan = ho_plan_new(v->n_ops);
  cr_assert_eq(ho_decode(w, device, priority, plan), 0);
  for (int32_t i = 0; i < plan->n && all; i++) {
    const ho_device_info *d = &l->platform->device[plan->entry[i].device];
    plan->entry[i].point = (int8_t)ho_stream_below(r, (uint64_t)d->n_points);
    int p = (int)ho_stream_below(r, HO_N_PRECISIONS);
    if (isfinite(ho_cost_kernel_at(l->cost, plan->entry[i].op, plan->entry[i].device, (ho_dtype)p, 0).time))
      plan->entry[i].precision = (int8_t)p;
  }
  ho_decoder_free(w);
  ho_space_free(v);
  return plan;
}

static const ho_replay_result *replay_of(ho_replay *replay, const ho_plan *plan) {
  g_autoptr(GError) error = NULL;
  const ho_replay_result *r = ho_replay_run(replay, plan, NULL, &error);
  cr_assert(r, "%s", error ? error->message : "");
  return r;
}

static void compare_memory(const lab *l, const ho_estimate *e, const ho_figures *got, const ho_replay_result *want) {
  for (ho_memory m = 0; m < l->platform->n_memories; m++)
    cr_assert_eq(ho_estimate_peak(e, m), want->memory[m].peak, "memory %d: %g, replay %g", m, ho_estimate_peak(e, m),
                 want->memory[m].peak);
  cr_assert_eq(got->tightest, want->figures.tightest);
  cr_assert_eq(got->total, want->figures.total);
  cr_assert_eq(got->accelerator, want->figures.accelerator);
}

/* No contention, free launches, exclusive devices: every start and end is the replay's, and so are energy and, without ops
 * of no length, all memory figures. Times are whole seconds, so that the sums are exact. */
Test(estimate, equals_the_replay_without_contention) {
  for (uint64_t seed = 1; seed <= 200; seed++) {
    ho_platform *p = lab_plain_platform();
    g_autoptr(lab) l = lab_new(lab_random_graph(seed, 40, (int32_t)(seed % 2), p), p);
    ho_stream r = ho_stream_small(seed);
    g_autoptr(ho_plan) plan = random_plan(l, &r, 0);
    if (seed % 3 == 0) plan->entry[plan->n / 2].not_before = 5;
    ho_estimate *e = ho_estimate_new(&l->problem);
    g_autoptr(ho_replay) replay = ho_replay_new(&l->problem);
    const ho_replay_result *want = replay_of(replay, plan);
    ho_figures got;
    cr_assert_eq(ho_estimate_run(e, plan, &got), 0);
    for (int32_t i = 0; i < plan->n; i++)
      cr_assert(ho_estimate_start(e, i) == want->op[i].start && ho_estimate_finish(e, i) == want->op[i].end,
                "seed %d, entry %d: %g to %g, replay %g to %g", (int)seed, i, ho_estimate_start(e, i), ho_estimate_finish(e, i),
                want->op[i].start, want->op[i].end);
    cr_assert_eq(got.latency, want->figures.latency);
    cr_assert_float_eq(got.energy, want->figures.energy, 1e-9 * want->figures.energy);
    if (seed % 2 == 1) compare_memory(l, e, &got, want);
    ho_estimate_free(e);
  }
}

/* Identical processors on one memory with proved optima: also the makespans of whole-second benchmarks are the replay's. */
Test(estimate, equals_the_replay_on_devices_of_one_memory) {
  g_autoptr(lab) l = lab_shared("stg_50_rand0000_p4");
  ho_estimate *e = ho_estimate_new(&l->problem);
  g_autoptr(ho_replay) replay = ho_replay_new(&l->problem);
  ho_stream r = ho_stream_small(8);
  for (int k = 0; k < 50; k++) {
    g_autoptr(ho_plan) plan = random_plan(l, &r, 0);
    ho_figures got;
    ho_estimate_run(e, plan, &got);
    cr_assert_eq(got.latency, replay_of(replay, plan)->figures.latency);
  }
  ho_estimate_free(e);
}

/* Launches of all three modes, one dispatcher or several, a device that reconfigures, several streams of an exclusive device: still
 * nothing that the estimate approximates. */
#define LAUNCHING(name, memory, launch, more)                                                                              \
  "  - {name: " name ", kind: generic, memory: " memory ", launch: " launch ", sharing: exclusive, copy_engines: 0, " more \
  ", power: {idle: 1, busy: 2, peak: 2}}\n"
#define LAUNCH_PLATFORM(rest) \
  "format: heteroopt-platform/1\nname: launching\nmemories:\n  - {name: m0, capacity: 1e12, bandwidth: 1e12}\n"          \
  "  - {name: m1, capacity: 1e12, bandwidth: 1e12}\n  - {name: m2, capacity: 1e12, bandwidth: 1e12}\ndevices:\n" LAUNCHING( \
      "d0", "m0", "{mode: async, host: 2, device: 1}", "streams: 3")                                                     \
      LAUNCHING("d1", "m1", "{mode: sync, host: 1, device: 0}", "streams: 1")                                            \
          LAUNCHING("d2", "m2", "{mode: graph, host: 4, device: 2}", "streams: 1, reconfigure: 3")                       \
  "links:\n  - {name: l01, ends: [m0, m1], bandwidth: 1, latency: 1, duplex: fat}\n"                                     \
  "  - {name: l02, ends: [m0, m2], bandwidth: 2, latency: 0, duplex: fat}\n" rest

Test(estimate, equals_the_replay_with_launches) {
  static const char *const platforms[] = {LAUNCH_PLATFORM(""), LAUNCH_PLATFORM("dispatchers: one\n")};
  for (uint64_t seed = 1; seed <= 100; seed++) {
    g_autoptr(lab) base = lab_texts("{\"format\":\"heteroopt-graph/1\",\"name\":\"g\",\"ops\":[{\"name\":\"a\"}],\"tensors\":[]}",
                                    platforms[seed % 2]);
    lab *l = lab_new(lab_random_graph(seed, 30, 0, base->platform), base->platform);
    ho_stream r = ho_stream_small(seed);
    g_autoptr(ho_plan) plan = random_plan(l, &r, 0);
    for (int32_t i = 0; i < plan->n; i++)
      if (plan->entry[i].device == 0) plan->entry[i].stream = (int16_t)ho_stream_below(&r, 3);
    ho_estimate *e = ho_estimate_new(&l->problem);
    g_autoptr(ho_replay) replay = ho_replay_new(&l->problem);
    const ho_replay_result *want = replay_of(replay, plan);
    ho_figures got;
    ho_estimate_run(e, plan, &got);
    for (int32_t i = 0; i < plan->n; i++)
      cr_assert(ho_estimate_start(e, i) == want->op[i].start && ho_estimate_finish(e, i) == want->op[i].end,
                "seed %d, entry %d on %d: %g to %g, replay %g to %g", (int)seed, i, plan->entry[i].device,
                ho_estimate_start(e, i), ho_estimate_finish(e, i), want->op[i].start, want->op[i].end);
    cr_assert_float_eq(got.energy, want->figures.energy, 1e-9 * want->figures.energy);
    ho_estimate_free(e);
    l->platform = NULL; /* it belongs to base */
    lab_free(l);
  }
}

/* Precisions, operating points, power caps: rows are the kernels that the replay uses, bit for bit. */
#define PRECISE                                                                                                                 \
  "format: heteroopt-platform/1\nname: precise\nmemories:\n  - {name: m0, capacity: 1e12, bandwidth: 2e9}\n"                    \
  "  - {name: m1, capacity: 1e12, bandwidth: 3e9}\ndevices:\n"                                                                  \
  "  - {name: d0, kind: cpu, memory: m0, peak: {fp32: 1e10, fp16: 3e10}, efficiency: {default: 0.7, memory: 0.9}, launch: "     \
  "{mode: async, "                                                                                                              \
  "host: 0, device: 0}, streams: 1, sharing: exclusive, copy_engines: 0, power: {idle: 1, busy: 4, peak: 9, per_flop: {fp32: "  \
  "1e-9}, "                                                                                                                     \
  "per_byte: 2e-9}, points: [{name: eco, speed: 0.7, power: 0.45}]}\n"                                                          \
  "  - {name: d1, kind: npu, memory: m1, peak: {int8: 1e11}, efficiency: {default: 0.3, memory: 0.5}, saturation: 1000, "       \
  "launch: {mode: "                                                                                                             \
  "async, host: 0, device: 0}, streams: 1, sharing: exclusive, copy_engines: 0, power: {idle: 1, busy: 2, peak: 20, per_byte: " \
  "1e-9}}\n"                                                                                                                    \
  "links:\n  - {name: l, ends: [m0, m1], bandwidth: 1e9, latency: 1e-5, duplex: full, energy: 1e-9}\ncontention: none\n"

Test(estimate, equals_the_replay_at_all_precisions_and_points) {
  g_autoptr(lab) l = lab_spec("layered:ops=60,width=6", PRECISE);
  ho_estimate *e = ho_estimate_new(&l->problem);
  g_autoptr(ho_replay) replay = ho_replay_new(&l->problem);
  ho_stream r = ho_stream_small(3);
  for (int k = 0; k < 100; k++) {
    g_autoptr(ho_plan) plan = random_plan(l, &r, k % 2);
    const ho_replay_result *want = replay_of(replay, plan);
    ho_figures got;
    ho_estimate_run(e, plan, &got);
    cr_assert_eq(got.latency, want->figures.latency, "plan %d: %.17g, replay %.17g", k, got.latency, want->figures.latency);
    cr_assert_float_eq(got.energy, want->figures.energy, 1e-12 * want->figures.energy);
    cr_assert_eq(got.total, want->figures.total, "plan %d: %.17g, replay %.17g", k, got.total, want->figures.total);
  }
  ho_estimate_free(e);
}

/* What a run leaves behind changes nothing: the same plan after others gives the same bits, also from another object. */
Test(estimate, depends_on_nothing_but_the_plan) {
  g_autoptr(lab) l = lab_spec("layered:ops=80,width=8", PRECISE);
  ho_estimate *a = ho_estimate_new(&l->problem), *b = ho_estimate_new(&l->problem);
  ho_stream r = ho_stream_small(5);
  g_autoptr(ho_plan) plan = random_plan(l, &r, 1);
  ho_figures first, again;
  ho_estimate_run(a, plan, &first);
  for (int k = 0; k < 20; k++) {
    g_autoptr(ho_plan) other = random_plan(l, &r, k % 2);
    ho_estimate_run(a, other, &again);
  }
  ho_estimate_run(a, plan, &again);
  cr_expect_eq(memcmp(&first, &again, sizeof first), 0);
  ho_estimate_run(b, plan, &again);
  cr_expect_eq(memcmp(&first, &again, sizeof first), 0);
  ho_estimate_free(a);
  ho_estimate_free(b);
}

/* By hand: two copies of 10 B leave at 1 over a link of 1 B/s. First come, first served: they arrive at 11 and 21. */
#define TIMED(name, memory)                             \
  "  - {name: " name ", kind: generic, memory: " memory \
  ", launch: {mode: async, host: 0, device: 0}, sharing: exclusive, copy_engines: 0, power: {idle: 0, busy: 1, peak: 1}}\n"
Test(estimate, copies_on_one_link_follow_each_other) {
  g_autoptr(lab) l = lab_texts(
      "{\"format\":\"heteroopt-graph/1\",\"name\":\"g\",\"ops\":[{\"name\":\"a\",\"time\":{\"d0\":1,\"d1\":1}},"
      "{\"name\":\"b\",\"time\":{\"d0\":1,\"d1\":1}},{\"name\":\"c\",\"time\":{\"d0\":1,\"d1\":1}}],\"tensors\":["
      "{\"name\":\"x\",\"bytes\":10,\"producer\":\"a\",\"consumers\":[\"b\"]},"
      "{\"name\":\"y\",\"bytes\":10,\"producer\":\"a\",\"consumers\":[\"c\"]}]}",
      "format: heteroopt-platform/1\nname: p\nmemories:\n  - {name: m0, capacity: 1e9, bandwidth: 1e9}\n"
      "  - {name: m1, capacity: 1e9, bandwidth: 1e9}\ndevices:\n" TIMED("d0", "m0") TIMED(
          "d1",
          "m1") "links:\n  - {name: l, ends: [m0, m1], bandwidth: 1, latency: 0, duplex: full, energy: 2}\ncontention: serial\n");
  g_autoptr(ho_plan) plan = ho_plan_new(3);
  for (int16_t i = 0; i < 3; i++) plan->entry[i] = (ho_entry){.op = i, .device = i > 0, .precision = HO_DTYPE_NONE};
  ho_estimate *e = ho_estimate_new(&l->problem);
  ho_figures f;
  ho_estimate_run(e, plan, &f);
  cr_expect_eq(ho_estimate_start(e, 1), 11);
  cr_expect_eq(ho_estimate_start(e, 2), 21);
  cr_expect_eq(f.latency, 22);
  cr_expect_eq(f.energy, 3 * 1.0 + 2 * 20.0); /* three seconds at 1 W, 20 B at 2 J */
  cr_expect_eq(ho_estimate_peak(e, 0), 20);   /* both tensors until they are away */
  cr_expect_eq(ho_estimate_peak(e, 1), 20);   /* x from 1 to 12, y from 11 to 22 */
  ho_estimate_free(e);
}

/* By hand, two kernels of a spatial device: each alone holds 0.75 of it for 4 s. The second gets the quarter that the first leaves, a third
 * of its speed, until 4, then has 4 - 4/3 s to go: 6 2/3. Work of 2 · 4 · 0.75 = 6 device-seconds needs at least 6 s. */
Test(estimate, kernels_side_by_side_take_what_is_left) {
  g_autoptr(lab) l = lab_texts(
      "{\"format\":\"heteroopt-graph/1\",\"name\":\"g\",\"ops\":[{\"name\":\"a\",\"flops\":300,\"parallelism\":75},"
      "{\"name\":\"b\",\"flops\":300,\"parallelism\":75}],\"tensors\":[]}",
      "format: heteroopt-platform/1\nname: p\nmemories:\n  - {name: m, capacity: 1e9, bandwidth: 1e9}\ndevices:\n"
      "  - {name: d, kind: gpu, memory: m, peak: {fp32: 100}, efficiency: {default: 1, memory: 1}, saturation: 100, launch: "
      "{mode: async, "
      "host: 0, device: 0}, streams: 2, sharing: spatial, power: {idle: 1, busy: 3, peak: 3}}\n");
  g_autoptr(ho_plan) plan = ho_plan_new(2);
  for (int16_t i = 0; i < 2; i++) plan->entry[i] = (ho_entry){.op = i, .stream = i, .precision = HO_DTYPE_NONE};
  ho_estimate *e = ho_estimate_new(&l->problem);
  ho_figures f;
  ho_estimate_run(e, plan, &f);
  cr_expect_float_eq(ho_estimate_finish(e, 0), 4, 1e-12);
  cr_expect_float_eq(ho_estimate_finish(e, 1), 20.0 / 3, 1e-12);
  cr_expect_float_eq(f.energy, 3 * 20.0 / 3, 1e-9); /* busy all the time */
  ho_estimate_free(e);
}

/* b reads its own copy of a on d1 at once; without it the tensor would take 10 s. */
Test(estimate, a_duplicate_saves_the_copy) {
  g_autoptr(lab) l = lab_texts(
      "{\"format\":\"heteroopt-graph/1\",\"name\":\"g\",\"ops\":[{\"name\":\"a\",\"time\":{\"d0\":2,\"d1\":3}},"
      "{\"name\":\"b\",\"time\":{\"d0\":1,\"d1\":1}},{\"name\":\"c\",\"time\":{\"d0\":1}}],\"tensors\":["
      "{\"name\":\"x\",\"bytes\":10,\"producer\":\"a\",\"consumers\":[\"b\",\"c\"]}]}",
      "format: heteroopt-platform/1\nname: p\nmemories:\n  - {name: m0, capacity: 1e9, bandwidth: 1e9}\n"
      "  - {name: m1, capacity: 1e9, bandwidth: 1e9}\ndevices:\n" TIMED("d0", "m0")
          TIMED("d1", "m1") "links:\n  - {name: l, ends: [m0, m1], bandwidth: 1, latency: 0, duplex: full}\ncontention: none\n");
  g_autoptr(ho_plan) plan = ho_plan_new(4);
  plan->entry[0] = (ho_entry){.op = 0, .device = 0, .precision = HO_DTYPE_NONE};
  plan->entry[1] = (ho_entry){.op = 0, .device = 1, .copy = 1, .precision = HO_DTYPE_NONE};
  plan->entry[2] = (ho_entry){.op = 1, .device = 1, .precision = HO_DTYPE_NONE};
  plan->entry[3] = (ho_entry){.op = 2, .device = 0, .precision = HO_DTYPE_NONE};
  ho_estimate *e = ho_estimate_new(&l->problem);
  g_autoptr(ho_replay) replay = ho_replay_new(&l->problem);
  const ho_replay_result *want = replay_of(replay, plan);
  ho_figures f;
  ho_estimate_run(e, plan, &f);
  cr_expect_eq(f.latency, 4);
  cr_expect_eq(want->figures.latency, 4);
  for (int32_t i = 0; i < 4; i++) cr_expect_eq(ho_estimate_start(e, i), want->op[i].start);
  cr_expect_eq(f.total, want->figures.total);
  ho_estimate_free(e);
}

/* A plan in which every third op has a second copy, right behind the first, on another device. */
static ho_plan *with_duplicates(const lab *l, const ho_plan *plan, ho_stream *r) {
  ho_plan *out = ho_plan_new(2 * plan->n);
  out->n = 0;
  for (int32_t i = 0; i < plan->n; i++) {
    out->entry[out->n++] = plan->entry[i];
    ho_device d = (ho_device)ho_stream_below(r, (uint64_t)l->platform->n_devices);
    if (i % 3 > 0 || d == plan->entry[i].device || !ho_cost_can_run(l->cost, plan->entry[i].op, d)) continue;
    out->entry[out->n] = plan->entry[i];
    out->entry[out->n].device = (int16_t)d;
    out->entry[out->n++].copy = 1;
  }
  return out;
}

Test(estimate, equals_the_replay_with_duplicates) {
  int duplicated = 0;
  for (uint64_t seed = 1; seed <= 100; seed++) {
    ho_platform *p = lab_plain_platform();
    g_autoptr(lab) l = lab_new(lab_random_graph(seed, 40, 1, p), p);
    ho_stream r = ho_stream_small(seed);
    g_autoptr(ho_plan) single = random_plan(l, &r, 0), plan = with_duplicates(l, single, &r);
    ho_estimate *e = ho_estimate_new(&l->problem);
    g_autoptr(ho_replay) replay = ho_replay_new(&l->problem);
    ho_figures got;
    ho_estimate_run(e, plan, &got);
    double want = replay_of(replay, plan)->figures.latency;
    cr_assert_eq(got.latency, want, "seed %d: %g, replay %g", (int)seed, got.latency, want);
    duplicated += plan->n > single->n;
    ho_estimate_free(e);
  }
  cr_expect(duplicated > 50);
}

Test(estimate, says_when_a_memory_overflows) {
  g_autoptr(lab) l = lab_texts(
      "{\"format\":\"heteroopt-graph/1\",\"name\":\"g\",\"ops\":[{\"name\":\"a\",\"time\":{\"d0\":1}}],\"tensors\":["
      "{\"name\":\"x\",\"bytes\":150,\"producer\":\"a\"}]}",
      "format: heteroopt-platform/1\nname: p\nmemories:\n  - {name: m0, capacity: 100, bandwidth: 1e9}\ndevices:\n" TIMED("d0",
                                                                                                                          "m0"));
  g_autoptr(ho_plan) plan = ho_plan_new(1);
  plan->entry[0] = (ho_entry){.op = 0, .precision = HO_DTYPE_NONE};
  ho_estimate *e = ho_estimate_new(&l->problem);
  ho_figures f;
  cr_expect_eq(ho_estimate_run(e, plan, &f), 1);
  cr_expect_eq(f.tightest, 1.5);
  ho_estimate_free(e);
}

/* On a platform with contention, sharing, staging and launches: near enough to rank plans. docs/validation.md has the numbers. */
Test(estimate, is_near_the_replay_with_contention) {
  g_autoptr(GError) error = NULL;
  ho_graph *g = ho_graph_load("resnet50:batch=1", NULL, NULL, &error);
  ho_platform *p = g ? ho_platform_load("workstation", &error) : NULL;
  cr_assert(p, "%s", error ? error->message : "");
  g_autoptr(lab) l = lab_new(g, p);
  ho_estimate *e = ho_estimate_new(&l->problem);
  g_autoptr(ho_replay) replay = ho_replay_new(&l->problem);
  ho_stream r = ho_stream_small(7);
  double sum = 0;
  for (int k = 0; k < 40; k++) {
    g_autoptr(ho_plan) plan = random_plan(l, &r, 0);
    ho_figures got;
    ho_estimate_run(e, plan, &got);
    double want = replay_of(replay, plan)->figures.latency;
    sum += fabs(got.latency - want) / want;
  }
  cr_expect(sum / 40 < 0.05, "mean relative error %g", sum / 40);
  ho_estimate_free(e);
}
