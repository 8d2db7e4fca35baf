/* bounds.h: certified lower bounds of a problem of any size: no plan at default precisions and nominal points is better.
 *
 * latency: the longest path with fastest kernels (problem.h), and load: for weights y_d ≥ 0 of the devices that add up to one,
 *     T ≥ Σ_o min_d y_d · load(o, d),
 * the dual of the assignment relaxation of unrelated machines (Lenstra, Shmoys & Tardos, Mathematical Programming 46, 1990, section 2); every y gives
 * a bound, and a fixed number of subgradient steps looks for a good one. The load of an op is its kernel's seconds on an exclusive device; on a
 * spatial one, whose kernels may overlap, what it takes of compute, or, in a bound of its own, of memory bandwidth.
 * energy: the least that each op takes above idle anywhere, and idle power of the host's devices over the bound of latency (or the period).
 * memory (tightest): what one op needs at once where it fits best, and all weights spread evenly.
 * Inputs count at the least precision in which their producers may run: so a bound also holds where kernels get cheaper by that. */
#ifndef HO_SIM_BOUNDS_H
#define HO_SIM_BOUNDS_H

#include "sim/plan.h"
#include "sim/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  double latency;    /* s */
  double path, load; /* s; latency is the larger */
  double energy;     /* J */
  double tightest;   /* share of a capacity */
} ho_bounds;

/* INFINITY where some op runs nowhere. O(steps · ops · devices). */
ho_bounds ho_bounds_of(const ho_problem *q);

/* Whether the bounds are about a plan: it is of the problem's own graph, at default precisions and nominal points. */
int ho_bounds_hold(const ho_problem *q, const ho_plan *plan);

#ifdef __cplusplus
}
#endif

#endif
