/* explain.h: what a replay is bounded by, in words and numbers. */
#ifndef HO_CLI_EXPLAIN_H
#define HO_CLI_EXPLAIN_H

#include <glib.h>
#include <jansson.h>

#include "sim/replay.h"

const char *ho_cli_bottleneck_name(ho_bottleneck b);

/* Lines for --explain. */
void ho_cli_explain(const ho_problem *q, const ho_replay_result *r, GString *out);
/* The same as one JSON object. */
json_t *ho_cli_explain_json(const ho_problem *q, const ho_replay_result *r);

#endif
