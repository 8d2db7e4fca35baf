/* platform_digest.h: the content key of a platform. Internal to hwprofiles/. */
#ifndef HO_HWPROFILES_PLATFORM_DIGEST_H
#define HO_HWPROFILES_PLATFORM_DIGEST_H

#include "hwprofiles/platform.h"

/* SHA-256 over all that can change a result: names, numbers, topology. Not over where the file lies, which profiles were used, or
 * what is only said about numbers (measured_with, estimated, summary). g_free. */
char *ho_platform_digest(const ho_platform *p);

#endif
