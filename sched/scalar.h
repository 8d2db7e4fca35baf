/* scalar.h: one number of all objectives, for searches that know only one.
 *
 * Option `objective`: latency, energy, memory, or weighted: the sum of alpha, beta and gamma times each over what the first evaluated plan has, so that
 * weights have no unit. A plan that overflows a memory is worse than all that fit, by its excess.
 * Every feasible plan is offered to the archive all the same: the front of such a search is a by-product. */
#ifndef HO_SCHED_SCALAR_H
#define HO_SCHED_SCALAR_H

#include "sched/search.h"

extern const char *const ho_scalar_choices[];

#define HO_SCALAR_OPTIONS                                                                                  \
  {"objective", HO_OPTION_CHOICE, "latency", 0, 0, ho_scalar_choices, "what is minimised"},                \
      {"alpha", HO_OPTION_DOUBLE, "1", 0, 1e9, NULL, "weighted: weight of latency over the first plan's"}, \
      {"beta", HO_OPTION_DOUBLE, "1", 0, 1e9, NULL, "weighted: weight of energy over the first plan's"}, { \
    "gamma", HO_OPTION_DOUBLE, "1", 0, 1e9, NULL, "weighted: weight of memory over the first plan's"       \
  }

typedef struct ho_scalar {
  ho_search *s;
  int64_t which; /* of ho_scalar_choices */
  double weight[HO_N_OBJECTIVES], unit[HO_N_OBJECTIVES];
  int known; /* the units */
} ho_scalar;

typedef struct {
  double excess; /* over the tightest memory's capacity, as a share of it; 0: fits */
  double value;
} ho_scalar_value;

/* 0, or -1 after ho_search_fail: all weights are 0. */
int ho_scalar_init(ho_scalar *x, ho_search *s);

/* Evaluates a plan, offers it where it fits. 0; -1: the budget is used up. */
int ho_scalar_evaluate(ho_scalar *x, const ho_plan *plan, ho_scalar_value *out);

/* Whether a is better than b. */
static inline int ho_scalar_better(ho_scalar_value a, ho_scalar_value b) {
  return a.excess != b.excess ? a.excess < b.excess : a.value < b.value;
}

#endif
