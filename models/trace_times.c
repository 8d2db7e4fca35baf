/* trace_times.c: see trace_times.h. */
#include "models/trace_times.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/jsonio.h"
#include "models/json_stream.h"
#include "models/read_task.h"

typedef struct {
  ho_op op;
  const char *device; /* interned in `words`; NULL: what the process is called */
  int64_t process;
  double seconds;
} sample;

typedef struct {
  const ho_graph *graph;
  const char *file;
  GArray *samples;     /* sample */
  GHashTable *process; /* pid -> name, in `words` */
  GStringChunk *words;
  int32_t unmatched; /* complete events that could be ops but have the name of none */
} reader;

/* ---- events ---------------------------------------------------------------------------------------------------------- */

static const char *text_of(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}

/* `simulate --trace` calls a process "gpu0 (gpu)": the name of the device, and what kind it is. */
static char *device_of(const char *process) {
  const char *kind = strrchr(process, '(');
  gboolean has_kind = kind && kind - process > 1 && kind[-1] == ' ' && g_str_has_suffix(process, ")");
  return has_kind ? g_strndup(process, (gsize)(kind - process - 1)) : g_strdup(process);
}

static void name_process(reader *r, const json_t *event) {
  if (strcmp(text_of(event, "name"), "process_name") != 0) return;
  g_autofree char *name = device_of(text_of(json_object_get(event, "args"), "name"));
  gint64 pid = json_integer_value(json_object_get(event, "pid"));
  g_hash_table_insert(r->process, g_memdup2(&pid, sizeof pid), g_string_chunk_insert_const(r->words, name));
}

/* *device NULL: by the process. FALSE: no measurement of an op. */
static gboolean place_event(const json_t *event, const char **device) {
  static const char *const cpu[] = {"cpu_op", "user_annotation", "python_function", NULL};
  static const char *const gpu[] = {"kernel", "gpu_memcpy", "gpu_memset", "gpu_user_annotation", NULL};
  static const char *const no[] = {"transfer", "cuda_runtime", "cuda_driver", "overhead", "Trace", "Session", NULL};
  const char *category = text_of(event, "cat"), *provider = text_of(json_object_get(event, "args"), "provider");
  *device = NULL;
  if (g_strv_contains(no, category)) return FALSE;
  if (g_strv_contains(cpu, category)) *device = "cpu";
  if (g_strv_contains(gpu, category)) *device = "gpu0";
  if (strcmp(category, "Node") == 0 && *provider) *device = g_str_has_prefix(provider, "CPU") ? "cpu" : "gpu0";
  return TRUE;
}

static ho_op find_op(const reader *r, const json_t *event) {
  static const char suffix[] = "_kernel_time";
  const char *name = text_of(event, "name");
  ho_op o = ho_graph_find_op(r->graph, name);
  if (o >= 0 || !g_str_has_suffix(name, suffix)) return o;
  g_autofree char *node = g_strndup(name, strlen(name) - strlen(suffix));
  return ho_graph_find_op(r->graph, node);
}

static gboolean read_event(reader *r, const json_t *event, const char *place, GError **error) {
  if (!json_is_object(event))
    return ho_fail(error, HO_ERROR_INPUT, "%s: %s: expected an event, which is an object", r->file, place);
  const char *phase = text_of(event, "ph"), *device;
  if (strcmp(phase, "M") == 0) name_process(r, event);
  if (strcmp(phase, "X") != 0 || !place_event(event, &device)) return TRUE;
  double us = 0;
  ho_op o = find_op(r, event);
  if (!ho_json_get_double(event, (ho_json_at){r->file, place}, "dur", o >= 0, 0, &us, error)) return FALSE;
  r->unmatched += o < 0;
  sample s = {o, device, json_integer_value(json_object_get(event, "pid")), us / 1e6};
  if (o >= 0) g_array_append_val(r->samples, s);
  return TRUE;
}

/* {"traceEvents": [...]} one event at a time, so that a large trace fits. */
static gboolean read_object(reader *r, GError **error) {
  static const char *const streamed[] = {"traceEvents", NULL};
  g_autoptr(ho_json_stream) stream = ho_json_stream_open(r->file, streamed, error);
  ho_json_elements e;
  if (!stream) return FALSE;
  if (!ho_json_stream_elements(stream, "traceEvents", &e))
    return ho_fail(error, HO_ERROR_INPUT, "%s: traceEvents is missing: expected a trace, as a profiler writes it", r->file);
  json_t *event;
  for (int i = 0; ho_json_elements_next(&e, &event, error); i++) {
    if (!event) return TRUE;
    char place[48];
    g_snprintf(place, sizeof place, "traceEvents[%d]", i);
    gboolean ok = read_event(r, event, place, error);
    json_decref(event);
    if (!ok) return FALSE;
  }
  return FALSE;
}

/* The other form that the format allows: only the list. */
static gboolean read_array(reader *r, GError **error) {
  json_t *root = ho_json_read(r->file, error);
  gboolean ok = root != NULL;
  for (size_t i = 0; ok && i < json_array_size(root); i++) {
    char place[48];
    g_snprintf(place, sizeof place, "[%zu]", i);
    ok = read_event(r, json_array_get(root, i), place, error);
  }
  json_decref(root);
  return ok;
}

/* A pipe is not looked at, what it has given would be gone: it is taken for the object form. */
static gboolean begins_with_list(const char *file) {
  FILE *f = g_file_test(file, G_FILE_TEST_IS_REGULAR) ? fopen(file, "rb") : NULL;
  if (!f) return FALSE;
  int c;
  do c = fgetc(f);
  while (c == ' ' || c == '\t' || c == '\r' || c == '\n');
  fclose(f);
  return c == '[';
}

/* ---- the copy -------------------------------------------------------------------------------------------------------- */

static void name_devices(reader *r, const ho_bindings *bindings) {
  for (guint k = 0; k < r->samples->len; k++) {
    sample *s = &g_array_index(r->samples, sample, k);
    if (ho_task_has_devices(bindings)) s->device = ""; /* all count together */
    const char *name = g_hash_table_lookup(r->process, &s->process);
    if (!s->device) s->device = name && *name ? name : "gpu0";
  }
}

static int by_place(const void *a, const void *b) {
  const sample *x = a, *y = b;
  int devices = x->op != y->op ? 0 : strcmp(x->device, y->device);
  if (x->op != y->op) return x->op < y->op ? -1 : 1;
  if (devices) return devices;
  return (x->seconds > y->seconds) - (x->seconds < y->seconds);
}

static double median(const sample *s, guint n) {
  return n % 2 ? s[n / 2].seconds : (s[n / 2 - 1].seconds + s[n / 2].seconds) / 2;
}

/* Times of one op, whose samples are sorted by device. Returns how many samples there were. */
static guint put_times(const reader *r, ho_graph_build *b, ho_op o, guint first, const ho_bindings *bindings) {
  const sample *all = (const sample *)(const void *)r->samples->data;
  guint end = first;
  while (end < r->samples->len && all[end].op == o) end++;
  if (end == first) return 0;
  for (guint k = first; k < end;) {
    guint n = 1;
    while (k + n < end && (ho_task_has_devices(bindings) || strcmp(all[k].device, all[k + n].device) == 0)) n++;
    double seconds = median(all + k, n);
    if (!ho_task_has_devices(bindings)) ho_graph_build_time(b, o, all[k].device, seconds);
    for (int32_t d = 0; ho_task_has_devices(bindings) && d < bindings->n_devices; d++)
      ho_graph_build_time(b, o, bindings->device[d], seconds);
    k += n;
  }
  return end - first;
}

static gboolean is_given(const ho_bindings *bindings, const char *device) {
  for (int32_t d = 0; d < bindings->n_devices; d++)
    if (strcmp(bindings->device[d], device) == 0) return TRUE;
  return FALSE;
}

/* Whether the trace times the op, whose samples begin at `first`, on this device. */
static gboolean is_timed(const reader *r, ho_op o, guint first, const char *device, const ho_bindings *bindings) {
  for (guint k = first; k < r->samples->len && g_array_index(r->samples, sample, k).op == o; k++)
    if (ho_task_has_devices(bindings) ? is_given(bindings, device)
                                      : strcmp(g_array_index(r->samples, sample, k).device, device) == 0)
      return TRUE;
  return FALSE;
}

/* Times that the graph already has for other devices stay. */
static void copy_op(const reader *r, ho_graph_build *b, ho_op o, guint first, const ho_bindings *bindings) {
  const ho_op_info *op = &r->graph->op[o];
  ho_graph_build_op(b, op);
  if (op->n_times >= 0) ho_graph_build_time_table(b, o);
  for (int32_t i = 0; i < op->n_times; i++) {
    const char *device = r->graph->time_devices[op->times[i].device];
    if (!is_timed(r, o, first, device, bindings)) ho_graph_build_time(b, o, device, op->times[i].seconds);
  }
}

static void copy_tensors(const ho_graph *g, ho_graph_build *b) {
  for (ho_tensor t = 0; t < g->n_tensors; t++) {
    const ho_tensor_info *tensor = &g->tensor[t];
    ho_graph_build_tensor(b, tensor->name, tensor->dtype, tensor->rank, tensor->shape, tensor->bytes, tensor->role,
                          tensor->producer);
    if (tensor->memory) ho_graph_build_memory(b, t, tensor->memory);
    if (tensor->is_output) ho_graph_build_output(b, t);
    for (int32_t i = g->use_start[t]; i < g->use_start[t + 1]; i++) ho_graph_build_consume(b, t, g->use[i]);
  }
  for (ho_tensor t = 0; t < g->n_tensors; t++)
    if (g->tensor[t].alias >= 0) ho_graph_build_alias(b, t, g->tensor[t].alias);
}

static ho_graph *copy(reader *r, const ho_bindings *bindings, GError **error) {
  const ho_graph *g = r->graph;
  ho_graph_build *b = ho_graph_build_new(g->name, g->source);
  ho_graph_build_set(b, g->period, g->samples);
  int32_t matched = 0;
  guint at = 0;
  for (ho_op o = 0; o < g->n_ops; o++) {
    copy_op(r, b, o, at, bindings);
    guint n = put_times(r, b, o, at, bindings);
    matched += n > 0;
    at += n;
  }
  copy_tensors(g, b);
  g_autofree char *base = g_path_get_basename(r->file);
  g_autofree char *note = g_strdup_printf("%s%smeasured times of %d of %d ops from %s (%d events have the name of no op)",
                                          g->note ? g->note : "", g->note ? "; " : "", matched, g->n_ops, base, r->unmatched);
  ho_graph_build_note(b, g->n_unknown, note);
  return ho_graph_build_finish(b, error);
}

ho_graph *ho_graph_with_times(const ho_graph *g, const char *trace, const ho_bindings *bindings, GError **error) {
  reader r = {.graph = g,
              .file = trace,
              .samples = g_array_new(FALSE, FALSE, sizeof(sample)),
              .process = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL),
              .words = g_string_chunk_new(1024)};
  ho_graph *with = NULL;
  if (begins_with_list(trace) ? read_array(&r, error) : read_object(&r, error)) {
    name_devices(&r, bindings);
    if (r.samples->len) qsort(r.samples->data, r.samples->len, sizeof(sample), by_place);
    if (r.samples->len)
      with = copy(&r, bindings, error);
    else
      ho_fail(error, HO_ERROR_INPUT, "%s: none of its %d events has the name of an op of '%s', such as '%s'", trace, r.unmatched,
              g->name, g->op[0].name);
  }
  g_array_free(r.samples, TRUE);
  g_hash_table_destroy(r.process);
  g_string_chunk_free(r.words);
  return with;
}
