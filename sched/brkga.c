/* brkga.c: a biased random-key genetic algorithm for one objective.
 *
 * Source: Gonçalves & Resende, "Biased random-key genetic algorithms for combinatorial optimization", J. Heuristics 17(5), 2011, section 3: two keys in
 * [0, 1) per op, one for the device among those that can run it, one for its priority; each generation the best `elite` share stays, a `mutants` share is
 * drawn anew, and the rest are children of one of the elite and one of the others, each key the elite parent's with probability `bias`.
 * Complexity: O(population log population) per generation besides the evaluations.
 * Options: population, elite, mutants, bias, streams, those of scalar.h. Ties: the lower index. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "sched/builtin.h"
#include "sched/decode.h"
#include "sched/scalar.h"

static const ho_option options[] = {
    {"population", HO_OPTION_INT, "100", 4, 100000, NULL, "individuals"},
    {"elite", HO_OPTION_DOUBLE, "0.2", 0.01, 0.5, NULL, "share that stays"},
    {"mutants", HO_OPTION_DOUBLE, "0.15", 0, 0.49, NULL, "share that is drawn anew"},
    {"bias", HO_OPTION_DOUBLE, "0.7", 0.5, 1, NULL, "probability that a child takes the elite parent's key"},
    {"streams", HO_OPTION_CHOICE, "one", 0, 0, ho_streams_choices, "streams of spatial devices: only the first, or spread"},
    HO_SCALAR_OPTIONS,
    {0},
};

typedef struct {
  ho_scalar x;
  ho_space *v;
  ho_decoder *decoder;
  ho_plan *plan;
  int16_t *device;
  ho_stream *r;
  int32_t n, keys;
  double **key; /* by rank: priorities, then device keys */
  ho_scalar_value *value;
  int64_t misses_left;
} state;

/* Not 0: the budget is used up. */
static int evaluate(state *w, int32_t i) {
  for (ho_op o = 0; o < w->v->n_ops; o++) {
    int32_t n = ho_space_choices(w->v, o), k = (int32_t)(w->key[i][w->v->n_ops + o] * n);
    w->device[o] = w->v->device[w->v->start[o] + MIN(k, n - 1)];
  }
  if (ho_decode(w->decoder, w->device, w->key[i], w->plan) == 0) return ho_scalar_evaluate(&w->x, w->plan, &w->value[i]);
  w->value[i] = (ho_scalar_value){INFINITY, INFINITY};
  return --w->misses_left < 0;
}

static void draw(state *w, int32_t i) {
  for (int32_t k = 0; k < w->keys; k++) w->key[i][k] = ho_stream_uniform(w->r);
}

typedef struct {
  double *key;
  ho_scalar_value value;
  int32_t index;
} individual;

static int best_first(const void *a, const void *b) {
  const individual *x = a, *y = b;
  if (ho_scalar_better(x->value, y->value)) return -1;
  if (ho_scalar_better(y->value, x->value)) return 1;
  return x->index < y->index ? -1 : x->index > y->index;
}

static void sort(state *w) {
  g_autofree individual *all = g_new(individual, (gsize)w->n);
  for (int32_t i = 0; i < w->n; i++) all[i] = (individual){w->key[i], w->value[i], i};
  qsort(all, (size_t)w->n, sizeof *all, best_first);
  for (int32_t i = 0; i < w->n; i++) {
    w->key[i] = all[i].key;
    w->value[i] = all[i].value;
  }
}

/* The generation after a sorted one, from `elite` on; children are made of parents before anything is overwritten. Not 0: stop. */
static int generation(state *w, int32_t elite, int32_t mutants, double bias) {
  int32_t children = w->n - elite - mutants;
  g_autofree double *made = g_new(double, (gsize)children *(gsize)w->keys + 1);
  for (int32_t c = 0; c < children; c++) {
    const double *a = w->key[ho_stream_below(w->r, (uint64_t)elite)],
                 *b = w->key[elite + (int32_t)ho_stream_below(w->r, (uint64_t)(w->n - elite))];
    for (int32_t k = 0; k < w->keys; k++)
      made[(gsize)c * (gsize)w->keys + (gsize)k] = ho_stream_uniform(w->r) < bias ? a[k] : b[k];
  }
  for (int32_t c = 0; c < children; c++)
    memcpy(w->key[elite + c], made + (gsize)c * (gsize)w->keys, sizeof *made * (gsize)w->keys);
  for (int32_t i = w->n - mutants; i < w->n; i++) draw(w, i);
  for (int32_t i = elite; i < w->n; i++)
    if (evaluate(w, i)) return 1;
  sort(w);
  return 0;
}

static void evolve(state *w, ho_search *s) {
  int32_t elite = MAX(1, (int32_t)(ho_search_option_double(s, "elite") * w->n)),
          mutants = (int32_t)(ho_search_option_double(s, "mutants") * w->n);
  for (int32_t i = 0; i < w->n; i++) {
    draw(w, i);
    if (evaluate(w, i)) return;
  }
  sort(w);
  while (generation(w, elite, mutants, ho_search_option_double(s, "bias")) == 0) {
  }
}

static int run(ho_search *s) {
  const ho_problem *q = ho_search_problem(s);
  state w = {.r = ho_search_stream(s), .n = (int32_t)ho_search_option_int(s, "population"), .misses_left = ho_search_budget(s)};
  if (ho_scalar_init(&w.x, s) != 0) return -1;
  if (!(w.v = ho_space_new(s))) return -1;
  w.keys = 2 * w.v->n_ops;
  w.decoder = ho_decoder_new(q, w.v, (ho_streams)ho_search_option_int(s, "streams"));
  w.plan = ho_plan_new(w.v->n_ops);
  g_autofree int16_t *device = g_new(int16_t, (gsize)w.v->n_ops + 1);
  g_autofree double *block = g_new(double, (gsize)w.n *(gsize)w.keys + 1), **key = g_new(double *, (gsize)w.n);
  g_autofree ho_scalar_value *value = g_new0(ho_scalar_value, (gsize)w.n);
  for (int32_t i = 0; i < w.n; i++) key[i] = block + (gsize)i * (gsize)w.keys;
  w.device = device;
  w.key = key;
  w.value = value;
  evolve(&w, s);
  ho_plan_free(w.plan);
  ho_decoder_free(w.decoder);
  ho_space_free(w.v);
  return 0;
}

const ho_scheduler ho_scheduler_brkga = {
    .abi = HO_SCHEDULER_ABI,
    .struct_size = sizeof(ho_scheduler),
    .name = "brkga",
    .summary = "biased random-key genetic algorithm for one objective",
    .source = "Gonçalves, Resende, J. Heuristics 17(5), 2011, section 3",
    .options = options,
    .run = run,
};
