/* judge.h: frames and indicators of a study, from what its database holds.
 *
 * Derived data: problem by problem in the study's order, in one transaction, from finished runs, references and figures only; made again
 * it gives the same rows. A frame whose numbers have changed (union, when runs were added) is a new frame: indicators of the old one stay
 * with it and no view shows them. */
#ifndef HO_RESULTS_JUDGE_H
#define HO_RESULTS_JUDGE_H

#include "results/store.h"

G_BEGIN_DECLS

/* Makes the frame of the study's own kind for each of its problems, and of each run shown there the hypervolume ("hv") of the final
 * front (noise-free replay), of each checkpoint (as the search saw it), additive epsilon ("epsilon") and IGD+ ("igd_plus") of the
 * final front against the non-dominated union of the study's runs. */
gboolean ho_judge_study(ho_store *s, int64_t study_id, GError **error);
/* The same in a frame of another kind. */
gboolean ho_judge_study_in(ho_store *s, int64_t study_id, ho_frame_kind kind, GError **error);

G_END_DECLS

#endif
