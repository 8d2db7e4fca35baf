/* exact.c: every plan that matters: the complete Pareto front of a small problem, by branch and bound.
 *
 * Source: branch and bound on semi-active schedules, Brucker, Scheduling Algorithms, 5th ed., 2007, section 6.4.1; fronts by dominance against
 * the archive, Ehrgott, Multicriteria Optimization, 2nd ed., 2005, section 8.
 * Plans are built by appending ops in the order of their start times; a node is cut off when a plan of the archive is at least as good as the
 * lower bounds of all its objectives. Bounds: latency, the longest way with what is placed and fastest times for the rest, and the devices' mean
 * load; energy, what is placed, the least of each other op, and idle power of the devices in use over the bound of latency; memory, none.
 * The front is complete over plans with default precision, nominal points, stream 0 and no copies of ops. That holds where copies do not
 * share links and launches hide: when a plan's estimate is not what uncontended copies and launches give, the run ends with the reason, and
 * so it does when the nodes are used up: what comes out is proved or nothing.
 * Complexity: exponential; up to 40 ops. Options: nodes. Ties: of plans with the same objectives the first found, in the order of op, device. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "sched/builtin.h"
#include "sched/decode.h"
#include "sched/exact_bounds.h"
#include "sched/seeds.h"

#define MOST_OPS 40
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#define DEFAULT_NODES 100000000

static const ho_option options[] = {
    {"nodes", HO_OPTION_INT, TEXT(DEFAULT_NODES), 1, 1e15, NULL, "partial plans that are looked at before it gives up"},
    {0},
};

typedef struct {
  ho_search *s;
  ho_exact_node *node; /* the partial plan */
  GArray *front;       /* HO_MAX_OBJECTIVES doubles each: what is proved to be reachable */
  ho_plan *plan;
  int64_t nodes;
  int failed;
} searcher;

/* ---- the front that cuts ------------------------------------------------------------------------------------------------------- */
static int is_covered(const searcher *x, const double *bound) {
  int32_t d = ho_search_problem(x->s)->n_objectives;
  for (guint i = 0; i < x->front->len / HO_MAX_OBJECTIVES; i++) {
    const double *p = &g_array_index(x->front, double, i *HO_MAX_OBJECTIVES);
    int32_t k = 0;
    while (k < d && p[k] <= bound[k]) k++;
    if (k == d) return 1;
  }
  return 0;
}

static void remember(searcher *x, const double *objectives) {
  double p[HO_MAX_OBJECTIVES] = {0};
  memcpy(p, objectives, sizeof(double) * (size_t)ho_search_problem(x->s)->n_objectives);
  g_array_append_vals(x->front, p, HO_MAX_OBJECTIVES);
}

/* ---- leaves -------------------------------------------------------------------------------------------------------------------- */
static void fail(searcher *x, const char *why) {
  ho_search_fail(x->s, "%s", why);
  x->failed = 1;
}

/* The model is exact: what uncontended copies give is what the plan is estimated at. */
static int is_as_modelled(searcher *x) {
  double latency = ho_search_figures(x->s)->latency, model = x->node->latest;
  if (fabs(latency - model) <= 1e-9 * model + 1e-15) return 1;
  char why[256];
  g_snprintf(why, sizeof why,
             "a plan takes %.9g s where copies and launches that do not meet give %.9g s: expected a platform without contention",
             latency, model);
  fail(x, why);
  return 0;
}

static void evaluate(searcher *x, int is_leaf) {
  double objectives[HO_MAX_OBJECTIVES];
  int status = ho_search_evaluate(x->s, x->plan, objectives);
  if (status < 0) {
    fail(x, "the evaluations are used up before the front is proved: expected a larger budget");
    return;
  }
  if ((is_leaf && !is_as_modelled(x)) || status == 1 || is_covered(x, objectives)) return;
  ho_search_offer(x->s, x->plan, objectives);
  remember(x, objectives);
}

/* ---- branching ----------------------------------------------------------------------------------------------------------------- */
static void branch(searcher *x) {
  ho_exact_node *n = x->node;
  double bound[HO_MAX_OBJECTIVES];
  if (n->placed == n->n_ops) {
    for (int32_t i = 0; i < n->n_ops; i++)
      x->plan->entry[i] = (ho_entry){.op = n->order[i], .device = n->device[n->order[i]], .precision = HO_DTYPE_NONE};
    evaluate(x, 1);
    return;
  }
  for (ho_op o = 0; o < n->n_ops && !x->failed; o++) {
    if (n->device[o] >= 0 || n->waiting[o] > 0) continue;
    for (ho_device d = 0; d < n->n_devices && !x->failed; d++) {
      if (!ho_exact_may_follow(n, o, d)) continue;
      if (--x->nodes < 0) {
        fail(x, "the nodes are used up before the front is proved: expected fewer ops, or a larger option 'nodes'");
        return;
      }
      ho_exact_push(n, o, d);
      ho_exact_bound(n, bound);
      if (!is_covered(x, bound)) branch(x);
      ho_exact_pop(n);
    }
  }
}

/* Heuristics first: the better the archive, the earlier nodes are cut off. */
static void start_from_heuristics(searcher *x, const ho_space *space) {
  const ho_problem *q = ho_search_problem(x->s);
  ho_seeds *z = ho_seeds_new(q, space);
  ho_decoder *w = ho_decoder_new(q, space, HO_STREAMS_ONE);
  for (int32_t i = 0; i < z->n && !x->failed; i++) {
    size_t at = (size_t)i * (size_t)z->n_ops;
    if (ho_decode(w, z->device + at, z->priority + at, x->plan) == 0) evaluate(x, 0);
  }
  ho_decoder_free(w);
  ho_seeds_free(z);
}

static int exact_run(ho_search *s) {
  const ho_problem *q = ho_search_problem(s);
  if (q->graph->n_ops > MOST_OPS)
    return ho_search_fail(s, "the graph has %d ops, expected at most %d for an exact front", q->graph->n_ops, MOST_OPS);
  ho_space *space = ho_space_new(s);
  if (!space) return -1;
  searcher x = {.s = s, .nodes = ho_search_option_int(s, "nodes")};
  x.node = ho_exact_node_new(q);
  x.front = g_array_new(FALSE, FALSE, sizeof(double));
  x.plan = ho_plan_new(q->graph->n_ops);
  start_from_heuristics(&x, space);
  if (!x.failed) branch(&x);
  ho_plan_free(x.plan);
  g_array_free(x.front, TRUE);
  ho_exact_node_free(x.node);
  ho_space_free(space);
  return x.failed ? -1 : 0;
}

const ho_scheduler ho_scheduler_exact = {
    .abi = HO_SCHEDULER_ABI,
    .struct_size = sizeof(ho_scheduler),
    .name = "exact",
    .summary = "the complete, proved front of a small problem, by branch and bound",
    .source = "Brucker, Scheduling Algorithms, 2007, section 6.4.1; Ehrgott, Multicriteria Optimization, 2005, section 8",
    .options = options,
    .flags = HO_SCHEDULER_DETERMINISTIC,
    .run = exact_run,
};
