/* ideals.h: all ideals of an order: sets that hold with each member all that comes before it.
 *
 * Numbered by size, then in the order of being found; 0 is the empty set, n - 1 the whole. Cost: O(ideals · (units + pairs)). */
#ifndef HO_SCHED_IDEALS_H
#define HO_SCHED_IDEALS_H

#include <stdint.h>

typedef struct {
  int32_t n;
  int32_t *first; /* by ideal: its first edge, -1 */
  /* edges to the ideals that have one unit less: */
  int32_t *next, *less, *unit;
} ho_ideals;

/* Of n_units units with n_orders pairs (before, after). NULL: there are more than `most`. */
ho_ideals *ho_ideals_new(int32_t n_units, int32_t n_orders, const int32_t *before, const int32_t *after, int32_t most);
void ho_ideals_free(ho_ideals *x); /* NULL is allowed */

#endif
