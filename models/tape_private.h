/* tape_private.h: the inside of a tape; shared by tape.c, the files of its ops, and tape_backward.c. */
#ifndef HO_MODELS_TAPE_PRIVATE_H
#define HO_MODELS_TAPE_PRIVATE_H

#include "base/arena.h"
#include "models/layers_net.h"
#include "models/tape.h"

/* How an op is differentiated. */
typedef enum {
  HO_RULE_NONE,    /* not at all */
  HO_RULE_PASS,    /* the inputs have the gradient of the output; summed up where an input was repeated */
  HO_RULE_VIEW,    /* so they do, in another shape */
  HO_RULE_PRODUCT, /* an op per input, out of the gradient and the other input */
  HO_RULE_LINEAR,  /* one op for the input, one for the weights */
  HO_RULE_LOCAL,   /* one op for the input and the weights together */
  HO_RULE_SPLIT,   /* concat */
  HO_RULE_CONCAT   /* split */
} ho_rule;

/* What the one op of HO_RULE_LOCAL reads beside the gradient. */
enum { HO_READS_INPUT = 1, HO_READS_OUTPUT = 2, HO_READS_WEIGHT = 4, HO_READS_SAVED = 8, HO_READS_SIDE = 16 };

#define HO_STEP_MAX_SIDE 2

typedef struct {
  ho_rule rule;
  const char *name, *layer; /* the name with the layer */
  int32_t n_in, n_out;
  ho_value in[2];
  const ho_value *many; /* the inputs of a concat, the outputs of a split; else NULL */
  ho_value out;
  int32_t n_side;
  ho_value side[HO_STEP_MAX_SIDE]; /* indices, tables: inputs without a gradient */
  ho_tensor saved;                 /* what forward leaves for backward; -1 */
  int32_t n_weights;
  ho_weight weight[HO_STEP_MAX_WEIGHTS];
  double flops;      /* of PRODUCT and LINEAR, forward and each way back */
  const char *back;  /* kind of the backward op of LOCAL; stem of that of PRODUCT and LINEAR */
  ho_work back_work; /* of LOCAL */
  unsigned reads;
} ho_tape_step;

typedef struct {
  const char *name; /* with its layer */
  ho_tensor tensor;
  ho_value shape;
  int32_t user;       /* the first step that reads it; -1 */
  ho_tensor gradient; /* -1: none yet */
} ho_tape_weight_info;

struct ho_tape {
  ho_graph_build *build;
  ho_arena *arena;
  ho_dtype dtype;
  ho_mode mode;
  ho_phase phase;
  const char *layer;
  GArray *steps;   /* ho_tape_step */
  GArray *weights; /* ho_tape_weight_info */
  GArray *wanted;  /* guint8 by tensor: whether it depends on a weight */
};

static inline ho_tape_step *ho_tape_step_at(const ho_tape *t, int32_t i) {
  return &g_array_index(t->steps, ho_tape_step, i);
}
static inline ho_tape_weight_info *ho_tape_weight_at(const ho_tape *t, ho_weight w) {
  return &g_array_index(t->weights, ho_tape_weight_info, w);
}

double ho_tape_bytes(const ho_tape *t, ho_value v); /* in the tape's precision */
gboolean ho_tape_wants(const ho_tape *t, ho_tensor x);

/* An op or a tensor "name.suffix" (NULL: no suffix), in the current layer, whose name is not prefixed again. */
ho_op ho_tape_op(ho_tape *t, const char *name, const char *suffix, const char *kind, ho_work work);
ho_tensor ho_tape_tensor(ho_tape *t, const char *name, const char *suffix, ho_value shape, ho_op producer);

/* Adds the forward op of a step, whose inputs, sides and weights it reads; the step's output is shaped like step->out. */
ho_value ho_tape_record(ho_tape *t, const char *name, const char *kind, ho_work work, ho_tape_step *step);
/* The same for an op that gives no or several values: the caller makes them. */
ho_op ho_tape_record_op(ho_tape *t, const char *name, const char *kind, ho_work work, ho_tape_step *step);

void ho_tape_backward(ho_tape *t, ho_value logits);

#endif
