/* estimate.c: see estimate.h.
 *
 * Without duplicates the walk is a simulation over the ends of entries: an entry whose predecessors in its queue, its launch and its inputs
 * are known has a known end; ends are handled in order of time, and copies are asked for as producers end. Entries of devices whose
 * kernels may meet others (several streams in use, or several devices in use on one memory) also have a start in that order. Plans with
 * duplicates are walked in order of issue. */
#include "sim/estimate.h"

#include <math.h>

#include "sim/estimate_state.h"

/* --- the heap ------------------------------------------------------------------------------------------------------------------- */
static inline int before(const ho_est_item *a, const ho_est_item *b) {
  return a->time < b->time || (a->time == b->time && a->order < b->order);
}

void ho_est_push(ho_estimate *e, double time, uint32_t kind, int32_t index) {
  ho_est_item x = {time, kind << HO_EST_KIND_SHIFT | (uint32_t)index};
  int32_t i = e->n_heap++;
  for (; i > 0 && before(&x, &e->heap[(i - 1) / 2]); i = (i - 1) / 2) e->heap[i] = e->heap[(i - 1) / 2];
  e->heap[i] = x;
}

static ho_est_item pop(ho_estimate *e) {
  ho_est_item top = e->heap[0], x = e->heap[--e->n_heap];
  int32_t i = 0, n = e->n_heap;
  for (int32_t c = 1; c < n; c = 2 * i + 1) {
    if (c + 1 < n && before(&e->heap[c + 1], &e->heap[c])) c++;
    if (!before(&e->heap[c], &x)) break;
    e->heap[i] = e->heap[c];
    i = c;
  }
  e->heap[i] = x;
  return top;
}

/* --- the life of an entry -------------------------------------------------------------------------------------------------------- */
/* Seconds between the start of an entry and its kernel. */
static inline double overhead(ho_estimate *e, const ho_est_node *x) {
  ho_device d = x->row->device;
  const ho_est_device *device = &e->t->device[d];
  if (!(device->reconfigure > 0)) return device->launch_device;
  int32_t kind = e->t->kind[x->op], before = e->use[d].last_kind;
  e->use[d].last_kind = kind;
  return device->launch_device + (before >= 0 && before != kind ? device->reconfigure : 0);
}

/* The start is known: what the entry makes and needs is allocated. */
static inline void begin(ho_estimate *e, ho_est_node *x, double start) {
  x->start = start;
  if (x->row->out > 0) ho_est_memory_take(&e->mem, start, x->memory, x->row->out);
}

void ho_est_candidate(ho_estimate *e, int32_t i) {
  ho_est_node *x = &e->node[i];
  if (e->use[x->row->device].meets) {
    ho_est_push(e, x->ready, HO_EST_START, i);
    return;
  }
  begin(e, x, x->ready);
  x->finish = x->start + overhead(e, x) + x->row->time;
  ho_est_push(e, x->finish, HO_EST_END, i);
}

/* Start of an entry whose kernel may meet others; an exclusive device that is busy lets it wait. */
static void start(ho_estimate *e, int32_t i, double now) {
  ho_est_node *x = &e->node[i];
  ho_device d = x->row->device;
  int exclusive = e->t->device[d].exclusive;
  if (exclusive && e->use[d].free > now) {
    ho_est_push(e, e->use[d].free, HO_EST_START, i);
    return;
  }
  begin(e, x, now);
  x->kernel = now + overhead(e, x);
  x->finish = ho_est_share(e, x);
  if (exclusive) e->use[d].free = x->finish;
  ho_est_push(e, x->finish, HO_EST_END, i);
}

/* A synchronous entry has ended: its dispatcher launches on, to the next synchronous one. */
static void dispatch_on(ho_estimate *e, const ho_est_node *x) {
  double clock = x->finish;
  for (int32_t j = x->next_in_dispatch; j >= 0; j = e->node[j].next_in_dispatch) {
    ho_device d = e->node[j].row->device;
    clock = ho_est_launch(e, d, clock);
    ho_est_arrive(e, j, clock);
    if (e->t->device[d].launch == HO_LAUNCH_SYNC) return;
  }
}

static inline void account_energy(ho_estimate *e, const ho_est_node *x) {
  ho_device d = x->row->device;
  double busy = x->row->time;
  if (e->use[d].meets && !e->t->device[d].power_by_use) { /* of several kernels that run at once, the device is busy with one */
    double from = x->kernel > e->use[d].busy_until ? x->kernel : e->use[d].busy_until;
    busy = x->finish > from ? x->finish - from : 0;
    if (x->finish > e->use[d].busy_until) e->use[d].busy_until = x->finish;
  }
  e->use[d].joules += x->row->watts * busy + x->row->joules;
}

/* Slot of an output in the memory it was made in. An alias lives in the buffer of what it is a view of, where that is here. */
static inline void make_output(ho_estimate *e, ho_tensor t, const ho_est_node *x, int only) {
  const ho_est_tensor *info = &e->t->tensor[t];
  ho_est_slot *s = &e->slot[(int64_t)t * e->t->n_memories + x->memory];
  if (s->stamp == e->stamp && s->avail <= x->finish) return; /* another copy of the op made it here before */
  s->stamp = e->stamp;
  s->avail = x->finish;
  s->buffer = HO_EST_NO_BUFFER;
  double last = info->is_output ? INFINITY : x->finish;
  int32_t late = x->finish == x->start;
  if (info->alias < 0) {
    double bytes = only ? x->row->out - x->row->workspace : ho_est_bytes(e->t, t, x->row->precision); /* the same; nearer */
    if (bytes > 0) s->buffer = ho_est_memory_buffer(&e->mem, x->memory, bytes, last, late);
    return;
  }
  const ho_est_slot *of = &e->slot[(int64_t)info->alias * e->t->n_memories + x->memory];
  if (of->stamp != e->stamp || of->buffer < 0) return;
  s->buffer = of->buffer;
  ho_est_memory_use(&e->mem, s->buffer, last, late);
}

static inline void account_memory(ho_estimate *e, const ho_est_node *x) {
  const ho_est_tables *t = e->t;
  int32_t late = x->finish == x->start;
  if (x->row->workspace > 0) ho_est_memory_buffer(&e->mem, x->memory, x->row->workspace, x->finish, late);
  for (int32_t k = t->in_start[x->op]; k < t->in_start[x->op + 1]; k++) {
    const ho_est_slot *s = &e->slot[(int64_t)t->in[k] * t->n_memories + x->memory];
    if (s->buffer >= 0) ho_est_memory_use(&e->mem, s->buffer, x->finish, late);
  }
}

static void end(ho_estimate *e, int32_t i) {
  const ho_graph *g = e->t->g;
  const ho_est_node *x = &e->node[i];
  if (x->finish > e->makespan) e->makespan = x->finish;
  account_energy(e, x);
  account_memory(e, x);
  if (x->next_in_queue >= 0) ho_est_arrive(e, x->next_in_queue, x->finish);
  if (x->next_in_dispatch >= 0 && e->t->device[x->row->device].launch == HO_LAUNCH_SYNC) dispatch_on(e, x);
  int32_t first = g->out_start[x->op], n = g->out_start[x->op + 1] - first;
  for (int32_t k = first; k < first + n; k++) {
    make_output(e, g->out[k], x, n == 1);
    if (!e->ordered) ho_est_deliver(e, g->out[k], x->memory, x->finish);
  }
}

/* --- the walk --------------------------------------------------------------------------------------------------------------------- */
static void walk_by_time(ho_estimate *e) {
  for (int32_t k = 0; k < e->t->n_inputs; k++) ho_est_deliver(e, e->t->input[k], e->t->input_memory[k], 0);
  for (int32_t i = 0; i < e->plan->n; i++) ho_est_arrive(e, i, 0); /* the one that set-up counted for itself */
  while (e->n_heap > 0) {
    ho_est_item x = pop(e);
    int32_t i = (int32_t)(x.order & HO_EST_INDEX_MASK);
    switch (x.order >> HO_EST_KIND_SHIFT) {
      case HO_EST_END:
        end(e, i);
        break;
      case HO_EST_HOP:
        ho_est_hop_done(e, i, x.time);
        break;
      case HO_EST_WAKE:
        ho_est_wake(e, x.time);
        break;
      default:
        start(e, i, x.time);
    }
  }
}

static void walk_in_order(ho_estimate *e) {
  for (int32_t i = 0; i < e->plan->n; i++) {
    ho_est_node *x = &e->node[i];
    ho_device d = x->row->device;
    int32_t q = e->t->device[d].queue + e->plan->entry[i].stream, k = e->n_dispatchers == 1 ? 0 : d;
    double launched = e->dispatcher[k].clock = ho_est_launch(e, d, e->dispatcher[k].clock);
    double at = fmax(fmax(x->ready, ho_est_pull(e, i)), fmax(launched, e->queue[q].free));
    if (e->t->device[d].exclusive) at = fmax(at, e->use[d].free);
    begin(e, x, at);
    x->kernel = x->start + overhead(e, x);
    x->finish = e->use[d].meets ? ho_est_share(e, x) : x->kernel + x->row->time;
    e->queue[q].free = e->use[d].free = x->finish;
    if (e->t->device[d].launch == HO_LAUNCH_SYNC) e->dispatcher[k].clock = x->finish;
    end(e, i);
  }
}

/* Idle power counts to the makespan or, with a period, to the end of the period; devices that the plan does not use are off unless all
 * count; the host's always count. */
static double total_energy(const ho_estimate *e) {
  const ho_platform *p = e->t->p;
  double horizon = fmax(e->makespan, e->t->g->period), sum = e->link_joules;
  for (ho_device d = 0; d < p->n_devices; d++) {
    int on = e->use[d].queues > 0 || p->count_idle == HO_IDLE_ALL || ho_platform_is_host_device(p, d);
    sum += e->use[d].joules + (on ? p->device[d].idle : p->device[d].off) * horizon;
  }
  return sum;
}

int ho_estimate_run(ho_estimate *e, const ho_plan *plan, ho_figures *out) {
  ho_est_set_up(e, plan);
  if (e->ordered)
    walk_in_order(e);
  else
    walk_by_time(e);
  out->latency = e->makespan;
  out->energy = total_energy(e);
  return ho_est_memory_scan(&e->mem, out);
}

double ho_estimate_start(const ho_estimate *e, int32_t i) {
  return e->node[i].start;
}
double ho_estimate_finish(const ho_estimate *e, int32_t i) {
  return e->node[i].finish;
}
double ho_estimate_peak(const ho_estimate *e, ho_memory m) {
  return e->mem.peak[m];
}
