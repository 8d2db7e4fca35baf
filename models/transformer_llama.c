/* transformer_llama.c: Llama 2 with 7 billion parameters (Touvron et al., 2023), as Hugging Face's LlamaForCausalLM has it: RMSNorm
 * (Zhang & Sennrich 2019), rotary positions (Su et al. 2021), SwiGLU (Shazeer 2020), no biases. Logits are computed of every new token. */
#include "models/transformer.h"
#include "models/transformer_block.h"

#define LAYERS 32
#define WIDTH 4096
#define HEADS 32
#define HIDDEN 11008
#define VOCABULARY 32000
#define POSITIONS 4096

static ho_value project(ho_tape *t, const char *name, ho_value x, int64_t n) {
  ho_weight w = ho_tape_weight(t, ho_tape_name(t, name, "weight"), ho_shape2(x.dim[2], n));
  return ho_tape_linear(t, name, x, w, n);
}

static ho_value block(ho_tape *t, const ho_attention *a, ho_value x) {
  ho_value y = ho_tape_rmsnorm(t, "input_layernorm", x);
  ho_value q = project(t, "self_attn.q_proj", y, WIDTH);
  ho_value k = project(t, "self_attn.k_proj", y, WIDTH);
  ho_value v = project(t, "self_attn.v_proj", y, WIDTH);
  y = project(t, "self_attn.o_proj", ho_attend(t, "self_attn", a, q, k, v), WIDTH);
  x = ho_tape_add(t, "add_1", y, x);
  y = ho_tape_rmsnorm(t, "post_attention_layernorm", x);
  ho_value gate = ho_tape_pointwise(t, "mlp.act", &ho_silu, project(t, "mlp.gate_proj", y, HIDDEN));
  y = ho_tape_mul(t, "mlp.mul", gate, project(t, "mlp.up_proj", y, HIDDEN));
  return ho_tape_add(t, "add_2", project(t, "mlp.down_proj", y, WIDTH), x);
}

static ho_graph *build(const char *name, const ho_options *options, GError **error) {
  ho_sequence s;
  if (!ho_sequence_of(name, options, POSITIONS, &s, error)) return NULL;
  ho_tape *t = ho_tape_of_options(name, options, (double)s.batch);
  ho_value ids = ho_tape_indices(t, "input_ids", ho_shape2(s.batch, s.seq));
  ho_value mask = ho_tape_input(t, "attention_mask", ho_shape4(1, 1, s.seq, s.past + s.seq));
  ho_value angles = ho_tape_input(t, "rotary_emb", ho_shape3(2, s.seq, WIDTH / HEADS)); /* cosines and sines */
  ho_tape_layer(t, "embeddings");
  ho_weight words = ho_tape_weight(t, "embed_tokens.weight", ho_shape2(VOCABULARY, WIDTH));
  ho_value x = ho_tape_embedding(t, "embed_tokens", words, ids, WIDTH);
  ho_attention a = {s, HEADS, "mul", &mask, &angles};
  for (int64_t i = 0, n = ho_layers_of(options, LAYERS); i < n; i++) {
    g_autofree char *layer = g_strdup_printf("layers.%" G_GINT64_FORMAT, i);
    ho_tape_layer(t, layer);
    x = block(t, &a, x);
  }
  ho_tape_layer(t, "head");
  return ho_tape_finish(t, project(t, "lm_head", ho_tape_rmsnorm(t, "norm", x), VOCABULARY), error);
}

const ho_model_builder ho_model_llama2_7b = {.name = "llama2-7b",
                                             .summary = "Llama 2 of 32 blocks, 6.74 G parameters",
                                             .source = "Touvron et al., 2023; Hugging Face's LlamaForCausalLM",
                                             .options = ho_generator_options,
                                             .build = build};
