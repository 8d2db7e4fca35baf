/* onnx_model.c: what the parts of the ONNX reader share: containers, names, scopes, bindings. */
#include "models/onnx_model.h"

#include <string.h>

#include "base/error.h"

static void *unpack_alloc(void *arena, size_t size) {
  return ho_arena_alloc(arena, size);
}

static void unpack_free(void *arena, void *p) {
  (void)arena; /* freed with the arena */
  (void)p;
}

ProtobufCAllocator ho_onnx_allocator(ho_onnx_model *m) {
  return (ProtobufCAllocator){.alloc = unpack_alloc, .free = unpack_free, .allocator_data = m->arena};
}

GPtrArray *ho_onnx_array(ho_onnx_model *m) {
  GPtrArray *a = g_ptr_array_new();
  g_ptr_array_add(m->arrays, a);
  return a;
}

GHashTable *ho_onnx_table(ho_onnx_model *m) {
  GHashTable *t = g_hash_table_new(g_str_hash, g_str_equal);
  g_ptr_array_add(m->tables, t);
  return t;
}

GHashTable *ho_onnx_pointer_set(ho_onnx_model *m) {
  GHashTable *t = g_hash_table_new(NULL, NULL);
  g_ptr_array_add(m->tables, t);
  return t;
}

ho_onnx_model *ho_onnx_model_new(const char *file, const ho_bindings *bindings) {
  ho_onnx_model *m = g_new0(ho_onnx_model, 1);
  m->arena = ho_arena_new();
  m->file = ho_arena_strdup(m->arena, file);
  m->bindings = bindings;
  m->arrays = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
  m->tables = g_ptr_array_new_with_free_func((GDestroyNotify)g_hash_table_unref);
  m->opsets = ho_onnx_table(m);
  m->functions = ho_onnx_array(m);
  m->function = ho_onnx_table(m);
  m->symbols = ho_onnx_array(m);
  m->is_symbol = ho_onnx_table(m);
  m->is_remembered = ho_onnx_table(m);
  m->is_used = ho_onnx_table(m);
  m->defaulted = ho_onnx_array(m);
  m->bounded = ho_onnx_array(m);
  m->unknown = ho_onnx_array(m);
  return m;
}

void ho_onnx_model_free(ho_onnx_model *m) {
  if (m == NULL) return;
  g_ptr_array_unref(m->arrays);
  g_ptr_array_unref(m->tables);
  if (m->map) g_mapped_file_unref(m->map);
  ho_arena_free(m->arena);
  g_free(m);
}

const char *ho_onnx_text(ho_onnx_model *m, const char *s) {
  gboolean clean = g_utf8_validate(s, -1, NULL);
  for (const char *p = s; clean && *p; p++) clean = (unsigned char)*p >= 0x20 && *p != 0x7f;
  if (clean) return s;
  char *valid = g_utf8_make_valid(s, -1);
  for (char *p = valid; *p; p++)
    if ((unsigned char)*p < 0x20 || *p == 0x7f) *p = '?';
  const char *kept = ho_arena_strdup(m->arena, valid);
  g_free(valid);
  return kept;
}

void ho_onnx_symbol(ho_onnx_model *m, const char *name) {
  if (!g_hash_table_add(m->is_symbol, (gpointer)name)) return;
  g_ptr_array_add(m->symbols, (gpointer)name);
}

int64_t ho_onnx_bound(ho_onnx_model *m, const char *name, int64_t otherwise, GPtrArray *remember) {
  ho_onnx_symbol(m, name);
  for (int32_t k = 0; m->bindings != NULL && k < m->bindings->n; k++)
    if (strcmp(m->bindings->name[k], name) == 0) {
      g_hash_table_add(m->is_used, (gpointer)name);
      return m->bindings->value[k];
    }
  if (g_hash_table_add(m->is_remembered, (gpointer)name)) g_ptr_array_add(remember, (gpointer)name);
  return otherwise;
}

ho_onnx_tensor *ho_onnx_tensor_new(ho_onnx_model *m, ho_onnx_graph *g, const char *name, ho_onnx_source source) {
  ho_onnx_tensor *t = ho_arena_alloc(m->arena, sizeof *t);
  t->name = ho_onnx_text(m, name);
  t->dtype = HO_DTYPE_NONE;
  t->shape.rank = -1;
  t->source = source;
  t->graph = g;
  t->index = -1;
  if (g != NULL) g_ptr_array_add(g->tensors, t);
  return t;
}

ho_onnx_scope *ho_onnx_scope_new(ho_onnx_model *m, ho_onnx_graph *g, ho_onnx_scope *parent, GHashTable *opsets) {
  ho_onnx_scope *s = ho_arena_alloc(m->arena, sizeof *s);
  s->tensors = ho_onnx_table(m);
  s->parent = parent;
  s->graph = g;
  s->opsets = opsets;
  return s;
}

gboolean ho_onnx_scope_find(const ho_onnx_scope *s, const char *name, ho_onnx_tensor **t) {
  for (; s != NULL; s = s->parent) {
    gpointer found;
    if (g_hash_table_lookup_extended(s->tensors, name, NULL, &found)) {
      *t = found;
      return TRUE;
    }
  }
  return FALSE;
}

gboolean ho_onnx_refuse(const ho_onnx_model *m, size_t offset, GError **error, const char *format, ...) {
  va_list args;
  va_start(args, format);
  char *text = g_strdup_vprintf(format, args);
  va_end(args);
  ho_fail(error, HO_ERROR_INPUT, "%s: offset %zu: %s", m->file, offset, text);
  g_free(text);
  return FALSE;
}
