/* table_text.c: the comparison table for a terminal: columns as wide as they need to be, notes below. */
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "experiments/table_study.h"

/* --- columns ------------------------------------------------------------------------------------------------------------------ */

/* Rows of texts, written with every column as wide as its longest text. */
typedef struct {
  GPtrArray *rows; /* of GPtrArray of char* */
} ho_columns;

static void free_row(void *row) {
  g_ptr_array_unref(row);
}

static GPtrArray *add_row(ho_columns *c) {
  GPtrArray *row = g_ptr_array_new_with_free_func(g_free);
  g_ptr_array_add(c->rows, row);
  return row;
}

static void write_columns(const ho_columns *c, GString *out) {
  glong width[1024] = {0};
  for (guint r = 0; r < c->rows->len; r++) {
    const GPtrArray *row = c->rows->pdata[r];
    for (guint k = 0; k < row->len && k < G_N_ELEMENTS(width); k++) width[k] = MAX(width[k], g_utf8_strlen(row->pdata[k], -1));
  }
  for (guint r = 0; r < c->rows->len; r++) {
    const GPtrArray *row = c->rows->pdata[r];
    for (guint k = 0; k < row->len && k < G_N_ELEMENTS(width); k++) {
      g_string_append(out, row->pdata[k]);
      glong pad = k + 1 < row->len ? width[k] + 2 - g_utf8_strlen(row->pdata[k], -1) : 0;
      for (glong i = 0; i < pad; i++) g_string_append_c(out, ' ');
    }
    g_string_append_c(out, '\n');
  }
}

/* --- cells ---------------------------------------------------------------------------------------------------------------------- */

/* "0.741 ±0.004*": median, interquartile range unless deterministic, mark of the best, and how many runs have a value if not all. */
static char *cell_text(const ho_table_study *t, int32_t row, int32_t column) {
  const ho_cell *c = t->cell[row * t->n_columns + column];
  if (!c || c->n_value == 0) return ho_table_status(t, row, column);
  g_autoptr(GString) text = g_string_new(NULL);
  g_autofree char *median = ho_table_number(t, c->median);
  g_string_append(text, median);
  if (c->n_value > 1) {
    g_autofree char *range = ho_table_range(t, c);
    g_string_append_printf(text, " ±%s", range);
  }
  if (t->best[row * t->n_columns + column]) g_string_append_c(text, '*');
  if (c->n_value < c->n) g_string_append_printf(text, " (%d/%d)", c->n_value, c->n);
  return g_string_free(g_steal_pointer(&text), FALSE);
}

static int32_t largest_n(const ho_table_study *t) {
  int32_t n = 0;
  for (int32_t i = 0; i < t->n_rows * t->n_columns; i++)
    if (t->cell[i]) n = MAX(n, t->cell[i]->n);
  return n;
}

static void write_indicator(const ho_table_study *t, GString *out) {
  g_autofree char *name = g_ascii_strup(t->indicator, -1);
  ho_columns c = {g_ptr_array_new_with_free_func(free_row)};
  GPtrArray *head = add_row(&c);
  g_ptr_array_add(head, t->frame ? g_strdup_printf("%s (frame %s, n=%d)", name, t->frame, largest_n(t))
                                 : g_strdup_printf("%s (n=%d)", t->indicator, largest_n(t)));
  for (int32_t k = 0; k < t->n_columns; k++) g_ptr_array_add(head, g_strdup(t->label[k]));
  for (int32_t r = 0; r < t->n_rows; r++) {
    GPtrArray *row = add_row(&c);
    g_ptr_array_add(row, g_strdup(t->problem[r]));
    for (int32_t k = 0; k < t->n_columns; k++) g_ptr_array_add(row, cell_text(t, r, k));
  }
  write_columns(&c, out);
  g_ptr_array_unref(c.rows);
}

/* --- raw objectives --------------------------------------------------------------------------------------------------------------- */

static char *raw_text(const ho_table_study *t, int32_t row, int32_t column, int objective) {
  static const ho_unit unit[HO_N_OBJECTIVES] = {HO_UNIT_SECONDS, HO_UNIT_JOULES, HO_UNIT_BYTES};
  const ho_cell *c = t->raw[objective][row * t->n_columns + column];
  if (!c || c->n_value == 0) return g_strdup("-");
  if (objective == HO_OBJECTIVE_MEMORY && t->measure[row] == HO_MEMORY_TIGHTEST) return ho_share_format(c->median);
  return ho_unit_format(c->median, unit[objective]);
}

static void write_raw(const ho_table_study *t, GString *out) {
  ho_columns c = {g_ptr_array_new_with_free_func(free_row)};
  static const char *const head[] = {"least value reached (median of runs)", "scheduler", "latency", "energy", "memory", "n"};
  GPtrArray *row = add_row(&c);
  for (gsize k = 0; k < G_N_ELEMENTS(head); k++) g_ptr_array_add(row, g_strdup(head[k]));
  for (int32_t r = 0; r < t->n_rows; r++) {
    if (t->why[r]) continue;
    for (int32_t k = 0; k < t->n_columns; k++) {
      const ho_cell *cell = t->cell[r * t->n_columns + k];
      const ho_cell *latency = t->raw[HO_OBJECTIVE_LATENCY][r * t->n_columns + k];
      if (!cell) continue;
      row = add_row(&c);
      g_ptr_array_add(row, g_strdup(k == 0 ? t->problem[r] : ""));
      g_ptr_array_add(row, g_strdup(t->label[k]));
      for (int o = 0; o < HO_N_OBJECTIVES; o++) g_ptr_array_add(row, raw_text(t, r, k, o));
      g_ptr_array_add(row, latency && latency->n_value > 0 ? g_strdup_printf("%d", latency->n_value) : ho_table_status(t, r, k));
    }
  }
  write_columns(&c, out);
  g_ptr_array_unref(c.rows);
}

/* --- notes ---------------------------------------------------------------------------------------------------------------------------- */

static gboolean has_zero_volume(const ho_table_study *t) {
  if (strcmp(t->indicator, "hv") != 0) return FALSE;
  for (int32_t i = 0; i < t->n_rows * t->n_columns; i++)
    if (t->cell[i] && t->cell[i]->n_value > 0 && t->cell[i]->median == 0) return TRUE;
  return FALSE;
}

static void write_legend(const ho_table_study *t, GString *out) {
  g_autoptr(GString) single = g_string_new(NULL);
  for (int32_t k = 0; k < t->n_columns; k++)
    for (int32_t r = 0; r < t->n_rows; r++) {
      const ho_cell *c = t->cell[r * t->n_columns + k];
      if (!c || !c->deterministic) continue;
      g_string_append_printf(single, "%s%s", single->len ? ", " : "", t->label[k]);
      break;
    }
  g_string_append(out, "median ±interquartile range over runs; * best of the row");
  if (single->len) g_string_append_printf(out, "; deterministic, n=1: %s", single->str);
  g_string_append_c(out, '\n');
  if (has_zero_volume(t)) g_string_append(out, "HV 0: no plan is better than the frame's reference point in every objective\n");
}

static void write_notes(const ho_table_study *t, GString *out) {
  for (int32_t r = 0; r < t->n_rows; r++) {
    if (t->why[r]) g_string_append_printf(out, "%s: excluded: %s\n", t->problem[r], t->why[r]);
    if (t->undefined[r]) g_string_append_printf(out, "%s: frame undefined: %s\n", t->problem[r], t->undefined[r]);
    if (t->note[r]) g_string_append_printf(out, "%s: %s\n", t->problem[r], t->note[r]);
    for (int32_t k = 0; k < t->n_columns; k++) {
      const ho_cell *c = t->cell[r * t->n_columns + k];
      if (c && c->reason) g_string_append_printf(out, "%s: %s: %s\n", t->problem[r], t->label[k], c->reason);
    }
  }
}

void ho_table_write_text(const ho_table_study *t, GString *out) {
  write_indicator(t, out);
  write_legend(t, out);
  g_string_append_c(out, '\n');
  write_raw(t, out);
  ho_table_write_ranking(t, out);
  write_notes(t, out);
}
