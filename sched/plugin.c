/* plugin.c: see plugin.h. */
#include "sched/plugin.h"

#include <dlfcn.h>
#include <string.h>

#include "base/error.h"

#define OBJECT "ho_plugin_scheduler"

static gboolean check(const char *file, const ho_scheduler *s, GError **error) {
  if (s->abi != HO_SCHEDULER_ABI)
    return ho_fail(error, HO_ERROR_INPUT,
                   "plugin:%s: built for version %u of the scheduler interface, expected %d: compile it again", file, s->abi,
                   HO_SCHEDULER_ABI);
  if (s->struct_size != sizeof(ho_scheduler))
    return ho_fail(error, HO_ERROR_INPUT, "plugin:%s: its ho_scheduler has %u bytes, expected %zu: compile it again", file,
                   s->struct_size, sizeof(ho_scheduler));
  if (!s->name || !*s->name || !s->run)
    return ho_fail(error, HO_ERROR_INPUT, "plugin:%s: its scheduler has no name, or no run", file);
  return TRUE;
}

const ho_scheduler *ho_plugin_load(const char *file, GError **error) {
  /* without a slash the loader would look in its own folders */
  g_autofree char *path = strchr(file, '/') ? g_strdup(file) : g_build_filename(".", file, NULL);
  void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!object) {
    ho_fail(error, HO_ERROR_INPUT, "plugin:%s: %s", file, dlerror());
    return NULL;
  }
  const ho_scheduler *s = dlsym(object, OBJECT);
  if (!s) {
    ho_fail(error, HO_ERROR_INPUT, "plugin:%s: has no object '" OBJECT "', expected a ho_scheduler of that name", file);
    dlclose(object);
    return NULL;
  }
  return check(file, s, error) ? s : NULL;
}
