/* transformer_block.h: options and parts that transformers share. Not installed.
 *
 * A language model works on `seq` new tokens per sequence, after `past` ones whose keys and values are cached. In the phase
 * `prefill` nothing is cached yet by default, in `decode` one token is new. The caches hold past + seq tokens; new keys and values
 * are put into them in place. Without a past, keys and values of the new tokens are outputs: they are the cache to be. */
#ifndef HO_MODELS_TRANSFORMER_BLOCK_H
#define HO_MODELS_TRANSFORMER_BLOCK_H

#include "models/tape.h"

#define HO_OPTION_BATCH \
  { "batch", HO_OPTION_INT, "1", 1, 65536, NULL, "samples that are worked on together" }
#define HO_OPTION_LAYERS \
  { "layers", HO_OPTION_INT, "0", 0, 1024, NULL, "number of blocks; 0: as published" }
#define HO_OPTION_PRECISION \
  { "precision", HO_OPTION_CHOICE, "fp32", 0, 0, ho_precision_choices, "element type of weights and activations" }
#define HO_OPTION_MODE \
  { "mode", HO_OPTION_CHOICE, "inference", 0, 0, ho_mode_choices, "training adds loss, gradients and AdamW" }

extern const char *const ho_precision_choices[];
extern const char *const ho_mode_choices[]; /* in the order of ho_mode */

/* batch, seq, past, phase, layers, precision, mode: of models that generate. */
extern const ho_option ho_generator_options[];

/* A tape named `name` for such options; options without `batch` give `samples` 1. */
ho_tape *ho_tape_of_options(const char *name, const ho_options *options, double samples);
/* The option `layers`, or what was published. */
int64_t ho_layers_of(const ho_options *options, int64_t published);

typedef struct {
  int64_t batch, seq, past;
  gboolean caches; /* keys and values are kept: of generators in inference */
} ho_sequence;

/* The sequence that the options of a generator describe; FALSE when it is longer than `most` or trains on a cache. */
gboolean ho_sequence_of(const char *name, const ho_options *options, int64_t most, ho_sequence *s, GError **error);

typedef struct {
  ho_sequence seq;
  int64_t heads;
  const char *scale;    /* kind of the op that scales the scores: mul or div */
  const ho_value *mask; /* added to the scores; NULL: none */
  const ho_value *rope; /* table of angles, applied to queries and keys; NULL: none */
} ho_attention;

/* Of projected queries, keys and values [batch, seq, width]; gives the same shape. Ops are "name.…". */
ho_value ho_attend(ho_tape *t, const char *name, const ho_attention *a, ho_value q, ho_value k, ho_value v);

/* "prefix.suffix", owned by the tape. */
const char *ho_tape_name(ho_tape *t, const char *prefix, const char *suffix);

#endif
