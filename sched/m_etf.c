/* m_etf.c: earliest task first among the devices that have room.
 *
 * Source: Jeon, Cai, Hu, Wu & Kim, "Baechi: Fast device placement of machine learning graphs", SoCC 2020 (m-ETF).
 * The pair of a ready op and a device that can start first, of those where the op's outputs, its workspace and the weights that are not there yet
 * fit beside what the device's memory holds. Weights stay; an output is given back when all who read it have been placed; copies in other
 * memories are not counted, as there.
 * Where the paper is silent: when no pair fits, the one that can start first is taken all the same, and the run ends with the reason; memory is
 * that of a memory node, which several devices may share. No insertion. Costs as in heft.c.
 * Complexity: O(ops · ready · devices · inputs). Options: none. Ties: the op that was ready first, the lower device. */
#include <glib.h>
#include <math.h>

#include "sched/builtin.h"
#include "sched/ready.h"

typedef struct {
  double *used;      /* by memory, B */
  uint8_t *resident; /* [tensor * n_memories + m]: a weight that is there */
  int32_t *readers;  /* by tensor: still to be placed */
} state;

static double bytes_of(const ho_costs *c, ho_tensor t, ho_op o, ho_device d) {
  return (double)ho_tensor_bytes(&c->g->tensor[t], (ho_dtype)c->precision[(int64_t)o * c->n_devices + d]);
}

static double lasting_bytes(const state *x, const ho_costs *c, ho_op o, ho_device d) {
  const ho_graph *g = c->g;
  double bytes = 0;
  for (int32_t i = g->out_start[o]; i < g->out_start[o + 1]; i++) bytes += bytes_of(c, g->out[i], o, d);
  for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++) {
    ho_tensor t = g->in[i];
    if (g->tensor[t].role == HO_ROLE_WEIGHT && !x->resident[(int64_t)t * c->n_memories + c->p->device[d].memory])
      bytes += bytes_of(c, t, o, d);
  }
  return bytes;
}

static int fits(const state *x, const ho_costs *c, ho_op o, ho_device d) {
  ho_memory m = c->p->device[d].memory;
  return x->used[m] + lasting_bytes(x, c, o, d) + (double)c->g->op[o].workspace <= c->p->memory[m].capacity;
}

static void take(state *x, const ho_list *l, ho_op o, ho_device d) {
  const ho_costs *c = l->c;
  const ho_graph *g = c->g;
  ho_memory m = c->p->device[d].memory;
  x->used[m] += lasting_bytes(x, c, o, d);
  for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++) {
    ho_tensor t = g->in[i];
    ho_op p = g->tensor[t].producer;
    if (g->tensor[t].role == HO_ROLE_WEIGHT) x->resident[(int64_t)t * c->n_memories + m] = 1;
    if (p < 0 || --x->readers[t] > 0) continue;
    x->used[c->p->device[l->device[p]].memory] -= bytes_of(c, t, p, l->device[p]);
  }
}

/* The pair that can start first, of those with room, or of all. */
static void first_start(const ho_ready *r, const state *x, int32_t *slot, ho_device *device) {
  double first = INFINITY;
  for (int32_t i = 0; i < r->n; i++)
    for (ho_device d = 0; d < r->list->c->n_devices; d++) {
      double start = ho_ready_start(r, i, d);
      if (!(start < first) || (x && !fits(x, r->list->c, r->op[i], d))) continue;
      first = start;
      *slot = i;
      *device = d;
    }
}

static void etf_with_room(const ho_ready *r, void *data, int32_t *slot, ho_device *device) {
  state *x = data;
  *slot = 0;
  *device = -1;
  first_start(r, x, slot, device);
  if (*device < 0) first_start(r, NULL, slot, device);
  if (*device >= 0) take(x, r->list, r->op[*slot], *device);
}

static ho_op etf_fill(ho_list *l) {
  const ho_graph *g = l->c->g;
  size_t tensors = (size_t)g->n_tensors + 1;
  g_autofree double *used = g_new0(double, l->c->n_memories + 1);
  g_autofree uint8_t *resident = g_new0(uint8_t, tensors * (size_t)l->c->n_memories);
  g_autofree int32_t *readers = g_new(int32_t, tensors);
  for (ho_tensor t = 0; t < g->n_tensors; t++)
    readers[t] = g->use_start[t + 1] - g->use_start[t] + (g->tensor[t].is_output != 0); /* outputs stay */
  state x = {used, resident, readers};
  return ho_ready_fill(l, etf_with_room, &x);
}

static int etf_run(ho_search *s) {
  return ho_list_run(s, etf_fill);
}

const ho_scheduler ho_scheduler_m_etf = {
    HO_LIST_SCHEDULER,
    .name = "m-etf",
    .summary = "the pair of a ready op and a device with room that can start first",
    .source = "Jeon et al., Baechi, SoCC 2020",
    .run = etf_run,
};
