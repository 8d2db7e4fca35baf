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

/* What a copy needs. */
typedef struct {
  const ho_est_route *route;
  double *out, *in; /* copy engine that is free first at each end; NULL: there are enough */
} needs;

static inline double *first_of(double *engine, int32_t n) {
  if (n == 0) return NULL;
  double *best = engine;
  for (int32_t i = 1; i < n; i++)
    if (engine[i] < *best) best = &engine[i];
  return best;
}

static inline needs needs_of(ho_estimate *e, int32_t from, int32_t to) {
  const ho_est_route *r = &e->t->route[from * e->t->n_memories + to];
  return (needs){r, first_of(e->engine_free + r->out_engine, r->n_out), first_of(e->engine_free + r->in_engine, r->n_in)};
}

/* When a copy could begin, at `at` or later, if nobody came before it. */
static inline double possible(const ho_estimate *e, const needs *w, double at) {
  if (w->out && *w->out > at) at = *w->out;
  if (w->in && *w->in > at) at = *w->in;
  for (int32_t i = 0; e->t->serial && i < w->route->n; i++)
    if (e->link_free[w->route->res[i]] > at) at = e->link_free[w->route->res[i]];
  return at;
}

/* Takes links and engines; returns when the copy arrives. */
static inline double occupy(ho_estimate *e, const needs *w, double begin, double bytes) {
  const ho_est_route *r = w->route;
  double end = (begin + r->latency) + bytes / r->bandwidth;
  for (int32_t i = 0; i < r->n; i++) {
    double *served = &e->link_free[r->res[i]];
    if (e->t->serial) {
      *served = end;
      continue;
    }
    double done = (*served > begin ? *served : begin) + bytes * r->seconds_per_byte[i];
    *served = done;
    if (done + r->latency > end) end = done + r->latency;
  }
  if (w->out) *w->out = end;
  if (w->in) *w->in = end;
  e->link_joules += bytes * r->energy;
  return end;
}

static inline double begin_copy(ho_estimate *e, const needs *w, ho_tensor x, int32_t from, int32_t to, double begin) {
  ho_est_slot *source = ho_est_slot_at(e, x, from), *there = ho_est_slot_at(e, x, to);
  int own_buffer = source->buffer >= 0 && e->t->tensor[x].alias < 0; /* its size is the tensor's */
  double bytes = own_buffer ? e->mem.buffer[source->buffer].bytes : ho_est_tensor_bytes(e, x), end = occupy(e, w, begin, bytes);
  if (source->buffer >= 0) ho_est_memory_use(&e->mem, source->buffer, end, 0);
  *there = (ho_est_slot){end, HO_EST_NO_BUFFER, e->stamp};
  if (bytes > 0) {
    there->buffer = ho_est_memory_buffer(&e->mem, to, bytes, end, 0);
    ho_est_memory_take(&e->mem, begin, to, bytes);
  }
  return end;
}

double ho_est_copy(ho_estimate *e, ho_tensor x, int32_t from, int32_t to, double at) {
  needs w = needs_of(e, from, to);
  return begin_copy(e, &w, x, from, to, possible(e, &w, at));
}

/* --- waiting -------------------------------------------------------------------------------------------------------------------- */
static void wake_at(ho_estimate *e, double time) {
  if (time >= e->next_wake) return;
  e->next_wake = time;
  ho_est_push(e, time, HO_EST_WAKE, 0);
}

double ho_est_ask(ho_estimate *e, ho_tensor x, int32_t from, int32_t to, double at, int32_t first) {
  needs w = needs_of(e, from, to);
  double earliest = possible(e, &w, at);
  if (earliest <= at && e->n_waiting_routes == 0) return begin_copy(e, &w, x, from, to, at);
  int32_t route = from * e->t->n_memories + to, node = e->n_waited++;
  e->waiting_slot[node] = (int32_t)(ho_est_slot_at(e, x, to) - e->slot);
  if (e->waiting_root[route] < 0) e->waiting_route[e->n_waiting_routes++] = route;
  int64_t order = (int64_t)first << 31 | x;
  e->waiting_root[route] = ho_pairing_push(e->waiting, e->waiting_root[route], node, e->t->serial ? at : first, order);
  *ho_est_slot_at(e, x, to) = (ho_est_slot){INFINITY, HO_EST_ON_ITS_WAY, e->stamp};
  wake_at(e, earliest);
  return INFINITY;
}

static double route_possible(ho_estimate *e, int32_t route, double now) {
  needs w = needs_of(e, route / e->t->n_memories, route % e->t->n_memories);
  return possible(e, &w, now);
}

/* Place in waiting_route of the route whose first copy begins next at `now`; -1: none can. */
static int32_t next_to_begin(ho_estimate *e, double now) {
  int32_t best = -1;
  for (int32_t k = 0; k < e->n_waiting_routes; k++) {
    int32_t route = e->waiting_route[k];
    if (route_possible(e, route, now) > now) continue;
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
  for (int32_t k = 0; k < e->n_waiting_routes; k++) next = fmin(next, route_possible(e, e->waiting_route[k], now));
  if (next < INFINITY) wake_at(e, next);
}
