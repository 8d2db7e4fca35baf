/* read_chakra.c: Chakra execution traces (MLCommons), what one rank of a training job did: compute, memory and communication nodes.
 *
 * A node with `num_ops` is costed by it (as FLOP) and by `tensor_size` (bytes read); one without, but with a duration, has a time table:
 * on `cpu` when `is_cpu_op` says so, else on `npu0`, or on what --device names. Memory and communication nodes move `tensor_size` and
 * `comm_size` bytes. A data dependency carries the producer's tensor_size or comm_size, a control dependency nothing. The network
 * between ranks is not in the file: a collective without a duration costs what reading and writing its bytes costs.
 *
 * Records are cut out by their lengths, which are checked against the file before they are believed, and unpacked one at a time.
 *
 * Sridharan et al., Chakra: Advancing Performance Benchmarking and Co-design using Standardized Execution Traces, arXiv:2305.14516 */
#include <string.h>

#include "base/error.h"
#include "base/fileio.h"
#include "models/chakra.pb-c.h"
#include "models/read_task.h"

enum {
  TYPE_METADATA = 1,
  TYPE_MEM_LOAD,
  TYPE_MEM_STORE,
  TYPE_COMP,
  TYPE_SEND,
  TYPE_RECV,
  TYPE_COLLECTIVE,
  TYPE_STORAGE,
  TYPE_BATCH,
  TYPE_CHECKPOINT
};

typedef struct {
  const char *file;
  const ho_bindings *bindings;
  const guint8 *bytes;
  size_t length, at;
  GPtrArray *nodes;  /* Ho__ChakraNode */
  GPtrArray *names;  /* of ops */
  GHashTable *by_id; /* index + 1 */
  ho_graph_build *build;
  int32_t timed, costed;
} reader;

static gboolean fail_node(const reader *r, const Ho__ChakraNode *n, GError **error, const char *format, ...) G_GNUC_PRINTF(4, 5);
static gboolean fail_node(const reader *r, const Ho__ChakraNode *n, GError **error, const char *format, ...) {
  va_list args;
  va_start(args, format);
  g_autofree char *what = g_strdup_vprintf(format, args), *name = ho_printable(n->name ? n->name : "");
  va_end(args);
  return ho_fail(error, HO_ERROR_INPUT, "%s: node %" G_GUINT64_FORMAT " '%s': %s", r->file, n->id, name, what);
}

/* ---- records --------------------------------------------------------------------------------------------------------- */

/* The next record. FALSE: error is set. */
static gboolean next_record(reader *r, const guint8 **record, size_t *size, GError **error) {
  size_t begin = r->at;
  guint64 announced = 0;
  unsigned shift = 0;
  for (;; shift += 7) {
    if (r->at == r->length)
      return ho_fail(error, HO_ERROR_INPUT, "%s: offset %zu: the file ends inside a length", r->file, begin);
    guint8 byte = r->bytes[r->at++];
    if (shift > 28) return ho_fail(error, HO_ERROR_INPUT, "%s: offset %zu: expected the length of a record", r->file, begin);
    announced |= (guint64)(byte & 0x7f) << shift;
    if (!(byte & 0x80)) break;
  }
  if (announced > r->length - r->at)
    return ho_fail(error, HO_ERROR_INPUT,
                   "%s: offset %zu: a record of %" G_GUINT64_FORMAT " bytes is announced but only %zu are left", r->file, begin,
                   announced, r->length - r->at);
  *record = r->bytes + r->at;
  *size = (size_t)announced;
  r->at += *size;
  return TRUE;
}

static gboolean read_metadata(reader *r, GError **error) {
  const guint8 *record;
  size_t size;
  if (!next_record(r, &record, &size, error)) return FALSE;
  Ho__ChakraMetadata *metadata = ho__chakra_metadata__unpack(NULL, size, record);
  if (!metadata) return ho_fail(error, HO_ERROR_INPUT, "%s: offset 0: expected Chakra's metadata", r->file);
  ho__chakra_metadata__free_unpacked(metadata, NULL);
  return TRUE;
}

static gboolean read_nodes(reader *r, GError **error) {
  while (r->at < r->length) {
    const guint8 *record;
    size_t size, begin = r->at;
    if (!next_record(r, &record, &size, error)) return FALSE;
    Ho__ChakraNode *n = ho__chakra_node__unpack(NULL, size, record);
    if (!n) return ho_fail(error, HO_ERROR_INPUT, "%s: offset %zu: expected a Chakra node", r->file, begin);
    g_ptr_array_add(r->nodes, n);
    gint64 *key = g_memdup2(&n->id, sizeof n->id);
    if (g_hash_table_contains(r->by_id, key)) {
      g_free(key);
      return fail_node(r, n, error, "another node has this id: ids must differ");
    }
    g_hash_table_insert(r->by_id, key, GINT_TO_POINTER((gint)r->nodes->len));
  }
  return TRUE;
}

/* ---- attributes ------------------------------------------------------------------------------------------------------ */

static double number_of(const Ho__ChakraAttribute *a) {
  if (a->has_int64_val) return (double)a->int64_val;
  if (a->has_uint64_val) return (double)a->uint64_val;
  if (a->has_int32_val) return a->int32_val;
  if (a->has_uint32_val) return a->uint32_val;
  if (a->has_bool_val) return a->bool_val != 0;
  if (a->has_double_val) return a->double_val;
  if (a->has_float_val) return (double)a->float_val;
  if (a->has_sint64_val) return (double)a->sint64_val;
  if (a->has_sint32_val) return a->sint32_val;
  if (a->has_fixed64_val) return (double)a->fixed64_val;
  if (a->has_fixed32_val) return a->fixed32_val;
  if (a->has_sfixed64_val) return (double)a->sfixed64_val;
  return a->has_sfixed32_val ? a->sfixed32_val : 0;
}

/* Leaves *value as it is when the attribute is absent. */
static gboolean get_attribute(const reader *r, const Ho__ChakraNode *n, const char *name, double *value, GError **error) {
  for (size_t k = 0; k < n->n_attr; k++) {
    if (!n->attr[k]->name || strcmp(n->attr[k]->name, name) != 0) continue;
    *value = number_of(n->attr[k]);
    if (isfinite(*value) && *value >= 0) return TRUE;
    return fail_node(r, n, error, "%s is %g: expected a finite number, 0 or more", name, *value);
  }
  return TRUE;
}

/* ---- ops ------------------------------------------------------------------------------------------------------------- */

static const char *kind_of(const Ho__ChakraNode *n, int collective) {
  static const char *const types[] = {NULL,   "metadata", "mem_load", "mem_store", NULL,        "send",
                                      "recv", NULL,       "storage",  "batch",     "checkpoint"};
  static const char *const collectives[] = {"allreduce", "reduce",   "allgather",     "gather",        "scatter",
                                            "broadcast", "alltoall", "reducescatter", "reducescatter", "barrier"};
  static const char *const words[][2] = {{"mm", "matmul"},     {"addmm", "matmul"},     {"bmm", "matmul"}, {"matmul", "matmul"},
                                         {"linear", "matmul"}, {"convolution", "conv"}, {"conv2d", "conv"}};
  if (n->type == TYPE_COLLECTIVE) {
    gboolean known = collective >= 0 && collective < (int)G_N_ELEMENTS(collectives);
    return known ? collectives[collective] : "collective";
  }
  if (n->type != TYPE_COMP) return types[n->type];
  const char *colon = n->name ? strrchr(n->name, ':') : NULL, *word = colon ? colon + 1 : n->name;
  for (size_t i = 0; word && i < G_N_ELEMENTS(words); i++)
    if (strcmp(word, words[i][0]) == 0) return words[i][1];
  return "compute";
}

static char *fresh_name(const reader *r, const Ho__ChakraNode *n) {
  g_autofree char *id = g_strdup_printf("#%" G_GUINT64_FORMAT, n->id);
  const char *name = n->name && *n->name ? n->name : "node";
  if (name == n->name && ho_graph_build_find_op(r->build, name) < 0) return g_strdup(name);
  return g_strconcat(name, id, NULL);
}

typedef struct {
  double ops, tensor, comm, kind, on_cpu;
} attributes;

static gboolean read_attributes(const reader *r, const Ho__ChakraNode *n, attributes *a, GError **error) {
  *a = (attributes){.kind = -1};
  return get_attribute(r, n, "num_ops", &a->ops, error) && get_attribute(r, n, "tensor_size", &a->tensor, error) &&
         get_attribute(r, n, "comm_size", &a->comm, error) && get_attribute(r, n, "comm_type", &a->kind, error) &&
         get_attribute(r, n, "is_cpu_op", &a->on_cpu, error);
}

static gboolean make_op(reader *r, const Ho__ChakraNode *n, GError **error) {
  static const char *const cpu[] = {"cpu", NULL}, *const npu[] = {"npu0", NULL};
  attributes a;
  if (n->type < TYPE_METADATA || n->type > TYPE_CHECKPOINT)
    return fail_node(r, n, error, "type %d: expected a type of Chakra's, 1 to 10", n->type);
  if (!read_attributes(r, n, &a, error)) return FALSE;
  g_autofree char *name = fresh_name(r, n);
  ho_op_info op = ho_op_info_init(name, kind_of(n, (int)MIN(a.kind, 100)));
  gboolean moves = n->type == TYPE_COLLECTIVE || n->type == TYPE_SEND || n->type == TYPE_RECV;
  op.flops = a.ops;
  op.read = n->type == TYPE_MEM_STORE ? 0 : moves ? a.comm : a.tensor;
  op.write = n->type == TYPE_MEM_STORE ? a.tensor : moves ? a.comm : 0;
  g_ptr_array_add(r->names, g_strdup(name));
  if (a.ops > 0 || n->duration_micros == 0) {
    ho_graph_build_op(r->build, &op);
    r->costed++;
    return TRUE;
  }
  r->timed++;
  ho_task_op_on(r->build, &op, (double)n->duration_micros / 1e6, a.on_cpu != 0 ? cpu : npu, r->bindings);
  return TRUE;
}

/* ---- dependencies ---------------------------------------------------------------------------------------------------- */

static ho_op find_node(const reader *r, guint64 id) {
  return GPOINTER_TO_INT(g_hash_table_lookup(r->by_id, &id)) - 1;
}

/* What a node hands on: one tensor, made when the first consumer is met. */
static gboolean add_data(const reader *r, ho_op from, ho_op to, ho_tensor *output, GError **error) {
  const Ho__ChakraNode *n = g_ptr_array_index(r->nodes, (guint)from);
  if (output[from] < 0) {
    attributes a;
    if (!read_attributes(r, n, &a, error)) return FALSE;
    int64_t bytes = ho_task_bytes(MAX(a.tensor, a.comm));
    if (bytes < 0) return fail_node(r, n, error, "more than %" G_GINT64_FORMAT " bytes", HO_GRAPH_MAX_BYTES);
    g_autofree char *name = g_strconcat(g_ptr_array_index(r->names, (guint)from), ":0", NULL),
                    *fresh = ho_task_fresh_tensor(r->build, name);
    output[from] = ho_graph_build_tensor(r->build, fresh, HO_UINT8, -1, NULL, bytes, HO_ROLE_NONE, from);
  }
  ho_graph_build_consume(r->build, output[from], to);
  return TRUE;
}

static gboolean connect(const reader *r, ho_op o, ho_tensor *output, GError **error) {
  const Ho__ChakraNode *n = g_ptr_array_index(r->nodes, (guint)o);
  for (size_t k = 0; k < n->n_data_deps + n->n_ctrl_deps; k++) {
    gboolean data = k < n->n_data_deps;
    guint64 id = data ? n->data_deps[k] : n->ctrl_deps[k - n->n_data_deps];
    ho_op from = find_node(r, id);
    if (from < 0) return fail_node(r, n, error, "depends on node %" G_GUINT64_FORMAT ", which is not in the file", id);
    if (data ? !add_data(r, from, o, output, error) : FALSE) return FALSE;
    if (!data)
      ho_task_edge(r->build, g_ptr_array_index(r->names, (guint)from), from, g_ptr_array_index(r->names, (guint)o), o, 0,
                   HO_UINT8);
  }
  return TRUE;
}

/* ---- the file -------------------------------------------------------------------------------------------------------- */

static gboolean read_trace(reader *r, GError **error) {
  if (!read_metadata(r, error) || !read_nodes(r, error)) return FALSE;
  for (guint i = 0; i < r->nodes->len; i++)
    if (!make_op(r, g_ptr_array_index(r->nodes, i), error)) return FALSE;
  g_autofree ho_tensor *output = g_new(ho_tensor, r->nodes->len + 1);
  memset(output, -1, sizeof *output * (r->nodes->len + 1));
  for (guint i = 0; i < r->nodes->len; i++)
    if (!connect(r, (ho_op)i, output, error)) return FALSE;
  g_autofree char *time = ho_task_time_note(r->bindings);
  g_autofree char *note = g_strdup_printf(
      "Chakra trace of one rank: %d nodes have durations, %s; %d are costed by num_ops and sizes; a tensor is "
      "its producer's tensor_size or comm_size",
      r->timed, ho_task_has_devices(r->bindings) ? time : "of cpu (is_cpu_op) or npu0", r->costed);
  ho_graph_build_note(r->build, 0, note);
  return TRUE;
}

static void free_node(gpointer n) {
  ho__chakra_node__free_unpacked(n, NULL);
}

static ho_graph *read_chakra(const char *file, const ho_bindings *bindings, GError **error) {
  if (!ho_task_no_bindings(file, "a Chakra trace", bindings, error)) return NULL;
  g_autofree char *bytes = NULL, *name = ho_task_name_of_file(file);
  reader r = {.file = file, .bindings = bindings};
  if (!ho_file_read(file, &bytes, &r.length, error)) return NULL;
  r.bytes = (const guint8 *)bytes;
  r.build = ho_graph_build_new(name, file);
  r.nodes = g_ptr_array_new_with_free_func(free_node);
  r.names = g_ptr_array_new_with_free_func(g_free);
  r.by_id = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
  ho_graph *g = NULL;
  if (read_trace(&r, error))
    g = ho_graph_build_finish(r.build, error);
  else
    ho_graph_build_free(r.build);
  g_ptr_array_free(r.nodes, TRUE);
  g_ptr_array_free(r.names, TRUE);
  g_hash_table_destroy(r.by_id);
  return g;
}

/* Metadata whose first field is a version in printable letters: length, tag of field 1, length of the text, text. */
static gboolean sniff(const char *file, const unsigned char *head, size_t n) {
  if (g_str_has_suffix(file, ".et")) return TRUE;
  if (n < 4 || head[0] >= 0x80 || head[1] != 0x0a || head[2] == 0 || (size_t)head[2] + 2 > head[0] || (size_t)head[2] + 3 > n)
    return FALSE;
  for (size_t i = 0; i < head[2]; i++)
    if (!g_ascii_isdigit(head[3 + i]) && head[3 + i] != '.') return FALSE;
  return TRUE;
}

const ho_graph_reader ho_graph_reader_chakra = {
    .name = "chakra",
    .summary = "Chakra execution trace of one rank (MLCommons)",
    .extension = ".et",
    .measured = TRUE,
    .sniff = sniff,
    .read = read_chakra,
};
