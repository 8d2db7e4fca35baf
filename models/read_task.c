/* read_task.c: see read_task.h. */
#include "models/read_task.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/fileio.h"
#include "base/units.h"

/* ---- ops and edges --------------------------------------------------------------------------------------------------- */

gboolean ho_task_has_devices(const ho_bindings *bindings) {
  return bindings && bindings->n_devices > 0;
}

static void put_times(ho_graph_build *b, ho_op o, double seconds, const ho_bindings *bindings) {
  for (int32_t i = 0; i < bindings->n_devices; i++) ho_graph_build_time(b, o, bindings->device[i], seconds);
}

ho_op ho_task_op(ho_graph_build *b, ho_op_info *op, double seconds, const ho_bindings *bindings) {
  gboolean named = ho_task_has_devices(bindings);
  if (!named) op->flops = seconds * HO_TASK_FLOPS;
  ho_op o = ho_graph_build_op(b, op);
  if (named) put_times(b, o, seconds, bindings);
  return o;
}

ho_op ho_task_op_on(ho_graph_build *b, const ho_op_info *op, double seconds, const char *const *devices,
                    const ho_bindings *bindings) {
  ho_op o = ho_graph_build_op(b, op);
  if (ho_task_has_devices(bindings))
    put_times(b, o, seconds, bindings);
  else
    for (; *devices; devices++) ho_graph_build_time(b, o, *devices, seconds);
  return o;
}

char *ho_task_time_note(const ho_bindings *bindings) {
  if (!ho_task_has_devices(bindings))
    return g_strdup("1 s of run time is taken as 1 GFLOP (--device says where it was measured)");
  g_autoptr(GString) names = g_string_new(NULL);
  for (int32_t i = 0; i < bindings->n_devices; i++) g_string_append_printf(names, "%s%s", i ? ", " : "", bindings->device[i]);
  return g_strdup_printf("run times are those of %s", names->str);
}

int64_t ho_task_bytes(double bytes) {
  if (!isfinite(bytes) || bytes < 0) return -1;
  bytes = ceil(bytes);
  return bytes <= (double)HO_GRAPH_MAX_BYTES ? (int64_t)bytes : -1;
}

char *ho_task_fresh_tensor(const ho_graph_build *b, const char *name) {
  char *fresh = g_strdup(name);
  for (int k = 2; ho_graph_build_find_tensor(b, fresh) >= 0; k++) {
    g_free(fresh);
    fresh = g_strdup_printf("%s#%d", name, k);
  }
  return fresh;
}

ho_tensor ho_task_edge(ho_graph_build *b, const char *from_name, ho_op from, const char *to_name, ho_op to, int64_t bytes,
                       ho_dtype dtype) {
  g_autofree char *name = g_strdup_printf("%s>%s", from_name, to_name), *fresh = ho_task_fresh_tensor(b, name);
  ho_tensor t = ho_graph_build_tensor(b, fresh, dtype, -1, NULL, bytes, HO_ROLE_NONE, from);
  ho_graph_build_consume(b, t, to);
  return t;
}

/* ---- files ----------------------------------------------------------------------------------------------------------- */

gboolean ho_task_no_bindings(const char *file, const char *format, const ho_bindings *bindings, GError **error) {
  if (!bindings || bindings->n == 0) return TRUE;
  return ho_fail(error, HO_ERROR_INPUT, "%s: '%s' cannot be bound: %s has no symbolic dimensions", file, bindings->name[0],
                 format);
}

char *ho_task_name_of_file(const char *file) {
  char *base = g_path_get_basename(file);
  char *dot = strchr(base, '.');
  if (dot && dot > base) *dot = '\0';
  return base;
}

gboolean ho_task_head_has(const unsigned char *head, size_t n, const char *word) {
  return memmem(head, n, word, strlen(word)) != NULL;
}

/* ---- text ------------------------------------------------------------------------------------------------------------ */

gboolean ho_text_open(ho_text *t, const char *file, GError **error) {
  *t = (ho_text){.file = file};
  if (!ho_file_read(file, &t->text, &t->length, error)) return FALSE;
  const char *nul = memchr(t->text, '\0', t->length);
  if (!nul) return TRUE;
  return ho_fail(error, HO_ERROR_INPUT, "%s: byte %zu is 0: expected a text file", file, (size_t)(nul - t->text));
}

void ho_text_clear(ho_text *t) {
  g_clear_pointer(&t->text, g_free);
}

char *ho_text_line(ho_text *t) {
  if (t->at >= t->length) return NULL;
  char *line = t->text + t->at;
  size_t n = strcspn(line, "\n");
  t->at += n + 1;
  t->line++;
  line[n] = '\0';
  if (n && line[n - 1] == '\r') line[n - 1] = '\0';
  return line;
}

gboolean ho_text_fail(const ho_text *t, GError **error, const char *format, ...) {
  va_list args;
  va_start(args, format);
  g_autofree char *what = g_strdup_vprintf(format, args);
  va_end(args);
  return ho_fail(error, HO_ERROR_INPUT, "%s:%d: %s", t->file, MAX(t->line, 1), what);
}

gboolean ho_text_number(const ho_text *t, const char *word, const char *what, double *value, GError **error) {
  if (word && ho_double_parse(word, value, NULL) && *value >= 0) return TRUE;
  g_autofree char *shown = ho_printable(word ? word : "nothing");
  return ho_text_fail(t, error, "%s is '%s': expected a finite number, 0 or more", what, shown);
}

gboolean ho_text_index(const ho_text *t, const char *word, const char *what, int64_t most, int64_t *value, GError **error) {
  if (word && g_ascii_string_to_signed(word, 10, 0, most, value, NULL)) return TRUE;
  g_autofree char *shown = ho_printable(word ? word : "nothing");
  return ho_text_fail(t, error, "%s is '%s': expected a whole number from 0 to %" G_GINT64_FORMAT, what, shown, most);
}
