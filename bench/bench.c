/* bench.c: see bench.h. */
#include "bench/bench.h"

#include <time.h>

#include "base/error.h"
#include "base/stream.h"
#include "sim/estimate.h"
#include "sim/plan_check.h"
#include "sim/replay.h"

#define PLANS 64

/* Every op on a device drawn among those that can run it, in topological order. NULL when an op can run nowhere. */
static ho_plan *random_plan(const ho_problem *q, ho_stream *stream, GError **error) {
  const ho_graph *g = q->graph;
  const int32_t n_devices = q->platform->n_devices;
  g_autofree int16_t *able = g_new(int16_t, (size_t)n_devices + 1);
  g_autoptr(ho_plan) plan = ho_plan_new(g->n_ops);
  for (int32_t i = 0; i < g->n_ops; i++) {
    ho_op o = g->topo[i];
    uint64_t n = 0;
    for (ho_device d = 0; d < n_devices; d++)
      if (ho_cost_can_run(q->cost, o, d)) able[n++] = (int16_t)d;
    if (!n) {
      ho_fail(error, HO_ERROR_INPUT, "op '%s' can run on no device of platform '%s'", g->op[o].name, q->platform->name);
      return NULL;
    }
    plan->entry[i].op = o;
    plan->entry[i].device = able[ho_stream_below(stream, n)];
  }
  return ho_plan_check(plan, g, q->platform, q->cost, error) ? g_steal_pointer(&plan) : NULL;
}

/* Seconds of processor time of this thread: what else the machine does counts less than in wall-clock time. */
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void finish(ho_bench_result *r, int64_t things, int64_t repeats, double seconds) {
  *r = (ho_bench_result){things, repeats, seconds, (double)things * (double)repeats / seconds};
}

gboolean ho_bench_replay(const ho_problem *q, double least, ho_bench_result *out, GError **error) {
  ho_stream stream = ho_stream_small(1);
  g_autoptr(ho_plan) plan = random_plan(q, &stream, error);
  if (!plan) return FALSE;
  g_autoptr(ho_replay) replay = ho_replay_new(q);
  const ho_replay_options options = {0};
  const ho_replay_result *r = ho_replay_run(replay, plan, &options, error); /* not counted: allocates */
  if (!r) return FALSE;
  int64_t activities = (int64_t)r->plan->n + r->n_transfers, repeats = 0;
  double begin = now(), seconds = 0;
  for (; seconds < least; seconds = now() - begin, repeats++)
    if (!ho_replay_run(replay, plan, &options, error)) return FALSE;
  finish(out, activities, repeats, seconds);
  return TRUE;
}

gboolean ho_bench_estimate(const ho_problem *q, double least, ho_bench_result *out, GError **error) {
  ho_stream stream = ho_stream_small(1);
  g_autoptr(GPtrArray) plans = g_ptr_array_new_with_free_func((GDestroyNotify)ho_plan_free);
  for (int i = 0; i < PLANS; i++) {
    ho_plan *plan = random_plan(q, &stream, error);
    if (!plan) return FALSE;
    g_ptr_array_add(plans, plan);
  }
  ho_estimate *e = ho_estimate_new(q);
  ho_figures figures;
  for (int i = 0; i < PLANS; i++) ho_estimate_run(e, g_ptr_array_index(plans, (guint)i), &figures); /* not counted: warms up */
  int64_t repeats = 0;
  double begin = now(), seconds = 0;
  for (; seconds < least; seconds = now() - begin, repeats += PLANS)
    for (int i = 0; i < PLANS; i++) ho_estimate_run(e, g_ptr_array_index(plans, (guint)i), &figures);
  finish(out, 1, repeats, seconds);
  ho_estimate_free(e);
  return TRUE;
}
