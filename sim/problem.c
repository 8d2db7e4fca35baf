/* problem.c: see problem.h. */
#include "sim/problem.h"

#include <glib.h>
#include <math.h>

static double fastest_time(const ho_problem *q, ho_op o) {
  double least = INFINITY;
  for (ho_device d = 0; d < q->platform->n_devices; d++) least = fmin(least, ho_cost_time(q->cost, o, d));
  return least;
}

double ho_problem_critical_path(const ho_problem *q) {
  const ho_graph *g = q->graph;
  g_autofree double *end = g_new0(double, (size_t)g->n_ops + 1);
  double longest = 0;
  for (int32_t i = 0; i < g->n_ops; i++) {
    ho_op o = g->topo[i];
    double start = g->op[o].release;
    for (int32_t k = g->in_start[o]; k < g->in_start[o + 1]; k++) {
      ho_op producer = g->tensor[g->in[k]].producer;
      if (producer >= 0) start = fmax(start, end[producer]);
    }
    end[o] = start + fastest_time(q, o);
    longest = fmax(longest, end[o]);
  }
  return longest;
}

const char *ho_objective_name(ho_objective o) {
  static const char *const names[HO_N_OBJECTIVES] = {"latency", "energy", "memory"};
  return names[o];
}

const char *ho_memory_measure_name(ho_memory_measure m) {
  static const char *const names[] = {"tightest", "total", "accelerator"};
  return names[m];
}
