/* stage.c: see stage.h. */
#include "sched/search/stage.h"

#include <math.h>

#include "models/rewrite_json.h"
#include "sim/accuracy.h"

const ho_graph *ho_stage_base(const ho_problem *q) {
  return q->variant ? q->variant->base : q->graph;
}

static const ho_cost *base_cost(const ho_problem *q) {
  return q->variant ? q->variant->base_cost : q->cost;
}

/* Precisions below the default one that may be chosen for o on d and make it cost something else. */
static uint8_t lower_of(const ho_problem *q, ho_op o, ho_device d) {
  ho_dtype usual = ho_cost_default_precision(q->cost, o, d);
  uint8_t bits = 0;
  if (ho_cost_kernel(q->cost, o, d)->from_table) return 0;
  for (int p = (int)usual + 1; p < HO_N_PRECISIONS; p++)
    if (q->platform->device[d].precisions >> p & 1 && ho_accuracy_allows(q->graph, o, (ho_dtype)p) &&
        isfinite(ho_cost_kernel_at(q->cost, o, d, (ho_dtype)p, 0).time))
      bits |= (uint8_t)(1U << p);
  return bits;
}

/* Takes the variant's reference and the space. */
static ho_stage *make(const ho_problem *root, const ho_problem *q, ho_variant *v, ho_space *space, int *living) {
  ho_stage *x = g_new0(ho_stage, 1);
  *x = (ho_stage){.root = root, .variant = v, .problem = *q, .space = space, .references = 1, .living = living};
  const ho_graph *g = q->graph;
  for (int k = 0; k < 2; k++) x->decoder[k] = ho_decoder_new(&x->problem, space, (ho_streams)k);
  x->plan = ho_plan_new(g->n_ops);
  ho_plan_set_variant(x->plan, v);
  x->lower = g_new0(uint8_t, (size_t)g->n_ops * (size_t)space->n_devices + 1);
  for (ho_op o = 0; o < g->n_ops; o++)
    for (int32_t i = space->start[o]; i < space->start[o + 1]; i++)
      x->lower[(int64_t)o * space->n_devices + space->device[i]] = lower_of(q, o, space->device[i]);
  x->position = g_new(int32_t, g->n_ops + 1);
  for (int32_t i = 0; i < g->n_ops; i++) x->position[g->topo[i]] = i;
  x->rewrites = q->variant ? q->variant->rewrites : ho_rewrites_new();
  if (q->variant) g_ptr_array_ref(x->rewrites);
  ++*living;
  return x;
}

ho_stage *ho_stage_first(ho_search *s, int *living) {
  const ho_problem *q = ho_search_problem(s);
  ho_space *space = ho_space_new(s);
  if (!space) return NULL;
  ho_stage *x = make(q, q, NULL, space, living);
  x->own = (int32_t)x->rewrites->len;
  return x;
}

ho_stage *ho_stage_of(const ho_problem *q, const ho_workgraph *w, GPtrArray *rewrites, int *living) {
  ho_variant *v = ho_variant_of(w, q->platform, base_cost(q), rewrites, HO_FREEZE_PLAIN, NULL);
  if (!v) return NULL;
  ho_problem rewritten = ho_variant_problem(v, q);
  ho_op stuck;
  ho_space *space = ho_space_make(&rewritten, &stuck);
  if (!space) {
    ho_variant_unref(v);
    return NULL;
  }
  ho_stage *x = make(q, &rewritten, v, space, living);
  x->own = q->variant ? (int32_t)q->variant->rewrites->len : 0;
  return x;
}

ho_workgraph *ho_stage_workgraph(const ho_stage *x) {
  ho_workgraph *w = ho_workgraph_new(ho_stage_base(x->root));
  for (guint i = 0; i < x->rewrites->len; i++)
    if (!ho_rewrite_apply(w, x->rewrites->pdata[i], NULL)) g_assert_not_reached(); /* they led to this stage */
  return w;
}

ho_stage *ho_stage_rewritten(const ho_problem *q, GPtrArray *rewrites, int *living) {
  g_autoptr(ho_workgraph) w = ho_workgraph_new(ho_stage_base(q));
  for (guint i = 0; i < rewrites->len; i++) {
    if (ho_rewrite_apply(w, rewrites->pdata[i], NULL)) continue;
    g_ptr_array_unref(rewrites);
    return NULL;
  }
  return ho_stage_of(q, w, rewrites, living);
}

ho_stage *ho_stage_ref(ho_stage *x) {
  x->references++;
  return x;
}

void ho_stage_unref(ho_stage *x) {
  if (!x || --x->references > 0) return;
  --*x->living;
  for (int k = 0; k < 2; k++) ho_decoder_free(x->decoder[k]);
  ho_plan_free(x->plan);
  ho_space_free(x->space);
  g_free(x->lower);
  g_free(x->position);
  g_ptr_array_unref(x->rewrites);
  ho_variant_unref(x->variant);
  g_free(x);
}

const ho_origin *ho_stage_origins(const ho_stage *x, ho_op o, ho_origin *self, int32_t *n) {
  const ho_graph *g = x->problem.graph;
  if (!g->original) {
    *self = (ho_origin){.op = o, .from = 0, .to = 1};
    *n = 1;
    return self;
  }
  *n = g->origin_start[o + 1] - g->origin_start[o];
  return g->origin + g->origin_start[o];
}
