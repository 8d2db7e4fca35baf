/* test_limit.c: a platform whose memories are limited. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/error.h"
#include "tests/hwprofiles/read_text.h"

#define TEXT(near)                                                                                                            \
  "format: heteroopt-platform/1\nname: p\nmemories: [{name: host, capacity: 100, bandwidth: 1}, {name: near, capacity: " near \
  ", bandwidth: 1}]\ndevices:\n  - {name: cpu, memory: host}\n  - {name: npu, memory: host}\n  - {name: gpu, memory: near}\n" \
  "links: [{name: l, ends: [host, near], bandwidth: 1}]\n"

static ho_platform *platform(const char *text) {
  g_autoptr(GError) e = NULL;
  ho_platform *p = read_text(text, &e);
  cr_assert_not_null(p, "%s", e ? e->message : "");
  return p;
}

static void refused(ho_platform *p, const char *name, double bytes, const char *part) {
  g_autoptr(GError) e = NULL;
  cr_assert_not(ho_platform_limit(p, name, bytes, &e));
  cr_assert(g_error_matches(e, HO_ERROR, HO_ERROR_INPUT) && strstr(e->message, part), "%s", e->message);
}

/* What differs is the capacity and nothing else, so that it is the platform whose file says so. */
Test(limit, a_limited_platform_is_the_one_with_the_smaller_memory) {
  g_autoptr(ho_platform) p = platform(TEXT("80")), smaller = platform(TEXT("50"));
  g_autofree char *before = g_strdup(p->digest);
  cr_assert(ho_platform_limit(p, "gpu", 50, NULL));
  cr_assert_eq(p->memory[1].capacity, 50);
  cr_assert_eq(p->memory[0].capacity, 100);
  cr_assert_str_eq(p->digest, smaller->digest);
  cr_assert_str_eq(p->file_digest, before);
  cr_assert(ho_platform_limit(p, "near", 40, NULL));
  cr_assert_eq(p->memory[1].capacity, 40);
  cr_assert_str_eq(p->file_digest, before);
}

Test(limit, what_cannot_be_meant_is_refused_and_changes_nothing) {
  g_autoptr(ho_platform) p = platform(TEXT("80"));
  g_autofree char *before = g_strdup(p->digest);
  refused(p, "gpuu", 10, "did you mean 'gpu'");
  refused(p, "cpu", 10, "cpu and npu share memory 'host'");
  refused(p, "gpu", 81, "at most the 80.0 B");
  refused(p, "gpu", 0, "more than 0 B");
  cr_assert_str_eq(p->digest, before);
  cr_assert(ho_platform_limit(p, "host", 100, NULL));
  cr_assert_str_eq(p->digest, before);
}

/* A device that is called as another one's memory. */
Test(limit, a_name_with_two_meanings_is_refused) {
  g_autoptr(ho_platform) p = platform(
      "format: heteroopt-platform/1\nname: p\nmemories: [{name: a, capacity: 9, bandwidth: 1}, {name: b, capacity: 9, "
      "bandwidth: 1}]\ndevices: [{name: b, memory: a}, {name: c, memory: b}]\n"
      "links: [{name: l, ends: [a, b], bandwidth: 1}]\n");
  refused(p, "b", 1, "cannot be told");
}
