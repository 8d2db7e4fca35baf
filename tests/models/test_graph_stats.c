/* test_graph_stats.c: counts over a small graph, by hand. */
#include <criterion/criterion.h>
#include <string.h>

#include "graphs.h"
#include "models/graph_stats.h"

/* x -> A -> a -> B, C; b, c -> D; D reads its own weight twice removed by an update. */
static const char *const small =
    "{\"format\":\"heteroopt-graph/1\",\"name\":\"small\",\"ops\":["
    "{\"name\":\"A\",\"kind\":\"conv\",\"flops\":200},{\"name\":\"B\",\"kind\":\"relu\",\"flops\":10},"
    "{\"name\":\"C\",\"kind\":\"relu\",\"flops\":11},{\"name\":\"D\",\"kind\":\"gemm\",\"flops\":100},"
    "{\"name\":\"U\",\"kind\":\"sgd\",\"flops\":6,\"phase\":\"update\"}],"
    "\"tensors\":["
    "{\"name\":\"x\",\"shape\":[10],\"consumers\":[\"A\"]},"
    "{\"name\":\"w\",\"shape\":[3,2],\"role\":\"weight\",\"consumers\":[\"A\",\"U\"]},"
    "{\"name\":\"table\",\"shape\":[100],\"dtype\":\"int64\",\"role\":\"weight\",\"consumers\":[\"D\"]},"
    "{\"name\":\"momentum\",\"shape\":[3,2],\"role\":\"weight\",\"consumers\":[\"U\"]},"
    "{\"name\":\"a\",\"bytes\":20,\"producer\":\"A\",\"consumers\":[\"B\",\"C\"]},"
    "{\"name\":\"b\",\"bytes\":20,\"producer\":\"B\",\"consumers\":[\"D\"]},"
    "{\"name\":\"c\",\"bytes\":20,\"producer\":\"C\",\"consumers\":[\"D\"]},"
    "{\"name\":\"d\",\"bytes\":30,\"producer\":\"D\",\"consumers\":[\"U\"]},"
    "{\"name\":\"w2\",\"shape\":[3,2],\"producer\":\"U\",\"alias\":\"w\"}]}";

static ho_graph *small_graph(void) {
  g_autofree char *message = NULL;
  ho_graph *g = graph_of_text(small, &message);
  cr_assert_not_null(g, "%s", message);
  return g;
}

Test(graph_stats, counts_agree_with_a_count_by_hand) {
  g_autoptr(ho_graph) g = small_graph();
  g_autoptr(ho_graph_stats) s = ho_graph_stats_new(g);
  cr_assert_eq(s->flops, 327);
  cr_assert_eq(s->macs, 150, "half of conv and gemm");
  /* A: 40+24 in, 20 out; B, C: 20, 20 each; D: 800+40, 30; U: 24+24+30, 24 */
  cr_assert_eq(s->bytes, 84 + 40 + 40 + 870 + 102);
  cr_assert_eq(s->parameters, 6, "neither the integer table nor the momentum");
  cr_assert_eq(s->integers, 100, "the integer table");
  cr_assert_eq(s->weight_bytes, 24 + 800 + 24);
  cr_assert_eq(s->activation_bytes, 90, "the updated weight is a view");
  cr_assert_eq(g->n_edges, 5);
  cr_assert_eq(s->critical_path_ops, 4, "A, B, D, U");
  cr_assert_eq(s->widest, 2);
  cr_assert_eq(s->n_largest, HO_STATS_LARGEST);
  cr_assert_eq(s->largest[0], ho_graph_find_tensor(g, "table"));
  cr_assert_eq(s->largest[1], ho_graph_find_tensor(g, "x"));
  cr_assert_eq(s->largest[2], ho_graph_find_tensor(g, "d"));
  cr_assert_eq(s->largest[3], ho_graph_find_tensor(g, "w"));
  cr_assert_eq(s->largest[4], ho_graph_find_tensor(g, "momentum"));
}

/* Two of int4 in a byte; without a shape, by bytes. */
Test(graph_stats, integer_weights_count_by_their_elements) {
  g_autofree char *message = NULL;
  g_autoptr(ho_graph) g = graph_of_text(
      "{\"format\":\"heteroopt-graph/1\",\"name\":\"q\",\"ops\":[{\"name\":\"A\",\"kind\":\"gemm\",\"flops\":8}],\"tensors\":["
      "{\"name\":\"w\",\"bytes\":50,\"dtype\":\"int4\",\"role\":\"weight\",\"consumers\":[\"A\"]},"
      "{\"name\":\"v\",\"bytes\":50,\"dtype\":\"int8\",\"role\":\"weight\",\"consumers\":[\"A\"]},"
      "{\"name\":\"u\",\"shape\":[3],\"dtype\":\"int32\",\"role\":\"weight\",\"consumers\":[\"A\"]},"
      "{\"name\":\"f\",\"shape\":[2],\"role\":\"weight\",\"consumers\":[\"A\"]},"
      "{\"name\":\"y\",\"bytes\":8,\"producer\":\"A\"}]}",
      &message);
  cr_assert_not_null(g, "%s", message);
  g_autoptr(ho_graph_stats) s = ho_graph_stats_new(g);
  cr_assert_eq(s->integers, 100 + 50 + 3);
  cr_assert_eq(s->parameters, 2);
}

Test(graph_stats, json_has_the_documented_keys) {
  g_autoptr(ho_graph) g = small_graph();
  g_autoptr(ho_graph_stats) s = ho_graph_stats_new(g);
  json_t *o = ho_graph_stats_json(g, s);
  static const char *const keys[] = {"name",       "ops",   "tensors",           "edges",  "macs", "flops", "bytes",
                                     "parameters", "kinds", "critical_path_ops", "unknown"};
  for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) cr_assert_not_null(json_object_get(o, keys[i]), "%s", keys[i]);
  cr_assert_eq(json_integer_value(json_object_get(json_object_get(o, "kinds"), "relu")), 2);
  cr_assert_eq(json_integer_value(json_object_get(o, "macs")), 150);
  json_decref(o);
}

Test(graph_stats, the_text_names_every_kind) {
  g_autoptr(ho_graph) g = small_graph();
  g_autoptr(ho_graph_stats) s = ho_graph_stats_new(g);
  g_autofree char *text = ho_graph_stats_text(g, s);
  static const char *const parts[] = {"ops 5", "edges 5", "150 MAC", "6 parameters and 100 integer weights", "conv", "relu",
                                      "gemm",  "sgd",     "table"};
  for (size_t i = 0; i < G_N_ELEMENTS(parts); i++)
    cr_assert_not_null(strstr(text, parts[i]), "'%s' is not in\n%s", parts[i], text);
}
