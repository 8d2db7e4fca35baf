/* dtype.h: element types of tensors, which are also the precisions that kernels run in. */
#ifndef HO_BASE_DTYPE_H
#define HO_BASE_DTYPE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  HO_FP64, HO_FP32, HO_TF32, HO_BF16, HO_FP16, HO_FP8, HO_INT8, /* precisions, the most precise first */
  HO_INT4,
  HO_N_PRECISIONS,
  HO_INT64 = HO_N_PRECISIONS, HO_INT32, HO_INT16, HO_UINT64, HO_UINT32, HO_UINT16, HO_UINT8, HO_BOOL, HO_STRING, /* data only: never scaled */
  HO_COMPLEX64, HO_COMPLEX128,
  HO_N_DTYPES,
  HO_DTYPE_NONE = -1
} ho_dtype;

const char *ho_dtype_name(ho_dtype t);         /* "fp32" */
ho_dtype ho_dtype_parse(const char *name);     /* also "float32", "half", …; HO_DTYPE_NONE when unknown */
int ho_dtype_bits(ho_dtype t);                 /* 32 for fp32 and tf32, 4 for int4; strings count 64 */
const char *const *ho_precision_names(void);   /* HO_N_PRECISIONS names and NULL */

#ifdef __cplusplus
}
#endif

#endif
