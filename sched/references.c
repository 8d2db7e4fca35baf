/* references.c: see references.h; also the schedulers `fastest`, `least-energy`, `least-memory` and `weighted-sum`.
 *
 * Source: the pay-off table of the ε-constraint method, Mavrotas, Applied Mathematics and Computation 213, 2009, section 3; the search is
 * first-improvement local search, Hoos & Stützle, Stochastic Local Search, 2004, section 1.5.
 * weighted-sum: alpha · latency + beta · energy + gamma · memory (Ehrgott, Multicriteria Optimization, 2005, chapter 3), each figure over what the
 * first starting point has (HEFT, where it can be made), so that weights have no unit; memory is the problem's measure.
 * Complexity: as many evaluations as `evaluations` says, or the budget when it is less.
 * Options: evaluations; weighted-sum: alpha, beta, gamma. Ties: the earlier starting point; a move must improve. */
#include "sched/references.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/optparse.h"
#include "sched/builtin.h"
#include "sched/decode.h"
#include "sched/search.h"
#include "sched/seeds.h"
#include "sim/estimate.h"

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

static const ho_option options[] = {
    {"evaluations", HO_OPTION_INT, TEXT(HO_REFERENCE_EVALUATIONS), 1, 1e9, NULL, "evaluations at most, starting points included"},
    {0},
};

static const ho_option weighted_options[] = {
    {"alpha", HO_OPTION_DOUBLE, "1", 0, 1e9, NULL, "weight of latency over HEFT's"},
    {"beta", HO_OPTION_DOUBLE, "1", 0, 1e9, NULL, "weight of energy over HEFT's"},
    {"gamma", HO_OPTION_DOUBLE, "1", 0, 1e9, NULL, "weight of memory over HEFT's"},
    {"evaluations", HO_OPTION_INT, TEXT(HO_REFERENCE_EVALUATIONS), 1, 1e9, NULL, "evaluations at most, starting points included"},
    {0},
};

/* What is compared, the most important first. */
typedef struct {
  double excess, value, latency, energy;
} quality;

typedef struct {
  ho_search *s;
  const ho_problem *q;
  double weight[HO_N_OBJECTIVES]; /* of each objective; a single 1: it alone counts, in its own unit */
  int weighted;                   /* 1: figures count over those of the first starting point */
  double unit[HO_N_OBJECTIVES];   /* of the first starting point; 0 before it */
  int64_t left;
  ho_decoder *decoder;
  ho_plan *plan, *best_plan;
  quality best;
  double objectives[HO_MAX_OBJECTIVES], best_objectives[HO_MAX_OBJECTIVES];
} searcher;

/* The figure of objective `which`. */
static double figure_of(const ho_problem *q, ho_objective which, const ho_figures *f) {
  ho_problem one = *q;
  one.n_objectives = 1;
  one.objective[0] = which;
  double value;
  ho_problem_objectives(&one, f, &value);
  return value;
}

static double value_of(searcher *w, const ho_figures *f) {
  double sum = 0;
  for (int k = 0; k < HO_N_OBJECTIVES; k++) {
    if (w->weight[k] == 0) continue;
    double figure = figure_of(w->q, (ho_objective)k, f);
    if (!w->best_plan) w->unit[k] = w->weighted && figure > 0 ? figure : 1;
    sum += w->weight[k] * (figure / w->unit[k]);
  }
  return sum;
}

static int better(const quality *a, const quality *b) {
  const double x[] = {a->excess, a->value, a->latency, a->energy}, y[] = {b->excess, b->value, b->latency, b->energy};
  for (int k = 0; k < 4; k++)
    if (x[k] != y[k]) return x[k] < y[k];
  return 0;
}

/* 1: these genes are better than all before; 0: not; -1: no evaluations left. */
static int try_genes(searcher *w, const int16_t *device, const double *priority) {
  if (ho_decode(w->decoder, device, priority, w->plan) != 0) return 0;
  if (w->left-- <= 0) return -1;
  int status = ho_search_evaluate(w->s, w->plan, w->objectives);
  if (status < 0) return -1;
  const ho_figures *f = ho_search_figures(w->s);
  quality x = {status == 1 ? fmax(0, f->tightest - 1) : 0, value_of(w, f), f->latency, f->energy};
  if (w->best_plan && !better(&x, &w->best)) return 0;
  ho_plan_free(w->best_plan);
  w->best_plan = ho_plan_copy(w->plan);
  w->best = x;
  memcpy(w->best_objectives, w->objectives, sizeof w->objectives);
  return 1;
}

/* Moves single ops until a whole pass of them improves nothing. */
static void improve(searcher *w, const ho_space *v, int16_t *device, const double *priority) {
  int32_t since = 0; /* ops looked at since the last improvement */
  for (int32_t i = 0; since < v->n_ops; i = (i + 1) % v->n_ops, since++) {
    ho_op o = w->q->graph->topo[i];
    for (int32_t k = v->start[o]; k < v->start[o + 1]; k++) {
      int16_t before = device[o];
      if (v->device[k] == before) continue;
      device[o] = v->device[k];
      int found = try_genes(w, device, priority);
      if (found < 0) return;
      if (found)
        since = 0;
      else
        device[o] = before;
    }
  }
}

static int search(ho_search *s, const double *weight, int weighted) {
  const ho_problem *q = ho_search_problem(s);
  ho_space *v = ho_space_new(s);
  if (!v) return -1;
  searcher w = {.s = s, .q = q, .weighted = weighted, .left = ho_search_option_int(s, "evaluations")};
  memcpy(w.weight, weight, sizeof w.weight);
  w.decoder = ho_decoder_new(q, v, HO_STREAMS_ONE);
  w.plan = ho_plan_new(v->n_ops);
  ho_seeds *z = ho_seeds_new(q, v);
  int stop = 0;
  for (int32_t i = 0; i < z->n && !stop; i++)
    stop = try_genes(&w, z->device + (size_t)i * (size_t)v->n_ops, z->priority + (size_t)i * (size_t)v->n_ops) < 0;
  if (w.best_plan && !stop) {
    ho_encode(w.best_plan, z->device, z->priority); /* the first seed's place is free now */
    improve(&w, v, z->device, z->priority);
  }
  if (w.best_plan && w.best.excess <= 0) ho_search_offer(s, w.best_plan, w.best_objectives);
  ho_seeds_free(z);
  ho_plan_free(w.plan);
  ho_plan_free(w.best_plan);
  ho_decoder_free(w.decoder);
  ho_space_free(v);
  return 0;
}

static int search_one(ho_search *s, ho_objective which) {
  double weight[HO_N_OBJECTIVES] = {0};
  weight[which] = 1;
  return search(s, weight, 0);
}

static int run_fastest(ho_search *s) {
  return search_one(s, HO_OBJECTIVE_LATENCY);
}
static int run_least_energy(ho_search *s) {
  return search_one(s, HO_OBJECTIVE_ENERGY);
}
static int run_least_memory(ho_search *s) {
  return search_one(s, HO_OBJECTIVE_MEMORY);
}

static int run_weighted_sum(ho_search *s) {
  const double weight[HO_N_OBJECTIVES] = {[HO_OBJECTIVE_LATENCY] = ho_search_option_double(s, "alpha"),
                                          [HO_OBJECTIVE_ENERGY] = ho_search_option_double(s, "beta"),
                                          [HO_OBJECTIVE_MEMORY] = ho_search_option_double(s, "gamma")};
  if (weight[0] + weight[1] + weight[2] == 0)
    return ho_search_fail(s, "options alpha, beta, gamma: all are 0, nothing is minimised");
  return search(s, weight, 1);
}

#define REFERENCE(NAME, SUMMARY, RUN)                                                                                      \
  {                                                                                                                        \
    .abi = HO_SCHEDULER_ABI, .struct_size = sizeof(ho_scheduler), .name = NAME, .summary = SUMMARY,                        \
    .source = "pay-off reference: Mavrotas, Applied Mathematics and Computation 213, 2009, section 3", .options = options, \
    .flags = HO_SCHEDULER_DETERMINISTIC | HO_SCHEDULER_SINGLE, .run = RUN,                                                 \
  }

const ho_scheduler ho_scheduler_fastest = REFERENCE("fastest", "reference: local search for the least latency", run_fastest);
const ho_scheduler ho_scheduler_least_energy =
    REFERENCE("least-energy", "reference: local search for the least energy", run_least_energy);
const ho_scheduler ho_scheduler_least_memory =
    REFERENCE("least-memory", "reference: local search for the least memory", run_least_memory);

const ho_scheduler ho_scheduler_weighted_sum = {
    .abi = HO_SCHEDULER_ABI,
    .struct_size = sizeof(ho_scheduler),
    .name = "weighted-sum",
    .summary = "reference: local search for the least weighted sum of latency, energy and memory",
    .source = "Ehrgott, Multicriteria Optimization, 2005, chapter 3; local search as in the references",
    .options = weighted_options,
    .flags = HO_SCHEDULER_DETERMINISTIC | HO_SCHEDULER_SINGLE,
    .run = run_weighted_sum,
};

static const ho_scheduler *scheduler_of(ho_objective which) {
  return which == HO_OBJECTIVE_LATENCY  ? &ho_scheduler_fastest
         : which == HO_OBJECTIVE_ENERGY ? &ho_scheduler_least_energy
                                        : &ho_scheduler_least_memory;
}

const char *ho_reference_name(ho_objective which) {
  return scheduler_of(which)->name;
}

gboolean ho_reference_solve(const ho_problem *q, ho_objective which, ho_plan **plan, double *objectives, ho_figures *figures,
                            GError **error) {
  g_autoptr(ho_options) defaults = ho_options_parse(options, NULL, ho_reference_name(which), error);
  if (!defaults) return FALSE;
  static const char *const no_parts[] = {NULL};
  ho_search_setup setup = {.problem = q,
                           .scheduler = scheduler_of(which),
                           .options = defaults,
                           .stream = ho_stream_keyed(0, no_parts), /* nobody draws from it */
                           .evaluations = HO_REFERENCE_EVALUATIONS};
  g_autoptr(ho_search) s = ho_search_new(&setup);
  if (!ho_search_run(s, error)) return FALSE;
  ho_archive *a = ho_search_archive(s);
  memcpy(objectives, ho_archive_objectives(a, 0), sizeof(double) * (size_t)q->n_objectives);
  const ho_plan *best = ho_archive_payload(a, 0);
  if (figures) {
    ho_estimate *e = ho_estimate_new(q);
    ho_estimate_run(e, best, figures);
    ho_estimate_free(e);
  }
  if (plan) *plan = ho_plan_copy(best);
  return TRUE;
}
