/* peft.h: PEFT and its table of optimistic costs, for others to start from. */
#ifndef HO_SCHED_PEFT_H
#define HO_SCHED_PEFT_H

#include "sched/list.h"

/* OCT(op, device), equation 4 of Arabnejad & Barbosa; `out`: n_ops × n_devices. */
void ho_peft_table(const ho_costs *c, double *out);
/* rank_oct: the mean of a row over the devices that can run the op. */
void ho_peft_rank(const ho_costs *c, const double *table, double *out);

/* Places all ops of an empty list by PEFT. Returns -1, or the op that has no device that its inputs can reach. */
ho_op ho_peft_fill(ho_list *l);

#endif
