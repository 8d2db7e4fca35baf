/* survival_spea2.c: fitness by strength and density, truncation by nearest neighbours; see survival.h.
 *
 * Zitzler, Laumanns & Thiele, "SPEA2: Improving the strength Pareto evolutionary algorithm", TIK-Report 103, ETH Zürich, 2001: fitness (3.1), selection and
 * truncation (3.2). The archive is the population: parents and children are one set, of which it is filled again. Objectives of unlike
 * units are compared over their ranges in the set, which the report leaves to the user. Ties: the fitter, then the lower index stays. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "sched/survival.h"

/* Squared distances between all pairs, objectives over their ranges. */
static double *distances(const double *f, int32_t n, int32_t d) {
  double *apart = g_new0(double, (gsize)n *(gsize)n + 1);
  for (int32_t k = 0; k < d; k++) {
    double low = INFINITY, high = -INFINITY;
    for (int32_t i = 0; i < n; i++) {
      low = fmin(low, f[(gsize)i * (gsize)d + (gsize)k]);
      high = fmax(high, f[(gsize)i * (gsize)d + (gsize)k]);
    }
    if (!(high > low)) continue;
    for (int32_t i = 0; i < n; i++)
      for (int32_t j = 0; j < n; j++) {
        double gap = (f[(gsize)i * (gsize)d + (gsize)k] - f[(gsize)j * (gsize)d + (gsize)k]) / (high - low);
        apart[(gsize)i * (gsize)n + (gsize)j] += gap * gap;
      }
  }
  return apart;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

/* Distance to the k-th nearest other one, of each. */
static void add_density(const double *apart, int32_t n, double *fitness) {
  g_autofree double *row = g_new(double, (gsize)n + 1);
  int32_t k = (int32_t)sqrt(n);
  for (int32_t i = 0; i < n; i++) {
    memcpy(row, apart + (gsize)i * (gsize)n, sizeof(double) * (size_t)n);
    qsort(row, (size_t)n, sizeof *row, ascending); /* itself comes first */
    fitness[i] += 1 / (sqrt(row[MIN(k, n - 1)]) + 2);
  }
}

static void raw_fitness(const double *f, const double *violation, int32_t n, int32_t d, double *fitness) {
  g_autofree int32_t *strength = g_new0(int32_t, (gsize)n + 1);
  for (int pass = 0; pass < 2; pass++)
    for (int32_t i = 0; i < n; i++)
      for (int32_t j = 0; j < n; j++) {
        if (ho_survival_compare(f + (gsize)i * (gsize)d, violation[i], f + (gsize)j * (gsize)d, violation[j], d) <= 0) continue;
        if (pass == 0)
          strength[i]++;
        else
          fitness[j] += strength[i];
      }
}

void ho_spea2_fitness(const double *f, const double *violation, int32_t n, int32_t d, double *fitness) {
  g_autofree double *apart = distances(f, n, d);
  memset(fitness, 0, sizeof *fitness * (size_t)n);
  raw_fitness(f, violation, n, d, fitness);
  add_density(apart, n, fitness);
}

typedef struct {
  const double *fitness;
} by_fitness;

static int fittest_first(const void *x, const void *y, void *data) {
  const double *fitness = ((const by_fitness *)data)->fitness;
  int32_t i = *(const int32_t *)x, j = *(const int32_t *)y;
  return fitness[i] < fitness[j] ? -1 : fitness[i] > fitness[j] ? 1 : i < j ? -1 : i > j;
}

/* Whether a's distances to the living, in ascending order, are lexicographically below b's. */
static int nearer(const double *a, const double *b, int32_t m) {
  for (int32_t k = 0; k < m; k++)
    if (a[k] != b[k]) return a[k] < b[k];
  return 0;
}

/* Takes one value out of ascending ones. */
static void take_out(double *row, int32_t m, double value) {
  int32_t low = 0, high = m - 1;
  while (low < high) {
    int32_t mid = (low + high) / 2;
    if (row[mid] < value)
      low = mid + 1;
    else
      high = mid;
  }
  memmove(row + low, row + low + 1, sizeof *row * (size_t)(m - 1 - low));
}

/* Removes who is nearest to another one, again and again, until `keep` of the m members are left. */
static void truncate_to(const double *apart, int32_t n, int32_t *member, int32_t m, int32_t keep) {
  g_autofree double *block = g_new(double, (gsize)m *(gsize)m + 1);
  g_autofree double **row = g_new(double *, (gsize)m + 1); /* by member: distances to the others and to itself, ascending */
  for (int32_t i = 0; i < m; i++) {
    row[i] = block + (gsize)i * (gsize)m;
    for (int32_t j = 0; j < m; j++) row[i][j] = apart[(gsize)member[i] * (gsize)n + (gsize)member[j]];
    qsort(row[i], (size_t)m, sizeof **row, ascending);
  }
  for (; m > keep; m--) {
    int32_t worst = 0;
    for (int32_t i = 1; i < m; i++)
      if (!nearer(row[worst], row[i], m)) worst = i;
    int32_t gone = member[worst];
    memmove(member + worst, member + worst + 1, sizeof *member * (size_t)(m - worst - 1));
    memmove(row + worst, row + worst + 1, sizeof *row * (size_t)(m - worst - 1));
    for (int32_t i = 0; i < m - 1; i++) take_out(row[i], m, apart[(gsize)member[i] * (gsize)n + (gsize)gone]);
  }
}

void ho_survival_spea2(const ho_survival_task *t) {
  g_autofree double *fitness = g_new(double, (gsize)t->n + 1);
  ho_spea2_fitness(t->objectives, t->violation, t->n, t->d, fitness);
  int32_t m = 0;
  for (int32_t i = 0; i < t->n; i++) {
    t->order[i] = i;
    t->rank[i] = 0;
    t->score[i] = -fitness[i];
    m += fitness[i] < 1;
  }
  by_fitness data = {fitness};
  g_qsort_with_data(t->order, t->n, sizeof *t->order, fittest_first, &data);
  if (m <= t->keep) return;
  g_autofree double *apart = distances(t->objectives, t->n, t->d);
  truncate_to(apart, t->n, t->order, m, t->keep);
}
