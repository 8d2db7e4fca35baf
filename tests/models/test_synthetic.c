/* test_synthetic.c: random graphs are what their options say. */
#include <criterion/criterion.h>

#include "graphs.h"
#include "models/graph_stats.h"

static ho_graph *model(const char *spec) {
  GError *error = NULL;
  ho_graph *g = ho_graph_load(spec, NULL, NULL, &error);
  cr_assert_not_null(g, "%s", error ? error->message : "");
  return g;
}

Test(synthetic, the_same_options_give_the_same_graph_and_another_seed_another) {
  static const char *const names[] = {"layered", "fork-join"};
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
    g_autofree char *spec = g_strconcat(names[i], ":ops=200,seed=5", NULL),
                    *other = g_strconcat(names[i], ":ops=200,seed=6", NULL);
    g_autoptr(ho_graph) a = model(spec);
    g_autoptr(ho_graph) b = model(spec);
    g_autoptr(ho_graph) c = model(other);
    cr_assert_str_eq(a->digest, b->digest);
    cr_assert_str_neq(a->digest, c->digest);
  }
}

Test(synthetic, there_are_as_many_ops_as_asked_for) {
  static const int32_t sizes[] = {3, 4, 10, 11, 12, 13, 999, 5000};
  for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
    g_autofree char *layered = g_strdup_printf("layered:ops=%d", sizes[i]), *fork = g_strdup_printf("fork-join:ops=%d", sizes[i]);
    g_autoptr(ho_graph) g = model(layered);
    g_autoptr(ho_graph) h = model(fork);
    cr_assert_eq(g->n_ops, sizes[i]);
    cr_assert_eq(h->n_ops, sizes[i]);
  }
}

Test(synthetic, levels_and_inputs_are_as_wide_as_asked_for) {
  g_autoptr(ho_graph) g = model("layered:ops=20000,width=25,degree=3,skip=1");
  g_autoptr(ho_graph_stats) s = ho_graph_stats_new(g);
  cr_assert_float_eq(s->parallelism, 25, 2);
  cr_assert_leq(s->widest, 49);
  cr_assert_float_eq((double)g->n_edges / g->n_ops, 3, 0.1);
}

Test(synthetic, a_fork_join_graph_has_one_beginning_one_end_and_its_width) {
  for (int32_t ops = 3; ops < 40; ops++) {
    g_autofree char *spec = g_strdup_printf("fork-join:ops=%d,width=4", ops);
    g_autoptr(ho_graph) g = model(spec);
    g_autoptr(ho_graph_stats) s = ho_graph_stats_new(g);
    int32_t ends = 0, beginnings = 0;
    for (ho_tensor t = 0; t < g->n_tensors; t++) ends += g->tensor[t].is_output;
    for (ho_tensor t = 0; t < g->n_tensors; t++) beginnings += g->tensor[t].role == HO_ROLE_INPUT;
    cr_assert_eq(ends, 1, "%d ops", ops);
    cr_assert_eq(beginnings, 1);
    cr_assert_leq(s->widest, 4);
  }
}

Test(synthetic, sizes_follow_ccr_within_the_spread) {
  g_autoptr(ho_graph) g = model("layered:ops=4000,flops=1e8,spread=16,ccr=0.5,kinds=generic");
  double log_ratio = 0;
  for (ho_op o = 0; o < g->n_ops; o++) {
    cr_assert_geq(g->op[o].flops, 1e8 / 4);
    cr_assert_leq(g->op[o].flops, 1e8 * 4);
    double bytes = (double)g->tensor[g->out[g->out_start[o]]].bytes;
    log_ratio += log(bytes / 1e10 / (g->op[o].flops / 1e12));
  }
  cr_assert_float_eq(exp(log_ratio / g->n_ops), 0.5, 0.02, "geometric mean of communication over computation");
}

Test(synthetic, nothing_to_move_and_nothing_to_compute_are_legal) {
  g_autoptr(ho_graph) g = model("layered:ops=50,ccr=0,flops=0");
  for (ho_tensor t = 0; t < g->n_tensors; t++) cr_assert_eq(g->tensor[t].bytes, 0);
  for (ho_op o = 0; o < g->n_ops; o++) cr_assert_eq(g->op[o].flops, 0);
}

Test(synthetic, sizes_beyond_reason_are_one_line_of_error) {
  g_autoptr(GError) error = NULL;
  cr_assert_null(ho_graph_load("layered:flops=1e18,ccr=1e4", NULL, NULL, &error));
  cr_assert(g_str_has_suffix(error->message, "bytes together"), "%s", error->message);
}
