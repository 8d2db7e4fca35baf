/* dtype.c: see dtype.h. */
#include "base/dtype.h"

#include <stddef.h>
#include <string.h>

static const struct {
  const char *name;
  int bits;
  const char *also[4]; /* other spellings: ONNX, NumPy, PyTorch */
} dtypes[HO_N_DTYPES] = {
    [HO_FP64] = {"fp64", 64, {"float64", "double", "f64"}},
    [HO_FP32] = {"fp32", 32, {"float32", "float", "f32", "single"}},
    [HO_TF32] = {"tf32", 32, {"tensorfloat32"}},
    [HO_BF16] = {"bf16", 16, {"bfloat16"}},
    [HO_FP16] = {"fp16", 16, {"float16", "half", "f16"}},
    [HO_FP8] = {"fp8", 8, {"float8", "float8e4m3fn", "float8e5m2"}},
    [HO_INT8] = {"int8", 8, {"i8"}},
    [HO_INT4] = {"int4", 4, {"i4"}},
    [HO_INT64] = {"int64", 64, {"long", "i64"}},
    [HO_INT32] = {"int32", 32, {"int", "i32"}},
    [HO_INT16] = {"int16", 16, {"short", "i16"}},
    [HO_UINT64] = {"uint64", 64, {"u64"}},
    [HO_UINT32] = {"uint32", 32, {"u32"}},
    [HO_UINT16] = {"uint16", 16, {"u16"}},
    [HO_UINT8] = {"uint8", 8, {"u8", "byte"}},
    [HO_BOOL] = {"bool", 8, {"boolean"}},
    [HO_STRING] = {"string", 64, {"str"}},
    [HO_COMPLEX64] = {"complex64", 64, {"c64"}},
    [HO_COMPLEX128] = {"complex128", 128, {"c128"}},
};

static const char *const precisions[HO_N_PRECISIONS + 1] = {"fp64", "fp32", "tf32", "bf16", "fp16", "fp8", "int8", "int4", NULL};

const char *ho_dtype_name(ho_dtype t) {
  return t >= 0 && t < HO_N_DTYPES ? dtypes[t].name : "none";
}

ho_dtype ho_dtype_parse(const char *name) {
  for (int t = 0; t < HO_N_DTYPES; t++) {
    if (strcmp(name, dtypes[t].name) == 0) return (ho_dtype)t;
    for (size_t i = 0; i < 4 && dtypes[t].also[i]; i++)
      if (strcmp(name, dtypes[t].also[i]) == 0) return (ho_dtype)t;
  }
  return HO_DTYPE_NONE;
}

int ho_dtype_bits(ho_dtype t) {
  return t >= 0 && t < HO_N_DTYPES ? dtypes[t].bits : 0;
}

const char *const *ho_precision_names(void) {
  return precisions;
}
