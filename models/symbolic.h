/* symbolic.h: a graph with symbolic dimensions: a source that is opened once and evaluated for any values of them.
 *
 * The source is an ONNX file or a built-in model. Its symbols are the file's symbolic dimensions (`batch`, `seq`), or the builder's whole
 * numbers (batch, seq, layers, …). A file is parsed once; for other values only shapes, folded constants and costs are worked out
 * again, in memory. The graph is the one that reading afresh with the same bindings gives, to the digest.
 * Not thread safe. */
#ifndef HO_MODELS_SYMBOLIC_H
#define HO_MODELS_SYMBOLIC_H

#include <glib.h>

#include "models/source.h"

G_BEGIN_DECLS

typedef struct ho_symbolic ho_symbolic;

/* `spec` as for ho_graph_load. NULL on error; a file of another format than ONNX has fixed sizes and is refused. */
ho_symbolic *ho_symbolic_open(const char *spec, GError **error);
void ho_symbolic_free(ho_symbolic *s); /* NULL is allowed */

/* Names that can be given a value, in order of appearance, NULL-terminated. Sizes that only show once others have a value are
 * not among them, but can be bound all the same. */
const char *const *ho_symbolic_names(const ho_symbolic *s);

/* The graph at these values; what is not named has its default. NULL on error. The graph may outlive the source. */
ho_graph *ho_symbolic_at(ho_symbolic *s, const ho_bindings *bindings, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ho_symbolic, ho_symbolic_free)

G_END_DECLS

#endif
