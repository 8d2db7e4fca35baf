/* variant.h: a problem on a rewritten version of its graph.
 *
 * A variant is a list of rewrites with the graph and the cost table that they lead to. It is made once, never changes, and is shared by
 * counted references (from several threads, too): plans own one each. The first graph, its cost table and the platform must outlive it. */
#ifndef HO_SIM_VARIANT_H
#define HO_SIM_VARIANT_H

#include <glib.h>

#include "models/rewrite.h"
#include "sim/problem.h"

G_BEGIN_DECLS

typedef struct ho_variant {
  const ho_graph *base; /* before the rewrites */
  const ho_cost *base_cost;
  const ho_platform *platform;
  GPtrArray *rewrites; /* ho_rewrite*, in the order in which they apply */
  ho_graph *graph;     /* after them */
  ho_cost *cost;
  gint references; /* of variant.c */
} ho_variant;

/* Applies the rewrites in order. Takes the list, also on failure; the error then begins with "rewrites[i]". */
ho_variant *ho_variant_new(const ho_graph *g, const ho_platform *p, const ho_cost *c, GPtrArray *rewrites, GError **error);
/* The same of a work graph to which the rewrites have been applied already: what a search has at hand. The work graph may go on changing. */
ho_variant *ho_variant_of(const ho_workgraph *w, const ho_platform *p, const ho_cost *c, GPtrArray *rewrites, ho_freeze how,
                          GError **error);
/* The rewrites that a text asks for (models/rewrite_spec.h), such as "remove,fold,fuse": rules applied everywhere. */
ho_variant *ho_variant_by_spec(const ho_graph *g, const ho_platform *p, const ho_cost *c, const char *spec, GError **error);

ho_variant *ho_variant_ref(ho_variant *v); /* NULL gives NULL */
void ho_variant_unref(ho_variant *v);      /* NULL is allowed */
gboolean ho_variant_same_rewrites(const ho_variant *v, const GPtrArray *rewrites);

/* The problem on the variant's graph: the same objectives. It points into the variant. */
ho_problem ho_variant_problem(const ho_variant *v, const ho_problem *base);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ho_variant, ho_variant_unref)

G_END_DECLS

#endif
