/* variant.c: see variant.h. */
#include "sim/variant.h"

#include "models/rewrite_json.h"
#include "models/rewrite_spec.h"

ho_variant *ho_variant_of(const ho_workgraph *w, const ho_platform *p, const ho_cost *c, GPtrArray *rewrites, ho_freeze how,
                          GError **error) {
  ho_graph *g = ho_workgraph_freeze(w, how, error);
  if (!g) {
    g_ptr_array_unref(rewrites);
    return NULL;
  }
  ho_variant *v = g_new(ho_variant, 1);
  *v = (ho_variant){.base = w->first,
                    .base_cost = c,
                    .platform = p,
                    .rewrites = rewrites,
                    .graph = g,
                    .cost = ho_cost_new(g, p),
                    .references = 1};
  return v;
}

ho_variant *ho_variant_new(const ho_graph *g, const ho_platform *p, const ho_cost *c, GPtrArray *rewrites, GError **error) {
  g_autoptr(ho_workgraph) w = ho_workgraph_new(g);
  for (guint i = 0; i < rewrites->len; i++) {
    if (ho_rewrite_apply(w, rewrites->pdata[i], error)) continue;
    g_prefix_error(error, "rewrites[%u]: ", i);
    g_ptr_array_unref(rewrites);
    return NULL;
  }
  return ho_variant_of(w, p, c, rewrites, HO_FREEZE_NAMED, error);
}

ho_variant *ho_variant_by_spec(const ho_graph *g, const ho_platform *p, const ho_cost *c, const char *spec, GError **error) {
  g_autoptr(ho_workgraph) w = ho_workgraph_new(g);
  GPtrArray *list = ho_rewrites_new();
  if (!ho_rewrites_by_spec(w, spec, list, error)) {
    g_ptr_array_unref(list);
    return NULL;
  }
  return ho_variant_of(w, p, c, list, HO_FREEZE_NAMED, error);
}

ho_variant *ho_variant_ref(ho_variant *v) {
  if (v) g_atomic_int_inc(&v->references);
  return v;
}

void ho_variant_unref(ho_variant *v) {
  if (!v || !g_atomic_int_dec_and_test(&v->references)) return;
  ho_cost_free(v->cost);
  ho_graph_free(v->graph);
  g_ptr_array_unref(v->rewrites);
  g_free(v);
}

gboolean ho_variant_same_rewrites(const ho_variant *v, const GPtrArray *rewrites) {
  if (v->rewrites == rewrites) return TRUE;
  if (v->rewrites->len != rewrites->len) return FALSE;
  for (guint i = 0; i < rewrites->len; i++)
    if (!ho_rewrite_equal(v->rewrites->pdata[i], rewrites->pdata[i])) return FALSE;
  return TRUE;
}

ho_problem ho_variant_problem(const ho_variant *v, const ho_problem *base) {
  ho_problem q = *base;
  q.graph = v->graph;
  q.cost = v->cost;
  q.variant = v;
  return q;
}
