/* bench.c: see bench.h. */
#include "bench/bench.h"

#include <time.h>

#include "base/error.h"
#include "base/stream.h"
#include "sched/heft.h"
#include "sim/estimate.h"
#include "sim/plan_check.h"
#include "sim/replay.h"

#define PLANS 64

/* Moves every `one_in`-th op of a plan, on average, to a device drawn among those that can run it. */
static gboolean shake(const ho_problem *q, ho_plan *plan, ho_stream *stream, uint64_t one_in, GError **error) {
  const int32_t n_devices = q->platform->n_devices;
  g_autofree int16_t *able = g_new(int16_t, (size_t)n_devices + 1);
  for (int32_t i = 0; i < plan->n; i++) {
    if (ho_stream_below(stream, one_in) > 0) continue;
    ho_op o = plan->entry[i].op;
    uint64_t n = 0;
    for (ho_device d = 0; d < n_devices; d++)
      if (ho_cost_can_run(q->cost, o, d)) able[n++] = (int16_t)d;
    if (!n)
      return ho_fail(error, HO_ERROR_INPUT, "op '%s' can run on no device of platform '%s'", q->graph->op[o].name,
                     q->platform->name);
    plan->entry[i].device = able[ho_stream_below(stream, n)];
  }
  return ho_plan_check(plan, q->graph, q->platform, q->cost, error);
}

/* Every op at random, in topological order. NULL when an op can run nowhere. */
static ho_plan *random_plan(const ho_problem *q, ho_stream *stream, GError **error) {
  g_autoptr(ho_plan) plan = ho_plan_new(q->graph->n_ops);
  for (int32_t i = 0; i < plan->n; i++) plan->entry[i].op = q->graph->topo[i];
  return shake(q, plan, stream, 1, error) ? g_steal_pointer(&plan) : NULL;
}

static ho_plan *heft_plan(const ho_problem *q, GError **error) {
  ho_costs *c = ho_costs_new(q);
  ho_list *l = ho_list_new(c);
  ho_op stuck = ho_heft_fill(l);
  ho_plan *plan = stuck < 0 ? ho_list_plan(l) : NULL;
  if (!plan)
    ho_fail(error, HO_ERROR_INPUT, "HEFT finds no device of platform '%s' for op '%s'", q->platform->name,
            q->graph->op[stuck].name);
  ho_list_free(l);
  ho_costs_free(c);
  return plan;
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

static void time_estimates(const ho_problem *q, double least, GPtrArray *plans, ho_bench_result *out) {
  ho_estimate *e = ho_estimate_new(q);
  ho_figures figures;
  for (guint i = 0; i < plans->len; i++) ho_estimate_run(e, g_ptr_array_index(plans, i), &figures); /* not counted: warms up */
  int64_t repeats = 0;
  double begin = now(), seconds = 0;
  for (; seconds < least; seconds = now() - begin, repeats += plans->len)
    for (guint i = 0; i < plans->len; i++) ho_estimate_run(e, g_ptr_array_index(plans, i), &figures);
  finish(out, 1, repeats, seconds);
  ho_estimate_free(e);
}

gboolean ho_bench_estimate(const ho_problem *q, double least, ho_bench_result *out, GError **error) {
  ho_stream stream = ho_stream_small(1);
  g_autoptr(ho_plan) heft = heft_plan(q, error);
  if (!heft) return FALSE;
  g_autoptr(GPtrArray) plans = g_ptr_array_new_with_free_func((GDestroyNotify)ho_plan_free);
  for (int i = 0; i < PLANS; i++) {
    ho_plan *plan = ho_plan_copy(heft);
    g_ptr_array_add(plans, plan);
    if (!shake(q, plan, &stream, 10, error)) return FALSE;
  }
  time_estimates(q, least, plans, out);
  return TRUE;
}

gboolean ho_bench_estimate_random(const ho_problem *q, double least, ho_bench_result *out, GError **error) {
  ho_stream stream = ho_stream_small(1);
  g_autoptr(GPtrArray) plans = g_ptr_array_new_with_free_func((GDestroyNotify)ho_plan_free);
  for (int i = 0; i < PLANS; i++) {
    ho_plan *plan = random_plan(q, &stream, error);
    if (!plan) return FALSE;
    g_ptr_array_add(plans, plan);
  }
  time_estimates(q, least, plans, out);
  return TRUE;
}
