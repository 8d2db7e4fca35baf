/* estimate_memory.c: see estimate_memory.h. */
#include "sim/estimate_memory.h"

#include <glib.h>
#include <math.h>
#include <string.h>

void ho_est_memory_init(ho_est_memory *m, int32_t n_memories, int32_t host, const double *capacity) {
  *m = (ho_est_memory){.n_memories = n_memories, .host = host, .capacity = capacity};
  m->base = g_new0(double, n_memories);
  m->peak = g_new0(double, n_memories);
  m->live = g_new0(double, n_memories);
}

void ho_est_memory_clear(ho_est_memory *m) {
  g_free(m->base);
  g_free(m->peak);
  g_free(m->live);
  g_free(m->taken);
  g_free(m->scratch);
  g_free(m->buffer);
}

void ho_est_memory_reserve(ho_est_memory *m, int32_t taken, int32_t buffers) {
  m->max_taken = taken;
  m->max_buffers = buffers;
  m->taken = g_renew(ho_est_event, m->taken, taken + 1);
  m->buffer = g_renew(ho_est_event, m->buffer, buffers + 1);
  m->scratch = g_renew(ho_est_event, m->scratch, MAX(taken, buffers) + 1);
}

void ho_est_memory_begin(ho_est_memory *m) {
  m->n_taken = m->n_buffers = 0;
  memset(m->base, 0, sizeof(double) * (size_t)m->n_memories);
}

/* --- putting events in order ----------------------------------------------------------------------------------------------------- */
static inline int after(const ho_est_event *a, const ho_est_event *b) {
  return a->time > b->time || (a->time == b->time && a->late > b->late);
}

static void merge_sort(ho_est_event *v, ho_est_event *scratch, int32_t n) {
  for (int32_t width = 1; width < n; width *= 2) {
    for (int32_t from = 0; from < n; from += 2 * width) {
      int32_t mid = MIN(from + width, n), to = MIN(from + 2 * width, n), i = from, j = mid;
      for (int32_t k = from; k < to; k++) scratch[k] = i < mid && (j >= to || !after(&v[i], &v[j])) ? v[i++] : v[j++];
    }
    memcpy(v, scratch, sizeof *v * (size_t)n);
  }
}

static void sort_events(ho_est_event *v, ho_est_event *scratch, int32_t n) {
  int64_t moves_left = 8 * (int64_t)n;
  for (int32_t i = 1; i < n; i++) {
    if (v[i - 1].time < v[i].time || !after(&v[i - 1], &v[i])) continue;
    ho_est_event x = v[i];
    int32_t j = i;
    for (; j > 0 && after(&v[j - 1], &x); j--) v[j] = v[j - 1];
    v[j] = x;
    moves_left -= i - j;
    if (moves_left >= 0) continue;
    merge_sort(v, scratch, n);
    return;
  }
}

int ho_est_memory_scan(ho_est_memory *m, ho_figures *out) {
  sort_events(m->taken, m->scratch, m->n_taken);
  sort_events(m->buffer, m->scratch, m->n_buffers);
  double all = 0;
  for (int32_t k = 0; k < m->n_memories; k++) all += m->peak[k] = m->live[k] = m->base[k];
  double most = all, most_accelerator = all - m->live[m->host];
  m->buffer[m->n_buffers].time = INFINITY; /* so that the walk need not count */
  const ho_est_event *f = m->buffer;
  for (const ho_est_event *e = m->taken; e < m->taken + m->n_taken; e++) {
    for (; f->time < e->time || (f->time == e->time && !f->late); f++) {
      m->live[f->memory] -= f->bytes;
      all -= f->bytes;
    }
    double live = m->live[e->memory] += e->bytes;
    all += e->bytes;
    if (live > m->peak[e->memory]) m->peak[e->memory] = live;
    if (all > most) most = all;
    if (all - m->live[m->host] > most_accelerator) most_accelerator = all - m->live[m->host];
  }
  int over = 0;
  out->tightest = 0;
  for (int32_t k = 0; k < m->n_memories; k++) {
    over |= m->peak[k] > m->capacity[k];
    double share = m->peak[k] > 0 ? m->peak[k] / m->capacity[k] : 0;
    if (share > out->tightest) out->tightest = share;
  }
  out->total = most;
  out->accelerator = most_accelerator;
  return over;
}
