/* estimate_copy.c: tensors that cross between memories.
 *
 * A tensor crosses once per destination memory, as soon as its producer ends, not before its first consumer's `not_before`; copies of one
 * producer are asked for in the order of their first consumers' positions. Pairs that are not direct go through host; the second hop is asked
 * for when the first ends, and the copy on host serves all. What a single copy does is in estimate_link.c. */
#include <math.h>
#include <stddef.h>

#include "sim/estimate_state.h"

/* Sees to it that x gets from `from` to `to`. Returns when it is there; INFINITY: not known yet, ho_est_announce will be called. */
static double send(ho_estimate *e, ho_tensor x, int32_t from, int32_t to, double at, int32_t first) {
  ho_est_slot *there = ho_est_slot_at(e, x, to);
  if (there->stamp == e->stamp) return there->avail;
  if (!e->t->route[from * e->t->n_memories + to].staged) return ho_est_ask(e, x, from, to, at, first);
  int32_t host = e->t->p->host;
  ho_est_slot *staged = ho_est_slot_at(e, x, host);
  double on_host = staged->stamp == e->stamp ? staged->avail : ho_est_ask(e, x, from, host, at, first);
  *there = (ho_est_slot){INFINITY, HO_EST_NEEDS_HOST, e->stamp};
  if (on_host < INFINITY) {
    there->buffer = HO_EST_ON_ITS_WAY;
    ho_est_push(e, on_host, HO_EST_HOP, (int32_t)(there - e->slot));
  }
  return INFINITY;
}

void ho_est_announce(ho_estimate *e, ho_tensor x, int32_t to, double at) {
  const ho_graph *g = e->t->g;
  int on_host = to == e->t->p->host;
  for (int32_t i = g->use_start[x]; i < g->use_start[x + 1]; i++) {
    int32_t j = e->op[g->use[i]].entry, memory = e->node[j].memory;
    ho_est_slot *there = ho_est_slot_at(e, x, memory);
    if (memory == to) {
      ho_est_arrive(e, j, at);
    } else if (on_host && there->stamp == e->stamp && there->buffer == HO_EST_NEEDS_HOST) {
      there->buffer = HO_EST_ON_ITS_WAY;
      ho_est_push(e, at, HO_EST_HOP, (int32_t)(there - e->slot));
    }
  }
}

/* Position of the first consumer of x in a memory. */
static int32_t first_consumer(const ho_estimate *e, ho_tensor x, int32_t memory) {
  const ho_graph *g = e->t->g;
  int32_t first = INT32_MAX;
  for (int32_t i = g->use_start[x]; i < g->use_start[x + 1]; i++) {
    int32_t j = e->op[g->use[i]].entry;
    if (e->node[j].memory == memory && j < first) first = j;
  }
  return first;
}

void ho_est_hop_done(ho_estimate *e, int32_t slot, double now) {
  ho_tensor x = slot / e->t->n_memories;
  int32_t to = slot % e->t->n_memories;
  double end = ho_est_ask(e, x, e->t->p->host, to, now, first_consumer(e, x, to));
  if (end < INFINITY) ho_est_announce(e, x, to, end);
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
    int32_t j = e->op[g->use[u0]].entry, to = e->node[j].memory;
    if (to == memory) {
      ho_est_arrive(e, j, at);
      return;
    }
    double not_before = e->plan->entry[j].not_before, there = send(e, x, memory, to, at > not_before ? at : not_before, j);
    if (there < INFINITY) ho_est_arrive(e, j, there);
    return;
  }
  for (int32_t i = u0; i < u1; i++) {
    int32_t j = e->op[g->use[i]].entry;
    if (e->node[j].memory == memory)
      ho_est_arrive(e, j, at);
    else
      n = add_destination(d, n, e->node[j].memory, j);
  }
  if (n == 0) return;
  if (n > 1) sort_destinations(d, n);
  for (int32_t k = 0; k < n; k++)
    if (ho_est_slot_at(e, x, d[k].memory)->stamp != e->stamp)
      send(e, x, memory, d[k].memory, fmax(at, e->plan->entry[d[k].first].not_before), d[k].first);
  for (int32_t i = u0; i < u1; i++) {
    int32_t j = e->op[g->use[i]].entry;
    if (e->node[j].memory == memory) continue;
    double there = ho_est_slot_at(e, x, e->node[j].memory)->avail;
    if (there < INFINITY) ho_est_arrive(e, j, there);
  }
}

/* Plans with duplicates are walked in order of issue. A tensor that a copy of its producer makes in the entry's own memory is taken from there;
 * otherwise it comes from the copy that ends first. */
static double pull_one(ho_estimate *e, ho_tensor x, int32_t entry) {
  int32_t m = e->node[entry].memory, host = e->t->p->host, from = -1;
  if (ho_est_slot_at(e, x, m)->stamp == e->stamp) return ho_est_slot_at(e, x, m)->avail;
  for (int32_t k = 0; k < e->t->n_memories; k++)
    if (ho_est_slot_at(e, x, k)->stamp == e->stamp &&
        (from < 0 || ho_est_slot_at(e, x, k)->avail < ho_est_slot_at(e, x, from)->avail))
      from = k;
  if (from < 0) return INFINITY; /* not in a plan that was checked */
  double at = fmax(ho_est_slot_at(e, x, from)->avail, e->plan->entry[entry].not_before);
  if (e->t->route[from * e->t->n_memories + m].staged) {
    at = ho_est_slot_at(e, x, host)->stamp == e->stamp ? ho_est_slot_at(e, x, host)->avail : ho_est_copy(e, x, from, host, at);
    from = host;
  }
  return ho_est_copy(e, x, from, m, at);
}

double ho_est_pull(ho_estimate *e, int32_t entry) {
  ho_op o = e->plan->entry[entry].op;
  double last = 0;
  for (int32_t i = e->t->in_start[o]; i < e->t->in_start[o + 1]; i++) last = fmax(last, pull_one(e, e->t->in[i], entry));
  return last;
}
