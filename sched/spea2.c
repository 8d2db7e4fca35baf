/* spea2.c: SPEA2 on placement and priority.
 *
 * Source: Zitzler, Laumanns & Thiele, "SPEA2: Improving the strength Pareto evolutionary algorithm", TIK-Report 103, ETH Zürich, 2001: survival in
 * survival_spea2.c; breeding in evolution.c; genes in genes.c.
 * Complexity: O(population² · (objectives + log population)) per generation besides the evaluations.
 * Options: population (which is the archive), and those of genes.h. Ties: see survival.h. */
#include "sched/builtin.h"
#include "sched/genes.h"
#include "sched/survival.h"

static const ho_option options[] = {
    {"population", HO_OPTION_INT, "100", 4, 10000, NULL, "individuals, rounded up to an even number"},
    HO_GENES_OPTIONS,
    {0},
};

static int run(ho_search *s) {
  return ho_genes_evolve(s, ho_search_option_int(s, "population"), ho_survival_spea2, NULL);
}

const ho_scheduler ho_scheduler_spea2 = {
    .abi = HO_SCHEDULER_ABI,
    .struct_size = sizeof(ho_scheduler),
    .name = "spea2",
    .summary = "SPEA2 on the placement and the priority of every op",
    .source = "Zitzler, Laumanns, Thiele, TIK-Report 103, 2001",
    .options = options,
    .run = run,
};
