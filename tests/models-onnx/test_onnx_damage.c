/* test_onnx_damage.c: cut, changed, nested and senseless files are refused in one line, and never crash or hang.
 *
 * Changes are drawn from a seeded stream: the same files on every run. */
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <string.h>

#include "base/stream.h"
#include "models/onnx_wire.h"
#include "tests/models-onnx/onnx_files.h"

static const char *const fixtures[] = {"residual.onnx", "heads.onnx",     "control.onnx",  "functions.onnx",
                                       "unknown.onnx",  "quantised.onnx", "constants.onnx"};

/* Either a graph, or one line that names the file. TRUE when it was read. */
static gboolean read_bytes(const void *bytes, size_t size, char **message) {
  g_autofree char *path = temporary_onnx(bytes, size);
  g_autoptr(GError) error = NULL;
  ho_graph *g = read_bound(path, NULL, &error);
  cr_assert((g != NULL) != (error != NULL));
  if (error != NULL) {
    cr_assert(g_str_has_prefix(error->message, path), "%s", error->message);
    cr_assert_null(strchr(error->message, '\n'), "%s", error->message);
    if (message) *message = g_strdup(error->message + strlen(path));
  }
  const gboolean ok = g != NULL;
  ho_graph_free(g);
  g_unlink(path);
  return ok;
}

static void load(const char *name, char **bytes, gsize *size) {
  g_autofree char *path = fixture_path(name);
  cr_assert(g_file_get_contents(path, bytes, size, NULL), "%s", path);
}

Test(onnx_damage, a_file_cut_anywhere_is_refused_or_read_but_never_crashes) {
  for (size_t f = 0; f < G_N_ELEMENTS(fixtures); f++) {
    g_autofree char *bytes = NULL;
    gsize size;
    int refused = 0;
    load(fixtures[f], &bytes, &size);
    for (gsize cut = 0; cut < size; cut++) refused += !read_bytes(bytes, cut, NULL);
    cr_expect_geq(refused, (int)size * 9 / 10, "%s: only %d of %zu cuts were noticed", fixtures[f], refused, size);
  }
}

Test(onnx_damage, changed_bytes_never_crash) {
  for (size_t f = 0; f < G_N_ELEMENTS(fixtures); f++) {
    g_autofree char *bytes = NULL;
    gsize size;
    load(fixtures[f], &bytes, &size);
    ho_stream s = ho_stream_keyed(1, (const char *const[]){"onnx damage", fixtures[f], NULL});
    for (int round = 0; round < 1500; round++) {
      g_autofree char *copy = g_memdup2(bytes, size);
      const uint64_t changes = 1 + ho_stream_below(&s, 4);
      for (uint64_t k = 0; k < changes; k++) copy[ho_stream_below(&s, size)] = (char)ho_stream_next(&s);
      read_bytes(copy, size, NULL);
    }
  }
}

Test(onnx_damage, extreme_numbers_in_the_place_of_others_never_crash) {
  static const char *const extremes[] = {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01",
                                         "\xff\xff\xff\xff\x07", "\x80\x80\x80\x80\x80\x20", "\xff\x7f"};
  for (size_t f = 0; f < G_N_ELEMENTS(fixtures); f++) {
    g_autofree char *bytes = NULL;
    gsize size;
    load(fixtures[f], &bytes, &size);
    for (gsize at = 0; at < size; at++) {
      const char *e = extremes[at % G_N_ELEMENTS(extremes)];
      const gsize n = MIN(strlen(e), size - at);
      g_autofree char *copy = g_memdup2(bytes, size);
      memcpy(copy + at, e, n);
      read_bytes(copy, size, NULL);
    }
  }
}

static void expect_refusal(const void *bytes, size_t size, const char *part) {
  g_autofree char *message = NULL;
  cr_assert(!read_bytes(bytes, size, &message));
  cr_expect_not_null(strstr(message, part), "%s", message);
}

Test(onnx_damage, files_that_are_no_models_are_refused) {
  expect_refusal("", 0, "the file is empty");
  expect_refusal("hello, this is a text\n", 22, "offset");
  expect_refusal("\x08\x08", 2, "offset 2: the file ends without a graph");
  expect_refusal("\x3a\x00", 2, "no ops");
  expect_refusal("{\"format\": 1}", 13, "offset");
}

Test(onnx_damage, a_file_that_is_not_there_or_a_directory_is_named) {
  g_autoptr(GError) absent = NULL, directory = NULL;
  cr_assert_null(read_bound("/nowhere/model.onnx", NULL, &absent));
  cr_expect(g_str_has_prefix(absent->message, "/nowhere/model.onnx: "), "%s", absent->message);
  cr_assert_null(read_bound(g_get_tmp_dir(), NULL, &directory));
  cr_expect_not_null(strstr(directory->message, "not a regular file"), "%s", directory->message);
}

/* ---- files put together here ---- */

static GByteArray *wrap(GByteArray *inner, uint32_t number) {
  GByteArray *outer = g_byte_array_new();
  ho_wire_put_bytes(outer, number, inner->data, inner->len);
  g_byte_array_unref(inner);
  return outer;
}

static void put_text(GByteArray *to, uint32_t number, const char *text) {
  ho_wire_put_bytes(to, number, text, strlen(text));
}

static void put_int(GByteArray *to, uint32_t number, uint64_t v) {
  ho_wire_put_varint(to, (uint64_t)number << 3);
  ho_wire_put_varint(to, v);
}

enum {
  MODEL_GRAPH = 7,
  MODEL_FUNCTION = 25,
  GRAPH_NODE = 1,
  GRAPH_INITIALIZER = 5,
  NODE_IN = 1,
  NODE_OUT = 2,
  NODE_OP = 4,
  NODE_ATTRIBUTE = 5,
  NODE_DOMAIN = 7,
  ATTRIBUTE_GRAPH = 6
};

/* A node, as a field of a graph or function. */
static void put_node(GByteArray *to, uint32_t number, const char *op, const char *domain, const char *in, const char *out) {
  g_autoptr(GByteArray) node = g_byte_array_new();
  if (in) put_text(node, NODE_IN, in);
  put_text(node, NODE_OUT, out);
  put_text(node, NODE_OP, op);
  if (domain) put_text(node, NODE_DOMAIN, domain);
  ho_wire_put_bytes(to, number, node->data, node->len);
}

Test(onnx_damage, ten_thousand_nested_graphs_are_refused_in_one_line) {
  GByteArray *graph = g_byte_array_new();
  put_node(graph, GRAPH_NODE, "Relu", NULL, NULL, "y");
  for (int depth = 0; depth < 10000; depth++) {
    GByteArray *attribute = wrap(graph, ATTRIBUTE_GRAPH);
    put_text(attribute, 1, "then_branch");
    GByteArray *node = wrap(attribute, NODE_ATTRIBUTE);
    put_text(node, NODE_OP, "If");
    graph = wrap(node, GRAPH_NODE);
  }
  g_autoptr(GByteArray) model = wrap(graph, MODEL_GRAPH);
  expect_refusal(model->data, model->len, "graphs nested more than 48 deep");
}

Test(onnx_damage, a_function_that_calls_itself_is_refused) {
  GByteArray *function = g_byte_array_new();
  put_text(function, 1, "F");
  put_text(function, 10, "d");
  put_text(function, 5, "y");
  put_node(function, 7, "F", "d", NULL, "y");
  g_autoptr(GByteArray) model = wrap(function, MODEL_FUNCTION);
  GByteArray *graph = g_byte_array_new();
  put_node(graph, GRAPH_NODE, "F", "d", NULL, "out");
  g_autoptr(GByteArray) field = wrap(graph, MODEL_GRAPH);
  g_byte_array_append(model, field->data, field->len);
  expect_refusal(model->data, model->len, "may call itself");
}

Test(onnx_damage, a_cycle_is_refused_and_named) {
  GByteArray *graph = g_byte_array_new();
  put_node(graph, GRAPH_NODE, "Relu", NULL, "b", "a");
  put_node(graph, GRAPH_NODE, "Tanh", NULL, "a", "b");
  g_autoptr(GByteArray) model = wrap(graph, MODEL_GRAPH);
  expect_refusal(model->data, model->len, "cycle");
}

Test(onnx_damage, a_tensor_that_nothing_makes_is_named) {
  GByteArray *graph = g_byte_array_new();
  put_node(graph, GRAPH_NODE, "Relu", NULL, "ghost", "a");
  g_autoptr(GByteArray) model = wrap(graph, MODEL_GRAPH);
  expect_refusal(model->data, model->len, "node 'a' reads 'ghost', which nothing produces");
}

Test(onnx_damage, a_tensor_that_two_nodes_make_is_named) {
  GByteArray *graph = g_byte_array_new();
  put_node(graph, GRAPH_NODE, "Relu", NULL, NULL, "a");
  put_node(graph, GRAPH_NODE, "Tanh", NULL, NULL, "a");
  g_autoptr(GByteArray) model = wrap(graph, MODEL_GRAPH);
  expect_refusal(model->data, model->len, "makes 'a', which exists already");
}

Test(onnx_damage, a_payload_that_does_not_fit_its_shape_is_refused) {
  GByteArray *tensor = g_byte_array_new();
  put_int(tensor, 1, 3);
  put_int(tensor, 2, 1);
  put_text(tensor, 8, "w");
  ho_wire_put_bytes(tensor, 9, "12345678", 8);
  GByteArray *graph = wrap(tensor, GRAPH_INITIALIZER);
  put_node(graph, GRAPH_NODE, "Relu", NULL, "w", "a");
  g_autoptr(GByteArray) model = wrap(graph, MODEL_GRAPH);
  expect_refusal(model->data, model->len, "tensor 'w' holds 8 bytes, expected 12");
}

Test(onnx_damage, names_that_are_no_text_do_not_reach_a_message) {
  GByteArray *graph = g_byte_array_new();
  put_node(graph, GRAPH_NODE, "Relu", NULL, "gh\nost\xff", "a");
  g_autoptr(GByteArray) model = wrap(graph, MODEL_GRAPH);
  g_autofree char *message = NULL;
  cr_assert(!read_bytes(model->data, model->len, &message));
  cr_assert(g_utf8_validate(message, -1, NULL));
}
