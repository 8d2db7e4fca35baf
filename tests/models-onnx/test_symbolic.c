/* test_symbolic.c: a source that is opened once gives, for any bindings, the graph that reading afresh gives. */
#include <criterion/criterion.h>
#include <string.h>

#include "models/symbolic.h"
#include "onnx_files.h"

static int32_t compared, symbolic;

/* Every symbol at `value`, or all but one at it. The graphs agree, or so do the errors. */
static void expect_same(ho_symbolic *s, const char *spec, const ho_bindings *b) {
  g_autoptr(GError) e1 = NULL;
  g_autoptr(GError) e2 = NULL;
  g_autoptr(ho_graph) now = ho_symbolic_at(s, b, &e1);
  g_autoptr(ho_graph) afresh = ho_graph_load(spec, NULL, b, &e2);
  cr_assert_eq(now != NULL, afresh != NULL, "%s: %s", spec, e1 ? e1->message : e2 ? e2->message : "");
  if (now) {
    cr_assert_str_eq(now->digest, afresh->digest, "%s", spec);
    cr_assert_str_eq(now->note ? now->note : "", afresh->note ? afresh->note : "", "%s", spec);
    compared++;
  } else {
    cr_assert_str_eq(e1->message, e2->message);
  }
}

static void check_file(const char *path) {
  g_autoptr(GError) error = NULL;
  g_autoptr(ho_symbolic) s = ho_symbolic_open(path, &error);
  if (!s) return; /* what cannot be read is another test's business */
  const char *const *names = ho_symbolic_names(s);
  int32_t n = (int32_t)g_strv_length((char **)names);
  symbolic += n > 0;
  g_autofree int64_t *value = g_new0(int64_t, n + 1);
  const ho_bindings none = {0};
  expect_same(s, path, &none);
  for (int64_t v = 2; n > 0 && v <= 6; v += 2) {
    for (int32_t i = 0; i < n; i++) value[i] = v + (i == v % n);
    const ho_bindings all = {.n = n, .name = names, .value = value}, one = {.n = 1, .name = names, .value = value};
    expect_same(s, path, &all);
    expect_same(s, path, &one);
  }
  expect_same(s, path, &none);
}

static void check_folder(const char *folder) {
  GDir *d = g_dir_open(folder, 0, NULL);
  if (!d) return;
  for (const char *name = g_dir_read_name(d); name; name = g_dir_read_name(d)) {
    g_autofree char *path = g_build_filename(folder, name, NULL);
    if (g_file_test(path, G_FILE_TEST_IS_DIR))
      check_folder(path);
    else if (g_str_has_suffix(name, ".onnx"))
      check_file(path);
  }
  g_dir_close(d);
}

Test(symbolic, own_files_are_evaluated_as_they_are_read) {
  g_autofree char *one = fixture_path("residual.onnx"), *folder = g_path_get_dirname(one);
  compared = symbolic = 0;
  check_folder(folder);
  cr_assert_gt(compared, 10);
  cr_assert_gt(symbolic, 0);
}

Test(symbolic, every_reference_file_is_evaluated_as_it_is_read, .timeout = 120) {
  g_autofree char *folder = shared_onnx();
  g_autofree char *files = g_build_filename(folder, "files", NULL);
  compared = symbolic = 0;
  check_folder(files);
  cr_assert_gt(symbolic, 5, "%d files have symbolic dimensions", symbolic);
}

Test(symbolic, a_builder_takes_its_whole_numbers) {
  g_autoptr(GError) error = NULL;
  g_autoptr(ho_symbolic) s = ho_symbolic_open("bert-base:layers=1,seq=64", &error);
  cr_assert(s, "%s", error ? error->message : "");
  cr_assert(g_strv_contains(ho_symbolic_names(s), "seq"));
  const char *const names[] = {"seq", "batch"};
  const int64_t values[] = {32, 2};
  const ho_bindings b = {.n = 2, .name = names, .value = values};
  g_autoptr(ho_graph) now = ho_symbolic_at(s, &b, NULL);
  g_autoptr(ho_graph) afresh = ho_graph_load("bert-base:layers=1,seq=32,batch=2", NULL, NULL, NULL);
  cr_assert_str_eq(now->digest, afresh->digest);
  g_autoptr(ho_graph) as_given = ho_symbolic_at(s, NULL, NULL);
  g_autoptr(ho_graph) plain = ho_graph_load("bert-base:layers=1,seq=64", NULL, NULL, NULL);
  cr_assert_str_eq(as_given->digest, plain->digest);
}

Test(symbolic, what_has_no_open_sizes_is_refused) {
  g_autoptr(GError) error = NULL;
  cr_assert_null(ho_symbolic_open("nothing-like-it", &error));
  cr_assert(strstr(error->message, "neither a file nor a built-in model"));
  g_clear_error(&error);
  const char *source = g_getenv("HO_TEST_SRCDIR");
  g_autofree char *stg = g_build_filename(source ? source : ".", "tests", "data", "graphs", "plain.stg", NULL);
  cr_assert_null(ho_symbolic_open(stg, &error));
  cr_assert(strstr(error->message, "has fixed sizes"), "%s", error->message);
}
