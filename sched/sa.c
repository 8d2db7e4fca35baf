/* sa.c: simulated annealing for one objective, on placement and order.
 *
 * Source: Kirkpatrick, Gelatt & Vecchi, Science 220(4598), 1983; the schedule as in Orsila, Kangas, Salminen & Hämäläinen, "Parameterizing simulated annealing for
 * distributing task graphs on multiprocessor SoCs", SoC 2006: geometric cooling, moves of one op. A move gives an op another device, or, with
 * probability `order`, another op's place in the order. A worse plan is taken with probability exp(-Δ / T), Δ over the value of the start; T falls from
 * `hot` to `cold` over the budget. One that overflows memory more is not taken.
 * Complexity: one decoding per evaluation. Options: hot, cold, order, init, streams, those of scalar.h. Ties: a move that changes nothing is taken. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "base/fmath.h"
#include "sched/builtin.h"
#include "sched/decode.h"
#include "sched/genes.h"
#include "sched/scalar.h"
#include "sched/seeds.h"

static const ho_option options[] = {
    {"hot", HO_OPTION_DOUBLE, "0.1", 1e-9, 1000, NULL, "first temperature, as a share of the start's value"},
    {"cold", HO_OPTION_DOUBLE, "0.0001", 1e-12, 1000, NULL, "last temperature, likewise"},
    {"order", HO_OPTION_DOUBLE, "0.5", 0, 1, NULL, "probability that a move is about the order"},
    {"init", HO_OPTION_CHOICE, "random", 0, 0, ho_genes_init_choices, "start: a drawn plan, or HEFT's"},
    {"streams", HO_OPTION_CHOICE, "one", 0, 0, ho_streams_choices, "streams of spatial devices: only the first, or spread"},
    HO_SCALAR_OPTIONS,
    {0},
};

typedef struct {
  ho_scalar x;
  ho_search *s;
  ho_space *v;
  ho_decoder *decoder;
  ho_plan *plan;
  ho_stream *r;
  int16_t *device;
  double *priority;
} state;

/* Where no plan can be decoded, an infinite excess. Not 0: the budget is used up. */
static int evaluate(state *w, ho_scalar_value *value) {
  *value = (ho_scalar_value){INFINITY, INFINITY};
  return ho_decode(w->decoder, w->device, w->priority, w->plan) == 0 ? ho_scalar_evaluate(&w->x, w->plan, value) : 0;
}

static void start(state *w) {
  ho_seeds *z = ho_search_option_int(w->s, "init") ? ho_seeds_new(ho_search_problem(w->s), w->v) : NULL;
  for (ho_op o = 0; o < w->v->n_ops; o++) {
    w->device[o] = z && z->n ? z->device[o] : ho_space_draw(w->v, o, w->r);
    w->priority[o] = z && z->n ? z->priority[o] : ho_stream_uniform(w->r);
  }
  ho_seeds_free(z);
}

static int accepts(state *w, ho_scalar_value old, ho_scalar_value new, double unit, double temperature) {
  if (new.excess != old.excess) return new.excess < old.excess;
  double delta = (new.value - old.value) / unit;
  return delta <= 0 || ho_stream_uniform(w->r) < ho_exp(-delta / temperature);
}

static void anneal(state *w) {
  double hot = ho_search_option_double(w->s, "hot"), cold = ho_search_option_double(w->s, "cold"),
         order = ho_search_option_double(w->s, "order"), budget = (double)ho_search_budget(w->s);
  ho_scalar_value value, next;
  if (evaluate(w, &value)) return;
  double unit = isfinite(value.value) && value.value > 0 ? value.value : 1;
  uint64_t n = (uint64_t)w->v->n_ops;
  for (int64_t moves = 0, most = 4 * ho_search_budget(w->s); ho_search_left(w->s) > 0 && moves < most; moves++) {
    double done = 1 - (double)ho_search_left(w->s) / budget, temperature = hot * ho_exp(done * ho_log(cold / hot));
    ho_op o = (ho_op)ho_stream_below(w->r, n), other = (ho_op)ho_stream_below(w->r, n);
    int16_t device = w->device[o];
    double priority = w->priority[o];
    if (ho_stream_uniform(w->r) < order)
      w->priority[o] = w->priority[other] + (ho_stream_uniform(w->r) - 0.5) / (double)n;
    else
      w->device[o] = ho_space_draw(w->v, o, w->r);
    if (device == w->device[o] && priority == w->priority[o]) continue;
    if (evaluate(w, &next)) return;
    if (accepts(w, value, next, unit, temperature)) {
      value = next;
    } else {
      w->device[o] = device;
      w->priority[o] = priority;
    }
  }
}

static int run(ho_search *s) {
  const ho_problem *q = ho_search_problem(s);
  state w = {.s = s, .r = ho_search_stream(s)};
  if (ho_scalar_init(&w.x, s) != 0) return -1;
  if (!(w.v = ho_space_new(s))) return -1;
  w.decoder = ho_decoder_new(q, w.v, (ho_streams)ho_search_option_int(s, "streams"));
  w.plan = ho_plan_new(w.v->n_ops);
  g_autofree int16_t *device = g_new(int16_t, (gsize)w.v->n_ops + 1);
  g_autofree double *priority = g_new(double, (gsize)w.v->n_ops + 1);
  w.device = device;
  w.priority = priority;
  start(&w);
  anneal(&w);
  ho_plan_free(w.plan);
  ho_decoder_free(w.decoder);
  ho_space_free(w.v);
  return 0;
}

const ho_scheduler ho_scheduler_sa = {
    .abi = HO_SCHEDULER_ABI,
    .struct_size = sizeof(ho_scheduler),
    .name = "sa",
    .summary = "simulated annealing for one objective, on placement and order",
    .source = "Kirkpatrick, Gelatt, Vecchi, Science 220, 1983; Orsila et al., SoC 2006",
    .options = options,
    .run = run,
};
