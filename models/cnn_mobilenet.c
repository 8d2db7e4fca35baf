/* cnn_mobilenet.c: MobileNetV2 (Sandler et al., CVPR 2018), width 1.0, as torchvision has it: inverted residuals around
 * depthwise convolutions. */
#include "models/cnn.h"
#include "models/cnn_options.h"

/* Table 2 of the paper: expansion, channels, repetitions, stride of the first. */
static const struct {
  int expansion, channels, repetitions, stride;
} table[] = {{1, 16, 1, 1}, {6, 24, 2, 2}, {6, 32, 3, 2}, {6, 64, 4, 2}, {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};

/* Convolution, batch normalisation, relu6, named prefix.0, .1 and .2. */
static ho_feature conv_norm_relu(ho_net *net, const char *prefix, ho_feature x, ho_conv_shape shape) {
  g_autofree char *conv = g_strconcat(prefix, ".0", NULL), *norm = g_strconcat(prefix, ".1", NULL);
  g_autofree char *relu = g_strconcat(prefix, ".2", NULL);
  return ho_net_relu6(net, relu, ho_net_batchnorm(net, norm, ho_net_conv(net, conv, x, shape)));
}

static ho_feature inverted_residual(ho_net *net, const char *name, ho_feature x, int expansion, int64_t channels,
                                    int64_t stride) {
  ho_feature y = x;
  int n = 0; /* torchvision counts the parts of a block */
  if (expansion > 1) {
    g_autofree char *expand = g_strdup_printf("%s.conv.%d", name, n++);
    y = conv_norm_relu(net, expand, y, (ho_conv_shape){expansion * x.c, 1, 1, 0, 1, HO_BIAS_NONE});
  }
  g_autofree char *depthwise = g_strdup_printf("%s.conv.%d", name, n++);
  y = conv_norm_relu(net, depthwise, y, (ho_conv_shape){y.c, 3, stride, 1, y.c, HO_BIAS_NONE});
  g_autofree char *project = g_strdup_printf("%s.conv.%d", name, n), *norm = g_strdup_printf("%s.conv.%d", name, n + 1);
  y = ho_net_conv(net, project, y, (ho_conv_shape){channels, 1, 1, 0, 1, HO_BIAS_NONE});
  y = ho_net_batchnorm(net, norm, y);
  if (stride != 1 || x.c != channels) return y;
  g_autofree char *add = g_strconcat(name, ".add", NULL);
  return ho_net_add(net, add, x, y);
}

static ho_graph *build(const char *name, const ho_options *options, GError **error) {
  int64_t image = ho_options_int(options, "image");
  ho_net *net = ho_cnn_net(name, options);
  ho_feature x = ho_net_input(net, "image", 3, image, image);
  ho_net_group(net, "features.0");
  x = conv_norm_relu(net, "features.0", x, (ho_conv_shape){32, 3, 2, 1, 1, HO_BIAS_NONE});
  int n = 1;
  for (gsize i = 0; i < G_N_ELEMENTS(table); i++)
    for (int j = 0; j < table[i].repetitions; j++) {
      g_autofree char *block = g_strdup_printf("features.%d", n++);
      ho_net_group(net, block);
      x = inverted_residual(net, block, x, table[i].expansion, table[i].channels, j ? 1 : table[i].stride);
    }
  ho_net_group(net, "head");
  x = conv_norm_relu(net, "features.18", x, (ho_conv_shape){1280, 1, 1, 0, 1, HO_BIAS_NONE});
  x = ho_net_flatten(net, "flatten", ho_net_globalavgpool(net, "avgpool", x));
  return ho_net_finish(net, ho_net_gemm(net, "classifier.1", x, 1000), error);
}

const ho_model_builder ho_model_mobilenet_v2 = {.name = "mobilenet_v2",
                                                .summary = "depthwise separable network for phones, 3.5 M parameters",
                                                .source = "Sandler et al., CVPR 2018; torchvision",
                                                .options = ho_cnn_options,
                                                .build = build};
