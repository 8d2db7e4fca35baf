/* dot_parse.h: the DOT language: nodes and edges of a directed graph with their attributes. Not installed.
 *
 * Graphviz has a parser in libcgraph. It keeps its state in global variables, so that two graphs cannot be read at a time, and
 * has no limits of its own: this one has neither fault and needs no library. All of the language is read but for undirected graphs:
 * quoted, joined and HTML strings, comments, attribute defaults, chains, subgraphs also as ends of edges, ports.
 *
 * Attribute lists are shared, newest first: what a node got from `node [...]` is not copied. */
#ifndef HO_MODELS_DOT_PARSE_H
#define HO_MODELS_DOT_PARSE_H

#include <glib.h>
#include <stdint.h>

#include "base/arena.h"

#define HO_DOT_DEPTH 100 /* of subgraphs */

typedef struct ho_dot_attribute {
  const char *key, *value;
  const struct ho_dot_attribute *next;
} ho_dot_attribute;

typedef struct {
  const char *id;
  const ho_dot_attribute *attributes;
  int line; /* where it was first named */
} ho_dot_node;

typedef struct {
  int32_t from, to;
  const ho_dot_attribute *attributes;
  int line;
} ho_dot_edge;

typedef struct {
  const char *name; /* NULL when the graph has none */
  gboolean strict;  /* two edges between the same nodes are one */
  GArray *nodes;    /* ho_dot_node, in the order in which they are first named */
  GArray *edges;    /* ho_dot_edge */
  ho_arena *arena;
} ho_dot;

/* NULL with "file:line: …". */
ho_dot *ho_dot_read(const char *file, GError **error);
void ho_dot_free(ho_dot *d); /* NULL is allowed */
/* The value of an attribute, or NULL. */
const char *ho_dot_get(const ho_dot_attribute *list, const char *key);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ho_dot, ho_dot_free)

#endif
