/* layers.h: building a neural network layer by layer: what the model builders share. Not installed.
 *
 * A net holds a graph under construction and a tape of its layers. Every layer function adds one forward op with its weights and
 * returns the feature map that comes out. In training, ho_net_finish walks the tape backwards and adds the gradients and the
 * optimiser's steps (layers_backward.c). Maps are NCHW, batch included.
 *
 * What an op costs is stated here once, and explained in docs/models.md. Per op, with numel = number of elements:
 *   convolution, gemm     2 FLOP per multiply-accumulate; the bias is not counted
 *   batchnorm             2 per element in inference (scale and shift), 6 in training, 9 backward
 *   relu, add             1 per element
 *   maxpool, avgpool      k·k per output element;  globalavgpool: 1 per input element
 *   concat                none;  flatten: nothing at all, a view
 *   loss                  9 per logit, 5 backward; SGD with momentum and weight decay: 6 per parameter
 * Bytes are those of the tensors an op reads and writes, once each; batchnorm in training reads its input twice. */
#ifndef HO_MODELS_LAYERS_H
#define HO_MODELS_LAYERS_H

#include <glib.h>

#include "base/optparse.h"
#include "models/graph_build.h"

typedef enum { HO_MODE_INFERENCE, HO_MODE_TRAINING } ho_mode;

typedef enum { HO_BIAS_NONE, HO_BIAS } ho_bias;

typedef struct ho_net ho_net;

/* A feature map: a tensor of shape [batch, c, h, w], or [batch, c] after ho_net_flatten (then h = w = 1). */
typedef struct {
  ho_tensor tensor;
  int32_t rank; /* 4 or 2 */
  int64_t c, h, w;
} ho_feature;

typedef struct {
  int64_t channels; /* that come out */
  int64_t kernel, stride, padding;
  int64_t groups;
  ho_bias bias;
} ho_conv_shape;

ho_net *ho_net_new(const char *name, const char *source, int64_t batch, ho_dtype dtype, ho_mode mode);
/* Adds what training needs, and consumes the net. The loss is taken of `logits`, which the last layer gave. */
ho_graph *ho_net_finish(ho_net *net, ho_feature logits, GError **error);

/* In training a loss is taken of these logits too. */
void ho_net_auxiliary(ho_net *net, ho_feature logits);

/* Layers that follow belong to this group (ho_op_info.layer); NULL: to none. */
void ho_net_group(ho_net *net, const char *layer);

ho_feature ho_net_input(ho_net *net, const char *name, int64_t channels, int64_t height, int64_t width);
ho_feature ho_net_conv(ho_net *net, const char *name, ho_feature x, ho_conv_shape shape);
/* The same with a kernel and padding of another width than height. */
ho_feature ho_net_conv_wide(ho_net *net, const char *name, ho_feature x, ho_conv_shape shape, int64_t kernel_w,
                            int64_t padding_w);
ho_feature ho_net_batchnorm(ho_net *net, const char *name, ho_feature x);
ho_feature ho_net_relu(ho_net *net, const char *name, ho_feature x);
ho_feature ho_net_relu6(ho_net *net, const char *name, ho_feature x);
ho_feature ho_net_maxpool(ho_net *net, const char *name, ho_feature x, int64_t kernel, int64_t stride, int64_t padding);
ho_feature ho_net_avgpool(ho_net *net, const char *name, ho_feature x, int64_t kernel, int64_t stride, int64_t padding);
ho_feature ho_net_add(ho_net *net, const char *name, ho_feature x, ho_feature y);
ho_feature ho_net_globalavgpool(ho_net *net, const char *name, ho_feature x);
ho_feature ho_net_concat(ho_net *net, const char *name, const ho_feature *x, int32_t n); /* channels after channels */
ho_feature ho_net_flatten(ho_net *net, const char *name, ho_feature x);
ho_feature ho_net_gemm(ho_net *net, const char *name, ho_feature x, int64_t features);

#endif
