/* indicators.h: how far a set of points is from a reference set; minimisation, both in the same (normalised) coordinates.
 *
 * Smaller is better; 0 when every reference point is reached. An empty set against a reference is INFINITY; an empty reference is
 * reached by anything. */
#ifndef HO_RESULTS_INDICATORS_H
#define HO_RESULTS_INDICATORS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Additive epsilon: max over r of min over a of max over k of (a_k - r_k): Zitzler et al., IEEE TEC 7(2), 2003. May be negative. */
double ho_epsilon(const double *a, int32_t na, const double *r, int32_t nr, int32_t d);
/* IGD+: mean over r of min over a of the length of max(a - r, 0): Ishibuchi et al., EMO 2015. */
double ho_igd_plus(const double *a, int32_t na, const double *r, int32_t nr, int32_t d);

#ifdef __cplusplus
}
#endif

#endif
