/* kernel_times.c: see kernel_times.h. */
#include "sim/kernel_times.h"

#include <string.h>

#include "base/error.h"
#include "base/fileio.h"
#include "base/units.h"
#include "sim/kernel_times_private.h"

typedef enum { OP, PRECISION, FLOPS, BYTES, TIME, N_NEEDED, DEVICE = N_NEEDED, PARALLELISM, N_COLUMNS } column;

static const char *const column_names[N_COLUMNS] = {"op", "precision", "flops", "bytes", "time_us", "device", "parallelism"};

typedef struct {
  const char *file;
  int line;
  int at[N_COLUMNS]; /* which field of a line; -1 */
  const char *device;
  GArray *rows;        /* ho_kernel_time */
  GHashTable *devices; /* names met; a set */
  GError **error;
} reader;

static gboolean fail(const reader *r, const char *column_name, const char *found, const char *expected) {
  g_autofree char *shown = ho_printable(found);
  return ho_fail(r->error, HO_ERROR_INPUT, "%s:%d: %s: found '%s', expected %s", r->file, r->line, column_name, shown, expected);
}

GPtrArray *ho_kernel_times_split(const char *file, int line_number, const char *line, GError **error) {
  g_autoptr(GPtrArray) fields = g_ptr_array_new_with_free_func(g_free);
  for (const char *p = line;; p++) {
    g_autoptr(GString) field = g_string_new(NULL);
    if (*p == '"') {
      for (p++; *p && (*p != '"' || p[1] == '"'); p++) {
        g_string_append_c(field, *p);
        if (*p == '"') p++;
      }
      if (!*p) {
        ho_fail(error, HO_ERROR_INPUT, "%s:%d: a quoted field does not end, expected '\"'", file, line_number);
        return NULL;
      }
      p++;
    }
    size_t rest = strcspn(p, ",");
    g_string_append_len(field, p, (gssize)rest);
    p += rest;
    g_ptr_array_add(fields, g_strstrip(g_strdup(field->str)));
    if (!*p) return g_steal_pointer(&fields);
  }
}

static gboolean read_header(reader *r, const GPtrArray *fields) {
  for (int c = 0; c < N_COLUMNS; c++) {
    r->at[c] = -1;
    for (guint i = 0; i < fields->len; i++) {
      if (strcmp(g_ptr_array_index(fields, i), column_names[c])) continue;
      if (r->at[c] >= 0) return fail(r, "columns", column_names[c], "each name once");
      r->at[c] = (int)i;
    }
    if (c < N_NEEDED && r->at[c] < 0)
      return ho_fail(r->error, HO_ERROR_INPUT,
                     "%s:%d: no column is called '%s', expected op, precision, flops, bytes and time_us", r->file, r->line,
                     column_names[c]);
  }
  return TRUE;
}

static const char *field(const reader *r, const GPtrArray *fields, column c) {
  return r->at[c] >= 0 && (guint)r->at[c] < fields->len ? g_ptr_array_index(fields, r->at[c]) : "";
}

static gboolean quantity(const reader *r, const GPtrArray *fields, column c, double *out) {
  const char *text = field(r, fields, c);
  if (c == PARALLELISM && !*text) return TRUE;
  if (ho_double_parse(text, out, NULL) && *out >= 0 && *out <= HO_KERNEL_TIMES_MOST) return TRUE;
  return fail(r, column_names[c], text, "a number from 0 to 1e24");
}

static gboolean read_row(reader *r, const char *line, guint n_columns) {
  g_autoptr(GPtrArray) fields = ho_kernel_times_split(r->file, r->line, line, r->error);
  if (!fields) return FALSE;
  if (fields->len != n_columns)
    return ho_fail(r->error, HO_ERROR_INPUT, "%s:%d: %u fields, expected %u as in the first line", r->file, r->line, fields->len,
                   n_columns);
  if (r->at[DEVICE] >= 0) {
    const char *name = field(r, fields, DEVICE);
    g_hash_table_add(r->devices, g_strdup(name));
    if (r->device && strcmp(name, r->device)) return TRUE;
  }
  ho_kernel_time t = {.family = ho_kernel_times_family(field(r, fields, OP))};
  const char *precision = field(r, fields, PRECISION);
  g_autofree char *word = g_strndup(precision, strcspn(precision, "_("));
  t.precision = ho_dtype_parse(word);
  if (t.precision < 0 || t.precision >= HO_N_PRECISIONS) return fail(r, "precision", precision, "one such as fp32, fp16 or int8");
  if (!*field(r, fields, OP)) return fail(r, "op", "", "a kind of operator");
  if (!quantity(r, fields, FLOPS, &t.flops) || !quantity(r, fields, BYTES, &t.bytes) ||
      !quantity(r, fields, PARALLELISM, &t.parallelism) || !quantity(r, fields, TIME, &t.seconds))
    return FALSE;
  if (!(t.seconds >= 1e-6)) return fail(r, "time_us", field(r, fields, TIME), "at least 1e-6");
  if (!(t.flops + t.bytes > 0)) return fail(r, "flops", field(r, fields, FLOPS), "flops or bytes above 0");
  t.seconds *= 1e-6;
  t.op = g_strdup(field(r, fields, OP));
  g_array_append_val(r->rows, t);
  return TRUE;
}

static gboolean read_lines(reader *r, char *text) {
  guint n_columns = 0;
  for (char *line = text, *next; line; line = next) {
    next = strchr(line, '\n');
    if (next) *next++ = 0;
    r->line++;
    g_strchomp(line);
    if (!*line) continue;
    if (n_columns) {
      if (!read_row(r, line, n_columns)) return FALSE;
      continue;
    }
    g_autoptr(GPtrArray) names = ho_kernel_times_split(r->file, r->line, line, r->error);
    if (!names) return FALSE;
    if (ho_kernel_times_is_fx(names)) {
      for (int c = 0; c < N_COLUMNS; c++) r->at[c] = -1;
      return ho_kernel_times_read_fx(r->file, names, next ? next : line + strlen(line), r->rows, r->error);
    }
    if (!read_header(r, names)) return FALSE;
    n_columns = names->len;
  }
  return n_columns > 0 || ho_fail(r->error, HO_ERROR_INPUT, "%s: empty, expected a line of column names", r->file);
}

static int by_name(gconstpointer a, gconstpointer b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* One device, or an error that lists them. */
static gboolean check_devices(const reader *r) {
  g_autoptr(GPtrArray) names = g_ptr_array_new();
  GHashTableIter i;
  gpointer name;
  for (g_hash_table_iter_init(&i, r->devices); g_hash_table_iter_next(&i, &name, NULL);) g_ptr_array_add(names, name);
  g_ptr_array_sort(names, by_name);
  guint n = names->len;
  g_ptr_array_add(names, NULL);
  g_autofree char *all = g_strjoinv("; ", (char **)names->pdata);
  g_autofree char *list = ho_printable(all);
  if (r->device && n == 0)
    return ho_fail(r->error, HO_ERROR_INPUT, "%s: no column is called 'device', expected one, or no --device", r->file);
  if (r->device && !g_hash_table_contains(r->devices, r->device)) {
    const char *near = ho_did_you_mean(r->device, (const char *const *)names->pdata);
    g_autofree char *shown = ho_printable(r->device);
    return ho_fail(r->error, HO_ERROR_INPUT, "%s: no row is of device '%s'%s%s%s, expected one of: %s", r->file, shown,
                   near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "", list);
  }
  if (!r->device && n > 1)
    return ho_fail(r->error, HO_ERROR_INPUT, "%s: rows of %u devices, expected --device to name one of: %s", r->file, n, list);
  return r->rows->len > 0 || ho_fail(r->error, HO_ERROR_INPUT, "%s: no rows, expected measured times", r->file);
}

static int by_group(gconstpointer pa, gconstpointer pb) {
  const ho_kernel_time *a = *(const ho_kernel_time *const *)pa, *b = *(const ho_kernel_time *const *)pb;
  int c = strcmp(a->op, b->op);
  return c ? c : (int)a->precision - (int)b->precision;
}

static void number_groups(ho_kernel_times *t) {
  g_autoptr(GPtrArray) order = g_ptr_array_new();
  for (int32_t i = 0; i < t->n; i++) g_ptr_array_add(order, &t->row[i]);
  g_ptr_array_sort(order, by_group);
  for (guint i = 0; i < order->len; i++) {
    if (i == 0 || by_group(&order->pdata[i - 1], &order->pdata[i])) t->n_groups++;
    ((ho_kernel_time *)order->pdata[i])->group = t->n_groups - 1;
  }
}

ho_kernel_times *ho_kernel_times_read(const char *file, const char *device, GError **error) {
  g_autofree char *text = NULL;
  if (!ho_file_read(file, &text, NULL, error)) return NULL;
  g_autoptr(GHashTable) devices = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  reader r = {.file = file, .device = device, .error = error, .devices = devices};
  r.rows = g_array_new(FALSE, FALSE, sizeof(ho_kernel_time));
  gboolean good = read_lines(&r, text) && check_devices(&r);
  ho_kernel_times *t = g_new0(ho_kernel_times, 1);
  t->n = (int32_t)r.rows->len;
  t->row = (ho_kernel_time *)(void *)g_array_free(r.rows, FALSE);
  if (!good) {
    ho_kernel_times_free(t);
    return NULL;
  }
  GHashTableIter i;
  gpointer only = NULL;
  g_hash_table_iter_init(&i, devices);
  if (!device && g_hash_table_iter_next(&i, &only, NULL)) device = only;
  t->device = g_strdup(device);
  number_groups(t);
  return t;
}

void ho_kernel_times_free(ho_kernel_times *t) {
  if (!t) return;
  for (int32_t i = 0; i < t->n; i++) g_free(t->row[i].op);
  g_free(t->row);
  g_free(t->device);
  g_free(t);
}

ho_family ho_kernel_times_family(const char *op) {
  static const struct {
    const char *op;
    ho_family family;
  } usual[] = {{"bmm", HO_FAMILY_ATTENTION},    {"linear", HO_FAMILY_GEMM},      {"conv2d_fwd", HO_FAMILY_CONV},
               {"conv2d", HO_FAMILY_CONV},      {"ln", HO_FAMILY_NORM},          {"addu", HO_FAMILY_ELEMENTWISE},
               {"divu", HO_FAMILY_ELEMENTWISE}, {"mulu", HO_FAMILY_ELEMENTWISE}, {"powu", HO_FAMILY_ELEMENTWISE},
               {"pow", HO_FAMILY_ELEMENTWISE}};
  for (size_t i = 0; i < G_N_ELEMENTS(usual); i++)
    if (!strcmp(op, usual[i].op)) return usual[i].family;
  return ho_family_of_kind(op);
}
