/* yamltree.c: see yamltree.h. */
#include "base/yamltree.h"

#include <string.h>
#include <yaml.h>

#include "base/error.h"

static void node_free(gpointer p) {
  ho_yaml_node *n = p;
  g_free(n->text);
  g_free(n);
}

void ho_yaml_tree_free(ho_yaml_tree *t) {
  if (!t) return;
  g_ptr_array_unref(t->nodes);
  g_free(t);
}

gboolean ho_yaml_node_is_null(const ho_yaml_node *n) {
  return n->kind == HO_YAML_SCALAR && n->plain && (!*n->text || !strcmp(n->text, "~") || !g_ascii_strcasecmp(n->text, "null"));
}

/* ---- text ---- */

/* Line and column (from 1, in bytes of the line) of a byte, for text that libyaml never sees. */
static void locate(const char *text, gsize offset, guint *line, guint *column) {
  *line = *column = 1;
  for (gsize i = 0; i < offset; i++, ++*column)
    if (text[i] == '\n') {
      ++*line;
      *column = 0;
    }
}

static gboolean check_text(const char *file, const char *text, gsize length, GError **error) {
  if (length > HO_YAML_BYTES)
    return ho_fail(error, HO_ERROR_INPUT, "%s: %" G_GSIZE_FORMAT " bytes, expected a YAML file of at most %d", file, length,
                   HO_YAML_BYTES);
  gsize bad = 0;
  while (bad < length && ((guchar)text[bad] >= 0x20 || text[bad] == '\n' || text[bad] == '\r' || text[bad] == '\t')) bad++;
  if (bad == length) {
    const char *end;
    if (g_utf8_validate(text, (gssize)length, &end)) return TRUE;
    bad = (gsize)(end - text);
  }
  guint line, column;
  locate(text, bad, &line, &column);
  return ho_fail(error, HO_ERROR_INPUT, "%s:%u:%u: byte 0x%02x, expected YAML text in UTF-8", file, line, column,
                 (guchar)text[bad]);
}

/* libyaml's words, with the two mistakes people make told in ours. */
static gboolean fail_syntax(const char *file, const char *text, gsize length, const yaml_parser_t *p, GError **error) {
  const yaml_mark_t *m = &p->problem_mark;
  unsigned long line = (unsigned long)m->line + 1, column = (unsigned long)m->column + 1;
  if (p->error == YAML_READER_ERROR)
    return ho_fail(error, HO_ERROR_INPUT, "%s: byte %lu: %s, expected YAML text", file, (unsigned long)p->problem_offset,
                   p->problem);
  if (m->index < length && strchr(text, '\t')) {
    const char *start = text;
    for (gsize i = 0; i < m->line && (start = strchr(start, '\n')); i++) start++;
    gsize indent = start ? strspn(start, " \t") : 0;
    if (start && memchr(start, '\t', indent))
      return ho_fail(error, HO_ERROR_INPUT, "%s:%lu:1: a tab in the indentation, expected spaces", file, line);
  }
  return ho_fail(error, HO_ERROR_INPUT, "%s:%lu:%lu: not YAML: %s%s%s", file, line, column,
                 p->problem ? p->problem : "cannot be read", p->context ? " " : "", p->context ? p->context : "");
}

/* ---- events ---- */

typedef struct {
  const char *file;
  ho_yaml_tree *tree;
  ho_yaml_node *open[HO_YAML_DEPTH];
  guint depth;
  guint documents;
} builder;

static gboolean fail_mark(const builder *b, const yaml_event_t *e, GError **error, const char *what) {
  return ho_fail(error, HO_ERROR_INPUT, "%s:%lu:%lu: %s", b->file, (unsigned long)e->start_mark.line + 1,
                 (unsigned long)e->start_mark.column + 1, what);
}

static ho_yaml_node *add_node(builder *b, const yaml_event_t *e, ho_yaml_kind kind) {
  ho_yaml_node *n = g_new0(ho_yaml_node, 1);
  n->kind = kind;
  n->line = (guint)e->start_mark.line + 1;
  n->column = (guint)e->start_mark.column + 1;
  g_ptr_array_add(b->tree->nodes, n);
  if (!b->depth) {
    b->tree->root = n;
    return n;
  }
  ho_yaml_node *parent = b->open[b->depth - 1];
  if (parent->last)
    parent->last->next = n;
  else
    parent->first = n;
  parent->last = n;
  parent->n++;
  return n;
}

static gboolean open_node(builder *b, const yaml_event_t *e, ho_yaml_kind kind, gboolean flow, GError **error) {
  const ho_yaml_node *parent = b->depth ? b->open[b->depth - 1] : NULL;
  if (parent && parent->kind == HO_YAML_MAPPING && parent->n % 2 == 0)
    return fail_mark(b, e, error, "a list or mapping as key, expected a word");
  if (b->depth == HO_YAML_DEPTH) {
    g_autofree char *what = g_strdup_printf("nested deeper than %d levels", HO_YAML_DEPTH);
    return fail_mark(b, e, error, what);
  }
  ho_yaml_node *n = add_node(b, e, kind);
  n->flow = flow;
  b->open[b->depth++] = n;
  return TRUE;
}

static gboolean take_event(builder *b, const yaml_event_t *e, GError **error) {
  if (b->tree->nodes->len > HO_YAML_NODES) {
    g_autofree char *what = g_strdup_printf("more than %d keys and values, expected fewer", HO_YAML_NODES);
    return fail_mark(b, e, error, what);
  }
  static const char no_anchor[] = "anchors (&name) and aliases (*name) are not read here, expected the value written out";
  static const char no_tag[] = "a tag (!name) is not read here, expected a plain value";
  switch (e->type) {
    case YAML_DOCUMENT_START_EVENT:
      if (b->documents++) return fail_mark(b, e, error, "a second document, expected one per file");
      return TRUE;
    case YAML_ALIAS_EVENT:
      return fail_mark(b, e, error, no_anchor);
    case YAML_SCALAR_EVENT: {
      if (e->data.scalar.anchor) return fail_mark(b, e, error, no_anchor);
      if (e->data.scalar.tag) return fail_mark(b, e, error, no_tag);
      if (strlen((const char *)e->data.scalar.value) != e->data.scalar.length)
        return fail_mark(b, e, error, "a zero byte in a text (\\0), expected none");
      ho_yaml_node *n = add_node(b, e, HO_YAML_SCALAR);
      n->text = g_strdup((const char *)e->data.scalar.value);
      n->plain = e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
      return TRUE;
    }
    case YAML_SEQUENCE_START_EVENT:
      if (e->data.sequence_start.anchor) return fail_mark(b, e, error, no_anchor);
      if (e->data.sequence_start.tag) return fail_mark(b, e, error, no_tag);
      return open_node(b, e, HO_YAML_SEQUENCE, e->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE, error);
    case YAML_MAPPING_START_EVENT:
      if (e->data.mapping_start.anchor) return fail_mark(b, e, error, no_anchor);
      if (e->data.mapping_start.tag) return fail_mark(b, e, error, no_tag);
      return open_node(b, e, HO_YAML_MAPPING, e->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE, error);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
      b->depth--;
      return TRUE;
    default:
      return TRUE;
  }
}

static gboolean read_events(builder *b, const char *text, gsize length, GError **error) {
  yaml_parser_t parser;
  if (!yaml_parser_initialize(&parser)) return ho_fail(error, HO_ERROR_INTERNAL, "%s: libyaml cannot start", b->file);
  yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
  gboolean good = TRUE;
  for (gboolean more = TRUE; good && more;) {
    yaml_event_t event;
    if (!yaml_parser_parse(&parser, &event)) {
      good = fail_syntax(b->file, text, length, &parser, error);
      break;
    }
    more = event.type != YAML_STREAM_END_EVENT;
    good = take_event(b, &event, error);
    yaml_event_delete(&event);
  }
  yaml_parser_delete(&parser);
  return good;
}

ho_yaml_tree *ho_yaml_tree_new(const char *file, const char *text, gsize length, GError **error) {
  if (!check_text(file, text, length, error)) return NULL;
  builder b = {.file = file, .tree = g_new0(ho_yaml_tree, 1)};
  b.tree->nodes = g_ptr_array_new_with_free_func(node_free);
  gboolean good = read_events(&b, text, length, error);
  if (good && (!b.tree->root || ho_yaml_node_is_null(b.tree->root)))
    good = ho_fail(error, HO_ERROR_INPUT, "%s: the file is empty, expected keys and values", file);
  if (good) return b.tree;
  ho_yaml_tree_free(b.tree);
  return NULL;
}

/* ---- paths ---- */

static const ho_yaml_node *child_at(const ho_yaml_node *n, guint64 index) {
  if (n->kind != HO_YAML_SEQUENCE || index >= n->n) return NULL;
  const ho_yaml_node *c = n->first;
  for (; index; index--) c = c->next;
  return c;
}

static const ho_yaml_node *child_key(const ho_yaml_node *n, const char *name, gsize length) {
  if (n->kind != HO_YAML_MAPPING) return NULL;
  for (const ho_yaml_node *k = n->first; k; k = k->next->next)
    if (strlen(k->text) == length && !strncmp(k->text, name, length)) return k;
  return NULL;
}

const ho_yaml_node *ho_yaml_tree_find(const ho_yaml_tree *t, const char *path, const ho_yaml_node **key, gboolean *found) {
  const ho_yaml_node *at = t->root;
  *key = NULL;
  *found = FALSE;
  for (const char *p = path; *p;) {
    const ho_yaml_node *next;
    if (*p == '[') {
      char *end;
      next = child_at(at, g_ascii_strtoull(p + 1, &end, 10));
      p = *end == ']' ? end + 1 : end;
      if (next) *key = next;
    } else {
      if (*p == '.') p++;
      gsize length = strcspn(p, ".[");
      const ho_yaml_node *k = child_key(at, p, length);
      p += length;
      next = k ? k->next : NULL;
      if (k) *key = k;
    }
    if (!next) return at;
    at = next;
  }
  *found = TRUE;
  return at;
}
