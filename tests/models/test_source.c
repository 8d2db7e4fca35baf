/* test_source.c: a graph from a specification. */
#include <criterion/criterion.h>
#include <string.h>

#include "graphs.h"

static void expect_failure(const char *spec, const char *const *extra, const char *part) {
  g_autoptr(GError) error = NULL;
  g_autoptr(ho_graph) g = ho_graph_load(spec, extra, NULL, &error);
  cr_assert_null(g, "%s", spec);
  cr_assert_not_null(strstr(error->message, part), "'%s' is not in: %s", part, error->message);
  cr_assert_null(strchr(error->message, '\n'));
}

Test(source, a_built_in_is_named_with_or_without_options) {
  g_autoptr(GError) error = NULL;
  g_autoptr(ho_graph) g = ho_graph_load("resnet18", NULL, NULL, &error);
  g_autoptr(ho_graph) h = ho_graph_load("resnet18:batch=1:image=224", NULL, NULL, &error);
  cr_assert(g && h);
  cr_assert_str_eq(g->digest, h->digest);
  cr_assert_str_eq(g->source, h->source, "the canonical specification");
  cr_assert_not_null(strstr(g->source, "mode=inference"));
}

Test(source, options_of_a_config_add_to_those_of_the_specification) {
  const char *const training[] = {"mode=training", NULL}, *const inference[] = {"mode=inference", NULL};
  g_autoptr(ho_graph) g = ho_graph_load("resnet18:batch=2", training, NULL, NULL);
  cr_assert_eq(g->samples, 2);
  cr_assert_eq(g->op[g->n_ops - 1].phase, HO_PHASE_UPDATE);
  expect_failure("resnet18:mode=inference", training, "mode");
  g_autoptr(ho_graph) layered = ho_graph_load("layered:ops=5", inference, NULL, NULL);
  cr_assert_not_null(layered, "a model without modes is what inference means");
  expect_failure("layered:ops=5", training, "mode");
}

Test(source, what_is_neither_file_nor_model_is_refused) {
  expect_failure("resnet5", NULL, "did you mean 'resnet");
  expect_failure("certainly-not-a-model", NULL, "expected a path or one of");
  expect_failure("resnet50:batchsize=8", NULL, "batch");
  expect_failure("resnet50:batch=0", NULL, "batch");
  expect_failure("no-such-file.json", NULL, "no-such-file.json: No such file");
  expect_failure("./no/such/model.onnx", NULL, "No such file");
  expect_failure("", NULL, "neither a file nor a built-in");
}

Test(source, a_file_has_neither_modes_nor_options) {
  const char *const training[] = {"mode=training", NULL};
  expect_failure("no-such-file.json", training, "option of built-in models");
  g_autofree char *directory = g_strconcat(g_get_tmp_dir(), "/.", NULL);
  expect_failure(directory, NULL, "is a directory");
}

Test(source, a_built_in_has_nothing_to_bind) {
  const char *const name[] = {"seq"};
  const int64_t value[] = {128};
  ho_bindings bindings = {1, name, value};
  g_autoptr(GError) error = NULL;
  cr_assert_null(ho_graph_load("resnet18", NULL, &bindings, &error));
  cr_assert_not_null(strstr(error->message, "'seq' cannot be bound"));
}

Test(source, every_built_in_says_what_it_is) {
  for (int i = 0; ho_model_builders[i]; i++) {
    const ho_model_builder *m = ho_model_builders[i];
    cr_assert_eq(ho_model_find(m->name), m);
    cr_assert(m->summary && m->source && m->options && m->build, "%s", m->name);
    g_autoptr(ho_graph) g = ho_graph_load(m->name, NULL, NULL, NULL);
    cr_assert_not_null(g, "%s has defaults that work", m->name);
    cr_assert_str_eq(g->name, m->name);
    cr_assert(g_str_has_prefix(g->source, m->name));
  }
  cr_assert_null(ho_model_find("resnet"));
}
