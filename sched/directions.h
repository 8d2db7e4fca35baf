/* directions.h: evenly spread directions in the space of objectives.
 *
 * Das & Dennis, SIAM J. Optimization 8(3), 1998: all vectors of d parts out of `divisions` that add up to one: C(divisions + d - 1, d - 1) of them, in
 * lexicographic order. */
#ifndef HO_SCHED_DIRECTIONS_H
#define HO_SCHED_DIRECTIONS_H

#include <stdint.h>

typedef struct {
  int32_t n, d;
  double *weight; /* n × d */
} ho_directions;

/* How many there are. */
int64_t ho_directions_count(int32_t d, int32_t divisions);
/* The most divisions (≥ 1) that give at most `most` directions. */
int32_t ho_directions_divisions(int32_t d, int32_t most);
ho_directions *ho_directions_new(int32_t d, int32_t divisions);
void ho_directions_free(ho_directions *x); /* NULL is allowed */

#endif
