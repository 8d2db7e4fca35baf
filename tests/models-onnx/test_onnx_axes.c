/* test_onnx_axes.c: what attributes and the order of operands rule out, for a node of every sort, by hand from the operators' definitions. That
 * what is left is right, and nothing more than this goes wrong, tests/onnxruntime.sh shows on the same file. */
#include <criterion/criterion.h>

#include "tests/models-onnx/onnx_files.h"

enum {
  PRODUCT = 1 << HO_AXIS_ROWS | 1 << HO_AXIS_COLUMNS | 1 << HO_AXIS_REDUCTION,
  CHANNELS = 1 << HO_AXIS_CHANNELS,
  BATCH = 1 << HO_AXIS_BATCH,
  HEADS = 1 << HO_AXIS_HEADS
};

/* traps.onnx: written by tests/onnxruntime/models.py, which says what each is. */
Test(onnx_axes, what_mixes_samples_heads_or_operands_says_so) {
  static const struct {
    const char *op;
    uint32_t unsplit;
  } expected[] = {{"softmax_first", BATCH},
                  {"softmax_second", HEADS},
                  {"softmax_last", 0},
                  {"logsoftmax_first", BATCH}, /* axis -2 of two */
                  {"hardmax_first", BATCH},
                  {"layernorm_first", BATCH | HEADS}, /* all dimensions from its axis on */
                  {"layernorm_last", 0},
                  {"lpnorm_first", BATCH},
                  {"meanvariance", BATCH}, /* axes 0, 2, 3 unless said otherwise */
                  {"meanvariance_inner", 0},
                  {"pad_shifts", BATCH},
                  {"pad_columns", HEADS},
                  {"slice_backwards", BATCH},
                  {"slice_columns", HEADS},
                  {"gather_rows", 0},
                  {"gather_columns", BATCH},
                  {"expand_outside", BATCH | HEADS},
                  {"product_left", PRODUCT | BATCH},
                  {"product_self", PRODUCT | BATCH},
                  {"product_stacked", 0},
                  {"gemm_turned", PRODUCT | BATCH},
                  {"gemm_bias_square", PRODUCT | BATCH}, /* weight or bias: shapes do not say */
                  {"conv_dynamic", CHANNELS | BATCH},    /* its kernel is no weight */
                  {"prelu", 0},
                  {"add_column", 0}};
  g_autoptr(ho_graph) g = fixture_graph("traps.onnx", NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(expected); i++) {
    g_autofree char *name = g_strconcat(expected[i].op, "_op", NULL);
    ho_op o = ho_graph_find_op(g, name);
    cr_assert_geq(o, 0, "%s", name);
    cr_expect_eq(g->op[o].unsplit, expected[i].unsplit, "%s: %x", name, g->op[o].unsplit);
  }
}
