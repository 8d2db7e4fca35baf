/* test_split.c: what the rule `split` makes of ops whose parts can be counted by hand, and what it refuses. */
#include <criterion/criterion.h>
#include <string.h>

#include "graphs.h"
#include "models/graph_stats.h"
#include "models/rewrite_json.h"
#include "models/rewrite_spec.h"

/* y [6,10] = x [6,8] · w [8,10] + b [10]: 960 FLOP; fp32. */
#define GEMM                                                                                                                     \
  "{\"format\":\"heteroopt-graph/"                                                                                               \
  "1\",\"name\":\"g\",\"ops\":[{\"name\":\"fc\",\"kind\":\"gemm\",\"flops\":960,\"parallelism\":60},"                            \
  "{\"name\":\"act\",\"kind\":\"relu\"}],\"tensors\":[{\"name\":\"x\",\"shape\":[6,8],\"consumers\":[\"fc\"]},"                  \
  "{\"name\":\"w\",\"shape\":[8,10],\"role\":\"weight\",\"consumers\":[\"fc\"]},"                                                \
  "{\"name\":\"b\",\"shape\":[10],\"role\":\"weight\",\"consumers\":[\"fc\"]},"                                                  \
  "{\"name\":\"y\",\"shape\":[6,10],\"producer\":\"fc\",\"consumers\":[\"act\"]},{\"name\":\"z\",\"shape\":[6,10],\"producer\":" \
  "\"act\"}]}"

static ho_graph *rewritten(const char *text, const char *spec, char **message) {
  char *none = NULL;
  ho_graph *g = graph_of_text(text, &none);
  cr_assert_not_null(g, "%s", none);
  ho_workgraph *w = ho_workgraph_new(g); /* with g, it outlives what is made of it */
  g_autoptr(GPtrArray) list = ho_rewrites_new();
  g_autoptr(GError) error = NULL;
  ho_graph *after = ho_rewrites_by_spec(w, spec, list, &error) ? ho_workgraph_freeze(w, HO_FREEZE_NAMED, &error) : NULL;
  *message = error ? g_strdup(error->message) : NULL;
  return after;
}

static ho_graph *split(const char *text, const char *spec) {
  char *message = NULL;
  ho_graph *g = rewritten(text, spec, &message);
  cr_assert_not_null(g, "%s", message);
  return g;
}

static const ho_op_info *op(const ho_graph *g, const char *name) {
  ho_op o = ho_graph_find_op(g, name);
  cr_assert_geq(o, 0, "there is no op %s", name);
  return &g->op[o];
}

static void expect_op(const ho_graph *g, const char *name, double flops, double read, double write) {
  const ho_op_info *x = op(g, name);
  cr_assert_eq(x->flops, flops, "%s: %g FLOP", name, x->flops);
  cr_assert_eq(x->read, read, "%s: reads %g", name, x->read);
  cr_assert_eq(x->write, write, "%s: writes %g", name, x->write);
}

static void expect_shape(const ho_graph *g, const char *name, int64_t a, int64_t b) {
  ho_tensor t = ho_graph_find_tensor(g, name);
  cr_assert_geq(t, 0, "there is no tensor %s", name);
  cr_assert_eq(g->tensor[t].shape[0], a, "%s", name);
  if (b) cr_assert_eq(g->tensor[t].shape[1], b, "%s", name);
}

Test(split, by_rows_each_part_reads_all_weights) {
  ho_graph *g = split(GEMM, "split:ops=fc:axis=rows:shares=0.6666666666666666/0.3333333333333334");
  expect_op(g, "fc.0", 640, 4 * (4 * 8 + 80 + 10), 4 * 40);
  expect_op(g, "fc.1", 320, 4 * (2 * 8 + 80 + 10), 4 * 20);
  expect_op(g, "fc.concat", 0, 4 * 60, 4 * 60);
  expect_op(g, "fc.slice.0", 0, 4 * 32, 4 * 32);
  expect_shape(g, "x.0", 4, 8);
  expect_shape(g, "y.1", 2, 10);
  cr_assert_eq(op(g, "fc.0")->parallelism, 40);
  cr_assert_eq(g->n_ops, 6);
}

Test(split, by_columns_weights_are_cut_beforehand) {
  ho_graph *g = split(GEMM, "split:ops=fc:axis=columns:shares=0.7/0.3");
  expect_op(g, "fc.0", 672, 4 * (48 + 8 * 7 + 7), 4 * 42);
  expect_op(g, "fc.1", 288, 4 * (48 + 8 * 3 + 3), 4 * 18);
  expect_shape(g, "w.0", 8, 7);
  expect_shape(g, "b.1", 3, 0);
  cr_assert_eq(ho_graph_find_tensor(g, "w"), -1);
  cr_assert_eq(g->n_ops, 4); /* no slices */
}

Test(split, by_reduction_one_part_takes_the_bias_and_a_sum_adds_up) {
  ho_graph *g = split(GEMM, "split:ops=fc:axis=reduction:shares=0.625/0.375");
  expect_op(g, "fc.0", 600, 4 * (6 * 5 + 5 * 10 + 10), 4 * 60);
  expect_op(g, "fc.1", 360, 4 * (6 * 3 + 3 * 10), 4 * 60);
  expect_op(g, "fc.sum", 60, 2 * 4 * 60, 4 * 60);
  cr_assert_eq(op(g, "fc.1")->parallelism, 60); /* as many sums as before */
  cr_assert_eq(op(g, "act")->read, 240);
  g_autoptr(ho_graph_stats) stats = ho_graph_stats_new(g);
  cr_assert_eq(stats->macs, 480);
}

Test(split, three_parts_and_names_of_ones_own) {
  char *message = NULL;
  ho_graph *g = graph_of_text(GEMM, &message);
  ho_workgraph *w = ho_workgraph_new(g);
  json_auto_t *json = json_loads(
      "[{\"rule\":\"split\",\"ops\":[\"fc\"],\"axis\":\"reduction\",\"shares\":[0.5,0.25,0.25],"
      "\"into\":[\"p\",\"q\",\"r\",\"s\"]}]",
      0, NULL);
  g_autoptr(GPtrArray) list = ho_rewrites_from_json(json, (ho_json_at){"t", ""}, NULL);
  g_autoptr(GError) error = NULL;
  cr_assert(ho_rewrite_apply(w, list->pdata[0], &error), "%s", error ? error->message : "");
  g_autoptr(ho_graph) after = ho_workgraph_freeze(w, HO_FREEZE_NAMED, &error);
  expect_op(after, "p", 480, 4 * (24 + 40 + 10), 240);
  expect_op(after, "r", 240, 4 * (12 + 20), 240);
  expect_op(after, "s", 120, 3 * 240, 240);
  const ho_origin *origin = &after->origin[after->origin_start[ho_graph_find_op(after, "r")]];
  cr_assert_str_eq(origin->axis, "reduction");
  cr_assert_eq(origin->from, 0.75);
  cr_assert_eq(origin->to, 1);
}

/* Two groups of 2 input and 3 output channels: y [1,6,4,4], w [6,2,3,3]. */
#define GROUPED                                                                                                                \
  "{\"format\":\"heteroopt-graph/1\",\"name\":\"g\",\"ops\":[{\"name\":\"c\",\"kind\":\"conv\",\"flops\":3456}],\"tensors\":[" \
  "{\"name\":\"x\",\"shape\":[1,4,4,4],\"consumers\":[\"c\"]},{\"name\":\"w\",\"shape\":[6,2,3,3],\"role\":\"weight\","        \
  "\"consumers\":[\"c\"]},{\"name\":\"y\",\"shape\":[1,6,4,4],\"producer\":\"c\"}]}"

Test(split, channels_of_a_grouped_convolution_are_cut_between_groups) {
  ho_graph *g = split(GROUPED, "split:ops=c:axis=channels");
  expect_op(g, "c.0", 1728, 4 * (2 * 16 + 3 * 18), 4 * 48);
  expect_shape(g, "w.0", 3, 2);
  expect_shape(g, "x.1", 1, 2);
  char *message = NULL;
  cr_assert_null(rewritten(GROUPED, "split:ops=c:axis=channels:shares=0.2/0.8", &message));
  cr_assert_str_eq(
      message, "rewrite 'split:ops=c:axis=channels:shares=0.2/0.8': shares[0]: 0.2 of the 2 pieces that channels allows is none");
}

#define REFUSED(text, spec, why)                                                                                 \
  do {                                                                                                           \
    char *message = NULL;                                                                                        \
    cr_assert_null(rewritten(text, spec, &message), "%s", spec);                                                 \
    cr_assert(message &&strstr(message, why) && !strchr(message, '\n'), "%s: %s", spec, message ? message : ""); \
  } while (0)

Test(split, what_cannot_be_split_is_refused_with_the_reason) {
  REFUSED(GEMM, "split:ops=act:axis=rows", "'act' does not split by rows: it is no gemm or matmul");
  REFUSED(GEMM, "split:ops=fc:axis=depth", "axis: 'depth', expected rows, columns, reduction, channels, batch or heads");
  REFUSED(GEMM, "split:ops=fc", "axis is missing");
  REFUSED(GEMM, "split:ops=fc:axis=rows:shares=0.5/0.6", "shares: they add up to 1.1, expected 1");
  REFUSED(GEMM, "split:ops=fc:axis=rows:shares=1", "shares: 1 of them, expected at least 2");
  REFUSED(GEMM, "split:ops=fc:axis=rows:shares=nan/0.5", "shares: ");
  REFUSED(GEMM, "split:ops=fc..act:axis=rows", "ops: 2 of them, expected one: rows splits a single op");
  REFUSED(GEMM, "split:ops=fc..nothing:axis=batch", "there is no op 'nothing'");
  REFUSED(GEMM, "split:ops=act..fc:axis=batch", "no path leads from 'act' to 'fc'");
  REFUSED(GEMM, "split:ops=fc|fc:axis=batch", "'fc' is named twice");
  REFUSED(GEMM, "split:ops=fc:axis=heads", "no product of attention is among them");
  REFUSED(GEMM, "recompute:ops=fc", "nothing in the backward pass needs 'fc' again");
  REFUSED(GEMM, "offload:tensor=y", "is not read in the backward pass");
}

Test(split, a_run_passes_its_pieces_on_and_joins_once) {
  ho_graph *g = split(GEMM, "split:ops=fc..act:axis=batch:shares=0.5/0.5");
  expect_op(g, "act.1", 0, 4 * 30, 4 * 30);
  expect_op(g, "act.concat", 0, 4 * 60, 4 * 60);
  cr_assert_eq(ho_graph_find_op(g, "fc.concat"), -1);
  cr_assert_eq(ho_graph_find_tensor(g, "y"), -1);
  cr_assert_eq(g->n_ops, 7); /* two slices, four parts, one join */
}

Test(split, heads_must_divide) {
  g_autoptr(ho_graph) bert = built_in("bert-base:layers=1,batch=1");
  g_autoptr(ho_workgraph) w = ho_workgraph_new(bert);
  g_autoptr(GPtrArray) list = ho_rewrites_new();
  g_autoptr(GError) error = NULL;
  const char *run = "split:ops=encoder.layer.0.attention.self.scores..encoder.layer.0.attention.self.context:axis=heads:shares=";
  g_autofree char *thin = g_strconcat(run, "0.96/0.04", NULL), *good = g_strconcat(run, "0.75/0.25", NULL);
  cr_assert_not(ho_rewrites_by_spec(w, thin, list, &error));
  cr_assert(strstr(error->message, "shares[1]: 0.04 of the 12 pieces that heads allows is none"), "%s", error->message);
  ho_workgraph_undo(w, 0);
  cr_assert(ho_rewrites_by_spec(w, good, list, NULL));
  g_autoptr(ho_graph) after = ho_workgraph_freeze(w, HO_FREEZE_NAMED, NULL);
  ho_tensor t = ho_graph_find_tensor(after, "encoder.layer.0.attention.self.scores.out.0");
  cr_assert_geq(t, 0);
  cr_assert_eq(after->tensor[t].shape[1], 9);
}

/* ---- what the graph says --------------------------------------------------------------------------------------------- */

Test(split, an_axis_that_the_graph_rules_out_is_refused_and_not_found) {
  g_auto(GStrv) halves = g_strsplit(GEMM, "\"parallelism\":60", 2);
  g_autofree char *text = g_strconcat(halves[0], "\"parallelism\":60,\"unsplit\":[\"rows\"]", halves[1], NULL), *message = NULL;
  cr_assert_null(rewritten(text, "split:ops=fc:axis=rows", &message));
  cr_assert(strstr(message, "'fc' does not split by rows: it mixes what would be cut, says the graph"), "%s", message);
  ho_graph *g = split(text, "split:ops=fc:axis=columns");
  cr_assert_eq(op(g, "fc.0")->flops, 480);
  cr_assert_eq(op(g, "fc.1")->unsplit, 1U << HO_AXIS_ROWS, "parts are as the whole");
}

Test(split, a_fused_op_is_ruled_out_by_any_of_its_members) {
  g_auto(GStrv) halves = g_strsplit(GEMM, "\"kind\":\"relu\"", 2);
  g_autofree char *text = g_strconcat(halves[0], "\"kind\":\"relu\",\"unsplit\":[\"rows\"]", halves[1], NULL), *message = NULL;
  cr_assert_null(rewritten(text, "fuse,split:ops=fc+act:axis=rows", &message));
  cr_assert(strstr(message, "mixes what would be cut"), "%s", message);
}

/* Nothing of a product of stacked matrices is cut where both operands are the same for the whole stack: each part would make all of it. */
Test(split, parts_that_would_all_do_the_same_are_refused) {
  static const char text[] =
      "{\"format\":\"heteroopt-graph/1\",\"name\":\"g\",\"ops\":[{\"name\":\"e\",\"kind\":\"matmul\"}],\"tensors\":["
      "{\"name\":\"x\",\"shape\":[4,4],\"consumers\":[\"e\"]},"
      "{\"name\":\"w\",\"shape\":[1,4,4],\"role\":\"weight\",\"consumers\":[\"e\"]},"
      "{\"name\":\"y\",\"shape\":[4,4,4],\"producer\":\"e\"}]}";
  char *message = NULL;
  cr_assert_null(rewritten(text, "split:ops=e:axis=batch", &message));
  cr_assert(strstr(message, "'e' does not split by batch: every part would read all that it reads"), "%s", message);
}

/* y = x * w + r, all maps [1,8,4,4]: x goes to every part, of r each part adds its channels. */
Test(split, a_residual_of_the_same_shape_is_not_taken_for_the_map) {
  ho_graph *g = split(
      "{\"format\":\"heteroopt-graph/1\",\"name\":\"g\",\"ops\":[{\"name\":\"c\",\"kind\":\"conv\",\"flops\":18432},"
      "{\"name\":\"a\",\"kind\":\"add\"},{\"name\":\"z\",\"kind\":\"relu\"}],\"tensors\":["
      "{\"name\":\"x\",\"shape\":[1,8,4,4],\"consumers\":[\"c\"]},"
      "{\"name\":\"w\",\"shape\":[8,8,3,3],\"role\":\"weight\",\"consumers\":[\"c\"]},"
      "{\"name\":\"r\",\"shape\":[1,8,4,4],\"consumers\":[\"a\"]},"
      "{\"name\":\"t\",\"shape\":[1,8,4,4],\"producer\":\"c\",\"consumers\":[\"a\"]},"
      "{\"name\":\"y\",\"shape\":[1,8,4,4],\"producer\":\"a\",\"consumers\":[\"z\"]},"
      "{\"name\":\"o\",\"shape\":[1,8,4,4],\"producer\":\"z\"}]}",
      "fuse,split:ops=c+a+z:axis=channels");
  ho_tensor x = ho_graph_find_tensor(g, "x"), r = ho_graph_find_tensor(g, "r");
  cr_assert_eq(g->use_start[x + 1] - g->use_start[x], 2);
  for (int32_t i = g->use_start[x]; i < g->use_start[x + 1]; i++) cr_assert_str_eq(g->op[g->use[i]].kind, "conv");
  for (int32_t i = g->use_start[r]; i < g->use_start[r + 1]; i++) cr_assert_str_eq(g->op[g->use[i]].kind, "slice");
}

/* Parts with one seed would draw the same numbers; a file may state a shape that its operands do not have. */
Test(split, random_numbers_and_shapes_that_contradict_each_other_are_not_split) {
  static const char *const texts[][2] = {{"\"kind\":\"random\"", "\"shape\":[2,3]"},
                                         {"\"kind\":\"add\"", "\"shape\":[1,2,3]"},
                                         {"\"kind\":\"add\"", "\"shape\":[2,3]"}};
  for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
    g_autofree char *text = g_strdup_printf(
        "{\"format\":\"heteroopt-graph/1\",\"name\":\"g\",\"ops\":[{\"name\":\"o\",%s}],\"tensors\":["
        "{\"name\":\"x\",%s,\"consumers\":[\"o\"]},"
        "{\"name\":\"y\",\"shape\":[2,3],\"producer\":\"o\"}]}",
        texts[i][0], texts[i][1]);
    char *message = NULL;
    ho_graph *g = rewritten(text, "split:ops=o:axis=batch", &message);
    cr_assert_eq(g != NULL, i == 2, "%s", text);
  }
}
