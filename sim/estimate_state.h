/* estimate_state.h: the scratch of one estimate, shared by its parts. Internal to sim/.
 *
 * estimate.c sets up and walks the plan, estimate_copy.c moves tensors between memories (one copy: estimate_link.c), estimate_share.c slows kernels that run side by
 * side, estimate_memory.c finds peaks. Entries of the plan are nodes; `need` counts what an entry still waits for. Nothing here is
 * allocated while a plan is run. */
#ifndef HO_SIM_ESTIMATE_STATE_H
#define HO_SIM_ESTIMATE_STATE_H

#include "sim/estimate.h"
#include "sim/estimate_memory.h"
#include "sim/estimate_tables.h"
#include "sim/pairing.h"

/* What the walk handles next. `order`: kind in the upper two bits, so that at one instant ends come first, then arrivals on
 * host, then copies that waited, then starts; then the index. */
typedef struct {
  double time;
  uint32_t order;
} ho_est_item;

enum { HO_EST_END = 0, HO_EST_HOP = 1, HO_EST_WAKE = 2, HO_EST_START = 3, HO_EST_KIND_SHIFT = 30 };
#define HO_EST_INDEX_MASK ((1U << HO_EST_KIND_SHIFT) - 1)

/* A tensor in a memory. */
enum { HO_EST_NO_BUFFER = -1, HO_EST_ON_ITS_WAY = -2, HO_EST_NEEDS_HOST = -3 };
typedef struct {
  double avail;   /* s; INFINITY: not known yet */
  int32_t buffer; /* in ho_est_memory; NO_BUFFER: it takes none; the others while avail is not known */
  uint32_t stamp; /* equals ho_estimate.stamp when it belongs to this run */
} ho_est_slot;

/* A kernel that runs. */
typedef struct {
  double end, compute, port, draw;
  int32_t device;
} ho_est_running;

typedef struct {
  int32_t memory, first; /* first: the entry of lowest position that waits there */
} ho_est_destination;

/* An entry of the plan: one cache line. */
typedef struct {
  double ready, start, kernel, finish; /* s; ready: everything it waited for so far; kernel: only where kernels meet */
  const ho_est_row *row;
  ho_op op;
  int32_t need;                            /* what it still waits for: inputs, the head of its queue, its launch */
  int32_t next_in_queue, next_in_dispatch; /* entries, -1 */
  int32_t memory;
} ho_est_node;

typedef struct {
  double free; /* s; only in plans with duplicates */
  int32_t tail;
} ho_est_queue;

/* A device in this plan. */
typedef struct {
  double free, busy_until, joules; /* free: of an exclusive device whose queues meet */
  int32_t queues, last_kind;
  int32_t meets;    /* 1: its kernels may meet others */
  int32_t launched; /* graph mode: its one launch was made */
} ho_est_use;

typedef struct {
  double clock;          /* s */
  int32_t tail, blocked; /* blocked: a synchronous entry waits to end */
} ho_est_dispatcher;

struct ho_estimate {
  const ho_problem *q;
  ho_est_tables t[1]; /* inside, not behind a pointer */
  ho_est_memory mem;
  const ho_plan *plan;
  uint32_t stamp;
  int ordered;      /* 1: ops are duplicated; walked in order of issue */
  double *capacity; /* by memory */

  ho_est_node *node; /* by entry */
  ho_est_row *own;   /* by entry: rows that are not in the table */
  ho_est_more *own_more;
  int32_t cap;
  /* by slot: [tensor * n_memories + memory] */
  ho_est_slot *slot;
  ho_est_op *op;
  int32_t n_queues, n_dispatchers;
  ho_est_queue *queue; /* by (device, stream) */
  ho_est_use *use;     /* by device */
  ho_est_dispatcher *dispatcher;
  /* by link direction, by memory */
  double *link_free;
  double *engine_free; /* s; by copy engine */
  int32_t *devices_used, *n_running;
  ho_est_running **running;
  ho_est_destination *destination;

  /* copies that wait, by route a pairing heap whose nodes are numbered as they come */
  ho_pairing *waiting;
  int32_t *waiting_slot, *waiting_root, *waiting_route, *waiting_scratch;
  int32_t n_waited, n_waiting_routes;
  double next_wake; /* s */

  ho_est_item *heap;
  int32_t n_heap;
  double link_joules, makespan;
};

/* --- estimate.c ---------------------------------------------------------------------------------------------------------------- */
void ho_est_push(ho_estimate *e, double time, uint32_t kind, int32_t index);
void ho_est_candidate(ho_estimate *e, int32_t entry); /* nothing that it waits for is missing any more */

/* --- estimate_setup.c ------------------------------------------------------------------------------------------------------------ */
void ho_est_set_up(ho_estimate *e, const ho_plan *plan);

/* --- estimate_copy.c ------------------------------------------------------------------------------------------------------------ */
/* x is in `memory` from `at` on: wakes who waits for it there, sends it to the other memories where it is awaited. */
void ho_est_deliver(ho_estimate *e, ho_tensor x, int32_t memory, double at);
/* The first hop of a staged copy is done: on to its end. */
void ho_est_hop_done(ho_estimate *e, int32_t slot, double now);
/* When the inputs of an entry are in its memory, in plans with duplicates. */
double ho_est_pull(ho_estimate *e, int32_t entry);

/* x will be in memory `to` at `at`: wakes who waits for it there, and sends it on when that is host. */
void ho_est_announce(ho_estimate *e, ho_tensor x, int32_t to, double at);

/* --- estimate_link.c ------------------------------------------------------------------------------------------------------------- */
/* One copy without staging, asked for at `at`; returns when it arrives. It does not give way to copies that wait. */
double ho_est_copy(ho_estimate *e, ho_tensor x, int32_t from, int32_t to, double at);
/* The same in its turn; INFINITY: it has to wait, ho_est_announce will be called. */
double ho_est_ask(ho_estimate *e, ho_tensor x, int32_t from, int32_t to, double at, int32_t first);
/* Lets copies begin that waited. */
void ho_est_wake(ho_estimate *e, double now);

/* --- estimate_share.c ------------------------------------------------------------------------------------------------------------ */
/* When a kernel that starts at x->kernel ends, given those that run; it joins them. */
double ho_est_share(ho_estimate *e, const ho_est_node *x);

static inline ho_est_slot *ho_est_slot_at(ho_estimate *e, ho_tensor x, int32_t m) {
  return &e->slot[(int64_t)x * e->t->n_memories + m];
}

/* At its producer's precision; a graph input at its own. */
static inline double ho_est_tensor_bytes(const ho_estimate *e, ho_tensor x) {
  ho_op producer = e->t->tensor[x].producer;
  return producer < 0 ? (double)e->t->g->tensor[x].bytes : ho_est_bytes(e->t, x, e->op[producer].precision);
}

/* A dispatcher that is at `clock` launches an entry of device d; returns its clock afterwards. In graph mode the first launch of a device
 * launches all. */
static inline double ho_est_launch(ho_estimate *e, ho_device d, double clock) {
  if (e->t->device[d].launch == HO_LAUNCH_GRAPH) {
    if (e->use[d].launched) return clock;
    e->use[d].launched = 1;
  }
  return clock + e->t->device[d].launch_host;
}

/* One of the things that an entry waits for is there at `time`. */
static inline void ho_est_arrive(ho_estimate *e, int32_t entry, double time) {
  ho_est_node *x = &e->node[entry];
  if (time > x->ready) x->ready = time;
  if (--x->need == 0) ho_est_candidate(e, entry);
}

#endif
