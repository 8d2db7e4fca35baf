/* estimate_tables.c: see estimate_tables.h. */
#include "sim/estimate_tables.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"

static const uint64_t no_key = UINT64_MAX;

/* Seconds of the kernel alone under the device's power cap: a kernel that would draw more than peak - busy stretches. */
static double capped(const ho_device_info *d, double time, double joules) {
  double room = d->peak_power - d->busy;
  if (d->power_by_use || !(room > 0) || !isfinite(room) || !(joules > 0)) return time;
  return fmax(time, joules / room);
}

static double watts_above_idle(const ho_device_info *d, const ho_kernel *k, int point) {
  double power = d->point[point].power;
  if (!d->power_by_use) return (d->busy - d->idle) * power;
  double memory = k->time > 0 ? k->memory_time / k->time : 0;
  return (d->peak_power - d->idle) * fmax(k->use, memory) * power;
}

/* Everything of a row that follows from a kernel. */
static void fill_from_kernel(const ho_est_tables *t, ho_est_row *r, const ho_kernel *k) {
  const ho_device_info *d = &t->p->device[r->device];
  r->time = capped(d, k->time, k->joules);
  r->joules = k->joules;
  r->watts = watts_above_idle(d, k, r->point);
  r->compute_time = k->compute_time;
  r->compute = k->compute;
  r->from_table = (int8_t)k->from_table;
  r->port = r->time > 0 && isfinite(r->time) ? fmin(1, k->memory_time * d->point[r->point].speed / r->time) : 0;
  r->draw = r->time > 0 && isfinite(r->time) ? fmin(1, k->bytes / r->time / t->p->memory[d->memory].bandwidth) : 0;
}

static void fill_row(const ho_est_tables *t, ho_est_row *r, ho_op o, ho_device d, ho_dtype p, int point) {
  const ho_graph *g = t->g;
  memset(r, 0, sizeof *r);
  r->device = (int16_t)d;
  r->precision = (int8_t)p;
  r->point = (int8_t)point;
  ho_kernel k = ho_cost_kernel_at(t->q->cost, o, d, p, point);
  fill_from_kernel(t, r, &k);
  r->workspace = r->out = (double)g->op[o].workspace;
  if (p < 0) return;
  for (int32_t i = g->out_start[o]; i < g->out_start[o + 1]; i++) {
    const ho_tensor_info *x = &g->tensor[g->out[i]];
    double bytes = ho_est_bytes(t, g->out[i], p);
    if (x->alias < 0) r->out += bytes;
    if (bytes != (double)x->bytes) r->foreign = 1;
  }
  for (int32_t i = t->weight_start[o]; i < t->weight_start[o + 1]; i++) {
    int32_t w = t->weight[i];
    if (g->use_start[w + 1] - g->use_start[w] == 1) r->weights += ho_est_bytes(t, w, p);
  }
}

const ho_est_row *ho_est_row_at(ho_est_tables *t, ho_op o, ho_device d, int precision, int point) {
  const ho_est_row *usual = &t->row[(int64_t)o * t->n_devices + d];
  if (point == 0 && (precision < 0 || precision == usual->precision)) return usual;
  if (precision < 0) precision = usual->precision;
  uint64_t key = (((uint64_t)o * (uint64_t)t->n_devices + (uint64_t)d) << 16) | (uint64_t)(precision << 8) | (uint64_t)point;
  uint64_t slot = key * UINT64_C(0x9E3779B97F4A7C15);
  slot = (slot >> 32) & t->cache_mask;
  if (t->cache_key[slot] != key) {
    fill_row(t, &t->cache[slot], o, d, (ho_dtype)precision, point);
    t->cache_key[slot] = key;
  }
  return &t->cache[slot];
}

/* The same operations in the same order as ho_cost_kernel_in, so that both give the same bits. */
void ho_est_row_adjust(const ho_est_tables *t, ho_op o, const ho_est_row *row, const int8_t *precision_of, ho_est_row *out) {
  *out = *row;
  if (row->from_table) return;
  ho_kernel k = ho_cost_kernel_in(t->q->cost, o, row->device, (ho_dtype)row->precision, row->point, precision_of);
  fill_from_kernel(t, out, &k);
}

static void fill_bytes(ho_est_tables *t) {
  for (ho_tensor x = 0; x < t->g->n_tensors; x++)
    for (int p = 0; p < HO_N_PRECISIONS; p++)
      t->bytes[(int64_t)x * HO_N_PRECISIONS + p] = (double)ho_tensor_bytes(&t->g->tensor[x], (ho_dtype)p);
}

/* Number of tensors op o reads that pass `kind`: 0 activations and inputs, 1 weights, 2 weights that others read too. */
static int is_kind(const ho_graph *g, ho_tensor x, int kind) {
  int weight = g->tensor[x].role == HO_ROLE_WEIGHT;
  if (kind == 0) return !weight;
  return weight && (kind == 1 || g->use_start[x + 1] - g->use_start[x] > 1);
}

static void fill_reads(ho_est_tables *t, ho_arena *a, int kind, int32_t **start, int32_t **list) {
  const ho_graph *g = t->g;
  *start = ho_arena_new_array(a, int32_t, g->n_ops + 1);
  *list = ho_arena_new_array(a, int32_t, g->in_start[g->n_ops] + 1);
  int32_t n = 0;
  for (ho_op o = 0; o < g->n_ops; o++) {
    (*start)[o] = n;
    for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++)
      if (is_kind(g, g->in[i], kind)) (*list)[n++] = g->in[i];
  }
  (*start)[g->n_ops] = n;
}

static void fill_graph(ho_est_tables *t, ho_arena *a) {
  const ho_graph *g = t->g;
  fill_reads(t, a, 0, &t->in_start, &t->in);
  fill_reads(t, a, 1, &t->weight_start, &t->weight);
  fill_reads(t, a, 2, &t->shared_start, &t->shared);
  t->input = ho_arena_new_array(a, int32_t, g->n_tensors + 1);
  t->input_memory = ho_arena_new_array(a, ho_memory, g->n_tensors + 1);
  for (ho_tensor x = 0; x < g->n_tensors; x++) {
    if (g->tensor[x].producer >= 0 || g->tensor[x].role == HO_ROLE_WEIGHT) continue;
    ho_memory m = g->tensor[x].memory ? ho_platform_find_memory(t->p, g->tensor[x].memory) : t->p->host;
    t->input_memory[t->n_inputs] = m >= 0 ? m : t->p->host;
    t->input[t->n_inputs++] = x;
  }
}

/* Contention is about the directions of links that are not fat: 2·link forward, 2·link+1 backward; one of both when half. */
static void fill_route(ho_est_tables *t, ho_arena *a, const ho_route *r, ho_est_route *out) {
  out->latency = r->latency;
  out->bandwidth = r->bandwidth;
  out->energy = r->energy;
  if (!r->reachable) out->bandwidth = 0;
  int32_t *res = ho_arena_new_array(a, int32_t, r->n + 1);
  double *spb = ho_arena_new_array(a, double, r->n + 1);
  for (int32_t i = 0; i < r->n && t->p->contention != HO_CONTENTION_NONE; i++) {
    const ho_link_info *l = &t->p->link[r->hop[i].link];
    if (l->duplex == HO_DUPLEX_FAT) continue;
    res[out->n] = 2 * r->hop[i].link + (l->duplex == HO_DUPLEX_FULL ? r->hop[i].backward : 0);
    spb[out->n++] = 1 / l->bandwidth;
  }
  out->res = res;
  out->seconds_per_byte = spb;
}

static void fill_routes(ho_est_tables *t, ho_arena *a) {
  int32_t n = t->n_memories;
  t->n_resources = 2 * t->p->n_links;
  t->route = ho_arena_new_array(a, ho_est_route, n * n);
  for (ho_memory from = 0; from < n; from++)
    for (ho_memory to = 0; to < n; to++) {
      ho_est_route *r = &t->route[from * n + to];
      fill_route(t, a, ho_platform_route(t->p, from, to), r);
      r->staged = from != to && !ho_platform_direct(t->p, from, to);
    }
}

ho_est_tables *ho_est_tables_new(const ho_problem *q) {
  ho_arena *a = ho_arena_new();
  ho_est_tables *t = ho_arena_new_array(a, ho_est_tables, 1);
  *t = (ho_est_tables){.q = q, .g = q->graph, .p = q->platform, .blocks = a};
  t->n_ops = t->g->n_ops;
  t->n_devices = t->p->n_devices;
  t->n_memories = t->p->n_memories;
  t->bytes = ho_arena_new_array(a, double, ((int64_t)t->g->n_tensors + 1) * HO_N_PRECISIONS);
  fill_bytes(t);
  fill_graph(t, a);
  fill_routes(t, a);
  t->launch_device = ho_arena_new_array(a, double, t->n_devices);
  t->launch_host = ho_arena_new_array(a, double, t->n_devices);
  for (ho_device d = 0; d < t->n_devices; d++) {
    t->launch_device[d] = t->p->device[d].launch_device;
    t->launch_host[d] = t->p->device[d].launch_host;
  }
  t->row = ho_arena_new_array(a, ho_est_row, (int64_t)t->n_ops * t->n_devices + 1);
  for (ho_op o = 0; o < t->n_ops; o++)
    for (ho_device d = 0; d < t->n_devices; d++)
      fill_row(t, &t->row[(int64_t)o * t->n_devices + d], o, d, ho_cost_default_precision(q->cost, o, d), 0);
  uint32_t size = 256;
  while (size < 4 * (uint32_t)t->n_ops && size < (1U << 20)) size *= 2;
  t->cache_mask = size - 1;
  t->cache = ho_arena_new_array(a, ho_est_row, size);
  t->cache_key = ho_arena_new_array(a, uint64_t, size);
  for (uint32_t i = 0; i < size; i++) t->cache_key[i] = no_key;
  return t;
}

void ho_est_tables_free(ho_est_tables *t) {
  if (t) ho_arena_free(t->blocks);
}
