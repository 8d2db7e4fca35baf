/* genes.c: see genes.h. */
#include "sched/genes.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#include "sched/scalar.h"
#include "sched/seeds.h"
#include "sched/variation.h"

enum { CROSS_UNIFORM, CROSS_ONE_POINT };
enum { PRIORITIES_SBX, PRIORITIES_UNIFORM };
enum { INIT_RANDOM, INIT_HEURISTICS };

const char *const ho_genes_crossover_choices[] = {"uniform", "one-point", NULL};
const char *const ho_genes_priorities_choices[] = {"sbx", "uniform", NULL};
const char *const ho_genes_init_choices[] = {"random", "heuristics", NULL};

/* A genome is n_ops priorities followed by n_ops devices. */
struct ho_genes {
  ho_search *s;
  ho_space *v;
  ho_decoder *decoder;
  ho_plan *plan;
  ho_seeds *seeds; /* NULL: none */
  int64_t crossover, priorities;
  double mutation_rate, eta_crossover, eta_mutation;
  ho_scalar *scalar;   /* of a search for one objective; NULL */
  int64_t misses_left; /* genomes without a plan (memories that cannot reach each other) before giving up */
};

double *ho_genes_priority(const ho_genes *c, void *genome) {
  (void)c;
  return genome;
}
int16_t *ho_genes_device(const ho_genes *c, void *genome) {
  return (int16_t *)(void *)((double *)genome + c->v->n_ops);
}

static void create(void *data, ho_stream *r, int32_t index, void *genome) {
  const ho_genes *c = data;
  double *priority = ho_genes_priority(c, genome);
  int16_t *device = ho_genes_device(c, genome);
  size_t n = (size_t)c->v->n_ops;
  if (c->seeds && index < c->seeds->n) {
    memcpy(priority, c->seeds->priority + (size_t)index * n, sizeof(double) * n);
    memcpy(device, c->seeds->device + (size_t)index * n, sizeof(int16_t) * n);
    return;
  }
  for (ho_op o = 0; o < c->v->n_ops; o++) {
    device[o] = ho_space_draw(c->v, o, r);
    priority[o] = ho_stream_uniform(r);
  }
}

static void cross(void *data, ho_stream *r, void *a, void *b) {
  const ho_genes *c = data;
  int32_t n = c->v->n_ops;
  if (c->crossover == CROSS_UNIFORM)
    ho_cross_uniform_int(r, ho_genes_device(c, a), ho_genes_device(c, b), n);
  else
    ho_cross_one_point_int(r, ho_genes_device(c, a), ho_genes_device(c, b), n);
  if (c->priorities == PRIORITIES_SBX)
    ho_cross_sbx(r, ho_genes_priority(c, a), ho_genes_priority(c, b), n, NULL, NULL, c->eta_crossover);
  else
    ho_cross_uniform_real(r, ho_genes_priority(c, a), ho_genes_priority(c, b), n);
}

static void mutate(void *data, ho_stream *r, void *genome) {
  const ho_genes *c = data;
  int16_t *device = ho_genes_device(c, genome);
  for (ho_op o = 0; o < c->v->n_ops; o++)
    if (ho_stream_uniform(r) < c->mutation_rate) device[o] = ho_space_draw(c->v, o, r);
  ho_mutate_polynomial(r, ho_genes_priority(c, genome), c->v->n_ops, NULL, NULL, c->mutation_rate, c->eta_mutation);
}

static int evaluate(void *data, const void *genome, double *objectives, double *violation) {
  ho_genes *c = data;
  void *g = (void *)(uintptr_t)genome; /* read only */
  if (ho_decode(c->decoder, ho_genes_device(c, g), ho_genes_priority(c, g), c->plan) != 0) {
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

ho_genes *ho_genes_new(ho_search *s) {
  const ho_problem *q = ho_search_problem(s);
  ho_space *v = ho_space_new(s);
  if (!v) return NULL;
  if (v->n_ops == 0) {
    ho_space_free(v);
    ho_search_fail(s, "graph '%s' has no ops", q->graph->name);
    return NULL;
  }
  ho_genes *c = g_new0(ho_genes, 1);
  *c = (ho_genes){.s = s, .v = v, .decoder = ho_decoder_new(q, v, (ho_streams)ho_search_option_int(s, "streams"))};
  c->seeds = ho_search_option_int(s, "init") == INIT_HEURISTICS ? ho_seeds_new(q, v) : NULL;
  c->plan = ho_plan_new(v->n_ops);
  c->crossover = ho_search_option_int(s, "crossover");
  c->priorities = ho_search_option_int(s, "priorities");
  c->mutation_rate = ho_search_option_double(s, "mutation_rate");
  if (c->mutation_rate <= 0) c->mutation_rate = 1.0 / v->n_ops;
  c->eta_crossover = ho_search_option_double(s, "eta_crossover");
  c->eta_mutation = ho_search_option_double(s, "eta_mutation");
  c->misses_left = ho_search_budget(s);
  return c;
}

void ho_genes_free(ho_genes *c) {
  if (!c) return;
  ho_seeds_free(c->seeds);
  ho_plan_free(c->plan);
  ho_decoder_free(c->decoder);
  ho_space_free(c->v);
  g_free(c);
}

const ho_space *ho_genes_space(const ho_genes *c) {
  return c->v;
}

ho_evolution_problem ho_genes_problem(ho_genes *c) {
  size_t bytes = (sizeof(double) + sizeof(int16_t)) * (size_t)c->v->n_ops + 8;
  return (ho_evolution_problem){.genome_bytes = bytes - bytes % sizeof(double), /* every genome begins at a double */
                                .n_objectives = ho_search_problem(c->s)->n_objectives,
                                .context = c,
                                .create = create,
                                .cross = cross,
                                .mutate = mutate,
                                .evaluate = evaluate};
}

/* The one number of a genome's plan, where evolution knows one objective only. */
static int evaluate_scalar(void *data, const void *genome, double *objectives, double *violation) {
  ho_genes *c = data;
  void *g = (void *)(uintptr_t)genome; /* read only */
  ho_scalar_value value = {INFINITY, 0};
  int status = 0;
  if (ho_decode(c->decoder, ho_genes_device(c, g), ho_genes_priority(c, g), c->plan) == 0)
    status = ho_scalar_evaluate(c->scalar, c->plan, &value) != 0;
  else
    status = --c->misses_left < 0;
  objectives[0] = value.value;
  *violation = value.excess;
  return status;
}

static int evolve(ho_search *s, int64_t population, ho_survival survive, void *data, ho_scalar *x) {
  ho_genes *c = ho_genes_new(s);
  if (!c) return -1;
  ho_evolution_problem problem = ho_genes_problem(c);
  if (x) {
    c->scalar = x;
    problem.n_objectives = 1;
    problem.evaluate = evaluate_scalar;
  }
  ho_evolution_settings settings = {.population = (int32_t)((population + 1) / 2 * 2),
                                    .generations = INT64_MAX,
                                    .crossover_rate = ho_search_option_double(s, "crossover_rate"),
                                    .survive = survive,
                                    .data = data};
  ho_evolution_free(ho_evolution_run(&problem, &settings, ho_search_stream(s)));
  ho_genes_free(c);
  return 0;
}

int ho_genes_evolve(ho_search *s, int64_t population, ho_survival survive, void *data) {
  return evolve(s, population, survive, data, NULL);
}

int ho_genes_evolve_scalar(ho_search *s, int64_t population, ho_survival survive, ho_scalar *x) {
  return evolve(s, population, survive, NULL, x);
}
