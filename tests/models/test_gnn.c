/* test_gnn.c: graph networks against the parameters of the OGB leaderboards (GCN 110,120 and GraphSAGE 218,664 on ogbn-arxiv, 103,727 and
 * 206,895 on ogbn-products) and what the papers' sizes give on Cora (GCN 1433·16 + 16 + 16·7 + 7; GAT eight heads of eight, then one). */
#include <criterion/criterion.h>
#include <string.h>

#include "graphs.h"
#include "models/graph_stats.h"

Test(gnn, parameters_are_the_published_ones) {
  static const struct {
    const char *spec;
    int64_t parameters;
  } published[] = {{"gcn", 110120},
                   {"graphsage", 218664},
                   {"gcn:dataset=products", 103727},
                   {"graphsage:dataset=products", 206895},
                   {"gcn:dataset=cora", 23063},
                   {"gat:dataset=cora", 1433 * 64 + 3 * 64 + 64 * 7 + 3 * 7},
                   {"gcn:aggregation=spmm", 110120},
                   {"graphsage:mode=training", 218664}};
  for (size_t i = 0; i < G_N_ELEMENTS(published); i++) {
    g_autoptr(ho_graph) g = built_in(published[i].spec);
    g_autoptr(ho_graph_stats) s = ho_graph_stats_new(g);
    cr_expect_eq(s->parameters, published[i].parameters, "%s", published[i].spec);
  }
}

/* One multiply-accumulate per node and weight of the products. */
Test(gnn, products_are_of_nodes_and_weights) {
  g_autoptr(ho_graph) g = built_in("gcn");
  g_autoptr(ho_graph_stats) s = ho_graph_stats_new(g);
  cr_assert_eq(s->macs, 169343.0 * (128 * 256 + 256 * 256 + 256 * 40));
  g_autoptr(ho_graph) h = built_in("graphsage:dataset=products");
  g_autoptr(ho_graph_stats) t = ho_graph_stats_new(h);
  cr_assert_eq(t->macs, 2449029.0 * 2 * (100 * 256 + 256 * 256 + 256 * 47));
}

Test(gnn, moving_along_edges_alternates_with_products) {
  static const char *const kinds[] = {"matmul", "gather", "mul", "scatter", "add", "batchnorm", "relu"};
  g_autoptr(ho_graph) g = built_in("gcn");
  for (ho_op i = 0; i < 14; i++) cr_assert_str_eq(g->op[g->topo[i]].kind, kinds[i % 7]);
}

/* Rows are read once per edge, and edges count both ways, with one from every node to itself. */
Test(gnn, a_gather_reads_a_row_per_edge) {
  g_autoptr(ho_graph) g = built_in("gcn:dataset=cora");
  const ho_op_info *gather = &g->op[ho_graph_find_op(g, "convs.0.gather")],
                   *scatter = &g->op[ho_graph_find_op(g, "convs.0.scatter")];
  double edges = 10556 + 2708;
  cr_assert_eq(gather->read, edges * 16 * 4 + edges * 8);
  cr_assert_eq(gather->write, edges * 16 * 4);
  cr_assert_eq(scatter->flops, edges * 16);
  cr_assert_eq(scatter->write, 2708 * 16 * 4);
}

Test(gnn, a_sparse_product_does_the_same_work_without_a_row_per_edge) {
  g_autoptr(ho_graph) rows = built_in("gcn:dataset=products");
  g_autoptr(ho_graph) sparse = built_in("gcn:dataset=products,aggregation=spmm");
  g_autoptr(ho_graph_stats) s = ho_graph_stats_new(rows);
  g_autoptr(ho_graph_stats) t = ho_graph_stats_new(sparse);
  cr_assert_float_eq(s->flops, t->flops, 1);
  cr_assert_lt(t->activation_bytes * 10, s->activation_bytes);
}

Test(gnn, heads_must_share_the_features) {
  g_autoptr(GError) error = NULL;
  cr_assert_null(ho_graph_load("gat:hidden=100,heads=8", NULL, NULL, &error));
  cr_assert_not_null(strstr(error->message, "multiple of heads"));
}
