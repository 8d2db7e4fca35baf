/* replay_report.c: figures of a finished replay. */
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
                                          .kernel_energy = work,
                                          .time_energy = k->above_idle,
                                          .memory_time_energy = k->for_memory};
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
  ho_replay_explain(r, NULL);
}
