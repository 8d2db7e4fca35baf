/* graph_stats.c: see graph_stats.h. */
#include "models/graph_stats.h"

#include <string.h>

#include "base/error.h"
#include "base/units.h"

/* ---- counting -------------------------------------------------------------------------------------------------------- */

static void count_work(const ho_graph *g, ho_graph_stats *s) {
  for (ho_op o = 0; o < g->n_ops; o++) {
    const ho_op_info *op = &g->op[o];
    s->flops += op->flops;
    s->bytes += op->read + op->write;
    if (ho_family_has_macs(op->family)) s->macs += (op->flops - op->other_flops) / 2;
  }
  s->intensity = s->bytes > 0 ? s->flops / s->bytes : 0;
}

static gboolean is_floating(ho_dtype t) {
  return t >= 0 && t <= HO_FP8;
}

static gboolean is_integer(ho_dtype t) {
  return t >= HO_INT8 && t <= HO_UINT8;
}

static int64_t elements(const ho_tensor_info *t) {
  if (t->bytes == 0) return 0; /* one dimension is 0, and the others may be anything */
  if (t->rank < 0) {           /* two of int4 share a byte */
    int bits = ho_dtype_bits(t->dtype);
    return bits < 8 ? t->bytes * (8 / bits) : t->bytes / (bits / 8);
  }
  int64_t n = 1;
  for (int32_t i = 0; i < t->rank; i++) n *= t->shape[i];
  return n;
}

static gboolean is_read_forward(const ho_graph *g, ho_tensor t) {
  for (int32_t i = g->use_start[t]; i < g->use_start[t + 1]; i++)
    if (g->op[g->use[i]].phase == HO_PHASE_FORWARD) return TRUE;
  return FALSE;
}

/* Weights that an op of the way forward writes in place are caches, not parameters; a view writes nothing. */
static guint8 *find_caches(const ho_graph *g) {
  guint8 *is_cache = g_malloc0((gsize)g->n_tensors + 1);
  for (ho_tensor t = 0; t < g->n_tensors; t++) {
    const ho_op_info *op = g->tensor[t].producer >= 0 ? &g->op[g->tensor[t].producer] : NULL;
    if (op && g->tensor[t].root != t && op->phase == HO_PHASE_FORWARD && op->write > 0) is_cache[g->tensor[t].root] = 1;
  }
  return is_cache;
}

static void count_tensors(const ho_graph *g, ho_graph_stats *s) {
  g_autofree guint8 *is_cache = find_caches(g);
  for (ho_tensor t = 0; t < g->n_tensors; t++) {
    const ho_tensor_info *tensor = &g->tensor[t];
    if (tensor->root != t) continue;
    if (tensor->role == HO_ROLE_NONE) s->activation_bytes += tensor->bytes;
    if (tensor->role != HO_ROLE_WEIGHT) continue;
    s->weight_bytes += tensor->bytes;
    if (is_cache[t] || !is_read_forward(g, t)) continue;
    if (is_floating(tensor->dtype)) s->parameters += elements(tensor);
    if (is_integer(tensor->dtype)) s->integers += elements(tensor);
  }
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const ho_kind_stats *)a)->kind, ((const ho_kind_stats *)b)->kind);
}

static void count_kinds(const ho_graph *g, ho_graph_stats *s) {
  s->n_kinds = g->n_kinds;
  s->kinds = g_new0(ho_kind_stats, g->n_kinds + 1);
  for (int32_t k = 0; k < g->n_kinds; k++) s->kinds[k].kind = g->kinds[k];
  for (ho_op o = 0; o < g->n_ops; o++) {
    ho_kind_stats *kind = &s->kinds[g->op[o].kind_index];
    kind->ops++;
    kind->flops += g->op[o].flops;
    kind->bytes += g->op[o].read + g->op[o].write;
  }
  qsort(s->kinds, (size_t)s->n_kinds, sizeof *s->kinds, by_name);
}

/* Width of level l counts into stretch l · stretches / levels. */
static void measure_profile(ho_graph_stats *s, const int32_t *width) {
  int32_t levels = s->critical_path_ops, length[HO_STATS_STRETCHES] = {0};
  s->n_stretches = MIN(levels, HO_STATS_STRETCHES);
  for (int32_t l = 0; l < levels; l++) {
    int32_t stretch = (int32_t)((int64_t)l * s->n_stretches / levels);
    s->profile[stretch] += width[l];
    length[stretch]++;
  }
  for (int32_t i = 0; i < s->n_stretches; i++) s->profile[i] /= length[i];
}

/* An op's level: the number of ops on the longest chain that ends before it. */
static void measure_shape(const ho_graph *g, ho_graph_stats *s) {
  g_autofree int32_t *level = g_new0(int32_t, g->n_ops), *width = g_new0(int32_t, g->n_ops);
  for (int32_t i = 0; i < g->n_ops; i++) {
    ho_op o = g->topo[i];
    for (int32_t j = g->in_start[o]; j < g->in_start[o + 1]; j++) {
      ho_op p = g->tensor[g->in[j]].producer;
      if (p >= 0) level[o] = MAX(level[o], level[p] + 1);
    }
    width[level[o]]++;
    s->critical_path_ops = MAX(s->critical_path_ops, level[o] + 1);
    s->widest = MAX(s->widest, width[level[o]]);
  }
  s->parallelism = (double)g->n_ops / s->critical_path_ops;
  measure_profile(s, width);
}

static double least_time(const ho_op_info *op) {
  double least = op->n_times > 0 ? op->times[0].seconds : 0;
  for (int32_t i = 1; i < op->n_times; i++) least = MIN(least, op->times[i].seconds);
  return least;
}

/* The most FLOP and the most seconds that a chain adds up to, which need not be the same chain. */
static void measure_chains(const ho_graph *g, ho_graph_stats *s) {
  g_autofree double *flops = g_new0(double, g->n_ops), *seconds = g_new0(double, g->n_ops);
  for (int32_t i = 0; i < g->n_ops; i++) {
    ho_op o = g->topo[i];
    for (int32_t j = g->in_start[o]; j < g->in_start[o + 1]; j++) {
      ho_op p = g->tensor[g->in[j]].producer;
      if (p >= 0) flops[o] = MAX(flops[o], flops[p]), seconds[o] = MAX(seconds[o], seconds[p]);
    }
    flops[o] += g->op[o].flops;
    seconds[o] += least_time(&g->op[o]);
    s->n_timed += g->op[o].n_times > 0;
    s->timed_seconds += least_time(&g->op[o]);
    s->critical_path_flops = MAX(s->critical_path_flops, flops[o]);
    s->critical_path_seconds = MAX(s->critical_path_seconds, seconds[o]);
  }
}

/* Insertion into a short list. */
static void find_largest(const ho_graph *g, ho_graph_stats *s) {
  for (ho_tensor t = 0; t < g->n_tensors; t++) {
    if (g->tensor[t].root != t) continue;
    int32_t at = s->n_largest;
    while (at > 0 && g->tensor[s->largest[at - 1]].bytes < g->tensor[t].bytes) at--;
    if (at == HO_STATS_LARGEST) continue;
    if (s->n_largest < HO_STATS_LARGEST) s->n_largest++;
    memmove(&s->largest[at + 1], &s->largest[at], sizeof *s->largest * (size_t)(s->n_largest - 1 - at));
    s->largest[at] = t;
  }
}

ho_graph_stats *ho_graph_stats_new(const ho_graph *g) {
  ho_graph_stats *s = g_new0(ho_graph_stats, 1);
  count_work(g, s);
  count_tensors(g, s);
  count_kinds(g, s);
  measure_shape(g, s);
  measure_chains(g, s);
  find_largest(g, s);
  return s;
}

void ho_graph_stats_free(ho_graph_stats *s) {
  if (!s) return;
  g_free(s->kinds);
  g_free(s);
}

/* ---- printing -------------------------------------------------------------------------------------------------------- */

/* A count that may be beyond int64 or have a half stays a real; others print as whole numbers. */
static json_t *number(double x) {
  return x == (double)(int64_t)x && x < 0x1p53 ? json_integer((json_int_t)x) : json_real(x);
}

json_t *ho_graph_stats_json(const ho_graph *g, const ho_graph_stats *s) {
  json_t *kinds = json_object();
  for (int32_t k = 0; k < s->n_kinds; k++) json_object_set_new(kinds, s->kinds[k].kind, json_integer(s->kinds[k].ops));
  json_t *o = json_object();
  json_object_set_new(o, "name", json_string(g->name));
  json_object_set_new(o, "ops", json_integer(g->n_ops));
  json_object_set_new(o, "tensors", json_integer(g->n_tensors));
  json_object_set_new(o, "edges", json_integer(g->n_edges));
  json_object_set_new(o, "macs", number(s->macs));
  json_object_set_new(o, "flops", number(s->flops));
  json_object_set_new(o, "bytes", number(s->bytes));
  json_object_set_new(o, "parameters", json_integer(s->parameters));
  if (s->integers) json_object_set_new(o, "integers", json_integer(s->integers));
  json_object_set_new(o, "kinds", kinds);
  json_object_set_new(o, "critical_path_ops", json_integer(s->critical_path_ops));
  json_object_set_new(o, "unknown", json_integer(g->n_unknown));
  json_object_set_new(o, "widest", json_integer(s->widest));
  json_object_set_new(o, "weight_bytes", json_integer(s->weight_bytes));
  json_object_set_new(o, "activation_bytes", json_integer(s->activation_bytes));
  json_object_set_new(o, "intensity", json_real(s->intensity));
  json_object_set_new(o, "critical_path_flops", number(s->critical_path_flops));
  if (s->n_timed) {
    json_object_set_new(o, "timed_ops", json_integer(s->n_timed));
    json_object_set_new(o, "timed_seconds", json_real(s->timed_seconds));
    json_object_set_new(o, "critical_path_seconds", json_real(s->critical_path_seconds));
  }
  json_t *profile = json_array();
  for (int32_t i = 0; i < s->n_stretches; i++) json_array_append_new(profile, number(s->profile[i]));
  json_object_set_new(o, "profile", profile);
  json_object_set_new(o, "digest", json_string(g->digest));
  return o;
}

/* "4.09 G"; small numbers as they are. Caller frees. */
static char *short_number(double x) {
  static const char prefixes[] = {'k', 'M', 'G', 'T', 'P'};
  if (x < 1000) return g_strdup_printf("%.4g", x);
  int i = -1;
  for (; x >= 1000 && i < 4; i++) x /= 1000;
  return g_strdup_printf("%.2f %c", x, prefixes[i]);
}

/* Between a number and its unit, where no prefix stands before it. */
static const char *gap(double x) {
  return x < 1000 ? " " : "";
}

static void put_kinds(GString *out, const ho_graph_stats *s) {
  g_string_append_printf(out, "%-22s %7s %9s %9s\n", "kind", "ops", "FLOP %", "bytes %");
  for (int32_t k = 0; k < s->n_kinds; k++) {
    const ho_kind_stats *kind = &s->kinds[k];
    g_autofree char *shown = ho_printable(kind->kind);
    g_string_append_printf(out, "%-22s %7d %9.2f %9.2f\n", shown, kind->ops, s->flops > 0 ? 100 * kind->flops / s->flops : 0,
                           s->bytes > 0 ? 100 * kind->bytes / s->bytes : 0);
  }
}

static void put_largest(GString *out, const ho_graph *g, const ho_graph_stats *s) {
  if (s->n_largest) g_string_append(out, "largest tensors\n");
  for (int32_t i = 0; i < s->n_largest; i++) {
    const ho_tensor_info *t = &g->tensor[s->largest[i]];
    g_autofree char *size = ho_unit_format((double)t->bytes, HO_UNIT_BYTES), *shown = ho_printable(t->name);
    const char *what = t->role == HO_ROLE_NONE ? "activation" : ho_role_name(t->role);
    g_string_append_printf(out, "  %-10s %-10s %s\n", size, what, shown);
  }
}

static void put_shape(GString *out, const ho_graph_stats *s) {
  g_autofree char *flops = short_number(s->critical_path_flops);
  g_string_append_printf(out, "critical path %d ops, %s%sFLOP · widest level %d · %.2f ops per level\n", s->critical_path_ops,
                         flops, gap(s->critical_path_flops), s->widest, s->parallelism);
  if (s->n_timed) {
    g_autofree char *sum = ho_unit_format(s->timed_seconds, HO_UNIT_SECONDS),
                    *path = ho_unit_format(s->critical_path_seconds, HO_UNIT_SECONDS);
    g_string_append_printf(out, "measured times of %d ops · least times: sum %s, critical path %s\n", s->n_timed, sum, path);
  }
  g_string_append(out, "ops per level, from inputs to outputs:");
  for (int32_t i = 0; i < s->n_stretches; i++) g_string_append_printf(out, " %.3g", s->profile[i]);
  g_string_append_c(out, '\n');
}

char *ho_graph_stats_text(const ho_graph *g, const ho_graph_stats *s) {
  g_autofree char *macs = short_number(s->macs), *flops = short_number(s->flops),
                  *parameters = short_number((double)s->parameters), *integers = short_number((double)s->integers);
  g_autofree char *bytes = ho_unit_format(s->bytes, HO_UNIT_BYTES),
                  *weights = ho_unit_format((double)s->weight_bytes, HO_UNIT_BYTES);
  g_autofree char *activations = ho_unit_format((double)s->activation_bytes, HO_UNIT_BYTES);
  GString *out = g_string_new(NULL);
  g_string_append_printf(
      out, "%s · ops %d · edges %d · %s%sMAC (multiply-add = 1) · %s parameters%s%s%s · %d %s without a cost rule\n", g->name,
      g->n_ops, g->n_edges, macs, gap(s->macs), parameters, s->integers ? " and " : "", s->integers ? integers : "",
      s->integers ? " integer weights" : "", g->n_unknown, g->n_unknown == 1 ? "op" : "ops");
  g_string_append_printf(out, "work %s%sFLOP · traffic %s · intensity %.3g FLOP/B · weights %s · activations %s\n", flops,
                         gap(s->flops), bytes, s->intensity, weights, activations);
  put_shape(out, s);
  if (g->note) g_string_append_printf(out, "note: %s\n", g->note);
  put_kinds(out, s);
  put_largest(out, g, s);
  return g_string_free(out, FALSE);
}
