/* test_archive.c: the archive and the non-dominated mask and ranks. */
#include <criterion/criterion.h>
#include <glib.h>
#include <math.h>

#include "base/stream.h"
#include "results/archive.h"
#include "tests/results/shared_data.h"

static int dominates(const double *a, const double *b, int32_t d) {
  int better = 0;
  for (int32_t k = 0; k < d; k++) {
    if (a[k] > b[k]) return 0;
    better |= a[k] < b[k];
  }
  return better;
}

static int equal(const double *a, const double *b, int32_t d) {
  return memcmp(a, b, sizeof(double) * (size_t)d) == 0;
}

/* The definition, point against point. */
static int stays(const double *p, int32_t n, int32_t d, int32_t i) {
  for (int32_t j = 0; j < n; j++)
    if (dominates(p + j * d, p + i * d, d) || (j < i && equal(p + j * d, p + i * d, d))) return 0;
  return 1;
}

/* Few values, so that ties and duplicates abound. */
static void coarse_points(ho_stream *s, double *p, int32_t n, int32_t d) {
  for (int32_t i = 0; i < n * d; i++) p[i] = (double)ho_stream_below(s, 6);
}

Test(archive, holds_what_the_definition_keeps_whatever_the_order) {
  ho_stream s = ho_stream_small(11);
  for (int32_t d = 1; d <= 4; d++)
    for (int trial = 0; trial < 50; trial++) {
      double p[40 * 4];
      coarse_points(&s, p, 40, d);
      ho_archive *a = ho_archive_new(d, NULL);
      for (int32_t i = 0; i < 40; i++) {
        int accepts = ho_archive_accepts(a, p + i * d);
        cr_assert_eq(ho_archive_add(a, p + i * d, NULL), accepts);
      }
      int32_t expected = 0;
      for (int32_t i = 0; i < 40; i++) expected += stays(p, 40, d, i);
      cr_assert_eq(ho_archive_size(a), expected);
      ho_archive_sort(a);
      for (int32_t i = 1; i < ho_archive_size(a); i++) { /* in order, and none dominates another */
        const double *u = ho_archive_objectives(a, i - 1), *v = ho_archive_objectives(a, i);
        int32_t k = 0;
        while (k < d && u[k] == v[k]) k++;
        cr_assert(k < d && u[k] < v[k]);
        for (int32_t j = 0; j < i; j++)
          cr_assert(!dominates(v, ho_archive_objectives(a, j), d) && !dominates(ho_archive_objectives(a, j), v, d));
      }
      ho_archive_free(a);
    }
}

Test(archive, of_equal_points_the_first_stays) {
  ho_archive *a = ho_archive_new(2, NULL);
  const double p[] = {1, 2}, q[] = {2, 1};
  int first, second, other;
  cr_assert_eq(ho_archive_add(a, p, &first), 1);
  cr_assert_eq(ho_archive_add(a, p, &second), 0);
  cr_assert_eq(ho_archive_add(a, q, &other), 1);
  ho_archive_sort(a);
  cr_assert_eq(ho_archive_payload(a, 0), (void *)&first);
  cr_assert_eq(ho_archive_payload(a, 1), (void *)&other);
  ho_archive_free(a);
}

static void count_drop(void *payload) {
  ++*(int *)payload;
}

Test(archive, every_payload_it_owned_is_dropped_once) {
  int dropped[4] = {0};
  const double p[][2] = {{3, 3}, {2, 4}, {1, 1}, {5, 5}};
  ho_archive *a = ho_archive_new(2, count_drop);
  for (int i = 0; i < 4; i++) cr_assert_eq(ho_archive_add(a, p[i], &dropped[i]), i < 3);
  cr_assert(dropped[0] == 1 && dropped[1] == 1, "the third dominates them");
  ho_archive_free(a);
  cr_assert(dropped[2] == 1 && dropped[3] == 0, "the fourth was never owned");
}

Test(archive, nan_and_infinity_are_refused) {
  ho_archive *a = ho_archive_new(2, NULL);
  const double bad[][2] = {{NAN, 1}, {1, NAN}, {INFINITY, 1}, {1, -INFINITY}};
  for (int i = 0; i < 4; i++) cr_assert_eq(ho_archive_add(a, bad[i], NULL), 0);
  cr_assert_eq(ho_archive_size(a), 0);
  ho_archive_free(a);
}

Test(nondominated, the_mask_is_the_definition) {
  ho_stream s = ho_stream_small(12);
  for (int32_t d = 1; d <= 4; d++)
    for (int trial = 0; trial < 80; trial++) {
      double p[60 * 4];
      uint8_t keep[60];
      int32_t n = 1 + (int32_t)ho_stream_below(&s, 60);
      coarse_points(&s, p, n, d);
      ho_nondominated(p, n, d, keep);
      for (int32_t i = 0; i < n; i++) cr_assert_eq(keep[i], stays(p, n, d, i));
    }
}

/* Fronts by repeated removal, as the definition says. */
static void peel(const double *p, int32_t n, int32_t d, int32_t *rank) {
  for (int32_t i = 0; i < n; i++) rank[i] = -1;
  for (int32_t front = 0, left = n; left > 0; front++) {
    for (int32_t i = 0; i < n; i++) {
      if (rank[i] >= 0) continue;
      int beaten = 0;
      for (int32_t j = 0; j < n; j++) beaten |= (rank[j] < 0 || rank[j] == front) && dominates(p + j * d, p + i * d, d);
      if (!beaten) rank[i] = front;
    }
    left = 0;
    for (int32_t i = 0; i < n; i++) left += rank[i] < 0;
  }
}

Test(nondominated, ranks_are_fronts_by_repeated_removal) {
  ho_stream s = ho_stream_small(13);
  for (int32_t d = 1; d <= 4; d++)
    for (int trial = 0; trial < 60; trial++) {
      double p[50 * 4];
      int32_t found[50], expected[50], n = 1 + (int32_t)ho_stream_below(&s, 50);
      coarse_points(&s, p, n, d);
      ho_nondominated_ranks(p, n, d, found);
      peel(p, n, d, expected);
      for (int32_t i = 0; i < n; i++) cr_assert_eq(found[i], expected[i]);
    }
}

Test(nondominated, reference_masks_and_ranks_agree) {
  json_t *file = shared_optimisation("hypervolume_exact.json");
  size_t i;
  json_t *c;
  int compared = 0;
  json_array_foreach(json_object_get(file, "cases"), i, c) {
    int d = (int)json_integer_value(json_object_get(c, "d"));
    json_t *rows = json_object_get(c, "points"), *mask = json_object_get(c, "nondominated"), *ranks = json_object_get(c, "ranks");
    int32_t n = (int32_t)json_array_size(rows);
    g_autofree double *p = rows_of(rows, d);
    g_autofree uint8_t *keep = g_new(uint8_t, n + 1);
    g_autofree int32_t *rank = g_new(int32_t, n + 1);
    ho_nondominated(p, n, d, keep);
    ho_nondominated_ranks(p, n, d, rank);
    for (int32_t k = 0; k < n; k++, compared++) {
      cr_assert_eq(keep[k], json_integer_value(json_array_get(mask, (size_t)k)));
      cr_assert_eq(rank[k], json_integer_value(json_array_get(ranks, (size_t)k)));
    }
  }
  cr_assert_gt(compared, 2000);
  json_decref(file);
}
