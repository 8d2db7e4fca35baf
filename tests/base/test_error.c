/* test_error.c: one error domain, one line per message. */
#include <criterion/criterion.h>

#include "base/error.h"

Test(error, a_message_is_one_line) {
  g_autoptr(GError) e = NULL;
  cr_assert_not(ho_fail(&e, HO_ERROR_INPUT, "a.json: op '%s'", "two\nlines\r"));
  cr_assert_eq(e->domain, HO_ERROR);
  cr_assert_eq(e->code, HO_ERROR_INPUT);
  cr_assert_str_eq(e->message, "a.json: op 'two lines '");
  cr_assert_not(ho_fail(NULL, HO_ERROR_IO, "nobody asked"));
}

Test(error, the_code_decides_the_exit_status) {
  static const int status[] = {[HO_ERROR_INPUT] = 1, [HO_ERROR_PLAN] = 1,  [HO_ERROR_INFEASIBLE] = 1,
                               [HO_ERROR_IO] = 1,    [HO_ERROR_USAGE] = 2, [HO_ERROR_INTERNAL] = 3};
  for (int code = HO_ERROR_INPUT; code <= HO_ERROR_INTERNAL; code++) {
    g_autoptr(GError) e = g_error_new_literal(HO_ERROR, code, "x");
    cr_assert_eq(ho_error_exit_status(e), status[code], "code %d", code);
  }
  g_autoptr(GError) glib = g_error_new_literal(G_FILE_ERROR, G_FILE_ERROR_NOENT, "x");
  cr_assert_eq(ho_error_exit_status(glib), 1);
}

Test(error, a_likely_typing_error_finds_the_name) {
  static const char *const names[] = {"bandwidth", "capacity", "latency", "name", NULL};
  cr_assert_str_eq(ho_did_you_mean("bandwith", names), "bandwidth");
  cr_assert_str_eq(ho_did_you_mean("nam", names), "name");
  cr_assert_str_eq(ho_did_you_mean("Latency", names), "latency");
  cr_assert_null(ho_did_you_mean("voltage", names));
  cr_assert_null(ho_did_you_mean("", names));
}

Test(error, a_tie_goes_to_the_earlier_name) {
  static const char *const names[] = {"heft", "peft", NULL};
  cr_assert_str_eq(ho_did_you_mean("xeft", names), "heft");
}

Test(error, what_the_user_wrote_is_shown_without_control_characters) {
  g_autofree char *plain = ho_printable("größe 5µs"), *bell = ho_printable("a\x07\n"), *broken = ho_printable("a\xff");
  cr_assert_str_eq(plain, "größe 5µs");
  cr_assert_str_eq(bell, "a\\x07\\x0a");
  cr_assert_str_eq(broken, "a\xef\xbf\xbd");
  g_autofree char *text = g_strnfill(200, 'x'), *cut = ho_printable(text);
  cr_assert_eq(g_utf8_strlen(cut, -1), 81);
}
