/* replay.c: the event loop; see replay.h, and replay_state.h for how the state lies. */
#include "sim/replay.h"

#include <math.h>

#include "base/error.h"
#include "sim/arena_plan.h"
#include "sim/plan_check.h"
#include "sim/replay_state.h"
#include "sim/variant.h"

/* ---- events: a binary heap by time; order within an instant is made by sorting the batch ------------------------------------------- */

void ho_events_push(ho_replay *r, double time, event_kind kind, int32_t index) {
  g_assert(r->n_heap < r->max_heap);
  int32_t k = r->n_heap++;
  while (k > 0 && time < r->heap[(k - 1) / 2].time) {
    r->heap[k] = r->heap[(k - 1) / 2];
    k = (k - 1) / 2;
  }
  r->heap[k] = (event){time, kind, index};
}

static event pop(ho_replay *r) {
  event top = r->heap[0], last = r->heap[--r->n_heap];
  int32_t k = 0, n = r->n_heap;
  for (int32_t child = 1; child < n; child = 2 * k + 1) {
    if (child + 1 < n && r->heap[child + 1].time < r->heap[child].time) child++;
    if (last.time <= r->heap[child].time) break;
    r->heap[k] = r->heap[child];
    k = child;
  }
  r->heap[k] = last;
  return top;
}

static double started(const ho_replay *r, const event *e) {
  if (e->kind == EVENT_OP_END) return r->times[e->index].start;
  return e->kind == EVENT_COPY_END ? r->copy[e->index].start : 0;
}

static int64_t index_of(const ho_replay *r, const event *e) {
  if (e->kind == EVENT_OP_END) return (int64_t)r->entry[e->index].op << 32 | e->index;
  if (e->kind != EVENT_COPY_END) return e->index;
  const cell_t *to = &r->cell[r->copy[e->index].target];
  return (int64_t)to->tensor * r->n_memories + to->memory;
}

/* Ends in the order in which the activities started, ops before copies, then by index (copies of an op in their order); other kinds after
 * them. */
static int before(const ho_replay *r, const event *a, const event *b) {
  int ends_a = a->kind <= EVENT_COPY_END, ends_b = b->kind <= EVENT_COPY_END;
  if (ends_a != ends_b) return ends_a;
  double sa = started(r, a), sb = started(r, b);
  if (ends_a && sa != sb) return sa < sb;
  if (a->kind != b->kind) return a->kind < b->kind;
  return index_of(r, a) < index_of(r, b);
}

static void add_to_batch(ho_replay *r, event e) {
  int32_t k = r->n_batch++;
  for (; k > 0 && before(r, &e, &r->batch[k - 1]); k--) r->batch[k] = r->batch[k - 1];
  r->batch[k] = e;
}

/* Everything that happens at the next instant, into batch. 0: nothing happens any more. */
static int next_instant(ho_replay *r) {
  double flows;
  int32_t c = ho_fluid_next(r->fluid, &flows);
  double timers = r->n_heap > 0 ? r->heap[0].time : INFINITY;
  double now = fmin(flows, timers);
  if (!isfinite(now)) return 0;
  r->now = fmax(now, r->now);
  r->n_batch = 0;
  while (r->n_heap > 0 && r->heap[0].time <= r->now) add_to_batch(r, pop(r));
  for (; c >= 0 && flows <= r->now; c = ho_fluid_next(r->fluid, &flows)) {
    int32_t id = ho_fluid_finish(r->fluid, r->now, c);
    add_to_batch(r, id < r->max_copies ? (event){r->now, EVENT_COPY_END, id}
                                       : (event){r->now, EVENT_OP_END, r->running_in[id - r->max_copies]});
  }
  return 1;
}

static void release(ho_replay *r, const event *e) {
  if (e->kind == EVENT_OP_END) ho_ops_release(r, e->index);
  if (e->kind == EVENT_COPY_END) ho_copies_release(r, e->index);
}

static void arrive(ho_replay *r, const event *e) {
  r->arrivals++;
  switch (e->kind) {
    case EVENT_OP_END:
      ho_ops_arrive(r, e->index);
      break;
    case EVENT_COPY_END:
      ho_copies_arrive(r, e->index);
      break;
    case EVENT_EARLIEST:
      ho_ops_candidate(r, e->index, r->times[e->index].launched >= r->entry[e->index].gate ? CAUSE_LAUNCH : CAUSE_TIME, -1);
      break;
    case EVENT_HOLD:
      ho_copies_enqueue(r, e->index);
      break;
    case EVENT_RELEASE:
      ho_online_released(r, e->index);
      break;
    case EVENT_KERNEL:
      ho_ops_kernel(r, e->index);
      break;
    case EVENT_FLOW:
      ho_copies_flow(r, e->index);
      break;
  }
}

/* Starts what can start, ops and copies together in the order of issue. */
static void start_all(ho_replay *r) {
  r->stuck_copy = r->stuck_entry = -1;
  for (ho_memory m = 0; m < r->n_memories; m++) r->memory[m].blocked = 0;
  for (int32_t i = 0; i < r->n_pairs; i++) r->pair_blocked[r->pairs[i]] = 0;
  int32_t kept = 0, next = 0;
  int32_t x = r->n_pairs > 0 ? ho_copies_first(r) : -1;
  while (x >= 0 || next < r->n_candidates) {
    int32_t i = next < r->n_candidates ? r->candidate[next] : INT32_MAX;
    if (x >= 0 && r->copy[x].first <= i) {
      ho_copies_try(r, x);
      x = r->n_pairs > 0 ? ho_copies_first(r) : -1;
    } else {
      next++;
      if (!ho_ops_try(r, i)) r->candidate[kept++] = i;
    }
  }
  r->n_candidates = kept;
}

static void run_instant(ho_replay *r) {
  r->events += r->n_batch;
  for (int32_t k = 0; k < r->n_batch; k++) release(r, &r->batch[k]);
  for (int32_t k = 0; k < r->n_batch; k++) arrive(r, &r->batch[k]);
  if (r->online) ho_online_assign(r);
  start_all(r);
  ho_fluid_settle(r->fluid, r->now);
  ho_ops_rates_changed(r);
}

static gboolean stuck(const ho_replay *r, GError **error) {
  const ho_problem *q = r->q;
  if (r->stuck_copy < 0 && r->stuck_entry < 0)
    return ho_fail(error, HO_ERROR_INTERNAL,
                   "replay stopped at %.9g s with %d ops and copies left and nothing that waits for memory", r->now,
                   r->unfinished);
  int of_copy = r->stuck_copy >= 0 && (r->stuck_entry < 0 || r->copy[r->stuck_copy].first <= r->stuck_entry);
  int32_t entry = of_copy ? r->copy[r->stuck_copy].first : r->stuck_entry;
  ho_memory m = of_copy ? r->cell[r->copy[r->stuck_copy].target].memory : r->entry[entry].memory;
  int64_t asked = of_copy ? r->tensor_bytes[r->cell[r->copy[r->stuck_copy].target].tensor] : r->entry[entry].demand;
  return ho_fail(error, HO_ERROR_INFEASIBLE,
                 "plan is infeasible: memory '%s' cannot hold %s op '%s' at %.9g s: %" G_GINT64_FORMAT
                 " B asked for, %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " B are free and nothing that runs will free more",
                 q->platform->memory[m].name, of_copy ? "the input of" : "the outputs of",
                 entry < r->n_entries ? q->graph->op[r->entry[entry].op].name : "(none)", r->now, asked,
                 r->memory[m].capacity - r->memory[m].used, r->memory[m].capacity);
}

/* Inputs are there from the start, in the order of tensors. */
static void inputs_arrive(ho_replay *r) {
  const ho_graph *g = r->q->graph;
  for (ho_tensor t = 0; t < g->n_tensors; t++) {
    if (g->tensor[t].role != HO_ROLE_INPUT || r->tensor_cell[t] < 0) continue;
    int32_t home = r->tensor_cell[t]; /* the first cell that was made: see load_inputs */
    ho_cells_present(r, home, -1, -1);
    ho_copies_spread(r, home);
    ho_memory_drop(r, r->cell[home].buffer);
  }
}

static gboolean run(ho_replay *r, GError **error) {
  if (!ho_memory_initial(r, error)) return FALSE;
  inputs_arrive(r);
  r->n_batch = 0;
  run_instant(r);
  while (r->unfinished > 0 && next_instant(r)) run_instant(r);
  if (r->unfinished > 0) return stuck(r, error);
  ho_memory_finish(r);
  return TRUE;
}

/* ---- public ------------------------------------------------------------------------------------------------------------------------ */

ho_replay *ho_replay_new(const ho_problem *q) {
  ho_replay *r = g_new0(ho_replay, 1);
  r->q = q;
  ho_replay_allocate(r);
  return r;
}

void ho_replay_free(ho_replay *r) {
  if (!r) return;
  void *all[] = {r->slot_start,   r->op_hash,    r->tensor_hash, r->device_hash, r->memory_hash,  r->heap,         r->batch,
                 r->entry,        r->own_kernel, r->entry_cell,  r->times,       r->op_entry,     r->op_precision, r->queue_tail,
                 r->running_in,   r->candidate,  r->cell,        r->tensor_cell, r->tensor_bytes, r->copy,         r->transfer,
                 r->waiting,      r->scratch,    r->pair_head,   r->pairs,       r->pair_blocked, r->engines_out,  r->engines_in,
                 r->engine_limit, r->pair_fluid, r->memory,      r->buffer,      r->device,       r->dispatcher,   r->link,
                 r->model,        r->out_device, r->out_link,    r->out_memory,  r->out_buffer,   r->out_arena};
  for (size_t i = 0; i < G_N_ELEMENTS(all); i++) g_free(all[i]);
  ho_fluid_free(r->fluid);
  ho_plan_free(r->plan);
  ho_replay_free(r->inner);
  ho_variant_unref(r->variant);
  g_free(r);
}

/* Keeps a copy of the plan. 1: it is the one that was checked by the last run. */
static int keep_plan(ho_replay *r, const ho_plan *plan) {
  if (plan == r->plan || (r->plan && ho_plan_equal(plan, r->plan))) return r->checked;
  ho_plan_free(r->plan);
  r->plan = ho_plan_copy(plan);
  return 0;
}

/* A plan on another graph than the problem's own has a replay of that: kept for the next plan with the same rewrites. */
static const ho_replay_result *run_rewritten(ho_replay *r, const ho_plan *plan, const ho_replay_options *options,
                                             GError **error) {
  if (plan->variant != r->variant) {
    if (!ho_plan_check(plan, r->q->graph, r->q->platform, r->q->cost, error)) return NULL;
    g_clear_pointer(&r->inner, ho_replay_free);
    ho_variant_unref(r->variant);
    r->variant = ho_variant_ref(plan->variant);
    r->rewritten = ho_variant_problem(r->variant, r->q);
    r->inner = ho_replay_new(&r->rewritten);
  }
  r->ran_inner = 1;
  return ho_replay_run(r->inner, plan, options, error);
}

const ho_replay_result *ho_replay_run(ho_replay *r, const ho_plan *plan, const ho_replay_options *options, GError **error) {
  if (plan->variant && plan->variant->graph != r->q->graph) return run_rewritten(r, plan, options, error);
  r->ran_inner = 0;
  r->checked = keep_plan(r, plan) || ho_plan_check(r->plan, r->q->graph, r->q->platform, r->q->cost, error);
  if (!r->checked) return NULL;
  r->options = options ? *options : (ho_replay_options){0};
  ho_replay_clear(r);
  ho_replay_load(r, r->plan);
  if (!run(r, error)) return NULL;
  ho_replay_report(r);
  const ho_figures *f = &r->result.figures;
  if (f->latency < INFINITY && f->energy < INFINITY) return &r->result;
  ho_fail(error, HO_ERROR_INPUT, "the plan takes %.3g s and %.3g J: more than a double-precision number holds", f->latency,
          f->energy);
  return NULL;
}

const ho_replay_result *ho_replay_policy(ho_replay *r, const char *policy, const ho_replay_options *options, GError **error) {
  r->ran_inner = 0;
  r->options = options ? *options : (ho_replay_options){0};
  r->has_decided = 0;
  ho_replay_clear(r);
  if (!ho_online_begin(r, policy, error)) return NULL;
  gboolean ok = run(r, error);
  ho_online_end(r);
  double decided = r->now;
  /* Policies do not look at memory: the replay of what they did does. */
  gboolean fits = ok && ho_replay_run(r, r->plan, options, error);
  r->has_decided = ok;
  if (!fits) return NULL;
  r->result.decided = decided;
  return &r->result;
}

const ho_plan *ho_replay_decided(const ho_replay *r) {
  return r->has_decided ? r->plan : NULL;
}

int32_t ho_replay_buffers(ho_replay *r, const ho_replay_buffer **buffers) {
  if (r->ran_inner) return ho_replay_buffers(r->inner, buffers);
  *buffers = r->out_buffer;
  if (r->arranged) return r->n_buffers;
  g_clear_pointer(&r->out_buffer, g_free);
  r->out_buffer = g_new(ho_replay_buffer, (size_t)r->n_buffers + 1);
  for (int32_t b = 0; b < r->n_buffers; b++) {
    const buffer_t *k = &r->buffer[b];
    r->out_buffer[b] = (ho_replay_buffer){.tensor = k->tensor,
                                          .entry = k->entry,
                                          .memory = k->memory,
                                          .from = k->from,
                                          .to = k->to,
                                          .born = k->born,
                                          .died = k->died,
                                          .bytes = (double)k->bytes};
  }
  ho_arena_plan(r->out_buffer, r->n_buffers, r->n_memories, r->out_arena);
  *buffers = r->out_buffer;
  r->arranged = 1;
  return r->n_buffers;
}

const double *ho_replay_arena(ho_replay *r) {
  if (r->ran_inner) return ho_replay_arena(r->inner);
  const ho_replay_buffer *unused;
  ho_replay_buffers(r, &unused);
  return r->out_arena;
}
