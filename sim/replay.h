/* replay.h: the discrete-event engine: what a plan does, exactly as docs/replay.md says.
 *
 * A replay object holds all state of one problem's replays; nothing is allocated while events run. The result points into the
 * object and is valid until its next run. One object per thread. Same plan, same options: same bits.
 *
 * Order at one instant: releases of memory and devices, then arrivals, then starts; within a kind in the order in which the
 * activities started, then by index.
 * Failure: HO_ERROR_INFEASIBLE names op, memory, time and bytes when nothing that runs can release what is needed. */
#ifndef HO_SIM_REPLAY_H
#define HO_SIM_REPLAY_H

#include <glib.h>

#include "sim/plan.h"
#include "sim/problem.h"

G_BEGIN_DECLS

typedef struct {
  uint64_t seed;
  int64_t replicate, replay;
  double noise;       /* coefficient of variation of kernel and transfer durations; 0: none */
  double model_error; /* coefficient of variation of device efficiencies; 0: none */
} ho_replay_options;

typedef enum { HO_BOTTLENECK_COMPUTE, HO_BOTTLENECK_TRANSFER, HO_BOTTLENECK_LAUNCH, HO_BOTTLENECK_MEMORY } ho_bottleneck;

typedef struct {
  double start, end; /* s; start: when the op took its queue's head; end of the kernel */
  double kernel;     /* s; start + the device's launch seconds */
  double launched;   /* s; when the dispatcher had launched it */
  double ready;      /* s; when its last input had arrived */
} ho_replay_op;

typedef struct {
  ho_tensor tensor;
  ho_memory from, to;
  double requested;  /* s: when its source was there */
  double start, end; /* s */
  double bytes;
  int32_t for_entry; /* the first consumer's entry */
} ho_replay_transfer;

typedef struct {
  double busy;                       /* s: one or more kernels run */
  double energy;                     /* J */
  double utilisation;                /* busy / makespan */
  double idle_energy, kernel_energy; /* J: energy = idle_energy + kernel_energy */
  double time_energy;                /* J of kernel_energy for time with kernels, the rest being per FLOP and per byte */
  double memory_time_energy;         /* J of time_energy where power follows use, while memory was used more than compute */
} ho_replay_device;

typedef struct {
  double bytes;  /* both directions */
  double busy;   /* s: one or more transfers draw on it */
  double energy; /* J */
} ho_replay_link;

typedef struct {
  double peak; /* B live at once */
} ho_replay_memory;

typedef struct {
  ho_figures figures;
  const ho_replay_op *op; /* by entry */
  int32_t n_transfers;
  const ho_replay_transfer *transfer; /* in order of start */
  const ho_replay_device *device;
  const ho_replay_link *link;
  const ho_replay_memory *memory;
  ho_bottleneck bottleneck; /* largest share of the critical path through the replay */
  double share[4];          /* s of the critical path by ho_bottleneck; sum: the makespan less waits for release times */
  double decided;           /* s: when a policy's own run ended: the latency, unless memory made ops wait; NAN for a plan */
  int64_t events;
  const ho_problem *problem; /* that op, tensor and entry belong to: on the plan's own graph where it has rewrites */
  const ho_plan *plan;       /* what was replayed; for a policy, the plan that replays to the same times */
} ho_replay_result;

typedef struct ho_replay ho_replay;

ho_replay *ho_replay_new(const ho_problem *q);
void ho_replay_free(ho_replay *r);

/* Replays a plan (it is checked first). NULL on error. */
const ho_replay_result *ho_replay_run(ho_replay *r, const ho_plan *plan, const ho_replay_options *options, GError **error);

/* Runs an online policy ("fifo", "dmda", …; names in ho_policy_names, NULL-terminated); `random` draws from options->seed. */
const ho_replay_result *ho_replay_policy(ho_replay *r, const char *policy, const ho_replay_options *options, GError **error);
/* What the last policy decided, also where that then did not fit into memory; NULL: it came to no end. Valid until the next run. */
const ho_plan *ho_replay_decided(const ho_replay *r);
extern const char *const ho_policy_names[];
const char *ho_policy_summary(const char *name); /* one line; NULL: not known */

/* One allocation in a memory, for plots and traces, and its place in the arena plan (offsets by lifetime, no overlap). */
typedef struct {
  ho_tensor tensor; /* -1: workspace */
  int32_t entry;    /* that asked for it; -1: there from the start */
  ho_memory memory;
  double from, to; /* s */
  int64_t born,
      died; /* the same as places in the order of all that is taken and freed, which tells lives within one instant apart */
  double bytes;
  double offset; /* B in the arena plan */
} ho_replay_buffer;

/* Buffers of the last run, in the order in which they were taken; valid until the next run. Allocates: outside hot loops. */
int32_t ho_replay_buffers(ho_replay *r, const ho_replay_buffer **buffers);
/* B that a real allocator would need in each memory: the arena plan of the last run. Beside peak, which no arena can undercut. */
const double *ho_replay_arena(ho_replay *r);

/* Why an op of the critical path did not start earlier: what it waited for last. */
typedef enum {
  HO_PATH_START,      /* nothing: it began at time 0 */
  HO_PATH_FOR_DATA,   /* the op before it on the path made its input here */
  HO_PATH_FOR_COPY,   /* a copy brought its input here */
  HO_PATH_FOR_DEVICE, /* the op before it on the path was ahead in its queue, or held its device */
  HO_PATH_FOR_LAUNCH, /* by the host */
  HO_PATH_FOR_MEMORY, /* everything was there, and its outputs had no room */
  HO_PATH_FOR_TIME    /* a release or a not_before */
} ho_path_cause;

/* What its seconds went to: the first four as ho_bottleneck. */
typedef enum {
  HO_PATH_COMPUTE,  /* its kernel */
  HO_PATH_TRANSFER, /* copies of its input, waits for engines and links included */
  HO_PATH_LAUNCH,   /* by the host, and on the device before the kernel */
  HO_PATH_MEMORY,   /* waits for room */
  HO_PATH_TIME,     /* a prescribed time */
  HO_N_PATH_CLASSES
} ho_path_class;

typedef struct {
  int32_t entry; /* -1: the last step, a copy that no op waits for */
  ho_path_cause cause;
  int32_t transfer; /* into ho_replay_result.transfer: the copy it waited for; -1: none */
  double from, to;  /* s: one step ends where the next one begins; the first begins at 0, the last ends at the makespan */
  double seconds[HO_N_PATH_CLASSES]; /* sum: to - from */
} ho_path_step;

/* The critical path of the last run, in order of time; caller frees with g_array_unref. Allocates: outside hot loops. */
GArray *ho_replay_path(ho_replay *r);
const char *ho_path_cause_name(ho_path_cause c);
const char *ho_path_class_name(ho_path_class c);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ho_replay, ho_replay_free)

G_END_DECLS

#endif
