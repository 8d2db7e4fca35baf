/* evolution.c: see evolution.h. */
#include "sched/evolution.h"

#include <glib.h>
#include <string.h>

/* Parents are individuals 0 … population-1, children the next ones. `genome[i]` is moved about, never copied. */
struct ho_evolution {
  const ho_evolution_problem *problem;
  const ho_evolution_settings *settings;
  ho_stream *r;
  int32_t n; /* evaluated individuals */
  unsigned char *block;
  unsigned char **genome;
  double *objectives, *violation, *score;
  int32_t *rank, *permutation, *order;
};

/* --- generations ---------------------------------------------------------------------------------------------------------------- */
static int evaluate(ho_evolution *w, int32_t i) {
  const ho_evolution_problem *p = w->problem;
  w->violation[i] = 0;
  return p->evaluate(p->context, w->genome[i], w->objectives + (size_t)i * (size_t)p->n_objectives, &w->violation[i]);
}

static int32_t tournament(ho_evolution *w, int32_t a, int32_t b) {
  if (w->rank[a] != w->rank[b]) return w->rank[a] < w->rank[b] ? a : b;
  if (w->score[a] != w->score[b]) return w->score[a] > w->score[b] ? a : b;
  return ho_stream_uniform(w->r) <= 0.5 ? a : b;
}

/* Children number `at` and `at` + 1 of four individuals that meet. */
static void breed(ho_evolution *w, const int32_t *four, int32_t at) {
  const ho_evolution_problem *p = w->problem;
  void *a = w->genome[at], *b = w->genome[at + 1];
  memcpy(a, w->genome[tournament(w, four[0], four[1])], p->genome_bytes);
  memcpy(b, w->genome[tournament(w, four[2], four[3])], p->genome_bytes);
  if (ho_stream_uniform(w->r) <= w->settings->crossover_rate) p->cross(p->context, w->r, a, b);
  p->mutate(p->context, w->r, a);
  p->mutate(p->context, w->r, b);
}

/* Every individual meets another one twice. */
static void make_children(ho_evolution *w) {
  int32_t n = w->settings->population, at = n;
  while (at < 2 * n) {
    for (int32_t i = 0; i < n; i++) w->permutation[i] = i;
    ho_stream_shuffle(w->r, w->permutation, n);
    for (int32_t i = 0; i < n; i++) w->permutation[n + i] = w->permutation[i]; /* the last group may wrap around */
    for (int32_t i = 0; i < n && at < 2 * n; i += 4, at += 2) breed(w, w->permutation + i, at);
  }
}

/* Moves the individuals listed in `order` to the front, in that order. */
static void keep(ho_evolution *w, int32_t kept) {
  int32_t d = w->problem->n_objectives;
  g_autofree unsigned char **genome = g_new(unsigned char *, (size_t)w->n + 1);
  g_autofree double *objectives = g_new(double, (size_t)kept *(size_t)d + 1), *violation = g_new(double, (size_t)kept + 1),
                    *score = g_new(double, (size_t)kept + 1);
  g_autofree int32_t *rank = g_new(int32_t, (size_t)kept + 1);
  g_autofree uint8_t *taken = g_new0(uint8_t, (size_t)w->n + 1);
  for (int32_t k = 0; k < kept; k++) {
    int32_t i = w->order[k];
    genome[k] = w->genome[i];
    taken[i] = 1;
    memcpy(objectives + (size_t)k * (size_t)d, w->objectives + (size_t)i * (size_t)d, sizeof(double) * (size_t)d);
    violation[k] = w->violation[i];
    score[k] = w->score[i];
    rank[k] = w->rank[i];
  }
  for (int32_t i = 0, k = kept; i < w->n; i++)
    if (!taken[i]) genome[k++] = w->genome[i]; /* free for children */
  memcpy(w->genome, genome, sizeof *genome * (size_t)w->n);
  memcpy(w->objectives, objectives, sizeof(double) * (size_t)kept * (size_t)d);
  memcpy(w->violation, violation, sizeof(double) * (size_t)kept);
  memcpy(w->score, score, sizeof(double) * (size_t)kept);
  memcpy(w->rank, rank, sizeof(int32_t) * (size_t)kept);
  w->n = kept;
}

static void replace(ho_evolution *w) {
  int32_t kept = MIN(w->settings->population, w->n);
  const ho_survival_task t = {.objectives = w->objectives,
                              .violation = w->violation,
                              .n = w->n,
                              .d = w->problem->n_objectives,
                              .keep = kept,
                              .order = w->order,
                              .rank = w->rank,
                              .score = w->score,
                              .r = w->r,
                              .data = w->settings->data};
  w->settings->survive(&t);
  keep(w, kept);
}

ho_evolution *ho_evolution_run(const ho_evolution_problem *problem, const ho_evolution_settings *settings, ho_stream *r) {
  size_t two = 2 * (size_t)settings->population;
  g_assert(settings->population >= 4 && settings->population % 2 == 0);
  ho_evolution *w = g_new0(ho_evolution, 1);
  *w = (ho_evolution){.problem = problem, .settings = settings, .r = r};
  w->block = g_malloc0(two * problem->genome_bytes + 1);
  w->genome = g_new(unsigned char *, two);
  for (size_t i = 0; i < two; i++) w->genome[i] = w->block + i * problem->genome_bytes;
  w->objectives = g_new0(double, two *(size_t)problem->n_objectives);
  w->violation = g_new0(double, two);
  w->score = g_new0(double, two);
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

void ho_evolution_free(ho_evolution *w) {
  if (!w) return;
  void *const owned[] = {w->block, w->genome, w->objectives, w->violation, w->score, w->rank, w->permutation, w->order};
  for (size_t i = 0; i < G_N_ELEMENTS(owned); i++) g_free(owned[i]);
  g_free(w);
}

int32_t ho_evolution_size(const ho_evolution *w) {
  return w->n;
}
const double *ho_evolution_objectives(const ho_evolution *w, int32_t i) {
  return w->objectives + (size_t)i * (size_t)w->problem->n_objectives;
}
double ho_evolution_violation(const ho_evolution *w, int32_t i) {
  return w->violation[i];
}
int32_t ho_evolution_rank(const ho_evolution *w, int32_t i) {
  return w->rank[i];
}
const void *ho_evolution_genome(const ho_evolution *w, int32_t i) {
  return w->genome[i];
}
