/* genes.h: the genes that evolutionary searches share: a device per op, among those that can run it, and a priority per op in [0, 1].
 *
 * decode.h says how they become a plan. A plan that overflows a memory is infeasible by the excess over its capacity. Every feasible plan is offered to
 * the archive: the front that is reported is that of the whole run. Operators: variation.h.
 * Options of every such search (HO_GENES_OPTIONS): init, crossover (of devices), priorities (their crossover), crossover_rate, mutation_rate (per
 * gene, 0: one over the number of ops), eta_crossover, eta_mutation, streams. */
#ifndef HO_SCHED_GENES_H
#define HO_SCHED_GENES_H

#include "sched/decode.h"
#include "sched/evolution.h"
#include "sched/search.h"

extern const char *const ho_genes_crossover_choices[], *const ho_genes_priorities_choices[], *const ho_genes_init_choices[];

#define HO_GENES_OPTIONS                                                                                                      \
  {"init",                                                                                                                    \
   HO_OPTION_CHOICE,                                                                                                          \
   "random",                                                                                                                  \
   0,                                                                                                                         \
   0,                                                                                                                         \
   ho_genes_init_choices,                                                                                                     \
   "first population: random, or begun with HEFT, PEFT, greedy rules, single devices"},                                       \
      {"crossover", HO_OPTION_CHOICE, "uniform", 0, 0, ho_genes_crossover_choices, "crossover of devices"},                   \
      {"priorities", HO_OPTION_CHOICE, "sbx", 0, 0, ho_genes_priorities_choices, "crossover of priorities"},                  \
      {"crossover_rate", HO_OPTION_DOUBLE, "0.9", 0, 1, NULL, "probability that two parents are crossed"},                    \
      {"mutation_rate", HO_OPTION_DOUBLE, "0", 0, 1, NULL, "probability that a gene mutates; 0: one over the number of ops"}, \
      {"eta_crossover", HO_OPTION_DOUBLE, "20", 0, 1000, NULL, "distribution index of simulated binary crossover"},           \
      {"eta_mutation", HO_OPTION_DOUBLE, "20", 0, 1000, NULL, "distribution index of polynomial mutation"}, {                 \
    "streams", HO_OPTION_CHOICE, "one", 0, 0, ho_streams_choices, "streams of spatial devices: only the first, or spread"     \
  }

typedef struct ho_genes ho_genes;

/* NULL after ho_search_fail: no ops, or one that no device can run. */
ho_genes *ho_genes_new(ho_search *s);
void ho_genes_free(ho_genes *c); /* NULL is allowed */

/* Create, cross, mutate and evaluate, for all objectives of the problem. Points to `c`. */
ho_evolution_problem ho_genes_problem(ho_genes *c);

/* A whole run of evolution.h on the genes of a search, until its budget is used up. 0, or -1 after ho_search_fail. `population` is rounded up to an even
 * number. */
int ho_genes_evolve(ho_search *s, int64_t population, ho_survival survive, void *data);

/* The same for the one number that scalar.h makes; `x` has been initialised. */
struct ho_scalar;
int ho_genes_evolve_scalar(ho_search *s, int64_t population, ho_survival survive, struct ho_scalar *x);

/* Views of a genome. */
double *ho_genes_priority(const ho_genes *c, void *genome);
int16_t *ho_genes_device(const ho_genes *c, void *genome);
const ho_space *ho_genes_space(const ho_genes *c);

#endif
