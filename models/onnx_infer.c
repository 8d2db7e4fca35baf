/* onnx_infer.c: one pass over a graph in topological order: shapes, constants, costs. */
#include "models/onnx_infer.h"

#include <string.h>

#include "models/onnx_cost.h"

/* ---- shapes that are settled ---- */

/* Value of a dimension that neither the file nor inference fixes. */
static int64_t open_dimension(ho_onnx_model *m, const ho_onnx_tensor *t, int32_t axis) {
  if (t->has_declared && axis < t->declared.rank && t->symbol[axis] != NULL)
    return ho_onnx_bound(m, t->symbol[axis], 1, m->defaulted);
  char *name = g_strdup_printf("%s.%d", t->name, axis);
  const char *kept = ho_arena_strdup(m->arena, name);
  g_free(name);
  return ho_onnx_bound(m, kept, 1, m->defaulted);
}

void ho_onnx_settle(ho_onnx_model *m, ho_onnx_tensor *t, const ho_onnx_shape *inferred, ho_dtype dtype) {
  if (t->dtype == HO_DTYPE_NONE) t->dtype = dtype;
  const gboolean agree = t->has_declared && t->declared.rank == inferred->rank;
  ho_onnx_shape s = t->has_declared ? t->declared : *inferred;
  for (int32_t k = 0; k < s.rank; k++) {
    if (s.dim[k] < 0 && agree) s.dim[k] = inferred->dim[k];
    if (s.dim[k] < 0) s.dim[k] = open_dimension(m, t, k);
    if (s.dim[k] < 0 || s.dim[k] > HO_ONNX_MAX_DIM) s.rank = -1; /* ends the loop: no size can be given */
  }
  t->shape = s;
}

void ho_onnx_infer_inputs(ho_onnx_model *m, ho_onnx_graph *g) {
  static const ho_onnx_shape unknown = {.rank = -1};
  for (guint k = 0; k < g->inputs->len; k++) ho_onnx_settle(m, g->inputs->pdata[k], &unknown, HO_DTYPE_NONE);
}

/* ---- constants ---- */

static void set_list(ho_onnx_model *m, ho_onnx_tensor *t, const Ho__OnnxAttribute *a, gboolean scalar) {
  const gboolean is_float = strstr(a->name, "float") != NULL;
  const size_t n = scalar ? 1 : is_float ? a->n_floats : a->n_ints;
  t->dtype = is_float ? HO_FP32 : HO_INT64;
  t->shape = scalar ? (ho_onnx_shape){.rank = 0} : (ho_onnx_shape){.rank = 1, .dim = {(int64_t)n}};
  if (n > HO_ONNX_MAX_CONSTANT) return;
  ho_onnx_scalar *v = ho_arena_new_array(m->arena, ho_onnx_scalar, n + 1);
  for (size_t k = 0; k < n; k++) {
    if (is_float)
      v[k].d = scalar ? (double)a->f : (double)a->floats[k];
    else
      v[k].i = scalar ? a->i : a->ints[k];
  }
  t->value = v;
  t->n_values = n;
}

/* A Constant node: its only output is a weight. */
static void make_constant(ho_onnx_model *m, ho_onnx_node *n) {
  n->is_constant = TRUE;
  if (n->n_out < 1 || n->out[0] == NULL) return;
  ho_onnx_tensor *t = n->out[0];
  t->source = HO_ONNX_WEIGHT;
  const ho_onnx_tensor *value = ho_onnx_payload_tensor(n, "value");
  if (value == NULL) value = ho_onnx_payload_tensor(n, "sparse_value");
  if (value != NULL) {
    t->dtype = value->dtype;
    t->shape = value->shape;
    t->value = value->value;
    t->n_values = value->n_values;
    return;
  }
  static const char *const scalars[] = {"value_float", "value_int"}, *const lists[] = {"value_floats", "value_ints"};
  for (int k = 0; k < 2; k++) {
    const Ho__OnnxAttribute *one = ho_onnx_attribute(n, scalars[k]), *many = ho_onnx_attribute(n, lists[k]);
    if (one != NULL || many != NULL) {
      set_list(m, t, one ? one : many, one != NULL);
      return;
    }
  }
  const Ho__OnnxAttribute *texts = ho_onnx_attribute(n, "value_strings");
  t->dtype = HO_STRING;
  t->shape = texts ? (ho_onnx_shape){.rank = 1, .dim = {(int64_t)texts->n_strings}} : (ho_onnx_shape){.rank = 0};
}

/* ---- one node ---- */

static ho_dtype type_of(const ho_onnx_inference *i, ho_onnx_type_rule rule) {
  const int32_t from = rule == HO_ONNX_TYPE_IN1 ? 1 : rule == HO_ONNX_TYPE_IN2 ? 2 : 0;
  const ho_onnx_tensor *x = ho_onnx_input(i, from);
  ho_dtype t = x ? x->dtype : HO_DTYPE_NONE;
  switch (rule) {
    case HO_ONNX_TYPE_BOOL:
      return HO_BOOL;
    case HO_ONNX_TYPE_INT64:
      return HO_INT64;
    case HO_ONNX_TYPE_INT32:
      return HO_INT32;
    case HO_ONNX_TYPE_FP32:
      return HO_FP32;
    case HO_ONNX_TYPE_UINT8:
      return HO_UINT8;
    case HO_ONNX_TYPE_TO:
      return ho_onnx_dtype(ho_onnx_int(i->n, "to", 0));
    case HO_ONNX_TYPE_DTYPE:
      if (ho_onnx_attribute(i->n, "dtype")) return ho_onnx_dtype(ho_onnx_int(i->n, "dtype", 0));
      return t == HO_DTYPE_NONE ? HO_FP32 : t;
    default:
      return t;
  }
}

static gboolean infer_outputs(ho_onnx_model *m, ho_onnx_node *n, GError **error) {
  ho_onnx_inference i = {.m = m, .n = n};
  i.out = g_new(ho_onnx_shape, MAX(n->n_out, 1));
  i.dtype = g_new(ho_dtype, MAX(n->n_out, 1));
  const ho_onnx_shape_entry *e = ho_onnx_shape_find(n->op);
  for (int32_t k = 0; k < n->n_out; k++) {
    i.out[k].rank = -1;
    i.dtype[k] = e ? type_of(&i, e->type) : HO_DTYPE_NONE;
  }
  gboolean ok = TRUE;
  if (ho_onnx_has_body(n))
    ok = ho_onnx_infer_body(&i, n, error);
  else if (e != NULL)
    e->rule(&i);
  for (int32_t k = 0; ok && k < n->n_out; k++)
    if (n->out[k] != NULL) ho_onnx_settle(m, n->out[k], &i.out[k], i.dtype[k]);
  g_free(i.out);
  g_free(i.dtype);
  return ok;
}

static gboolean infer_node(ho_onnx_model *m, ho_onnx_node *n, GError **error) {
  if (strcmp(n->op, "Constant") == 0) {
    make_constant(m, n);
    return TRUE;
  }
  if (!infer_outputs(m, n, error)) return FALSE;
  ho_onnx_fold(m, n);
  if (strcmp(n->op, "ConstantOfShape") == 0 && n->n_in > 0 && n->in[0] != NULL && n->in[0]->source == HO_ONNX_WEIGHT) {
    n->is_constant = TRUE;
    if (n->n_out > 0 && n->out[0] != NULL) n->out[0]->source = HO_ONNX_WEIGHT;
    return TRUE;
  }
  if (ho_onnx_has_body(n)) return TRUE;
  ho_onnx_cost_of(m, n);
  if (!n->cost.known) g_ptr_array_add(m->unknown, (gpointer)n->op);
  return TRUE;
}

/* ---- order ---- */

typedef struct {
  int32_t *waiting;       /* per node: inputs that are not made yet */
  int32_t *start, *after; /* nodes that read a node's outputs, in compressed rows */
  int32_t *queue;
} order;

static ho_onnx_node *maker(const ho_onnx_graph *g, const ho_onnx_tensor *t) {
  return t != NULL && t->graph == g ? t->producer : NULL;
}

static const ho_onnx_tensor *reads(const ho_onnx_node *n, int32_t k) {
  return k < n->n_in ? n->in[k] : n->captured[k - n->n_in];
}

static void order_init(order *o, const ho_onnx_graph *g) {
  const int32_t n = (int32_t)g->nodes->len;
  int64_t uses = 0;
  for (int32_t v = 0; v < n; v++) {
    const ho_onnx_node *node = g->nodes->pdata[v];
    uses += node->n_in + node->n_captured;
  }
  o->waiting = g_new0(int32_t, n + 1);
  o->start = g_new0(int32_t, n + 2);
  o->after = g_new0(int32_t, uses + 1);
  o->queue = g_new0(int32_t, n + 1);
  for (int pass = 0; pass < 2; pass++) { /* count, then fill */
    for (int32_t v = 0; v < n; v++) {
      const ho_onnx_node *node = g->nodes->pdata[v];
      for (int32_t k = 0; k < node->n_in + node->n_captured; k++) {
        const ho_onnx_node *from = maker(g, reads(node, k));
        if (from == NULL) continue;
        if (pass == 0)
          o->start[from->order + 2]++;
        else
          o->after[o->start[from->order + 1]++] = v;
        if (pass == 0) o->waiting[v]++;
      }
    }
    for (int32_t v = 0; pass == 0 && v <= n; v++) o->start[v + 1] += o->start[v];
  }
}

static void order_clear(order *o) {
  g_free(o->waiting);
  g_free(o->start);
  g_free(o->after);
  g_free(o->queue);
}

gboolean ho_onnx_infer(ho_onnx_model *m, ho_onnx_graph *g, GError **error) {
  order o;
  const int32_t n = (int32_t)g->nodes->len;
  int32_t first = 0, last = 0;
  gboolean ok = TRUE;
  order_init(&o, g);
  for (int32_t v = 0; v < n; v++)
    if (o.waiting[v] == 0) o.queue[last++] = v;
  while (ok && first < last) {
    const int32_t v = o.queue[first++];
    ok = infer_node(m, g->nodes->pdata[v], error);
    for (int32_t k = o.start[v]; k < o.start[v + 1]; k++)
      if (--o.waiting[o.after[k]] == 0) o.queue[last++] = o.after[k];
  }
  /* a cycle in the main graph is named, with all its ops, when the graph is finished */
  for (int32_t v = 0; ok && g->outer != NULL && last < n && v < n; v++) {
    const ho_onnx_node *node = g->nodes->pdata[v];
    if (o.waiting[v] > 0)
      ok = ho_onnx_refuse(m, node->offset, error, "node '%s' waits for itself, expected a graph without a cycle", node->name);
  }
  order_clear(&o);
  return ok;
}
