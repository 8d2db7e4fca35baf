/* ready.c: see ready.h. */
#include "sched/ready.h"

#include <glib.h>
#include <math.h>
#include <string.h>

double ho_ready_time(const ho_ready *r, int32_t slot, ho_device d) {
  return r->list->c->time[(int64_t)r->op[slot] * r->list->c->n_devices + d];
}

double ho_ready_start(const ho_ready *r, int32_t slot, ho_device d) {
  const ho_costs *c = r->list->c;
  double there = r->data[(int64_t)slot * c->n_memories + c->p->device[d].memory];
  if (!isfinite(there) || !isfinite(ho_ready_time(r, slot, d))) return INFINITY;
  return fmax(there, r->free[d]);
}

ho_device ho_ready_best(const ho_ready *r, int32_t slot, double *finish, double *second) {
  ho_device best = -1;
  double least = INFINITY, next = INFINITY;
  for (ho_device d = 0; d < r->list->c->n_devices; d++) {
    double f = ho_ready_finish(r, slot, d);
    if (f < least) {
      next = least;
      least = f;
      best = d;
    } else if (f < next) {
      next = f;
    }
  }
  *finish = least;
  if (second) *second = next;
  return best;
}

static void add(ho_ready *r, ho_op o) {
  ho_list_ready(r->list, o);
  size_t memories = (size_t)r->list->c->n_memories;
  memcpy(r->data + (size_t)r->n * memories, r->list->ready, sizeof(double) * memories);
  r->op[r->n++] = o;
}

/* Slots behind move up, so that the order of becoming ready stays. */
static void take(ho_ready *r, int32_t slot) {
  size_t memories = (size_t)r->list->c->n_memories, behind = (size_t)(r->n - slot - 1);
  memmove(r->op + slot, r->op + slot + 1, sizeof(ho_op) * behind);
  memmove(r->data + (size_t)slot * memories, r->data + ((size_t)slot + 1) * memories, sizeof(double) * memories * behind);
  r->n--;
}

static void place(ho_ready *r, int32_t slot, ho_device d) {
  ho_op o = r->op[slot];
  ho_list *l = r->list;
  l->start[o] = ho_ready_start(r, slot, d);
  l->finish[o] = r->free[d] = l->start[o] + ho_ready_time(r, slot, d);
  l->device[o] = (int16_t)d;
  r->placed++;
}

/* Consumers whose last producer this was become ready, by index. */
static void release(ho_ready *r, ho_op o, int32_t *waiting) {
  const ho_graph *g = r->list->c->g;
  int32_t first = r->n;
  for (int32_t i = g->out_start[o]; i < g->out_start[o + 1]; i++)
    for (int32_t u = g->use_start[g->out[i]]; u < g->use_start[g->out[i] + 1]; u++)
      if (--waiting[g->use[u]] == 0) add(r, g->use[u]);
  for (int32_t i = first + 1; i < r->n; i++) /* several outputs: sort what they released */
    for (int32_t k = i; k > first && r->op[k - 1] > r->op[k]; k--) {
      size_t memories = (size_t)r->list->c->n_memories;
      double *a = r->data + (size_t)(k - 1) * memories, *b = r->data + (size_t)k * memories;
      for (size_t m = 0; m < memories; m++) {
        double t = a[m];
        a[m] = b[m];
        b[m] = t;
      }
      ho_op t = r->op[k - 1];
      r->op[k - 1] = r->op[k];
      r->op[k] = t;
    }
}

ho_op ho_ready_fill(ho_list *l, ho_ready_rule rule, void *data) {
  const ho_costs *c = l->c;
  const ho_graph *g = c->g;
  ho_ready r = {.list = l,
                .op = g_new(ho_op, (size_t)g->n_ops + 1),
                .data = g_new(double, ((size_t)g->n_ops + 1) * (size_t)c->n_memories),
                .free = g_new0(double, (size_t)c->n_devices + 1)};
  g_autofree int32_t *waiting = g_new0(int32_t, (size_t)g->n_ops + 1);
  for (ho_op o = 0; o < g->n_ops; o++) {
    for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++) waiting[o] += g->tensor[g->in[i]].producer >= 0;
    if (waiting[o] == 0) add(&r, o);
  }
  ho_op stuck = -1;
  while (r.n > 0 && stuck < 0) {
    int32_t slot = 0;
    ho_device d = -1;
    rule(&r, data, &slot, &d);
    ho_op o = r.op[slot];
    if (d < 0) {
      stuck = o;
      break;
    }
    place(&r, slot, d);
    take(&r, slot);
    release(&r, o, waiting);
  }
  g_free(r.op);
  g_free(r.data);
  g_free(r.free);
  return stuck;
}
