/* calibrate_fit.c: see calibrate_fit.h and calibrate.h. */
#include "sim/calibrate_fit.h"

#include <gsl/gsl_multifit_nlinear.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <string.h>

#include "base/fmath.h"

#define PULL 0.4 /* rows scatter by about 0.2 in logarithm, profiles are known to about 0.5: 0.2 / 0.5 */
#define LOGIT 0.2
#define LEAST_LAUNCH 1e-7 /* s: where the fit starts when the profile says 0 */
#define LEAST_SCALE 1e-4  /* of log residuals: below it rows differ by rounding, and none is far off */
#define ROUNDS 12

typedef struct {
  const ho_kernel_times *t;
  const ho_device_info *start;
  const ho_fit_layout *layout;
  const int32_t *row; /* those used */
  int32_t n;
  double norm; /* exponent of the p-norm */
  double origin[HO_FIT_MOST];
} problem;

ho_fit_layout ho_fit_layout_of(const ho_kernel_times *t, const ho_device_info *d) {
  ho_fit_layout l = {.launch = -1, .saturation = -1};
  l.base = d->peak[HO_FP32] > 0 ? HO_FP32 : ho_device_best_precision(d);
  int parallelism = 0, bytes[HO_N_FAMILIES] = {0}, seen[HO_N_PRECISIONS][HO_N_FAMILIES] = {{0}};
  for (int32_t i = 0; i < t->n; i++) {
    seen[t->row[i].precision][t->row[i].family] |= t->row[i].flops > 0;
    bytes[t->row[i].family] |= t->row[i].bytes > 0;
    parallelism |= t->row[i].flops > 0 && t->row[i].parallelism > 0;
  }
  for (int p = 0; p < HO_N_PRECISIONS; p++)
    for (int f = 0; f < HO_N_FAMILIES; f++) l.family[p][f] = seen[p][f] ? l.n++ : -1;
  for (int f = 0; f < HO_N_FAMILIES; f++) l.memory[f] = bytes[f] ? l.n++ : -1;
  l.launch = l.n++;
  if (parallelism) l.saturation = l.n++;
  return l;
}

static double logistic(double x) {
  return 1 / (1 + ho_exp(-x));
}

static double logit(double share) {
  double s = fmin(fmax(share, 1e-4), 0.995);
  return ho_log(s / (1 - s));
}

/* The logarithm of a prediction, and its derivatives by the parameters (slope NULL: without). */
static double log_time(const problem *q, const double *x, const ho_kernel_time *t, double *slope) {
  const ho_fit_layout *l = q->layout;
  double compute = 0, memory = 0, p = q->norm, full = 0;
  if (t->flops > 0) {
    compute = t->flops / (q->start->peak[t->precision] * logistic(x[l->family[t->precision][t->family]]));
    double saturation = l->saturation >= 0 ? ho_exp(x[l->saturation]) : q->start->saturation;
    if (saturation > 0 && t->parallelism > 0) {
      double excess = ho_pow(saturation / t->parallelism, p);
      full = isinf(excess) ? 1 : excess / (1 + excess);
      compute *= isinf(excess) ? saturation / t->parallelism : ho_pow(1 + excess, 1 / p);
    }
  }
  if (t->bytes > 0) memory = t->bytes / (q->start->bandwidth * logistic(x[l->memory[t->family]]));
  double larger = fmax(compute, memory), ratio = ho_pow(fmin(compute, memory) / larger, p);
  double kernel = larger * ho_pow(1 + ratio, 1 / p), launch = ho_exp(x[l->launch]), all = kernel + launch;
  if (slope) {
    double of_larger = 1 / (1 + ratio), of_compute = compute >= memory ? of_larger : 1 - of_larger;
    memset(slope, 0, sizeof *slope * (size_t)l->n);
    slope[l->launch] = launch / all;
    if (t->flops > 0)
      slope[l->family[t->precision][t->family]] =
          -of_compute * kernel / all * (1 - logistic(x[l->family[t->precision][t->family]]));
    if (t->bytes > 0) slope[l->memory[t->family]] = -(1 - of_compute) * kernel / all * (1 - logistic(x[l->memory[t->family]]));
    if (l->saturation >= 0) slope[l->saturation] = of_compute * kernel / all * full;
  }
  return ho_log(all);
}

/* Parameters are logits of shares, or logarithms of launch and saturation, which come last. */
static int is_share(const problem *q, int k) {
  return k != q->layout->launch && k != q->layout->saturation;
}

/* The logarithm of what parameter k stands for; of a share, and a little of its logit, so that the pull never ends near 1. */
static double log_value(const problem *q, int k, double x) {
  return is_share(q, k) ? ho_log(logistic(x)) + LOGIT * x : x;
}

static int residuals(const gsl_vector *x, void *data, gsl_vector *f) {
  const problem *q = data;
  for (int32_t i = 0; i < q->n; i++) {
    const ho_kernel_time *t = &q->t->row[q->row[i]];
    gsl_vector_set(f, (size_t)i, log_time(q, x->data, t, NULL) - ho_log(t->seconds));
  }
  for (int k = 0; k < q->layout->n; k++)
    gsl_vector_set(f, (size_t)(q->n + k), PULL * (log_value(q, k, gsl_vector_get(x, (size_t)k)) - log_value(q, k, q->origin[k])));
  return GSL_SUCCESS;
}

static int slopes(const gsl_vector *x, void *data, gsl_matrix *j) {
  const problem *q = data;
  double slope[HO_FIT_MOST];
  gsl_matrix_set_zero(j);
  for (int32_t i = 0; i < q->n; i++) {
    log_time(q, x->data, &q->t->row[q->row[i]], slope);
    for (int k = 0; k < q->layout->n; k++) gsl_matrix_set(j, (size_t)i, (size_t)k, slope[k]);
  }
  for (int k = 0; k < q->layout->n; k++) {
    double slope_of_value = is_share(q, k) ? 1 - logistic(gsl_vector_get(x, (size_t)k)) + LOGIT : 1;
    gsl_matrix_set(j, (size_t)(q->n + k), (size_t)k, PULL * slope_of_value);
  }
  return GSL_SUCCESS;
}

static void set_origin(problem *q) {
  const ho_fit_layout *l = q->layout;
  double most = 1;
  for (int32_t i = 0; i < q->n; i++) most = fmax(most, q->t->row[q->row[i]].parallelism);
  for (int p = 0; p < HO_N_PRECISIONS; p++)
    for (int f = 0; f < HO_N_FAMILIES; f++)
      if (l->family[p][f] >= 0) q->origin[l->family[p][f]] = logit(ho_device_efficiency(q->start, (ho_dtype)p, (ho_family)f));
  for (int f = 0; f < HO_N_FAMILIES; f++)
    if (l->memory[f] >= 0) q->origin[l->memory[f]] = logit(ho_device_memory_efficiency(q->start, (ho_family)f));
  q->origin[l->launch] = ho_log(fmax(q->start->launch_device, LEAST_LAUNCH));
  if (l->saturation >= 0) q->origin[l->saturation] = ho_log(q->start->saturation > 0 ? q->start->saturation : most);
}

/* Weights of rows by their residuals over the robust scale. */
static void weigh(const problem *q, const double *x, int round, double *w) {
  g_autofree double *r = g_new(double, q->n), *sorted = g_new(double, q->n);
  for (int32_t i = 0; i < q->n; i++) {
    const ho_kernel_time *t = &q->t->row[q->row[i]];
    r[i] = sorted[i] = fabs(log_time(q, x, t, NULL) - ho_log(t->seconds));
  }
  double scale = fmax(gsl_stats_median(sorted, 1, (size_t)q->n) / 0.6745, LEAST_SCALE);
  for (int32_t i = 0; i < q->n; i++) {
    double u = r[i] / scale;
    if (round < ROUNDS / 2)
      w[i] = u <= 1.345 ? 1 : 1.345 / u;
    else
      w[i] = u >= 4.685 ? 0 : (1 - (u / 4.685) * (u / 4.685)) * (1 - (u / 4.685) * (u / 4.685));
  }
}

/* Whether all parameters are numbers within e^12 of where they started. */
static int finite_near(const problem *q, const gsl_vector *x) {
  for (int k = 0; k < q->layout->n; k++)
    if (!(fabs(gsl_vector_get(x, (size_t)k) - q->origin[k]) < 12)) return 0;
  return 1;
}

static ho_device_info device_of(const problem *q, const double *x) {
  const ho_fit_layout *l = q->layout;
  ho_device_info d = *q->start;
  for (int p = 0; p < HO_N_PRECISIONS; p++)
    for (int f = 0; f < HO_N_FAMILIES; f++)
      if (l->family[p][f] >= 0) *(p == (int)l->base ? &d.efficiency[f] : &d.efficiency_in[p][f]) = logistic(x[l->family[p][f]]);
  for (int f = 0; f < HO_N_FAMILIES; f++)
    if (l->memory[f] >= 0) d.memory_of[f] = logistic(x[l->memory[f]]);
  d.launch_device = ho_exp(x[l->launch]);
  if (l->saturation >= 0) d.saturation = ho_exp(x[l->saturation]);
  return d;
}

ho_device_info ho_fit(const ho_kernel_times *t, const uint8_t *use, const ho_device_info *start, const ho_fit_layout *layout,
                      double *weight) {
  g_autofree int32_t *row = g_new(int32_t, t->n);
  problem q = {.t = t, .start = start, .layout = layout, .row = row};
  for (int32_t i = 0; i < t->n; i++)
    if (use[i]) row[q.n++] = i;
  set_origin(&q);
  size_t n = (size_t)(q.n + layout->n), k = (size_t)layout->n;
  gsl_multifit_nlinear_parameters options = gsl_multifit_nlinear_default_parameters();
  gsl_multifit_nlinear_workspace *space = gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &options, n, k);
  gsl_multifit_nlinear_fdf f = {.f = residuals, .df = slopes, .n = n, .p = k, .params = &q};
  gsl_vector *x = gsl_vector_alloc(k), *w = gsl_vector_alloc(n);
  memcpy(x->data, q.origin, k * sizeof(double));
  gsl_vector_set_all(w, 1);
  for (int round = 0; round < ROUNDS; round++) {
    q.norm = ldexp(1, 1 + MIN(round, 8)); /* 2 … 512 */
    int info;
    gsl_multifit_nlinear_winit(x, w, &f, space);
    gsl_multifit_nlinear_driver(100, 1e-10, 1e-10, 0, NULL, NULL, &info,
                                space); /* where it stops short, the next round goes on */
    if (!finite_near(&q, gsl_multifit_nlinear_position(space)))
      break; /* a step into nowhere: what was reached before it stands */
    gsl_vector_memcpy(x, gsl_multifit_nlinear_position(space));
    weigh(&q, x->data, round, w->data);
  }
  if (weight) memset(weight, 0, sizeof *weight * (size_t)t->n);
  for (int32_t i = 0; weight && i < q.n; i++) weight[row[i]] = gsl_vector_get(w, (size_t)i);
  ho_device_info d = device_of(&q, x->data);
  gsl_multifit_nlinear_free(space);
  gsl_vector_free(x);
  gsl_vector_free(w);
  return d;
}
