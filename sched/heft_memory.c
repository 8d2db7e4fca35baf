/* heft_memory.c: HEFT that looks at memory.
 *
 * Source: HEFTM-BL of Kulagina, Benoit & Meyerhenke, "Memory-aware adaptive scheduling of scientific workflows on heterogeneous architectures",
 * arXiv 2503.22365, 2025: HEFT whose devices are only those where the op fits; here with waiting in place of eviction, which a plan cannot say.
 * Ops in decreasing upward rank. What a memory holds is followed as in a replay: graph inputs from 0 to their last use, weights from 0 on,
 * outputs and incoming copies until all who read them are placed and done, workspace while the op runs. An op waits on a device until what it
 * adds there fits from then on; it goes where it finishes first. An op that waits has `not_before` in the plan, so that its copies wait too.
 * An op that has room nowhere yet lets the next ready one go first, which may give some back; when none has room, the first goes where HEFT would
 * put it, and the run ends with the reason. Where there is room, the plan is HEFT's.
 * Approximations: copies through `host` are not counted there; an incoming copy counts from the end of its producer; views count with
 * what they are a view of, from its first part to their last use. Costs as in heft.c.
 * Complexity: O(ops · devices · steps), steps at most two per op and tensor in a memory. Options: none. Ties: the lower index. */
#include <glib.h>
#include <math.h>

#include "sched/builtin.h"
#include "sched/list.h"
#include "sched/room.h"

typedef struct {
  ho_list *l;
  ho_room *room;
  double *last_use; /* [root tensor * n_memories + m]: s; -1: not in m */
  double *held;     /* the same: B */
  int32_t *readers; /* by root tensor: ops still to be placed that read it or a view of it */
  double *floor;    /* by device: when the op asked for last fits there; INFINITY: never */
  double *waits;    /* by op: not_before, s */
} state;

static int64_t cell_of(const state *x, ho_tensor root, ho_memory m) {
  return (int64_t)root * x->l->c->n_memories + m;
}

static double bytes_of(const state *x, ho_tensor t, ho_op by, ho_device d) {
  const ho_costs *c = x->l->c;
  return (double)ho_tensor_bytes(&c->g->tensor[t], (ho_dtype)c->precision[(int64_t)by * c->n_devices + d]);
}

/* Bytes of an input of o in the memory of d, where o would be. */
static double input_bytes(const state *x, ho_tensor t, ho_op o, ho_device d) {
  const ho_tensor_info *i = &x->l->c->g->tensor[t];
  if (i->producer >= 0) return bytes_of(x, t, i->producer, x->l->device[i->producer]);
  return i->role == HO_ROLE_WEIGHT ? bytes_of(x, t, o, d) : (double)i->bytes;
}

/* When an op on d would have room for what it brings: INFINITY, never. */
static double room_from(const state *x, ho_op o, ho_device d) {
  const ho_graph *g = x->l->c->g;
  ho_memory m = x->l->c->p->device[d].memory;
  double weights = 0, brings = (double)g->op[o].workspace;
  for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++) {
    ho_tensor t = g->in[i];
    if (x->last_use[cell_of(x, g->tensor[t].root, m)] >= 0) continue;
    *(g->tensor[t].role == HO_ROLE_WEIGHT ? &weights : &brings) += input_bytes(x, t, o, d);
  }
  for (int32_t i = g->out_start[o]; i < g->out_start[o + 1]; i++)
    if (g->tensor[g->out[i]].alias < 0) brings += bytes_of(x, g->out[i], o, d);
  if (ho_room_most(x->room, m, 0) + weights > (double)x->l->c->p->memory[m].capacity) return INFINITY;
  return ho_room_from(x->room, m, weights + brings);
}

/* As ho_list_ready, but what is not yet in a memory starts on its way there only when there is room. */
static double start_on(const state *x, ho_op o, ho_device d, double floor) {
  const ho_list *l = x->l;
  const ho_costs *c = l->c;
  const ho_graph *g = c->g;
  ho_memory m = c->p->device[d].memory;
  double ready = fmax(g->op[o].release, floor), time = c->time[(int64_t)o * c->n_devices + d];
  for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++) {
    ho_tensor t = g->in[i];
    const ho_tensor_info *info = &g->tensor[t];
    ho_memory from = info->producer >= 0 ? c->p->device[l->device[info->producer]].memory : c->input_memory[t];
    if (from < 0) continue;
    double at = info->producer >= 0 ? l->finish[info->producer] : 0;
    if (from != m) at = fmax(at, floor) + ho_costs_copy(c, from, m, input_bytes(x, t, o, d));
    ready = fmax(ready, at);
  }
  return isfinite(ready) ? ho_timeline_earliest(&l->line[d], ready, time) : INFINITY;
}

static void hold(state *x, ho_tensor t, ho_memory m, double from, double bytes) {
  int64_t cell = cell_of(x, x->l->c->g->tensor[t].root, m);
  if (x->last_use[cell] < 0) x->last_use[cell] = from;
  x->held[cell] += bytes;
  ho_room_add(x->room, m, from, bytes);
}

static void use_until(state *x, ho_tensor t, ho_memory m, double until) {
  double *last = &x->last_use[cell_of(x, x->l->c->g->tensor[t].root, m)];
  if (*last >= 0) *last = fmax(*last, until);
}

/* All who read it are placed: it is given back where it was used last. */
static void give_back(state *x, ho_tensor root) {
  for (ho_memory m = 0; m < x->l->c->n_memories; m++) {
    int64_t cell = cell_of(x, root, m);
    if (x->last_use[cell] >= 0) ho_room_add(x->room, m, x->last_use[cell], -x->held[cell]);
  }
}

static void bring_inputs(state *x, ho_op o, ho_device d, double floor) {
  const ho_costs *c = x->l->c;
  const ho_graph *g = c->g;
  ho_memory m = c->p->device[d].memory;
  for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++) {
    ho_tensor t = g->in[i];
    const ho_tensor_info *info = &g->tensor[t];
    double bytes = input_bytes(x, t, o, d), at = info->producer >= 0 ? x->l->finish[info->producer] : 0;
    ho_memory from = info->producer >= 0 ? c->p->device[x->l->device[info->producer]].memory : c->input_memory[t];
    if (x->last_use[cell_of(x, info->root, m)] < 0) {
      hold(x, t, m, info->role == HO_ROLE_WEIGHT ? 0 : fmax(at, floor), bytes);
      if (from >= 0) use_until(x, t, from, fmax(at, floor) + ho_costs_copy(c, from, m, bytes));
    }
    use_until(x, t, m, x->l->finish[o]);
    if (info->role != HO_ROLE_WEIGHT && --x->readers[info->root] == 0) give_back(x, info->root);
  }
}

static void commit(state *x, ho_op o, ho_device d, double start, double floor) {
  ho_list *l = x->l;
  const ho_graph *g = l->c->g;
  ho_memory m = l->c->p->device[d].memory;
  double time = l->c->time[(int64_t)o * l->c->n_devices + d];
  l->start[o] = start;
  l->finish[o] = start + time;
  l->device[o] = (int16_t)d;
  ho_timeline_insert(&l->line[d], start, time);
  ho_room_add(x->room, m, start, (double)g->op[o].workspace);
  ho_room_add(x->room, m, l->finish[o], -(double)g->op[o].workspace);
  for (int32_t i = g->out_start[o]; i < g->out_start[o + 1]; i++) {
    hold(x, g->out[i], m, start, g->tensor[g->out[i]].alias < 0 ? bytes_of(x, g->out[i], o, d) : 0);
    use_until(x, g->out[i], m, l->finish[o]);
  }
  bring_inputs(x, o, d, floor);
}

/* The device with room where o finishes first; -1: none has room. x->floor says from when on. */
static ho_device best_with_room(const state *x, ho_op o) {
  const ho_costs *c = x->l->c;
  ho_device best = -1;
  double least = INFINITY;
  for (ho_device d = 0; d < c->n_devices; d++) {
    double time = c->time[(int64_t)o * c->n_devices + d];
    x->floor[d] = isfinite(time) ? room_from(x, o, d) : INFINITY;
    if (!isfinite(x->floor[d])) continue;
    double finish = start_on(x, o, d, x->floor[d]) + time;
    if (!(finish < least)) continue;
    least = finish;
    best = d;
  }
  return best;
}

/* Whether a copy for o would set out before `floor` if nobody held it. */
static int copies_before(const state *x, ho_op o, ho_device d, double floor) {
  const ho_costs *c = x->l->c;
  const ho_graph *g = c->g;
  ho_memory m = c->p->device[d].memory;
  for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++) {
    const ho_tensor_info *t = &g->tensor[g->in[i]];
    if (t->role == HO_ROLE_WEIGHT || x->last_use[cell_of(x, t->root, m)] >= 0) continue;
    if ((t->producer >= 0 ? x->l->finish[t->producer] : 0) < floor) return 1;
  }
  return 0;
}

static void place(state *x, ho_op o, ho_device d, double floor) {
  double start = start_on(x, o, d, floor);
  x->waits[o] = start > start_on(x, o, d, 0) || copies_before(x, o, d, floor) ? floor : 0;
  commit(x, o, d, start, floor);
}

/* Of the ready ops, by rank, the first that has room somewhere, else the first. Returns where in the list it was; -1: no device can take it. */
static int32_t place_one(state *x, const GArray *ready) {
  for (guint i = 0; i < ready->len; i++) {
    ho_op o = g_array_index(ready, ho_op, i);
    ho_device d = best_with_room(x, o);
    if (d < 0) continue;
    place(x, o, d, x->floor[d]);
    return (int32_t)i;
  }
  ho_device d = ho_list_best(x->l, g_array_index(ready, ho_op, 0), NULL);
  if (d < 0) return -1;
  place(x, g_array_index(ready, ho_op, 0), d, 0);
  return 0;
}

/* Keeps the list in order: decreasing rank, then increasing index. */
static void add_ready(GArray *ready, const double *rank, ho_op o) {
  guint i = ready->len;
  for (; i > 0; i--) {
    ho_op before = g_array_index(ready, ho_op, i - 1);
    if (rank[before] > rank[o] || (rank[before] == rank[o] && before < o)) break;
  }
  g_array_insert_val(ready, i, o);
}

static ho_op place_all(state *x, const double *rank) {
  const ho_graph *g = x->l->c->g;
  g_autofree int32_t *missing = g_new0(int32_t, (size_t)g->n_ops + 1);
  g_autoptr(GArray) ready = g_array_new(FALSE, FALSE, sizeof(ho_op));
  for (ho_op o = 0; o < g->n_ops; o++) {
    for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++) missing[o] += g->tensor[g->in[i]].producer >= 0;
    if (missing[o] == 0) add_ready(ready, rank, o);
  }
  while (ready->len > 0) {
    int32_t at = place_one(x, ready);
    ho_op o = g_array_index(ready, ho_op, MAX(at, 0));
    if (at < 0) return o;
    g_array_remove_index(ready, (guint)at);
    for (int32_t i = g->out_start[o]; i < g->out_start[o + 1]; i++)
      for (int32_t u = g->use_start[g->out[i]]; u < g->use_start[g->out[i] + 1]; u++)
        if (--missing[g->use[u]] == 0) add_ready(ready, rank, g->use[u]);
  }
  return -1;
}

static void begin(state *x) {
  const ho_costs *c = x->l->c;
  const ho_graph *g = c->g;
  for (int64_t k = 0; k < (int64_t)g->n_tensors * c->n_memories; k++) x->last_use[k] = -1;
  for (ho_tensor t = 0; t < g->n_tensors; t++) {
    x->readers[g->tensor[t].root] += g->use_start[t + 1] - g->use_start[t] + (g->tensor[t].is_output != 0); /* outputs stay */
    if (c->input_memory[t] >= 0) hold(x, t, c->input_memory[t], 0, (double)g->tensor[t].bytes);
  }
}

static ho_op memory_fill(ho_list *l) {
  const ho_costs *c = l->c;
  size_t n = (size_t)c->n_ops + 1, tensors = (size_t)c->g->n_tensors + 1, cells = tensors * (size_t)c->n_memories;
  g_autofree double *rank = g_new(double, n), *last_use = g_new(double, cells), *held = g_new0(double, cells),
                    *floor = g_new(double, c->n_devices + 1), *waits = g_new0(double, n);
  g_autofree int32_t *readers = g_new0(int32_t, tensors);
  state x = {l, ho_room_new(c->p), last_use, held, readers, floor, waits};
  begin(&x);
  ho_rank_upward(c, rank);
  ho_op stuck = place_all(&x, rank);
  ho_room_free(x.room);
  if (stuck >= 0) return stuck;
  l->plan = ho_list_plan(l);
  for (int32_t i = 0; i < l->plan->n; i++) l->plan->entry[i].not_before = waits[l->plan->entry[i].op];
  return -1;
}

static int memory_run(ho_search *s) {
  return ho_list_run(s, memory_fill);
}

const ho_scheduler ho_scheduler_heft_memory = {
    HO_LIST_SCHEDULER,
    .name = "heft-memory",
    .summary = "HEFT that goes only where there is room, and waits for it",
    .source = "Kulagina, Benoit, Meyerhenke, arXiv 2503.22365, 2025 (HEFTM-BL), without eviction",
    .run = memory_run,
};
