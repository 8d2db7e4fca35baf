/* plan.c: see plan.h. */
#include "sim/plan.h"

#include <glib.h>
#include <string.h>

#include "sim/variant.h"

ho_plan *ho_plan_new(int32_t n) {
  ho_plan *p = g_new(ho_plan, 1);
  p->n = n;
  p->variant = NULL;
  p->entry = g_new0(ho_entry, (size_t)n + 1);
  for (int32_t i = 0; i < n; i++) {
    p->entry[i].op = -1;
    p->entry[i].precision = HO_DTYPE_NONE;
  }
  return p;
}

ho_plan *ho_plan_copy(const ho_plan *p) {
  ho_plan *q = g_new(ho_plan, 1);
  q->n = p->n;
  q->variant = ho_variant_ref(p->variant);
  q->entry = g_memdup2(p->entry, sizeof(ho_entry) * ((size_t)p->n + 1));
  return q;
}

void ho_plan_free(ho_plan *p) {
  if (!p) return;
  ho_variant_unref(p->variant);
  g_free(p->entry);
  g_free(p);
}

static int entry_equal(const ho_entry *a, const ho_entry *b) {
  return a->op == b->op && a->device == b->device && a->stream == b->stream && a->copy == b->copy &&
         a->precision == b->precision && a->point == b->point && a->not_before == b->not_before;
}

void ho_plan_set_variant(ho_plan *p, const ho_variant *v) {
  ho_variant *old = p->variant;
  p->variant = ho_variant_ref((ho_variant *)v);
  ho_variant_unref(old);
}

static int same_variant(const ho_variant *a, const ho_variant *b) {
  return a == b || (a && b && ho_variant_same_rewrites(a, b->rewrites));
}

int ho_plan_equal(const ho_plan *a, const ho_plan *b) {
  if (a->n != b->n || !same_variant(a->variant, b->variant)) return 0;
  for (int32_t i = 0; i < a->n; i++)
    if (!entry_equal(&a->entry[i], &b->entry[i])) return 0;
  return 1;
}

typedef struct {
  const double *start;
  const int32_t *place; /* of each op in topo */
} by_start;

static int compare_start(const void *x, const void *y, void *data) {
  const ho_entry *a = x, *b = y;
  const by_start *s = data;
  double ta = s->start[a->op], tb = s->start[b->op];
  if (ta != tb) return ta < tb ? -1 : 1;
  return s->place[a->op] < s->place[b->op] ? -1 : s->place[a->op] > s->place[b->op];
}

void ho_plan_sort_by_start(ho_plan *p, const ho_graph *g, const double *start) {
  g_autofree int32_t *place = g_new(int32_t, (size_t)g->n_ops + 1);
  for (int32_t i = 0; i < g->n_ops; i++) place[g->topo[i]] = i;
  by_start s = {start, place};
  g_qsort_with_data(p->entry, p->n, sizeof *p->entry, compare_start, &s);
}
