/* onnx_tensor.c: the header of a TensorProto, and its values where they are few.
 *
 * Weights stay in the file: only the payload's length is compared with the shape. Values are read when the tensor is small and
 * lies in the file, since shapes are computed from such tensors. Data in another file need not be there. */
#include <string.h>

#include "base/error.h"
#include "models/onnx_model.h"

enum {
  FIELD_DIMS = 1,
  FIELD_TYPE = 2,
  FIELD_FLOATS = 4,
  FIELD_INT32 = 5,
  FIELD_INT64 = 7,
  FIELD_NAME = 8,
  FIELD_RAW = 9,
  FIELD_DOUBLES = 10,
  FIELD_UINT64 = 11,
  FIELD_LOCATION = 14
};
enum {
  ONNX_FLOAT = 1,
  ONNX_UINT8,
  ONNX_INT8,
  ONNX_UINT16,
  ONNX_INT16,
  ONNX_INT32,
  ONNX_INT64,
  ONNX_STRING,
  ONNX_BOOL,
  ONNX_FLOAT16,
  ONNX_DOUBLE,
  ONNX_UINT32,
  ONNX_UINT64
};

/* By ONNX's data_type: our dtype and the bits of an element in raw_data. Types of 2 bits and 4-bit floats count as int4. */
static const struct {
  ho_dtype dtype;
  int bits;
} types[] = {
    {HO_DTYPE_NONE, 0}, {HO_FP32, 32},        {HO_UINT8, 8}, {HO_INT8, 8},  {HO_UINT16, 16}, {HO_INT16, 16},  {HO_INT32, 32},
    {HO_INT64, 64},     {HO_STRING, 0},       {HO_BOOL, 8},  {HO_FP16, 16}, {HO_FP64, 64},   {HO_UINT32, 32}, {HO_UINT64, 64},
    {HO_COMPLEX64, 64}, {HO_COMPLEX128, 128}, {HO_BF16, 16}, {HO_FP8, 8},   {HO_FP8, 8},     {HO_FP8, 8},     {HO_FP8, 8},
    {HO_INT4, 4},       {HO_INT4, 4},         {HO_INT4, 4},  {HO_FP8, 8},   {HO_INT4, 2},    {HO_INT4, 2},
};

ho_dtype ho_onnx_dtype(int64_t data_type) {
  return data_type > 0 && data_type < (int64_t)G_N_ELEMENTS(types) ? types[data_type].dtype : HO_DTYPE_NONE;
}

gboolean ho_onnx_is_float(ho_dtype t) {
  return t == HO_FP64 || t == HO_FP32 || t == HO_TF32 || t == HO_BF16 || t == HO_FP16 || t == HO_FP8;
}

int64_t ho_onnx_elements(const ho_onnx_shape *s) {
  if (s->rank < 0) return -1;
  int64_t n = 1;
  gboolean zero = FALSE, huge = FALSE;
  for (int32_t k = 0; k < s->rank; k++) {
    if (s->dim[k] < 0) return -1;
    zero = zero || s->dim[k] == 0;
    if (!zero && !huge && __builtin_mul_overflow(n, s->dim[k], &n)) huge = TRUE;
  }
  return zero ? 0 : huge ? INT64_MAX : n;
}

double ho_onnx_bytes(const ho_onnx_tensor *t) {
  const int64_t n = ho_onnx_elements(&t->shape);
  return n < 0 || t->dtype == HO_DTYPE_NONE ? 0 : ceil((double)n * ho_dtype_bits(t->dtype) / 8);
}

/* ---- the header ---- */

static Ho__OnnxTensor *unpack_header(ho_onnx_model *m, ho_wire w, GError **error) {
  const ho_wire whole = w;
  g_autoptr(GByteArray) kept = g_byte_array_new();
  ho_wire_field f;
  ho_wire_step step;
  while ((step = ho_wire_next(&w, &f, error)) == HO_WIRE_FIELD) {
    if (f.number != FIELD_DIMS && f.number != FIELD_TYPE && f.number != FIELD_NAME && f.number != FIELD_LOCATION) continue;
    if (w.at - f.tag > 65536) {
      ho_wire_fail(&whole, error, "a tensor whose header has a field of %td bytes, expected a name and a few dimensions",
                   w.at - f.tag);
      return NULL;
    }
    g_byte_array_append(kept, f.tag, (guint)(w.at - f.tag));
    if (kept->len > 1 << 20) {
      ho_wire_fail(&whole, error, "a tensor with a header of more than %u bytes", kept->len);
      return NULL;
    }
  }
  if (step == HO_WIRE_ERROR) return NULL;
  ProtobufCAllocator in_arena = ho_onnx_allocator(m);
  Ho__OnnxTensor *t = ho__onnx_tensor__unpack(&in_arena, kept->len, kept->data);
  if (t == NULL) ho_wire_fail(&whole, error, "a damaged tensor header, expected a TensorProto");
  return t;
}

static gboolean shape_of_header(const ho_wire *w, const char *name, size_t n_dims, const int64_t *dims, ho_onnx_shape *shape,
                                GError **error) {
  if (n_dims > HO_ONNX_MAX_RANK)
    return ho_wire_fail(w, error, "tensor '%s' has %zu dimensions, expected at most %d", name, n_dims, HO_ONNX_MAX_RANK);
  shape->rank = (int32_t)n_dims;
  for (size_t k = 0; k < n_dims; k++) {
    if (dims[k] < 0 || dims[k] > HO_ONNX_MAX_DIM)
      return ho_wire_fail(w, error, "tensor '%s' has a dimension of %" G_GINT64_FORMAT ", expected 0 to 2^40", name, dims[k]);
    shape->dim[k] = dims[k];
  }
  return TRUE;
}

/* ---- values ---- */

typedef struct {
  int type; /* ONNX's */
  size_t n, capacity;
  ho_onnx_scalar *value;
} values;

static void put_int(values *v, uint64_t bits) {
  if (v->n < v->capacity) {
    ho_onnx_scalar *to = &v->value[v->n];
    switch (v->type) {
      case ONNX_UINT8:
        to->i = (uint8_t)bits;
        break;
      case ONNX_INT8:
        to->i = (int8_t)bits;
        break;
      case ONNX_UINT16:
        to->i = (uint16_t)bits;
        break;
      case ONNX_INT16:
        to->i = (int16_t)bits;
        break;
      case ONNX_INT32:
        to->i = (int32_t)bits;
        break;
      case ONNX_UINT32:
        to->i = (uint32_t)bits;
        break;
      case ONNX_BOOL:
        to->i = bits != 0;
        break;
      default:
        to->i = (int64_t)bits;
        break;
    }
  }
  v->n++;
}

static void put_float(values *v, uint64_t bits, unsigned size) {
  if (v->n < v->capacity) {
    if (size == 4) {
      const uint32_t low = (uint32_t)bits;
      float x;
      memcpy(&x, &low, 4);
      v->value[v->n].d = x;
    } else {
      memcpy(&v->value[v->n].d, &bits, 8);
    }
  }
  v->n++;
}

/* Fixed-size little-endian elements: raw_data and packed floats. */
static void put_fixed(values *v, const ho_wire *w, unsigned size) {
  const gboolean is_float = v->type == ONNX_FLOAT || v->type == ONNX_DOUBLE;
  for (const uint8_t *p = w->at; w->end - p >= (ptrdiff_t)size && v->n < v->capacity; p += size) {
    uint64_t bits = 0;
    for (unsigned k = 0; k < size; k++) bits |= (uint64_t)p[k] << (8 * k);
    if (is_float)
      put_float(v, bits, size);
    else
      put_int(v, bits);
  }
}

static gboolean put_field(values *v, const ho_wire_field *f, GError **error) {
  const gboolean float_type = v->type == ONNX_FLOAT || v->type == ONNX_DOUBLE;
  const gboolean float_field = f->number == FIELD_FLOATS || f->number == FIELD_DOUBLES;
  const unsigned size = f->number == FIELD_FLOATS ? 4 : 8;
  if (float_field != float_type) return TRUE;
  if (float_field && f->type == HO_WIRE_BYTES) {
    put_fixed(v, &f->bytes, size);
  } else if (float_field) {
    put_float(v, f->value, size);
  } else if (f->type == HO_WIRE_BYTES) {
    ho_wire w = f->bytes;
    while (ho_wire_size(&w) > 0) {
      uint64_t bits;
      if (!ho_wire_varint(&w, &bits, error)) return FALSE;
      put_int(v, bits);
    }
  } else {
    put_int(v, f->value);
  }
  return TRUE;
}

static gboolean read_payload(ho_onnx_tensor *t, int type, ho_wire w, values *v, GError **error) {
  const ho_wire whole = w;
  const int bits = types[type].bits;
  const int64_t elements = ho_onnx_elements(&t->shape);
  const double expected = ceil((double)elements * bits / 8);
  ho_wire_field f;
  ho_wire_step step;
  while ((step = ho_wire_next(&w, &f, error)) == HO_WIRE_FIELD) {
    if (f.number == FIELD_RAW) {
      if (!ho_wire_expect(&w, &f, HO_WIRE_BYTES, "a tensor's raw_data", error)) return FALSE;
      const size_t size = ho_wire_size(&f.bytes);
      if (size > 0 && bits > 0 && (double)size != expected)
        return ho_wire_fail(&whole, error, "tensor '%s' holds %zu bytes, expected %.0f for its shape and type", t->name, size,
                            expected);
      if (v->capacity > 0 && bits >= 8) put_fixed(v, &f.bytes, (unsigned)bits / 8);
    } else if (v->capacity > 0 && (f.number == FIELD_FLOATS || f.number == FIELD_INT32 || f.number == FIELD_INT64 ||
                                   f.number == FIELD_DOUBLES || f.number == FIELD_UINT64)) {
      if (!put_field(v, &f, error)) return FALSE;
    }
  }
  return step == HO_WIRE_END;
}

static gboolean read_values(ho_onnx_model *m, ho_onnx_tensor *t, int type, ho_wire w, GError **error) {
  const int64_t n = ho_onnx_elements(&t->shape);
  const gboolean wanted =
      n <= HO_ONNX_MAX_CONSTANT && (type == ONNX_FLOAT || (type >= ONNX_UINT8 && type <= ONNX_INT64) || type == ONNX_BOOL ||
                                    type == ONNX_DOUBLE || type == ONNX_UINT32 || type == ONNX_UINT64);
  values v = {.type = type};
  if (wanted) {
    v.capacity = (size_t)n;
    v.value = ho_arena_new_array(m->arena, ho_onnx_scalar, n + 1);
  }
  if (!read_payload(t, type, w, &v, error)) return FALSE;
  if (!wanted || (v.n == 0 && n > 0)) return TRUE; /* too large, of another kind, or stripped from the file */
  if (v.n != (size_t)n)
    return ho_wire_fail(&w, error, "tensor '%s' holds %zu values, expected %" G_GINT64_FORMAT " for its shape", t->name, v.n, n);
  t->value = v.value;
  t->n_values = v.n;
  return TRUE;
}

/* ---- public ---- */

ho_onnx_tensor *ho_onnx_tensor_parse(ho_onnx_model *m, ho_wire bytes, const char **name, GError **error) {
  const Ho__OnnxTensor *header = unpack_header(m, bytes, error);
  if (header == NULL) return NULL;
  *name = header->name ? header->name : "";
  ho_onnx_tensor *t = ho_onnx_tensor_new(m, NULL, *name, HO_ONNX_WEIGHT);
  const int type = header->data_type;
  if (ho_onnx_dtype(type) == HO_DTYPE_NONE) {
    ho_wire_fail(&bytes, error, "tensor '%s' has data type %d, expected one of ONNX's (1 to %zu)", t->name, type,
                 G_N_ELEMENTS(types) - 1);
    return NULL;
  }
  t->dtype = ho_onnx_dtype(type);
  if (!shape_of_header(&bytes, t->name, header->n_dims, header->dims, &t->shape, error)) return NULL;
  if (header->data_location != 0) m->has_external = TRUE;
  if (header->data_location == 0 && !read_values(m, t, type, bytes, error)) return NULL;
  return t;
}

ho_onnx_tensor *ho_onnx_sparse_parse(ho_onnx_model *m, ho_wire bytes, const char **name, GError **error) {
  enum { FIELD_SPARSE_VALUES = 1, FIELD_SPARSE_DIMS = 3 };
  ho_onnx_tensor *t = NULL;
  const ho_wire whole = bytes;
  g_autoptr(GArray) dims = g_array_new(FALSE, FALSE, sizeof(int64_t));
  ho_wire_field f;
  ho_wire_step step;
  while ((step = ho_wire_next(&bytes, &f, error)) == HO_WIRE_FIELD) {
    if (f.number == FIELD_SPARSE_VALUES) {
      if (!ho_wire_expect(&bytes, &f, HO_WIRE_BYTES, "a sparse tensor's values", error)) return NULL;
      t = ho_onnx_tensor_parse(m, f.bytes, name, error);
      if (t == NULL) return NULL;
    } else if (f.number == FIELD_SPARSE_DIMS && f.type == HO_WIRE_VARINT) {
      g_array_append_val(dims, f.value);
    } else if (f.number == FIELD_SPARSE_DIMS) {
      uint64_t d;
      if (!ho_wire_expect(&bytes, &f, HO_WIRE_BYTES, "a sparse tensor's dimensions", error)) return NULL;
      while (ho_wire_size(&f.bytes) > 0) {
        if (!ho_wire_varint(&f.bytes, &d, error)) return NULL;
        g_array_append_val(dims, d);
      }
    }
  }
  if (step == HO_WIRE_ERROR) return NULL;
  if (t == NULL) {
    ho_wire_fail(&whole, error, "a sparse tensor without values");
    return NULL;
  }
  t->value = NULL; /* the dense tensor's values are not kept */
  t->n_values = 0;
  return shape_of_header(&whole, t->name, dims->len, (const int64_t *)(void *)dims->data, &t->shape, error) ? t : NULL;
}
