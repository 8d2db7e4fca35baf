/* source.c: the tables of readers and built-in models, and finding the right one; see source.h. */
#include "models/source.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/optparse.h"
#include "models/cnn.h"
#include "models/gnn.h"
#include "models/synthetic.h"
#include "models/transformer.h"

#define HEAD_BYTES 4096 /* a reader recognises its format by so many */

/* The first that recognises a file reads it: our own JSON stands behind the others that begin with a brace. */
const ho_graph_reader *const ho_graph_readers[] = {
    &ho_graph_reader_wfcommons,
    &ho_graph_reader_partitioning,
    &ho_graph_reader_json,
    &ho_graph_reader_dax,
    &ho_graph_reader_dot,
    &ho_graph_reader_pipedream,
    &ho_graph_reader_stg,
    &ho_graph_reader_tgff,
    &ho_graph_reader_chakra,
    &ho_graph_reader_onnx,
    NULL,
};
const ho_model_builder *const ho_model_builders[] = {&ho_model_resnet18,
                                                     &ho_model_resnet34,
                                                     &ho_model_resnet50,
                                                     &ho_model_resnet101,
                                                     &ho_model_resnet152,
                                                     &ho_model_vgg16,
                                                     &ho_model_vgg19,
                                                     &ho_model_mobilenet_v2,
                                                     &ho_model_inception_v3,
                                                     &ho_model_densenet121,
                                                     &ho_model_bert_base,
                                                     &ho_model_bert_large,
                                                     &ho_model_gpt2,
                                                     &ho_model_gpt2_medium,
                                                     &ho_model_gpt2_large,
                                                     &ho_model_gpt2_xl,
                                                     &ho_model_vit_b16,
                                                     &ho_model_llama2_7b,
                                                     &ho_model_moe,
                                                     &ho_model_two_tower,
                                                     &ho_model_gcn,
                                                     &ho_model_graphsage,
                                                     &ho_model_gat,
                                                     &ho_model_layered,
                                                     &ho_model_fork_join,
                                                     &ho_model_random_dag,
                                                     &ho_model_out_tree,
                                                     &ho_model_in_tree,
                                                     &ho_model_gaussian_elimination,
                                                     &ho_model_fft,
                                                     &ho_model_laplace,
                                                     &ho_model_cholesky,
                                                     &ho_model_lu,
                                                     &ho_model_qr,
                                                     NULL};

const ho_model_builder *ho_model_find(const char *name) {
  for (const ho_model_builder *const *m = ho_model_builders; *m; m++)
    if (strcmp((*m)->name, name) == 0) return *m;
  return NULL;
}

/* ---- files ----------------------------------------------------------------------------------------------------------- */

/* Reads up to `n` bytes of the beginning into `head`; -1 and an error when the file cannot be read. */
static gssize read_head(const char *file, unsigned char *head, size_t n, GError **error) {
  if (g_file_test(file, G_FILE_TEST_IS_DIR)) {
    ho_fail(error, HO_ERROR_INPUT, "%s: is a directory: expected a graph file", file);
    return -1;
  }
  FILE *f = g_fopen(file, "rb");
  if (!f) {
    ho_fail(error, HO_ERROR_IO, "%s: %s", file, g_strerror(errno));
    return -1;
  }
  size_t got = fread(head, 1, n, f);
  fclose(f);
  return (gssize)got;
}

/* What a pipe has given is gone: it is not looked at first. A missing file is left to read_head. */
static gboolean can_be_opened_twice(const char *file) {
  if (strcmp(file, "-") == 0) return FALSE;
  return g_file_test(file, G_FILE_TEST_IS_REGULAR | G_FILE_TEST_IS_DIR) || !g_file_test(file, G_FILE_TEST_EXISTS);
}

static ho_graph *read_with(const ho_graph_reader *r, const char *shown, const char *file, const ho_bindings *bindings,
                           GError **error) {
  if (r->measured || !bindings || bindings->n_devices == 0) return r->read(file, bindings, error);
  ho_fail(error, HO_ERROR_INPUT, "%s: --device: a file of the format %s does not leave open where its times were measured", shown,
          r->name);
  return NULL;
}

static gboolean looks_like_trace(const unsigned char *head, size_t n) {
  return n > 0 && memmem(head, n, "\"traceEvents\"", strlen("\"traceEvents\"")) &&
         !memmem(head, n, "heteroopt-graph/", strlen("heteroopt-graph/"));
}

const ho_graph_reader *ho_graph_reader_of(const char *file, GError **error) {
  unsigned char head[HEAD_BYTES];
  gssize n = read_head(file, head, sizeof head, error);
  if (n < 0) return NULL;
  if (looks_like_trace(head, (size_t)n)) {
    ho_fail(error, HO_ERROR_INPUT,
            "%s: a profiler's trace has times and no graph: expected a graph, over which graph convert --times lays them", file);
    return NULL;
  }
  g_autoptr(GString) known = g_string_new(NULL);
  for (const ho_graph_reader *const *r = ho_graph_readers; *r; r++) {
    if ((*r)->sniff(file, head, (size_t)n)) return *r;
    g_string_append_printf(known, "%s%s (%s)", known->len ? ", " : "", (*r)->name, (*r)->extension);
  }
  ho_fail(error, HO_ERROR_INPUT, "%s: %s: expected one of %s", file, n ? "the format is not known" : "the file is empty",
          known->str);
  return NULL;
}

static ho_graph *load_file(const char *file, const char *const *extra, const ho_bindings *bindings, GError **error) {
  for (; extra && *extra; extra++) {
    if (strcmp(*extra, "mode=inference") == 0) continue;
    g_autofree char *shown = ho_printable(*extra);
    ho_fail(error, HO_ERROR_INPUT, "%s: '%s' is an option of built-in models: a file is taken as it is (mode=inference)", file,
            shown);
    return NULL;
  }
  if (!can_be_opened_twice(file))
    return read_with(&ho_graph_reader_json, strcmp(file, "-") == 0 ? "standard input" : file, file, bindings, error);
  const ho_graph_reader *r = ho_graph_reader_of(file, error);
  return r ? read_with(r, file, file, bindings, error) : NULL;
}

/* ---- built-in models ------------------------------------------------------------------------------------------------- */

static ho_graph *fail_unknown(const char *name, GError **error) {
  g_autoptr(GPtrArray) names = g_ptr_array_new();
  for (const ho_model_builder *const *m = ho_model_builders; *m; m++) g_ptr_array_add(names, (gpointer)(*m)->name);
  g_ptr_array_add(names, NULL);
  const char *near = ho_did_you_mean(name, (const char *const *)names->pdata);
  g_autofree char *list = g_strjoinv(", ", (char **)names->pdata), *shown = ho_printable(name);
  if (near)
    ho_fail(error, HO_ERROR_INPUT, "'%s' is neither a file nor a built-in model (did you mean '%s'?)", shown, near);
  else
    ho_fail(error, HO_ERROR_INPUT, "'%s' is neither a file nor a built-in model: expected a path or one of %s", shown, list);
  return NULL;
}

static gboolean has_option(const ho_model_builder *model, const char *name) {
  for (const ho_option *o = model->options; o && o->name; o++)
    if (strcmp(o->name, name) == 0) return TRUE;
  return FALSE;
}

/* A model without modes is what inference means. */
static void append_options(GPtrArray *list, const ho_model_builder *model, const char *const *texts) {
  for (; texts && *texts; texts++)
    if (strcmp(*texts, "mode=inference") != 0 || has_option(model, "mode")) g_ptr_array_add(list, (gpointer)*texts);
}

static ho_graph *load_built_in(const char *spec, const char *const *extra, const ho_bindings *bindings, GError **error) {
  g_autofree char *name = NULL;
  g_auto(GStrv) given = NULL;
  ho_spec_split(spec, &name, &given);
  const ho_model_builder *model = ho_model_find(name);
  if (!model) return fail_unknown(name, error);
  if (bindings && bindings->n_devices > 0) {
    ho_fail(error, HO_ERROR_INPUT, "%s: --device: a built-in model has no measured times", name);
    return NULL;
  }
  if (bindings && bindings->n > 0) {
    ho_fail(error, HO_ERROR_INPUT, "%s: '%s' cannot be bound: a built-in model takes options, as in %s:k=v", name,
            bindings->name[0], name);
    return NULL;
  }
  g_autoptr(GPtrArray) all = g_ptr_array_new();
  append_options(all, model, (const char *const *)given);
  append_options(all, model, extra);
  g_ptr_array_add(all, NULL);
  g_autoptr(ho_options) options = ho_options_parse(model->options, (const char *const *)all->pdata, name, error);
  return options ? model->build(model->name, options, error) : NULL;
}

/* A path: '-', or what has a '.' or '/' before the first ':'. A file whose name looks like neither is found all the same. */
static gboolean is_file(const char *spec) {
  size_t n = strcspn(spec, ":");
  for (size_t i = 0; i < n; i++)
    if (spec[i] == '.' || spec[i] == '/') return TRUE;
  return strcmp(spec, "-") == 0;
}

gboolean ho_graph_spec_is_file(const char *spec) {
  if (is_file(spec)) return TRUE;
  g_autofree char *name = g_strndup(spec, strcspn(spec, ":"));
  return !ho_model_find(name) && g_file_test(spec, G_FILE_TEST_EXISTS);
}

ho_graph *ho_graph_load(const char *spec, const char *const *extra, const ho_bindings *bindings, GError **error) {
  return ho_graph_spec_is_file(spec) ? load_file(spec, extra, bindings, error) : load_built_in(spec, extra, bindings, error);
}
