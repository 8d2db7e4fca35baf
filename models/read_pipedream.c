/* read_pipedream.c: PipeDream's graph.txt: the layers of a network as a GPU ran them in training.
 *
 *   node4 -- Embedding(…) -- forward_compute_time=0.073, backward_compute_time=6.949, activation_size=6291456.0, parameter_size=…
 *   <TAB>node1 -- node4
 *
 * Times are in ms, sizes in bytes of fp32. A layer is an op `node4`, its backward pass an op `node4.grad`: it needs the gradients
 * from the backward passes of the layer's consumers, the layer's own activation and its inputs. `--bind backward=0` leaves the
 * backward passes out. An activation that is a list of sizes counts as their sum.
 *
 * Narayanan et al., PipeDream: Generalized Pipeline Parallelism for DNN Training, SOSP 2019 */
#include <string.h>

#include "base/error.h"
#include "models/read_task.h"

typedef struct {
  char *name, *kind;
  double forward, backward; /* s */
  int64_t activation, parameters;
} layer;

typedef struct {
  int32_t from, to;
} edge;

typedef struct {
  ho_text text;
  const ho_bindings *bindings;
  gboolean backward;
  GArray *layers; /* layer */
  GArray *edges;  /* edge */
  GHashTable *by_name;
  GHashTable *seen; /* (from << 32 | to) */
} profile;

static const char *const device[] = {"gpu0", NULL};

static void clear_layer(gpointer p) {
  g_free(((layer *)p)->name);
  g_free(((layer *)p)->kind);
}

/* "Conv2d(3, 64)" is a conv; what PyTorch calls otherwise than we do is in the table, the rest is in lower case. */
static char *kind_of(const char *description) {
  static const char *const words[][2] = {{"conv1d", "conv"},
                                         {"conv2d", "conv"},
                                         {"conv3d", "conv"},
                                         {"batchnorm2d", "batchnorm"},
                                         {"maxpool2d", "maxpool"},
                                         {"avgpool2d", "avgpool"},
                                         {"view", "reshape"},
                                         {"__getitem__", "slice"},
                                         {"emubidirlstm", "lstm"},
                                         {"classifier", "linear"},
                                         {"adaptiveavgpool2d", "avgpool"},
                                         {"recurrentattention", "attention"}};
  size_t n = strcspn(description, "( ");
  char *kind = g_ascii_strdown(description, (gssize)n);
  if (g_str_has_prefix(kind, "input")) kind[strlen("input")] = '\0';
  for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
    if (strcmp(kind, words[i][0]) == 0) {
      g_free(kind);
      return g_strdup(words[i][1]);
    }
  if (*kind) return kind;
  g_free(kind);
  return g_strdup("layer");
}

/* ---- lines ----------------------------------------------------------------------------------------------------------- */

/* A number, or "[a; b; …]": their sum. */
static gboolean read_value(const profile *p, char *text, const char *key, double *value, GError **error) {
  if (*text != '[') return ho_text_number(&p->text, text, key, value, error);
  char *end = strchr(text, ']');
  if (!end || end[1]) return ho_text_fail(&p->text, error, "%s: a list without its ']' at the end", key);
  *end = '\0';
  g_auto(GStrv) parts = g_strsplit(text + 1, ";", -1);
  for (char **part = parts; *part; part++) {
    double one = 0;
    if (!ho_text_number(&p->text, g_strstrip(*part), key, &one, error)) return FALSE;
    *value += one;
  }
  return TRUE;
}

static gboolean read_bytes(const profile *p, char *text, const char *key, int64_t *bytes, GError **error) {
  double value = 0;
  if (!read_value(p, text, key, &value, error)) return FALSE;
  *bytes = ho_task_bytes(value);
  return *bytes >= 0 || ho_text_fail(&p->text, error, "%s is beyond %" G_GINT64_FORMAT " bytes", key, HO_GRAPH_MAX_BYTES);
}

static gboolean read_values(const profile *p, layer *l, const char *values, GError **error) {
  static const char *const keys[] = {"forward_compute_time", "backward_compute_time", "activation_size", "parameter_size"};
  g_auto(GStrv) pairs = g_strsplit(values, ", ", -1);
  double ms[2] = {0, 0};
  unsigned found = 0;
  for (char **pair = pairs; *pair; pair++) {
    char *equals = strchr(*pair, '=');
    if (!equals) return ho_text_fail(&p->text, error, "'%.40s': expected name=value", *pair);
    *equals = '\0';
    for (unsigned k = 0; k < G_N_ELEMENTS(keys); k++) {
      if (strcmp(g_strstrip(*pair), keys[k]) != 0) continue;
      if (found & 1u << k) return ho_text_fail(&p->text, error, "%s is given twice", keys[k]);
      found |= 1u << k;
      char *text = g_strstrip(equals + 1);
      if (k < 2 ? !read_value(p, text, keys[k], &ms[k], error)
                : !read_bytes(p, text, keys[k], k == 2 ? &l->activation : &l->parameters, error))
        return FALSE;
    }
  }
  for (unsigned k = 0; k < G_N_ELEMENTS(keys); k++)
    if (!(found & 1u << k)) return ho_text_fail(&p->text, error, "%s is missing", keys[k]);
  l->forward = ms[0] / 1e3;
  l->backward = ms[1] / 1e3;
  return TRUE;
}

static gboolean read_layer(profile *p, char *line, GError **error) {
  static const char bar[] = " -- ";
  char *description = strstr(line, bar), *values = g_strrstr(line, bar);
  if (!description || description == values)
    return ho_text_fail(&p->text, error, "expected 'node -- description -- forward_compute_time=…', or a tab and 'node -- node'");
  *description = *values = '\0';
  layer l = {.name = g_strdup(g_strstrip(line)), .kind = kind_of(description + strlen(bar))};
  g_array_append_val(p->layers, l);
  layer *last = &g_array_index(p->layers, layer, p->layers->len - 1);
  g_autofree char *shown = ho_printable(l.name);
  if (!*l.name) return ho_text_fail(&p->text, error, "the name of the node is empty");
  if (g_hash_table_contains(p->by_name, l.name)) return ho_text_fail(&p->text, error, "node '%s' is here a second time", shown);
  g_hash_table_insert(p->by_name, l.name, GINT_TO_POINTER((gint)p->layers->len));
  return read_values(p, last, values + strlen(bar), error);
}

static gboolean find_layer(const profile *p, const char *name, int32_t *i, GError **error) {
  *i = GPOINTER_TO_INT(g_hash_table_lookup(p->by_name, name)) - 1;
  g_autofree char *shown = ho_printable(name);
  return *i >= 0 || ho_text_fail(&p->text, error, "no node further up is called '%s'", shown);
}

static gboolean read_edge(profile *p, char *line, GError **error) {
  g_auto(GStrv) ends = g_strsplit(line, " -- ", -1);
  if (g_strv_length(ends) != 2) return ho_text_fail(&p->text, error, "expected a tab and 'node -- node'");
  edge e;
  if (!find_layer(p, g_strstrip(ends[0]), &e.from, error) || !find_layer(p, g_strstrip(ends[1]), &e.to, error)) return FALSE;
  gpointer key = GSIZE_TO_POINTER((gsize)(guint32)e.from << 32 | (guint32)e.to);
  if (!g_hash_table_add(p->seen, key)) return ho_text_fail(&p->text, error, "this edge is here a second time");
  g_array_append_val(p->edges, e);
  return TRUE;
}

static gboolean read_lines(profile *p, GError **error) {
  g_autoptr(GPtrArray) edges = g_ptr_array_new(); /* may stand before their nodes */
  g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(int));
  for (char *line; (line = ho_text_line(&p->text));) {
    if (*line == '\t') {
      g_ptr_array_add(edges, line + 1);
      g_array_append_val(numbers, p->text.line);
    } else if (*g_strstrip(line) && !read_layer(p, line, error)) {
      return FALSE;
    }
  }
  for (guint k = 0; k < edges->len; k++) {
    p->text.line = g_array_index(numbers, int, k);
    if (!read_edge(p, g_ptr_array_index(edges, k), error)) return FALSE;
  }
  return TRUE;
}

/* ---- the graph ------------------------------------------------------------------------------------------------------- */

static ho_op add_op(const profile *p, ho_graph_build *b, const char *name, const char *kind, ho_phase phase, double seconds) {
  ho_op_info op = ho_op_info_init(name, kind);
  op.phase = phase;
  return ho_task_op_on(b, &op, seconds, device, p->bindings);
}

static ho_tensor add_tensor(ho_graph_build *b, const char *name, const char *what, int64_t bytes, ho_role role, ho_op producer) {
  g_autofree char *full = g_strconcat(name, what, NULL);
  return ho_graph_build_tensor(b, full, HO_FP32, -1, NULL, bytes, role, producer);
}

/* Ops 0 … n-1 are the layers; n … 2n-1, when asked for, their backward passes. Tensor i is the activation of layer i. */
static void add_layers(const profile *p, ho_graph_build *b) {
  ho_op n = (ho_op)p->layers->len;
  for (int pass = 0; pass <= p->backward; pass++)
    for (ho_op i = 0; i < n; i++) {
      const layer *l = &g_array_index(p->layers, layer, i);
      g_autofree char *name = g_strconcat(l->name, pass ? ".grad" : "", NULL),
                      *kind = g_strconcat(l->kind, pass ? "_grad" : "", NULL);
      add_op(p, b, name, kind, pass ? HO_PHASE_BACKWARD : HO_PHASE_FORWARD, pass ? l->backward : l->forward);
    }
  for (ho_op i = 0; i < n; i++) {
    const layer *l = &g_array_index(p->layers, layer, i);
    ho_tensor t = add_tensor(b, l->name, ":0", l->activation, HO_ROLE_NONE, i);
    if (p->backward) ho_graph_build_consume(b, t, n + i);
  }
  for (ho_op i = 0; i < n; i++) {
    const layer *l = &g_array_index(p->layers, layer, i);
    if (!l->parameters) continue;
    ho_tensor w = add_tensor(b, l->name, ".weight", l->parameters, HO_ROLE_WEIGHT, -1);
    ho_graph_build_consume(b, w, i);
    if (!p->backward) continue;
    ho_graph_build_consume(b, w, n + i);
    add_tensor(b, l->name, ".weight.grad", l->parameters, HO_ROLE_NONE, n + i);
  }
}

static void add_edges(const profile *p, ho_graph_build *b) {
  ho_op n = (ho_op)p->layers->len;
  for (guint k = 0; k < p->edges->len; k++) {
    edge e = g_array_index(p->edges, edge, k);
    ho_graph_build_consume(b, e.from, e.to);
    if (!p->backward) continue;
    const layer *from = &g_array_index(p->layers, layer, e.from), *to = &g_array_index(p->layers, layer, e.to);
    ho_graph_build_consume(b, e.from, n + e.to); /* the backward pass needs the layer's input */
    g_autofree char *down = g_strconcat(to->name, ".grad", NULL), *up = g_strconcat(from->name, ".grad", NULL);
    ho_task_edge(b, down, n + e.to, up, n + e.from, from->activation, HO_FP32);
  }
}

static ho_graph *build(const profile *p, GError **error) {
  g_autofree char *name = ho_task_name_of_file(p->text.file), *time = ho_task_time_note(p->bindings);
  ho_graph_build *b = ho_graph_build_new(name, p->text.file);
  add_layers(p, b);
  add_edges(p, b);
  g_autofree char *note =
      g_strdup_printf("PipeDream profile: %s; %s",
                      ho_task_has_devices(p->bindings) ? time : "run times are those of gpu0 (--device names others)",
                      p->backward ? "forward and backward passes (--bind backward=0: forward only)" : "forward passes only");
  ho_graph_build_note(b, 0, note);
  return ho_graph_build_finish(b, error);
}

static gboolean read_bindings(profile *p, const char *file, GError **error) {
  p->backward = TRUE;
  for (int32_t i = 0; p->bindings && i < p->bindings->n; i++) {
    if (strcmp(p->bindings->name[i], "backward") != 0 || p->bindings->value[i] < 0 || p->bindings->value[i] > 1)
      return ho_fail(error, HO_ERROR_INPUT, "%s: '%s' cannot be bound to %" G_GINT64_FORMAT ": expected backward=0 or backward=1",
                     file, p->bindings->name[i], p->bindings->value[i]);
    p->backward = p->bindings->value[i] == 1;
  }
  return TRUE;
}

static ho_graph *read_pipedream(const char *file, const ho_bindings *bindings, GError **error) {
  profile p = {.bindings = bindings,
               .layers = g_array_new(FALSE, FALSE, sizeof(layer)),
               .edges = g_array_new(FALSE, FALSE, sizeof(edge)),
               .by_name = g_hash_table_new(g_str_hash, g_str_equal),
               .seen = g_hash_table_new(NULL, NULL)};
  g_array_set_clear_func(p.layers, clear_layer);
  ho_graph *g = NULL;
  if (read_bindings(&p, file, error) && ho_text_open(&p.text, file, error) && read_lines(&p, error)) g = build(&p, error);
  g_array_free(p.layers, TRUE);
  g_array_free(p.edges, TRUE);
  g_hash_table_destroy(p.by_name);
  g_hash_table_destroy(p.seen);
  ho_text_clear(&p.text);
  return g;
}

static gboolean sniff(const char *file, const unsigned char *head, size_t n) {
  (void)file;
  return ho_task_head_has(head, n, " -- forward_compute_time=");
}

const ho_graph_reader ho_graph_reader_pipedream = {
    .name = "pipedream",
    .summary = "PipeDream's profile of a network's layers, forward and backward",
    .extension = "graph.txt",
    .measured = TRUE,
    .sniff = sniff,
    .read = read_pipedream,
};
