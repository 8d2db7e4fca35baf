/* estimate_tables.h: what the estimate looks up, made once per problem: costs by (op, device), copies by (memory, memory), devices and
 * tensors reduced to what matters, and the graph without its weights. Internal to sim/.
 *
 * A row is one op on one device at one precision and point, with its inputs at their own dtypes. Rows at default precision and nominal
 * point are a table; others are computed on demand into a direct-mapped cache. An op one of whose producers runs in another precision
 * than the dtype of what it makes reads other bytes: ho_est_row_adjust computes its row from the unscaled one, with the same operations
 * in the same order as ho_cost_kernel_in. */
#ifndef HO_SIM_ESTIMATE_TABLES_H
#define HO_SIM_ESTIMATE_TABLES_H

#include "sim/plan.h"
#include "sim/problem.h"

/* What sharing and adjusting need. */
typedef struct {
  double compute_time; /* s that the FLOPs alone would take */
  double compute;      /* share of the device's compute */
  double port;         /* share of the device's port */
  double draw;         /* share of its memory's bandwidth */
  double all_weights;  /* B of all weights it reads */
  double written;      /* B of traffic of its outputs */
} ho_est_more;

/* One cache line. */
typedef struct {
  double time;      /* s of the kernel alone, power cap included */
  double joules;    /* J of its FLOPs and bytes */
  double watts;     /* W above idle while it runs */
  double out;       /* B allocated when it starts: outputs that are no aliases, and workspace */
  double workspace; /* B */
  double weights;   /* B of weights that no other op reads */
  const ho_est_more *more;
  int16_t device;
  int8_t precision, point;
  int8_t foreign; /* 1: outputs do not have their own dtypes, so that the consumers' traffic changes */
  int8_t from_table;
} ho_est_row;

/* An op in this plan. Not bytes: their stores would be taken to change anything. */
typedef struct {
  int32_t entry; /* its last one */
  int16_t precision, foreign;
} ho_est_op;

/* A copy from one memory to another, without staging. */
typedef struct {
  double latency, bandwidth, energy; /* s, B/s, J/B */
  int32_t n;                         /* link directions that contention is about */
  int32_t staged;                    /* 1: goes through host */
  int32_t out_engine, n_out;         /* first copy engine outwards of its source, and how many; 0: there are enough */
  int32_t in_engine, n_in;           /* the same inwards of its destination */
  const int32_t *res;                /* resource of each */
  const double *seconds_per_byte;    /* of each */
} ho_est_route;

typedef struct {
  double launch_device, launch_host, reconfigure; /* s */
  double room;                                    /* W between busy and peak power; 0: no cap */
  double memory_bandwidth;                        /* B/s */
  int32_t memory, queue;                          /* queue: its first one */
  int8_t launch, exclusive, power_by_use;
  int8_t may_meet; /* it has several streams, or other devices its memory */
} ho_est_device;

typedef struct {
  ho_op producer;
  ho_tensor alias;
  int32_t use_begin, use_end; /* into graph->use */
  int32_t is_output;
} ho_est_tensor;

typedef struct {
  const ho_problem *q;
  const ho_graph *g;
  const ho_platform *p;
  int32_t n_ops, n_devices, n_memories;
  ho_est_row *row; /* [op * n_devices + device] */
  ho_est_more *more;
  /* Rows of the table as they are when all producers run in one foreign precision: [(op * n_devices + device) * n_foreign + index of the
   * precision], filled when first asked for (more NULL: not yet). NULL for graphs so large that it would not fit into a cache. */
  ho_est_row *reading;
  ho_est_more *reading_more;
  int32_t n_foreign, foreign_index[HO_N_PRECISIONS]; /* precisions that are some device's default for some op; -1 */
  ho_est_row *cache;                                 /* direct-mapped */
  ho_est_more *cache_more;
  uint64_t *cache_key;
  uint32_t cache_mask;
  ho_est_device *device;
  ho_est_tensor *tensor;
  double *bytes;       /* [tensor * HO_N_PRECISIONS + precision] */
  ho_est_route *route; /* [from * n_memories + to] */
  int32_t n_resources, n_engines;
  int serial;                     /* contention */
  int32_t *in_start, *in;         /* tensors an op reads, weights left out */
  int32_t *weight_start, *weight; /* all weights of an op */
  int32_t *shared_start, *shared; /* those that other ops read too */
  int32_t n_inputs, *input;       /* graph inputs */
  ho_memory *input_memory;
  double *release; /* by op, s */
  double *inputs;  /* by op: B of all it reads, weights included, at their own dtypes */
  int32_t *kind;   /* by op */
  void *blocks;    /* owner of the arrays */
} ho_est_tables;

void ho_est_tables_init(ho_est_tables *t, const ho_problem *q);
void ho_est_tables_clear(ho_est_tables *t);

/* A row that is not in the table: at this precision and point. Valid until the next call. */
const ho_est_row *ho_est_row_special(ho_est_tables *t, ho_op o, ho_device d, int precision, int point);

/* Row of the table of (o, d) as it is when all producers of o run in `precision`; NULL: not kept, adjust. */
const ho_est_row *ho_est_row_reading(ho_est_tables *t, ho_op o, ho_device d, int precision);

/* `row` as it is when the producers of the op run in the precisions of the plan. */
void ho_est_row_adjust(const ho_est_tables *t, ho_op o, const ho_est_row *row, const ho_est_op *ops, ho_est_row *out,
                       ho_est_more *more);

static inline double ho_est_bytes(const ho_est_tables *t, ho_tensor x, int precision) {
  return t->bytes[(int64_t)x * HO_N_PRECISIONS + precision];
}

#endif
