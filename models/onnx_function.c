/* onnx_function.c: model-local functions: a call is replaced by the function's body.
 *
 * The body is parsed anew for every call, in a scope that knows the caller's tensors by the function's own names; its other tensors
 * get the call's name as a prefix. Attributes that refer to the function's take the call's value, else the function's default. */
#include <string.h>

#include "models/onnx_model.h"

enum {
  FUNCTION_NAME = 1,
  FUNCTION_INPUT = 4,
  FUNCTION_OUTPUT = 5,
  FUNCTION_NODE = 7,
  FUNCTION_OPSET = 9,
  FUNCTION_DOMAIN = 10,
  FUNCTION_DEFAULTS = 11,
  FUNCTION_OVERLOAD = 13
};

static const char *text_of(ho_onnx_model *m, const ho_wire *w) {
  char *text = ho_arena_alloc(m->arena, ho_wire_size(w) + 1);
  return memcpy(text, w->at, ho_wire_size(w));
}

static char *function_key(const char *domain, const char *name, const char *overload) {
  return g_strdup_printf("%s::%s:%s", domain, name, overload);
}

gboolean ho_onnx_function_parse(ho_onnx_model *m, ho_wire bytes, GError **error) {
  ho_onnx_function *f = ho_arena_alloc(m->arena, sizeof *f);
  *f = (ho_onnx_function){.domain = "",
                          .name = "",
                          .overload = "",
                          .inputs = ho_onnx_array(m),
                          .outputs = ho_onnx_array(m),
                          .body = bytes,
                          .opsets = ho_onnx_table(m)};
  ho_wire_field field;
  ho_wire_step step;
  while ((step = ho_wire_next(&bytes, &field, error)) == HO_WIRE_FIELD) {
    if (field.type != HO_WIRE_BYTES) continue;
    switch (field.number) {
      case FUNCTION_NAME:
        f->name = text_of(m, &field.bytes);
        break;
      case FUNCTION_DOMAIN:
        f->domain = text_of(m, &field.bytes);
        break;
      case FUNCTION_OVERLOAD:
        f->overload = text_of(m, &field.bytes);
        break;
      case FUNCTION_INPUT:
        g_ptr_array_add(f->inputs, (gpointer)text_of(m, &field.bytes));
        break;
      case FUNCTION_OUTPUT:
        g_ptr_array_add(f->outputs, (gpointer)text_of(m, &field.bytes));
        break;
      case FUNCTION_OPSET:
        if (!ho_onnx_opset_parse(m, field.bytes, f->opsets, error)) return FALSE;
        break;
      default:
        break;
    }
  }
  if (step == HO_WIRE_ERROR) return FALSE;
  f->defaults = ho_onnx_attributes_parse(m, f->body, FUNCTION_DEFAULTS, error);
  if (f->defaults == NULL) return FALSE;
  g_ptr_array_add(m->functions, f);
  char *key = function_key(f->domain, f->name, f->overload);
  g_hash_table_insert(m->function, ho_arena_strdup(m->arena, key), f);
  g_free(key);
  return TRUE;
}

const ho_onnx_function *ho_onnx_function_find(const ho_onnx_model *m, const Ho__OnnxNode *call) {
  if (m->functions->len == 0) return NULL;
  char *key = function_key(call->domain ? call->domain : "", call->op_type, call->overload ? call->overload : "");
  const ho_onnx_function *f = g_hash_table_lookup(m->function, key);
  g_free(key);
  return f;
}

static void add_payload(ho_onnx_model *m, ho_onnx_node *n, const char *attribute, ho_onnx_tensor *t) {
  ho_onnx_payload *more = ho_arena_new_array(m->arena, ho_onnx_payload, n->n_payload + 1);
  if (n->n_payload > 0) memcpy(more, n->payload, sizeof *more * (size_t)n->n_payload);
  more[n->n_payload++] = (ho_onnx_payload){.attribute = attribute, .tensor = t};
  n->payload = more;
}

static void replace_references(ho_onnx_model *m, ho_onnx_node *n, const ho_onnx_node *call, const ho_onnx_function *f) {
  for (size_t k = 0; k < n->proto->n_attribute; k++) {
    const Ho__OnnxAttribute *a = n->proto->attribute[k];
    if (a->ref_attr_name == NULL || *a->ref_attr_name == 0) continue;
    const ho_onnx_node *from = ho_onnx_attribute(call, a->ref_attr_name) ? call : f->defaults;
    const Ho__OnnxAttribute *given = ho_onnx_attribute(from, a->ref_attr_name);
    Ho__OnnxAttribute *mine = ho_arena_alloc(m->arena, sizeof *mine);
    *mine = given ? *given : (Ho__OnnxAttribute)HO__ONNX_ATTRIBUTE__INIT; /* without a name: as if it were not there */
    if (given != NULL) mine->name = a->name;
    ho_onnx_tensor *t = ho_onnx_payload_tensor(from, a->ref_attr_name);
    if (t != NULL) add_payload(m, n, a->name, t);
    n->proto->attribute[k] = mine;
  }
}

static ho_onnx_scope *scope_of_call(ho_onnx_model *m, ho_onnx_scope *caller, const ho_onnx_node *call,
                                    const ho_onnx_function *f) {
  ho_onnx_scope *s = ho_onnx_scope_new(m, caller->graph, NULL, f->opsets);
  s->call = call;
  for (guint k = 0; k < f->inputs->len; k++)
    g_hash_table_insert(s->tensors, f->inputs->pdata[k], k < (guint)call->n_in ? call->in[k] : NULL);
  for (guint k = 0; k < f->outputs->len; k++)
    if (k < (guint)call->n_out && call->out[k] != NULL) g_hash_table_insert(s->tensors, f->outputs->pdata[k], call->out[k]);
  return s;
}

static gboolean add_body(ho_onnx_model *m, ho_onnx_scope *s, const ho_onnx_node *call, const ho_onnx_function *f, int depth,
                         GError **error) {
  g_autoptr(GPtrArray) nodes = g_ptr_array_new();
  ho_wire w = f->body;
  ho_wire_field field;
  ho_wire_step step;
  while ((step = ho_wire_next(&w, &field, error)) == HO_WIRE_FIELD) {
    if (field.number != FUNCTION_NODE) continue;
    if (!ho_wire_expect(&w, &field, HO_WIRE_BYTES, "a function's node", error)) return FALSE;
    ho_onnx_node *n = ho_onnx_node_parse(m, field.bytes, error);
    if (n == NULL) return FALSE;
    replace_references(m, n, call, f);
    n->order = -1;
    if (!ho_onnx_node_define(m, s, n, error)) return FALSE;
    g_ptr_array_add(nodes, n);
  }
  if (step == HO_WIRE_ERROR) return FALSE;
  for (guint k = 0; k < nodes->len; k++)
    if (!ho_onnx_graph_add(m, s, nodes->pdata[k], depth, error)) return FALSE;
  return TRUE;
}

gboolean ho_onnx_function_inline(ho_onnx_model *m, ho_onnx_scope *s, ho_onnx_node *call, const ho_onnx_function *f, int depth,
                                 GError **error) {
  if (depth > HO_ONNX_MAX_DEPTH)
    return ho_onnx_refuse(m, call->offset, error, "functions that call functions more than %d deep, '%s' may call itself",
                          HO_ONNX_MAX_DEPTH, call->op);
  if (!add_body(m, scope_of_call(m, s, call, f), call, f, depth, error)) return FALSE;
  for (int32_t k = 0; k < call->n_out; k++)
    if (call->out[k] != NULL && call->out[k]->producer == call)
      return ho_onnx_refuse(m, call->offset, error, "node '%s': function '%s' never makes its output '%s'", call->name, call->op,
                            call->out[k]->name);
  return TRUE;
}
