/* task_flow.c: see task_flow.h. */
#include "models/task_flow.h"

#include <stdlib.h>

#include "models/read_task.h"

typedef struct {
  const char *name;
  int64_t bytes;
  GArray *written, *read; /* ho_op, in order */
} flow_file;

static void free_file(gpointer p) {
  flow_file *file = p;
  g_array_free(file->written, TRUE);
  g_array_free(file->read, TRUE);
  g_free(file);
}

void ho_flow_init(ho_flow *f) {
  *f = (ho_flow){.files = g_ptr_array_new_with_free_func(free_file),
                 .file_by_name = g_hash_table_new(g_str_hash, g_str_equal),
                 .parent_of = g_hash_table_new(NULL, NULL),
                 .carried = g_hash_table_new(NULL, NULL)};
}

void ho_flow_clear(ho_flow *f) {
  if (!f->files) return;
  g_ptr_array_free(f->files, TRUE);
  g_hash_table_destroy(f->file_by_name);
  g_hash_table_destroy(f->parent_of);
  g_hash_table_destroy(f->carried);
  f->files = NULL;
}

gboolean ho_flow_has_file(const ho_flow *f, const char *name) {
  return g_hash_table_contains(f->file_by_name, name);
}

void ho_flow_add_file(ho_flow *f, const char *name, int64_t bytes) {
  flow_file *file = g_hash_table_lookup(f->file_by_name, name);
  if (file) {
    file->bytes = MAX(file->bytes, bytes);
    return;
  }
  file = g_new0(flow_file, 1);
  file->name = name;
  file->bytes = bytes;
  file->written = g_array_new(FALSE, FALSE, sizeof(ho_op));
  file->read = g_array_new(FALSE, FALSE, sizeof(ho_op));
  g_ptr_array_add(f->files, file);
  g_hash_table_insert(f->file_by_name, (gpointer)name, file);
}

void ho_flow_use_file(ho_flow *f, ho_op task, const char *name, ho_flow_use use) {
  flow_file *file = g_hash_table_lookup(f->file_by_name, name);
  GArray *list = use == HO_FLOW_READS ? file->read : file->written;
  if (!list->len || g_array_index(list, ho_op, list->len - 1) != task) g_array_append_val(list, task);
}

static gpointer pair(ho_op parent, ho_op child) {
  return GSIZE_TO_POINTER((gsize)(guint32)parent << 32 | (guint32)child);
}

void ho_flow_add_parent(ho_flow *f, ho_op parent, ho_op child) {
  g_hash_table_add(f->parent_of, pair(parent, child));
}

/* ---- tensors --------------------------------------------------------------------------------------------------------- */

static gboolean a_parent_writes(const ho_flow *f, const flow_file *file, ho_op reader) {
  for (guint k = 0; k < file->written->len; k++)
    if (g_hash_table_contains(f->parent_of, pair(g_array_index(file->written, ho_op, k), reader))) return TRUE;
  return FALSE;
}

static void connect_input(ho_flow *f, const flow_file *file) {
  ho_tensor t = ho_graph_build_tensor(f->build, file->name, HO_UINT8, -1, NULL, file->bytes, HO_ROLE_INPUT, -1);
  for (guint k = 0; k < file->read->len; k++) ho_graph_build_consume(f->build, t, g_array_index(file->read, ho_op, k));
}

static void connect_file(ho_flow *f, const flow_file *file, const char *const *names) {
  for (guint m = 0; m < file->written->len; m++) {
    ho_op writer = g_array_index(file->written, ho_op, m);
    g_autofree char *name = file->written->len == 1 ? g_strdup(file->name) : g_strdup_printf("%s@%s", file->name, names[writer]);
    ho_tensor t = ho_graph_build_tensor(f->build, name, HO_UINT8, -1, NULL, file->bytes, HO_ROLE_NONE, writer);
    for (guint k = 0; k < file->read->len; k++) {
      ho_op reader = g_array_index(file->read, ho_op, k);
      gboolean parent = g_hash_table_contains(f->parent_of, pair(writer, reader));
      if (reader == writer) {
        f->updated++;
      } else if (parent || (m == 0 && !a_parent_writes(f, file, reader))) {
        f->beyond += !parent;
        ho_graph_build_consume(f->build, t, reader);
        g_hash_table_add(f->carried, pair(writer, reader));
      }
    }
  }
}

static int by_pair(gconstpointer a, gconstpointer b) {
  gsize x = GPOINTER_TO_SIZE(*(const gpointer *)a), y = GPOINTER_TO_SIZE(*(const gpointer *)b);
  return (x > y) - (x < y);
}

static void order_the_rest(ho_flow *f, const char *const *names) {
  guint n = 0;
  g_autofree gpointer *pairs = g_hash_table_get_keys_as_array(f->parent_of, &n);
  if (n) qsort(pairs, n, sizeof *pairs, by_pair);
  for (guint k = 0; k < n; k++) {
    if (g_hash_table_contains(f->carried, pairs[k])) continue;
    gsize key = GPOINTER_TO_SIZE(pairs[k]);
    ho_op parent = (ho_op)(key >> 32), child = (ho_op)(key & G_MAXUINT32);
    ho_task_edge(f->build, names[parent], parent, names[child], child, 0, HO_UINT8);
  }
}

void ho_flow_connect(ho_flow *f, ho_graph_build *build, const char *const *name) {
  f->build = build;
  for (guint k = 0; k < f->files->len; k++) {
    const flow_file *file = g_ptr_array_index(f->files, k);
    if (file->written->len)
      connect_file(f, file, name);
    else
      connect_input(f, file);
  }
  order_the_rest(f, name);
}

void ho_flow_put_note(const ho_flow *f, GString *note) {
  if (f->beyond) g_string_append_printf(note, "; dependencies from %d readings of a file that no parent writes", f->beyond);
  if (f->updated)
    g_string_append_printf(note, "; %d files are read by the task that writes them: only the writing counts", f->updated);
}
