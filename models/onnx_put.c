/* onnx_put.c: the messages of an ONNX file, put together by the numbers of their fields; see onnx_export_private.h. */
#include <string.h>

#include "models/onnx_export_private.h"

enum { ATTRIBUTE_NAME = 1, ATTRIBUTE_INT = 3, ATTRIBUTE_INTS = 8, ATTRIBUTE_TYPE = 20, TYPE_INT = 2, TYPE_INTS = 7 };
enum { TENSOR_DIMS = 1, TENSOR_TYPE = 2, TENSOR_INT64 = 7, TENSOR_NAME = 8, TENSOR_RAW = 9, DATA_INT64 = 7 };

void ho_onnx_put_text(GByteArray *to, uint32_t number, const char *text) {
  ho_wire_put_bytes(to, number, text, strlen(text));
}

void ho_onnx_put_int(GByteArray *to, uint32_t number, int64_t value) {
  ho_wire_put_varint(to, (uint64_t)number << 3 | HO_WIRE_VARINT);
  ho_wire_put_varint(to, (uint64_t)value);
}

void ho_onnx_put_int_attribute(GByteArray *node, const char *name, int64_t value) {
  g_autoptr(GByteArray) a = g_byte_array_new();
  ho_onnx_put_text(a, ATTRIBUTE_NAME, name);
  ho_onnx_put_int(a, ATTRIBUTE_INT, value);
  ho_onnx_put_int(a, ATTRIBUTE_TYPE, TYPE_INT);
  ho_wire_put_bytes(node, HO_NODE_ATTRIBUTE, a->data, a->len);
}

void ho_onnx_put_ints_attribute(GByteArray *node, const char *name, int32_t n, const int64_t *values) {
  g_autoptr(GByteArray) a = g_byte_array_new();
  ho_onnx_put_text(a, ATTRIBUTE_NAME, name);
  for (int32_t i = 0; i < n; i++) ho_onnx_put_int(a, ATTRIBUTE_INTS, values[i]);
  ho_onnx_put_int(a, ATTRIBUTE_TYPE, TYPE_INTS);
  ho_wire_put_bytes(node, HO_NODE_ATTRIBUTE, a->data, a->len);
}

void ho_onnx_put_ints(ho_onnx_exporter *x, const char *name, int32_t n, const int64_t *values) {
  g_autoptr(GByteArray) t = g_byte_array_new();
  ho_onnx_put_int(t, TENSOR_DIMS, n);
  ho_onnx_put_int(t, TENSOR_TYPE, DATA_INT64);
  for (int32_t i = 0; i < n; i++) ho_onnx_put_int(t, TENSOR_INT64, values[i]);
  ho_onnx_put_text(t, TENSOR_NAME, name);
  ho_wire_put_bytes(x->initializers, HO_GRAPH_INITIALIZER, t->data, t->len);
}

/* The ONNX number of a type, and its elements as raw little-endian bytes. */
static int64_t put_raw(GByteArray *raw, const ho_onnx_tensor *t) {
  for (size_t i = 0; i < t->n_values; i++) {
    const ho_onnx_scalar v = t->value[i];
    float f = (float)v.d;
    int32_t i32 = (int32_t)v.i;
    uint8_t u8 = (uint8_t)(v.i != 0);
    switch (t->dtype) {
      case HO_FP32:
        g_byte_array_append(raw, (const guint8 *)&f, sizeof f);
        break;
      case HO_FP64:
        g_byte_array_append(raw, (const guint8 *)&v.d, sizeof v.d);
        break;
      case HO_INT64:
        g_byte_array_append(raw, (const guint8 *)&v.i, sizeof v.i);
        break;
      case HO_INT32:
        g_byte_array_append(raw, (const guint8 *)&i32, sizeof i32);
        break;
      case HO_BOOL:
        g_byte_array_append(raw, &u8, 1);
        break;
      default:
        return 0;
    }
  }
  return t->dtype == HO_FP32    ? 1
         : t->dtype == HO_FP64  ? 11
         : t->dtype == HO_INT64 ? 7
         : t->dtype == HO_INT32 ? 6
         : t->dtype == HO_BOOL  ? 9
                                : 0;
}

gboolean ho_onnx_put_constant(ho_onnx_exporter *x, const char *name, const ho_onnx_tensor *t) {
  g_autoptr(GByteArray) raw = g_byte_array_new(), message = g_byte_array_new();
  if (!t->value || ho_onnx_elements(&t->shape) != (int64_t)t->n_values) return FALSE;
  int64_t type = put_raw(raw, t);
  if (type == 0) return FALSE;
  for (int32_t d = 0; d < t->shape.rank; d++) ho_onnx_put_int(message, TENSOR_DIMS, t->shape.dim[d]);
  ho_onnx_put_int(message, TENSOR_TYPE, type);
  ho_onnx_put_text(message, TENSOR_NAME, name);
  ho_wire_put_bytes(message, TENSOR_RAW, raw->data, raw->len);
  ho_wire_put_bytes(x->initializers, HO_GRAPH_INITIALIZER, message->data, message->len);
  return TRUE;
}

static gboolean is_called(ho_wire attribute, const char *name) {
  ho_wire_field f;
  while (ho_wire_next(&attribute, &f, NULL) == HO_WIRE_FIELD)
    if (f.number == ATTRIBUTE_NAME && f.type == HO_WIRE_BYTES)
      return ho_wire_size(&f.bytes) == strlen(name) && memcmp(f.bytes.at, name, strlen(name)) == 0;
  return FALSE;
}

void ho_onnx_put_node(GByteArray *to, uint32_t number, const ho_onnx_node *n, const char *name, const GPtrArray *in,
                      const GPtrArray *out, const char *but, const GByteArray *more) {
  g_autoptr(GByteArray) node = g_byte_array_new();
  for (guint i = 0; i < in->len; i++) ho_onnx_put_text(node, HO_NODE_INPUT, in->pdata[i]);
  for (guint i = 0; i < out->len; i++) ho_onnx_put_text(node, HO_NODE_OUTPUT, out->pdata[i]);
  ho_onnx_put_text(node, HO_NODE_NAME, name);
  ho_wire w = n->bytes;
  ho_wire_field f;
  while (ho_wire_next(&w, &f, NULL) == HO_WIRE_FIELD) { /* it was read once: it cannot fail now */
    if (f.number <= HO_NODE_NAME || (f.number == HO_NODE_ATTRIBUTE && but && is_called(f.bytes, but))) continue;
    g_byte_array_append(node, f.tag, (guint)(w.at - f.tag));
  }
  if (more) g_byte_array_append(node, more->data, more->len);
  ho_wire_put_bytes(to, number, node->data, node->len);
}
