/* test_environment.c: what is recorded about the machine. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <string.h>

#include "results/environment.h"

Test(environment, it_is_an_object_with_every_field_and_repeats) {
  g_autoptr(ho_environment) a = ho_environment_capture();
  g_autoptr(ho_environment) b = ho_environment_capture();
  cr_assert_str_eq(a->json, b->json);
  cr_assert_str_eq(a->digest, b->digest);
  cr_assert_eq(strlen(a->digest), 64);
  json_t *e = json_loads(a->json, 0, NULL);
  const char *const fields[] = {"program", "version", "commit",  "compiler", "flags",
                                "os",      "kernel",  "machine", "cpu",      "governor"};
  for (size_t i = 0; i < G_N_ELEMENTS(fields); i++) {
    const char *text = json_string_value(json_object_get(e, fields[i]));
    cr_assert(text && text[0], "%s", fields[i]);
  }
  cr_assert_not_null(strstr(json_string_value(json_object_get(e, "flags")), "-ffp-contract=off"));
  const char *const libraries[] = {"glib", "glibc", "gsl", "jansson", "libcyaml", "libyaml", "protobuf-c", "sqlite"};
  for (size_t i = 0; i < G_N_ELEMENTS(libraries); i++)
    cr_assert(g_ascii_isdigit(*json_string_value(json_object_get(json_object_get(e, "libraries"), libraries[i]))), "%s",
              libraries[i]);
  json_decref(e);
}

Test(environment, it_names_no_host) {
  g_autoptr(ho_environment) e = ho_environment_capture();
  json_t *v = json_loads(e->json, 0, NULL);
  cr_assert_null(json_object_get(v, "host"));
  cr_assert_null(json_object_get(v, "user"));
  json_decref(v);
}
