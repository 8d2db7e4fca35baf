/* graph_build.c: collecting the parts of a graph; see graph_build.h. What is collected is checked by graph_finish.c, except
 * for names, which must be known to be fresh at once. */
#include "models/graph_build.h"

#include "base/error.h"
#include "models/graph_draft.h"

/* A copy that is UTF-8, since names from binary files need not be, and JSON must. */
static char *own_text(ho_graph_build *b, const char *text) {
  if (!text || g_utf8_validate(text, -1, NULL)) return ho_arena_strdup(b->arena, text);
  g_autofree char *repaired = g_utf8_make_valid(text, -1);
  return ho_arena_strdup(b->arena, repaired);
}

ho_graph_build *ho_graph_build_new(const char *name, const char *source) {
  ho_graph_build *b = g_new0(ho_graph_build, 1);
  b->arena = ho_arena_new();
  b->source = ho_arena_strdup(b->arena, source);
  b->name = own_text(b, name);
  b->samples = 1;
  b->ops = g_array_new(FALSE, FALSE, sizeof(ho_op_info));
  b->tensors = g_array_new(FALSE, FALSE, sizeof(ho_tensor_info));
  b->uses = g_array_new(FALSE, FALSE, sizeof(ho_draft_use));
  b->times = g_array_new(FALSE, FALSE, sizeof(ho_draft_time));
  b->op_names = g_hash_table_new(g_str_hash, g_str_equal);
  b->tensor_names = g_hash_table_new(g_str_hash, g_str_equal);
  b->words = g_hash_table_new(g_str_hash, g_str_equal);
  b->kind_index = g_hash_table_new(g_str_hash, g_str_equal);
  b->device_index = g_hash_table_new(g_str_hash, g_str_equal);
  b->kinds = g_ptr_array_new();
  b->devices = g_ptr_array_new();
  return b;
}

static void free_array(GArray *a) {
  if (a) g_array_free(a, TRUE);
}

/* What ho_graph_build_finish has handed to the graph is NULL by then. */
void ho_graph_build_free(ho_graph_build *b) {
  if (!b) return;
  free_array(b->ops);
  free_array(b->tensors);
  free_array(b->uses);
  free_array(b->times);
  g_clear_pointer(&b->op_names, g_hash_table_destroy);
  g_clear_pointer(&b->tensor_names, g_hash_table_destroy);
  g_hash_table_destroy(b->words);
  g_hash_table_destroy(b->kind_index);
  g_hash_table_destroy(b->device_index);
  g_ptr_array_free(b->kinds, TRUE);
  g_ptr_array_free(b->devices, TRUE);
  g_clear_error(&b->error);
  ho_arena_free(b->arena);
  g_free(b);
}

/* ---- errors ---------------------------------------------------------------------------------------------------------- */

static void fail_at(ho_graph_build *b, const char *list, int32_t i, const char *name, const char *format, va_list args) {
  if (b->error) return;
  g_autofree char *message = g_strdup_vprintf(format, args), *shown = ho_printable(name);
  ho_fail(&b->error, HO_ERROR_INPUT, "%s: %s[%d] '%s': %s", b->source, list, i, shown, message);
}

void ho_draft_fail_op(ho_graph_build *b, ho_op o, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fail_at(b, "ops", o, g_array_index(b->ops, ho_op_info, o).name, format, args);
  va_end(args);
}

void ho_draft_fail_tensor(ho_graph_build *b, ho_tensor t, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fail_at(b, "tensors", t, g_array_index(b->tensors, ho_tensor_info, t).name, format, args);
  va_end(args);
}

/* ---- words ----------------------------------------------------------------------------------------------------------- */

/* The one stored copy of a word that many ops share; NULL stays NULL. */
static const char *shared_word(ho_graph_build *b, const char *word) {
  if (!word) return NULL;
  const char *known = g_hash_table_lookup(b->words, word);
  if (known) return known;
  char *copy = own_text(b, word);
  g_hash_table_replace(b->words, copy, copy);
  return copy;
}

/* Index of `word` in `list`, appended when new. */
static int32_t word_index(ho_graph_build *b, GHashTable *index, GPtrArray *list, const char *word) {
  gpointer known = g_hash_table_lookup(index, word);
  if (known) return GPOINTER_TO_INT(known) - 1;
  char *copy = own_text(b, word);
  g_ptr_array_add(list, copy);
  g_hash_table_insert(index, copy, GINT_TO_POINTER((gint)list->len));
  return (int32_t)list->len - 1;
}

/* ---- the graph as a whole -------------------------------------------------------------------------------------------- */

void ho_graph_build_set(ho_graph_build *b, double period, double samples) {
  b->period = period;
  b->samples = samples;
}

void ho_graph_build_note(ho_graph_build *b, int32_t n_unknown, const char *note) {
  b->n_unknown = n_unknown;
  b->note = own_text(b, note);
}

/* ---- ops ------------------------------------------------------------------------------------------------------------- */

ho_op_info ho_op_info_init(const char *name, const char *kind) {
  return (ho_op_info){.name = name, .kind = kind, .read = NAN, .write = NAN, .n_times = -1};
}

ho_op ho_graph_build_op(ho_graph_build *b, const ho_op_info *info) {
  ho_op o = (ho_op)b->ops->len;
  ho_op_info op = *info;
  op.name = own_text(b, info->name);
  op.kind_index = word_index(b, b->kind_index, b->kinds, info->kind);
  op.kind = g_ptr_array_index(b->kinds, op.kind_index);
  op.family = ho_family_of_kind(op.kind);
  op.layer = shared_word(b, info->layer);
  op.n_times = -1;
  op.times = NULL;
  g_array_append_val(b->ops, op);
  gpointer taken = g_hash_table_lookup(b->op_names, op.name);
  if (taken)
    ho_draft_fail_op(b, o, "ops[%d] has this name already: names of ops must differ", GPOINTER_TO_INT(taken) - 1);
  else
    g_hash_table_insert(b->op_names, (gpointer)op.name, GINT_TO_POINTER(o + 1));
  return o;
}

void ho_graph_build_time_table(ho_graph_build *b, ho_op o) {
  ho_op_info *op = &g_array_index(b->ops, ho_op_info, o);
  if (op->n_times < 0) op->n_times = 0;
}

void ho_graph_build_time(ho_graph_build *b, ho_op o, const char *device, double seconds) {
  ho_draft_time time = {o, word_index(b, b->device_index, b->devices, device), seconds};
  g_array_append_val(b->times, time);
  ho_graph_build_time_table(b, o);
  g_array_index(b->ops, ho_op_info, o).n_times++;
}

/* ---- tensors --------------------------------------------------------------------------------------------------------- */

int64_t ho_graph_shape_bytes(ho_dtype dtype, int32_t rank, const int64_t *shape) {
  int64_t limit = HO_GRAPH_MAX_BYTES, elements = 1, bits = ho_dtype_bits(dtype);
  for (int32_t i = 0; i < rank; i++) {
    if (shape[i] < 0) return -1;
    if (shape[i] == 0) limit = 0; /* no elements, however large the other dimensions */
  }
  if (limit == 0) return 0;
  for (int32_t i = 0; i < rank; i++) {
    if (elements > limit / shape[i]) return -1;
    elements *= shape[i];
  }
  int64_t bytes = elements / 8 * bits + (elements % 8 * bits + 7) / 8; /* 2^56 / 8 * 128 fits */
  return bytes > limit ? -1 : bytes;
}

ho_tensor ho_graph_build_tensor(ho_graph_build *b, const char *name, ho_dtype dtype, int32_t rank, const int64_t *shape,
                                int64_t bytes, ho_role role, ho_op producer) {
  ho_tensor t = (ho_tensor)b->tensors->len;
  ho_tensor_info tensor = {
      .name = own_text(b, name),
      .bytes = rank >= 0 ? ho_graph_shape_bytes(dtype, rank, shape) : bytes,
      .dtype = dtype,
      .rank = rank,
      .shape = rank > 0 ? ho_arena_memdup(b->arena, shape, sizeof *shape * (size_t)rank) : NULL,
      .role = producer >= 0          ? HO_ROLE_NONE
              : role == HO_ROLE_NONE ? HO_ROLE_INPUT
                                     : role,
      .alias = -1,
      .root = t,
      .producer = producer,
  };
  g_array_append_val(b->tensors, tensor);
  gpointer taken = g_hash_table_lookup(b->tensor_names, tensor.name);
  if (taken)
    ho_draft_fail_tensor(b, t, "tensors[%d] has this name already: a tensor is listed once, with one producer",
                         GPOINTER_TO_INT(taken) - 1);
  else
    g_hash_table_insert(b->tensor_names, (gpointer)tensor.name, GINT_TO_POINTER(t + 1));
  return t;
}

void ho_graph_build_consume(ho_graph_build *b, ho_tensor t, ho_op consumer) {
  ho_draft_use use = {t, consumer};
  g_array_append_val(b->uses, use);
}

void ho_graph_build_alias(ho_graph_build *b, ho_tensor t, ho_tensor of) {
  g_array_index(b->tensors, ho_tensor_info, t).alias = of;
}

void ho_graph_build_memory(ho_graph_build *b, ho_tensor t, const char *memory) {
  g_array_index(b->tensors, ho_tensor_info, t).memory = shared_word(b, memory);
}

void ho_graph_build_output(ho_graph_build *b, ho_tensor t) {
  g_array_index(b->tensors, ho_tensor_info, t).is_output = 1;
}

ho_op ho_graph_build_find_op(const ho_graph_build *b, const char *name) {
  return GPOINTER_TO_INT(g_hash_table_lookup(b->op_names, name)) - 1;
}

ho_tensor ho_graph_build_find_tensor(const ho_graph_build *b, const char *name) {
  return GPOINTER_TO_INT(g_hash_table_lookup(b->tensor_names, name)) - 1;
}
