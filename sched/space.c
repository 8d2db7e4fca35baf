/* space.c: see space.h. */
#include "sched/space.h"

#include <glib.h>
#include <math.h>

const char *ho_space_why_not(const ho_problem *q, ho_op o, ho_device d, char *buffer, int size) {
  char inner[200];
  const char *why = ho_cost_why_not(q->cost, o, d, ho_cost_default_precision(q->cost, o, d), inner, sizeof inner);
  g_snprintf(buffer, (gulong)size, "%s: %s", q->platform->device[d].name, why);
  return buffer;
}

static void fail_nowhere(ho_search *s, ho_op o) {
  const ho_problem *q = ho_search_problem(s);
  g_autoptr(GString) why = g_string_new(NULL);
  for (ho_device d = 0; d < q->platform->n_devices; d++) {
    char one[300];
    g_string_append_printf(why, "%s%s", d ? "; " : "", ho_space_why_not(q, o, d, one, sizeof one));
  }
  ho_search_fail(s, "no device of platform '%s' can run op '%s' (%s)", q->platform->name, q->graph->op[o].name, why->str);
}

static int is_connected(const ho_problem *q) {
  const ho_platform *p = q->platform;
  for (ho_device a = 0; a < p->n_devices; a++)
    for (ho_device b = 0; b < p->n_devices; b++)
      if (!isfinite(ho_copy_time(p, p->device[a].memory, p->device[b].memory, 0))) return 0;
  for (ho_tensor t = 0; t < q->graph->n_tensors; t++) {
    const ho_tensor_info *x = &q->graph->tensor[t];
    if (x->role != HO_ROLE_INPUT) continue;
    ho_memory from = x->memory ? ho_platform_find_memory(p, x->memory) : p->host;
    for (ho_device d = 0; d < p->n_devices; d++)
      if (from < 0 || !isfinite(ho_copy_time(p, from, p->device[d].memory, 0))) return 0;
  }
  return 1;
}

ho_space *ho_space_make(const ho_problem *q, ho_op *stuck) {
  int32_t n = q->graph->n_ops, m = q->platform->n_devices;
  ho_space *v = g_new0(ho_space, 1);
  v->n_ops = n;
  v->n_devices = m;
  v->start = g_new0(int32_t, n + 1);
  v->device = g_new0(int16_t, (size_t)n * (size_t)m + 1);
  v->connected = is_connected(q);
  int32_t k = 0;
  for (ho_op o = 0; o < n; o++) {
    v->start[o] = k;
    for (ho_device d = 0; d < m; d++)
      if (ho_cost_can_run(q->cost, o, d)) v->device[k++] = (int16_t)d;
    if (k > v->start[o]) continue;
    *stuck = o;
    ho_space_free(v);
    return NULL;
  }
  v->start[n] = k;
  return v;
}

ho_space *ho_space_new(ho_search *s) {
  ho_op stuck;
  ho_space *v = ho_space_make(ho_search_problem(s), &stuck);
  if (!v) fail_nowhere(s, stuck);
  return v;
}

void ho_space_free(ho_space *v) {
  if (!v) return;
  g_free(v->start);
  g_free(v->device);
  g_free(v);
}

static int allows(const ho_space *v, ho_op o, ho_device d) {
  for (int32_t i = v->start[o]; i < v->start[o + 1]; i++)
    if (v->device[i] == d) return 1;
  return 0;
}

int16_t ho_space_allowed(const ho_space *v, ho_op o, int16_t wish) {
  return allows(v, o, wish) ? wish : v->device[v->start[o]];
}

int ho_space_runs_all(const ho_space *v, const ho_graph *g, ho_device d, ho_op *first) {
  for (ho_op o = 0; o < v->n_ops; o++)
    if (!allows(v, o, d) && !ho_kind_is_host_copy(g->op[o].kind)) {
      *first = o;
      return 0;
    }
  return 1;
}
