/* platform_digest.c: see platform_digest.h. */
#include "hwprofiles/platform_digest.h"

#include "base/digest.h"

static void doubles(ho_digest *h, const double *v, int n) {
  for (int i = 0; i < n; i++) ho_digest_double(h, v[i]);
}

static void names(ho_digest *h, const char *const *name, int32_t n) {
  ho_digest_int(h, n);
  for (int32_t i = 0; i < n; i++) ho_digest_string(h, name[i]);
}

static void digest_device(ho_digest *h, const ho_device_info *d) {
  ho_digest_string(h, d->name);
  const int64_t words[] = {d->kind,    d->memory,       d->precisions,   d->launch,  d->streams,
                           d->sharing, d->copy_engines, d->power_by_use, d->n_points};
  for (size_t i = 0; i < G_N_ELEMENTS(words); i++) ho_digest_int(h, words[i]);
  doubles(h, d->peak, HO_N_PRECISIONS);
  doubles(h, d->efficiency, HO_N_FAMILIES);
  doubles(h, d->error, HO_N_PRECISIONS);
  doubles(h, d->per_flop, HO_N_PRECISIONS);
  const double numbers[] = {
      d->memory_efficiency,          d->bandwidth,  d->saturation, d->launch_host, d->launch_device, d->idle,
      d->power_by_use ? 0 : d->busy, d->peak_power, d->off,        d->per_byte,    d->reconfigure};
  doubles(h, numbers, G_N_ELEMENTS(numbers));
  for (int p = 0; p < HO_N_PRECISIONS; p++) /* what a device does not state leaves its digest as it is */
    for (int f = 0; f < HO_N_FAMILIES; f++) {
      if (!(d->efficiency_in[p][f] > 0)) continue;
      ho_digest_string(h, "efficiency_in");
      ho_digest_int(h, p);
      ho_digest_int(h, f);
      ho_digest_double(h, d->efficiency_in[p][f]);
    }
  for (int f = 0; f < HO_N_FAMILIES; f++) {
    if (!(d->memory_of[f] > 0)) continue;
    ho_digest_string(h, "efficiency_memory");
    ho_digest_int(h, f);
    ho_digest_double(h, d->memory_of[f]);
  }
  names(h, d->kinds, d->n_kinds);
  names(h, d->excluded, d->n_excluded);
  for (int32_t i = 0; i < d->n_points; i++) {
    ho_digest_string(h, d->point[i].name);
    ho_digest_double(h, d->point[i].speed);
    ho_digest_double(h, d->point[i].power);
  }
}

static void digest_memory(ho_digest *h, const ho_memory_info *m) {
  ho_digest_string(h, m->name);
  ho_digest_double(h, m->capacity);
  ho_digest_double(h, m->bandwidth);
}

static void digest_link(ho_digest *h, const ho_link_info *l) {
  ho_digest_string(h, l->name);
  ho_digest_int(h, l->ends[0]);
  ho_digest_int(h, l->ends[1]);
  ho_digest_int(h, l->duplex);
  ho_digest_double(h, l->bandwidth);
  ho_digest_double(h, l->latency);
  ho_digest_double(h, l->energy);
}

char *ho_platform_digest(const ho_platform *p) {
  g_autoptr(ho_digest) h = ho_digest_new();
  ho_digest_string(h, "heteroopt-platform/1");
  ho_digest_string(h, p->name);
  const int64_t words[] = {p->n_memories, p->n_devices, p->n_links, p->host, p->contention, p->dispatchers, p->count_idle};
  for (size_t i = 0; i < G_N_ELEMENTS(words); i++) ho_digest_int(h, words[i]);
  for (int32_t i = 0; i < p->n_memories; i++) digest_memory(h, &p->memory[i]);
  names(h, p->switch_name, p->n_switches);
  for (int32_t i = 0; i < p->n_devices; i++) digest_device(h, &p->device[i]);
  for (int32_t i = 0; i < p->n_links; i++) digest_link(h, &p->link[i]);
  ho_digest_bytes(h, p->direct, (size_t)p->n_memories * (size_t)p->n_memories);
  return ho_digest_finish(h);
}
