/* transformer_vit.c: the Vision Transformer ViT-B/16 (Dosovitskiy et al., ICLR 2021), as torchvision has it. */
#include "base/error.h"
#include "models/transformer.h"
#include "models/transformer_block.h"

#define LAYERS 12
#define WIDTH 768
#define HEADS 12
#define PATCH 16
#define CLASSES 1000

static const ho_option options_of_vit[] = {
    HO_OPTION_BATCH,  {"image", HO_OPTION_INT, "224", PATCH, 4096, NULL, "height and width of an image: a multiple of 16"},
    HO_OPTION_LAYERS, HO_OPTION_PRECISION,
    HO_OPTION_MODE,   {.name = NULL}};

/* Patches in a row, the class token before them, positions added. */
static ho_value embed(ho_tape *t, int64_t batch, int64_t image) {
  int64_t n = (image / PATCH) * (image / PATCH);
  ho_value x = ho_tape_input(t, "image", ho_shape4(batch, 3, image, image));
  ho_tape_layer(t, "stem");
  x = ho_tape_patches(t, "conv_proj", x, WIDTH, PATCH);
  x = ho_tape_reshape(t, "reshape", x, ho_shape3(batch, WIDTH, n));
  x = ho_tape_transpose(t, "transpose", x, ho_shape3(batch, n, WIDTH));
  ho_weight token = ho_tape_weight(t, "class_token", ho_shape3(1, 1, WIDTH));
  ho_value parts[] = {ho_tape_expand(t, "expand", token, ho_shape3(batch, 1, WIDTH)), x};
  x = ho_tape_concat(t, "concat", parts, 2, 1);
  ho_weight positions = ho_tape_weight(t, "pos_embedding", ho_shape3(1, n + 1, WIDTH));
  return ho_tape_bias(t, "add", x, positions);
}

static ho_value block(ho_tape *t, const ho_attention *a, ho_value x) {
  ho_value qkv[3];
  ho_value y = ho_tape_dense(t, "self_attention.in_proj", ho_tape_layernorm(t, "ln_1", x), 3 * WIDTH);
  ho_tape_split(t, "self_attention.split", y, 2, 3, qkv);
  y = ho_tape_dense(t, "self_attention.out_proj", ho_attend(t, "self_attention", a, qkv[0], qkv[1], qkv[2]), WIDTH);
  x = ho_tape_add(t, "add_1", y, x);
  y = ho_tape_dense(t, "mlp.0", ho_tape_layernorm(t, "ln_2", x), 4 * WIDTH);
  y = ho_tape_dense(t, "mlp.3", ho_tape_pointwise(t, "mlp.1", &ho_gelu, y), WIDTH);
  return ho_tape_add(t, "add_2", y, x);
}

static ho_graph *build(const char *name, const ho_options *options, GError **error) {
  int64_t batch = ho_options_int(options, "batch"), image = ho_options_int(options, "image");
  if (image % PATCH) {
    ho_fail(error, HO_ERROR_INPUT, "%s: image is %" G_GINT64_FORMAT ": expected a multiple of %d, the size of a patch", name,
            image, PATCH);
    return NULL;
  }
  ho_tape *t = ho_tape_of_options(name, options, (double)batch);
  ho_value x = embed(t, batch, image);
  ho_attention a = {{batch, x.dim[1], 0, FALSE}, HEADS, "mul", NULL, NULL};
  for (int64_t i = 0, n = ho_layers_of(options, LAYERS); i < n; i++) {
    g_autofree char *layer = g_strdup_printf("encoder.layers.encoder_layer_%" G_GINT64_FORMAT, i);
    ho_tape_layer(t, layer);
    x = block(t, &a, x);
  }
  ho_tape_layer(t, "head");
  x = ho_tape_slice(t, "first", ho_tape_layernorm(t, "ln", x), ho_shape3(batch, 1, WIDTH));
  x = ho_tape_reshape(t, "reshape", x, ho_shape2(batch, WIDTH));
  return ho_tape_finish(t, ho_tape_gemm(t, "heads.head", x, CLASSES), error);
}

const ho_model_builder ho_model_vit_b16 = {.name = "vit-b16",
                                           .summary = "Vision Transformer B/16, 86.6 M parameters",
                                           .source = "Dosovitskiy et al., ICLR 2021; torchvision",
                                           .options = options_of_vit,
                                           .build = build};
