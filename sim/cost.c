/* cost.c: see cost.h. */
#include "sim/cost.h"

#include <glib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct ho_cost {
  const ho_graph *g;
  const ho_platform *p;
  uint8_t *kind_ok;      /* [device * n_kinds + kind] */
  uint8_t *parts_ok;     /* of a rewritten graph, [op * n_devices + device]: the kinds it is made of are supported; NULL */
  int32_t *table_device; /* graph's time_devices → platform devices, -1 */
  int8_t *dtype;         /* of each op */
  uint32_t *has;         /* by device: bit set of the precisions it runs */
  int8_t *best;          /* by device: the most precise of them */
  double *activations;   /* B of each op's inputs that have a producer, or are graph inputs, at their own dtypes */
  double *weights;       /* B of its weights at their own dtypes */
  ho_kernel *kernel;     /* [op * n_devices + device] */
};

static int listed(const char *word, const char *const *words, int32_t n) {
  for (int32_t i = 0; i < n; i++)
    if (strcmp(word, words[i]) == 0) return 1;
  return 0;
}

static int supports_kind(const ho_device_info *d, const char *kind) {
  return (d->n_kinds < 0 || listed(kind, d->kinds, d->n_kinds)) && !listed(kind, d->excluded, d->n_excluded);
}

static int has_peak(const ho_device_info *d) {
  for (int p = 0; p < HO_N_PRECISIONS; p++)
    if (d->peak[p] > 0) return 1;
  return 0;
}

static int supports_precision(const ho_device_info *d, ho_dtype p) {
  return p >= 0 && p < HO_N_PRECISIONS && (d->precisions >> p & 1) && (d->peak[p] > 0 || !has_peak(d));
}

static const ho_time *table_entry(const ho_cost *c, ho_op o, ho_device d) {
  const ho_op_info *op = &c->g->op[o];
  for (int32_t i = 0; i < op->n_times; i++)
    if (c->table_device[op->times[i].device] == d) return &op->times[i];
  return NULL;
}

ho_dtype ho_cost_default_precision(const ho_cost *c, ho_op o, ho_device d) {
  int8_t own = c->dtype[o];
  return (ho_dtype)(c->has[d] >> own & 1 ? own : c->best[d]);
}

static void list_precisions(ho_cost *c) {
  c->has = g_new0(uint32_t, (size_t)c->p->n_devices + 1);
  c->best = g_new(int8_t, (size_t)c->p->n_devices + 1);
  for (ho_device d = 0; d < c->p->n_devices; d++) {
    for (int t = 0; t < HO_N_PRECISIONS; t++) c->has[d] |= (uint32_t)supports_precision(&c->p->device[d], (ho_dtype)t) << t;
    c->best[d] = (int8_t)ho_device_best_precision(&c->p->device[d]);
  }
}

/* Bytes that an op's inputs add up to when producers run in `precision_of` (NULL: at their own dtypes) and weights in p. */
static double scaled_inputs(const ho_cost *c, ho_op o, ho_dtype p, const int8_t *precision_of) {
  const ho_graph *g = c->g;
  double sum = 0;
  for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++) {
    const ho_tensor_info *t = &g->tensor[g->in[i]];
    ho_dtype as = t->role == HO_ROLE_WEIGHT          ? p
                  : precision_of && t->producer >= 0 ? (ho_dtype)precision_of[t->producer]
                                                     : t->dtype;
    sum += (double)ho_tensor_bytes(t, as);
  }
  return sum;
}

/* `traffic` of which tensors of `own` bytes are the reason, when these have `scaled` bytes. */
static double scale_traffic(double traffic, double own, double scaled) {
  return own > 0 ? traffic * (scaled / own) : traffic;
}

static double traffic_bytes(const ho_cost *c, ho_op o, ho_dtype p, const int8_t *precision_of) {
  const ho_graph *g = c->g;
  const ho_op_info *op = &g->op[o];
  double own = 0, scaled = 0;
  for (int32_t i = g->out_start[o]; i < g->out_start[o + 1]; i++) {
    own += (double)g->tensor[g->out[i]].bytes;
    scaled += (double)ho_tensor_bytes(&g->tensor[g->out[i]], p);
  }
  double inputs = c->activations[o] + c->weights[o];
  return scale_traffic(op->read, inputs, scaled_inputs(c, o, p, precision_of)) + scale_traffic(op->write, own, scaled);
}

/* J of the FLOPs and bytes of an op, however its seconds are known. */
static double dynamic_energy(const ho_cost *c, ho_op o, ho_device d, ho_dtype p, const ho_point *at, double bytes) {
  const ho_device_info *dev = &c->p->device[d];
  double per_flop = p >= 0 && p < HO_N_PRECISIONS ? dev->per_flop[p] : 0;
  return (per_flop * c->g->op[o].flops + dev->per_byte * bytes) * at->power / at->speed;
}

double ho_cost_flop_joules(const ho_cost *c, ho_op o, ho_device d, ho_dtype precision, int point) {
  return dynamic_energy(c, o, d, precision, &c->p->device[d].point[point], 0);
}

ho_kernel ho_cost_kernel_in(const ho_cost *c, ho_op o, ho_device d, ho_dtype p, int point, const int8_t *precision_of) {
  const ho_op_info *op = &c->g->op[o];
  const ho_device_info *dev = &c->p->device[d];
  const ho_point *at = &dev->point[point];
  ho_kernel k = {.time = INFINITY};
  if (op->n_times >= 0) {
    const ho_time *t = table_entry(c, o, d);
    if (!t) return k;
    double s = t->seconds / at->speed;
    return (ho_kernel){.time = s,
                       .compute_time = s,
                       .compute = 1,
                       .use = 1,
                       .joules = dynamic_energy(c, o, d, p, at, traffic_bytes(c, o, p, precision_of)),
                       .from_table = 1};
  }
  if (!c->kind_ok[(size_t)d * (size_t)c->g->n_kinds + (size_t)op->kind_index] || !supports_precision(dev, p)) return k;
  if (c->parts_ok && !c->parts_ok[(size_t)o * (size_t)c->p->n_devices + (size_t)d]) return k;
  if (op->flops > 0 && !(dev->peak[p] > 0)) return k;
  k.compute =
      dev->saturation > 0 && op->parallelism > 0 && op->parallelism < dev->saturation ? op->parallelism / dev->saturation : 1;
  k.bytes = traffic_bytes(c, o, p, precision_of);
  if (op->flops > 0)
    k.compute_time = op->flops / (dev->peak[p] * ho_device_efficiency(dev, p, op->family) * k.compute) / at->speed;
  if (k.bytes > 0)
    k.memory_time = fmax(k.bytes / (dev->bandwidth * ho_device_memory_efficiency(dev, op->family)) / at->speed,
                         k.bytes / c->p->memory[dev->memory].bandwidth);
  k.time = fmax(k.compute_time, k.memory_time);
  k.use = k.time > 0 ? k.compute_time * k.compute / k.time : 0;
  k.joules = dynamic_energy(c, o, d, p, at, k.bytes);
  return k;
}

ho_kernel ho_cost_kernel_at(const ho_cost *c, ho_op o, ho_device d, ho_dtype precision, int point) {
  return ho_cost_kernel_in(c, o, d, precision, point, NULL);
}

const ho_kernel *ho_cost_kernel(const ho_cost *c, ho_op o, ho_device d) {
  return &c->kernel[(size_t)o * (size_t)c->p->n_devices + (size_t)d];
}

double ho_cost_time(const ho_cost *c, ho_op o, ho_device d) {
  return ho_cost_kernel(c, o, d)->time;
}
int ho_cost_can_run(const ho_cost *c, ho_op o, ho_device d) {
  return ho_cost_kernel(c, o, d)->time < INFINITY;
}

/* A copy in the host's memory is no kernel: what kinds a device lists does not count, where it is does. */
static int runs_kind(const ho_platform *p, ho_device d, const char *kind) {
  return ho_kind_is_host_copy(kind) ? p->device[d].memory == p->host : supports_kind(&p->device[d], kind);
}

/* The first op of the original graph that `o` stands for and d does not support; -1. */
static ho_op unsupported_part(const ho_cost *c, ho_op o, ho_device d) {
  const ho_graph *g = c->g;
  for (int32_t i = g->origin_start[o]; i < g->origin_start[o + 1]; i++)
    if (!supports_kind(&c->p->device[d], g->original->op[g->origin[i].op].kind)) return g->origin[i].op;
  return -1;
}

/* Only devices with a list of kinds can refuse one. */
static void check_parts(ho_cost *c) {
  if (!c->g->original) return;
  size_t n = (size_t)c->p->n_devices;
  c->parts_ok = g_new(uint8_t, (size_t)c->g->n_ops * n + 1);
  memset(c->parts_ok, 1, (size_t)c->g->n_ops * n);
  for (ho_device d = 0; d < c->p->n_devices; d++) {
    if (c->p->device[d].n_kinds < 0 && c->p->device[d].n_excluded == 0) continue;
    for (ho_op o = 0; o < c->g->n_ops; o++) c->parts_ok[(size_t)o * n + (size_t)d] = unsupported_part(c, o, d) < 0;
  }
}

ho_cost *ho_cost_new(const ho_graph *g, const ho_platform *p) {
  ho_cost *c = g_new0(ho_cost, 1);
  c->g = g;
  c->p = p;
  c->table_device = g_new(int32_t, g->n_time_devices + 1);
  for (int32_t i = 0; i < g->n_time_devices; i++) c->table_device[i] = ho_platform_find_device(p, g->time_devices[i]);
  c->kind_ok = g_new(uint8_t, (size_t)p->n_devices * (size_t)g->n_kinds + 1);
  for (int32_t d = 0; d < p->n_devices; d++)
    for (int32_t k = 0; k < g->n_kinds; k++)
      c->kind_ok[(size_t)d * (size_t)g->n_kinds + (size_t)k] = (uint8_t)runs_kind(p, d, g->kinds[k]);
  check_parts(c);
  list_precisions(c);
  c->dtype = g_new(int8_t, g->n_ops + 1);
  c->activations = g_new0(double, g->n_ops + 1);
  c->weights = g_new0(double, g->n_ops + 1);
  c->kernel = g_new(ho_kernel, (size_t)g->n_ops * (size_t)p->n_devices + 1);
  for (ho_op o = 0; o < g->n_ops; o++) {
    c->dtype[o] = (int8_t)ho_graph_op_dtype(g, o);
    for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++) {
      const ho_tensor_info *t = &g->tensor[g->in[i]];
      *(t->role == HO_ROLE_WEIGHT ? &c->weights[o] : &c->activations[o]) += (double)t->bytes;
    }
    for (ho_device d = 0; d < p->n_devices; d++)
      c->kernel[(size_t)o * (size_t)p->n_devices + (size_t)d] = ho_cost_kernel_at(c, o, d, ho_cost_default_precision(c, o, d), 0);
  }
  return c;
}

void ho_cost_free(ho_cost *c) {
  if (!c) return;
  g_free(c->table_device);
  g_free(c->parts_ok);
  g_free(c->kind_ok);
  g_free(c->dtype);
  g_free(c->has);
  g_free(c->best);
  g_free(c->activations);
  g_free(c->weights);
  g_free(c->kernel);
  g_free(c);
}

const char *ho_cost_why_not(const ho_cost *c, ho_op o, ho_device d, ho_dtype p, char *buffer, int size) {
  const ho_op_info *op = &c->g->op[o];
  const ho_device_info *dev = &c->p->device[d];
  if (op->n_times >= 0) return "its time table does not list the device";
  if (ho_kind_is_host_copy(op->kind))
    snprintf(buffer, (size_t)size, "kind '%s' runs on devices in the host's memory '%s' only", op->kind,
             c->p->memory[c->p->host].name);
  else if (!c->kind_ok[(size_t)d * (size_t)c->g->n_kinds + (size_t)op->kind_index])
    snprintf(buffer, (size_t)size, "the device does not support kind '%s'", op->kind);
  else if (c->parts_ok && !c->parts_ok[(size_t)o * (size_t)c->p->n_devices + (size_t)d])
    snprintf(buffer, (size_t)size, "the device does not support kind '%s', which is part of it",
             c->g->original->op[unsupported_part(c, o, d)].kind);
  else if (!supports_precision(dev, p))
    snprintf(buffer, (size_t)size, "the device does not support precision %s", p < 0 ? "(none)" : ho_dtype_name(p));
  else
    snprintf(buffer, (size_t)size, "the op has %g FLOP and the device no peak in %s", op->flops, ho_dtype_name(p));
  return buffer;
}

static double hop_time(const ho_platform *p, ho_memory from, ho_memory to, double bytes) {
  const ho_route *r = ho_platform_route(p, from, to);
  return r->reachable ? r->latency + bytes / r->bandwidth : INFINITY;
}

double ho_copy_time(const ho_platform *p, ho_memory from, ho_memory to, double bytes) {
  if (from == to) return 0;
  if (ho_platform_direct(p, from, to)) return hop_time(p, from, to, bytes);
  return hop_time(p, from, p->host, bytes) + hop_time(p, p->host, to, bytes);
}
