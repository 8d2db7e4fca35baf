/* replay_report.c: figures of a finished replay, and the critical path through it.
 *
 * The path goes back from the op that ended last: its kernel (compute), its launch on the device (launch), then whatever it waited for last:
 * the launch by the host (launch, back to where the dispatcher was free to begin), the copy of an input (transfer, the wait for an engine or a
 * link included), memory (memory), the op before it in its queue or on its device, or the op that made its input. Waiting for a release
 * time counts nowhere, so the shares sum to the makespan less such waits. */
#include <math.h>

#include "sim/replay_state.h"

static int counts_idle(const ho_replay *r, int32_t d) {
  return r->device[d].used || r->q->platform->count_idle == HO_IDLE_ALL || ho_platform_is_host_device(r->q->platform, d);
}

static double report_devices(ho_replay *r) {
  const ho_platform *p = r->q->platform;
  double horizon = fmax(r->now, r->q->graph->period), energy = 0;
  for (int32_t d = 0; d < r->n_devices; d++) {
    const device_t *k = &r->device[d];
    double quiet = (counts_idle(r, d) ? p->device[d].idle : p->device[d].off) * horizon;
    double work = k->above_idle + k->joules;
    r->out_device[d] = (ho_replay_device){.busy = k->busy,
                                          .energy = quiet + work,
                                          .utilisation = r->now > 0 ? k->busy / r->now : 0,
                                          .idle_energy = quiet,
                                          .kernel_energy = work};
    energy += quiet + work;
  }
  return energy;
}

static double report_links(ho_replay *r) {
  double energy = 0;
  for (int32_t l = 0; l < r->n_links; l++) {
    r->out_link[l] = (ho_replay_link){
        .bytes = r->link[l].bytes, .busy = r->link[l].busy, .energy = r->link[l].bytes * r->q->platform->link[l].energy};
    energy += r->out_link[l].energy;
  }
  return energy;
}

static double report_memories(ho_replay *r) {
  double tightest = 0;
  for (ho_memory m = 0; m < r->n_memories; m++) {
    r->out_memory[m].peak = (double)r->memory[m].peak;
    tightest = fmax(tightest, (double)r->memory[m].peak / r->q->platform->memory[m].capacity);
  }
  return tightest;
}

static void report_transfers(ho_replay *r) {
  for (int32_t k = 0; k < r->n_transfers; k++) {
    const copy_t *c = &r->copy[r->transfer[k].tensor];
    const cell_t *from = &r->cell[c->source], *to = &r->cell[c->target];
    r->transfer[k] = (ho_replay_transfer){.tensor = to->tensor,
                                          .from = from->memory,
                                          .to = to->memory,
                                          .requested = c->requested,
                                          .start = c->start,
                                          .end = c->end,
                                          .bytes = c->bytes,
                                          .for_entry = c->first};
  }
}

/* ---- critical path ------------------------------------------------------------------------------------------------------------- */

typedef struct {
  double *share;
  double to; /* s: explained from here on */
} path;

static void explain(path *k, ho_bottleneck what, double from) {
  if (from >= k->to) return;
  k->share[what] += k->to - from;
  k->to = from;
}

static int compare_ends(const void *x, const void *y, void *data) {
  const ho_replay_op *times = data;
  int32_t i = *(const int32_t *)x, j = *(const int32_t *)y;
  if (times[i].end != times[j].end) return times[i].end < times[j].end ? -1 : 1;
  return i < j ? -1 : i > j;
}

/* The entry that ended last until time t, having begun before it; -1: none. Entries are sorted by end when this is first asked. */
static int32_t last_ended_by(ho_replay *r, double t) {
  int32_t *by_end = r->candidate, low = 0, high = r->n_entries;
  if (r->n_candidates == 0) {
    for (int32_t i = 0; i < r->n_entries; i++) by_end[i] = i;
    g_qsort_with_data(by_end, r->n_entries, sizeof *by_end, compare_ends, r->times);
    r->n_candidates = r->n_entries;
  }
  while (low < high) {
    int32_t middle = low + (high - low) / 2;
    if (r->times[by_end[middle]].end <= t)
      low = middle + 1;
    else
      high = middle;
  }
  while (low > 0 && r->times[by_end[low - 1]].start >= t) low--;
  return low > 0 ? by_end[low - 1] : -1;
}

/* Goes on at the last end before a time that was prescribed; the wait in between counts nowhere. */
static int32_t skip_wait(ho_replay *r, path *k, double until) {
  int32_t i = last_ended_by(r, until);
  k->to = fmin(k->to, i >= 0 ? r->times[i].end : 0);
  return i;
}

/* The entry that the copy had to wait for, -1: the start of time. */
static int32_t explain_copy(ho_replay *r, path *k, int32_t x) {
  for (;;) {
    const copy_t *c = &r->copy[x];
    explain(k, HO_BOTTLENECK_TRANSFER, c->start);
    explain(k, c->waited_memory ? HO_BOTTLENECK_MEMORY : HO_BOTTLENECK_TRANSFER, c->asked);
    if (c->asked > c->requested) return skip_wait(r, k, c->asked);
    const cell_t *from = &r->cell[c->source];
    if (from->copy < 0) return from->maker;
    x = from->copy;
  }
}

static int32_t last_to_end(const ho_replay *r) {
  int32_t last = -1;
  for (int32_t i = 0; i < r->n_entries; i++)
    if (last < 0 || r->times[i].end > r->times[last].end) last = i;
  return last;
}

/* What kept the dispatcher of entry i from launching earlier: a synchronous op just before, else the start of time. */
static int32_t launch_waited_for(const ho_replay *r, int32_t i) {
  int32_t before = -1;
  for (int32_t j = i - 1; j >= 0 && before < 0; j--)
    if (r->entry[j].dispatcher == r->entry[i].dispatcher) before = j;
  return before >= 0 && r->q->platform->device[r->entry[before].device].launch == HO_LAUNCH_SYNC ? before : -1;
}

static void explain_path(ho_replay *r) {
  for (int s = 0; s < 4; s++) r->result.share[s] = 0;
  path k = {r->result.share, r->now};
  for (int32_t i = last_to_end(r); i >= 0;) {
    const entry_t *e = &r->entry[i];
    explain(&k, HO_BOTTLENECK_COMPUTE, r->times[i].kernel);
    explain(&k, HO_BOTTLENECK_LAUNCH, r->times[i].start);
    switch (e->cause) {
      case CAUSE_MEMORY:
        explain(&k, HO_BOTTLENECK_MEMORY, e->candidate_at);
        i = last_ended_by(r, e->candidate_at);
        if (i >= 0) explain(&k, HO_BOTTLENECK_TRANSFER, r->times[i].end);
        break;
      case CAUSE_COPY:
        i = explain_copy(r, &k, e->cause_index);
        break;
      case CAUSE_LAUNCH: {
        int32_t before = launch_waited_for(r, i);
        explain(&k, HO_BOTTLENECK_LAUNCH, before >= 0 ? r->times[before].end : 0);
        i = before;
        break;
      }
      case CAUSE_TIME:
        i = skip_wait(r, &k, e->gate);
        break;
      case CAUSE_NONE:
        i = -1;
        break;
      default:
        i = e->cause_index;
    }
  }
  r->result.bottleneck = HO_BOTTLENECK_COMPUTE;
  for (int s = 1; s < 4; s++)
    if (r->result.share[s] > r->result.share[r->result.bottleneck]) r->result.bottleneck = (ho_bottleneck)s;
}

void ho_replay_report(ho_replay *r) {
  ho_replay_result *out = &r->result;
  *out = (ho_replay_result){.op = r->times,
                            .n_transfers = r->n_transfers,
                            .transfer = r->transfer,
                            .device = r->out_device,
                            .link = r->out_link,
                            .memory = r->out_memory,
                            .decided = NAN,
                            .events = r->events,
                            .problem = r->q,
                            .plan = r->plan};
  report_transfers(r);
  out->figures.latency = r->now;
  out->figures.energy = report_devices(r) + report_links(r);
  out->figures.tightest = report_memories(r);
  out->figures.total = (double)r->total_peak;
  out->figures.accelerator = (double)r->accelerator_peak;
  explain_path(r);
}
