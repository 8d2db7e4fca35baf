/* test_indicators.c: distances of a set from a reference set. */
#include <criterion/criterion.h>
#include <glib.h>
#include <math.h>

#include "results/indicators.h"
#include "tests/results/shared_data.h"

Test(indicators, a_shifted_point_is_as_far_as_it_was_shifted) {
  const double r[] = {0, 1, 1, 0}, a[] = {0.5, 1, 1, 0};
  cr_assert_float_eq(ho_epsilon(a, 2, r, 2, 2), 0.5, 1e-15);
  cr_assert_float_eq(ho_igd_plus(a, 2, r, 2, 2), 0.25, 1e-15, "0.5 to the first, 0 to the second");
  cr_assert_eq(ho_epsilon(r, 2, r, 2, 2), 0);
  cr_assert_eq(ho_igd_plus(r, 2, r, 2, 2), 0);
}

Test(indicators, a_dominating_set_has_no_igd_plus_and_a_negative_epsilon) {
  const double r[] = {1, 1}, a[] = {0.5, 0.75};
  cr_assert_eq(ho_igd_plus(a, 1, r, 1, 2), 0);
  cr_assert_float_eq(ho_epsilon(a, 1, r, 1, 2), -0.25, 1e-15);
}

Test(indicators, an_empty_set_reaches_nothing) {
  const double r[] = {1, 1};
  cr_assert_eq(ho_epsilon(NULL, 0, r, 1, 2), INFINITY);
  cr_assert_eq(ho_igd_plus(NULL, 0, r, 1, 2), INFINITY);
  cr_assert_eq(ho_igd_plus(r, 1, NULL, 0, 2), 0);
}

Test(indicators, the_reference_file_agrees) {
  json_t *file = shared_optimisation("indicator_reference.json");
  size_t i;
  json_t *c;
  json_array_foreach(json_object_get(file, "pairs"), i, c) {
    int d = (int)json_integer_value(json_object_get(c, "d"));
    json_t *points = json_object_get(c, "A"), *reference = json_object_get(c, "R");
    g_autofree double *a = rows_of(points, d), *r = rows_of(reference, d);
    int32_t na = (int32_t)json_array_size(points), nr = (int32_t)json_array_size(reference);
    const char *name = json_string_value(json_object_get(c, "name"));
    json_t *v = json_object_get(c, "values"), *epsilon = json_object_get(v, "eps_add"),
           *igd_plus = json_object_get(v, "igd_plus");
    cr_assert(json_is_number(epsilon) && json_is_number(igd_plus), "%s", name);
    cr_assert_float_eq(ho_epsilon(a, na, r, nr, d), json_number_value(epsilon), 1e-15, "%s", name);
    cr_assert_float_eq(ho_igd_plus(a, na, r, nr, d), json_number_value(igd_plus), 1e-14, "%s", name);
  }
  cr_assert_gt(i, 0);
  json_decref(file);
}
