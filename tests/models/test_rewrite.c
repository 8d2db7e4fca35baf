/* test_rewrite.c: rewrites on small graphs, each by hand; and what plans may say wrong. */
#include <criterion/criterion.h>
#include <string.h>

#include "graphs.h"
#include "models/rewrite_json.h"

/* x -> conv -> relu -> add -> y, with a second path x -> side -> add. Every map has 400 B, the filter 40. */
static const char *const text =
    "{\"format\":\"heteroopt-graph/1\",\"name\":\"g\",\"ops\":["
    "{\"name\":\"conv\",\"kind\":\"conv\",\"flops\":1000,\"parallelism\":100},"
    "{\"name\":\"relu\",\"kind\":\"relu\",\"flops\":100,\"parallelism\":100,\"sensitivity\":0.5},"
    "{\"name\":\"side\",\"kind\":\"sigmoid\",\"flops\":600},{\"name\":\"add\",\"kind\":\"add\",\"flops\":100}],"
    "\"tensors\":[{\"name\":\"x\",\"bytes\":400,\"consumers\":[\"conv\",\"side\"]},"
    "{\"name\":\"w\",\"bytes\":40,\"role\":\"weight\",\"consumers\":[\"conv\"]},"
    "{\"name\":\"c\",\"bytes\":400,\"producer\":\"conv\",\"consumers\":[\"relu\"]},"
    "{\"name\":\"r\",\"bytes\":400,\"producer\":\"relu\",\"consumers\":[\"add\"]},"
    "{\"name\":\"s\",\"bytes\":400,\"producer\":\"side\",\"consumers\":[\"add\"]},"
    "{\"name\":\"y\",\"bytes\":400,\"producer\":\"add\"}]}";

static ho_graph *graph(const char *json) {
  char *message = NULL;
  ho_graph *g = graph_of_text(json, &message);
  cr_assert_not_null(g, "%s", message);
  return g;
}

/* Applies rewrites written as JSON. NULL with the error's message (caller frees), or the graph. */
static ho_graph *rewritten(const ho_graph *g, const char *rewrites, char **message) {
  json_auto_t *json = json_loads(rewrites, 0, NULL);
  cr_assert_not_null(json);
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) list = ho_rewrites_from_json(json, (ho_json_at){"plan.json", ""}, &error);
  g_autoptr(ho_workgraph) w = ho_workgraph_new(g);
  gboolean ok = list != NULL;
  for (guint i = 0; ok && i < list->len; i++) ok = ho_rewrite_apply(w, list->pdata[i], &error);
  *message = ok ? NULL : g_strdup(error->message);
  return ok ? ho_workgraph_freeze(w, HO_FREEZE_NAMED, NULL) : NULL;
}

static ho_graph *must(const ho_graph *g, const char *rewrites) {
  char *message;
  ho_graph *after = rewritten(g, rewrites, &message);
  cr_assert_not_null(after, "%s", message);
  return after;
}

static void refused(const char *json, const char *rewrites, const char *why) {
  g_autoptr(ho_graph) g = graph(json);
  g_autofree char *message = NULL;
  g_autoptr(ho_graph) after = rewritten(g, rewrites, &message);
  cr_assert_null(after, "%s was accepted", rewrites);
  cr_assert_not_null(strstr(message, why), "'%s' does not say '%s'", message, why);
}

Test(rewrite, a_fused_op_is_the_sum_of_its_members_without_what_they_pass_on) {
  g_autoptr(ho_graph) g = graph(text);
  g_autoptr(ho_graph) after = must(g, "[{\"rule\":\"fuse\",\"ops\":[\"conv\",\"relu\"],\"into\":[\"cr\"]}]");
  ho_op o = ho_graph_find_op(after, "cr");
  cr_assert_eq(o, 0); /* in the place of its first member */
  const ho_op_info *x = &after->op[o];
  cr_assert_str_eq(x->kind, "conv");
  cr_assert_eq(x->flops, 1100);
  cr_assert_eq(x->other_flops, 100);
  cr_assert_eq(x->read, 440); /* x and w */
  cr_assert_eq(x->write, 400);
  cr_assert_eq(x->parallelism, 100);
  cr_assert_eq(x->sensitivity, 0.5);
  cr_assert_eq(after->n_ops, 3);
  cr_assert_eq(after->n_tensors, 5);
  cr_assert_lt(ho_graph_find_tensor(after, "c"), 0);
  cr_assert_eq(after->origin_start[1] - after->origin_start[0], 2);
  cr_assert_eq(after->origin[0].op, ho_graph_find_op(g, "conv"));
  cr_assert_eq(after->origin[1].op, ho_graph_find_op(g, "relu"));
}

/* conv and side both read x: the fused op reads it once. */
Test(rewrite, what_several_members_read_is_read_once) {
  g_autoptr(ho_graph) g = graph(text);
  g_autoptr(ho_graph) after = must(g, "[{\"rule\":\"fuse\",\"ops\":[\"conv\",\"relu\",\"side\",\"add\"]}]");
  cr_assert_eq(after->n_ops, 1);
  cr_assert_str_eq(after->op[0].name, "conv+relu+side+add");
  cr_assert_eq(after->op[0].read, 440);
  cr_assert_eq(after->op[0].write, 400);
}

Test(rewrite, rewrites_apply_in_order_and_see_what_those_before_made) {
  g_autoptr(ho_graph) g = graph(text);
  g_autoptr(ho_graph) after = must(g,
                                   "[{\"rule\":\"fuse\",\"ops\":[\"conv\",\"relu\"],\"into\":[\"cr\"]},"
                                   "{\"rule\":\"fuse\",\"ops\":[\"cr\",\"add\"],\"into\":[\"all\"]}]");
  ho_op o = ho_graph_find_op(after, "all");
  cr_assert_geq(o, 0);
  cr_assert_eq(after->op[o].read, 840); /* x, w and s */
  cr_assert_eq(after->op[o].other_flops, 200);
  cr_assert_eq(after->origin_start[o + 1] - after->origin_start[o], 3);
}

Test(rewrite, faults_are_refused_with_what_is_wrong) {
  refused(text, "[{\"rule\":\"fuze\",\"ops\":[\"conv\",\"relu\"]}]", "'fuze' is not known");
  refused(text, "[{\"rule\":\"fuse\",\"ops\":[\"conv\",\"rely\"]}]", "ops[1]: there is no op 'rely'");
  refused(text, "[{\"rule\":\"fuse\",\"ops\":[\"conv\",\"conv\"]}]", "ops[1]: 'conv' is named twice");
  refused(text, "[{\"rule\":\"fuse\",\"ops\":[\"conv\"]}]", "one op alone");
  refused(text, "[{\"rule\":\"fuse\",\"ops\":[]}]", "0 names");
  refused(text, "[{\"rule\":\"fuse\",\"ops\":[\"relu\",\"side\"]}]", "no edge joins 'side'");
  refused(text, "[{\"rule\":\"fuse\",\"ops\":[\"conv\",\"relu\"],\"into\":[\"add\"]}]", "into[0]: there is or was an op 'add'");
  refused(text, "[{\"rule\":\"fuse\",\"ops\":[\"conv\",\"relu\"],\"into\":[\"relu\"]}]", "into[0]: there is or was an op 'relu'");
  refused(text, "[{\"rule\":\"fuse\",\"ops\":[\"conv\",\"relu\"],\"into\":[\"a\",\"b\"]}]", "expected one");
  refused(text, "[{\"rule\":\"fuse\",\"ops\":[\"conv\",\"relu\"],\"axis\":\"rows\"}]", "no axis");
  refused(text, "[{\"rule\":\"fuse\",\"ops\":[\"conv\",\"relu\"],\"shares\":[0]}]", "rewrites[0].shares[0]");
  refused(text, "[{\"rule\":\"fuse\",\"ops\":\"conv\"}]", "ops");
  refused(text, "[{\"rule\":\"remove\",\"ops\":[\"relu\"]}]", "does something");
  refused(text, "[{\"rule\":\"fold\",\"ops\":[\"relu\"]}]", "reads what is no constant");
  refused(text, "[{\"rule\":\"fuse\",\"ops\":[\"conv\",\"relu\"]},{\"rule\":\"fuse\",\"ops\":[\"conv\",\"add\"]}]",
          "no op 'conv'");
}

/* a -> b -> c and a -> c: a and c without b would wait for b, and b for them. */
Test(rewrite, a_path_that_leaves_and_comes_back_is_refused) {
  const char *triangle =
      "{\"format\":\"heteroopt-graph/"
      "1\",\"name\":\"g\",\"ops\":[{\"name\":\"a\",\"kind\":\"relu\"},{\"name\":\"b\",\"kind\":\"relu\"},"
      "{\"name\":\"c\",\"kind\":\"add\"}],\"tensors\":[{\"name\":\"x\",\"bytes\":4,\"producer\":\"a\",\"consumers\":[\"b\",\"c\"]"
      "},"
      "{\"name\":\"y\",\"bytes\":4,\"producer\":\"b\",\"consumers\":[\"c\"]}]}";
  refused(triangle, "[{\"rule\":\"fuse\",\"ops\":[\"a\",\"c\"]}]", "comes back");
  g_autoptr(ho_graph) g = graph(triangle);
  g_autoptr(ho_graph) all = must(g, "[{\"rule\":\"fuse\",\"ops\":[\"a\",\"c\",\"b\"]}]");
  cr_assert_eq(all->n_ops, 1);
  g_autoptr(ho_graph) two = must(g, "[{\"rule\":\"fuse\",\"ops\":[\"a\",\"b\"]}]");
  cr_assert_eq(two->op[0].write, 8); /* x is read outside: a second output */
}

/* A product and a view of it: the fused op still writes the bytes, and the view is its own from then on. */
Test(rewrite, a_view_of_what_is_kept_inside_is_written) {
  g_autoptr(ho_graph) g = graph(
      "{\"format\":\"heteroopt-graph/1\",\"name\":\"g\",\"ops\":[{\"name\":\"a\",\"kind\":\"gemm\",\"flops\":8},"
      "{\"name\":\"v\",\"kind\":\"reshape\",\"read\":0,\"write\":0}],\"tensors\":["
      "{\"name\":\"x\",\"bytes\":100,\"consumers\":[\"a\"]},{\"name\":\"y\",\"bytes\":100,\"producer\":\"a\",\"consumers\":["
      "\"v\"]},"
      "{\"name\":\"z\",\"bytes\":100,\"alias\":\"y\",\"producer\":\"v\"}]}");
  g_autoptr(ho_graph) after = must(g, "[{\"rule\":\"fuse\",\"ops\":[\"a\",\"v\"]}]");
  cr_assert_eq(after->op[0].read, 100);
  cr_assert_eq(after->op[0].write, 100);
  cr_assert_eq(after->tensor[ho_graph_find_tensor(after, "z")].alias, -1);
}

/* The other way round: a view of x goes into a product, which must still read x. */
Test(rewrite, a_view_of_what_comes_from_outside_is_read) {
  g_autoptr(ho_graph) g = graph(
      "{\"format\":\"heteroopt-graph/1\",\"name\":\"g\",\"ops\":[{\"name\":\"v\",\"kind\":\"reshape\",\"read\":0,\"write\":0},"
      "{\"name\":\"a\",\"kind\":\"gemm\",\"flops\":8}],\"tensors\":["
      "{\"name\":\"x\",\"bytes\":100,\"consumers\":[\"v\"]},"
      "{\"name\":\"y\",\"bytes\":100,\"alias\":\"x\",\"producer\":\"v\",\"consumers\":[\"a\"]},"
      "{\"name\":\"z\",\"bytes\":60,\"producer\":\"a\"}]}");
  g_autoptr(ho_graph) after = must(g, "[{\"rule\":\"fuse\",\"ops\":[\"v\",\"a\"]}]");
  cr_assert_eq(after->op[0].read, 100);
  cr_assert_eq(after->op[0].write, 60);
}

Test(rewrite, times_add_up_where_all_members_have_them) {
  const char *timed =
      "{\"format\":\"heteroopt-graph/1\",\"name\":\"g\",\"ops\":["
      "{\"name\":\"a\",\"kind\":\"relu\",\"time\":{\"cpu\":1,\"gpu\":2}},{\"name\":\"b\",\"kind\":\"relu\",\"time\":{\"gpu\":3,"
      "\"npu\":4}},"
      "{\"name\":\"c\",\"kind\":\"relu\"},{\"name\":\"d\",\"kind\":\"relu\",\"time\":{\"npu\":1}}],\"tensors\":["
      "{\"name\":\"x\",\"bytes\":4,\"producer\":\"a\",\"consumers\":[\"b\",\"d\"]},"
      "{\"name\":\"y\",\"bytes\":4,\"producer\":\"b\",\"consumers\":[\"c\"]}]}";
  g_autoptr(ho_graph) g = graph(timed);
  g_autoptr(ho_graph) after = must(g, "[{\"rule\":\"fuse\",\"ops\":[\"a\",\"b\"]}]");
  cr_assert_eq(after->op[0].n_times, 1);
  cr_assert_str_eq(after->time_devices[after->op[0].times[0].device], "gpu");
  cr_assert_eq(after->op[0].times[0].seconds, 5);
  refused(timed, "[{\"rule\":\"fuse\",\"ops\":[\"b\",\"c\"]}]", "only one has a time table");
  refused(timed, "[{\"rule\":\"fuse\",\"ops\":[\"a\",\"d\"]}]", "no device is in the time tables");
}

/* x -> i1 -> relu -> i2 -> y: the first identity gives way to x, the second gives its output's name to relu. */
Test(rewrite, identities_go_and_ends_keep_their_names) {
  g_autoptr(ho_graph) g = graph(
      "{\"format\":\"heteroopt-graph/1\",\"name\":\"g\",\"ops\":[{\"name\":\"i1\",\"kind\":\"identity\"},"
      "{\"name\":\"relu\",\"kind\":\"relu\"},{\"name\":\"i2\",\"kind\":\"identity\"}],\"tensors\":["
      "{\"name\":\"x\",\"bytes\":4,\"consumers\":[\"i1\"]},{\"name\":\"p\",\"bytes\":4,\"producer\":\"i1\",\"consumers\":["
      "\"relu\"]},"
      "{\"name\":\"q\",\"bytes\":4,\"producer\":\"relu\",\"consumers\":[\"i2\"]},{\"name\":\"y\",\"bytes\":4,\"producer\":\"i2\"}"
      "]}");
  g_autoptr(ho_graph) after = must(g, "[{\"rule\":\"remove\",\"ops\":[\"i2\"]},{\"rule\":\"remove\",\"ops\":[\"i1\"]}]");
  cr_assert_eq(after->n_ops, 1);
  cr_assert_eq(after->n_tensors, 2);
  cr_assert_eq(after->tensor[ho_graph_find_tensor(after, "y")].producer, 0);
  cr_assert_eq(after->in[0], ho_graph_find_tensor(after, "x"));
}

/* shape(x) and a constant make an index: both ops can be done beforehand; what they read goes, x stays. */
Test(rewrite, shapes_and_constants_fold_into_weights) {
  g_autoptr(ho_graph) g = graph(
      "{\"format\":\"heteroopt-graph/1\",\"name\":\"g\",\"ops\":[{\"name\":\"shape\",\"kind\":\"shape\",\"read\":0},"
      "{\"name\":\"mul\",\"kind\":\"mul\"},{\"name\":\"use\",\"kind\":\"gather\"}],\"tensors\":["
      "{\"name\":\"x\",\"bytes\":400,\"consumers\":[\"shape\",\"use\"]},"
      "{\"name\":\"two\",\"bytes\":8,\"role\":\"weight\",\"consumers\":[\"mul\"]},"
      "{\"name\":\"s\",\"bytes\":16,\"producer\":\"shape\",\"consumers\":[\"mul\"]},"
      "{\"name\":\"m\",\"bytes\":16,\"producer\":\"mul\",\"consumers\":[\"use\"]},{\"name\":\"y\",\"bytes\":4,\"producer\":"
      "\"use\"}]}");
  g_autoptr(ho_workgraph) w = ho_workgraph_new(g);
  cr_assert_eq(ho_rewrite_everywhere(w, "fold", NULL, NULL), 2);
  g_autoptr(ho_graph) after = ho_workgraph_freeze(w, HO_FREEZE_NAMED, NULL);
  cr_assert_eq(after->n_ops, 1);
  cr_assert_eq(after->n_tensors, 3);
  cr_assert_eq(after->tensor[ho_graph_find_tensor(after, "m")].role, HO_ROLE_WEIGHT);
}

Test(rewrite, a_rewrite_survives_being_written_and_read) {
  const char *line =
      "[{\"rule\":\"split\",\"ops\":[\"fc\"],\"axis\":\"rows\",\"shares\":[0.25,0.75],\"tensor\":\"t\",\"into\":[\"a\",\"b\"]}]";
  json_auto_t *json = json_loads(line, 0, NULL);
  g_autoptr(GPtrArray) list = ho_rewrites_from_json(json, (ho_json_at){"f", ""}, NULL);
  g_autofree char *again = NULL;
  json_auto_t *written = ho_rewrites_to_json(list);
  again = ho_json_line(written);
  g_strstrip(again);
  cr_assert_str_eq(again, line);
  g_autoptr(ho_rewrite) copy = ho_rewrite_copy(list->pdata[0]);
  cr_assert(ho_rewrite_equal(copy, list->pdata[0]));
}
