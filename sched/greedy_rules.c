/* greedy_rules.c: compute-bound ops to accelerators, memory-bound ops to the CPU.
 *
 * Source: the roofline model, Williams, Waterman & Patterson, CACM 52(4), 2009: an op whose operational intensity is below a device's ridge
 * point is bound by memory there.
 * Of the GPUs and NPUs that can run an op and on which its intensity is at least `threshold` times their ridge point (reachable peak for
 * its family over reachable bandwidth, default precision), the one with the least kernel time; when there is none, the quickest CPU; when
 * there is none either, the quickest device. An op with a time table has no intensity: the quickest device. Topological order, stream 0.
 * Complexity: O(ops · devices). Options: threshold. Ties: the lower index. */
#include <glib.h>

#include "sched/builtin.h"
#include "sched/place.h"

static const ho_option options[] = {
    {"threshold", HO_OPTION_DOUBLE, "1", 0, 1e9, NULL, "share of the ridge point from which an op counts as compute-bound"},
    {0},
};

static int run(ho_search *s) {
  ho_space *v = ho_space_new(s);
  if (!v) return -1;
  g_autofree int16_t *device = g_new(int16_t, (size_t)v->n_ops + 1);
  ho_place_greedy(ho_search_problem(s), ho_search_option_double(s, "threshold"), device);
  int status = ho_place_keep(s, v, device);
  ho_space_free(v);
  return status;
}

const ho_scheduler ho_scheduler_greedy_rules = {
    .abi = HO_SCHEDULER_ABI,
    .struct_size = sizeof(ho_scheduler),
    .name = "greedy-rules",
    .summary = "compute-bound ops to GPU or NPU, memory-bound ops to the CPU",
    .source = "by the roofline of Williams, Waterman, Patterson, CACM 52(4), 2009",
    .options = options,
    .flags = HO_SCHEDULER_DETERMINISTIC | HO_SCHEDULER_SINGLE,
    .run = run,
};
