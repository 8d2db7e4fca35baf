/* test_laws.c: what every scheduler obeys, on random graphs and platforms. */
#include <criterion/criterion.h>
#include <string.h>

#include "lab.h"

static void compare_runs(ho_search *a, ho_search *b, const char *name) {
  ho_archive *x = ho_search_archive(a), *y = ho_search_archive(b);
  cr_assert_eq(ho_archive_size(x), ho_archive_size(y), "%s", name);
  cr_expect_eq(ho_search_evaluations(a), ho_search_evaluations(b));
  for (int32_t i = 0; i < ho_archive_size(x); i++) {
    cr_expect(ho_plan_equal(ho_archive_payload(x, i), ho_archive_payload(y, i)), "%s: plan %d differs", name, i);
    cr_expect_eq(memcmp(ho_archive_objectives(x, i), ho_archive_objectives(y, i), 3 * sizeof(double)), 0);
  }
}

/* What can fail on these problems: no device runs everything; nothing is proved within the budget; stages cannot be one per device; the library is
 * not there. */
static int may_fail(const char *name, const char *why) {
  if (strcmp(name, "exact") == 0) return strstr(why, "before the front is proved") != NULL;
  if (strcmp(name, "contiguous") == 0) return strstr(why, "no contiguous split") != NULL;
  if (strcmp(name, "metis") == 0) return strstr(why, "without METIS") != NULL;
  return strcmp(name, "single-fastest") == 0 && strstr(why, "no device of platform");
}

Test(sched_laws, plans_are_valid_and_the_same_seed_gives_the_same_plans, .timeout = 120) {
  for (uint64_t seed = 1; seed <= 12; seed++) {
    ho_platform *p = lab_plain_platform();
    g_autoptr(lab) l = lab_new(lab_random_graph(seed, 30, 0, p), p);
    for (const ho_scheduler *const *x = ho_schedulers; *x; x++) {
      g_autoptr(GError) error = NULL;
      g_autoptr(ho_search) a = lab_run(l, (*x)->name, NULL, seed, 150, &error);
      if (!a && may_fail((*x)->name, error->message)) continue;
      cr_assert(a, "%s: %s", (*x)->name, error ? error->message : "");
      lab_check_plans(l, a);
      g_autoptr(ho_search) b = lab_must_run(l, (*x)->name, NULL, seed, 150);
      compare_runs(a, b, (*x)->name);
      if ((*x)->flags & HO_SCHEDULER_DETERMINISTIC) { /* whatever the seed */
        g_autoptr(ho_search) c = lab_must_run(l, (*x)->name, NULL, seed + 1, 150);
        compare_runs(a, c, (*x)->name);
      }
      if ((*x)->flags & HO_SCHEDULER_SINGLE) cr_expect_eq(ho_archive_size(ho_search_archive(a)), 1);
    }
  }
}

Test(sched_laws, budgets_are_kept) {
  ho_platform *p = lab_plain_platform();
  g_autoptr(lab) l = lab_new(lab_random_graph(3, 30, 0, p), p);
  static const int64_t budgets[] = {1, 2, 7, 100, 333};
  for (const ho_scheduler *const *x = ho_schedulers; *x; x++)
    for (size_t k = 0; k < G_N_ELEMENTS(budgets); k++) {
      g_autoptr(ho_search) s = lab_run(l, (*x)->name, NULL, 1, budgets[k], NULL);
      if (!s) continue; /* see may_fail */
      int searches = strcmp((*x)->name, "nsga2") == 0 || strcmp((*x)->name, "random") == 0;
      cr_expect(ho_search_evaluations(s) <= budgets[k]);
      if (searches) cr_expect_eq(ho_search_evaluations(s), budgets[k], "%s used %d", (*x)->name, (int)ho_search_evaluations(s));
    }
}

Test(sched_laws, the_front_holds_no_dominated_point_and_grows_only_better) {
  ho_platform *p = lab_plain_platform();
  g_autoptr(lab) l = lab_new(lab_random_graph(5, 40, 0, p), p);
  g_autoptr(ho_search) s = lab_must_run(l, "nsga2", NULL, 1, 2000);
  ho_archive *a = ho_search_archive(s);
  int32_t n = ho_archive_size(a);
  g_autofree double *points = g_new(double, 3 * n);
  g_autofree uint8_t *keep = g_new(uint8_t, n);
  for (int32_t i = 0; i < n; i++) memcpy(points + 3 * i, ho_archive_objectives(a, i), 3 * sizeof(double));
  ho_nondominated(points, n, 3, keep);
  for (int32_t i = 0; i < n; i++) cr_expect(keep[i]);
  const ho_checkpoint *c;
  int32_t m = ho_search_checkpoints(s, &c);
  for (int32_t k = 1; k < m; k++) /* a point of an earlier front is in a later one, or something there is no worse everywhere */
    for (int32_t i = 0; i < c[k - 1].n; i++) {
      int covered = 0;
      for (int32_t j = 0; j < c[k].n; j++) {
        const double *x = c[k].objectives + 3 * j, *y = c[k - 1].objectives + 3 * i;
        covered |= x[0] <= y[0] && x[1] <= y[1] && x[2] <= y[2];
      }
      cr_expect(covered);
    }
}

Test(sched_laws, heuristic_starts_are_never_worse_than_the_heuristic) {
  for (uint64_t seed = 1; seed <= 5; seed++) {
    ho_platform *p = lab_plain_platform();
    g_autoptr(lab) l = lab_new(lab_random_graph(seed, 40, 0, p), p);
    const char *const options[] = {"init=heuristics", "population=20", NULL};
    g_autoptr(ho_search) heft = lab_must_run(l, "heft", NULL, 1, 1), nsga2 = lab_must_run(l, "nsga2", options, 1, 200),
                         fastest = lab_must_run(l, "fastest", NULL, 1, 2000);
    double h = ho_archive_objectives(ho_search_archive(heft), 0)[0];
    cr_expect(ho_archive_objectives(ho_search_archive(nsga2), 0)[0] <= h);
    cr_expect(ho_archive_objectives(ho_search_archive(fastest), 0)[0] <= h);
  }
}

/* --- what cannot be done ----------------------------------------------------------------------------------------------------------- */
#define DEVICE(name, memory)                        \
  "  - {name: " name ", kind: gpu, memory: " memory \
  ", peak: {fp32: 1e9}, supports: {kinds: [conv]}, power: {idle: 0, busy: 1, peak: 1}}\n"
#define TWO_MEMORIES(a, b)                                                                          \
  "format: heteroopt-platform/1\nname: small\nmemories:\n  - {name: m, capacity: " a                \
  ", bandwidth: 1e9}\n  - {name: n, capacity: " b ", bandwidth: 1e9}\ndevices:\n" DEVICE("d0", "m") \
      DEVICE("d1", "n") "links:\n  - {name: l, ends: [m, n], bandwidth: 1e9, latency: 0, duplex: full}\n"

Test(sched_laws, an_op_that_nothing_can_run_is_named_by_everybody) {
  g_autoptr(lab) l = lab_texts(
      "{\"format\":\"heteroopt-graph/1\",\"name\":\"g\",\"ops\":[{\"name\":\"a\",\"kind\":\"conv\"},"
      "{\"name\":\"odd\",\"kind\":\"sort\"}],\"tensors\":[]}",
      TWO_MEMORIES("1e9", "1e9"));
  for (const ho_scheduler *const *x = ho_schedulers; *x; x++) {
    g_autoptr(GError) error = NULL;
    cr_assert_null(lab_run(l, (*x)->name, NULL, 1, 10, &error));
    cr_expect(strstr(error->message, "can run op 'odd'") && strstr(error->message, "does not support kind 'sort'"), "%s: %s",
              (*x)->name, error->message);
    cr_expect_null(strchr(error->message, '\n'));
  }
}

/* a and b make 600 B each, which c reads: 1200 B, and 100 B for what c makes. Neither memory holds that alone. */
#define BIG                                                                                                     \
  "{\"format\":\"heteroopt-graph/1\",\"name\":\"g\",\"ops\":[{\"name\":\"a\",\"kind\":\"conv\",\"flops\":1e9}," \
  "{\"name\":\"b\",\"kind\":\"conv\",\"flops\":1e9},{\"name\":\"c\",\"kind\":\"conv\",\"flops\":1e9},"          \
  "{\"name\":\"e\",\"kind\":\"conv\",\"flops\":1e9}],\"tensors\":["                                             \
  "{\"name\":\"x\",\"bytes\":600,\"producer\":\"a\",\"consumers\":[\"c\"]},"                                    \
  "{\"name\":\"y\",\"bytes\":600,\"producer\":\"b\",\"consumers\":[\"e\"]}]}"

Test(sched_laws, what_no_memory_can_hold_is_said) {
  g_autoptr(lab) l = lab_texts(BIG, TWO_MEMORIES("500", "500"));
  for (const ho_scheduler *const *x = ho_schedulers; *x; x++) {
    g_autoptr(GError) error = NULL;
    cr_assert_null(lab_run(l, (*x)->name, NULL, 1, 100, &error));
    if (strstr(error->message, "without METIS")) continue;
    cr_expect(strstr(error->message, "no feasible plan") && strstr(error->message, "capacity of memory '"), "%s: %s", (*x)->name,
              error->message);
  }
}

/* Searches find the placements that fit where the heuristics' plans do not. Only n holds a tensor, one at a time. */
Test(sched_laws, searches_find_what_fits) {
  g_autoptr(lab) l = lab_texts(BIG, TWO_MEMORIES("100", "700"));
  static const char *const names[] = {"nsga2", "random", "fastest", "least-energy", "least-memory"};
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
    g_autoptr(ho_search) s = lab_must_run(l, names[i], NULL, 1, 600);
    lab_check_plans(l, s);
    cr_expect(ho_archive_objectives(ho_search_archive(s), 0)[2] <= 1);
  }
}
