/* test_jsonio.c: JSON in and out. */
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/fileio.h"
#include "base/jsonio.h"

/* Reads `text` by way of a file; the message has "FILE" for its name. Caller frees both. */
static json_t *read_text(const char *text, size_t length, char **message) {
  char file[] = "/tmp/heteroopt-json-XXXXXX";
  int fd = g_mkstemp(file);
  cr_assert_geq(fd, 0);
  g_close(fd, NULL);
  cr_assert(ho_file_write(file, text, length, NULL));
  g_autoptr(GError) e = NULL;
  json_t *value = ho_json_read(file, &e);
  g_unlink(file);
  cr_assert((value == NULL) == (e != NULL));
  *message = NULL;
  if (e) {
    cr_assert(g_str_has_prefix(e->message, file));
    *message = g_strconcat("FILE", e->message + strlen(file), NULL);
  }
  return value;
}

Test(json, what_is_not_json_is_refused_with_its_place) {
  static const struct {
    const char *text, *message;
  } bad[] = {
      {"", "FILE:1:1: not JSON: '[' or '{' expected near end of file"},
      {"3", "FILE:1:1: not JSON: '[' or '{' expected near '3'"},
      {"{\"a\":1}\n\n x", "FILE:3:2: not JSON: end of file expected near 'x'"},
      {"{\n \"a\": 1,\n \"a\": 2}", "FILE:3:4: not JSON: duplicate object key near '\"a\"'"},
      {"[NaN]", "FILE:1:4: not JSON: invalid token near 'NaN'"},
      {"[1e999]", "FILE:1:6: not JSON: real number overflow near '1e999'"},
      {"[1,", "FILE:1:3: not JSON: ']' expected near end of file"},
      {"[\"a\nb\"]", "FILE:1:3: not JSON: unexpected newline near '\"a'"},
      {"[99999999999999999999]", "FILE:1:21: not JSON: too big integer near '99999999999999999999'"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
    g_autofree char *message = NULL;
    json_t *value = read_text(bad[i].text, strlen(bad[i].text), &message);
    cr_expect_null(value);
    cr_expect_str_eq(message ? message : "nothing", bad[i].message);
    json_decref(value);
  }
}

Test(json, zero_bytes_and_broken_utf8_are_refused) {
  g_autofree char *zero = NULL, *broken = NULL;
  cr_assert_null(read_text("[\"a\0b\"]", 7, &zero));
  cr_assert_null(read_text("[\"\xff\"]", 5, &broken));
  cr_assert(strstr(broken, "unable to decode byte 0xff"), "%s", broken);
}

Test(json, deep_nesting_is_refused) {
  g_autofree char *text = g_strnfill(100000, '['), *message = NULL;
  cr_assert_null(read_text(text, 100000, &message));
  cr_assert(strstr(message, "maximum parsing depth reached"), "%s", message);
}

Test(json, writing_keeps_order_and_bits) {
  json_t *v = json_pack("{s:f, s:i, s:[f,f,f], s:s, s:b, s:n}", "z", 0.1, "a", 7, "list", 3.0, 1e-9, 1e300, "text",
                        "q\"\\\n\t\x01ü", "yes", 1, "none");
  g_autofree char *line = ho_json_line(v);
  cr_assert_str_eq(
      line, "{\"z\":0.1,\"a\":7,\"list\":[3.0,1e-09,1e+300],\"text\":\"q\\\"\\\\\\n\\t\\u0001ü\",\"yes\":true,\"none\":null}");
  g_autofree char *message = NULL;
  json_t *back = read_text(line, strlen(line), &message);
  cr_assert(json_equal(v, back));
  json_decref(back);
  json_decref(v);
}

Test(json, what_is_long_is_broken_and_what_is_short_is_not) {
  json_t *ops = json_array(), *v = json_pack("{s:s, s:o}", "format", "heteroopt-graph/1", "ops", ops);
  for (int i = 0; i < 4; i++)
    json_array_append_new(ops, json_pack("{s:s, s:s, s:[i,i]}", "name", "op", "kind", "conv", "shape", i, 3));
  g_autofree char *text = ho_json_text(v);
  cr_assert_str_eq(text,
                   "{\n"
                   "  \"format\": \"heteroopt-graph/1\",\n"
                   "  \"ops\": [\n"
                   "    {\"name\": \"op\", \"kind\": \"conv\", \"shape\": [0, 3]},\n"
                   "    {\"name\": \"op\", \"kind\": \"conv\", \"shape\": [1, 3]},\n"
                   "    {\"name\": \"op\", \"kind\": \"conv\", \"shape\": [2, 3]},\n"
                   "    {\"name\": \"op\", \"kind\": \"conv\", \"shape\": [3, 3]}\n"
                   "  ]\n"
                   "}\n");
  g_autofree char *message = NULL;
  json_t *back = read_text(text, strlen(text), &message);
  cr_assert(json_equal(v, back));
  json_decref(back);
  json_decref(v);
}

Test(json, a_full_disk_is_one_line) {
  if (g_access("/dev/full", 2) != 0) cr_skip_test("no /dev/full on this machine");
  g_autoptr(GError) e = NULL;
  json_t *v = json_array();
  cr_assert_not(ho_json_write(v, "/dev/full", &e));
  cr_assert_str_eq(e->message, "/dev/full: cannot write: No space left on device");
  json_decref(v);
}

Test(json, unknown_keys_are_named_with_what_was_meant) {
  static const char *const keys[] = {"name", "flops", NULL};
  ho_json_at at = {"g.json", "ops[3]"}, top = {"g.json", ""};
  g_autoptr(GError) typo = NULL, other = NULL, array = NULL;
  json_t *a = json_pack("{s:i}", "flop", 1), *b = json_pack("{s:i}", "colour", 1), *c = json_array();
  cr_assert_not(ho_json_object_only(a, at, keys, &typo));
  cr_assert_str_eq(typo->message, "g.json: ops[3].flop: key 'flop' is not known here (did you mean 'flops'?)");
  cr_assert_not(ho_json_object_only(b, top, keys, &other));
  cr_assert_str_eq(other->message, "g.json: colour: key 'colour' is not known here, expected one of name, flops");
  cr_assert_not(ho_json_object_only(c, at, keys, &array));
  cr_assert_str_eq(array->message, "g.json: ops[3]: found an array, expected an object");
  json_decref(a);
  json_decref(b);
  json_decref(c);
}

Test(json, typed_members_are_checked) {
  ho_json_at at = {"g.json", "ops[3]"};
  json_t *o = json_pack("{s:f, s:i, s:f, s:s, s:[], s:n}", "x", 0.5, "n", 7, "e", 8e5, "s", "text", "l", "none");
  double d = 1;
  int64_t i = 1;
  const char *s = NULL;
  json_t *l = NULL;
  cr_assert(ho_json_get_double(o, at, "x", TRUE, 0, &d, NULL) && d == 0.5);
  cr_assert(ho_json_get_double(o, at, "n", TRUE, 0, &d, NULL) && d == 7);
  cr_assert(ho_json_get_double(o, at, "absent", FALSE, 0, &d, NULL) && d == 7, "what is absent stays as it was");
  cr_assert(ho_json_get_int(o, at, "n", TRUE, 0, &i, NULL) && i == 7);
  cr_assert(ho_json_get_int(o, at, "e", TRUE, 0, &i, NULL) && i == 800000);
  cr_assert(ho_json_get_string(o, at, "s", TRUE, &s, NULL) && strcmp(s, "text") == 0);
  cr_assert(ho_json_get_array(o, at, "l", TRUE, &l, NULL) && json_array_size(l) == 0);
#define REFUSED(call, text)             \
  do {                                  \
    g_autoptr(GError) e = NULL;         \
    cr_expect_not(call);                \
    cr_expect_str_eq(e->message, text); \
  } while (0)
  REFUSED(ho_json_get_double(o, at, "absent", TRUE, 0, &d, &e), "g.json: ops[3]: key 'absent' is missing");
  REFUSED(ho_json_get_double(o, at, "x", TRUE, 1, &d, &e), "g.json: ops[3].x: found 0.5, expected a number ≥ 1");
  REFUSED(ho_json_get_double(o, at, "s", TRUE, -INFINITY, &d, &e), "g.json: ops[3].s: found \"text\", expected a number");
  REFUSED(ho_json_get_double(o, at, "none", FALSE, 0, &d, &e), "g.json: ops[3].none: found null, expected a number ≥ 0");
  REFUSED(ho_json_get_int(o, at, "x", TRUE, 0, &i, &e), "g.json: ops[3].x: found 0.5, expected a whole number ≥ 0");
  REFUSED(ho_json_get_int(o, at, "n", TRUE, 8, &i, &e), "g.json: ops[3].n: found 7, expected a whole number ≥ 8");
  REFUSED(ho_json_get_string(o, at, "l", TRUE, &s, &e), "g.json: ops[3].l: found an array, expected a string");
  REFUSED(ho_json_get_array(o, at, "s", TRUE, &l, &e), "g.json: ops[3].s: found \"text\", expected an array");
  json_decref(o);
}

Test(json, a_format_must_be_the_expected_one) {
  ho_json_at at = {"p.json", NULL};
  g_autoptr(GError) other = NULL, absent = NULL;
  json_t *o = json_pack("{s:s}", "format", "heteroopt-plan/2"), *none = json_object();
  cr_assert(ho_json_check_format(o, at, "heteroopt-plan/2", NULL));
  cr_assert_not(ho_json_check_format(o, at, "heteroopt-plan/1", &other));
  cr_assert_str_eq(other->message, "p.json: format: found \"heteroopt-plan/2\", expected \"heteroopt-plan/1\"");
  cr_assert_not(ho_json_check_format(none, at, "heteroopt-plan/1", &absent));
  cr_assert_str_eq(absent->message, "p.json: the whole: key 'format' is missing");
  json_decref(o);
  json_decref(none);
}
