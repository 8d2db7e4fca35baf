/* read_dot.c: task graphs in DOT, as SimGrid and many others write them, and as graph_dot.c does.
 *
 *   digraph g { a [size="2e9"]; b [size="1e9"]; a -> b [size="4096"]; }
 *
 * The size of a node is its FLOP, that of an edge its bytes; an edge without one, or with none above 0, only orders (SimGrid's
 * control dependency). Where no node (no edge) has a `size`, `weight` is taken, then `cost`, then a `label` that is a number; the note
 * says which. What graph_dot.c adds is read back: `name`, `kind`, `layer`, `time` and so on of ops, `role` of the ovals that stand for
 * inputs and outputs, `tensor` of edges, which tells that several edges are one tensor.
 *
 * https://simgrid.org/doc/latest/Tutorial_DAG.html */
#include <string.h>

#include "base/error.h"
#include "base/units.h"
#include "models/dot_parse.h"
#include "models/read_task.h"

typedef struct {
  const char *file;
  const ho_dot *dot;
  ho_graph_build *build;
  const char *work, *volume; /* the attributes with FLOP and bytes */
  ho_op *op;                 /* of every node; -1: it stands for a tensor */
} reader;

static const ho_dot_node *node_at(const reader *r, int32_t i) {
  return &g_array_index(r->dot->nodes, ho_dot_node, i);
}

static gboolean fail_line(const reader *r, int line, GError **error, const char *format, ...) G_GNUC_PRINTF(4, 5);
static gboolean fail_line(const reader *r, int line, GError **error, const char *format, ...) {
  va_list args;
  va_start(args, format);
  g_autofree char *what = g_strdup_vprintf(format, args);
  va_end(args);
  return ho_fail(error, HO_ERROR_INPUT, "%s:%d: %s", r->file, line, what);
}

/* ---- which attribute ------------------------------------------------------------------------------------------------- */

static const char *const candidates[] = {"size", "weight", "cost", "label", NULL};

/* The first candidate that any of `n` lists has; a label only when it is a number. NULL: none. */
static const char *choose(const char *array, guint n, size_t stride, size_t offset) {
  for (int c = 0; candidates[c]; c++)
    for (guint i = 0; i < n; i++) {
      const ho_dot_attribute *list = *(const ho_dot_attribute *const *)(const void *)(array + i * stride + offset);
      const char *value = ho_dot_get(list, candidates[c]);
      double number;
      if (value && (strcmp(candidates[c], "label") != 0 || ho_double_parse(value, &number, NULL))) return candidates[c];
    }
  return NULL;
}

/* A number of an attribute list, which stays as it is when the attribute is absent, or is a label with words. */
static gboolean get_number(const reader *r, const ho_dot_attribute *list, const char *key, int line, double least, double *value,
                           GError **error) {
  const char *text = key ? ho_dot_get(list, key) : NULL;
  if (!text) return TRUE;
  double number = 0;
  if (ho_double_parse(text, &number, NULL) && number >= least) {
    *value = number;
    return TRUE;
  }
  if (strcmp(key, "label") == 0) return TRUE;
  g_autofree char *shown = ho_printable(text);
  return fail_line(r, line, error, "%s is '%s': expected a finite number%s", key, shown, least == 0 ? ", 0 or more" : "");
}

/* ---- nodes ----------------------------------------------------------------------------------------------------------- */

/* "gpu0=0.001;cpu=0.003" */
static gboolean read_times(const reader *r, ho_op o, const ho_dot_node *n, GError **error) {
  const char *text = ho_dot_get(n->attributes, "time");
  if (!text) return TRUE;
  g_auto(GStrv) entries = g_strsplit(text, ";", -1);
  for (char **e = entries; *e; e++) {
    char *equals = strrchr(*e, '=');
    double seconds = 0;
    if (!equals || equals == *e || !ho_double_parse(equals + 1, &seconds, NULL) || seconds < 0) {
      g_autofree char *shown = ho_printable(*e);
      return fail_line(r, n->line, error, "time: '%s': expected device=seconds", shown);
    }
    *equals = '\0';
    ho_graph_build_time(r->build, o, *e, seconds);
  }
  return TRUE;
}

static gboolean read_phase(const reader *r, const ho_dot_node *n, ho_phase *phase, GError **error) {
  const char *word = ho_dot_get(n->attributes, "phase");
  if (!word) return TRUE;
  for (int p = HO_PHASE_FORWARD; p <= HO_PHASE_UPDATE; p++)
    if (strcmp(word, ho_phase_name((ho_phase)p)) == 0) {
      *phase = (ho_phase)p;
      return TRUE;
    }
  return fail_line(r, n->line, error, "phase: expected forward, backward or update");
}

static gboolean make_op(reader *r, int32_t i, GError **error) {
  const ho_dot_node *n = node_at(r, i);
  const char *name = ho_dot_get(n->attributes, "name"), *kind = ho_dot_get(n->attributes, "kind");
  ho_op_info op = ho_op_info_init(name ? name : n->id, kind ? kind : "generic");
  double workspace = 0;
  op.layer = ho_dot_get(n->attributes, "layer");
  if (!get_number(r, n->attributes, r->work, n->line, 0, &op.flops, error)) return FALSE;
  if (!get_number(r, n->attributes, "read", n->line, 0, &op.read, error)) return FALSE;
  if (!get_number(r, n->attributes, "write", n->line, 0, &op.write, error)) return FALSE;
  if (!get_number(r, n->attributes, "workspace", n->line, 0, &workspace, error)) return FALSE;
  if (!get_number(r, n->attributes, "parallelism", n->line, 0, &op.parallelism, error)) return FALSE;
  if (!read_phase(r, n, &op.phase, error)) return FALSE;
  op.workspace = ho_task_bytes(workspace);
  r->op[i] = ho_graph_build_op(r->build, &op);
  return read_times(r, r->op[i], n, error);
}

/* ---- edges ----------------------------------------------------------------------------------------------------------- */

static gboolean read_dtype(const reader *r, const ho_dot_edge *e, ho_dtype *dtype, GError **error) {
  const char *word = ho_dot_get(e->attributes, "dtype");
  if (!word) return TRUE;
  *dtype = ho_dtype_parse(word);
  g_autofree char *shown = ho_printable(word);
  return *dtype != HO_DTYPE_NONE || fail_line(r, e->line, error, "dtype is '%s': expected a type such as fp32", shown);
}

/* Edges that name one tensor add consumers to it; any other edge is a tensor of its own. */
static gboolean make_edge(const reader *r, const ho_dot_edge *e, GError **error) {
  const ho_dot_node *from = node_at(r, e->from), *to = node_at(r, e->to);
  const char *name = ho_dot_get(e->attributes, "tensor");
  ho_op producer = r->op[e->from], consumer = r->op[e->to];
  ho_dtype dtype = HO_UINT8;
  double size = 0;
  if (!get_number(r, e->attributes, r->volume, e->line, -INFINITY, &size, error)) return FALSE;
  if (!read_dtype(r, e, &dtype, error)) return FALSE;
  int64_t bytes = ho_task_bytes(MAX(size, 0));
  if (bytes < 0) return fail_line(r, e->line, error, "%s is more than %" G_GINT64_FORMAT " bytes", r->volume, HO_GRAPH_MAX_BYTES);
  ho_tensor t = name ? ho_graph_build_find_tensor(r->build, name) : -1;
  if (t < 0) {
    g_autofree char *own = g_strdup_printf("%s>%s", from->id, to->id), *fresh = ho_task_fresh_tensor(r->build, name ? name : own);
    t = ho_graph_build_tensor(r->build, fresh, dtype, -1, NULL, bytes, HO_ROLE_INPUT, producer);
  }
  if (consumer >= 0) ho_graph_build_consume(r->build, t, consumer);
  return TRUE;
}

/* Edges that name one tensor come from one node. */
static gboolean check_tensors(const reader *r, GError **error) {
  g_autoptr(GHashTable) maker = g_hash_table_new(g_str_hash, g_str_equal);
  for (guint k = 0; k < r->dot->edges->len; k++) {
    const ho_dot_edge *e = &g_array_index(r->dot->edges, ho_dot_edge, k);
    const char *name = ho_dot_get(e->attributes, "tensor");
    if (!name) continue;
    gpointer known = g_hash_table_lookup(maker, name);
    g_autofree char *shown = ho_printable(name);
    if (known && GPOINTER_TO_INT(known) - 1 != e->from)
      return fail_line(r, e->line, error, "tensor '%s' comes from two nodes", shown);
    g_hash_table_insert(maker, (gpointer)name, GINT_TO_POINTER(e->from + 1));
  }
  return TRUE;
}

static gboolean make_edges(const reader *r, GError **error) {
  g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
  if (!check_tensors(r, error)) return FALSE;
  for (guint k = 0; k < r->dot->edges->len; k++) {
    const ho_dot_edge *e = &g_array_index(r->dot->edges, ho_dot_edge, k);
    gboolean first = g_hash_table_add(seen, GSIZE_TO_POINTER((gsize)(guint32)e->from << 32 | (guint32)e->to));
    if (r->dot->strict && !first) continue;
    if (!make_edge(r, e, error)) return FALSE;
  }
  return TRUE;
}

/* ---- the file -------------------------------------------------------------------------------------------------------- */

static void put_note(const reader *r) {
  g_autoptr(GString) note = g_string_new("DOT: ");
  if (r->work)
    g_string_append_printf(note, "FLOP from %s of nodes, ", r->work);
  else
    g_string_append(note, "nodes say nothing of their work, ");
  if (r->volume)
    g_string_append_printf(note, "bytes from %s of edges", r->volume);
  else
    g_string_append(note, "edges nothing of their bytes");
  ho_graph_build_note(r->build, 0, note->str);
}

static gboolean read_all(reader *r, GError **error) {
  const GArray *nodes = r->dot->nodes, *edges = r->dot->edges;
  r->work = choose(nodes->data, nodes->len, sizeof(ho_dot_node), G_STRUCT_OFFSET(ho_dot_node, attributes));
  r->volume = choose(edges->data, edges->len, sizeof(ho_dot_edge), G_STRUCT_OFFSET(ho_dot_edge, attributes));
  for (guint i = 0; i < nodes->len; i++) {
    r->op[i] = -1;
    if (!ho_dot_get(node_at(r, (int32_t)i)->attributes, "role") && !make_op(r, (int32_t)i, error)) return FALSE;
  }
  put_note(r);
  return make_edges(r, error);
}

static ho_graph *read_dot(const char *file, const ho_bindings *bindings, GError **error) {
  if (!ho_task_no_bindings(file, "a DOT graph", bindings, error)) return NULL;
  g_autoptr(ho_dot) dot = ho_dot_read(file, error);
  if (!dot) return NULL;
  g_autofree char *base = ho_task_name_of_file(file);
  g_autofree ho_op *op = g_new(ho_op, dot->nodes->len + 1);
  reader r = {.file = file, .dot = dot, .op = op};
  r.build = ho_graph_build_new(dot->name && *dot->name ? dot->name : base, file);
  if (read_all(&r, error)) return ho_graph_build_finish(r.build, error);
  ho_graph_build_free(r.build);
  return NULL;
}

/* The first word that is not in a comment at the beginning. */
static gboolean sniff(const char *file, const unsigned char *head, size_t n) {
  size_t i = 0;
  for (;;) {
    while (i < n && g_ascii_isspace(head[i])) i++;
    if (i + 1 < n && (head[i] == '#' || (head[i] == '/' && head[i + 1] == '/'))) {
      while (i < n && head[i] != '\n') i++;
    } else if (i + 1 < n && head[i] == '/' && head[i + 1] == '*') {
      const unsigned char *end = memmem(head + i, n - i, "*/", 2);
      i = end ? (size_t)(end - head) + 2 : n;
    } else {
      break;
    }
  }
  static const char *const words[] = {"digraph", "strict", "graph"};
  for (unsigned k = 0; k < G_N_ELEMENTS(words); k++) {
    size_t length = strlen(words[k]);
    if (n - i > length && g_ascii_strncasecmp((const char *)head + i, words[k], length) == 0 &&
        !g_ascii_isalnum(head[i + length]))
      return TRUE;
  }
  return g_str_has_suffix(file, ".dot") || g_str_has_suffix(file, ".gv");
}

const ho_graph_reader ho_graph_reader_dot = {
    .name = "dot",
    .summary = "DOT with sizes on nodes and edges, as SimGrid has it, or as `graph convert` writes it",
    .extension = ".dot",
    .sniff = sniff,
    .read = read_dot,
};
