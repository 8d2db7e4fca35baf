/* profile.h: the profile of a replay as text and JSON. */
#ifndef HO_CLI_PROFILE_H
#define HO_CLI_PROFILE_H

#include <jansson.h>

#include "sim/profile.h"

/* `r` is the result of the last run of `replay`. */
void ho_cli_profile(ho_replay *replay, const ho_replay_result *r, const ho_profile *p, GString *out);
json_t *ho_cli_profile_json(ho_replay *replay, const ho_replay_result *r, const ho_profile *p);

#endif
