/* dot_parse.c: see dot_parse.h. Recursive descent over the grammar at https://graphviz.org/doc/info/lang.html */
#include "models/dot_parse.h"

#include <string.h>

#include "base/error.h"
#include "models/read_task.h"

typedef enum { TOKEN_END, TOKEN_WORD, TOKEN_ARROW, TOKEN_LINE, TOKEN_MARK } token_type;

typedef struct {
  token_type type;
  const char *text; /* of a word */
  gboolean plain;   /* without quotes: may be a keyword */
  char mark;        /* one of { } [ ] ; , = : */
  int line;
} token;

typedef struct {
  ho_text text;
  ho_dot *dot;
  token now; /* what the parser looks at */
  GHashTable *by_id;
  const ho_dot_attribute *node_defaults, *edge_defaults;
  int depth;
  GError **error;
} parser;

static gboolean fail(parser *p, const char *what) {
  p->text.line = p->now.line;
  return ho_text_fail(&p->text, p->error, "%s", what);
}

/* ---- words and marks ------------------------------------------------------------------------------------------------- */

static char here(const parser *p, size_t ahead) {
  return p->text.at + ahead < p->text.length ? p->text.text[p->text.at + ahead] : '\0';
}

static void step(parser *p) {
  p->text.line += here(p, 0) == '\n';
  p->text.at++;
}

static gboolean skip_block_comment(parser *p) {
  p->now.line = p->text.line;
  for (p->text.at += 2; here(p, 0); step(p))
    if (here(p, 0) == '*' && here(p, 1) == '/') {
      p->text.at += 2;
      return TRUE;
    }
  return fail(p, "the comment that begins here has no end");
}

static gboolean skip_blanks(parser *p) {
  for (;;) {
    gboolean new_line = p->text.at == 0 || p->text.text[p->text.at - 1] == '\n';
    if (g_ascii_isspace(here(p, 0))) {
      step(p);
    } else if ((here(p, 0) == '/' && here(p, 1) == '/') || (here(p, 0) == '#' && new_line)) {
      while (here(p, 0) && here(p, 0) != '\n') p->text.at++;
    } else if (here(p, 0) == '/' && here(p, 1) == '*') {
      if (!skip_block_comment(p)) return FALSE;
    } else {
      return TRUE;
    }
  }
}

/* After a backslash only a quote, a backslash and the end of a line mean something; other pairs stay as they are, for labels. */
static gboolean read_quoted(parser *p, GString *into) {
  for (p->text.at++; here(p, 0) != '"'; step(p)) {
    if (!here(p, 0)) return fail(p, "the string that begins here has no end");
    if (here(p, 0) == '\\' && strchr("\"\\\n", here(p, 1)) && here(p, 1)) {
      p->text.at++;
      if (here(p, 0) == '\n') continue;
    }
    g_string_append_c(into, here(p, 0));
  }
  p->text.at++;
  return TRUE;
}

static gboolean read_html(parser *p, GString *into) {
  int depth = 0;
  do {
    if (!here(p, 0)) return fail(p, "the HTML string that begins here has no end");
    depth += (here(p, 0) == '<') - (here(p, 0) == '>');
    g_string_append_c(into, here(p, 0));
    step(p);
  } while (depth > 0);
  return TRUE;
}

/* Strings joined by +. */
static gboolean read_string(parser *p) {
  g_autoptr(GString) word = g_string_new(NULL);
  for (;;) {
    if (!(here(p, 0) == '<' ? read_html(p, word) : read_quoted(p, word))) return FALSE;
    int line = p->now.line;
    if (!skip_blanks(p)) return FALSE;
    if (here(p, 0) != '+') break;
    p->text.at++;
    if (!skip_blanks(p)) return FALSE;
    p->now.line = line;
    if (here(p, 0) != '"') return fail(p, "expected a string in quotes behind +");
  }
  p->now.type = TOKEN_WORD;
  p->now.text = ho_arena_strdup(p->dot->arena, word->str);
  return TRUE;
}

static gboolean is_letter(char c) {
  return g_ascii_isalnum(c) || c == '_' || (unsigned char)c >= 0x80;
}

static gboolean read_plain(parser *p) {
  size_t begin = p->text.at;
  gboolean number = here(p, 0) == '-' || here(p, 0) == '.' || g_ascii_isdigit(here(p, 0));
  p->text.at += here(p, 0) == '-';
  while (is_letter(here(p, 0)) || (number && here(p, 0) == '.')) {
    gboolean exponent = number && g_ascii_tolower(here(p, 0)) == 'e' && (here(p, 1) == '+' || here(p, 1) == '-');
    p->text.at += exponent ? 2 : 1;
  }
  g_autofree char *word = g_strndup(p->text.text + begin, p->text.at - begin);
  p->now.type = TOKEN_WORD;
  p->now.plain = TRUE;
  p->now.text = ho_arena_strdup(p->dot->arena, word);
  return TRUE;
}

/* Moves to the next token. */
static gboolean advance(parser *p) {
  if (!skip_blanks(p)) return FALSE;
  char c = here(p, 0);
  p->now = (token){.line = p->text.line};
  if (p->text.at >= p->text.length) return TRUE;
  if (c == '"' || c == '<') return read_string(p);
  if (c == '-' && (here(p, 1) == '>' || here(p, 1) == '-')) {
    p->now.type = here(p, 1) == '>' ? TOKEN_ARROW : TOKEN_LINE;
    p->text.at += 2;
    return TRUE;
  }
  if (strchr("{}[];,=:", c)) {
    p->now.type = TOKEN_MARK;
    p->now.mark = c;
    p->text.at++;
    return TRUE;
  }
  if (is_letter(c) || c == '.' || (c == '-' && (g_ascii_isdigit(here(p, 1)) || here(p, 1) == '.'))) return read_plain(p);
  return fail(p, "this character does not belong here: expected a node, an edge or an attribute");
}

static gboolean at_mark(const parser *p, char mark) {
  return p->now.type == TOKEN_MARK && p->now.mark == mark;
}

/* Keywords are in any case. */
static gboolean at_keyword(const parser *p, const char *word) {
  return p->now.type == TOKEN_WORD && p->now.plain && g_ascii_strcasecmp(p->now.text, word) == 0;
}

/* ---- nodes, edges, attributes ---------------------------------------------------------------------------------------- */

static const ho_dot_attribute *prepend(parser *p, const ho_dot_attribute *list, const char *key, const char *value) {
  ho_dot_attribute *new = ho_arena_new_array(p->dot->arena, ho_dot_attribute, 1);
  *new = (ho_dot_attribute){key, value, list};
  return new;
}

/* Any number of [k=v, k=v; …] onto the front of *list. */
static gboolean read_attributes(parser *p, const ho_dot_attribute **list) {
  while (at_mark(p, '[')) {
    if (!advance(p)) return FALSE;
    while (!at_mark(p, ']')) {
      const char *key = p->now.text, *value = "true";
      if (p->now.type != TOKEN_WORD) return fail(p, "expected the name of an attribute, or ]");
      if (!advance(p)) return FALSE;
      if (at_mark(p, '=')) {
        if (!advance(p)) return FALSE;
        if (p->now.type != TOKEN_WORD) return fail(p, "expected the value of an attribute behind =");
        value = p->now.text;
        if (!advance(p)) return FALSE;
      }
      *list = prepend(p, *list, key, value);
      if ((at_mark(p, ',') || at_mark(p, ';')) && !advance(p)) return FALSE;
    }
    if (!advance(p)) return FALSE;
  }
  return TRUE;
}

static int32_t find_or_add(parser *p, const char *id, int line) {
  int32_t i = GPOINTER_TO_INT(g_hash_table_lookup(p->by_id, id)) - 1;
  if (i >= 0) return i;
  ho_dot_node node = {id, p->node_defaults, line};
  g_array_append_val(p->dot->nodes, node);
  g_hash_table_insert(p->by_id, (gpointer)id, GINT_TO_POINTER((gint)p->dot->nodes->len));
  return (int32_t)p->dot->nodes->len - 1;
}

static gboolean read_list(parser *p, GArray *members);

/* `subgraph name { … }`, or without the first two; its nodes join `ends`. Defaults set inside end with it. */
static gboolean read_subgraph(parser *p, GArray *ends) {
  const ho_dot_attribute *nodes = p->node_defaults, *edges = p->edge_defaults;
  if (at_keyword(p, "subgraph")) {
    if (!advance(p)) return FALSE;
    if (p->now.type == TOKEN_WORD && !advance(p)) return FALSE;
  }
  if (!at_mark(p, '{')) return fail(p, "expected { behind subgraph");
  if (++p->depth > HO_DOT_DEPTH) return fail(p, "subgraphs are nested more than 100 deep");
  if (!advance(p) || !read_list(p, ends) || !advance(p)) return FALSE;
  p->depth--;
  p->node_defaults = nodes;
  p->edge_defaults = edges;
  return TRUE;
}

/* A node with an optional port, or a subgraph. */
static gboolean read_end(parser *p, GArray *ends) {
  if (at_mark(p, '{') || at_keyword(p, "subgraph")) return read_subgraph(p, ends);
  if (p->now.type != TOKEN_WORD) return fail(p, "expected a node, a subgraph or }");
  int32_t node = find_or_add(p, p->now.text, p->now.line);
  g_array_append_val(ends, node);
  if (!advance(p)) return FALSE;
  for (int port = 0; port < 2 && at_mark(p, ':'); port++) {
    if (!advance(p)) return FALSE;
    if (p->now.type != TOKEN_WORD) return fail(p, "expected a port behind :");
    if (!advance(p)) return FALSE;
  }
  return TRUE;
}

static void connect(parser *p, const GArray *from, const GArray *to, int line) {
  for (guint i = 0; i < from->len; i++)
    for (guint k = 0; k < to->len; k++) {
      ho_dot_edge edge = {g_array_index(from, int32_t, i), g_array_index(to, int32_t, k), NULL, line};
      g_array_append_val(p->dot->edges, edge);
    }
}

/* What follows the first end of a statement that begins with one: arrows, then attributes of the edges or of the node. */
static gboolean read_chain(parser *p, GArray *first, gboolean is_node) {
  guint begin = p->dot->edges->len;
  g_autoptr(GArray) last = g_array_ref(first);
  while (p->now.type == TOKEN_ARROW || p->now.type == TOKEN_LINE) {
    if (p->now.type == TOKEN_LINE) return fail(p, "-- joins nodes of undirected graphs: expected ->");
    int line = p->now.line;
    g_autoptr(GArray) ends = g_array_new(FALSE, FALSE, sizeof(int32_t));
    if (!advance(p) || !read_end(p, ends)) return FALSE;
    if ((guint64)last->len * ends->len > 10000000)
      return fail(p, "an edge between two sets of nodes makes more than ten million");
    connect(p, last, ends, line);
    g_array_unref(last);
    last = g_array_ref(ends);
    is_node = FALSE;
  }
  if (is_node) {
    ho_dot_node *node = &g_array_index(p->dot->nodes, ho_dot_node, g_array_index(first, int32_t, first->len - 1));
    return read_attributes(p, &node->attributes);
  }
  const ho_dot_attribute *attributes = p->edge_defaults;
  if (p->dot->edges->len > begin && !read_attributes(p, &attributes)) return FALSE;
  for (guint k = begin; k < p->dot->edges->len; k++) g_array_index(p->dot->edges, ho_dot_edge, k).attributes = attributes;
  return TRUE;
}

static gboolean read_statement(parser *p, GArray *members) {
  const ho_dot_attribute *of_graph = NULL;
  const ho_dot_attribute **defaults = at_keyword(p, "node")    ? &p->node_defaults
                                      : at_keyword(p, "edge")  ? &p->edge_defaults
                                      : at_keyword(p, "graph") ? &of_graph
                                                               : NULL;
  if (defaults) {
    if (!advance(p)) return FALSE;
    return at_mark(p, '[') ? read_attributes(p, defaults) : fail(p, "expected [ behind graph, node or edge");
  }
  gboolean is_node = p->now.type == TOKEN_WORD && !at_keyword(p, "subgraph");
  if (is_node) { /* or `key = value`, an attribute of the graph */
    parser ahead = *p;
    ahead.error = NULL;
    if (advance(&ahead) && at_mark(&ahead, '=')) {
      p->text = ahead.text;
      if (!advance(p)) return FALSE;
      return p->now.type == TOKEN_WORD ? advance(p) : fail(p, "expected a value behind =");
    }
  }
  g_autoptr(GArray) first = g_array_new(FALSE, FALSE, sizeof(int32_t));
  guint known = p->dot->edges->len;
  if (!read_end(p, first) || !read_chain(p, first, is_node)) return FALSE;
  g_array_append_vals(members, first->data, first->len);
  for (guint k = known; k < p->dot->edges->len; k++) g_array_append_val(members, g_array_index(p->dot->edges, ho_dot_edge, k).to);
  return TRUE;
}

/* Statements up to the } that ends them, at which the parser stays. */
static gboolean read_list(parser *p, GArray *members) {
  int begun = p->now.line;
  while (!at_mark(p, '}')) {
    if (p->now.type == TOKEN_END) {
      p->now.line = begun;
      return fail(p, "the graph that begins here has no end: expected }");
    }
    if (!read_statement(p, members)) return FALSE;
    if (at_mark(p, ';') && !advance(p)) return FALSE;
  }
  return TRUE;
}

static gboolean read_graph(parser *p) {
  g_autoptr(GArray) members = g_array_new(FALSE, FALSE, sizeof(int32_t));
  p->text.line = 1;
  if (!advance(p)) return FALSE;
  if ((p->dot->strict = at_keyword(p, "strict")) && !advance(p)) return FALSE;
  if (at_keyword(p, "graph")) return fail(p, "an undirected graph: expected digraph");
  if (!at_keyword(p, "digraph")) return fail(p, "expected digraph");
  if (!advance(p)) return FALSE;
  if (p->now.type == TOKEN_WORD) {
    p->dot->name = p->now.text;
    if (!advance(p)) return FALSE;
  }
  if (!at_mark(p, '{')) return fail(p, "expected { behind digraph");
  if (!advance(p) || !read_list(p, members) || !advance(p)) return FALSE;
  return p->now.type == TOKEN_END || fail(p, "more text after the end of the graph");
}

/* ---- the file -------------------------------------------------------------------------------------------------------- */

ho_dot *ho_dot_read(const char *file, GError **error) {
  g_autoptr(ho_dot) d = g_new0(ho_dot, 1);
  d->arena = ho_arena_new();
  d->nodes = g_array_new(FALSE, FALSE, sizeof(ho_dot_node));
  d->edges = g_array_new(FALSE, FALSE, sizeof(ho_dot_edge));
  parser p = {.dot = d, .by_id = g_hash_table_new(g_str_hash, g_str_equal), .error = error};
  gboolean ok = ho_text_open(&p.text, file, error) && read_graph(&p);
  ho_text_clear(&p.text);
  g_hash_table_destroy(p.by_id);
  return ok ? g_steal_pointer(&d) : NULL;
}

void ho_dot_free(ho_dot *d) {
  if (!d) return;
  g_array_free(d->nodes, TRUE);
  g_array_free(d->edges, TRUE);
  ho_arena_free(d->arena);
  g_free(d);
}

const char *ho_dot_get(const ho_dot_attribute *list, const char *key) {
  for (; list; list = list->next)
    if (strcmp(list->key, key) == 0) return list->value;
  return NULL;
}
