/* nsga2.c: NSGA-II on placement and priority.
 *
 * Source: Deb, Pratap, Agarwal & Meyarivan, "A fast and elitist multiobjective genetic algorithm: NSGA-II", IEEE TEC 6(2), 2002; the core
 * is in nsga2_core.c, the operators in variation.c.
 * Genes: a device per op, among those that can run it, and a priority per op in [0, 1]; decode.h says how they become a plan. A plan that
 * overflows a memory is infeasible by the excess over its capacity (constrained domination). Every feasible plan is offered to the
 * archive: the front that is reported is that of the whole run.
 * Complexity: O(objectives · population²) per generation besides the evaluations.
 * Options: population, init, crossover (of devices), priorities (their crossover), crossover_rate, mutation_rate (per gene, 0: one over the
 * number of ops), eta_crossover, eta_mutation, streams. Ties: see nsga2_core.h. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "sched/builtin.h"
#include "sched/decode.h"
#include "sched/nsga2_core.h"
#include "sched/seeds.h"
#include "sched/variation.h"

enum { CROSS_UNIFORM, CROSS_ONE_POINT };
enum { PRIORITIES_SBX, PRIORITIES_UNIFORM };
enum { INIT_RANDOM, INIT_HEURISTICS };

static const char *const crossover_choices[] = {"uniform", "one-point", NULL};
static const char *const priorities_choices[] = {"sbx", "uniform", NULL};
static const char *const init_choices[] = {"random", "heuristics", NULL};

static const ho_option options[] = {
    {"population", HO_OPTION_INT, "100", 4, 100000, NULL, "individuals, rounded up to an even number"},
    {"init", HO_OPTION_CHOICE, "random", 0, 0, init_choices,
     "first population: random, or begun with HEFT, PEFT, greedy rules, single devices"},
    {"crossover", HO_OPTION_CHOICE, "uniform", 0, 0, crossover_choices, "crossover of devices"},
    {"priorities", HO_OPTION_CHOICE, "sbx", 0, 0, priorities_choices, "crossover of priorities"},
    {"crossover_rate", HO_OPTION_DOUBLE, "0.9", 0, 1, NULL, "probability that two parents are crossed"},
    {"mutation_rate", HO_OPTION_DOUBLE, "0", 0, 1, NULL, "probability that a gene mutates; 0: one over the number of ops"},
    {"eta_crossover", HO_OPTION_DOUBLE, "20", 0, 1000, NULL, "distribution index of simulated binary crossover"},
    {"eta_mutation", HO_OPTION_DOUBLE, "20", 0, 1000, NULL, "distribution index of polynomial mutation"},
    {"streams", HO_OPTION_CHOICE, "one", 0, 0, ho_streams_choices, "streams of spatial devices: only the first, or spread"},
    {0},
};

/* A genome is n_ops priorities followed by n_ops devices. */
typedef struct {
  ho_search *s;
  const ho_space *v;
  ho_decoder *decoder;
  ho_plan *plan;
  const ho_seeds *seeds; /* NULL: none */
  int64_t crossover, priorities;
  double mutation_rate, eta_crossover, eta_mutation;
  int64_t misses_left; /* genomes without a plan (memories that cannot reach each other) before giving up */
} context;

static double *priority_in(const context *c, void *genome) {
  (void)c;
  return genome;
}
static int16_t *device_in(const context *c, void *genome) {
  return (int16_t *)(void *)((double *)genome + c->v->n_ops);
}

static int16_t draw_device(const context *c, ho_stream *r, ho_op o) {
  return c->v->device[c->v->start[o] + (int32_t)ho_stream_below(r, (uint64_t)ho_space_choices(c->v, o))];
}

static void create(void *data, ho_stream *r, int32_t index, void *genome) {
  const context *c = data;
  double *priority = priority_in(c, genome);
  int16_t *device = device_in(c, genome);
  size_t n = (size_t)c->v->n_ops;
  if (c->seeds && index < c->seeds->n) {
    memcpy(priority, c->seeds->priority + (size_t)index * n, sizeof(double) * n);
    memcpy(device, c->seeds->device + (size_t)index * n, sizeof(int16_t) * n);
    return;
  }
  for (ho_op o = 0; o < c->v->n_ops; o++) {
    device[o] = draw_device(c, r, o);
    priority[o] = ho_stream_uniform(r);
  }
}

static void cross(void *data, ho_stream *r, void *a, void *b) {
  const context *c = data;
  int32_t n = c->v->n_ops;
  if (c->crossover == CROSS_UNIFORM)
    ho_cross_uniform_int(r, device_in(c, a), device_in(c, b), n);
  else
    ho_cross_one_point_int(r, device_in(c, a), device_in(c, b), n);
  if (c->priorities == PRIORITIES_SBX)
    ho_cross_sbx(r, priority_in(c, a), priority_in(c, b), n, NULL, NULL, c->eta_crossover);
  else
    ho_cross_uniform_real(r, priority_in(c, a), priority_in(c, b), n);
}

static void mutate(void *data, ho_stream *r, void *genome) {
  const context *c = data;
  int16_t *device = device_in(c, genome);
  for (ho_op o = 0; o < c->v->n_ops; o++)
    if (ho_stream_uniform(r) < c->mutation_rate) device[o] = draw_device(c, r, o);
  ho_mutate_polynomial(r, priority_in(c, genome), c->v->n_ops, NULL, NULL, c->mutation_rate, c->eta_mutation);
}

static int evaluate(void *data, const void *genome, double *objectives, double *violation) {
  context *c = data;
  void *g = (void *)(uintptr_t)genome; /* read only */
  if (ho_decode(c->decoder, device_in(c, g), priority_in(c, g), c->plan) != 0) {
    for (int32_t k = 0; k < ho_search_problem(c->s)->n_objectives; k++) objectives[k] = 0;
    *violation = INFINITY;
    return --c->misses_left < 0;
  }
  int status = ho_search_evaluate(c->s, c->plan, objectives);
  if (status < 0) return 1;
  if (status == 0)
    ho_search_offer(c->s, c->plan, objectives);
  else
    *violation = ho_search_figures(c->s)->tightest - 1;
  return 0;
}

static int run(ho_search *s) {
  const ho_problem *q = ho_search_problem(s);
  ho_space *v = ho_space_new(s);
  if (!v) return -1;
  if (v->n_ops == 0) {
    ho_space_free(v);
    return ho_search_fail(s, "graph '%s' has no ops", q->graph->name);
  }
  context c = {.s = s, .v = v, .decoder = ho_decoder_new(q, v, (ho_streams)ho_search_option_int(s, "streams"))};
  ho_seeds *seeds = ho_search_option_int(s, "init") == INIT_HEURISTICS ? ho_seeds_new(q, v) : NULL;
  c.plan = ho_plan_new(v->n_ops);
  c.seeds = seeds;
  c.crossover = ho_search_option_int(s, "crossover");
  c.priorities = ho_search_option_int(s, "priorities");
  c.mutation_rate = ho_search_option_double(s, "mutation_rate");
  if (c.mutation_rate <= 0) c.mutation_rate = 1.0 / v->n_ops;
  c.eta_crossover = ho_search_option_double(s, "eta_crossover");
  c.eta_mutation = ho_search_option_double(s, "eta_mutation");
  c.misses_left = ho_search_budget(s);
  ho_nsga2_problem problem = {.genome_bytes = (sizeof(double) + sizeof(int16_t)) * (size_t)v->n_ops + 8,
                              .n_objectives = q->n_objectives,
                              .context = &c,
                              .create = create,
                              .cross = cross,
                              .mutate = mutate,
                              .evaluate = evaluate};
  problem.genome_bytes -= problem.genome_bytes % sizeof(double); /* every genome begins at a double */
  ho_nsga2_settings settings = {.population = (int32_t)((ho_search_option_int(s, "population") + 1) / 2 * 2),
                                .generations = INT64_MAX,
                                .crossover_rate = ho_search_option_double(s, "crossover_rate")};
  ho_nsga2_free(ho_nsga2_run(&problem, &settings, ho_search_stream(s)));
  ho_seeds_free(seeds);
  ho_plan_free(c.plan);
  ho_decoder_free(c.decoder);
  ho_space_free(v);
  return 0;
}

const ho_scheduler ho_scheduler_nsga2 = {
    .abi = HO_SCHEDULER_ABI,
    .struct_size = sizeof(ho_scheduler),
    .name = "nsga2",
    .summary = "NSGA-II on the placement and the priority of every op",
    .source = "Deb, Pratap, Agarwal, Meyarivan, IEEE TEC 6(2), 2002",
    .options = options,
    .run = run,
};
