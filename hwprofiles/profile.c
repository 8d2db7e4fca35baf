/* profile.c: see profile.h, and the summaries of platform_yaml.h. */
#include "hwprofiles/profile.h"

#include <string.h>

#include "hwprofiles/platform_yaml.h"

#include "base/error.h"

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

/* What a file of a profile must be called for a platform to find it by name. */
static char *name_of_file(const char *file) {
  char *name = g_path_get_basename(file), *dot = strrchr(name, '.');
  if (dot && dot != name) *dot = 0;
  return name;
}

gboolean ho_profile_load(const char *name, double bandwidth, ho_arena *arena, ho_device_info *d, GError **error) {
  g_autofree char *file = ho_device_file(name);
  if (!file && g_file_test(name, G_FILE_TEST_IS_REGULAR)) file = g_strdup(name);
  if (!file) {
    g_auto(GStrv) known = ho_device_list();
    const char *near = ho_did_you_mean(name, (const char *const *)known);
    g_autofree char *shown = ho_printable(name);
    return ho_fail(error, HO_ERROR_INPUT, "'%s' is neither a file nor an installed profile%s%s%s", shown,
                   near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
  }
  g_autofree char *word = name_of_file(file);
  *d = ho_device_defaults();
  d->name = d->profile = ho_arena_strdup(arena, word);
  if (!ho_profile_apply(file, word, arena, d, error)) return FALSE;
  g_autoptr(ho_yaml) y = ho_yaml_open(file, error);
  return y && ho_device_finish(d, bandwidth, arena, (ho_device_place){y, ""}, error);
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
