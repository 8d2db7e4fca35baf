/* judge.h: frames and indicators of a study, from what its database holds.
 *
 * Derived data: problem by problem in the study's order, in one transaction, from finished runs, references and figures only; made again
 * it gives the same rows. A frame whose numbers have changed (union, when runs were added) is a new frame; the old one and its indicators
 * are dropped, so that the rows do not tell how often a run was interrupted.
 *
 * Indicators by frame: "hv" in every kind; "epsilon" (additive) and "igd_plus" in `union` only, whose non-dominated union is their
 * reference set and part of the frame. All of the final front by noise-free replay; hv also at each checkpoint, as the search saw it. */
#ifndef HO_RESULTS_JUDGE_H
#define HO_RESULTS_JUDGE_H

#include "results/store.h"

G_BEGIN_DECLS

/* Judges a study in the frame kind it asks for, and in `union`. */
gboolean ho_judge_study(ho_store *s, int64_t study_id, GError **error);
/* In one further kind. */
gboolean ho_judge_study_in(ho_store *s, int64_t study_id, ho_frame_kind kind, GError **error);

G_END_DECLS

#endif
