/* round_robin.c: a scheduler as a plug-in: op after op on the next device that can run it, from several first devices.
 *
 * make && heteroopt schedule --graph resnet50 --platform server --scheduler plugin:./round_robin.so --set starts=3 */
#include <sched/scheduler.h>
#include <stdlib.h>

static const ho_option options[] = {
    {"starts", HO_OPTION_INT, "2", 1, 64, NULL, "how many first devices are tried"},
    {0},
};

/* The next device from `from` on, around, that can run o. */
static int next_device(const ho_problem *q, ho_op o, int from) {
  for (int i = 0; i < q->platform->n_devices; i++) {
    int d = (from + i) % q->platform->n_devices;
    if (ho_cost_can_run(q->cost, o, d)) return d;
  }
  return -1;
}

static int run(ho_search *s) {
  const ho_problem *q = ho_search_problem(s);
  const ho_graph *g = q->graph;
  int64_t starts = ho_search_option_int(s, "starts");
  for (int64_t k = 0; k < starts && ho_search_left(s) > 0; k++) {
    ho_plan *plan = ho_plan_new(g->n_ops);
    double objectives[HO_MAX_OBJECTIVES];
    int device = (int)k - 1;
    for (int32_t i = 0; i < g->n_ops; i++) {
      device = next_device(q, g->topo[i], device + 1);
      if (device < 0) {
        ho_plan_free(plan);
        return ho_search_fail(s, "op '%s' runs nowhere", g->op[g->topo[i]].name);
      }
      plan->entry[i].op = g->topo[i];
      plan->entry[i].device = (int16_t)device;
    }
    ho_search_keep(s, plan, objectives);
    ho_plan_free(plan);
  }
  return 0;
}

const ho_scheduler ho_plugin_scheduler = {
    .abi = HO_SCHEDULER_ABI,
    .struct_size = sizeof(ho_scheduler),
    .name = "round-robin",
    .summary = "op after op on the next device that can run it",
    .source = "an example",
    .options = options,
    .flags = HO_SCHEDULER_DETERMINISTIC,
    .run = run,
};
