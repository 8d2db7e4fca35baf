/* test_sizes.c: distributions of sizes, and buckets over them. */
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/stream.h"
#include "models/sizes.h"

static ho_sizes *sizes(const char *text) {
  g_autoptr(GError) error = NULL;
  ho_sizes *s = ho_sizes_parse(text, &error);
  cr_assert(s, "%s: %s", text, error ? error->message : "");
  return s;
}

Test(sizes, lists_ranges_and_weights) {
  g_autoptr(ho_sizes) s = sizes("512,64,128*3,64");
  cr_assert_eq(s->n, 3);
  cr_assert_eq(s->value[0], 64);
  cr_assert_eq(s->value[2], 512);
  cr_assert_float_eq(s->weight[0], 2.0 / 6, 1e-15);
  cr_assert_float_eq(s->weight[1], 3.0 / 6, 1e-15);
  g_autoptr(ho_sizes) r = sizes("16..50/16");
  cr_assert_eq(r->n, 3);
  cr_assert_eq(r->value[2], 48);
}

Test(sizes, a_file_has_a_size_and_a_weight_per_line) {
  char path[] = "ho-sizes-XXXXXX.csv";
  int fd = g_mkstemp(path);
  close(fd);
  cr_assert(g_file_set_contents(path, "# lengths\n64, 1\n128 3\r\n\n256\n", -1, NULL));
  g_autofree char *name = g_strdup_printf("./%s", path);
  g_autoptr(ho_sizes) s = sizes(name);
  cr_assert_eq(s->n, 3);
  cr_assert_float_eq(s->weight[1], 0.6, 1e-15);
  cr_assert(g_file_set_contents(path, "64,1\n128,x\n", -1, NULL));
  g_autoptr(GError) error = NULL;
  cr_assert_null(ho_sizes_parse(name, &error));
  cr_assert(strstr(error->message, ":2: 'x' is no weight, expected a number of at least 0"), "%s", error->message);
  g_unlink(path);
}

Test(sizes, what_is_no_distribution_is_refused_in_one_line) {
  static const char *const bad[] = {"",           "0",     "-3",     "1,,2",   "a",    "5..2", "1..",         "1..9/0",
                                    "1..1000000", "64*-1", "64*nan", "64*inf", "64*0", "1e3",  "/nowhere.csv"};
  for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
    g_autoptr(GError) error = NULL;
    cr_assert_null(ho_sizes_parse(bad[i], &error), "%s", bad[i]);
    cr_assert(error && !strchr(error->message, '\n'), "%s", bad[i]);
  }
}

/* By hand: two buckets of 64 (0.2), 128 (0.6), 512 (0.2): edges 128, 512 pad 0.2 · 64 = 12.8; 64, 512 would pad 0.6 · 384. */
Test(sizes, edges_pad_least) {
  g_autoptr(ho_sizes) s = sizes("64,128*3,512");
  g_autofree int64_t *edges = ho_sizes_edges(s, 2);
  cr_assert_eq(edges[0], 128);
  cr_assert_eq(edges[1], 512);
  cr_assert_float_eq(ho_sizes_padding(s, edges, 2), 12.8, 1e-12);
  cr_assert_eq(ho_sizes_bucket(edges, 2, 128), 0);
  cr_assert_eq(ho_sizes_bucket(edges, 2, 129), 1);
  cr_assert_eq(ho_sizes_bucket(edges, 2, 513), -1);
}

/* Against all choices of edges. */
Test(sizes, no_other_edges_pad_less) {
  ho_stream random = ho_stream_small(5);
  for (int round = 0; round < 50; round++) {
    g_autoptr(GString) text = g_string_new("1000");
    for (int i = 0; i < 7; i++)
      g_string_append_printf(text, ",%d*%d", 1 + (int)ho_stream_below(&random, 999), 1 + (int)ho_stream_below(&random, 9));
    g_autoptr(ho_sizes) s = sizes(text->str);
    for (int32_t k = 1; k <= s->n; k++) {
      g_autofree int64_t *edges = ho_sizes_edges(s, k);
      double least = INFINITY;
      for (int set = 0; set < 1 << s->n; set++) {
        int64_t chosen[16];
        int32_t m = 0;
        for (int32_t i = 0; i < s->n; i++)
          if (set >> i & 1) chosen[m++] = s->value[i];
        if (m == k && chosen[m - 1] == s->value[s->n - 1]) least = fmin(least, ho_sizes_padding(s, chosen, m));
      }
      cr_assert_float_eq(ho_sizes_padding(s, edges, k), least, 1e-9);
    }
  }
}
