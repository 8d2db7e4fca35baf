/* problem.h: a graph on a platform with the objectives that are asked for: what schedulers solve. */
#ifndef HO_SIM_PROBLEM_H
#define HO_SIM_PROBLEM_H

#include "sim/cost.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HO_MAX_OBJECTIVES 4

typedef enum { HO_OBJECTIVE_LATENCY, HO_OBJECTIVE_ENERGY, HO_OBJECTIVE_MEMORY, HO_N_OBJECTIVES } ho_objective;
/* Which memory figure the objective `memory` is (docs/replay.md). */
typedef enum { HO_MEMORY_TIGHTEST, HO_MEMORY_TOTAL, HO_MEMORY_ACCELERATOR } ho_memory_measure;

/* All figures of one evaluation or replay, noise-free unless said otherwise. */
typedef struct {
  double latency;     /* s */
  double energy;      /* J */
  double tightest;    /* max over memories of peak / capacity */
  double total;       /* B: largest sum over all memories at one instant */
  double accelerator; /* B: the same without host memory */
} ho_figures;

struct ho_variant;

typedef struct ho_problem {
  const ho_graph *graph;
  const ho_platform *platform;
  const ho_cost *cost;
  int32_t n_objectives;
  ho_objective objective[HO_MAX_OBJECTIVES];
  ho_memory_measure memory_measure;
  const struct ho_variant *variant; /* what `graph` is a rewrite of (variant.h); NULL: it is the user's own */
} ho_problem;

/* The objectives in the problem's order out of the figures. */
static inline void ho_problem_objectives(const ho_problem *q, const ho_figures *f, double *out) {
  for (int32_t k = 0; k < q->n_objectives; k++) switch (q->objective[k]) {
      case HO_OBJECTIVE_LATENCY:
        out[k] = f->latency;
        break;
      case HO_OBJECTIVE_ENERGY:
        out[k] = f->energy;
        break;
      default:
        out[k] = q->memory_measure == HO_MEMORY_TIGHTEST ? f->tightest
                 : q->memory_measure == HO_MEMORY_TOTAL  ? f->total
                                                         : f->accelerator;
    }
}

/* The longest path, s, with every op on its fastest device, releases counted, launches and copies not: the SLR's denominator (Topcuoglu,
 * Hariri & Wu, IEEE TPDS 13(3), 2002, equation 11). At default precisions and nominal points no plan is faster. INFINITY when no device
 * runs some op. */
double ho_problem_critical_path(const ho_problem *q);

const char *ho_objective_name(ho_objective o);           /* "latency" */
const char *ho_memory_measure_name(ho_memory_measure m); /* "tightest" */

#ifdef __cplusplus
}
#endif

#endif
