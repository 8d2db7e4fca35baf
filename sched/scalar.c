/* scalar.c: see scalar.h. */
#include "sched/scalar.h"

#include <math.h>

const char *const ho_scalar_choices[] = {"latency", "energy", "memory", "weighted", NULL};
enum { WEIGHTED = HO_N_OBJECTIVES };

int ho_scalar_init(ho_scalar *x, ho_search *s) {
  *x = (ho_scalar){.s = s, .which = ho_search_option_int(s, "objective"), .unit = {1, 1, 1}};
  if (x->which != WEIGHTED) {
    x->weight[x->which] = 1;
    x->known = 1;
    return 0;
  }
  static const char *const names[HO_N_OBJECTIVES] = {"alpha", "beta", "gamma"};
  double sum = 0;
  for (int k = 0; k < HO_N_OBJECTIVES; k++) sum += x->weight[k] = ho_search_option_double(s, names[k]);
  return sum > 0 ? 0 : ho_search_fail(s, "options alpha, beta, gamma: all are 0, nothing is minimised");
}

/* All three figures, whatever the problem asks for. */
static void figures_of(const ho_scalar *x, double *out) {
  ho_problem all = *ho_search_problem(x->s);
  all.n_objectives = HO_N_OBJECTIVES;
  for (int k = 0; k < HO_N_OBJECTIVES; k++) all.objective[k] = (ho_objective)k;
  ho_problem_objectives(&all, ho_search_figures(x->s), out);
}

int ho_scalar_evaluate(ho_scalar *x, const ho_plan *plan, ho_scalar_value *out) {
  double objectives[HO_MAX_OBJECTIVES], figure[HO_N_OBJECTIVES];
  int status = ho_search_evaluate(x->s, plan, objectives);
  if (status < 0) return -1;
  figures_of(x, figure);
  for (int k = 0; k < HO_N_OBJECTIVES && !x->known; k++)
    if (figure[k] > 0) x->unit[k] = figure[k];
  x->known = 1;
  *out = (ho_scalar_value){.excess = status > 0 ? fmax(ho_search_figures(x->s)->tightest - 1, 1e-12) : 0};
  for (int k = 0; k < HO_N_OBJECTIVES; k++) out->value += x->weight[k] * (figure[k] / x->unit[k]);
  if (status == 0) ho_search_offer(x->s, plan, objectives);
  return 0;
}
