/* onnx_parse.c: a file becomes a model: the fields of a ModelProto, in whatever order they come. */
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "models/onnx_model.h"

enum { MODEL_IR_VERSION = 1, MODEL_GRAPH = 7, MODEL_OPSET = 8, MODEL_FUNCTION = 25 };

gboolean ho_onnx_opset_parse(ho_onnx_model *m, ho_wire bytes, GHashTable *opsets, GError **error) {
  ProtobufCAllocator in_arena = ho_onnx_allocator(m);
  const Ho__OnnxOpset *o = ho__onnx_opset__unpack(&in_arena, ho_wire_size(&bytes), bytes.at);
  if (o == NULL) return ho_wire_fail(&bytes, error, "a damaged operator set, expected an OperatorSetIdProto");
  const char *domain = o->domain && strcmp(o->domain, "ai.onnx") ? o->domain : "";
  const int64_t version = CLAMP(o->version, 0, 1000000);
  g_hash_table_insert(opsets, (gpointer)domain, GINT_TO_POINTER((int)version + 1));
  return TRUE;
}

static gboolean map_file(ho_onnx_model *m, GError **error) {
  struct stat st;
  if (stat(m->file, &st) == 0 && !S_ISREG(st.st_mode))
    return ho_fail(error, HO_ERROR_IO, "%s: not a regular file, expected an ONNX model", m->file);
  GError *cause = NULL;
  m->map = g_mapped_file_new(m->file, FALSE, &cause);
  if (m->map == NULL) {
    ho_fail(error, HO_ERROR_IO, "%s: cannot be read: %s", m->file, cause->message);
    g_error_free(cause);
    return FALSE;
  }
  if (g_mapped_file_get_length(m->map) == 0)
    return ho_fail(error, HO_ERROR_INPUT, "%s: the file is empty, expected an ONNX model", m->file);
  return TRUE;
}

/* Finds the graph and reads what it needs to be understood: operator sets and functions. */
static gboolean read_model(ho_onnx_model *m, ho_wire w, ho_wire *graph, GError **error) {
  g_autoptr(GArray) functions = g_array_new(FALSE, FALSE, sizeof(ho_wire));
  ho_wire_field f;
  ho_wire_step step;
  graph->at = NULL;
  while ((step = ho_wire_next(&w, &f, error)) == HO_WIRE_FIELD) {
    if (f.number == MODEL_IR_VERSION && !ho_wire_expect(&w, &f, HO_WIRE_VARINT, "the model's ir_version", error)) return FALSE;
    if (f.number == MODEL_GRAPH) {
      if (!ho_wire_expect(&w, &f, HO_WIRE_BYTES, "the model's graph", error)) return FALSE;
      if (graph->at != NULL) return ho_wire_fail(&f.bytes, error, "a second graph, expected one");
      *graph = f.bytes;
    } else if (f.number == MODEL_OPSET) {
      if (!ho_wire_expect(&w, &f, HO_WIRE_BYTES, "the model's opset_import", error)) return FALSE;
      if (!ho_onnx_opset_parse(m, f.bytes, m->opsets, error)) return FALSE;
    } else if (f.number == MODEL_FUNCTION) {
      if (!ho_wire_expect(&w, &f, HO_WIRE_BYTES, "a model-local function", error)) return FALSE;
      g_array_append_val(functions, f.bytes);
    }
  }
  if (step == HO_WIRE_ERROR) return FALSE;
  if (graph->at == NULL) return ho_wire_fail(&w, error, "the file ends without a graph, it was cut short or is no ONNX model");
  for (guint k = 0; k < functions->len; k++)
    if (!ho_onnx_function_parse(m, g_array_index(functions, ho_wire, k), error)) return FALSE;
  return TRUE;
}

ho_onnx_model *ho_onnx_model_open(const char *file, const ho_bindings *bindings, GError **error) {
  ho_onnx_model *m = ho_onnx_model_new(file, bindings);
  ho_wire graph;
  if (map_file(m, error) &&
      read_model(m, ho_wire_region(m->file, g_mapped_file_get_contents(m->map), g_mapped_file_get_length(m->map)), &graph, error))
    m->main = ho_onnx_graph_parse(m, graph, NULL, m->opsets, 1, error);
  if (m->main != NULL) return m;
  ho_onnx_model_free(m);
  return NULL;
}
