/* test_tools.c: orders, timelines, genes and the search context. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "lab.h"
#include "sched/decode.h"
#include "sched/timeline.h"

/* --- order ----------------------------------------------------------------------------------------------------------------------- */
Test(sched_order, every_order_is_topological_and_prefers_priority) {
  ho_platform *p = lab_plain_platform();
  for (uint64_t seed = 1; seed <= 60; seed++) {
    ho_graph *g = lab_random_graph(seed, 40, 0, p);
    ho_stream r = ho_stream_small(seed);
    g_autofree double *priority = g_new(double, g->n_ops);
    g_autofree ho_op *order = g_new(ho_op, g->n_ops);
    g_autofree int32_t *place = g_new(int32_t, g->n_ops);
    for (ho_op o = 0; o < g->n_ops; o++) priority[o] = (double)ho_stream_below(&r, 5);
    ho_order *w = ho_order_new(g);
    ho_order_by_priority(w, priority, order);
    for (int32_t i = 0; i < g->n_ops; i++) place[order[i]] = i;
    for (ho_op o = 0; o < g->n_ops; o++) {
      int32_t ready = 0; /* position from which o could have been issued */
      for (int32_t k = g->in_start[o]; k < g->in_start[o + 1]; k++)
        if (g->tensor[g->in[k]].producer >= 0) ready = MAX(ready, place[g->tensor[g->in[k]].producer] + 1);
      cr_assert(ready <= place[o]);
      /* What was issued while it waited has more priority, or the same and a lower index. */
      for (int32_t i = ready; i < place[o]; i++)
        cr_assert(priority[order[i]] > priority[o] || (priority[order[i]] == priority[o] && order[i] < o));
    }
    ho_order_free(w);
    ho_graph_free(g);
  }
  ho_platform_free(p);
}

/* --- timeline -------------------------------------------------------------------------------------------------------------------- */
/* Pieces that lie as earliest says, at most touching, and are taken back the last first. */
Test(sched_timeline, taking_back_what_was_inserted_restores_the_slots) {
  ho_stream random = ho_stream_small(11);
  for (int round = 0; round < 200; round++) {
    ho_timeline t = {0};
    double start[40], length[40];
    ho_slot before[40][40];
    int32_t n[40];
    for (int i = 0; i < 40; i++) {
      n[i] = t.n;
      if (t.n) memcpy(before[i], t.slot, sizeof(ho_slot) * (size_t)t.n);
      length[i] = (double)ho_stream_below(&random, 4);
      if (length[i] == 0) length[i] = 0.5;
      start[i] = ho_timeline_earliest(&t, (double)ho_stream_below(&random, 50), length[i]);
      ho_timeline_insert(&t, start[i], length[i]);
    }
    for (int i = 39; i >= 0; i--) {
      ho_timeline_remove(&t, start[i], length[i]);
      cr_assert_eq(t.n, n[i], "round %d, piece %d: %d slots, expected %d", round, i, t.n, n[i]);
      cr_assert(t.n == 0 || memcmp(t.slot, before[i], sizeof(ho_slot) * (size_t)t.n) == 0);
    }
    ho_timeline_clear(&t);
  }
}

Test(sched_timeline, pieces_go_into_the_first_gap_that_holds_them) {
  ho_timeline t = {0};
  ho_timeline_insert(&t, 0, 2);
  ho_timeline_insert(&t, 5, 1);
  ho_timeline_insert(&t, 10, 4);
  cr_expect_eq(ho_timeline_earliest(&t, 0, 3), 2);
  cr_expect_eq(ho_timeline_earliest(&t, 0, 4), 6);
  cr_expect_eq(ho_timeline_earliest(&t, 3, 3), 6);
  cr_expect_eq(ho_timeline_earliest(&t, 0, 5), 14);
  cr_expect_eq(ho_timeline_earliest(&t, 20, 5), 20);
  cr_expect_eq(ho_timeline_earliest(&t, 1, 0), 2);
  ho_timeline_clear(&t);
}

/* Against a search over all slots. */
Test(sched_timeline, pieces_never_overlap_and_start_as_early_as_they_can) {
  ho_stream r = ho_stream_small(2);
  for (int run = 0; run < 50; run++) {
    ho_timeline t = {0};
    for (int k = 0; k < 60; k++) {
      double ready = (double)ho_stream_below(&r, 50), length = (double)ho_stream_below(&r, 6);
      double at = ho_timeline_earliest(&t, ready, length), least = INFINITY;
      for (int32_t c = -1; c < t.n; c++) { /* it starts when it is ready or when a slot ends */
        double start = c < 0 ? ready : fmax(ready, t.slot[c].end);
        int fits = 1;
        for (int32_t i = 0; i < t.n; i++) fits &= start + length <= t.slot[i].start || start >= t.slot[i].end;
        if (fits) least = fmin(least, start);
      }
      cr_assert(at == least || (length == 0 && at <= least + 0), "%g, %g", at, least);
      ho_timeline_insert(&t, at, length);
      for (int32_t i = 1; i < t.n; i++) cr_assert(t.slot[i - 1].end <= t.slot[i].start);
    }
    ho_timeline_clear(&t);
  }
}

/* --- genes ----------------------------------------------------------------------------------------------------------------------- */
#define STREAMS                                                                                                \
  "format: heteroopt-platform/1\nname: p\nmemories:\n  - {name: m, capacity: 1e9, bandwidth: 1e9}\ndevices:\n" \
  "  - {name: d, kind: gpu, memory: m, peak: {fp32: 1e9}, streams: 2, sharing: spatial, power: {idle: 0, busy: 0, peak: 0}}\n"
#define FOUR_OPS                                                                                      \
  "{\"format\":\"heteroopt-graph/"                                                                    \
  "1\",\"name\":\"g\",\"ops\":[{\"name\":\"a\"},{\"name\":\"b\"},{\"name\":\"c\"},{\"name\":\"e\"}]," \
  "\"tensors\":[{\"name\":\"x\",\"bytes\":4,\"producer\":\"a\",\"consumers\":[\"c\"]},"               \
  "{\"name\":\"y\",\"bytes\":4,\"producer\":\"b\",\"consumers\":[\"e\"]}]}"

/* a starts stream 0, b the unused stream 1; c goes on where a was last, e where b was. */
Test(sched_decode, streams_follow_chains) {
  g_autoptr(lab) l = lab_texts(FOUR_OPS, STREAMS);
  ho_op stuck;
  ho_space *v = ho_space_make(&l->problem, &stuck);
  const int16_t device[] = {0, 0, 0, 0};
  const double priority[] = {4, 3, 2, 1};
  const int16_t want[2][4] = {{0, 0, 0, 0}, {0, 1, 0, 1}};
  for (int mode = 0; mode < 2; mode++) {
    ho_decoder *w = ho_decoder_new(&l->problem, v, (ho_streams)mode);
    g_autoptr(ho_plan) plan = ho_plan_new(4);
    cr_assert_eq(ho_decode(w, device, priority, plan), 0);
    for (int i = 0; i < 4; i++) cr_expect_eq(plan->entry[i].stream, want[mode][i]);
    ho_decoder_free(w);
  }
  ho_space_free(v);
}

Test(sched_decode, genes_of_a_plan_give_the_plan) {
  ho_platform *p = lab_plain_platform();
  g_autoptr(lab) l = lab_new(lab_random_graph(7, 60, 0, p), p);
  g_autoptr(ho_search) s = lab_must_run(l, "heft", NULL, 1, 1);
  const ho_plan *plan = ho_archive_payload(ho_search_archive(s), 0);
  g_autofree int16_t *device = g_new(int16_t, plan->n);
  g_autofree double *priority = g_new(double, plan->n);
  ho_encode(plan, device, priority);
  ho_op stuck;
  ho_space *v = ho_space_make(&l->problem, &stuck);
  ho_decoder *w = ho_decoder_new(&l->problem, v, HO_STREAMS_ONE);
  g_autoptr(ho_plan) again = ho_plan_new(plan->n);
  cr_assert_eq(ho_decode(w, device, priority, again), 0);
  cr_expect(ho_plan_equal(plan, again));
  ho_decoder_free(w);
  ho_space_free(v);
}

/* a → c, b → e: c comes right after a, although b is ready before it. */
Test(sched_decode, a_depth_first_order_uses_up_what_was_made) {
  g_autoptr(lab) l = lab_texts(FOUR_OPS, STREAMS);
  double depth_first[4], topological[4];
  ho_priority_depth_first(l->graph, depth_first);
  ho_priority_topological(l->graph, topological);
  cr_expect(depth_first[0] > depth_first[2] && depth_first[2] > depth_first[1] && depth_first[1] > depth_first[3]);
  cr_expect(topological[0] > topological[1] && topological[1] > topological[2] && topological[2] > topological[3]);
}

/* One-way link from m to n: b, whose input is made on n, cannot run on d0. */
Test(sched_decode, ops_move_to_where_their_inputs_can_reach_them) {
  g_autoptr(lab) l = lab_texts(
      "{\"format\":\"heteroopt-graph/1\",\"name\":\"g\",\"ops\":[{\"name\":\"a\"},{\"name\":\"b\"}],"
      "\"tensors\":[{\"name\":\"x\",\"bytes\":4,\"producer\":\"a\",\"consumers\":[\"b\"]}]}",
      "format: heteroopt-platform/1\nname: p\nmemories:\n  - {name: m, capacity: 1e9, bandwidth: 1e9}\n"
      "  - {name: n, capacity: 1e9, bandwidth: 1e9}\ndevices:\n"
      "  - {name: d0, kind: gpu, memory: m, peak: {fp32: 1e9}, power: {idle: 0, busy: 0, peak: 0}}\n"
      "  - {name: d1, kind: gpu, memory: n, peak: {fp32: 1e9}, power: {idle: 0, busy: 0, peak: 0}}\n"
      "links:\n  - {name: l, ends: [m, n], bandwidth: 1e9, latency: 0, duplex: simplex}\n");
  ho_op stuck;
  ho_space *v = ho_space_make(&l->problem, &stuck);
  cr_expect_eq(v->connected, 0);
  ho_decoder *w = ho_decoder_new(&l->problem, v, HO_STREAMS_ONE);
  g_autoptr(ho_plan) plan = ho_plan_new(2);
  cr_assert_eq(ho_decode(w, (const int16_t[]){1, 0}, (const double[]){1, 0}, plan), 0);
  cr_expect(plan->entry[0].device == 1 && plan->entry[1].device == 1);
  cr_expect(ho_plan_check(plan, l->graph, l->platform, l->cost, NULL));
  ho_decoder_free(w);
  ho_space_free(v);
  static const char *const names[] = {"random", "nsga2", "heft", "fastest"};
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
    g_autoptr(ho_search) s = lab_must_run(l, names[i], NULL, 1, 30);
    lab_check_plans(l, s);
  }
}

/* --- the search context ----------------------------------------------------------------------------------------------------------- */
static int evaluate_all(ho_search *s) {
  ho_plan *plan = ho_plan_new(1);
  plan->entry[0] = (ho_entry){.op = 0, .precision = HO_DTYPE_NONE};
  double f[HO_MAX_OBJECTIVES];
  while (ho_search_left(s) > 0) cr_assert_eq(ho_search_evaluate(s, plan, f), 0);
  cr_expect_eq(ho_search_evaluate(s, plan, f), -1);
  cr_expect_eq(ho_search_offer(s, plan, f), 1);
  cr_expect_eq(ho_search_offer(s, plan, f), 0); /* it equals one that is there */
  ho_plan_free(plan);
  return 0;
}

static int lie(ho_search *s) {
  ho_plan *plan = ho_plan_new(1);
  plan->entry[0] = (ho_entry){.op = 0, .precision = HO_DTYPE_NONE};
  double f[HO_MAX_OBJECTIVES];
  ho_search_evaluate(s, plan, f);
  f[0] /= 2;
  ho_search_offer(s, plan, f);
  ho_plan_free(plan);
  return 0;
}

static int offer_nonsense(ho_search *s) {
  ho_plan *plan = ho_plan_new(1);
  plan->entry[0] = (ho_entry){.op = 0, .device = 0, .stream = 99, .precision = HO_DTYPE_NONE};
  const double f[] = {1, 1, 1};
  ho_search_offer(s, plan, f);
  ho_plan_free(plan);
  return 0;
}

#define ONE_OP "{\"format\":\"heteroopt-graph/1\",\"name\":\"g\",\"ops\":[{\"name\":\"a\",\"flops\":1e9}],\"tensors\":[]}"

static ho_search *run_with(const lab *l, int (*run)(ho_search *s), gboolean *ok, GError **error) {
  static ho_scheduler x = {.abi = HO_SCHEDULER_ABI, .struct_size = sizeof(ho_scheduler), .name = "test"};
  x.run = run;
  ho_search_setup setup = {
      .problem = &l->problem, .scheduler = &x, .stream = ho_stream_small(1), .evaluations = 1000, .checkpoints = 4};
  ho_search *s = ho_search_new(&setup);
  *ok = ho_search_run(s, error);
  return s;
}

Test(sched_search, evaluations_are_counted_and_stop_at_the_budget) {
  g_autoptr(lab) l = lab_texts(ONE_OP, STREAMS);
  gboolean ok;
  g_autoptr(ho_search) s = run_with(l, evaluate_all, &ok, NULL);
  cr_expect(ok);
  cr_expect_eq(ho_search_evaluations(s), 1000);
  cr_expect(ho_search_engine_seconds(s) > 0 && ho_search_scheduler_seconds(s) >= 0);
  const ho_checkpoint *c;
  int32_t n = ho_search_checkpoints(s, &c);
  cr_assert_eq(n, 4); /* at 1000^(k/4), rounded up */
  cr_expect(c[0].evaluations == 6 && c[1].evaluations == 32 && c[2].evaluations == 178 && c[3].evaluations == 1000);
  cr_expect(c[2].n == 0 && c[3].n == 1);
}

Test(sched_search, a_plan_with_other_objectives_than_its_own_ends_the_run) {
  g_autoptr(lab) l = lab_texts(ONE_OP, STREAMS);
  g_autoptr(GError) error = NULL;
  gboolean ok;
  g_autoptr(ho_search) s = run_with(l, lie, &ok, &error);
  cr_assert(!ok);
  cr_expect(strstr(error->message, "objectives that its evaluation did not give"), "%s", error->message);
  cr_expect_eq(ho_archive_size(ho_search_archive(s)), 0);
}

Test(sched_search, an_invalid_plan_ends_the_run) {
  g_autoptr(lab) l = lab_texts(ONE_OP, STREAMS);
  g_autoptr(GError) error = NULL;
  gboolean ok;
  g_autoptr(ho_search) s = run_with(l, offer_nonsense, &ok, &error);
  cr_assert(!ok);
  cr_expect(strstr(error->message, "invalid plan") && strstr(error->message, "stream"), "%s", error->message);
  cr_expect_eq(ho_archive_size(ho_search_archive(s)), 0);
}
