/* order.c: see order.h. */
#include "sched/order.h"

#include <glib.h>
#include <string.h>

struct ho_order {
  const ho_graph *g;
  int32_t *producers; /* by op: tensors it reads that have one */
  int32_t *missing;
  const double *priority;
  ho_op *heap;
  int32_t n;
};

ho_order *ho_order_new(const ho_graph *g) {
  ho_order *w = g_new0(ho_order, 1);
  w->g = g;
  w->producers = g_new0(int32_t, g->n_ops + 1);
  w->missing = g_new0(int32_t, g->n_ops + 1);
  w->heap = g_new0(ho_op, g->n_ops + 1);
  for (ho_op o = 0; o < g->n_ops; o++)
    for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++) w->producers[o] += g->tensor[g->in[i]].producer >= 0;
  return w;
}

void ho_order_free(ho_order *w) {
  if (!w) return;
  g_free(w->producers);
  g_free(w->missing);
  g_free(w->heap);
  g_free(w);
}

static inline int before(const ho_order *w, ho_op a, ho_op b) {
  return w->priority[a] > w->priority[b] || (w->priority[a] == w->priority[b] && a < b);
}

static void push(ho_order *w, ho_op o) {
  int32_t i = w->n++;
  for (; i > 0 && before(w, o, w->heap[(i - 1) / 2]); i = (i - 1) / 2) w->heap[i] = w->heap[(i - 1) / 2];
  w->heap[i] = o;
}

static ho_op pop(ho_order *w) {
  ho_op top = w->heap[0], x = w->heap[--w->n];
  int32_t i = 0;
  for (int32_t c = 1; c < w->n; c = 2 * i + 1) {
    if (c + 1 < w->n && before(w, w->heap[c + 1], w->heap[c])) c++;
    if (!before(w, w->heap[c], x)) break;
    w->heap[i] = w->heap[c];
    i = c;
  }
  w->heap[i] = x;
  return top;
}

void ho_order_begin(ho_order *w, const double *priority) {
  w->priority = priority;
  w->n = 0;
  memcpy(w->missing, w->producers, sizeof(int32_t) * (size_t)w->g->n_ops);
  for (ho_op o = 0; o < w->g->n_ops; o++)
    if (w->missing[o] == 0) push(w, o);
}

ho_op ho_order_next(ho_order *w) {
  if (w->n == 0) return -1;
  const ho_graph *g = w->g;
  ho_op o = pop(w);
  for (int32_t i = g->out_start[o]; i < g->out_start[o + 1]; i++)
    for (int32_t u = g->use_start[g->out[i]]; u < g->use_start[g->out[i] + 1]; u++)
      if (--w->missing[g->use[u]] == 0) push(w, g->use[u]);
  return o;
}

void ho_order_by_priority(ho_order *w, const double *priority, ho_op *out) {
  ho_order_begin(w, priority);
  for (int32_t k = 0; k < w->g->n_ops; k++) out[k] = ho_order_next(w);
}
