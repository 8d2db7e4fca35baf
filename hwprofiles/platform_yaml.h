/* platform_yaml.h: reading heteroopt-platform/1 and heteroopt-device/1 (profiles).
 *
 * A device of a platform names a profile, whose file is looked for beside the platform file (devices/NAME.yaml, ../devices/NAME.yaml),
 * then in hwprofiles/devices/ below $HETEROOPT_DATA, where the project was installed, and the source tree it was built from. Any key
 * written in the platform replaces the profile's; inside peak, efficiency, error, power, launch and supports key by key; a list
 * (points, supports.kinds, …) as a whole. docs/platforms.md explains the keys. */
#ifndef HO_HWPROFILES_PLATFORM_YAML_H
#define HO_HWPROFILES_PLATFORM_YAML_H

#include <glib.h>

#include "base/yamlio.h"
#include "hwprofiles/platform.h"

G_BEGIN_DECLS

/* `name`: a file, or the name of an installed platform ("server"). */
/* An installed file of the program: FOLDER/NAME+suffix below a root (platform_find.c). NULL: there is none. g_free. */
char *ho_data_file(const char *folder, const char *name, const char *suffix);

ho_platform *ho_platform_load(const char *name, GError **error);

/* A text that has been opened already. Profiles are looked for beside ho_yaml_file(y). */
ho_platform *ho_platform_from_yaml(ho_yaml *y, GError **error);

/* Lowers the capacity of a memory, named by itself or by the one device on it, to `bytes`: what if there were less? For a platform that nothing
 * has used yet. Its digest becomes that of the smaller platform; plans made for the whole one stay readable (file_digest). */
gboolean ho_platform_limit(ho_platform *p, const char *name, double bytes, GError **error);

/* Names of installed platforms and device profiles, sorted; NULL-terminated, g_strfreev. */
char **ho_platform_list(void);
char **ho_device_list(void);
/* File of an installed platform or profile, or NULL. g_free. */
char *ho_platform_file(const char *name);
char *ho_device_file(const char *name);
/* `summary` of an installed platform or profile; NULL when it has none, is not there, or (with an error) cannot be read. g_free. */
char *ho_platform_summary(const char *name, GError **error);
char *ho_device_summary(const char *name, GError **error);

/* The platform with every device written out, no profile named: reading it gives the same digest (platform_write.c). g_free. */
char *ho_platform_to_yaml(const ho_platform *p);

/* A profile by itself: a file, or the name of an installed one. `bandwidth` (B/s; NAN: unknown) holds where the profile states none.
 * d->memory is -1; texts lie in the arena. */
gboolean ho_profile_load(const char *name, double bandwidth, struct ho_arena *arena, ho_device_info *d, GError **error);

/* The device as heteroopt-device/1 with every key written out, the bandwidth too, under another name and summary. g_free. */
char *ho_profile_to_yaml(const ho_device_info *d, const char *name, const char *summary);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ho_platform, ho_platform_free)

G_END_DECLS

#endif
