/* fluid.h: rates of everything that shares something: transfers on links, kernels on compute, memory and power.
 *
 * A flow belongs to a class; all flows of a class use the same resources in the same way and so have the same rate. Transfers over one
 * route are one class with many flows; a kernel is a class of its own. A class uses some resources at a fixed number of units per unit
 * of its own progress. Progressive filling: the level s of all classes grows together, the rate of a class being weight · s, until a
 * resource is full or the class has its cap; then those concerned stay and the others go on. With unit weights this is max-min fairness
 * (Bertsekas & Gallager, Data Networks, 2nd ed., 6.5.2); with weight = 1 / dominant share it is dominant-resource fairness (Ghodsi et al.,
 * NSDI 2011, section 4).
 *
 * A class keeps the progress V that each of its flows has made since the class was last empty; a flow that starts at V and has work w
 * ends when V reaches V + w. Starting or ending a flow therefore costs O(log flows) plus one solution of its component, made once per
 * instant (ho_fluid_settle): O(live classes · bottlenecks). A component is what resources can connect: two classes with no resource in
 * common, directly or through others, never wait for each other's solution.
 *
 * Ties: flows of a class that end together end in the order in which they started; classes that end together, by class index.
 * Failure: none at run time; all sizes are fixed by ho_fluid_new and asserted. Nothing is allocated after it. */
#ifndef HO_SIM_FLUID_H
#define HO_SIM_FLUID_H

#include <stdint.h>

typedef struct ho_fluid ho_fluid; /* one per replay, not shared between threads */

/* capacity[r] > 0, units/s. Flow ids are 0 … max_flows-1, chosen by the caller. max_uses: most resources of one class. */
ho_fluid *ho_fluid_new(int32_t n_resources, const double *capacity, int32_t n_classes, int32_t max_uses, int32_t max_flows);
void ho_fluid_free(ho_fluid *f);
void ho_fluid_reset(ho_fluid *f);                   /* no flows, time 0; classes stay defined */
void ho_fluid_grow(ho_fluid *f, int32_t max_flows); /* between runs only */

/* Defines an empty class. use[i] > 0 units of resource res[i] per unit of progress; cap: highest rate, INFINITY if none. Before
 * ho_fluid_connect: any resources; after it, some of those it was connected with. */
void ho_fluid_define(ho_fluid *f, int32_t c, int32_t n, const int32_t *res, const double *use, double weight, double cap);

/* Finds the components, once, when every class has been defined with all resources that it may ever use. */
void ho_fluid_connect(ho_fluid *f);

/* A flow of `work` units of progress joins class c at time `now` (s), which never decreases from call to call. */
void ho_fluid_start(ho_fluid *f, double now, int32_t c, double work, int32_t id);

/* Solves what changed. Must be called before ho_fluid_next and before time goes on. */
void ho_fluid_settle(ho_fluid *f, double now);

/* Class whose first flow ends next and when (s); -1 and INFINITY when nothing flows. */
int32_t ho_fluid_next(const ho_fluid *f, double *time);

/* Ends the first flow of class c, which is due at `now`; returns its id. */
int32_t ho_fluid_finish(ho_fluid *f, double now, int32_t c);
/* The same whether or not it is due: for going through a run again whose ends are known. */
int32_t ho_fluid_end(ho_fluid *f, double now, int32_t c);

double ho_fluid_rate(const ho_fluid *f, int32_t c);   /* progress per second of each flow, as last settled */
int32_t ho_fluid_count(const ho_fluid *f, int32_t c); /* flows in the class */
double ho_fluid_load(const ho_fluid *f, int32_t r);   /* units/s now drawn from a resource: for tests of the invariants */

/* Classes whose rate changed in the last ho_fluid_settle. */
int32_t ho_fluid_changed(const ho_fluid *f, const int32_t **classes);

#endif
