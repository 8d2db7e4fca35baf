/* lns.c: large neighbourhood search for one objective, on placement, with a tabu list.
 *
 * Source: Shaw, "Using constraint programming and local search methods to solve vehicle routing problems", CP 1998 (destroy related parts, repair greedily);
 * Pisinger & Ropke, Handbook of Metaheuristics, 2010, section 13.2 (acceptance); tabu list: Glover, ORSA J. Computing 1(3), 1989.
 * Destroyed are ops that are near each other in the graph (steps over data edges around a drawn op), `least` to `most` of them; they go to drawn
 * devices. Each is then given, in topological order, the device with which the whole plan is best, others as they are; a device that it left less than `tenure` rounds ago is only
 * tried when nothing else is left, or taken when the plan is the best so far (aspiration). The round's result is kept when it is no worse than 1 + `slack`
 * times the best (record-to-record travel: Dueck, J. Computational Physics 104, 1993). The order is HEFT's, or the topological one.
 * Complexity: devices evaluations per destroyed op. Options: least, most, tenure, slack, streams, those of scalar.h. Ties: the lower device. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "sched/builtin.h"
#include "sched/decode.h"
#include "sched/scalar.h"
#include "sched/seeds.h"

static const ho_option options[] = {
    {"least", HO_OPTION_INT, "2", 1, 100000, NULL, "ops that are destroyed at the least"},
    {"most", HO_OPTION_INT, "10", 1, 100000, NULL, "and at the most"},
    {"tenure", HO_OPTION_INT, "5", 0, 1000000, NULL, "rounds for which an op does not go back to a device"},
    {"slack", HO_OPTION_DOUBLE, "0.02", 0, 10, NULL, "how much worse than the best a round's result may be"},
    {"streams", HO_OPTION_CHOICE, "one", 0, 0, ho_streams_choices, "streams of spatial devices: only the first, or spread"},
    HO_SCALAR_OPTIONS,
    {0},
};

typedef struct {
  ho_scalar x;
  const ho_graph *g;
  ho_space *v;
  ho_decoder *decoder;
  ho_plan *plan;
  ho_stream *r;
  int16_t *device, *before;
  double *priority;
  int64_t *left; /* [op * n_devices + device]: the round from which the op may go back there */
  ho_op *destroyed;
  int32_t n_destroyed;
  uint8_t *inside;
  int64_t round, tenure;
  ho_scalar_value best;
} state;

static int evaluate(state *w, ho_scalar_value *value) {
  *value = (ho_scalar_value){INFINITY, INFINITY};
  return ho_decode(w->decoder, w->device, w->priority, w->plan) == 0 ? ho_scalar_evaluate(&w->x, w->plan, value) : 0;
}

static void add(state *w, ho_op o, int32_t most) {
  if (w->inside[o] || w->n_destroyed >= most) return;
  w->inside[o] = 1;
  w->destroyed[w->n_destroyed++] = o;
}

/* Ops around a drawn one, as many as drawn. */
static void destroy(state *w, int64_t least, int64_t most) {
  const ho_graph *g = w->g;
  int32_t size = (int32_t)MIN(least + (int64_t)ho_stream_below(w->r, (uint64_t)(most - least + 1)), g->n_ops);
  memset(w->inside, 0, (size_t)g->n_ops);
  w->n_destroyed = 0;
  add(w, (ho_op)ho_stream_below(w->r, (uint64_t)g->n_ops), size);
  for (int32_t k = 0; k < w->n_destroyed; k++) {
    ho_op o = w->destroyed[k];
    for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++)
      if (g->tensor[g->in[i]].producer >= 0) add(w, g->tensor[g->in[i]].producer, size);
    for (int32_t i = g->out_start[o]; i < g->out_start[o + 1]; i++)
      for (int32_t u = g->use_start[g->out[i]]; u < g->use_start[g->out[i] + 1]; u++) add(w, g->use[u], size);
  }
}

/* The best device of one op. Not 0: the budget is used up. */
static int repair_one(state *w, ho_op o, ho_scalar_value *value) {
  int16_t kept = w->device[o], to = -1;
  ho_scalar_value least = {INFINITY, INFINITY};
  for (int tabu = 0; tabu <= 1 && to < 0; tabu++)
    for (int32_t i = w->v->start[o]; i < w->v->start[o + 1]; i++) {
      int16_t d = w->v->device[i];
      int forbidden = w->left[(int64_t)o * w->v->n_devices + d] > w->round;
      ho_scalar_value x;
      w->device[o] = d;
      if (tabu ? !forbidden : 0) continue;
      if (evaluate(w, &x)) {
        w->device[o] = kept;
        return 1;
      }
      if (forbidden && !tabu && !ho_scalar_better(x, w->best)) continue;
      if (to >= 0 && !ho_scalar_better(x, least)) continue;
      to = d;
      least = x;
    }
  w->device[o] = to >= 0 ? to : kept;
  if (to >= 0) *value = least;
  if (w->device[o] != w->before[o]) w->left[(int64_t)o * w->v->n_devices + w->before[o]] = w->round + w->tenure;
  return 0;
}

/* Destroyed ops begin anew on drawn devices: left where they were, no round could get worse, and the search would be hill climbing. */
static int repair(state *w, ho_scalar_value *value) {
  for (int32_t k = 0; k < w->n_destroyed; k++) {
    ho_op o = w->destroyed[k];
    w->device[o] = ho_space_draw(w->v, o, w->r);
  }
  for (int32_t i = 0; i < w->g->n_ops; i++) {
    ho_op o = w->g->topo[i];
    if (w->inside[o] && repair_one(w, o, value)) return 1;
  }
  return 0;
}

static void start(state *w, const ho_problem *q) {
  ho_seeds *z = ho_seeds_new(q, w->v);
  for (ho_op o = 0; o < w->g->n_ops; o++) w->device[o] = z->n ? z->device[o] : ho_space_draw(w->v, o, w->r);
  if (z->n)
    memcpy(w->priority, z->priority, sizeof(double) * (size_t)w->g->n_ops);
  else
    ho_priority_topological(w->g, w->priority);
  ho_seeds_free(z);
}

static void search(state *w, ho_search *s, int64_t least, int64_t most) {
  double slack = ho_search_option_double(s, "slack");
  ho_scalar_value value;
  if (evaluate(w, &value)) return;
  w->best = value;
  for (w->round = 1; ho_search_left(s) > 0 && w->round <= ho_search_budget(s); w->round++) {
    memcpy(w->before, w->device, sizeof *w->device * (size_t)w->g->n_ops);
    destroy(w, least, most);
    ho_scalar_value next = value;
    if (repair(w, &next)) return;
    ho_scalar_value limit = {w->best.excess, w->best.value * (1 + slack)};
    if (ho_scalar_better(next, w->best)) w->best = next;
    if (ho_scalar_better(limit, next))
      memcpy(w->device, w->before, sizeof *w->device * (size_t)w->g->n_ops);
    else
      value = next;
  }
}

static int run(ho_search *s) {
  const ho_problem *q = ho_search_problem(s);
  int64_t least = ho_search_option_int(s, "least"), most = ho_search_option_int(s, "most");
  if (least > most) return ho_search_fail(s, "options least and most: %d is more than %d", (int)least, (int)most);
  state w = {.g = q->graph, .r = ho_search_stream(s), .tenure = ho_search_option_int(s, "tenure")};
  if (ho_scalar_init(&w.x, s) != 0) return -1;
  if (!(w.v = ho_space_new(s))) return -1;
  gsize n = (gsize)w.v->n_ops + 1;
  w.decoder = ho_decoder_new(q, w.v, (ho_streams)ho_search_option_int(s, "streams"));
  w.plan = ho_plan_new(w.v->n_ops);
  g_autofree int16_t *device = g_new(int16_t, n), *before = g_new(int16_t, n);
  g_autofree double *priority = g_new(double, n);
  g_autofree int64_t *left = g_new0(int64_t, n * (gsize)w.v->n_devices);
  g_autofree ho_op *destroyed = g_new(ho_op, n);
  g_autofree uint8_t *inside = g_new0(uint8_t, n);
  w.device = device;
  w.before = before;
  w.priority = priority;
  w.left = left;
  w.destroyed = destroyed;
  w.inside = inside;
  start(&w, q);
  search(&w, s, least, most);
  ho_plan_free(w.plan);
  ho_decoder_free(w.decoder);
  ho_space_free(w.v);
  return 0;
}

const ho_scheduler ho_scheduler_lns = {
    .abi = HO_SCHEDULER_ABI,
    .struct_size = sizeof(ho_scheduler),
    .name = "lns",
    .summary = "large neighbourhood search for one objective, with a tabu list",
    .source = "Shaw, CP 1998; Pisinger, Ropke 2010, section 13.2; Glover, ORSA J. Computing 1(3), 1989",
    .options = options,
    .run = run,
};
