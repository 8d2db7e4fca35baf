/* yamltree.h: the nodes of a YAML file with their places, out of libyaml's event stream.
 *
 * libcyaml fills structs and forgets where a value stood; this tree remembers. It is also the guard in front of it: text that is not
 * UTF-8, control characters, more than one document, anchors and aliases, tags, non-scalar keys, nesting deeper than
 * HO_YAML_DEPTH, files larger than HO_YAML_BYTES and more than HO_YAML_NODES values are refused with one line. Internal to base/. */
#ifndef HO_BASE_YAMLTREE_H
#define HO_BASE_YAMLTREE_H

#include <glib.h>

#define HO_YAML_DEPTH 32
#define HO_YAML_BYTES (4 * 1024 * 1024)
#define HO_YAML_NODES 100000 /* libcyaml moves a whole list for every entry it appends */

typedef enum { HO_YAML_SCALAR, HO_YAML_SEQUENCE, HO_YAML_MAPPING } ho_yaml_kind;

typedef struct ho_yaml_node ho_yaml_node;
struct ho_yaml_node {
  ho_yaml_kind kind;
  guint line, column; /* counted from 1; column in characters */
  gboolean flow;      /* sequence or mapping inside [ ] or { } */
  gboolean plain;     /* scalar without quotes */
  char *text;         /* of a scalar */
  guint n;            /* children: entries of a sequence; keys and values, in turn, of a mapping */
  ho_yaml_node *first, *last, *next;
};

typedef struct {
  GPtrArray *nodes; /* owns them */
  ho_yaml_node *root;
} ho_yaml_tree;

/* NULL with "file:line:column: …" when `text` is not a YAML document of one node. */
ho_yaml_tree *ho_yaml_tree_new(const char *file, const char *text, gsize length, GError **error);
void ho_yaml_tree_free(ho_yaml_tree *t); /* NULL is allowed */

/* A scalar that YAML reads as "nothing": empty, ~ or null, without quotes. */
gboolean ho_yaml_node_is_null(const ho_yaml_node *n);

/* The node at a path such as "devices[2].power.idle". Where the path leaves the tree, *found is FALSE and the node is the nearest
 * enclosing one. *key is the node of the last key on the way (NULL: none), whose place is where people look. */
const ho_yaml_node *ho_yaml_tree_find(const ho_yaml_tree *t, const char *path, const ho_yaml_node **key, gboolean *found);

#endif
