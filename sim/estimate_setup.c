/* estimate_setup.c: making an estimate's scratch, and preparing it for one plan: chains of queues and dispatchers, rows, weights, inputs. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "sim/estimate_state.h"

/* --- before the walk ------------------------------------------------------------------------------------------------------------- */
/* A tensor comes to lie in a memory as an output, for a consumer, as an input, or on its way through host. */
static int32_t most_slots(const ho_est_tables *t, int32_t entries) {
  const ho_graph *g = t->g;
  int64_t all = (int64_t)g->n_tensors * t->n_memories;
  if (entries > g->n_ops) return (int32_t)all;
  return (int32_t)MIN(all, (int64_t)t->in_start[g->n_ops] + g->out_start[g->n_ops] + 2 * (int64_t)g->n_tensors);
}

static void grow(ho_estimate *e, int32_t n) {
  if (n <= e->cap) return;
  int32_t slots = most_slots(e->t, n);
  ho_est_memory_reserve(&e->mem, n + slots, n + slots);
  e->cap = n;
  e->node = g_renew(ho_est_node, e->node, n + 1);
  e->own = g_renew(ho_est_row, e->own, n + 1);
  e->own_more = g_renew(ho_est_more, e->own_more, n + 1);
  e->heap = g_renew(ho_est_item, e->heap, n + 2 * slots + 2); /* ends or starts, second hops, wake-ups */
  e->waiting = g_renew(ho_pairing, e->waiting, slots + 1);
  e->waiting_slot = g_renew(int32_t, e->waiting_slot, slots + 1);
  e->waiting_scratch = g_renew(int32_t, e->waiting_scratch, slots + 1);
}

static void reset(ho_estimate *e, const ho_plan *plan) {
  const ho_est_tables *t = e->t;
  e->plan = plan;
  e->ordered = plan->n > t->n_ops;
  e->n_heap = e->n_waited = 0;
  for (int32_t k = 0; k < e->n_waiting_routes; k++) e->waiting_root[e->waiting_route[k]] = -1;
  e->n_waiting_routes = 0;
  e->next_wake = INFINITY;
  e->link_joules = e->makespan = 0;
  if (++e->stamp == 0) { /* stamps of the last four billion runs would be taken for this one's */
    memset(e->slot, 0, sizeof *e->slot * (size_t)(t->g->n_tensors * t->n_memories));
    e->stamp = 1;
  }
  for (int32_t q = 0; q < e->n_queues; q++) e->queue[q] = (ho_est_queue){.tail = -1};
  for (ho_device d = 0; d < t->n_devices; d++) e->use[d] = (ho_est_use){.last_kind = -1};
  for (int32_t k = 0; k < e->n_dispatchers; k++) e->dispatcher[k] = (ho_est_dispatcher){.tail = -1};
  for (ho_memory m = 0; m < t->n_memories; m++) e->devices_used[m] = e->n_running[m] = 0;
  memset(e->link_free, 0, sizeof(double) * (size_t)t->n_resources);
  memset(e->engine_free, 0, sizeof(double) * (size_t)t->n_engines);
  ho_est_memory_begin(&e->mem);
}

/* Chains of queues and dispatchers; launches that nothing synchronous precedes. */
static inline void enqueue(ho_estimate *e, int32_t i, int32_t q, ho_device d) {
  ho_est_node *x = &e->node[i];
  int32_t tail = e->queue[q].tail;
  e->queue[q].tail = i;
  x->next_in_queue = x->next_in_dispatch = -1;
  if (tail < 0 && e->use[d].queues++ == 0) e->devices_used[x->memory]++;
  if (e->ordered) return;
  if (tail >= 0) {
    e->node[tail].next_in_queue = i;
    x->need++;
  }
  int32_t k = e->n_dispatchers == 1 ? 0 : d;
  if (e->dispatcher[k].blocked) {
    e->node[e->dispatcher[k].tail].next_in_dispatch = i;
    x->need++;
  } else {
    e->dispatcher[k].clock = ho_est_launch(e, d, e->dispatcher[k].clock);
    if (e->dispatcher[k].clock > x->ready) x->ready = e->dispatcher[k].clock;
  }
  e->dispatcher[k].tail = i;
  e->dispatcher[k].blocked |= e->t->device[d].launch == HO_LAUNCH_SYNC;
}

/* Weights are resident once in every memory that uses them, in the largest precision of their consumers there. */
static void count_shared_weights(ho_estimate *e) {
  const ho_est_tables *t = e->t;
  const int32_t *start = e->ordered ? t->weight_start : t->shared_start, *list = e->ordered ? t->weight : t->shared;
  if (start[t->n_ops] == 0) return;
  for (int32_t i = 0; i < e->plan->n; i++) {
    ho_op o = e->node[i].op;
    for (int32_t k = start[o]; k < start[o + 1]; k++) {
      ho_est_slot *s = &e->slot[(int64_t)list[k] * t->n_memories + e->node[i].memory];
      if (s->stamp != e->stamp) *s = (ho_est_slot){0, HO_EST_NO_BUFFER, e->stamp};
      double bytes = ho_est_bytes(t, list[k], e->node[i].row->precision), more = bytes - s->avail; /* avail: B counted so far */
      if (more <= 0) continue;
      s->avail = bytes;
      e->mem.base[e->node[i].memory] += more;
    }
  }
}

enum { READS_ITS_DTYPES = -1, READS_MIXED = -2 };

/* The foreign precision in which all producers of o run, or one of the above. */
static inline int read_precision(const ho_estimate *e, ho_op o) {
  const ho_est_tables *t = e->t;
  int found = READS_ITS_DTYPES, native = 0;
  for (int32_t k = t->in_start[o]; k < t->in_start[o + 1]; k++) {
    ho_op producer = t->tensor[t->in[k]].producer;
    if (producer < 0) continue;
    if (!e->op[producer].foreign)
      native = 1;
    else if (found == READS_ITS_DTYPES || found == e->op[producer].precision)
      found = e->op[producer].precision;
    else
      return READS_MIXED;
  }
  return native && found >= 0 ? READS_MIXED : found;
}

/* Row of entry i at its own precision and point, its inputs at their own dtypes. */
static inline const ho_est_row *plain_row(ho_estimate *e, int32_t i, const ho_entry *x) {
  const ho_est_row *usual = &e->t->row[(int64_t)x->op * e->t->n_devices + x->device];
  if (x->point == 0 && (x->precision < 0 || x->precision == usual->precision)) return usual;
  e->own[i] = *ho_est_row_special(e->t, x->op, x->device, x->precision, x->point);
  e->own_more[i] = *e->own[i].more;
  e->own[i].more = &e->own_more[i];
  return &e->own[i];
}

/* Row of entry i in this plan: its producers, which come before it, may run in other precisions than the dtypes of what they make. */
static inline const ho_est_row *row_of(ho_estimate *e, int32_t i, const ho_entry *x) {
  int precision = read_precision(e, x->op);
  if (precision >= 0 && x->point == 0 && x->precision < 0) {
    const ho_est_row *kept = ho_est_row_reading(e->t, x->op, x->device, precision);
    if (kept) return kept;
  }
  const ho_est_row *row = plain_row(e, i, x);
  if (precision == READS_ITS_DTYPES) return row;
  ho_est_row_adjust(e->t, x->op, row, e->op, &e->own[i], &e->own_more[i]);
  return &e->own[i];
}

static void read_entries(ho_estimate *e) {
  ho_est_tables *t = e->t;
  for (int32_t i = 0; i < e->plan->n; i++) {
    const ho_entry *x = &e->plan->entry[i];
    const ho_est_row *row = row_of(e, i, x);
    ho_est_node *n = &e->node[i];
    n->row = row;
    n->op = x->op;
    n->memory = t->device[x->device].memory;
    n->ready = t->release[x->op] > x->not_before ? t->release[x->op] : x->not_before;
    n->need = t->in_start[x->op + 1] - t->in_start[x->op] + 1; /* one for ourselves: see the walk */
    ho_est_op *op = &e->op[x->op];
    op->entry = i;
    op->foreign = row->foreign;
    if (x->copy == 0) op->precision = row->precision;
    enqueue(e, i, t->device[x->device].queue + x->stream, x->device);
    if (!e->ordered) e->mem.base[n->memory] += row->weights;
  }
  count_shared_weights(e);
  for (ho_device d = 0; d < t->n_devices; d++) e->use[d].meets = e->use[d].queues > 1 || e->devices_used[t->device[d].memory] > 1;
}

/* Graph inputs lie in their memories from 0 on. */
static void place_inputs(ho_estimate *e) {
  const ho_est_tables *t = e->t;
  for (int32_t k = 0; k < t->n_inputs; k++) {
    const ho_tensor_info *x = &t->g->tensor[t->input[k]];
    int32_t m = t->input_memory[k];
    ho_est_slot *s = &e->slot[(int64_t)t->input[k] * t->n_memories + m];
    *s = (ho_est_slot){0, -1, e->stamp};
    if (x->alias >= 0 || x->bytes <= 0) continue;
    e->mem.base[m] += (double)x->bytes;
    s->buffer = ho_est_memory_buffer(&e->mem, m, (double)x->bytes, x->is_output ? INFINITY : 0, 0);
  }
}

void ho_est_set_up(ho_estimate *e, const ho_plan *plan) {
  grow(e, plan->n);
  reset(e, plan);
  read_entries(e);
  place_inputs(e);
}

/* --- making and freeing ---------------------------------------------------------------------------------------------------------- */
static void make_per_device(ho_estimate *e) {
  int32_t n = e->t->n_devices + 1, m = e->t->n_memories;
  const ho_platform *p = e->t->p;
  e->n_queues = e->t->device[p->n_devices].queue;
  e->queue = g_new0(ho_est_queue, e->n_queues + 1);
  e->use = g_new0(ho_est_use, n);
  e->n_dispatchers = p->dispatchers == HO_DISPATCH_ONE ? 1 : p->n_devices;
  e->dispatcher = g_new0(ho_est_dispatcher, n);
  e->devices_used = g_new0(int32_t, m);
  e->n_running = g_new0(int32_t, m);
  e->running = g_new0(ho_est_running *, m);
  for (ho_memory k = 0; k < m; k++) e->running[k] = g_new0(ho_est_running, e->n_queues + 1);
  e->waiting_root = g_new(int32_t, m * m + 1);
  e->waiting_route = g_new(int32_t, m * m + 1);
  for (int32_t k = 0; k < m * m; k++) e->waiting_root[k] = -1;
  e->destination = g_new0(ho_est_destination, m + 1);
  e->link_free = g_new0(double, e->t->n_resources + 1);
  e->engine_free = g_new0(double, e->t->n_engines + 1);
}

ho_estimate *ho_estimate_new(const ho_problem *q) {
  ho_estimate *e = g_new0(ho_estimate, 1);
  const ho_graph *g = q->graph;
  e->q = q;
  ho_est_tables_init(e->t, q);
  e->capacity = g_new0(double, e->t->n_memories);
  for (ho_memory m = 0; m < e->t->n_memories; m++) e->capacity[m] = q->platform->memory[m].capacity;
  ho_est_memory_init(&e->mem, e->t->n_memories, q->platform->host, e->capacity);
  e->op = g_new0(ho_est_op, g->n_ops + 1);
  e->slot = g_new0(ho_est_slot, (size_t)g->n_tensors * (size_t)e->t->n_memories + 1);
  make_per_device(e);
  grow(e, g->n_ops);
  return e;
}

void ho_estimate_free(ho_estimate *e) {
  if (!e) return;
  for (ho_memory m = 0; m < e->t->n_memories; m++) g_free(e->running[m]);
  ho_est_memory_clear(&e->mem);
  ho_est_tables_clear(e->t);
  void *const owned[] = {e->node,         e->own,           e->own_more,
                         e->heap,         e->capacity,      e->op,
                         e->slot,         e->queue,         e->use,
                         e->dispatcher,   e->devices_used,  e->n_running,
                         e->running,      e->destination,   e->link_free,
                         e->engine_free,  e->waiting,       e->waiting_slot,
                         e->waiting_root, e->waiting_route, e->waiting_scratch};
  for (size_t i = 0; i < G_N_ELEMENTS(owned); i++) g_free(owned[i]);
  g_free(e);
}
