/* transformer_gpt2.c: GPT-2 (Radford, Wu, Child, Luan, Amodei, Sutskever, 2019) with its head, which shares the word embeddings, as
 * Hugging Face's GPT2LMHeadModel has it. Logits are computed of every new token. */
#include <string.h>

#include "models/transformer.h"
#include "models/transformer_block.h"

typedef struct {
  const char *name;
  int64_t layers, width, heads;
} gpt2;

static const gpt2 table[] = {
    {"gpt2", 12, 768, 12}, {"gpt2-medium", 24, 1024, 16}, {"gpt2-large", 36, 1280, 20}, {"gpt2-xl", 48, 1600, 25}};

#define VOCABULARY 50257
#define POSITIONS 1024

static ho_value block(ho_tape *t, const ho_attention *a, ho_value x) {
  int64_t width = x.dim[2];
  ho_value qkv[3];
  ho_value y = ho_tape_dense(t, "attn.c_attn", ho_tape_layernorm(t, "ln_1", x), 3 * width);
  ho_tape_split(t, "attn.split", y, 2, 3, qkv);
  y = ho_tape_dense(t, "attn.c_proj", ho_attend(t, "attn", a, qkv[0], qkv[1], qkv[2]), width);
  x = ho_tape_add(t, "add_1", y, x);
  y = ho_tape_dense(t, "mlp.c_fc", ho_tape_layernorm(t, "ln_2", x), 4 * width);
  y = ho_tape_dense(t, "mlp.c_proj", ho_tape_pointwise(t, "mlp.act", &ho_gelu, y), width);
  return ho_tape_add(t, "add_2", y, x);
}

static ho_graph *build(const char *name, const ho_options *options, GError **error) {
  const gpt2 *g = table;
  while (strcmp(g->name, name) != 0) g++;
  ho_sequence s;
  if (!ho_sequence_of(name, options, POSITIONS, &s, error)) return NULL;
  ho_tape *t = ho_tape_of_options(name, options, (double)s.batch);
  ho_value ids = ho_tape_indices(t, "input_ids", ho_shape2(s.batch, s.seq));
  ho_value positions = ho_tape_indices(t, "position_ids", ho_shape1(s.seq));
  ho_value mask = ho_tape_input(t, "attention_mask", ho_shape4(1, 1, s.seq, s.past + s.seq));
  ho_tape_layer(t, "embeddings");
  ho_weight words = ho_tape_weight(t, "wte.weight", ho_shape2(VOCABULARY, g->width));
  ho_weight places = ho_tape_weight(t, "wpe.weight", ho_shape2(POSITIONS, g->width));
  ho_value x = ho_tape_embedding(t, "wte", words, ids, g->width);
  x = ho_tape_add(t, "add", x, ho_tape_embedding(t, "wpe", places, positions, g->width));
  ho_attention a = {s, g->heads, "div", &mask, NULL};
  for (int64_t i = 0, n = ho_layers_of(options, g->layers); i < n; i++) {
    g_autofree char *layer = g_strdup_printf("h.%" G_GINT64_FORMAT, i);
    ho_tape_layer(t, layer);
    x = block(t, &a, x);
  }
  ho_tape_layer(t, "head");
  x = ho_tape_layernorm(t, "ln_f", x);
  return ho_tape_finish(t, ho_tape_linear(t, "lm_head", x, words, VOCABULARY), error);
}

#define GPT2(NAME, SUMMARY)                                                                             \
  {                                                                                                     \
    .name = NAME, .summary = SUMMARY, .source = "Radford et al., 2019; Hugging Face's GPT2LMHeadModel", \
    .options = ho_generator_options, .build = build                                                     \
  }

const ho_model_builder ho_model_gpt2 = GPT2("gpt2", "GPT-2 of 12 blocks, 124.4 M parameters");
const ho_model_builder ho_model_gpt2_medium = GPT2("gpt2-medium", "GPT-2 of 24 blocks, 354.8 M parameters");
const ho_model_builder ho_model_gpt2_large = GPT2("gpt2-large", "GPT-2 of 36 blocks, 774.0 M parameters");
const ho_model_builder ho_model_gpt2_xl = GPT2("gpt2-xl", "GPT-2 of 48 blocks, 1.56 G parameters");
