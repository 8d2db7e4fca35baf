/* estimate_tables.h: what the estimate looks up, made once per problem: costs by (op, device), copies by (memory, memory), and the graph
 * without its weights. Internal to sim/.
 *
 * A row is one op on one device at one precision and point, with its inputs at their own dtypes. Rows at default precision and nominal
 * point are a table; others are computed on demand into a direct-mapped cache. An op one of whose producers runs in another precision
 * than its dtype reads other bytes: ho_est_row_adjust computes its row from the unscaled one. */
#ifndef HO_SIM_ESTIMATE_TABLES_H
#define HO_SIM_ESTIMATE_TABLES_H

#include "sim/plan.h"
#include "sim/problem.h"

typedef struct {
  double time;   /* s of the kernel alone, power cap included */
  double joules; /* J of its FLOPs and bytes */
  double watts;  /* W above idle while it runs */
  double out;    /* B allocated when it starts: outputs that are no aliases, and workspace */
  double workspace;
  double weights; /* B of weights that no other op reads */
  int16_t device;
  int8_t precision;
  int8_t foreign; /* 1: this precision is not the op's dtype, so that its consumers' traffic changes */
  int8_t from_table;
  int8_t point;
  /* what sharing and adjusting need */
  double compute_time;
  double compute; /* share of the device's compute */
  double port;    /* share of the device's port */
  double draw;    /* share of its memory's bandwidth */
} ho_est_row;

/* A copy from one memory to another, without staging. */
typedef struct {
  double latency, bandwidth, energy; /* s, B/s, J/B */
  int32_t n;                         /* link directions that contention is about */
  const int32_t *res;                /* resource of each */
  const double *seconds_per_byte;    /* of each */
  int32_t staged;                    /* 1: goes through host */
} ho_est_route;

typedef struct {
  const ho_problem *q;
  const ho_graph *g;
  const ho_platform *p;
  int32_t n_ops, n_devices, n_memories;
  ho_est_row *row;   /* [op * n_devices + device] */
  ho_est_row *cache; /* direct-mapped */
  uint64_t *cache_key;
  uint32_t cache_mask;
  double *bytes;       /* [tensor * HO_N_PRECISIONS + precision] */
  ho_est_route *route; /* [from * n_memories + to] */
  int32_t n_resources;
  int32_t *in_start, *in;         /* tensors an op reads, weights left out */
  int32_t *weight_start, *weight; /* all weights of an op */
  int32_t *shared_start, *shared; /* those that other ops read too */
  int32_t n_inputs, *input;       /* graph inputs */
  ho_memory *input_memory;
  double *launch_device, *launch_host; /* by device */
  void *blocks;                        /* owner of the arrays */
} ho_est_tables;

ho_est_tables *ho_est_tables_new(const ho_problem *q);
void ho_est_tables_free(ho_est_tables *t);

/* Row of an entry of a plan. */
const ho_est_row *ho_est_row_at(ho_est_tables *t, ho_op o, ho_device d, int precision, int point);

/* `row` as it is when the producers of the op run in precision_of[producer]. */
void ho_est_row_adjust(const ho_est_tables *t, ho_op o, const ho_est_row *row, const int8_t *precision_of, ho_est_row *out);

static inline double ho_est_bytes(const ho_est_tables *t, ho_tensor x, int precision) {
  return t->bytes[(int64_t)x * HO_N_PRECISIONS + precision];
}

#endif
