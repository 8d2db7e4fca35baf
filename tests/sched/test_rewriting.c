/* test_rewriting.c: a scheduler that changes its graph as it goes: what evaluation and archive make of its plans. */
#include <criterion/criterion.h>
#include <string.h>

#include "lab.h"
#include "models/rewrite_json.h"
#include "sim/variant.h"

#define VARIANTS 20 /* more than a search keeps estimates of */
#define ONE                                                                                                                    \
  "format: heteroopt-platform/1\nname: p\nmemories:\n  - {name: host, capacity: 1e12, bandwidth: 1e11}\ndevices:\n"            \
  "  - {name: d, kind: generic, memory: host, peak: {fp32: 1e12}, efficiency: {default: 1, memory: 1}, launch: {mode: async, " \
  "host: 1us, device: 1us}, power: {idle: 1, busy: 2, peak: 2}}\n"

typedef struct {
  ho_workgraph *w;
  GArray *found; /* ho_candidate */
} finds;

static ho_find_answer keep(const ho_candidate *c, void *data) {
  g_array_append_vals(((finds *)data)->found, c, 1);
  return ((finds *)data)->found->len < VARIANTS ? HO_FIND_ON : HO_FIND_ENOUGH;
}

static ho_plan *plan_of(ho_variant *v) {
  ho_plan *plan = ho_plan_new(v->graph->n_ops);
  for (int32_t i = 0; i < plan->n; i++) plan->entry[i].op = v->graph->topo[i];
  ho_plan_set_variant(plan, v);
  return plan;
}

/* The objectives of a plan by an estimate of its own. */
static void judge(const ho_problem *base, const ho_plan *plan, double *out) {
  ho_problem q = ho_variant_problem(plan->variant, base);
  ho_estimate *e = ho_estimate_new(&q);
  ho_figures f;
  cr_assert_eq(ho_estimate_run(e, plan, &f), 0);
  ho_problem_objectives(&q, &f, out);
  ho_estimate_free(e);
}

/* Fuses one place at a time, twice round, so that estimates are given up and made again. */
static int try_each(ho_search *s) {
  const ho_problem *q = ho_search_problem(s);
  finds f = {ho_workgraph_new(q->graph), g_array_new(FALSE, FALSE, sizeof(ho_candidate))};
  ho_rewrite_rule_find("fuse")->find(f.w, -1, keep, &f);
  cr_assert_eq(f.found->len, VARIANTS);
  for (int32_t i = 0; i < 2 * VARIANTS; i++) {
    GPtrArray *list = ho_rewrites_new();
    ho_rewrite *r = ho_candidate_apply_named(f.w, &g_array_index(f.found, ho_candidate, i % VARIANTS), NULL);
    cr_assert_not_null(r);
    g_ptr_array_add(list, r);
    ho_variant *v = ho_variant_of(f.w, q->platform, q->cost, list, HO_FREEZE_PLAIN, NULL);
    ho_workgraph_undo(f.w, 0);
    ho_plan *plan = plan_of(v);
    double own[HO_MAX_OBJECTIVES] = {0}, said[HO_MAX_OBJECTIVES] = {0};
    judge(q, plan, own);
    cr_assert_eq(ho_search_evaluate(s, plan, said), 0);
    cr_assert_eq(memcmp(own, said, sizeof own), 0);
    ho_search_offer(s, plan, said);
    ho_plan_free(plan);
    ho_variant_unref(v);
  }
  g_array_free(f.found, TRUE);
  ho_workgraph_free(f.w);
  return 0;
}

Test(sched_rewriting, plans_with_rewrites_are_judged_on_their_own_graph) {
  g_autoptr(lab) l = lab_spec("resnet18:batch=1", ONE);
  const ho_scheduler x = {.abi = HO_SCHEDULER_ABI, .struct_size = sizeof(ho_scheduler), .name = "test", .run = try_each};
  const ho_search_setup setup = {.problem = &l->problem, .scheduler = &x, .stream = ho_stream_small(1), .evaluations = 100};
  g_autoptr(ho_search) s = ho_search_new(&setup);
  g_autoptr(GError) error = NULL;
  cr_assert(ho_search_run(s, &error), "%s", error ? error->message : "");
  cr_assert_gt(ho_archive_size(ho_search_archive(s)), 0);
  lab_check_plans(l, s); /* they outlive the scheduler's own references */
}
