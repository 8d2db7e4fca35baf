/* synthetic_dag.c: see synthetic_dag.h. */
#include "models/synthetic_dag.h"

#include <string.h>

#include "base/error.h"

#define FLOPS_PER_SECOND 1e12
#define MOST_DEVICES 1024

typedef struct {
  const char *name;
  const char *kind;
  double weight;
  int32_t task_class;
} task;

typedef struct {
  ho_op from, to;
  int32_t edge_class;
} edge;

struct ho_dag {
  ho_graph_build *build;
  ho_stream stream, times; /* of structure and means; of times on devices */
  double ccr, beta, seconds, bandwidth;
  char **devices; /* NULL-terminated; empty: no tables */
  int32_t n_devices;
  GStringChunk *names;
  GArray *tasks, *edges;
};

/* ---- devices --------------------------------------------------------------------------------------------------------- */

static gboolean is_number(const char *text) {
  return *text && strspn(text, "0123456789") == strlen(text);
}

static char **numbered(gint64 n) {
  char **names = g_new0(char *, (gsize)n + 1);
  for (gint64 i = 0; i < n; i++) names[i] = g_strdup_printf("d%" G_GINT64_FORMAT, i);
  return names;
}

char **ho_dag_devices(const char *model, const ho_options *options, GError **error) {
  const char *text = ho_options_string(options, "devices");
  gint64 n = is_number(text) ? g_ascii_strtoll(text, NULL, 10) : 0;
  g_auto(GStrv) names = is_number(text) ? numbered(MIN(n, MOST_DEVICES + 1)) : g_strsplit(text, "+", -1);
  g_autofree char *shown = ho_printable(text);
  if (g_strv_length(names) > MOST_DEVICES) {
    ho_fail(error, HO_ERROR_INPUT, "%s: devices is '%s': expected at most %d", model, shown, MOST_DEVICES);
    return NULL;
  }
  for (char **name = names; *name || !*text; name++) {
    if (*text && **name && !g_strv_contains((const char *const *)name + 1, *name)) continue;
    ho_fail(error, HO_ERROR_INPUT, "%s: devices is '%s': expected a number, or different names joined by '+'", model, shown);
    return NULL;
  }
  return g_steal_pointer(&names);
}

/* ---- structure ------------------------------------------------------------------------------------------------------- */

ho_dag *ho_dag_new(const char *name, const ho_options *options, GError **error) {
  char **devices = ho_dag_devices(name, options, error);
  if (!devices) return NULL;
  g_autofree char *canonical = ho_options_canonical(options), *source = g_strconcat(name, ":", canonical, NULL);
  const char *const key[] = {"model", name, NULL}, *const times_key[] = {"model", name, "times", NULL};
  uint64_t seed = (uint64_t)ho_options_int(options, "seed");
  ho_dag *d = g_new0(ho_dag, 1);
  d->build = ho_graph_build_new(name, source);
  d->stream = ho_stream_keyed(seed, key);
  d->times = ho_stream_keyed(seed, times_key);
  d->ccr = ho_options_double(options, "ccr");
  d->beta = ho_options_double(options, "beta");
  d->seconds = ho_options_double(options, "seconds");
  d->bandwidth = ho_options_double(options, "bandwidth");
  d->devices = devices;
  d->n_devices = (int32_t)g_strv_length(devices);
  d->names = g_string_chunk_new(4096);
  d->tasks = g_array_new(FALSE, FALSE, sizeof(task));
  d->edges = g_array_new(FALSE, FALSE, sizeof(edge));
  return d;
}

static void free_dag(ho_dag *d) {
  ho_graph_build_free(d->build);
  g_strfreev(d->devices);
  g_string_chunk_free(d->names);
  g_array_free(d->tasks, TRUE);
  g_array_free(d->edges, TRUE);
  g_free(d);
}

ho_stream *ho_dag_stream(ho_dag *d) {
  return &d->stream;
}

ho_op ho_dag_task(ho_dag *d, const char *name, const char *kind, double weight, int32_t task_class) {
  task t = {g_string_chunk_insert(d->names, name), kind, weight, task_class};
  g_array_append_val(d->tasks, t);
  return (ho_op)d->tasks->len - 1;
}

void ho_dag_edge(ho_dag *d, ho_op from, ho_op to, int32_t edge_class) {
  edge e = {from, to, edge_class};
  g_array_append_val(d->edges, e);
}

/* ---- costs ----------------------------------------------------------------------------------------------------------- */

static const task *task_at(const ho_dag *d, ho_op o) {
  return &g_array_index(d->tasks, task, o);
}

static double mean_weight(const ho_dag *d) {
  double sum = 0;
  for (guint i = 0; i < d->tasks->len; i++) sum += task_at(d, (ho_op)i)->weight;
  return sum / d->tasks->len;
}

static double draw_twice(ho_dag *d, double mean) {
  return 2 * mean * ho_stream_uniform(&d->stream);
}

/* A task's mean and its time on every device; row 0 is the mean. The first task of a class draws for all of it. */
static double *draw_times(ho_dag *d) {
  gsize n = (gsize)d->n_devices + 1;
  double *row = g_new(double, n * d->tasks->len), average = mean_weight(d);
  g_autoptr(GHashTable) first = g_hash_table_new(NULL, NULL); /* class + 1 -> task + 1 */
  for (guint i = 0; i < d->tasks->len; i++) {
    const task *t = task_at(d, (ho_op)i);
    gpointer key = GINT_TO_POINTER(t->task_class + 1);
    int32_t like = t->task_class >= 0 ? GPOINTER_TO_INT(g_hash_table_lookup(first, key)) - 1 : -1;
    double *own = row + n * i;
    if (like >= 0) {
      memcpy(own, row + n * (gsize)like, sizeof *own * n);
      continue;
    }
    own[0] = t->weight > 0 ? d->seconds * t->weight / average : draw_twice(d, d->seconds);
    for (gsize k = 1; k < n; k++) own[k] = own[0] * (1 + d->beta * (ho_stream_uniform(&d->times) - 0.5));
    if (t->task_class >= 0) g_hash_table_insert(first, key, GINT_TO_POINTER((gint)i + 1));
  }
  return row;
}

static void build_ops(ho_dag *d) {
  g_autofree double *times = draw_times(d);
  for (guint i = 0; i < d->tasks->len; i++) {
    const double *row = times + ((gsize)d->n_devices + 1) * i;
    ho_op_info op = ho_op_info_init(task_at(d, (ho_op)i)->name, task_at(d, (ho_op)i)->kind);
    if (!d->n_devices) op.flops = row[0] * FLOPS_PER_SECOND;
    ho_op o = ho_graph_build_op(d->build, &op);
    for (int32_t k = 0; k < d->n_devices; k++) ho_graph_build_time(d->build, o, d->devices[k], row[k + 1]);
  }
}

/* Bytes that take so many seconds; what is absurd is refused with the graph, not cast beyond int64 here. */
static ho_tensor build_tensor(ho_dag *d, const char *name, ho_op producer, double seconds) {
  double bytes = MIN(floor(seconds * d->bandwidth + 0.5), (double)HO_GRAPH_MAX_BYTES);
  return ho_graph_build_tensor(d->build, name, HO_FP32, -1, NULL, (int64_t)bytes, HO_ROLE_NONE, producer);
}

static ho_tensor edge_tensor(ho_dag *d, const edge *e, double seconds) {
  g_autofree char *name = g_strconcat(task_at(d, e->from)->name, "-", task_at(d, e->to)->name, NULL);
  return build_tensor(d, name, e->from, seconds);
}

static ho_tensor output_tensor(ho_dag *d, ho_op o) {
  g_autofree char *name = g_strconcat(task_at(d, o)->name, ".out", NULL);
  return build_tensor(d, name, o, d->ccr * d->seconds);
}

static void build_edges(ho_dag *d) {
  g_autofree ho_tensor *output = g_new(ho_tensor, d->tasks->len); /* -1: none yet */
  for (guint i = 0; i < d->tasks->len; i++) output[i] = -1;
  g_autoptr(GHashTable) of_class = g_hash_table_new_full(NULL, NULL, NULL, g_free); /* class -> seconds */
  for (guint i = 0; i < d->edges->len; i++) {
    const edge *e = &g_array_index(d->edges, edge, i);
    ho_tensor t;
    if (task_at(d, e->from)->weight > 0) {
      if (output[e->from] < 0) output[e->from] = output_tensor(d, e->from);
      t = output[e->from];
    } else {
      double *known = e->edge_class >= 0 ? g_hash_table_lookup(of_class, GINT_TO_POINTER(e->edge_class)) : NULL;
      double seconds = known ? *known : draw_twice(d, d->ccr * d->seconds);
      if (!known && e->edge_class >= 0)
        g_hash_table_insert(of_class, GINT_TO_POINTER(e->edge_class), g_memdup2(&seconds, sizeof seconds));
      t = edge_tensor(d, e, seconds);
    }
    ho_graph_build_consume(d->build, t, e->to);
  }
}

ho_graph *ho_dag_finish(ho_dag *d, GError **error) {
  build_ops(d);
  build_edges(d);
  ho_graph *g = ho_graph_build_finish(d->build, error);
  d->build = NULL;
  free_dag(d);
  return g;
}
