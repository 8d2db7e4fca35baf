/* platform.h: devices, the memories they compute out of, and the links between.
 *
 * A platform is read from YAML (platform_yaml.h), checked once, and never changes afterwards; all of it lies in one arena. A
 * vertex is a memory (index < n_memories) or a switch. Everything is in SI base units. */
#ifndef HO_HWPROFILES_PLATFORM_H
#define HO_HWPROFILES_PLATFORM_H

#include <stdint.h>

#include "base/dtype.h"
#include "models/kind.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t ho_device;
typedef int32_t ho_memory;
typedef int32_t ho_link;

typedef enum { HO_DEVICE_CPU, HO_DEVICE_GPU, HO_DEVICE_NPU, HO_DEVICE_FPGA, HO_DEVICE_DSP, HO_DEVICE_GENERIC } ho_device_kind;
typedef enum { HO_LAUNCH_ASYNC, HO_LAUNCH_SYNC, HO_LAUNCH_GRAPH } ho_launch_mode;
typedef enum { HO_SHARING_EXCLUSIVE, HO_SHARING_SPATIAL } ho_sharing;
typedef enum { HO_DUPLEX_FULL, HO_DUPLEX_HALF, HO_DUPLEX_SIMPLEX, HO_DUPLEX_FAT } ho_duplex;
typedef enum { HO_CONTENTION_FAIR, HO_CONTENTION_SERIAL, HO_CONTENTION_NONE } ho_contention;
typedef enum { HO_DISPATCH_PER_DEVICE, HO_DISPATCH_ONE } ho_dispatch;
typedef enum { HO_IDLE_USED, HO_IDLE_ALL } ho_idle;

/* Operating point: index 0 is always the nominal one (name "nominal", 1, 1). Kernel times are divided by `speed`; dynamic power
 * (everything above idle) is multiplied by `power`, so that the dynamic energy of a kernel is multiplied by power / speed. */
typedef struct {
  const char *name;
  double speed, power;
} ho_point;

typedef struct {
  const char *name;
  const char *profile; /* NULL: written out in full */
  ho_device_kind kind;
  ho_memory memory;
  double peak[HO_N_PRECISIONS];                         /* FLOP/s; 0: not available */
  double efficiency[HO_N_FAMILIES];                     /* reached share of peak, (0, 1] */
  double efficiency_in[HO_N_PRECISIONS][HO_N_FAMILIES]; /* the same where a precision has its own; 0: as `efficiency` */
  double memory_efficiency;                             /* reached share of bandwidth, (0, 1] */
  double memory_of[HO_N_FAMILIES];                      /* the same where a family has its own; 0: as `memory_efficiency` */
  double bandwidth;              /* B/s of its own port before efficiency; default: its memory's bandwidth */
  double saturation;             /* parallelism that fills it; 0: any op fills it */
  double error[HO_N_PRECISIONS]; /* relative rounding error, fp32 = 0 */
  int32_t n_kinds;               /* supported kinds (words of kind.h or of the user's graph); -1: all */
  const char *const *kinds;
  int32_t n_excluded; /* kinds that it cannot run although `kinds` would allow */
  const char *const *excluded;
  uint32_t precisions; /* bit set of supported ones */
  ho_launch_mode launch;
  double launch_host, launch_device; /* s */
  int32_t streams;                   /* ≥ 1 */
  ho_sharing sharing;
  int32_t copy_engines; /* per direction; 0: unlimited */
  double idle, busy, peak_power,
      off; /* W. busy: while a kernel runs; NAN when only idle and peak are known. peak_power: 0 when nothing caps it */
  double per_flop[HO_N_PRECISIONS]; /* J/FLOP */
  double per_byte;                  /* J/B */
  int power_by_use;                 /* 1: only idle and peak known, P = idle + (peak-idle)·max(compute, memory utilisation) */
  int32_t n_points;                 /* ≥ 1 */
  const ho_point *point;
  double reconfigure;        /* s to load another kernel kind */
  const char *measured_with; /* NULL */
  int estimated;             /* 1: some of its numbers are estimates */
} ho_device_info;

typedef struct {
  const char *name;
  double capacity;  /* B, < 2^63 */
  double bandwidth; /* B/s */
} ho_memory_info;

typedef struct {
  const char *name;
  int32_t ends[2];  /* vertices */
  double bandwidth; /* B/s, per direction for full */
  double latency;   /* s */
  ho_duplex duplex;
  double energy; /* J/B */
} ho_link_info;

/* One direction of a link on a route: forward (0) runs from ends[0] to ends[1]. */
typedef struct {
  ho_link link;
  int32_t backward;
} ho_hop;

typedef struct {
  int32_t n; /* 0 with reachable 0: no way */
  int reachable;
  const ho_hop *hop;
  double latency;   /* s, sum */
  double bandwidth; /* B/s, smallest; INFINITY for a memory to itself */
  double energy;    /* J/B, sum */
} ho_route;

typedef struct ho_platform {
  const char *name;
  const char *file;        /* where it was read */
  const char *summary;     /* one line for people; NULL */
  const char *digest;      /* SHA-256 of the content after profiles and overrides are applied */
  const char *file_digest; /* the same before memories were limited (ho_platform_limit) */
  int32_t n_devices, n_memories, n_switches, n_links;
  const ho_device_info *device;
  const ho_memory_info *memory;
  const char *const *switch_name;
  const ho_link_info *link;
  ho_memory host;
  ho_contention contention;
  ho_dispatch dispatchers;
  ho_idle count_idle;
  const ho_route *route; /* [from * n_memories + to], direct: by least latency, then fewest links, then lowest link index */
  const uint8_t *direct; /* [from * n_memories + to]: 1 when a copy needs no staging through host: peer_to_peer pairs, and pairs
                              of which one is host */
  struct ho_arena *arena;
} ho_platform;

void ho_platform_free(ho_platform *p);                                     /* NULL is allowed */
ho_device ho_platform_find_device(const ho_platform *p, const char *name); /* -1 */
ho_memory ho_platform_find_memory(const ho_platform *p, const char *name); /* -1 */

static inline const ho_route *ho_platform_route(const ho_platform *p, ho_memory from, ho_memory to) {
  return &p->route[(int64_t)from * p->n_memories + to];
}
static inline int ho_platform_direct(const ho_platform *p, ho_memory from, ho_memory to) {
  return p->direct[(int64_t)from * p->n_memories + to];
}

/* Whether the host always counts (energy): a CPU on the host memory; where none is, the first device on it. */
int ho_platform_is_host_device(const ho_platform *p, ho_device d);

/* The reached share of peak of a family in a precision. */
static inline double ho_device_efficiency(const ho_device_info *d, ho_dtype p, ho_family f) {
  return d->efficiency_in[p][f] > 0 ? d->efficiency_in[p][f] : d->efficiency[f];
}

/* The reached share of bandwidth of a family. */
static inline double ho_device_memory_efficiency(const ho_device_info *d, ho_family f) {
  return d->memory_of[f] > 0 ? d->memory_of[f] : d->memory_efficiency;
}

/* Most precise precision of a device: the lowest bit of `precisions` with a peak (or without any peaks at all). */
ho_dtype ho_device_best_precision(const ho_device_info *d);

const char *ho_device_kind_name(ho_device_kind k);
const char *ho_launch_mode_name(ho_launch_mode m);
const char *ho_sharing_name(ho_sharing s);
const char *ho_duplex_name(ho_duplex d);
const char *ho_contention_name(ho_contention c);
const char *ho_dispatch_name(ho_dispatch d);
const char *ho_idle_name(ho_idle i);

#ifdef __cplusplus
}
#endif

#endif
