/* table_against.c: every contender against one of them, the baseline, over all problems of a study.
 *
 * By problem: the ratio of the medians of the indicator; the rank-sum test of the runs, p adjusted by Holm over the problems of a contender
 * (stats.h); A12, the probability that a run of the contender is the better one; and what is saved of energy and of memory for at most 5 % more
 * latency than the baseline's fastest plan: of each run's front the least of the plans within 1.05 times the median over the baseline's runs of least
 * latency, as a median over runs, against the same of the baseline's. Problems where one of both has no value count in none of it. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/units.h"
#include "experiments/table_study.h"
#include "results/stats.h"

#define SIGNIFICANT 0.05
#define SLACK 1.05

typedef struct {
  double ratio, p, a12, saved[2]; /* saved: of energy, of memory; NAN: nothing within the slack */
  int known;
} versus;

typedef struct {
  const ho_table_study *t;
  const GPtrArray *fronts; /* ho_front_point* */
  int32_t baseline;
} against;

static const ho_cell *cell_of(const ho_table_study *t, int32_t row, int32_t column) {
  const ho_cell *c = t->cell[row * t->n_columns + column];
  return c && c->n_value > 0 ? c : NULL;
}

/* --- what is saved ------------------------------------------------------------------------------------------------------------------- */
/* Median over the runs of a contender of the least `objective` within a latency; NAN when most runs have none. */
static double least_within(const against *x, int32_t row, int32_t column, double latency, ho_objective objective) {
  g_autoptr(GArray) least = g_array_new(FALSE, FALSE, sizeof(double));
  int32_t replicate = -1;
  for (guint i = 0; i < x->fronts->len; i++) {
    const ho_front_point *p = x->fronts->pdata[i];
    if (strcmp(p->problem, x->t->problem[row]) != 0 || strcmp(p->scheduler, x->t->label[column]) != 0) continue;
    if (least->len == 0 || p->replicate != replicate) { /* points are in the order of replicates */
      double none = INFINITY;
      g_array_append_val(least, none);
      replicate = p->replicate;
    }
    double *last = &g_array_index(least, double, least->len - 1);
    if (p->value[HO_OBJECTIVE_LATENCY] <= latency) *last = fmin(*last, p->value[objective]);
  }
  double median = ho_median((const double *)(void *)least->data, (int32_t)least->len);
  return isfinite(median) ? median : NAN;
}

static double saved_of(const against *x, int32_t row, int32_t column, ho_objective objective) {
  const ho_cell *fastest = x->t->raw[HO_OBJECTIVE_LATENCY][row * x->t->n_columns + x->baseline];
  if (!fastest || fastest->n_value == 0) return NAN;
  double own = least_within(x, row, column, SLACK * fastest->median, objective),
         theirs = least_within(x, row, x->baseline, SLACK * fastest->median, objective);
  return theirs > 0 ? 1 - own / theirs : NAN;
}

/* --- one contender ------------------------------------------------------------------------------------------------------------------- */
static void compare(const against *x, int32_t column, versus *v) {
  const ho_table_study *t = x->t;
  g_autofree double *p = g_new(double, (gsize)t->n_rows + 1);
  int32_t n = 0;
  for (int32_t r = 0; r < t->n_rows; r++) {
    const ho_cell *own = cell_of(t, r, column), *theirs = cell_of(t, r, x->baseline);
    v[r] = (versus){.known = own && theirs};
    if (!v[r].known) continue;
    v[r].ratio = own->median / theirs->median;
    double a = ho_a12(own->values, own->n_value, theirs->values, theirs->n_value);
    v[r].a12 = t->larger_is_better ? a : 1 - a;
    p[n++] = ho_rank_sum(own->values, own->n_value, theirs->values, theirs->n_value, HO_TEST_AUTO).p;
    v[r].saved[0] = saved_of(x, r, column, HO_OBJECTIVE_ENERGY);
    v[r].saved[1] = saved_of(x, r, column, HO_OBJECTIVE_MEMORY);
  }
  ho_holm(p, n);
  for (int32_t r = t->n_rows - 1; r >= 0; r--)
    if (v[r].known) v[r].p = p[--n];
}

static int verdict(const versus *v) {
  return v->p >= SIGNIFICANT ? 0 : v->a12 > 0.5 ? 1 : -1;
}

/* --- text ---------------------------------------------------------------------------------------------------------------------------- */
/* Values of a number over the problems where there is one (a baseline of 0 makes the ratio infinite); how many. */
static int32_t gather(const versus *v, int32_t n, size_t offset, double *out) {
  int32_t k = 0;
  for (int32_t r = 0; r < n; r++) {
    double value = *(const double *)(const void *)((const char *)&v[r] + offset);
    if (v[r].known && !isnan(value)) out[k++] = value;
  }
  return k;
}

static void add_share(const versus *v, int32_t n, size_t offset, GString *out) {
  g_autofree double *x = g_new(double, (gsize)n + 1);
  int32_t k = gather(v, n, offset, x);
  if (k == 0)
    g_string_append_printf(out, "%16s", "-");
  else
    g_string_append_printf(out, "%9.1f %% (%2d)", 100 * ho_median(x, k), k);
}

static void write_line(const against *x, int32_t column, const versus *v, int width, GString *out) {
  const ho_table_study *t = x->t;
  g_autofree double *ratio = g_new(double, (gsize)t->n_rows + 1), *a12 = g_new(double, (gsize)t->n_rows + 1);
  int32_t n = gather(v, t->n_rows, offsetof(versus, ratio), ratio), of[3] = {0, 0, 0};
  gather(v, t->n_rows, offsetof(versus, a12), a12);
  for (int32_t r = 0; r < t->n_rows; r++)
    if (v[r].known) of[1 - verdict(&v[r])]++;
  g_string_append_printf(out, "%s%*s", t->label[column], width - (int)g_utf8_strlen(t->label[column], -1) + 2, "");
  if (n == 0) {
    g_string_append(out, "no problem in common\n");
    return;
  }
  const double of_ratio[] = {ho_median(ratio, n), ho_quantile(ratio, n, 0), ho_quantile(ratio, n, 0.25),
                             ho_quantile(ratio, n, 1)};
  for (gsize i = 0; i < G_N_ELEMENTS(of_ratio); i++)
    g_string_append_printf(out, of_ratio[i] < 1000 ? "%10.3f" : "%10.2g", of_ratio[i]);
  g_autofree char *verdicts = g_strdup_printf("%d/%d/%d", of[0], of[1], of[2]);
  g_string_append_printf(out, "%20s%8.2f", verdicts, ho_median(a12, n));
  add_share(v, t->n_rows, offsetof(versus, saved), out);
  add_share(v, t->n_rows, offsetof(versus, saved) + sizeof(double), out);
  g_string_append_c(out, '\n');
}

static void write_text(const against *x, versus *const *all, GString *out) {
  const ho_table_study *t = x->t;
  int width = 9, problems = 0;
  for (int32_t k = 0; k < t->n_columns; k++) width = MAX(width, (int)g_utf8_strlen(t->label[k], -1));
  for (int32_t r = 0; r < t->n_rows; r++) problems += cell_of(t, r, x->baseline) != NULL;
  g_string_append_printf(out, "against %s: %s%s%s over %d problems\n", t->label[x->baseline], t->indicator,
                         t->frame ? ", frame " : "", t->frame ? t->frame : "", problems);
  g_string_append_printf(out, "%-*s  %10s%10s%10s%10s%20s%8s%16s%16s\n", width, "scheduler", "ratio", "least", "quarter", "most",
                         "better/equal/worse", "A12", "energy saved", "memory saved");
  for (int32_t k = 0; k < t->n_columns; k++)
    if (k != x->baseline) write_line(x, k, all[k], width, out);
  g_string_append_printf(out,
                         "ratio of medians of runs: median, least, first quarter and most over problems; better, worse: rank-sum "
                         "test, p < %g after Holm; "
                         "saved for at most 5 %% more latency than the fastest of %s: median (problems)\n",
                         SIGNIFICANT, t->label[x->baseline]);
}

/* --- CSV ----------------------------------------------------------------------------------------------------------------------------- */
static void write_csv(const against *x, versus *const *all, GString *out) {
  const ho_table_study *t = x->t;
  for (int32_t k = 0; k < t->n_columns; k++)
    for (int32_t r = 0; k != x->baseline && r < t->n_rows; r++) {
      const versus *v = &all[k][r];
      if (!v->known) continue;
      ho_table_add_field(out, t->study);
      g_string_append_c(out, ',');
      ho_table_add_field(out, t->problem[r]);
      g_string_append_c(out, ',');
      ho_table_add_field(out, t->label[k]);
      g_string_append_c(out, ',');
      ho_table_add_field(out, t->label[x->baseline]);
      g_string_append_printf(out, ",%s,%s", t->indicator, t->frame ? t->frame : "");
      const double values[] = {v->ratio, v->p, v->a12, v->saved[0], v->saved[1]};
      for (gsize i = 0; i < G_N_ELEMENTS(values); i++) ho_table_add_number(out, values[i]);
      g_string_append_c(out, '\n');
    }
}

/* --- the whole ------------------------------------------------------------------------------------------------------------------------ */
static int32_t column_of(const ho_table_study *t, const char *label) {
  for (int32_t k = 0; k < t->n_columns; k++)
    if (strcmp(t->label[k], label) == 0) return k;
  return -1;
}

gboolean ho_table_write_against(ho_store *s, const ho_table_study *t, const char *label, ho_table_format format, GString *out,
                                GError **error) {
  against x = {.t = t, .baseline = column_of(t, label)};
  if (x.baseline < 0) {
    const char *near = ho_did_you_mean(label, (const char *const *)t->label);
    return ho_fail(error, HO_ERROR_INPUT, "study %s has no scheduler '%s'%s%s%s", t->study, label, near ? " (did you mean '" : "",
                   near ? near : "", near ? "'?)" : "");
  }
  g_autoptr(GPtrArray) fronts = ho_store_final_fronts(s, t->study, NULL, error);
  if (!fronts) return FALSE;
  x.fronts = fronts;
  versus **all = g_new0(versus *, (gsize)t->n_columns + 1);
  for (int32_t k = 0; k < t->n_columns; k++) {
    all[k] = g_new0(versus, (gsize)t->n_rows + 1);
    if (k != x.baseline) compare(&x, k, all[k]);
  }
  if (format == HO_TABLE_CSV)
    write_csv(&x, all, out);
  else
    write_text(&x, all, out);
  for (int32_t k = 0; k < t->n_columns; k++) g_free(all[k]);
  g_free(all);
  return TRUE;
}
