/* frame.c: see frame.h. */
#include "results/frame.h"

#include <float.h>
#include <glib.h>
#include <math.h>
#include <string.h>

#include "base/fmath.h"
#include "results/archive.h"
#include "results/hypervolume.h"
#include "sim/problem.h"

#define REACH 1.1 /* where the reference lies in the range of payoff and union */

static const char *const kind_names[] = {"payoff", "near", "absolute", "union"};

const char *ho_frame_kind_name(ho_frame_kind k) {
  return kind_names[k];
}

int ho_frame_kind_parse(const char *name) {
  for (int k = 0; k < (int)G_N_ELEMENTS(kind_names); k++)
    if (strcmp(name, kind_names[k]) == 0) return k;
  return -1;
}

static ho_frame empty_frame(ho_frame_kind kind, int32_t n) {
  g_assert(n >= 1 && n <= HO_FRAME_MAX);
  ho_frame f = {.kind = kind, .n = n, .scale = HO_SCALE_LINEAR};
  return f;
}

static ho_frame undefined(ho_frame f, const char *why) {
  f.defined = 0;
  g_strlcpy(f.reason, why, sizeof f.reason);
  return f;
}

/* Best and worst of each column; what does not vary is dropped. Defined when something is left. */
static ho_frame with_range(ho_frame f, const double *rows, int32_t n_rows) {
  int32_t kept = 0;
  for (int32_t k = 0; k < f.n; k++) {
    f.ideal[k] = INFINITY;
    f.nadir[k] = -INFINITY;
    for (int32_t i = 0; i < n_rows; i++) {
      double v = rows[(int64_t)i * f.n + k];
      g_assert(isfinite(v));
      f.ideal[k] = MIN(f.ideal[k], v);
      f.nadir[k] = MAX(f.nadir[k], v);
    }
    f.dropped[k] = f.ideal[k] == f.nadir[k];
    f.reference[k] = f.nadir[k];
    kept += !f.dropped[k];
  }
  if (kept == 0) return undefined(f, n_rows == 1 ? "only one plan to span a range" : "no objective varies");
  f.defined = 1;
  return f;
}

ho_frame ho_frame_payoff(const double *rows, int32_t n_rows, int32_t n_objectives) {
  ho_frame f = empty_frame(HO_FRAME_PAYOFF, n_objectives);
  if (n_rows == 0) return undefined(f, "no single-objective reference is feasible");
  f = with_range(f, rows, n_rows);
  if (!f.defined) return f;
  f.scale = HO_SCALE_LOG;
  for (int32_t k = 0; k < f.n; k++)
    if (!f.dropped[k] && f.ideal[k] <= 0) {
      f.scale = HO_SCALE_LINEAR;
      g_snprintf(f.reason, sizeof f.reason, "linear: the ideal of objective %d is not positive", k + 1);
    }
  for (int32_t k = 0; k < f.n; k++) {
    if (f.dropped[k]) continue;
    f.reference[k] = f.scale == HO_SCALE_LOG ? f.ideal[k] * ho_pow(f.nadir[k] / f.ideal[k], REACH)
                                             : f.ideal[k] + REACH * (f.nadir[k] - f.ideal[k]);
  }
  return f;
}

ho_frame ho_frame_near(const double *rows, int32_t n_rows, int32_t n_objectives, const double *fastest, const double *factor) {
  ho_frame f = empty_frame(HO_FRAME_NEAR, n_objectives);
  if (n_rows == 0) return undefined(f, "no single-objective reference is feasible");
  f = with_range(f, rows, n_rows);
  for (int32_t k = 0; f.defined && k < f.n; k++) {
    f.reference[k] = factor[k] * fastest[k];
    if (!f.dropped[k] && f.reference[k] <= f.ideal[k]) return undefined(f, "the reference is not beyond the ideal");
  }
  return f;
}

ho_frame ho_frame_absolute(double t_ref, double watts, const int32_t *objective_kind, int32_t n_objectives) {
  ho_frame f = empty_frame(HO_FRAME_ABSOLUTE, n_objectives);
  if (!(t_ref > 0) || !isfinite(t_ref)) return undefined(f, "no single device can hold the whole graph");
  f.defined = 1;
  for (int32_t k = 0; k < f.n; k++) {
    double unit = objective_kind[k] == HO_OBJECTIVE_LATENCY  ? t_ref
                  : objective_kind[k] == HO_OBJECTIVE_ENERGY ? t_ref * watts
                                                             : 1;
    if (!(unit > 0) || !isfinite(unit)) return undefined(f, "the devices' power is not known");
    f.nadir[k] = unit;
    f.reference[k] = objective_kind[k] == HO_OBJECTIVE_LATENCY ? 2 * unit : unit;
  }
  return f;
}

ho_frame ho_frame_union(const double *points, int32_t n_points, int32_t n_objectives) {
  ho_frame f = empty_frame(HO_FRAME_UNION, n_objectives);
  if (n_points == 0) return undefined(f, "no run has a feasible plan");
  g_autofree uint8_t *keep = g_new(uint8_t, n_points);
  g_autofree double *front = g_new(double, (gsize)n_points *(gsize)n_objectives);
  ho_nondominated(points, n_points, n_objectives, keep);
  int32_t m = 0;
  for (int32_t i = 0; i < n_points; i++)
    if (keep[i]) {
      memcpy(front + (int64_t)m * f.n, points + (int64_t)i * f.n, sizeof(double) * (size_t)f.n);
      m++;
    }
  f = with_range(f, front, m);
  for (int32_t k = 0; f.defined && k < f.n; k++)
    if (!f.dropped[k]) f.reference[k] = f.ideal[k] + REACH * (f.nadir[k] - f.ideal[k]);
  return f;
}

/* On a logarithmic scale a value that is not positive lies as far below the ideal as a double can say. */
static double normalised(const ho_frame *f, int32_t k, double raw) {
  if (f->scale == HO_SCALE_LINEAR) return (raw - f->ideal[k]) / (f->nadir[k] - f->ideal[k]);
  return ho_log(MAX(raw, DBL_MIN) / f->ideal[k]) / ho_log(f->nadir[k] / f->ideal[k]);
}

int32_t ho_frame_normalise(const ho_frame *f, const double *raw, double *out) {
  g_assert(f->defined);
  int32_t m = 0;
  for (int32_t k = 0; k < f->n; k++)
    if (!f->dropped[k]) out[m++] = normalised(f, k, raw[k]);
  return m;
}

int32_t ho_frame_reference(const ho_frame *f, double *out) {
  g_assert(f->defined);
  int32_t m = 0;
  for (int32_t k = 0; k < f->n; k++) {
    if (f->dropped[k]) continue;
    /* By definition, free of the rounding of the raw reference. */
    out[m++] = f->kind == HO_FRAME_PAYOFF || f->kind == HO_FRAME_UNION ? REACH : normalised(f, k, f->reference[k]);
  }
  return m;
}

double ho_frame_hypervolume(const ho_frame *f, const double *points, int32_t n) {
  if (!f->defined) return NAN;
  double reference[HO_FRAME_MAX], box = 1;
  int32_t d = ho_frame_reference(f, reference);
  for (int32_t k = 0; k < d; k++) box *= reference[k];
  g_autofree double *v = g_new(double, (gsize)MAX(n, 1) * (gsize)d);
  for (int32_t i = 0; i < n; i++) ho_frame_normalise(f, points + (int64_t)i * f->n, v + (int64_t)i * d);
  return ho_hypervolume(v, n, d, reference) / box;
}
