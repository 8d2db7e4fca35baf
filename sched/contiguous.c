/* contiguous.c: contiguous stages, one per device, by dynamic programming.
 *
 * Source: Tarnawski et al., "Efficient algorithms for device placement of DNN graph operators", NeurIPS 2020, section 5.1; Narayanan et al.,
 * "PipeDream", SOSP 2019, section 3.1; for `latency` the chain of Kang et al., "Neurosurgeon", ASPLOS 2017, on any number of devices.
 * throughput: the greatest load of a device is least (stages.h), a load being the seconds of the ops there and of the copies from and to the host's
 * memory for all data that crosses the stage's border. It is the time between two results of a pipeline, not the latency of one, which is what
 * the objectives show. Devices of equal seconds, capacity and links are interchangeable. Weights must fit.
 * latency: units run one after the other, in order; before a unit on another device all that is still read moves there. Exact on chains.
 * Units are layers or ops (units.h). More than `ideals` ideals: their topological order is taken for a chain, of at most 200 pieces of about equal
 * mean seconds (the paper's linearisation). Stages are not replicated. Ops are issued by upward rank; one that cannot run where its stage
 * is goes where it finishes first. Costs as in heft.c.
 * Complexity: stages.h; latency O(units · devices² + edges). Options: objective, together, ideals. Ties: the first found; the lower device. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "sched/builtin.h"
#include "sched/list.h"
#include "sched/stages.h"
#include "sched/units.h"

#define MOST_PIECES 200
#define MOST_COMBINATIONS 4096

enum { THROUGHPUT, LATENCY };
static const char *const objectives[] = {"throughput", "latency", NULL};
static const char *const kinds[] = {"ops", "layers", NULL}; /* as ho_units_kind */

static const ho_option options[] = {
    {"objective", HO_OPTION_CHOICE, "throughput", 0, 0, objectives, "of a pipeline, or of one pass"},
    {"together", HO_OPTION_CHOICE, "layers", 0, 0, kinds, "what stays on one device"},
    {"ideals", HO_OPTION_INT, "2000", 2, 1e6, NULL, "more ways to cut than this: along the topological order"},
    {0},
};

/* Messages between units: tensors, by the unit that makes them, each with the other units that read it. */
typedef struct {
  int32_t n;
  ho_tensor *tensor;
  int32_t *from, *use_start, *use;
} messages;

static messages *messages_new(const ho_graph *g, const ho_units *x) {
  messages *m = g_new0(messages, 1);
  m->tensor = g_new(ho_tensor, (size_t)g->n_tensors + 1);
  m->from = g_new(int32_t, (size_t)g->n_tensors + 1);
  m->use_start = g_new0(int32_t, (size_t)g->n_tensors + 2);
  m->use = g_new(int32_t, (size_t)g->use_start[g->n_tensors] + 1);
  g_autofree int32_t *seen = g_new(int32_t, (size_t)x->n + 1);
  for (int32_t u = 0; u < x->n; u++) seen[u] = -1;
  for (ho_tensor t = 0; t < g->n_tensors; t++) {
    if (g->tensor[t].producer < 0) continue;
    int32_t from = x->of[g->tensor[t].producer], n = m->use_start[m->n];
    seen[from] = t;
    for (int32_t u = g->use_start[t]; u < g->use_start[t + 1]; u++) {
      int32_t to = x->of[g->use[u]];
      if (seen[to] == t) continue;
      seen[to] = t;
      m->use[n++] = to;
    }
    if (n == m->use_start[m->n]) continue;
    m->tensor[m->n] = t;
    m->from[m->n++] = from;
    m->use_start[m->n] = n;
  }
  return m;
}

static void messages_free(messages *m) {
  g_free(m->tensor);
  g_free(m->from);
  g_free(m->use_start);
  g_free(m->use);
  g_free(m);
}

static double *unit_seconds(const ho_costs *c, const ho_units *x) {
  double *seconds = g_new0(double, ((size_t)x->n + 1) * (size_t)c->n_devices);
  for (ho_op o = 0; o < c->n_ops; o++)
    for (ho_device d = 0; d < c->n_devices; d++)
      seconds[(int64_t)x->of[o] * c->n_devices + d] += c->time[(int64_t)o * c->n_devices + d];
  return seconds;
}

/* --- throughput --------------------------------------------------------------------------------------------------------------- */
static double to_host(const ho_costs *c, ho_device d, double bytes) {
  return ho_costs_copy(c, c->p->device[d].memory, c->p->host, bytes);
}

static double from_host(const ho_costs *c, ho_device d, double bytes) {
  return ho_costs_copy(c, c->p->host, c->p->device[d].memory, bytes);
}

static int alike(const ho_costs *c, ho_device a, ho_device b) {
  const ho_platform *p = c->p;
  ho_memory m = p->device[a].memory, n = p->device[b].memory;
  if (p->memory[m].capacity != p->memory[n].capacity) return 0;
  for (int bytes = 0; bytes < 2; bytes++)
    if (to_host(c, a, bytes) != to_host(c, b, bytes) || from_host(c, a, bytes) != from_host(c, b, bytes)) return 0;
  for (ho_op o = 0; o < c->n_ops; o++)
    if (c->time[(int64_t)o * c->n_devices + a] != c->time[(int64_t)o * c->n_devices + b]) return 0;
  return 1;
}

/* Fills type[device], first[type], count[type]; returns how many types there are. */
static int32_t find_types(const ho_costs *c, int32_t *type, ho_device *first, int32_t *count) {
  int32_t n = 0;
  for (ho_device d = 0; d < c->n_devices; d++) {
    int32_t t = 0;
    while (t < n && !alike(c, first[t], d)) t++;
    if (t == n) {
      first[n] = d;
      count[n++] = 0;
    }
    type[d] = t;
    count[t]++;
  }
  return n;
}

static double *unit_weights(const ho_costs *c, const ho_units *x) {
  const ho_graph *g = c->g;
  double *bytes = g_new0(double, (size_t)x->n + 1);
  g_autofree int32_t *seen = g_new(int32_t, (size_t)x->n + 1);
  for (int32_t u = 0; u < x->n; u++) seen[u] = -1;
  for (ho_tensor t = 0; t < g->n_tensors; t++) {
    if (g->tensor[t].role != HO_ROLE_WEIGHT) continue;
    for (int32_t i = g->use_start[t]; i < g->use_start[t + 1]; i++) {
      int32_t u = x->of[g->use[i]];
      if (seen[u] != t) bytes[u] += (double)g->tensor[t].bytes;
      seen[u] = t;
    }
  }
  return bytes;
}

/* One try: by ideals of the units as they are. Returns as ho_stages_solve. */
static double split(const ho_costs *c, const ho_units *x, int32_t most, int16_t *device) {
  size_t devices = (size_t)c->n_devices + 1, units = (size_t)x->n + 1;
  g_autofree int32_t *type = g_new(int32_t, devices), *count = g_new(int32_t, devices), *unit_type = g_new(int32_t, units),
                     *number = g_new(int32_t, units);
  g_autofree ho_device *first = g_new(ho_device, devices);
  int32_t n_types = find_types(c, type, first, count);
  messages *m = messages_new(c->g, x);
  size_t crossings = ((size_t)m->n + 1) * (size_t)n_types;
  g_autofree double *all = unit_seconds(c, x), *bytes = unit_weights(c, x), *seconds = g_new(double, units *(size_t)n_types),
                    *in = g_new(double, crossings), *out = g_new(double, crossings), *capacity = g_new(double, devices);
  for (int32_t t = 0; t < n_types; t++) {
    capacity[t] = c->p->memory[c->p->device[first[t]].memory].capacity;
    for (int32_t u = 0; u < x->n; u++) seconds[(int64_t)u * n_types + t] = all[(int64_t)u * c->n_devices + first[t]];
    for (int32_t k = 0; k < m->n; k++) {
      in[(int64_t)k * n_types + t] = from_host(c, first[t], (double)c->g->tensor[m->tensor[k]].bytes);
      out[(int64_t)k * n_types + t] = to_host(c, first[t], (double)c->g->tensor[m->tensor[k]].bytes);
    }
  }
  ho_stages p = {.n_units = x->n, .n_types = n_types, .devices = count, .seconds = seconds, .bytes = bytes, .capacity = capacity};
  p.n_orders = x->n_orders;
  p.before = x->before;
  p.after = x->after;
  p.n_messages = m->n;
  p.from = m->from;
  p.use_start = m->use_start;
  p.use = m->use;
  p.cost_in = in;
  p.cost_out = out;
  double load = ho_stages_solve(&p, most, unit_type, number);
  messages_free(m);
  if (!(load >= 0 && isfinite(load))) return load;
  for (ho_op o = 0; o < c->n_ops; o++) {
    int32_t left = number[x->of[o]];
    for (ho_device d = 0; d < c->n_devices; d++)
      if (type[d] == unit_type[x->of[o]] && left-- == 0) device[o] = (int16_t)d;
  }
  return load;
}

static const char *split_for_throughput(const ho_costs *c, ho_units *x, int32_t most, int16_t *device) {
  size_t devices = (size_t)c->n_devices + 1;
  g_autofree int32_t *type = g_new(int32_t, devices), *count = g_new(int32_t, devices);
  g_autofree ho_device *first = g_new(ho_device, devices);
  double combinations = 1;
  int32_t n_types = find_types(c, type, first, count);
  for (int32_t t = 0; t < n_types; t++) combinations *= count[t] + 1;
  if (combinations > MOST_COMBINATIONS) return "too many unlike devices for the dynamic programme: more than 4096 combinations";
  double load = split(c, x, most, device);
  if (load == -1) {
    g_autofree double *weight = g_new0(double, (size_t)x->n + 1);
    for (ho_op o = 0; o < c->n_ops; o++) weight[x->of[o]] += c->mean[o];
    ho_units_to_chain(x, c->n_ops, weight, MOST_PIECES);
    load = split(c, x, MOST_PIECES + 1, device);
  }
  return isfinite(load) ? NULL
                        : "no contiguous split: whatever the cuts, something cannot run where it would be, or weights do not fit";
}

/* --- latency -------------------------------------------------------------------------------------------------------------------- */
/* What has to move from `from` to `to` before unit u: bytes and tensors that earlier units made and u or later ones read. */
typedef struct {
  double bytes;
  int32_t tensors;
} cut;

static cut *find_cuts(const ho_graph *g, const ho_units *x) {
  cut *cuts = g_new0(cut, (size_t)x->n + 2);
  messages *m = messages_new(g, x);
  for (int32_t k = 0; k < m->n; k++) {
    int32_t last = m->from[k];
    double bytes = (double)g->tensor[m->tensor[k]].bytes;
    for (int32_t i = m->use_start[k]; i < m->use_start[k + 1]; i++) last = MAX(last, m->use[i]);
    if (last == m->from[k]) continue;
    cuts[m->from[k] + 1].bytes += bytes; /* from the next unit on … */
    cuts[m->from[k] + 1].tensors++;
    cuts[last + 1].bytes -= bytes; /* … to the last that reads it */
    cuts[last + 1].tensors--;
  }
  for (int32_t u = 1; u < x->n; u++) {
    cuts[u].bytes += cuts[u - 1].bytes;
    cuts[u].tensors += cuts[u - 1].tensors;
  }
  messages_free(m);
  return cuts;
}

/* Seconds of graph inputs that unit u reads, [unit * n_devices + device]. */
static double *input_seconds(const ho_costs *c, const ho_units *x) {
  double *seconds = g_new0(double, ((size_t)x->n + 1) * (size_t)c->n_devices);
  for (ho_tensor t = 0; t < c->g->n_tensors; t++) {
    if (c->input_memory[t] < 0 || c->g->use_start[t] == c->g->use_start[t + 1]) continue;
    int32_t first = x->of[c->g->use[c->g->use_start[t]]];
    for (int32_t i = c->g->use_start[t]; i < c->g->use_start[t + 1]; i++) first = MIN(first, x->of[c->g->use[i]]);
    for (ho_device d = 0; d < c->n_devices; d++)
      seconds[(int64_t)first * c->n_devices + d] +=
          ho_costs_copy(c, c->input_memory[t], c->p->device[d].memory, (double)c->g->tensor[t].bytes);
  }
  return seconds;
}

static const char *split_for_latency(const ho_costs *c, const ho_units *x, int16_t *device) {
  int32_t m = c->n_devices;
  g_autofree double *seconds = unit_seconds(c, x), *inputs = input_seconds(c, x),
                    *least = g_new(double, ((size_t)x->n + 1) * (size_t)m);
  g_autofree int16_t *before = g_new0(int16_t, ((size_t)x->n + 1) * (size_t)m), *on = g_new0(int16_t, (size_t)x->n + 1);
  g_autofree cut *cuts = find_cuts(c->g, x);
  for (int32_t u = 0; u < x->n; u++)
    for (ho_device d = 0; d < m; d++) {
      double best = u == 0 ? 0 : INFINITY;
      for (ho_device e = 0; e < m && u > 0; e++) {
        int32_t k = c->p->device[e].memory * c->n_memories + c->p->device[d].memory, tensors = cuts[u].tensors;
        double move = tensors == 0 || c->p->device[e].memory == c->p->device[d].memory
                          ? 0
                          : tensors * c->latency[k] + cuts[u].bytes * c->per_byte[k];
        double way = least[(int64_t)(u - 1) * m + e] + move;
        if (!(way < best)) continue;
        best = way;
        before[(int64_t)u * m + d] = (int16_t)e;
      }
      least[(int64_t)u * m + d] = best + seconds[(int64_t)u * m + d] + inputs[(int64_t)u * m + d];
    }
  ho_device d = 0;
  for (ho_device e = 1; e < m; e++)
    if (least[(int64_t)(x->n - 1) * m + e] < least[(int64_t)(x->n - 1) * m + d]) d = e;
  if (!isfinite(least[(int64_t)(x->n - 1) * m + d])) return "some unit runs nowhere as a whole: together=ops may help";
  for (int32_t u = x->n - 1; u >= 0; u--) {
    on[u] = (int16_t)d;
    d = before[(int64_t)u * m + d];
  }
  for (ho_op o = 0; o < c->n_ops; o++) device[o] = on[x->of[o]];
  return NULL;
}

static ho_op contiguous_fill(ho_list *l, void *data) {
  ho_search *s = data;
  const char *failed = NULL;
  g_autofree int16_t *device = g_new0(int16_t, (size_t)l->c->n_ops + 1);
  ho_units *x = ho_units_new(l->c->g, (ho_units_kind)ho_search_option_int(s, "together"));
  if (x->n > 0 && ho_search_option_int(s, "objective") == LATENCY)
    failed = split_for_latency(l->c, x, device);
  else if (x->n > 0)
    failed = split_for_throughput(l->c, x, (int32_t)ho_search_option_int(s, "ideals"), device);
  ho_units_free(x);
  if (failed) ho_search_fail(s, "%s", failed);
  return failed ? -1 : ho_list_by_devices(l, device);
}

static int contiguous_run(ho_search *s) {
  return ho_list_run_with(s, contiguous_fill, s);
}

const ho_scheduler ho_scheduler_contiguous = {
    HO_LIST_SCHEDULER,
    .name = "contiguous",
    .summary = "contiguous stages by dynamic programming, for throughput or for latency",
    .source = "Tarnawski et al., NeurIPS 2020, section 5.1; PipeDream, SOSP 2019, section 3.1",
    .options = options,
    .run = contiguous_run,
};
