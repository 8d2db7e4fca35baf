/* cnn_vgg.c: VGG (Simonyan & Zisserman, ICLR 2015), configurations D and E, as torchvision has them without batch
 * normalisation. Dropout, which does nothing in inference, is left out in training too. */
#include <string.h>

#include "models/cnn.h"
#include "models/cnn_options.h"

typedef struct {
  const char *name;
  int convs[5]; /* before each halving */
} vgg;

static const vgg table[] = {{"vgg16", {2, 2, 3, 3, 3}}, {"vgg19", {2, 2, 4, 4, 4}}};

static ho_feature features(ho_net *net, ho_feature x, const vgg *v) {
  static const int64_t width[] = {64, 128, 256, 512, 512};
  int n = 0; /* torchvision counts convolutions, relus and pools together */
  for (int i = 0; i < 5; i++) {
    g_autofree char *group = g_strdup_printf("stage%d", i + 1), *pool = g_strdup_printf("features.%d", n + 2 * v->convs[i]);
    ho_net_group(net, group);
    for (int j = 0; j < v->convs[i]; j++, n += 2) {
      g_autofree char *conv = g_strdup_printf("features.%d", n), *relu = g_strdup_printf("features.%d", n + 1);
      x = ho_net_conv(net, conv, x, (ho_conv_shape){width[i], 3, 1, 1, 1, HO_BIAS});
      x = ho_net_relu(net, relu, x);
    }
    x = ho_net_maxpool(net, pool, x, 2, 2, 0);
    n++;
  }
  return x;
}

static ho_graph *build(const char *name, const ho_options *options, GError **error) {
  const vgg *v = table;
  while (strcmp(v->name, name) != 0) v++;
  ho_net *net = ho_cnn_net(name, options);
  ho_feature x = features(net, ho_net_input(net, "image", 3, 224, 224), v);
  ho_net_group(net, "classifier");
  x = ho_net_flatten(net, "flatten", x);
  x = ho_net_relu(net, "classifier.1", ho_net_gemm(net, "classifier.0", x, 4096));
  x = ho_net_relu(net, "classifier.4", ho_net_gemm(net, "classifier.3", x, 4096));
  return ho_net_finish(net, ho_net_gemm(net, "classifier.6", x, 1000), error);
}

#define VGG_SOURCE "Simonyan & Zisserman, ICLR 2015; torchvision"

const ho_model_builder ho_model_vgg16 = {.name = "vgg16",
                                         .summary = "VGG of 16 layers, 138 M parameters",
                                         .source = VGG_SOURCE,
                                         .options = ho_cnn_fixed_options,
                                         .build = build};
const ho_model_builder ho_model_vgg19 = {.name = "vgg19",
                                         .summary = "VGG of 19 layers, 144 M parameters",
                                         .source = VGG_SOURCE,
                                         .options = ho_cnn_fixed_options,
                                         .build = build};
