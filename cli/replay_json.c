/* replay_json.c: see replay_json.h. Keys are those of docs/formats.md; ops are in order of issue, transfers in order of start. */
#include "cli/replay_json.h"

#include "cli/command.h"
#include "cli/explain.h"
#include "cli/inputs.h"

static json_t *memories_json(const ho_problem *q, ho_replay *replay, const ho_replay_result *r) {
  const double *arena = ho_replay_arena(replay);
  json_t *j = json_object();
  for (ho_memory m = 0; m < q->platform->n_memories; m++)
    json_object_set_new(j, q->platform->memory[m].name,
                        json_pack("{s:o, s:o, s:o}", "peak", ho_cli_number(r->memory[m].peak), "capacity",
                                  ho_cli_number(q->platform->memory[m].capacity), "arena", ho_cli_number(arena[m])));
  return j;
}

static json_t *devices_json(const ho_problem *q, const ho_replay_result *r) {
  json_t *j = json_object();
  for (ho_device d = 0; d < q->platform->n_devices; d++)
    json_object_set_new(j, q->platform->device[d].name,
                        json_pack("{s:f, s:f, s:f}", "busy", r->device[d].busy, "utilisation", r->device[d].utilisation, "energy",
                                  r->device[d].energy));
  return j;
}

static json_t *links_json(const ho_problem *q, const ho_replay_result *r) {
  json_t *j = json_object();
  for (ho_link l = 0; l < q->platform->n_links; l++)
    json_object_set_new(j, q->platform->link[l].name,
                        json_pack("{s:o, s:f}", "bytes", ho_cli_number(r->link[l].bytes), "busy", r->link[l].busy));
  return j;
}

static json_t *ops_json(const ho_problem *q, const ho_replay_result *r) {
  json_t *j = json_array();
  for (int32_t i = 0; i < r->plan->n; i++) {
    const ho_entry *e = &r->plan->entry[i];
    json_array_append_new(
        j, json_pack("{s:s, s:s, s:i, s:f, s:f}", "op", q->graph->op[e->op].name, "device", q->platform->device[e->device].name,
                     "stream", (int)e->stream, "start", r->op[i].start, "end", r->op[i].end));
  }
  return j;
}

static json_t *transfers_json(const ho_problem *q, const ho_replay_result *r) {
  json_t *j = json_array();
  for (int32_t i = 0; i < r->n_transfers; i++) {
    const ho_replay_transfer *t = &r->transfer[i];
    json_array_append_new(j, json_pack("{s:s, s:s, s:s, s:f, s:f, s:o}", "tensor", q->graph->tensor[t->tensor].name, "from",
                                       q->platform->memory[t->from].name, "to", q->platform->memory[t->to].name, "start",
                                       t->start, "end", t->end, "bytes", ho_cli_number(t->bytes)));
  }
  return j;
}

static json_t *objectives_json(const ho_problem *q, const ho_figures *f) {
  json_t *j = json_pack("{s:f, s:f, s:o}", "latency", f->latency, "energy", f->energy, "memory",
                        ho_cli_number(ho_cli_memory_figure(q, f)));
  json_object_set_new(j, "tightest", json_real(f->tightest));
  json_object_set_new(j, "total", ho_cli_number(f->total));
  json_object_set_new(j, "accelerator", ho_cli_number(f->accelerator));
  return j;
}

json_t *ho_cli_replay_json(const ho_problem *q, ho_replay *replay, const ho_replay_result *r, const ho_cli_spread *spread) {
  json_t *j = json_object();
  json_object_set_new(j, "makespan", json_real(r->figures.latency));
  json_object_set_new(j, "energy", json_real(r->figures.energy));
  json_object_set_new(j, "memory", memories_json(q, replay, r));
  json_object_set_new(j, "objectives", objectives_json(q, &r->figures));
  json_object_set_new(j, "devices", devices_json(q, r));
  json_object_set_new(j, "links", links_json(q, r));
  json_object_set_new(j, "ops", ops_json(q, r));
  json_object_set_new(j, "transfers", transfers_json(q, r));
  json_object_set_new(j, "bottleneck", json_string(ho_cli_bottleneck_name(r->bottleneck)));
  json_object_set_new(j, "events", json_integer(r->events));
  if (spread)
    json_object_set_new(j, "repeat",
                        json_pack("{s:I, s:f, s:{s:f, s:f}, s:{s:f, s:f}}", "n", (json_int_t)spread->n, "noise", spread->noise,
                                  "latency", "p50", spread->latency_p50, "p95", spread->latency_p95, "energy", "p50",
                                  spread->energy_p50, "p95", spread->energy_p95));
  return j;
}
