/* gnn.c: graph neural networks over a whole graph at once: GCN (Kipf & Welling, ICLR 2017), GraphSAGE with means (Hamilton, Ying,
 * Leskovec, NeurIPS 2017), GAT (Veličković et al., ICLR 2018), as PyTorch Geometric has them.
 *
 * Every layer multiplies node features by weights and moves them along edges. Moving is a gather of a row per edge, its weighting and a
 * scatter (aggregation=scatter), or one product with a sparse matrix (spmm), which never stores a row per edge. On arxiv and
 * products layers and sizes are those of the OGB reference (three layers of 256; batch normalisation on arxiv only); on cora those of
 * the papers. OGB has no reference of GAT: its layers take the same sizes, in eight heads. */
#include "models/gnn.h"

#include "base/error.h"
#include "models/tape.h"
#include "models/transformer_block.h"

/* Edges are entries of the adjacency matrix, both directions of an undirected edge counted: of arxiv, whose 1,166,243 edges are
 * directed, after making it symmetric, as the reference does. */
typedef struct {
  int64_t nodes, edges, features, classes;
  int64_t layers, hidden; /* of GCN and GraphSAGE */
  gboolean batchnorm;
} dataset;

static const char *const dataset_choices[] = {"cora", "arxiv", "products", NULL}; /* in the order of `datasets` */
static const dataset datasets[] = {
    {2708, 10556, 1433, 7, 2, 16, FALSE}, {169343, 2315598, 128, 40, 3, 256, TRUE}, {2449029, 123718280, 100, 47, 3, 256, FALSE}};
enum { CORA };

static const char *const aggregation_choices[] = {"scatter", "spmm", NULL};
enum { SPMM = 1 };

#define DATASET_OPTIONS                                                                     \
  {"dataset", HO_OPTION_CHOICE, "arxiv", 0, 0, dataset_choices, "graph that is worked on"}, \
      {"hidden", HO_OPTION_INT, "0", 0, 65536, NULL, "features of a hidden layer; 0: as in the reference"}, HO_OPTION_LAYERS
#define AGGREGATION                                                        \
  {                                                                        \
    "aggregation", HO_OPTION_CHOICE, "scatter", 0, 0, aggregation_choices, \
        "scatter: a row per edge is stored; spmm: sparse product"          \
  }

static const ho_option options_of_gnn[] = {DATASET_OPTIONS, AGGREGATION, HO_OPTION_PRECISION, HO_OPTION_MODE, {.name = NULL}};
static const ho_option options_of_gat[] = {
    DATASET_OPTIONS,
    {"heads", HO_OPTION_INT, "8", 1, 64, NULL, "heads of a hidden layer, sharing its features"},
    HO_OPTION_PRECISION,
    HO_OPTION_MODE,
    {.name = NULL}};

typedef struct {
  ho_tape *t;
  const dataset *data;
  int64_t layers, hidden, edges;
  gboolean sparse;
  ho_value x;
  ho_value from, to; /* indices of every edge */
  ho_value weights;  /* of every edge, or the inverse degree of every node */
} model;

static model begin(const char *name, const ho_options *options, int64_t hidden) {
  const dataset *data = &datasets[ho_options_int(options, "dataset")];
  int64_t wished = ho_options_int(options, "hidden");
  model m = {.t = ho_tape_of_options(name, options, 1), .data = data};
  m.layers = ho_layers_of(options, data->layers);
  m.hidden = wished > 0 ? wished : hidden > 0 ? hidden : data->hidden;
  m.x = ho_tape_input(m.t, "features", ho_shape2(data->nodes, data->features));
  return m;
}

static void read_edges(model *m, int64_t edges) {
  m->edges = edges;
  m->from = ho_tape_indices(m->t, "edge_from", ho_shape1(edges));
  m->to = ho_tape_indices(m->t, "edge_to", ho_shape1(edges));
}

static int64_t width_of(const model *m, int64_t layer) {
  return layer + 1 < m->layers ? m->hidden : m->data->classes;
}

static void enter(const model *m, int64_t layer) {
  g_autofree char *name = g_strdup_printf("convs.%" G_GINT64_FORMAT, layer);
  ho_tape_layer(m->t, name);
}

static ho_value project(ho_tape *t, const char *name, ho_value x, int64_t n) {
  ho_weight w = ho_tape_weight(t, ho_tape_name(t, name, "weight"), ho_shape2(x.dim[1], n));
  return ho_tape_linear(t, name, x, w, n);
}

/* Between two layers; dropout is left out. */
static ho_value activate(const model *m, ho_value x, const ho_pointwise *f) {
  if (m->data->batchnorm) x = ho_tape_batchnorm(m->t, "bn", x);
  return ho_tape_pointwise(m->t, f->kind, f, x);
}

static ho_value biased(const model *m, ho_value x) {
  return ho_tape_bias(m->t, "bias_add", x, ho_tape_weight(m->t, "bias", ho_shape1(x.dim[1])));
}

/* ---- GCN -------------------------------------------------------------------------------------------------------------- */

/* Rows are multiplied with D^-1/2 (A + I) D^-1/2, whose values are an input: they are computed once per graph. */
static ho_value propagate(const model *m, ho_value x) {
  if (m->sparse) return ho_tape_spmm(m->t, "spmm", x, m->weights, m->from);
  ho_value rows = ho_tape_mul(m->t, "norm", ho_tape_gather(m->t, "gather", x, m->from), m->weights);
  return ho_tape_scatter(m->t, "scatter", rows, m->to, m->data->nodes);
}

static ho_graph *build_gcn(const char *name, const ho_options *options, GError **error) {
  model m = begin(name, options, 0);
  m.sparse = ho_options_int(options, "aggregation") == SPMM;
  read_edges(&m, m.data->edges + m.data->nodes); /* an edge from every node to itself */
  m.weights = ho_tape_input(m.t, "edge_weights", ho_shape1(m.edges));
  ho_value x = m.x;
  for (int64_t i = 0; i < m.layers; i++) {
    enter(&m, i);
    x = biased(&m, propagate(&m, project(m.t, "lin", x, width_of(&m, i))));
    if (i + 1 < m.layers) x = activate(&m, x, &ho_relu);
  }
  return ho_tape_finish(m.t, x, error);
}

/* ---- GraphSAGE -------------------------------------------------------------------------------------------------------- */

/* The mean of the neighbours' rows. With a sparse product its weights are the values of the matrix. */
static ho_value neighbours(const model *m, ho_value x) {
  if (m->sparse) return ho_tape_spmm(m->t, "spmm", x, m->weights, m->from);
  ho_value sum = ho_tape_scatter(m->t, "scatter", ho_tape_gather(m->t, "gather", x, m->from), m->to, m->data->nodes);
  return ho_tape_mul(m->t, "mean", sum, m->weights);
}

static ho_graph *build_graphsage(const char *name, const ho_options *options, GError **error) {
  model m = begin(name, options, 0);
  m.sparse = ho_options_int(options, "aggregation") == SPMM;
  read_edges(&m, m.data->edges);
  m.weights = m.sparse ? ho_tape_input(m.t, "edge_weights", ho_shape1(m.edges))
                       : ho_tape_input(m.t, "inverse_degree", ho_shape2(m.data->nodes, 1));
  ho_value x = m.x;
  for (int64_t i = 0; i < m.layers; i++) {
    enter(&m, i);
    ho_value y = ho_tape_gemm(m.t, "lin_l", neighbours(&m, x), width_of(&m, i));
    x = ho_tape_add(m.t, "add", y, project(m.t, "lin_r", x, width_of(&m, i)));
    if (i + 1 < m.layers) x = activate(&m, x, &ho_relu);
  }
  return ho_tape_finish(m.t, x, error);
}

/* ---- GAT -------------------------------------------------------------------------------------------------------------- */

/* Scores of every edge from its two ends, normalised over the edges into a node. */
static ho_value edge_attention(const model *m, ho_value x) {
  ho_value source = ho_tape_project(m->t, "att_src", x), destination = ho_tape_project(m->t, "att_dst", x);
  source = ho_tape_gather(m->t, "gather_src", source, m->from);
  destination = ho_tape_gather(m->t, "gather_dst", destination, m->to);
  ho_value e = ho_tape_pointwise(m->t, "leaky_relu", &ho_leakyrelu, ho_tape_add(m->t, "score", source, destination));
  return ho_tape_softmax_by(m->t, "softmax", e, m->to);
}

static ho_value attend(const model *m, ho_value x, int64_t heads, int64_t width) {
  int64_t nodes = m->data->nodes;
  x = ho_tape_reshape(m->t, "heads", project(m->t, "lin", x, heads * width), ho_shape3(nodes, heads, width));
  ho_value alpha = edge_attention(m, x);
  x = ho_tape_mul(m->t, "weight", ho_tape_gather(m->t, "gather", x, m->from), alpha);
  x = ho_tape_scatter(m->t, "scatter", x, m->to, nodes);
  return biased(m, ho_tape_reshape(m->t, "join", x, ho_shape2(nodes, heads * width)));
}

/* On cora a hidden layer has eight heads of eight features each; the last layer has one head. */
static ho_graph *build_gat(const char *name, const ho_options *options, GError **error) {
  int64_t heads = ho_options_int(options, "heads");
  model m = begin(name, options, ho_options_int(options, "dataset") == CORA ? 8 * heads : 0);
  if (m.hidden % heads) {
    ho_fail(error, HO_ERROR_INPUT, "%s: hidden is %" G_GINT64_FORMAT ": expected a multiple of heads, %" G_GINT64_FORMAT, name,
            m.hidden, heads);
    ho_tape_free(m.t);
    return NULL;
  }
  read_edges(&m, m.data->edges + m.data->nodes); /* an edge from every node to itself */
  ho_value x = m.x;
  for (int64_t i = 0; i < m.layers; i++) {
    gboolean hidden = i + 1 < m.layers;
    enter(&m, i);
    x = attend(&m, x, hidden ? heads : 1, hidden ? m.hidden / heads : m.data->classes);
    if (hidden) x = activate(&m, x, &ho_elu);
  }
  return ho_tape_finish(m.t, x, error);
}

const ho_model_builder ho_model_gcn = {.name = "gcn",
                                       .summary = "graph convolutional network on a whole graph",
                                       .source = "Kipf & Welling, ICLR 2017; OGB reference, Hu et al., NeurIPS 2020",
                                       .options = options_of_gnn,
                                       .build = build_gcn};
const ho_model_builder ho_model_graphsage = {
    .name = "graphsage",
    .summary = "GraphSAGE with means on a whole graph",
    .source = "Hamilton, Ying, Leskovec, NeurIPS 2017; OGB reference, Hu et al., NeurIPS 2020",
    .options = options_of_gnn,
    .build = build_graphsage};
const ho_model_builder ho_model_gat = {.name = "gat",
                                       .summary = "graph attention network on a whole graph",
                                       .source = "Veličković et al., ICLR 2018; PyTorch Geometric's GATConv",
                                       .options = options_of_gat,
                                       .build = build_gat};
