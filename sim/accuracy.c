/* accuracy.c: see accuracy.h. */
#include "sim/accuracy.h"

/* Families that automatic mixed precision runs in half precision, or passes through. */
static int takes_half(ho_family f) {
  return f == HO_FAMILY_GEMM || f == HO_FAMILY_CONV || f == HO_FAMILY_DEPTHWISE || f == HO_FAMILY_ATTENTION ||
         f == HO_FAMILY_RECURRENT || f == HO_FAMILY_ELEMENTWISE || f == HO_FAMILY_POOL || f == HO_FAMILY_DATA;
}

/* Whether the op, or, of a fused one, every op with work that it is made of, states a sensitivity. */
static int states_sensitivity(const ho_graph *g, ho_op o) {
  if (!g->original || g->origin_start[o] == g->origin_start[o + 1]) return g->op[o].sensitivity > 0;
  for (int32_t i = g->origin_start[o]; i < g->origin_start[o + 1]; i++) {
    const ho_op_info *part = &g->original->op[g->origin[i].op];
    if (part->flops > 0 && !(part->sensitivity > 0)) return 0;
  }
  return g->op[o].sensitivity > 0;
}

int ho_accuracy_allows(const ho_graph *g, ho_op o, ho_dtype p) {
  ho_dtype own = ho_graph_op_dtype(g, o);
  if (p <= own || states_sensitivity(g, o)) return 1;
  return own <= HO_FP16 && p <= HO_FP16 && takes_half(g->op[o].family);
}

double ho_accuracy_entry_drop(const ho_problem *q, const ho_entry *e) {
  double sensitivity = q->graph->op[e->op].sensitivity;
  if (sensitivity == 0) return 0;
  int p = e->precision != HO_DTYPE_NONE ? e->precision : (int)ho_cost_default_precision(q->cost, e->op, e->device);
  return p >= 0 && p < HO_N_PRECISIONS ? sensitivity * q->platform->device[e->device].error[p] : 0;
}

double ho_accuracy_drop(const ho_problem *q, const ho_plan *plan) {
  double drop = 0;
  for (int32_t i = 0; i < plan->n; i++)
    if (plan->entry[i].copy == 0) drop += ho_accuracy_entry_drop(q, &plan->entry[i]);
  return drop;
}
