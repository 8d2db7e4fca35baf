/* lookahead.c: HEFT that looks at the children before it chooses a device.
 *
 * Source: Bittencourt, Sakellariou & Madeira, "DAG scheduling using a lookahead variant of the heterogeneous earliest finish time algorithm",
 * PDP 2010, section III.
 * Ops in decreasing upward rank. For each device the op is placed on it for a moment, and then its children, by rank, each where it finishes
 * first; the device where the last of them finishes first is taken. An op without children goes where it finishes first itself.
 * Where the paper is silent: of a child's other parents only those already placed count. Costs as in heft.c; insertion throughout.
 * Complexity: O(edges · devices² · slots looked at). Options: none. Ties: the device where the op itself finishes first, then the lower. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "sched/builtin.h"
#include "sched/list.h"

typedef struct {
  const double *rank;
  ho_op *child;
} looking;

static int32_t children_of(const ho_graph *g, ho_op o, const looking *x) {
  int32_t n = 0;
  for (int32_t i = g->out_start[o]; i < g->out_start[o + 1]; i++)
    for (int32_t u = g->use_start[g->out[i]]; u < g->use_start[g->out[i] + 1]; u++) {
      ho_op c = g->use[u];
      int32_t k = 0;
      while (k < n && x->child[k] != c) k++;
      if (k == n) x->child[n++] = c;
    }
  for (int32_t i = 1; i < n; i++) /* by rank, then index */
    for (int32_t k = i; k > 0; k--) {
      ho_op a = x->child[k - 1], b = x->child[k];
      if (x->rank[a] > x->rank[b] || (x->rank[a] == x->rank[b] && a < b)) break;
      x->child[k - 1] = b;
      x->child[k] = a;
    }
  return n;
}

/* As ho_list_ready, of the parents that are placed. */
static void ready_so_far(ho_list *l, ho_op o) {
  const ho_costs *c = l->c;
  const ho_graph *g = c->g;
  for (ho_memory m = 0; m < c->n_memories; m++) l->ready[m] = g->op[o].release;
  for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++) {
    const ho_tensor_info *t = &g->tensor[g->in[i]];
    if (t->producer < 0 || l->device[t->producer] < 0) continue;
    ho_device d = l->device[t->producer];
    double bytes = (double)ho_tensor_bytes(t, (ho_dtype)c->precision[(int64_t)t->producer * c->n_devices + d]);
    for (ho_memory m = 0; m < c->n_memories; m++)
      l->ready[m] = fmax(l->ready[m], l->finish[t->producer] + ho_costs_copy(c, c->p->device[d].memory, m, bytes));
  }
}

static ho_device best_so_far(ho_list *l, ho_op o) {
  ho_device best = -1;
  double least = INFINITY;
  ready_so_far(l, o);
  for (ho_device d = 0; d < l->c->n_devices; d++) {
    double f = ho_list_finish_on(l, o, d);
    if (!(f < least)) continue;
    least = f;
    best = d;
  }
  return best;
}

static void unplace(ho_list *l, ho_op o) {
  ho_timeline_remove(&l->line[l->device[o]], l->start[o], l->finish[o] - l->start[o]);
  l->device[o] = -1;
}

/* When the last child finishes with o on d; INFINITY: some child cannot be placed then. */
static double last_child(ho_list *l, ho_op o, ho_device d, int32_t n, const looking *x) {
  double last = 0;
  int32_t placed = 0;
  ho_list_ready(l, o);
  ho_list_place(l, o, d);
  for (; placed < n; placed++) {
    ho_device there = best_so_far(l, x->child[placed]);
    if (there < 0) {
      last = INFINITY;
      break;
    }
    ho_list_place(l, x->child[placed], there);
    last = fmax(last, l->finish[x->child[placed]]);
  }
  while (placed > 0) unplace(l, x->child[--placed]);
  unplace(l, o);
  return last;
}

static ho_device look(ho_list *l, ho_op o, void *data) {
  const looking *x = data;
  int32_t n = children_of(l->c->g, o, x);
  if (n == 0) return ho_list_best(l, o, NULL);
  ho_device best = -1;
  double least = INFINITY, own = INFINITY;
  for (ho_device d = 0; d < l->c->n_devices; d++) {
    ho_list_ready(l, o);
    double finish = ho_list_finish_on(l, o, d);
    if (!isfinite(finish)) continue;
    double last = last_child(l, o, d, n, x);
    if (best >= 0 && (last > least || (last == least && !(finish < own)))) continue;
    least = last;
    own = finish;
    best = d;
  }
  ho_list_ready(l, o);
  return best;
}

static ho_op lookahead_fill(ho_list *l) {
  g_autofree double *rank = g_new(double, (size_t)l->c->n_ops + 1);
  g_autofree ho_op *child = g_new(ho_op, (size_t)l->c->n_ops + 1);
  ho_rank_upward(l->c, rank);
  looking x = {rank, child};
  return ho_list_by_priority(l, rank, look, &x);
}

static int lookahead_run(ho_search *s) {
  return ho_list_run(s, lookahead_fill);
}

const ho_scheduler ho_scheduler_lookahead = {
    HO_LIST_SCHEDULER,
    .name = "lookahead",
    .summary = "HEFT that tries every device and looks when the children would finish",
    .source = "Bittencourt, Sakellariou, Madeira, PDP 2010, section III",
    .run = lookahead_run,
};
