/* cnn_densenet.c: DenseNet-121 (Huang, Liu, van der Maaten, Weinberger, CVPR 2017), as torchvision has it: every layer reads
 * the outputs of all layers of its block before it, side by side. Names are torchvision's. */
#include "models/cnn.h"
#include "models/cnn_options.h"

#define GROWTH 32
#define BOTTLENECK (4 * GROWTH)
#define MOST_LAYERS 24

static const int blocks[] = {6, 12, 24, 16};

static ho_feature norm_relu(ho_net *net, ho_feature x, const char *prefix, const char *norm, const char *relu) {
  g_autofree char *norm_name = g_strconcat(prefix, norm, NULL), *relu_name = g_strconcat(prefix, relu, NULL);
  return ho_net_relu(net, relu_name, ho_net_batchnorm(net, norm_name, x));
}

static ho_feature conv(ho_net *net, ho_feature x, const char *prefix, const char *suffix, int64_t channels, int64_t kernel) {
  g_autofree char *name = g_strconcat(prefix, suffix, NULL);
  return ho_net_conv(net, name, x, (ho_conv_shape){channels, kernel, 1, kernel / 2, 1, HO_BIAS_NONE});
}

static ho_feature joined(ho_net *net, const char *prefix, const ho_feature *x, int32_t n) {
  g_autofree char *name = g_strconcat(prefix, ".concat", NULL);
  return n > 1 ? ho_net_concat(net, name, x, n) : x[0];
}

static ho_feature dense_block(ho_net *net, ho_feature x, int block) {
  ho_feature all[MOST_LAYERS + 1] = {x};
  for (int i = 0; i < blocks[block]; i++) {
    g_autofree char *layer = g_strdup_printf("features.denseblock%d.denselayer%d", block + 1, i + 1);
    ho_net_group(net, layer);
    ho_feature y = norm_relu(net, joined(net, layer, all, i + 1), layer, ".norm1", ".relu1");
    y = norm_relu(net, conv(net, y, layer, ".conv1", BOTTLENECK, 1), layer, ".norm2", ".relu2");
    all[i + 1] = conv(net, y, layer, ".conv2", GROWTH, 3);
  }
  g_autofree char *name = g_strdup_printf("features.denseblock%d", block + 1);
  ho_net_group(net, name);
  return joined(net, name, all, blocks[block] + 1);
}

static ho_feature transition(ho_net *net, ho_feature x, int block) {
  g_autofree char *name = g_strdup_printf("features.transition%d", block + 1), *pool = g_strconcat(name, ".pool", NULL);
  ho_net_group(net, name);
  x = conv(net, norm_relu(net, x, name, ".norm", ".relu"), name, ".conv", x.c / 2, 1);
  return ho_net_avgpool(net, pool, x, 2, 2, 0);
}

static ho_graph *build(const char *name, const ho_options *options, GError **error) {
  int64_t image = ho_options_int(options, "image");
  ho_net *net = ho_cnn_net(name, options);
  ho_feature x = ho_net_input(net, "image", 3, image, image);
  ho_net_group(net, "stem");
  x = ho_net_conv(net, "features.conv0", x, (ho_conv_shape){2 * GROWTH, 7, 2, 3, 1, HO_BIAS_NONE});
  x = ho_net_maxpool(net, "features.pool0", norm_relu(net, x, "features", ".norm0", ".relu0"), 3, 2, 1);
  for (int i = 0; i < 4; i++) {
    x = dense_block(net, x, i);
    if (i < 3) x = transition(net, x, i);
  }
  ho_net_group(net, "head");
  x = norm_relu(net, x, "features", ".norm5", ".relu5");
  x = ho_net_flatten(net, "flatten", ho_net_globalavgpool(net, "avgpool", x));
  return ho_net_finish(net, ho_net_gemm(net, "classifier", x, 1000), error);
}

const ho_model_builder ho_model_densenet121 = {.name = "densenet121",
                                               .summary = "densely connected network of 121 layers, 8.0 M parameters",
                                               .source = "Huang, Liu, van der Maaten, Weinberger, CVPR 2017; torchvision",
                                               .options = ho_cnn_options,
                                               .build = build};
