/* onnx_export_ops.c: an op of the work graph becomes nodes: those that it stands for, with the names that tensors have now. See
 * onnx_export_private.h.
 *
 * What an original node reads is found by where tensors come from: the tensor itself, its piece, or, behind an op that was removed, what that
 * op passed on. Between nodes of one fused op names are the file's own; in parts, where there are several of each, with the part's name
 * before them. */
#include <string.h>

#include "base/error.h"
#include "models/onnx_export_private.h"

gboolean ho_onnx_cannot(const ho_onnx_exporter *x, ho_op o, GError **error, const char *why) {
  return ho_fail(error, HO_ERROR_INPUT, "%s: op '%s' cannot be written as ONNX: %s", x->file, x->w->op[o].info.name, why);
}

/* ---- which tensor ---------------------------------------------------------------------------------------------------- */

static gboolean is_removed(const ho_onnx_exporter *x, ho_op first) {
  static const char *const passing[] = {"identity", "cast", "dropout", NULL};
  return first >= 0 && !x->represented[first] && g_strv_contains(passing, x->w->first->op[first].kind);
}

/* The tensor of w that o reads in place of t of the first graph; -1. */
static ho_tensor reads(const ho_onnx_exporter *x, ho_op o, ho_tensor t) {
  const ho_workgraph *w = x->w;
  if (w->tensor[t].alive && ho_workgraph_consumes(w, t, o)) return t;
  for (int32_t i = 0; i < w->op[o].in.n; i++) {
    const ho_work_tensor *u = &w->tensor[w->op[o].in.item[i]];
    if (u->added && u->place == t) return w->op[o].in.item[i];
  }
  ho_op maker = w->first->tensor[t].producer;
  if (!is_removed(x, maker) || x->node[maker]->n_in < 1 || !x->node[maker]->in[0]) return -1;
  return reads(x, o, x->node[maker]->in[0]->index);
}

/* The tensor of w that o makes in place of t; -1: nobody outside needs it. */
static ho_tensor makes(const ho_onnx_exporter *x, ho_op o, ho_tensor t) {
  const ho_workgraph *w = x->w;
  for (int32_t i = 0; i < w->op[o].out.n; i++) {
    ho_tensor u = w->op[o].out.item[i];
    if (u == t || (w->tensor[u].added && w->tensor[u].place == t)) return u;
  }
  const ho_graph *g = w->first;
  for (int32_t i = g->use_start[t]; i < g->use_start[t + 1]; i++)
    if (is_removed(x, g->use[i]) && x->node[g->use[i]]->n_out > 0 && x->node[g->use[i]]->out[0]) {
      ho_tensor u = makes(x, o, x->node[g->use[i]]->out[0]->index);
      if (u >= 0) return u;
    }
  return -1;
}

/* ---- constants ------------------------------------------------------------------------------------------------------- */

static gboolean put_constant_node(ho_onnx_exporter *x, ho_op reader, const ho_onnx_node *n, GError **error) {
  if (!g_hash_table_add(x->constants, (gpointer)n)) return TRUE;
  g_autoptr(GPtrArray) in = g_ptr_array_new(), out = g_ptr_array_new();
  for (int32_t k = 0; k < n->n_in; k++) {
    if (n->in[k] && !ho_onnx_export_constant(x, reader, n->in[k]->index, error)) return FALSE;
    g_ptr_array_add(in, (gpointer)(n->in[k] ? n->in[k]->name : ""));
  }
  for (int32_t k = 0; k < n->n_out; k++) g_ptr_array_add(out, (gpointer)(n->out[k] ? n->out[k]->name : ""));
  ho_onnx_put_node(x->nodes, HO_GRAPH_NODE, n, n->name, in, out, NULL, NULL);
  return TRUE;
}

gboolean ho_onnx_export_constant(ho_onnx_exporter *x, ho_op reader, ho_tensor t, GError **error) {
  const ho_onnx_tensor *of = x->tensor[t];
  if (!of) return ho_onnx_cannot(x, reader, error, "it reads what belongs to a graph inside a node");
  if (!of->producer)
    return of->source != HO_ONNX_INPUT || ho_onnx_cannot(x, reader, error, "a constant was made of an input of the model");
  if (of->source == HO_ONNX_COMPUTED && !g_hash_table_contains(x->constants, of) && ho_onnx_put_constant(x, of->name, of)) {
    g_hash_table_add(x->constants, (gpointer)of);
    return TRUE;
  }
  return g_hash_table_contains(x->constants, of) || put_constant_node(x, reader, of->producer, error);
}

static gboolean prepare_input(ho_onnx_exporter *x, ho_op o, const ho_onnx_node *n, ho_tensor u, ho_tensor whole, GError **error) {
  const ho_work_tensor *t = &x->w->tensor[u];
  if (t->info.role != HO_ROLE_WEIGHT) return TRUE;
  if (!t->added) return ho_onnx_export_constant(x, o, u, error);
  return ho_onnx_export_constant(x, o, whole, error) && ho_onnx_export_weight_piece(x, o, n, u, whole, error);
}

/* ---- nodes ----------------------------------------------------------------------------------------------------------- */

typedef struct {
  ho_onnx_exporter *x;
  ho_op o;
  const ho_origin *origin;
  int32_t n;
  gboolean is_part;
  GPtrArray *outer_in, *outer_out; /* names that cross the border of a fused op */
} emission;

static gboolean is_member(const emission *e, ho_op first) {
  for (int32_t i = 0; i < e->n; i++)
    if (e->origin[i].op == first) return TRUE;
  return FALSE;
}

/* Lives as long as the model. */
static const char *inner_name(const emission *e, ho_tensor t) {
  const char *name = e->x->w->first->tensor[t].name;
  if (!e->is_part) return name;
  g_autofree char *own = g_strdup_printf("%s/%s", e->x->w->op[e->o].info.name, name);
  return ho_arena_strdup(e->x->m->arena, own);
}

static void note_name(GPtrArray *names, const char *name) {
  for (guint i = 0; i < names->len; i++)
    if (strcmp(names->pdata[i], name) == 0) return;
  g_ptr_array_add(names, (gpointer)name);
}

static const char *name_of(const emission *e, ho_tensor u) {
  return e->x->w->tensor[u].info.name;
}

/* What a member calls t that it makes: a name outside, where it leaves, else one of its own. */
static const char *made_name(const emission *e, ho_tensor t) {
  ho_tensor u = makes(e->x, e->o, t);
  return u >= 0 ? name_of(e, u) : inner_name(e, t);
}

/* Later parts of a sum go without the bias. */
static gboolean goes_without(const emission *e, const ho_onnx_node *n, int32_t k) {
  return e->is_part && k == 2 && k == n->n_in - 1 && e->origin[0].from > 0 && strcmp(e->origin[0].axis, "reduction") == 0;
}

/* Up to operator set 10 a Gemm must have what it adds. */
static const char *instead_of(const emission *e, const ho_onnx_node *n) {
  if (strcmp(n->op, "Gemm") != 0 || n->opset >= 11) return "";
  g_autofree char *name = g_strdup_printf("%s/zero", e->x->w->op[e->o].info.name);
  const ho_onnx_scalar zero = {.d = 0};
  ho_onnx_tensor t = {.dtype = n->in[2]->dtype, .shape = {.rank = 1, .dim = {1}}, .n_values = 1, .value = &zero};
  return ho_onnx_put_constant(e->x, name, &t) ? ho_arena_strdup(e->x->m->arena, name) : "";
}

static gboolean gather_inputs(emission *e, const ho_onnx_node *n, GPtrArray *in, ho_tensor *tensors, GError **error) {
  ho_onnx_exporter *x = e->x;
  for (int32_t k = 0; k < n->n_in; k++) {
    tensors[k] = -1;
    if (!n->in[k] || goes_without(e, n, k)) {
      g_ptr_array_add(in, (gpointer)(n->in[k] ? instead_of(e, n) : ""));
      continue;
    }
    ho_tensor t = n->in[k]->index, u = reads(x, e->o, t);
    ho_op maker = x->w->first->tensor[t].producer;
    while (u < 0 && is_removed(x, maker)) { /* removed between two members */
      t = x->node[maker]->in[0]->index;
      maker = x->w->first->tensor[t].producer;
    }
    if (u < 0 && maker >= 0 && is_member(e, maker)) {
      g_ptr_array_add(in, (gpointer)made_name(e, t));
      continue;
    }
    if (u < 0) return ho_onnx_cannot(x, e->o, error, "nothing says what it reads in place of an input that was rewritten");
    if (!prepare_input(x, e->o, n, u, t, error)) return FALSE;
    tensors[k] = u;
    g_ptr_array_add(in, (gpointer)name_of(e, u));
    note_name(e->outer_in, name_of(e, u));
  }
  return TRUE;
}

static void gather_outputs(emission *e, const ho_onnx_node *n, GPtrArray *out) {
  for (int32_t k = 0; k < n->n_out; k++) {
    ho_tensor u = n->out[k] ? makes(e->x, e->o, n->out[k]->index) : -1;
    if (u >= 0) note_name(e->outer_out, name_of(e, u));
    g_ptr_array_add(out, (gpointer)(n->out[k] ? made_name(e, n->out[k]->index) : ""));
  }
}

/* Graphs inside a node name what they read around them; these names must still be there. */
static gboolean check_captured(const emission *e, const ho_onnx_node *n, GError **error) {
  for (int32_t k = 0; k < n->n_captured; k++) {
    ho_tensor t = n->captured[k]->index;
    if (t < 0 || !e->x->w->tensor[t].alive)
      return ho_onnx_cannot(e->x, e->o, error, "a graph inside it reads something that was rewritten");
    if (e->x->w->tensor[t].info.role == HO_ROLE_WEIGHT && !ho_onnx_export_constant(e->x, e->o, t, error)) return FALSE;
  }
  return n->n_captured == 0 || e->n == 1 || ho_onnx_cannot(e->x, e->o, error, "a graph inside it reads from around a fused op");
}

/* Sizes that a node has as constants, or as an attribute, follow the piece. */
static void adapt_part(emission *e, const ho_onnx_node *n, const ho_tensor *tensors, GPtrArray *in, const GPtrArray *out,
                       const char **but, GByteArray *more) {
  static const struct {
    const char *op;
    guint input;
  } shaped[] = {{"Reshape", 1}, {"Expand", 1}, {"Resize", 3}};
  const ho_workgraph *w = e->x->w;
  for (size_t i = 0; i < G_N_ELEMENTS(shaped); i++) {
    ho_tensor u = strcmp(n->op, shaped[i].op) == 0 && n->out[0] ? makes(e->x, e->o, n->out[0]->index) : -1;
    if (u < 0 || in->len <= shaped[i].input || !*(const char *)in->pdata[shaped[i].input]) continue;
    g_autofree char *name = g_strdup_printf("%s/shape", (const char *)out->pdata[0]);
    const char *kept = ho_arena_strdup(e->x->m->arena, name);
    ho_onnx_put_ints(e->x, kept, w->tensor[u].info.rank, w->tensor[u].info.shape);
    in->pdata[shaped[i].input] = (gpointer)kept;
  }
  if (strcmp(n->op, "Conv") == 0 && tensors[0] >= 0 && tensors[1] >= 0) {
    const ho_tensor_info *map = &w->tensor[tensors[0]].info, *kernel = &w->tensor[tensors[1]].info;
    if (strcmp(e->origin[0].axis, "channels") != 0 || ho_onnx_int(n, "group", 1) == 1) return;
    *but = "group";
    ho_onnx_put_int_attribute(more, "group", map->shape[1] / kernel->shape[1]);
  }
}

static gboolean emit_node(emission *e, const ho_onnx_node *n, GByteArray *to, uint32_t number, GError **error) {
  g_autoptr(GPtrArray) in = g_ptr_array_new(), out = g_ptr_array_new();
  g_autoptr(GByteArray) more = g_byte_array_new();
  g_autofree ho_tensor *tensors = g_new(ho_tensor, (size_t)n->n_in + 2);
  const char *but = NULL;
  tensors[0] = tensors[1] = -1;
  if (!check_captured(e, n, error) || !gather_inputs(e, n, in, tensors, error)) return FALSE;
  gather_outputs(e, n, out);
  if (e->is_part) {
    if (!ho_onnx_check_part(e->x, e->o, n, tensors, error)) return FALSE;
    adapt_part(e, n, tensors, in, out, &but, more);
  }
  while (in->len > 0 && !*(const char *)in->pdata[in->len - 1]) g_ptr_array_set_size(in, (gint)in->len - 1);
  g_autofree char *name = e->n == 1    ? g_strdup(e->x->w->op[e->o].info.name)
                          : e->is_part ? g_strdup_printf("%s/%s", e->x->w->op[e->o].info.name, n->name)
                                       : g_strdup(n->name);
  ho_onnx_put_node(to, number, n, name, in, out, but, more);
  return TRUE;
}

/* ---- fused ops ------------------------------------------------------------------------------------------------------- */

enum {
  FUNCTION_NAME = 1,
  FUNCTION_INPUT = 4,
  FUNCTION_OUTPUT = 5,
  FUNCTION_OPSET = 9,
  FUNCTION_DOMAIN = 10,
  MODEL_FUNCTION = 25
};
enum { OPSET_DOMAIN = 1, OPSET_VERSION = 2 };

static void put_opsets(GByteArray *function, const ho_onnx_model *m) {
  g_autoptr(GList) domains = g_list_sort(g_hash_table_get_keys(m->opsets), (GCompareFunc)strcmp);
  for (GList *l = domains; l; l = l->next) {
    g_autoptr(GByteArray) opset = g_byte_array_new();
    ho_onnx_put_text(opset, OPSET_DOMAIN, l->data);
    ho_onnx_put_int(opset, OPSET_VERSION, GPOINTER_TO_INT(g_hash_table_lookup(m->opsets, l->data)) - 1);
    ho_wire_put_bytes(function, FUNCTION_OPSET, opset->data, opset->len);
  }
}

static void wrap(emission *e, const GByteArray *body) {
  ho_onnx_exporter *x = e->x;
  g_autoptr(GByteArray) function = g_byte_array_new(), call = g_byte_array_new();
  g_autofree char *name = g_strdup_printf("fused_%d", ++x->n_functions);
  ho_onnx_put_text(function, FUNCTION_NAME, name);
  for (guint i = 0; i < e->outer_in->len; i++) ho_onnx_put_text(function, FUNCTION_INPUT, e->outer_in->pdata[i]);
  for (guint i = 0; i < e->outer_out->len; i++) ho_onnx_put_text(function, FUNCTION_OUTPUT, e->outer_out->pdata[i]);
  g_byte_array_append(function, body->data, body->len);
  put_opsets(function, x->m);
  ho_onnx_put_text(function, FUNCTION_DOMAIN, "heteroopt");
  ho_wire_put_bytes(x->functions, MODEL_FUNCTION, function->data, function->len);
  for (guint i = 0; i < e->outer_in->len; i++) ho_onnx_put_text(call, HO_NODE_INPUT, e->outer_in->pdata[i]);
  for (guint i = 0; i < e->outer_out->len; i++) ho_onnx_put_text(call, HO_NODE_OUTPUT, e->outer_out->pdata[i]);
  ho_onnx_put_text(call, HO_NODE_NAME, x->w->op[e->o].info.name);
  ho_onnx_put_text(call, HO_NODE_TYPE, name);
  ho_onnx_put_text(call, HO_NODE_DOMAIN, "heteroopt");
  ho_wire_put_bytes(x->nodes, HO_GRAPH_NODE, call->data, call->len);
}

static int by_position(const void *a, const void *b, void *position) {
  int32_t p = ((int32_t *)position)[((const ho_origin *)a)->op], q = ((int32_t *)position)[((const ho_origin *)b)->op];
  return p < q ? -1 : p > q;
}

gboolean ho_onnx_export_op(ho_onnx_exporter *x, ho_op o, GError **error) {
  ho_origin self;
  emission e = {.x = x, .o = o};
  const ho_origin *origin = ho_workgraph_origins(x->w, o, &self, &e.n);
  if (e.n == 0) return ho_onnx_export_glue(x, o, error);
  g_autofree ho_origin *sorted = g_memdup2(origin, sizeof *sorted * (size_t)e.n);
  g_qsort_with_data(sorted, e.n, sizeof *sorted, by_position, x->position);
  e.origin = sorted;
  e.is_part = sorted[0].axis != NULL;
  gboolean wraps = e.n > 1 && !e.is_part;
  g_autoptr(GPtrArray) in = g_ptr_array_new(), out = g_ptr_array_new();
  g_autoptr(GByteArray) body = g_byte_array_new();
  e.outer_in = in;
  e.outer_out = out;
  for (int32_t i = 0; i < e.n; i++)
    if (!emit_node(&e, x->node[sorted[i].op], wraps ? body : x->nodes, wraps ? HO_FUNCTION_NODE : HO_GRAPH_NODE, error))
      return FALSE;
  if (wraps) wrap(&e, body);
  return TRUE;
}
