/* adversary.h: instances on which one scheduler is worst against another.
 *
 * Simulated annealing over small task graphs, as PISA does (Coleman & Krishnamachari, "Comparing task graph scheduling algorithms: An adversarial approach",
 * 2024, section V): a step redraws the seconds of one op on one device, or the bytes of one edge, log-uniformly within their ranges, or adds or removes an
 * edge. Every edge is a tensor of its own. The platform stays; since seconds are by op and device, so do speeds change. Maximised is the ratio of what
 * A's and B's best plans take by noise-free replay; a lower one is accepted with probability exp(Δ log ratio / T), T falling geometrically from `hot`
 * to `cold`. An instance that one of both finds no plan for is not accepted, and counted.
 * Deterministic in (setup). Ties: the instance that was found first. Cost: two runs of schedulers and two replays per step. */
#ifndef HO_SCHED_ADVERSARY_H
#define HO_SCHED_ADVERSARY_H

#include <glib.h>

#include "base/optparse.h"
#include "sched/scheduler.h"

G_BEGIN_DECLS

#define HO_ADVERSARY_MAX_OPS 64

typedef struct {
  const ho_platform *platform;
  const ho_scheduler *scheduler[2]; /* A, B */
  const ho_options *options[2];
  ho_objective objective;
  int32_t n_ops;
  double edges;      /* probability of an edge in the start, 0 … 1 */
  double seconds[2]; /* range, s; > 0 */
  double bytes[2];   /* range, B; ≥ 1 */
  int64_t steps;
  int64_t evaluations; /* budget of each run of a scheduler */
  double hot, cold;    /* > 0 */
  uint64_t seed;
  int32_t restart; /* another start, another walk */
} ho_adversary_setup;

typedef struct {
  ho_graph *graph;     /* the worst instance */
  double ratio, start; /* of it, of the first instance */
  double value[2];     /* what A and B reach on it */
  int64_t tried, failed;
} ho_adversary;

/* NULL with an error when the first instances all fail: the message is the last failure's. */
ho_adversary *ho_adversary_search(const ho_adversary_setup *setup, GError **error);
void ho_adversary_free(ho_adversary *x); /* NULL is allowed */

/* What A and B reach on a graph, and their ratio: as the search judges it. */
gboolean ho_adversary_judge(const ho_adversary_setup *setup, const ho_graph *g, double *value, double *ratio, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ho_adversary, ho_adversary_free)

G_END_DECLS

#endif
