/* test_onnx_oracle.c: every reference file read, and held against what ONNX's own inference and ONNX Runtime found in it.
 *
 * The reference data is not part of the project: where it is absent the tests are skipped. What it leaves open (a null shape, a
 * convolution whose shape it could not infer, operators of other domains) is not compared. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <string.h>

#include "models/graph_stats.h"
#include "tests/models-onnx/onnx_files.h"

typedef void (*comparison)(const char *name, const json_t *oracle, const ho_graph *g);

static double number(const json_t *oracle, const char *key) {
  return json_number_value(json_object_get(oracle, key));
}

static char *bindings_of(const json_t *oracle) {
  GString *s = g_string_new(NULL);
  const char *key;
  json_t *value;
  json_object_foreach(json_object_get(oracle, "bound_dims"), key, value) {
    g_string_append_printf(s, "%s%s=%lld", s->len ? "," : "", key, (long long)json_integer_value(value));
  }
  return g_string_free(s, FALSE);
}

static void compare_file(const char *folder, const char *json_name, comparison compare) {
  g_autofree char *json_path = g_build_filename(folder, "oracle", json_name, NULL);
  json_t *oracle = json_load_file(json_path, 0, NULL);
  cr_assert_not_null(oracle, "%s", json_path);
  const char *name = json_string_value(json_object_get(oracle, "file"));
  g_autofree char *path = g_build_filename(folder, "files", name, NULL), *bind = bindings_of(oracle);
  g_autoptr(GError) error = NULL;
  g_autoptr(ho_graph) g = read_bound(path, bind, &error);
  if (number(oracle, "nodes_without_constants") == 0) {
    cr_expect_null(g, "%s", name); /* nothing to schedule */
    cr_expect(error != NULL && strstr(error->message, "no ops") != NULL, "%s", name);
  } else {
    cr_expect_not_null(g, "%s: %s", name, error ? error->message : "");
    if (g != NULL) compare(name, oracle, g);
  }
  json_decref(oracle);
}

static void compare_all(comparison compare) {
  g_autofree char *folder = shared_onnx(), *oracles = g_build_filename(folder, "oracle", NULL);
  GDir *dir = g_dir_open(oracles, 0, NULL);
  cr_assert_not_null(dir);
  int n = 0;
  for (const char *name; (name = g_dir_read_name(dir)) != NULL;)
    if (g_str_has_suffix(name, ".json")) compare_file(folder, name, compare), n++;
  g_dir_close(dir);
  cr_assert_geq(n, 100);
}

/* ---- what is compared ---- */

static void compare_counts(const char *name, const json_t *oracle, const ho_graph *g) {
  double parameters = 0;
  for (ho_tensor t = 0; t < g->n_tensors; t++) {
    const ho_tensor_info *i = &g->tensor[t];
    if (i->role != HO_ROLE_WEIGHT || i->dtype > HO_FP8) continue;
    double n = 1;
    for (int32_t k = 0; k < i->rank; k++) n *= (double)i->shape[k];
    parameters += n;
  }
  cr_expect_eq(g->n_ops, (int32_t)number(oracle, "nodes_without_constants"), "%s: %d ops", name, g->n_ops);
  cr_expect_eq(g->n_edges, (int32_t)number(oracle, "edges_tensor_consumer_without_constants"), "%s: %d edges", name, g->n_edges);
  cr_expect_eq(parameters, number(oracle, "params_float_total"), "%s: %.0f parameters", name, parameters);
}

/* The op of a node is the one that makes its first named output. */
static ho_op op_of_node(const ho_graph *g, const json_t *node) {
  const char *key;
  json_t *value;
  json_object_foreach(json_object_get(node, "out"), key, value) {
    if (*key) return op_that_makes(g, key);
  }
  return -1;
}

static void compare_macs(const char *name, const json_t *oracle, const ho_graph *g) {
  size_t k;
  json_t *node;
  double total = 0;
  json_array_foreach(json_object_get(oracle, "nodes"), k, node) {
    const ho_op o = op_of_node(g, node);
    const json_t *macs = json_object_get(node, "macs");
    if (o < 0 || macs == NULL) continue;
    total += g->op[o].flops / 2;
    cr_expect_eq(g->op[o].flops, 2 * json_number_value(macs), "%s: %s has %.0f FLOPs", name, g->op[o].name, g->op[o].flops);
    cr_expect(ho_family_has_macs(g->op[o].family), "%s: %s is a %s", name, g->op[o].name, g->op[o].kind);
  }
  cr_expect_eq(total, number(oracle, "macs_total"), "%s: %.0f MACs", name, total);
}

static void compare_shape(const char *name, const char *tensor, const json_t *dims, const ho_graph *g) {
  GString *expected = g_string_new(NULL);
  gboolean fixed = json_is_array(dims);
  for (size_t k = 0; fixed && k < json_array_size(dims); k++) {
    fixed = json_is_integer(json_array_get(dims, k));
    g_string_append_printf(expected, "%s%lld", k ? "x" : "", (long long)json_integer_value(json_array_get(dims, k)));
  }
  g_autofree char *found = fixed ? shape_text(g, tensor) : NULL;
  if (fixed) cr_expect_str_eq(found, expected->str, "%s: %s is %s, expected %s", name, tensor, found, expected->str);
  g_string_free(expected, TRUE);
}

static void compare_shapes(const char *name, const json_t *oracle, const ho_graph *g) {
  size_t k;
  json_t *node, *dims;
  const char *tensor;
  json_array_foreach(json_object_get(oracle, "nodes"), k, node) {
    json_object_foreach(json_object_get(node, "out"), tensor, dims) {
      if (*tensor) compare_shape(name, tensor, dims, g);
    }
  }
}

/* ---- laws ---- */

Test(onnx_oracle, ops_edges_and_parameters_are_the_oracles) {
  compare_all(compare_counts);
}

Test(onnx_oracle, macs_are_the_oracles_node_by_node) {
  compare_all(compare_macs);
}

Test(onnx_oracle, shapes_are_the_oracles_wherever_it_knows_them) {
  compare_all(compare_shapes);
}

/* A quantised model has its parameters in integers: 27,171 of the oracle's 27,194 elements of initializers. */
Test(onnx_oracle, a_quantised_model_has_its_parameters_in_integers) {
  g_autofree char *folder = shared_onnx(), *path = g_build_filename(folder, "files", "micro_kws_m_static_qdq.onnx", NULL);
  g_autofree char *json = g_build_filename(folder, "oracle", "micro_kws_m_static_qdq.json", NULL);
  json_auto_t *oracle = json_load_file(json, 0, NULL);
  g_autofree char *bind = bindings_of(oracle);
  g_autoptr(GError) error = NULL;
  g_autoptr(ho_graph) g = read_bound(path, bind, &error);
  cr_assert_not_null(g, "%s", error ? error->message : "");
  g_autoptr(ho_graph_stats) s = ho_graph_stats_new(g);
  cr_assert_eq(s->integers, 27171);
  cr_assert_eq((double)(s->integers + s->parameters), number(oracle, "initializer_elems"));
}

/* The numbers of the table that publications quote, typed in once more so that a change of the definitions is seen. */
Test(onnx_oracle, resnet50_has_its_published_size) {
  g_autofree char *folder = shared_onnx(), *path = g_build_filename(folder, "files", "light_resnet50.onnx", NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(ho_graph) g = read_bound(path, NULL, &error);
  cr_assert_not_null(g, "%s", error->message);
  double flops = 0;
  for (ho_op o = 0; o < g->n_ops; o++)
    if (ho_family_has_macs(g->op[o].family)) flops += g->op[o].flops;
  cr_assert_eq(g->n_ops, 176);
  cr_assert_eq(g->n_edges, 191);
  cr_assert_eq(flops, 2 * 4089184256.0);
  cr_assert_eq(g->n_unknown, 0);
}

Test(onnx_oracle, a_model_without_its_weights_is_read_in_milliseconds) {
  g_autofree char *folder = shared_onnx(), *path = g_build_filename(folder, "files", "light_bert_base.onnx", NULL);
  const gint64 before = g_get_monotonic_time();
  for (int k = 0; k < 5; k++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(ho_graph) g = read_bound(path, "batch=1,seq=128", &error);
    cr_assert_not_null(g, "%s", error->message);
  }
  const double each = (double)(g_get_monotonic_time() - before) / 5e6;
  cr_assert_lt(each, 0.5, "%g s", each); /* ten times what it takes, for slow machines and sanitizers */
}
