/* policies.h: what online policies decide by; see replay_policy.c, which carries it out. Not installed. */
#ifndef HO_SIM_POLICIES_H
#define HO_SIM_POLICIES_H

#include "sim/replay_state.h"

typedef struct {
  const char *name, *summary;
  int (*before)(const ho_replay *r, ho_op a, ho_op b); /* whether ready op a is served before b that became ready earlier */
  /* What is least is taken: of the idle devices that can run o, of all of them when the policy pushes. */
  double (*value)(const ho_replay *r, ho_op o, ho_device d);
  int pushes;
  /* Of policies by which an idle device looks for an op: the place among the ready ones of what device d takes, -1: nothing. Else NULL. */
  int32_t (*pick)(const ho_replay *r, ho_device d);
} ho_policy;

struct ho_online {
  const ho_policy *policy;
  int32_t *missing;     /* by op: inputs (or producers) and the release that are missing */
  int32_t *only_memory; /* by op: the one memory that can run it, -1 when several can */
  ho_op *ready;
  int32_t n_ready;
  int64_t *since;    /* by op: the event that made it ready */
  int32_t *assigned; /* by op: entry, -1 */
  int32_t *held;     /* by device: ops that it has been given and that have not ended */
  double *since_end; /* by device: s: when the last of its ops ended, or it was given one when it had none */
  double *given;     /* by device: s of the ops that it has been given since */
  int32_t turn;      /* how many of those there were */
  ho_device *owner;  /* by op: the device whose op made it ready; of those that no op did, one after the other */
};

/* By name; NULL. */
const ho_policy *ho_policy_find(const char *name);

/* Seconds of an op on a device by the cost model, its launch there included. */
double ho_policy_seconds(const ho_replay *r, ho_op o, ho_device d);

#endif
