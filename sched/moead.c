/* moead.c: MOEA/D on placement and priority.
 *
 * Source: Zhang & Li, "MOEA/D: A multiobjective evolutionary algorithm based on decomposition", IEEE TEC 11(6), 2007; the core is in decomposition.c, genes in
 * genes.c.
 * Complexity: O(neighbours · objectives) per evaluation besides it.
 * Options: population (as many directions as there are evenly spread ones, at most; at least 3), neighbours, replaced, scalarisation, and those of genes.h.
 * Ties: see decomposition.h. */
#include <glib.h>

#include "sched/builtin.h"
#include "sched/decomposition.h"
#include "sched/genes.h"

static const char *const scalarisation_choices[] = {"tchebycheff", "pbi", NULL};

static const ho_option options[] = {
    {"population", HO_OPTION_INT, "100", 4, 100000, NULL, "directions at most: the largest evenly spread set"},
    {"neighbours", HO_OPTION_INT, "20", 2, 100000, NULL, "directions that breed with each other"},
    {"replaced", HO_OPTION_INT, "2", 1, 100000, NULL, "neighbours that a child may replace"},
    {"scalarisation", HO_OPTION_CHOICE, "tchebycheff", 0, 0, scalarisation_choices,
     "how a direction makes one number of the objectives"},
    HO_GENES_OPTIONS,
    {0},
};

static int run(ho_search *s) {
  int32_t d = ho_search_problem(s)->n_objectives;
  if (d < 2) return ho_search_fail(s, "decomposes several objectives, and there is one: expected at least two");
  ho_genes *genes = ho_genes_new(s);
  if (!genes) return -1;
  int32_t divisions = ho_directions_divisions(d, (int32_t)ho_search_option_int(s, "population"));
  ho_directions *x = ho_directions_new(d, MAX(divisions, 2)); /* at least d + d · (d - 1) / 2 directions */
  ho_decomposition_settings settings = {.directions = x,
                                        .neighbours = (int32_t)MIN(ho_search_option_int(s, "neighbours"), x->n),
                                        .replaced = (int32_t)ho_search_option_int(s, "replaced"),
                                        .generations = INT64_MAX,
                                        .crossover_rate = ho_search_option_double(s, "crossover_rate"),
                                        .scalarisation = (ho_scalarisation)ho_search_option_int(s, "scalarisation")};
  ho_evolution_problem problem = ho_genes_problem(genes);
  ho_decomposition_run(&problem, &settings, ho_search_stream(s), NULL);
  ho_directions_free(x);
  ho_genes_free(genes);
  return 0;
}

const ho_scheduler ho_scheduler_moead = {
    .abi = HO_SCHEDULER_ABI,
    .struct_size = sizeof(ho_scheduler),
    .name = "moead",
    .summary = "MOEA/D on the placement and the priority of every op",
    .source = "Zhang, Li, IEEE TEC 11(6), 2007",
    .options = options,
    .run = run,
};
