/* test_units.c: numbers with unit suffixes, and the way back for people. */
#include <criterion/criterion.h>
#include <locale.h>
#include <math.h>

#include "base/error.h"
#include "base/stream.h"
#include "base/units.h"

typedef struct {
  const char *text;
  ho_unit unit;
  double value;
} reading;

Test(units, suffixes_scale_to_base_units_to_the_last_bit) {
  static const reading good[] = {
      {"80GB", HO_UNIT_BYTES, 80e9},
      {"2.0e12", HO_UNIT_BYTES, 2e12},
      {"512", HO_UNIT_BYTES, 512},
      {"4 KiB", HO_UNIT_BYTES, 4096},
      {"1.5MiB", HO_UNIT_BYTES, 1572864},
      {"16GiB", HO_UNIT_BYTES, 17179869184.0},
      {"2TiB", HO_UNIT_BYTES, 2199023255552.0},
      {"7kB", HO_UNIT_BYTES, 7000},
      {"32GB/s", HO_UNIT_BANDWIDTH, 32e9},
      {"2.04TB/s", HO_UNIT_BANDWIDTH, 2.04e12},
      {"1MiB/s", HO_UNIT_BANDWIDTH, 1048576},
      {"5us", HO_UNIT_SECONDS, 5e-6},
      {"5µs", HO_UNIT_SECONDS, 5e-6},
      {"0.1us", HO_UNIT_SECONDS, 1e-7},
      {"3e2ns", HO_UNIT_SECONDS, 3e-7},
      {"1.7ms", HO_UNIT_SECONDS, 1.7e-3},
      {"12s", HO_UNIT_SECONDS, 12},
      {"2min", HO_UNIT_SECONDS, 120},
      {"1h", HO_UNIT_SECONDS, 3600},
      {"400W", HO_UNIT_WATTS, 400},
      {"15mW", HO_UNIT_WATTS, 0.015},
      {"1.2kW", HO_UNIT_WATTS, 1200},
      {"10pJ", HO_UNIT_JOULES, 1e-11},
      {"0.6pJ/FLOP", HO_UNIT_JOULES, 0.6e-12},
      {"118pJ/B", HO_UNIT_JOULES, 118e-12},
      {"19.5TFLOP/s", HO_UNIT_FLOPS, 19.5e12},
      {"312TFLOPS", HO_UNIT_FLOPS, 312e12},
      {"1PFLOP/s", HO_UNIT_FLOPS, 1e15},
      {"26TOPS", HO_UNIT_FLOPS, 26e12},
      {"4TOP/s", HO_UNIT_FLOPS, 4e12},
      {"+.5", HO_UNIT_NONE, 0.5},
      {"1.", HO_UNIT_NONE, 1},
      {"0", HO_UNIT_SECONDS, 0},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(good); i++) {
    g_autoptr(GError) e = NULL;
    double v = -1;
    cr_expect(ho_unit_parse(good[i].text, good[i].unit, &v, &e), "%s: %s", good[i].text, e ? e->message : "");
    cr_expect_eq(v, good[i].value, "%s: %a, expected %a", good[i].text, v, good[i].value);
  }
}

Test(units, nonsense_is_refused_and_leaves_the_value) {
  static const reading bad[] = {
      {"", HO_UNIT_BYTES, 0},
      {" 5GB", HO_UNIT_BYTES, 0},
      {"5GB ", HO_UNIT_BYTES, 0},
      {"5 ", HO_UNIT_BYTES, 0},
      {"80kb", HO_UNIT_BYTES, 0},
      {"80KB", HO_UNIT_BYTES, 0},
      {"80gb", HO_UNIT_BYTES, 0},
      {"80GB/s", HO_UNIT_BYTES, 0},
      {"80G", HO_UNIT_BYTES, 0},
      {"32GB", HO_UNIT_BANDWIDTH, 0},
      {"32Gbit/s", HO_UNIT_BANDWIDTH, 0},
      {"-1", HO_UNIT_SECONDS, 0},
      {"-0", HO_UNIT_SECONDS, 0},
      {"nan", HO_UNIT_SECONDS, 0},
      {"inf", HO_UNIT_SECONDS, 0},
      {"1e999", HO_UNIT_SECONDS, 0},
      {"1e308kB", HO_UNIT_BYTES, 0},
      {"0x10", HO_UNIT_NONE, 0},
      {"1,5", HO_UNIT_NONE, 0},
      {"1e", HO_UNIT_NONE, 0},
      {".", HO_UNIT_NONE, 0},
      {"e5", HO_UNIT_NONE, 0},
      {"5 5", HO_UNIT_NONE, 0},
      {"1e99999999999999999999", HO_UNIT_WATTS, 0},
      {"5S", HO_UNIT_SECONDS, 0},
      {"5mins", HO_UNIT_SECONDS, 0},
      {"400w", HO_UNIT_WATTS, 0},
      {"5MS", HO_UNIT_SECONDS, 0},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
    g_autoptr(GError) e = NULL;
    double v = 17;
    cr_expect_not(ho_unit_parse(bad[i].text, bad[i].unit, &v, &e), "'%s' was read as %g", bad[i].text, v);
    cr_expect_eq(v, 17);
    cr_expect(e && e->code == HO_ERROR_INPUT && strstr(e->message, "expected a finite number"), "'%s'", bad[i].text);
  }
}

Test(units, a_refusal_says_what_was_found_and_expected) {
  g_autoptr(GError) e = NULL;
  double v;
  cr_assert_not(ho_unit_parse("32GBs", HO_UNIT_BANDWIDTH, &v, &e));
  cr_assert_str_eq(e->message, "'32GBs' is not a bandwidth: expected a finite number ≥ 0 such as 32GB/s");
}

Test(units, plain_doubles_have_any_sign_and_nothing_around_them) {
  double v;
  cr_assert(ho_double_parse("-1.5e-3", &v, NULL));
  cr_assert_eq(v, -1.5e-3);
  cr_assert(ho_double_parse("4.9406564584124654e-324", &v, NULL));
  cr_assert_eq(v, 0x1p-1074);
  static const char *const bad[] = {"", " 1", "1 ", "1s", "nan", "inf", "1e400", "--1", "0x1p3", "1_0", "one"};
  for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) cr_expect_not(ho_double_parse(bad[i], &v, NULL), "'%s'", bad[i]);
}

Test(units, people_get_three_digits_and_a_prefix) {
  static const reading shown[] = {
      {"3.41 ms", HO_UNIT_SECONDS, 3.414e-3},
      {"24.9 GB", HO_UNIT_BYTES, 24.94e9},
      {"1.00 s", HO_UNIT_SECONDS, 0.99951},
      {"999 ms", HO_UNIT_SECONDS, 0.9991},
      {"0 s", HO_UNIT_SECONDS, 0},
      {"5.00 us", HO_UNIT_SECONDS, 5e-6},
      {"512 B", HO_UNIT_BYTES, 512},
      {"32.0 GB/s", HO_UNIT_BANDWIDTH, 32e9},
      {"19.5 TFLOP/s", HO_UNIT_FLOPS, 19.5e12},
      {"400 W", HO_UNIT_WATTS, 400},
      {"192 mJ", HO_UNIT_JOULES, 0.1922},
      {"-1.00 kW", HO_UNIT_WATTS, -1000},
      {"4.09 G", HO_UNIT_NONE, 4.0892e9},
      {"1500 s", HO_UNIT_SECONDS, 1500},
      {"inf s", HO_UNIT_SECONDS, INFINITY},
      {"0.50", HO_UNIT_NONE, 0.5},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(shown); i++) {
    g_autofree char *text = ho_unit_format(shown[i].value, shown[i].unit);
    cr_expect_str_eq(text, shown[i].text);
  }
}

Test(units, a_share_is_shown_in_percent) {
  static const struct {
    const char *text;
    double share;
  } shown[] = {{"24.9 %", 0.2494}, {"0.00964 %", 9.64e-5}, {"100 %", 1}, {"0 %", 0}, {"105 %", 1.0512}};
  for (size_t i = 0; i < G_N_ELEMENTS(shown); i++) {
    g_autofree char *text = ho_share_format(shown[i].share);
    cr_expect_str_eq(text, shown[i].text);
  }
}

Test(units, the_shortest_text_reads_back_to_the_same_bits) {
  static const reading shown[] = {{"0.1", 0, 0.1},         {"1e-09", 0, 1e-9},     {"0", 0, 0},
                                  {"-0", 0, -0.0},         {"100000", 0, 1e5},     {"1e+300", 0, 1e300},
                                  {"inf", 0, INFINITY},    {"-inf", 0, -INFINITY}, {"0.30000000000000004", 0, 0.1 + 0.2},
                                  {"5e-324", 0, 0x1p-1074}};
  char buffer[32];
  for (size_t i = 0; i < G_N_ELEMENTS(shown); i++) cr_expect_str_eq(ho_double_text(shown[i].value, buffer), shown[i].text);
  cr_expect_str_eq(ho_double_text(NAN, buffer), "nan");
  ho_stream s = ho_stream_small(9);
  for (int i = 0; i < 20000; i++) {
    uint64_t bits = ho_stream_next(&s);
    double x, back;
    memcpy(&x, &bits, sizeof x);
    if (!isfinite(x)) continue;
    cr_assert(ho_double_parse(ho_double_text(x, buffer), &back, NULL) && back == x, "%s is not %a", buffer, x);
    cr_assert_lt(strlen(buffer), sizeof buffer);
  }
}

Test(units, a_locale_with_decimal_commas_changes_nothing) {
  if (!setlocale(LC_ALL, "de_DE.UTF-8")) cr_skip_test("no German locale on this machine");
  double v;
  char buffer[32];
  cr_assert(ho_unit_parse("1.5GB", HO_UNIT_BYTES, &v, NULL));
  cr_assert_eq(v, 1.5e9);
  cr_assert_not(ho_unit_parse("1,5GB", HO_UNIT_BYTES, &v, NULL));
  cr_assert_str_eq(ho_double_text(0.5, buffer), "0.5");
}
