/* decode.c: see decode.h. */
#include "sched/decode.h"

#include <glib.h>
#include <math.h>
#include <string.h>

const char *const ho_streams_choices[] = {"one", "spread", NULL};

struct ho_decoder {
  const ho_problem *q;
  const ho_space *space;
  ho_streams streams;
  ho_order *order;
  ho_op *sequence;
  int16_t *device, *stream; /* by op, of the plan in the making */
  int32_t *stream_start;    /* first stream of each device */
  ho_op *last;              /* by stream: op issued last, -1 */
  int32_t *issued;          /* by stream: position of that op */
};

ho_decoder *ho_decoder_new(const ho_problem *q, const ho_space *v, ho_streams streams) {
  const ho_platform *p = q->platform;
  ho_decoder *w = g_new0(ho_decoder, 1);
  *w = (ho_decoder){.q = q, .space = v, .streams = streams, .order = ho_order_new(q->graph)};
  w->sequence = g_new(ho_op, q->graph->n_ops + 1);
  w->device = g_new(int16_t, q->graph->n_ops + 1);
  w->stream = g_new(int16_t, q->graph->n_ops + 1);
  w->stream_start = g_new0(int32_t, p->n_devices + 1);
  for (ho_device d = 0; d < p->n_devices; d++) w->stream_start[d + 1] = w->stream_start[d] + p->device[d].streams;
  w->last = g_new(ho_op, w->stream_start[p->n_devices] + 1);
  w->issued = g_new(int32_t, w->stream_start[p->n_devices] + 1);
  return w;
}

void ho_decoder_free(ho_decoder *w) {
  if (!w) return;
  ho_order_free(w->order);
  g_free(w->sequence);
  g_free(w->device);
  g_free(w->stream);
  g_free(w->stream_start);
  g_free(w->last);
  g_free(w->issued);
  g_free(w);
}

/* --- streams -------------------------------------------------------------------------------------------------------------------- */
static int16_t stream_that_goes_on(const ho_decoder *w, ho_op o, ho_device d) {
  const ho_graph *g = w->q->graph;
  for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++) {
    ho_op from = g->tensor[g->in[i]].producer;
    if (from >= 0 && w->device[from] == d && w->last[w->stream_start[d] + w->stream[from]] == from) return w->stream[from];
  }
  return -1;
}

static int16_t stream_of(ho_decoder *w, ho_op o, ho_device d, int32_t position) {
  const ho_device_info *info = &w->q->platform->device[d];
  if (w->streams == HO_STREAMS_ONE || info->sharing == HO_SHARING_EXCLUSIVE || info->streams == 1) return 0;
  int32_t base = w->stream_start[d];
  int16_t best = stream_that_goes_on(w, o, d);
  if (best < 0) {
    best = 0;
    for (int16_t k = 1; k < info->streams; k++)
      if (w->issued[base + k] < w->issued[base + best]) best = k;
  }
  w->last[base + best] = o;
  w->issued[base + best] = position;
  return best;
}

/* --- ways ----------------------------------------------------------------------------------------------------------------------- */
static int inputs_reach(const ho_decoder *w, ho_op o, ho_device d) {
  const ho_graph *g = w->q->graph;
  const ho_platform *p = w->q->platform;
  for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++) {
    const ho_tensor_info *t = &g->tensor[g->in[i]];
    if (t->role == HO_ROLE_WEIGHT) continue;
    ho_memory from = t->producer >= 0 ? p->device[w->device[t->producer]].memory
                     : t->memory      ? ho_platform_find_memory(p, t->memory)
                                      : p->host;
    if (from < 0 || !isfinite(ho_copy_time(p, from, p->device[d].memory, 0))) return 0;
  }
  return 1;
}

static int16_t reachable_device(const ho_decoder *w, ho_op o, int16_t wish) {
  const ho_space *v = w->space;
  if (v->connected) return wish;
  int32_t n = ho_space_choices(v, o), at = 0;
  while (at < n && v->device[v->start[o] + at] != wish) at++;
  for (int32_t k = 0; k < n; k++) {
    int16_t d = v->device[v->start[o] + (at + k) % n];
    if (inputs_reach(w, o, d)) return d;
  }
  return -1;
}

int ho_decode(ho_decoder *w, const int16_t *device, const double *priority, ho_plan *plan) {
  int32_t n = w->q->graph->n_ops, streams = w->stream_start[w->q->platform->n_devices];
  for (int32_t k = 0; k < streams; k++) w->last[k] = w->issued[k] = -1;
  ho_order_by_priority(w->order, priority, w->sequence);
  for (int32_t i = 0; i < n; i++) {
    ho_op o = w->sequence[i];
    int16_t d = reachable_device(w, o, device[o]);
    if (d < 0) return -1;
    w->device[o] = d;
    w->stream[o] = stream_of(w, o, d, i);
    plan->entry[i] = (ho_entry){.op = o, .device = d, .stream = w->stream[o], .precision = HO_DTYPE_NONE};
  }
  return 0;
}

/* Priority of a position in an order: from 1 down to 0. */
static double falling(int32_t position, int32_t n) {
  return n > 1 ? 1 - (double)position / (n - 1) : 1;
}

void ho_encode(const ho_plan *plan, int16_t *device, double *priority) {
  for (int32_t i = 0; i < plan->n; i++) {
    device[plan->entry[i].op] = plan->entry[i].device;
    priority[plan->entry[i].op] = falling(i, plan->n);
  }
}

void ho_priority_topological(const ho_graph *g, double *priority) {
  for (int32_t i = 0; i < g->n_ops; i++) priority[g->topo[i]] = falling(i, g->n_ops);
}

void ho_priority_depth_first(const ho_graph *g, double *priority) {
  g_autofree int32_t *missing = g_new0(int32_t, (size_t)g->n_ops + 1);
  g_autofree ho_op *stack = g_new(ho_op, (size_t)g->n_ops + 1);
  int32_t n = 0, position = 0;
  for (ho_op o = g->n_ops - 1; o >= 0; o--) {
    for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++) missing[o] += g->tensor[g->in[i]].producer >= 0;
    if (missing[o] == 0) stack[n++] = o;
  }
  while (n > 0) {
    ho_op o = stack[--n];
    priority[o] = falling(position++, g->n_ops);
    for (int32_t i = g->out_start[o + 1] - 1; i >= g->out_start[o]; i--)
      for (int32_t u = g->use_start[g->out[i] + 1] - 1; u >= g->use_start[g->out[i]]; u--)
        if (--missing[g->use[u]] == 0) stack[n++] = g->use[u];
  }
}
