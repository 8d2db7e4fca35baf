/* mcp.c: modified critical path.
 *
 * Source: Wu & Gajski, "Hypertool: a programming aid for message-passing systems", IEEE TPDS 1(3), 1990, section III.
 * Ops in increasing latest start time (ALAP: the critical path less the way from the op to the end); of those alike the one whose children's
 * latest start times, in increasing order, come first in a dictionary. Each goes to the device where it can start first, with insertion.
 * Where the paper is silent: its processors are alike; latest times are by mean costs here (HEFT's upward rank), and of devices where it can start
 * at one time the op takes the one where it finishes first. Costs as in heft.c.
 * Complexity: as HEFT, and O(edges log edges) for ties. Options: none. Ties after these: the lower op, the lower device. */
#include <glib.h>
#include <math.h>
#include <stdlib.h>

#include "sched/builtin.h"
#include "sched/list.h"

typedef struct {
  ho_op op;
  double rank;   /* upward: falls as the latest start time grows */
  int32_t n;     /* children */
  double *child; /* their ranks, decreasing */
} late_op;

static int by_decrease(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x > y ? -1 : x < y;
}

static int by_latest_start(const void *a, const void *b) {
  const late_op *x = a, *y = b;
  if (x->rank != y->rank) return x->rank > y->rank ? -1 : 1;
  for (int32_t i = 0; i < x->n && i < y->n; i++)
    if (x->child[i] != y->child[i]) return x->child[i] > y->child[i] ? -1 : 1;
  if (x->n != y->n) return x->n > y->n ? -1 : 1; /* an op with more children behind the same ones is the more urgent */
  return x->op < y->op ? -1 : x->op > y->op;
}

/* A priority per op that falls along this order. */
static void order_of(const ho_costs *c, double *priority) {
  const ho_graph *g = c->g;
  g_autofree double *rank = g_new(double, (size_t)g->n_ops + 1);
  g_autofree late_op *ops = g_new0(late_op, (size_t)g->n_ops + 1);
  size_t all = 0;
  for (ho_tensor t = 0; t < g->n_tensors; t++)
    all += g->tensor[t].producer >= 0 ? (size_t)(g->use_start[t + 1] - g->use_start[t]) : 0;
  g_autofree double *pool = g_new(double, all + 1);
  double *next = pool;
  ho_rank_upward(c, rank);
  for (ho_op o = 0; o < g->n_ops; o++) {
    ops[o] = (late_op){.op = o, .rank = rank[o], .child = next};
    for (int32_t i = g->out_start[o]; i < g->out_start[o + 1]; i++)
      for (int32_t u = g->use_start[g->out[i]]; u < g->use_start[g->out[i] + 1]; u++) ops[o].child[ops[o].n++] = rank[g->use[u]];
    qsort(ops[o].child, (size_t)ops[o].n, sizeof(double), by_decrease);
    next += ops[o].n;
  }
  qsort(ops, (size_t)g->n_ops, sizeof *ops, by_latest_start);
  for (int32_t i = 0; i < g->n_ops; i++) priority[ops[i].op] = g->n_ops - i;
}

static ho_op mcp_fill(ho_list *l) {
  g_autofree double *priority = g_new(double, (size_t)l->c->n_ops + 1);
  order_of(l->c, priority);
  return ho_list_by_priority(l, priority, ho_list_first_start, NULL);
}

static int mcp_run(ho_search *s) {
  return ho_list_run(s, mcp_fill);
}

const ho_scheduler ho_scheduler_mcp = {
    HO_LIST_SCHEDULER,
    .name = "mcp",
    .summary = "ops by latest start time, each where it can start first, with insertion",
    .source = "Wu, Gajski, IEEE TPDS 1(3), 1990, section III",
    .run = mcp_run,
};
