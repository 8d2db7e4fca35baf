/* device_yaml.h: the keys of a device, written over what it has so far. Internal to hwprofiles/.
 *
 * A device starts with the defaults; its profile is laid over them, then its entry in the platform: the same function for
 * both, so that every key of the one overrides every key of the other. */
#ifndef HO_HWPROFILES_DEVICE_YAML_H
#define HO_HWPROFILES_DEVICE_YAML_H

#include "base/arena.h"
#include "base/yamlio.h"
#include "hwprofiles/platform_schema.h"

/* Where a device's keys stand: a file, and the path of the device in it ("devices[2]"; "" in a profile). */
typedef struct {
  const ho_yaml *yaml;
  const char *path;
} ho_device_place;

/* A device that has no key yet. */
ho_device_info ho_device_defaults(void);

/* Lays the keys of `raw` over *d; texts are copied into the arena. */
gboolean ho_device_apply(const ho_raw_device *raw, ho_device_place place, ho_arena *arena, ho_device_info *d, GError **error);

/* What no single key shows: fills in what follows from other keys (`memory_bandwidth`, B/s) and refuses what is meaningless. */
gboolean ho_device_finish(ho_device_info *d, double memory_bandwidth, ho_arena *arena, ho_device_place place, GError **error);

/* Fails at a key of the device ("power.idle"; "" for the device itself). Always FALSE. */
gboolean ho_device_fail(ho_device_place place, const char *key, GError **error, const char *format, ...) G_GNUC_PRINTF(4, 5);

#endif
