/* test_onnx_read.c: small hand-made models (tests/data/onnx/make.py) read into graphs whose numbers were worked out by hand. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/models-onnx/onnx_files.h"

static void expect_shape(const ho_graph *g, const char *tensor, const char *expected) {
  g_autofree char *found = shape_text(g, tensor);
  cr_expect_str_eq(found, expected, "%s is %s, expected %s", tensor, found, expected);
}

static const ho_op_info *op_named(const ho_graph *g, const char *name) {
  const ho_op o = ho_graph_find_op(g, name);
  cr_assert_geq(o, 0, "no op '%s'", name);
  return &g->op[o];
}

static const ho_tensor_info *tensor_named(const ho_graph *g, const char *name) {
  const ho_tensor t = ho_graph_find_tensor(g, name);
  cr_assert_geq(t, 0, "no tensor '%s'", name);
  return &g->tensor[t];
}

/* ---- residual.onnx ---- */

Test(onnx_read, shapes_follow_from_the_bound_batch) {
  g_autoptr(ho_graph) g = fixture_graph("residual.onnx", "N=4");
  expect_shape(g, "x", "4x3x16x16");
  expect_shape(g, "c1", "4x8x16x16");
  expect_shape(g, "pool", "4x8x1x1");
  expect_shape(g, "y", "4x10");
  cr_assert_eq(g->samples, 4);
  cr_assert_null(g->note);
}

Test(onnx_read, an_unbound_dimension_is_one_and_said_once) {
  g_autoptr(ho_graph) g = fixture_graph("residual.onnx", NULL);
  expect_shape(g, "y", "1x10");
  cr_assert_str_eq(g->note, "taken as 1: N (set with --bind NAME=N)");
}

Test(onnx_read, flops_are_two_per_multiply_accumulate) {
  g_autoptr(ho_graph) g = fixture_graph("residual.onnx", "N=2");
  cr_expect_eq(op_named(g, "c1")->flops, 2.0 * 2 * 8 * 16 * 16 * 3 * 3 * 3);
  cr_expect_eq(op_named(g, "c2")->flops, 2.0 * 2 * 8 * 16 * 16 * 1 * 3 * 3);
  cr_expect_eq(op_named(g, "y")->flops, 2.0 * 2 * 10 * 8);
  cr_expect_eq(op_named(g, "r1")->flops, 2.0 * 8 * 16 * 16);
  cr_expect_eq(op_named(g, "c1")->parallelism, 2.0 * 8 * 16 * 16);
}

Test(onnx_read, a_convolution_with_a_group_per_channel_is_depthwise) {
  g_autoptr(ho_graph) g = fixture_graph("residual.onnx", NULL);
  cr_expect_str_eq(op_named(g, "c1")->kind, "conv");
  cr_expect_str_eq(op_named(g, "c2")->kind, "depthwise_conv");
}

Test(onnx_read, initializers_listed_as_inputs_are_weights) {
  g_autoptr(ho_graph) g = fixture_graph("residual.onnx", NULL);
  cr_expect_eq(tensor_named(g, "w1")->role, HO_ROLE_WEIGHT);
  cr_expect_eq(tensor_named(g, "x")->role, HO_ROLE_INPUT);
  cr_expect_eq(g->n_edges, 8); /* r1 twice, weights never */
}

Test(onnx_read, default_traffic_is_the_sum_of_the_tensors) {
  g_autoptr(ho_graph) g = fixture_graph("residual.onnx", NULL);
  const ho_op_info *o = op_named(g, "c1");
  cr_expect_eq(o->read, 4.0 * (3 * 16 * 16 + 8 * 3 * 3 * 3));
  cr_expect_eq(o->write, 4.0 * 8 * 16 * 16);
}

Test(onnx_read, a_view_takes_no_memory_and_moves_nothing) {
  g_autoptr(ho_graph) g = fixture_graph("residual.onnx", NULL);
  const ho_op_info *o = op_named(g, "flat");
  cr_expect_eq(o->read + o->write, 0);
  cr_expect_eq(tensor_named(g, "flat")->alias, ho_graph_find_tensor(g, "pool"));
}

/* ---- heads.onnx ---- */

Test(onnx_read, sizes_that_nodes_compute_are_folded_in_any_order_of_the_file) {
  g_autoptr(ho_graph) g = fixture_graph("heads.onnx", "batch=3,seq=128");
  expect_shape(g, "split", "3x128x4x8");
  expect_shape(g, "q", "3x4x128x8");
  expect_shape(g, "p", "3x4x128x128");
  cr_expect_eq(op_named(g, "scores")->flops, 2.0 * 3 * 4 * 128 * 128 * 8);
  cr_expect_eq(g->n_ops, 15); /* four Constant nodes are weights */
}

Test(onnx_read, a_binding_that_decides_nothing_is_said) {
  g_autoptr(ho_graph) g = fixture_graph("heads.onnx", "batch=3,seq=128,keys=5");
  expect_shape(g, "p", "3x4x128x128");
  cr_expect_str_eq(g->note, "bound without effect, since other sizes decide it: keys");
}

/* ---- control.onnx ---- */

Test(onnx_read, an_if_with_a_constant_condition_costs_the_taken_branch) {
  g_autoptr(ho_graph) g = fixture_graph("control.onnx", NULL);
  cr_expect_eq(op_named(g, "choose")->flops, 2.0 * 2 * 8 * 8);
  expect_shape(g, "a", "2x8");
}

Test(onnx_read, an_if_with_an_open_condition_costs_the_dearer_branch) {
  g_autoptr(ho_graph) g = fixture_graph("control.onnx", NULL);
  cr_expect_eq(op_named(g, "either")->flops, 2.0 * 2 * 8 * 8000);
  cr_expect_str_eq(op_named(g, "either")->kind, "if");
}

Test(onnx_read, a_loop_costs_its_body_times_its_trips) {
  g_autoptr(ho_graph) g = fixture_graph("control.onnx", NULL);
  cr_expect_eq(op_named(g, "repeat")->flops, 5 * (2.0 * 2 * 8 * 8 + 2 * 8));
  expect_shape(g, "final", "2x8");
  expect_shape(g, "slices", "5x8");
}

Test(onnx_read, trips_of_an_open_loop_can_be_bound) {
  g_autoptr(ho_graph) once = fixture_graph("control.onnx", NULL), often = fixture_graph("control.onnx", "open.trips=12");
  cr_expect_eq(op_named(often, "open")->flops, 12 * op_named(once, "open")->flops);
  cr_expect_eq(op_named(often, "open")->read, 12 * op_named(once, "open")->read);
  cr_expect_str_eq(once->note, "taken as 1: open.trips (set with --bind NAME=N)");
}

Test(onnx_read, a_scan_runs_as_often_as_what_it_scans_is_long) {
  g_autoptr(ho_graph) g = fixture_graph("control.onnx", NULL);
  cr_expect_eq(op_named(g, "scan")->flops, 7 * (2.0 * 8 + 2 * 8));
  expect_shape(g, "state", "2x8");
  expect_shape(g, "outs", "7x2x8");
}

Test(onnx_read, what_a_body_reads_from_outside_is_an_input_of_its_op) {
  g_autoptr(ho_graph) g = fixture_graph("control.onnx", NULL);
  const ho_tensor small = ho_graph_find_tensor(g, "small");
  cr_expect_eq(g->use_start[small + 1] - g->use_start[small], 4); /* both Ifs, both Loops */
}

/* ---- functions.onnx ---- */

Test(onnx_read, calls_of_functions_become_their_bodies) {
  g_autoptr(ho_graph) g = fixture_graph("functions.onnx", NULL);
  cr_expect_eq(g->n_ops, 4);
  cr_expect_eq(g->n_unknown, 0);
  expect_shape(g, "h", "1x4x4x4");       /* strides from the call */
  expect_shape(g, "y", "1x4x4x4");       /* strides from the default */
  expect_shape(g, "first/T", "1x4x4x4"); /* a tensor of the body */
  cr_expect_str_eq(op_named(g, "first/leaky/act")->kind, "leakyrelu");
  cr_expect_eq(op_named(g, "second/conv")->flops, 2.0 * 4 * 4 * 4 * 4 * 3 * 3);
}

/* ---- unknown.onnx ---- */

Test(onnx_read, an_unknown_operator_keeps_its_name_and_stops_nothing) {
  g_autoptr(ho_graph) g = fixture_graph("unknown.onnx", "new=6");
  cr_expect_str_eq(op_named(g, "a")->kind, "com.acme::Mystery");
  cr_expect_eq(g->n_unknown, 2);
  cr_expect_not_null(strstr(g->note, "com.acme::Mystery (2)"), "%s", g->note);
  expect_shape(g, "r", "4x6"); /* stated by the file */
  expect_shape(g, "m2", "?");
  cr_expect_eq(tensor_named(g, "m2")->bytes, 0);
  cr_expect_not_null(strstr(g->note, "2 tensors of unknown size"), "%s", g->note);
}

Test(onnx_read, a_size_that_depends_on_data_is_its_largest_or_bound) {
  g_autoptr(ho_graph) largest = fixture_graph("unknown.onnx", NULL), bound = fixture_graph("unknown.onnx", "found=3");
  expect_shape(largest, "where", "2x20");
  expect_shape(bound, "where", "2x3");
}

/* ---- quantised.onnx, constants.onnx ---- */

Test(onnx_read, dtypes_follow_zero_points_and_scales) {
  g_autoptr(ho_graph) g = fixture_graph("quantised.onnx", NULL);
  cr_expect_eq(tensor_named(g, "wq")->dtype, HO_INT8);
  cr_expect_eq(tensor_named(g, "xq")->dtype, HO_UINT8);
  cr_expect_eq(tensor_named(g, "xq")->bytes, 4 * 5 * 5);
  cr_expect_eq(tensor_named(g, "xd")->dtype, HO_FP32);
  cr_expect_eq(op_named(g, "y")->flops, 2.0 * 6 * 5 * 5 * 4);
}

Test(onnx_read, constants_are_weights_and_no_ops) {
  g_autoptr(ho_graph) g = fixture_graph("constants.onnx", NULL);
  cr_expect_eq(g->n_ops, 4);
  cr_expect_eq(g->n_edges, 3);
  cr_expect_eq(tensor_named(g, "filled")->role, HO_ROLE_WEIGHT);
  cr_expect_eq(tensor_named(g, "k")->role, HO_ROLE_WEIGHT);
  expect_shape(g, "filled", "2x6");
  expect_shape(g, "out", "2x6");
  cr_expect_eq(tensor_named(g, "out")->is_output, 1);
}

/* ---- bindings ---- */

static void expect_error(const char *fixture, const char *bind, const char *part) {
  g_autofree char *path = fixture_path(fixture);
  g_autoptr(GError) error = NULL;
  ho_graph *g = read_bound(path, bind, &error);
  cr_assert_null(g);
  cr_expect_not_null(strstr(error->message, part), "%s", error->message);
  cr_expect_null(strchr(error->message, '\n'));
}

Test(onnx_read, a_name_that_the_model_does_not_have_cannot_be_bound) {
  expect_error("heads.onnx", "sqe=3", "there is no 'sqe' to bind (did you mean 'seq'?)");
  expect_error("heads.onnx", "colour=3", "there is no 'colour' to bind, expected one of: batch, seq, keys");
  expect_error("quantised.onnx", "batch=3", "all sizes are fixed");
}

Test(onnx_read, a_dimension_cannot_be_negative) {
  expect_error("heads.onnx", "seq=-3", "'seq' is bound to -3");
}

Test(onnx_read, the_same_file_gives_the_same_graph) {
  g_autoptr(ho_graph) a = fixture_graph("control.onnx", NULL), b = fixture_graph("control.onnx", NULL);
  cr_assert_str_eq(a->digest, b->digest);
  g_autoptr(ho_graph) c = fixture_graph("control.onnx", "open.trips=2");
  cr_assert_str_neq(a->digest, c->digest);
}
