/* platform_yaml.h: reading heteroopt-platform/1 and heteroopt-device/1 (profiles).
 *
 * A device of a platform names a profile, whose file is looked for beside the platform file (devices/NAME.yaml, ../devices/NAME.yaml),
 * then in $HETEROOPT_DATA/devices, then where the project was installed, then in the source tree it was built from; any key written
 * in the platform replaces the profile's; inside peak, efficiency, error, power, launch and supports key by key. */
#ifndef HO_HWPROFILES_PLATFORM_YAML_H
#define HO_HWPROFILES_PLATFORM_YAML_H

#include <glib.h>

#include "hwprofiles/platform.h"

G_BEGIN_DECLS

/* `name`: a file, or the name of an installed platform ("server"). */
ho_platform *ho_platform_load(const char *name, GError **error);

/* Names of installed platforms and device profiles, sorted; NULL-terminated, g_strfreev. */
char **ho_platform_list(void);
char **ho_device_list(void);
/* File of an installed platform or profile, or NULL. g_free. */
char *ho_platform_file(const char *name);
char *ho_device_file(const char *name);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ho_platform, ho_platform_free)

G_END_DECLS

#endif
