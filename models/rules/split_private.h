/* split_private.h: questions about shapes that the axes of `split` share; see split.h. Not installed. */
#ifndef HO_MODELS_RULES_SPLIT_PRIVATE_H
#define HO_MODELS_RULES_SPLIT_PRIVATE_H

#include "models/rules/split.h"

const ho_tensor_info *ho_axis_info(const ho_workgraph *w, ho_tensor t);
gboolean ho_axis_is_weight(const ho_workgraph *w, ho_tensor t);
/* Size along a dimension, counted from the last one when negative; -1: it has none. */
int64_t ho_axis_size(const ho_workgraph *w, ho_tensor t, int32_t dim);
gboolean ho_axis_same_shape(const ho_workgraph *w, ho_tensor a, ho_tensor b);
/* The dimension of t that meets dimension `dim` of `out` when shapes are lined up at their ends; HO_CUT_WHOLE where t has none there, or one
 * value for all; HO_CUT_NEVER where the sizes do not fit. */
int32_t ho_axis_broadcast(const ho_workgraph *w, ho_tensor t, ho_tensor out, int32_t dim);
/* Why a fused op does not split: some op of the first graph that it stands for does not fit; NULL for ops that are not fused. */
const char *ho_axis_parts_obstacle(const ho_workgraph *w, ho_op o,
                                   gboolean (*fits)(const ho_workgraph *w, const char *kind, ho_family family));

extern const ho_split_axis ho_split_batch;

#endif
