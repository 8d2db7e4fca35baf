/* nondominated.c: which of n points are non-dominated, and the fronts they fall into (archive.h).
 *
 * In lexicographic order a point can be dominated by earlier ones only. Up to three objectives a sweep over that order answers in
 * O(n log n); with more, each point is held against those kept so far. */
#include <glib.h>
#include <math.h>
#include <stdlib.h>

#include "results/archive.h"
#include "results/lexicographic.h"
#include "results/staircase.h"

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Up to two objectives: a point is kept when its last objective is below all earlier ones. */
static void sweep2(const ho_lex_row *x, int32_t n, uint8_t *keep) {
  int32_t last = x[0].d - 1;
  double lowest = INFINITY;
  for (int32_t i = 0; i < n; i++) {
    keep[x[i].index] = last > 0 ? x[i].v[last] < lowest : i == 0;
    lowest = MIN(lowest, x[i].v[last]);
  }
}

static void sweep3(const ho_lex_row *x, int32_t n, uint8_t *keep) {
  g_autofree double *slot = g_new(double, n);
  for (int32_t i = 0; i < n; i++) slot[i] = x[i].v[1];
  qsort(slot, (size_t)n, sizeof *slot, by_value);
  int32_t m = 0;
  for (int32_t i = 0; i < n; i++)
    if (i == 0 || slot[i] != slot[m - 1]) slot[m++] = slot[i];
  ho_staircase *front = ho_staircase_new(slot, m, INFINITY, INFINITY);
  for (int32_t i = 0; i < n; i++) {
    const double *s = bsearch(&x[i].v[1], slot, (size_t)m, sizeof *slot, by_value);
    keep[x[i].index] = (uint8_t)ho_staircase_insert(front, (int32_t)(s - slot), x[i].v[2], NULL);
  }
  ho_staircase_free(front);
}

static void against_kept(const ho_lex_row *x, int32_t n, uint8_t *keep) {
  g_autofree const double **kept = g_new(const double *, n);
  int32_t m = 0, d = x[0].d;
  for (int32_t i = 0; i < n; i++) {
    int covered = 0;
    for (int32_t j = 0; j < m && !covered; j++) {
      covered = 1;
      for (int32_t k = 0; k < d && covered; k++) covered = kept[j][k] <= x[i].v[k];
    }
    keep[x[i].index] = !covered;
    if (!covered) kept[m++] = x[i].v;
  }
}

void ho_nondominated(const double *points, int32_t n, int32_t d, uint8_t *keep) {
  g_assert(d >= 1);
  if (n <= 0) return;
  g_autofree ho_lex_row *x = ho_lex_sorted(points, n, d);
  if (d <= 2)
    sweep2(x, n, keep);
  else if (d == 3)
    sweep3(x, n, keep);
  else
    against_kept(x, n, keep);
}

/* a is no worse than b everywhere, and differs. For a before b in lexicographic order. */
static int dominates(const double *a, const double *b, int32_t d) {
  int differs = 0;
  for (int32_t k = 0; k < d; k++) {
    if (a[k] > b[k]) return 0;
    differs |= a[k] != b[k];
  }
  return differs;
}

/* Zhang et al., IEEE TEC 19(2), 2015 (ENS-SS): a point goes into the first front that has no point dominating it; the fronts' latest
 * members, the likeliest to dominate, are asked first. */
void ho_nondominated_ranks(const double *points, int32_t n, int32_t d, int32_t *rank) {
  g_assert(d >= 1);
  if (n <= 0) return;
  g_autofree ho_lex_row *x = ho_lex_sorted(points, n, d);
  g_autofree int32_t *latest = g_new(int32_t, n);   /* of each front, as a position in x */
  g_autofree int32_t *previous = g_new(int32_t, n); /* in the same front; -1: none */
  int32_t n_fronts = 0;
  for (int32_t i = 0; i < n; i++) {
    int32_t f = 0;
    for (; f < n_fronts; f++) {
      int32_t j = latest[f];
      while (j >= 0 && !dominates(x[j].v, x[i].v, d)) j = previous[j];
      if (j < 0) break;
    }
    previous[i] = f < n_fronts ? latest[f] : -1;
    if (f == n_fronts) n_fronts++;
    latest[f] = i;
    rank[x[i].index] = f;
  }
}
