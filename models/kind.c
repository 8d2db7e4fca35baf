/* kind.c: the table of operator kinds.
 *
 * Sorted by strcmp, searched by halving; a test checks the order. Families follow what a kernel spends its time on, not
 * the mathematics: "embedding" is a gather, "split" moves data, "resize" with interpolation is pooling's inverse. The gradient
 * of a kind ("relu_grad", "conv_dgrad" for the data, "conv_wgrad" for the weights) belongs to the kind's own family. */
#include "models/kind.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *kind;
  ho_family family;
} kind_entry;

static const kind_entry table[] = {
    {"abs", HO_FAMILY_ELEMENTWISE},
    {"acos", HO_FAMILY_ELEMENTWISE},
    {"acosh", HO_FAMILY_ELEMENTWISE},
    {"add", HO_FAMILY_ELEMENTWISE},
    {"and", HO_FAMILY_ELEMENTWISE},
    {"argmax", HO_FAMILY_REDUCE},
    {"argmin", HO_FAMILY_REDUCE},
    {"asin", HO_FAMILY_ELEMENTWISE},
    {"asinh", HO_FAMILY_ELEMENTWISE},
    {"atan", HO_FAMILY_ELEMENTWISE},
    {"atanh", HO_FAMILY_ELEMENTWISE},
    {"attention", HO_FAMILY_ATTENTION},
    {"avgpool", HO_FAMILY_POOL},
    {"batchnorm", HO_FAMILY_NORM},
    {"bitshift", HO_FAMILY_ELEMENTWISE},
    {"bitwise", HO_FAMILY_ELEMENTWISE},
    {"cast", HO_FAMILY_DATA},
    {"ceil", HO_FAMILY_ELEMENTWISE},
    {"celu", HO_FAMILY_ELEMENTWISE},
    {"clip", HO_FAMILY_ELEMENTWISE},
    {"compress", HO_FAMILY_GATHER},
    {"concat", HO_FAMILY_DATA},
    {"constant", HO_FAMILY_DATA},
    {"conv", HO_FAMILY_CONV},
    {"conv_transpose", HO_FAMILY_CONV},
    {"copy", HO_FAMILY_DATA},
    {"cos", HO_FAMILY_ELEMENTWISE},
    {"cosh", HO_FAMILY_ELEMENTWISE},
    {"cumsum", HO_FAMILY_REDUCE},
    {"deform_conv", HO_FAMILY_CONV},
    {"depth_to_space", HO_FAMILY_DATA},
    {"depthwise_conv", HO_FAMILY_DEPTHWISE},
    {"dequantize", HO_FAMILY_ELEMENTWISE},
    {"det", HO_FAMILY_REDUCE},
    {"div", HO_FAMILY_ELEMENTWISE},
    {"dropout", HO_FAMILY_ELEMENTWISE},
    {"einsum", HO_FAMILY_GEMM},
    {"elementwise", HO_FAMILY_ELEMENTWISE},
    {"elu", HO_FAMILY_ELEMENTWISE},
    {"embedding", HO_FAMILY_GATHER},
    {"equal", HO_FAMILY_ELEMENTWISE},
    {"erf", HO_FAMILY_ELEMENTWISE},
    {"exp", HO_FAMILY_ELEMENTWISE},
    {"expand", HO_FAMILY_DATA},
    {"fetch", HO_FAMILY_DATA},
    {"fft", HO_FAMILY_DEFAULT},
    {"flatten", HO_FAMILY_DATA},
    {"floor", HO_FAMILY_ELEMENTWISE},
    {"gather", HO_FAMILY_GATHER},
    {"gelu", HO_FAMILY_ELEMENTWISE},
    {"gemm", HO_FAMILY_GEMM},
    {"globalavgpool", HO_FAMILY_POOL},
    {"globalmaxpool", HO_FAMILY_POOL},
    {"greater", HO_FAMILY_ELEMENTWISE},
    {"groupnorm", HO_FAMILY_NORM},
    {"gru", HO_FAMILY_RECURRENT},
    {"hardmax", HO_FAMILY_SOFTMAX},
    {"hardsigmoid", HO_FAMILY_ELEMENTWISE},
    {"hardswish", HO_FAMILY_ELEMENTWISE},
    {"identity", HO_FAMILY_DATA},
    {"if", HO_FAMILY_DEFAULT},
    {"instancenorm", HO_FAMILY_NORM},
    {"isinf", HO_FAMILY_ELEMENTWISE},
    {"isnan", HO_FAMILY_ELEMENTWISE},
    {"layernorm", HO_FAMILY_NORM},
    {"leakyrelu", HO_FAMILY_ELEMENTWISE},
    {"less", HO_FAMILY_ELEMENTWISE},
    {"linear", HO_FAMILY_GEMM},
    {"log", HO_FAMILY_ELEMENTWISE},
    {"logsoftmax", HO_FAMILY_SOFTMAX},
    {"loop", HO_FAMILY_DEFAULT},
    {"loss", HO_FAMILY_REDUCE},
    {"lpnorm", HO_FAMILY_NORM},
    {"lppool", HO_FAMILY_POOL},
    {"lrn", HO_FAMILY_NORM},
    {"lstm", HO_FAMILY_RECURRENT},
    {"matmul", HO_FAMILY_GEMM},
    {"max", HO_FAMILY_ELEMENTWISE},
    {"maxpool", HO_FAMILY_POOL},
    {"maxunpool", HO_FAMILY_POOL},
    {"mean", HO_FAMILY_ELEMENTWISE},
    {"min", HO_FAMILY_ELEMENTWISE},
    {"mish", HO_FAMILY_ELEMENTWISE},
    {"mod", HO_FAMILY_ELEMENTWISE},
    {"mul", HO_FAMILY_ELEMENTWISE},
    {"neg", HO_FAMILY_ELEMENTWISE},
    {"nms", HO_FAMILY_GATHER},
    {"nonzero", HO_FAMILY_GATHER},
    {"norm", HO_FAMILY_NORM},
    {"not", HO_FAMILY_ELEMENTWISE},
    {"offload", HO_FAMILY_DATA},
    {"onehot", HO_FAMILY_SCATTER},
    {"optimizer", HO_FAMILY_ELEMENTWISE},
    {"or", HO_FAMILY_ELEMENTWISE},
    {"pad", HO_FAMILY_DATA},
    {"pool", HO_FAMILY_POOL},
    {"pow", HO_FAMILY_ELEMENTWISE},
    {"prelu", HO_FAMILY_ELEMENTWISE},
    {"quantize", HO_FAMILY_ELEMENTWISE},
    {"random", HO_FAMILY_ELEMENTWISE},
    {"range", HO_FAMILY_DATA},
    {"reciprocal", HO_FAMILY_ELEMENTWISE},
    {"reduce", HO_FAMILY_REDUCE},
    {"reduce_l1", HO_FAMILY_REDUCE},
    {"reduce_l2", HO_FAMILY_REDUCE},
    {"reduce_logsum", HO_FAMILY_REDUCE},
    {"reduce_max", HO_FAMILY_REDUCE},
    {"reduce_mean", HO_FAMILY_REDUCE},
    {"reduce_min", HO_FAMILY_REDUCE},
    {"reduce_prod", HO_FAMILY_REDUCE},
    {"reduce_sum", HO_FAMILY_REDUCE},
    {"reduce_sumsquare", HO_FAMILY_REDUCE},
    {"relu", HO_FAMILY_ELEMENTWISE},
    {"relu6", HO_FAMILY_ELEMENTWISE},
    {"reshape", HO_FAMILY_DATA},
    {"resize", HO_FAMILY_POOL},
    {"reverse", HO_FAMILY_DATA},
    {"rmsnorm", HO_FAMILY_NORM},
    {"rnn", HO_FAMILY_RECURRENT},
    {"roialign", HO_FAMILY_POOL},
    {"rope", HO_FAMILY_ELEMENTWISE},
    {"round", HO_FAMILY_ELEMENTWISE},
    {"scan", HO_FAMILY_DEFAULT},
    {"scatter", HO_FAMILY_SCATTER},
    {"selu", HO_FAMILY_ELEMENTWISE},
    {"sgd", HO_FAMILY_ELEMENTWISE},
    {"shape", HO_FAMILY_DATA},
    {"sigmoid", HO_FAMILY_ELEMENTWISE},
    {"sign", HO_FAMILY_ELEMENTWISE},
    {"silu", HO_FAMILY_ELEMENTWISE},
    {"sin", HO_FAMILY_ELEMENTWISE},
    {"sinh", HO_FAMILY_ELEMENTWISE},
    {"slice", HO_FAMILY_DATA},
    {"softmax", HO_FAMILY_SOFTMAX},
    {"softplus", HO_FAMILY_ELEMENTWISE},
    {"softsign", HO_FAMILY_ELEMENTWISE},
    {"sort", HO_FAMILY_GATHER},
    {"space_to_depth", HO_FAMILY_DATA},
    {"split", HO_FAMILY_DATA},
    {"spmm", HO_FAMILY_GATHER},
    {"sqrt", HO_FAMILY_ELEMENTWISE},
    {"squeeze", HO_FAMILY_DATA},
    {"stft", HO_FAMILY_DEFAULT},
    {"sub", HO_FAMILY_ELEMENTWISE},
    {"sum", HO_FAMILY_ELEMENTWISE},
    {"tan", HO_FAMILY_ELEMENTWISE},
    {"tanh", HO_FAMILY_ELEMENTWISE},
    {"threshold", HO_FAMILY_ELEMENTWISE},
    {"tile", HO_FAMILY_DATA},
    {"topk", HO_FAMILY_GATHER},
    {"transpose", HO_FAMILY_DATA},
    {"trilu", HO_FAMILY_DATA},
    {"unique", HO_FAMILY_GATHER},
    {"unsqueeze", HO_FAMILY_DATA},
    {"upsample", HO_FAMILY_POOL},
    {"where", HO_FAMILY_ELEMENTWISE},
    {"xor", HO_FAMILY_ELEMENTWISE},
};

#define LONGEST_KIND 64

static int by_kind(const void *key, const void *entry) {
  return strcmp(key, ((const kind_entry *)entry)->kind);
}

static const kind_entry *find(const char *kind) {
  return bsearch(kind, table, sizeof table / sizeof *table, sizeof *table, by_kind);
}

/* Length of `kind` without a gradient's suffix. */
static size_t stem_length(const char *kind) {
  static const char *const suffixes[] = {"_grad", "_dgrad", "_wgrad"};
  size_t n = strlen(kind);
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
    size_t m = strlen(suffixes[i]);
    if (n > m && strcmp(kind + n - m, suffixes[i]) == 0) return n - m;
  }
  return n;
}

ho_family ho_family_of_kind(const char *kind) {
  char stem[LONGEST_KIND];
  size_t n = stem_length(kind);
  if (n >= sizeof stem) return HO_FAMILY_DEFAULT;
  memcpy(stem, kind, n);
  stem[n] = '\0';
  const kind_entry *e = find(stem);
  return e ? e->family : HO_FAMILY_DEFAULT;
}

const char *ho_kind_word(int i) {
  return i >= 0 && (size_t)i < sizeof table / sizeof *table ? table[i].kind : NULL;
}

const char *ho_family_name(ho_family f) {
  static const char *const names[HO_N_FAMILIES] = {
      [HO_FAMILY_DEFAULT] = "default",     [HO_FAMILY_GEMM] = "gemm",           [HO_FAMILY_CONV] = "conv",
      [HO_FAMILY_DEPTHWISE] = "depthwise", [HO_FAMILY_ATTENTION] = "attention", [HO_FAMILY_RECURRENT] = "recurrent",
      [HO_FAMILY_NORM] = "norm",           [HO_FAMILY_SOFTMAX] = "softmax",     [HO_FAMILY_ELEMENTWISE] = "elementwise",
      [HO_FAMILY_POOL] = "pool",           [HO_FAMILY_REDUCE] = "reduce",       [HO_FAMILY_GATHER] = "gather",
      [HO_FAMILY_SCATTER] = "scatter",     [HO_FAMILY_DATA] = "data",
  };
  return f >= 0 && f < HO_N_FAMILIES ? names[f] : NULL;
}

int ho_family_has_macs(ho_family f) {
  return f == HO_FAMILY_GEMM || f == HO_FAMILY_CONV || f == HO_FAMILY_DEPTHWISE || f == HO_FAMILY_ATTENTION ||
         f == HO_FAMILY_RECURRENT;
}

int ho_kind_is_host_copy(const char *kind) {
  return strcmp(kind, "offload") == 0 || strcmp(kind, "fetch") == 0;
}
