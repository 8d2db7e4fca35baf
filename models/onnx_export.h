/* onnx_export.h: a rewritten graph goes back into an ONNX file.
 *
 * The model is the one that was read, weights included, with the rewrites in it: a fused op is a model-local function of domain
 * "heteroopt" whose body is the nodes that it stands for; what was removed is gone; a folded constant whose value is known is an
 * initializer; parts of a split are nodes like the whole, on pieces that Slice, Concat and Sum nodes make. Shapes of pieces are those of the
 * bound sizes. Weights in files beside the model stay there, and so must what is written. */
#ifndef HO_MODELS_ONNX_EXPORT_H
#define HO_MODELS_ONNX_EXPORT_H

#include <glib.h>

#include "models/rewrite_graph.h"
#include "models/source.h"

G_BEGIN_DECLS

/* Writes what w is to `output`. w was made of the graph that `file` is read as with these bindings. FALSE with one line when that is no
 * ONNX file, or something in it cannot be written: functions of its own, recomputed or offloaded activations, cuts that do not fit an
 * operator's attributes. */
gboolean ho_onnx_export(const char *file, const ho_bindings *bindings, const ho_workgraph *w, const char *output, GError **error);

G_END_DECLS

#endif
