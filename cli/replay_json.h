/* replay_json.h: a replay as the JSON object of `simulate --json`. */
#ifndef HO_CLI_REPLAY_JSON_H
#define HO_CLI_REPLAY_JSON_H

#include <jansson.h>

#include "sim/replay.h"

/* Quantiles over repeated noisy replays. */
typedef struct {
  gint64 n;
  double noise;
  double latency_p50, latency_p95; /* s */
  double energy_p50, energy_p95;   /* J */
} ho_cli_spread;

/* The last run of `replay`, whose result is `r`. New reference. `spread` NULL: not repeated. */
json_t *ho_cli_replay_json(const ho_problem *q, ho_replay *replay, const ho_replay_result *r, const ho_cli_spread *spread);

#endif
