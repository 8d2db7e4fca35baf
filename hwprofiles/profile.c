/* profile.c: see profile.h, and the summaries of platform_yaml.h. */
#include "hwprofiles/profile.h"

#include <string.h>

#include "hwprofiles/platform_yaml.h"

static ho_yaml *open_format(const char *file, const char *format, GError **error) {
  g_autoptr(ho_yaml) y = ho_yaml_open(file, error);
  if (!y || !ho_yaml_check_format(y, NULL, format, error)) return NULL;
  return g_steal_pointer(&y);
}

gboolean ho_profile_apply(const char *file, const char *name, ho_arena *arena, ho_device_info *d, GError **error) {
  g_autoptr(ho_yaml) y = open_format(file, HO_DEVICE_FORMAT, error);
  void *data = NULL;
  if (!y || !ho_yaml_load(y, &ho_profile_schema, &data, error)) return FALSE;
  const ho_raw_device *raw = data;
  gboolean good = TRUE;
  if (strcmp(raw->name, name))
    good = ho_yaml_fail(y, error, "name", "found '%s', expected '%s' as the file is called", raw->name, name);
  good = good && ho_device_apply(raw, (ho_device_place){y, ""}, arena, d, error);
  ho_yaml_release(&ho_profile_schema, data);
  return good;
}

char *ho_device_summary(const char *name, GError **error) {
  g_autofree char *file = ho_device_file(name);
  g_autoptr(ho_yaml) y = file ? open_format(file, HO_DEVICE_FORMAT, error) : NULL;
  void *data = NULL;
  if (!y || !ho_yaml_load(y, &ho_profile_schema, &data, error)) return NULL;
  char *summary = g_strdup(((const ho_raw_device *)data)->summary);
  ho_yaml_release(&ho_profile_schema, data);
  return summary;
}

char *ho_platform_summary(const char *name, GError **error) {
  g_autofree char *file = ho_platform_file(name);
  g_autoptr(ho_yaml) y = file ? open_format(file, HO_PLATFORM_FORMAT, error) : NULL;
  void *data = NULL;
  if (!y || !ho_yaml_load(y, &ho_platform_schema, &data, error)) return NULL;
  char *summary = g_strdup(((const ho_raw_platform *)data)->summary);
  ho_yaml_release(&ho_platform_schema, data);
  return summary;
}
