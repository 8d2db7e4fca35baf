/* decomposition.c: see decomposition.h. */
#include "sched/decomposition.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#define PENALTY 5

typedef struct {
  const ho_evolution_problem *p;
  const ho_decomposition_settings *set;
  ho_stream *r;
  int32_t n, d;
  int32_t *near; /* n × neighbours, itself the first */
  unsigned char *block;
  void *child[2];
  double *objectives, *violation; /* by individual; the last one is the child */
  double *ideal, *nadir;
} state;

static void *genome_of(const state *w, int32_t i) {
  return w->block + (size_t)i * w->p->genome_bytes;
}
static double *objectives_of(const state *w, int32_t i) {
  return w->objectives + (size_t)i * (size_t)w->d;
}

double ho_scalarise(ho_scalarisation how, const double *z, const double *weight, int32_t d) {
  if (how == HO_TCHEBYCHEFF) {
    double worst = 0;
    for (int32_t k = 0; k < d; k++) worst = fmax(worst, fmax(weight[k], 1e-6) * z[k]);
    return worst;
  }
  double along = 0, length = 0, apart = 0;
  for (int32_t k = 0; k < d; k++) {
    along += z[k] * weight[k];
    length += weight[k] * weight[k];
  }
  for (int32_t k = 0; k < d; k++) {
    double gap = z[k] - along / length * weight[k];
    apart += gap * gap;
  }
  return along / sqrt(length) + PENALTY * sqrt(apart);
}

/* --- neighbourhoods ------------------------------------------------------------------------------------------------------------------ */
typedef struct {
  double apart;
  int32_t index;
} neighbour;

static int nearest_first(const void *a, const void *b) {
  const neighbour *x = a, *y = b;
  if (x->apart != y->apart) return x->apart < y->apart ? -1 : 1;
  return x->index < y->index ? -1 : x->index > y->index;
}

static void find_neighbours(state *w) {
  const ho_directions *x = w->set->directions;
  g_autofree neighbour *all = g_new(neighbour, (gsize)w->n);
  for (int32_t i = 0; i < w->n; i++) {
    for (int32_t j = 0; j < w->n; j++) {
      all[j] = (neighbour){0, j};
      for (int32_t k = 0; k < w->d; k++) {
        double gap = x->weight[(gsize)i * (gsize)w->d + (gsize)k] - x->weight[(gsize)j * (gsize)w->d + (gsize)k];
        all[j].apart += gap * gap;
      }
    }
    qsort(all, (size_t)w->n, sizeof *all, nearest_first);
    for (int32_t k = 0; k < w->set->neighbours; k++) w->near[(gsize)i * (gsize)w->set->neighbours + (gsize)k] = all[k].index;
  }
}

/* --- who is better -------------------------------------------------------------------------------------------------------------------- */
/* Best and worst of the feasible individuals (of all, where none is feasible); the child counts for the best. */
static void measure(state *w, int32_t n) {
  for (int32_t k = 0; k < w->d; k++) {
    w->ideal[k] = INFINITY;
    w->nadir[k] = -INFINITY;
  }
  for (int pass = 0; pass < 2 && !isfinite(w->ideal[0]); pass++)
    for (int32_t i = 0; i < n; i++)
      for (int32_t k = 0; k < w->d; k++) {
        if (pass == 0 && w->violation[i] > 0) continue;
        w->ideal[k] = fmin(w->ideal[k], objectives_of(w, i)[k]);
        w->nadir[k] = fmax(w->nadir[k], objectives_of(w, i)[k]);
      }
}

static double value_in(const state *w, int32_t i, int32_t direction) {
  double z[16];
  for (int32_t k = 0; k < w->d; k++) {
    double range = w->nadir[k] - w->ideal[k];
    z[k] = fmax(objectives_of(w, i)[k] - w->ideal[k], 0) / (range > 0 ? range : 1);
  }
  return ho_scalarise(w->set->scalarisation, z, w->set->directions->weight + (gsize)direction * (gsize)w->d, w->d);
}

static int is_better(const state *w, int32_t child, int32_t other, int32_t direction) {
  double a = w->violation[child], b = w->violation[other];
  if (a > 0 || b > 0) return a < b;
  return value_in(w, child, direction) < value_in(w, other, direction);
}

/* --- generations ---------------------------------------------------------------------------------------------------------------------- */
static int evaluate(state *w, const void *genome, int32_t i) {
  w->violation[i] = 0;
  return w->p->evaluate(w->p->context, genome, objectives_of(w, i), &w->violation[i]);
}

static void breed(state *w, int32_t i) {
  const int32_t *near = w->near + (gsize)i * (gsize)w->set->neighbours;
  int32_t a = near[ho_stream_below(w->r, (uint64_t)w->set->neighbours)],
          b = near[ho_stream_below(w->r, (uint64_t)w->set->neighbours)];
  memcpy(w->child[0], genome_of(w, a), w->p->genome_bytes);
  memcpy(w->child[1], genome_of(w, b), w->p->genome_bytes);
  if (ho_stream_uniform(w->r) <= w->set->crossover_rate) w->p->cross(w->p->context, w->r, w->child[0], w->child[1]);
  w->p->mutate(w->p->context, w->r, w->child[0]);
}

static void replace(state *w, int32_t i, int32_t *order) {
  int32_t m = w->set->neighbours, replaced = 0;
  memcpy(order, w->near + (gsize)i * (gsize)m, sizeof *order * (size_t)m);
  ho_stream_shuffle(w->r, order, m);
  for (int32_t k = 0; k < m && replaced < w->set->replaced; k++) {
    int32_t other = order[k];
    if (!is_better(w, w->n, other, other)) continue;
    memcpy(genome_of(w, other), w->child[0], w->p->genome_bytes);
    memcpy(objectives_of(w, other), objectives_of(w, w->n), sizeof(double) * (size_t)w->d);
    w->violation[other] = w->violation[w->n];
    replaced++;
  }
}

static int generation(state *w, int32_t *order) {
  measure(w, w->n);
  for (int32_t i = 0; i < w->n; i++) {
    breed(w, i);
    if (evaluate(w, w->child[0], w->n)) return 1;
    for (int32_t k = 0; k < w->d && w->violation[w->n] <= 0; k++) w->ideal[k] = fmin(w->ideal[k], objectives_of(w, w->n)[k]);
    replace(w, i, order);
  }
  return 0;
}

int32_t ho_decomposition_run(const ho_evolution_problem *problem, const ho_decomposition_settings *settings, ho_stream *r,
                             double *objectives) {
  const ho_directions *x = settings->directions;
  g_assert(x->n >= 3 && settings->neighbours >= 2 && settings->neighbours <= x->n && x->d <= 16 && x->d == problem->n_objectives);
  gsize n = (gsize)x->n, d = (gsize)x->d;
  g_autofree int32_t *near = g_new(int32_t, n * (gsize)settings->neighbours),
                     *order = g_new(int32_t, (gsize)settings->neighbours);
  g_autofree unsigned char *block = g_malloc0((n + 2) * problem->genome_bytes + 1);
  g_autofree double *f = g_new0(double, (n + 1) * d), *violation = g_new0(double, n + 1), *ideal = g_new(double, d),
                    *nadir = g_new(double, d);
  state w = {.p = problem, .set = settings, .r = r, .n = x->n, .d = x->d, .near = near, .block = block};
  w.child[0] = genome_of(&w, w.n);
  w.child[1] = genome_of(&w, w.n + 1);
  w.objectives = f;
  w.violation = violation;
  w.ideal = ideal;
  w.nadir = nadir;
  find_neighbours(&w);
  int32_t made = 0;
  int stop = 0;
  for (; made < w.n && !stop; made += !stop) {
    problem->create(problem->context, r, made, genome_of(&w, made));
    stop = evaluate(&w, genome_of(&w, made), made);
  }
  for (int64_t g = 0; g < settings->generations && !stop; g++) stop = generation(&w, order);
  if (objectives) memcpy(objectives, f, sizeof(double) * (size_t)made * d);
  return made;
}
