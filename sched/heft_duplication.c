/* heft_duplication.c: HEFT that runs an op's producers a second time where that saves a copy.
 *
 * Source: the duplication of critical parents of Hagras & Janeček, "A high performance, low complexity algorithm for compile-time task scheduling in
 * heterogeneous systems", Parallel Computing 31(7), 2005, in HEFT's order and on several parents, as Tang, Li, Liao, Fang & Wu, J.
 * Systems Architecture 56(8), 2010.
 * Ops in decreasing upward rank. On each device, as long as the op then starts earlier: the producer whose data comes last is run once more
 * there, in the first gap after its own data is there. The op goes where it finishes first; its duplicates there stay.
 * So that the plan replays to its own times: one copy of an op per memory; none where a placed op already takes the data by transfer; none that ends
 * first when a transfer has been counted from another; only at the precision of the first; none at all where memories cannot all reach
 * each other. Copies of an op that end together send as the slowest of them would. Costs as in heft.c.
 * Complexity: O(ops · devices · producers² · slots looked at). Options: none. Ties: fewer duplicates, then the lower index. */
#include <glib.h>
#include <math.h>
#include <stdlib.h>

#include "sched/builtin.h"
#include "sched/list.h"

typedef struct {
  ho_op op;
  int16_t device;
  double start, finish;
  double first_before; /* first_end of the op without it */
} piece;

typedef struct {
  uint8_t *cell;
  uint8_t before;
} change;

typedef struct {
  ho_list *l;
  double *made;      /* [op * n_memories + m]: when a copy of op ends in m; INFINITY: none does */
  double *first_end; /* by op: of its copies */
  uint8_t *read;     /* [op * n_memories + m]: somebody in m has been placed who reads it */
  uint8_t *sent;     /* by op: a transfer has been counted on */
  GArray *pieces;    /* all that is placed, of the trial under way too */
  GArray *changes;   /* of read and sent in the trial */
  int connected;
} state;

static ho_memory memory_of(const state *x, ho_device d) {
  return x->l->c->p->device[d].memory;
}

static double arrival(const state *x, ho_tensor t, ho_memory m) {
  const ho_costs *c = x->l->c;
  ho_op p = c->g->tensor[t].producer;
  const double *made = x->made + (int64_t)p * c->n_memories;
  if (isfinite(made[m])) return made[m];
  ho_dtype precision = (ho_dtype)c->precision[(int64_t)p * c->n_devices + x->l->device[p]];
  double bytes = (double)ho_tensor_bytes(&c->g->tensor[t], precision), slowest = 0;
  for (ho_memory k = 0; k < c->n_memories; k++)
    if (made[k] == x->first_end[p]) slowest = fmax(slowest, ho_costs_copy(c, k, m, bytes));
  return x->first_end[p] + slowest;
}

/* When the data of o is in m; *last: the producer whose data comes last and holds it up, -1: none does. */
static double ready_in(const state *x, ho_op o, ho_memory m, ho_op *last) {
  const ho_costs *c = x->l->c;
  const ho_graph *g = c->g;
  double ready = g->op[o].release;
  *last = -1;
  for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++) {
    ho_tensor t = g->in[i];
    ho_op p = g->tensor[t].producer;
    double at = 0;
    if (p >= 0)
      at = arrival(x, t, m);
    else if (c->input_memory[t] >= 0)
      at = ho_costs_copy(c, c->input_memory[t], m, (double)g->tensor[t].bytes);
    if (!(at > ready)) continue;
    ready = at;
    *last = p;
  }
  return ready;
}

static void set(state *x, uint8_t *cell) {
  change one = {cell, *cell};
  g_array_append_val(x->changes, one);
  *cell = 1;
}

static void put(state *x, ho_op o, ho_device d, double start) {
  const ho_costs *c = x->l->c;
  const ho_graph *g = c->g;
  ho_memory m = memory_of(x, d);
  double time = c->time[(int64_t)o * c->n_devices + d];
  piece one = {o, (int16_t)d, start, start + time, x->first_end[o]};
  for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++) {
    ho_op p = g->tensor[g->in[i]].producer;
    if (p < 0) continue;
    set(x, &x->read[(int64_t)p * c->n_memories + m]);
    if (!isfinite(x->made[(int64_t)p * c->n_memories + m])) set(x, &x->sent[p]);
  }
  g_array_append_val(x->pieces, one);
  x->made[(int64_t)o * c->n_memories + m] = one.finish;
  x->first_end[o] = fmin(x->first_end[o], one.finish);
  ho_timeline_insert(&x->l->line[d], start, time);
}

static void take_back(state *x, guint pieces, guint changes) {
  while (x->pieces->len > pieces) {
    const piece *last = &g_array_index(x->pieces, piece, x->pieces->len - 1);
    ho_timeline_remove(&x->l->line[last->device], last->start, last->finish - last->start);
    x->made[(int64_t)last->op * x->l->c->n_memories + memory_of(x, last->device)] = INFINITY;
    x->first_end[last->op] = last->first_before;
    g_array_set_size(x->pieces, x->pieces->len - 1);
  }
  while (x->changes->len > changes) {
    const change *last = &g_array_index(x->changes, change, x->changes->len - 1);
    *last->cell = last->before;
    g_array_set_size(x->changes, x->changes->len - 1);
  }
}

/* Runs p once more on d for data that would otherwise come at `late`. 0: not possible, or no gain. */
static int duplicate(state *x, ho_op p, ho_device d, double late) {
  const ho_costs *c = x->l->c;
  int64_t row = (int64_t)p * c->n_devices, cell = (int64_t)p * c->n_memories + memory_of(x, d);
  double time = c->time[row + d];
  ho_op unused;
  if (!isfinite(time) || x->read[cell] || isfinite(x->made[cell])) return 0;
  if (c->precision[row + d] != c->precision[row + x->l->device[p]]) return 0;
  double ready = ready_in(x, p, memory_of(x, d), &unused);
  if (!isfinite(ready)) return 0;
  double start = ho_timeline_earliest(&x->l->line[d], ready, time);
  if (!(start + time < late) || (x->sent[p] && start + time <= x->first_end[p])) return 0;
  put(x, p, d, start);
  return 1;
}

/* When o can start on d at the earliest, after duplicates that stay in the state; INFINITY: not there. */
static double start_on(state *x, ho_op o, ho_device d) {
  const ho_costs *c = x->l->c;
  double time = c->time[(int64_t)o * c->n_devices + d];
  ho_op last;
  double ready = ready_in(x, o, memory_of(x, d), &last);
  if (!isfinite(time) || !isfinite(ready)) return INFINITY;
  double start = ho_timeline_earliest(&x->l->line[d], ready, time);
  while (x->connected && last >= 0) {
    guint pieces = x->pieces->len, changes = x->changes->len;
    if (!duplicate(x, last, d, ready)) break;
    ready = ready_in(x, o, memory_of(x, d), &last);
    double sooner = ho_timeline_earliest(&x->l->line[d], ready, time);
    if (!(sooner < start)) {
      take_back(x, pieces, changes);
      break;
    }
    start = sooner;
  }
  return start;
}

static ho_op place(void *data, ho_op o) {
  state *x = data;
  const ho_costs *c = x->l->c;
  guint pieces = x->pieces->len, fewest = G_MAXUINT;
  double least = INFINITY;
  ho_device best = -1;
  g_array_set_size(x->changes, 0);
  for (ho_device d = 0; d < c->n_devices; d++) {
    double finish = start_on(x, o, d) + c->time[(int64_t)o * c->n_devices + d];
    guint n = x->pieces->len - pieces;
    take_back(x, pieces, 0);
    if (!isfinite(finish) || finish > least || (finish == least && n >= fewest)) continue;
    least = finish;
    fewest = n;
    best = d;
  }
  if (best < 0) return o;
  double start = start_on(x, o, best);
  x->l->device[o] = (int16_t)best;
  put(x, o, best, start);
  return -1;
}

typedef struct {
  const state *x;
  const int32_t *place; /* of each op in topo */
} by_start;

/* Pieces by start; of those alike, producers first; of one op, in the order in which they were placed. */
static int earlier(const void *a, const void *b, void *data) {
  const by_start *s = data;
  guint i = *(const guint *)a, k = *(const guint *)b;
  const piece *p = &g_array_index(s->x->pieces, piece, i), *q = &g_array_index(s->x->pieces, piece, k);
  if (p->start != q->start) return p->start < q->start ? -1 : 1;
  if (p->op != q->op) return s->place[p->op] < s->place[q->op] ? -1 : 1;
  return i < k ? -1 : i > k;
}

static ho_plan *plan_of(const state *x) {
  const ho_graph *g = x->l->c->g;
  g_autofree guint *order = g_new(guint, x->pieces->len + 1);
  g_autofree int32_t *in_topo = g_new(int32_t, (size_t)g->n_ops + 1);
  g_autofree int16_t *copies = g_new0(int16_t, (size_t)g->n_ops + 1);
  for (int32_t i = 0; i < g->n_ops; i++) in_topo[g->topo[i]] = i;
  for (guint i = 0; i < x->pieces->len; i++) order[i] = i;
  by_start s = {x, in_topo};
  g_qsort_with_data(order, (gint)x->pieces->len, sizeof *order, earlier, &s);
  ho_plan *plan = ho_plan_new((int32_t)x->pieces->len);
  for (guint i = 0; i < x->pieces->len; i++) {
    const piece *p = &g_array_index(x->pieces, piece, order[i]);
    plan->entry[i].op = p->op;
    plan->entry[i].device = p->device;
    plan->entry[i].copy = copies[p->op]++;
  }
  return plan;
}

static int is_connected(const ho_costs *c) {
  for (ho_device a = 0; a < c->n_devices; a++)
    for (ho_device b = 0; b < c->n_devices; b++)
      if (!isfinite(c->latency[c->p->device[a].memory * c->n_memories + c->p->device[b].memory])) return 0;
  return 1;
}

static ho_op duplication_fill(ho_list *l) {
  const ho_costs *c = l->c;
  size_t n = (size_t)c->n_ops + 1, cells = n * (size_t)c->n_memories;
  g_autofree double *rank = g_new(double, n), *made = g_new(double, cells), *first_end = g_new(double, n);
  g_autofree uint8_t *read = g_new0(uint8_t, cells), *sent = g_new0(uint8_t, n);
  for (size_t i = 0; i < cells; i++) made[i] = INFINITY;
  for (size_t i = 0; i < n; i++) first_end[i] = INFINITY;
  state x = {.l = l, .made = made, .first_end = first_end, .read = read, .sent = sent, .connected = is_connected(c)};
  x.pieces = g_array_new(FALSE, FALSE, sizeof(piece));
  x.changes = g_array_new(FALSE, FALSE, sizeof(change));
  ho_rank_upward(c, rank);
  ho_op stuck = ho_list_walk(c->g, rank, place, &x);
  if (stuck < 0) l->plan = plan_of(&x);
  g_array_free(x.pieces, TRUE);
  g_array_free(x.changes, TRUE);
  return stuck;
}

static int duplication_run(ho_search *s) {
  return ho_list_run(s, duplication_fill);
}

const ho_scheduler ho_scheduler_heft_duplication = {
    HO_LIST_SCHEDULER,
    .name = "heft-duplication",
    .summary = "HEFT that runs producers again where that saves a copy",
    .source = "Hagras, Janeček, Parallel Computing 31(7), 2005; HEFT's order",
    .run = duplication_run,
};
