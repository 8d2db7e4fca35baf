/* replay_path.c: the critical path through a finished replay.
 *
 * The path goes back from the op that ended last: its kernel (compute), its launch on the device (launch), the time in which everything was there
 * but memory (memory), then whatever it waited for before that: the launch by the host (launch, back to where the dispatcher was free to
 * begin), the copy of an input (transfer, the wait for an engine or a link included), the op before it in its queue or on its device, or the op
 * that made its input. Where a copy that no op waits for ends last, the path begins with that. Waits for a release time or a not_before
 * are steps of the path, but count for no bottleneck: the shares sum to the makespan less such waits. */
#include <math.h>

#include "sim/replay_state.h"

typedef struct {
  double to; /* s: explained from here on */
  ho_path_step step;
  double *share;
  GArray *steps; /* of ho_path_step, from the end to the start; NULL: not asked for */
} path;

static void explain(path *k, ho_path_class what, double from) {
  if (from >= k->to) return;
  k->step.seconds[what] += k->to - from;
  if (what != HO_PATH_TIME) k->share[what] += k->to - from;
  k->to = from;
}

static void begin_step(path *k, int32_t entry) {
  k->step = (ho_path_step){.entry = entry, .transfer = -1, .to = k->to};
}

static void end_step(path *k) {
  k->step.from = k->to;
  if (k->steps) g_array_append_val(k->steps, k->step);
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

/* Goes on at the last end before a time that was prescribed. */
static int32_t skip_wait(ho_replay *r, path *k, double until) {
  int32_t i = last_ended_by(r, until);
  explain(k, HO_PATH_TIME, i >= 0 ? r->times[i].end : 0);
  return i;
}

/* The entry that the copy had to wait for, -1: the start of time. */
static int32_t explain_copy(ho_replay *r, path *k, int32_t x) {
  k->step.transfer = x;
  for (;;) {
    const copy_t *c = &r->copy[x];
    explain(k, HO_PATH_TRANSFER, c->start);
    explain(k, c->waited_memory ? HO_PATH_MEMORY : HO_PATH_TRANSFER, c->asked);
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

static ho_path_cause cause_of(const entry_t *e, double start) {
  static const ho_path_cause names[] = {
      [CAUSE_NONE] = HO_PATH_START,       [CAUSE_LAUNCH] = HO_PATH_FOR_LAUNCH, [CAUSE_TIME] = HO_PATH_FOR_TIME,
      [CAUSE_QUEUE] = HO_PATH_FOR_DEVICE, [CAUSE_DEVICE] = HO_PATH_FOR_DEVICE, [CAUSE_LOCAL] = HO_PATH_FOR_DATA,
      [CAUSE_COPY] = HO_PATH_FOR_COPY};
  return e->waited_memory && start > e->candidate_at ? HO_PATH_FOR_MEMORY : names[e->cause];
}

/* The entry that the op had to wait for, -1: the start of time. */
static int32_t explain_op(ho_replay *r, path *k, int32_t i) {
  const entry_t *e = &r->entry[i];
  explain(k, HO_PATH_COMPUTE, r->times[i].kernel);
  explain(k, HO_PATH_LAUNCH, r->times[i].start);
  k->step.cause = cause_of(e, r->times[i].start);
  if (e->waited_memory) explain(k, HO_PATH_MEMORY, e->candidate_at);
  switch (e->cause) {
    case CAUSE_COPY:
      return explain_copy(r, k, e->cause_index);
    case CAUSE_LAUNCH: {
      int32_t before = launch_waited_for(r, i);
      explain(k, HO_PATH_LAUNCH, before >= 0 ? r->times[before].end : 0);
      return before;
    }
    case CAUSE_TIME:
      return skip_wait(r, k, e->gate);
    case CAUSE_NONE:
      return -1;
    default:
      return e->cause_index;
  }
}

/* The copy that ends last, where that is after all ops; -1. */
static int32_t last_copy(const ho_replay *r, int32_t last) {
  int32_t best = -1;
  double end = last >= 0 ? r->times[last].end : 0;
  for (int32_t x = 0; x < r->n_copies; x++)
    if (r->copy[x].end > end) {
      best = x;
      end = r->copy[x].end;
    }
  return best;
}

void ho_replay_explain(ho_replay *r, GArray *steps) {
  ho_replay_result *out = &r->result;
  for (int s = 0; s < 4; s++) out->share[s] = 0;
  path k = {.to = r->now, .share = out->share, .steps = steps};
  int32_t i = last_to_end(r), x = last_copy(r, i);
  if (x >= 0) {
    begin_step(&k, -1);
    k.step.cause = HO_PATH_FOR_COPY;
    i = explain_copy(r, &k, x);
    end_step(&k);
  }
  while (i >= 0) {
    begin_step(&k, i);
    i = explain_op(r, &k, i);
    end_step(&k);
  }
  out->bottleneck = HO_BOTTLENECK_COMPUTE;
  for (int s = 1; s < 4; s++)
    if (out->share[s] > out->share[out->bottleneck]) out->bottleneck = (ho_bottleneck)s;
}

/* ---- for those who ask ----------------------------------------------------------------------------------------------------------- */

/* Place in the result's list of transfers. */
static int32_t transfer_of(const ho_replay *r, int32_t x) {
  const cell_t *to = &r->cell[r->copy[x].target];
  int32_t k = 0;
  while (r->transfer[k].tensor != to->tensor || r->transfer[k].to != to->memory) k++;
  return k;
}

static void reverse(GArray *steps) {
  for (guint i = 0, j = steps->len; i + 1 < j; i++) {
    ho_path_step *a = &g_array_index(steps, ho_path_step, i), *b = &g_array_index(steps, ho_path_step, --j), kept = *a;
    *a = *b;
    *b = kept;
  }
}

GArray *ho_replay_path(ho_replay *r) {
  if (r->ran_inner) return ho_replay_path(r->inner);
  GArray *steps = g_array_new(FALSE, FALSE, sizeof(ho_path_step));
  ho_replay_explain(r, steps);
  reverse(steps);
  for (guint i = 0; i < steps->len; i++) {
    ho_path_step *s = &g_array_index(steps, ho_path_step, i);
    if (s->transfer >= 0) s->transfer = transfer_of(r, s->transfer);
  }
  return steps;
}

const char *ho_path_cause_name(ho_path_cause c) {
  static const char *const names[] = {"start", "data", "copy", "device", "launch", "memory", "time"};
  return names[c];
}

const char *ho_path_class_name(ho_path_class c) {
  static const char *const names[] = {"compute", "transfer", "launch", "memory", "time"};
  return names[c];
}
