/* plan_check.c: the validator; see plan_check.h. It shares no code with what makes or replays plans. */
#include "sim/plan_check.h"

#include <math.h>

#include "base/error.h"
#include "sim/variant.h"

typedef struct {
  const ho_plan *plan;
  const ho_graph *g;
  const ho_platform *p;
  const ho_cost *c;
  int32_t *first;  /* entry of copy 0 of each op, -1 */
  int32_t *copies; /* of each op */
  GError **error;
} checker;

static gboolean bad(const checker *k, int32_t i, const char *format, ...) G_GNUC_PRINTF(3, 4);
static gboolean bad(const checker *k, int32_t i, const char *format, ...) {
  va_list args;
  va_start(args, format);
  g_autofree char *what = g_strdup_vprintf(format, args);
  va_end(args);
  return ho_fail(k->error, HO_ERROR_PLAN, "plan: assign[%d]: %s", i, what);
}

static const char *op_name(const checker *k, ho_op o) {
  return k->g->op[o].name;
}

static gboolean check_entry(const checker *k, int32_t i) {
  const ho_entry *e = &k->plan->entry[i];
  if (e->op < 0 || e->op >= k->g->n_ops) return bad(k, i, "op index %d, expected 0 to %d", e->op, k->g->n_ops - 1);
  if (e->device < 0 || e->device >= k->p->n_devices)
    return bad(k, i, "op '%s': device index %d, expected 0 to %d", op_name(k, e->op), e->device, k->p->n_devices - 1);
  const ho_device_info *d = &k->p->device[e->device];
  if (e->stream < 0 || e->stream >= d->streams)
    return bad(k, i, "op '%s': stream %d of device '%s', expected 0 to %d", op_name(k, e->op), e->stream, d->name,
               d->streams - 1);
  if (e->point < 0 || e->point >= d->n_points)
    return bad(k, i, "op '%s': operating point %d of device '%s', expected 0 to %d", op_name(k, e->op), e->point, d->name,
               d->n_points - 1);
  if (!(e->not_before >= 0 && isfinite(e->not_before)))
    return bad(k, i, "op '%s': not_before %g, expected a finite time of at least 0 s", op_name(k, e->op), e->not_before);
  ho_dtype p = e->precision == HO_DTYPE_NONE ? ho_cost_default_precision(k->c, e->op, e->device) : (ho_dtype)e->precision;
  int tabled = e->precision == HO_DTYPE_NONE && e->point == 0;
  double time = tabled ? ho_cost_time(k->c, e->op, e->device) : ho_cost_kernel_at(k->c, e->op, e->device, p, e->point).time;
  if (!isfinite(time)) {
    char why[200];
    return bad(k, i, "op '%s' cannot run on device '%s': %s", op_name(k, e->op), d->name,
               ho_cost_why_not(k->c, e->op, e->device, p, why, sizeof why));
  }
  return TRUE;
}

static gboolean check_copies(checker *k) {
  for (int32_t i = 0; i < k->plan->n; i++) {
    const ho_entry *e = &k->plan->entry[i];
    if (e->copy != k->copies[e->op]) {
      if (e->copy == 0)
        return bad(k, i, "op '%s' is named twice (assign[%d]); duplicates need copy 1, 2, …", op_name(k, e->op), k->first[e->op]);
      return bad(k, i, "op '%s' has copy %d, expected %d: copies are numbered in order of issue", op_name(k, e->op), e->copy,
                 k->copies[e->op]);
    }
    if (k->copies[e->op]++ == 0) k->first[e->op] = i;
  }
  for (ho_op o = 0; o < k->g->n_ops; o++)
    if (k->copies[o] == 0)
      return ho_fail(k->error, HO_ERROR_PLAN, "plan: op '%s' is missing, expected all %d ops of graph '%s'", op_name(k, o),
                     k->g->n_ops, k->g->name);
  return TRUE;
}

static gboolean reachable(const ho_platform *p, ho_memory from, ho_memory to) {
  if (from == to) return TRUE;
  if (ho_platform_direct(p, from, to)) return ho_platform_route(p, from, to)->reachable;
  return ho_platform_route(p, from, p->host)->reachable && ho_platform_route(p, p->host, to)->reachable;
}

/* Every input of entry i is issued before it and has a way to its memory. */
static gboolean check_inputs(const checker *k, int32_t i) {
  const ho_entry *e = &k->plan->entry[i];
  ho_memory here = k->p->device[e->device].memory;
  for (int32_t j = k->g->in_start[e->op]; j < k->g->in_start[e->op + 1]; j++) {
    const ho_tensor_info *t = &k->g->tensor[k->g->in[j]];
    ho_memory from = here;
    if (t->producer >= 0) {
      int32_t source = k->first[t->producer];
      if (source >= i)
        return bad(k, i, "op '%s' is issued before its input '%s' is made by op '%s' (assign[%d])", op_name(k, e->op), t->name,
                   op_name(k, t->producer), source);
      from = k->p->device[k->plan->entry[source].device].memory;
    } else if (t->role == HO_ROLE_INPUT) {
      from = t->memory ? ho_platform_find_memory(k->p, t->memory) : k->p->host;
      if (from < 0)
        return bad(k, i, "input '%s' lies in memory '%s', which platform '%s' does not have", t->name, t->memory, k->p->name);
    }
    if (!reachable(k->p, from, here))
      return bad(k, i, "op '%s': no route for tensor '%s' from memory '%s' to '%s'", op_name(k, e->op), t->name,
                 k->p->memory[from].name, k->p->memory[here].name);
  }
  return TRUE;
}

gboolean ho_plan_check(const ho_plan *plan, const ho_graph *g, const ho_platform *p, const ho_cost *c, GError **error) {
  const ho_variant *v = plan->variant;
  if (v && v->graph != g) {
    if ((v->base != g && v->base != g->original) || v->platform != p)
      return ho_fail(error, HO_ERROR_PLAN, "plan: its rewrites are of another graph or for another platform than '%s' on '%s'",
                     g->name, p->name);
    g = v->graph;
    c = v->cost;
  }
  g_autofree int32_t *first = g_new(int32_t, (size_t)g->n_ops + 1);
  g_autofree int32_t *copies = g_new0(int32_t, (size_t)g->n_ops + 1);
  for (ho_op o = 0; o < g->n_ops; o++) first[o] = -1;
  checker k = {plan, g, p, c, first, copies, error};
  for (int32_t i = 0; i < plan->n; i++)
    if (!check_entry(&k, i)) return FALSE;
  if (!check_copies(&k)) return FALSE;
  for (int32_t i = 0; i < plan->n; i++)
    if (!check_inputs(&k, i)) return FALSE;
  return TRUE;
}

gboolean ho_problem_check(const ho_graph *g, const ho_platform *p, GError **error) {
  for (ho_tensor t = 0; t < g->n_tensors; t++)
    if (g->tensor[t].memory && ho_platform_find_memory(p, g->tensor[t].memory) < 0)
      return ho_fail(error, HO_ERROR_INPUT, "graph '%s': input '%s' lies in memory '%s', which platform '%s' does not have",
                     g->name, g->tensor[t].name, g->tensor[t].memory, p->name);
  return TRUE;
}
