/* plan_check.h: the one independent validator of plans, and their JSON form (heteroopt-plan/1, heteroopt-front/1).
 *
 * Every plan that is stored, replayed or printed passes ho_plan_check first: all ops once (copies numbered 0, 1, … without gaps),
 * topological order, devices and streams that exist, kinds and precisions that the device supports, a finite time, a route for
 * every tensor that must cross. Messages name op, device and assign[i]. */
#ifndef HO_SIM_PLAN_CHECK_H
#define HO_SIM_PLAN_CHECK_H

#include <glib.h>

#include "base/jsonio.h"
#include "sim/plan.h"

G_BEGIN_DECLS

/* `g`, `c`: of the problem; a plan with rewrites is checked on its variant, which must be of this graph. */
gboolean ho_plan_check(const ho_plan *plan, const ho_graph *g, const ho_platform *p, const ho_cost *c, GError **error);

/* What is wrong with every plan of a problem: an input lies in a memory that the platform does not have. */
gboolean ho_problem_check(const ho_graph *g, const ho_platform *p, GError **error);

/* What is written beside the assignment. `objective` NAN: left out. */
typedef struct {
  const char *scheduler; /* NULL: left out */
  uint64_t seed;
  double latency, energy, memory;
} ho_plan_note;

/* One plan as JSON; new reference. Fields at their default are left out of `assign`. `g` is the graph before the plan's rewrites. */
json_t *ho_plan_to_json(const ho_plan *plan, const ho_graph *g, const ho_platform *p, const ho_plan_note *note);
json_t *ho_front_to_json(ho_plan *const *plans, const ho_plan_note *notes, int32_t n, const ho_graph *g, const ho_platform *p);

/* Reads a plan, or the plans of a front, on its graph before rewrites. Another graph's or platform's plan (name or digest) is refused. `place`: file and place.
 * The plan has passed ho_plan_check. */
ho_plan *ho_plan_from_json(const json_t *value, ho_json_at at, const ho_graph *g, const ho_platform *p, const ho_cost *c,
                           GError **error);
/* A file with a plan or a front; array of ho_plan*, free function set. */
GPtrArray *ho_plans_read(const char *file, const ho_graph *g, const ho_platform *p, const ho_cost *c, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ho_plan, ho_plan_free)

G_END_DECLS

#endif
