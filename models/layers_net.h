/* layers_net.h: the inside of a net: the graph under construction and the tape; shared by layers.c and layers_backward.c. */
#ifndef HO_MODELS_LAYERS_NET_H
#define HO_MODELS_LAYERS_NET_H

#include "models/layers.h"

typedef enum {
  HO_STEP_CONV,
  HO_STEP_GEMM,
  HO_STEP_BATCHNORM,
  HO_STEP_RELU, /* and relu6: both need only their output to go back */
  HO_STEP_MAXPOOL,
  HO_STEP_AVGPOOL,
  HO_STEP_ADD,
  HO_STEP_CONCAT,
  HO_STEP_GLOBALAVGPOOL,
  HO_STEP_FLATTEN
} ho_step_kind;

#define HO_STEP_MAX_WEIGHTS 2

/* One forward op, as its backward ops need it. */
typedef struct {
  ho_step_kind kind;
  const char *name;  /* of the op; owned by the step */
  const char *layer; /* owned by the net */
  ho_feature in[2];  /* the second only of add */
  int32_t n_many;    /* inputs of concat; they are all in `many` */
  ho_feature *many;  /* owned by the step; NULL of other steps */
  ho_feature out;
  ho_tensor saved; /* what forward leaves for backward beside `out`; -1 */
  int32_t n_weights;
  ho_tensor weight[HO_STEP_MAX_WEIGHTS];
  int64_t weight_size[HO_STEP_MAX_WEIGHTS]; /* elements */
  double macs;
  int64_t kernel;     /* of an average pool */
  gboolean depthwise; /* of a convolution: its kind says so, and its gradients' */
} ho_step;

struct ho_net {
  ho_graph_build *build;
  int64_t batch;
  ho_dtype dtype;
  ho_mode mode;
  ho_phase phase;
  const char *layer;
  GStringChunk *texts; /* names of steps and layers */
  GArray *steps;       /* ho_step */
  gboolean has_auxiliary;
  ho_feature auxiliary;
};

/* What an op costs; read and write NAN: what its tensors add up to. */
typedef struct {
  double flops, read, write;
  double items; /* ho_op_info.parallelism */
} ho_work;

static inline ho_work ho_work_on_tensors(double flops, double items) {
  return (ho_work){flops, NAN, NAN, items};
}

int64_t ho_net_elements(const ho_net *net, ho_feature x);
double ho_net_bytes(const ho_net *net, ho_feature x);

/* An op "name.suffix" (NULL: no suffix) of the current phase and layer. */
ho_op ho_net_op(ho_net *net, const char *name, const char *suffix, const char *kind, ho_work work);
/* A tensor "name.suffix" shaped like `x`, produced by `producer`. */
ho_tensor ho_net_like(ho_net *net, const char *name, const char *suffix, ho_feature x, ho_op producer);
/* A tensor "name.suffix" of one dimension of `n` elements; a weight when `producer` is -1. */
ho_tensor ho_net_vector(ho_net *net, const char *name, const char *suffix, int64_t n, ho_op producer);

/* Gradients of everything on the tape and the optimiser's steps. */
void ho_net_backward(ho_net *net, ho_feature logits);

#endif
