/* staircase.h: the two-dimensional front inside the three-dimensional sweeps. Private to results/.
 *
 * A set of mutually non-dominated points (x, y), both minimised, under a corner (cx, cy). All x that will ever be inserted are known
 * beforehand: a point is named by the dense rank of its x (its slot), and the occupied slots are a bitmap with a bitmap of its
 * non-empty words above it, and so on, 64 at a time: neighbours are found in log64 n steps without a balanced tree. */
#ifndef HO_RESULTS_STAIRCASE_H
#define HO_RESULTS_STAIRCASE_H

#include <stdint.h>

typedef struct ho_staircase ho_staircase;

/* x[slot], increasing, n ≥ 1; kept by pointer. Points must lie strictly below the corner. */
ho_staircase *ho_staircase_new(const double *x, int32_t n, double corner_x, double corner_y);
void ho_staircase_free(ho_staircase *s);

/* Inserts (x[slot], y) and removes what it weakly dominates. 1, and *gain (may be NULL) is the area that it adds; 0 when a point
 * dominates or equals it. Amortised O(log n). */
int ho_staircase_insert(ho_staircase *s, int32_t slot, double y, double *gain);

#endif
