/* estimate_link.c: one copy on its route.
 *
 * A copy begins when a copy engine is free at each end (a memory has the engines of its devices together) and, with serial contention, all
 * its links are. Those that cannot begin wait; whenever something becomes free the waiting copy of the lowest position (of its first
 * consumer; serial: that was asked for first) begins that can. With fair contention every link direction serves the bytes of the copies
 * that began in turn, at its whole bandwidth, and a copy arrives when the last of its links has served it: what the links do per second is
 * right, who shares with whom is approximated. */
#include <math.h>
#include <stddef.h>

#include "sim/estimate_state.h"

/* The copy engine of a memory that is free first; NULL: there are enough. `inwards`: 0 or the number of all engines. */
static inline double *first_engine(ho_estimate *e, int32_t memory, int32_t inwards) {
  double *best = NULL;
  for (int32_t i = e->engine_start[memory]; i < e->engine_start[memory + 1]; i++)
    if (!best || e->engine_free[inwards + i] < *best) best = &e->engine_free[inwards + i];
  return best;
}

/* When a copy on this route could begin, at `at` or later, if nobody came before it. */
static double possible(ho_estimate *e, int32_t from, int32_t to, double at) {
  const double *out = first_engine(e, from, 0), *in = first_engine(e, to, e->engine_start[e->t->n_memories]);
  if (out && *out > at) at = *out;
  if (in && *in > at) at = *in;
  if (e->t->p->contention != HO_CONTENTION_SERIAL) return at;
  const ho_est_route *r = &e->t->route[from * e->t->n_memories + to];
  for (int32_t i = 0; i < r->n; i++)
    if (e->link_free[r->res[i]] > at) at = e->link_free[r->res[i]];
  return at;
}

/* Takes links and engines; returns when the copy arrives. */
static double occupy(ho_estimate *e, int32_t from, int32_t to, double begin, double bytes) {
  const ho_est_route *r = &e->t->route[from * e->t->n_memories + to];
  double end = (begin + r->latency) + bytes / r->bandwidth;
  int serial = e->t->p->contention == HO_CONTENTION_SERIAL;
  for (int32_t i = 0; i < r->n; i++) {
    double *served = &e->link_free[r->res[i]];
    *served = serial ? end : (*served > begin ? *served : begin) + bytes * r->seconds_per_byte[i];
    if (*served + r->latency > end && !serial) end = *served + r->latency;
  }
  double *out = first_engine(e, from, 0), *in = first_engine(e, to, e->engine_start[e->t->n_memories]);
  if (out) *out = end;
  if (in) *in = end;
  e->link_joules += bytes * r->energy;
  return end;
}

double ho_est_copy(ho_estimate *e, ho_tensor x, int32_t from, int32_t to, double at) {
  double begin = possible(e, from, to, at), bytes = ho_est_tensor_bytes(e, x), end = occupy(e, from, to, begin, bytes);
  ho_est_slot *source = ho_est_slot_at(e, x, from), *there = ho_est_slot_at(e, x, to);
  if (source->buffer >= 0) ho_est_memory_use(&e->mem, source->buffer, end, 0);
  *there = (ho_est_slot){end, -1, e->stamp};
  if (bytes > 0) {
    there->buffer = ho_est_memory_buffer(&e->mem, to, bytes, end);
    ho_est_memory_take(&e->mem, begin, to, bytes);
  }
  return end;
}

/* --- waiting -------------------------------------------------------------------------------------------------------------------- */
static void wake_at(ho_estimate *e, double time) {
  if (time >= e->next_wake) return;
  e->next_wake = time;
  ho_est_push(e, time, HO_EST_WAKE, 0);
}

double ho_est_ask(ho_estimate *e, ho_tensor x, int32_t from, int32_t to, double at, int32_t first) {
  double earliest = possible(e, from, to, at);
  if (earliest <= at && e->n_waiting_routes == 0) return ho_est_copy(e, x, from, to, at);
  int32_t route = from * e->t->n_memories + to, node = e->n_waited++;
  e->waiting_slot[node] = (int32_t)(ho_est_slot_at(e, x, to) - e->slot);
  if (e->waiting_root[route] < 0) e->waiting_route[e->n_waiting_routes++] = route;
  double key = e->t->p->contention == HO_CONTENTION_SERIAL ? node : first;
  e->waiting_root[route] = ho_pairing_push(e->waiting, e->waiting_root[route], node, key, node);
  *ho_est_slot_at(e, x, to) = (ho_est_slot){INFINITY, HO_EST_ON_ITS_WAY, e->stamp};
  wake_at(e, earliest);
  return INFINITY;
}

/* Place in waiting_route of the route whose first copy begins next at `now`; -1: none can. */
static int32_t next_to_begin(ho_estimate *e, double now) {
  int32_t best = -1, n = e->t->n_memories;
  for (int32_t k = 0; k < e->n_waiting_routes; k++) {
    int32_t route = e->waiting_route[k];
    if (possible(e, route / n, route % n, now) > now) continue;
    if (best < 0 || ho_pairing_before(&e->waiting[e->waiting_root[route]], &e->waiting[e->waiting_root[e->waiting_route[best]]]))
      best = k;
  }
  return best;
}

void ho_est_wake(ho_estimate *e, double now) {
  int32_t n = e->t->n_memories;
  if (now < e->next_wake) return; /* an earlier one has come in between and has done this one's work */
  e->next_wake = INFINITY;
  for (int32_t k = next_to_begin(e, now); k >= 0; k = next_to_begin(e, now)) {
    int32_t route = e->waiting_route[k], node = e->waiting_root[route], slot = e->waiting_slot[node];
    e->waiting_root[route] = ho_pairing_pop(e->waiting, node, e->waiting_scratch);
    if (e->waiting_root[route] < 0) e->waiting_route[k] = e->waiting_route[--e->n_waiting_routes];
    ho_est_announce(e, slot / n, slot % n, ho_est_copy(e, slot / n, route / n, route % n, now));
  }
  double next = INFINITY;
  for (int32_t k = 0; k < e->n_waiting_routes; k++)
    next = fmin(next, possible(e, e->waiting_route[k] / n, e->waiting_route[k] % n, now));
  if (next < INFINITY) wake_at(e, next);
}
