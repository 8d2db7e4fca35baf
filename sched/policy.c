/* policy.c: online policies of the engine as a scheduler, so that they compete with plans made beforehand.
 *
 * Source: sim/replay_policy.c, where each policy is described; StarPU's handbook, "Scheduling policies".
 * The policy runs once in the engine, without noise; the plan that it leaves, which replays to the same times, is kept.
 * Complexity: one replay, one evaluation. Options: name. Ties: as the policy says. Deterministic but for `random`, which draws from the seed. */
#include <glib.h>

#include "sched/builtin.h"
#include "sched/space.h"
#include "sim/replay.h"

static const ho_option options[] = {
    {"name", HO_OPTION_CHOICE, "dmda", 0, 0, ho_policy_names, "which policy"},
    {0},
};

static int policy_run(ho_search *s) {
  g_autoptr(GError) error = NULL;
  ho_space *space = ho_space_new(s); /* says which op nothing can run */
  if (!space) return -1;
  ho_space_free(space);
  g_autoptr(ho_replay) replay = ho_replay_new(ho_search_problem(s));
  const ho_replay_options o = {.seed = ho_stream_next(ho_search_stream(s))};
  const ho_replay_result *r = ho_replay_policy(replay, ho_search_option_string(s, "name"), &o, &error);
  const ho_plan *plan = r ? r->plan : ho_replay_decided(replay);
  if (!plan) return ho_search_fail(s, "%s", error->message);
  double objectives[HO_MAX_OBJECTIVES];
  ho_search_keep(s, plan, objectives);
  return 0;
}

const ho_scheduler ho_scheduler_policy = {
    .abi = HO_SCHEDULER_ABI,
    .struct_size = sizeof(ho_scheduler),
    .name = "policy",
    .summary = "an online policy of the engine: what it does is the plan",
    .source = "StarPU's handbook; Augonnet et al., Concurrency and Computation 23, 2011, section 4",
    .options = options,
    .flags = HO_SCHEDULER_SINGLE,
    .run = policy_run,
};
