/* peft.h: the optimistic cost table of PEFT. */
#ifndef HO_SCHED_PEFT_H
#define HO_SCHED_PEFT_H

#include "sched/list.h"

/* OCT(op, device), equation 4 of Arabnejad & Barbosa; `out`: n_ops × n_devices. */
void ho_peft_table(const ho_costs *c, double *out);
/* rank_oct: the mean of a row over the devices that can run the op. */
void ho_peft_rank(const ho_costs *c, const double *table, double *out);

#endif
