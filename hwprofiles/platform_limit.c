/* platform_limit.c: a platform with less memory than its file says (platform_yaml.h). */
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/units.h"
#include "hwprofiles/platform_digest.h"
#include "hwprofiles/platform_yaml.h"

/* "gpu0 and gpu1": the devices that compute out of a memory. g_free. */
static char *devices_on(const ho_platform *p, ho_memory m) {
  g_autoptr(GPtrArray) names = g_ptr_array_new();
  for (ho_device d = 0; d < p->n_devices; d++)
    if (p->device[d].memory == m) g_ptr_array_add(names, (gpointer)p->device[d].name);
  g_ptr_array_add(names, NULL);
  return g_strjoinv(" and ", (char **)names->pdata);
}

static ho_memory unknown(const ho_platform *p, const char *name, GError **error) {
  g_autoptr(GPtrArray) names = g_ptr_array_new();
  for (ho_device d = 0; d < p->n_devices; d++) g_ptr_array_add(names, (gpointer)p->device[d].name);
  for (ho_memory m = 0; m < p->n_memories; m++) g_ptr_array_add(names, (gpointer)p->memory[m].name);
  g_ptr_array_add(names, NULL);
  const char *near = ho_did_you_mean(name, (const char *const *)names->pdata);
  g_autofree char *shown = ho_printable(name);
  ho_fail(error, HO_ERROR_INPUT, "platform '%s' has no device or memory '%s'%s%s%s", p->name, shown,
          near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
  return -1;
}

/* The memory that a name means: its own, or that of a device which shares it with no other. */
static ho_memory memory_of(const ho_platform *p, const char *name, GError **error) {
  ho_memory m = ho_platform_find_memory(p, name);
  ho_device d = ho_platform_find_device(p, name);
  if (m < 0 && d < 0) return unknown(p, name, error);
  if (d < 0) return m;
  ho_memory own = p->device[d].memory;
  if (m >= 0 && m != own) {
    ho_fail(error, HO_ERROR_INPUT, "platform '%s': '%s' is a memory, and a device on memory '%s': which is meant cannot be told",
            p->name, name, p->memory[own].name);
    return -1;
  }
  if (m == own) return m;
  for (ho_device other = 0; other < p->n_devices; other++) {
    if (other == d || p->device[other].memory != own) continue;
    g_autofree char *sharers = devices_on(p, own);
    ho_fail(error, HO_ERROR_INPUT, "platform '%s': %s share memory '%s': expected the name of the memory instead of '%s'",
            p->name, sharers, p->memory[own].name, name);
    return -1;
  }
  return own;
}

gboolean ho_platform_limit(ho_platform *p, const char *name, double bytes, GError **error) {
  ho_memory m = memory_of(p, name, error);
  if (m < 0) return FALSE;
  if (!(bytes > 0) || bytes > p->memory[m].capacity) {
    g_autofree char *capacity = ho_unit_format(p->memory[m].capacity, HO_UNIT_BYTES);
    g_autofree char *found = ho_unit_format(bytes, HO_UNIT_BYTES);
    return ho_fail(error, HO_ERROR_INPUT,
                   "platform '%s': '%s' limited to %s: expected more than 0 B and at most the %s that there are", p->name, name,
                   found, capacity);
  }
  ho_memory_info *memory = ho_arena_new_array(p->arena, ho_memory_info, (size_t)p->n_memories);
  memcpy(memory, p->memory, sizeof *memory * (size_t)p->n_memories);
  memory[m].capacity = bytes;
  p->memory = memory;
  g_autofree char *digest = ho_platform_digest(p);
  p->digest = ho_arena_strdup(p->arena, digest);
  return TRUE;
}
