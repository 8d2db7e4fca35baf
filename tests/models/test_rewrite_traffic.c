/* test_rewrite_traffic.c: activation traffic before and after fusion, against what ONNX Runtime 1.20.1 leaves at its level "extended"
 * (counted over its optimised graphs; fp32, batch 1, weights left out): ResNet-50 323.6 and 202.0 MB, BERT-base with 128 tokens
 * 678.4 and 315.0 MB. docs/rewrites.md explains the differences that these tests put numbers to. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "models/rewrite_report.h"
#include "models/source.h"

static char *shared_file(const char *name) {
  const char *shared = g_getenv("HO_SHARED"), *source = g_getenv("HO_TEST_SRCDIR");
  g_autofree char *folder = shared ? g_strdup(shared) : g_build_filename(source ? source : ".", "..", "shared", NULL);
  char *path = g_build_filename(folder, "onnx", "files", name, NULL);
  if (!g_file_test(path, G_FILE_TEST_EXISTS)) cr_skip("no reference data: %s is absent", path);
  return path;
}

static ho_graph *load(const char *spec, const ho_bindings *b) {
  GError *error = NULL;
  ho_graph *g = ho_graph_load(spec, NULL, b, &error);
  cr_assert_not_null(g, "%s", error ? error->message : "");
  return g;
}

static ho_graph *bert(void) {
  static const char *const names[] = {"batch", "seq"};
  static const int64_t values[] = {1, 128};
  ho_bindings b = {2, names, values};
  g_autofree char *path = shared_file("light_bert_base.onnx");
  return load(path, &b);
}

/* ---- fusing some of the patterns only ---------------------------------------------------------------------------------- */

/* Whether a candidate is wanted; it may be cut short. */
typedef gboolean (*wanted)(const ho_workgraph *w, ho_candidate *c);

typedef struct {
  const ho_workgraph *w;
  wanted want;
  ho_candidate first;
  gboolean any;
} choice;

static ho_find_answer choose(const ho_candidate *c, void *data) {
  choice *x = data;
  x->first = *c;
  if (!x->want(x->w, &x->first)) return HO_FIND_ON;
  x->any = TRUE;
  return HO_FIND_ENOUGH;
}

/* MB of activation traffic after fusing what is wanted, one after the other. */
static double fused_traffic(const ho_graph *g, wanted want) {
  g_autoptr(ho_workgraph) w = ho_workgraph_new(g);
  for (choice x = {w, want, {0}, TRUE}; x.any;) {
    x.any = FALSE;
    ho_rewrite_rule_find("fuse")->find(w, -1, choose, &x);
    if (x.any) cr_assert(ho_candidate_apply(w, &x.first, NULL));
  }
  g_autoptr(ho_graph) after = ho_workgraph_freeze(w, HO_FREEZE_PLAIN, NULL);
  return ho_graph_activation_traffic(after) / 1e6;
}

static gboolean any(const ho_workgraph *w, ho_candidate *c) {
  (void)w, (void)c;
  return TRUE;
}

static gboolean is_kind(const ho_workgraph *w, ho_op o, const char *kind) {
  return strcmp(w->op[o].info.kind, kind) == 0;
}

static gboolean without_residual(const ho_workgraph *w, ho_candidate *c) {
  int32_t n = 0;
  while (n < c->n_ops && !is_kind(w, c->op[n], "add") && !is_kind(w, c->op[n], "sum")) n++;
  c->n_ops = n;
  return n > 1;
}

/* Layer normalisation with residual and bias, GELU with bias, a scale into the product before it; products keep no bias and attention is
 * left in pieces. */
static gboolean as_ort_extended(const ho_workgraph *w, ho_candidate *c) {
  if (strcmp(c->pattern, "pointwise chain") == 0)
    return c->n_ops == 2 && is_kind(w, c->op[0], "add") && is_kind(w, c->op[1], "gelu");
  if (strcmp(c->pattern, "gemm+epilogue") == 0) return c->n_ops == 2 && is_kind(w, c->op[1], "div");
  return strcmp(c->pattern, "attention") != 0;
}

static double kind_bytes(const ho_graph *g, const char *kind) {
  double sum = 0;
  for (ho_op o = 0; o < g->n_ops; o++)
    if (strcmp(g->op[o].kind, kind) == 0)
      for (int32_t i = g->out_start[o]; i < g->out_start[o + 1]; i++) sum += (double)g->tensor[g->out[i]].bytes / 1e6;
  return sum;
}

static void near(const char *what, double mb, double expected, double tolerance) {
  cr_log_info("%s: %.1f MB", what, mb);
  cr_assert_leq(fabs(mb - expected), tolerance * expected, "%s: %.2f MB, expected %.2f", what, mb, expected);
}

Test(rewrite_traffic, resnet50_unfused_is_what_onnx_runtime_counts) {
  g_autoptr(ho_graph) g = load("resnet50:batch=1", NULL);
  near("before", ho_graph_activation_traffic(g) / 1e6, 323.6, 0.002);
}

/* Level "extended" does not take the residual addition, nor the activation behind it, into the convolution. */
Test(rewrite_traffic, resnet50_without_residuals_is_what_onnx_runtime_leaves) {
  g_autoptr(ho_graph) g = load("resnet50:batch=1", NULL);
  near("without residuals", fused_traffic(g, without_residual), 202.0, 0.001);
  near("all patterns", fused_traffic(g, any), 113.6, 0.0005);
}

Test(rewrite_traffic, resnet50_of_the_onnx_file_agrees_with_the_builder) {
  g_autofree char *path = shared_file("light_resnet50.onnx");
  g_autoptr(ho_graph) g = load(path, NULL), built = load("resnet50:batch=1", NULL);
  near("before", ho_graph_activation_traffic(g) / 1e6, 323.6, 0.002);
  near("all patterns", fused_traffic(g, any), fused_traffic(built, any), 0.001);
}

/* ONNX Runtime's count has reshapes read and write, which move nothing here. */
Test(rewrite_traffic, bert_unfused_differs_by_its_reshapes) {
  g_autoptr(ho_graph) g = bert();
  double views = 2 * kind_bytes(g, "reshape");
  near("before, reshapes added", ho_graph_activation_traffic(g) / 1e6 + views, 678.4, 0.0005);
}

Test(rewrite_traffic, bert_fused_is_what_onnx_runtime_leaves_and_less_with_products_and_attention) {
  g_autoptr(ho_graph) g = bert();
  double views = 2 * kind_bytes(g, "reshape");
  near("as extended, reshapes added", fused_traffic(g, as_ort_extended) + views, 315.0, 0.004);
  near("all patterns", fused_traffic(g, any), 172.6, 0.0005);
}
