/* onnx_node.c: one NodeProto: what can be large or nested is cut out by the walker, protobuf-c unpacks the rest.
 *
 * Tensors in attributes are read like initializers (header, and values where small); graphs in attributes are remembered as regions
 * of the file and parsed when the names around them are known. What protobuf-c sees is flat, so that no nesting in a file can
 * exhaust the stack, and small, so that weights stored in Constant nodes are never copied. */
#include <string.h>

#include "models/onnx_model.h"

enum { NODE_ATTRIBUTE = 5, NODE_DOC = 6, NODE_OVERLOAD = 8 };
enum {
  ATTRIBUTE_NAME = 1,
  ATTRIBUTE_TENSOR = 5,
  ATTRIBUTE_GRAPH = 6,
  ATTRIBUTE_STRINGS = 9,
  ATTRIBUTE_TENSORS = 10,
  ATTRIBUTE_GRAPHS = 11,
  ATTRIBUTE_TYPE = 20,
  ATTRIBUTE_REF = 21,
  ATTRIBUTE_SPARSE = 22
};
enum { LARGEST_NODE = 1 << 28 }; /* B of a node without its tensors and graphs */

static gboolean keep(GByteArray *to, const ho_wire *w, const ho_wire_field *f, GError **error) {
  const size_t size = (size_t)(w->at - f->tag);
  if (size > LARGEST_NODE || to->len + size > LARGEST_NODE)
    return ho_wire_fail(w, error, "a node with more than %d bytes of attributes", LARGEST_NODE);
  g_byte_array_append(to, f->tag, (guint)size);
  return TRUE;
}

static gboolean cut_payload(ho_onnx_model *m, GArray *payloads, const ho_wire *w, const ho_wire_field *f, GError **error) {
  ho_onnx_payload p = {.bytes = f->bytes};
  const char *name;
  if (!ho_wire_expect(w, f, HO_WIRE_BYTES, "an attribute's tensor or graph", error)) return FALSE;
  if (f->number == ATTRIBUTE_TENSOR || f->number == ATTRIBUTE_TENSORS) {
    p.tensor = ho_onnx_tensor_parse(m, f->bytes, &name, error);
    if (p.tensor == NULL) return FALSE;
  } else if (f->number == ATTRIBUTE_SPARSE) {
    p.tensor = ho_onnx_sparse_parse(m, f->bytes, &name, error);
    if (p.tensor == NULL) return FALSE;
  }
  g_array_append_val(payloads, p);
  return TRUE;
}

/* Copies an attribute without its tensors and graphs, which go to `payloads`. */
static gboolean cut_attribute(ho_onnx_model *m, ho_wire w, GArray *payloads, GByteArray *node, GError **error) {
  g_autoptr(GByteArray) kept = g_byte_array_new();
  const guint first = payloads->len;
  const char *name = "";
  ho_wire_field f;
  ho_wire_step step;
  while ((step = ho_wire_next(&w, &f, error)) == HO_WIRE_FIELD) {
    const gboolean payload = f.number == ATTRIBUTE_TENSOR || f.number == ATTRIBUTE_GRAPH || f.number == ATTRIBUTE_TENSORS ||
                             f.number == ATTRIBUTE_GRAPHS || f.number == ATTRIBUTE_SPARSE;
    if (payload) {
      if (!cut_payload(m, payloads, &w, &f, error)) return FALSE;
    } else if (f.number <= ATTRIBUTE_STRINGS || f.number == ATTRIBUTE_TYPE || f.number == ATTRIBUTE_REF) {
      if (!keep(kept, &w, &f, error)) return FALSE;
      if (f.number == ATTRIBUTE_NAME && f.type == HO_WIRE_BYTES) {
        char *text = ho_arena_alloc(m->arena, ho_wire_size(&f.bytes) + 1);
        name = memcpy(text, f.bytes.at, ho_wire_size(&f.bytes));
      }
    }
  }
  if (step == HO_WIRE_ERROR) return FALSE;
  for (guint k = first; k < payloads->len; k++) g_array_index(payloads, ho_onnx_payload, k).attribute = name;
  ho_wire_put_bytes(node, NODE_ATTRIBUTE, kept->data, kept->len);
  return TRUE;
}

/* `attribute` is the number of the field that holds attributes; in messages that are no nodes, nothing else is kept. */
static gboolean cut_node(ho_onnx_model *m, ho_wire w, uint32_t attribute, GArray *payloads, GByteArray *node, GError **error) {
  ho_wire_field f;
  ho_wire_step step;
  while ((step = ho_wire_next(&w, &f, error)) == HO_WIRE_FIELD) {
    if (f.number == attribute) {
      if (!ho_wire_expect(&w, &f, HO_WIRE_BYTES, "a node's attribute", error)) return FALSE;
      if (!cut_attribute(m, f.bytes, payloads, node, error)) return FALSE;
    } else if (attribute == NODE_ATTRIBUTE && f.number <= NODE_OVERLOAD && f.number != NODE_DOC) {
      if (!keep(node, &w, &f, error)) return FALSE;
    }
  }
  return step == HO_WIRE_END;
}

/* The standard domain has two names; every other operator carries its domain. */
static const char *operator_name(ho_onnx_model *m, const Ho__OnnxNode *p) {
  const char *op = ho_onnx_text(m, p->op_type ? p->op_type : "");
  if (p->domain == NULL || *p->domain == 0 || strcmp(p->domain, "ai.onnx") == 0) return op;
  char *name = g_strdup_printf("%s::%s", ho_onnx_text(m, p->domain), op);
  const char *kept = ho_arena_strdup(m->arena, name);
  g_free(name);
  return kept;
}

static const char *node_name(ho_onnx_model *m, const Ho__OnnxNode *p) {
  if (p->name != NULL && *p->name) return ho_onnx_text(m, p->name);
  for (size_t k = 0; k < p->n_output; k++)
    if (*p->output[k]) return ho_onnx_text(m, p->output[k]);
  return ho_onnx_text(m, p->op_type ? p->op_type : "node");
}

ho_onnx_node *ho_onnx_attributes_parse(ho_onnx_model *m, ho_wire bytes, uint32_t number, GError **error) {
  g_autoptr(GByteArray) flat = g_byte_array_new();
  g_autoptr(GArray) payloads = g_array_new(FALSE, FALSE, sizeof(ho_onnx_payload));
  if (!cut_node(m, bytes, number, payloads, flat, error)) return NULL;
  ProtobufCAllocator in_arena = ho_onnx_allocator(m);
  Ho__OnnxNode *proto = ho__onnx_node__unpack(&in_arena, flat->len, flat->data);
  if (proto == NULL) {
    ho_wire_fail(&bytes, error, "a damaged node, expected a NodeProto");
    return NULL;
  }
  ho_onnx_node *n = ho_arena_alloc(m->arena, sizeof *n);
  n->proto = proto;
  n->offset = ho_wire_offset(&bytes);
  n->bytes = bytes;
  n->n_payload = (int32_t)payloads->len;
  n->payload = ho_arena_memdup(m->arena, payloads->data, payloads->len * sizeof(ho_onnx_payload));
  return n;
}

ho_onnx_node *ho_onnx_node_parse(ho_onnx_model *m, ho_wire bytes, GError **error) {
  ho_onnx_node *n = ho_onnx_attributes_parse(m, bytes, NODE_ATTRIBUTE, error);
  if (n == NULL) return NULL;
  if (n->proto->op_type == NULL || *n->proto->op_type == 0) {
    ho_wire_fail(&bytes, error, "a node without an operator, expected its op_type");
    return NULL;
  }
  n->op = operator_name(m, n->proto);
  n->name = node_name(m, n->proto);
  return n;
}

/* ---- attributes ---- */

const Ho__OnnxAttribute *ho_onnx_attribute(const ho_onnx_node *n, const char *name) {
  for (size_t k = 0; k < n->proto->n_attribute; k++) {
    const Ho__OnnxAttribute *a = n->proto->attribute[k];
    if (a->name != NULL && strcmp(a->name, name) == 0) return a;
  }
  return NULL;
}

int64_t ho_onnx_int(const ho_onnx_node *n, const char *name, int64_t otherwise) {
  const Ho__OnnxAttribute *a = ho_onnx_attribute(n, name);
  return a != NULL && a->ref_attr_name == NULL ? a->i : otherwise;
}

double ho_onnx_float(const ho_onnx_node *n, const char *name, double otherwise) {
  const Ho__OnnxAttribute *a = ho_onnx_attribute(n, name);
  return a != NULL && a->ref_attr_name == NULL ? (double)a->f : otherwise;
}

const int64_t *ho_onnx_ints(const ho_onnx_node *n, const char *name, size_t *count) {
  const Ho__OnnxAttribute *a = ho_onnx_attribute(n, name);
  *count = a != NULL ? a->n_ints : 0;
  return a != NULL && a->n_ints > 0 ? a->ints : NULL;
}

gboolean ho_onnx_string_is(const ho_onnx_node *n, const char *name, const char *text) {
  const Ho__OnnxAttribute *a = ho_onnx_attribute(n, name);
  const size_t size = a != NULL && a->has_s ? a->s.len : 0;
  return size == strlen(text) && (size == 0 || memcmp(a->s.data, text, size) == 0);
}

char *ho_onnx_string(ho_onnx_model *m, const ho_onnx_node *n, const char *name) {
  const Ho__OnnxAttribute *a = ho_onnx_attribute(n, name);
  const size_t size = a != NULL && a->has_s ? a->s.len : 0;
  char *text = ho_arena_alloc(m->arena, size + 1);
  if (size > 0) memcpy(text, a->s.data, size);
  return text;
}

static const ho_onnx_payload *find_payload(const ho_onnx_node *n, const char *name) {
  for (int32_t k = 0; k < n->n_payload; k++)
    if (strcmp(n->payload[k].attribute, name) == 0) return &n->payload[k];
  return NULL;
}

ho_onnx_tensor *ho_onnx_payload_tensor(const ho_onnx_node *n, const char *name) {
  const ho_onnx_payload *p = find_payload(n, name);
  return p ? p->tensor : NULL;
}

ho_onnx_graph *ho_onnx_payload_graph(const ho_onnx_node *n, const char *name) {
  const ho_onnx_payload *p = find_payload(n, name);
  return p ? p->graph : NULL;
}
