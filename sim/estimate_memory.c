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
  g_free(m->event);
  g_free(m->sorted);
  g_free(m->bucket);
  g_free(m->bucket_of);
  g_free(m->buffer);
}

void ho_est_memory_reserve(ho_est_memory *m, int32_t events, int32_t buffers) {
  events += buffers; /* each buffer ends in one event */
  if (buffers > m->max_buffers) {
    m->max_buffers = buffers;
    m->buffer = g_renew(ho_est_buffer, m->buffer, buffers);
  }
  if (events <= m->max_events) return;
  m->max_events = events;
  m->event = g_renew(ho_est_event, m->event, events);
  m->sorted = g_renew(ho_est_event, m->sorted, events);
  m->bucket_of = g_renew(int32_t, m->bucket_of, events);
  m->bucket = g_renew(int32_t, m->bucket, events + 2);
}

void ho_est_memory_begin(ho_est_memory *m) {
  m->n_events = m->n_buffers = 0;
  memset(m->base, 0, sizeof(double) * (size_t)m->n_memories);
}

static inline int after(const ho_est_event *a, const ho_est_event *b) {
  return a->time > b->time || (a->time == b->time && a->rank > b->rank);
}

/* Shell sort of one bucket; it holds a handful of events unless many share one instant. Ciura's gaps. */
static void sort_bucket(ho_est_event *v, int32_t n) {
  static const int32_t gaps[] = {701, 301, 132, 57, 23, 10, 4, 1};
  int32_t k = n > 10 ? 0 : 7;
  for (; k < 8; k++)
    for (int32_t i = gaps[k]; i < n; i++) {
      ho_est_event e = v[i];
      int32_t j = i;
      for (; j >= gaps[k] && after(&v[j - gaps[k]], &e); j -= gaps[k]) v[j] = v[j - gaps[k]];
      v[j] = e;
    }
}

/* Puts the events in order of time into m->sorted. */
static void sort_events(ho_est_memory *m, double makespan) {
  int32_t n = m->n_events;
  double scale = makespan > 0 ? (double)n / makespan : 0;
  if (!isfinite(scale)) scale = 0;
  memset(m->bucket, 0, sizeof(int32_t) * ((size_t)n + 2));
  for (int32_t i = 0; i < n; i++) {
    double x = m->event[i].time * scale;
    int32_t b = x < (double)n ? (int32_t)x : n - 1;
    m->bucket_of[i] = b;
    m->bucket[b + 1]++;
  }
  for (int32_t b = 0; b < n; b++) m->bucket[b + 1] += m->bucket[b];
  for (int32_t i = 0; i < n; i++) m->sorted[m->bucket[m->bucket_of[i]]++] = m->event[i];
  /* bucket[b] is now where bucket b ends */
  for (int32_t b = 0, from = 0; b < n; from = m->bucket[b++])
    if (m->bucket[b] - from > 1) sort_bucket(m->sorted + from, m->bucket[b] - from);
}

int ho_est_memory_scan(ho_est_memory *m, double makespan, ho_figures *out) {
  for (int32_t i = 0; i < m->n_buffers; i++) {
    const ho_est_buffer *b = &m->buffer[i];
    if (b->last < makespan) ho_est_memory_event(m, b->last, b->memory, -b->bytes, b->late ? 2 : 0);
  }
  sort_events(m, makespan);
  double all = 0;
  for (int32_t k = 0; k < m->n_memories; k++) all += m->peak[k] = m->live[k] = m->base[k];
  double host = m->live[m->host], most = all, most_accelerator = all - host;
  for (int32_t i = 0; i < m->n_events; i++) {
    const ho_est_event *e = &m->sorted[i];
    int32_t k = e->memory;
    m->live[k] += e->bytes;
    all += e->bytes;
    if (e->bytes <= 0) continue;
    if (m->live[k] > m->peak[k]) m->peak[k] = m->live[k];
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
