/* cnn_resnet.c: residual networks (He, Zhang, Ren, Sun, CVPR 2016), version 1.5 as torchvision has them: the bottleneck's
 * stride is on its 3x3 convolution. Names are torchvision's; "relu1", "relu2", … are the calls of a block's one relu. */
#include <string.h>

#include "models/cnn.h"
#include "models/cnn_options.h"

typedef struct {
  const char *name;
  int bottleneck; /* 1x1, 3x3, 1x1 with four times the channels; else two 3x3 */
  int blocks[4];
} resnet;

static const resnet table[] = {
    {"resnet18", 0, {2, 2, 2, 2}},   {"resnet34", 0, {3, 4, 6, 3}},   {"resnet50", 1, {3, 4, 6, 3}},
    {"resnet101", 1, {3, 4, 23, 3}}, {"resnet152", 1, {3, 8, 36, 3}},
};

typedef struct {
  ho_net *net;
  const char *block; /* "layer1.0" */
} place;

static ho_feature conv_norm(place p, ho_feature x, const char *conv, const char *norm, int64_t channels, int64_t kernel,
                            int64_t stride) {
  g_autofree char *conv_name = g_strconcat(p.block, conv, NULL), *norm_name = g_strconcat(p.block, norm, NULL);
  x = ho_net_conv(p.net, conv_name, x, (ho_conv_shape){channels, kernel, stride, kernel / 2, 1, HO_BIAS_NONE});
  return ho_net_batchnorm(p.net, norm_name, x);
}

static ho_feature rectified(place p, ho_feature x, const char *relu) {
  g_autofree char *name = g_strconcat(p.block, relu, NULL);
  return ho_net_relu(p.net, name, x);
}

static ho_feature block(place p, ho_feature x, const resnet *r, int64_t width, int64_t stride) {
  ho_feature y, shortcut = x;
  int64_t channels = r->bottleneck ? 4 * width : width;
  if (r->bottleneck) {
    y = rectified(p, conv_norm(p, x, ".conv1", ".bn1", width, 1, 1), ".relu1");
    y = rectified(p, conv_norm(p, y, ".conv2", ".bn2", width, 3, stride), ".relu2");
    y = conv_norm(p, y, ".conv3", ".bn3", channels, 1, 1);
  } else {
    y = rectified(p, conv_norm(p, x, ".conv1", ".bn1", width, 3, stride), ".relu1");
    y = conv_norm(p, y, ".conv2", ".bn2", channels, 3, 1);
  }
  if (stride != 1 || x.c != channels) shortcut = conv_norm(p, x, ".downsample.0", ".downsample.1", channels, 1, stride);
  g_autofree char *add = g_strconcat(p.block, ".add", NULL);
  return rectified(p, ho_net_add(p.net, add, y, shortcut), r->bottleneck ? ".relu3" : ".relu2");
}

static ho_feature stage(ho_net *net, ho_feature x, const resnet *r, int i) {
  for (int j = 0; j < r->blocks[i]; j++) {
    g_autofree char *name = g_strdup_printf("layer%d.%d", i + 1, j);
    ho_net_group(net, name);
    x = block((place){net, name}, x, r, INT64_C(64) << i, i > 0 && j == 0 ? 2 : 1);
  }
  return x;
}

static ho_graph *build(const char *name, const ho_options *options, GError **error) {
  const resnet *r = table;
  while (strcmp(r->name, name) != 0) r++;
  int64_t image = ho_options_int(options, "image");
  ho_net *net = ho_cnn_net(name, options);
  ho_feature x = ho_net_input(net, "image", 3, image, image);
  ho_net_group(net, "stem");
  x = ho_net_conv(net, "conv1", x, (ho_conv_shape){64, 7, 2, 3, 1, HO_BIAS_NONE});
  x = ho_net_relu(net, "relu", ho_net_batchnorm(net, "bn1", x));
  x = ho_net_maxpool(net, "maxpool", x, 3, 2, 1);
  for (int i = 0; i < 4; i++) x = stage(net, x, r, i);
  ho_net_group(net, "head");
  x = ho_net_flatten(net, "flatten", ho_net_globalavgpool(net, "avgpool", x));
  return ho_net_finish(net, ho_net_gemm(net, "fc", x, 1000), error);
}

#define RESNET(NAME, SUMMARY)                                                                                                    \
  {                                                                                                                              \
    .name = NAME, .summary = SUMMARY, .source = "He, Zhang, Ren, Sun, CVPR 2016; torchvision's v1.5", .options = ho_cnn_options, \
    .build = build                                                                                                               \
  }

const ho_model_builder ho_model_resnet18 = RESNET("resnet18", "residual network of 18 layers, 11.7 M parameters");
const ho_model_builder ho_model_resnet34 = RESNET("resnet34", "residual network of 34 layers, 21.8 M parameters");
const ho_model_builder ho_model_resnet50 = RESNET("resnet50", "residual network of 50 layers, 25.6 M parameters");
const ho_model_builder ho_model_resnet101 = RESNET("resnet101", "residual network of 101 layers, 44.5 M parameters");
const ho_model_builder ho_model_resnet152 = RESNET("resnet152", "residual network of 152 layers, 60.2 M parameters");
