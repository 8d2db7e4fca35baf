/* hypervolume.c: see hypervolume.h.
 *
 * All sums are of positive terms, compensated (Neumaier 1974), and no term depends on dominated points or on the order of the input: the
 * same set gives the same bits. */
#include "results/hypervolume.h"

#include <glib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/archive.h"
#include "results/staircase.h"

#define MAX_D 4

typedef struct {
  double c[MAX_D]; /* sorted by c[0], then c[1], …; objectives are stored with the swept one first */
} point;

typedef struct {
  double sum, correction;
} exact_sum;

static void add(exact_sum *s, double x) {
  double t = s->sum + x;
  s->correction += fabs(s->sum) >= fabs(x) ? (s->sum - t) + x : (x - t) + s->sum;
  s->sum = t;
}

static double total(const exact_sum *s) {
  return s->sum + s->correction;
}

static int by_coordinates(const void *a, const void *b) {
  const point *p = a, *q = b;
  for (int k = 0; k < MAX_D; k++)
    if (p->c[k] != q->c[k]) return p->c[k] < q->c[k] ? -1 : 1;
  return 0;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double volume2(const point *p, int32_t n, const double *ref) {
  exact_sum area = {0, 0};
  double lowest = ref[1];
  for (int32_t i = 0; i < n; i++)
    if (p[i].c[1] < lowest) {
      add(&area, (ref[0] - p[i].c[0]) * (lowest - p[i].c[1]));
      lowest = p[i].c[1];
    }
  return total(&area);
}

/* Beume et al. 2009, section IV: the area of the front of (c[1], c[2]) grows as c[0] rises; volume = Σ area · step. A dominated
 * point neither grows the area nor ends a step. */
static double volume3(const point *p, int32_t n, const double *ref) {
  g_autofree double *x = g_new(double, n);
  for (int32_t i = 0; i < n; i++) x[i] = p[i].c[1];
  qsort(x, (size_t)n, sizeof *x, by_value);
  int32_t n_slots = 0;
  for (int32_t i = 0; i < n; i++)
    if (i == 0 || x[i] != x[n_slots - 1]) x[n_slots++] = x[i];

  ho_staircase *front = ho_staircase_new(x, n_slots, ref[1], ref[2]);
  exact_sum area = {0, 0}, volume = {0, 0};
  double level = p[0].c[0], gain;
  for (int32_t i = 0; i < n; i++) {
    const double *slot = bsearch(&p[i].c[1], x, (size_t)n_slots, sizeof *x, by_value);
    if (!ho_staircase_insert(front, (int32_t)(slot - x), p[i].c[2], &gain)) continue;
    if (p[i].c[0] > level) add(&volume, total(&area) * (p[i].c[0] - level));
    level = p[i].c[0];
    add(&area, gain);
  }
  add(&volume, total(&area) * (ref[0] - level));
  ho_staircase_free(front);
  return total(&volume);
}

static double volume_of(point *p, int32_t n, int32_t d, const double *ref);

/* Slices between successive values of c[0]; each is as high as the volume of the points below it in the other three. */
static double volume4(const point *p, int32_t n, const double *ref) {
  g_autofree point *below = g_new0(point, n);
  exact_sum volume = {0, 0};
  for (int32_t i = 0; i < n; i++) {
    double top = i + 1 < n ? p[i + 1].c[0] : ref[0];
    if (top == p[i].c[0]) continue;
    memset(below, 0, sizeof *below * (size_t)(i + 1));
    for (int32_t j = 0; j <= i; j++) memcpy(below[j].c, p[j].c + 1, 3 * sizeof(double));
    add(&volume, volume_of(below, i + 1, 3, ref + 1) * (top - p[i].c[0]));
  }
  return total(&volume);
}

/* Sorts p. */
static double volume_of(point *p, int32_t n, int32_t d, const double *ref) {
  qsort(p, (size_t)n, sizeof *p, by_coordinates);
  switch (d) {
    case 1:
      return ref[0] - p[0].c[0];
    case 2:
      return volume2(p, n, ref);
    case 3:
      return volume3(p, n, ref);
    default:
      return volume4(p, n, ref);
  }
}

/* The rows that are strictly below the reference, last objective first (the one swept). */
static int32_t select_inside(const double *points, int32_t n, int32_t d, const double *reference, point *out) {
  int32_t m = 0;
  for (int32_t i = 0; i < n; i++) {
    const double *row = points + (int64_t)i * d;
    int inside = 1;
    for (int32_t k = 0; k < d; k++) {
      g_assert(isfinite(row[k]));
      inside &= row[k] < reference[k];
    }
    if (!inside) continue;
    for (int32_t k = 0; k < d; k++) out[m].c[k] = row[d - 1 - k];
    m++;
  }
  return m;
}

/* Four-dimensional slices end at every point, so dominated ones must go first. */
static int32_t drop_dominated(point *p, int32_t n) {
  g_autofree uint8_t *keep = g_new(uint8_t, n);
  ho_nondominated(p[0].c, n, MAX_D, keep);
  int32_t m = 0;
  for (int32_t i = 0; i < n; i++)
    if (keep[i]) p[m++] = p[i];
  return m;
}

double ho_hypervolume(const double *points, int32_t n, int32_t d, const double *reference) {
  g_assert(d >= 1 && d <= MAX_D && n >= 0);
  double ref[MAX_D];
  for (int32_t k = 0; k < d; k++) {
    g_assert(isfinite(reference[k]));
    ref[k] = reference[d - 1 - k];
  }
  if (n == 0) return 0;
  g_autofree point *p = g_new0(point, n);
  int32_t m = select_inside(points, n, d, reference, p);
  if (m > 0 && d == MAX_D) m = drop_dominated(p, m);
  return m > 0 ? volume_of(p, m, d, ref) : 0;
}
