/* registry.c: the schedulers that are built in, one line each, in the order of `heteroopt list schedulers`. */
#include <stddef.h>
#include <string.h>

#include "sched/builtin.h"

const ho_scheduler *const ho_schedulers[] = {
    &ho_scheduler_heteroopt,
    &ho_scheduler_nsga2,
    &ho_scheduler_nsga3,
    &ho_scheduler_spea2,
    &ho_scheduler_moead,
    &ho_scheduler_ga,
    &ho_scheduler_brkga,
    &ho_scheduler_sa,
    &ho_scheduler_lns,
    &ho_scheduler_moheft,
    &ho_scheduler_heft,
    &ho_scheduler_cpop,
    &ho_scheduler_peft,
    &ho_scheduler_lookahead,
    &ho_scheduler_dls,
    &ho_scheduler_etf,
    &ho_scheduler_mcp,
    &ho_scheduler_bil,
    &ho_scheduler_hcpt,
    &ho_scheduler_hbmct,
    &ho_scheduler_ippts,
    &ho_scheduler_min_min,
    &ho_scheduler_max_min,
    &ho_scheduler_sufferage,
    &ho_scheduler_mct,
    &ho_scheduler_met,
    &ho_scheduler_olb,
    &ho_scheduler_heft_energy,
    &ho_scheduler_heft_memory,
    &ho_scheduler_heft_duplication,
    &ho_scheduler_parametric,
    &ho_scheduler_dsc,
    &ho_scheduler_linear_clustering,
    &ho_scheduler_m_topo,
    &ho_scheduler_m_etf,
    &ho_scheduler_contiguous,
    &ho_scheduler_metis,
    &ho_scheduler_policy,
    &ho_scheduler_exact,
    &ho_scheduler_single_fastest,
    &ho_scheduler_greedy_rules,
    &ho_scheduler_grouped_expert,
    &ho_scheduler_random,
    &ho_scheduler_fastest,
    &ho_scheduler_least_energy,
    &ho_scheduler_least_memory,
    &ho_scheduler_weighted_sum,
    NULL,
};

const ho_scheduler *ho_scheduler_find(const char *name) {
  for (const ho_scheduler *const *s = ho_schedulers; *s; s++)
    if (strcmp((*s)->name, name) == 0) return *s;
  return NULL;
}
