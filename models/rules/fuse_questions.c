/* fuse_questions.c: the questions that fusion patterns ask of a work graph; see fuse.h. */
#include <string.h>

#include "models/rules/fuse.h"

gboolean ho_is_kind(const ho_workgraph *w, ho_op o, const char *kind) {
  return o >= 0 && strcmp(w->op[o].info.kind, kind) == 0;
}

gboolean ho_is_one_of(const ho_workgraph *w, ho_op o, const char *const *kinds) {
  for (; o >= 0 && *kinds; kinds++)
    if (strcmp(w->op[o].info.kind, *kinds) == 0) return TRUE;
  return FALSE;
}

gboolean ho_is_constant(const ho_workgraph *w, ho_tensor t) {
  return !w->trains && w->tensor[t].info.role == HO_ROLE_WEIGHT;
}

ho_tensor ho_only_data_input(const ho_workgraph *w, ho_op o) {
  ho_tensor found = -1;
  for (int32_t i = 0; i < w->op[o].in.n; i++) {
    ho_tensor t = w->op[o].in.item[i];
    if (w->tensor[t].info.role == HO_ROLE_WEIGHT) continue;
    if (found >= 0) return -1;
    found = t;
  }
  return found;
}

ho_op ho_next(const ho_workgraph *w, ho_op o) {
  ho_tensor t = o >= 0 ? ho_workgraph_only_output(w, o) : -1;
  return t >= 0 && w->tensor[t].n_aliases == 0 ? ho_workgraph_only_consumer(w, t) : -1;
}

/* A batch normalisation with stored statistics is a scale and a shift. */
static gboolean is_scale_and_shift(const ho_workgraph *w, ho_op o) {
  return ho_is_kind(w, o, "batchnorm") && !w->trains;
}

gboolean ho_is_pointwise(const ho_workgraph *w, ho_op o) {
  static const char *const others[] = {"random", "optimizer", "sgd", "dropout_grad", NULL};
  if (o < 0 || w->op[o].out.n != 1) return FALSE;
  if (is_scale_and_shift(w, o) || ho_is_kind(w, o, "cast")) return TRUE;
  return w->op[o].info.family == HO_FAMILY_ELEMENTWISE && !ho_is_one_of(w, o, others);
}

gboolean ho_is_unary(const ho_workgraph *w, ho_op o) {
  return ho_is_pointwise(w, o) && ho_only_data_input(w, o) >= 0;
}
