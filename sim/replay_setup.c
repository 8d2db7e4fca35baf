/* replay_setup.c: sizes, resources and the tables of one replay, made before its first event. */
#include <math.h>
#include <string.h>

#include "base/stream.h"
#include "sim/replay_state.h"

/* ---- resources -------------------------------------------------------------------------------------------------------------- */

static int32_t link_resource(const ho_platform *p, ho_hop hop) {
  return hop.link * 2 + (p->link[hop.link].duplex == HO_DUPLEX_FULL ? hop.backward : 0);
}
static int has_cap(const ho_device_info *d) {
  return !d->power_by_use && d->peak_power > d->busy;
}

static void make_resources(ho_replay *r) {
  const ho_platform *p = r->q->platform;
  int32_t n = ho_resource_memory(r, r->n_memories);
  g_autofree double *capacity = g_new(double, (size_t)n + 1);
  for (ho_link l = 0; l < r->n_links; l++) capacity[2 * l] = capacity[2 * l + 1] = p->link[l].bandwidth;
  for (ho_device d = 0; d < r->n_devices; d++) {
    int32_t c = ho_resource_compute(r, d);
    capacity[c] = 1;     /* occupancy */
    capacity[c + 1] = 1; /* share of the port: bandwidth · efficiency */
    capacity[c + 2] = has_cap(&p->device[d]) ? p->device[d].peak_power - p->device[d].busy : 1;
  }
  for (ho_memory m = 0; m < r->n_memories; m++) capacity[ho_resource_memory(r, m)] = p->memory[m].bandwidth;
  int32_t max_uses = 4;
  for (int32_t i = 0; i < r->n_routes; i++) max_uses = MAX(max_uses, p->route[i].n);
  r->fluid = ho_fluid_new(n, capacity, r->n_routes + r->n_slots, max_uses, r->n_slots);
}

/* One class per route: weight 1 in B/s on every link direction but the fat ones, which only bound its speed. */
static void define_routes(ho_replay *r) {
  const ho_platform *p = r->q->platform;
  g_autofree int32_t *res = g_new(int32_t, (size_t)r->n_links + 1);
  g_autofree double *use = g_new(double, (size_t)r->n_links + 1);
  for (int32_t i = 0; i < r->n_routes; i++) {
    const ho_route *route = &p->route[i];
    double cap = INFINITY;
    int32_t n = 0;
    for (int32_t h = 0; h < route->n; h++) {
      const ho_link_info *l = &p->link[route->hop[h].link];
      if (l->duplex == HO_DUPLEX_FAT)
        cap = fmin(cap, l->bandwidth);
      else {
        res[n] = link_resource(p, route->hop[h]);
        use[n++] = 1;
      }
    }
    r->pair_fluid[i] = p->contention == HO_CONTENTION_FAIR && n > 0;
    if (n > 0) ho_fluid_define(r->fluid, i, n, res, use, 1, cap);
  }
}

/* One class per stream, with all it may ever use: what it does use is defined when a kernel begins. */
static void define_kernels(ho_replay *r) {
  const double use[4] = {1, 1, 1, 1};
  for (ho_device d = 0; d < r->n_devices; d++) {
    int32_t c = ho_resource_compute(r, d), res[4] = {c, c + 1, c + 2, ho_resource_memory(r, r->q->platform->device[d].memory)};
    for (int32_t s = r->slot_start[d]; s < r->slot_start[d + 1]; s++)
      ho_fluid_define(r->fluid, r->n_routes + s, 4, res, use, 1, 1);
  }
}

static void describe_devices(ho_replay *r) {
  const ho_platform *p = r->q->platform;
  for (ho_device d = 0; d < r->n_devices; d++) {
    int32_t neighbours = 0;
    for (ho_device e = 0; e < r->n_devices; e++) neighbours += p->device[e].memory == p->device[d].memory;
    r->device[d].shares = neighbours > 1 || (p->device[d].sharing == HO_SHARING_SPATIAL && p->device[d].streams > 1);
  }
  for (ho_memory m = 0; m < r->n_memories; m++) {
    int64_t engines = 0;
    int unlimited = 1;
    for (ho_device d = 0; d < r->n_devices; d++)
      if (p->device[d].memory == m) {
        if (engines == 0) unlimited = 0;
        if (p->device[d].copy_engines == 0) unlimited = 1;
        engines += p->device[d].copy_engines;
        if (unlimited) break;
      }
    r->engine_limit[m] = unlimited || engines > INT32_MAX ? INT32_MAX : (int32_t)engines;
  }
}

void ho_replay_allocate(ho_replay *r) {
  const ho_platform *p = r->q->platform;
  const ho_graph *g = r->q->graph;
  r->n_devices = p->n_devices;
  r->n_memories = p->n_memories;
  r->n_links = p->n_links;
  r->n_routes = p->n_memories * p->n_memories;
  r->slot_start = g_new0(int32_t, p->n_devices + 1);
  for (ho_device d = 0; d < p->n_devices; d++) r->slot_start[d + 1] = r->slot_start[d] + p->device[d].streams;
  r->n_slots = r->slot_start[p->n_devices];
  r->op_hash = g_new(uint64_t, g->n_ops + 1);
  r->tensor_hash = g_new(uint64_t, g->n_tensors + 1);
  r->device_hash = g_new(uint64_t, p->n_devices + 1);
  r->memory_hash = g_new(uint64_t, p->n_memories + 1);
  for (ho_op o = 0; o < g->n_ops; o++) r->op_hash[o] = ho_replay_hash(g->op[o].name);
  for (ho_tensor t = 0; t < g->n_tensors; t++) r->tensor_hash[t] = ho_replay_hash(g->tensor[t].name);
  for (ho_device d = 0; d < p->n_devices; d++) r->device_hash[d] = ho_replay_hash(p->device[d].name);
  for (ho_memory m = 0; m < p->n_memories; m++) r->memory_hash[m] = ho_replay_hash(p->memory[m].name);
  r->op_entry = g_new(int32_t, g->n_ops + 1);
  r->op_precision = g_new(int8_t, g->n_ops + 1);
  r->tensor_cell = g_new(int32_t, g->n_tensors + 1);
  r->tensor_bytes = g_new(int64_t, g->n_tensors + 1);
  r->queue_tail = g_new(int32_t, r->n_slots + 1);
  r->running_in = g_new(int32_t, r->n_slots + 1);
  r->pair_head = g_new(int32_t, r->n_routes + 1);
  r->pairs = g_new(int32_t, r->n_routes + 1);
  r->pair_blocked = g_new0(int8_t, r->n_routes + 1);
  r->pair_fluid = g_new0(int8_t, r->n_routes + 1);
  r->engines_out = g_new(int32_t, p->n_memories + 1);
  r->engines_in = g_new(int32_t, p->n_memories + 1);
  r->engine_limit = g_new(int32_t, p->n_memories + 1);
  r->memory = g_new0(memory_t, p->n_memories + 1);
  r->device = g_new0(device_t, p->n_devices + 1);
  r->dispatcher = g_new0(dispatcher_t, p->n_devices + 1);
  r->link = g_new0(link_t, p->n_links + 1);
  r->model = g_new(double, (size_t)p->n_devices *(HO_N_FAMILIES + 1) + 1);
  r->out_device = g_new0(ho_replay_device, p->n_devices + 1);
  r->out_link = g_new0(ho_replay_link, p->n_links + 1);
  r->out_memory = g_new0(ho_replay_memory, p->n_memories + 1);
  r->out_arena = g_new0(double, p->n_memories + 1);
  for (ho_memory m = 0; m < p->n_memories; m++) {
    double c = p->memory[m].capacity;
    r->memory[m].capacity = c < 0x1p63 ? (int64_t)c : INT64_MAX;
  }
  make_resources(r);
  define_routes(r);
  define_kernels(r);
  ho_fluid_connect(r->fluid);
  describe_devices(r);
  ho_replay_reserve(r, g->n_ops);
}

/* Room for plans of n entries. A cell is made by an output, by a consumer, by a graph input, or by staging. */
void ho_replay_reserve(ho_replay *r, int32_t n) {
  const ho_graph *g = r->q->graph;
  if (n <= r->max_entries) return;
  int32_t duplicates = n - g->n_ops; /* each adds the tensors of one op at the most */
  int32_t most = 0;
  for (ho_op o = 0; o < g->n_ops && duplicates > 0; o++)
    most = MAX(most, g->in_start[o + 1] - g->in_start[o] + g->out_start[o + 1] - g->out_start[o]);
  r->max_entries = n;
  r->max_cells = g->in_start[g->n_ops] + g->out_start[g->n_ops] + 2 * g->n_tensors + MAX(duplicates, 0) * most;
  r->max_copies = r->max_cells;
  r->max_buffers = r->max_cells + n;
  r->max_heap = 2 * n + 2 * r->max_copies + g->n_ops + 16;
  r->entry = g_renew(entry_t, r->entry, n + 1);
  r->own_kernel = g_renew(ho_kernel, r->own_kernel, n + 1);
  r->entry_cell = g_renew(int32_t, r->entry_cell, r->max_cells + 1);
  r->times = g_renew(ho_replay_op, r->times, n + 1);
  r->candidate = g_renew(int32_t, r->candidate, n + 1);
  r->cell = g_renew(cell_t, r->cell, r->max_cells + 1);
  r->copy = g_renew(copy_t, r->copy, r->max_copies + 1);
  r->transfer = g_renew(ho_replay_transfer, r->transfer, r->max_copies + 1);
  r->waiting = g_renew(ho_pairing, r->waiting, r->max_copies + 1);
  r->scratch = g_renew(int32_t, r->scratch, r->max_copies + 1);
  r->buffer = g_renew(buffer_t, r->buffer, r->max_buffers + 1);
  r->heap = g_renew(event, r->heap, r->max_heap + 1);
  r->batch = g_renew(event, r->batch, r->max_heap + 1);
  ho_fluid_grow(r->fluid, r->max_copies + r->n_slots);
}

/* ---- one replay ---------------------------------------------------------------------------------------------------------------- */

static void draw_model_error(ho_replay *r) {
  const int32_t n = HO_N_FAMILIES + 1;
  uint64_t key = ho_mix(r->noise_key, 0x6d6f64656cu); /* apart from the noise */
  for (ho_device d = 0; d < r->n_devices; d++)
    for (int32_t f = 0; f < n; f++) {
      ho_stream s = ho_stream_small(ho_mix(ho_mix(key, r->device_hash[d]), (uint64_t)f));
      r->model[d * n + f] = ho_stream_lognormal(&s, r->options.model_error);
    }
}

void ho_replay_clear(ho_replay *r) {
  const ho_graph *g = r->q->graph;
  r->now = 0;
  r->events = r->arrivals = 0;
  r->n_heap = r->n_batch = r->n_candidates = r->n_cells = r->n_copies = r->n_transfers = r->n_pairs = r->n_buffers = 0;
  r->n_entries = r->n_entry_cells = r->unfinished = 0;
  r->total = r->total_peak = r->accelerator = r->accelerator_peak = r->turn = 0;
  r->stuck_copy = r->stuck_entry = -1;
  r->account = 1;
  r->arranged = 0;
  r->plain = 0;
  r->noise_key =
      ho_mix(ho_mix(ho_mix(r->options.seed, 0x6e6f697365u), (uint64_t)r->options.replicate), (uint64_t)r->options.replay);
  if (r->options.model_error > 0) draw_model_error(r);
  memset(r->op_entry, -1, sizeof *r->op_entry * (size_t)g->n_ops);
  memset(r->tensor_cell, -1, sizeof *r->tensor_cell * (size_t)g->n_tensors);
  memset(r->queue_tail, -1, sizeof *r->queue_tail * (size_t)r->n_slots);
  memset(r->running_in, -1, sizeof *r->running_in * (size_t)r->n_slots);
  memset(r->pair_head, -1, sizeof *r->pair_head * (size_t)r->n_routes);
  memset(r->engines_in, 0, sizeof *r->engines_in * (size_t)r->n_memories);
  memset(r->engines_out, 0, sizeof *r->engines_out * (size_t)r->n_memories);
  memset(r->link, 0, sizeof *r->link * (size_t)r->n_links);
  for (ho_memory m = 0; m < r->n_memories; m++) r->memory[m].used = r->memory[m].peak = 0;
  for (ho_device d = 0; d < r->n_devices; d++) {
    int8_t shares = r->device[d].shares;
    r->device[d] = (device_t){.shares = shares, .last_end = -1, .loaded_kind = -1};
    r->dispatcher[d] = (dispatcher_t){.next = -1, .last = -1};
  }
  for (ho_tensor t = 0; t < g->n_tensors; t++) r->tensor_bytes[t] = g->tensor[t].bytes;
  ho_fluid_reset(r->fluid);
}

static void distort(const ho_replay *r, const entry_t *e, ho_kernel *k) {
  const double *f = &r->model[e->device * (HO_N_FAMILIES + 1)];
  k->compute_time /= f[r->q->graph->op[e->op].family];
  k->memory_time /= f[HO_N_FAMILIES];
  k->time = k->from_table ? k->compute_time : fmax(k->compute_time, k->memory_time);
  if (!k->from_table) k->use = k->time > 0 ? k->compute_time * k->compute / k->time : 0;
}

/* What the kernel costs here, with model error and noise. */
static void load_kernel(ho_replay *r, entry_t *e, const ho_entry *plan) {
  const ho_problem *q = r->q;
  ho_dtype p = (ho_dtype)r->op_precision[e->op];
  if (plan->copy > 0 || plan->precision != HO_DTYPE_NONE)
    p = plan->precision == HO_DTYPE_NONE ? ho_cost_default_precision(q->cost, e->op, e->device) : (ho_dtype)plan->precision;
  int tabled = r->plain && plan->point == 0 && p == ho_cost_default_precision(q->cost, e->op, e->device);
  if (tabled && !(r->options.model_error > 0))
    e->kernel = ho_cost_kernel(q->cost, e->op, e->device);
  else {
    ho_kernel *k = &r->own_kernel[e - r->entry];
    *k = ho_cost_kernel_in(q->cost, e->op, e->device, p, plan->point, r->op_precision);
    if (r->options.model_error > 0) distort(r, e, k);
    e->kernel = k;
  }
  e->precision = (int8_t)p;
  e->factor = ho_replay_kernel_noise(r, e->op, e->device);
  e->work = e->kernel->time * e->factor;
}

/* Appends entry i: its place in queue and launch list. Inputs are counted by the caller. */
void ho_replay_load_entry(ho_replay *r, int32_t i, const ho_entry *plan) {
  const ho_problem *q = r->q;
  entry_t *e = &r->entry[i];
  *e = (entry_t){.op = plan->op,
                 .device = plan->device,
                 .memory = q->platform->device[plan->device].memory,
                 .slot = r->slot_start[plan->device] + plan->stream,
                 .dispatcher = q->platform->dispatchers == HO_DISPATCH_ONE ? 0 : plan->device,
                 .next_in_queue = -1,
                 .next_launch = -1,
                 .next_copy = -1,
                 .workspace = -1,
                 .pending = 1,
                 .cause_index = -1};
  e->gate = fmax(q->graph->op[plan->op].release, plan->not_before);
  load_kernel(r, e, plan);
  r->times[i] = (ho_replay_op){.start = NAN, .end = NAN, .kernel = NAN, .launched = NAN, .ready = 0};
  int32_t first = r->op_entry[plan->op];
  if (first < 0)
    r->op_entry[plan->op] = i;
  else {
    e->next_copy = r->entry[first].next_copy;
    r->entry[first].next_copy = i;
  }
  int32_t *tail = &r->queue_tail[e->slot];
  if (*tail >= 0) {
    r->entry[*tail].next_in_queue = i;
    e->pending++;
  }
  *tail = i;
  r->device[e->device].used = 1;
  r->unfinished++;
}

/* When the dispatcher waits for nothing, entry i is launched at once, at a time that may lie ahead; else it joins those that wait. */
void ho_replay_load_launch(ho_replay *r, int32_t i) {
  dispatcher_t *d = &r->dispatcher[r->entry[i].dispatcher];
  if (!d->waits) {
    ho_ops_launch_entry(r, i);
    return;
  }
  if (d->next < 0)
    d->next = i;
  else
    r->entry[d->last].next_launch = i;
  d->last = i;
}

static int64_t kept_bytes(const ho_replay *r, ho_tensor t, ho_dtype p) {
  return ho_tensor_bytes(&r->q->graph->tensor[t], p);
}

/* The precision of every op (of copy 0), and with it the size of every tensor. */
static void load_precisions(ho_replay *r, const ho_plan *plan) {
  const ho_problem *q = r->q;
  const ho_graph *g = q->graph;
  r->plain = 1;
  for (int32_t i = 0; i < plan->n; i++) {
    const ho_entry *e = &plan->entry[i];
    if (e->copy > 0) continue;
    ho_dtype p = e->precision == HO_DTYPE_NONE ? ho_cost_default_precision(q->cost, e->op, e->device) : (ho_dtype)e->precision;
    r->op_precision[e->op] = (int8_t)p;
    for (int32_t j = g->out_start[e->op]; j < g->out_start[e->op + 1]; j++) {
      ho_tensor t = g->out[j];
      r->tensor_bytes[t] = kept_bytes(r, t, p);
      r->plain &= r->tensor_bytes[t] == g->tensor[t].bytes;
    }
  }
}

static int reads(const ho_graph *g, ho_op o, ho_tensor t) {
  for (int32_t j = g->in_start[o]; j < g->in_start[o + 1]; j++)
    if (g->in[j] == t) return 1;
  return 0;
}

/* An output that is a view of what the op reads takes no memory. (Of anything else it could outlive it, and is given memory.) */
static int64_t load_output(ho_replay *r, int32_t i, int32_t index) {
  const entry_t *e = &r->entry[i];
  const ho_graph *g = r->q->graph;
  cell_t *c = &r->cell[index];
  ho_tensor of = g->tensor[c->tensor].alias;
  c->made_at = MIN(c->made_at, i);
  c->view = of >= 0 && reads(g, e->op, of) ? ho_cells_find(r, of, e->memory) : -1;
  return c->view < 0 ? r->tensor_bytes[c->tensor] : 0;
}

void ho_replay_load_cells(ho_replay *r, int32_t i) {
  const ho_graph *g = r->q->graph;
  entry_t *e = &r->entry[i];
  e->first_cell = r->n_entry_cells;
  e->demand = g->op[e->op].workspace;
  e->has_workspace = e->demand > 0;
  for (int32_t j = g->in_start[e->op]; j < g->in_start[e->op + 1]; j++) {
    int32_t index = ho_cells_get(r, g->in[j], e->memory);
    cell_t *c = &r->cell[index];
    if (c->first == INT32_MAX) c->first = i;
    if (!r->online) c->uses++;
    if (c->is_weight) {
      c->weight_bytes = MAX(c->weight_bytes, kept_bytes(r, g->in[j], (ho_dtype)e->precision));
      continue;
    }
    c->gate = fmin(c->gate, r->plan->entry[i].not_before);
    if (!r->online) e->pending++;
    r->entry_cell[r->n_entry_cells++] = index;
  }
  e->n_in = r->n_entry_cells - e->first_cell;
  for (int32_t j = g->out_start[e->op]; j < g->out_start[e->op + 1]; j++) {
    int32_t index = ho_cells_get(r, g->out[j], e->memory);
    e->demand += load_output(r, i, index);
    r->entry_cell[r->n_entry_cells++] = index;
  }
  e->n_out = r->n_entry_cells - e->first_cell - e->n_in;
}

/* Graph inputs have a cell where they lie, whoever reads them. */
static void load_inputs(ho_replay *r) {
  const ho_graph *g = r->q->graph;
  const ho_platform *p = r->q->platform;
  for (ho_tensor t = 0; t < g->n_tensors; t++) {
    const ho_tensor_info *info = &g->tensor[t];
    if (info->role == HO_ROLE_INPUT && g->use_start[t] < g->use_start[t + 1])
      ho_cells_get(r, t, info->memory ? ho_platform_find_memory(p, info->memory) : p->host);
  }
}

void ho_replay_load(ho_replay *r, const ho_plan *plan) {
  ho_replay_reserve(r, plan->n);
  load_inputs(r);
  load_precisions(r, plan);
  for (int32_t i = 0; i < plan->n; i++) {
    ho_replay_load_entry(r, i, &plan->entry[i]);
    ho_replay_load_cells(r, i);
    r->n_entries++;
    ho_replay_load_launch(r, i);
  }
}
