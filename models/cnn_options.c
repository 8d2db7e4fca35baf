/* cnn_options.c: see cnn_options.h. */
#include "models/cnn_options.h"

static const char *const precisions[] = {"fp64", "fp32", "tf32", "bf16", "fp16", "fp8", "int8", "int4", NULL};
static const char *const answers[] = {"no", "yes", NULL};
static const char *const modes[] = {"inference", "training", NULL}; /* in the order of ho_mode */

#define BATCH \
  { "batch", HO_OPTION_INT, "1", 1, 65536, NULL, "images that are worked on together" }
#define PRECISION \
  { "precision", HO_OPTION_CHOICE, "fp32", 0, 0, precisions, "element type of weights and activations" }
#define MODE \
  { "mode", HO_OPTION_CHOICE, "inference", 0, 0, modes, "training adds loss, gradients and SGD with momentum" }

const ho_option ho_cnn_options[] = {
    BATCH, {"image", HO_OPTION_INT, "224", 32, 4096, NULL, "height and width of an image"}, PRECISION, MODE, {.name = NULL}};
const ho_option ho_cnn_fixed_options[] = {BATCH, PRECISION, MODE, {.name = NULL}};
const ho_option ho_cnn_inception_options[] = {
    BATCH,
    {"image", HO_OPTION_INT, "299", 75, 4096, NULL, "height and width of an image"},
    {"aux", HO_OPTION_CHOICE, "no", 0, 0, answers, "yes: with the auxiliary classifier, as in training"},
    PRECISION,
    MODE,
    {.name = NULL}};

ho_net *ho_cnn_net(const char *name, const ho_options *options) {
  g_autofree char *canonical = ho_options_canonical(options), *source = g_strconcat(name, ":", canonical, NULL);
  ho_dtype dtype = ho_dtype_parse(ho_options_string(options, "precision"));
  return ho_net_new(name, source, ho_options_int(options, "batch"), dtype, (ho_mode)ho_options_int(options, "mode"));
}
