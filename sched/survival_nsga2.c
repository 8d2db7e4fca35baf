/* survival_nsga2.c: non-dominated sorting and crowding; see survival.h.
 *
 * Deb, Pratap, Agarwal & Meyarivan, IEEE TEC 6(2), 2002: fast non-dominated sorting (III A), crowding distance (III B), elitist replacement from parents and
 * children (III C). */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "sched/survival.h"

/* --- sorting -------------------------------------------------------------------------------------------------------------------- */
int ho_survival_compare(const double *a, double va, const double *b, double vb, int32_t d) {
  if (va > 0 || vb > 0) return va < vb ? 1 : vb < va ? -1 : 0;
  int better = 0, worse = 0;
  for (int32_t k = 0; k < d; k++) {
    better |= a[k] < b[k];
    worse |= a[k] > b[k];
  }
  return better - worse;
}

void ho_nsga2_sort(const double *objectives, const double *violation, int32_t n, int32_t d, int32_t *rank) {
  size_t words = ((size_t)n + 63) / 64;
  g_autofree uint64_t *dominates = g_new0(uint64_t, (size_t)n * words + 1); /* bit j of row i: i dominates j */
  g_autofree int32_t *count = g_new0(int32_t, (size_t)n + 1), *front = g_new(int32_t, (size_t)n + 1);
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = i + 1; j < n; j++) {
      int c = ho_survival_compare(objectives + (size_t)i * (size_t)d, violation[i], objectives + (size_t)j * (size_t)d,
                                  violation[j], d);
      if (c == 0) continue;
      int32_t winner = c > 0 ? i : j, loser = c > 0 ? j : i;
      dominates[(size_t)winner * words + (size_t)loser / 64] |= UINT64_C(1) << (loser % 64);
      count[loser]++;
    }
  int32_t from = 0, to = 0, level = 0;
  for (int32_t i = 0; i < n; i++)
    if (count[i] == 0) front[to++] = i;
  while (from < to) { /* front[from … to-1] is the front of this level; its removal frees the next one */
    int32_t next = to;
    for (int32_t k = from; k < to; k++) {
      int32_t i = front[k];
      rank[i] = level;
      for (int32_t j = 0; j < n; j++)
        if (dominates[(size_t)i * words + (size_t)j / 64] >> (j % 64) & 1 && --count[j] == 0) front[next++] = j;
    }
    from = to;
    to = next;
    level++;
  }
}

typedef struct {
  const double *objectives;
  int32_t d, k;
} by_objective;

static int compare_objective(const void *x, const void *y, void *data) {
  const by_objective *b = data;
  int32_t i = *(const int32_t *)x, j = *(const int32_t *)y;
  double p = b->objectives[(size_t)i * (size_t)b->d + (size_t)b->k], q = b->objectives[(size_t)j * (size_t)b->d + (size_t)b->k];
  return p < q ? -1 : p > q ? 1 : i < j ? -1 : i > j;
}

void ho_nsga2_crowding(const double *objectives, int32_t d, const int32_t *member, int32_t m, double *distance) {
  g_autofree int32_t *sorted = g_memdup2(member, sizeof(int32_t) * (size_t)m);
  for (int32_t i = 0; i < m; i++) distance[member[i]] = 0;
  for (int32_t k = 0; k < d && m > 0; k++) {
    by_objective b = {objectives, d, k};
    g_qsort_with_data(sorted, m, sizeof *sorted, compare_objective, &b);
    double low = objectives[(size_t)sorted[0] * (size_t)d + (size_t)k],
           high = objectives[(size_t)sorted[m - 1] * (size_t)d + (size_t)k];
    distance[sorted[0]] = distance[sorted[m - 1]] = INFINITY;
    if (!(high > low)) continue;
    for (int32_t i = 1; i < m - 1; i++)
      distance[sorted[i]] += (objectives[(size_t)sorted[i + 1] * (size_t)d + (size_t)k] -
                              objectives[(size_t)sorted[i - 1] * (size_t)d + (size_t)k]) /
                             (high - low);
  }
}

/* --- replacement ---------------------------------------------------------------------------------------------------------------- */
static int compare_distance(const void *x, const void *y, void *data) {
  const double *distance = data;
  int32_t i = *(const int32_t *)x, j = *(const int32_t *)y;
  return distance[i] > distance[j] ? -1 : distance[i] < distance[j] ? 1 : i < j ? -1 : i > j;
}

void ho_survival_nsga2(const ho_survival_task *t) {
  ho_nsga2_sort(t->objectives, t->violation, t->n, t->d, t->rank);
  for (int32_t level = 0, kept = 0; kept < t->keep; level++) {
    int32_t from = kept, m = 0;
    for (int32_t i = 0; i < t->n; i++)
      if (t->rank[i] == level) t->order[from + m++] = i;
    ho_nsga2_crowding(t->objectives, t->d, t->order + from, m, t->score);
    if (from + m > t->keep) g_qsort_with_data(t->order + from, m, sizeof *t->order, compare_distance, t->score);
    kept = MIN(t->keep, from + m);
  }
}
