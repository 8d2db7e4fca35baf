/* solution.c: see solution.h. */
#include "sched/search/solution.h"

#include <math.h>
#include <string.h>

#include "sim/accuracy.h"

static ho_solution *blank(ho_stage *x) {
  ho_solution *a = g_new0(ho_solution, 1);
  size_t n = (size_t)ho_stage_ops(x);
  a->stage = ho_stage_ref(x);
  a->n = (int32_t)n;
  a->priority = g_malloc0((sizeof(double) + sizeof(int16_t) + 2) * n + sizeof(double));
  a->device = (int16_t *)(void *)(a->priority + n);
  a->precision = (int8_t *)(void *)(a->device + n);
  a->point = a->precision + n;
  return a;
}

ho_solution *ho_solution_new(ho_stage *x) {
  ho_solution *a = blank(x);
  ho_priority_topological(x->problem.graph, a->priority);
  for (int32_t o = 0; o < a->n; o++) a->device[o] = x->space->device[x->space->start[o]];
  memset(a->precision, HO_DTYPE_NONE, (size_t)a->n);
  return a;
}

void ho_solution_assign(ho_solution *to, const ho_solution *from) {
  size_t n = (size_t)from->n;
  g_assert(to->stage == from->stage);
  memcpy(to->priority, from->priority, (sizeof(double) + sizeof(int16_t) + 2) * n);
  to->streams = from->streams;
}

ho_solution *ho_solution_copy(const ho_solution *a) {
  ho_solution *b = blank(a->stage);
  ho_solution_assign(b, a);
  return b;
}

void ho_solution_free(ho_solution *a) {
  if (!a) return;
  ho_stage_unref(a->stage);
  g_free(a->priority);
  g_free(a);
}

/* --- from one stage to another ----------------------------------------------------------------------------------------------- */
/* Decisions by op of the user's graph; `weight` says how much of it the op stands for that decided; 0: nobody did. */
typedef struct {
  double *priority, *weight;
  int16_t *device;
  int8_t *precision, *point;
} by_origin;

static void tell_origins(const ho_solution *a, const by_origin *b) {
  for (ho_op o = 0; o < a->n; o++) {
    ho_origin self;
    int32_t n;
    const ho_origin *from = ho_stage_origins(a->stage, o, &self, &n);
    for (int32_t i = 0; i < n; i++) {
      double weight = from[i].to - from[i].from;
      if (weight <= b->weight[from[i].op]) continue;
      b->weight[from[i].op] = weight;
      b->priority[from[i].op] = a->priority[o];
      b->device[from[i].op] = a->device[o];
      b->precision[from[i].op] = a->precision[o];
      b->point[from[i].op] = a->point[o];
    }
  }
}

/* FALSE: nothing that it stands for has decided. */
static gboolean hear_origins(ho_solution *a, ho_op o, const by_origin *b, const ho_graph *base) {
  ho_origin self;
  int32_t n, heard = 0;
  const ho_origin *from = ho_stage_origins(a->stage, o, &self, &n);
  double most = -1, sum = 0;
  for (int32_t i = 0; i < n; i++) {
    ho_op k = from[i].op;
    if (b->weight[k] <= 0) continue;
    heard++;
    sum += b->priority[k];
    double work = base->op[k].flops * (from[i].to - from[i].from);
    if (work <= most) continue;
    most = work;
    a->device[o] = b->device[k];
    a->precision[o] = b->precision[k];
    a->point[o] = b->point[k];
  }
  if (heard) a->priority[o] = sum / heard;
  return heard > 0;
}

static void follow(ho_solution *a, ho_op o, ho_op whom) {
  a->priority[o] = a->priority[whom];
  a->device[o] = a->device[whom];
  a->precision[o] = a->precision[whom];
  a->point[o] = a->point[whom];
}

/* Glue goes with a producer that has decided, else with a consumer. */
static gboolean follow_neighbour(ho_solution *a, ho_op o, const uint8_t *decided) {
  const ho_graph *g = a->stage->problem.graph;
  for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++) {
    ho_op p = g->tensor[g->in[i]].producer;
    if (p < 0 || !decided[p]) continue;
    follow(a, o, p);
    return TRUE;
  }
  for (int32_t i = g->out_start[o]; i < g->out_start[o + 1]; i++)
    for (int32_t u = g->use_start[g->out[i]]; u < g->use_start[g->out[i] + 1]; u++)
      if (decided[g->use[u]]) {
        follow(a, o, g->use[u]);
        return TRUE;
      }
  return FALSE;
}

ho_solution *ho_solution_carry(const ho_solution *a, ho_stage *to) {
  if (a->stage == to) return ho_solution_copy(a);
  const ho_graph *base = ho_stage_base(to->root);
  size_t m = (size_t)base->n_ops + 1;
  g_autofree double *priority = g_new0(double, m), *weight = g_new0(double, m);
  g_autofree int16_t *device = g_new0(int16_t, m);
  g_autofree int8_t *precision = g_new0(int8_t, m), *point = g_new0(int8_t, m);
  by_origin b = {priority, weight, device, precision, point};
  tell_origins(a, &b);
  ho_solution *c = ho_solution_new(to);
  c->streams = a->streams;
  g_autofree uint8_t *decided = g_new0(uint8_t, (size_t)c->n + 1);
  for (ho_op o = 0; o < c->n; o++) decided[o] = (uint8_t)hear_origins(c, o, &b, base);
  for (int32_t i = 0; i < c->n; i++) {
    ho_op o = to->problem.graph->topo[i];
    if (!decided[o]) decided[o] = (uint8_t)follow_neighbour(c, o, decided);
    c->device[o] = ho_space_allowed(to->space, o, c->device[o]);
  }
  return c;
}

/* --- decoding ---------------------------------------------------------------------------------------------------------------------- */
static void apply_wishes(const ho_solution *a, ho_plan *plan) {
  const ho_stage *x = a->stage;
  for (int32_t i = 0; i < plan->n; i++) {
    ho_entry *e = &plan->entry[i];
    int wish = a->precision[e->op];
    if (wish >= 0 && x->lower[(int64_t)e->op * x->space->n_devices + e->device] >> wish & 1) e->precision = (int8_t)wish;
    if (a->point[e->op] < x->problem.platform->device[e->device].n_points) e->point = a->point[e->op];
  }
}

/* Takes back the precision of the entry that gains most by it; FALSE: there is none. */
static gboolean take_one_back(const ho_problem *q, ho_plan *plan, double *drop) {
  int32_t best = -1;
  double most = 0;
  for (int32_t i = 0; i < plan->n; i++) {
    ho_entry usual = plan->entry[i];
    if (usual.precision == HO_DTYPE_NONE) continue;
    usual.precision = HO_DTYPE_NONE;
    double gain = ho_accuracy_entry_drop(q, &plan->entry[i]) - ho_accuracy_entry_drop(q, &usual);
    if (gain <= most) continue;
    most = gain;
    best = i;
  }
  if (best < 0) return FALSE;
  plan->entry[best].precision = HO_DTYPE_NONE;
  *drop -= most;
  return TRUE;
}

int ho_solution_decode(const ho_solution *a, double accuracy_limit) {
  ho_stage *x = a->stage;
  if (ho_decode(x->decoder[a->streams], a->device, a->priority, x->plan) != 0) return -1;
  apply_wishes(a, x->plan);
  double drop = ho_accuracy_drop(&x->problem, x->plan);
  while (drop > accuracy_limit && take_one_back(&x->problem, x->plan, &drop)) {
  }
  return 0;
}
