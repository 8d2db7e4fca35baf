/* onnx_wire.c: walking protobuf bytes without unpacking them. */
#include "models/onnx_wire.h"

#include "base/error.h"

ho_wire ho_wire_region(const char *file, const void *start, size_t size) {
  const uint8_t *p = start;
  return (ho_wire){.file = file, .start = p, .at = p, .end = p + size};
}

size_t ho_wire_size(const ho_wire *w) {
  return (size_t)(w->end - w->at);
}

size_t ho_wire_offset(const ho_wire *w) {
  return (size_t)(w->at - w->start);
}

gboolean ho_wire_fail(const ho_wire *w, GError **error, const char *format, ...) {
  va_list args;
  va_start(args, format);
  char *text = g_strdup_vprintf(format, args);
  va_end(args);
  ho_fail(error, HO_ERROR_INPUT, "%s: offset %zu: %s", w->file, ho_wire_offset(w), text);
  g_free(text);
  return FALSE;
}

gboolean ho_wire_varint(ho_wire *w, uint64_t *value, GError **error) {
  uint64_t v = 0;
  for (unsigned shift = 0; shift < 70; shift += 7) {
    if (w->at == w->end)
      return ho_wire_fail(w, error, "the file or a message in it ends inside a number, it was cut short or is no ONNX model");
    const uint8_t byte = *w->at++;
    v |= shift < 64 ? (uint64_t)(byte & 0x7f) << shift : 0;
    if (!(byte & 0x80)) {
      *value = v;
      return TRUE;
    }
  }
  return ho_wire_fail(w, error, "a number longer than ten bytes, expected a protobuf varint");
}

static gboolean read_fixed(ho_wire *w, unsigned size, uint64_t *value, GError **error) {
  if (ho_wire_size(w) < size)
    return ho_wire_fail(w, error, "%zu bytes are left where a number of %u is announced", ho_wire_size(w), size);
  *value = 0;
  for (unsigned k = 0; k < size; k++) *value |= (uint64_t)w->at[k] << (8 * k);
  w->at += size;
  return TRUE;
}

static gboolean read_bytes(ho_wire *w, ho_wire *bytes, GError **error) {
  uint64_t size;
  if (!ho_wire_varint(w, &size, error)) return FALSE;
  if (size > ho_wire_size(w))
    return ho_wire_fail(w, error,
                        "a field of %" G_GUINT64_FORMAT
                        " bytes is announced but only %zu are left, the file was cut short or is damaged",
                        size, ho_wire_size(w));
  *bytes = *w;
  bytes->end = w->at + size;
  w->at += size;
  return TRUE;
}

ho_wire_step ho_wire_next(ho_wire *w, ho_wire_field *field, GError **error) {
  if (w->at == w->end) return HO_WIRE_END;
  *field = (ho_wire_field){.tag = w->at};
  const ho_wire here = *w;
  uint64_t tag;
  if (!ho_wire_varint(w, &tag, error)) return HO_WIRE_ERROR;
  field->number = (uint32_t)(tag >> 3);
  field->type = (ho_wire_type)(tag & 7);
  if (tag >> 3 == 0 || tag >> 32 != 0) {
    ho_wire_fail(&here, error, "field number %" G_GUINT64_FORMAT ", expected the fields of an ONNX model", tag >> 3);
    return HO_WIRE_ERROR;
  }
  gboolean ok = FALSE;
  switch (field->type) {
    case HO_WIRE_VARINT:
      ok = ho_wire_varint(w, &field->value, error);
      break;
    case HO_WIRE_FIXED64:
      ok = read_fixed(w, 8, &field->value, error);
      break;
    case HO_WIRE_FIXED32:
      ok = read_fixed(w, 4, &field->value, error);
      break;
    case HO_WIRE_BYTES:
      ok = read_bytes(w, &field->bytes, error);
      break;
    default:
      ho_wire_fail(&here, error, "wire type %d, expected one that ONNX uses (0, 1, 2 or 5)", (int)field->type);
      break;
  }
  return ok ? HO_WIRE_FIELD : HO_WIRE_ERROR;
}

gboolean ho_wire_expect(const ho_wire *w, const ho_wire_field *field, ho_wire_type type, const char *what, GError **error) {
  if (field->type == type) return TRUE;
  ho_wire here = *w;
  here.at = field->tag;
  return ho_wire_fail(&here, error, "%s has wire type %d, expected %d: this is no ONNX model or it is damaged", what,
                      (int)field->type, (int)type);
}

void ho_wire_put_varint(GByteArray *to, uint64_t value) {
  uint8_t bytes[10];
  guint n = 0;
  do {
    bytes[n] = (uint8_t)(value & 0x7f);
    value >>= 7;
    if (value) bytes[n] |= 0x80;
    n++;
  } while (value);
  g_byte_array_append(to, bytes, n);
}

void ho_wire_put_bytes(GByteArray *to, uint32_t number, const void *bytes, size_t size) {
  ho_wire_put_varint(to, (uint64_t)number << 3 | HO_WIRE_BYTES);
  ho_wire_put_varint(to, size);
  g_byte_array_append(to, bytes, (guint)size);
}
