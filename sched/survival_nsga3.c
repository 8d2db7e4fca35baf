/* survival_nsga3.c: survival by reference directions; see survival.h.
 *
 * Deb & Jain, "An evolutionary many-objective optimization algorithm using reference-point-based nondominated sorting approach, part I", IEEE TEC 18(4), 2014:
 * normalisation by extreme points and intercepts (IV C), association (IV D), niching (IV E). Ideal and extreme points are remembered
 * from generation to generation. Where extreme points make no hyperplane, or an intercept is not beyond the ideal, the largest values of the first front stand in, as in the authors' later code. Infeasible individuals come after all
 * feasible ones, in the order of fronts (part II, III A); among them the lower index survives. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "sched/directions.h"
#include "sched/survival.h"

#define AXIS_EPSILON 1e-6 /* weight of the other objectives in the search for extreme points */

/* Solves the d × d system a · x = b by elimination with partial pivoting, in place. 0: singular. */
static int solve(double *a, double *b, int32_t d) {
  for (int32_t k = 0; k < d; k++) {
    int32_t p = k;
    for (int32_t i = k + 1; i < d; i++)
      if (fabs(a[i * d + k]) > fabs(a[p * d + k])) p = i;
    if (fabs(a[p * d + k]) < 1e-12) return 0;
    for (int32_t j = 0; j < d; j++) {
      double t = a[k * d + j];
      a[k * d + j] = a[p * d + j];
      a[p * d + j] = t;
    }
    double t = b[k];
    b[k] = b[p];
    b[p] = t;
    for (int32_t i = k + 1; i < d; i++) {
      double f = a[i * d + k] / a[k * d + k];
      for (int32_t j = k; j < d; j++) a[i * d + j] -= f * a[k * d + j];
      b[i] -= f * b[k];
    }
  }
  for (int32_t k = d - 1; k >= 0; k--) {
    for (int32_t j = k + 1; j < d; j++) b[k] -= a[k * d + j] * b[j];
    b[k] /= a[k * d + k];
  }
  return 1;
}

int32_t ho_nsga3_extreme(const double *f, int32_t m, int32_t d, int32_t k) {
  int32_t best = 0;
  double least = INFINITY;
  for (int32_t i = 0; i < m; i++) {
    double worst = 0;
    for (int32_t j = 0; j < d; j++) worst = fmax(worst, f[i * d + j] / (j == k ? 1 : AXIS_EPSILON));
    if (worst >= least) continue;
    least = worst;
    best = i;
  }
  return best;
}

void ho_nsga3_intercepts(const double *extreme, int32_t d, const double *largest, double *intercept) {
  g_autofree double *a = g_memdup2(extreme, sizeof(double) * (gsize)d * (gsize)d), *b = g_new(double, (gsize)d);
  for (int32_t k = 0; k < d; k++) b[k] = 1;
  int plane = solve(a, b, d);
  for (int32_t k = 0; k < d; k++) plane = plane && b[k] > 0 && 1 / b[k] > 1e-12;
  for (int32_t k = 0; k < d; k++) intercept[k] = plane ? 1 / b[k] : largest[k] > 0 ? largest[k] : 1;
}

struct ho_nsga3 {
  const ho_directions *x;
  int known;
  double *ideal, *extreme; /* d; d × d, objectives as they are */
};

ho_nsga3 *ho_nsga3_new(const ho_directions *x) {
  ho_nsga3 *m = g_new0(ho_nsga3, 1);
  m->x = x;
  m->ideal = g_new(double, (gsize)x->d);
  m->extreme = g_new(double, (gsize)x->d *(gsize)x->d);
  return m;
}

void ho_nsga3_free(ho_nsga3 *m) {
  if (!m) return;
  g_free(m->ideal);
  g_free(m->extreme);
  g_free(m);
}

/* The direction that a point is nearest to, and how far it is from it. */
static int32_t associate(const ho_directions *x, const double *f, double *distance) {
  int32_t best = 0;
  *distance = INFINITY;
  for (int32_t w = 0; w < x->n; w++) {
    const double *v = x->weight + (gsize)w * (gsize)x->d;
    double along = 0, length = 0, apart = 0;
    for (int32_t k = 0; k < x->d; k++) {
      along += f[k] * v[k];
      length += v[k] * v[k];
    }
    for (int32_t k = 0; k < x->d; k++) {
      double gap = f[k] - along / length * v[k];
      apart += gap * gap;
    }
    if (apart >= *distance) continue;
    *distance = apart;
    best = w;
  }
  return best;
}

typedef struct {
  const ho_survival_task *t;
  const ho_directions *x;
  int32_t kept, last; /* in order: survivors, then members of the last front */
  int32_t *to;        /* by place in order: its direction */
  double *distance;
  int32_t *count; /* by direction: survivors */
} niching;

/* The first front and the extreme points so far, less the ideal: how many. */
static int32_t candidates(const ho_survival_task *t, const ho_nsga3 *memory, int32_t m, double *f) {
  int32_t n = 0, d = t->d;
  for (int32_t k = 0; k < d && memory->known; k++, n++) memcpy(f + n * d, memory->extreme + k * d, sizeof(double) * (size_t)d);
  for (int32_t i = 0; i < m && t->rank[t->order[i]] == 0; i++, n++)
    memcpy(f + n * d, t->objectives + (gsize)t->order[i] * (gsize)d, sizeof(double) * (size_t)d);
  for (int32_t i = 0; i < n * d; i++) f[i] -= memory->ideal[i % d];
  return n;
}

/* Objectives of the first `m` in order, less the ideal, over the intercepts. */
static void normalise(const ho_survival_task *t, ho_nsga3 *memory, int32_t m, double *f) {
  gsize d = (gsize)t->d;
  for (gsize k = 0; k < d; k++) {
    if (!memory->known) memory->ideal[k] = INFINITY;
    for (int32_t i = 0; i < m; i++) memory->ideal[k] = fmin(memory->ideal[k], t->objectives[(gsize)t->order[i] * d + k]);
  }
  g_autofree double *near = g_new(double, ((gsize)m + d) * d), *extreme = g_new(double, d *d), *largest = g_new0(double, d),
                    *intercept = g_new(double, d);
  int32_t n = candidates(t, memory, m, near);
  for (int32_t i = memory->known ? t->d : 0; i < n; i++)
    for (gsize k = 0; k < d; k++) largest[k] = fmax(largest[k], near[(gsize)i * d + k]);
  for (int32_t k = 0; k < t->d; k++)
    memcpy(extreme + (gsize)k * d, near + (gsize)ho_nsga3_extreme(near, n, t->d, k) * d, sizeof(double) * d);
  ho_nsga3_intercepts(extreme, t->d, largest, intercept);
  for (gsize i = 0; i < d * d; i++) memory->extreme[i] = extreme[i] + memory->ideal[i % d];
  memory->known = 1;
  for (gsize i = 0; i < (gsize)m * d; i++)
    f[i] = (t->objectives[(gsize)t->order[i / d] * d + i % d] - memory->ideal[i % d]) / intercept[i % d];
}

/* A direction of fewest survivors among those that the last front has members of, drawn. */
static int32_t draw_direction(const niching *w, const uint8_t *taken) {
  int32_t least = INT32_MAX, n = 0, drawn = -1;
  for (int pass = 0; pass < 2; pass++) {
    g_autofree uint8_t *seen = g_new0(uint8_t, (gsize)w->x->n);
    for (int32_t i = w->kept; i < w->last; i++) {
      int32_t to = w->to[i];
      if (taken[i] || seen[to]) continue;
      seen[to] = 1;
      if (pass == 0) {
        least = MIN(least, w->count[to]);
      } else if (w->count[to] == least) {
        if (ho_stream_below(w->t->r, (uint64_t)++n) == 0) drawn = to;
      }
    }
  }
  return drawn;
}

/* Of the last front's members of a direction the nearest while it has no survivor, else a drawn one. */
static int32_t draw_member(const niching *w, int32_t direction, const uint8_t *taken) {
  int32_t best = -1, n = 0;
  for (int32_t i = w->kept; i < w->last; i++) {
    if (taken[i] || w->to[i] != direction) continue;
    if (w->count[direction] == 0) {
      if (best < 0 || w->distance[i] < w->distance[best]) best = i;
    } else if (ho_stream_below(w->t->r, (uint64_t)++n) == 0) {
      best = i;
    }
  }
  return best;
}

static void fill_up(niching *w) {
  const ho_survival_task *t = w->t;
  g_autofree uint8_t *taken = g_new0(uint8_t, (gsize)w->last + 1);
  g_autofree int32_t *chosen = g_new(int32_t, (gsize)t->keep + 1);
  int32_t n = 0;
  while (w->kept + n < t->keep) {
    int32_t direction = draw_direction(w, taken), i = draw_member(w, direction, taken);
    taken[i] = 1;
    w->count[direction]++;
    chosen[n++] = t->order[i];
  }
  memcpy(t->order + w->kept, chosen, sizeof *chosen * (size_t)n);
}

void ho_survival_nsga3(const ho_survival_task *t) {
  ho_nsga2_sort(t->objectives, t->violation, t->n, t->d, t->rank);
  for (int32_t i = 0; i < t->n; i++) t->score[i] = 0;
  ho_nsga3 *memory = t->data;
  niching w = {.t = t, .x = memory->x};
  for (int32_t level = 0; w.last < t->keep; level++) {
    w.kept = w.last;
    for (int32_t i = 0; i < t->n; i++)
      if (t->rank[i] == level) t->order[w.last++] = i;
  }
  if (w.last <= t->keep || t->violation[t->order[w.kept]] > 0) return;
  g_autofree double *f = g_new(double, (gsize)w.last *(gsize)t->d + 1), *distance = g_new(double, (gsize)w.last + 1);
  g_autofree int32_t *to = g_new(int32_t, (gsize)w.last + 1), *count = g_new0(int32_t, (gsize)w.x->n);
  w.to = to;
  w.distance = distance;
  w.count = count;
  normalise(t, memory, w.last, f);
  for (int32_t i = 0; i < w.last; i++) {
    to[i] = associate(w.x, f + i * t->d, &distance[i]);
    if (i < w.kept) count[to[i]]++;
  }
  fill_up(&w);
}
