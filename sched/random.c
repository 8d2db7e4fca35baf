/* random.c: uniform random search.
 *
 * Source: random search as a baseline: Bergstra & Bengio, JMLR 13, 2012.
 * Every evaluation is a fresh plan: each op on a device drawn uniformly from those that can run it, with a priority drawn uniformly from
 * [0, 1); the order of issue is the topological order that the priorities ask for. The archive keeps the non-dominated ones.
 * Complexity: O(budget · (ops + edges) · log ops). Options: streams. Ties: priorities tie with probability 0; then the lower index. */
#include <glib.h>

#include "sched/builtin.h"
#include "sched/decode.h"

static const ho_option options[] = {
    {"streams", HO_OPTION_CHOICE, "one", 0, 0, ho_streams_choices, "streams of spatial devices: only the first, or spread"},
    {0},
};

static void draw(const ho_space *v, ho_stream *r, int16_t *device, double *priority) {
  for (ho_op o = 0; o < v->n_ops; o++) {
    device[o] = ho_space_draw(v, o, r);
    priority[o] = ho_stream_uniform(r);
  }
}

static int run(ho_search *s) {
  const ho_problem *q = ho_search_problem(s);
  ho_space *v = ho_space_new(s);
  if (!v) return -1;
  ho_decoder *w = ho_decoder_new(q, v, (ho_streams)ho_search_option_int(s, "streams"));
  ho_plan *plan = ho_plan_new(v->n_ops);
  g_autofree int16_t *device = g_new(int16_t, (size_t)v->n_ops + 1);
  g_autofree double *priority = g_new(double, (size_t)v->n_ops + 1);
  double objectives[HO_MAX_OBJECTIVES];
  /* Where memories are not connected a draw may give no plan: it counts as a try, so that the loop ends. */
  for (int64_t tries = ho_search_budget(s); tries > 0; tries--) {
    draw(v, ho_search_stream(s), device, priority);
    if (ho_decode(w, device, priority, plan) == 0 && ho_search_keep(s, plan, objectives) < 0) break;
  }
  ho_plan_free(plan);
  ho_decoder_free(w);
  ho_space_free(v);
  return 0;
}

const ho_scheduler ho_scheduler_random = {
    .abi = HO_SCHEDULER_ABI,
    .struct_size = sizeof(ho_scheduler),
    .name = "random",
    .summary = "uniform random placements and priorities, the non-dominated kept",
    .source = "Bergstra, Bengio, JMLR 13, 2012",
    .options = options,
    .run = run,
};
