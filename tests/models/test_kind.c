/* test_kind.c: kinds and families. */
#include <criterion/criterion.h>
#include <string.h>

#include "models/kind.h"

Test(kind, the_table_is_sorted_and_every_word_finds_itself) {
  int n = 0;
  for (; ho_kind_word(n); n++) {
    if (n > 0) cr_assert_lt(strcmp(ho_kind_word(n - 1), ho_kind_word(n)), 0, "%s", ho_kind_word(n));
  }
  cr_assert_gt(n, 100);
  cr_assert_null(ho_kind_word(-1));
  cr_assert_eq(ho_family_of_kind("abs"), HO_FAMILY_ELEMENTWISE); /* the first */
  cr_assert_eq(ho_family_of_kind("xor"), HO_FAMILY_ELEMENTWISE); /* the last */
}

Test(kind, operators_have_the_family_whose_kernel_they_are) {
  cr_assert_eq(ho_family_of_kind("conv"), HO_FAMILY_CONV);
  cr_assert_eq(ho_family_of_kind("depthwise_conv"), HO_FAMILY_DEPTHWISE);
  cr_assert_eq(ho_family_of_kind("matmul"), HO_FAMILY_GEMM);
  cr_assert_eq(ho_family_of_kind("attention"), HO_FAMILY_ATTENTION);
  cr_assert_eq(ho_family_of_kind("lstm"), HO_FAMILY_RECURRENT);
  cr_assert_eq(ho_family_of_kind("layernorm"), HO_FAMILY_NORM);
  cr_assert_eq(ho_family_of_kind("softmax"), HO_FAMILY_SOFTMAX);
  cr_assert_eq(ho_family_of_kind("globalavgpool"), HO_FAMILY_POOL);
  cr_assert_eq(ho_family_of_kind("reduce_mean"), HO_FAMILY_REDUCE);
  cr_assert_eq(ho_family_of_kind("gather"), HO_FAMILY_GATHER);
  cr_assert_eq(ho_family_of_kind("scatter"), HO_FAMILY_SCATTER);
  cr_assert_eq(ho_family_of_kind("transpose"), HO_FAMILY_DATA);
}

Test(kind, words_that_nobody_knows_belong_to_the_default_family) {
  cr_assert_eq(ho_family_of_kind("generic"), HO_FAMILY_DEFAULT);
  cr_assert_eq(ho_family_of_kind(""), HO_FAMILY_DEFAULT);
  cr_assert_eq(ho_family_of_kind("CONV"), HO_FAMILY_DEFAULT);
  cr_assert_eq(ho_family_of_kind("_grad"), HO_FAMILY_DEFAULT);
  char long_word[200];
  memset(long_word, 'x', sizeof long_word - 1);
  long_word[sizeof long_word - 1] = '\0';
  cr_assert_eq(ho_family_of_kind(long_word), HO_FAMILY_DEFAULT);
}

Test(kind, a_gradient_is_of_its_kinds_family) {
  cr_assert_eq(ho_family_of_kind("conv_dgrad"), HO_FAMILY_CONV);
  cr_assert_eq(ho_family_of_kind("gemm_wgrad"), HO_FAMILY_GEMM);
  cr_assert_eq(ho_family_of_kind("relu_grad"), HO_FAMILY_ELEMENTWISE);
  cr_assert_eq(ho_family_of_kind("unheard_of_grad"), HO_FAMILY_DEFAULT);
}

Test(kind, families_have_distinct_names) {
  for (int a = 0; a < HO_N_FAMILIES; a++) {
    cr_assert_not_null(ho_family_name((ho_family)a));
    for (int b = 0; b < a; b++) cr_assert_str_neq(ho_family_name((ho_family)a), ho_family_name((ho_family)b));
  }
  cr_assert_null(ho_family_name(HO_N_FAMILIES));
}

Test(kind, multiply_accumulates_are_counted_where_matrices_are_multiplied) {
  for (int f = 0; f < HO_N_FAMILIES; f++) {
    int expected = f >= HO_FAMILY_GEMM && f <= HO_FAMILY_RECURRENT;
    cr_assert_eq(ho_family_has_macs((ho_family)f), expected, "%s", ho_family_name((ho_family)f));
  }
}
