/* moheft.c: HEFT that carries several schedules along, between makespan and energy.
 *
 * Source: Durillo & Prodan, "Multi-objective workflow scheduling in Amazon EC2", Cluster Computing 17(2), 2014, section 5 (MOHEFT): ops in decreasing upward rank;
 * every partial schedule is extended by the op on every device; of all extensions, whole fronts are kept, of the last one the least crowded (NSGA-II's
 * crowding distance), `schedules` in all. Here makespan and energy; the paper has makespan and cost.
 * An op starts when its inputs are there and the device has done what it was given (no insertion, so that a partial schedule is small). Energy is what the
 * kernels take above idle. What is left are plans that the archive sorts by the problem's own objectives.
 * Complexity: O(ops · schedules · devices · (inputs + schedules · devices)) and copying of partial schedules. Options: schedules. Ties: as crowding of
 * survival.h; the earlier schedule, the lower device. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "sched/builtin.h"
#include "sched/costs.h"
#include "sched/decode.h"
#include "sched/order.h"
#include "sched/survival.h"

static const ho_option options[] = {
    {"schedules", HO_OPTION_INT, "10", 1, 10000, NULL, "partial schedules that are carried along"},
    {0},
};

typedef struct {
  int16_t *device; /* by op */
  double *finish;  /* by op, s */
  double *free;    /* by device, s */
  double makespan, energy;
} partial;

typedef struct {
  const ho_problem *q;
  const ho_costs *c;
  int32_t n, m, most;
  partial *at, *next; /* `most` each */
  int32_t n_at;
} state;

static void alloc(const state *w, partial *x) {
  x->device = g_new0(int16_t, (gsize)w->n + 1);
  x->finish = g_new0(double, (gsize)w->n + 1);
  x->free = g_new0(double, (gsize)w->m + 1);
}
static void release(partial *x) {
  g_free(x->device);
  g_free(x->finish);
  g_free(x->free);
}
static void copy(const state *w, partial *to, const partial *from) {
  memcpy(to->device, from->device, sizeof *to->device * (gsize)w->n);
  memcpy(to->finish, from->finish, sizeof *to->finish * (gsize)w->n);
  memcpy(to->free, from->free, sizeof *to->free * (gsize)w->m);
  to->makespan = from->makespan;
  to->energy = from->energy;
}

/* When o would finish on d; INFINITY where it cannot run or be reached. */
static double finish_on(const state *w, const partial *x, ho_op o, ho_device d) {
  const ho_graph *g = w->c->g;
  ho_memory here = w->c->p->device[d].memory;
  double start = fmax(x->free[d], g->op[o].release);
  for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++) {
    ho_tensor t = g->in[i];
    ho_op p = g->tensor[t].producer;
    ho_memory from = p >= 0 ? w->c->p->device[x->device[p]].memory : w->c->input_memory[t];
    if (from < 0) continue;
    start = fmax(start, (p >= 0 ? x->finish[p] : 0) + ho_costs_copy(w->c, from, here, (double)g->tensor[t].bytes));
  }
  return start + w->c->time[(int64_t)o * w->m + d];
}

/* The best of all extensions, into w->next. FALSE: o can go nowhere. */
static gboolean extend(state *w, ho_op o) {
  gsize most = (gsize)w->n_at * (gsize)w->m + 1;
  g_autofree double *f = g_new(double, 2 * most), *violation = g_new0(double, most), *finish = g_new(double, most),
                    *score = g_new(double, most);
  g_autofree int32_t *of = g_new(int32_t, most), *order = g_new(int32_t, most), *rank = g_new(int32_t, most);
  int32_t n = 0;
  for (int32_t k = 0; k < w->n_at; k++)
    for (ho_device d = 0; d < w->m; d++) {
      finish[n] = finish_on(w, &w->at[k], o, d);
      if (!isfinite(finish[n])) continue;
      of[n] = k * w->m + d;
      f[2 * n] = fmax(w->at[k].makespan, finish[n]);
      f[2 * n + 1] = w->at[k].energy + ho_costs_energy(w->q, o, d);
      n++;
    }
  const ho_survival_task t = {f, violation, n, 2, MIN(n, w->most), order, rank, score, NULL, NULL};
  ho_survival_nsga2(&t);
  for (int32_t i = 0; i < t.keep; i++) {
    partial *x = &w->next[i];
    ho_device d = of[order[i]] % w->m;
    copy(w, x, &w->at[of[order[i]] / w->m]);
    x->device[o] = (int16_t)d;
    x->finish[o] = x->free[d] = finish[order[i]];
    x->makespan = f[2 * order[i]];
    x->energy = f[2 * order[i] + 1];
  }
  partial *swap = w->at;
  w->at = w->next;
  w->next = swap;
  w->n_at = t.keep;
  return n > 0;
}

/* -1, or the op that can go nowhere. */
static ho_op fill(state *w, const double *rank) {
  ho_order *order = ho_order_new(w->c->g);
  ho_op stuck = -1;
  ho_order_begin(order, rank);
  for (ho_op o = ho_order_next(order); o >= 0 && stuck < 0; o = ho_order_next(order))
    if (!extend(w, o)) stuck = o;
  ho_order_free(order);
  return stuck;
}

static void keep_all(state *w, ho_search *s, const ho_space *v, const double *rank) {
  ho_decoder *decoder = ho_decoder_new(w->q, v, HO_STREAMS_ONE);
  ho_plan *plan = ho_plan_new(w->n);
  double objectives[HO_MAX_OBJECTIVES];
  for (int32_t k = 0; k < w->n_at; k++)
    if (ho_decode(decoder, w->at[k].device, rank, plan) == 0 && ho_search_keep(s, plan, objectives) < 0) break;
  ho_plan_free(plan);
  ho_decoder_free(decoder);
}

static int run(ho_search *s) {
  const ho_problem *q = ho_search_problem(s);
  ho_space *v = ho_space_new(s);
  if (!v) return -1;
  ho_costs *c = ho_costs_new(q);
  state w = {.q = q, .c = c, .n = v->n_ops, .m = v->n_devices, .most = (int32_t)ho_search_option_int(s, "schedules"), .n_at = 1};
  w.at = g_new0(partial, (gsize)w.most);
  w.next = g_new0(partial, (gsize)w.most);
  for (int32_t k = 0; k < w.most; k++) {
    alloc(&w, &w.at[k]);
    alloc(&w, &w.next[k]);
  }
  g_autofree double *rank = g_new(double, (gsize)w.n + 1);
  ho_rank_upward(c, rank);
  ho_op stuck = fill(&w, rank);
  if (stuck < 0)
    keep_all(&w, s, v, rank);
  else
    ho_search_fail(s, "op '%s' has no device that its inputs can reach", q->graph->op[stuck].name);
  for (int32_t k = 0; k < w.most; k++) {
    release(&w.at[k]);
    release(&w.next[k]);
  }
  g_free(w.at);
  g_free(w.next);
  ho_costs_free(c);
  ho_space_free(v);
  return stuck < 0 ? 0 : -1;
}

const ho_scheduler ho_scheduler_moheft = {
    .abi = HO_SCHEDULER_ABI,
    .struct_size = sizeof(ho_scheduler),
    .name = "moheft",
    .summary = "HEFT that carries several schedules along, between makespan and energy",
    .source = "Durillo, Prodan, Cluster Computing 17(2), 2014, section 5",
    .options = options,
    .flags = HO_SCHEDULER_DETERMINISTIC,
    .run = run,
};
