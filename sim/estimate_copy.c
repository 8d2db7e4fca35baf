/* estimate_copy.c: tensors that cross between memories.
 *
 * A tensor crosses once per destination memory, as soon as its producer ends, not before its first consumer's `not_before`; copies of one
 * producer are asked for in the order of their first consumers' positions. A copy takes a copy engine at each end and the links of its route from the instant all are
 * free, each for the time that its bytes take on that link (serial: for the whole copy): contention approximated, first come first
 * served. Pairs that are not direct go through host; the second hop is asked for when the first ends, and the copy on host serves all. */
#include <math.h>
#include <stddef.h>

#include "sim/estimate_state.h"

static inline ho_est_slot *slot_at(ho_estimate *e, ho_tensor x, int32_t m) {
  return &e->slot[(int64_t)x * e->t->n_memories + m];
}

/* Bytes of a tensor: at its producer's precision; a graph input at its own. */
static inline double tensor_bytes(const ho_estimate *e, ho_tensor x) {
  ho_op producer = e->t->tensor[x].producer;
  return producer < 0 ? (double)e->t->g->tensor[x].bytes : ho_est_bytes(e->t, x, e->precision_of[producer]);
}

/* The copy engine of a memory that is free first; NULL: there are enough. `inwards`: 0 or the number of all engines. */
static double *first_engine(ho_estimate *e, int32_t memory, int32_t inwards) {
  double *best = NULL;
  for (int32_t i = e->engine_start[memory]; i < e->engine_start[memory + 1]; i++)
    if (!best || e->engine_free[inwards + i] < *best) best = &e->engine_free[inwards + i];
  return best;
}

/* One copy without staging, asked for at `at`; fills the destination's slot. Returns when it arrives. */
static double copy(ho_estimate *e, ho_tensor x, int32_t from, int32_t to, double at) {
  const ho_est_route *r = &e->t->route[from * e->t->n_memories + to];
  double bytes = tensor_bytes(e, x), begin = at;
  for (int32_t i = 0; i < r->n; i++)
    if (e->link_free[r->res[i]] > begin) begin = e->link_free[r->res[i]];
  double *out = first_engine(e, from, 0), *in = first_engine(e, to, e->engine_start[e->t->n_memories]);
  if (out && *out > begin) begin = *out;
  if (in && *in > begin) begin = *in;
  double drawing = begin + r->latency, end = drawing + bytes / r->bandwidth;
  int serial = e->t->p->contention == HO_CONTENTION_SERIAL;
  for (int32_t i = 0; i < r->n; i++) e->link_free[r->res[i]] = serial ? end : begin + bytes * r->seconds_per_byte[i];
  if (out) *out = end;
  if (in) *in = end;
  e->link_joules += bytes * r->energy;

  ho_est_slot *source = slot_at(e, x, from), *there = slot_at(e, x, to);
  if (source->buffer >= 0) ho_est_memory_use(&e->mem, source->buffer, end, 0);
  there->stamp = e->stamp;
  there->avail = end;
  there->buffer = -1;
  if (bytes > 0) {
    there->buffer = ho_est_memory_buffer(&e->mem, to, bytes, end);
    ho_est_memory_take(&e->mem, begin, to, bytes);
  }
  return end;
}

/* Sees to it that x gets from `from` to `to`. Returns when it is there: INFINITY as long as a second hop is outstanding. */
static double send(ho_estimate *e, ho_tensor x, int32_t from, int32_t to, double at) {
  ho_est_slot *there = slot_at(e, x, to);
  if (there->stamp == e->stamp) return there->avail;
  if (!e->t->route[from * e->t->n_memories + to].staged) return copy(e, x, from, to, at);
  int32_t host = e->t->p->host;
  ho_est_slot *staged = slot_at(e, x, host);
  double on_host = staged->stamp == e->stamp ? staged->avail : copy(e, x, from, host, at);
  *there = (ho_est_slot){INFINITY, -1, e->stamp};
  ho_est_push(e, on_host, HO_EST_HOP, (int32_t)(there - e->slot));
  return INFINITY;
}

void ho_est_hop_done(ho_estimate *e, int32_t slot, double now) {
  const ho_graph *g = e->t->g;
  ho_tensor x = slot / e->t->n_memories;
  int32_t to = slot % e->t->n_memories;
  double end = copy(e, x, e->t->p->host, to, now);
  for (int32_t i = g->use_start[x]; i < g->use_start[x + 1]; i++) {
    int32_t j = e->entry_of[g->use[i]];
    if (e->node[j].memory == to) ho_est_arrive(e, j, end);
  }
}

static int32_t add_destination(ho_est_destination *d, int32_t n, int32_t memory, int32_t entry) {
  int32_t k = 0;
  while (k < n && d[k].memory != memory) k++;
  if (k == n) d[n++] = (ho_est_destination){memory, entry};
  if (entry < d[k].first) d[k].first = entry;
  return n;
}

/* In order of first consumers. */
static void sort_destinations(ho_est_destination *d, int32_t n) {
  for (int32_t i = 1; i < n; i++) {
    ho_est_destination x = d[i];
    int32_t j = i;
    for (; j > 0 && d[j - 1].first > x.first; j--) d[j] = d[j - 1];
    d[j] = x;
  }
}

void ho_est_deliver(ho_estimate *e, ho_tensor x, int32_t memory, double at) {
  const ho_graph *g = e->t->g;
  int32_t u0 = e->t->tensor[x].use_begin, u1 = e->t->tensor[x].use_end, n = 0;
  ho_est_destination *d = e->destination;
  if (u1 - u0 == 1) { /* the usual case */
    int32_t j = e->entry_of[g->use[u0]], to = e->node[j].memory;
    if (to == memory) {
      ho_est_arrive(e, j, at);
      return;
    }
    double not_before = e->plan->entry[j].not_before, there = send(e, x, memory, to, at > not_before ? at : not_before);
    if (there < INFINITY) ho_est_arrive(e, j, there);
    return;
  }
  for (int32_t i = u0; i < u1; i++) {
    int32_t j = e->entry_of[g->use[i]];
    if (e->node[j].memory == memory)
      ho_est_arrive(e, j, at);
    else
      n = add_destination(d, n, e->node[j].memory, j);
  }
  if (n == 0) return;
  if (n > 1) sort_destinations(d, n);
  for (int32_t k = 0; k < n; k++)
    if (slot_at(e, x, d[k].memory)->stamp != e->stamp)
      send(e, x, memory, d[k].memory, fmax(at, e->plan->entry[d[k].first].not_before));
  for (int32_t i = u0; i < u1; i++) {
    int32_t j = e->entry_of[g->use[i]];
    if (e->node[j].memory == memory) continue;
    double there = slot_at(e, x, e->node[j].memory)->avail;
    if (there < INFINITY) ho_est_arrive(e, j, there);
  }
}

/* Plans with duplicates are walked in order of issue, so that every copy of a producer that may serve an entry is done: the entry takes
 * the one that reaches it first, which is the one in its own memory when there is one that ends first, by the times of an idle route. */
static double pull_one(ho_estimate *e, ho_tensor x, int32_t entry) {
  int32_t m = e->node[entry].memory, from = -1;
  ho_est_slot *there = slot_at(e, x, m);
  double best = there->stamp == e->stamp ? there->avail : INFINITY, bytes = tensor_bytes(e, x);
  for (int32_t k = 0; k < e->t->n_memories; k++) {
    const ho_est_slot *s = slot_at(e, x, k);
    if (k == m || s->stamp != e->stamp) continue;
    double arrival = fmax(s->avail, e->plan->entry[entry].not_before) + ho_copy_time(e->t->p, k, m, bytes);
    if (arrival < best) {
      best = arrival;
      from = k;
    }
  }
  if (from < 0) return best;
  double at = fmax(slot_at(e, x, from)->avail, e->plan->entry[entry].not_before);
  int32_t host = e->t->p->host;
  if (e->t->route[from * e->t->n_memories + m].staged) {
    at = slot_at(e, x, host)->stamp == e->stamp ? slot_at(e, x, host)->avail : copy(e, x, from, host, at);
    from = host;
  }
  return copy(e, x, from, m, at);
}

double ho_est_pull(ho_estimate *e, int32_t entry) {
  ho_op o = e->plan->entry[entry].op;
  double last = 0;
  for (int32_t i = e->t->in_start[o]; i < e->t->in_start[o + 1]; i++) last = fmax(last, pull_one(e, e->t->in[i], entry));
  return last;
}
