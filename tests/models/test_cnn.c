/* test_cnn.c: the convolutional models against published counts. Parameters are torchvision's `num_params` of the same weights;
 * multiply-accumulates its `_ops` (GFLOPS there count a multiply-add once), for ResNet-50 the exact sum over the nodes of an
 * ONNX export (Conv = numel(Y)·prod(W.shape[1:]), Gemm = M·N·K). */
#include <criterion/criterion.h>
#include <string.h>

#include "graphs.h"
#include "models/graph_stats.h"

static ho_graph *model(const char *spec) {
  GError *error = NULL;
  ho_graph *g = ho_graph_load(spec, NULL, NULL, &error);
  cr_assert_not_null(g, "%s", error ? error->message : "");
  return g;
}

static int32_t count(const ho_graph_stats *s, const char *kind) {
  for (int32_t k = 0; k < s->n_kinds; k++)
    if (strcmp(s->kinds[k].kind, kind) == 0) return s->kinds[k].ops;
  return 0;
}

Test(cnn, parameters_and_macs_are_the_published_ones) {
  static const struct {
    const char *name;
    int64_t parameters;
    double gmacs; /* three digits after the point */
  } published[] = {
      {"resnet18", 11689512, 1.814},     {"resnet34", 21797672, 3.664},    {"resnet50", 25557032, 4.089},
      {"resnet101", 44549160, 7.801},    {"resnet152", 60192808, 11.514},  {"vgg16", 138357544, 15.470},
      {"vgg19", 143667240, 19.632},      {"mobilenet_v2", 3504872, 0.301}, {"densenet121", 7978856, 2.834},
      {"inception_v3", 23834568, 5.713},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(published); i++) {
    g_autoptr(ho_graph) g = model(published[i].name);
    g_autoptr(ho_graph_stats) s = ho_graph_stats_new(g);
    cr_expect_eq(s->parameters, published[i].parameters, "%s", published[i].name);
    cr_expect_float_eq(s->macs / 1e9, published[i].gmacs, 0.0005, "%s: %.17g", published[i].name, s->macs);
  }
}

Test(cnn, resnet50_has_the_ops_of_its_description) {
  g_autoptr(ho_graph) g = model("resnet50");
  g_autoptr(ho_graph_stats) s = ho_graph_stats_new(g);
  cr_assert_eq(s->macs, 4087136256.0 + 2048000.0, "convolutions and the classifier, as in the ONNX export");
  cr_assert_eq(count(s, "conv"), 53);
  cr_assert_eq(count(s, "batchnorm"), 53);
  cr_assert_eq(count(s, "relu"), 49);
  cr_assert_eq(count(s, "add"), 16);
  cr_assert_eq(count(s, "maxpool"), 1);
  cr_assert_eq(count(s, "globalavgpool"), 1);
  cr_assert_eq(count(s, "gemm"), 1);
  cr_assert_eq(g->n_ops, 175, "176 nodes of the ONNX export, without its softmax");
  cr_assert_eq(g->n_edges, 190);
  /* reads and writes without weights, as measured over the same export's tensors: 323.6 MB */
  cr_assert_float_eq((s->bytes - (double)s->weight_bytes) / 1e6, 323.6, 0.1);
}

/* Elements that convolutions give out: 11.11 M (pytorch-image-models, macts of resnet50), 6.68 M (mobilenetv2_100). */
Test(cnn, activations_of_convolutions_are_the_published_ones) {
  static const struct {
    const char *name;
    double millions;
  } published[] = {{"resnet50", 11.11}, {"mobilenet_v2", 6.68}, {"vgg16", 13.56}, {"inception_v3", 8.97}};
  for (size_t i = 0; i < G_N_ELEMENTS(published); i++) {
    g_autoptr(ho_graph) g = model(published[i].name);
    double elements = 0;
    for (ho_op o = 0; o < g->n_ops; o++)
      if (ho_family_has_macs(g->op[o].family)) elements += (double)g->tensor[g->out[g->out_start[o]]].bytes / 4;
    cr_expect_float_eq(elements / 1e6, published[i].millions, 0.005, "%s: %g", published[i].name, elements);
  }
}

Test(cnn, mobilenet_v2_has_17_depthwise_convolutions_and_10_shortcuts) {
  g_autoptr(ho_graph) g = model("mobilenet_v2");
  g_autoptr(ho_graph_stats) s = ho_graph_stats_new(g);
  cr_assert_eq(count(s, "conv") + count(s, "depthwise_conv"), 52);
  cr_assert_eq(count(s, "depthwise_conv"), 17);
  cr_assert_eq(count(s, "add"), 10);
}

Test(cnn, work_grows_with_the_batch_and_weights_do_not) {
  g_autoptr(ho_graph) one = model("resnet50");
  g_autoptr(ho_graph) eight = model("resnet50:batch=8");
  g_autoptr(ho_graph_stats) s = ho_graph_stats_new(one);
  g_autoptr(ho_graph_stats) t = ho_graph_stats_new(eight);
  cr_assert_eq(t->macs, 8 * s->macs);
  cr_assert_eq(t->parameters, s->parameters);
  cr_assert_eq(t->activation_bytes, 8 * s->activation_bytes);
  cr_assert_eq(eight->samples, 8);
}

Test(cnn, half_the_bits_are_half_the_bytes) {
  g_autoptr(ho_graph) full = model("resnet50");
  g_autoptr(ho_graph) half = model("resnet50:precision=fp16");
  g_autoptr(ho_graph_stats) s = ho_graph_stats_new(full);
  g_autoptr(ho_graph_stats) t = ho_graph_stats_new(half);
  cr_assert_eq(2 * t->bytes, s->bytes);
  cr_assert_eq(t->parameters, s->parameters);
  cr_assert_eq(ho_graph_op_dtype(half, 0), HO_FP16);
}

typedef struct {
  double flops, read, write;
} work;

static int by_work(const void *a, const void *b) {
  return memcmp(a, b, sizeof(work));
} /* any order will do */

/* Work of all ops of a kind, sorted. */
static GArray *work_of(const ho_graph *g, const char *kind) {
  GArray *list = g_array_new(FALSE, FALSE, sizeof(work));
  for (ho_op o = 0; o < g->n_ops; o++) {
    work w = {g->op[o].flops, g->op[o].read, g->op[o].write};
    if (strcmp(g->op[o].kind, kind) == 0) g_array_append_val(list, w);
  }
  g_array_sort(list, by_work);
  return list;
}

/* An export that this project did not make, by way of the ONNX reader: two ways to the same numbers. */
Test(cnn, resnet50_agrees_op_by_op_with_an_onnx_export) {
  static const char *const kinds[][2] = {
      {"conv", "conv"}, {"relu", "relu"}, {"maxpool", "maxpool"}, {"gemm", "gemm"}, {"add", "sum"}};
  g_autofree char *file = shared_file("onnx/files/light_resnet50.onnx");
  g_autoptr(ho_graph) built = model("resnet50");
  g_autoptr(ho_graph) read = model(file);
  for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
    g_autoptr(GArray) a = work_of(built, kinds[i][0]);
    g_autoptr(GArray) b = work_of(read, kinds[i][1]);
    cr_assert_gt(a->len, 0);
    cr_assert_eq(a->len, b->len, "%s: %u and %u", kinds[i][0], a->len, b->len);
    cr_expect_arr_eq(a->data, b->data, a->len * sizeof(work), "%s", kinds[i][0]);
  }
}

/* ---- branches ------------------------------------------------------------------------------------------------------- */

/* torchvision's num_params of Inception v3 includes the auxiliary classifier, its _ops do not. */
Test(cnn, inception_v3_has_its_auxiliary_classifier_when_asked_for) {
  g_autoptr(ho_graph) g = model("inception_v3:aux=yes");
  g_autoptr(ho_graph) without = model("inception_v3");
  g_autoptr(ho_graph_stats) s = ho_graph_stats_new(g);
  g_autoptr(ho_graph_stats) t = ho_graph_stats_new(without);
  cr_assert_eq(s->parameters, 27161264);
  cr_assert_eq(t->parameters, 27161264 - (768 * 128 + 2 * 128 + 128 * 768 * 25 + 2 * 768 + 768 * 1000 + 1000));
  cr_assert_eq(count(s, "conv"), 96);
  cr_assert_eq(count(t, "conv"), 94);
  cr_assert_eq(count(t, "concat"), 11 + 4, "a module ends in one; two modules have two more inside");
  g_autoptr(GError) error = NULL;
  cr_assert_null(ho_graph_load("inception_v3:aux=yes,image=224", NULL, NULL, &error));
  cr_assert_not_null(strstr(error->message, "needs 299"));
}

Test(cnn, both_losses_of_inception_v3_train_the_trunk) {
  g_autoptr(ho_graph) g = model("inception_v3:aux=yes,mode=training");
  g_autoptr(ho_graph_stats) s = ho_graph_stats_new(g);
  cr_assert_eq(count(s, "loss"), 2);
  cr_assert_geq(ho_graph_find_op(g, "AuxLogits.pool.grad"), 0);
  g_autoptr(ho_graph) inference = model("inception_v3:aux=yes");
  g_autoptr(ho_graph_stats) t = ho_graph_stats_new(inference);
  cr_assert_eq(s->macs, 3 * t->macs - 149.0 * 149 * 32 * 27, "the image needs no gradient");
}

Test(cnn, a_layer_of_densenet121_reads_all_before_it) {
  g_autoptr(ho_graph) g = model("densenet121");
  ho_op o = ho_graph_find_op(g, "features.denseblock3.denselayer24.concat");
  cr_assert_eq(g->in_start[o + 1] - g->in_start[o], 24);
  cr_assert_eq(g->tensor[g->out[g->out_start[o]]].shape[1], 256 + 23 * 32);
  g_autoptr(ho_graph_stats) s = ho_graph_stats_new(g);
  cr_assert_eq(count(s, "conv"), 120, "and the classifier are 121 layers");
  cr_assert_eq(count(s, "batchnorm"), 121);
}

/* ---- training -------------------------------------------------------------------------------------------------------- */

Test(cnn, training_costs_three_times_inference_but_for_the_first_layers_input) {
  g_autoptr(ho_graph) g = model("resnet50:mode=training");
  g_autoptr(ho_graph) inference = model("resnet50");
  g_autoptr(ho_graph_stats) s = ho_graph_stats_new(g);
  g_autoptr(ho_graph_stats) t = ho_graph_stats_new(inference);
  double first = 112.0 * 112 * 64 * 3 * 7 * 7; /* conv1 needs no gradient of the image */
  cr_assert_eq(s->macs, 3 * t->macs - first);
  cr_assert_eq(s->parameters, 25557032, "optimiser state is not parameters");
  cr_assert_eq(count(s, "conv_wgrad"), 53);
  cr_assert_eq(count(s, "conv_dgrad"), 52);
  cr_assert_eq(count(s, "relu_grad"), 49);
  cr_assert_eq(count(s, "sgd"), 53 + 53 + 1);
  cr_assert_eq(count(s, "add"), 16 + 16, "every shortcut's two gradients are added");
  cr_assert_eq(s->weight_bytes, 2 * t->weight_bytes, "weights and momentum");
}

Test(cnn, every_forward_parameter_is_updated_in_place_once) {
  g_autoptr(ho_graph) g = model("resnet18:mode=training");
  g_autofree int *updates = g_new0(int, g->n_tensors);
  for (ho_tensor t = 0; t < g->n_tensors; t++) {
    const ho_tensor_info *v = &g->tensor[t];
    if (v->producer >= 0 && g->op[v->producer].phase == HO_PHASE_UPDATE) {
      cr_assert_neq(v->root, t, "%s takes memory of its own", v->name);
      cr_assert_eq(g->tensor[v->root].role, HO_ROLE_WEIGHT);
      cr_assert_eq(v->bytes, g->tensor[v->root].bytes);
      updates[v->root]++;
    }
  }
  for (ho_tensor t = 0; t < g->n_tensors; t++)
    if (g->tensor[t].role == HO_ROLE_WEIGHT) cr_assert_eq(updates[t], 1, "%s", g->tensor[t].name);
}

Test(cnn, saved_activations_live_until_their_gradients) {
  g_autoptr(ho_graph) g = model("resnet18:mode=training");
  for (ho_op o = 0; o < g->n_ops; o++) {
    if (g->op[o].family != HO_FAMILY_CONV || g->op[o].phase != HO_PHASE_FORWARD) continue;
    g_autofree char *name = g_strconcat(g->op[o].name, ".wgrad", NULL);
    ho_op gradient = ho_graph_find_op(g, name);
    cr_assert_geq(gradient, 0, "%s", name);
    int shared = 0; /* the activation that both read */
    for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++)
      for (int32_t j = g->in_start[gradient]; j < g->in_start[gradient + 1]; j++)
        shared += g->in[i] == g->in[j] && g->tensor[g->in[i]].role != HO_ROLE_WEIGHT;
    cr_assert_eq(shared, 1, "%s", name);
  }
}

Test(cnn, every_model_trains_and_only_losses_and_updates_come_out) {
  static const char *const names[] = {"resnet18", "resnet50", "vgg16", "mobilenet_v2", "inception_v3", "densenet121"};
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
    g_autofree char *spec = g_strconcat(names[i], ":mode=training,batch=2", NULL);
    g_autoptr(ho_graph) g = model(spec);
    for (ho_tensor t = 0; t < g->n_tensors; t++) {
      const ho_tensor_info *v = &g->tensor[t];
      if (!v->is_output) continue;
      gboolean expected = g->op[v->producer].phase == HO_PHASE_UPDATE || strcmp(v->name, "loss.value") == 0;
      cr_expect(expected, "%s: %s is an output", spec, v->name);
    }
  }
}
