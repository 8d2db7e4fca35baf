/* test_export.c: what goes back into an ONNX file is read again as what it was; what cannot go back is refused in one line. That outputs
 * stay the same is shown by tests/onnxruntime.sh. */
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <string.h>

#include "models/graph_stats.h"
#include "models/onnx_export.h"
#include "models/rewrite_json.h"
#include "models/rewrite_spec.h"
#include "onnx_files.h"

/* A folder with a copy of the fixture: what has weights beside it can be written there only. */
static char *copy_of(const char *name, char **folder) {
  g_autofree char *file = fixture_path(name), *bytes = NULL;
  gsize length = 0;
  *folder = g_dir_make_tmp("ho-export-XXXXXX", NULL);
  char *copy = g_build_filename(*folder, name, NULL);
  cr_assert(g_file_get_contents(file, &bytes, &length, NULL) && g_file_set_contents(copy, bytes, (gssize)length, NULL));
  return copy;
}

/* Rewrites the file, writes it, and reads that. *first: the graph before; both are NULL on failure, with *message. */
static ho_graph *there_and_back(const char *name, const char *spec, ho_graph **first, char **message) {
  g_autofree char *folder = NULL, *file = copy_of(name, &folder), *out = g_build_filename(folder, "out.onnx", NULL);
  g_autoptr(GError) error = NULL;
  *first = ho_graph_load(file, NULL, NULL, &error);
  cr_assert(*first, "%s", error ? error->message : "");
  g_autoptr(ho_workgraph) w = ho_workgraph_new(*first);
  g_autoptr(GPtrArray) list = ho_rewrites_new();
  ho_graph *again = ho_rewrites_by_spec(w, spec, list, &error) && ho_onnx_export(file, NULL, w, out, &error)
                        ? ho_graph_load(out, NULL, NULL, &error)
                        : NULL;
  g_unlink(out);
  g_unlink(file);
  g_rmdir(folder);
  *message = error ? g_strdup(error->message) : NULL;
  return again;
}

static double macs_of(const ho_graph *g) {
  g_autoptr(ho_graph_stats) s = ho_graph_stats_new(g);
  return s->macs;
}

static void expect_same(const char *name, const char *spec) {
  char *message = NULL;
  g_autoptr(ho_graph) first = NULL;
  g_autoptr(ho_graph) again = there_and_back(name, spec, &first, &message);
  cr_assert(again, "%s %s: %s", name, spec, message);
  cr_assert_eq(macs_of(again), macs_of(first), "%s %s: %g MACs, expected %g", name, spec, macs_of(again), macs_of(first));
  for (ho_tensor t = 0; t < first->n_tensors; t++) {
    if (!first->tensor[t].is_output) continue;
    ho_tensor u = ho_graph_find_tensor(again, first->tensor[t].name);
    cr_assert(u >= 0 && again->tensor[u].is_output, "%s %s: output '%s'", name, spec, first->tensor[t].name);
    cr_assert_eq(again->tensor[u].bytes, first->tensor[t].bytes);
  }
}

Test(export, a_rewritten_model_keeps_its_work_and_its_outputs) {
  static const char *const files[] = {"residual.onnx", "heads.onnx", "constants.onnx", "quantised.onnx"};
  static const char *const specs[] = {"fuse", "group", "remove,fold", "split", "fuse,split"};
  for (size_t f = 0; f < G_N_ELEMENTS(files); f++)
    for (size_t s = 0; s < G_N_ELEMENTS(specs); s++) expect_same(files[f], specs[s]);
}

Test(export, a_model_with_functions_of_its_own_is_refused) {
  char *message = NULL;
  g_autoptr(ho_graph) first = NULL;
  cr_assert_null(there_and_back("functions.onnx", "fuse", &first, &message));
  cr_assert(strstr(message, "functions.onnx: has model-local functions"), "%s", message);
}

Test(export, a_model_that_would_lose_weights_beside_it_is_refused) {
  g_autoptr(GError) error = NULL;
  g_autofree char *folder = NULL, *file = copy_of("residual.onnx", &folder);
  g_autoptr(ho_graph) g = ho_graph_load(file, NULL, NULL, &error);
  g_autoptr(ho_workgraph) w = ho_workgraph_new(g);
  cr_assert_not(ho_onnx_export(file, NULL, w, "/out.onnx", &error));
  cr_assert(strstr(error->message, "has weights in files beside it, which /out.onnx would not find"), "%s", error->message);
  g_unlink(file);
  g_rmdir(folder);
}

Test(export, another_graph_than_the_files_is_refused) {
  g_autoptr(GError) error = NULL;
  g_autofree char *file = fixture_path("residual.onnx");
  g_autoptr(ho_graph) other = ho_graph_load("resnet18", NULL, NULL, NULL);
  g_autoptr(ho_workgraph) w = ho_workgraph_new(other);
  cr_assert_not(ho_onnx_export(file, NULL, w, "/dev/null", &error));
  cr_assert(g_str_has_suffix(error->message, "residual.onnx: has changed since it was read"), "%s", error->message);
}
