/* fuse_layers.c: fusion around one heavy op: convolution, matrix product, quantised op; and chains of pointwise ops. See fuse.h.
 *
 * What follows a convolution or product into its epilogue: ONNX Runtime's FusedConv and FusedGemm, cuDNN's and cuBLASLt's epilogues. */
#include <string.h>

#include "models/rules/fuse.h"

static const char *const epilogues[] = {"add",  "batchnorm",   "cast",      "celu",      "clip", "div",      "elu",
                                        "gelu", "hardsigmoid", "hardswish", "leakyrelu", "mish", "mul",      "prelu",
                                        "relu", "relu6",       "selu",      "sigmoid",   "silu", "softplus", "softsign",
                                        "sub",  "tanh",        "threshold", NULL};

static gboolean ends_in_grad(const char *kind) {
  return g_str_has_suffix(kind, "grad");
}

static gboolean is_epilogue(const ho_workgraph *w, ho_op o) {
  return ho_is_unary(w, o) && ho_is_one_of(w, o, epilogues);
}

/* x · sigmoid(x): both readers of the only output of `o`. Returns the product, or -1. */
static ho_op gate_of(const ho_workgraph *w, ho_op o, ho_op *sigmoid) {
  static const char *const gates[] = {"sigmoid", "hardsigmoid", NULL};
  ho_tensor t = ho_workgraph_only_output(w, o);
  if (t < 0 || w->tensor[t].info.is_output || w->tensor[t].use.n != 2) return -1;
  for (int i = 0; i < 2; i++) {
    ho_op s = w->tensor[t].use.item[i], m = w->tensor[t].use.item[1 - i];
    if (ho_is_one_of(w, s, gates) && ho_is_kind(w, m, "mul") && ho_next(w, s) == m) {
      *sigmoid = s;
      return m;
    }
  }
  return -1;
}

/* An addition of two maps of one size: a residual connection. */
static gboolean is_residual(const ho_workgraph *w, ho_op o) {
  if ((!ho_is_kind(w, o, "add") && !ho_is_kind(w, o, "sum")) || w->op[o].out.n != 1 || w->op[o].in.n != 2) return FALSE;
  int64_t bytes = w->tensor[w->op[o].out.item[0]].info.bytes;
  for (int i = 0; i < 2; i++)
    if (w->tensor[w->op[o].in.item[i]].info.bytes != bytes) return FALSE;
  return TRUE;
}

static void grow_epilogue(const ho_workgraph *w, ho_group *g, int residuals) {
  for (ho_op last = g->op[g->n - 1];;) {
    ho_op next = ho_next(w, last), sigmoid;
    if (is_epilogue(w, next)) {
      if (!ho_group_add(g, next)) return;
    } else if (residuals > 0 && is_residual(w, next)) {
      if (!ho_group_add(g, next)) return;
      residuals--;
    } else if ((next = gate_of(w, last, &sigmoid)) >= 0) {
      if (!ho_group_add(g, sigmoid) || !ho_group_add(g, next)) return;
    } else {
      return;
    }
    last = next;
  }
}

static gboolean match_conv(const ho_workgraph *w, ho_op o, ho_group *g) {
  const ho_op_info *x = &w->op[o].info;
  if ((x->family != HO_FAMILY_CONV && x->family != HO_FAMILY_DEPTHWISE) || ends_in_grad(x->kind)) return FALSE;
  ho_group_add(g, o);
  grow_epilogue(w, g, 1);
  return g->n > 1;
}

static gboolean match_gemm(const ho_workgraph *w, ho_op o, ho_group *g) {
  const ho_op_info *x = &w->op[o].info;
  if (x->family != HO_FAMILY_GEMM || ends_in_grad(x->kind)) return FALSE;
  ho_group_add(g, o);
  grow_epilogue(w, g, 0);
  return g->n > 1;
}

/* ---- dequantise, op, quantise ------------------------------------------------------------------------------------------ */

static gboolean add_dequantizers(const ho_workgraph *w, ho_op o, ho_group *g) {
  int32_t n = 0;
  for (int32_t i = 0; i < w->op[o].in.n; i++) {
    ho_tensor t = w->op[o].in.item[i];
    ho_op p = w->tensor[t].info.producer;
    if (p < 0 && w->tensor[t].info.role == HO_ROLE_WEIGHT) continue;
    if (!ho_is_kind(w, p, "dequantize") || ho_next(w, p) != o || !ho_group_add(g, p)) return FALSE;
    n++;
  }
  return n > 0;
}

static gboolean match_quantized(const ho_workgraph *w, ho_op o, ho_group *g) {
  static const char *const own[] = {"quantize", "dequantize", NULL};
  if (ho_is_one_of(w, o, own) || !add_dequantizers(w, o, g) || !ho_group_add(g, o)) return FALSE;
  ho_op last = o, next = ho_next(w, o);
  for (; is_epilogue(w, next); last = next, next = ho_next(w, next))
    if (!ho_group_add(g, next)) return FALSE;
  next = ho_next(w, last);
  return ho_is_kind(w, next, "quantize") && ho_group_add(g, next);
}

/* ---- chains ------------------------------------------------------------------------------------------------------------ */

static gboolean is_chained(const ho_workgraph *w, ho_op o) {
  for (int32_t i = 0; i < w->op[o].in.n; i++) {
    ho_op p = w->tensor[w->op[o].in.item[i]].info.producer;
    if (ho_is_pointwise(w, p) && ho_next(w, p) == o) return TRUE;
  }
  return FALSE;
}

static gboolean match_pointwise(const ho_workgraph *w, ho_op o, ho_group *g) {
  if (!ho_is_pointwise(w, o) || is_chained(w, o)) return FALSE;
  for (ho_op next = o; ho_is_pointwise(w, next); next = ho_next(w, next))
    if (!ho_group_add(g, next)) break;
  return g->n > 1;
}

const ho_fuse_pattern ho_fuse_conv = {"conv+epilogue", match_conv}, ho_fuse_gemm = {"gemm+epilogue", match_gemm},
                      ho_fuse_quantized = {"dequantize+op+quantize", match_quantized},
                      ho_fuse_pointwise = {"pointwise chain", match_pointwise};
