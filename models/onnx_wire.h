/* onnx_wire.h: walking protobuf bytes without unpacking them.
 *
 * A region is a stretch of the mapped file that holds one message. The walker yields its fields one after the other; a field with
 * a length is itself a region, so that a caller descends only where it wants to and steps over weights without touching them.
 * Nothing is copied and nothing is allocated. Every length is checked against its region before it is believed: no byte
 * outside of the region is ever read.
 *
 * Failure: "file: offset N: what was found, what was expected", N counted from the start of the file. */
#ifndef HO_MODELS_ONNX_WIRE_H
#define HO_MODELS_ONNX_WIRE_H

#include <glib.h>
#include <stdint.h>

G_BEGIN_DECLS

typedef struct {
  const char *file;     /* for messages */
  const uint8_t *start; /* of the file: offsets count from here */
  const uint8_t *at, *end;
} ho_wire;

typedef enum { HO_WIRE_VARINT = 0, HO_WIRE_FIXED64 = 1, HO_WIRE_BYTES = 2, HO_WIRE_FIXED32 = 5 } ho_wire_type;

typedef struct {
  uint32_t number;
  ho_wire_type type;
  uint64_t value;     /* of a varint, fixed32 or fixed64 */
  ho_wire bytes;      /* of a field with a length */
  const uint8_t *tag; /* where the field begins, tag included; it ends where the walker stands afterwards */
} ho_wire_field;

typedef enum { HO_WIRE_ERROR = -1, HO_WIRE_END = 0, HO_WIRE_FIELD = 1 } ho_wire_step;

ho_wire ho_wire_region(const char *file, const void *start, size_t size);
size_t ho_wire_size(const ho_wire *w);
size_t ho_wire_offset(const ho_wire *w); /* of the next byte, in the file */

/* The next field of the region, which is consumed. */
ho_wire_step ho_wire_next(ho_wire *w, ho_wire_field *field, GError **error);
/* One varint (an element of a packed field). */
gboolean ho_wire_varint(ho_wire *w, uint64_t *value, GError **error);
/* Fails unless the field has this type; `what` names it in the message. */
gboolean ho_wire_expect(const ho_wire *w, const ho_wire_field *field, ho_wire_type type, const char *what, GError **error);
/* Fails at the place of the region's next byte. Always FALSE. */
gboolean ho_wire_fail(const ho_wire *w, GError **error, const char *format, ...) G_GNUC_PRINTF(3, 4);

/* Appends a varint, and a field with a length, to a buffer: the way back, for messages that are put together again. */
void ho_wire_put_varint(GByteArray *to, uint64_t value);
void ho_wire_put_bytes(GByteArray *to, uint32_t number, const void *bytes, size_t size);

G_END_DECLS

#endif
