/* onnx_note.h: what the reader assumed, in one line for the user.
 *
 * Internal to the reader: not installed. */
#ifndef HO_MODELS_ONNX_NOTE_H
#define HO_MODELS_ONNX_NOTE_H

#include "models/onnx_model.h"

G_BEGIN_DECLS

/* NULL when nothing was assumed. Caller frees. */
char *ho_onnx_note(const ho_onnx_model *m, size_t n_unsized);
/* "a, b, c and 4 more" of names, in order. Caller frees. */
char *ho_onnx_name_list(const GPtrArray *names);

G_END_DECLS

#endif
