/* tape.c: the tape itself, and what its ops are recorded with; see tape.h. The ops are in tape_math.c and tape_data.c. */
#include "models/tape_private.h"

int64_t ho_value_elements(ho_value v) {
  int64_t n = 1;
  for (int32_t i = 0; i < v.rank; i++) n *= v.dim[i];
  return n;
}

/* ---- the tape -------------------------------------------------------------------------------------------------------- */

ho_tape *ho_tape_new(const char *name, const char *source, ho_dtype dtype, ho_mode mode, double samples) {
  ho_tape *t = g_new0(ho_tape, 1);
  t->build = ho_graph_build_new(name, source);
  t->arena = ho_arena_new();
  t->dtype = dtype;
  t->mode = mode;
  t->steps = g_array_new(FALSE, FALSE, sizeof(ho_tape_step));
  t->weights = g_array_new(FALSE, FALSE, sizeof(ho_tape_weight_info));
  t->wanted = g_array_new(FALSE, TRUE, 1);
  ho_graph_build_set(t->build, 0, samples);
  return t;
}

void ho_tape_free(ho_tape *t) {
  ho_graph_build_free(t->build);
  g_array_free(t->steps, TRUE);
  g_array_free(t->weights, TRUE);
  g_array_free(t->wanted, TRUE);
  ho_arena_free(t->arena);
  g_free(t);
}

ho_graph *ho_tape_finish(ho_tape *t, ho_value logits, GError **error) {
  if (t->mode == HO_MODE_TRAINING) ho_tape_backward(t, logits);
  ho_graph *g = ho_graph_build_finish(t->build, error);
  t->build = NULL;
  ho_tape_free(t);
  return g;
}

void ho_tape_layer(ho_tape *t, const char *layer) {
  t->layer = ho_arena_strdup(t->arena, layer);
}

ho_mode ho_tape_mode(const ho_tape *t) {
  return t->mode;
}

/* ---- names and sizes ------------------------------------------------------------------------------------------------- */

static const char *in_layer(const ho_tape *t, const char *name) {
  g_autofree char *full = t->layer ? g_strconcat(t->layer, ".", name, NULL) : g_strdup(name);
  return ho_arena_strdup(t->arena, full);
}

static char *join(const char *name, const char *suffix) {
  return suffix ? g_strconcat(name, ".", suffix, NULL) : g_strdup(name);
}

double ho_tape_bytes(const ho_tape *t, ho_value v) {
  return (double)ho_value_elements(v) * ho_dtype_bits(t->dtype) / 8;
}

/* ---- tensors --------------------------------------------------------------------------------------------------------- */

static ho_tensor make_tensor(ho_tape *t, const char *name, ho_dtype dtype, ho_value shape, ho_role role, ho_op producer) {
  ho_tensor x = ho_graph_build_tensor(t->build, name, dtype, shape.rank, shape.dim, 0, role, producer);
  g_array_set_size(t->wanted, (guint)x + 1);
  return x;
}

ho_tensor ho_tape_tensor(ho_tape *t, const char *name, const char *suffix, ho_value shape, ho_op producer) {
  g_autofree char *full = join(name, suffix);
  return make_tensor(t, full, t->dtype, shape, HO_ROLE_WEIGHT, producer);
}

gboolean ho_tape_wants(const ho_tape *t, ho_tensor x) {
  return g_array_index(t->wanted, guint8, x);
}

ho_value ho_tape_input(ho_tape *t, const char *name, ho_value shape) {
  shape.tensor = make_tensor(t, name, t->dtype, shape, HO_ROLE_INPUT, -1);
  return shape;
}

ho_value ho_tape_indices(ho_tape *t, const char *name, ho_value shape) {
  shape.tensor = make_tensor(t, name, HO_INT64, shape, HO_ROLE_INPUT, -1);
  return shape;
}

ho_weight ho_tape_weight(ho_tape *t, const char *name, ho_value shape) {
  ho_tape_weight_info w = {.name = in_layer(t, name), .shape = shape, .user = -1, .gradient = -1};
  w.tensor = ho_tape_tensor(t, w.name, NULL, shape, -1);
  g_array_append_val(t->weights, w);
  return (ho_weight)t->weights->len - 1;
}

void ho_tape_output(ho_tape *t, ho_value v) {
  ho_graph_build_output(t->build, v.tensor);
}

/* ---- ops ------------------------------------------------------------------------------------------------------------- */

ho_op ho_tape_op(ho_tape *t, const char *name, const char *suffix, const char *kind, ho_work work) {
  g_autofree char *full = join(name, suffix);
  ho_op_info op = ho_op_info_init(full, kind);
  op.phase = t->phase;
  op.layer = t->layer;
  op.flops = work.flops;
  op.read = work.read;
  op.write = work.write;
  op.parallelism = work.items;
  return ho_graph_build_op(t->build, &op);
}

static int32_t n_inputs(const ho_tape_step *s) {
  return s->rule == HO_RULE_CONCAT ? 0 : s->n_in;
}

/* Whether anything that the step reads depends on a weight, so that its output does. */
static gboolean depends_on_weights(const ho_tape *t, const ho_tape_step *s) {
  gboolean wanted = s->n_weights > 0;
  for (int32_t i = 0; i < n_inputs(s); i++) wanted |= ho_tape_wants(t, s->in[i].tensor);
  if (s->rule == HO_RULE_CONCAT)
    for (int32_t i = 0; i < s->n_in; i++) wanted |= ho_tape_wants(t, s->many[i].tensor);
  return wanted;
}

ho_op ho_tape_record_op(ho_tape *t, const char *name, const char *kind, ho_work work, ho_tape_step *s) {
  s->name = in_layer(t, name);
  s->layer = t->layer;
  s->saved = -1;
  ho_op o = ho_tape_op(t, s->name, NULL, kind, work);
  for (int32_t i = 0; i < n_inputs(s); i++) ho_graph_build_consume(t->build, s->in[i].tensor, o);
  if (s->rule == HO_RULE_CONCAT)
    for (int32_t i = 0; i < s->n_in; i++) ho_graph_build_consume(t->build, s->many[i].tensor, o);
  for (int32_t i = 0; i < s->n_side; i++) ho_graph_build_consume(t->build, s->side[i].tensor, o);
  for (int32_t i = 0; i < s->n_weights; i++) {
    ho_tape_weight_info *w = ho_tape_weight_at(t, s->weight[i]);
    if (w->user < 0) w->user = (int32_t)t->steps->len;
    ho_graph_build_consume(t->build, w->tensor, o);
  }
  return o;
}

ho_value ho_tape_record(ho_tape *t, const char *name, const char *kind, ho_work work, ho_tape_step *s) {
  ho_op o = ho_tape_record_op(t, name, kind, work, s);
  s->n_out = 1;
  s->out.tensor = ho_tape_tensor(t, s->name, "out", s->out, o);
  g_array_index(t->wanted, guint8, s->out.tensor) = (guint8)depends_on_weights(t, s);
  g_array_append_vals(t->steps, s, 1);
  return s->out;
}
