/* test_fuzz.c: platform files that were damaged in seeded, repeatable ways: each is read or refused with one line; the sanitizers
 * watch. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/error.h"
#include "base/stream.h"
#include "tests/hwprofiles/read_text.h"

#define ROUNDS 3000

static char *source_file(const char *name) {
  return g_build_filename(g_getenv("HO_TEST_SRCDIR"), "hwprofiles", name, NULL);
}

/* A platform whose one device is a profile's text, written out in full. */
static char *written_out(const char *profile) {
  g_autofree char *file = source_file(profile), *text = NULL;
  cr_assert(g_file_get_contents(file, &text, NULL, NULL));
  GString *s = g_string_new(
      "format: heteroopt-platform/1\nname: p\nmemories: [{name: m, capacity: 1GB, bandwidth: 1GB/s}]\n"
      "devices:\n  - name: d\n    memory: m\n");
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  for (char **l = lines; *l; l++)
    if (!g_str_has_prefix(*l, "format:") && !g_str_has_prefix(*l, "name:") && !g_str_has_prefix(*l, "summary:"))
      g_string_append_printf(s, "    %s\n", *l);
  return g_string_free(s, FALSE);
}

static const char *const scraps[] = {
    "\t",   ":",    ": ",       "- ",           "[",    "]",  "{",   "}",  ",",     "#", "\"",    "'",     "&a ", "*a",
    "!!x ", "|",    ">",        "\n",           "\n\n", "~",  "nan", "-1", "1e999", "0", "---\n", "...\n", "? ",  "%YAML 9.9\n",
    "\x01", "\xff", "\xc3\xa9", "\xef\xbb\xbf", "<<: ", "1GB"};

static void damage(GString *s, ho_stream *r) {
  gsize at = ho_stream_below(r, s->len + 1), left = s->len - at;
  switch (ho_stream_below(r, 5)) {
    case 0:
      if (left) g_string_erase(s, (gssize)at, (gssize)MIN(left, 1 + ho_stream_below(r, 40)));
      break;
    case 1:
      g_string_insert(s, (gssize)at, scraps[ho_stream_below(r, G_N_ELEMENTS(scraps))]);
      break;
    case 2:
      if (left) s->str[at] = (char)(1 + ho_stream_below(r, 255));
      break;
    case 3: {
      g_autofree char *piece = g_strndup(s->str + at, MIN(left, 1 + ho_stream_below(r, 200)));
      g_string_insert(s, (gssize)ho_stream_below(r, s->len + 1), piece);
      break;
    }
    default:
      g_string_truncate(s, at);
      break;
  }
}

static void fuzz(const char *text, const char *what) {
  ho_stream r = ho_stream_keyed(1, (const char *const[]){"fuzz", what, NULL});
  int refused = 0;
  for (int i = 0; i < ROUNDS; i++) {
    g_autoptr(GString) s = g_string_new(text);
    for (uint64_t k = 1 + ho_stream_below(&r, 3); k; k--) damage(s, &r);
    g_autoptr(GError) e = NULL;
    g_autoptr(ho_platform) p = read_text(s->str, &e);
    cr_assert((p == NULL) == (e != NULL));
    if (!e) continue;
    refused++;
    cr_assert_null(strchr(e->message, '\n'), "%s", e->message);
    cr_assert_gt(strlen(e->message), 8);
    cr_assert_lt(strlen(e->message), 1000);
    cr_assert_eq(ho_error_exit_status(e), 1);
  }
  cr_expect_gt(refused, ROUNDS / 4, "the damage was felt");
}

Test(fuzz, a_damaged_platform_is_read_or_refused_with_one_line, .timeout = 240) {
  g_autofree char *file = source_file("platforms/workstation.yaml"), *text = NULL;
  cr_assert(g_file_get_contents(file, &text, NULL, NULL));
  fuzz(text, "workstation");
}

Test(fuzz, a_damaged_device_is_read_or_refused_with_one_line, .timeout = 240) {
  g_autofree char *text = written_out("devices/nvidia-a100-sxm-80gb.yaml");
  g_autoptr(GError) e = NULL;
  g_autoptr(ho_platform) whole = read_text(text, &e);
  cr_assert_not_null(whole, "%s", e ? e->message : "");
  fuzz(text, "device");
}
