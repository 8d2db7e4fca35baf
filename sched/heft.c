/* heft.c: heterogeneous earliest finish time.
 *
 * Source: Topcuoglu, Hariri & Wu, "Performance-effective and low-complexity task scheduling for heterogeneous computing", IEEE TPDS 13(3),
 * 2002, section 4.
 * Ops in decreasing upward rank; each goes to the device where it finishes first, in the first gap of that device's timeline that it fits.
 * Mean computation over the devices that can run an op, mean communication over ordered pairs of distinct devices (costs.h).
 * Where the paper is silent: an op's seconds include launching; a tensor is a message of its own; kernels of one device do not overlap
 * (stream 0); precision is the default one, point nominal. Memory is not looked at: a plan that does not fit ends the run with the reason.
 * Complexity: O(ops · log ops + edges · memories + ops · devices · slots looked at).
 * Options: none. Ties: between ops and between devices, the lower index. */
#include "sched/heft.h"

#include <glib.h>

#include "sched/builtin.h"

ho_op ho_heft_fill(ho_list *l) {
  const ho_graph *g = l->c->g;
  g_autofree double *rank = g_new(double, (size_t)g->n_ops + 1);
  ho_rank_upward(l->c, rank);
  return ho_list_by_priority(l, rank, NULL, NULL);
}

static int heft_run(ho_search *s) {
  return ho_list_run(s, ho_heft_fill);
}

const ho_scheduler ho_scheduler_heft = {
    HO_LIST_SCHEDULER,
    .name = "heft",
    .summary = "earliest finish time in order of upward rank, with insertion",
    .source = "Topcuoglu, Hariri, Wu, IEEE TPDS 13(3), 2002, section 4",
    .run = heft_run,
};
