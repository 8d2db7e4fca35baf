/* heteroopt.c: HeteroOpt's own search: a front of complete plans: rewrites, placement, precision, operating points, order.
 *
 * 1. Skeleton (skeleton.h): what heuristics make of several versions of the graph is the floor: the result is never worse in any objective.
 * 2. Beam: a direction is drawn in the space of objectives (weights uniform on the simplex); of all non-dominated solutions so far the one that is best
 *    in it is improved, by augmented Tchebycheff distance from the ideal in logarithmic scale (Miettinen, Nonlinear Multiobjective
 *    Optimization, 1999, section 3.4.5; directions as subproblems: Zhang & Li, IEEE TEC 11(6), 2007, section II).
 * 3. Neighbourhood (moves.h): children are evaluated one by one; one no worse in the direction takes the parent's place, until PATIENCE children in
 *    a row brought nothing. Every feasible plan is offered to the archive.
 * 4. Truth (truth.h): a plan that is expected to enter the archive is replayed, and enters it, if at all, by what the replay says; the estimate's
 *    bias is learnt from that. What is returned was replayed and is non-dominated under the replay. Replays count as no evaluations.
 * Where no plan fits into memory yet, the one that overflows least is improved.
 * A plan that was evaluated before is not evaluated again. The precision of the most sensitive ops is taken back until the predicted drop is
 * within `accuracy` (accuracy.h).
 * Each stage can be switched off, to see what it is worth. Deterministic in (problem, options, seed, budget).
 * Complexity: O(archive) per direction, and per child O((ops + edges) log ops) besides the evaluation; a rewrite makes a new graph.
 * Ties: the solution that was found first. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "base/fmath.h"
#include "results/archive.h"
#include "sched/builtin.h"
#include "sched/search.h"
#include "sched/search/moves.h"
#include "sched/search/skeleton.h"
#include "sched/search/truth.h"

#define PATIENCE 24
#define SUMMITS 32        /* ends of climbs that are kept beside the archive */
#define MOST_STAGES 48    /* alive at once */
#define MOST_MOVES 6      /* that make one child */
#define MOST_MISSES 20000 /* draws in a row that led to nothing new: the space is exhausted */

static const char *const switch_choices[] = {"on", "off", NULL};
enum { ON, OFF };

#define SWITCH(name, help) \
  { name, HO_OPTION_CHOICE, "on", 0, 0, switch_choices, help }

static const ho_option options[] = {
    SWITCH("skeleton", "start from what heuristics make; off: from one drawn plan"),
    SWITCH("rewrites", "rewrites of the graph are part of the plan"),
    SWITCH("precision", "lower precisions may be chosen, within the limit of accuracy"),
    SWITCH("points", "operating points may be chosen"),
    SWITCH("neighbourhood", "moves of whole regions; off: of single ops"),
    SWITCH("replay", "replay what enters the archive; off: believe the estimate"),
    SWITCH("beam", "improve the whole front, direction by direction; off: one equally weighted plan"),
    {"accuracy", HO_OPTION_DOUBLE, "0.2", 0, 1000, NULL, "limit of the predicted drop in accuracy, points"},
    {0},
};

typedef struct {
  ho_search *s;
  const ho_problem *q;
  ho_stream *stream;
  ho_mover *mover;
  ho_archive *archive;  /* payloads: ho_solution* */
  ho_solution *nearest; /* that overflows least while nothing fits; NULL */
  double overflow;
  GHashTable *seen;             /* hashes of evaluated plans */
  ho_solution *summit[SUMMITS]; /* the last ends of climbs; NULL: fewer yet */
  int32_t next_summit;
  double yield;    /* exponential mean of whether a climb put something into the archive */
  ho_truth *truth; /* NULL: the estimate is believed */
  double accuracy;
  int beam;
  int living;
  int64_t misses;
} state;

typedef enum { DONE = -1, NOTHING, INFEASIBLE, DOMINATED, ACCEPTED } outcome;

static void drop_solution(void *a) {
  ho_solution_free(a);
}

static double switched(const ho_search *s, const char *name) {
  return ho_search_option_int(s, name) == ON;
}

/* --- evaluation -------------------------------------------------------------------------------------------------------------------- */
static uint64_t hash_of(const ho_plan *plan) {
  uint64_t h = ho_mix((uint64_t)plan->n, 0);
  for (uint32_t i = 0; plan->variant && i < plan->variant->rewrites->len; i++) {
    const ho_rewrite *r = plan->variant->rewrites->pdata[i];
    h = ho_mix(h, g_str_hash(r->rule));
    for (int32_t k = 0; k < r->n_ops; k++) h = ho_mix(h, g_str_hash(r->ops[k]));
    for (int32_t k = 0; k < r->n_shares; k++) {
      uint64_t bits;
      memcpy(&bits, &r->shares[k], sizeof bits);
      h = ho_mix(h, bits);
    }
  }
  for (int32_t i = 0; i < plan->n; i++) {
    const ho_entry *e = &plan->entry[i];
    h = ho_mix(h, (uint64_t)(uint32_t)e->op << 32 | (uint64_t)(uint16_t)e->device << 16 | (uint64_t)(uint8_t)e->precision << 8 |
                      (uint64_t)(uint8_t)e->point << 4 | (uint64_t)(uint16_t)e->stream);
  }
  return h;
}

static void note_nearest(state *w, const ho_solution *a) {
  double overflow = ho_search_figures(w->s)->tightest;
  if (ho_archive_size(w->archive) > 0 || (w->nearest && overflow >= w->overflow)) return;
  ho_solution_free(w->nearest);
  w->nearest = ho_solution_copy(a);
  w->overflow = overflow;
}

static outcome add(state *w, const ho_solution *a, const double *objectives) {
  if (!ho_archive_accepts(w->archive, objectives)) return DOMINATED;
  ho_archive_add(w->archive, objectives, ho_solution_copy(a));
  if (w->truth)
    ho_search_offer_replayed(w->s, a->stage->plan);
  else
    ho_search_offer(w->s, a->stage->plan, objectives);
  return ACCEPTED;
}

/* Evaluates a solution that is new. `objectives` are filled in unless DONE or NOTHING; by a replay where they seem good, or where it is a `must`. */
static outcome evaluate(state *w, const ho_solution *a, int must, double *objectives) {
  if (ho_solution_decode(a, w->accuracy) != 0) return NOTHING;
  ho_plan *plan = a->stage->plan;
  uint64_t h = hash_of(plan);
  if (g_hash_table_contains(w->seen, &h)) return NOTHING;
  g_hash_table_add(w->seen, g_memdup2(&h, sizeof h));
  int status = ho_search_evaluate(w->s, plan, objectives);
  if (status < 0) return DONE;
  w->misses = 0;
  if (status > 0) {
    note_nearest(w, a);
    return INFEASIBLE;
  }
  if (!w->truth) return add(w, a, objectives);
  double estimated[HO_MAX_OBJECTIVES];
  memcpy(estimated, objectives, sizeof estimated);
  ho_truth_correct(w->truth, plan, objectives);
  if (!must && !ho_archive_accepts(w->archive, objectives)) return DOMINATED;
  if (ho_search_replay(w->s, plan, objectives) != 0) {
    note_nearest(w, a);
    return INFEASIBLE;
  }
  ho_truth_learn(w->truth, plan, estimated, objectives);
  return add(w, a, objectives);
}

static int take_seed(void *data, const ho_solution *a) {
  state *w = data;
  double objectives[HO_MAX_OBJECTIVES] = {0};
  return evaluate(w, a, 1, objectives) == DONE;
}

/* --- directions -------------------------------------------------------------------------------------------------------------------- */
typedef struct {
  double weight[HO_MAX_OBJECTIVES], ideal[HO_MAX_OBJECTIVES], range[HO_MAX_OBJECTIVES];
  int logarithmic[HO_MAX_OBJECTIVES];
} direction;

static void draw_weights(state *w, direction *d) {
  double sum = 0;
  for (int32_t k = 0; k < w->q->n_objectives; k++) {
    d->weight[k] = w->beam ? -ho_log(1 - ho_stream_uniform(w->stream)) + 1e-6 : 1;
    sum += d->weight[k];
  }
  for (int32_t k = 0; k < w->q->n_objectives; k++) d->weight[k] /= sum;
}

/* Distances count between the best and the worst that the front has of each objective. */
static void scale(const state *w, direction *d) {
  for (int32_t k = 0; k < w->q->n_objectives; k++) {
    double low = INFINITY, high = -INFINITY;
    for (int32_t i = 0; i < ho_archive_size(w->archive); i++) {
      double x = ho_archive_objectives(w->archive, i)[k];
      low = fmin(low, x);
      high = fmax(high, x);
    }
    d->logarithmic[k] = low > 0;
    d->ideal[k] = low;
    double range = d->logarithmic[k] ? ho_log(high / low) : high - low;
    d->range[k] = range > 0 ? range : 1;
  }
}

/* Smaller is better. */
static double distance(const state *w, const direction *d, const double *objectives) {
  double worst = -INFINITY, sum = 0;
  for (int32_t k = 0; k < w->q->n_objectives; k++) {
    double x = d->logarithmic[k] && objectives[k] > 0 ? ho_log(objectives[k] / d->ideal[k]) : objectives[k] - d->ideal[k];
    x = x / d->range[k] / d->weight[k];
    worst = fmax(worst, x);
    sum += x;
  }
  return worst + 1e-3 * sum;
}

static int32_t best_in(const state *w, const direction *d, double *at) {
  int32_t best = 0;
  *at = INFINITY;
  for (int32_t i = 0; i < ho_archive_size(w->archive); i++) {
    double x = distance(w, d, ho_archive_objectives(w->archive, i));
    if (x >= *at) continue;
    *at = x;
    best = i;
  }
  return best;
}

static const ho_solution *draw_mate(state *w) {
  return ho_archive_payload(w->archive, (int32_t)ho_stream_below(w->stream, (uint64_t)ho_archive_size(w->archive)));
}

/* --- climbing ---------------------------------------------------------------------------------------------------------------------- */
/* A child that is new: where a move leads to what was seen before, another one goes on from there. NULL, or *o for what its evaluation said. */
static ho_solution *new_child(state *w, const ho_solution *current, const ho_solution *mate, ho_move *kind, double *objectives,
                              outcome *o) {
  ho_solution *child = NULL;
  *o = NOTHING;
  for (int tries = 0; tries < MOST_MOVES && *o == NOTHING; tries++) {
    ho_solution *next = ho_mover_child(w->mover, child ? child : current, mate, w->living < MOST_STAGES, kind);
    if (next) {
      ho_solution_free(child);
      child = next;
      *o = evaluate(w, child, 0, objectives);
    }
    if (*o == NOTHING) ho_mover_credit(w->mover, *kind, 0);
  }
  if (*o != NOTHING) return child;
  w->misses++;
  ho_solution_free(child);
  return NULL;
}

/* One child; it takes *current's place when it is no worse than *at: by distance in direction d, or, where nothing fits yet (d NULL), by overflow. */
static outcome step(state *w, ho_solution **current, const ho_solution *mate, const direction *d, double *at) {
  ho_move kind;
  double objectives[HO_MAX_OBJECTIVES] = {0}, there = INFINITY;
  outcome o;
  ho_solution *child = new_child(w, *current, mate, &kind, objectives, &o);
  if (!child) return NOTHING;
  ho_mover_credit(w->mover, kind, o == ACCEPTED);
  if (o >= DOMINATED) there = d ? distance(w, d, objectives) : 0;
  if (o == INFEASIBLE && !d) there = ho_search_figures(w->s)->tightest;
  if (there <= *at) {
    *at = there;
    ho_solution_free(*current);
    *current = child;
  } else {
    ho_solution_free(child);
  }
  return o;
}

static outcome climb(state *w, ho_solution *current, const ho_solution *mate, const direction *d, double at) {
  outcome o = NOTHING;
  int brought = 0;
  for (int idle = 0; idle < PATIENCE && o != DONE && w->misses < MOST_MISSES; idle++) {
    double before = at;
    o = step(w, &current, mate, d, &at);
    if (at < before || o == ACCEPTED) idle = 0;
    brought |= o == ACCEPTED;
  }
  w->yield += 0.05 * (brought - w->yield);
  if (d && isfinite(at)) {
    ho_solution_free(w->summit[w->next_summit]);
    w->summit[w->next_summit] = current;
    w->next_summit = (w->next_summit + 1) % SUMMITS;
  } else {
    ho_solution_free(current);
  }
  return o;
}

/* Nothing fits yet: the least overflow is climbed down. */
static outcome look_for_room(state *w) {
  ho_solution *from = ho_solution_copy(w->nearest), *mate = ho_solution_copy(w->nearest);
  outcome o = climb(w, from, mate, NULL, w->overflow);
  ho_solution_free(mate);
  return o;
}

/* Several moves at once, the more the less often: from where climbing may lead elsewhere. The outcome of its evaluation. */
static outcome kick(state *w, ho_solution **a, const ho_solution *mate, const direction *d, double *at) {
  double objectives[HO_MAX_OBJECTIVES] = {0};
  for (uint64_t moves = 2; moves > 0; moves -= ho_stream_below(w->stream, 4) == 0) {
    ho_move kind;
    ho_solution *next = ho_mover_child(w->mover, *a, mate, 0, &kind);
    if (!next) continue;
    ho_solution_free(*a);
    *a = next;
  }
  outcome o = evaluate(w, *a, 0, objectives);
  *at = o >= DOMINATED ? distance(w, d, objectives) : INFINITY;
  return o;
}

static outcome improve(state *w) {
  if (ho_archive_size(w->archive) == 0) return w->nearest ? look_for_room(w) : DONE;
  direction d;
  double at;
  draw_weights(w, &d);
  scale(w, &d);
  ho_solution *from = ho_solution_copy(ho_archive_payload(w->archive, best_in(w, &d, &at)));
  const ho_solution *summit = w->summit[ho_stream_below(w->stream, SUMMITS)];
  ho_solution *mate = ho_solution_copy(draw_mate(w));
  outcome o = NOTHING;
  if (ho_stream_uniform(w->stream) * 2 > 1 + w->yield) {
    if (summit && ho_stream_below(w->stream, 2) == 0) {
      ho_solution_free(from);
      from = ho_solution_copy(summit);
    }
    o = kick(w, &from, mate, &d, &at);
  }
  if (o != DONE)
    o = climb(w, from, mate, &d, at);
  else
    ho_solution_free(from);
  ho_solution_free(mate);
  return o;
}

/* --- the whole --------------------------------------------------------------------------------------------------------------------- */
/* A drawn plan, for searches without a skeleton. */
static void start_anywhere(state *w, ho_stage *first) {
  ho_solution *a = ho_solution_new(first);
  for (ho_op o = 0; o < a->n; o++) {
    a->device[o] = ho_space_draw(first->space, o, w->stream);
    a->priority[o] = ho_stream_uniform(w->stream);
  }
  take_seed(w, a);
  ho_solution_free(a);
}

static void search(state *w, ho_stage *first) {
  const ho_skeleton_setup floor = {
      .rewrites = switched(w->s, "rewrites"), .precision = switched(w->s, "precision"), .points = switched(w->s, "points")};
  if (switched(w->s, "skeleton"))
    ho_skeleton(first, &floor, take_seed, w);
  else
    start_anywhere(w, first);
  outcome o = NOTHING;
  while (o != DONE && ho_search_left(w->s) > 0 && w->misses < MOST_MISSES) o = improve(w);
}

static int run(ho_search *s) {
  const ho_problem *q = ho_search_problem(s);
  if (q->graph->n_ops == 0) return ho_search_fail(s, "graph '%s' has no ops", q->graph->name);
  state w = {.s = s, .q = q, .stream = ho_search_stream(s)};
  ho_stage *first = ho_stage_first(s, &w.living);
  if (!first) return -1;
  const ho_move_setup moves = {.regions = switched(s, "neighbourhood"),
                               .rewrites = switched(s, "rewrites"),
                               .precision = switched(s, "precision"),
                               .points = switched(s, "points")};
  w.mover = ho_mover_new(q, &moves, w.stream);
  w.archive = ho_archive_new(q->n_objectives, drop_solution);
  w.seen = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
  w.accuracy = ho_search_option_double(s, "accuracy");
  w.beam = switched(s, "beam");
  w.yield = 1;
  w.truth = switched(s, "replay") ? ho_truth_new(q->n_objectives) : NULL;
  search(&w, first);
  ho_truth_free(w.truth);
  g_hash_table_unref(w.seen);
  ho_solution_free(w.nearest);
  for (int i = 0; i < SUMMITS; i++) ho_solution_free(w.summit[i]);
  ho_archive_free(w.archive);
  ho_mover_free(w.mover);
  ho_stage_unref(first);
  return 0;
}

const ho_scheduler ho_scheduler_heteroopt = {
    .abi = HO_SCHEDULER_ABI,
    .struct_size = sizeof(ho_scheduler),
    .name = "heteroopt",
    .summary = "HeteroOpt's own search: rewrites, placement, precision, operating points and order",
    .source = "this project; docs/search.md",
    .options = options,
    .run = run,
};
