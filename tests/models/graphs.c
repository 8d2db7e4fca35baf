/* graphs.c: see graphs.h. */
#include "graphs.h"

#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <string.h>

/* ---- random graphs --------------------------------------------------------------------------------------------------- */

static gboolean chance(ho_stream *s, double p) {
  return ho_stream_uniform(s) < p;
}

static ho_op random_op(ho_stream *s, ho_graph_build *b, int32_t i) {
  static const char *const kinds[] = {"conv", "gemm", "relu", "somebody's own kind", "add_grad"};
  static const char *const layers[] = {NULL, "block1", "block \"2\"\\", "блок"};
  char name[48];
  g_snprintf(name, sizeof name, i % 7 ? "op%d" : "op \"%d\"\t\\é", i);
  ho_op_info op = ho_op_info_init(name, kinds[ho_stream_below(s, G_N_ELEMENTS(kinds))]);
  op.layer = layers[ho_stream_below(s, G_N_ELEMENTS(layers))];
  op.phase = (ho_phase)ho_stream_below(s, 3);
  op.flops = chance(s, 0.2) ? 0 : 1e9 * ho_stream_uniform(s);
  if (chance(s, 0.3)) op.read = floor(1e6 * ho_stream_uniform(s));
  if (chance(s, 0.3)) op.write = 1e6 * ho_stream_uniform(s);
  op.workspace = chance(s, 0.5) ? 0 : (int64_t)ho_stream_below(s, 1u << 20);
  op.parallelism = chance(s, 0.5) ? 0 : (double)ho_stream_below(s, 100000);
  op.sensitivity = chance(s, 0.8) ? 0 : ho_stream_uniform(s);
  op.release = chance(s, 0.8) ? 0 : ho_stream_uniform(s);
  op.priority = chance(s, 0.8) ? 0 : ho_stream_uniform(s) - 0.5;
  ho_op o = ho_graph_build_op(b, &op);
  if (chance(s, 0.3)) ho_graph_build_time(b, o, "gpu0", ho_stream_uniform(s));
  if (chance(s, 0.3)) ho_graph_build_time(b, o, "cpu", chance(s, 0.2) ? 0 : ho_stream_uniform(s));
  return o;
}

static ho_tensor random_tensor(ho_stream *s, ho_graph_build *b, int32_t i, ho_op producer) {
  static const ho_dtype dtypes[] = {HO_FP32, HO_FP16, HO_INT4, HO_INT64, HO_BOOL, HO_COMPLEX128};
  char name[32];
  g_snprintf(name, sizeof name, "t%d", i);
  int64_t shape[3];
  for (int k = 0; k < 3; k++) shape[k] = (int64_t)ho_stream_below(s, 20);
  int32_t rank = (int32_t)ho_stream_below(s, 5) - 1;
  ho_dtype dtype = dtypes[ho_stream_below(s, G_N_ELEMENTS(dtypes))];
  ho_role role = chance(s, 0.5) ? HO_ROLE_INPUT : HO_ROLE_WEIGHT;
  ho_tensor t = ho_graph_build_tensor(b, name, dtype, MIN(rank, 3), shape, (int64_t)ho_stream_below(s, 1u << 30), role, producer);
  if (producer < 0 && role == HO_ROLE_INPUT && chance(s, 0.3)) ho_graph_build_memory(b, t, "hbm0");
  if (chance(s, 0.1)) ho_graph_build_output(b, t);
  if (t > 0 && chance(s, 0.1)) ho_graph_build_alias(b, t, (ho_tensor)ho_stream_below(s, (uint64_t)t));
  return t;
}

/* Ops are numbered against the order of their edges by a random permutation, so that index order is not topological. */
ho_graph *random_graph(ho_stream *s, int32_t n) {
  ho_graph_build *b = ho_graph_build_new("random \"graph\"", "random");
  if (chance(s, 0.3)) ho_graph_build_set(b, ho_stream_uniform(s), 1 + (double)ho_stream_below(s, 64));
  if (chance(s, 0.3)) ho_graph_build_note(b, 3, "three ops are not known");
  g_autofree int32_t *place = g_new(int32_t, n);
  for (int32_t i = 0; i < n; i++) {
    random_op(s, b, i);
    place[i] = i;
  }
  ho_stream_shuffle(s, place, n);
  for (int32_t i = 0; i < 2 * n; i++) {
    int32_t from = (int32_t)ho_stream_below(s, (uint64_t)n);
    ho_tensor t = random_tensor(s, b, i, chance(s, 0.7) ? place[from] : -1);
    int32_t readers = (int32_t)ho_stream_below(s, 4);
    for (int32_t k = 0; k < readers && from + 1 < n; k++)
      ho_graph_build_consume(b, t, place[from + 1 + (int32_t)ho_stream_below(s, (uint64_t)(n - from - 1))]);
  }
  GError *error = NULL;
  ho_graph *g = ho_graph_build_finish(b, &error);
  cr_assert_not_null(g, "%s", error ? error->message : "");
  return g;
}

ho_graph *built_in(const char *spec) {
  GError *error = NULL;
  ho_graph *g = ho_graph_load(spec, NULL, NULL, &error);
  cr_assert_not_null(g, "%s", error ? error->message : "");
  return g;
}

/* ---- files ----------------------------------------------------------------------------------------------------------- */

static char *temporary_file(void) {
  char *path = NULL;
  int fd = g_file_open_tmp("ho-graph-XXXXXX.json", &path, NULL);
  cr_assert(fd >= 0);
  g_close(fd, NULL);
  return path;
}

ho_graph *graph_of_text(const char *text, char **message) {
  g_autofree char *path = temporary_file();
  cr_assert(g_file_set_contents_full(path, text, -1, G_FILE_SET_CONTENTS_NONE, 0600, NULL)); /* without fsync */
  g_autoptr(GError) error = NULL;
  ho_graph *g = ho_graph_load(path, NULL, NULL, &error);
  g_unlink(path);
  *message = NULL;
  if (g) return g;
  cr_assert_not_null(error);
  cr_assert_null(strchr(error->message, '\n'), "%s", error->message);
  cr_assert(g_str_has_prefix(error->message, path), "%s", error->message);
  *message = g_strdup(error->message + strlen(path) + 1);
  return NULL;
}

char *text_of_graph(const ho_graph *g) {
  g_autofree char *path = temporary_file();
  GError *error = NULL;
  cr_assert(ho_graph_write_json(g, path, &error));
  char *text = NULL;
  cr_assert(g_file_get_contents(path, &text, NULL, NULL));
  g_unlink(path);
  return text;
}

char *shared_file(const char *name) {
  const char *given = g_getenv("HO_SHARED"), *top = g_getenv("HO_TEST_SRCDIR");
  g_autofree char *folder = given ? g_strdup(given) : g_build_filename(top ? top : ".", "..", "shared", NULL);
  char *file = g_build_filename(folder, name, NULL);
  if (!g_file_test(file, G_FILE_TEST_EXISTS)) cr_skip_test("no reference data: %s is absent", file);
  return file;
}
