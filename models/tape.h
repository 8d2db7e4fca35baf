/* tape.h: building a network op by op over tensors of any shape: what the transformer and graph-network builders share. Not
 * installed. (Feature maps of convolutional networks have their own, layers.h.)
 *
 * A tape holds a graph under construction and remembers how each of its ops is differentiated. Every function adds one forward op and
 * returns the value that comes out. In training, ho_tape_finish walks the tape backwards and adds loss, gradients and optimiser
 * (tape_backward.c); only what depends on a weight gets a gradient. Ops are as fine as in an ONNX export, so that the rules that
 * fuse find what they look for. Names of ops and weights are prefixed by the layer they are in.
 *
 * What an op costs is stated here once, and explained in docs/models.md. FLOP per op, N = elements of its output:
 *   matmul, linear, conv  2 per multiply-accumulate; biases not counted when they are part of a gemm or conv
 *   add, mul, bias, mask  1 · N;  softmax, layernorm 8 · N;  rmsnorm 5 · N;  batchnorm 2 · N (training 6 · N);  rope 3 · N
 *   pointwise             as given: 1 an arithmetic operation, 4 a special function
 *   gather, reshape, transpose, split, concat, slice, expand: none;  scatter: 1 per element added
 * Bytes are those of the tensors an op reads and writes, once each, but for what reads or writes a part of a tensor. */
#ifndef HO_MODELS_TAPE_H
#define HO_MODELS_TAPE_H

#include <glib.h>

#include "models/graph_build.h"
#include "models/layers.h"

#define HO_VALUE_MAX_RANK 4
#define HO_TAPE_MAX_PARTS 64

/* A tensor on the tape; also just a shape, where a function asks for one. */
typedef struct {
  ho_tensor tensor;
  int32_t rank;
  int64_t dim[HO_VALUE_MAX_RANK];
} ho_value;

static inline ho_value ho_shape1(int64_t a) {
  return (ho_value){-1, 1, {a}};
}
static inline ho_value ho_shape2(int64_t a, int64_t b) {
  return (ho_value){-1, 2, {a, b}};
}
static inline ho_value ho_shape3(int64_t a, int64_t b, int64_t c) {
  return (ho_value){-1, 3, {a, b, c}};
}
static inline ho_value ho_shape4(int64_t a, int64_t b, int64_t c, int64_t d) {
  return (ho_value){-1, 4, {a, b, c, d}};
}
int64_t ho_value_elements(ho_value v);

typedef int32_t ho_weight; /* index of a weight; the same one may be used by several ops */

typedef struct ho_tape ho_tape;

/* `samples`: what one execution serves. */
ho_tape *ho_tape_new(const char *name, const char *source, ho_dtype dtype, ho_mode mode, double samples);
/* Consumes the tape. In training a softmax cross-entropy is taken over the last dimension of `logits`. */
ho_graph *ho_tape_finish(ho_tape *t, ho_value logits, GError **error);
void ho_tape_free(ho_tape *t); /* of one that is given up */

/* What follows belongs to this layer; NULL: to none. */
void ho_tape_layer(ho_tape *t, const char *layer);
ho_mode ho_tape_mode(const ho_tape *t);

/* Values that come from outside: activations in the tape's precision, or indices (int64). */
ho_value ho_tape_input(ho_tape *t, const char *name, ho_value shape);
ho_value ho_tape_indices(ho_tape *t, const char *name, ho_value shape);
ho_weight ho_tape_weight(ho_tape *t, const char *name, ho_value shape);
/* The value is an output of the graph although other ops read it. */
void ho_tape_output(ho_tape *t, ho_value v);

/* ---- products -------------------------------------------------------------------------------------------------------- */

ho_value ho_tape_matmul(ho_tape *t, const char *name, ho_value a, ho_value b);             /* […, m, k] · […, k, n] */
ho_value ho_tape_linear(ho_tape *t, const char *name, ho_value x, ho_weight w, int64_t n); /* […, k] · [k, n], without bias */
ho_value ho_tape_dense(ho_tape *t, const char *name, ho_value x,
                       int64_t n); /* linear and bias, weights "name.weight", "name.bias" */
ho_value ho_tape_gemm(ho_tape *t, const char *name, ho_value x, int64_t n); /* the same in one op, [m, k] only */
/* Sums over the last dimension against a weight of the same size: [n, h, f] -> [n, h]. */
ho_value ho_tape_project(ho_tape *t, const char *name, ho_value x);
/* Non-overlapping patches of an image [b, c, h, w] -> [b, n, h/p, w/p]. */
ho_value ho_tape_patches(ho_tape *t, const char *name, ho_value image, int64_t n, int64_t patch);

/* ---- pointwise ------------------------------------------------------------------------------------------------------- */

typedef struct {
  const char *kind;
  double flops, backward; /* per element */
  gboolean keeps_output;  /* the gradient is computed from the output, else from the input */
} ho_pointwise;

extern const ho_pointwise ho_relu, ho_gelu, ho_silu, ho_tanh, ho_elu, ho_leakyrelu;

ho_value ho_tape_pointwise(ho_tape *t, const char *name, const ho_pointwise *f, ho_value x);
ho_value ho_tape_scale(ho_tape *t, const char *name, const char *kind, ho_value x); /* by a constant; kind: mul or div */
ho_value ho_tape_add(ho_tape *t, const char *name, ho_value x, ho_value y);         /* y may be smaller: it is repeated */
ho_value ho_tape_mul(ho_tape *t, const char *name, ho_value x, ho_value y);         /* so may it here */
ho_value ho_tape_bias(ho_tape *t, const char *name, ho_value x, ho_weight w);
ho_value ho_tape_rope(ho_tape *t, const char *name, ho_value x, ho_value table);

/* ---- along a dimension ------------------------------------------------------------------------------------------------- */

ho_value ho_tape_softmax(ho_tape *t, const char *name, ho_value x);
/* Over the rows of the same destination, as attention in graphs has it. */
ho_value ho_tape_softmax_by(ho_tape *t, const char *name, ho_value x, ho_value destination);
ho_value ho_tape_layernorm(ho_tape *t, const char *name, ho_value x); /* weights "name.weight", "name.bias" */
ho_value ho_tape_rmsnorm(ho_tape *t, const char *name, ho_value x);   /* weight "name.weight" */
ho_value ho_tape_batchnorm(ho_tape *t, const char *name, ho_value x); /* of the last dimension */
ho_value ho_tape_mean(ho_tape *t, const char *name, ho_value x, ho_value shape);

/* ---- data movement ----------------------------------------------------------------------------------------------------- */

ho_value ho_tape_reshape(ho_tape *t, const char *name, ho_value x, ho_value shape);   /* a view */
ho_value ho_tape_transpose(ho_tape *t, const char *name, ho_value x, ho_value shape); /* moves every element */
void ho_tape_split(ho_tape *t, const char *name, ho_value x, int axis, int n, ho_value *out);
ho_value ho_tape_concat(ho_tape *t, const char *name, const ho_value *x, int n, int axis);
ho_value ho_tape_slice(ho_tape *t, const char *name, ho_value x, ho_value shape);
ho_value ho_tape_expand(ho_tape *t, const char *name, ho_weight w, ho_value shape);
/* Rows of a table that is a weight: indices […] -> […, n]. */
ho_value ho_tape_embedding(ho_tape *t, const char *name, ho_weight w, ho_value indices, int64_t n);
/* Rows of x, one per index. */
ho_value ho_tape_gather(ho_tape *t, const char *name, ho_value x, ho_value indices);
/* Adds the rows of x, one per index, into `rows` rows. */
ho_value ho_tape_scatter(ho_tape *t, const char *name, ho_value x, ho_value indices, int64_t rows);
/* Gather, weighting and scatter in one: a sparse matrix of `edges` values (each with a column index) times x. */
ho_value ho_tape_spmm(ho_tape *t, const char *name, ho_value x, ho_value values, ho_value indices);
/* The most likely `k` of the last dimension; the indices go into *indices. */
ho_value ho_tape_topk(ho_tape *t, const char *name, ho_value x, int64_t k, ho_value *indices);
/* Puts x into the buffer `cache` of the given shape, which lies where it is used, and returns the whole of it. */
ho_value ho_tape_append(ho_tape *t, const char *name, const char *cache, ho_value x, ho_value shape);

#endif
