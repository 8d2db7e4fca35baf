/* estimate_memory.h: peak memory by a scan over the lifetimes of buffers. Internal to sim/.
 *
 * The walk over the plan reports what is taken, and buffers with the end of their last use so far; ho_est_memory_scan puts both in order
 * of time and goes through them at once. They come almost in order, so that an insertion sort is nearly linear; where they do not, it gives
 * up for a merge sort. At one instant memory is released before it is asked for, except that what an op of length zero reads is
 * released after its outputs were taken. Sizes are whole bytes in doubles: sums are exact. */
#ifndef HO_SIM_ESTIMATE_MEMORY_H
#define HO_SIM_ESTIMATE_MEMORY_H

#include <assert.h>
#include <stdint.h>

#include "sim/problem.h"

/* Memory that is taken, or a buffer that is released after its last use. */
typedef struct {
  double time; /* s; of a buffer: the end of its last use, INFINITY: it lives to the makespan */
  double bytes;
  int32_t memory;
  int32_t late; /* of a buffer: 1: its last use was an op of length zero */
} ho_est_event;

typedef struct {
  int32_t n_memories, host;
  const double *capacity;
  double *base; /* B that live from 0 on: inputs and weights */
  double *peak; /* B, result */
  double *live;
  ho_est_event *taken, *buffer, *scratch;
  int32_t n_taken, n_buffers, max_taken, max_buffers;
} ho_est_memory;

void ho_est_memory_init(ho_est_memory *m, int32_t n_memories, int32_t host, const double *capacity);
void ho_est_memory_clear(ho_est_memory *m);
void ho_est_memory_reserve(ho_est_memory *m, int32_t taken, int32_t buffers); /* before a run */
void ho_est_memory_begin(ho_est_memory *m);

static inline void ho_est_memory_take(ho_est_memory *m, double time, int32_t memory, double bytes) {
  assert(m->n_taken < m->max_taken);
  m->taken[m->n_taken++] = (ho_est_event){time, bytes, memory, 0};
}

/* A buffer that is counted already (in what was taken, or in `base`); `last` and `late` as above. Returns its number. */
static inline int32_t ho_est_memory_buffer(ho_est_memory *m, int32_t memory, double bytes, double last, int32_t late) {
  assert(m->n_buffers < m->max_buffers);
  m->buffer[m->n_buffers] = (ho_est_event){last, bytes, memory, late};
  return m->n_buffers++;
}

/* The buffer is in use until `end`; `late`: by an op that started at `end`. */
static inline void ho_est_memory_use(ho_est_memory *m, int32_t buffer, double end, int32_t late) {
  ho_est_event *b = &m->buffer[buffer];
  if (end > b->time) {
    b->time = end;
    b->late = late;
  } else if (end == b->time) {
    b->late |= late;
  }
}

/* Fills peak[] and the memory figures of a run. 1 when a capacity is exceeded. */
int ho_est_memory_scan(ho_est_memory *m, ho_figures *out);

#endif
