/* table_study.c: gathering a study's cells out of the database. See table_study.h. */
#include "experiments/table_study.h"

#include <math.h>
#include <string.h>

/* Indicators that are measured in a frame, and whether more of them is better. All else is a column of the view `results`. */
static const struct {
  const char *name;
  gboolean larger_is_better;
} framed[] = {{"hv", TRUE}, {"epsilon", FALSE}, {"igd_plus", FALSE}};

static void describe_indicator(ho_table_study *t) {
  for (gsize i = 0; i < G_N_ELEMENTS(framed); i++)
    if (strcmp(framed[i].name, t->indicator) == 0) {
      t->in_frame = TRUE;
      t->larger_is_better = framed[i].larger_is_better;
    }
}

static int32_t index_of(char *const *names, int32_t n, const char *name) {
  for (int32_t i = 0; i < n; i++)
    if (strcmp(names[i], name) == 0) return i;
  return -1;
}

/* Rows: problems that run, then the excluded ones with their reason. Columns: labels. */
static gboolean read_names(ho_table_study *t, ho_store *s, GError **error) {
  g_autoptr(GPtrArray) problems = ho_store_problems(s, t->study, error);
  if (!problems) return FALSE;
  g_autoptr(GPtrArray) labels = ho_store_labels(s, t->study, error);
  if (!labels) return FALSE;
  GPtrArray *excluded = ho_store_excluded(s, t->study, error);
  if (!excluded) return FALSE;
  g_ptr_array_add(t->owners, excluded);
  t->n_rows = (int32_t)(problems->len + excluded->len);
  t->n_columns = (int32_t)labels->len;
  t->problem = g_new0(char *, t->n_rows + 1);
  t->why = g_new0(const char *, t->n_rows + 1);
  t->undefined = g_new0(char *, t->n_rows + 1);
  t->note = g_new0(char *, t->n_rows + 1);
  t->label = g_new0(char *, t->n_columns + 1);
  t->measure = g_new0(ho_memory_measure, t->n_rows + 1);
  for (guint i = 0; i < problems->len; i++) {
    t->problem[i] = g_strdup(problems->pdata[i]);
    if (!ho_store_measure(s, t->study, t->problem[i], &t->measure[i], error)) return FALSE;
  }
  for (guint i = 0; i < excluded->len; i++) {
    const ho_excluded *x = excluded->pdata[i];
    t->problem[problems->len + i] = g_strdup(x->problem);
    t->why[problems->len + i] = x->why;
  }
  for (guint i = 0; i < labels->len; i++) t->label[i] = g_strdup(labels->pdata[i]);
  return TRUE;
}

/* Puts a list of cells into the grid; the list is kept. */
static ho_cell **grid_of(ho_table_study *t, GPtrArray *cells) {
  if (!cells) return NULL;
  g_ptr_array_add(t->owners, cells);
  ho_cell **grid = g_new0(ho_cell *, (gsize)t->n_rows * (gsize)t->n_columns + 1);
  for (guint i = 0; i < cells->len; i++) {
    ho_cell *c = cells->pdata[i];
    int32_t row = index_of(t->problem, t->n_rows, c->problem), column = index_of(t->label, t->n_columns, c->scheduler);
    if (row >= 0 && column >= 0) grid[row * t->n_columns + column] = c;
  }
  return grid;
}

/* A defined frame whose references are not all there, or whose scale is not the usual one. */
static gboolean add_note(ho_table_study *t, ho_store *s, int32_t row, const ho_frame *frame, GError **error) {
  if (!frame->defined) return TRUE;
  GError *failure = NULL;
  gboolean from_references = frame->kind == HO_FRAME_PAYOFF || frame->kind == HO_FRAME_NEAR;
  g_autofree char *missing = from_references ? ho_store_infeasible_references(s, t->study, t->problem[row], &failure) : NULL;
  if (failure) {
    g_propagate_error(error, failure);
    return FALSE;
  }
  if (missing)
    t->note[row] = g_strdup_printf("frame made without the infeasible reference of %s", missing);
  else if (*frame->reason)
    t->note[row] = g_strdup(frame->reason);
  return TRUE;
}

static gboolean read_frames(ho_table_study *t, ho_store *s, const char *kind, GError **error) {
  t->frame = g_strdup(kind);
  for (int32_t row = 0; row < t->n_rows; row++) {
    ho_frame frame;
    if (t->why[row]) continue;
    if (!ho_store_frame(s, t->study, t->problem[row], kind, &frame, error)) return FALSE;
    if (!t->frame) t->frame = g_strdup(ho_frame_kind_name(frame.kind));
    if (!frame.defined) t->undefined[row] = g_strdup(frame.reason);
    if (!add_note(t, s, row, &frame, error)) return FALSE;
  }
  return TRUE;
}

static gboolean better(const ho_table_study *t, double a, double b) {
  return t->larger_is_better ? a > b : a < b;
}

/* The best median of a row; NAN when there is none. */
static double best_of(const ho_table_study *t, ho_cell *const *cell) {
  double best = NAN;
  for (int32_t k = 0; k < t->n_columns; k++)
    if (cell[k] && cell[k]->n_value > 0 && (isnan(best) || better(t, cell[k]->median, best))) best = cell[k]->median;
  return best;
}

/* What is printed with the same digits as the best is marked like it; where all are, none is. */
static void mark_best(ho_table_study *t) {
  t->best = g_new0(uint8_t, (gsize)t->n_rows * (gsize)t->n_columns + 1);
  for (int32_t row = 0; row < t->n_rows; row++) {
    ho_cell *const *cell = &t->cell[row * t->n_columns];
    uint8_t *mark = &t->best[row * t->n_columns];
    g_autofree char *best = ho_table_number(t, best_of(t, cell));
    int32_t n_values = 0, n_best = 0;
    for (int32_t k = 0; k < t->n_columns; k++) {
      g_autofree char *median = cell[k] && cell[k]->n_value > 0 ? ho_table_number(t, cell[k]->median) : NULL;
      mark[k] = median && strcmp(median, best) == 0;
      n_values += median != NULL;
      n_best += mark[k];
    }
    if (n_best == n_values) memset(mark, 0, (gsize)t->n_columns);
  }
}

static void unref_list(void *list) {
  g_ptr_array_unref(list);
}

ho_table_study *ho_table_study_new(ho_store *s, const char *study, const ho_table_setup *setup, GError **error) {
  static const char *const raw[HO_N_OBJECTIVES] = {"latency", "energy", "memory"};
  g_autoptr(ho_table_study) t = g_new0(ho_table_study, 1);
  t->study = study;
  t->indicator = setup->indicator ? setup->indicator : "hv";
  t->owners = g_ptr_array_new_with_free_func(unref_list);
  describe_indicator(t);
  if (!read_names(t, s, error)) return NULL;
  if (t->in_frame && !read_frames(t, s, ho_indicator_frame(t->indicator, setup->frame), error)) return NULL;
  t->cell = grid_of(t, t->in_frame ? ho_store_cells(s, study, setup->frame, t->indicator, error)
                                   : ho_store_plain_cells(s, study, t->indicator, error));
  if (!t->cell) return NULL;
  for (int k = 0; k < HO_N_OBJECTIVES; k++) {
    t->raw[k] = grid_of(t, ho_store_plain_cells(s, study, raw[k], error));
    if (!t->raw[k]) return NULL;
  }
  mark_best(t);
  return g_steal_pointer(&t);
}

/* A list with gaps. */
static void free_texts(char **texts, int32_t n) {
  for (int32_t i = 0; texts && i < n; i++) g_free(texts[i]);
  g_free(texts);
}

void ho_table_study_free(ho_table_study *t) {
  if (!t) return;
  g_free(t->frame);
  g_strfreev(t->problem);
  g_strfreev(t->label);
  g_free(t->why);
  g_free(t->measure);
  free_texts(t->undefined, t->n_rows);
  free_texts(t->note, t->n_rows);
  g_free(t->cell);
  g_free(t->best);
  for (int k = 0; k < HO_N_OBJECTIVES; k++) g_free(t->raw[k]);
  g_ptr_array_unref(t->owners);
  g_free(t);
}

char *ho_table_status(const ho_table_study *t, int32_t row, int32_t column) {
  const ho_cell *c = t->cell[row * t->n_columns + column];
  if (!c || t->why[row]) return g_strdup("-");
  if (c->n_infeasible > 0 && c->n_failed == 0) return g_strdup("OOM");
  if (c->n_failed > 0) return g_strdup_printf("failed %d/%d", c->n_failed, c->n);
  if (c->n_open > 0) return g_strdup("open");
  return g_strdup(t->undefined[row] ? "undefined" : "-");
}

char *ho_table_number(const ho_table_study *t, double value) {
  char buffer[64];
  return g_strdup(g_ascii_formatd(buffer, sizeof buffer, t->in_frame ? "%.3f" : "%.4g", value));
}

char *ho_table_range(const ho_table_study *t, const ho_cell *c) {
  g_autofree char *median = ho_table_number(t, c->median);
  const char *point = strchr(median, '.');
  char format[16], buffer[64];
  if (strchr(median, 'e')) return ho_table_number(t, c->q3 - c->q1);
  g_snprintf(format, sizeof format, "%%.%zuf", point ? strlen(point + 1) : 0);
  return g_strdup(g_ascii_formatd(buffer, sizeof buffer, format, c->q3 - c->q1));
}
