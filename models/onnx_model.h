/* onnx_model.h: an ONNX model in memory: graphs of nodes and tensors, without the weights.
 *
 * The parser (onnx_parse.c, onnx_node.c) fills it from the file, inference (onnx_infer.c) adds shapes, constants and costs, and the
 * reader (onnx_read.c) turns its main graph into a ho_graph. Everything lies in the model's arena. A name means what its scope
 * says: the graph's own tensors first, then those of the graphs around it; the body of a model-local function is a scope of its own
 * whose nodes join the calling graph.
 *
 * Internal to the reader: not installed. */
#ifndef HO_MODELS_ONNX_MODEL_H
#define HO_MODELS_ONNX_MODEL_H

#include "base/arena.h"
#include "models/onnx.pb-c.h"
#include "models/onnx_wire.h"
#include "models/source.h"

G_BEGIN_DECLS

#define HO_ONNX_MAX_DIM ((int64_t)1 << 40) /* elements along one dimension */

enum {
  HO_ONNX_MAX_RANK = 32,
  HO_ONNX_MAX_DEPTH = 48,      /* of graphs inside nodes inside graphs, and of functions calling functions */
  HO_ONNX_MAX_NODES = 4000000, /* after inlining: functions that call functions can grow without bound */
  HO_ONNX_MAX_CONSTANT = 4096, /* elements of a tensor whose values are kept for folding */
  HO_ONNX_MAX_FOLDED = 1 << 24 /* elements that folding computes altogether */
};

typedef struct {
  int32_t rank;                  /* -1: not known */
  int64_t dim[HO_ONNX_MAX_RANK]; /* -1: not known */
} ho_onnx_shape;

/* Elements of a small constant: integers and booleans in `i`, floating numbers in `d`, as the tensor's dtype says. */
typedef union {
  int64_t i;
  double d;
} ho_onnx_scalar;

typedef enum { HO_ONNX_COMPUTED, HO_ONNX_INPUT, HO_ONNX_WEIGHT } ho_onnx_source;

typedef struct ho_onnx_node ho_onnx_node;
typedef struct ho_onnx_graph ho_onnx_graph;

typedef struct {
  const char *name;
  ho_dtype dtype; /* HO_DTYPE_NONE: not known */
  ho_onnx_shape shape;
  ho_onnx_source source;
  gboolean is_output;          /* of its graph */
  gboolean has_declared;       /* the file states a shape */
  ho_onnx_shape declared;      /* as in the file; -1 where symbolic */
  const char **symbol;         /* declared.rank names of symbolic dimensions, or NULL where there is none */
  size_t n_values;             /* of `value` */
  const ho_onnx_scalar *value; /* NULL: not known before run time */
  ho_onnx_node *producer;      /* NULL: none */
  ho_onnx_graph *graph;        /* where it lives */
  ho_tensor index;             /* in the graph that the reader builds; -1 before */
} ho_onnx_tensor;

/* A tensor or a graph inside an attribute: exactly one of the two. */
typedef struct {
  const char *attribute;
  ho_onnx_tensor *tensor;
  ho_onnx_graph *graph;
  ho_wire bytes; /* of a graph, before it is parsed */
} ho_onnx_payload;

typedef struct ho_onnx_cost {
  const char *kind;
  double flops;
  double read, write; /* B; NAN: the sums of the tensors */
  double parallelism;
  int64_t workspace; /* B */
  gboolean known;    /* a rule covers this operator */
  gboolean view;     /* the first output is the first input under another shape */
} ho_onnx_cost;

struct ho_onnx_node {
  Ho__OnnxNode *proto;
  const char *name; /* for messages; made up where the file gives none */
  const char *op;   /* "Conv", or "com.microsoft::Attention" outside of the standard domain */
  int64_t opset;    /* version of its domain */
  size_t offset;    /* in the file */
  ho_wire bytes;    /* the NodeProto in the file */
  int32_t n_in, n_out;
  ho_onnx_tensor **in, **out; /* NULL where an optional one is left out */
  int32_t n_captured;         /* tensors of enclosing graphs that its sub-graphs read, and that are not among `in` */
  ho_onnx_tensor **captured;
  int32_t n_payload;
  ho_onnx_payload *payload;
  gboolean is_constant; /* a Constant, or a ConstantOfShape of a constant: a weight, no op */
  int32_t order;        /* index in its graph; -1 before it has joined it */
  ho_op index;          /* in the graph that the reader builds; -1 when it is no op there */
  ho_onnx_cost cost;
};

typedef struct ho_onnx_scope {
  GHashTable *tensors;          /* name → ho_onnx_tensor */
  struct ho_onnx_scope *parent; /* NULL at the top and in functions */
  ho_onnx_graph *graph;
  GHashTable *opsets;       /* domain → version + 1 */
  const ho_onnx_node *call; /* of the function whose body this is; NULL: not in a function */
} ho_onnx_scope;

struct ho_onnx_graph {
  const char *name;
  ho_onnx_graph *outer;    /* NULL at the top */
  GPtrArray *nodes;        /* ho_onnx_node, in the order of the file */
  GPtrArray *tensors;      /* ho_onnx_tensor, in the order of their first mention */
  GPtrArray *inputs;       /* ho_onnx_tensor; initializers that are also listed as inputs are left out */
  GPtrArray *outputs;      /* ho_onnx_tensor */
  GPtrArray *captured;     /* ho_onnx_tensor of enclosing graphs that it or a graph inside it reads */
  GHashTable *is_captured; /* the same, as a set */
};

typedef struct {
  const char *domain, *name, *overload;
  GPtrArray *inputs, *outputs; /* names */
  ho_wire body;                /* the FunctionProto */
  ho_onnx_node *defaults;      /* carries the attributes that have a default */
  GHashTable *opsets;          /* domain → version + 1 */
} ho_onnx_function;

typedef struct {
  const char *file;
  const ho_bindings *bindings;
  ho_arena *arena;
  GMappedFile *map;
  GPtrArray *arrays; /* GPtrArray and GHashTable that the arena cannot free */
  GPtrArray *tables;
  GHashTable *opsets;   /* domain → version + 1 */
  GPtrArray *functions; /* ho_onnx_function */
  GHashTable *function; /* "domain::name:overload" → the same */
  ho_onnx_graph *main;
  size_t n_nodes;
  gboolean has_external; /* some weights are in files beside the model */
  size_t n_folded;       /* elements computed by folding, which a budget limits */
  GHashTable *is_symbol, *is_remembered;
  GHashTable *is_used;  /* bound names that were asked for */
  GPtrArray *symbols;   /* every name that --bind may set, in order of appearance */
  GPtrArray *defaulted; /* of these, the ones taken as 1 */
  GPtrArray *unknown;   /* names of operators without a cost rule, once for each node */
  GPtrArray *bounded;   /* "tensor.axis" of data-dependent sizes taken at their upper bound */
} ho_onnx_model;

ho_onnx_model *ho_onnx_model_new(const char *file, const ho_bindings *bindings);
/* Parses the file; NULL with an error when it is no readable model. */
ho_onnx_model *ho_onnx_model_open(const char *file, const ho_bindings *bindings, GError **error);
void ho_onnx_model_free(ho_onnx_model *m); /* NULL is allowed */

/* Works out shapes, constants and costs of a model that was just opened, and makes the graph. `index` of nodes and tensors is into that. */
ho_graph *ho_onnx_model_graph(ho_onnx_model *m, GError **error);
/* Opens the file, and gives the graph that it is read as in *g. NULL on error. */
ho_onnx_model *ho_onnx_model_read(const char *file, const ho_bindings *bindings, ho_graph **g, GError **error);

/* Containers that live as long as the model. */
GPtrArray *ho_onnx_array(ho_onnx_model *m);
GHashTable *ho_onnx_table(ho_onnx_model *m);       /* by text */
GHashTable *ho_onnx_pointer_set(ho_onnx_model *m); /* by pointer */
/* Lets protobuf-c unpack into the model's arena. */
ProtobufCAllocator ho_onnx_allocator(ho_onnx_model *m);
/* A copy that is valid UTF-8 without control characters, fit for a message of one line. */
const char *ho_onnx_text(ho_onnx_model *m, const char *s);

/* Value of a symbolic dimension or of another thing only the user knows: what was bound, else `otherwise`, whose use is remembered
 * in `remember`. */
int64_t ho_onnx_bound(ho_onnx_model *m, const char *name, int64_t otherwise, GPtrArray *remember);
/* Notes that --bind may set this name. */
void ho_onnx_symbol(ho_onnx_model *m, const char *name);

/* Fails at a place in the file. Always FALSE. */
gboolean ho_onnx_refuse(const ho_onnx_model *m, size_t offset, GError **error, const char *format, ...) G_GNUC_PRINTF(4, 5);

ho_onnx_tensor *ho_onnx_tensor_new(ho_onnx_model *m, ho_onnx_graph *g, const char *name, ho_onnx_source source);
/* The tensor of a name in a scope or around it; FALSE when the name means nothing there. *t can be NULL: a function's input that
 * its caller left out. */
gboolean ho_onnx_scope_find(const ho_onnx_scope *s, const char *name, ho_onnx_tensor **t);
ho_onnx_scope *ho_onnx_scope_new(ho_onnx_model *m, ho_onnx_graph *g, ho_onnx_scope *parent, GHashTable *opsets);

/* onnx_node.c: a node and its attributes. */
ho_onnx_node *ho_onnx_node_parse(ho_onnx_model *m, ho_wire bytes, GError **error);
/* The attributes alone, in field `number` of some other message. */
ho_onnx_node *ho_onnx_attributes_parse(ho_onnx_model *m, ho_wire bytes, uint32_t number, GError **error);
const Ho__OnnxAttribute *ho_onnx_attribute(const ho_onnx_node *n, const char *name); /* NULL: absent */
int64_t ho_onnx_int(const ho_onnx_node *n, const char *name, int64_t otherwise);
double ho_onnx_float(const ho_onnx_node *n, const char *name, double otherwise);
/* The integers of a list; NULL and *count = 0 when absent. */
const int64_t *ho_onnx_ints(const ho_onnx_node *n, const char *name, size_t *count);
/* The text of a string attribute, "" when absent; `is` compares it. */
gboolean ho_onnx_string_is(const ho_onnx_node *n, const char *name, const char *text);
char *ho_onnx_string(ho_onnx_model *m, const ho_onnx_node *n, const char *name);
ho_onnx_tensor *ho_onnx_payload_tensor(const ho_onnx_node *n, const char *name); /* NULL */
ho_onnx_graph *ho_onnx_payload_graph(const ho_onnx_node *n, const char *name);   /* NULL */

/* onnx_tensor.c: the header of a TensorProto, with the values where it is small. */
ho_onnx_tensor *ho_onnx_tensor_parse(ho_onnx_model *m, ho_wire bytes, const char **name, GError **error);
ho_onnx_tensor *ho_onnx_sparse_parse(ho_onnx_model *m, ho_wire bytes, const char **name, GError **error);
ho_dtype ho_onnx_dtype(int64_t data_type); /* HO_DTYPE_NONE: not known */

/* onnx_function.c */
gboolean ho_onnx_function_parse(ho_onnx_model *m, ho_wire bytes, GError **error);                /* joins m->functions */
const ho_onnx_function *ho_onnx_function_find(const ho_onnx_model *m, const Ho__OnnxNode *call); /* NULL */
/* Puts the body in the place of the call: its nodes join `s->graph`. */
gboolean ho_onnx_function_inline(ho_onnx_model *m, ho_onnx_scope *s, ho_onnx_node *call, const ho_onnx_function *f, int depth,
                                 GError **error);

/* onnx_graph.c: a GraphProto in a scope. */
ho_onnx_graph *ho_onnx_graph_parse(ho_onnx_model *m, ho_wire bytes, ho_onnx_scope *outer, GHashTable *opsets, int depth,
                                   GError **error);
/* Makes the outputs of a node in its scope. */
gboolean ho_onnx_node_define(ho_onnx_model *m, ho_onnx_scope *s, ho_onnx_node *n, GError **error);
/* The inputs of a node: names become tensors. */
gboolean ho_onnx_node_resolve(ho_onnx_model *m, ho_onnx_scope *s, ho_onnx_node *n, GError **error);
/* Resolves a node of a complete scope, parses the graphs in it, and adds it to s->graph; a call of a function becomes its body. */
gboolean ho_onnx_graph_add(ho_onnx_model *m, ho_onnx_scope *s, ho_onnx_node *n, int depth, GError **error);
/* Reads an OperatorSetIdProto into a table. */
gboolean ho_onnx_opset_parse(ho_onnx_model *m, ho_wire bytes, GHashTable *opsets, GError **error);

/* Number of elements; -1 when the shape is not known, saturating at INT64_MAX. */
int64_t ho_onnx_elements(const ho_onnx_shape *s);
/* B of a tensor; 0 when its shape or dtype is not known. */
double ho_onnx_bytes(const ho_onnx_tensor *t);
gboolean ho_onnx_is_float(ho_dtype t);

G_END_DECLS

#endif
