/* cnn_inception.c: Inception v3 (Szegedy, Vanhoucke, Ioffe, Shlens, Wojna, CVPR 2016), as torchvision has it. The branches of a module
 * do not depend on each other. The auxiliary classifier takes part in training only, and so it is an option. Names are torchvision's. */
#include "base/error.h"
#include "models/cnn.h"
#include "models/cnn_options.h"

#define AUX_IMAGE 299 /* its 5x5 convolution fits from here on */

typedef struct {
  ho_net *net;
  const char *module; /* "Mixed_5b" */
} place;

/* A convolution without bias, its normalisation and its rectifier: a layer of every branch. */
typedef struct {
  const char *name;
  int64_t channels, h, w; /* kernel */
  int64_t stride;
  int64_t pad_h, pad_w;
} conv;

static char *join(const char *a, const char *b) {
  return g_strconcat(a, ".", b, NULL);
}

static ho_feature basic(place p, ho_feature x, conv c) {
  g_autofree char *name = join(p.module, c.name), *conv_name = join(name, "conv"), *norm = join(name, "bn"),
                  *relu = join(name, "relu");
  x = ho_net_conv_wide(p.net, conv_name, x, (ho_conv_shape){c.channels, c.h, c.stride, c.pad_h, 1, HO_BIAS_NONE}, c.w, c.pad_w);
  return ho_net_relu(p.net, relu, ho_net_batchnorm(p.net, norm, x));
}

static ho_feature square(place p, ho_feature x, const char *name, int64_t channels, int64_t kernel) {
  return basic(p, x, (conv){name, channels, kernel, kernel, 1, kernel / 2, kernel / 2});
}

static ho_feature halving(place p, ho_feature x, const char *name, int64_t channels) {
  return basic(p, x, (conv){name, channels, 3, 3, 2, 0, 0});
}

static ho_feature row(place p, ho_feature x, const char *name, int64_t channels, int64_t width) {
  return basic(p, x, (conv){name, channels, 1, width, 1, 0, width / 2});
}

static ho_feature column(place p, ho_feature x, const char *name, int64_t channels, int64_t height) {
  return basic(p, x, (conv){name, channels, height, 1, 1, height / 2, 0});
}

static ho_feature pooled(place p, ho_feature x, int64_t channels) {
  g_autofree char *name = join(p.module, "avgpool");
  return square(p, ho_net_avgpool(p.net, name, x, 3, 1, 1), "branch_pool", channels, 1);
}

static ho_feature halved(place p, ho_feature x) {
  g_autofree char *name = join(p.module, "maxpool");
  return ho_net_maxpool(p.net, name, x, 3, 2, 0);
}

static ho_feature concat(place p, const char *suffix, const ho_feature *x, int32_t n) {
  g_autofree char *name = join(p.module, suffix);
  return ho_net_concat(p.net, name, x, n);
}

/* ---- modules ---------------------------------------------------------------------------------------------------------- */

static ho_feature module_a(place p, ho_feature x, int64_t pool_channels) {
  ho_feature b[4];
  b[0] = square(p, x, "branch1x1", 64, 1);
  b[1] = square(p, square(p, x, "branch5x5_1", 48, 1), "branch5x5_2", 64, 5);
  b[2] = square(p, square(p, x, "branch3x3dbl_1", 64, 1), "branch3x3dbl_2", 96, 3);
  b[2] = square(p, b[2], "branch3x3dbl_3", 96, 3);
  b[3] = pooled(p, x, pool_channels);
  return concat(p, "concat", b, 4);
}

static ho_feature module_b(place p, ho_feature x) {
  ho_feature b[3];
  b[0] = halving(p, x, "branch3x3", 384);
  b[1] = square(p, square(p, x, "branch3x3dbl_1", 64, 1), "branch3x3dbl_2", 96, 3);
  b[1] = halving(p, b[1], "branch3x3dbl_3", 96);
  b[2] = halved(p, x);
  return concat(p, "concat", b, 3);
}

static ho_feature module_c(place p, ho_feature x, int64_t c) {
  ho_feature b[4];
  b[0] = square(p, x, "branch1x1", 192, 1);
  b[1] = row(p, square(p, x, "branch7x7_1", c, 1), "branch7x7_2", c, 7);
  b[1] = column(p, b[1], "branch7x7_3", 192, 7);
  b[2] = column(p, square(p, x, "branch7x7dbl_1", c, 1), "branch7x7dbl_2", c, 7);
  b[2] = column(p, row(p, b[2], "branch7x7dbl_3", c, 7), "branch7x7dbl_4", c, 7);
  b[2] = row(p, b[2], "branch7x7dbl_5", 192, 7);
  b[3] = pooled(p, x, 192);
  return concat(p, "concat", b, 4);
}

static ho_feature module_d(place p, ho_feature x) {
  ho_feature b[3];
  b[0] = halving(p, square(p, x, "branch3x3_1", 192, 1), "branch3x3_2", 320);
  b[1] = row(p, square(p, x, "branch7x7x3_1", 192, 1), "branch7x7x3_2", 192, 7);
  b[1] = halving(p, column(p, b[1], "branch7x7x3_3", 192, 7), "branch7x7x3_4", 192);
  b[2] = halved(p, x);
  return concat(p, "concat", b, 3);
}

static ho_feature module_e(place p, ho_feature x) {
  ho_feature b[4];
  b[0] = square(p, x, "branch1x1", 320, 1);
  ho_feature y = square(p, x, "branch3x3_1", 384, 1);
  ho_feature pair[] = {row(p, y, "branch3x3_2a", 384, 3), column(p, y, "branch3x3_2b", 384, 3)};
  b[1] = concat(p, "branch3x3.concat", pair, 2);
  y = square(p, square(p, x, "branch3x3dbl_1", 448, 1), "branch3x3dbl_2", 384, 3);
  ho_feature double_pair[] = {row(p, y, "branch3x3dbl_3a", 384, 3), column(p, y, "branch3x3dbl_3b", 384, 3)};
  b[2] = concat(p, "branch3x3dbl.concat", double_pair, 2);
  b[3] = pooled(p, x, 192);
  return concat(p, "concat", b, 4);
}

/* ---- the network ------------------------------------------------------------------------------------------------------ */

static place enter(ho_net *net, const char *module) {
  ho_net_group(net, module);
  return (place){net, module};
}

static ho_feature stem(ho_net *net, ho_feature x) {
  place p = enter(net, "stem");
  x = halving(p, x, "Conv2d_1a_3x3", 32);
  x = basic(p, x, (conv){"Conv2d_2a_3x3", 32, 3, 3, 1, 0, 0});
  x = square(p, x, "Conv2d_2b_3x3", 64, 3);
  x = ho_net_maxpool(net, "maxpool1", x, 3, 2, 0);
  x = square(p, x, "Conv2d_3b_1x1", 80, 1);
  x = basic(p, x, (conv){"Conv2d_4a_3x3", 192, 3, 3, 1, 0, 0});
  return ho_net_maxpool(net, "maxpool2", x, 3, 2, 0);
}

static ho_feature classify(ho_net *net, const char *prefix, ho_feature x) {
  g_autofree char *pool = g_strconcat(prefix, "avgpool", NULL), *flat = g_strconcat(prefix, "flatten", NULL),
                  *fc = g_strconcat(prefix, "fc", NULL);
  return ho_net_gemm(net, fc, ho_net_flatten(net, flat, ho_net_globalavgpool(net, pool, x)), 1000);
}

static void auxiliary(ho_net *net, ho_feature x) {
  place p = enter(net, "AuxLogits");
  x = square(p, ho_net_avgpool(net, "AuxLogits.pool", x, 5, 3, 0), "conv0", 128, 1);
  x = basic(p, x, (conv){"conv1", 768, 5, 5, 1, 0, 0});
  ho_net_auxiliary(net, classify(net, "AuxLogits.", x));
}

static ho_graph *build(const char *name, const ho_options *options, GError **error) {
  int64_t image = ho_options_int(options, "image"), aux = ho_options_int(options, "aux");
  if (aux && image < AUX_IMAGE) {
    ho_fail(error, HO_ERROR_INPUT, "%s: image is %" G_GINT64_FORMAT ": the auxiliary classifier (aux=yes) needs %d or more", name,
            image, AUX_IMAGE);
    return NULL;
  }
  ho_net *net = ho_cnn_net(name, options);
  ho_feature x = stem(net, ho_net_input(net, "image", 3, image, image));
  x = module_a(enter(net, "Mixed_5b"), x, 32);
  x = module_a(enter(net, "Mixed_5c"), x, 64);
  x = module_a(enter(net, "Mixed_5d"), x, 64);
  x = module_b(enter(net, "Mixed_6a"), x);
  x = module_c(enter(net, "Mixed_6b"), x, 128);
  x = module_c(enter(net, "Mixed_6c"), x, 160);
  x = module_c(enter(net, "Mixed_6d"), x, 160);
  x = module_c(enter(net, "Mixed_6e"), x, 192);
  if (aux) auxiliary(net, x);
  x = module_d(enter(net, "Mixed_7a"), x);
  x = module_e(enter(net, "Mixed_7b"), x);
  x = module_e(enter(net, "Mixed_7c"), x);
  ho_net_group(net, "head");
  return ho_net_finish(net, classify(net, "", x), error);
}

const ho_model_builder ho_model_inception_v3 = {
    .name = "inception_v3",
    .summary = "Inception v3, 23.8 M parameters, 27.2 M with its auxiliary classifier",
    .source = "Szegedy, Vanhoucke, Ioffe, Shlens, Wojna, CVPR 2016; torchvision",
    .options = ho_cnn_inception_options,
    .build = build};
