/* test_placement.c: schedulers that look at memory, run ops twice, partition, or weigh objectives, on cases calculated by hand. */
#include "config.h"

#include <criterion/criterion.h>
#include <string.h>

#include "lab.h"
#include "sched/room.h"

#define DEVICE(name, memory)                            \
  "  - {name: " name ", kind: generic, memory: " memory \
  ", launch: {mode: async, host: 0, device: 0}, sharing: exclusive, copy_engines: 0}\n"
#define OP(name, a, b) "{\"name\":\"" name "\",\"time\":{\"d0\":" a ",\"d1\":" b "}}"
#define EDGE(name, bytes, from, to) "{\"name\":\"" name "\",\"bytes\":" bytes ",\"producer\":\"" from "\",\"consumers\":[" to "]}"
#define GRAPH(ops, tensors) "{\"format\":\"heteroopt-graph/1\",\"name\":\"g\",\"ops\":[" ops "],\"tensors\":[" tensors "]}"
/* Two devices on one memory, or on two with a link of 1 B/s. */
#define SHARED(bytes)                                                                \
  "format: heteroopt-platform/1\nname: p\nmemories:\n  - {name: m, capacity: " bytes \
  ", bandwidth: 1e9}\ndevices:\n" DEVICE("d0", "m") DEVICE("d1", "m")
#define APART(bytes)                                                                                    \
  "format: heteroopt-platform/1\nname: p\nmemories:\n  - {name: m, capacity: " bytes                    \
  ", bandwidth: 1e9}\n  - {name: n, capacity: " bytes ", bandwidth: 1e9}\ndevices:\n" DEVICE("d0", "m") \
      DEVICE("d1", "n") "links:\n  - {name: l, ends: [m, n], bandwidth: 1, latency: 0, duplex: fat}\ncontention: none\n"

static const ho_plan *plan_of(ho_search *s) {
  return ho_archive_payload(ho_search_archive(s), 0);
}

static const ho_entry *entry_of(const lab *l, const ho_plan *plan, const char *op) {
  for (int32_t i = 0; i < plan->n; i++)
    if (strcmp(l->graph->op[plan->entry[i].op].name, op) == 0) return &plan->entry[i];
  cr_assert_fail("no op %s", op);
  return NULL;
}

/* --- room ------------------------------------------------------------------------------------------------------------------------- */
Test(sched_placement, room_is_what_is_left_from_an_instant_on) {
  g_autoptr(lab) l = lab_texts(GRAPH(OP("a", "1", "1"), ""), SHARED("100"));
  ho_room *r = ho_room_new(l->platform);
  ho_room_add(r, 0, 2, 60);
  ho_room_add(r, 0, 5, -60);
  ho_room_add(r, 0, 3, 30);
  cr_expect_eq(ho_room_most(r, 0, 0), 90);
  cr_expect_eq(ho_room_most(r, 0, 2.5), 90);
  cr_expect_eq(ho_room_most(r, 0, 5), 30);
  cr_expect_eq(ho_room_from(r, 0, 10), 0);
  cr_expect_eq(ho_room_from(r, 0, 11), 5, "after the 60 are given back");
  cr_expect_eq(ho_room_from(r, 0, 70), 5);
  cr_expect_eq(ho_room_from(r, 0, 71), INFINITY);
  ho_room_free(r);
}

/* a and b make 600 B each for a2 and b2; the first two run on d0 and d1, the others on d1 alone. With room for both, they run side by side, and all
 * is done at 3. With 1000 B, a goes first, then a2 (b has no room), and b may begin when a2 is done: 3 to 5, b2 to 6. HEFT does not see that. */
#define ON_D1(name, seconds) "{\"name\":\"" name "\",\"time\":{\"d1\":" seconds "}}"
#define PAIRS                                                                              \
  GRAPH(OP("a", "2", "2") "," ON_D1("b", "2") "," OP("a2", "1", "1") "," ON_D1("b2", "1"), \
        EDGE("x", "600", "a", "\"a2\"") "," EDGE("y", "600", "b", "\"b2\""))

Test(sched_placement, memory_aware_heft_waits_for_room) {
  g_autoptr(lab) ample = lab_texts(PAIRS, SHARED("1200")), tight = lab_texts(PAIRS, SHARED("1000"));
  g_autoptr(GError) error = NULL;
  cr_assert_null(lab_run(tight, "heft", NULL, 1, 1, &error));
  cr_assert(strstr(error->message, "no feasible plan"));
  g_autoptr(ho_search) a = lab_must_run(ample, "heft-memory", NULL, 1, 1);
  g_autoptr(ho_search) t = lab_must_run(tight, "heft-memory", NULL, 1, 1);
  lab_check_plans(tight, t);
  cr_expect_eq(lab_replayed(ample, a), 3);
  cr_expect_eq(lab_replayed(tight, t), 6);
  cr_expect_eq(entry_of(tight, plan_of(t), "b")->not_before, 3);
  cr_expect_eq(entry_of(tight, plan_of(t), "a")->not_before, 0);
}

/* Only n holds a weight of 80 B beside 10 B of output; HEFT goes to d0, which is faster. */
Test(sched_placement, memory_aware_heft_goes_where_weights_fit) {
  g_autoptr(lab) l = lab_texts("{\"format\":\"heteroopt-graph/1\",\"name\":\"g\",\"ops\":[" OP("a", "1", "5") "],\"tensors\":["
                               "{\"name\":\"w\",\"bytes\":80,\"role\":\"weight\",\"consumers\":[\"a\"]},"
                               "{\"name\":\"o\",\"bytes\":10,\"producer\":\"a\"}]}",
                               "format: heteroopt-platform/1\nname: p\nmemories:\n  - {name: m, capacity: 85, bandwidth: 1e9}\n"
                               "  - {name: n, capacity: 90, bandwidth: 1e9}\ndevices:\n" DEVICE("d0", "m") DEVICE("d1", "n")
                               "links:\n  - {name: l, ends: [m, n], bandwidth: 1, latency: 0, duplex: full}\n");
  cr_assert_null(lab_run(l, "heft", NULL, 1, 1, NULL));
  static const char *const names[] = {"heft-memory", "m-etf"};
  for (int k = 0; k < 2; k++) {
    g_autoptr(ho_search) s = lab_must_run(l, names[k], NULL, 1, 1);
    cr_expect_eq(plan_of(s)->entry[0].device, 1, "%s", names[k]);
    cr_expect_eq(lab_replayed(l, s), 5);
  }
}

Test(sched_placement, with_ample_memory_memory_aware_heft_is_heft) {
  for (uint64_t seed = 1; seed <= 60; seed++) {
    ho_platform *p = lab_plain_platform();
    g_autoptr(lab) l = lab_new(lab_random_graph(seed, 40, 0, p), p);
    g_autoptr(ho_search) a = lab_must_run(l, "heft", NULL, 1, 1), b = lab_must_run(l, "heft-memory", NULL, 1, 1);
    cr_assert(ho_plan_equal(plan_of(a), plan_of(b)), "seed %d", (int)seed);
  }
}

/* As memory shrinks, plans stay feasible for longer than HEFT's. */
Test(sched_placement, memory_aware_heft_finds_plans_where_heft_finds_none) {
  int heft = 0, aware = 0;
  for (uint64_t seed = 1; seed <= 60; seed++) {
    g_autoptr(lab) tight = lab_texts(GRAPH(OP("a", "1", "1"), ""), APART("40"));
    ho_platform *p = g_steal_pointer(&tight->platform);
    g_autoptr(lab) l = lab_new(lab_random_graph(seed, 30, 1, p), p);
    g_autoptr(ho_search) a = lab_run(l, "heft", NULL, 1, 1, NULL), b = lab_run(l, "heft-memory", NULL, 1, 1, NULL);
    heft += a != NULL;
    aware += b != NULL;
    if (b) lab_check_plans(l, b);
  }
  cr_assert(aware > heft, "%d, HEFT %d", aware, heft);
}

/* --- duplicates --------------------------------------------------------------------------------------------------------------------- */
/* a (1 s) sends 100 B to b and c (5 s each): on one device 11 s, on two 1 + 100 + 5. With a on both: 6. */
Test(sched_placement, a_duplicate_saves_a_copy) {
  g_autoptr(lab) l = lab_texts(
      GRAPH(OP("a", "1", "1") "," OP("b", "5", "5") "," OP("c", "5", "5"), EDGE("x", "100", "a", "\"b\",\"c\"")), APART("1e6"));
  g_autoptr(ho_search) heft = lab_must_run(l, "heft", NULL, 1, 1), twice = lab_must_run(l, "heft-duplication", NULL, 1, 1);
  lab_check_plans(l, twice);
  cr_expect_eq(lab_replayed(l, heft), 11);
  cr_expect_eq(lab_replayed(l, twice), 6);
  const ho_plan *plan = plan_of(twice);
  cr_assert_eq(plan->n, 4);
  cr_expect(plan->entry[0].op == 0 && plan->entry[1].op == 0 && plan->entry[0].copy == 0 && plan->entry[1].copy == 1);
  cr_expect(plan->entry[0].device != plan->entry[1].device);
}

/* --- Baechi --------------------------------------------------------------------------------------------------------------------------- */
/* Four ops of 10 B: a device takes 40 / 2 + 10 = 30 B, so three are on the first. */
Test(sched_placement, m_topo_fills_devices_one_after_the_other) {
  g_autoptr(lab) l = lab_texts(GRAPH(OP("a", "1", "1") "," OP("b", "1", "1") "," OP("c", "1", "1") "," OP("e", "1", "1"),
                                     EDGE("x", "10", "a", "\"b\"") "," EDGE("y", "10", "b", "\"c\"") "," EDGE(
                                         "z", "10", "c", "\"e\"") ",{\"name\":\"o\",\"bytes\":10,\"producer\":\"e\"}"),
                               APART("1e6"));
  g_autoptr(ho_search) s = lab_must_run(l, "m-topo", NULL, 1, 1);
  static const char *const first[] = {"a", "b", "c"};
  for (int k = 0; k < 3; k++) cr_expect_eq(entry_of(l, plan_of(s), first[k])->device, 0);
  cr_expect_eq(entry_of(l, plan_of(s), "e")->device, 1);
  cr_expect_eq(lab_replayed(l, s), 3 + 10 + 1);
}

/* b could start at 1 on d0, where a is, but both weights of 60 B do not fit there: it waits for its data on d1. */
Test(sched_placement, m_etf_goes_where_there_is_room) {
  g_autoptr(lab) l =
      lab_texts(GRAPH(OP("a", "1", "1") "," OP("b", "1", "1"),
                      EDGE("x", "5", "a", "\"b\"") ",{\"name\":\"v\",\"bytes\":60,\"role\":\"weight\",\"consumers\":[\"a\"]},"
                                                   "{\"name\":\"w\",\"bytes\":60,\"role\":\"weight\",\"consumers\":[\"b\"]}"),
                APART("100"));
  cr_assert_null(lab_run(l, "etf", NULL, 1, 1, NULL));
  g_autoptr(ho_search) s = lab_must_run(l, "m-etf", NULL, 1, 1);
  cr_expect_eq(entry_of(l, plan_of(s), "b")->device, 1);
  cr_expect_eq(lab_replayed(l, s), 1 + 5 + 1);
}

/* --- partitions ----------------------------------------------------------------------------------------------------------------------- */
/* Two chains of four ops with 1000 B along them and 1 B between them: one chain on each device. */
Test(sched_placement, metis_cuts_where_little_flows) {
#ifndef HAVE_METIS
  cr_skip_test("built without METIS");
#endif
  g_autoptr(lab) l = lab_texts(
      GRAPH(OP("a", "1", "1") "," OP("b", "1", "1") "," OP("c", "1", "1") "," OP("e", "1", "1") "," OP("p", "1", "1") "," OP(
                "q", "1", "1") "," OP("r", "1", "1") "," OP("s", "1", "1"),
            EDGE("ab", "1000", "a", "\"b\"") "," EDGE("bc", "1000", "b", "\"c\"") "," EDGE("ce", "1000", "c", "\"e\"") "," EDGE(
                "pq", "1000", "p", "\"q\"") "," EDGE("qr", "1000", "q", "\"r\"") "," EDGE("rs", "1000", "r",
                                                                                          "\"s\"") "," EDGE("aq", "1", "a",
                                                                                                            "\"q\"")),
      APART("1e9"));
  g_autoptr(ho_search) s = lab_must_run(l, "metis", NULL, 1, 1);
  lab_check_plans(l, s);
  static const char *const chains[2][4] = {{"a", "b", "c", "e"}, {"p", "q", "r", "s"}};
  for (int k = 0; k < 2; k++)
    for (int i = 1; i < 4; i++)
      cr_expect_eq(entry_of(l, plan_of(s), chains[k][i])->device, entry_of(l, plan_of(s), chains[k][0])->device, "%s",
                   chains[k][i]);
  cr_expect(entry_of(l, plan_of(s), "a")->device != entry_of(l, plan_of(s), "p")->device);
  cr_expect_eq(lab_replayed(l, s), 1 + 1 + 3, "q waits for one second of copy");
}

/* --- weighted sum --------------------------------------------------------------------------------------------------------------------- */
Test(sched_placement, a_weighted_sum_with_one_weight_is_that_reference) {
  static const struct {
    const char *options[5], *reference;
  } cases[] = {{{"alpha=2", "beta=0", "gamma=0", NULL}, "fastest"},
               {{"alpha=0", "beta=2", "gamma=0", NULL}, "least-energy"},
               {{"alpha=0", "beta=0", "gamma=2", NULL}, "least-memory"}};
  for (uint64_t seed = 1; seed <= 5; seed++) {
    ho_platform *p = lab_plain_platform();
    g_autoptr(lab) l = lab_new(lab_random_graph(seed, 20, 1, p), p);
    for (int k = 0; k < 3; k++) {
      g_autoptr(ho_search) a = lab_must_run(l, "weighted-sum", cases[k].options, 1, 5000),
                           b = lab_must_run(l, cases[k].reference, NULL, 1, 5000);
      double x = ho_archive_objectives(ho_search_archive(a), 0)[k], y = ho_archive_objectives(ho_search_archive(b), 0)[k];
      cr_expect_float_eq(x, y, 1e-9 * y, "%s: %g, %g", cases[k].reference, x, y);
    }
  }
}

Test(sched_placement, a_weighted_sum_is_never_worse_than_heft) {
  for (uint64_t seed = 1; seed <= 10; seed++) {
    ho_platform *p = lab_plain_platform();
    g_autoptr(lab) l = lab_new(lab_random_graph(seed, 20, 1, p), p);
    g_autoptr(ho_search) s = lab_must_run(l, "weighted-sum", NULL, 1, 2000), heft = lab_must_run(l, "heft", NULL, 1, 1);
    const double *x = ho_archive_objectives(ho_search_archive(s), 0), *y = ho_archive_objectives(ho_search_archive(heft), 0);
    cr_expect(x[0] / y[0] + x[1] / y[1] + x[2] / y[2] <= 3 + 1e-9);
  }
  ho_platform *p = lab_plain_platform();
  g_autoptr(lab) l = lab_new(lab_random_graph(1, 20, 1, p), p);
  static const char *const nothing[] = {"alpha=0", "beta=0", "gamma=0", NULL};
  g_autoptr(GError) error = NULL;
  cr_assert_null(lab_run(l, "weighted-sum", nothing, 1, 10, &error));
  cr_assert(strstr(error->message, "nothing is minimised"), "%s", error->message);
}
