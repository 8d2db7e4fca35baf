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
static double overhead(ho_estimate *e, int32_t i) {
  ho_device d = e->row[i]->device;
  double s = e->t->launch_device[d];
  if (!(e->t->p->device[d].reconfigure > 0)) return s;
  int32_t kind = e->kind[e->plan->entry[i].op];
  if (e->last_kind[d] >= 0 && e->last_kind[d] != kind) s += e->t->p->device[d].reconfigure;
  e->last_kind[d] = kind;
  return s;
}

/* All that the entry waited for is there: its start is known, and its end unless kernels meet. */
static inline void candidate(ho_estimate *e, int32_t i) {
  if (e->meets[e->row[i]->device]) {
    ho_est_push(e, e->ready[i], HO_EST_START, i);
    return;
  }
  e->start[i] = e->ready[i];
  e->finish[i] = e->start[i] + overhead(e, i) + e->row[i]->time;
  ho_est_push(e, e->finish[i], HO_EST_END, i);
}

void ho_est_arrive(ho_estimate *e, int32_t i, double time) {
  if (time > e->ready[i]) e->ready[i] = time;
  if (--e->need[i] == 0) candidate(e, i);
}

/* Start of an entry whose kernel may meet others; an exclusive device that is busy lets it wait. */
static void start(ho_estimate *e, int32_t i, double now) {
  ho_device d = e->row[i]->device;
  int exclusive = e->t->p->device[d].sharing == HO_SHARING_EXCLUSIVE;
  if (exclusive && e->device_free[d] > now) {
    ho_est_push(e, e->device_free[d], HO_EST_START, i);
    return;
  }
  e->start[i] = now;
  e->kernel[i] = now + overhead(e, i);
  e->finish[i] = ho_est_share(e, i, e->kernel[i]);
  if (exclusive) e->device_free[d] = e->finish[i];
  ho_est_push(e, e->finish[i], HO_EST_END, i);
}

/* In graph mode the first launch of a device launches all. */
double ho_est_launch(ho_estimate *e, int32_t i, double clock) {
  ho_device d = e->row[i]->device;
  int loaded = e->t->p->device[d].launch == HO_LAUNCH_GRAPH && e->graph_launched[d];
  e->graph_launched[d] = 1;
  return loaded ? clock : clock + e->t->launch_host[d];
}

/* A synchronous entry has ended: its dispatcher launches on, to the next synchronous one. */
static void dispatch_on(ho_estimate *e, int32_t i) {
  double clock = e->finish[i];
  for (int32_t j = e->next_in_dispatch[i]; j >= 0; j = e->next_in_dispatch[j]) {
    clock = ho_est_launch(e, j, clock);
    ho_est_arrive(e, j, clock);
    if (e->t->p->device[e->row[j]->device].launch == HO_LAUNCH_SYNC) return;
  }
}

static void account_energy(ho_estimate *e, int32_t i) {
  const ho_est_row *row = e->row[i];
  ho_device d = row->device;
  double busy = row->time;
  if (e->meets[d] && !e->t->p->device[d].power_by_use) { /* of several kernels that run at once, the device is busy with one */
    busy = fmax(0, e->finish[i] - fmax(e->kernel[i], e->busy_until[d]));
    e->busy_until[d] = fmax(e->busy_until[d], e->finish[i]);
  }
  e->joules[d] += row->watts * busy + row->joules;
}

/* Slot of an output in the memory it was made in. An alias lives in the buffer of what it is a view of, where that is here. */
static void make_output(ho_estimate *e, ho_tensor x, int32_t i) {
  const ho_tensor_info *info = &e->t->g->tensor[x];
  int32_t m = e->memory[i];
  ho_est_slot *s = &e->slot[(int64_t)x * e->t->n_memories + m];
  if (s->stamp == e->stamp && s->avail <= e->finish[i]) return; /* another copy of the op made it here before */
  s->stamp = e->stamp;
  s->avail = e->finish[i];
  s->buffer = -1;
  if (info->alias >= 0) {
    const ho_est_slot *of = &e->slot[(int64_t)info->alias * e->t->n_memories + m];
    if (of->stamp == e->stamp) s->buffer = of->buffer;
  } else {
    double bytes = ho_est_bytes(e->t, x, e->row[i]->precision);
    if (bytes > 0) s->buffer = ho_est_memory_buffer(&e->mem, m, bytes, e->finish[i]);
  }
  if (s->buffer < 0) return;
  ho_est_memory_use(&e->mem, s->buffer, info->is_output ? INFINITY : e->finish[i], e->finish[i] == e->start[i]);
}

static void account_memory(ho_estimate *e, int32_t i) {
  const ho_est_row *row = e->row[i];
  ho_op o = e->plan->entry[i].op;
  int32_t m = e->memory[i], late = e->finish[i] == e->start[i];
  if (row->out > 0) ho_est_memory_event(&e->mem, e->start[i], m, row->out, 1);
  if (row->workspace > 0) ho_est_memory_event(&e->mem, e->finish[i], m, -row->workspace, late ? 2 : 0);
  for (int32_t k = e->t->in_start[o]; k < e->t->in_start[o + 1]; k++) {
    const ho_est_slot *s = &e->slot[(int64_t)e->t->in[k] * e->t->n_memories + m];
    if (s->buffer >= 0) ho_est_memory_use(&e->mem, s->buffer, e->finish[i], late);
  }
}

static void end(ho_estimate *e, int32_t i) {
  const ho_graph *g = e->t->g;
  ho_op o = e->plan->entry[i].op;
  double now = e->finish[i];
  if (now > e->makespan) e->makespan = now;
  account_energy(e, i);
  account_memory(e, i);
  if (e->next_in_queue[i] >= 0) ho_est_arrive(e, e->next_in_queue[i], now);
  if (e->next_in_dispatch[i] >= 0 && e->t->p->device[e->row[i]->device].launch == HO_LAUNCH_SYNC) dispatch_on(e, i);
  for (int32_t k = g->out_start[o]; k < g->out_start[o + 1]; k++) {
    make_output(e, g->out[k], i);
    if (!e->ordered) ho_est_deliver(e, g->out[k], e->memory[i], now);
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
      default:
        start(e, i, x.time);
    }
  }
}

static void walk_in_order(ho_estimate *e) {
  for (int32_t i = 0; i < e->plan->n; i++) {
    ho_device d = e->row[i]->device;
    int32_t q = e->queue_base[d] + e->plan->entry[i].stream, k = e->n_dispatchers == 1 ? 0 : d;
    double launched = e->dispatch_clock[k] = ho_est_launch(e, i, e->dispatch_clock[k]);
    e->start[i] = fmax(fmax(e->ready[i], ho_est_pull(e, i)), fmax(launched, e->queue_free[q]));
    if (e->t->p->device[d].sharing == HO_SHARING_EXCLUSIVE) e->start[i] = fmax(e->start[i], e->device_free[d]);
    e->kernel[i] = e->start[i] + overhead(e, i);
    e->finish[i] = e->meets[d] ? ho_est_share(e, i, e->kernel[i]) : e->kernel[i] + e->row[i]->time;
    e->queue_free[q] = e->device_free[d] = e->finish[i];
    if (e->t->p->device[d].launch == HO_LAUNCH_SYNC) e->dispatch_clock[k] = e->finish[i];
    end(e, i);
  }
}

/* Idle power counts to the makespan or, with a period, to the end of the period; devices that the plan does not use are off unless all
 * count; the host's always count. */
static double total_energy(const ho_estimate *e) {
  const ho_platform *p = e->t->p;
  double horizon = fmax(e->makespan, e->t->g->period), sum = e->link_joules;
  for (ho_device d = 0; d < p->n_devices; d++) {
    int on = e->queues_used[d] > 0 || p->count_idle == HO_IDLE_ALL || ho_platform_is_host_device(p, d);
    sum += e->joules[d] + (on ? p->device[d].idle : p->device[d].off) * horizon;
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
  return ho_est_memory_scan(&e->mem, e->makespan, out);
}

double ho_estimate_start(const ho_estimate *e, int32_t i) {
  return e->start[i];
}
double ho_estimate_finish(const ho_estimate *e, int32_t i) {
  return e->finish[i];
}
double ho_estimate_peak(const ho_estimate *e, ho_memory m) {
  return e->mem.peak[m];
}
