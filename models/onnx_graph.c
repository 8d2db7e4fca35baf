/* onnx_graph.c: a GraphProto becomes nodes and tensors that know each other.
 *
 * The fields of a graph come in any order, and its nodes too. So everything that has a name is collected first; only then are the
 * inputs of nodes looked up and the graphs inside them parsed, which may read any tensor around them. */
#include <string.h>

#include "models/onnx_model.h"

enum {
  GRAPH_NODE = 1,
  GRAPH_NAME = 2,
  GRAPH_INITIALIZER = 5,
  GRAPH_INPUT = 11,
  GRAPH_OUTPUT = 12,
  GRAPH_VALUE = 13,
  GRAPH_SPARSE = 15
};

/* What one walk over a graph finds. */
typedef struct {
  GPtrArray *nodes;                    /* ho_onnx_node */
  GPtrArray *inputs, *outputs, *infos; /* info */
} parts;

typedef struct {
  const char *name;
  const Ho__OnnxTensorType *type; /* NULL: not a tensor, or not said */
  size_t offset;
} info;

static info *parse_info(ho_onnx_model *m, const ho_wire *w, GError **error) {
  ProtobufCAllocator in_arena = ho_onnx_allocator(m);
  const Ho__OnnxValueInfo *v = ho__onnx_value_info__unpack(&in_arena, ho_wire_size(w), w->at);
  if (v == NULL) {
    ho_wire_fail(w, error, "a damaged description of a value, expected a ValueInfoProto");
    return NULL;
  }
  info *i = ho_arena_alloc(m->arena, sizeof *i);
  *i = (info){.name = v->name ? v->name : "", .type = v->type ? v->type->tensor_type : NULL, .offset = ho_wire_offset(w)};
  return i;
}

static gboolean add_weight(ho_onnx_scope *s, ho_onnx_tensor *t, const char *name, const ho_wire *w, GError **error) {
  if (t == NULL) return FALSE;
  if (*name == 0) return TRUE; /* cannot be read by anyone */
  if (g_hash_table_contains(s->tensors, name)) return ho_wire_fail(w, error, "a second initializer '%s'", t->name);
  t->graph = s->graph;
  g_ptr_array_add(s->graph->tensors, t);
  g_hash_table_insert(s->tensors, (gpointer)name, t);
  return TRUE;
}

static gboolean read_field(ho_onnx_model *m, ho_onnx_scope *s, const ho_wire_field *f, parts *p, GError **error) {
  const char *name = "";
  gpointer made = NULL;
  switch (f->number) {
    case GRAPH_NODE:
      g_ptr_array_add(p->nodes, made = ho_onnx_node_parse(m, f->bytes, error));
      return made != NULL;
    case GRAPH_INPUT:
      g_ptr_array_add(p->inputs, made = parse_info(m, &f->bytes, error));
      return made != NULL;
    case GRAPH_OUTPUT:
      g_ptr_array_add(p->outputs, made = parse_info(m, &f->bytes, error));
      return made != NULL;
    case GRAPH_VALUE:
      g_ptr_array_add(p->infos, made = parse_info(m, &f->bytes, error));
      return made != NULL;
    case GRAPH_INITIALIZER: {
      ho_onnx_tensor *t = ho_onnx_tensor_parse(m, f->bytes, &name, error);
      return add_weight(s, t, name, &f->bytes, error);
    }
    case GRAPH_SPARSE: {
      ho_onnx_tensor *t = ho_onnx_sparse_parse(m, f->bytes, &name, error);
      return add_weight(s, t, name, &f->bytes, error);
    }
    case GRAPH_NAME: {
      char *text = ho_arena_alloc(m->arena, ho_wire_size(&f->bytes) + 1);
      memcpy(text, f->bytes.at, ho_wire_size(&f->bytes));
      s->graph->name = ho_onnx_text(m, text);
      return TRUE;
    }
    default:
      return TRUE;
  }
}

static gboolean walk_fields(ho_onnx_model *m, ho_onnx_scope *s, ho_wire w, parts *p, GError **error) {
  ho_wire_field f;
  ho_wire_step step;
  while ((step = ho_wire_next(&w, &f, error)) == HO_WIRE_FIELD) {
    const gboolean message = f.number == GRAPH_NODE || f.number == GRAPH_NAME || f.number == GRAPH_INITIALIZER ||
                             f.number == GRAPH_INPUT || f.number == GRAPH_OUTPUT || f.number == GRAPH_VALUE ||
                             f.number == GRAPH_SPARSE;
    if (message && !ho_wire_expect(&w, &f, HO_WIRE_BYTES, "a graph's node, tensor or value", error)) return FALSE;
    if (!read_field(m, s, &f, p, error)) return FALSE;
  }
  return step == HO_WIRE_END;
}

/* ---- what the file states about a tensor ---- */

static gboolean declare(ho_onnx_model *m, ho_onnx_tensor *t, const info *v, GError **error) {
  const Ho__OnnxTensorType *type = v->type;
  if (type == NULL) return TRUE; /* a sequence, a map: size not known */
  if (ho_onnx_dtype(type->elem_type) != HO_DTYPE_NONE) t->dtype = ho_onnx_dtype(type->elem_type);
  if (type->shape == NULL || t->has_declared) return TRUE;
  if (type->shape->n_dim > HO_ONNX_MAX_RANK)
    return ho_onnx_refuse(m, v->offset, error, "tensor '%s' has %zu dimensions, expected at most %d", t->name, type->shape->n_dim,
                          HO_ONNX_MAX_RANK);
  t->has_declared = TRUE;
  t->declared.rank = (int32_t)type->shape->n_dim;
  t->symbol = ho_arena_new_array(m->arena, const char *, t->declared.rank + 1);
  for (int32_t k = 0; k < t->declared.rank; k++) {
    const Ho__OnnxDimension *d = type->shape->dim[k];
    t->declared.dim[k] = d->has_dim_value && d->dim_value >= 0 ? d->dim_value : -1;
    if (t->declared.dim[k] >= 0 || d->dim_param == NULL || *d->dim_param == 0) continue;
    t->symbol[k] = ho_onnx_text(m, d->dim_param);
    ho_onnx_symbol(m, t->symbol[k]);
  }
  return TRUE;
}

static gboolean declare_inputs(ho_onnx_model *m, ho_onnx_scope *s, const GPtrArray *infos, GError **error) {
  for (guint k = 0; k < infos->len; k++) {
    const info *v = infos->pdata[k];
    ho_onnx_tensor *t = g_hash_table_lookup(s->tensors, v->name);
    if (t != NULL && t->source == HO_ONNX_WEIGHT) continue; /* before version 4, initializers are listed as inputs too */
    if (t != NULL) return ho_onnx_refuse(m, v->offset, error, "a second input '%s' in graph '%s'", t->name, s->graph->name);
    t = ho_onnx_tensor_new(m, s->graph, v->name, HO_ONNX_INPUT);
    g_hash_table_insert(s->tensors, (gpointer)v->name, t);
    g_ptr_array_add(s->graph->inputs, t);
    if (!declare(m, t, v, error)) return FALSE;
  }
  return TRUE;
}

static void capture(ho_onnx_scope *s, ho_onnx_tensor *t) {
  for (ho_onnx_graph *g = s->graph; g != NULL && g != t->graph; g = g->outer)
    if (g_hash_table_add(g->is_captured, t)) g_ptr_array_add(g->captured, t);
}

static gboolean declare_outputs(ho_onnx_model *m, ho_onnx_scope *s, const GPtrArray *infos, GError **error) {
  for (guint k = 0; k < infos->len; k++) {
    const info *v = infos->pdata[k];
    ho_onnx_tensor *t = NULL;
    if (!ho_onnx_scope_find(s, v->name, &t) || t == NULL)
      return ho_onnx_refuse(m, v->offset, error, "graph '%s' names '%s' as an output, which nothing produces", s->graph->name,
                            ho_onnx_text(m, v->name));
    g_ptr_array_add(s->graph->outputs, t);
    capture(s, t);
    if (t->graph != s->graph) continue;
    t->is_output = TRUE;
    if (t->source == HO_ONNX_COMPUTED && !declare(m, t, v, error)) return FALSE;
  }
  return TRUE;
}

static gboolean declare_values(ho_onnx_model *m, ho_onnx_scope *s, const GPtrArray *infos, GError **error) {
  for (guint k = 0; k < infos->len; k++) {
    const info *v = infos->pdata[k];
    ho_onnx_tensor *t = g_hash_table_lookup(s->tensors, v->name);
    if (t != NULL && t->source == HO_ONNX_COMPUTED && !declare(m, t, v, error)) return FALSE;
  }
  return TRUE;
}

/* ---- nodes ---- */

static const char *prefixed(ho_onnx_model *m, const ho_onnx_scope *s, const char *name) {
  if (s->call == NULL) return name;
  char *text = g_strdup_printf("%s/%s", s->call->name, name);
  const char *kept = ho_arena_strdup(m->arena, text);
  g_free(text);
  return kept;
}

gboolean ho_onnx_node_define(ho_onnx_model *m, ho_onnx_scope *s, ho_onnx_node *n, GError **error) {
  n->n_out = (int32_t)n->proto->n_output;
  n->out = ho_arena_new_array(m->arena, ho_onnx_tensor *, n->n_out + 1);
  n->name = prefixed(m, s, n->name);
  for (int32_t k = 0; k < n->n_out; k++) {
    const char *name = n->proto->output[k];
    if (*name == 0) continue;
    ho_onnx_tensor *t = g_hash_table_lookup(s->tensors, name);
    /* a function's output already exists: it is the one of the call, and the call is its producer until now */
    const gboolean of_call = t != NULL && s->call != NULL && t->producer == s->call;
    if (t != NULL && !of_call)
      return ho_onnx_refuse(m, n->offset, error, "node '%s' makes '%s', which exists already", n->name, t->name);
    if (t == NULL) t = ho_onnx_tensor_new(m, s->graph, prefixed(m, s, name), HO_ONNX_COMPUTED);
    t->producer = n;
    n->out[k] = t;
    g_hash_table_insert(s->tensors, (gpointer)name, t);
  }
  return TRUE;
}

/* Version of a domain: as the function says, else as the model says; -1 when neither does. */
static int64_t opset_of(const ho_onnx_model *m, const ho_onnx_scope *s, const char *domain) {
  const char *key = domain && strcmp(domain, "ai.onnx") ? domain : "";
  gpointer version = g_hash_table_lookup(s->opsets, key);
  if (version == NULL) version = g_hash_table_lookup(m->opsets, key);
  return GPOINTER_TO_INT(version) - 1;
}

gboolean ho_onnx_node_resolve(ho_onnx_model *m, ho_onnx_scope *s, ho_onnx_node *n, GError **error) {
  n->n_in = (int32_t)n->proto->n_input;
  n->in = ho_arena_new_array(m->arena, ho_onnx_tensor *, n->n_in + 1);
  n->opset = opset_of(m, s, n->proto->domain);
  for (int32_t k = 0; k < n->n_in; k++) {
    const char *name = n->proto->input[k];
    if (*name == 0) continue;
    if (!ho_onnx_scope_find(s, name, &n->in[k]))
      return ho_onnx_refuse(m, n->offset, error, "node '%s' reads '%s', which nothing produces", n->name, ho_onnx_text(m, name));
    if (n->in[k] != NULL) capture(s, n->in[k]);
  }
  return TRUE;
}

/* What the graphs inside a node read from around it, and the node does not name itself. */
static void collect_captured(ho_onnx_model *m, ho_onnx_node *n) {
  g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
  g_autoptr(GPtrArray) found = g_ptr_array_new();
  for (int32_t k = 0; k < n->n_in; k++) g_hash_table_add(seen, n->in[k]);
  for (int32_t k = 0; k < n->n_payload; k++) {
    const ho_onnx_graph *body = n->payload[k].graph;
    for (guint j = 0; body != NULL && j < body->captured->len; j++)
      if (g_hash_table_add(seen, body->captured->pdata[j])) g_ptr_array_add(found, body->captured->pdata[j]);
  }
  n->n_captured = (int32_t)found->len;
  n->captured = ho_arena_memdup(m->arena, found->pdata, found->len * sizeof(gpointer));
}

gboolean ho_onnx_graph_add(ho_onnx_model *m, ho_onnx_scope *s, ho_onnx_node *n, int depth, GError **error) {
  const ho_onnx_function *f = ho_onnx_function_find(m, n->proto);
  if (!ho_onnx_node_resolve(m, s, n, error)) return FALSE;
  if (f != NULL) return ho_onnx_function_inline(m, s, n, f, depth + 1, error);
  if (++m->n_nodes > HO_ONNX_MAX_NODES)
    return ho_onnx_refuse(m, n->offset, error, "more than %d nodes once functions are put in place", HO_ONNX_MAX_NODES);
  n->order = (int32_t)s->graph->nodes->len;
  g_ptr_array_add(s->graph->nodes, n);
  gboolean has_graphs = FALSE;
  for (int32_t k = 0; k < n->n_payload; k++) {
    ho_onnx_payload *p = &n->payload[k];
    if (p->tensor != NULL) continue;
    has_graphs = TRUE;
    p->graph = ho_onnx_graph_parse(m, p->bytes, s, s->opsets, depth + 1, error);
    if (p->graph == NULL) return FALSE;
  }
  if (has_graphs) collect_captured(m, n);
  return TRUE;
}

/* ---- the graph ---- */

static ho_onnx_graph *graph_new(ho_onnx_model *m, ho_onnx_graph *outer) {
  ho_onnx_graph *g = ho_arena_alloc(m->arena, sizeof *g);
  g->name = "";
  g->outer = outer;
  g->nodes = ho_onnx_array(m);
  g->tensors = ho_onnx_array(m);
  g->inputs = ho_onnx_array(m);
  g->outputs = ho_onnx_array(m);
  g->captured = ho_onnx_array(m);
  g->is_captured = ho_onnx_pointer_set(m);
  return g;
}

static gboolean connect(ho_onnx_model *m, ho_onnx_scope *s, const parts *p, int depth, GError **error) {
  if (!declare_inputs(m, s, p->inputs, error)) return FALSE;
  for (guint k = 0; k < p->nodes->len; k++) {
    ho_onnx_node *n = p->nodes->pdata[k];
    n->order = -1;
    if (!ho_onnx_node_define(m, s, n, error)) return FALSE;
  }
  if (!declare_outputs(m, s, p->outputs, error) || !declare_values(m, s, p->infos, error)) return FALSE;
  for (guint k = 0; k < p->nodes->len; k++)
    if (!ho_onnx_graph_add(m, s, p->nodes->pdata[k], depth, error)) return FALSE;
  return TRUE;
}

ho_onnx_graph *ho_onnx_graph_parse(ho_onnx_model *m, ho_wire bytes, ho_onnx_scope *outer, GHashTable *opsets, int depth,
                                   GError **error) {
  if (depth > HO_ONNX_MAX_DEPTH) {
    ho_wire_fail(&bytes, error, "graphs nested more than %d deep", HO_ONNX_MAX_DEPTH);
    return NULL;
  }
  ho_onnx_graph *g = graph_new(m, outer ? outer->graph : NULL);
  ho_onnx_scope *s = ho_onnx_scope_new(m, g, outer, opsets);
  parts p = {.nodes = g_ptr_array_new(), .inputs = g_ptr_array_new(), .outputs = g_ptr_array_new(), .infos = g_ptr_array_new()};
  const gboolean ok = walk_fields(m, s, bytes, &p, error) && connect(m, s, &p, depth, error);
  g_ptr_array_unref(p.nodes);
  g_ptr_array_unref(p.inputs);
  g_ptr_array_unref(p.outputs);
  g_ptr_array_unref(p.infos);
  return ok ? g : NULL;
}
