/* test_hypervolume.c: exact volumes: known answers, a count of unit cells, and the laws a hypervolume obeys. */
#include <criterion/criterion.h>
#include <glib.h>
#include <math.h>

#include "base/stream.h"
#include "results/hypervolume.h"
#include "tests/results/shared_data.h"

static ho_stream stream_of(uint64_t key) {
  return ho_stream_small(key);
}

static double *random_points(ho_stream *s, int32_t n, int32_t d) {
  double *p = g_new(double, (gsize)n *(gsize)d);
  for (int32_t i = 0; i < n * d; i++) p[i] = ho_stream_uniform(s);
  return p;
}

static const double ones[4] = {1, 1, 1, 1};

/* By hand: [1,4]×[3,4] ∪ [2,4]×[2,4] ∪ [3,4]×[1,4] = 3 + 2 + 1. */
Test(hypervolume, three_points_in_the_plane_have_the_area_drawn_on_paper) {
  const double p[] = {1, 3, 2, 2, 3, 1}, ref[] = {4, 4};
  cr_assert_eq(ho_hypervolume(p, 3, 2, ref), 6.0);
}

/* By inclusion and exclusion: (1,2,2), (2,1,2), (2,2,1) up to (3,3,3): 3·2 - 3·1 + 1. */
Test(hypervolume, three_corners_of_a_cube_have_the_volume_of_inclusion_and_exclusion) {
  const double p[] = {1, 2, 2, 2, 1, 2, 2, 2, 1}, ref[] = {3, 3, 3};
  cr_assert_eq(ho_hypervolume(p, 3, 3, ref), 4.0);
}

Test(hypervolume, one_objective_is_a_distance) {
  const double p[] = {3, 1.5, 2}, ref[] = {4};
  cr_assert_eq(ho_hypervolume(p, 3, 1, ref), 2.5);
}

Test(hypervolume, an_empty_set_has_no_volume) {
  for (int32_t d = 1; d <= 4; d++) cr_assert_eq(ho_hypervolume(NULL, 0, d, ones), 0.0);
}

Test(hypervolume, points_on_or_beyond_the_reference_add_nothing) {
  const double p[] = {0.5, 0.5, 0.5, /* the only one inside */ 1, 0, 0, 0, 1, 0, 0, 0, 1, 2, -5, -5, 1, 1, 1};
  cr_assert_eq(ho_hypervolume(p, 1, 3, ones), 0.125);
  cr_assert_eq(ho_hypervolume(p, 6, 3, ones), 0.125);
  cr_assert_eq(ho_hypervolume(p + 3, 5, 3, ones), 0.0);
  const double both_beyond[] = {2, 2}; /* the product of two negative sides is positive, the volume is not */
  cr_assert_eq(ho_hypervolume(both_beyond, 1, 2, ones), 0.0);
}

/* On an integer grid the volume is the number of unit cells that some point covers: counted one by one. */
static int covered_cells(const double *p, int32_t n, int32_t d, int size) {
  int total = 1, count = 0;
  for (int32_t k = 0; k < d; k++) total *= size;
  for (int cell = 0; cell < total; cell++) {
    int covered = 0;
    for (int32_t i = 0; i < n && !covered; i++) {
      covered = 1;
      for (int32_t k = 0, rest = cell; k < d; k++, rest /= size) covered &= p[i * d + k] <= rest % size;
    }
    count += covered;
  }
  return count;
}

Test(hypervolume, on_a_grid_it_counts_cells_however_many_coordinates_tie) {
  ho_stream s = stream_of(1);
  for (int32_t d = 2; d <= 4; d++)
    for (int trial = 0; trial < 60; trial++) {
      int size = 3 + trial % 4, n = 1 + trial % 23;
      double p[23 * 4], ref[4];
      for (int i = 0; i < n * d; i++) p[i] = (double)ho_stream_below(&s, (uint64_t)size + 1);
      for (int k = 0; k < d; k++) ref[k] = size;
      cr_assert_eq(ho_hypervolume(p, n, d, ref), covered_cells(p, n, d, size), "d %d, trial %d", (int)d, trial);
    }
}

Test(hypervolume, order_of_the_points_changes_no_bit) {
  ho_stream s = stream_of(2);
  for (int32_t d = 2; d <= 4; d++)
    for (int trial = 0; trial < 20; trial++) {
      int32_t n = 30;
      g_autofree double *p = random_points(&s, n, d);
      double before = ho_hypervolume(p, n, d, ones);
      int32_t order[30];
      for (int32_t i = 0; i < n; i++) order[i] = i;
      ho_stream_shuffle(&s, order, n);
      double q[30 * 4];
      for (int32_t i = 0; i < n; i++)
        for (int32_t k = 0; k < d; k++) q[i * d + k] = p[order[i] * d + k];
      cr_assert_eq(ho_hypervolume(q, n, d, ones), before);
    }
}

Test(hypervolume, a_dominated_or_repeated_point_changes_no_bit) {
  ho_stream s = stream_of(3);
  for (int32_t d = 2; d <= 4; d++)
    for (int trial = 0; trial < 20; trial++) {
      int32_t n = 25;
      g_autofree double *p = random_points(&s, n + 2, d);
      for (int32_t k = 0; k < d; k++) {
        p[n * d + k] = p[3 * d + k];                                                    /* repeated */
        p[(n + 1) * d + k] = p[5 * d + k] + (1 - p[5 * d + k]) * ho_stream_uniform(&s); /* no better than point 5 anywhere */
      }
      cr_assert_eq(ho_hypervolume(p, n + 2, d, ones), ho_hypervolume(p, n, d, ones));
    }
}

Test(hypervolume, a_better_point_never_makes_it_smaller) {
  ho_stream s = stream_of(4);
  for (int32_t d = 2; d <= 4; d++)
    for (int trial = 0; trial < 40; trial++) {
      int32_t n = 20;
      g_autofree double *p = random_points(&s, n, d);
      double before = ho_hypervolume(p, n, d, ones);
      int32_t i = (int32_t)ho_stream_below(&s, (uint64_t)n), k = (int32_t)ho_stream_below(&s, (uint64_t)d);
      p[i * d + k] *= ho_stream_uniform(&s);
      cr_assert_geq(ho_hypervolume(p, n, d, ones), before * (1 - 1e-15));
    }
}

/* A further objective in which all points have height h stretches the volume by h. */
Test(hypervolume, an_equal_further_objective_multiplies) {
  ho_stream s = stream_of(5);
  for (int32_t d = 2; d <= 3; d++)
    for (int32_t at = 0; at <= d; at++) {
      int32_t n = 40;
      g_autofree double *p = random_points(&s, n, d);
      g_autofree double *q = g_new(double, n *(d + 1));
      for (int32_t i = 0; i < n; i++)
        for (int32_t k = 0; k <= d; k++) q[i * (d + 1) + k] = k == at ? 0.75 : p[i * d + (k > at ? k - 1 : k)];
      cr_assert_float_eq(ho_hypervolume(q, n, d + 1, ones), 0.25 * ho_hypervolume(p, n, d, ones), 1e-15);
    }
}

Test(hypervolume, a_large_front_equals_its_closed_form) {
  /* Points (i, n - i) up to (n, n), i = 0 … n-1: a strip of width 1 and height i each. With height 1 in a third objective: the same. */
  int32_t n = 100000;
  g_autofree double *p = g_new(double, 3 * (gsize)n);
  for (int32_t i = 0; i < n; i++) {
    p[2 * i] = i;
    p[2 * i + 1] = n - i;
  }
  const double ref2[] = {n, n}, ref3[] = {n, n, 1};
  double cells = 0.5 * n * (n - 1.0);
  cr_assert_eq(ho_hypervolume(p, n, 2, ref2), cells);
  for (int32_t i = 0; i < n; i++) {
    p[3 * i] = i;
    p[3 * i + 1] = n - i;
    p[3 * i + 2] = 0;
  }
  cr_assert_eq(ho_hypervolume(p, n, 3, ref3), cells);
}

Test(hypervolume, reference_fronts_in_exact_rational_arithmetic_agree) {
  json_t *file = shared_optimisation("hypervolume_exact.json");
  size_t i;
  json_t *c;
  json_array_foreach(json_object_get(file, "cases"), i, c) {
    int d = (int)json_integer_value(json_object_get(c, "d"));
    json_t *rows = json_object_get(c, "points");
    g_autofree double *p = rows_of(rows, d), *ref = numbers_of(json_object_get(c, "ref"));
    double expected = json_number_value(json_object_get(c, "hv_double"));
    double found = ho_hypervolume(p, (int32_t)json_array_size(rows), d, ref);
    cr_assert(fabs(found - expected) <= 1e-15 * expected, "%s: %.17g, expected %.17g",
              json_string_value(json_object_get(c, "name")), found, expected);
  }
  cr_assert_geq(i, 62);
  json_decref(file);
}
