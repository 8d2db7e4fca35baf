/* estimate_tables.c: see estimate_tables.h. */
#include "sim/estimate_tables.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"

static const uint64_t no_key = UINT64_MAX;

/* --- rows ----------------------------------------------------------------------------------------------------------------------- */
static double watts_above_idle(const ho_device_info *d, double use, double memory_share, int point) {
  double power = d->point[point].power;
  if (!d->power_by_use) return (d->busy - d->idle) * power;
  double most = use > memory_share ? use : memory_share;
  return (d->peak_power - d->idle) * (most < 1 ? most : 1) * power;
}

/* Everything of a row that follows from a kernel. One that would draw more than the room under the power cap stretches. What only kernels
 * that meet others need is left out where none can. */
static inline void fill_from_kernel(const ho_est_tables *t, ho_est_row *r, ho_est_more *more, const ho_kernel *k) {
  const ho_est_device *d = &t->device[r->device];
  r->time = d->room > 0 && !k->from_table && k->joules > k->time * d->room ? fmax(k->time, k->joules / d->room) : k->time;
  r->joules = k->joules;
  if (!d->may_meet && !d->power_by_use) return;
  double per_second = k->time > 0 && k->time < INFINITY ? 1 / k->time : 0;
  more->port = k->memory_time * per_second;
  more->draw = k->bytes * per_second / d->memory_bandwidth;
  double use = k->from_table ? k->use : k->compute_time * k->compute * per_second;
  r->watts = watts_above_idle(&t->p->device[r->device], use, more->port, r->point);
}

static void fill_row(const ho_est_tables *t, ho_est_row *r, ho_est_more *more, ho_op o, ho_device d, ho_dtype p, int point) {
  const ho_graph *g = t->g;
  memset(r, 0, sizeof *r);
  memset(more, 0, sizeof *more);
  r->more = more;
  r->device = (int16_t)d;
  r->precision = (int8_t)p;
  r->point = (int8_t)point;
  ho_kernel k = ho_cost_kernel_at(t->q->cost, o, d, p, point);
  r->from_table = (int8_t)k.from_table;
  more->compute_time = k.compute_time;
  more->compute = k.compute;
  fill_from_kernel(t, r, more, &k);
  r->watts = watts_above_idle(&t->p->device[d], k.use, k.time > 0 && k.time < INFINITY ? k.memory_time / k.time : 0, point);
  r->workspace = r->out = (double)g->op[o].workspace;
  if (p < 0) return;
  double own = 0, scaled = 0;
  for (int32_t i = g->out_start[o]; i < g->out_start[o + 1]; i++) {
    const ho_tensor_info *x = &g->tensor[g->out[i]];
    double bytes = ho_est_bytes(t, g->out[i], p);
    own += (double)x->bytes;
    scaled += bytes;
    if (x->alias < 0) r->out += bytes;
    if (bytes != (double)x->bytes) r->foreign = 1;
  }
  more->written = own > 0 ? g->op[o].write * (scaled / own) : g->op[o].write;
  for (int32_t i = t->weight_start[o]; i < t->weight_start[o + 1]; i++) {
    ho_tensor w = t->weight[i];
    more->all_weights += ho_est_bytes(t, w, p);
    if (g->use_start[w + 1] - g->use_start[w] == 1) r->weights += ho_est_bytes(t, w, p);
  }
}

const ho_est_row *ho_est_row_special(ho_est_tables *t, ho_op o, ho_device d, int precision, int point) {
  if (precision < 0) precision = t->row[(int64_t)o * t->n_devices + d].precision;
  uint64_t key = (((uint64_t)o * (uint64_t)t->n_devices + (uint64_t)d) << 16) | (uint64_t)(precision << 8) | (uint64_t)point;
  uint64_t slot = ((key * UINT64_C(0x9E3779B97F4A7C15)) >> 32) & t->cache_mask;
  if (t->cache_key[slot] != key) {
    fill_row(t, &t->cache[slot], &t->cache_more[slot], o, d, (ho_dtype)precision, point);
    t->cache_key[slot] = key;
  }
  return &t->cache[slot];
}

/* Producers run in ops[producer].precision, or all in `precision` where ops is NULL. */
static void adjust(const ho_est_tables *t, ho_op o, const ho_est_row *row, const ho_est_op *ops, int precision, ho_est_row *out,
                   ho_est_more *more) {
  *out = *row;
  const ho_op_info *op = &t->g->op[o];
  const ho_device_info *d = &t->p->device[row->device];
  const ho_point *at = &d->point[row->point];
  double own = t->inputs[o], scaled = row->more->all_weights;
  for (int32_t i = t->in_start[o]; i < t->in_start[o + 1]; i++) {
    ho_op producer = t->tensor[t->in[i]].producer;
    int p = ops && producer >= 0 ? ops[producer].precision : precision;
    scaled += producer >= 0 ? ho_est_bytes(t, t->in[i], p) : (double)t->g->tensor[t->in[i]].bytes;
  }
  ho_kernel k = {.compute_time = row->more->compute_time, .compute = row->more->compute, .use = 1, .from_table = row->from_table};
  double bytes = (own > 0 ? op->read * (scaled / own) : op->read) + row->more->written;
  double per_flop = row->precision >= 0 ? d->per_flop[row->precision] : 0;
  k.joules = (per_flop * op->flops + d->per_byte * bytes) * at->power / at->speed;
  if (!k.from_table && bytes > 0) {
    k.bytes = bytes;
    k.memory_time = fmax(bytes / (d->bandwidth * ho_device_memory_efficiency(d, op->family)) / at->speed,
                         bytes / t->device[row->device].memory_bandwidth);
  }
  k.time = k.compute_time > k.memory_time ? k.compute_time : k.memory_time;
  if (t->device[row->device].may_meet) { /* else the shares are not looked at */
    *more = *row->more;
    out->more = more;
  }
  fill_from_kernel(t, out, more, &k);
}

void ho_est_row_adjust(const ho_est_tables *t, ho_op o, const ho_est_row *row, const ho_est_op *ops, ho_est_row *out,
                       ho_est_more *more) {
  adjust(t, o, row, ops, -1, out, more);
}

const ho_est_row *ho_est_row_reading(ho_est_tables *t, ho_op o, ho_device d, int precision) {
  if (!t->reading || t->foreign_index[precision] < 0) return NULL;
  int64_t cell = (int64_t)o * t->n_devices + d, k = cell * t->n_foreign + t->foreign_index[precision];
  ho_est_row *row = &t->reading[k];
  if (row->more) return row;
  adjust(t, o, &t->row[cell], NULL, precision, row, &t->reading_more[k]);
  return row;
}

static void *on_cache_lines(ho_arena *a, size_t rows) {
  uintptr_t block = (uintptr_t)ho_arena_alloc(a, (rows + 1) * sizeof(ho_est_row));
  return (void *)((block + sizeof(ho_est_row) - 1) / sizeof(ho_est_row) * sizeof(ho_est_row));
}

static void make_reading(ho_est_tables *t, ho_arena *a) {
  enum { MOST_ROWS = 1 << 16 };
  size_t cells = (size_t)t->n_ops * (size_t)t->n_devices;
  for (int p = 0; p < HO_N_PRECISIONS; p++) t->foreign_index[p] = -1;
  for (size_t k = 0; k < cells; k++)
    if (t->row[k].foreign && t->foreign_index[t->row[k].precision] < 0) t->foreign_index[t->row[k].precision] = t->n_foreign++;
  if (t->n_foreign == 0 || cells * (size_t)t->n_foreign > MOST_ROWS) return;
  t->reading = on_cache_lines(a, cells * (size_t)t->n_foreign);
  t->reading_more = ho_arena_new_array(a, ho_est_more, cells * (size_t)t->n_foreign + 1);
}

static void fill_rows(ho_est_tables *t, ho_arena *a) {
  size_t cells = (size_t)t->n_ops * (size_t)t->n_devices;
  t->row = on_cache_lines(a, cells);
  t->more = ho_arena_new_array(a, ho_est_more, cells + 1);
  for (ho_op o = 0; o < t->n_ops; o++)
    for (ho_device d = 0; d < t->n_devices; d++) {
      int64_t k = (int64_t)o * t->n_devices + d;
      fill_row(t, &t->row[k], &t->more[k], o, d, ho_cost_default_precision(t->q->cost, o, d), 0);
    }
  make_reading(t, a);
  uint32_t size = 256;
  while (size < 4 * (uint32_t)t->n_ops && size < (1U << 18)) size *= 2;
  t->cache_mask = size - 1;
  t->cache = ho_arena_new_array(a, ho_est_row, size);
  t->cache_more = ho_arena_new_array(a, ho_est_more, size);
  t->cache_key = ho_arena_new_array(a, uint64_t, size);
  for (uint32_t i = 0; i < size; i++) t->cache_key[i] = no_key;
}

/* --- the graph ------------------------------------------------------------------------------------------------------------------ */
typedef enum { READS_ACTIVATIONS, READS_WEIGHTS, READS_SHARED_WEIGHTS } reads;

static int is_read(const ho_graph *g, ho_tensor x, reads what) {
  int weight = g->tensor[x].role == HO_ROLE_WEIGHT;
  if (what == READS_ACTIVATIONS) return !weight;
  return weight && (what == READS_WEIGHTS || g->use_start[x + 1] - g->use_start[x] > 1);
}

static void fill_reads(ho_est_tables *t, ho_arena *a, reads what, int32_t **start, int32_t **list) {
  const ho_graph *g = t->g;
  *start = ho_arena_new_array(a, int32_t, g->n_ops + 1);
  *list = ho_arena_new_array(a, int32_t, g->in_start[g->n_ops] + 1);
  int32_t n = 0;
  for (ho_op o = 0; o < g->n_ops; o++) {
    (*start)[o] = n;
    for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++)
      if (is_read(g, g->in[i], what)) (*list)[n++] = g->in[i];
  }
  (*start)[g->n_ops] = n;
}

static void fill_graph(ho_est_tables *t, ho_arena *a) {
  const ho_graph *g = t->g;
  fill_reads(t, a, READS_ACTIVATIONS, &t->in_start, &t->in);
  fill_reads(t, a, READS_WEIGHTS, &t->weight_start, &t->weight);
  fill_reads(t, a, READS_SHARED_WEIGHTS, &t->shared_start, &t->shared);
  t->release = ho_arena_new_array(a, double, g->n_ops + 1);
  t->kind = ho_arena_new_array(a, int32_t, g->n_ops + 1);
  t->inputs = ho_arena_new_array(a, double, g->n_ops + 1);
  for (ho_op o = 0; o < g->n_ops; o++) {
    for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++) t->inputs[o] += (double)g->tensor[g->in[i]].bytes;
    t->release[o] = g->op[o].release;
    t->kind[o] = g->op[o].kind_index;
  }
  t->tensor = ho_arena_new_array(a, ho_est_tensor, g->n_tensors + 1);
  t->bytes = ho_arena_new_array(a, double, ((int64_t)g->n_tensors + 1) * HO_N_PRECISIONS);
  t->input = ho_arena_new_array(a, int32_t, g->n_tensors + 1);
  t->input_memory = ho_arena_new_array(a, ho_memory, g->n_tensors + 1);
  for (ho_tensor x = 0; x < g->n_tensors; x++) {
    const ho_tensor_info *info = &g->tensor[x];
    t->tensor[x] = (ho_est_tensor){info->producer, info->alias, g->use_start[x], g->use_start[x + 1], info->is_output};
    for (int p = 0; p < HO_N_PRECISIONS; p++)
      t->bytes[(int64_t)x * HO_N_PRECISIONS + p] = (double)ho_tensor_bytes(info, (ho_dtype)p);
    if (info->producer >= 0 || info->role == HO_ROLE_WEIGHT) continue;
    ho_memory m = info->memory ? ho_platform_find_memory(t->p, info->memory) : t->p->host;
    t->input_memory[t->n_inputs] = m >= 0 ? m : t->p->host;
    t->input[t->n_inputs++] = x;
  }
}

/* --- the platform --------------------------------------------------------------------------------------------------------------- */
static void fill_devices(ho_est_tables *t, ho_arena *a) {
  t->device = ho_arena_new_array(a, ho_est_device, t->n_devices + 1);
  int32_t queue = 0;
  for (ho_device d = 0; d < t->n_devices; d++) {
    const ho_device_info *x = &t->p->device[d];
    int32_t on_memory = 0;
    for (ho_device k = 0; k < t->n_devices; k++) on_memory += t->p->device[k].memory == x->memory;
    t->device[d] = (ho_est_device){.launch_device = x->launch_device,
                                   .launch_host = x->launch_host,
                                   .reconfigure = x->reconfigure,
                                   .room = !x->power_by_use && x->peak_power > x->busy ? x->peak_power - x->busy : 0,
                                   .memory_bandwidth = t->p->memory[x->memory].bandwidth,
                                   .may_meet = x->streams > 1 || on_memory > 1,
                                   .memory = x->memory,
                                   .queue = queue,
                                   .launch = (int8_t)x->launch,
                                   .exclusive = x->sharing == HO_SHARING_EXCLUSIVE,
                                   .power_by_use = (int8_t)x->power_by_use};
    queue += x->streams;
  }
  t->device[t->n_devices].queue = queue;
}

/* Contention is about the directions of links that are not fat: 2·link forward, 2·link+1 backward; one of both when half. */
static void fill_route(ho_est_tables *t, ho_arena *a, const ho_route *r, ho_est_route *out) {
  *out = (ho_est_route){.latency = r->latency, .bandwidth = r->reachable ? r->bandwidth : 0, .energy = r->energy};
  int32_t *res = ho_arena_new_array(a, int32_t, r->n + 1);
  double *seconds_per_byte = ho_arena_new_array(a, double, r->n + 1);
  for (int32_t i = 0; i < r->n && t->p->contention != HO_CONTENTION_NONE; i++) {
    const ho_link_info *l = &t->p->link[r->hop[i].link];
    if (l->duplex == HO_DUPLEX_FAT) continue;
    res[out->n] = 2 * r->hop[i].link + (l->duplex == HO_DUPLEX_FULL ? r->hop[i].backward : 0);
    seconds_per_byte[out->n++] = 1 / l->bandwidth;
  }
  out->res = res;
  out->seconds_per_byte = seconds_per_byte;
}

/* A memory has the copy engines of its devices together; one device with 0, or no device at all, makes them unlimited. */
static int32_t engines_of(const ho_platform *p, ho_memory m) {
  int32_t n = 0;
  for (ho_device d = 0; d < p->n_devices; d++) {
    if (p->device[d].memory != m) continue;
    if (p->device[d].copy_engines == 0) return 0;
    n += p->device[d].copy_engines;
  }
  return n;
}

static void fill_engines(ho_est_tables *t) {
  for (ho_memory m = 0; m < t->n_memories; m++) {
    int32_t n = engines_of(t->p, m);
    for (ho_memory other = 0; other < t->n_memories; other++) {
      ho_est_route *out = &t->route[m * t->n_memories + other], *in = &t->route[other * t->n_memories + m];
      out->out_engine = t->n_engines;
      in->in_engine = t->n_engines + n;
      out->n_out = in->n_in = n;
    }
    t->n_engines += 2 * n;
  }
}

static void fill_routes(ho_est_tables *t, ho_arena *a) {
  int32_t n = t->n_memories;
  t->n_resources = 2 * t->p->n_links;
  t->serial = t->p->contention == HO_CONTENTION_SERIAL;
  t->route = ho_arena_new_array(a, ho_est_route, n * n);
  for (ho_memory from = 0; from < n; from++)
    for (ho_memory to = 0; to < n; to++) {
      ho_est_route *r = &t->route[from * n + to];
      fill_route(t, a, ho_platform_route(t->p, from, to), r);
      r->staged = from != to && !ho_platform_direct(t->p, from, to);
    }
  fill_engines(t);
}

void ho_est_tables_init(ho_est_tables *t, const ho_problem *q) {
  ho_arena *a = ho_arena_new();
  *t = (ho_est_tables){.q = q, .g = q->graph, .p = q->platform, .blocks = a};
  t->n_ops = t->g->n_ops;
  t->n_devices = t->p->n_devices;
  t->n_memories = t->p->n_memories;
  fill_graph(t, a);
  fill_devices(t, a);
  fill_routes(t, a);
  fill_rows(t, a);
}

void ho_est_tables_clear(ho_est_tables *t) {
  ho_arena_free(t->blocks);
}
