/* profile.h: where the time of a replay went: idle gaps and their causes, slow-down by sharing, utilisation over time, speed-up.
 *
 * A device is busy while one or more kernels run, and idle otherwise. A gap before a kernel is the fault of what its op waited for last: an input
 * (data), the launch by the host, or the device's seconds before the kernel (launch), memory, or a prescribed time (release, not_before);
 * after its last kernel a device has no work. So busy and idle seconds of a device add up to the makespan.
 * Slow-down is the seconds from start to end over those alone, ≥ 1 but for rounding, without noise. Allocates: not for hot loops. */
#ifndef HO_SIM_PROFILE_H
#define HO_SIM_PROFILE_H

#include "sim/replay.h"

G_BEGIN_DECLS

typedef enum { HO_IDLE_DATA, HO_IDLE_LAUNCH, HO_IDLE_MEMORY, HO_IDLE_TIME, HO_IDLE_NO_WORK, HO_N_IDLE_CAUSES } ho_idle_cause;
#define HO_PROFILE_BINS 60

typedef struct {
  double busy;                   /* s */
  double idle[HO_N_IDLE_CAUSES]; /* s; with busy the makespan */
  double load;                   /* share of all kernel seconds */
  double over[HO_PROFILE_BINS];  /* busy share of each equal piece of the makespan */
  double alone;                  /* s: the whole graph on this device; INFINITY where it cannot run or hold it */
} ho_profile_device;

typedef struct {
  int32_t n_devices, n_links, n_entries, n_transfers;
  ho_profile_device *device;
  double (*link)[HO_PROFILE_BINS]; /* by link: share of each piece in which a transfer is on it */
  double *slowdown;                /* by entry */
  double *transfer_slowdown;       /* by transfer */
  double fastest_alone;            /* s: on the best single device; INFINITY: none */
  double longest_path;             /* s: Amdahl: no number of devices is faster (problem.h) */
} ho_profile;

const char *ho_idle_cause_name(ho_idle_cause c); /* "data" */

/* Of the last run, whose result is r. */
ho_profile *ho_profile_new(const ho_replay_result *r);
void ho_profile_free(ho_profile *p); /* NULL is allowed */

/* What the bottleneck suggests, one sentence; static text. */
const char *ho_profile_advice(ho_bottleneck b);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ho_profile, ho_profile_free)

G_END_DECLS

#endif
