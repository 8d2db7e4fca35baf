/* heft_energy.c: HEFT by energy and delay.
 *
 * Source: the energy-delay product of Gonzalez & Horowitz, "Energy dissipation in general purpose microprocessors", IEEE J. Solid-State Circuits
 * 31(9), 1996, as the criterion of HEFT's second phase (as in EDP-minded list schedulers, e.g. Sheikh, Ahmad & Fan, IEEE TPDS 27, 2016).
 * Ops in decreasing upward rank; each goes to the device of least energy^w · time^(1-w): time is from the earliest moment at which its data is
 * in any memory to its finish there; energy is that of the kernel there: power while it runs, less what the device draws idle, and the
 * work's own. w = 0 is nearly HEFT (it differs by that moment), w = 1 takes the device of least energy.
 * Where no power is known (zero everywhere) only time decides. Costs as in heft.c.
 * Complexity: as HEFT. Options: weight. Ties: the earlier finish, then the lower index. */
#include <glib.h>
#include <math.h>

#include "base/fmath.h"
#include "sched/builtin.h"
#include "sched/list.h"

static const ho_option options[] = {
    {"weight", HO_OPTION_DOUBLE, "0.5", 0, 1, NULL, "of energy against time"},
    {0},
};

typedef struct {
  const ho_problem *q;
  double weight;
} taste;

static ho_device least_product(ho_list *l, ho_op o, void *data) {
  const taste *x = data;
  double first = INFINITY, least = INFINITY, soonest = INFINITY;
  ho_device best = -1;
  ho_list_ready(l, o);
  for (ho_memory m = 0; m < l->c->n_memories; m++) first = fmin(first, l->ready[m]);
  for (ho_device d = 0; d < l->c->n_devices; d++) {
    double finish = ho_list_finish_on(l, o, d);
    if (!isfinite(finish)) continue;
    double time = fmax(finish - first, 1e-15), energy = fmax(ho_costs_energy(x->q, o, d), 1e-15);
    double value = x->weight * ho_log(energy) + (1 - x->weight) * ho_log(time);
    if (value > least || (value == least && !(finish < soonest))) continue;
    least = value;
    soonest = finish;
    best = d;
  }
  return best;
}

static ho_op energy_fill(ho_list *l, void *data) {
  g_autofree double *rank = g_new(double, (size_t)l->c->n_ops + 1);
  ho_rank_upward(l->c, rank);
  return ho_list_by_priority(l, rank, least_product, data);
}

static int energy_run(ho_search *s) {
  taste x = {ho_search_problem(s), ho_search_option_double(s, "weight")};
  return ho_list_run_with(s, energy_fill, &x);
}

const ho_scheduler ho_scheduler_heft_energy = {
    HO_LIST_SCHEDULER,
    .name = "heft-energy",
    .summary = "HEFT by the product of energy and delay",
    .source = "Gonzalez, Horowitz, IEEE J. Solid-State Circuits 31(9), 1996; HEFT's order",
    .options = options,
    .run = energy_run,
};
