/* archive.c: see archive.h. Points lie in one flat array; an addition compares with each of them. */
#include "results/archive.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#include "results/lexicographic.h"

struct ho_archive {
  int32_t d, n, capacity;
  double *value; /* n × d */
  void **payload;
  void (*drop)(void *payload);
};

ho_archive *ho_archive_new(int32_t n_objectives, void (*drop)(void *payload)) {
  g_assert(n_objectives >= 1);
  ho_archive *a = g_new0(ho_archive, 1);
  a->d = n_objectives;
  a->drop = drop;
  return a;
}

void ho_archive_free(ho_archive *a) {
  if (!a) return;
  for (int32_t i = 0; a->drop && i < a->n; i++) a->drop(a->payload[i]);
  g_free(a->value);
  g_free(a->payload);
  g_free(a);
}

/* Whether a is no worse than b in all objectives. */
static inline int covers(const double *a, const double *b, int32_t d) {
  for (int32_t k = 0; k < d; k++)
    if (a[k] > b[k]) return 0;
  return 1;
}

int ho_archive_accepts(const ho_archive *a, const double *objectives) {
  for (int32_t k = 0; k < a->d; k++)
    if (!isfinite(objectives[k])) return 0;
  for (int32_t i = 0; i < a->n; i++)
    if (covers(a->value + (int64_t)i * a->d, objectives, a->d)) return 0;
  return 1;
}

static void remove_covered(ho_archive *a, const double *objectives) {
  int32_t m = 0;
  for (int32_t i = 0; i < a->n; i++) {
    double *v = a->value + (int64_t)i * a->d;
    if (covers(objectives, v, a->d)) {
      if (a->drop) a->drop(a->payload[i]);
      continue;
    }
    if (m < i) {
      memcpy(a->value + (int64_t)m * a->d, v, sizeof(double) * (size_t)a->d);
      a->payload[m] = a->payload[i];
    }
    m++;
  }
  a->n = m;
}

int ho_archive_add(ho_archive *a, const double *objectives, void *payload) {
  if (!ho_archive_accepts(a, objectives)) return 0;
  remove_covered(a, objectives);
  if (a->n == a->capacity) {
    a->capacity = MAX(16, 2 * a->capacity);
    a->value = g_renew(double, a->value, (gsize)a->capacity *(gsize)a->d);
    a->payload = g_renew(void *, a->payload, a->capacity);
  }
  memcpy(a->value + (int64_t)a->n * a->d, objectives, sizeof(double) * (size_t)a->d);
  a->payload[a->n++] = payload;
  return 1;
}

int32_t ho_archive_size(const ho_archive *a) {
  return a->n;
}

void ho_archive_sort(ho_archive *a) {
  g_autofree ho_lex_row *row = ho_lex_sorted(a->value, a->n, a->d);
  double *value = g_new(double, MAX((gsize)a->capacity * (gsize)a->d, 1));
  void **payload = g_new(void *, MAX(a->capacity, 1));
  for (int32_t i = 0; i < a->n; i++) {
    memcpy(value + (int64_t)i * a->d, row[i].v, sizeof(double) * (size_t)a->d);
    payload[i] = a->payload[row[i].index];
  }
  g_free(a->value);
  g_free(a->payload);
  a->value = value;
  a->payload = payload;
}

const double *ho_archive_objectives(const ho_archive *a, int32_t i) {
  g_assert(i >= 0 && i < a->n);
  return a->value + (int64_t)i * a->d;
}

void *ho_archive_payload(const ho_archive *a, int32_t i) {
  g_assert(i >= 0 && i < a->n);
  return a->payload[i];
}
