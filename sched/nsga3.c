/* nsga3.c: NSGA-III on placement and priority.
 *
 * Source: Deb & Jain, "An evolutionary many-objective optimization algorithm using reference-point-based nondominated sorting approach, part I", IEEE TEC 18(4),
 * 2014: survival in survival_nsga3.c, directions in directions.c; breeding in evolution.c; genes in genes.c.
 * Complexity: O(objectives · population² + population · directions) per generation besides the evaluations.
 * Options: population, divisions (0: as many as give at most `population` directions), and those of genes.h. Ties: see survival.h. */
#include "sched/builtin.h"
#include "sched/directions.h"
#include "sched/genes.h"
#include "sched/survival.h"

static const ho_option options[] = {
    {"population", HO_OPTION_INT, "100", 4, 100000, NULL, "individuals, rounded up to an even number"},
    {"divisions", HO_OPTION_INT, "0", 0, 1000, NULL,
     "parts of every objective's axis; 0: at most as many directions as individuals"},
    HO_GENES_OPTIONS,
    {0},
};

static int run(ho_search *s) {
  int32_t d = ho_search_problem(s)->n_objectives, population = (int32_t)ho_search_option_int(s, "population"),
          divisions = (int32_t)ho_search_option_int(s, "divisions");
  if (divisions == 0) divisions = ho_directions_divisions(d, population);
  if (ho_directions_count(d, divisions) > 1000000)
    return ho_search_fail(s, "option divisions: %d make more than a million directions", divisions);
  ho_directions *x = ho_directions_new(d, divisions);
  ho_nsga3 *memory = ho_nsga3_new(x);
  int status = ho_genes_evolve(s, population, ho_survival_nsga3, memory);
  ho_nsga3_free(memory);
  ho_directions_free(x);
  return status;
}

const ho_scheduler ho_scheduler_nsga3 = {
    .abi = HO_SCHEDULER_ABI,
    .struct_size = sizeof(ho_scheduler),
    .name = "nsga3",
    .summary = "NSGA-III on the placement and the priority of every op",
    .source = "Deb, Jain, IEEE TEC 18(4), 2014",
    .options = options,
    .run = run,
};
