/* platform_schema.h: platform and profile files as libcyaml loads them: every number a text, every absent key NULL.
 *
 * Numbers stay texts because they may carry units and because an override must be told from a default. platform_yaml.c and
 * device_yaml.c turn them into ho_platform. Internal to hwprofiles/. */
#ifndef HO_HWPROFILES_PLATFORM_SCHEMA_H
#define HO_HWPROFILES_PLATFORM_SCHEMA_H

#include <cyaml/cyaml.h>
#include <stdbool.h>

#include "hwprofiles/platform.h"

#define HO_PLATFORM_FORMAT "heteroopt-platform/1"
#define HO_DEVICE_FORMAT "heteroopt-device/1"

typedef struct {
  char *at[HO_N_PRECISIONS];
} ho_raw_precisions;

typedef struct {
  char *family[HO_N_FAMILIES];
  char *memory;
} ho_raw_efficiency;

typedef struct {
  ho_raw_efficiency *at[HO_N_PRECISIONS]; /* without `memory` */
} ho_raw_efficiency_in;

typedef struct {
  char **kinds, **except, **precisions;
  uint32_t kinds_count, except_count, precisions_count;
} ho_raw_supports;

typedef struct {
  ho_launch_mode *mode;
  char *host, *device;
} ho_raw_launch;

typedef struct {
  char *idle, *busy, *peak, *off, *per_byte;
  ho_raw_precisions *per_flop;
} ho_raw_power;

typedef struct {
  char *name, *speed, *power;
} ho_raw_point;

/* A device entry of a platform, or a profile. */
typedef struct {
  char *format, *summary;        /* profile only */
  char *name, *profile, *memory; /* profile and memory: platform only */
  ho_device_kind *kind;
  ho_raw_precisions *peak, *error;
  ho_raw_efficiency *efficiency, *efficiency_memory; /* the latter without `memory` */
  ho_raw_efficiency_in *efficiency_in;
  ho_raw_supports *supports;
  ho_raw_launch *launch;
  ho_raw_power *power;
  ho_raw_point *points;
  uint32_t points_count;
  char *bandwidth, *saturation, *reconfigure, *measured_with;
  uint32_t *streams, *copy_engines;
  ho_sharing *sharing;
  bool *estimated;
} ho_raw_device;

typedef struct {
  char *name, *capacity, *bandwidth;
} ho_raw_memory;

typedef struct {
  char *name, *bandwidth, *latency, *energy;
  char **ends; /* two */
  ho_duplex *duplex;
} ho_raw_link;

typedef struct {
  char *format, *name, *summary, *host;
  ho_raw_memory *memories;
  char **switches;
  ho_raw_device *devices;
  ho_raw_link *links;
  char ***peer_to_peer; /* pairs */
  uint32_t memories_count, switches_count, devices_count, links_count, peer_to_peer_count;
  ho_contention *contention;
  ho_dispatch *dispatchers;
  ho_idle *count_idle;
} ho_raw_platform;

extern const cyaml_schema_value_t ho_platform_schema; /* of ho_raw_platform */
extern const cyaml_schema_value_t ho_profile_schema;  /* of ho_raw_device, without `profile` and `memory` */

#endif
