/* profile_path.h: parts of the profile of a replay as text and JSON: its critical path, its energy by what it was spent on, and what its
 * memories lose to fragmentation. `r` is the result of the last run of `replay`. */
#ifndef HO_CLI_PROFILE_PATH_H
#define HO_CLI_PROFILE_PATH_H

#include <jansson.h>

#include "sim/replay.h"

/* The longest steps, in order of time, and how long the others are together. */
void ho_cli_path(ho_replay *replay, const ho_replay_result *r, GString *out);
/* All steps: [{"op", "device", "waited_for", "copy", "from", "to", "compute", "transfer", …}, …]. */
json_t *ho_cli_path_json(ho_replay *replay, const ho_replay_result *r);

void ho_cli_energy(const ho_replay_result *r, GString *out);
/* {"idle": J, …}: of a device, or of the whole replay (device -1). */
json_t *ho_cli_energy_json(const ho_replay_result *r, ho_device device);

void ho_cli_arena(ho_replay *replay, const ho_replay_result *r, GString *out);
/* {"hbm": {"peak": B, "arena": B, "fragmentation": share of the arena}, …}. */
json_t *ho_cli_arena_json(ho_replay *replay, const ho_replay_result *r);

#endif
