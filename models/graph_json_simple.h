/* graph_json_simple.h: the quick way through ops and tensors of heteroopt-graph/1 that are written plainly. Not installed.
 *
 * Nearly all elements of a large graph are plain: strings without escapes, numbers that are not negative, no time table. Those are
 * read here without making JSON values of them, which takes half of the time. Everything else, and everything that is wrong in any way,
 * is left to the reader proper (graph_json.c), which says what it found: here nothing is ever refused, only passed on.
 *
 * Both functions return the length of the element they read, or 0 when it is not plain; nothing has happened then. */
#ifndef HO_MODELS_GRAPH_JSON_SIMPLE_H
#define HO_MODELS_GRAPH_JSON_SIMPLE_H

#include <glib.h>

#include "models/graph_build.h"

/* `text`: where the element begins, in text that ends with a NUL. `name`: what it is called; valid until the text changes. */
size_t ho_graph_json_simple_op(ho_graph_build *b, char *text, const char **name, size_t *name_length);
size_t ho_graph_json_simple_tensor(ho_graph_build *b, char *text, const char **name, size_t *name_length);

#endif
