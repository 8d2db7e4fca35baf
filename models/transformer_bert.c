/* transformer_bert.c: BERT (Devlin, Chang, Lee, Toutanova, NAACL 2019), uncased, with its pooler, as Hugging Face's BertModel has it.
 * The names of layers and weights are that model's. Training adds a classifier of two classes, as for pairs of sentences. */
#include <string.h>

#include "models/transformer.h"
#include "models/transformer_block.h"

typedef struct {
  const char *name;
  int64_t layers, width, heads;
} bert;

static const bert table[] = {{"bert-base", 12, 768, 12}, {"bert-large", 24, 1024, 16}};

#define VOCABULARY 30522
#define POSITIONS 512
#define SEGMENTS 2
#define CLASSES 2

static const ho_option options_of_bert[] = {
    HO_OPTION_BATCH,  {"seq", HO_OPTION_INT, "128", 1, POSITIONS, NULL, "tokens per sequence"},
    HO_OPTION_LAYERS, HO_OPTION_PRECISION,
    HO_OPTION_MODE,   {.name = NULL}};

typedef struct {
  ho_tape *t;
  int64_t width;
  ho_attention attention;
} model;

static ho_value embed(const model *m) {
  ho_tape *t = m->t;
  ho_sequence s = m->attention.seq;
  ho_value ids = ho_tape_indices(t, "input_ids", ho_shape2(s.batch, s.seq));
  ho_value segments = ho_tape_indices(t, "token_type_ids", ho_shape2(s.batch, s.seq));
  ho_value positions = ho_tape_indices(t, "position_ids", ho_shape1(s.seq));
  ho_tape_layer(t, "embeddings");
  ho_weight words = ho_tape_weight(t, "word_embeddings.weight", ho_shape2(VOCABULARY, m->width));
  ho_weight places = ho_tape_weight(t, "position_embeddings.weight", ho_shape2(POSITIONS, m->width));
  ho_weight types = ho_tape_weight(t, "token_type_embeddings.weight", ho_shape2(SEGMENTS, m->width));
  ho_value x = ho_tape_embedding(t, "word_embeddings", words, ids, m->width);
  x = ho_tape_add(t, "add_type", x, ho_tape_embedding(t, "token_type_embeddings", types, segments, m->width));
  x = ho_tape_add(t, "add_position", x, ho_tape_embedding(t, "position_embeddings", places, positions, m->width));
  return ho_tape_layernorm(t, "LayerNorm", x);
}

static ho_value block(const model *m, ho_value x) {
  ho_tape *t = m->t;
  ho_value q = ho_tape_dense(t, "attention.self.query", x, m->width);
  ho_value k = ho_tape_dense(t, "attention.self.key", x, m->width);
  ho_value v = ho_tape_dense(t, "attention.self.value", x, m->width);
  ho_value y = ho_attend(t, "attention.self", &m->attention, q, k, v);
  y = ho_tape_dense(t, "attention.output.dense", y, m->width);
  x = ho_tape_layernorm(t, "attention.output.LayerNorm", ho_tape_add(t, "attention.output.add", y, x));
  y = ho_tape_pointwise(t, "intermediate.gelu", &ho_gelu, ho_tape_dense(t, "intermediate.dense", x, 4 * m->width));
  y = ho_tape_dense(t, "output.dense", y, m->width);
  return ho_tape_layernorm(t, "output.LayerNorm", ho_tape_add(t, "output.add", y, x));
}

static ho_value pool(const model *m, ho_value x) {
  ho_tape *t = m->t;
  int64_t batch = m->attention.seq.batch;
  ho_tape_layer(t, "pooler");
  x = ho_tape_slice(t, "first", x, ho_shape3(batch, 1, m->width));
  x = ho_tape_reshape(t, "reshape", x, ho_shape2(batch, m->width));
  x = ho_tape_pointwise(t, "tanh", &ho_tanh, ho_tape_gemm(t, "dense", x, m->width));
  if (ho_tape_mode(t) != HO_MODE_TRAINING) return x;
  ho_tape_layer(t, NULL);
  return ho_tape_gemm(t, "classifier", x, CLASSES);
}

static ho_graph *build(const char *name, const ho_options *options, GError **error) {
  const bert *b = table;
  while (strcmp(b->name, name) != 0) b++;
  ho_sequence s = {ho_options_int(options, "batch"), ho_options_int(options, "seq"), 0, FALSE};
  ho_tape *t = ho_tape_of_options(name, options, (double)s.batch);
  ho_value mask = ho_tape_input(t, "attention_mask", ho_shape4(s.batch, 1, 1, s.seq));
  model m = {t, b->width, {s, b->heads, "div", &mask, NULL}};
  ho_value x = embed(&m);
  for (int64_t i = 0, n = ho_layers_of(options, b->layers); i < n; i++) {
    g_autofree char *layer = g_strdup_printf("encoder.layer.%" G_GINT64_FORMAT, i);
    ho_tape_layer(t, layer);
    x = block(&m, x);
  }
  if (ho_tape_mode(t) != HO_MODE_TRAINING) ho_tape_output(t, x);
  return ho_tape_finish(t, pool(&m, x), error);
}

#define BERT(NAME, SUMMARY)                                                                                            \
  {                                                                                                                    \
    .name = NAME, .summary = SUMMARY, .source = "Devlin, Chang, Lee, Toutanova, NAACL 2019; Hugging Face's BertModel", \
    .options = options_of_bert, .build = build                                                                         \
  }

const ho_model_builder ho_model_bert_base = BERT("bert-base", "BERT of 12 blocks, uncased, with pooler, 109.5 M parameters");
const ho_model_builder ho_model_bert_large = BERT("bert-large", "BERT of 24 blocks, uncased, with pooler, 335.1 M parameters");
