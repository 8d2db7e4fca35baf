/* test_transformer.c: transformers against published counts, and what training and caches do to them.
 *
 * Parameters: of ViT-B/16 torchvision's `num_params`; of BERT, GPT-2 and Llama 2 what Hugging Face's models of these names have (and what
 * their published sizes give). Multiply-accumulates: of ViT torchvision's `_ops`; of BERT and GPT-2 the sum of MatMul = numel(Y)·K
 * over an ONNX export, of which that of BERT-base at 128 tokens is known exactly. */
#include <criterion/criterion.h>
#include <string.h>

#include "graphs.h"
#include "models/graph_stats.h"
#include "models/rewrite.h"

static int32_t count(const ho_graph_stats *s, const char *kind) {
  for (int32_t k = 0; k < s->n_kinds; k++)
    if (strcmp(s->kinds[k].kind, kind) == 0) return s->kinds[k].ops;
  return 0;
}

static double macs_of(const char *spec) {
  g_autoptr(ho_graph) g = built_in(spec);
  g_autoptr(ho_graph_stats) s = ho_graph_stats_new(g);
  return s->macs;
}

static int64_t weight_bytes_of(const char *spec) {
  g_autoptr(ho_graph) g = built_in(spec);
  g_autoptr(ho_graph_stats) s = ho_graph_stats_new(g);
  return s->weight_bytes;
}

static void expect_failure(const char *spec, const char *part) {
  g_autoptr(GError) error = NULL;
  cr_assert_null(ho_graph_load(spec, NULL, NULL, &error), "%s", spec);
  cr_assert_not_null(strstr(error->message, part), "'%s' is not in: %s", part, error->message);
}

/* ---- published counts ------------------------------------------------------------------------------------------------ */

Test(transformer, parameters_are_the_published_ones) {
  static const struct {
    const char *spec;
    int64_t parameters;
  } published[] = {{"bert-base", 109482240},
                   {"bert-large", 335141888},
                   {"gpt2", 124439808},
                   {"gpt2-medium", 354823168},
                   {"gpt2-large", 774030080},
                   {"gpt2-xl", 1557611200},
                   {"vit-b16", 86567656},
                   {"llama2-7b", 6738415616},
                   {"gpt2:mode=training", 124439808},
                   {"gpt2:phase=decode", 124439808},
                   {"llama2-7b:phase=decode", 6738415616}};
  for (size_t i = 0; i < G_N_ELEMENTS(published); i++) {
    g_autoptr(ho_graph) g = built_in(published[i].spec);
    g_autoptr(ho_graph_stats) s = ho_graph_stats_new(g);
    cr_expect_eq(s->parameters, published[i].parameters, "%s", published[i].spec);
  }
}

/* 11,173,625,856 are those of the 96 products of an ONNX export of BERT-base; the pooler is 768². Vitis AI: 70.66 GOP at 384 tokens. */
Test(transformer, multiply_accumulates_are_the_published_ones) {
  cr_expect_eq(macs_of("bert-base"), 11173625856.0 + 768.0 * 768);
  cr_expect_float_eq(macs_of("bert-base:seq=384") / 1e9, 70.66 / 2, 0.01);
  cr_expect_float_eq(macs_of("vit-b16") / 1e9, 17.564, 0.0005);
}

/* 12·12·d² and the head, 2·12·d·L for attention over L tokens; of Llama 2 32·(4·d² + 3·d·11008) and the head, 2·32·d·L. */
Test(transformer, a_decoded_token_costs_what_the_formulae_say) {
  cr_expect_eq(macs_of("gpt2:phase=decode,past=99"), 144.0 * 768 * 768 + 768.0 * 50257 + 2.0 * 12 * 768 * 100);
  double blocks = 32 * (4.0 * 4096 * 4096 + 3.0 * 4096 * 11008);
  cr_expect_eq(macs_of("llama2-7b:phase=decode,past=999"), blocks + 4096.0 * 32000 + 2.0 * 32 * 4096 * 1000);
}

/* The ops of an ONNX export of BERT-base, which has normalisation and GELU in pieces, no mask and no pooler. */
Test(transformer, bert_has_the_ops_of_an_export) {
  g_autoptr(ho_graph) g = built_in("bert-base");
  g_autoptr(ho_graph_stats) s = ho_graph_stats_new(g);
  cr_expect_eq(count(s, "matmul"), 96);
  cr_expect_eq(count(s, "transpose"), 48);
  cr_expect_eq(count(s, "reshape"), 48 + 1);
  cr_expect_eq(count(s, "softmax"), 12);
  cr_expect_eq(count(s, "gather"), 3);
  cr_expect_eq(count(s, "layernorm"), 25, "25 Sqrt and Pow of the export");
  cr_expect_eq(count(s, "gelu"), 12);
  cr_expect_eq(count(s, "div"), 12, "49 Div of the export, 25 of normalisation, 12 of GELU");
}

static ho_graph *fused(const ho_graph *g) {
  GError *error = NULL;
  g_autoptr(ho_workgraph) w = ho_workgraph_new(g);
  cr_assert_geq(ho_rewrite_everywhere(w, "remove,fold,fuse", NULL, &error), 0);
  ho_graph *f = ho_workgraph_freeze(w, HO_FREEZE_NAMED, &error);
  cr_assert_not_null(f);
  return f;
}

static double bytes_of(const ho_graph_stats *s, const char *kind) {
  for (int32_t k = 0; k < s->n_kinds; k++)
    if (strcmp(s->kinds[k].kind, kind) == 0) return s->kinds[k].bytes;
  return 0;
}

/* Two ways to one graph: ours, and an export whose normalisations and GELUs are in pieces, both after fusion: as many kernels of every
 * kind, and the same bytes to the last one. Beside that ours has a mask, and the export reads its constants: three of every GELU, two of every
 * normalisation, one of every attention. */
Test(transformer, bert_is_an_export_once_both_are_fused) {
  static const struct {
    const char *kind;
    double ours, theirs; /* B that only one of them reads */
  } kinds[] = {{"matmul", 0, 12 * 3 * 4}, {"layernorm", 0, 25 * 2 * 4}, {"attention", 12 * 128 * 4, 12 * 4}, {"transpose", 0, 0}};
  static const char *const names[] = {"batch", "seq"};
  static const int64_t values[] = {1, 128};
  const ho_bindings bindings = {2, names, values};
  g_autofree char *file = shared_file("onnx/files/light_bert_base.onnx");
  g_autoptr(ho_graph) theirs = ho_graph_load(file, NULL, &bindings, NULL);
  g_autoptr(ho_graph) ours = built_in("bert-base");
  cr_assert_not_null(theirs);
  g_autoptr(ho_graph) our_kernels = fused(ours), their_kernels = fused(theirs);
  g_autoptr(ho_graph_stats) s = ho_graph_stats_new(our_kernels), t = ho_graph_stats_new(their_kernels);
  for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
    cr_expect_eq(count(s, kinds[i].kind), count(t, kinds[i].kind), "%s", kinds[i].kind);
    double a = bytes_of(s, kinds[i].kind) - kinds[i].ours, b = bytes_of(t, kinds[i].kind) - kinds[i].theirs;
    cr_expect_eq(a, b, "%s: %.17g, %.17g", kinds[i].kind, a, b);
  }
}

/* ---- structure --------------------------------------------------------------------------------------------------------- */

/* The only consumer of the first output of an op. */
static ho_op next(const ho_graph *g, ho_op o) {
  ho_tensor t = g->out[g->out_start[o]];
  cr_assert_eq(g->use_start[t + 1] - g->use_start[t], 1, "%s", g->tensor[t].name);
  return g->use[g->use_start[t]];
}

Test(transformer, attention_is_the_chain_that_fusion_looks_for) {
  static const char *const chain[] = {"matmul", "div", "add", "softmax", "matmul", "transpose", "reshape", "matmul", "add"};
  g_autoptr(ho_graph) g = built_in("bert-base:layers=1");
  ho_op o = ho_graph_find_op(g, "encoder.layer.0.attention.self.scores");
  for (size_t i = 0; i < G_N_ELEMENTS(chain); i++, o = next(g, o)) {
    cr_assert_str_eq(g->op[o].kind, chain[i]);
    cr_assert_str_eq(g->op[o].layer, "encoder.layer.0");
  }
}

Test(transformer, layers_and_batch_are_what_was_asked_for) {
  g_autoptr(ho_graph) g = built_in("gpt2:layers=3,batch=5,seq=7");
  g_autoptr(ho_graph_stats) s = ho_graph_stats_new(g);
  cr_assert_eq(count(s, "softmax"), 3);
  cr_assert_eq(g->samples, 5);
  const ho_tensor_info *logits = &g->tensor[ho_graph_find_tensor(g, "head.lm_head.out")];
  cr_assert_eq(logits->bytes, 4 * INT64_C(5) * 7 * 50257);
}

/* ---- caches ------------------------------------------------------------------------------------------------------------ */

/* 2·32·4096·2 B of Llama 2 in half precision. */
Test(transformer, a_token_takes_as_much_cache_as_published) {
  int64_t a = weight_bytes_of("llama2-7b:phase=decode,precision=fp16,past=1000");
  int64_t b = weight_bytes_of("llama2-7b:phase=decode,precision=fp16,past=1001");
  cr_assert_eq(b - a, 524288);
}

Test(transformer, caches_are_written_in_place) {
  g_autoptr(ho_graph) g = built_in("gpt2:phase=decode,past=100,batch=2");
  int caches = 0;
  for (ho_tensor t = 0; t < g->n_tensors; t++) {
    const ho_tensor_info *v = &g->tensor[t];
    if (v->role != HO_ROLE_WEIGHT || !g_str_has_suffix(v->name, ".cache")) continue;
    caches++;
    cr_expect_eq(v->bytes, 4 * 2 * 101 * 768, "%s", v->name);
    cr_assert_eq(g->use_start[t + 1] - g->use_start[t], 1);
    ho_op append = g->use[g->use_start[t]];
    cr_expect_eq(g->tensor[g->out[g->out_start[append]]].root, t);
    cr_expect_eq(g->op[append].write, 4 * 2 * 768, "only the new token is written");
  }
  cr_assert_eq(caches, 2 * 12);
}

Test(transformer, prefill_leaves_keys_and_values) {
  g_autoptr(ho_graph) g = built_in("gpt2:seq=10");
  int kept = 0;
  for (ho_tensor t = 0; t < g->n_tensors; t++) kept += g->tensor[t].is_output && g->tensor[t].bytes == 4 * 10 * 768;
  cr_assert_eq(kept, 2 * 12);
  cr_assert_eq(macs_of("gpt2:seq=8,past=2") / macs_of("gpt2:seq=8,past=2,phase=decode"), 1, "phases are only defaults");
}

Test(transformer, what_has_no_positions_or_no_cache_is_refused) {
  expect_failure("gpt2:seq=1025", "expected at most 1024 tokens");
  expect_failure("gpt2:phase=decode,past=1024", "expected at most 1024 tokens");
  expect_failure("gpt2:phase=decode,mode=training", "mode=training has no cache");
  expect_failure("bert-base:seq=513", "seq");
  expect_failure("vit-b16:image=225", "multiple of 16");
  expect_failure("moe:experts=2,top_k=3", "expected at most 2");
}

/* ---- mixture of experts -------------------------------------------------------------------------------------------------- */

/* Rows that the experts of a graph get. */
static int64_t rows_of(const ho_graph *g, int i) {
  g_autofree char *name = g_strdup_printf("layers.0.experts.%d.dispatch.out", i);
  ho_tensor t = ho_graph_find_tensor(g, name);
  return t < 0 ? 0 : g->tensor[t].shape[0];
}

Test(moe, the_load_is_what_was_stated) {
  g_autoptr(ho_graph) even = built_in("moe:width=64,hidden=128,seq=100");
  g_autoptr(ho_graph) skewed = built_in("moe:width=64,hidden=128,seq=100,skew=1");
  g_autoptr(ho_graph) extreme = built_in("moe:width=64,hidden=128,seq=100,skew=16");
  int64_t sum = 0;
  for (int i = 0; i < 8; i++) {
    cr_expect_eq(rows_of(even, i), 25);
    sum += rows_of(skewed, i);
    if (i > 0) cr_expect_leq(rows_of(skewed, i), rows_of(skewed, i - 1));
  }
  cr_expect_eq(sum, 200);
  cr_expect_eq(rows_of(skewed, 0), 74, "200 / (1 + 1/2 + … + 1/8) = 73.6");
  cr_expect_eq(rows_of(extreme, 0), 100, "no expert gets a token twice");
  cr_expect_eq(rows_of(extreme, 1), 100);
  cr_expect_eq(rows_of(extreme, 2), 0);
}

/* A block of Mixtral 8x7B: eight experts of 3·4096·14336, a router of 4096·8, a norm; every token meets two experts. */
Test(moe, a_block_of_mixtral_has_its_size) {
  g_autoptr(ho_graph) g = built_in("moe");
  g_autoptr(ho_graph_stats) s = ho_graph_stats_new(g);
  cr_assert_eq(s->parameters, INT64_C(8) * 3 * 4096 * 14336 + 4096 * 8 + 4096);
  cr_assert_eq(s->macs, 128.0 * (2 * 3.0 * 4096 * 14336 + 4096 * 8));
}

/* ---- two towers ---------------------------------------------------------------------------------------------------------- */

Test(two_tower, towers_meet_in_the_scores_only) {
  g_autoptr(ho_graph) g = built_in("two-tower:batch=4,items=9,layers=2");
  g_autoptr(ho_graph_stats) s = ho_graph_stats_new(g);
  cr_assert_eq(g->tensor[ho_graph_find_tensor(g, "head.scores.out")].bytes, 4 * 4 * 9);
  cr_assert_eq(s->widest, 2);
  cr_assert_eq(s->macs, (4 + 9) * (512.0 * 1024 + 1024.0 * 512) + 4 * 9 * 512);
  cr_assert_eq(s->parameters, 2 * (1000000 * INT64_C(64) + 512 * 1024 + 1024 + 1024 * 512 + 512));
}
