/* onnx_files.c: see onnx_files.h. */
#include "tests/models-onnx/onnx_files.h"

#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

char *fixture_path(const char *name) {
  const char *source = g_getenv("HO_TEST_SRCDIR");
  return g_build_filename(source ? source : ".", "tests", "data", "onnx", name, NULL);
}

ho_graph *read_bound(const char *path, const char *bind, GError **error) {
  g_auto(GStrv) pairs = g_strsplit(bind ? bind : "", ",", -1);
  const char *names[16];
  int64_t values[16];
  ho_bindings b = {.name = names, .value = values};
  for (char **p = pairs; *p && **p; p++, b.n++) {
    char *equal = strchr(*p, '=');
    *equal = 0;
    names[b.n] = *p;
    values[b.n] = g_ascii_strtoll(equal + 1, NULL, 10);
  }
  return ho_graph_reader_onnx.read(path, &b, error);
}

ho_graph *fixture_graph(const char *name, const char *bind) {
  g_autofree char *path = fixture_path(name);
  g_autoptr(GError) error = NULL;
  ho_graph *g = read_bound(path, bind, &error);
  cr_assert_not_null(g, "%s: %s", name, error ? error->message : "no error either");
  return g;
}

char *temporary_onnx(const void *bytes, size_t size) {
  char *path = NULL;
  int fd = g_file_open_tmp("ho-onnx-XXXXXX.onnx", &path, NULL);
  cr_assert_geq(fd, 0);
  cr_assert_eq(write(fd, bytes, size), (ssize_t)size); /* not g_file_set_contents, which waits for the disk */
  close(fd);
  return path;
}

char *shared_onnx(void) {
  const char *shared = g_getenv("HO_SHARED"), *source = g_getenv("HO_TEST_SRCDIR");
  g_autofree char *folder = shared ? g_strdup(shared) : g_build_filename(source ? source : ".", "..", "shared", NULL);
  char *onnx = g_build_filename(folder, "onnx", NULL);
  if (!g_file_test(onnx, G_FILE_TEST_IS_DIR)) cr_skip("no reference data: %s is absent", onnx);
  return onnx;
}

ho_op op_that_makes(const ho_graph *g, const char *tensor) {
  const ho_tensor t = ho_graph_find_tensor(g, tensor);
  return t >= 0 ? g->tensor[t].producer : -1;
}

char *shape_text(const ho_graph *g, const char *tensor) {
  const ho_tensor t = ho_graph_find_tensor(g, tensor);
  if (t < 0) return g_strdup("absent");
  if (g->tensor[t].rank < 0) return g_strdup("?");
  GString *s = g_string_new(NULL);
  for (int32_t k = 0; k < g->tensor[t].rank; k++)
    g_string_append_printf(s, "%s%" G_GINT64_FORMAT, k ? "x" : "", g->tensor[t].shape[k]);
  return g_string_free(s, FALSE);
}
