/* bucket_study.c: see bucket_study.h. A size that is an edge, too, is planned for once. */
#include "sched/bucket_study.h"

#include <string.h>

#include "base/error.h"
#include "sim/plan_check.h"
#include "sim/replay.h"
#include "sim/variant.h"

/* One size: its graph, and the plan that was made for it. */
typedef struct {
  int64_t size;
  ho_graph *graph;
  ho_cost *cost;
  ho_plan *plan; /* NULL: none was asked for */
} stage;

typedef struct {
  const ho_bucket_setup *setup;
  GArray *stages; /* by increasing size */
  int32_t plans;
  double seconds; /* spent on graphs */
} study;

static void clear_stage(gpointer p) {
  stage *s = p;
  ho_plan_free(s->plan); /* it points at its variant, which points at these */
  ho_cost_free(s->cost);
  ho_graph_free(s->graph);
}

const char *ho_shapes_way_name(ho_shapes_way way) {
  static const char *const names[] = {"exact", "bucket", "bucket padded", "static", "static padded"};
  return names[way];
}

/* ---- graphs ---------------------------------------------------------------------------------------------------------- */

static ho_problem problem_of(const study *x, const stage *s) {
  return (ho_problem){.graph = s->graph,
                      .platform = x->setup->platform,
                      .cost = s->cost,
                      .n_objectives = HO_N_OBJECTIVES,
                      .objective = {HO_OBJECTIVE_LATENCY, HO_OBJECTIVE_ENERGY, HO_OBJECTIVE_MEMORY},
                      .memory_measure = x->setup->measure};
}

static gboolean add_stage(study *x, int64_t size, GError **error) {
  const ho_bindings *fixed = x->setup->fixed;
  int32_t n = fixed ? fixed->n : 0;
  g_autofree const char **names = g_new(const char *, (size_t)n + 1);
  g_autofree int64_t *values = g_new(int64_t, (size_t)n + 1);
  for (int32_t i = 0; i < n; i++) {
    names[i] = fixed->name[i];
    values[i] = fixed->value[i];
  }
  names[n] = x->setup->dim;
  values[n] = size;
  const ho_bindings b = {.n = n + 1, .name = names, .value = values};
  gint64 began = g_get_monotonic_time();
  stage s = {.size = size, .graph = ho_symbolic_at(x->setup->source, &b, error)};
  x->seconds += (double)(g_get_monotonic_time() - began) * 1e-6;
  if (!s.graph) return FALSE;
  s.cost = ho_cost_new(s.graph, x->setup->platform);
  g_array_append_val(x->stages, s);
  return ho_problem_check(s.graph, x->setup->platform, error);
}

static stage *stage_of(const study *x, int64_t size) {
  for (guint i = 0; i < x->stages->len; i++)
    if (g_array_index(x->stages, stage, i).size == size) return &g_array_index(x->stages, stage, i);
  return NULL;
}

static int by_size(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

static gboolean make_stages(study *x, GError **error) {
  const ho_bucket_setup *u = x->setup;
  g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(int64_t));
  g_array_append_vals(all, u->sizes->value, (guint)u->sizes->n);
  g_array_append_vals(all, u->edges, (guint)u->n_edges);
  g_array_sort(all, by_size);
  for (guint i = 0; i < all->len; i++) {
    int64_t size = g_array_index(all, int64_t, i);
    if (i > 0 && size == g_array_index(all, int64_t, i - 1)) continue;
    if (!add_stage(x, size, error)) return FALSE;
  }
  return TRUE;
}

/* ---- plans ----------------------------------------------------------------------------------------------------------- */

static const ho_replay_result *replay(ho_replay *r, const study *x, int64_t size, const ho_plan *plan, GError **error) {
  const ho_replay_result *result = ho_replay_run(r, plan, NULL, error);
  if (!result) g_prefix_error(error, "%s=%" G_GINT64_FORMAT ": ", x->setup->dim, size);
  return result;
}

static double value_of(const study *x, const ho_problem *q, const ho_figures *f) {
  double v[HO_MAX_OBJECTIVES];
  ho_problem_objectives(q, f, v);
  return v[x->setup->objective];
}

/* The plan of the archive that is best under replay; those that do not fit when replayed do not count. */
static ho_plan *best_of(const study *x, const stage *s, const ho_problem *q, ho_archive *archive, GError **error) {
  g_autoptr(ho_replay) r = ho_replay_new(q);
  const ho_plan *best = NULL;
  double least = 0;
  for (int32_t i = 0; i < ho_archive_size(archive); i++) {
    const ho_plan *plan = ho_archive_payload(archive, i);
    g_clear_error(error);
    const ho_replay_result *result = replay(r, x, s->size, plan, error);
    if (!result) continue;
    double value = value_of(x, q, &result->figures);
    if (best && value >= least) continue;
    best = plan;
    least = value;
  }
  if (!best) return NULL;
  g_clear_error(error);
  return ho_plan_copy(best);
}

static gboolean plan_for(study *x, stage *s, GError **error) {
  const ho_bucket_setup *u = x->setup;
  if (s->plan) return TRUE;
  ho_problem q = problem_of(x, s);
  g_autoptr(ho_variant) v = u->rewrites ? ho_variant_by_spec(s->graph, u->platform, s->cost, u->rewrites, error) : NULL;
  if (u->rewrites && !v) return FALSE;
  if (v) q = ho_variant_problem(v, &q);
  const char *const parts[] = {"shapes", s->graph->digest, u->platform->digest, u->scheduler->name, u->rewrites, NULL};
  const ho_search_setup setup = {.problem = &q,
                                 .scheduler = u->scheduler,
                                 .options = u->options,
                                 .stream = ho_stream_keyed(u->seed, parts),
                                 .evaluations = u->evaluations};
  g_autoptr(ho_search) search = ho_search_new(&setup);
  x->plans++;
  if (!ho_search_run(search, error)) {
    g_prefix_error(error, "%s=%" G_GINT64_FORMAT ": ", u->dim, s->size);
    return FALSE;
  }
  s->plan = best_of(x, s, &q, ho_search_archive(search), error);
  return s->plan != NULL;
}

static const ho_graph *graph_of(const ho_plan *p, const ho_graph *g) {
  return p->variant ? p->variant->graph : g;
}

static gboolean check_same_ops(const study *x, const stage *from, const stage *to, const ho_graph *a, const ho_graph *b,
                               GError **error) {
  for (ho_op o = 0; o < MIN(a->n_ops, b->n_ops); o++)
    if (strcmp(a->op[o].name, b->op[o].name) != 0)
      return ho_fail(error, HO_ERROR_INPUT,
                     "%s=%" G_GINT64_FORMAT " has an op '%s' where %s=%" G_GINT64_FORMAT " has '%s': one plan cannot serve both",
                     x->setup->dim, to->size, b->op[o].name, x->setup->dim, from->size, a->op[o].name);
  return a->n_ops == b->n_ops ||
         ho_fail(error, HO_ERROR_INPUT,
                 "%s=%" G_GINT64_FORMAT " has %d ops, %s=%" G_GINT64_FORMAT " has %d: one plan cannot serve both", x->setup->dim,
                 to->size, b->n_ops, x->setup->dim, from->size, a->n_ops);
}

/* The plan that was made for one size, for another: the same rewrites, the same entries. */
static ho_plan *carry(const study *x, const stage *from, const stage *to, GError **error) {
  g_autoptr(ho_variant) v = NULL;
  if (from->plan->variant) {
    GPtrArray *list = from->plan->variant->rewrites;
    GPtrArray *copy = g_ptr_array_new_with_free_func((GDestroyNotify)ho_rewrite_free);
    for (guint i = 0; i < list->len; i++) g_ptr_array_add(copy, ho_rewrite_copy(list->pdata[i]));
    v = ho_variant_new(to->graph, x->setup->platform, to->cost, copy, error);
    if (!v) {
      g_prefix_error(error, "%s=%" G_GINT64_FORMAT ": ", x->setup->dim, to->size);
      return NULL;
    }
  }
  if (!check_same_ops(x, from, to, graph_of(from->plan, from->graph), v ? v->graph : to->graph, error)) return NULL;
  ho_plan *plan = ho_plan_copy(from->plan);
  ho_plan_set_variant(plan, v);
  return plan;
}

/* ---- figures --------------------------------------------------------------------------------------------------------- */

static gboolean replay_at(const study *x, const stage *from, const stage *to, ho_figures *figures, GError **error) {
  ho_problem q = problem_of(x, to);
  g_autoptr(ho_plan) plan = from == to ? ho_plan_copy(from->plan) : carry(x, from, to, error);
  if (!plan) return FALSE;
  g_autoptr(ho_replay) r = ho_replay_new(&q);
  const ho_replay_result *result = replay(r, x, to->size, plan, error);
  if (result) *figures = result->figures;
  return result != NULL;
}

static gboolean study_size(study *x, int32_t i, ho_bucket_study *out, GError **error) {
  const ho_bucket_setup *u = x->setup;
  out->bucket[i] = ho_sizes_bucket(u->edges, u->n_edges, u->sizes->value[i]);
  stage *here = stage_of(x, u->sizes->value[i]), *edge = stage_of(x, u->edges[out->bucket[i]]),
        *last = stage_of(x, u->edges[u->n_edges - 1]);
  ho_figures *f = &out->figures[(size_t)i * HO_N_SHAPES_WAYS];
  return plan_for(x, here, error) && plan_for(x, edge, error) && plan_for(x, last, error) &&
         replay_at(x, here, here, &f[HO_SHAPES_EXACT], error) && replay_at(x, edge, here, &f[HO_SHAPES_BUCKET], error) &&
         replay_at(x, edge, edge, &f[HO_SHAPES_BUCKET_PADDED], error) && replay_at(x, last, here, &f[HO_SHAPES_STATIC], error) &&
         replay_at(x, last, last, &f[HO_SHAPES_STATIC_PADDED], error);
}

ho_bucket_study *ho_bucket_study_run(const ho_bucket_setup *setup, GError **error) {
  study x = {.setup = setup, .stages = g_array_new(FALSE, FALSE, sizeof(stage))};
  g_array_set_clear_func(x.stages, clear_stage);
  g_autoptr(ho_bucket_study) out = g_new0(ho_bucket_study, 1);
  out->n = setup->sizes->n;
  out->bucket = g_new0(int32_t, (size_t)out->n);
  out->figures = g_new0(ho_figures, (size_t)out->n * HO_N_SHAPES_WAYS);
  gboolean ok = make_stages(&x, error);
  for (int32_t i = 0; ok && i < out->n; i++) ok = study_size(&x, i, out, error);
  out->plans = x.plans;
  out->graphs = (int32_t)x.stages->len;
  out->seconds = x.seconds;
  g_array_free(x.stages, TRUE);
  return ok ? g_steal_pointer(&out) : NULL;
}

void ho_bucket_study_free(ho_bucket_study *s) {
  if (!s) return;
  g_free(s->bucket);
  g_free(s->figures);
  g_free(s);
}

double ho_bucket_study_mean(const ho_bucket_study *s, const ho_bucket_setup *u, ho_shapes_way way, ho_objective o,
                            int32_t bucket) {
  const ho_problem q = {.n_objectives = 1, .objective = {o}, .memory_measure = u->measure};
  double sum = 0, weight = 0;
  for (int32_t i = 0; i < s->n; i++) {
    double v[HO_MAX_OBJECTIVES];
    if (bucket >= 0 && s->bucket[i] != bucket) continue;
    ho_problem_objectives(&q, &s->figures[(size_t)i * HO_N_SHAPES_WAYS + (size_t)way], v);
    sum += u->sizes->weight[i] * v[0];
    weight += u->sizes->weight[i];
  }
  return weight > 0 ? sum / weight : 0;
}
