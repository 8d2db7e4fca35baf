/* graph_order.c: see graph_order.h. */
#include "models/graph_order.h"

#include "base/error.h"

#define MOST_NAMES 12 /* on a cycle, before the message says how many more there are */

/* ---- a heap of op indices, the least first --------------------------------------------------------------------------- */

static void heap_push(ho_op *heap, int32_t n, ho_op o) {
  int32_t i = n;
  for (; i > 0 && heap[(i - 1) / 2] > o; i = (i - 1) / 2) heap[i] = heap[(i - 1) / 2];
  heap[i] = o;
}

/* Takes the least of n. */
static ho_op heap_pop(ho_op *heap, int32_t n) {
  ho_op least = heap[0], last = heap[n - 1];
  int32_t i = 0;
  for (int32_t child = 1; child < n - 1; child = 2 * i + 1) {
    if (child + 1 < n - 1 && heap[child + 1] < heap[child]) child++;
    if (heap[child] >= last) break;
    heap[i] = heap[child];
    i = child;
  }
  heap[i] = last;
  return least;
}

/* ---- cycles ---------------------------------------------------------------------------------------------------------- */

/* A producer of an input of `o` that is still waiting. Every waiting op has one. */
static ho_op waiting_producer(const ho_graph *g, const int32_t *waits, ho_op o) {
  for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++) {
    ho_op p = g->tensor[g->in[i]].producer;
    if (p >= 0 && waits[p] > 0) return p;
  }
  return -1;
}

/* Walking back over waiting producers from a waiting op must come to an op a second time: that one is on a cycle. */
static gboolean fail_cycle(const ho_graph *g, const int32_t *waits, GError **error) {
  g_autofree guint8 *seen = g_malloc0((gsize)g->n_ops);
  ho_op o = 0;
  while (waits[o] == 0) o++;
  for (; !seen[o]; o = waiting_producer(g, waits, o)) seen[o] = 1;

  g_autoptr(GPtrArray) cycle = g_ptr_array_new_with_free_func(g_free); /* names, against the edges */
  ho_op first = o;
  do {
    g_ptr_array_add(cycle, ho_printable(g->op[o].name));
    o = waiting_producer(g, waits, o);
  } while (o != first);

  g_autoptr(GString) text = g_string_new(NULL);
  guint n = cycle->len, shown = MIN(n, MOST_NAMES);
  for (guint i = 0; i < shown; i++) g_string_append_printf(text, "'%s' -> ", (const char *)cycle->pdata[(n - i) % n]);
  if (shown < n) g_string_append_printf(text, "(%u more) -> ", n - shown);
  g_string_append_printf(text, "'%s'", (const char *)cycle->pdata[0]);
  return ho_fail(error, HO_ERROR_INPUT, "%s: ops form a cycle: %s: expected a graph without cycles", g->source, text->str);
}

/* ---- order ----------------------------------------------------------------------------------------------------------- */

gboolean ho_graph_order(const ho_graph *g, ho_op *topo, GError **error) {
  g_autofree int32_t *waits = g_new0(int32_t, g->n_ops); /* inputs that are not produced yet */
  g_autofree ho_op *ready = g_new(ho_op, g->n_ops);
  int32_t n_ready = 0, n = 0;
  for (ho_op o = 0; o < g->n_ops; o++) {
    for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++) waits[o] += g->tensor[g->in[i]].producer >= 0;
    if (!waits[o]) heap_push(ready, n_ready++, o);
  }
  while (n_ready > 0) {
    ho_op o = heap_pop(ready, n_ready--);
    topo[n++] = o;
    for (int32_t i = g->out_start[o]; i < g->out_start[o + 1]; i++) {
      ho_tensor t = g->out[i];
      for (int32_t j = g->use_start[t]; j < g->use_start[t + 1]; j++)
        if (--waits[g->use[j]] == 0) heap_push(ready, n_ready++, g->use[j]);
    }
  }
  return n == g->n_ops || fail_cycle(g, waits, error);
}
