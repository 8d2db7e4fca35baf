/* test_dtype.c: element types. */
#include <criterion/criterion.h>

#include "base/dtype.h"

Test(dtype, every_type_has_a_name_that_reads_back) {
  for (int t = 0; t < HO_N_DTYPES; t++) {
    cr_assert_eq(ho_dtype_parse(ho_dtype_name((ho_dtype)t)), t, "%s", ho_dtype_name((ho_dtype)t));
    cr_assert_gt(ho_dtype_bits((ho_dtype)t), 0);
  }
}

Test(dtype, other_spellings_are_read) {
  cr_assert_eq(ho_dtype_parse("float32"), HO_FP32);
  cr_assert_eq(ho_dtype_parse("float"), HO_FP32);
  cr_assert_eq(ho_dtype_parse("double"), HO_FP64);
  cr_assert_eq(ho_dtype_parse("half"), HO_FP16);
  cr_assert_eq(ho_dtype_parse("bfloat16"), HO_BF16);
  cr_assert_eq(ho_dtype_parse("FP32"), HO_DTYPE_NONE);
  cr_assert_eq(ho_dtype_parse(""), HO_DTYPE_NONE);
  cr_assert_eq(ho_dtype_parse("fp33"), HO_DTYPE_NONE);
}

Test(dtype, sizes_are_those_of_the_types) {
  cr_assert_eq(ho_dtype_bits(HO_FP64), 64);
  cr_assert_eq(ho_dtype_bits(HO_FP32), 32);
  cr_assert_eq(ho_dtype_bits(HO_TF32), 32);
  cr_assert_eq(ho_dtype_bits(HO_BF16), 16);
  cr_assert_eq(ho_dtype_bits(HO_FP8), 8);
  cr_assert_eq(ho_dtype_bits(HO_INT4), 4);
  cr_assert_eq(ho_dtype_bits(HO_BOOL), 8);
  cr_assert_eq(ho_dtype_bits(HO_STRING), 64);
  cr_assert_eq(ho_dtype_bits(HO_COMPLEX128), 128);
}

Test(dtype, precisions_come_first_and_in_order) {
  const char *const *names = ho_precision_names();
  for (int t = 0; t < HO_N_PRECISIONS; t++) cr_assert_str_eq(names[t], ho_dtype_name((ho_dtype)t));
  cr_assert_null(names[HO_N_PRECISIONS]);
}

Test(dtype, none_has_a_name_and_no_size) {
  cr_assert_str_eq(ho_dtype_name(HO_DTYPE_NONE), "none");
  cr_assert_eq(ho_dtype_bits(HO_DTYPE_NONE), 0);
}
