/* test_rules.c: single-fastest, greedy-rules, grouped-expert and the references, by hand. */
#include <criterion/criterion.h>
#include <string.h>

#include "lab.h"
#include "sched/place.h"
#include "sched/references.h"

/* Device name of every op of the only plan, in the order of ops. */
static void expect_devices(const lab *l, const char *scheduler, const char *const *options, const char *const *want) {
  g_autoptr(ho_search) s = lab_must_run(l, scheduler, options, 1, 100);
  cr_assert_eq(ho_archive_size(ho_search_archive(s)), 1);
  const ho_plan *plan = ho_archive_payload(ho_search_archive(s), 0);
  for (int32_t i = 0; i < plan->n; i++) {
    ho_op o = plan->entry[i].op;
    cr_expect_str_eq(l->platform->device[plan->entry[i].device].name, want[o], "%s puts %s on %s, expected %s", scheduler,
                     l->graph->op[o].name, l->platform->device[plan->entry[i].device].name, want[o]);
  }
}

static double objective_of(const lab *l, const char *scheduler, const char *const *options, int objective) {
  g_autoptr(ho_search) s = lab_must_run(l, scheduler, options, 1, 3000);
  return ho_archive_objectives(ho_search_archive(s), 0)[objective];
}

/* A: 2+6+3+4+3 = 18 s at 2 W; B: 4+3+5+2+3 = 17 s at 3 W. Memory, in the order t1 … t5: at most 9 B, of 100 and of 1000. */
Test(sched_rules, the_single_device_of_the_five_task_example) {
  g_autoptr(lab) l = lab_own("five_tasks");
  const char *const energy[] = {"objective=energy", NULL}, *const memory[] = {"objective=memory", NULL};
  expect_devices(l, "single-fastest", NULL, (const char *const[]){"B", "B", "B", "B", "B"});
  expect_devices(l, "single-fastest", energy, (const char *const[]){"A", "A", "A", "A", "A"});
  cr_expect_eq(objective_of(l, "single-fastest", NULL, 0), 17);
  cr_expect_eq(objective_of(l, "single-fastest", energy, 1), 36);
  cr_expect_eq(objective_of(l, "single-fastest", memory, 2), 0.009);
}

/* The path t1, t2, t4, t5 takes at least 2+2+3+2+3 = 4+3+2+3 = 12 s. Energy adds up op by op: 2·2, 3·3, 2·3, 3·2, 2·3 = 31 J. Least memory:
 * all on B in the order t1 … t5, 9 of 1000 B; anything on A takes at least 1 of 100 B. */
Test(sched_rules, references_of_the_five_task_example) {
  g_autoptr(lab) l = lab_own("five_tasks");
  cr_expect_eq(objective_of(l, "fastest", NULL, 0), 12);
  cr_expect_eq(objective_of(l, "least-energy", NULL, 1), 31);
  cr_expect_eq(objective_of(l, "least-memory", NULL, 2), 0.009);
  for (int k = 0; k < HO_N_OBJECTIVES; k++) {
    double objectives[HO_MAX_OBJECTIVES];
    g_autoptr(GError) error = NULL;
    g_autoptr(ho_plan) plan = NULL;
    ho_figures f;
    cr_assert(ho_reference_solve(&l->problem, (ho_objective)k, &plan, objectives, &f, &error), "%s", error ? error->message : "");
    cr_expect_eq(objectives[k], objective_of(l, ho_reference_name((ho_objective)k), NULL, k));
    cr_expect(ho_plan_check(plan, l->graph, l->platform, l->cost, NULL));
    cr_expect_eq(f.latency, objectives[0]);
  }
}

/* Ridge points: cpu 1e3/100 = 10 FLOP/B, gpu 1e4/1000 = 10, npu 2e4/400 = 50. Intensities: conv 20, gemm 100, attention 30, relu 0.5,
 * softmax 1. */
#define ROOFLINE                                                                                                              \
  "format: heteroopt-platform/1\nname: roofline\nmemories:\n  - {name: m0, capacity: 1e6, bandwidth: 100}\n"                  \
  "  - {name: m1, capacity: 1e6, bandwidth: 1000}\n  - {name: m2, capacity: 1e6, bandwidth: 400}\ndevices:\n"                 \
  "  - {name: cpu, kind: cpu, memory: m0, peak: {fp32: 1e3}, efficiency: {default: 1, memory: 1}, power: {idle: 0, busy: 0, " \
  "peak: 0}}\n"                                                                                                               \
  "  - {name: gpu, kind: gpu, memory: m1, peak: {fp32: 1e4}, efficiency: {default: 1, memory: 1}, power: {idle: 0, busy: 0, " \
  "peak: 0}}\n"                                                                                                               \
  "  - {name: npu, kind: npu, memory: m2, peak: {fp32: 2e4}, efficiency: {default: 1, memory: 1}, "                           \
  "supports: {kinds: [gemm, attention]}, power: {idle: 0, busy: 0, peak: 0}}\n"                                               \
  "links:\n  - {name: l1, ends: [m0, m1], bandwidth: 1e3, latency: 0, duplex: full}\n"                                        \
  "  - {name: l2, ends: [m0, m2], bandwidth: 1e3, latency: 0, duplex: full}\n"
#define OP(name, kind, flops) "{\"name\":\"" name "\",\"kind\":\"" kind "\",\"flops\":" flops ",\"read\":500,\"write\":500}"
#define TENSOR(name, from, to) "{\"name\":\"" name "\",\"bytes\":500,\"producer\":\"" from "\",\"consumers\":[\"" to "\"]}"
#define GRAPH                                                                                                                \
  "{\"format\":\"heteroopt-graph/1\",\"name\":\"g\",\"ops\":[" OP("c", "conv", "2e4") "," OP("g", "gemm", "1e5") "," OP(     \
      "a", "attention",                                                                                                      \
      "3e4") "," OP("r", "relu",                                                                                             \
                    "500") "," OP("s", "softmax",                                                                            \
                                  "1000") "],\"tensors\":[" TENSOR("1", "c",                                                 \
                                                                   "g") "," TENSOR("2", "g",                                 \
                                                                                   "a") "," TENSOR("3", "a",                 \
                                                                                                   "r") "," TENSOR("4", "r", \
                                                                                                                   "s") "]}"

Test(sched_rules, intensities_and_ridges_are_those_of_the_roofline) {
  g_autoptr(lab) l = lab_texts(GRAPH, ROOFLINE);
  const double intensity[] = {20, 100, 30, 0.5, 1};
  for (ho_op o = 0; o < 5; o++) cr_expect_float_eq(ho_place_intensity(&l->problem, o, 1), intensity[o], 1e-12);
  cr_expect_float_eq(ho_place_ridge(&l->problem, 0, 0), 10, 1e-12);
  cr_expect_float_eq(ho_place_ridge(&l->problem, 0, 1), 10, 1e-12);
  cr_expect_float_eq(ho_place_ridge(&l->problem, 1, 2), 50, 1e-12);
}

/* gemm: 10 s on the GPU, 5 s on the NPU. With half the threshold attention counts as compute-bound on the NPU too: 2.5 s against 3 s. */
Test(sched_rules, greedy_rules_follow_the_roofline) {
  g_autoptr(lab) l = lab_texts(GRAPH, ROOFLINE);
  expect_devices(l, "greedy-rules", NULL, (const char *const[]){"gpu", "npu", "gpu", "cpu", "cpu"});
  const char *const half[] = {"threshold=0.5", NULL}, *const never[] = {"threshold=1000", NULL};
  expect_devices(l, "greedy-rules", half, (const char *const[]){"gpu", "npu", "npu", "cpu", "cpu"});
  expect_devices(l, "greedy-rules", never, (const char *const[]){"cpu", "cpu", "cpu", "cpu", "cpu"});
}

/* softmax: the table wants the NPU, which cannot run it. A kind comes before its family (relu is elementwise). */
Test(sched_rules, grouped_expert_follows_its_table) {
  g_autoptr(lab) l = lab_texts(GRAPH, ROOFLINE);
  expect_devices(l, "grouped-expert", NULL, (const char *const[]){"gpu", "npu", "npu", "gpu", "cpu"});
  const char *const own[] = {"table=default=gpu;elementwise=gpu;relu=cpu;attention=npu;softmax=fpga", NULL};
  expect_devices(l, "grouped-expert", own, (const char *const[]){"gpu", "gpu", "npu", "cpu", "gpu"});
}

Test(sched_rules, a_wrong_table_is_told_in_one_line) {
  g_autoptr(lab) l = lab_texts(GRAPH, ROOFLINE);
  static const struct {
    const char *option, *part;
  } wrong[] = {{"table=covn=gpu", "'covn' is no operator kind or family"},
               {"table=conv=gpx", "'gpx' is neither a device"},
               {"table=conv", "not of the form key=device"}};
  for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
    const char *const options[] = {wrong[i].option, NULL};
    g_autoptr(GError) error = NULL;
    cr_assert_null(lab_run(l, "grouped-expert", options, 1, 10, &error));
    cr_expect(strstr(error->message, wrong[i].part), "%s", error->message);
    cr_expect_null(strchr(error->message, '\n'));
  }
}
