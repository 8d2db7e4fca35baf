/* nsga2_core.c: see nsga2_core.h. */
#include "sched/nsga2_core.h"

#include <glib.h>
#include <math.h>
#include <string.h>

/* Parents are individuals 0 … population-1, children the next ones. `genome[i]` is moved about, never copied. */
struct ho_nsga2 {
  const ho_nsga2_problem *problem;
  const ho_nsga2_settings *settings;
  ho_stream *r;
  int32_t n; /* evaluated individuals */
  unsigned char *block;
  unsigned char **genome;
  double *objectives, *violation, *distance;
  int32_t *rank, *permutation, *order;
};

/* --- sorting -------------------------------------------------------------------------------------------------------------------- */
/* 1: a comes before b, -1: b before a, 0: neither. */
static int compare(const double *a, double va, const double *b, double vb, int32_t d) {
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
      int c = compare(objectives + (size_t)i * (size_t)d, violation[i], objectives + (size_t)j * (size_t)d, violation[j], d);
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

/* --- generations ---------------------------------------------------------------------------------------------------------------- */
static int evaluate(ho_nsga2 *w, int32_t i) {
  const ho_nsga2_problem *p = w->problem;
  w->violation[i] = 0;
  return p->evaluate(p->context, w->genome[i], w->objectives + (size_t)i * (size_t)p->n_objectives, &w->violation[i]);
}

static int32_t tournament(ho_nsga2 *w, int32_t a, int32_t b) {
  if (w->rank[a] != w->rank[b]) return w->rank[a] < w->rank[b] ? a : b;
  if (w->distance[a] != w->distance[b]) return w->distance[a] > w->distance[b] ? a : b;
  return ho_stream_uniform(w->r) <= 0.5 ? a : b;
}

/* Children number `at` and `at` + 1 of four individuals that meet. */
static void breed(ho_nsga2 *w, const int32_t *four, int32_t at) {
  const ho_nsga2_problem *p = w->problem;
  void *a = w->genome[at], *b = w->genome[at + 1];
  memcpy(a, w->genome[tournament(w, four[0], four[1])], p->genome_bytes);
  memcpy(b, w->genome[tournament(w, four[2], four[3])], p->genome_bytes);
  if (ho_stream_uniform(w->r) <= w->settings->crossover_rate) p->cross(p->context, w->r, a, b);
  p->mutate(p->context, w->r, a);
  p->mutate(p->context, w->r, b);
}

/* Every individual meets another one twice. */
static void make_children(ho_nsga2 *w) {
  int32_t n = w->settings->population, at = n;
  while (at < 2 * n) {
    for (int32_t i = 0; i < n; i++) w->permutation[i] = i;
    ho_stream_shuffle(w->r, w->permutation, n);
    for (int32_t i = 0; i < n; i++) w->permutation[n + i] = w->permutation[i]; /* the last group may wrap around */
    for (int32_t i = 0; i < n && at < 2 * n; i += 4, at += 2) breed(w, w->permutation + i, at);
  }
}

static int compare_distance(const void *x, const void *y, void *data) {
  const double *distance = data;
  int32_t i = *(const int32_t *)x, j = *(const int32_t *)y;
  return distance[i] > distance[j] ? -1 : distance[i] < distance[j] ? 1 : i < j ? -1 : i > j;
}

/* Moves the individuals listed in `order` to the front, in that order. */
static void keep(ho_nsga2 *w, int32_t kept) {
  int32_t d = w->problem->n_objectives;
  g_autofree unsigned char **genome = g_new(unsigned char *, (size_t)w->n + 1);
  g_autofree double *objectives = g_new(double, (size_t)kept *(size_t)d + 1), *violation = g_new(double, (size_t)kept + 1),
                    *distance = g_new(double, (size_t)kept + 1);
  g_autofree int32_t *rank = g_new(int32_t, (size_t)kept + 1);
  g_autofree uint8_t *taken = g_new0(uint8_t, (size_t)w->n + 1);
  for (int32_t k = 0; k < kept; k++) {
    int32_t i = w->order[k];
    genome[k] = w->genome[i];
    taken[i] = 1;
    memcpy(objectives + (size_t)k * (size_t)d, w->objectives + (size_t)i * (size_t)d, sizeof(double) * (size_t)d);
    violation[k] = w->violation[i];
    distance[k] = w->distance[i];
    rank[k] = w->rank[i];
  }
  for (int32_t i = 0, k = kept; i < w->n; i++)
    if (!taken[i]) genome[k++] = w->genome[i]; /* free for children */
  memcpy(w->genome, genome, sizeof *genome * (size_t)w->n);
  memcpy(w->objectives, objectives, sizeof(double) * (size_t)kept * (size_t)d);
  memcpy(w->violation, violation, sizeof(double) * (size_t)kept);
  memcpy(w->distance, distance, sizeof(double) * (size_t)kept);
  memcpy(w->rank, rank, sizeof(int32_t) * (size_t)kept);
  w->n = kept;
}

/* Best `population` of all individuals: whole fronts, of the last one the least crowded. */
static void replace(ho_nsga2 *w) {
  int32_t n = w->settings->population, d = w->problem->n_objectives, kept = 0;
  ho_nsga2_sort(w->objectives, w->violation, w->n, d, w->rank);
  for (int32_t level = 0; kept < MIN(n, w->n); level++) {
    int32_t from = kept, m = 0;
    for (int32_t i = 0; i < w->n; i++)
      if (w->rank[i] == level) w->order[from + m++] = i;
    ho_nsga2_crowding(w->objectives, d, w->order + from, m, w->distance);
    if (from + m > n) g_qsort_with_data(w->order + from, m, sizeof *w->order, compare_distance, w->distance);
    kept = MIN(n, from + m);
  }
  keep(w, kept);
}

ho_nsga2 *ho_nsga2_run(const ho_nsga2_problem *problem, const ho_nsga2_settings *settings, ho_stream *r) {
  size_t two = 2 * (size_t)settings->population;
  g_assert(settings->population >= 4 && settings->population % 2 == 0);
  ho_nsga2 *w = g_new0(ho_nsga2, 1);
  *w = (ho_nsga2){.problem = problem, .settings = settings, .r = r};
  w->block = g_malloc0(two * problem->genome_bytes + 1);
  w->genome = g_new(unsigned char *, two);
  for (size_t i = 0; i < two; i++) w->genome[i] = w->block + i * problem->genome_bytes;
  w->objectives = g_new0(double, two *(size_t)problem->n_objectives);
  w->violation = g_new0(double, two);
  w->distance = g_new0(double, two);
  w->rank = g_new0(int32_t, two);
  w->permutation = g_new0(int32_t, two);
  w->order = g_new0(int32_t, two);
  int stop = 0;
  for (int32_t i = 0; i < settings->population && !stop; i++) {
    problem->create(problem->context, r, i, w->genome[i]);
    stop = evaluate(w, i);
    if (!stop) w->n++;
  }
  replace(w);
  for (int64_t g = 0; g < settings->generations && !stop; g++) {
    make_children(w);
    while (w->n < 2 * settings->population && !stop) {
      stop = evaluate(w, w->n);
      if (!stop) w->n++;
    }
    replace(w);
  }
  return w;
}

void ho_nsga2_free(ho_nsga2 *w) {
  if (!w) return;
  void *const owned[] = {w->block, w->genome, w->objectives, w->violation, w->distance, w->rank, w->permutation, w->order};
  for (size_t i = 0; i < G_N_ELEMENTS(owned); i++) g_free(owned[i]);
  g_free(w);
}

int32_t ho_nsga2_size(const ho_nsga2 *w) {
  return w->n;
}
const double *ho_nsga2_objectives(const ho_nsga2 *w, int32_t i) {
  return w->objectives + (size_t)i * (size_t)w->problem->n_objectives;
}
double ho_nsga2_violation(const ho_nsga2 *w, int32_t i) {
  return w->violation[i];
}
int32_t ho_nsga2_rank(const ho_nsga2 *w, int32_t i) {
  return w->rank[i];
}
const void *ho_nsga2_genome(const ho_nsga2 *w, int32_t i) {
  return w->genome[i];
}
