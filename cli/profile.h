/* profile.h: the profile of a replay as text and JSON. */
#ifndef HO_CLI_PROFILE_H
#define HO_CLI_PROFILE_H

#include <jansson.h>

#include "sim/profile.h"

void ho_cli_profile(const ho_replay_result *r, const ho_profile *p, GString *out);
json_t *ho_cli_profile_json(const ho_replay_result *r, const ho_profile *p);

#endif
