/* explain.h: what a replay is bounded by, in words and numbers. */
#ifndef HO_CLI_EXPLAIN_H
#define HO_CLI_EXPLAIN_H

#include <glib.h>
#include <jansson.h>

#include "sim/replay.h"

/* Length of the fastest critical path, s: the longest chain with each op on its fastest device and no communication: the denominator
 * of the SLR (Topcuoglu et al. 2002, section 5.1). */
double ho_cli_fastest_path(const ho_problem *q);

const char *ho_cli_bottleneck_name(ho_bottleneck b);

/* Lines for --explain. */
void ho_cli_explain(const ho_problem *q, const ho_replay_result *r, GString *out);
/* The same as one JSON object. */
json_t *ho_cli_explain_json(const ho_problem *q, const ho_replay_result *r);

#endif
