/* platform.c: see platform.h. */
#include "hwprofiles/platform.h"

#include <string.h>

#include "base/arena.h"

void ho_platform_free(ho_platform *p) {
  if (p) ho_arena_free(p->arena); /* the platform itself lies in it */
}

ho_device ho_platform_find_device(const ho_platform *p, const char *name) {
  for (ho_device d = 0; d < p->n_devices; d++)
    if (!strcmp(p->device[d].name, name)) return d;
  return -1;
}

ho_memory ho_platform_find_memory(const ho_platform *p, const char *name) {
  for (ho_memory m = 0; m < p->n_memories; m++)
    if (!strcmp(p->memory[m].name, name)) return m;
  return -1;
}

int ho_platform_is_host_device(const ho_platform *p, ho_device d) {
  if (p->device[d].memory != p->host) return 0;
  ho_device first = -1;
  int cpus = 0;
  for (ho_device i = 0; i < p->n_devices; i++) {
    if (p->device[i].memory != p->host) continue;
    if (first < 0) first = i;
    cpus += p->device[i].kind == HO_DEVICE_CPU;
  }
  return cpus ? p->device[d].kind == HO_DEVICE_CPU : d == first;
}

ho_dtype ho_device_best_precision(const ho_device_info *d) {
  ho_dtype listed = HO_FP32;
  int any = 0;
  for (int p = 0; p < HO_N_PRECISIONS; p++) {
    if (!(d->precisions & 1u << p)) continue;
    if (d->peak[p] > 0) return (ho_dtype)p;
    if (!any++) listed = (ho_dtype)p;
  }
  return listed;
}

const char *ho_device_kind_name(ho_device_kind k) {
  static const char *const names[] = {"cpu", "gpu", "npu", "fpga", "dsp", "generic"};
  return names[k];
}

const char *ho_launch_mode_name(ho_launch_mode m) {
  static const char *const names[] = {"async", "sync", "graph"};
  return names[m];
}

const char *ho_sharing_name(ho_sharing s) {
  static const char *const names[] = {"exclusive", "spatial"};
  return names[s];
}

const char *ho_duplex_name(ho_duplex d) {
  static const char *const names[] = {"full", "half", "simplex", "fat"};
  return names[d];
}

const char *ho_contention_name(ho_contention c) {
  static const char *const names[] = {"fair", "serial", "none"};
  return names[c];
}

const char *ho_dispatch_name(ho_dispatch d) {
  static const char *const names[] = {"per_device", "one"};
  return names[d];
}

const char *ho_idle_name(ho_idle i) {
  static const char *const names[] = {"used", "all"};
  return names[i];
}
