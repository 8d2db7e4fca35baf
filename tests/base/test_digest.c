/* test_digest.c: content keys. Expected digests from Python's hashlib over the fields' bytes. */
#include <criterion/criterion.h>
#include <math.h>

#include "base/digest.h"

Test(digest, nothing_gives_the_empty_vector_of_fips_180) {
  g_autoptr(ho_digest) d = ho_digest_new();
  g_autofree char *hex = ho_digest_finish(d);
  cr_assert_str_eq(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

Test(digest, a_string_has_a_known_digest) {
  g_autoptr(ho_digest) d = ho_digest_new();
  ho_digest_string(d, "abc");
  g_autofree char *hex = ho_digest_finish(d);
  cr_assert_str_eq(hex, "738cc6a4aeca85404f503c399ed1bf53f0e7e5b104bb428cc3b24df250a46e64");
}

Test(digest, every_type_of_field_has_a_known_digest) {
  g_autoptr(ho_digest) d = ho_digest_new();
  ho_digest_string(d, NULL);
  ho_digest_string(d, "");
  ho_digest_int(d, -7);
  ho_digest_double(d, 0.1);
  ho_digest_double(d, -0.0); /* taken as 0 */
  ho_digest_bytes(d, "\0\1\2", 3);
  g_autofree char *hex = ho_digest_finish(d);
  cr_assert_str_eq(hex, "9760fbe375893949999e257d2e1c095105c779111aeb03d14ff181907964f1f2");
}

static char *of_strings(const char *a, const char *b) {
  g_autoptr(ho_digest) d = ho_digest_new();
  ho_digest_string(d, a);
  ho_digest_string(d, b);
  return ho_digest_finish(d);
}

Test(digest, fields_keep_their_borders) {
  g_autofree char *x = of_strings("a", "bc"), *y = of_strings("ab", "c"), *z = of_strings("abc", ""),
                  *n = of_strings("abc", NULL);
  cr_assert_str_neq(x, y);
  cr_assert_str_neq(y, z);
  cr_assert_str_neq(z, n);
}
