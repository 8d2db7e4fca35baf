/* profile.h: the profile that a device of a platform names. Internal to hwprofiles/. */
#ifndef HO_HWPROFILES_PROFILE_H
#define HO_HWPROFILES_PROFILE_H

#include "hwprofiles/device_yaml.h"

/* The file of profile `name`, or NULL: devices/ beside the platform file, ../devices, then the installed ones. g_free. */
char *ho_profile_file(const char *name, const char *platform_file);

/* Lays the profile's keys over *d. `file`: the profile's. */
gboolean ho_profile_apply(const char *file, const char *name, ho_arena *arena, ho_device_info *d, GError **error);

#endif
