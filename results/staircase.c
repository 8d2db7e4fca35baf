/* staircase.c: see staircase.h. */
#include "results/staircase.h"

#include <glib.h>

#define MAX_LEVELS 6 /* 64^6 > 2^31 */

struct ho_staircase {
  const double *x;
  double *y; /* by slot; meaningful where occupied */
  double corner_x, corner_y;
  int32_t n_levels;
  uint64_t *level[MAX_LEVELS]; /* level[0]: one bit per slot; level[k]: one bit per word of level[k-1] */
  int32_t n_words[MAX_LEVELS];
};

ho_staircase *ho_staircase_new(const double *x, int32_t n, double corner_x, double corner_y) {
  g_assert(n >= 1);
  ho_staircase *s = g_new0(ho_staircase, 1);
  s->x = x;
  s->y = g_new(double, n);
  s->corner_x = corner_x;
  s->corner_y = corner_y;
  int32_t bits = n;
  do {
    int32_t words = (bits + 63) / 64;
    s->level[s->n_levels] = g_new0(uint64_t, words);
    s->n_words[s->n_levels++] = words;
    bits = words;
  } while (bits > 1);
  return s;
}

void ho_staircase_free(ho_staircase *s) {
  if (!s) return;
  for (int32_t k = 0; k < s->n_levels; k++) g_free(s->level[k]);
  g_free(s->y);
  g_free(s);
}

static void set_bit(ho_staircase *s, int32_t i) {
  for (int32_t k = 0; k < s->n_levels; k++, i >>= 6) s->level[k][i >> 6] |= (uint64_t)1 << (i & 63);
}

static void clear_bit(ho_staircase *s, int32_t i) {
  for (int32_t k = 0; k < s->n_levels; k++, i >>= 6) {
    s->level[k][i >> 6] &= ~((uint64_t)1 << (i & 63));
    if (s->level[k][i >> 6]) return;
  }
}

/* First occupied slot ≥ i, -1 when there is none: climbs until a word has a bit at or after i, then descends to its lowest. */
static int32_t next_at(const ho_staircase *s, int32_t i) {
  for (int32_t k = 0; k < s->n_levels; k++) {
    int32_t w = i >> 6;
    if (w >= s->n_words[k]) return -1;
    uint64_t bits = s->level[k][w] & (~(uint64_t)0 << (i & 63));
    if (bits) {
      i = (w << 6) | __builtin_ctzll(bits);
      while (k-- > 0) i = (i << 6) | __builtin_ctzll(s->level[k][i]);
      return i;
    }
    i = w + 1;
  }
  return -1;
}

/* Last occupied slot ≤ i, -1 when there is none. */
static int32_t last_at(const ho_staircase *s, int32_t i) {
  for (int32_t k = 0; k < s->n_levels && i >= 0; k++) {
    int32_t w = i >> 6;
    uint64_t bits = s->level[k][w] & (~(uint64_t)0 >> (63 - (i & 63)));
    if (bits) {
      i = (w << 6) | (63 - __builtin_clzll(bits));
      while (k-- > 0) i = (i << 6) | (63 - __builtin_clzll(s->level[k][i]));
      return i;
    }
    i = w - 1;
  }
  return -1;
}

int ho_staircase_insert(ho_staircase *s, int32_t slot, double y, double *gain) {
  int32_t left = last_at(s, slot);
  if (left >= 0 && s->y[left] <= y) return 0;
  /* The stairs that the new point lowers to y, from its x to the first stair that is lower already. */
  double from = s->x[slot], height = left >= 0 ? s->y[left] : s->corner_y, area = 0;
  int32_t right = next_at(s, slot);
  while (right >= 0 && s->y[right] >= y) {
    area += (s->x[right] - from) * (height - y);
    from = s->x[right];
    height = s->y[right];
    clear_bit(s, right);
    right = next_at(s, right + 1);
  }
  area += ((right >= 0 ? s->x[right] : s->corner_x) - from) * (height - y);
  s->y[slot] = y;
  set_bit(s, slot);
  if (gain) *gain = area;
  return 1;
}
