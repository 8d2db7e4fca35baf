/* builtin.h: the const structs that registry.c lists, each defined in the file of its algorithm. */
#ifndef HO_SCHED_BUILTIN_H
#define HO_SCHED_BUILTIN_H

#include "sched/scheduler.h"

extern const ho_scheduler ho_scheduler_heteroopt;
extern const ho_scheduler ho_scheduler_nsga2;
extern const ho_scheduler ho_scheduler_nsga3;
extern const ho_scheduler ho_scheduler_spea2;
extern const ho_scheduler ho_scheduler_moead;
extern const ho_scheduler ho_scheduler_ga;
extern const ho_scheduler ho_scheduler_brkga;
extern const ho_scheduler ho_scheduler_sa;
extern const ho_scheduler ho_scheduler_lns;
extern const ho_scheduler ho_scheduler_moheft;
extern const ho_scheduler ho_scheduler_heft;
extern const ho_scheduler ho_scheduler_cpop;
extern const ho_scheduler ho_scheduler_peft;
extern const ho_scheduler ho_scheduler_lookahead;
extern const ho_scheduler ho_scheduler_dls;
extern const ho_scheduler ho_scheduler_etf;
extern const ho_scheduler ho_scheduler_mcp;
extern const ho_scheduler ho_scheduler_bil;
extern const ho_scheduler ho_scheduler_hcpt;
extern const ho_scheduler ho_scheduler_min_min;
extern const ho_scheduler ho_scheduler_max_min;
extern const ho_scheduler ho_scheduler_sufferage;
extern const ho_scheduler ho_scheduler_mct;
extern const ho_scheduler ho_scheduler_met;
extern const ho_scheduler ho_scheduler_olb;
extern const ho_scheduler ho_scheduler_heft_energy;
extern const ho_scheduler ho_scheduler_hbmct;
extern const ho_scheduler ho_scheduler_ippts;
extern const ho_scheduler ho_scheduler_heft_memory;
extern const ho_scheduler ho_scheduler_heft_duplication;
extern const ho_scheduler ho_scheduler_dsc;
extern const ho_scheduler ho_scheduler_linear_clustering;
extern const ho_scheduler ho_scheduler_m_topo;
extern const ho_scheduler ho_scheduler_m_etf;
extern const ho_scheduler ho_scheduler_contiguous;
extern const ho_scheduler ho_scheduler_metis;
extern const ho_scheduler ho_scheduler_parametric;
extern const ho_scheduler ho_scheduler_exact;
extern const ho_scheduler ho_scheduler_policy;
extern const ho_scheduler ho_scheduler_single_fastest;
extern const ho_scheduler ho_scheduler_greedy_rules;
extern const ho_scheduler ho_scheduler_grouped_expert;
extern const ho_scheduler ho_scheduler_random;
extern const ho_scheduler ho_scheduler_fastest;
extern const ho_scheduler ho_scheduler_least_energy;
extern const ho_scheduler ho_scheduler_least_memory;
extern const ho_scheduler ho_scheduler_weighted_sum;

#endif
