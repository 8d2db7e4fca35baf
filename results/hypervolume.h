/* hypervolume.h: the exact volume dominated by a set of points up to a reference, minimisation.
 *
 * 1 objective: the best distance. 2: a sweep, O(n log n). 3: Beume, Fonseca, López-Ibáñez, Paquete & Vahrenhold, IEEE TEC 13(5),
 * 2009, section IV: a sweep over the third objective with a balanced front of the other two, O(n log n). 4: WFG-like slicing over
 * the three-dimensional sweep. Points on or beyond the reference in any objective add nothing; duplicates and dominated points change
 * nothing; an empty set has volume 0. Coordinates must be finite (asserted). */
#ifndef HO_RESULTS_HYPERVOLUME_H
#define HO_RESULTS_HYPERVOLUME_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* points: n rows of d (1 ≤ d ≤ 4) objectives. The input is not changed. */
double ho_hypervolume(const double *points, int32_t n, int32_t d, const double *reference);

#ifdef __cplusplus
}
#endif

#endif
