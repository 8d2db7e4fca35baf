/* adversary.c: see adversary.h. */
#include "sched/adversary.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/fmath.h"
#include "models/graph_build.h"
#include "sched/search.h"
#include "sim/replay.h"

#define FIRST_TRIES 20

/* Seconds by op and device; bytes of the edge from i to j, i < j; 0: none. */
typedef struct {
  double *seconds;
  int64_t *bytes;
} instance;

typedef struct {
  const ho_adversary_setup *set;
  ho_stream r;
  int32_t n, m;
} walk;

static size_t seconds_size(const walk *w) {
  return sizeof(double) * (size_t)w->n * (size_t)w->m;
}
static size_t bytes_size(const walk *w) {
  return sizeof(int64_t) * (size_t)w->n * (size_t)w->n;
}

static instance new_instance(const walk *w) {
  return (instance){g_malloc0(seconds_size(w) + 1), g_malloc0(bytes_size(w) + 1)};
}
static void free_instance(instance *x) {
  g_free(x->seconds);
  g_free(x->bytes);
}
static void copy_instance(const walk *w, instance *to, const instance *from) {
  memcpy(to->seconds, from->seconds, seconds_size(w));
  memcpy(to->bytes, from->bytes, bytes_size(w));
}

static double draw_between(walk *w, const double *range) {
  return range[0] * ho_exp(ho_stream_uniform(&w->r) * ho_log(range[1] / range[0]));
}

static int64_t draw_bytes(walk *w) {
  return (int64_t)draw_between(w, w->set->bytes);
}

static void draw_instance(walk *w, instance *x) {
  for (int32_t i = 0; i < w->n * w->m; i++) x->seconds[i] = draw_between(w, w->set->seconds);
  for (int32_t i = 0; i < w->n; i++)
    for (int32_t j = 0; j < w->n; j++)
      x->bytes[i * w->n + j] = i < j && ho_stream_uniform(&w->r) < w->set->edges ? draw_bytes(w) : 0;
}

/* A pair i < j, any with the same probability. */
static int64_t *draw_pair(walk *w, instance *x) {
  int32_t i = (int32_t)ho_stream_below(&w->r, (uint64_t)w->n), j = (int32_t)ho_stream_below(&w->r, (uint64_t)w->n - 1);
  j += j >= i;
  return &x->bytes[MIN(i, j) * w->n + MAX(i, j)];
}

static void change(walk *w, instance *x) {
  uint64_t what = w->n > 1 ? ho_stream_below(&w->r, 3) : 0;
  if (what == 0) {
    x->seconds[ho_stream_below(&w->r, (uint64_t)(w->n * w->m))] = draw_between(w, w->set->seconds);
    return;
  }
  int64_t *edge = draw_pair(w, x);
  *edge = what == 1 || *edge == 0 ? draw_bytes(w) : 0;
}

/* --- an instance as a graph ------------------------------------------------------------------------------------------------------------ */
static ho_graph *graph_of(const walk *w, const instance *x) {
  g_autofree char *name = g_strdup_printf("%s-against-%s", w->set->scheduler[0]->name, w->set->scheduler[1]->name);
  ho_graph_build *b = ho_graph_build_new(name, name);
  for (int32_t i = 0; i < w->n; i++) {
    g_autofree char *op = g_strdup_printf("t%d", i + 1);
    ho_op_info info = ho_op_info_init(op, "task");
    ho_op o = ho_graph_build_op(b, &info);
    for (ho_device d = 0; d < w->m; d++) ho_graph_build_time(b, o, w->set->platform->device[d].name, x->seconds[i * w->m + d]);
  }
  for (int32_t i = 0; i < w->n; i++)
    for (int32_t j = i + 1; j < w->n; j++) {
      if (x->bytes[i * w->n + j] == 0) continue;
      g_autofree char *tensor = g_strdup_printf("t%d-t%d", i + 1, j + 1);
      ho_tensor t = ho_graph_build_tensor(b, tensor, HO_FP32, -1, NULL, x->bytes[i * w->n + j], HO_ROLE_NONE, i);
      ho_graph_build_consume(b, t, j);
    }
  GError *error = NULL;
  ho_graph *g = ho_graph_build_finish(b, &error);
  g_assert(g); /* edges go to higher numbers, and all quantities are within ranges */
  return g;
}

/* --- judging ---------------------------------------------------------------------------------------------------------------------------- */
/* The least of the objective among a scheduler's plans by replay. */
static gboolean reach(const ho_adversary_setup *set, const ho_problem *q, int which, double *value, GError **error) {
  g_autofree char *seed = g_strdup_printf("%d", which);
  const char *const parts[] = {"adversary", q->graph->digest, set->scheduler[which]->name, seed, NULL};
  const ho_search_setup run = {.problem = q,
                               .scheduler = set->scheduler[which],
                               .options = set->options[which],
                               .stream = ho_stream_keyed(set->seed, parts),
                               .evaluations = set->evaluations};
  g_autoptr(ho_search) s = ho_search_new(&run);
  if (!ho_search_run(s, error)) return FALSE;
  g_autoptr(ho_replay) replay = ho_replay_new(q);
  ho_archive *a = ho_search_archive(s);
  *value = INFINITY;
  for (int32_t i = 0; i < ho_archive_size(a); i++) {
    const ho_replay_options exact = {0};
    double objectives[HO_MAX_OBJECTIVES];
    g_clear_error(error);
    const ho_replay_result *r = ho_replay_run(replay, ho_archive_payload(a, i), &exact, error);
    if (!r) continue;
    ho_problem_objectives(q, &r->figures, objectives);
    *value = fmin(*value, objectives[0]);
  }
  if (isfinite(*value)) g_clear_error(error);
  return isfinite(*value);
}

gboolean ho_adversary_judge(const ho_adversary_setup *set, const ho_graph *g, double *value, double *ratio, GError **error) {
  ho_cost *cost = ho_cost_new(g, set->platform);
  ho_problem q = {.graph = g, .platform = set->platform, .cost = cost, .n_objectives = 1, .objective = {set->objective}};
  GError *why = NULL;
  gboolean fine = reach(set, &q, 0, &value[0], &why) && reach(set, &q, 1, &value[1], &why);
  ho_cost_free(cost);
  if (fine && value[1] > 0) {
    *ratio = value[0] / value[1];
    return TRUE;
  }
  if (!why) ho_fail(&why, HO_ERROR_PLAN, "scheduler %s: reaches 0, which nothing can be compared with", set->scheduler[1]->name);
  g_propagate_error(error, why);
  return FALSE;
}

/* --- the walk --------------------------------------------------------------------------------------------------------------------------- */
/* Makes x the worst so far when it is. FALSE: it cannot be judged. */
static gboolean look(const walk *w, const instance *x, double *ratio, ho_adversary *out, GError **error) {
  double value[2];
  ho_graph *g = graph_of(w, x);
  out->tried++;
  if (!ho_adversary_judge(w->set, g, value, ratio, error)) {
    out->failed++;
    ho_graph_free(g);
    return FALSE;
  }
  if (out->graph && *ratio <= out->ratio) {
    ho_graph_free(g);
    return TRUE;
  }
  ho_graph_free(out->graph);
  out->graph = g;
  out->ratio = *ratio;
  memcpy(out->value, value, sizeof value);
  return TRUE;
}

static void anneal(walk *w, instance *at, double ratio, ho_adversary *out) {
  const ho_adversary_setup *set = w->set;
  instance next = new_instance(w);
  for (int64_t k = 0; k < set->steps; k++) {
    double t = set->hot * ho_exp((double)k / (double)set->steps * ho_log(set->cold / set->hot)), there;
    copy_instance(w, &next, at);
    change(w, &next);
    if (!look(w, &next, &there, out, NULL)) continue;
    if (there < ratio && ho_stream_uniform(&w->r) >= ho_exp(ho_log(there / ratio) / t)) continue;
    ratio = there;
    copy_instance(w, at, &next);
  }
  free_instance(&next);
}

ho_adversary *ho_adversary_search(const ho_adversary_setup *set, GError **error) {
  g_autofree char *restart = g_strdup_printf("%d", set->restart);
  const char *const parts[] = {"adversary", set->scheduler[0]->name, set->scheduler[1]->name, restart, NULL};
  walk w = {.set = set, .r = ho_stream_keyed(set->seed, parts), .n = set->n_ops, .m = set->platform->n_devices};
  g_autoptr(ho_adversary) out = g_new0(ho_adversary, 1);
  instance at = new_instance(&w);
  gboolean found = FALSE;
  for (int k = 0; k < FIRST_TRIES && !found; k++) {
    g_clear_error(error);
    draw_instance(&w, &at);
    found = look(&w, &at, &out->start, out, error);
  }
  if (found) {
    g_clear_error(error);
    anneal(&w, &at, out->start, out);
  }
  free_instance(&at);
  return found ? g_steal_pointer(&out) : NULL;
}

void ho_adversary_free(ho_adversary *x) {
  if (!x) return;
  ho_graph_free(x->graph);
  g_free(x);
}
