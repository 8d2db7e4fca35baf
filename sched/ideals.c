/* ideals.c: see ideals.h. */
#include "sched/ideals.h"

#include <glib.h>
#include <string.h>

typedef struct {
  int32_t n_units, words;
  const int32_t *start, *producer; /* by unit: what comes before it */
  GPtrArray *sets;                 /* by ideal: one word with the number of words, then the bits */
  GHashTable *found;               /* set -> number + 1 */
  GArray *first, *next, *less, *unit;
} finder;

static guint hash_set(gconstpointer x) {
  const uint64_t *set = x;
  uint64_t h = 0;
  for (uint64_t i = 1; i <= set[0]; i++) h = (h ^ set[i]) * UINT64_C(0x9E3779B97F4A7C15);
  return (guint)(h >> 32);
}

static gboolean equal_sets(gconstpointer a, gconstpointer b) {
  return memcmp(a, b, sizeof(uint64_t) * (size_t)(1 + *(const uint64_t *)a)) == 0;
}

static int has(const uint64_t *set, int32_t unit) {
  return (int)(set[1 + unit / 64] >> (unit % 64) & 1);
}

static int32_t add_set(finder *f, uint64_t *set) {
  int32_t number = (int32_t)f->sets->len, none = -1;
  g_ptr_array_add(f->sets, set);
  g_hash_table_insert(f->found, set, GINT_TO_POINTER(number + 1));
  g_array_append_val(f->first, none);
  return number;
}

/* The ideal `number` with one unit more. */
static void grow(finder *f, int32_t number, int32_t unit, uint64_t *scratch) {
  memcpy(scratch, f->sets->pdata[number], sizeof(uint64_t) * (size_t)(1 + f->words));
  scratch[1 + unit / 64] |= UINT64_C(1) << (unit % 64);
  int32_t k = GPOINTER_TO_INT(g_hash_table_lookup(f->found, scratch)) - 1;
  if (k < 0) k = add_set(f, g_memdup2(scratch, sizeof(uint64_t) * (size_t)(1 + f->words)));
  int32_t edge = (int32_t)f->next->len;
  g_array_append_val(f->next, g_array_index(f->first, int32_t, k));
  g_array_append_val(f->less, number);
  g_array_append_val(f->unit, unit);
  g_array_index(f->first, int32_t, k) = edge;
}

static int may_follow(const finder *f, const uint64_t *set, int32_t unit) {
  if (has(set, unit)) return 0;
  for (int32_t i = f->start[unit]; i < f->start[unit + 1]; i++)
    if (!has(set, f->producer[i])) return 0;
  return 1;
}

/* 0: there are more than `most`. */
static int find_all(finder *f, int32_t most) {
  g_autofree uint64_t *scratch = g_new0(uint64_t, (size_t)f->words + 1), *empty = g_new0(uint64_t, (size_t)f->words + 1);
  empty[0] = (uint64_t)f->words;
  add_set(f, g_steal_pointer(&empty));
  for (guint i = 0; i < f->sets->len; i++)
    for (int32_t u = 0; u < f->n_units; u++) {
      if (may_follow(f, f->sets->pdata[i], u)) grow(f, (int32_t)i, u, scratch);
      if (f->sets->len > (guint)most) return 0;
    }
  return 1;
}

static void list_producers(int32_t n_units, int32_t n_orders, const int32_t *before, const int32_t *after, int32_t *start,
                           int32_t *producer) {
  for (int32_t i = 0; i < n_orders; i++) start[after[i] + 1]++;
  for (int32_t u = 0; u < n_units; u++) start[u + 1] += start[u];
  g_autofree int32_t *at = g_memdup2(start, sizeof(int32_t) * ((size_t)n_units + 1));
  for (int32_t i = 0; i < n_orders; i++) producer[at[after[i]]++] = before[i];
}

static int32_t *take(GArray *a) {
  return (int32_t *)(void *)g_array_free(a, FALSE);
}

ho_ideals *ho_ideals_new(int32_t n_units, int32_t n_orders, const int32_t *before, const int32_t *after, int32_t most) {
  g_autofree int32_t *start = g_new0(int32_t, (size_t)n_units + 2), *producer = g_new(int32_t, (size_t)n_orders + 1);
  list_producers(n_units, n_orders, before, after, start, producer);
  finder f = {n_units, (n_units + 63) / 64, start, producer, g_ptr_array_new_with_free_func(g_free), NULL, NULL, NULL, NULL,
              NULL};
  f.found = g_hash_table_new(hash_set, equal_sets);
  f.first = g_array_new(FALSE, FALSE, sizeof(int32_t));
  f.next = g_array_new(FALSE, FALSE, sizeof(int32_t));
  f.less = g_array_new(FALSE, FALSE, sizeof(int32_t));
  f.unit = g_array_new(FALSE, FALSE, sizeof(int32_t));
  int done = find_all(&f, most);
  ho_ideals *x = g_new0(ho_ideals, 1);
  x->n = (int32_t)f.sets->len;
  g_hash_table_destroy(f.found);
  g_ptr_array_free(f.sets, TRUE);
  x->first = take(f.first);
  x->next = take(f.next);
  x->less = take(f.less);
  x->unit = take(f.unit);
  if (done) return x;
  ho_ideals_free(x);
  return NULL;
}

void ho_ideals_free(ho_ideals *x) {
  if (!x) return;
  g_free(x->first);
  g_free(x->next);
  g_free(x->less);
  g_free(x->unit);
  g_free(x);
}
