/* test_list.c: HEFT, CPOP and PEFT against the papers' examples, proved optima, and by hand. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "lab.h"
#include "sched/costs.h"
#include "sched/peft.h"

/* topcuoglu2002_fig3: Topcuoglu, Hariri & Wu, IEEE TPDS 13(3), 2002, figure 3 and table 3; makespans there (HEFT 80, CPOP 86) and in Arabnejad
 * & Barbosa, IEEE TPDS 25(3), 2014 (PEFT 85); arabnejad2014_fig1: figure 1 there. */
static void check_makespans(lab *l, json_t *expected) {
  const char *name;
  json_t *value;
  int checked = 0;
  json_object_foreach(json_object_get(expected, "makespan"), name, value) {
    if (!ho_scheduler_find(name)) continue;
    g_autoptr(ho_search) s = lab_must_run(l, name, NULL, 1, 1);
    double got = lab_replayed(l, s),
           optimum = json_number_value(json_object_get(json_object_get(expected, "makespan"), "optimum"));
    cr_expect_eq(got, json_number_value(value), "%s on %s: %g, published %g", name, l->graph->name, got,
                 json_number_value(value));
    cr_expect(got >= optimum);
    checked++;
  }
  cr_assert(checked >= 2);
}

static void check_ranks(const lab *l, json_t *expected) {
  ho_costs *c = ho_costs_new(&l->problem);
  g_autofree double *up = g_new(double, c->n_ops), *table = g_new(double, c->n_ops * c->n_devices),
                    *oct = g_new(double, c->n_ops);
  ho_rank_upward(c, up);
  ho_peft_table(c, table);
  ho_peft_rank(c, table, oct);
  for (ho_op o = 0; o < c->n_ops; o++) {
    cr_expect_float_eq(up[o], json_number_value(json_array_get(json_object_get(expected, "rank_u"), (size_t)o)), 1e-6,
                       "rank_u of %d: %g", o, up[o]);
    cr_expect_float_eq(oct[o], json_number_value(json_array_get(json_object_get(expected, "rank_oct"), (size_t)o)), 1e-6,
                       "rank_oct of %d: %g", o, oct[o]);
  }
  ho_costs_free(c);
}

Test(sched_list, makespans_and_ranks_of_topcuoglu_2002_are_the_published_ones) {
  g_autoptr(lab) l = lab_own("topcuoglu2002_fig3");
  json_t *expected = lab_expected("topcuoglu2002_fig3", 0);
  check_makespans(l, expected);
  check_ranks(l, expected);
  json_decref(expected);
}

Test(sched_list, makespans_and_ranks_of_arabnejad_2014_are_the_published_ones) {
  g_autoptr(lab) l = lab_shared("arabnejad2014_fig1");
  json_t *expected = lab_expected("arabnejad2014_fig1", 1);
  check_makespans(l, expected);
  check_ranks(l, expected);
  json_decref(expected);
}

/* Standard Task Graphs with proved optima: identical processors, no communication. */
Test(sched_list, no_list_scheduler_is_below_a_proved_optimum) {
  static const char *const cases[] = {"stg_50_rand0000_p2", "stg_50_rand0000_p4",  "stg_50_rand0001_p4",  "stg_50_rand0003_p2",
                                      "stg_50_rand0006_p8", "stg_100_rand0000_p4", "stg_100_rand0005_p2", "stg_100_rand0008_p8"};
  static const char *const names[] = {"heft",  "cpop",    "peft",        "lookahead",        "etf",  "mcp", "bil", "hcpt",
                                      "dls",   "min-min", "max-min",     "sufferage",        "mct",  "met", "olb", "heft-energy",
                                      "hbmct", "ippts",   "heft-memory", "heft-duplication", "m-etf"};
  for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(lab) l = lab_shared(cases[i]);
    json_t *expected = lab_expected(cases[i], 1);
    double optimum = json_number_value(json_object_get(expected, "optimal_makespan"));
    for (size_t k = 0; k < G_N_ELEMENTS(names); k++) {
      g_autoptr(ho_search) s = lab_must_run(l, names[k], NULL, 1, 1);
      double got = lab_replayed(l, s);
      cr_expect(got >= optimum, "%s on %s: %g is below the optimum %g", names[k], cases[i], got, optimum);
      /* Graham's bound for any list schedule without communication; CPOP and MET are no list schedules in that sense. */
      if (k != 1 && strcmp(names[k], "met") != 0)
        cr_expect(got <= optimum * 2, "%s on %s: %g is more than twice the optimum %g", names[k], cases[i], got, optimum);
    }
    json_decref(expected);
  }
}

/* By hand:
 *   t1 (A 2, B 4) → t2: 2 B, t3: 4 B;  t2 (6, 3) → t4: 3 B;  t3 (3, 5) → t4: 1 B;  t4 (4, 2) → t5: 2 B;  t5 (3, 3); links 1 B/s.
 * rank_u: t5 3, t4 3+2+3 = 8, t3 4+1+8 = 13, t2 4.5+3+8 = 15.5, t1 3+2+15.5 = 20.5.
 * HEFT: t1 on A 0–2; t2 on B, ready at 4, 4–7 (A: 8); t3 on A 2–5; t4 on B 7–9 (A: 14); t5 on B 9–12.
 * CPOP: rank_d 0, 5, 7, 12.5, 17.5, so the path is t1, t2, t4, t5, on B (12 against 15): t1 0–4, t2 4–7; t3 on A, ready at 8, 8–11 (B: 12);
 *   t4, ready at 12, 12–14; t5 14–17.
 * PEFT: OCT t4 (3, 3), t3 (6, 5), t2 (7, 5), t1 (10, 10); chooses as HEFT does. */
Test(sched_list, the_five_task_example_by_hand) {
  g_autoptr(lab) l = lab_own("five_tasks");
  static const struct {
    const char *name;
    double makespan;
    const char *devices; /* of t1 … t5 */
  } expected[] = {{"heft", 12, "ABABB"}, {"cpop", 17, "BBABB"}, {"peft", 12, "ABABB"}};
  for (size_t k = 0; k < G_N_ELEMENTS(expected); k++) {
    g_autoptr(ho_search) s = lab_must_run(l, expected[k].name, NULL, 1, 1);
    cr_expect_eq(lab_replayed(l, s), expected[k].makespan, "%s: %g", expected[k].name, lab_replayed(l, s));
    const ho_plan *plan = ho_archive_payload(ho_search_archive(s), 0);
    for (int32_t i = 0; i < plan->n; i++)
      cr_expect_eq(l->platform->device[plan->entry[i].device].name[0], expected[k].devices[plan->entry[i].op], "%s: op %d",
                   expected[k].name, plan->entry[i].op);
  }
  ho_costs *c = ho_costs_new(&l->problem);
  double up[5], down[5], table[10];
  ho_rank_upward(c, up);
  ho_rank_downward(c, down);
  ho_peft_table(c, table);
  const double want_up[] = {20.5, 15.5, 13, 8, 3}, want_down[] = {0, 5, 7, 12.5, 17.5},
               want_table[] = {10, 10, 7, 5, 6, 5, 3, 3, 0, 0};
  for (int i = 0; i < 5; i++) cr_expect(up[i] == want_up[i] && down[i] == want_down[i], "t%d: %g %g", i + 1, up[i], down[i]);
  for (int i = 0; i < 10; i++) cr_expect_eq(table[i], want_table[i]);
  ho_costs_free(c);
}

/* Two equal devices and two equal ops: the first op goes to the first device. */
Test(sched_list, ties_go_to_the_lower_index) {
  g_autoptr(lab) l = lab_texts(
      "{\"format\":\"heteroopt-graph/1\",\"name\":\"g\",\"tensors\":[],\"ops\":["
      "{\"name\":\"a\",\"time\":{\"d0\":2,\"d1\":2}},{\"name\":\"b\",\"time\":{\"d0\":2,\"d1\":2}}]}",
      "format: heteroopt-platform/1\nname: p\nmemories:\n  - {name: m, capacity: 1e9, bandwidth: 1e9}\ndevices:\n"
      "  - {name: d0, kind: generic, memory: m, launch: {mode: async, host: 0, device: 0}, power: {idle: 0, busy: 0, peak: 0}}\n"
      "  - {name: d1, kind: generic, memory: m, launch: {mode: async, host: 0, device: 0}, power: {idle: 0, busy: 0, peak: "
      "0}}\n");
  static const char *const names[] = {"heft", "peft"};
  for (int k = 0; k < 2; k++) {
    g_autoptr(ho_search) s = lab_must_run(l, names[k], NULL, 1, 1);
    const ho_plan *plan = ho_archive_payload(ho_search_archive(s), 0);
    cr_expect(plan->entry[0].op == 0 && plan->entry[0].device == 0 && plan->entry[1].op == 1 && plan->entry[1].device == 1);
  }
}

/* Topcuoglu, Hariri & Wu 2002, section 4.1: "the schedule lengths of DLS, MH, and LMT are 91, 91 and 95". */
Test(sched_list, dls_takes_91_where_heft_takes_80) {
  g_autoptr(lab) l = lab_own("topcuoglu2002_fig3");
  g_autoptr(ho_search) s = lab_must_run(l, "dls", NULL, 1, 1);
  cr_assert_eq(lab_replayed(l, s), 91);
}

static void expect_same_plan(lab *l, const char *name, const char *const *settings, const char *parametric) {
  g_autoptr(ho_search) a = lab_must_run(l, name, NULL, 1, 1);
  g_autoptr(ho_search) b = lab_must_run(l, "parametric", settings, 1, 1);
  cr_assert(ho_plan_equal(ho_archive_payload(ho_search_archive(a), 0), ho_archive_payload(ho_search_archive(b), 0)),
            "%s is not %s on %s", name, parametric, l->graph->name);
}

Test(sched_list, the_parametric_one_contains_others) {
  static const char *const heft[] = {NULL}, *const peft[] = {"priority=optimistic", "criterion=optimistic", NULL},
                           *const mct[] = {"priority=none", "insertion=no", NULL};
  g_autoptr(lab) own = lab_own("topcuoglu2002_fig3");
  expect_same_plan(own, "heft", heft, "upward, finish, yes");
  expect_same_plan(own, "peft", peft, "optimistic, optimistic, yes");
  for (uint64_t seed = 1; seed <= 30; seed++) {
    ho_platform *p = lab_plain_platform();
    g_autoptr(lab) l = lab_new(lab_random_graph(seed, 40, 1, p), p);
    expect_same_plan(l, "heft", heft, "upward, finish, yes");
    expect_same_plan(l, "peft", peft, "optimistic, optimistic, yes");
    expect_same_plan(l, "mct", mct, "none, finish, no");
  }
}
