/* table_data.c: the comparison table for programs: CSV (one line per cell) and JSON. Numbers read back to the same bits. */
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "experiments/table_study.h"

/* --- CSV ------------------------------------------------------------------------------------------------------------------------ */

void ho_table_add_field(GString *out, const char *text) {
  if (!strpbrk(text, ",\"\r\n")) {
    g_string_append(out, text);
    return;
  }
  g_string_append_c(out, '"');
  for (const char *c = text; *c; c++) g_string_append(out, *c == '"' ? "\"\"" : (char[]){*c, '\0'});
  g_string_append_c(out, '"');
}

void ho_table_add_number(GString *out, double value) {
  char buffer[32];
  g_string_append_c(out, ',');
  if (!isnan(value)) g_string_append(out, ho_double_text(value, buffer));
}

static double median_of(const ho_cell *c) {
  return c && c->n_value > 0 ? c->median : NAN;
}

/* "ok" where there is a value. */
static char *status_of(const ho_table_study *t, int32_t row, int32_t column) {
  const ho_cell *c = t->cell[row * t->n_columns + column];
  if (c && c->n_value > 0) return g_strdup("ok");
  return t->why[row] ? g_strdup("excluded") : ho_table_status(t, row, column);
}

static const char *reason_of(const ho_table_study *t, int32_t row, const ho_cell *c) {
  return t->why[row] ? t->why[row] : c && c->reason ? c->reason : t->undefined[row] ? t->undefined[row] : "";
}

void ho_table_write_csv(const ho_table_study *t, GString *out) {
  for (int32_t r = 0; r < t->n_rows; r++)
    for (int32_t k = 0; k < t->n_columns; k++) {
      const ho_cell *c = t->cell[r * t->n_columns + k];
      g_autofree char *status = status_of(t, r, k);
      ho_table_add_field(out, t->study);
      g_string_append_c(out, ',');
      ho_table_add_field(out, t->problem[r]);
      g_string_append_c(out, ',');
      ho_table_add_field(out, t->label[k]);
      g_string_append_printf(out, ",%s,%s,%d,%d", t->indicator, t->frame ? t->frame : "", c ? c->n : 0, c ? c->n_value : 0);
      ho_table_add_number(out, median_of(c));
      ho_table_add_number(out, c && c->n_value > 0 ? c->q1 : NAN);
      ho_table_add_number(out, c && c->n_value > 0 ? c->q3 : NAN);
      g_string_append_printf(out, ",%d", t->best[r * t->n_columns + k]);
      for (int o = 0; o < HO_N_OBJECTIVES; o++) ho_table_add_number(out, median_of(t->raw[o][r * t->n_columns + k]));
      g_string_append_c(out, ',');
      ho_table_add_field(out, status);
      g_string_append_c(out, ',');
      ho_table_add_field(out, reason_of(t, r, c));
      g_string_append_c(out, '\n');
    }
}

/* --- JSON ----------------------------------------------------------------------------------------------------------------------- */

static json_t *number_or_null(double value) {
  return isnan(value) ? json_null() : json_real(value);
}

static json_t *cell_to_json(const ho_table_study *t, int32_t r, int32_t k) {
  const ho_cell *c = t->cell[r * t->n_columns + k];
  g_autofree char *status = status_of(t, r, k);
  json_t *o = json_object();
  json_object_set_new(o, "problem", json_string(t->problem[r]));
  json_object_set_new(o, "scheduler", json_string(t->label[k]));
  json_object_set_new(o, "status", json_string(status));
  if (*reason_of(t, r, c)) json_object_set_new(o, "reason", json_string(reason_of(t, r, c)));
  if (!c) return o;
  json_object_set_new(o, "deterministic", json_boolean(c->deterministic));
  json_object_set_new(o, "n", json_integer(c->n));
  json_t *values = json_array();
  for (int32_t i = 0; i < c->n_value; i++) json_array_append_new(values, json_real(c->values[i]));
  json_object_set_new(o, "values", values);
  json_object_set_new(o, "median", number_or_null(median_of(c)));
  json_object_set_new(o, "q1", number_or_null(c->n_value > 0 ? c->q1 : NAN));
  json_object_set_new(o, "q3", number_or_null(c->n_value > 0 ? c->q3 : NAN));
  json_object_set_new(o, "best", json_boolean(t->best[r * t->n_columns + k]));
  for (int i = 0; i < HO_N_OBJECTIVES; i++)
    json_object_set_new(o, ho_objective_name((ho_objective)i), number_or_null(median_of(t->raw[i][r * t->n_columns + k])));
  return o;
}

json_t *ho_table_to_json(const ho_table_study *t) {
  json_t *o = json_object(), *cells = json_array();
  json_object_set_new(o, "study", json_string(t->study));
  json_object_set_new(o, "indicator", json_string(t->indicator));
  json_object_set_new(o, "frame", t->frame ? json_string(t->frame) : json_null());
  for (int32_t r = 0; r < t->n_rows; r++)
    for (int32_t k = 0; k < t->n_columns; k++) json_array_append_new(cells, cell_to_json(t, r, k));
  json_t *notes = json_array();
  for (int32_t r = 0; r < t->n_rows; r++)
    if (t->note[r]) json_array_append_new(notes, json_pack("{s:s, s:s}", "problem", t->problem[r], "note", t->note[r]));
  json_object_set_new(o, "cells", cells);
  json_object_set_new(o, "notes", notes);
  return o;
}
