/* replay_state.h: the state of a replay, shared by the files of the engine (replay_*.c) and by nobody else.
 *
 * Everything is indexed by small integers: an entry is an op of the plan at its place in the order of issue; a cell is a tensor in a
 * memory; a copy is a transfer that fills a cell; a buffer is a piece of memory. All arrays have their final size before the first event.
 *
 * One instant is handled in three steps (replay.c): everything that ends gives back what it held; then what it made arrives; then
 * what can start does, in the order of issue. */
#ifndef HO_SIM_REPLAY_STATE_H
#define HO_SIM_REPLAY_STATE_H

#include "sim/fluid.h"
#include "sim/pairing.h"
#include "sim/replay.h"

/* What a start waited for last, but for memory (waited_memory): the steps of the critical path. */
typedef enum { CAUSE_NONE, CAUSE_LAUNCH, CAUSE_TIME, CAUSE_QUEUE, CAUSE_DEVICE, CAUSE_LOCAL, CAUSE_COPY } cause_kind;

typedef enum { EVENT_OP_END, EVENT_COPY_END, EVENT_KERNEL, EVENT_FLOW, EVENT_EARLIEST, EVENT_HOLD, EVENT_RELEASE } event_kind;

typedef struct {
  double time;
  event_kind kind;
  int32_t index; /* entry, copy or op */
} event;

typedef struct {
  ho_op op;
  int32_t device, memory, slot; /* slot: its (device, stream) */
  int32_t dispatcher;
  int32_t next_in_queue, next_launch, next_copy; /* entries, -1 */
  int32_t pending;                               /* what is still missing: inputs, launch, head of the queue */
  int32_t workspace;                             /* buffer while it runs, -1 */
  int32_t first_cell, n_in, n_out;               /* its cells in entry_cell: inputs that are no weights, then outputs */
  double earliest;                               /* s: launched, released and not before */
  double gate;                                   /* s: released and not before */
  double work;                                   /* s the kernel takes alone, noise included */
  double factor;                                 /* its noise */
  const ho_kernel *kernel;                       /* in the cost table, or its own in own_kernel */
  int64_t demand;                                /* B it asks for when it starts */
  cause_kind cause;
  int32_t cause_index;  /* entry or copy */
  double candidate_at;  /* s: since when nothing but device and memory is missing */
  int8_t waited_memory; /* its request was refused once */
  int8_t running;
  int8_t has_workspace;
  int8_t precision;
} entry_t;

typedef enum { CELL_ABSENT, CELL_COMING, CELL_PRESENT } cell_state;

typedef struct {
  ho_tensor tensor;
  ho_memory memory;
  int32_t next;  /* cell of the same tensor in another memory, in order of first use; -1 */
  int32_t first; /* entry of its first consumer; INT32_MAX: none */
  union {
    double gate;          /* s: the least not_before of its consumers; INFINITY: none */
    int64_t weight_bytes; /* of a weight, which nothing brings: in the largest precision of its consumers there */
  };
  int32_t uses;    /* consumers there */
  int32_t made_at; /* entry of the first copy of its producer on this memory; INT32_MAX: none */
  int32_t view;    /* cell whose buffer it looks at, -1 */
  int32_t buffer;  /* -1 */
  int32_t owner;   /* entry that took the buffer for what it makes, -1 */
  int32_t copy;    /* that brought it, -1 */
  int32_t maker;   /* entry whose end made it present, -1 */
  uint8_t state;
  uint8_t is_weight, is_output;
} cell_t;

typedef struct {
  int32_t source, target; /* cells */
  int32_t pair;           /* route: from * n_memories + to */
  int32_t first;          /* position that orders it */
  double bytes, factor;
  double requested, asked, start, end; /* s: its source was there; it was not held back any more; … */
  int32_t spare;                       /* buffer of its own where the target has one already, -1 */
  int8_t waited_memory;
} copy_t;

typedef struct {
  ho_tensor tensor;
  int32_t entry;
  ho_memory memory;
  int32_t refs;
  int32_t born, died; /* turns */
  int64_t bytes;
  double from, to;
  int8_t pinned;
} buffer_t;

typedef struct {
  int64_t used, peak, capacity;
  int blocked; /* in this instant: a request was refused, later ones wait */
} memory_t;

typedef struct {
  int32_t running;     /* kernels between start of their op and end */
  int32_t active;      /* kernels that run now (after the launch) */
  int32_t last_end;    /* entry that freed it last */
  int32_t loaded_kind; /* reconfiguration */
  int8_t shares;       /* its kernels can slow each other or somebody else's */
  int8_t used;         /* the plan uses it */
  int8_t launched;     /* its first launch was made */
  double busy_since, busy;
  double power;                   /* W above idle, now */
  double power_since, above_idle; /* s, J: integral of power */
  int by_memory;                  /* power follows use, and memory is used more than compute */
  double for_memory;              /* J: the part of above_idle from such times */
  double joules;                  /* per-FLOP and per-byte energy of kernels that ended */
} device_t;

typedef struct {
  int32_t next; /* next entry to launch, -1 */
  int32_t last; /* tail while the list is made */
  double time;  /* s: when it is free */
  int8_t waits; /* for a synchronous op to end */
} dispatcher_t;

typedef struct {
  double bytes, busy, since;
  int32_t drawing;
  int8_t taken; /* serial contention */
} link_t;

struct ho_replay {
  const ho_problem *q;
  ho_replay_options options;
  int has_decided; /* the last run was a policy's, and r->plan is what it decided */
  uint64_t noise_key;

  int32_t n_devices, n_memories, n_links, n_slots;
  int32_t *slot_start; /* first slot of each device */
  uint64_t *op_hash, *tensor_hash, *device_hash, *memory_hash;

  double now;
  int64_t events, arrivals; /* handled; of which something may have arrived */
  int32_t unfinished;       /* ops and requested copies */
  event *heap;
  int32_t n_heap, max_heap;
  event *batch;
  int32_t n_batch;

  entry_t *entry;
  ho_kernel *own_kernel; /* by entry: of those that are not as in the cost table */
  ho_replay_op *times;
  int32_t n_entries, max_entries;
  int32_t *entry_cell, n_entry_cells;
  int32_t *op_entry; /* first entry of each op, -1 */
  int8_t *op_precision;
  int plain;           /* no tensor changes its size: kernels are as in the cost table */
  int32_t *queue_tail; /* by slot */
  int32_t *running_in; /* by slot: entry whose kernel runs, -1 */
  int32_t *candidate;  /* entries that only need device and memory, in order of issue */
  int32_t n_candidates;

  cell_t *cell;
  int32_t n_cells, max_cells;
  int32_t *tensor_cell;  /* first cell of each tensor, -1 */
  int64_t *tensor_bytes; /* at the plan's precision */
  copy_t *copy;
  ho_replay_transfer *transfer; /* in order of start */
  int32_t n_copies, max_copies, n_transfers;
  ho_pairing *waiting; /* copies that wait for engines, links, memory */
  int32_t *scratch;
  int32_t *pair_head;      /* by pair */
  int32_t *pairs, n_pairs; /* pairs with waiting copies */
  int8_t *pair_blocked;
  int32_t *engines_out, *engines_in, *engine_limit; /* by memory; limit INT32_MAX: unlimited */
  int8_t *pair_fluid;                               /* route shares something */

  memory_t *memory;
  buffer_t *buffer;
  int32_t n_buffers, max_buffers;
  int64_t total, total_peak, accelerator, accelerator_peak;
  int32_t turn;                    /* buffers taken and freed so far */
  int account;                     /* 0: memory is not looked at (online policies) */
  int32_t stuck_copy, stuck_entry; /* first request that was refused in the last instant, -1 */

  device_t *device;
  dispatcher_t *dispatcher;
  link_t *link;
  ho_fluid *fluid;
  int32_t n_routes; /* classes of transfers; kernels follow: n_routes + slot */
  double *model;    /* model error: factor by device and family, then memory: [device * (HO_N_FAMILIES + 1) + f] */

  struct ho_online *online; /* NULL when a plan is replayed */

  ho_replay_result result;
  ho_replay_device *out_device;
  ho_replay_link *out_link;
  ho_replay_memory *out_memory;
  ho_replay_buffer *out_buffer; /* made when asked for */
  double *out_arena;
  int arranged; /* out_buffer and out_arena are those of the last run */
  ho_plan *plan;           /* copy of what is replayed */
  struct ho_replay *inner; /* replays plans with rewrites, on `rewritten`; NULL until there was one */
  ho_problem rewritten;
  struct ho_variant *variant; /* that `rewritten` points into */
  int ran_inner;              /* the last run was the inner one's */
  int checked;                /* `plan` has passed ho_plan_check */
};

/* Resources of the fluid: links first, two each; then compute, port and power of each device; then each memory. */
static inline int32_t ho_resource_compute(const ho_replay *r, ho_device d) {
  return r->n_links * 2 + d * 3;
}
static inline int32_t ho_resource_memory(const ho_replay *r, ho_memory m) {
  return r->n_links * 2 + r->n_devices * 3 + m;
}

/* replay_setup.c */
void ho_replay_allocate(ho_replay *r);
void ho_replay_reserve(ho_replay *r, int32_t n_entries);
void ho_replay_clear(ho_replay *r);
void ho_replay_load(ho_replay *r, const ho_plan *plan);
void ho_replay_load_entry(ho_replay *r, int32_t i, const ho_entry *e);
void ho_replay_load_launch(ho_replay *r, int32_t i);
void ho_replay_load_cells(ho_replay *r, int32_t i); /* its inputs (which it waits for, unless a policy runs) and outputs */
double ho_replay_noise(const ho_replay *r, uint64_t what, uint64_t where);
double ho_replay_kernel_noise(const ho_replay *r, ho_op o, ho_device d);
uint64_t ho_replay_hash(const char *name);

/* replay_ops.c */
void ho_ops_launch(ho_replay *r, int32_t dispatcher, double time);
void ho_ops_launch_entry(ho_replay *r, int32_t i);
void ho_ops_less(ho_replay *r, int32_t i, cause_kind cause, int32_t index); /* one thing less is missing */
void ho_ops_candidate(ho_replay *r, int32_t i, cause_kind cause, int32_t index);
int ho_ops_try(ho_replay *r, int32_t i);     /* starts a candidate if device and memory allow */
void ho_ops_kernel(ho_replay *r, int32_t i); /* the kernel itself begins */
void ho_ops_release(ho_replay *r, int32_t i);
void ho_ops_arrive(ho_replay *r, int32_t i);
void ho_ops_rates_changed(ho_replay *r);
int ho_ops_flow(ho_replay *r, int32_t i, double now); /* begins its flow; 0: it shares nothing and takes its time */
/* W above idle that the device draws now, without the per-FLOP and per-byte energy, which is counted per kernel; *by_memory: power follows
 * use, and memory is used more than compute. */
double ho_ops_power(const ho_replay *r, int32_t d, int *by_memory);

/* replay_copies.c */
int32_t ho_cells_find(const ho_replay *r, ho_tensor t, ho_memory m); /* -1 */
int32_t ho_cells_get(ho_replay *r, ho_tensor t, ho_memory m);        /* made when absent */
void ho_cells_present(ho_replay *r, int32_t cell, int32_t maker, int32_t copy);
void ho_copies_spread(ho_replay *r, int32_t source); /* requests what others need of a cell that is present */
void ho_copies_enqueue(ho_replay *r, int32_t x);
int32_t ho_copies_first(const ho_replay *r); /* startable waiting copy of the lowest position, -1 */
int ho_copies_try(ho_replay *r, int32_t x);
void ho_copies_flow(ho_replay *r, int32_t x); /* after the latency */
void ho_copies_release(ho_replay *r, int32_t x);
void ho_copies_arrive(ho_replay *r, int32_t x);

/* replay_memory.c */
int ho_memory_ask(ho_replay *r, ho_memory m, int64_t bytes); /* 1: granted (nothing is taken yet) */
int32_t ho_memory_take(ho_replay *r, ho_memory m, int64_t bytes, ho_tensor t, int32_t entry, int32_t refs, int pinned);
void ho_memory_drop(ho_replay *r, int32_t buffer);            /* one user less; freed by the last */
void ho_memory_output(ho_replay *r, int32_t i, int32_t cell); /* allocates an output of entry i, which is starting */
gboolean ho_memory_initial(ho_replay *r, GError **error);
void ho_memory_finish(ho_replay *r);

/* replay_report.c */
void ho_replay_report(ho_replay *r);

/* replay_path.c */
void ho_replay_explain(ho_replay *r,
                       GArray *steps); /* fills in the bottleneck; steps: of ho_path_step, last first; may be NULL */

/* replay_policy.c */
void ho_online_arrived(ho_replay *r, int32_t cell);
void ho_online_produced(ho_replay *r, ho_tensor t, int32_t cell);
void ho_online_released(ho_replay *r, ho_op o);
void ho_online_ended(ho_replay *r, int32_t i);
void ho_online_assign(ho_replay *r);
gboolean ho_online_begin(ho_replay *r, const char *policy, GError **error);
void ho_online_end(ho_replay *r);

/* replay.c */
void ho_events_push(ho_replay *r, double time, event_kind kind, int32_t index);

#endif
