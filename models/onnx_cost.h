/* onnx_cost.h: kind, FLOPs, traffic and parallelism of an operator, by stated formulae.
 *
 * FLOPs are twice the multiply-accumulates for convolutions, products, recurrences and attention, and an amount per element for the
 * rest. Traffic is the sum of the tensors unless a rule knows better: a view moves nothing, a gather reads what it takes and not its
 * table. Parallelism is the number of output elements.
 *
 * Internal to the reader: not installed. */
#ifndef HO_MODELS_ONNX_COST_H
#define HO_MODELS_ONNX_COST_H

#include "models/onnx_model.h"

G_BEGIN_DECLS

/* X: first input, W: second input, Y: first output. */
typedef enum {
  HO_COST_NONE,           /* 0 FLOPs */
  HO_COST_OUT,            /* amount · elements of Y */
  HO_COST_IN,             /* amount · elements of X */
  HO_COST_VARIADIC,       /* amount · elements of Y · (inputs - 1) */
  HO_COST_VIEW,           /* Y is X under another shape: nothing is moved */
  HO_COST_NO_READ,        /* 0 FLOPs, and the inputs' elements are not read */
  HO_COST_RANDOM,         /* as OUT, and the inputs' elements are not read */
  HO_COST_PART,           /* 0 FLOPs, reads as many bytes as it writes */
  HO_COST_GATHER,         /* 0 FLOPs, reads what it takes, and its indices */
  HO_COST_CONV,           /* 2 · elements of Y · elements of one filter of W */
  HO_COST_QCONV,          /* the same, W is input 3 */
  HO_COST_DEFORM,         /* the same and 8 · elements of one filter · positions for the interpolation */
  HO_COST_CONV_TRANSPOSE, /* 2 · elements of X · elements of one filter of W */
  HO_COST_GEMM,           /* 2 · M · N · K */
  HO_COST_MATMUL,         /* 2 · elements of Y · K */
  HO_COST_NBITS,          /* the same, K in an attribute */
  HO_COST_EINSUM,         /* 2 · product of the sizes of all indices */
  HO_COST_RECURRENT,      /* 2 · steps · batch · (elements of W + elements of R) */
  HO_COST_POOL,           /* amount · elements of Y · elements of the window */
  HO_COST_RESIZE,         /* nearest: 0; linear: 3 · 2^(axes that change) - 3 … per element of Y; cubic: 32 per element of Y */
  HO_COST_LRN,            /* (2 · size + 6) · elements of Y */
  HO_COST_SORT,           /* elements of X · ⌈log2 of the length of an axis⌉ */
  HO_COST_NMS,            /* 10 · boxes² · classes */
  HO_COST_ATTENTION,      /* 2 · (queries · keys) · (size of a key + size of a value), over batch and heads */
  HO_COST_ATTENTION_CONTRIB, /* the same, and the projection 2 · batch · sequence · elements of W */
  HO_COST_MULTI_HEAD,        /* as ATTENTION, heads side by side in one dimension */
  HO_COST_GROUP_QUERY,       /* the same, with a cache */
  HO_COST_EMBED              /* amount · elements of Y; reads rows of its tables */
} ho_onnx_formula;

typedef struct {
  const char *op, *kind;
  ho_onnx_formula formula;
  double amount;
} ho_onnx_cost_entry;

const ho_onnx_cost_entry *ho_onnx_cost_find(const char *op); /* NULL: no rule */
/* For tests: the table, in the order it must be in (strcmp). */
const ho_onnx_cost_entry *ho_onnx_cost_table(size_t *n);

/* Fills n->cost from the shapes of its tensors. */
void ho_onnx_cost_of(ho_onnx_model *m, ho_onnx_node *n);
/* B that a node reads and writes: what its cost says, else the sums of its tensors, each once. */
double ho_onnx_read_bytes(const ho_onnx_node *n);
double ho_onnx_write_bytes(const ho_onnx_node *n);

G_END_DECLS

#endif
