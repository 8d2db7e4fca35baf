/* table_rank.c: the ranking of contenders over all problems of a study: mean ranks, and how far from the best.
 *
 * In every problem contenders are ranked by their medians, 1 the best; those that are alike share the mean of their ranks (Demšar, JMLR 7, 2006, section
 * 3.2.2). Who has no value there comes last, alike with all others that have none: a failure costs rank and is not left out. Excluded problems
 * do not count. The last column is the geometric mean of least latency over the problem's least, over the problems that the contender solved. */
#include <math.h>

#include "base/fmath.h"
#include "experiments/table_study.h"

typedef struct {
  double *rank;     /* [column * 4 + what], summed */
  double *log_over; /* by column, summed */
  int32_t *solved;  /* by column */
  int32_t problems;
} ranking;

static double median_of(const ho_cell *c) {
  return c && c->n_value > 0 ? c->median : NAN;
}

/* Value of a contender in a problem: what 0 the indicator, 1 … the objectives; less is better; NAN: none. */
static double value_of(const ho_table_study *t, int32_t row, int32_t column, int what) {
  int32_t i = row * t->n_columns + column;
  if (what > 0) return median_of(t->raw[what - 1][i]);
  double value = median_of(t->cell[i]);
  return t->larger_is_better ? -value : value;
}

static double rank_of(const ho_table_study *t, int32_t row, int32_t column, int what) {
  double own = value_of(t, row, column, what);
  int32_t before = 0, alike = 0;
  for (int32_t k = 0; k < t->n_columns; k++) {
    double other = value_of(t, row, k, what);
    if (isnan(own) ? isnan(other) : other == own)
      alike++;
    else if (isnan(own) || other < own)
      before++;
  }
  return before + (alike + 1) / 2.0;
}

static void add_problem(const ho_table_study *t, int32_t row, ranking *x) {
  double least = INFINITY;
  x->problems++;
  for (int32_t k = 0; k < t->n_columns; k++) {
    for (int what = 0; what < 4; what++) x->rank[k * 4 + what] += rank_of(t, row, k, what);
    double latency = value_of(t, row, k, 1);
    if (latency < least) least = latency;
  }
  for (int32_t k = 0; k < t->n_columns; k++) {
    double latency = value_of(t, row, k, 1);
    if (isnan(latency) || !(least > 0)) continue;
    x->log_over[k] += ho_log(latency / least);
    x->solved[k]++;
  }
}

static int by_rank(const void *a, const void *b, void *data) {
  const double *rank = data;
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  if (rank[x * 4] != rank[y * 4]) return rank[x * 4] < rank[y * 4] ? -1 : 1;
  if (rank[x * 4 + 1] != rank[y * 4 + 1]) return rank[x * 4 + 1] < rank[y * 4 + 1] ? -1 : 1;
  return x - y;
}

static void write_lines(const ho_table_study *t, const ranking *x, GString *out) {
  g_autofree int32_t *order = g_new(int32_t, (gsize)t->n_columns + 1);
  glong width = 9;
  for (int32_t k = 0; k < t->n_columns; k++) {
    order[k] = k;
    width = MAX(width, g_utf8_strlen(t->label[k], -1));
  }
  g_qsort_with_data(order, t->n_columns, sizeof *order, by_rank, x->rank);
  g_string_append_printf(out, "\nmean rank over %d problems\n%-*s  %9s%9s%9s%9s%8s  latency / least (solved)\n", x->problems,
                         (int)width, "scheduler", t->indicator, "latency", "energy", "memory", "");
  for (int32_t i = 0; i < t->n_columns; i++) {
    int32_t k = order[i];
    g_string_append_printf(out, "%s%*s", t->label[k], (int)(width - g_utf8_strlen(t->label[k], -1)) + 2, "");
    for (int what = 0; what < 4; what++) g_string_append_printf(out, "%9.2f", x->rank[k * 4 + what] / x->problems);
    if (x->solved[k])
      g_string_append_printf(out, "%8s  %.3f (%d)\n", "", ho_exp(x->log_over[k] / x->solved[k]), x->solved[k]);
    else
      g_string_append_printf(out, "%8s  - (0)\n", "");
  }
}

void ho_table_write_ranking(const ho_table_study *t, GString *out) {
  ranking x = {.rank = g_new0(double, (gsize)t->n_columns * 4 + 1),
               .log_over = g_new0(double, (gsize)t->n_columns + 1),
               .solved = g_new0(int32_t, (gsize)t->n_columns + 1)};
  for (int32_t r = 0; r < t->n_rows; r++)
    if (!t->why[r]) add_problem(t, r, &x);
  if (x.problems > 1 && t->n_columns > 2) write_lines(t, &x, out);
  g_free(x.rank);
  g_free(x.log_over);
  g_free(x.solved);
}
