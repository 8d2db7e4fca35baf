/* test_samples.c: every reader on a small file whose contents can be counted by hand, and on what is wrong with such files. */
#include <criterion/criterion.h>
#include <string.h>

#include "files.h"

static const char *const gpus[] = {"gpu0", "gpu1", NULL};

/* ---- WfCommons ------------------------------------------------------------------------------------------------------- */

static void expect_three_tasks(const char *name) {
  g_autoptr(ho_graph) g = read_sample(name);
  cr_assert_eq(g->n_ops, 3);
  cr_assert_eq(g->n_edges, 4, "f to b and c, g to c, and b before c");
  cr_assert_eq(g->op[0].flops, 1.5e9);
  cr_assert_eq(g->op[0].workspace, 1000);
  cr_assert_str_eq(g->op[0].kind, "split");
  cr_assert_eq(bytes_of(g, "f"), 4096);
  cr_assert_eq(bytes_of(g, "b>c"), 0);
  cr_assert_eq(g->tensor[ho_graph_find_tensor(g, "in")].role, HO_ROLE_INPUT);
  cr_assert(g->tensor[ho_graph_find_tensor(g, "out")].is_output);
}

Test(wfcommons, both_layouts_say_the_same) {
  expect_three_tasks("wfcommons-1.5.json");
  expect_three_tasks("wfcommons-1.4.json");
}

Test(wfcommons, run_times_are_those_of_the_devices_named) {
  g_autofree char *path = sample_path("wfcommons-1.5.json");
  g_autoptr(ho_graph) g = read_file(path, NULL, gpus);
  cr_assert_eq(time_on(g, "a", "gpu1"), 1.5);
  cr_assert_eq(g->op[0].flops, 0);
}

#define TASKS(tasks) "{\"schemaVersion\":\"1.5\",\"workflow\":{\"specification\":{\"files\":[],\"tasks\":[" tasks "]}}}"

Test(wfcommons, what_contradicts_itself_is_refused) {
  expect_refused(TASKS("{\"id\":\"a\",\"children\":[\"b\"],\"parents\":[]},{\"id\":\"b\",\"children\":[],\"parents\":[]}"),
                 ".json", "'a' and 'b' disagree");
  expect_refused(TASKS("{\"id\":\"a\",\"children\":[\"c\"]}"), ".json", "tasks[0] 'a': children[0]: no task has the id 'c'");
  expect_refused(TASKS("{\"id\":\"a\"},{\"id\":\"a\"}"), ".json", "ids must differ");
  expect_refused(TASKS("{\"id\":\"a\",\"parents\":[\"b\"]},{\"id\":\"b\",\"parents\":[\"a\"]}"), ".json", "cycle");
  expect_refused(TASKS("{\"id\":\"a\",\"inputFiles\":[\"f\"]}"), ".json", "does not list 'f'");
  expect_refused("{\"schemaVersion\":\"2.0\",\"workflow\":{}}", ".json", "expected 1.3, 1.4, 1.5 or 1.6");
  expect_refused("{\"schemaVersion\":\"1.4\",\"workflow\":{\"tasks\":[{\"name\":\"a\",\"runtime\":-1}]}}", ".json", "runtime");
  expect_refused(
      "{\"schemaVersion\":\"1.5\",\"workflow\":{\"specification\":{\"tasks\":[{\"id\":\"a\"}]},"
      "\"execution\":{\"tasks\":[{\"id\":\"z\"}]}}}",
      ".json", "has the id 'z'");
  expect_refused(TASKS(""), ".json", "no ops");
}

/* ---- STG ------------------------------------------------------------------------------------------------------------- */

Test(stg, a_plain_file_has_times_and_predecessors) {
  g_autoptr(ho_graph) g = read_sample("plain.stg");
  cr_assert_eq(g->n_ops, 6);
  cr_assert_eq(g->n_edges, 7);
  cr_assert_eq(g->op[4].flops, 6e9);
  cr_assert(has_edge(g, "n2", "n4") && has_edge(g, "n4", "n5") && !has_edge(g, "n1", "n4"));
  cr_assert_eq(bytes_made(g), 0);
}

Test(stg, communication_costs_are_found_without_being_told) {
  g_autoptr(ho_graph) g = read_sample("costs.stg");
  cr_assert_eq(g->n_ops, 5);
  cr_assert_eq(bytes_of(g, "n1>n3"), 5000000000);
  cr_assert_eq(bytes_of(g, "n2>n3"), 250000000);
  cr_assert_not_null(strstr(g->note, "with communication costs"));
}

Test(stg, a_fault_is_named_with_its_line) {
  expect_refused("1\n0 0 0\n1 4 1 0\n2 0 1 7\n", ".stg", "4: the predecessor is '7': expected a whole number from 0 to 2");
  expect_refused("1\n0 0 0\n1 nan 1 0\n2 0 1 1\n", ".stg", "3: the processing time is 'nan'");
  expect_refused("1\n0 0 0\n1 -4 1 0\n2 0 1 1\n", ".stg", "3: the processing time is '-4'");
  expect_refused("1\n0 0 0\n1 4 1 0\n1 0 1 1\n", ".stg", "4: task 1 where task 2 was expected");
  expect_refused("1\n0 0 0\n1 4 2 0 0\n2 0 1 1\n", ".stg", "predecessor 0 is named twice");
  expect_refused("2\n0 0 1 1\n1 4 1 0\n2 1 1 0\n3 0 1 2\n", ".stg", "cycle");
  expect_refused("1\n0 0 0\n1 4 1 0\n2 0 1 1 9 9\n", ".stg", "more numbers after the last");
  expect_refused("2000000000\n0 0 0\n", ".stg", "do not fit into the file");
  expect_refused("# nothing\n", ".stg", "the number of tasks is 'nothing'");
}

/* ---- TGFF ------------------------------------------------------------------------------------------------------------ */

Test(tgff, types_are_looked_up_in_the_tables) {
  g_autoptr(ho_graph) g = read_sample("two.tgff");
  cr_assert_eq(g->n_ops, 5);
  cr_assert_eq(g->n_edges, 3);
  cr_assert_eq(time_on(g, "t0_0", "PE0"), 7.5);
  cr_assert_eq(time_on(g, "t0_0", "PE1"), -1, "not valid there");
  cr_assert_eq(time_on(g, "t0_2", "PE1"), 6, "the faster of two versions");
  cr_assert_eq(time_on(g, "t1_1", "PE1"), 12);
  cr_assert_eq(bytes_of(g, "a0_1"), 13, "rounded up");
  cr_assert_eq(g->period, 0, "the periods differ");
}

Test(tgff, one_graph_of_several_can_be_taken) {
  const char *const second[] = {"graph=1", NULL};
  g_autofree char *path = sample_path("two.tgff");
  g_autoptr(ho_graph) g = read_file(path, second, NULL);
  cr_assert_eq(g->n_ops, 2);
  cr_assert_eq(g->period, 600);
}

#define GRAPH(lines) "@TASK_GRAPH 0 {\n" lines "}\n"

Test(tgff, a_fault_is_named_with_its_line) {
  expect_refused(GRAPH("TASK a TYPE 0\nARC x FROM a TO b TYPE 0\n"), ".tgff", "3: TO is 'b': no task further up");
  expect_refused(GRAPH("TASK a TYPE 0\nTASK a TYPE 0\n"), ".tgff", "3: task 'a' is here a second time");
  expect_refused(GRAPH("TASK a TYPE x\n"), ".tgff", "2: TYPE is 'x'");
  expect_refused(GRAPH("TASK a TYPE 0\nTASK b TYPE 0\nARC x FROM a TO b TYPE 0\nARC y FROM b TO a TYPE 0\n"), ".tgff", "cycle");
  expect_refused(GRAPH("PERIOD -3\n"), ".tgff", "2: PERIOD is '-3'");
  expect_refused(GRAPH("NODE a\n"), ".tgff", "2: 'NODE': expected PERIOD");
  expect_refused("@TASK_GRAPH 0 {\nTASK a TYPE 0\n", ".tgff", "1: the block that begins here has no end");
  expect_refused(GRAPH("TASK a TYPE 0\n") "@PE 0 {\n# type exec_time\n0 nan\n}\n", ".tgff", "6: exec_time is 'nan'");
  expect_refused(GRAPH("TASK a TYPE 0\n") "@PE 0 {\n# type exec_time\n0 1 2\n}\n", ".tgff", "6: 3 values below 2 columns");
  expect_refused("@HYPERPERIOD 3\n", ".tgff", "there is no @TASK_GRAPH");
}

/* ---- DAX ------------------------------------------------------------------------------------------------------------- */

Test(dax, five_jobs_hand_each_other_files) {
  g_autoptr(ho_graph) g = read_sample("five.dax");
  cr_assert_str_eq(g->name, "five");
  cr_assert_eq(g->n_ops, 5);
  cr_assert_eq(g->n_edges, 6, "three pieces, two results, and ID04 before ID05");
  cr_assert_eq(g->op[2].flops, 12e9);
  cr_assert_str_eq(g->op[2].kind, "work");
  cr_assert_eq(bytes_made(g), 3000 + 50 + 60 + 110);
  cr_assert(has_edge(g, "ID04", "ID05"));
  cr_assert_eq(g->tensor[ho_graph_find_tensor(g, "whole")].role, HO_ROLE_INPUT);
}

#define DAX(elements) "<adag>\n" elements "</adag>"

Test(dax, a_fault_is_named_with_its_line) {
  expect_refused(DAX("<job id='a'/><child ref='b'/>\n"), ".dax", "2: child: ref is 'b': no job");
  expect_refused(DAX("<job id='a'/>\n<job id='a'/>\n"), ".dax", "3: a second job has the id 'a'");
  expect_refused(DAX("<job id='a' runtime='-1'/>\n"), ".dax", "2: runtime is '-1'");
  expect_refused(DAX("<job id='a' runtime='nan'/>\n"), ".dax", "2: runtime is 'nan'");
  expect_refused(DAX("<job id='a'><uses file='f' link='sideways'/></job>\n"), ".dax", "2: link is 'sideways'");
  expect_refused(
      DAX("<job id='a'/><job id='b'/><child ref='a'><parent ref='b'/></child><child ref='b'><parent ref='a'/></child>\n"), ".dax",
      "cycle");
  expect_refused("<adag><job id='a'>", ".dax", "1: not XML");
  expect_refused("<html><adag/></html>", ".dax", "expected a Pegasus DAX");
}

/* ---- dnn-partitioning ------------------------------------------------------------------------------------------------ */

Test(partitioning, times_are_those_of_the_platform_in_the_file) {
  g_autoptr(ho_graph) g = read_sample("partitioning.json");
  cr_assert_eq(g->n_ops, 3);
  cr_assert_eq(g->n_edges, 3);
  cr_assert_eq(time_on(g, "MatMul1", "cpu0"), 8e-3);
  cr_assert_eq(time_on(g, "MatMul1", "fpga1"), 0.5e-3);
  cr_assert_eq(time_on(g, "Add2", "fpga0"), -1, "not supported there");
  cr_assert_eq(time_on(g, "MatMul1", "cpu1"), -1);
  cr_assert_eq(g->op[2].phase, HO_PHASE_BACKWARD);
  cr_assert_str_eq(g->op[0].layer, "class 1", "a colour class is a layer");
  cr_assert_str_eq(g->op[2].layer, "class 1");
  cr_assert_null(g->op[1].layer);
  cr_assert_eq(bytes_of(g, "MatMul1.weight"), 4000);
  cr_assert_eq(bytes_made(g), 1073742 + 4194304, "one tensor for two edges of a size; 1.953125 ms at 2 GiB/s");
}

#define NODE(id) "{\"id\":" id ",\"cpuLatency\":1,\"fpgaLatency\":1}"
#define NET(nodes, edges) "{\"maxFPGAs\":1,\"nodes\":[" nodes "],\"edges\":[" edges "]}"
#define EDGE(from, to) "{\"sourceId\":" from ",\"destId\":" to ",\"cost\":1}"

Test(partitioning, a_fault_is_named_with_its_place) {
  expect_refused(NET(NODE("1"), EDGE("1", "2")), ".json", "edges[0].destId: no node has the id 2");
  expect_refused(NET(NODE("1") "," NODE("1"), ""), ".json", "nodes[1].id: 1 is further up already");
  expect_refused(NET(NODE("1") "," NODE("2"), EDGE("1", "2") "," EDGE("2", "1")), ".json", "cycle");
  expect_refused(NET(NODE("1") "," NODE("2"), EDGE("1", "2") "," EDGE("1", "2")), ".json",
                 "edges[1]: an edge between these nodes");
  expect_refused("{\"maxFPGAs\":1,\"nodes\":[{\"id\":1,\"cpuLatency\":-1,\"fpgaLatency\":1}],\"edges\":[]}", ".json",
                 "cpuLatency");
  expect_refused("{\"maxFPGAs\":100000,\"nodes\":[],\"edges\":[]}", ".json", "maxFPGAs: found 100000");
}

/* ---- PipeDream ------------------------------------------------------------------------------------------------------- */

Test(pipedream, a_layer_is_a_forward_and_a_backward_op) {
  g_autoptr(ho_graph) g = read_sample("three.graph.txt");
  cr_assert_eq(g->n_ops, 6);
  cr_assert_eq(time_on(g, "node2", "gpu0"), 1.5e-3);
  cr_assert_eq(time_on(g, "node2.grad", "gpu0"), 2.25e-3);
  cr_assert_str_eq(g->op[1].kind, "conv");
  cr_assert_eq(bytes_of(g, "node2:0"), 5120, "the sum of a list of sizes");
  cr_assert_eq(bytes_of(g, "node2.weight"), 864);
  cr_assert(has_edge(g, "node3", "node3.grad") && has_edge(g, "node3.grad", "node2.grad") && has_edge(g, "node2", "node3.grad"));
}

Test(pipedream, the_backward_passes_can_be_left_out_and_the_device_named) {
  const char *const forward[] = {"backward=0", NULL};
  g_autofree char *path = sample_path("three.graph.txt");
  g_autoptr(ho_graph) g = read_file(path, forward, gpus);
  cr_assert_eq(g->n_ops, 3);
  cr_assert_eq(g->n_edges, 2);
  cr_assert_eq(time_on(g, "node3", "gpu1"), 0.25e-3);
}

#define LAYER(name) name " -- ReLU() -- forward_compute_time=1, backward_compute_time=1, activation_size=8, parameter_size=0\n"

Test(pipedream, a_fault_is_named_with_its_line) {
  expect_refused(LAYER("a") LAYER("a"), ".txt", "2: node 'a' is here a second time");
  expect_refused(LAYER("a") "\ta -- b\n", ".txt", "2: no node further up is called 'b'");
  expect_refused(LAYER("a") LAYER("b") "\ta -- b\n\tb -- a\n", ".txt", "cycle");
  expect_refused(LAYER("a") LAYER("b") "\ta -- b\n\ta -- b\n", ".txt", "4: this edge is here a second time");
  expect_refused("a -- X -- forward_compute_time=nan, backward_compute_time=1, activation_size=8, parameter_size=0\n", ".txt",
                 "1: forward_compute_time is 'nan'");
  expect_refused("a -- X -- forward_compute_time=1, backward_compute_time=1, activation_size=8\n", ".txt",
                 "1: parameter_size is missing");
  expect_refused("a -- X -- forward_compute_time=1, backward_compute_time=1, activation_size=[8; 9, parameter_size=1\n", ".txt",
                 "a list without its ']'");
}

/* ---- DOT ------------------------------------------------------------------------------------------------------------- */

Test(dot, sizes_are_flop_and_bytes_as_simgrid_has_it) {
  g_autoptr(ho_graph) g = read_sample("simgrid.dot");
  cr_assert_str_eq(g->name, "six");
  cr_assert_eq(g->n_ops, 6, "root is a task although only an edge names it");
  cr_assert_eq(g->n_edges, 6);
  cr_assert_eq(g->op[ho_graph_find_op(g, "left")].flops, 1.5e9);
  cr_assert_eq(bytes_of(g, "load>right"), 2049, "rounded up");
  cr_assert_eq(bytes_made(g), 1000000 + 4096 + 2049, "negative, zero and missing sizes only order");
}

static void expect_dot(const char *text, int32_t ops, int32_t edges, double flops, int64_t bytes) {
  g_autofree char *message = NULL;
  g_autoptr(ho_graph) g = read_bytes(text, strlen(text), ".dot", &message);
  cr_assert_not_null(g, "%s: %s", text, message);
  double sum = 0;
  for (ho_op o = 0; o < g->n_ops; o++) sum += g->op[o].flops;
  cr_assert(g->n_ops == ops && g->n_edges == edges, "%s: %d ops, %d edges", text, g->n_ops, g->n_edges);
  cr_assert(sum == flops && bytes_made(g) == bytes, "%s: %g FLOP, %d bytes", text, sum, (int)bytes_made(g));
}

Test(dot, the_whole_language_is_read) {
  expect_dot("digraph { a -> b -> c [size=3] }", 3, 2, 0, 6);
  expect_dot("DiGraph \"a b\" { node [size=2]; edge [size=5] a; b [size=7]; a -> b; rankdir=LR; graph [x=y] }", 2, 1, 9, 5);
  expect_dot("strict digraph { a -> b [size=1]; a -> b [size=1] }", 2, 1, 0, 1);
  expect_dot("digraph { a -> b [size=1]; a -> b [size=1] }", 2, 2, 0, 2);
  expect_dot("digraph { a -> {b c; d} -> e:n [size=1] }", 5, 6, 0, 6);
  expect_dot("digraph { subgraph x { node [size=4] a b } c; a:p:ne -> c }", 3, 1, 8, 0);
  expect_dot("digraph { \"a\" + \"b\" [label=<<b>x</b>>, size=1]; ab -> 1.5 -> -2 -> \"\\\"q\\\"\" }", 4, 3, 1, 0);
  expect_dot("/* x */ // y\n# z\ndigraph { a /* -> b */ [weight=3] b [weight=1] // c\n a -> b [cost=9] }", 2, 1, 4, 9);
  expect_dot("digraph { a [label=3] b [label=\"two\"] a -> b [label=\"12\"] }", 2, 1, 3, 12);
  expect_dot("digraph { \"digraph\" [size=1e+3]; \"node\" -> \"digraph\" }", 2, 1, 1000, 0);
}

Test(dot, a_fault_is_named_with_its_line) {
  expect_refused("graph { a -- b }", ".dot", "1: an undirected graph");
  expect_refused("digraph {\n a -- b }", ".dot", "2: -- joins nodes of undirected graphs");
  expect_refused("digraph {\n a -> b", ".dot", "no end");
  expect_refused("digraph {\n a [size=\"x\"] }", ".dot", "2: size is 'x'");
  expect_refused("digraph {\n a [size=-1] }", ".dot", "2: size is '-1'");
  expect_refused("digraph {\n a [size=nan] }", ".dot", "2: size is 'nan'");
  expect_refused("digraph { a -> b;\n b -> a [size=inf] }", ".dot", "2: size is 'inf'");
  expect_refused("digraph { a -> b;\n b -> a }", ".dot", "cycle");
  expect_refused("digraph { a -> a }", ".dot", "cycle");
  expect_refused("digraph {\n \"a }", ".dot", "2: the string that begins here has no end");
  expect_refused("digraph { a ->\n }", ".dot", "2: expected a node");
  expect_refused("digraph { a }\n b", ".dot", "2: more text after the end");
  expect_refused("digraph { } ", ".dot", "no ops");
  expect_refused("digraph { a [size=1e30] a -> b [size=1e30] }", ".dot", "is more than");
  g_autoptr(GString) deep = g_string_new("digraph {");
  for (int i = 0; i < 100000; i++) g_string_append_c(deep, '{');
  expect_refused(deep->str, ".dot", "nested more than 100 deep");
}

/* ---- Chakra ---------------------------------------------------------------------------------------------------------- */

Test(chakra, four_nodes_in_any_order) {
  g_autoptr(ho_graph) g = read_sample("four_nodes.et");
  cr_assert_eq(g->n_ops, 4);
  cr_assert_eq(g->n_edges, 4);
  cr_assert_eq(g->op[1].flops, 1e6);
  cr_assert_eq(g->op[1].read, 4096);
  cr_assert_str_eq(g->op[1].name, "aten::mm#7");
  cr_assert_str_eq(g->op[1].kind, "matmul");
  cr_assert_eq(time_on(g, "aten::mm", "npu0"), 30e-6);
  cr_assert_eq(time_on(g, "aten::relu", "cpu"), 12e-6);
  cr_assert_eq(bytes_of(g, "allreduce:0"), 8192);
  cr_assert(has_edge(g, "aten::mm#7", "aten::mm") && has_edge(g, "allreduce", "aten::mm"));
}

/* A trace of nodes with one-byte fields. */
static void expect_trace_refused(const char *nodes, size_t size, const char *part) {
  g_autoptr(GString) bytes = g_string_new(
      "\x07\x0a\x05"
      "0.0.4");
  g_string_append_len(bytes, nodes, (gssize)size);
  g_autofree char *message = NULL;
  g_autoptr(ho_graph) g = read_bytes(bytes->str, bytes->len, ".et", &message);
  cr_assert_null(g, "%s", part);
  cr_assert_not_null(strstr(message, part), "'%s' is not in: %s", part, message);
}

Test(chakra, a_fault_is_named_with_its_place) {
  expect_trace_refused("\x04\x08\x01\x18\x04\x04\x08\x01\x18\x04", 10, "node 1 '': another node has this id");
  expect_trace_refused("\x06\x08\x01\x18\x04\x28\x02", 7, "depends on node 2, which is not in the file");
  expect_trace_refused("\x06\x08\x01\x18\x04\x28\x01", 7, "cycle");
  expect_trace_refused("\x04\x08\x01\x18\x1f", 5, "type 31");
  expect_trace_refused("\x7f\x08\x01", 3, "offset 8: a record of 127 bytes is announced but only 2 are left");
  expect_trace_refused("\xff\xff\xff\xff\xff\xff\xff", 7, "expected the length of a record");
  expect_trace_refused("\x02\xff\xff", 3, "expected a Chakra node");
  expect_trace_refused("", 0, "no ops");
}

/* ---- all of them ----------------------------------------------------------------------------------------------------- */

Test(readers, every_reader_says_what_it_is_and_recognises_its_sample) {
  for (int i = 0; ho_graph_readers[i]; i++)
    cr_assert(ho_graph_readers[i]->name && ho_graph_readers[i]->summary && ho_graph_readers[i]->extension);
  for (int i = 0; samples[i]; i++) { /* by content alone: under a name that says nothing */
    g_autofree char *path = sample_path(samples[i]), *bytes = NULL, *message = NULL;
    gsize length = 0;
    cr_assert(g_file_get_contents(path, &bytes, &length, NULL));
    g_autoptr(ho_graph) g = read_bytes(bytes, length, ".data", &message);
    cr_assert_not_null(g, "%s: %s", samples[i], message);
    cr_assert_not_null(g->note, "%s: what was assumed is said", samples[i]);
  }
}

Test(readers, the_same_file_gives_the_same_graph_and_survives_our_own_format) {
  for (int i = 0; samples[i]; i++) {
    g_autoptr(ho_graph) g = read_sample(samples[i]), h = read_sample(samples[i]);
    g_autoptr(ho_graph) again = write_and_read(g, ho_graph_write_json, ".json", NULL);
    cr_assert_str_eq(g->digest, h->digest, "%s", samples[i]);
    cr_assert_str_eq(g->digest, again->digest, "%s", samples[i]);
  }
}

Test(readers, devices_are_refused_where_a_file_says_where_it_was_measured) {
  ho_bindings on_gpu = {.n_devices = 1, .device = gpus};
  const char *const fixed[] = {"two.tgff", "partitioning.json", "simgrid.dot", NULL};
  for (int i = 0; fixed[i]; i++) {
    g_autofree char *path = sample_path(fixed[i]);
    g_autoptr(GError) error = NULL;
    cr_assert_null(ho_graph_load(path, NULL, &on_gpu, &error));
    cr_assert_not_null(strstr(error->message, "--device"), "%s", error->message);
  }
}
