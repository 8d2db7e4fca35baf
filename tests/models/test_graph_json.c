/* test_graph_json.c: the heteroopt-graph/1 reader and writer. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <string.h>

#include "graphs.h"

/* ---- laws over random graphs ----------------------------------------------------------------------------------------- */

Test(graph_json, what_was_written_reads_back_the_same) {
  ho_stream s = ho_stream_small(21);
  for (int round = 0; round < 60; round++) {
    g_autoptr(ho_graph) g = random_graph(&s, 1 + (int32_t)ho_stream_below(&s, 40));
    g_autofree char *text = text_of_graph(g), *message = NULL;
    g_autoptr(ho_graph) again = graph_of_text(text, &message);
    cr_assert_not_null(again, "%s in %s", message, text);
    cr_assert_str_eq(g->digest, again->digest, "%s", text);
    cr_assert_str_eq(g->name, again->name);
    cr_assert_eq(g->n_unknown, again->n_unknown);
    cr_assert(g_strcmp0(g->note, again->note) == 0);
    g_autofree char *twice = text_of_graph(again);
    cr_assert_str_eq(text, twice);
    g_autofree char *without_file = ho_graph_json(g);
    cr_assert_str_eq(text, without_file);
    g_autoptr(ho_graph) parsed = ho_graph_parse_json("a text", text, NULL);
    cr_assert(parsed && strcmp(g->digest, parsed->digest) == 0, "%s", text);
  }
}

/* A deep copy whose objects have their keys in another order. */
static json_t *shuffled(const json_t *value, ho_stream *s) {
  if (json_is_array(value)) {
    json_t *copy = json_array();
    for (size_t i = 0; i < json_array_size(value); i++) json_array_append_new(copy, shuffled(json_array_get(value, i), s));
    return copy;
  }
  if (!json_is_object(value)) return json_deep_copy(value);
  const char *keys[32], *key;
  json_t *member;
  int32_t order[32], n = 0;
  json_object_foreach((json_t *)value, key, member) {
    cr_assert_lt(n, 32);
    order[n] = n;
    keys[n++] = key;
  }
  ho_stream_shuffle(s, order, n);
  json_t *copy = json_object();
  for (int32_t i = 0; i < n; i++) json_object_set_new(copy, keys[order[i]], shuffled(json_object_get(value, keys[order[i]]), s));
  return copy;
}

Test(graph_json, neither_order_of_keys_nor_white_space_changes_the_digest) {
  ho_stream s = ho_stream_small(22);
  for (int round = 0; round < 40; round++) {
    g_autoptr(ho_graph) g = random_graph(&s, 20);
    g_autofree char *text = text_of_graph(g), *message = NULL;
    json_t *value = json_loads(text, 0, NULL), *other = shuffled(value, &s);
    char *again = json_dumps(other, round % 2 ? JSON_INDENT(5) : JSON_COMPACT);
    g_autoptr(ho_graph) h = graph_of_text(again, &message);
    cr_assert_not_null(h, "%s", message);
    cr_assert_str_eq(g->digest, h->digest);
    free(again);
    json_decref(value);
    json_decref(other);
  }
}

/* One change at a time to a text with every key; `from` stands in it once. */
Test(graph_json, the_digest_sees_every_value) {
  static const char *const text =
      "{\"format\":\"heteroopt-graph/1\",\"name\":\"demo\",\"period\":0.04,\"samples\":8,\"ops\":["
      "{\"name\":\"A\",\"kind\":\"conv\",\"flops\":11,\"read\":12,\"write\":13,\"workspace\":14,\"parallelism\":15,"
      "\"phase\":\"backward\",\"layer\":\"L\",\"sensitivity\":16,\"release\":17,\"priority\":18,"
      "\"time\":{\"gpu\":19,\"cpu\":20}},{\"name\":\"B\"},{\"name\":\"C\"}],\"tensors\":["
      "{\"name\":\"w\",\"shape\":[64,3],\"dtype\":\"fp16\",\"role\":\"weight\",\"consumers\":[\"A\"]},"
      "{\"name\":\"a\",\"bytes\":21,\"producer\":\"A\",\"consumers\":[\"B\"],\"output\":true},"
      "{\"name\":\"x\",\"bytes\":22,\"memory\":\"m\",\"consumers\":[\"A\"]},"
      "{\"name\":\"v\",\"bytes\":23,\"alias\":\"x\",\"producer\":\"B\"}]}";
  static const char *const changes[][2] = {{"0.04", "0.05"},
                                           {"samples\":8", "samples\":9"},
                                           {"conv", "gemm"},
                                           {":11", ":0"},
                                           {":12", ":0"},
                                           {":13", ":0"},
                                           {":14", ":0"},
                                           {":15", ":0"},
                                           {"backward", "update"},
                                           {"\"L\"", "\"M\""},
                                           {",\"layer\":\"L\"", ""},
                                           {":16", ":0"},
                                           {":17", ":0"},
                                           {":18", ":-18"},
                                           {":18", ":18,\"unsplit\":[\"rows\"]"},
                                           {":18", ":18,\"unsplit\":[\"heads\"]"},
                                           {":19", ":20"},
                                           {"gpu", "npu"},
                                           {"\"gpu\":19,", ""},
                                           {"\"C\"", "\"D\""},
                                           {",{\"name\":\"C\"}", ""},
                                           {"[64,3]", "[3,64]"},
                                           {"[64,3]", "[192]"},
                                           {"fp16", "bf16"},
                                           {"weight", "input"},
                                           {"\"consumers\":[\"A\"]},{\"name\":\"a\"", "\"consumers\":[\"B\"]},{\"name\":\"a\""},
                                           {":21", ":24"},
                                           {"[\"B\"]", "[\"C\"]"},
                                           {"[\"B\"]", "[\"B\",\"C\"]"},
                                           {",\"output\":true", ""},
                                           {"\"m\"", "\"n\""},
                                           {",\"memory\":\"m\"", ""},
                                           {":23", ":25"},
                                           {"\"alias\":\"x\"", "\"alias\":\"a\""},
                                           {",\"alias\":\"x\"", ""},
                                           {"\"producer\":\"B\"", "\"producer\":\"C\""},
                                           {"\"name\":\"v\"", "\"name\":\"u\""}};
  g_autofree char *none = NULL;
  g_autoptr(ho_graph) g = graph_of_text(text, &none);
  cr_assert_not_null(g, "%s", none);
  g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  g_hash_table_add(seen, g_strdup(g->digest));
  for (size_t i = 0; i < G_N_ELEMENTS(changes); i++) {
    g_autofree char *message = NULL;
    g_auto(GStrv) halves = g_strsplit(text, changes[i][0], 2);
    cr_assert_eq(g_strv_length(halves), 2, "%s", changes[i][0]);
    g_autofree char *changed = g_strjoinv(changes[i][1], halves);
    g_autoptr(ho_graph) h = graph_of_text(changed, &message);
    cr_assert_not_null(h, "%s: %s", changes[i][0], message);
    cr_expect(g_hash_table_add(seen, g_strdup(h->digest)), "%s -> %s", changes[i][0], changes[i][1]);
  }
}

/* ---- what a text means ----------------------------------------------------------------------------------------------- */

#define HEAD "{\"format\":\"heteroopt-graph/1\",\"name\":\"demo\","
#define AB "\"ops\":[{\"name\":\"A\"},{\"name\":\"B\"}]"

static ho_graph *read_well(const char *text) {
  g_autofree char *message = NULL;
  ho_graph *g = graph_of_text(text, &message);
  cr_assert_not_null(g, "%s in %s", message, text);
  return g;
}

Test(graph_json, every_key_of_the_format_arrives_where_it_belongs) {
  g_autoptr(ho_graph) g = read_well(
      "{\"format\":\"heteroopt-graph/1\",\"name\":\"demo\",\"period\":0.04,\"samples\":8,"
      "\"ops\":[{\"name\":\"A\",\"kind\":\"conv\",\"flops\":2.1e9,\"read\":1.2e6,\"write\":8e5,\"workspace\":16,"
      "\"parallelism\":100352,\"phase\":\"backward\",\"layer\":\"block1\",\"sensitivity\":0.02,\"release\":1.5,"
      "\"priority\":-2,\"unsplit\":[\"batch\",\"rows\"],\"time\":{\"gpu0\":1e-3,\"cpu\":3e-3}},{\"name\":\"B\"}],"
      "\"tensors\":[{\"name\":\"w\",\"shape\":[64,3,7,7],\"dtype\":\"fp16\",\"role\":\"weight\",\"consumers\":[\"A\"]},"
      "{\"name\":\"a\",\"bytes\":8e5,\"producer\":\"A\",\"consumers\":[\"B\"],\"output\":true},"
      "{\"name\":\"x\",\"bytes\":4,\"memory\":\"hbm0\",\"consumers\":[\"A\"]},"
      "{\"name\":\"v\",\"bytes\":4,\"alias\":\"x\",\"producer\":\"B\"}]}");
  const ho_op_info *a = &g->op[0], *b = &g->op[1];
  cr_assert_str_eq(g->name, "demo");
  cr_assert_eq(g->period, 0.04);
  cr_assert_eq(g->samples, 8);
  cr_assert_str_eq(a->kind, "conv");
  cr_assert_eq(a->family, HO_FAMILY_CONV);
  cr_assert_eq(a->flops, 2.1e9);
  cr_assert_eq(a->read, 1.2e6);
  cr_assert_eq(a->write, 8e5);
  cr_assert_eq(a->workspace, 16);
  cr_assert_eq(a->parallelism, 100352);
  cr_assert_eq(a->phase, HO_PHASE_BACKWARD);
  cr_assert_str_eq(a->layer, "block1");
  cr_assert_eq(a->sensitivity, 0.02);
  cr_assert_eq(a->release, 1.5);
  cr_assert_eq(a->priority, -2);
  cr_assert_eq(a->unsplit, 1U << HO_AXIS_ROWS | 1U << HO_AXIS_BATCH);
  cr_assert_eq(b->unsplit, 0);
  cr_assert_eq(a->n_times, 2);
  cr_assert_eq(b->n_times, -1);
  cr_assert_eq(b->read, 8e5);
  cr_assert_eq(b->write, 4);
  const ho_tensor_info *w = &g->tensor[0], *t = &g->tensor[1], *x = &g->tensor[2], *v = &g->tensor[3];
  cr_assert_eq(w->role, HO_ROLE_WEIGHT);
  cr_assert_eq(w->bytes, 64 * 3 * 7 * 7 * 2);
  cr_assert_eq(w->dtype, HO_FP16);
  cr_assert_eq(t->bytes, 800000);
  cr_assert(t->is_output && v->is_output && !x->is_output);
  cr_assert_eq(x->role, HO_ROLE_INPUT);
  cr_assert_str_eq(x->memory, "hbm0");
  cr_assert_eq(v->root, 2);
  cr_assert_eq(ho_graph_op_dtype(g, 0), HO_FP32, "the output's, which is fp32 by default");
}

Test(graph_json, tensors_may_come_before_ops_and_zero_is_legal) {
  g_autoptr(ho_graph) g = read_well(
      "{\"tensors\":[{\"name\":\"t\",\"bytes\":0,\"producer\":\"A\",\"consumers\":[\"B\"]}],"
      "\"ops\":[{\"name\":\"A\",\"flops\":0,\"release\":0.0,\"time\":{\"d\":0}},{\"name\":\"B\",\"time\":{\"d\":0}}],"
      "\"format\":\"heteroopt-graph/1\"}");
  cr_assert_eq(g->n_edges, 1);
  cr_assert_eq(g->op[0].n_times, 1);
  cr_assert_eq(g->samples, 1);
}

Test(graph_json, brackets_in_names_confuse_nothing) {
  g_autoptr(ho_graph) g = read_well(HEAD "\"ops\":[{\"name\":\"a]}\\\"\"},{\"name\":\"[{\\\\\"}],\"tensors\":[]}");
  cr_assert_str_eq(g->op[0].name, "a]}\"");
  cr_assert_str_eq(g->op[1].name, "[{\\");
}

Test(graph_json, a_graph_without_a_name_has_its_files) {
  g_autoptr(ho_graph) g = read_well("{\"format\":\"heteroopt-graph/1\",\"ops\":[{\"name\":\"A\"}]}");
  cr_assert(g_str_has_prefix(g->name, "ho-graph-"));
  cr_assert_null(strchr(g->name, '.'));
}

/* ---- what is refused, and how ---------------------------------------------------------------------------------------- */

static const struct {
  const char *text, *message; /* a part of it */
} faults[] = {
    /* syntax: line and column */
    {"", "the file is empty"},
    {"[]", "the format is not known"},
    {"{", "1:2: not JSON"},
    {"{\"format\":\"heteroopt-graph/1\"", "1:30: not JSON: ',' or '}' was expected"},
    {HEAD "\n" AB ",\n}", "3:1: not JSON"},
    {HEAD AB "} x", "end of file was expected"},
    {HEAD "\"ops\":[{\"name\":\"A\"}", "has no end"},
    {HEAD "\"ops\":[{\"name\":\"A\"} {\"name\":\"B\"}]}", "',' or ']' was expected"},
    {HEAD "\"ops\":[{\"name\":\"A\"},]}", "not JSON"},
    {HEAD "\"ops\":[{\"name\":\"A\"}}}", "not JSON"},
    {HEAD "\"ops\":[{\"name\":\"A\",\n\"flops\":1e999}]}", "2:"},
    {HEAD "\"ops\":[{\"name\":\"A\",\"flops\":NaN}]}", "not JSON"},
    {HEAD AB ",\"name\":\"again\"}", "second time"},
    {HEAD AB "," AB "}", "second time"},
    {HEAD "\"ops\":[{\"name\":\"A\",\"name\":\"B\"}]}", "duplicate"},
    /* keys and types: the place */
    {"{\"format\":\"heteroopt-graph/2\"}", "expected \"heteroopt-graph/1\""},
    {"{\"name\":\"x\"}", "'format' is missing"},
    {HEAD "\"op\":[]}", "did you mean 'ops'"},
    {HEAD "\"ops\":{}}", "ops: found an object, expected an array"},
    {HEAD "\"ops\":[]}", "no ops"},
    {HEAD "\"ops\":[3]}", "ops[0]: found 3, expected an object"},
    {HEAD "\"ops\":[{}]}", "ops[0]: key 'name' is missing"},
    {HEAD "\"ops\":[{\"name\":7}]}", "ops[0].name: found 7, expected a string"},
    {HEAD "\"ops\":[{\"name\":\"\"}]}", "the name is empty"},
    {HEAD "\"ops\":[{\"name\":\"A\",\"flop\":1}]}", "ops[0].flop: key 'flop' is not known here (did you mean 'flops'?)"},
    {HEAD "\"ops\":[{\"name\":\"A\",\"flops\":-1}]}", "ops[0].flops: found -1"},
    {HEAD "\"ops\":[{\"name\":\"A\",\"read\":\"1\"}]}", "ops[0].read"},
    {HEAD "\"ops\":[{\"name\":\"A\",\"workspace\":0.5}]}", "ops[0].workspace: found 0.5, expected a whole number"},
    {HEAD "\"ops\":[{\"name\":\"A\",\"phase\":\"sideways\"}]}", "expected forward, backward or update"},
    {HEAD "\"ops\":[{\"name\":\"A\",\"unsplit\":[\"rows\",\"depth\"]}]}", "ops[0].unsplit[1]: expected rows, columns"},
    {HEAD "\"ops\":[{\"name\":\"A\",\"time\":{}}]}", "at least one device"},
    {HEAD "\"ops\":[{\"name\":\"A\",\"time\":[1]}]}", "ops[0].time: expected an object"},
    {HEAD "\"ops\":[{\"name\":\"A\",\"time\":{\"gpu\":-2}}]}", "ops[0].time.gpu: found -2"},
    {HEAD "\"ops\":[{\"name\":\"A\"},{\"name\":\"A\"}]}", "ops[1] 'A': ops[0] has this name already"},
    {HEAD AB ",\"period\":-1}", "period: found -1"},
    {HEAD AB ",\"samples\":0}", "samples is 0"},
    /* tensors */
    {HEAD AB ",\"tensors\":[{\"name\":\"t\"}]}", "tensors[0]: has no size"},
    {HEAD AB ",\"tensors\":[{\"name\":\"t\",\"bytes\":-1}]}", "tensors[0].bytes: found -1"},
    {HEAD AB ",\"tensors\":[{\"name\":\"t\",\"bytes\":1.5}]}", "tensors[0].bytes: found 1.5, expected a whole number"},
    {HEAD AB ",\"tensors\":[{\"name\":\"t\",\"bytes\":1e30}]}", "tensors[0].bytes: found 1e+30"},
    {HEAD AB ",\"tensors\":[{\"name\":\"t\",\"bytes\":9223372036854775808}]}", "too big"},
    {HEAD AB ",\"tensors\":[{\"name\":\"t\",\"bytes\":9223372036854775807}]}", "bytes together"},
    {HEAD AB ",\"tensors\":[{\"name\":\"t\",\"shape\":[4294967296,4294967296,4294967296]}]}", "larger than"},
    {HEAD AB ",\"tensors\":[{\"name\":\"t\",\"shape\":[2,-1]}]}", "tensors[0].shape[1]: expected a whole number"},
    {HEAD AB ",\"tensors\":[{\"name\":\"t\",\"shape\":[2,\"n\"]}]}", "tensors[0].shape[1]"},
    {HEAD AB ",\"tensors\":[{\"name\":\"t\",\"shape\":[2],\"bytes\":9}]}", "found 9, but shape and dtype make 8"},
    {HEAD AB ",\"tensors\":[{\"name\":\"t\",\"bytes\":4,\"dtype\":\"float99\"}]}", "tensors[0].dtype"},
    {HEAD AB ",\"tensors\":[{\"name\":\"t\",\"bytes\":4,\"producer\":\"Z\"}]}", "tensors[0].producer: no op is named 'Z'"},
    {HEAD AB ",\"tensors\":[{\"name\":\"t\",\"bytes\":4,\"consumers\":[\"A\",\"Z\"]}]}",
     "tensors[0].consumers[1]: no op is named 'Z'"},
    {HEAD AB ",\"tensors\":[{\"name\":\"t\",\"bytes\":4,\"consumers\":[1]}]}", "tensors[0].consumers[0]"},
    {HEAD AB ",\"tensors\":[{\"name\":\"t\",\"bytes\":4,\"alias\":\"nothing\"}]}",
     "tensors[0].alias: no tensor is named 'nothing'"},
    {HEAD AB ",\"tensors\":[{\"name\":\"t\",\"bytes\":4,\"alias\":\"t\"}]}", "alias of itself"},
    {HEAD AB ",\"tensors\":[{\"name\":\"t\",\"bytes\":4,\"role\":\"state\"}]}", "expected input or weight"},
    {HEAD AB ",\"tensors\":[{\"name\":\"t\",\"bytes\":4,\"role\":\"weight\",\"producer\":\"A\"}]}", "has no role"},
    {HEAD AB ",\"tensors\":[{\"name\":\"t\",\"bytes\":4,\"role\":\"weight\",\"memory\":\"m\"}]}", "only an input"},
    {HEAD AB ",\"tensors\":[{\"name\":\"t\",\"bytes\":4,\"output\":1}]}", "expected true or false"},
    {HEAD AB ",\"tensors\":[{\"name\":\"t\",\"bytes\":4,\"producer\":\"A\"},{\"name\":\"t\",\"bytes\":4,\"producer\":\"B\"}]}",
     "tensors[0] has this name already: a tensor is listed once, with one producer"},
    {HEAD AB ",\"tensors\":[{\"name\":\"t\",\"bytes\":4,\"producer\":\"A\",\"consumers\":[\"A\"]}]}", "'A' -> 'A'"},
};

Test(graph_json, every_fault_gets_one_line_that_says_what_and_where) {
  for (size_t i = 0; i < G_N_ELEMENTS(faults); i++) {
    g_autofree char *message = NULL;
    g_autoptr(ho_graph) g = graph_of_text(faults[i].text, &message);
    cr_expect_null(g, "%s was read", faults[i].text);
    if (!g) cr_expect_not_null(strstr(message, faults[i].message), "'%s' is not in:%s", faults[i].message, message);
  }
}

Test(graph_json, a_fault_of_a_text_is_told_under_its_name) {
  g_autoptr(GError) error = NULL;
  cr_assert_null(ho_graph_parse_json("a text", "{\"format\": \"heteroopt-graph/1\",\n \"ops\": [}", &error));
  cr_assert(g_str_has_prefix(error->message, "a text:2:"), "%s", error->message);
}

Test(graph_json, deep_nesting_is_an_error_and_no_overflow) {
  g_autoptr(GString) text = g_string_new(HEAD "\"ops\":[{\"name\":");
  for (int i = 0; i < 200000; i++) g_string_append_c(text, '[');
  for (int i = 0; i < 200000; i++) g_string_append_c(text, ']');
  g_string_append(text, "}]}");
  g_autofree char *message = NULL;
  g_autoptr(ho_graph) g = graph_of_text(text->str, &message);
  cr_assert_null(g);
  cr_assert_not_null(strstr(message, "not JSON"), "%s", message);
}

Test(graph_json, a_json_graph_has_nothing_to_bind) {
  const char *const name[] = {"seq"};
  const int64_t value[] = {128};
  ho_bindings bindings = {1, name, value};
  g_autoptr(GError) error = NULL;
  cr_assert_null(ho_graph_read_json("no-such-file.json", &bindings, &error));
  cr_assert_not_null(strstr(error->message, "'seq' cannot be bound"));
}

/* A key with an escape is not read by the quick way, which is otherwise taken for plain elements. */
Test(graph_json, plain_elements_are_read_as_all_others) {
  ho_stream s = ho_stream_small(7);
  const char *const specs[] = {"resnet18:mode=training", "layered:ops=200", NULL};
  for (int i = 0; i < 20; i++) {
    g_autoptr(ho_graph) g = i < 2 ? ho_graph_load(specs[i], NULL, NULL, NULL) : random_graph(&s, 12);
    g_autofree char *plain = text_of_graph(g), *why = NULL, *why_not = NULL;
    g_auto(GStrv) parts = g_strsplit(plain, "{\"name\"", -1);
    g_autofree char *odd = g_strjoinv("{\"n\\u0061me\"", parts);
    g_autoptr(ho_graph) a = graph_of_text(plain, &why), b = graph_of_text(odd, &why_not);
    cr_assert(a && b, "%s %s", why ? why : "", why_not ? why_not : "");
    cr_assert_str_eq(a->digest, g->digest);
    cr_assert_str_eq(b->digest, g->digest);
  }
}

Test(graph_json, what_is_almost_plain_is_refused_as_before) {
  const char *const bad[] = {"{\"name\":\"A\",\"flops\":01}",
                             "{\"name\":\"A\",\"flops\":1.}",
                             "{\"name\":\"A\",\"flops\":1e}",
                             "{\"name\":\"A\",\"flops\":-1}",
                             "{\"name\":\"A\",\"flops\":1e999}",
                             "{\"name\":\"A\",}",
                             "{\"name\":\"A\",\"name\":\"B\"}",
                             "{\"name\":\"A\" \"kind\":\"B\"}",
                             "{\"name\":\"A\",\"workspace\":1.5}",
                             "{\"name\":\"A\",\"flops\":\"1\"}",
                             "{\"name\":\"A\",\"nam\":\"B\"}",
                             "{\"name\":\"A\",\"\":\"B\"}",
                             "{\"name\":\"A\"}{\"name\":\"B\"}",
                             "{\"kind\":\"A\"}",
                             NULL};
  for (int i = 0; bad[i]; i++) {
    g_autofree char *text = g_strdup_printf("{\"format\":\"heteroopt-graph/1\",\"ops\":[%s]}", bad[i]), *message = NULL;
    g_autoptr(ho_graph) g = graph_of_text(text, &message);
    cr_assert_null(g, "%s", bad[i]);
  }
  const char *const tensors[] = {"\"bytes\":1,\"consumers\":[\"A\",]",
                                 "\"bytes\":1,\"consumers\":[\"B\"]",
                                 "\"shape\":[1,]",
                                 "\"shape\":[-1]",
                                 "\"bytes\":1,\"shape\":[9]",
                                 "\"bytes\":1,\"producer\":\"A\",\"role\":\"weight\"",
                                 "\"bytes\":1,\"dtype\":\"fp33\"",
                                 "\"bytes\":1,\"role\":\"weights\"",
                                 "\"bytes\":1e400",
                                 "\"consumers\":[\"A\"]",
                                 NULL};
  for (int i = 0; tensors[i]; i++) {
    g_autofree char *text = g_strdup_printf(
                        "{\"format\":\"heteroopt-graph/1\",\"ops\":[{\"name\":\"A\"}],\"tensors\":[{\"name\":\"t\",%s}]}",
                        tensors[i]),
                    *message = NULL;
    g_autoptr(ho_graph) g = graph_of_text(text, &message);
    cr_assert_null(g, "%s", tensors[i]);
  }
}
