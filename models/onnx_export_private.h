/* onnx_export_private.h: what the files of the ONNX writer share; see onnx_export.h. Not installed. */
#ifndef HO_MODELS_ONNX_EXPORT_PRIVATE_H
#define HO_MODELS_ONNX_EXPORT_PRIVATE_H

#include "models/onnx_model.h"
#include "models/rewrite_graph.h"

/* Field numbers of the messages that are written. */
enum {
  HO_NODE_INPUT = 1,
  HO_NODE_OUTPUT = 2,
  HO_NODE_NAME = 3,
  HO_NODE_TYPE = 4,
  HO_NODE_ATTRIBUTE = 5,
  HO_NODE_DOMAIN = 7,
  HO_GRAPH_NODE = 1,
  HO_GRAPH_INITIALIZER = 5,
  HO_FUNCTION_NODE = 7
};

typedef struct {
  const char *file;
  const ho_workgraph *w;
  ho_onnx_model *m;
  ho_onnx_node **node;     /* by op of the first graph */
  ho_onnx_tensor **tensor; /* by tensor of the first graph */
  int32_t *position;       /* by op of the first graph: its place in topological order */
  guint8 *represented;     /* by op of the first graph: some op stands for it */
  int64_t *cut;            /* by tensor of w: how far slices have come along it */
  GHashTable *constants;   /* ho_onnx_node that is written already, or folded tensors */
  GByteArray *nodes;       /* of the graph, each with its tag */
  GByteArray *initializers;
  GByteArray *functions; /* of the model, each with its tag */
  int32_t n_functions;
} ho_onnx_exporter;

/* onnx_put.c: messages put together. */
void ho_onnx_put_text(GByteArray *to, uint32_t number, const char *text);
void ho_onnx_put_int(GByteArray *to, uint32_t number, int64_t value);
/* An attribute of a node under construction. */
void ho_onnx_put_int_attribute(GByteArray *node, const char *name, int64_t value);
void ho_onnx_put_ints_attribute(GByteArray *node, const char *name, int32_t n, const int64_t *values);
/* An int64 initializer of the graph, one dimension. */
void ho_onnx_put_ints(ho_onnx_exporter *x, const char *name, int32_t n, const int64_t *values);
/* An initializer out of a constant whose value is known; FALSE when its type cannot be written. */
gboolean ho_onnx_put_constant(ho_onnx_exporter *x, const char *name, const ho_onnx_tensor *t);
/* A node of the file with other inputs, outputs and name; attribute `but` (NULL: none) left out, and `more` (NULL: nothing) put behind. */
void ho_onnx_put_node(GByteArray *to, uint32_t number, const ho_onnx_node *n, const char *name, const GPtrArray *in,
                      const GPtrArray *out, const char *but, const GByteArray *more);

/* onnx_export_ops.c: op o of the work graph, and what it needs before it. */
gboolean ho_onnx_export_op(ho_onnx_exporter *x, ho_op o, GError **error);
/* Makes sure that constant t of the first graph is there: the nodes that make it, or its value. */
gboolean ho_onnx_export_constant(ho_onnx_exporter *x, ho_op reader, ho_tensor t, GError **error);
/* Why `file` cannot hold the op; always FALSE. */
gboolean ho_onnx_cannot(const ho_onnx_exporter *x, ho_op o, GError **error, const char *why);

/* onnx_export_parts.c: what is special about a part of a split. */
/* Slices, concats and sums; FALSE with an error. */
gboolean ho_onnx_export_glue(ho_onnx_exporter *x, ho_op o, GError **error);
/* Pieces of weights that were cut beforehand, as slices of the whole; `o` is a part that reads piece u. */
gboolean ho_onnx_export_weight_piece(ho_onnx_exporter *x, ho_op o, const ho_onnx_node *n, ho_tensor u, ho_tensor whole,
                                     GError **error);
/* Whether the pieces that part o reads and makes fit the attributes of its node. `in`: the tensor of w for each input of the node, -1. */
gboolean ho_onnx_check_part(const ho_onnx_exporter *x, ho_op o, const ho_onnx_node *n, const ho_tensor *in, GError **error);
/* The dimension along which piece u of `whole` is shorter; -1. */
int32_t ho_onnx_cut_dim(const ho_workgraph *w, ho_tensor u, ho_tensor whole);

#endif
