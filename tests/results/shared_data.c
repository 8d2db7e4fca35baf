/* shared_data.c: see shared_data.h. */
#include "tests/results/shared_data.h"

#include <criterion/criterion.h>
#include <glib.h>

json_t *shared_optimisation(const char *name) {
  const char *shared = g_getenv("HO_SHARED"), *source = g_getenv("HO_TEST_SRCDIR");
  g_autofree char *folder = shared ? g_strdup(shared) : g_build_filename(source ? source : ".", "..", "shared", NULL);
  g_autofree char *file = g_build_filename(folder, "data", "optimisation", name, NULL);
  if (!g_file_test(file, G_FILE_TEST_EXISTS)) cr_skip("no reference data: %s is absent", file);
  json_t *value = json_load_file(file, 0, NULL);
  cr_assert_not_null(value, "%s is not JSON", file);
  return value;
}

double *numbers_of(const json_t *list) {
  double *v = g_new(double, MAX(json_array_size(list), 1));
  for (size_t i = 0; i < json_array_size(list); i++) v[i] = json_number_value(json_array_get(list, i));
  return v;
}

double *rows_of(const json_t *rows, int d) {
  double *v = g_new(double, MAX(json_array_size(rows) * (size_t)d, 1));
  for (size_t i = 0; i < json_array_size(rows); i++)
    for (int k = 0; k < d; k++)
      v[i * (size_t)d + (size_t)k] = json_number_value(json_array_get(json_array_get(rows, i), (size_t)k));
  return v;
}
