/* replay_policy.c: online policies, deciding at run time in the same engine.
 *
 * An op is ready when its release has passed and, where only one memory can run it, its last input has arrived there (such inputs
 * travel as soon as they are made); otherwise when its producers have ended (inputs then travel when it is assigned, the device being
 * held). Ready ops are kept in the order of the events that made them so; those of one event, and those ready from the start, by index. A device takes one op at
 * a time. What was decided becomes a plan: the order of the decisions, with the time of the decision as not_before where the op could
 * have gone to several memories; that plan is then replayed, and the replay is what is reported. Policies do not look at memory.
 *
 * Pulling policies give a device an op when it is idle. Pushing ones give an op to the queue of a device as soon as it is ready, so that its
 * inputs travel while the device works on what it has (StarPU's handbook, "Scheduling policies"; Augonnet, Thibault, Namyst & Wacrenier,
 * Concurrency and Computation 23, 2011, section 4). A device is expected to be free at the end of what it did last, plus the seconds of all
 * that it has been given since, by the cost model, never by the noise.
 *
 * Which op and which device: policies.c. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "sim/policies.h"

/* Whether ready op a is served before b: by the policy, else by the events that made them ready, else by index. */
static int served_before(const ho_replay *r, ho_op a, ho_op b) {
  const struct ho_online *w = r->online;
  if (w->policy->before(r, a, b) || w->policy->before(r, b, a)) return w->policy->before(r, a, b);
  return w->since[a] != w->since[b] ? w->since[a] < w->since[b] : a < b;
}

static void make_ready(ho_replay *r, ho_op o) {
  struct ho_online *w = r->online;
  int32_t k = w->n_ready++;
  w->since[o] = r->arrivals;
  for (; k > 0 && served_before(r, o, w->ready[k - 1]); k--) w->ready[k] = w->ready[k - 1];
  w->ready[k] = o;
}

/* Ops that no op made ready belong to the devices in turn. */
static ho_device next_in_turn(ho_replay *r) {
  return (ho_device)(r->online->turn++ % r->n_devices);
}

/* `by`: the device whose op, or copy's arrival, did it; -1: nobody's. */
static void less(ho_replay *r, ho_op o, ho_device by) {
  struct ho_online *w = r->online;
  if (--w->missing[o] > 0) return;
  w->owner[o] = by >= 0 ? by : next_in_turn(r);
  make_ready(r, o);
}

void ho_online_released(ho_replay *r, ho_op o) {
  less(r, o, -1);
}

/* Where the producer of a tensor ran; -1: it has none. */
static ho_device producer_device(const ho_replay *r, ho_tensor t) {
  ho_op producer = r->q->graph->tensor[t].producer;
  return producer >= 0 ? r->entry[r->online->assigned[producer]].device : -1;
}

/* A cell became present: for those that can only run there. */
void ho_online_arrived(ho_replay *r, int32_t cell) {
  const ho_graph *g = r->q->graph;
  const cell_t *c = &r->cell[cell];
  for (int32_t j = g->use_start[c->tensor]; j < g->use_start[c->tensor + 1]; j++)
    if (r->online->only_memory[g->use[j]] == c->memory) less(r, g->use[j], producer_device(r, c->tensor));
}

static void want(ho_replay *r, ho_tensor t, ho_memory m, int32_t first) {
  cell_t *c = &r->cell[ho_cells_get(r, t, m)];
  c->uses++;
  c->first = MIN(c->first, first);
  c->gate = 0; /* whoever decides has waited long enough */
}

/* A producer ended: its output travels to where the only memory of a consumer is; other consumers have one producer less to wait for. */
void ho_online_produced(ho_replay *r, ho_tensor t, int32_t cell) {
  (void)cell;
  const ho_graph *g = r->q->graph;
  for (int32_t j = g->use_start[t]; j < g->use_start[t + 1]; j++) {
    ho_op o = g->use[j];
    if (r->online->only_memory[o] >= 0)
      want(r, t, r->online->only_memory[o], g->n_ops + o);
    else
      less(r, o, producer_device(r, t));
  }
}

void ho_online_ended(ho_replay *r, int32_t i) {
  ho_device d = r->entry[i].device;
  struct ho_online *w = r->online;
  w->held[d]--;
  w->since_end[d] = r->now;
  w->given[d] = w->held[d] ? w->given[d] - ho_policy_seconds(r, r->entry[i].op, d) : 0;
}

static void assign(ho_replay *r, ho_op o, ho_device d) {
  const ho_graph *g = r->q->graph;
  struct ho_online *w = r->online;
  int32_t i = r->n_entries++;
  ho_entry *plan = &r->plan->entry[i];
  *plan =
      (ho_entry){.op = o, .device = (int16_t)d, .precision = HO_DTYPE_NONE, .not_before = w->only_memory[o] >= 0 ? 0 : r->now};
  r->op_precision[o] = (int8_t)ho_cost_default_precision(r->q->cost, o, d);
  for (int32_t j = g->out_start[o]; j < g->out_start[o + 1]; j++)
    r->tensor_bytes[g->out[j]] = ho_tensor_bytes(&g->tensor[g->out[j]], (ho_dtype)r->op_precision[o]);
  if (w->held[d] == 0) { /* the device is idle: the queue has a head */
    r->queue_tail[r->slot_start[d]] = -1;
    w->since_end[d] = r->now;
    w->given[d] = 0;
  }
  ho_replay_load_entry(r, i, plan);
  r->unfinished--; /* counted from the start: see ho_online_begin */
  w->assigned[o] = i;
  w->held[d]++;
  w->given[d] += ho_policy_seconds(r, o, d);
  ho_replay_load_cells(r, i);
  entry_t *e = &r->entry[i];
  for (int32_t j = g->in_start[o]; j < g->in_start[o + 1]; j++) {
    ho_tensor t = g->in[j];
    if (g->tensor[t].role == HO_ROLE_WEIGHT) continue;
    if (w->only_memory[o] < 0) want(r, t, e->memory, i);
    int32_t c = ho_cells_find(r, t, e->memory);
    if (r->cell[c].state == CELL_PRESENT) continue;
    e->pending++;
    if (r->cell[c].state == CELL_ABSENT) ho_copies_spread(r, r->tensor_cell[t]);
  }
  ho_replay_load_launch(r, i);
}

/* The device of least value; -1: the op waits for one that is idle. */
static ho_device choose(const ho_replay *r, ho_op o) {
  const ho_policy *p = r->online->policy;
  ho_device best = -1;
  double least = INFINITY;
  for (ho_device d = 0; d < r->n_devices; d++) {
    if ((!p->pushes && r->online->held[d]) || !ho_cost_can_run(r->q->cost, o, d)) continue;
    double value = p->value(r, o, d);
    if (best >= 0 && !(value < least)) continue;
    least = value;
    best = d;
  }
  return best;
}

static int all_held(const ho_replay *r) {
  if (r->online->policy->pushes) return 0;
  for (ho_device d = 0; d < r->n_devices; d++)
    if (!r->online->held[d]) return 0;
  return 1;
}

/* Idle devices, in platform order, take one op each. */
static void serve_devices(ho_replay *r) {
  struct ho_online *w = r->online;
  for (ho_device d = 0; d < r->n_devices && w->n_ready > 0; d++) {
    int32_t k = w->held[d] ? -1 : w->policy->pick(r, d);
    if (k < 0) continue;
    assign(r, w->ready[k], d);
    memmove(&w->ready[k], &w->ready[k + 1], sizeof *w->ready * (size_t)(--w->n_ready - k));
  }
}

void ho_online_assign(ho_replay *r) {
  struct ho_online *w = r->online;
  if (w->policy->pick) {
    serve_devices(r);
    return;
  }
  int32_t kept = 0, k = 0;
  for (; k < w->n_ready && !all_held(r); k++) {
    ho_device d = choose(r, w->ready[k]);
    if (d >= 0)
      assign(r, w->ready[k], d);
    else
      w->ready[kept++] = w->ready[k];
  }
  if (kept == k) return;
  memmove(&w->ready[kept], &w->ready[k], sizeof *w->ready * (size_t)(w->n_ready - k));
  w->n_ready -= k - kept;
}

/* The one memory whose devices can run the op, -1 when there are several, -2 when nothing can. */
static int32_t only_memory(const ho_replay *r, ho_op o) {
  int32_t m = -2;
  for (ho_device d = 0; d < r->n_devices; d++) {
    if (!ho_cost_can_run(r->q->cost, o, d)) continue;
    ho_memory here = r->q->platform->device[d].memory;
    if (m >= 0 && m != here) return -1;
    m = here;
  }
  return m;
}

static int32_t count_missing(const ho_replay *r, ho_op o) {
  const ho_graph *g = r->q->graph;
  int32_t n = g->op[o].release > 0;
  for (int32_t j = g->in_start[o]; j < g->in_start[o + 1]; j++) {
    const ho_tensor_info *t = &g->tensor[g->in[j]];
    if (t->role != HO_ROLE_WEIGHT) n += r->online->only_memory[o] >= 0 || t->producer >= 0;
  }
  return n;
}

static void inputs_travel(ho_replay *r) {
  const ho_graph *g = r->q->graph;
  for (ho_tensor t = 0; t < g->n_tensors; t++) {
    if (g->tensor[t].role != HO_ROLE_INPUT) continue;
    for (int32_t j = g->use_start[t]; j < g->use_start[t + 1]; j++)
      if (r->online->only_memory[g->use[j]] >= 0) want(r, t, r->online->only_memory[g->use[j]], g->n_ops + g->use[j]);
  }
}

gboolean ho_online_begin(ho_replay *r, const char *name, GError **error) {
  const ho_graph *g = r->q->graph;
  const ho_policy *found = ho_policy_find(name);
  if (!found) {
    const char *near = ho_did_you_mean(name, ho_policy_names);
    g_autofree char *all = g_strjoinv(", ", (char **)ho_policy_names);
    return ho_fail(error, HO_ERROR_INPUT, "policy '%s' is not known%s%s%s; expected one of %s", name,
                   near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "", all);
  }
  ho_plan_free(r->plan);
  r->plan = ho_plan_new(g->n_ops);
  r->checked = 0;
  struct ho_online *w = r->online = g_new0(struct ho_online, 1);
  w->policy = found;
  w->missing = g_new0(int32_t, (size_t)g->n_ops + 1);
  w->only_memory = g_new0(int32_t, (size_t)g->n_ops + 1);
  w->since = g_new0(int64_t, (size_t)g->n_ops + 1);
  w->ready = g_new(ho_op, (size_t)g->n_ops + 1);
  w->assigned = g_new(int32_t, (size_t)g->n_ops + 1);
  w->held = g_new0(int32_t, (size_t)r->n_devices + 1);
  w->since_end = g_new0(double, (size_t)r->n_devices + 1);
  w->given = g_new0(double, (size_t)r->n_devices + 1);
  w->owner = g_new0(ho_device, (size_t)g->n_ops + 1);
  r->account = 0;
  r->unfinished = g->n_ops;
  for (ho_op o = 0; o < g->n_ops; o++) {
    w->assigned[o] = -1;
    w->only_memory[o] = only_memory(r, o);
    if (w->only_memory[o] == -2) {
      ho_online_end(r);
      return ho_fail(error, HO_ERROR_PLAN, "op '%s' of graph '%s' can run on no device of platform '%s'", g->op[o].name, g->name,
                     r->q->platform->name);
    }
  }
  for (ho_tensor t = 0; t < g->n_tensors; t++) {
    const char *m = g->tensor[t].role == HO_ROLE_INPUT ? g->tensor[t].memory : NULL;
    if (g->tensor[t].role == HO_ROLE_INPUT) {
      ho_memory home = m ? ho_platform_find_memory(r->q->platform, m) : r->q->platform->host;
      if (home < 0) {
        ho_online_end(r);
        return ho_fail(error, HO_ERROR_PLAN, "input '%s' lies in memory '%s', which platform '%s' does not have",
                       g->tensor[t].name, m, r->q->platform->name);
      }
      ho_cells_get(r, t, home);
    }
  }
  inputs_travel(r);
  for (ho_op o = 0; o < g->n_ops; o++) {
    w->missing[o] = count_missing(r, o);
    if (g->op[o].release > 0) ho_events_push(r, g->op[o].release, EVENT_RELEASE, o);
    if (w->missing[o] > 0) continue;
    w->owner[o] = next_in_turn(r);
    make_ready(r, o);
  }
  return TRUE;
}

void ho_online_end(ho_replay *r) {
  struct ho_online *w = r->online;
  g_free(w->missing);
  g_free(w->only_memory);
  g_free(w->ready);
  g_free(w->since);
  g_free(w->assigned);
  g_free(w->held);
  g_free(w->since_end);
  g_free(w->given);
  g_free(w->owner);
  g_free(w);
  r->online = NULL;
}
