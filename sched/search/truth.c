/* truth.c: see truth.h. */
#include "sched/search/truth.h"

#include <glib.h>
#include <string.h>

#include "base/fmath.h"

#define NEWEST 0.2

typedef struct {
  uint64_t key;
  int known;
  double log_ratio[HO_MAX_OBJECTIVES];
} bias;

struct ho_truth {
  int32_t n;
  GHashTable *by_devices; /* bias* by its key */
  bias all;
};

ho_truth *ho_truth_new(int32_t n_objectives) {
  ho_truth *t = g_new0(ho_truth, 1);
  t->n = n_objectives;
  t->by_devices = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, g_free);
  return t;
}

void ho_truth_free(ho_truth *t) {
  if (!t) return;
  g_hash_table_unref(t->by_devices);
  g_free(t);
}

/* Devices as bits (the 63 first; platforms have a handful), and whether a stream other than the first is used. */
static uint64_t key_of(const ho_plan *plan) {
  uint64_t key = 0;
  for (int32_t i = 0; i < plan->n; i++)
    key |= UINT64_C(1) << MIN(plan->entry[i].device, 62) | (plan->entry[i].stream > 0 ? UINT64_C(1) << 63 : 0);
  return key;
}

void ho_truth_correct(const ho_truth *t, const ho_plan *plan, double *objectives) {
  uint64_t key = key_of(plan);
  const bias *b = g_hash_table_lookup(t->by_devices, &key);
  if (!b) b = &t->all;
  for (int32_t k = 0; k < t->n; k++) objectives[k] *= ho_exp(b->log_ratio[k]);
}

static void update(bias *b, int32_t n, const double *log_ratio) {
  for (int32_t k = 0; k < n; k++) b->log_ratio[k] += (b->known ? NEWEST : 1) * (log_ratio[k] - b->log_ratio[k]);
  b->known = 1;
}

void ho_truth_learn(ho_truth *t, const ho_plan *plan, const double *estimated, const double *replayed) {
  uint64_t key = key_of(plan);
  bias *b = g_hash_table_lookup(t->by_devices, &key);
  if (!b) {
    b = g_new0(bias, 1);
    b->key = key;
    g_hash_table_insert(t->by_devices, &b->key, b);
  }
  double log_ratio[HO_MAX_OBJECTIVES];
  for (int32_t k = 0; k < t->n; k++) log_ratio[k] = estimated[k] > 0 && replayed[k] > 0 ? ho_log(replayed[k] / estimated[k]) : 0;
  update(b, t->n, log_ratio);
  update(&t->all, t->n, log_ratio);
}
