/* symbolic.c: see symbolic.h. What an ONNX model is before shapes are worked out is remembered, and put back after each time. */
#include "models/symbolic.h"

#include <string.h>

#include "base/error.h"
#include "base/optparse.h"
#include "models/onnx_model.h"

/* What inference writes into a tensor, a node. */
typedef struct {
  ho_onnx_tensor *of, before;
} saved_tensor;
typedef struct {
  ho_onnx_node *of;
  gboolean is_constant;
  ho_op index;
  ho_onnx_cost cost;
} saved_node;

struct ho_symbolic {
  char *spec;
  GPtrArray *names;
  const ho_model_builder *builder; /* NULL: an ONNX model */
  char **given;                    /* the builder's options */
  ho_onnx_model *m;
  ho_arena *arena; /* the model's own: while it is evaluated it has another */
  GArray *tensors, *nodes;
  guint n_symbols, n_arrays, n_tables;
  size_t n_nodes, n_folded;
};

/* ---- ONNX ------------------------------------------------------------------------------------------------------------ */

static void remember(ho_symbolic *s, ho_onnx_graph *g) {
  for (guint i = 0; i < g->tensors->len; i++) {
    ho_onnx_tensor *t = g->tensors->pdata[i];
    saved_tensor x = {t, *t};
    g_array_append_val(s->tensors, x);
  }
  for (guint i = 0; i < g->nodes->len; i++) {
    ho_onnx_node *n = g->nodes->pdata[i];
    saved_node x = {n, n->is_constant, n->index, n->cost};
    g_array_append_val(s->nodes, x);
    for (int32_t k = 0; k < n->n_payload; k++)
      if (n->payload[k].graph) remember(s, n->payload[k].graph);
  }
}

static void put_back(ho_symbolic *s) {
  ho_onnx_model *m = s->m;
  for (guint i = 0; i < s->tensors->len; i++) {
    const saved_tensor *x = &g_array_index(s->tensors, saved_tensor, i);
    *x->of = x->before;
  }
  for (guint i = 0; i < s->nodes->len; i++) {
    const saved_node *x = &g_array_index(s->nodes, saved_node, i);
    x->of->is_constant = x->is_constant;
    x->of->index = x->index;
    x->of->cost = x->cost;
  }
  g_ptr_array_set_size(m->symbols, (gint)s->n_symbols);
  g_hash_table_remove_all(m->is_symbol);
  for (guint i = 0; i < m->symbols->len; i++) g_hash_table_add(m->is_symbol, m->symbols->pdata[i]);
  g_hash_table_remove_all(m->is_remembered);
  g_hash_table_remove_all(m->is_used);
  GPtrArray *const lists[] = {m->defaulted, m->bounded, m->unknown};
  for (size_t i = 0; i < G_N_ELEMENTS(lists); i++) g_ptr_array_set_size(lists[i], 0);
  g_ptr_array_set_size(m->arrays, (gint)s->n_arrays);
  g_ptr_array_set_size(m->tables, (gint)s->n_tables);
  m->n_nodes = s->n_nodes;
  m->n_folded = s->n_folded;
}

static gboolean open_onnx(ho_symbolic *s, GError **error) {
  s->m = ho_onnx_model_open(s->spec, NULL, error);
  if (!s->m) return FALSE;
  s->arena = s->m->arena;
  s->tensors = g_array_new(FALSE, FALSE, sizeof(saved_tensor));
  s->nodes = g_array_new(FALSE, FALSE, sizeof(saved_node));
  s->n_symbols = s->m->symbols->len;
  s->n_arrays = s->m->arrays->len;
  s->n_tables = s->m->tables->len;
  s->n_nodes = s->m->n_nodes;
  s->n_folded = s->m->n_folded;
  remember(s, s->m->main);
  for (guint i = 0; i < s->n_symbols; i++) g_ptr_array_add(s->names, s->m->symbols->pdata[i]);
  return TRUE;
}

static ho_graph *onnx_at(ho_symbolic *s, const ho_bindings *bindings, GError **error) {
  ho_arena *scratch = ho_arena_new();
  s->m->arena = scratch;
  s->m->bindings = bindings;
  ho_graph *g = ho_onnx_model_graph(s->m, error);
  put_back(s);
  s->m->arena = s->arena;
  s->m->bindings = NULL;
  ho_arena_free(scratch);
  return g;
}

/* ---- built-in models ------------------------------------------------------------------------------------------------- */

static gboolean open_builder(ho_symbolic *s, GError **error) {
  g_autofree char *name = NULL;
  ho_spec_split(s->spec, &name, &s->given);
  s->builder = ho_model_find(name);
  if (!s->builder) {
    g_autoptr(ho_graph) none = ho_graph_load(s->spec, NULL, NULL, error); /* says what is wrong with the name */
    return none != NULL;
  }
  for (const ho_option *o = s->builder->options; o && o->name; o++)
    if (o->type == HO_OPTION_INT) g_ptr_array_add(s->names, (gpointer)o->name);
  return TRUE;
}

static gboolean is_bound(const ho_bindings *b, const char *given) {
  for (int32_t i = 0; b && i < b->n; i++)
    if (g_str_has_prefix(given, b->name[i]) && given[strlen(b->name[i])] == '=') return TRUE;
  return FALSE;
}

static ho_graph *builder_at(const ho_symbolic *s, const ho_bindings *bindings, GError **error) {
  g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);
  for (char **given = s->given; given && *given; given++)
    if (!is_bound(bindings, *given)) g_ptr_array_add(texts, g_strdup(*given));
  for (int32_t i = 0; bindings && i < bindings->n; i++)
    g_ptr_array_add(texts, g_strdup_printf("%s=%" G_GINT64_FORMAT, bindings->name[i], bindings->value[i]));
  g_ptr_array_add(texts, NULL);
  return ho_graph_load(s->builder->name, (const char *const *)texts->pdata, NULL, error);
}

/* ---- both ------------------------------------------------------------------------------------------------------------ */

ho_symbolic *ho_symbolic_open(const char *spec, GError **error) {
  g_autoptr(ho_symbolic) s = g_new0(ho_symbolic, 1);
  s->spec = g_strdup(spec);
  s->names = g_ptr_array_new();
  gboolean ok;
  if (!ho_graph_spec_is_file(spec)) {
    ok = open_builder(s, error);
  } else {
    const ho_graph_reader *reader = ho_graph_reader_of(spec, error);
    ok = reader == &ho_graph_reader_onnx
             ? open_onnx(s, error)
             : reader && ho_fail(error, HO_ERROR_INPUT,
                                 "%s: a file of the format %s has fixed sizes, expected an ONNX file or a built-in model", spec,
                                 reader->name);
  }
  g_ptr_array_add(s->names, NULL);
  return ok ? g_steal_pointer(&s) : NULL;
}

void ho_symbolic_free(ho_symbolic *s) {
  if (!s) return;
  ho_onnx_model_free(s->m);
  if (s->tensors) g_array_free(s->tensors, TRUE);
  if (s->nodes) g_array_free(s->nodes, TRUE);
  g_strfreev(s->given);
  g_ptr_array_free(s->names, TRUE);
  g_free(s->spec);
  g_free(s);
}

const char *const *ho_symbolic_names(const ho_symbolic *s) {
  return (const char *const *)s->names->pdata;
}

ho_graph *ho_symbolic_at(ho_symbolic *s, const ho_bindings *bindings, GError **error) {
  return s->builder ? builder_at(s, bindings, error) : onnx_at(s, bindings, error);
}
