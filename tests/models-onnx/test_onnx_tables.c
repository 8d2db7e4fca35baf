/* test_onnx_tables.c: the tables of operators are searched by halving and speak of kinds that profiles know. */
#include <criterion/criterion.h>
#include <string.h>

#include "models/onnx_cost.h"
#include "models/onnx_infer.h"
#include "models/onnx_wire.h"

Test(onnx_tables, shape_rules_are_in_order_and_found) {
  size_t n;
  const ho_onnx_shape_entry *table = ho_onnx_shape_table(&n);
  for (size_t k = 1; k < n; k++) cr_expect_lt(strcmp(table[k - 1].op, table[k].op), 0, "%s", table[k].op);
  for (size_t k = 0; k < n; k++) cr_expect_eq(ho_onnx_shape_find(table[k].op), &table[k]);
  cr_expect_null(ho_onnx_shape_find("NoSuchOperator"));
}

Test(onnx_tables, cost_rules_are_in_order_and_found) {
  size_t n;
  const ho_onnx_cost_entry *table = ho_onnx_cost_table(&n);
  for (size_t k = 1; k < n; k++) cr_expect_lt(strcmp(table[k - 1].op, table[k].op), 0, "%s", table[k].op);
  for (size_t k = 0; k < n; k++) cr_expect_eq(ho_onnx_cost_find(table[k].op), &table[k]);
  cr_expect_null(ho_onnx_cost_find("NoSuchOperator"));
}

Test(onnx_tables, an_operator_has_both_rules_or_neither) {
  size_t n;
  const ho_onnx_cost_entry *costs = ho_onnx_cost_table(&n);
  for (size_t k = 0; k < n; k++) cr_expect_not_null(ho_onnx_shape_find(costs[k].op), "%s", costs[k].op);
  const ho_onnx_shape_entry *shapes = ho_onnx_shape_table(&n);
  for (size_t k = 0; k < n; k++) cr_expect_not_null(ho_onnx_cost_find(shapes[k].op), "%s", shapes[k].op);
}

/* deform_conv is a kind that no profile singles out. */
Test(onnx_tables, kinds_have_families) {
  size_t n;
  const ho_onnx_cost_entry *costs = ho_onnx_cost_table(&n);
  for (size_t k = 0; k < n; k++)
    cr_expect(ho_family_of_kind(costs[k].kind) != HO_FAMILY_DEFAULT || strcmp(costs[k].kind, "deform_conv") == 0, "%s",
              costs[k].kind);
}

Test(onnx_tables, every_operator_with_a_rule_is_in_the_documentation) {
  const char *source = g_getenv("HO_TEST_SRCDIR");
  g_autofree char *path = g_build_filename(source ? source : ".", "docs", "onnx.md", NULL), *text = NULL;
  cr_assert(g_file_get_contents(path, &text, NULL, NULL), "%s", path);
  size_t n;
  const ho_onnx_cost_entry *costs = ho_onnx_cost_table(&n);
  for (size_t k = 0; k < n; k++) {
    const char *colon = strrchr(costs[k].op, ':');
    g_autofree char *word = g_strdup_printf("\\b%s\\b", colon ? colon + 1 : costs[k].op);
    cr_expect(g_regex_match_simple(word, text, 0, 0), "%s", costs[k].op);
  }
}

Test(onnx_wire, varints_are_read_as_written) {
  static const uint64_t values[] = {0, 1, 127, 128, 300, UINT32_MAX, (uint64_t)1 << 63, UINT64_MAX};
  g_autoptr(GByteArray) bytes = g_byte_array_new();
  for (size_t k = 0; k < G_N_ELEMENTS(values); k++) ho_wire_put_varint(bytes, values[k]);
  ho_wire w = ho_wire_region("f", bytes->data, bytes->len);
  for (size_t k = 0; k < G_N_ELEMENTS(values); k++) {
    uint64_t v;
    cr_assert(ho_wire_varint(&w, &v, NULL));
    cr_expect_eq(v, values[k]);
  }
  cr_expect_eq(ho_wire_size(&w), 0);
}

Test(onnx_wire, a_length_beyond_the_region_is_refused_at_its_place) {
  static const uint8_t bytes[] = {0x08, 0x01, 0x12, 0x05, 'a', 'b'};
  ho_wire w = ho_wire_region("f.onnx", bytes, sizeof bytes);
  ho_wire_field field;
  g_autoptr(GError) error = NULL;
  cr_assert_eq(ho_wire_next(&w, &field, &error), HO_WIRE_FIELD);
  cr_assert_eq(ho_wire_next(&w, &field, &error), HO_WIRE_ERROR);
  cr_expect(g_str_has_prefix(error->message, "f.onnx: offset 4: a field of 5 bytes is announced but only 2 are left"), "%s",
            error->message);
}

Test(onnx_wire, a_field_with_a_length_is_a_region_with_offsets_of_the_file) {
  static const uint8_t bytes[] = {0x3a, 0x03, 0x08, 0x96, 0x01};
  ho_wire w = ho_wire_region("f", bytes, sizeof bytes);
  ho_wire_field outer, inner;
  cr_assert_eq(ho_wire_next(&w, &outer, NULL), HO_WIRE_FIELD);
  cr_expect_eq(outer.number, 7);
  cr_expect_eq(ho_wire_offset(&outer.bytes), 2);
  cr_assert_eq(ho_wire_next(&outer.bytes, &inner, NULL), HO_WIRE_FIELD);
  cr_expect_eq(inner.value, 150);
  cr_expect_eq(ho_wire_next(&outer.bytes, &inner, NULL), HO_WIRE_END);
}
