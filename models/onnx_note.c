/* onnx_note.c: what the reader assumed, in one line for the user. */
#include "models/onnx_note.h"

#include <string.h>

enum { MOST_NAMES = 8 };

char *ho_onnx_name_list(const GPtrArray *names) {
  GString *s = g_string_new(NULL);
  for (guint k = 0; k < names->len && k < MOST_NAMES; k++)
    g_string_append_printf(s, "%s%s", k ? ", " : "", (const char *)names->pdata[k]);
  if (names->len > MOST_NAMES) g_string_append_printf(s, " and %u more", names->len - MOST_NAMES);
  return g_string_free(s, FALSE);
}

/* Each name once, with how often it comes: "Foo (3), Bar". */
static GPtrArray *counted(const GPtrArray *names) {
  GPtrArray *list = g_ptr_array_new_with_free_func(g_free);
  GHashTable *count = g_hash_table_new(g_str_hash, g_str_equal);
  GPtrArray *order = g_ptr_array_new();
  for (guint k = 0; k < names->len; k++) {
    const int before = GPOINTER_TO_INT(g_hash_table_lookup(count, names->pdata[k]));
    if (before == 0) g_ptr_array_add(order, names->pdata[k]);
    g_hash_table_insert(count, names->pdata[k], GINT_TO_POINTER(before + 1));
  }
  for (guint k = 0; k < order->len; k++) {
    const char *name = order->pdata[k];
    const int n = GPOINTER_TO_INT(g_hash_table_lookup(count, name));
    g_ptr_array_add(list, n > 1 ? g_strdup_printf("%s (%d)", name, n) : g_strdup(name));
  }
  g_ptr_array_unref(order);
  g_hash_table_unref(count);
  return list;
}

static void add(GString *s, const char *before, const GPtrArray *names, const char *after) {
  if (names->len == 0) return;
  char *list = ho_onnx_name_list(names);
  g_string_append_printf(s, "%s%s%s%s", s->len ? "; " : "", before, list, after);
  g_free(list);
}

/* Bound names that nothing asked for, because inference knows the sizes that carry them. */
static GPtrArray *without_effect(const ho_onnx_model *m) {
  GPtrArray *list = g_ptr_array_new();
  for (int32_t k = 0; m->bindings != NULL && k < m->bindings->n; k++)
    if (!g_hash_table_contains(m->is_used, m->bindings->name[k])) g_ptr_array_add(list, (gpointer)m->bindings->name[k]);
  return list;
}

char *ho_onnx_note(const ho_onnx_model *m, size_t n_unsized) {
  GString *s = g_string_new(NULL);
  GPtrArray *unknown = counted(m->unknown), *idle = without_effect(m);
  add(s, "taken as 1: ", m->defaulted, " (set with --bind NAME=N)");
  add(s, "sizes that depend on data, taken at their largest: ", m->bounded, " (set with --bind NAME=N)");
  add(s, "bound without effect, since other sizes decide it: ", idle, "");
  add(s, "operators without a cost rule: ", unknown, "");
  if (n_unsized > 0)
    g_string_append_printf(s, "%s%zu tensor%s of unknown size counted as 0 bytes", s->len ? "; " : "", n_unsized,
                           n_unsized == 1 ? "" : "s");
  g_ptr_array_unref(unknown);
  g_ptr_array_unref(idle);
  const gboolean empty = s->len == 0;
  char *note = g_string_free(s, FALSE);
  if (!empty) return note;
  g_free(note);
  return NULL;
}
