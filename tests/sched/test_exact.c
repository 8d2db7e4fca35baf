/* test_exact.c: proved fronts against published optima, enumerated ones, and what has no proof. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "lab.h"

Test(exact, the_optimum_of_topcuoglu_2002_is_73) {
  g_autoptr(lab) l = lab_own("topcuoglu2002_fig3");
  l->problem.n_objectives = 1;
  g_autoptr(ho_search) s = lab_must_run(l, "exact", NULL, 1, 1000);
  cr_assert_eq(lab_replayed(l, s), 73);
}

Test(exact, the_optimum_of_arabnejad_2014_is_113) {
  g_autoptr(lab) l = lab_shared("arabnejad2014_fig1");
  l->problem.n_objectives = 1;
  g_autoptr(ho_search) s = lab_must_run(l, "exact", NULL, 1, 1000);
  cr_assert_eq(lab_replayed(l, s), 113);
}

/* ---- all plans ----------------------------------------------------------------------------------------------------------------- */

typedef struct {
  lab *l;
  ho_estimate *estimate;
  ho_archive *front;
  ho_plan *plan;
  guint8 placed[16];
  int64_t plans;
} enumeration;

static void enumerate(enumeration *e, int32_t n) {
  const ho_graph *g = e->l->graph;
  if (n == g->n_ops) {
    ho_figures f;
    double v[HO_MAX_OBJECTIVES];
    e->plans++;
    if (ho_estimate_run(e->estimate, e->plan, &f)) return;
    ho_problem_objectives(&e->l->problem, &f, v);
    ho_archive_add(e->front, v, NULL);
    return;
  }
  for (ho_op o = 0; o < g->n_ops; o++) {
    int ready = !e->placed[o];
    for (int32_t i = g->in_start[o]; ready && i < g->in_start[o + 1]; i++)
      ready = g->tensor[g->in[i]].producer < 0 || e->placed[g->tensor[g->in[i]].producer];
    if (!ready) continue;
    e->placed[o] = 1;
    for (ho_device d = 0; d < e->l->platform->n_devices; d++) {
      if (!ho_cost_can_run(e->l->cost, o, d)) continue;
      e->plan->entry[n] = (ho_entry){.op = o, .device = (int16_t)d, .precision = HO_DTYPE_NONE};
      enumerate(e, n + 1);
    }
    e->placed[o] = 0;
  }
}

Test(exact, no_plan_of_all_there_are_is_better) {
  int32_t points = 0;
  for (uint64_t seed = 1; seed <= 40; seed++) {
    ho_platform *p = lab_plain_platform();
    g_autoptr(lab) l = lab_new(lab_random_graph(seed, 5, 1, p), p);
    enumeration e = {
        .l = l, .estimate = ho_estimate_new(&l->problem), .front = ho_archive_new(3, NULL), .plan = ho_plan_new(l->graph->n_ops)};
    enumerate(&e, 0);
    ho_archive_sort(e.front);
    g_autoptr(ho_search) s = lab_must_run(l, "exact", NULL, 1, 1000000);
    ho_archive *found = ho_search_archive(s);
    cr_assert_eq(ho_archive_size(found), ho_archive_size(e.front), "seed %d: %d points, all %d plans have %d", (int)seed,
                 ho_archive_size(found), (int)e.plans, ho_archive_size(e.front));
    for (int32_t i = 0; i < ho_archive_size(found); i++)
      for (int k = 0; k < 3; k++) {
        double a = ho_archive_objectives(found, i)[k], b = ho_archive_objectives(e.front, i)[k];
        cr_assert_float_eq(a, b, 1e-9 * fabs(b), "seed %d, point %d: %.17g, expected %.17g", (int)seed, i, a, b);
      }
    points += ho_archive_size(found);
    ho_plan_free(e.plan);
    ho_archive_free(e.front);
    ho_estimate_free(e.estimate);
  }
  cr_assert_gt(points, 60);
}

/* ---- no proof ------------------------------------------------------------------------------------------------------------------ */

static void expect_failure(const lab *l, const char *const *options, int64_t budget, const char *why) {
  g_autoptr(GError) error = NULL;
  g_autoptr(ho_search) s = lab_run(l, "exact", options, 1, budget, &error);
  cr_assert(error && strstr(error->message, why), "%s", error ? error->message : "no error");
}

Test(exact, what_is_not_proved_is_no_result) {
  static const char *const few[] = {"nodes=50", NULL};
  g_autoptr(lab) l = lab_own("topcuoglu2002_fig3");
  expect_failure(l, few, 100000, "the nodes are used up before the front is proved");
  expect_failure(l, NULL, 3, "the evaluations are used up before the front is proved");
  g_autoptr(lab) large = lab_new(ho_graph_load("resnet18", NULL, NULL, NULL), ho_platform_load("workstation", NULL));
  expect_failure(large, NULL, 1000, "has 69 ops, expected at most 40");
}
