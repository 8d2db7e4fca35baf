/* transformer_block.c: see transformer_block.h. */
#include "models/transformer_block.h"

#include "base/error.h"
#include "models/tape_private.h"

/* ---- options --------------------------------------------------------------------------------------------------------- */

const char *const ho_precision_choices[] = {"fp64", "fp32", "tf32", "bf16", "fp16", "fp8", "int8", "int4", NULL};
const char *const ho_mode_choices[] = {"inference", "training", NULL};
static const char *const phase_choices[] = {"prefill", "decode", NULL};
enum { PREFILL, DECODE };

#define PREFILL_SEQ 128
#define DECODE_PAST 512

const ho_option ho_generator_options[] = {
    HO_OPTION_BATCH,
    {"phase", HO_OPTION_CHOICE, "prefill", 0, 0, phase_choices,
     "prefill: many new tokens; decode: one, after those in the cache"},
    {"seq", HO_OPTION_INT, "0", 0, 1048576, NULL, "new tokens per sequence; 0: 128 in prefill, 1 in decode"},
    {"past", HO_OPTION_INT, "-1", -1, 1048576, NULL, "tokens in the cache before; -1: none in prefill, 512 in decode"},
    HO_OPTION_LAYERS,
    HO_OPTION_PRECISION,
    HO_OPTION_MODE,
    {.name = NULL}};

ho_tape *ho_tape_of_options(const char *name, const ho_options *options, double samples) {
  g_autofree char *canonical = ho_options_canonical(options), *source = g_strconcat(name, ":", canonical, NULL);
  ho_dtype dtype = ho_dtype_parse(ho_options_string(options, "precision"));
  return ho_tape_new(name, source, dtype, (ho_mode)ho_options_int(options, "mode"), samples);
}

int64_t ho_layers_of(const ho_options *options, int64_t published) {
  int64_t n = ho_options_int(options, "layers");
  return n > 0 ? n : published;
}

gboolean ho_sequence_of(const char *name, const ho_options *options, int64_t most, ho_sequence *s, GError **error) {
  gboolean decode = ho_options_int(options, "phase") == DECODE, training = ho_options_int(options, "mode") == HO_MODE_TRAINING;
  int64_t seq = ho_options_int(options, "seq"), past = ho_options_int(options, "past");
  *s = (ho_sequence){ho_options_int(options, "batch"), seq, past, !training};
  if (seq == 0) s->seq = decode ? 1 : PREFILL_SEQ;
  if (past < 0) s->past = decode ? DECODE_PAST : 0;
  if (training && s->past > 0)
    return ho_fail(error, HO_ERROR_INPUT,
                   "%s: past is %" G_GINT64_FORMAT ": mode=training has no cache, expected phase=prefill and past=0", name,
                   s->past);
  if (s->seq + s->past > most)
    return ho_fail(error, HO_ERROR_INPUT,
                   "%s: seq + past is %" G_GINT64_FORMAT ": expected at most %" G_GINT64_FORMAT
                   " tokens, for which the model has positions",
                   name, s->seq + s->past, most);
  return TRUE;
}

/* ---- attention ------------------------------------------------------------------------------------------------------- */

const char *ho_tape_name(ho_tape *t, const char *prefix, const char *suffix) {
  g_autofree char *name = g_strconcat(prefix, ".", suffix, NULL);
  return ho_arena_strdup(t->arena, name);
}

typedef struct {
  ho_tape *t;
  const char *name;
  const ho_attention *a;
  int64_t head; /* width of one head */
} attention;

static const char *named(const attention *x, const char *part, const char *suffix) {
  return ho_tape_name(x->t, ho_tape_name(x->t, x->name, part), suffix);
}

/* [batch, seq, width] -> [batch, heads, seq, head]. */
static ho_value heads_first(const attention *x, const char *part, ho_value v) {
  const ho_attention *a = x->a;
  v = ho_tape_reshape(x->t, named(x, part, "reshape"), v, ho_shape4(a->seq.batch, a->seq.seq, a->heads, x->head));
  return ho_tape_transpose(x->t, named(x, part, "transpose"), v, ho_shape4(a->seq.batch, a->heads, a->seq.seq, x->head));
}

/* Keys are kept transposed, [batch, heads, head, tokens], so that only the new ones are ever turned. */
static ho_value turned_keys(const attention *x, ho_value k) {
  const ho_attention *a = x->a;
  ho_value shape = ho_shape4(a->seq.batch, a->heads, x->head, a->seq.seq);
  if (!a->rope) {
    k = ho_tape_reshape(x->t, named(x, "k", "reshape"), k, ho_shape4(a->seq.batch, a->seq.seq, a->heads, x->head));
    return ho_tape_transpose(x->t, named(x, "k", "transpose"), k, shape);
  }
  k = ho_tape_rope(x->t, named(x, "k", "rope"), heads_first(x, "k", k), *a->rope);
  return ho_tape_transpose(x->t, named(x, "k", "turn"), k, shape);
}

static ho_value cached(const attention *x, const char *part, ho_value v, ho_value shape) {
  if (!x->a->seq.caches) return v;
  if (x->a->seq.past > 0) {
    v = ho_tape_append(x->t, named(x, part, "append"), named(x, part, "cache"), v, shape);
    return v;
  }
  ho_tape_output(x->t, v);
  return v;
}

ho_value ho_attend(ho_tape *t, const char *name, const ho_attention *a, ho_value q, ho_value k, ho_value v) {
  int64_t width = q.dim[2], all = a->seq.past + a->seq.seq;
  attention x = {t, name, a, width / a->heads};
  q = heads_first(&x, "q", q);
  if (a->rope) q = ho_tape_rope(t, named(&x, "q", "rope"), q, *a->rope);
  k = cached(&x, "k", turned_keys(&x, k), ho_shape4(a->seq.batch, a->heads, x.head, all));
  v = cached(&x, "v", heads_first(&x, "v", v), ho_shape4(a->seq.batch, a->heads, all, x.head));
  ho_value s = ho_tape_matmul(t, ho_tape_name(t, name, "scores"), q, k);
  s = ho_tape_scale(t, ho_tape_name(t, name, "scale"), a->scale, s);
  if (a->mask) s = ho_tape_add(t, ho_tape_name(t, name, "mask"), s, *a->mask);
  s = ho_tape_softmax(t, ho_tape_name(t, name, "softmax"), s);
  s = ho_tape_matmul(t, ho_tape_name(t, name, "context"), s, v);
  s = ho_tape_transpose(t, ho_tape_name(t, name, "transpose"), s, ho_shape4(a->seq.batch, a->seq.seq, a->heads, x.head));
  return ho_tape_reshape(t, ho_tape_name(t, name, "reshape"), s, ho_shape3(a->seq.batch, a->seq.seq, width));
}
