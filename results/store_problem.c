/* store_problem.c: what the database knows about a problem beside its runs: references, bounds, figures (store.h). */
#include <math.h>

#include "results/store_private.h"

gboolean ho_store_put_reference(ho_store *s, int64_t problem_id, const ho_store_reference *r, GError **error) {
  HO_STORE_LOCK(s);
  double v[HO_N_OBJECTIVES];
  for (int k = 0; k < HO_N_OBJECTIVES; k++) v[k] = r->infeasible ? NAN : r->value[k];
  return ho_sql_run(s, error,
                    "INSERT OR REPLACE INTO reference(problem_id, objective, protocol, json, latency, energy, memory, infeasible)"
                    " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                    "isssddds", problem_id, ho_objective_name(r->objective), r->protocol, r->infeasible ? NULL : r->json,
                    v[HO_OBJECTIVE_LATENCY], v[HO_OBJECTIVE_ENERGY], v[HO_OBJECTIVE_MEMORY], r->infeasible);
}

int ho_store_has_reference(ho_store *s, int64_t problem_id, ho_objective objective, const char *protocol, GError **error) {
  HO_STORE_LOCK(s);
  return (int)ho_sql_int(s, error, "SELECT count(*) FROM reference WHERE problem_id = ?1 AND objective = ?2 AND protocol = ?3",
                         "iss", problem_id, ho_objective_name(objective), protocol);
}

gboolean ho_store_put_bound(ho_store *s, int64_t problem_id, ho_objective objective, const char *method, double value,
                            GError **error) {
  g_assert(isfinite(value));
  HO_STORE_LOCK(s);
  return ho_sql_run(s, error, "INSERT OR REPLACE INTO bound(problem_id, objective, method, value) VALUES(?1, ?2, ?3, ?4)", "issd",
                    problem_id, ho_objective_name(objective), method, value);
}

gboolean ho_store_put_figure(ho_store *s, int64_t problem_id, const char *name, double value, const char *reason,
                             GError **error) {
  HO_STORE_LOCK(s);
  return ho_sql_run(s, error, "INSERT OR REPLACE INTO figure(problem_id, name, value, reason) VALUES(?1, ?2, ?3, ?4)", "isds",
                    problem_id, name, value, reason);
}
