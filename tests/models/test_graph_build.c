/* test_graph_build.c: what a finished graph guarantees, and what is refused. */
#include <criterion/criterion.h>
#include <string.h>

#include "graphs.h"
#include "models/graph_stats.h"

/* A graph of ops named by letters and one edge of `bytes` per pair of letters. */
static ho_graph_build *letters(const char *ops, const char *const *edges, int64_t bytes) {
  ho_graph_build *b = ho_graph_build_new("letters", "letters");
  for (; *ops; ops++) {
    char name[2] = {*ops, '\0'};
    ho_op_info op = ho_op_info_init(name, "relu");
    ho_graph_build_op(b, &op);
  }
  for (; *edges; edges++) {
    char from[2] = {(*edges)[0], '\0'}, to[2] = {(*edges)[1], '\0'};
    ho_tensor t = ho_graph_build_tensor(b, *edges, HO_FP32, -1, NULL, bytes, HO_ROLE_NONE, ho_graph_build_find_op(b, from));
    ho_graph_build_consume(b, t, ho_graph_build_find_op(b, to));
  }
  return b;
}

static void expect_failure(ho_graph_build *b, const char *part) {
  g_autoptr(GError) error = NULL;
  ho_graph *g = ho_graph_build_finish(b, &error);
  cr_assert_null(g);
  cr_assert_not_null(strstr(error->message, part), "'%s' is not in: %s", part, error->message);
  cr_assert(g_str_has_prefix(error->message, "letters: "), "%s", error->message);
}

static ho_graph *finish(ho_graph_build *b) {
  GError *error = NULL;
  ho_graph *g = ho_graph_build_finish(b, &error);
  cr_assert_not_null(g, "%s", error ? error->message : "");
  return g;
}

/* ---- guarantees ------------------------------------------------------------------------------------------------------ */

Test(graph, the_order_respects_every_edge_and_has_every_op_once) {
  ho_stream s = ho_stream_small(11);
  for (int round = 0; round < 50; round++) {
    g_autoptr(ho_graph) g = random_graph(&s, 1 + (int32_t)ho_stream_below(&s, 60));
    g_autofree int32_t *position = g_new(int32_t, g->n_ops);
    for (int32_t i = 0; i < g->n_ops; i++) position[i] = -1;
    for (int32_t i = 0; i < g->n_ops; i++) {
      cr_assert_eq(position[g->topo[i]], -1);
      position[g->topo[i]] = i;
    }
    for (ho_tensor t = 0; t < g->n_tensors; t++)
      for (int32_t i = g->use_start[t]; i < g->use_start[t + 1] && g->tensor[t].producer >= 0; i++)
        cr_assert_lt(position[g->tensor[t].producer], position[g->use[i]]);
  }
}

Test(graph, of_the_ready_ops_the_lowest_comes_first) {
  const char *const edges[] = {"dA", "cB", "AE", NULL}; /* A waits for d, B for c */
  g_autoptr(ho_graph) g = finish(letters("ABcdE", edges, 4));
  const ho_op expected[] = {2, 1, 3, 0, 4}; /* c B d A E */
  cr_assert_arr_eq(g->topo, expected, sizeof expected);
}

Test(graph, rows_of_inputs_outputs_and_uses_tell_the_same_story) {
  ho_stream s = ho_stream_small(12);
  for (int round = 0; round < 50; round++) {
    g_autoptr(ho_graph) g = random_graph(&s, 40);
    int32_t edges = 0, uses = 0, outputs = 0;
    for (ho_op o = 0; o < g->n_ops; o++) {
      for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++) {
        ho_tensor t = g->in[i];
        if (i > g->in_start[o]) cr_assert_lt(g->in[i - 1], t, "inputs are in increasing order, each once");
        edges += g->tensor[t].producer >= 0;
        int32_t found = 0;
        for (int32_t j = g->use_start[t]; j < g->use_start[t + 1]; j++) found += g->use[j] == o;
        cr_assert_eq(found, 1);
        uses++;
      }
      for (int32_t i = g->out_start[o]; i < g->out_start[o + 1]; i++, outputs++) cr_assert_eq(g->tensor[g->out[i]].producer, o);
    }
    cr_assert_eq(edges, g->n_edges);
    cr_assert_eq(uses, g->use_start[g->n_tensors]);
    for (ho_tensor t = 0; t < g->n_tensors; t++) outputs -= g->tensor[t].producer >= 0;
    cr_assert_eq(outputs, 0);
  }
}

Test(graph, every_name_finds_its_index_and_no_other_does) {
  ho_stream s = ho_stream_small(13);
  g_autoptr(ho_graph) g = random_graph(&s, 100);
  for (ho_op o = 0; o < g->n_ops; o++) cr_assert_eq(ho_graph_find_op(g, g->op[o].name), o);
  for (ho_tensor t = 0; t < g->n_tensors; t++) cr_assert_eq(ho_graph_find_tensor(g, g->tensor[t].name), t);
  cr_assert_eq(ho_graph_find_op(g, "op100"), -1);
  cr_assert_eq(ho_graph_find_tensor(g, ""), -1);
}

Test(graph, traffic_defaults_to_the_tensors_weights_included) {
  ho_graph_build *b = letters("AB", (const char *const[]){"AB", NULL}, 100);
  int64_t shape[] = {3, 5};
  ho_graph_build_consume(b, ho_graph_build_tensor(b, "w", HO_FP16, 2, shape, 0, HO_ROLE_WEIGHT, -1), 1);
  ho_graph_build_tensor(b, "y", HO_FP32, 2, shape, 0, HO_ROLE_NONE, 1);
  g_autoptr(ho_graph) g = finish(b);
  cr_assert_eq(g->op[0].read, 0);
  cr_assert_eq(g->op[0].write, 100);
  cr_assert_eq(g->op[1].read, 100 + 30);
  cr_assert_eq(g->op[1].write, 60);
}

Test(graph, naming_a_tensor_twice_is_reading_it_once) {
  ho_graph_build *b = letters("AB", (const char *const[]){"AB", NULL}, 8);
  ho_graph_build_consume(b, 0, 1);
  ho_graph_build_consume(b, 0, 1);
  g_autoptr(ho_graph) g = finish(b);
  cr_assert_eq(g->n_edges, 1);
  cr_assert_eq(g->op[1].read, 8);
}

Test(graph, outputs_are_what_nobody_reads_or_what_is_declared) {
  ho_graph_build *b = letters("ABC", (const char *const[]){"AB", "BC", NULL}, 8);
  ho_graph_build_tensor(b, "end", HO_FP32, -1, NULL, 8, HO_ROLE_NONE, 2);
  ho_graph_build_tensor(b, "unused", HO_FP32, -1, NULL, 8, HO_ROLE_WEIGHT, -1);
  ho_graph_build_output(b, 1);
  g_autoptr(ho_graph) g = finish(b);
  const int expected[] = {0, 1, 1, 0};
  for (ho_tensor t = 0; t < 4; t++) cr_assert_eq(g->tensor[t].is_output, expected[t], "%s", g->tensor[t].name);
}

Test(graph, an_alias_of_an_alias_has_the_first_ones_root) {
  ho_graph_build *b = letters("ABCD", (const char *const[]){"AB", "BC", "CD", NULL}, 8);
  ho_tensor w = ho_graph_build_tensor(b, "w", HO_FP32, -1, NULL, 8, HO_ROLE_WEIGHT, -1);
  ho_graph_build_alias(b, 0, 1); /* forward in the list of tensors */
  ho_graph_build_alias(b, 1, w);
  ho_graph_build_alias(b, 2, 0);
  g_autoptr(ho_graph) g = finish(b);
  for (ho_tensor t = 0; t < 4; t++) cr_assert_eq(g->tensor[t].root, w);
  cr_assert_eq(g->n_edges, 3, "aliases order nothing");
}

Test(graph, time_tables_are_in_alphabetical_order_of_devices) {
  ho_graph_build *b = letters("AB", (const char *const[]){"AB", NULL}, 8);
  ho_graph_build_time(b, 0, "npu", 3);
  ho_graph_build_time(b, 0, "cpu", 1);
  ho_graph_build_time(b, 0, "gpu", 2);
  ho_graph_build_time_table(b, 1);
  g_autoptr(ho_graph) g = finish(b);
  cr_assert_eq(g->op[0].n_times, 3);
  for (int32_t i = 0; i < 3; i++) cr_assert_eq(g->op[0].times[i].seconds, i + 1);
  cr_assert_str_eq(g->time_devices[g->op[0].times[0].device], "cpu");
  cr_assert_eq(g->op[1].n_times, 0, "an empty table is a table");
}

Test(graph, precision_scales_what_is_a_precision_and_rounds_up) {
  int64_t shape[] = {3, 3};
  ho_tensor_info t = {.bytes = 36, .dtype = HO_FP32, .rank = 2, .shape = shape};
  cr_assert_eq(ho_tensor_bytes(&t, HO_FP32), 36);
  cr_assert_eq(ho_tensor_bytes(&t, HO_FP64), 72);
  cr_assert_eq(ho_tensor_bytes(&t, HO_FP16), 18);
  cr_assert_eq(ho_tensor_bytes(&t, HO_INT4), 5);
  t.rank = -1;
  cr_assert_eq(ho_tensor_bytes(&t, HO_INT4), 5);
  cr_assert_eq(ho_tensor_bytes(&t, HO_FP64), 72);
  t.dtype = HO_INT64;
  cr_assert_eq(ho_tensor_bytes(&t, HO_FP16), 36, "integers are data");
}

Test(graph, sizes_of_shapes_never_overflow) {
  int64_t shape[] = {INT64_MAX, INT64_MAX, 0};
  cr_assert_eq(ho_graph_shape_bytes(HO_FP64, 2, shape), -1);
  cr_assert_eq(ho_graph_shape_bytes(HO_FP64, 3, shape), 0);
  shape[0] = HO_GRAPH_MAX_BYTES;
  cr_assert_eq(ho_graph_shape_bytes(HO_UINT8, 1, shape), HO_GRAPH_MAX_BYTES);
  cr_assert_eq(ho_graph_shape_bytes(HO_UINT16, 1, shape), -1);
  cr_assert_eq(ho_graph_shape_bytes(HO_INT4, 1, shape), HO_GRAPH_MAX_BYTES / 2);
  shape[0] = -1;
  cr_assert_eq(ho_graph_shape_bytes(HO_FP32, 3, shape), -1);
  cr_assert_eq(ho_graph_shape_bytes(HO_FP32, 0, NULL), 4, "a scalar");
}

Test(graph, names_that_are_not_utf_8_are_repaired) {
  ho_graph_build *b = letters("A", (const char *const[]){NULL}, 0);
  ho_op_info op = ho_op_info_init("caf\xe9", "k\xff");
  ho_graph_build_op(b, &op);
  g_autoptr(ho_graph) g = finish(b);
  cr_assert(g_utf8_validate(g->op[1].name, -1, NULL));
  cr_assert(g_utf8_validate(g->op[1].kind, -1, NULL));
}

Test(graph, an_empty_shape_stays_empty_however_large_its_other_dimensions) {
  ho_graph_build *b = letters("A", (const char *const[]){NULL}, 0);
  const int64_t shape[] = {INT64_MAX, INT64_MAX, 0};
  ho_graph_build_consume(b, ho_graph_build_tensor(b, "w", HO_FP32, 3, shape, 0, HO_ROLE_WEIGHT, -1), 0);
  g_autoptr(ho_graph) g = finish(b);
  cr_assert_eq(ho_tensor_bytes(&g->tensor[0], HO_FP64), 0);
  g_autoptr(ho_graph_stats) s = ho_graph_stats_new(g);
  cr_assert_eq(s->parameters, 0);
}

/* ---- the digest ------------------------------------------------------------------------------------------------------ */

Test(graph, the_digest_sees_content_and_neither_name_nor_source) {
  const char *const edges[] = {"AB", NULL};
  g_autoptr(ho_graph) g = finish(letters("AB", edges, 8));
  ho_graph_build *b = ho_graph_build_new("another name", "another source");
  for (int i = 0; i < 2; i++) {
    ho_op_info op = ho_op_info_init(i ? "B" : "A", "relu");
    ho_graph_build_op(b, &op);
  }
  ho_graph_build_consume(b, ho_graph_build_tensor(b, "AB", HO_FP32, -1, NULL, 8, HO_ROLE_NONE, 0), 1);
  g_autoptr(ho_graph) same = finish(b);
  cr_assert_str_eq(g->digest, same->digest);
  g_autoptr(ho_graph) larger = finish(letters("AB", edges, 9));
  cr_assert_str_neq(g->digest, larger->digest);
  g_autoptr(ho_graph) turned = finish(letters("BA", edges, 8));
  cr_assert_str_neq(g->digest, turned->digest, "the order of ops matters");
}

/* ---- what is refused ------------------------------------------------------------------------------------------------- */

Test(graph, the_ops_on_a_cycle_are_named_in_the_order_of_its_edges) {
  expect_failure(letters("xABCy", (const char *const[]){"xA", "AB", "BC", "CA", "Cy", NULL}, 4), "'A' -> 'B' -> 'C' -> 'A'");
  expect_failure(letters("A", (const char *const[]){"AA", NULL}, 4), "'A' -> 'A'");
  expect_failure(letters("yzAB", (const char *const[]){"AB", "BA", "By", "yz", NULL}, 4), "'B' -> 'A' -> 'B'");
}

Test(graph, a_long_cycle_is_cut_short) {
  ho_graph_build *b = letters("", (const char *const[]){NULL}, 0);
  for (int i = 0; i < 1000; i++) {
    char name[8];
    g_snprintf(name, sizeof name, "n%d", i);
    ho_op_info op = ho_op_info_init(name, "relu");
    ho_graph_build_op(b, &op);
  }
  for (int i = 0; i < 1000; i++) {
    char name[8];
    g_snprintf(name, sizeof name, "t%d", i);
    ho_graph_build_consume(b, ho_graph_build_tensor(b, name, HO_FP32, -1, NULL, 1, HO_ROLE_NONE, i), (i + 1) % 1000);
  }
  expect_failure(b, "(988 more)");
}

Test(graph, names_are_given_once) {
  expect_failure(letters("ABA", (const char *const[]){NULL}, 4), "ops[2] 'A': ops[0] has this name already");
  expect_failure(letters("AB", (const char *const[]){"AB", "AB", NULL}, 4), "tensors[1] 'AB': tensors[0] has this name already");
}

Test(graph, quantities_are_finite_and_not_negative) {
  static const double bad[] = {-1, INFINITY, -INFINITY};
  for (size_t i = 0; i < G_N_ELEMENTS(bad); i++)
    for (int field = 0; field < 6; field++) {
      ho_graph_build *b = letters("A", (const char *const[]){NULL}, 4);
      ho_op_info op = ho_op_info_init("B", "relu");
      *(field == 0   ? &op.flops
        : field == 1 ? &op.read
        : field == 2 ? &op.write
        : field == 3 ? &op.parallelism
        : field == 4 ? &op.sensitivity
                     : &op.release) = bad[i];
      ho_graph_build_op(b, &op);
      expect_failure(b, "ops[1] 'B'");
    }
  ho_graph_build *b = letters("A", (const char *const[]){NULL}, 4);
  ho_graph_build_time(b, 0, "cpu", NAN);
  expect_failure(b, "time on 'cpu'");
  b = letters("A", (const char *const[]){NULL}, 4);
  ho_graph_build_set(b, -1, 1);
  expect_failure(b, "period");
  b = letters("A", (const char *const[]){NULL}, 4);
  ho_graph_build_set(b, 0, 0);
  expect_failure(b, "samples");
}

Test(graph, sizes_are_bounded_one_by_one_and_together) {
  expect_failure(letters("AB", (const char *const[]){"AB", NULL}, -1), "tensors[0] 'AB': bytes is -1");
  expect_failure(letters("ABC", (const char *const[]){"AB", "AC", NULL}, HO_GRAPH_MAX_BYTES / 2 + 1), "together");
  expect_failure(letters("AB", (const char *const[]){"AB", NULL}, INT64_MAX), "together");
}

Test(graph, an_alias_that_leads_to_itself_is_refused) {
  ho_graph_build *b = letters("ABC", (const char *const[]){"AB", "BC", NULL}, 8);
  ho_graph_build_alias(b, 0, 1);
  ho_graph_build_alias(b, 1, 0);
  expect_failure(b, "alias of itself");
}

Test(graph, only_an_input_lies_in_a_memory) {
  ho_graph_build *b = letters("AB", (const char *const[]){"AB", NULL}, 8);
  ho_graph_build_memory(b, 0, "host");
  expect_failure(b, "only an input");
}

Test(graph, a_graph_has_at_least_one_op) {
  expect_failure(letters("", (const char *const[]){NULL}, 0), "has no ops");
}
