/* replay_ops.c: launching, starting and ending ops; power.
 *
 * Each dispatcher launches its ops in the order of issue. Launches of asynchronous devices run ahead: their times are known at once; after the
 * launch of a synchronous device's op the dispatcher goes on when that op has ended. In graph mode the first launch of a device
 * takes the host's time and launches all. A kernel begins `device` seconds after its op has started (and after a reconfiguration, where
 * the device must load another kernel kind; what is loaded first was loaded before time 0). An exclusive device is held from the start. */
#include <math.h>

#include "sim/replay_state.h"

/* ---- launch -------------------------------------------------------------------------------------------------------------------- */

/* Launches entry i now that it is the dispatcher's turn. */
void ho_ops_launch_entry(ho_replay *r, int32_t i) {
  entry_t *e = &r->entry[i];
  const ho_device_info *dev = &r->q->platform->device[e->device];
  dispatcher_t *d = &r->dispatcher[e->dispatcher];
  int loaded = dev->launch == HO_LAUNCH_GRAPH && r->device[e->device].launched;
  if (!loaded) d->time += dev->launch_host;
  r->device[e->device].launched = 1;
  r->times[i].launched = d->time;
  e->earliest = fmax(e->gate, d->time);
  d->waits = dev->launch == HO_LAUNCH_SYNC;
  ho_ops_less(r, i, CAUSE_LAUNCH, -1);
}

void ho_ops_launch(ho_replay *r, int32_t dispatcher, double time) {
  dispatcher_t *d = &r->dispatcher[dispatcher];
  d->waits = 0;
  d->time = fmax(d->time, time);
  while (d->next >= 0 && !d->waits) {
    int32_t i = d->next;
    d->next = r->entry[i].next_launch;
    ho_ops_launch_entry(r, i);
  }
}

void ho_ops_less(ho_replay *r, int32_t i, cause_kind cause, int32_t index) {
  entry_t *e = &r->entry[i];
  if (--e->pending > 0) return;
  e->cause = cause;
  e->cause_index = index;
  if (e->earliest > r->now)
    ho_events_push(r, e->earliest, EVENT_EARLIEST, i);
  else
    ho_ops_candidate(r, i, cause, index);
}

void ho_ops_candidate(ho_replay *r, int32_t i, cause_kind cause, int32_t index) {
  entry_t *e = &r->entry[i];
  e->cause = cause;
  e->cause_index = index;
  e->candidate_at = r->now;
  int32_t k = r->n_candidates++;
  for (; k > 0 && r->candidate[k - 1] > i; k--) r->candidate[k] = r->candidate[k - 1];
  r->candidate[k] = i;
}

/* ---- power --------------------------------------------------------------------------------------------------------------------- */

/* Progress per second of a running kernel, 1 when alone. */
static double speed_of(const ho_replay *r, const entry_t *e) {
  int32_t c = r->n_routes + e->slot;
  return ho_fluid_count(r->fluid, c) > 0 ? ho_fluid_rate(r->fluid, c) : 1;
}

double ho_ops_power(const ho_replay *r, int32_t d, int *by_memory) {
  const ho_device_info *dev = &r->q->platform->device[d];
  double compute = 0, memory = 0, scale = 0;
  for (int32_t s = r->slot_start[d]; s < r->slot_start[d + 1]; s++) {
    if (r->running_in[s] < 0) continue;
    const entry_t *e = &r->entry[r->running_in[s]];
    const ho_point *at = &dev->point[r->plan->entry[r->running_in[s]].point];
    scale = fmax(scale, at->power);
    if (!dev->power_by_use) continue;
    double speed = speed_of(r, e) / (e->factor > 0 ? e->factor : 1);
    compute += e->kernel->use * speed;
    if (e->kernel->time > 0) memory += e->kernel->memory_time / e->kernel->time * speed;
  }
  *by_memory = dev->power_by_use && memory > compute;
  if (!dev->power_by_use) return (dev->busy - dev->idle) * scale;
  return (dev->peak_power - dev->idle) * fmin(1, fmax(compute, memory)) * scale;
}

static void update_power(ho_replay *r, int32_t d) {
  device_t *k = &r->device[d];
  double joules = k->power * (r->now - k->power_since);
  k->above_idle += joules;
  if (k->by_memory) k->for_memory += joules;
  k->power_since = r->now;
  k->power = k->active > 0 ? ho_ops_power(r, d, &k->by_memory) : 0;
}

/* Where power follows utilisation, it changes with the rates. */
void ho_ops_rates_changed(ho_replay *r) {
  const int32_t *c;
  int32_t n = ho_fluid_changed(r->fluid, &c);
  for (int32_t i = 0; i < n; i++) {
    if (c[i] < r->n_routes) continue;
    int32_t running = r->running_in[c[i] - r->n_routes];
    if (running >= 0 && r->q->platform->device[r->entry[running].device].power_by_use) update_power(r, r->entry[running].device);
  }
}

/* ---- start --------------------------------------------------------------------------------------------------------------------- */

static double load_seconds(ho_replay *r, const entry_t *e) {
  const ho_device_info *dev = &r->q->platform->device[e->device];
  if (!(dev->reconfigure > 0)) return 0;
  device_t *k = &r->device[e->device];
  int32_t kind = r->q->graph->op[e->op].kind_index, before = k->loaded_kind;
  k->loaded_kind = kind;
  return before >= 0 && before != kind ? dev->reconfigure : 0;
}

int ho_ops_try(ho_replay *r, int32_t i) {
  entry_t *e = &r->entry[i];
  const ho_device_info *dev = &r->q->platform->device[e->device];
  device_t *k = &r->device[e->device];
  if (dev->sharing == HO_SHARING_EXCLUSIVE && k->running > 0) return 0;
  if (!ho_memory_ask(r, e->memory, e->demand)) {
    e->waited_memory = 1;
    if (r->stuck_entry < 0) r->stuck_entry = i;
    return 0;
  }
  if (!e->waited_memory && r->now > e->candidate_at) {
    e->cause = CAUSE_DEVICE;
    e->cause_index = k->last_end;
  }
  if (e->has_workspace) e->workspace = ho_memory_take(r, e->memory, r->q->graph->op[e->op].workspace, -1, i, 1, 0);
  const int32_t *outputs = &r->entry_cell[e->first_cell + e->n_in];
  for (int32_t j = 0; j < e->n_out; j++) ho_memory_output(r, i, outputs[j]);
  k->running++;
  e->running = 1;
  r->times[i].start = r->now;
  double wait = dev->launch_device + load_seconds(r, e);
  if (wait > 0)
    ho_events_push(r, r->now + wait, EVENT_KERNEL, i);
  else
    ho_ops_kernel(r, i);
  return 1;
}

/* W under the power cap that kernels share; 0: no cap. A time table says how long an op takes under whatever cap there was. */
static double power_room(const ho_device_info *dev, const entry_t *e) {
  return dev->power_by_use || e->kernel->from_table ? 0 : fmax(0, dev->peak_power - dev->busy);
}

/* Dominant-resource fairness: weight 1 / dominant share, highest speed 1 (progress in seconds alone per second). */
int ho_ops_flow(ho_replay *r, int32_t i, double now) {
  const entry_t *e = &r->entry[i];
  const ho_platform *p = r->q->platform;
  const ho_device_info *dev = &p->device[e->device];
  int alone = e->kernel->from_table && dev->sharing == HO_SHARING_EXCLUSIVE;
  if (!r->device[e->device].shares || alone || !(e->work > 0)) return 0;
  int32_t base = ho_resource_compute(r, e->device), n = 0, res[4];
  double use[4], dominant = 0;
  const ho_kernel *k = e->kernel;
  const double cap = power_room(dev, e);
  const double wanted[4] = {k->compute, k->memory_time / k->time, k->joules / e->work, k->bytes / e->work};
  const double capacity[4] = {1, 1, cap, p->memory[e->memory].bandwidth};
  const int32_t resource[4] = {base, base + 1, base + 2, ho_resource_memory(r, e->memory)};
  for (int j = 0; j < 4; j++) {
    if (!(wanted[j] > 0) || !(capacity[j] > 0)) continue;
    res[n] = resource[j];
    use[n++] = wanted[j];
    dominant = fmax(dominant, wanted[j] / capacity[j]);
  }
  int32_t c = r->n_routes + e->slot;
  if (n == 0) return 0;
  ho_fluid_define(r->fluid, c, n, res, use, 1 / dominant, 1);
  ho_fluid_start(r->fluid, now, c, e->work, r->max_copies + e->slot);
  return 1;
}

/* A lone kernel is stretched by the power cap only. */
static double alone_seconds(const ho_replay *r, const entry_t *e) {
  double cap = power_room(&r->q->platform->device[e->device], e);
  return cap > 0 ? fmax(e->work, e->kernel->joules / cap) : e->work;
}

void ho_ops_kernel(ho_replay *r, int32_t i) {
  entry_t *e = &r->entry[i];
  device_t *k = &r->device[e->device];
  r->times[i].kernel = r->now;
  if (k->active++ == 0) k->busy_since = r->now;
  r->running_in[e->slot] = i;
  if (!ho_ops_flow(r, i, r->now)) ho_events_push(r, r->now + alone_seconds(r, e), EVENT_OP_END, i);
  update_power(r, e->device);
}

/* ---- end ----------------------------------------------------------------------------------------------------------------------- */

void ho_ops_release(ho_replay *r, int32_t i) {
  entry_t *e = &r->entry[i];
  device_t *k = &r->device[e->device];
  r->times[i].end = r->now;
  r->running_in[e->slot] = -1;
  if (--k->active == 0) k->busy += r->now - k->busy_since;
  update_power(r, e->device);
  k->joules += e->kernel->joules;
  k->running--;
  k->last_end = i;
  e->running = 0;
  r->unfinished--;
  ho_memory_drop(r, e->workspace);
  for (int32_t j = 0; j < e->n_in; j++) ho_memory_drop(r, r->cell[r->entry_cell[e->first_cell + j]].buffer);
}

void ho_ops_arrive(ho_replay *r, int32_t i) {
  entry_t *e = &r->entry[i];
  if (e->next_in_queue >= 0) ho_ops_less(r, e->next_in_queue, CAUSE_QUEUE, i);
  if (r->q->platform->device[e->device].launch == HO_LAUNCH_SYNC) ho_ops_launch(r, e->dispatcher, r->now);
  const int32_t *outputs = &r->entry_cell[e->first_cell + e->n_in];
  for (int32_t j = 0; j < e->n_out; j++) {
    int32_t c = outputs[j];
    int fresh = r->cell[c].state != CELL_PRESENT;
    ho_cells_present(r, c, i, -1);
    if (r->online) ho_online_produced(r, r->cell[c].tensor, c);
    if (fresh) ho_copies_spread(r, c);
    if (r->cell[c].owner == i) ho_memory_drop(r, r->cell[c].buffer);
  }
  if (r->online) ho_online_ended(r, i);
}
