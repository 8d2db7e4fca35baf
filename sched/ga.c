/* ga.c: a genetic algorithm for one objective, on placement and priority.
 *
 * Source: Goldberg, Genetic Algorithms in Search, Optimization, and Machine Learning, 1989, chapter 3; elitist replacement of the worst by (μ + λ) selection
 * as in Eiben & Smith, Introduction to Evolutionary Computing, 2015, section 5.3.2. Breeding in evolution.c; genes in genes.c; the objective in scalar.h.
 * Complexity: O(population log population) per generation besides the evaluations.
 * Options: population, those of scalar.h and of genes.h. Ties: the lower index, parents before children. */
#include <glib.h>

#include "sched/builtin.h"
#include "sched/genes.h"
#include "sched/scalar.h"

static const ho_option options[] = {
    {"population", HO_OPTION_INT, "100", 4, 100000, NULL, "individuals, rounded up to an even number"},
    HO_SCALAR_OPTIONS,
    HO_GENES_OPTIONS,
    {0},
};

static int best_first(const void *a, const void *b, void *data) {
  const ho_survival_task *t = data;
  int32_t i = *(const int32_t *)a, j = *(const int32_t *)b;
  if (t->violation[i] != t->violation[j]) return t->violation[i] < t->violation[j] ? -1 : 1;
  if (t->objectives[i] != t->objectives[j]) return t->objectives[i] < t->objectives[j] ? -1 : 1;
  return i < j ? -1 : i > j;
}

static void survive(const ho_survival_task *t) {
  for (int32_t i = 0; i < t->n; i++) t->order[i] = i;
  g_qsort_with_data(t->order, t->n, sizeof *t->order, best_first, (void *)(uintptr_t)t);
  for (int32_t i = 0; i < t->n; i++) {
    t->rank[t->order[i]] = i;
    t->score[i] = 0;
  }
}

static int run(ho_search *s) {
  ho_scalar x;
  if (ho_scalar_init(&x, s) != 0) return -1;
  return ho_genes_evolve_scalar(s, ho_search_option_int(s, "population"), survive, &x);
}

const ho_scheduler ho_scheduler_ga = {
    .abi = HO_SCHEDULER_ABI,
    .struct_size = sizeof(ho_scheduler),
    .name = "ga",
    .summary = "genetic algorithm for one objective, on the placement and the priority of every op",
    .source = "Goldberg 1989, chapter 3; Eiben, Smith 2015, section 5.3.2",
    .options = options,
    .run = run,
};
