/* hcpt.c: heterogeneous critical parent trees.
 *
 * Source: Hagras & Janeček, "A simple scheduling heuristic for heterogeneous computing environments", ISPDC 2003, section 3.
 * Critical ops are those whose average earliest and latest start times are the same. They are stacked with the earliest on top; the op on top is
 * listed when all its parents are, else an unlisted parent is pushed. Ops go in the order of the list where they finish first, with insertion.
 * Where the paper is silent: of several unlisted parents the one of least latest start time is pushed; times that differ by less than
 * 1e-9 of the critical path are the same; mean costs as in heft.c.
 * Complexity: as HEFT. Options: none. Ties: the lower index. */
#include <glib.h>
#include <math.h>
#include <stdlib.h>

#include "sched/builtin.h"
#include "sched/list.h"

typedef struct {
  double late;
  ho_op op;
} critical_op;

static int latest_first(const void *a, const void *b) {
  const critical_op *x = a, *y = b;
  if (x->late != y->late) return x->late > y->late ? -1 : 1;
  return x->op > y->op ? -1 : x->op < y->op;
}

/* The unlisted parent of least latest start time; -1: all are listed. */
static ho_op urgent_parent(const ho_graph *g, ho_op o, const double *up, const uint8_t *listed) {
  ho_op best = -1;
  for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++) {
    ho_op p = g->tensor[g->in[i]].producer;
    if (p < 0 || listed[p]) continue;
    if (best < 0 || up[p] > up[best] || (up[p] == up[best] && p < best)) best = p;
  }
  return best;
}

/* Fills the stack with critical ops, the latest at the bottom; every other op comes as somebody's parent, or, where it has no critical
 * descendant, at the end by latest start time. */
static void make_list(const ho_costs *c, double *priority) {
  const ho_graph *g = c->g;
  size_t n = (size_t)g->n_ops;
  g_autofree double *up = g_new(double, n + 1), *down = g_new(double, n + 1);
  g_autofree critical_op *order = g_new(critical_op, n + 1);
  g_autofree ho_op *stack = g_new(ho_op, n + 1);
  g_autofree uint8_t *listed = g_new0(uint8_t, n + 1);
  double path = 0;
  int32_t next = 0, critical = 0;
  ho_rank_upward(c, up);
  ho_rank_downward(c, down);
  for (ho_op o = 0; o < g->n_ops; o++) path = fmax(path, up[o] + down[o]);
  for (int pass = 0; pass < 2; pass++) {
    critical = 0;
    for (ho_op o = 0; o < g->n_ops; o++) {
      int is_critical = path - (up[o] + down[o]) <= 1e-9 * path;
      if (pass == 0 ? is_critical : !listed[o]) order[critical++] = (critical_op){path - up[o], o};
    }
    qsort(order, (size_t)critical, sizeof *order, latest_first);
    for (int32_t k = critical - 1; k >= 0; k--) {
      int32_t depth = 0;
      if (listed[order[k].op]) continue;
      stack[depth++] = order[k].op;
      while (depth > 0) {
        ho_op top = stack[depth - 1], parent = urgent_parent(g, top, up, listed);
        if (parent >= 0) {
          stack[depth++] = parent;
          continue;
        }
        depth--;
        listed[top] = 1;
        priority[top] = g->n_ops - next++;
      }
    }
  }
}

static ho_op hcpt_fill(ho_list *l) {
  g_autofree double *priority = g_new(double, (size_t)l->c->n_ops + 1);
  make_list(l->c, priority);
  return ho_list_by_priority(l, priority, NULL, NULL);
}

static int hcpt_run(ho_search *s) {
  return ho_list_run(s, hcpt_fill);
}

const ho_scheduler ho_scheduler_hcpt = {
    HO_LIST_SCHEDULER,
    .name = "hcpt",
    .summary = "critical ops after their parents, each where it finishes first",
    .source = "Hagras, Janeček, ISPDC 2003, section 3",
    .run = hcpt_run,
};
