/* calibrate.c: see calibrate.h. Ties: rows of a group are dealt to the folds in shuffled order, group after group. */
#include "sim/calibrate.h"

#include <gsl/gsl_statistics_double.h>
#include <math.h>

#include "base/error.h"
#include "base/stream.h"
#include "sim/calibrate_fit.h"

double ho_calibrate_predict(const ho_device_info *d, const ho_kernel_time *t) {
  double compute = 0, memory = 0;
  if (t->flops > 0) {
    double occupancy = d->saturation > 0 && t->parallelism > 0 ? fmin(1, t->parallelism / d->saturation) : 1;
    compute = d->peak[t->precision] > 0
                  ? t->flops / (d->peak[t->precision] * ho_device_efficiency(d, t->precision, t->family) * occupancy)
                  : INFINITY;
  }
  if (t->bytes > 0) memory = t->bytes / (d->bandwidth * ho_device_memory_efficiency(d, t->family));
  return d->launch_device + fmax(compute, memory);
}

static int varies(const double *v, size_t n) {
  for (size_t i = 1; i < n; i++)
    if (v[i] != v[0]) return 1;
  return 0;
}

/* The error over the rows of a group; group n_groups: of all. */
static ho_calibrate_error error_of(const ho_kernel_times *t, const double *predicted, int32_t group) {
  g_autofree double *p = g_new(double, t->n), *m = g_new(double, t->n), *work = g_new(double, 2 * t->n);
  ho_calibrate_error e = {.spearman = NAN};
  double predicted_sum = 0, measured_sum = 0;
  for (int32_t i = 0; i < t->n; i++) {
    if (group < t->n_groups && t->row[i].group != group) continue;
    p[e.n] = predicted[i];
    m[e.n] = t->row[i].seconds;
    e.mape += fabs(p[e.n] - m[e.n]) / m[e.n];
    predicted_sum += p[e.n];
    measured_sum += m[e.n];
    e.n++;
  }
  e.mape /= e.n;
  e.total = predicted_sum / measured_sum;
  size_t n = (size_t)e.n;
  if (n >= 3 && varies(p, n) && varies(m, n)) e.spearman = gsl_stats_spearman(p, 1, m, 1, n, work);
  return e;
}

static ho_calibrate_error *errors_of(const ho_kernel_times *t, const double *predicted) {
  ho_calibrate_error *list = g_new(ho_calibrate_error, t->n_groups + 1);
  for (int32_t g = 0; g <= t->n_groups; g++) list[g] = error_of(t, predicted, g);
  return list;
}

static ho_calibrate_error *errors_by(const ho_kernel_times *t, const ho_device_info *d) {
  g_autofree double *predicted = g_new(double, t->n);
  for (int32_t i = 0; i < t->n; i++) predicted[i] = ho_calibrate_predict(d, &t->row[i]);
  return errors_of(t, predicted);
}

ho_calibrate_error ho_calibrate_error_of(const ho_device_info *d, const ho_kernel_times *t) {
  g_autofree double *predicted = g_new(double, t->n);
  for (int32_t i = 0; i < t->n; i++) predicted[i] = ho_calibrate_predict(d, &t->row[i]);
  return error_of(t, predicted, t->n_groups);
}

static void deal(const ho_kernel_times *t, int32_t folds, guint64 seed, int32_t *fold) {
  const char *const purpose[] = {"calibrate", NULL};
  ho_stream stream = ho_stream_keyed(seed, purpose);
  g_autofree int32_t *order = g_new(int32_t, t->n);
  for (int32_t i = 0; i < t->n; i++) order[i] = i;
  ho_stream_shuffle(&stream, order, t->n);
  int32_t dealt = 0;
  for (int32_t g = 0; g < t->n_groups; g++)
    for (int32_t i = 0; i < t->n; i++)
      if (t->row[order[i]].group == g) fold[order[i]] = dealt++ % folds;
}

static ho_calibrate_error *errors_unseen(const ho_kernel_times *t, const ho_device_info *d, const ho_fit_layout *l, int32_t folds,
                                         guint64 seed) {
  g_autofree int32_t *fold = g_new(int32_t, t->n);
  g_autofree double *predicted = g_new(double, t->n);
  g_autofree uint8_t *use = g_new(uint8_t, t->n);
  deal(t, folds, seed, fold);
  for (int32_t k = 0; k < folds; k++) {
    for (int32_t i = 0; i < t->n; i++) use[i] = fold[i] != k;
    ho_device_info fitted = ho_fit(t, use, d, l, NULL);
    for (int32_t i = 0; i < t->n; i++)
      if (!use[i]) predicted[i] = ho_calibrate_predict(&fitted, &t->row[i]);
  }
  return errors_of(t, predicted);
}

gboolean ho_calibrate_can_predict(const ho_kernel_times *t, const ho_device_info *d, const char *name, GError **error) {
  if (!(d->bandwidth > 0))
    return ho_fail(error, HO_ERROR_INPUT, "%s: profile '%s' states no bandwidth, expected --bandwidth of its memory", name,
                   d->name);
  for (int32_t i = 0; i < t->n; i++)
    if (t->row[i].flops > 0 && !(d->peak[t->row[i].precision] > 0))
      return ho_fail(error, HO_ERROR_INPUT, "%s: rows of '%s' in %s, but profile '%s' has no peak in that precision", name,
                     t->row[i].op, ho_dtype_name(t->row[i].precision), d->name);
  return TRUE;
}

static gboolean check(const ho_kernel_times *t, const ho_device_info *d, const ho_fit_layout *l, int32_t folds, const char *name,
                      GError **error) {
  int32_t least = MAX(2 * l->n, 2 * folds);
  if (t->n < least)
    return ho_fail(error, HO_ERROR_INPUT, "%s: %d rows, expected at least %d for %d parameters and %d folds", name, t->n, least,
                   l->n, folds);
  return ho_calibrate_can_predict(t, d, name, error);
}

ho_calibration *ho_calibrate(const ho_kernel_times *t, const ho_device_info *d, int32_t folds, guint64 seed, const char *name,
                             GError **error) {
  ho_fit_layout l = ho_fit_layout_of(t, d);
  if (!check(t, d, &l, folds, name, error)) return NULL;
  g_autofree uint8_t *all = g_new(uint8_t, t->n);
  g_autofree double *weight = g_new(double, t->n);
  for (int32_t i = 0; i < t->n; i++) all[i] = 1;
  ho_calibration *c = g_new0(ho_calibration, 1);
  c->device = ho_fit(t, all, d, &l, weight);
  for (int p = 0; p < HO_N_PRECISIONS; p++)
    for (int f = 0; f < HO_N_FAMILIES; f++) c->fitted[p][f] = l.family[p][f] >= 0;
  for (int f = 0; f < HO_N_FAMILIES; f++) c->fitted_memory[f] = l.memory[f] >= 0;
  c->fitted_launch = l.launch >= 0;
  c->fitted_saturation = l.saturation >= 0;
  c->folds = folds;
  c->n_groups = t->n_groups;
  for (int32_t i = 0; i < t->n; i++) c->set_aside += !(weight[i] > 0);
  c->before = errors_by(t, d);
  c->after = errors_by(t, &c->device);
  c->unseen = errors_unseen(t, d, &l, folds, seed);
  return c;
}

void ho_calibration_free(ho_calibration *c) {
  if (!c) return;
  g_free(c->before);
  g_free(c->after);
  g_free(c->unseen);
  g_free(c);
}
