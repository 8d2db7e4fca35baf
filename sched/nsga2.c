/* nsga2.c: NSGA-II on placement and priority.
 *
 * Source: Deb, Pratap, Agarwal & Meyarivan, "A fast and elitist multiobjective genetic algorithm: NSGA-II", IEEE TEC 6(2), 2002: breeding in evolution.c,
 * survival in survival_nsga2.c; genes in genes.c.
 * Complexity: O(objectives · population²) per generation besides the evaluations.
 * Options: population, and those of genes.h. Ties: see survival.h. */
#include "sched/builtin.h"
#include "sched/genes.h"
#include "sched/survival.h"

static const ho_option options[] = {
    {"population", HO_OPTION_INT, "100", 4, 100000, NULL, "individuals, rounded up to an even number"},
    HO_GENES_OPTIONS,
    {0},
};

static int run(ho_search *s) {
  return ho_genes_evolve(s, ho_search_option_int(s, "population"), ho_survival_nsga2, NULL);
}

const ho_scheduler ho_scheduler_nsga2 = {
    .abi = HO_SCHEDULER_ABI,
    .struct_size = sizeof(ho_scheduler),
    .name = "nsga2",
    .summary = "NSGA-II on the placement and the priority of every op",
    .source = "Deb, Pratap, Agarwal, Meyarivan, IEEE TEC 6(2), 2002",
    .options = options,
    .run = run,
};
