/* pairing.h: a pairing heap over indices (Fredman, Sedgewick, Sleator & Tarjan, Algorithmica 1, 1986), without allocation.
 *
 * Nodes lie in the owner's array and are named by their index; many heaps may share one array, a node being in one heap at a time. A heap
 * is the index of its root, -1 when empty. Smallest (key, order) first. `scratch` has room for as many indices as there are nodes. */
#ifndef HO_SIM_PAIRING_H
#define HO_SIM_PAIRING_H

#include <stdint.h>

typedef struct {
  double key;
  int64_t order;
  int32_t child, sibling;
} ho_pairing;

static inline int ho_pairing_before(const ho_pairing *a, const ho_pairing *b) {
  return a->key < b->key || (a->key == b->key && a->order < b->order);
}

static inline int32_t ho_pairing_meld(ho_pairing *w, int32_t a, int32_t b) {
  if (a < 0) return b;
  if (b < 0) return a;
  if (ho_pairing_before(&w[b], &w[a])) {
    int32_t t = a;
    a = b;
    b = t;
  }
  w[b].sibling = w[a].child;
  w[a].child = b;
  return a;
}

/* The root after node `i` was put into the heap. */
static inline int32_t ho_pairing_push(ho_pairing *w, int32_t root, int32_t i, double key, int64_t order) {
  w[i] = (ho_pairing){.key = key, .order = order, .child = -1, .sibling = -1};
  return ho_pairing_meld(w, root, i);
}

/* The root after the first node (the root) was taken out: two-pass merging of its children. */
static inline int32_t ho_pairing_pop(ho_pairing *w, int32_t root, int32_t *scratch) {
  int32_t n = 0, c = w[root].child;
  while (c >= 0) {
    int32_t a = c, b = w[a].sibling;
    c = -1;
    w[a].sibling = -1;
    if (b >= 0) {
      c = w[b].sibling;
      w[b].sibling = -1;
      a = ho_pairing_meld(w, a, b);
    }
    scratch[n++] = a;
  }
  int32_t merged = -1;
  while (n > 0) merged = ho_pairing_meld(w, scratch[--n], merged);
  return merged;
}

#endif
