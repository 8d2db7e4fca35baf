/* read_partitioning.c: graphs of msr-fiddle/dnn-partitioning: networks with a measured time per node on a CPU and on an FPGA.
 *
 *   {"maxSizePerFPGA": B, "maxFPGAs": 6, "maxCPUs": 8,
 *    "nodes": [{"id": 3, "name": …, "supportedOnFpga": 1, "cpuLatency": ms, "fpgaLatency": ms, "isBackwardNode": 0, "size": B, …}],
 *    "edges": [{"sourceId": 1, "destId": 3, "cost": ms, "size": B}]}
 *
 * A node's times become a table for the devices of the platform that the file describes, cpu0 … and fpga0 …; its size, which has to
 * fit into the memory of the FPGA that runs it, a weight of its own. Edges that leave a node with the same size are one tensor.
 * Where an edge has no size, its cost counts as milliseconds at 2 GiB/s, the speed at which cost and size of the published latency
 * instances agree. A colour class (nodes to be kept together: a forward node and its backward one) becomes the nodes' layer, "class 3".
 *
 * Tarnawski et al., Efficient Algorithms for Device Placement of DNN Graph Operators, NeurIPS 2020 */
#include <string.h>

#include "base/error.h"
#include "base/jsonio.h"
#include "models/read_task.h"

#define BYTES_PER_MS (2147483648.0 / 1e3)
#define MOST_DEVICES 1024

typedef struct {
  const char *file;
  ho_graph_build *build;
  GHashTable *by_id;       /* id + 1 -> index + 1 */
  GPtrArray *cpus, *fpgas; /* names */
  GPtrArray *names;        /* of ops */
  GHashTable *tensors;     /* "op:bytes" -> tensor + 1 */
  GHashTable *edges;
  int32_t unsized;
} reader;

static gpointer id_key(int64_t id) {
  return GSIZE_TO_POINTER((gsize)id + 1);
}

static gboolean name_devices(const reader *r, const json_t *root, const char *key, const char *stem, GPtrArray *names,
                             GError **error) {
  int64_t n = 1;
  if (!ho_json_get_int(root, (ho_json_at){r->file, ""}, key, FALSE, 0, &n, error)) return FALSE;
  if (n > MOST_DEVICES)
    return ho_fail(error, HO_ERROR_INPUT, "%s: %s: found %" G_GINT64_FORMAT ", expected at most %d", r->file, key, n,
                   MOST_DEVICES);
  for (int64_t i = 0; i < n; i++) g_ptr_array_add(names, g_strdup_printf("%s%" G_GINT64_FORMAT, stem, i));
  return TRUE;
}

/* Flags are 0, 1, false or true. */
static gboolean get_flag(const json_t *object, ho_json_at at, const char *key, gboolean *flag, GError **error) {
  const json_t *value = json_object_get(object, key);
  if (!value) return TRUE;
  if (!json_is_boolean(value) && !json_is_number(value))
    return ho_fail(error, HO_ERROR_INPUT, "%s: %s.%s: expected true, false, 1 or 0", at.file, at.place, key);
  *flag = json_is_true(value) || json_number_value(value) != 0;
  return TRUE;
}

static gboolean get_bytes(const json_t *object, ho_json_at at, int64_t *bytes, GError **error) {
  double size = 0;
  if (!ho_json_get_double(object, at, "size", FALSE, 0, &size, error)) return FALSE;
  *bytes = ho_task_bytes(size);
  return *bytes >= 0 || ho_fail(error, HO_ERROR_INPUT, "%s: %s.size: more than %" G_GINT64_FORMAT " bytes", at.file, at.place,
                                HO_GRAPH_MAX_BYTES);
}

static void put_times(reader *r, ho_op o, const GPtrArray *devices, double ms) {
  for (guint i = 0; i < devices->len; i++) ho_graph_build_time(r->build, o, g_ptr_array_index(devices, i), ms / 1e3);
}

/* "MatMul2" is a matmul. */
static char *kind_of(const char *name) {
  static const char *const words[] = {"add",   "cast",      "concat", "div",  "dropout",   "expand",    "gather",  "gelu",
                                      "gemm",  "layernorm", "matmul", "min",  "mul",       "pow",       "reshape", "shape",
                                      "slice", "softmax",   "sub",    "tanh", "transpose", "unsqueeze", NULL};
  g_autofree char *low = g_ascii_strdown(name, -1);
  if (g_str_has_prefix(low, "layernormalization")) return g_strdup("layernorm");
  if (g_str_has_prefix(low, "trainabledropout")) return g_strdup("dropout");
  size_t n = strcspn(low, "0123456789_.");
  low[n] = '\0';
  return g_strdup(g_strv_contains(words, low) ? low : "layer");
}

static gboolean read_node(reader *r, const json_t *node, ho_json_at at, GError **error) {
  int64_t id = 0, bytes = 0, colour = 0;
  double cpu = 0, fpga = 0;
  const char *name = NULL;
  gboolean on_fpga = TRUE, backward = FALSE;
  if (!json_is_object(node)) return ho_fail(error, HO_ERROR_INPUT, "%s: %s: expected an object", at.file, at.place);
  if (!ho_json_get_int(node, at, "id", TRUE, 0, &id, error)) return FALSE;
  if (!ho_json_get_string(node, at, "name", FALSE, &name, error)) return FALSE;
  if (!ho_json_get_double(node, at, "cpuLatency", TRUE, 0, &cpu, error)) return FALSE;
  if (!ho_json_get_double(node, at, "fpgaLatency", TRUE, 0, &fpga, error)) return FALSE;
  if (!get_flag(node, at, "supportedOnFpga", &on_fpga, error)) return FALSE;
  if (!get_flag(node, at, "isBackwardNode", &backward, error)) return FALSE;
  if (!get_bytes(node, at, &bytes, error)) return FALSE;
  if (!ho_json_get_int(node, at, "colorClass", FALSE, 0, &colour, error)) return FALSE;
  if (g_hash_table_contains(r->by_id, id_key(id)))
    return ho_fail(error, HO_ERROR_INPUT, "%s: %s.id: %" G_GINT64_FORMAT " is further up already: ids must differ", at.file,
                   at.place, id);
  g_autofree char *own = g_strdup_printf("node%" G_GINT64_FORMAT, id), *kind = kind_of(name ? name : "");
  ho_op_info op = ho_op_info_init(name && *name ? name : own, kind);
  g_autofree char *layer = json_object_get(node, "colorClass") ? g_strdup_printf("class %" G_GINT64_FORMAT, colour) : NULL;
  op.layer = layer;
  op.phase = backward ? HO_PHASE_BACKWARD : HO_PHASE_FORWARD;
  ho_op o = ho_graph_build_op(r->build, &op);
  g_ptr_array_add(r->names, g_strdup(op.name));
  g_hash_table_insert(r->by_id, id_key(id), GINT_TO_POINTER(o + 1));
  ho_graph_build_time_table(r->build, o);
  put_times(r, o, r->cpus, cpu);
  if (on_fpga) put_times(r, o, r->fpgas, fpga);
  if (!bytes) return TRUE;
  g_autofree char *weight = g_strconcat(op.name, ".weight", NULL);
  ho_tensor t = ho_graph_build_tensor(r->build, weight, HO_FP32, -1, NULL, bytes, HO_ROLE_WEIGHT, -1);
  ho_graph_build_consume(r->build, t, o);
  return TRUE;
}

static gboolean find_node(const reader *r, const json_t *edge, ho_json_at at, const char *key, ho_op *o, GError **error) {
  int64_t id = 0;
  if (!ho_json_get_int(edge, at, key, TRUE, 0, &id, error)) return FALSE;
  *o = GPOINTER_TO_INT(g_hash_table_lookup(r->by_id, id_key(id))) - 1;
  return *o >= 0 || ho_fail(error, HO_ERROR_INPUT, "%s: %s.%s: no node has the id %" G_GINT64_FORMAT, at.file, at.place, key, id);
}

static gboolean read_edge(reader *r, const json_t *edge, ho_json_at at, GError **error) {
  ho_op from, to;
  int64_t bytes = 0;
  double cost = 0;
  if (!json_is_object(edge)) return ho_fail(error, HO_ERROR_INPUT, "%s: %s: expected an object", at.file, at.place);
  if (!find_node(r, edge, at, "sourceId", &from, error) || !find_node(r, edge, at, "destId", &to, error)) return FALSE;
  if (!ho_json_get_double(edge, at, "cost", FALSE, 0, &cost, error) || !get_bytes(edge, at, &bytes, error)) return FALSE;
  if (!g_hash_table_add(r->edges, GSIZE_TO_POINTER((gsize)(guint32)from << 32 | (guint32)to)))
    return ho_fail(error, HO_ERROR_INPUT, "%s: %s: an edge between these nodes is further up already", at.file, at.place);
  if (!json_object_get(edge, "size")) {
    r->unsized++;
    bytes = ho_task_bytes(cost * BYTES_PER_MS);
    if (bytes < 0) return ho_fail(error, HO_ERROR_INPUT, "%s: %s.cost: too large", at.file, at.place);
  }
  g_autofree char *key = g_strdup_printf("%d:%" G_GINT64_FORMAT, from, bytes);
  ho_tensor t = GPOINTER_TO_INT(g_hash_table_lookup(r->tensors, key)) - 1;
  if (t < 0) {
    t = ho_task_edge(r->build, g_ptr_array_index(r->names, (guint)from), from, g_ptr_array_index(r->names, (guint)to), to, bytes,
                     HO_FP32);
    g_hash_table_insert(r->tensors, g_steal_pointer(&key), GINT_TO_POINTER(t + 1));
  }
  ho_graph_build_consume(r->build, t, to);
  return TRUE;
}

typedef gboolean (*read_element)(reader *r, const json_t *element, ho_json_at at, GError **error);

static gboolean read_list(reader *r, const json_t *root, const char *key, read_element read, GError **error) {
  json_t *list = NULL;
  if (!ho_json_get_array(root, (ho_json_at){r->file, ""}, key, TRUE, &list, error)) return FALSE;
  for (size_t i = 0; i < json_array_size(list); i++) {
    g_autofree char *place = g_strdup_printf("%s[%zu]", key, i);
    if (!read(r, json_array_get(list, i), (ho_json_at){r->file, place}, error)) return FALSE;
  }
  return TRUE;
}

/* "cpu0", "fpga0 to fpga5", or "no device". */
static void put_names(GString *note, const GPtrArray *names) {
  g_string_append(note, names->len ? g_ptr_array_index(names, 0) : "no device");
  if (names->len > 1) g_string_append_printf(note, " to %s", (const char *)g_ptr_array_index(names, names->len - 1));
}

static gboolean read_root(reader *r, const json_t *root, GError **error) {
  if (!json_is_object(root)) return ho_fail(error, HO_ERROR_INPUT, "%s: expected an object", r->file);
  if (!name_devices(r, root, "maxCPUs", "cpu", r->cpus, error) || !name_devices(r, root, "maxFPGAs", "fpga", r->fpgas, error))
    return FALSE;
  if (!read_list(r, root, "nodes", read_node, error) || !read_list(r, root, "edges", read_edge, error)) return FALSE;
  g_autoptr(GString) note = g_string_new(NULL);
  g_string_append(note, "dnn-partitioning: run times are those of ");
  put_names(note, r->cpus);
  g_string_append(note, " and ");
  put_names(note, r->fpgas);
  if (r->unsized) g_string_append_printf(note, "; bytes of %d edges from their cost at 2 GiB/s", r->unsized);
  ho_graph_build_note(r->build, 0, note->str);
  return TRUE;
}

static ho_graph *read_partitioning(const char *file, const ho_bindings *bindings, GError **error) {
  if (!ho_task_no_bindings(file, "a dnn-partitioning graph", bindings, error)) return NULL;
  json_t *root = ho_json_read(file, error);
  if (!root) return NULL;
  g_autofree char *name = ho_task_name_of_file(file);
  reader r = {.file = file,
              .build = ho_graph_build_new(name, file),
              .by_id = g_hash_table_new(NULL, NULL),
              .cpus = g_ptr_array_new_with_free_func(g_free),
              .fpgas = g_ptr_array_new_with_free_func(g_free),
              .names = g_ptr_array_new_with_free_func(g_free),
              .tensors = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
              .edges = g_hash_table_new(NULL, NULL)};
  ho_graph *g = NULL;
  if (read_root(&r, root, error))
    g = ho_graph_build_finish(r.build, error);
  else
    ho_graph_build_free(r.build);
  g_hash_table_destroy(r.by_id);
  g_ptr_array_free(r.cpus, TRUE);
  g_ptr_array_free(r.fpgas, TRUE);
  g_ptr_array_free(r.names, TRUE);
  g_hash_table_destroy(r.tensors);
  g_hash_table_destroy(r.edges);
  json_decref(root);
  return g;
}

static gboolean sniff(const char *file, const unsigned char *head, size_t n) {
  (void)file;
  if (n == 0 || ho_task_head_has(head, n, "heteroopt-graph/")) return FALSE;
  return ho_task_head_has(head, n, "\"maxFPGAs\"") || ho_task_head_has(head, n, "\"fpgaLatency\"");
}

const ho_graph_reader ho_graph_reader_partitioning = {
    .name = "dnn-partitioning",
    .summary = "network with measured times on a CPU and an FPGA (msr-fiddle/dnn-partitioning)",
    .extension = ".json",
    .sniff = sniff,
    .read = read_partitioning,
};
