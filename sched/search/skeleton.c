/* skeleton.c: see skeleton.h. */
#include "sched/search/skeleton.h"

#include <math.h>
#include <string.h>

#include "models/rewrite_json.h"
#include "sched/seeds.h"

typedef struct {
  const ho_skeleton_setup *setup;
  int (*take)(void *data, const ho_solution *a);
  void *data;
  int stopped;
} context;

static void offer(context *c, const ho_solution *a) {
  if (!c->stopped) c->stopped = c->take(c->data, a);
}

/* --- wishes ------------------------------------------------------------------------------------------------------------------------ */
/* Wishes the lowest precision that each op may have where it is. FALSE: nothing is lower than the default. */
static gboolean lower_all(ho_solution *a) {
  const ho_stage *x = a->stage;
  gboolean any = FALSE;
  for (ho_op o = 0; o < a->n; o++) {
    uint8_t bits = x->lower[(int64_t)o * x->space->n_devices + a->device[o]];
    for (int p = 0; p < HO_N_PRECISIONS; p++)
      if (bits >> p & 1) {
        a->precision[o] = (int8_t)p;
        any = TRUE;
      }
  }
  return any;
}

static int32_t most_points(const ho_platform *p) {
  int32_t most = 1;
  for (ho_device d = 0; d < p->n_devices; d++) most = MAX(most, p->device[d].n_points);
  return most;
}

/* One placement and order with all wishes that are made of everything at once. */
static void with_wishes(context *c, ho_solution *a) {
  for (int lower = 0; lower <= c->setup->precision; lower++) {
    if (lower && !lower_all(a)) break;
    int32_t points = c->setup->points ? most_points(a->stage->problem.platform) : 1;
    for (int32_t k = 0; k < points && !c->stopped; k++) {
      memset(a->point, (int)k, (size_t)a->n);
      offer(c, a);
    }
  }
}

static void from_seeds(context *c, ho_stage *x) {
  ho_seeds *z = ho_seeds_new(&x->problem, x->space);
  for (int32_t i = 0; i < z->n && !c->stopped; i++) {
    ho_solution *a = ho_solution_new(x);
    memcpy(a->device, z->device + (size_t)i * (size_t)z->n_ops, sizeof(int16_t) * (size_t)a->n);
    memcpy(a->priority, z->priority + (size_t)i * (size_t)z->n_ops, sizeof(double) * (size_t)a->n);
    with_wishes(c, a);
    ho_solution_free(a);
  }
  ho_seeds_free(z);
}

/* --- stages ------------------------------------------------------------------------------------------------------------------------ */
/* The first stage's problem after rules everywhere; NULL: they apply nowhere. */
static ho_stage *everywhere(const ho_stage *first, const char *rules) {
  GPtrArray *list = ho_rewrites_copy(first->rewrites);
  g_autoptr(ho_workgraph) w = ho_stage_workgraph(first);
  if (ho_rewrite_everywhere(w, rules, list, NULL) > 0) return ho_stage_of(first->root, w, list, first->living);
  g_ptr_array_unref(list);
  return NULL;
}

typedef struct {
  ho_candidate longest;
} run;

static ho_find_answer keep_longest(const ho_candidate *c, void *data) {
  run *x = data;
  if (c->axis && strcmp(c->axis, "batch") == 0 && c->n_ops > x->longest.n_ops) x->longest = *c;
  return HO_FIND_ON;
}

/* Seconds of a run of ops (of the stage's graph, by name) on a device; INFINITY where one cannot run. */
static double run_seconds(const ho_stage *x, const ho_rewrite *r, ho_device d) {
  double sum = 0;
  for (int32_t i = 0; i < r->n_ops; i++) {
    ho_op o = ho_graph_find_op(x->problem.graph, r->ops[i]);
    sum += o >= 0 ? ho_cost_time(x->problem.cost, o, d) : INFINITY;
  }
  return sum;
}

/* What is cut goes half to one device, half to the other; the rest to the first. */
static void place_halves(context *c, ho_stage *x, int16_t first, int16_t second) {
  ho_solution *a = ho_solution_new(x);
  for (ho_op o = 0; o < a->n; o++) {
    ho_origin self;
    int32_t n;
    const ho_origin *from = ho_stage_origins(x, o, &self, &n);
    a->device[o] = ho_space_allowed(x->space, o, n > 0 && from[0].from > 0 ? second : first);
  }
  with_wishes(c, a);
  ho_solution_free(a);
}

/* The longest run that can be cut by batch, cut for every pair of devices by their speeds. */
static void from_halves(context *c, ho_stage *x) {
  g_autoptr(ho_workgraph) w = ho_stage_workgraph(x);
  g_autofree run *found = g_new0(run, 1);
  ho_rewrite_rule_find("split")->find(w, -1, keep_longest, found);
  if (found->longest.n_ops < 2) return;
  int16_t n = (int16_t)x->space->n_devices;
  for (int16_t k = 0; k < n * n && !c->stopped; k++) {
    int16_t one = (int16_t)(k / n), other = (int16_t)(k % n);
    if (one == other) continue;
    int32_t mark = ho_workgraph_mark(w);
    found->longest.n_shares = 0;
    ho_rewrite *probe = ho_candidate_apply_named(w, &found->longest, NULL);
    ho_workgraph_undo(w, mark);
    if (!probe) return;
    double a = run_seconds(x, probe, one), b = run_seconds(x, probe, other);
    ho_rewrite_free(probe);
    if (!isfinite(a + b) || a + b <= 0 || a > b) continue; /* the faster one has the rest */
    found->longest.n_shares = 2;
    found->longest.share[0] = CLAMP(b / (a + b), 0.05, 0.95);
    found->longest.share[1] = 1 - found->longest.share[0];
    ho_rewrite *r = ho_candidate_apply_named(w, &found->longest, NULL);
    if (r) {
      GPtrArray *all = ho_rewrites_copy(x->rewrites);
      g_ptr_array_add(all, r);
      ho_stage *cut = ho_stage_of(x->root, w, all, x->living);
      if (cut) place_halves(c, cut, one, other);
      ho_stage_unref(cut);
    }
    ho_workgraph_undo(w, mark);
  }
}

static gboolean trains(const ho_graph *g) {
  for (ho_op o = 0; o < g->n_ops; o++)
    if (g->op[o].phase != HO_PHASE_FORWARD) return TRUE;
  return FALSE;
}

void ho_skeleton(ho_stage *first, const ho_skeleton_setup *setup, int (*take)(void *data, const ho_solution *a), void *data) {
  context c = {.setup = setup, .take = take, .data = data};
  from_seeds(&c, first);
  if (!setup->rewrites) return;
  const char *const rules[] = {"remove,fold,fuse", "remove,fold,fuse,recompute", "remove,fold,fuse,offload"};
  for (size_t i = 0; i < G_N_ELEMENTS(rules) && !c.stopped; i++) {
    if (i > 0 && !trains(first->problem.graph)) break;
    ho_stage *x = everywhere(first, rules[i]);
    if (!x) continue;
    from_seeds(&c, x);
    if (i == 0) from_halves(&c, x);
    ho_stage_unref(x);
  }
}
