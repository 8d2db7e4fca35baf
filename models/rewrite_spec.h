/* rewrite_spec.h: the rewrites that a user asks for in a line of text.
 *
 * A specification is a list, with commas between, of
 *   fuse                                                  a rule: applied everywhere (rewrite.h)
 *   split:axis=batch:ops=conv1..fc:shares=0.7/0.3         one rewrite; keys: ops, axis, shares, tensor
 *   rewrites.json                                         a file: an array of rewrites, or an object with "rewrites", such as a plan
 * They apply in order. `ops` is a name, several with "|" between, or A..B: A, B, and every op on a path from A to B. */
#ifndef HO_MODELS_REWRITE_SPEC_H
#define HO_MODELS_REWRITE_SPEC_H

#include <glib.h>

#include "models/rewrite.h"

G_BEGIN_DECLS

/* Applies them to w, and appends each rewrite to `list` as a plan lists it (ho_rewrite*). On failure, FALSE: the error says which of
 * them and why, and w is only good for undo. */
gboolean ho_rewrites_by_spec(ho_workgraph *w, const char *spec, GPtrArray *list, GError **error);

G_END_DECLS

#endif
