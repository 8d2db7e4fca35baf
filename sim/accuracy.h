/* accuracy.h: which lower precisions a plan may choose for an op, and the drop in accuracy that is predicted for a plan.
 *
 * An op that states a `sensitivity` (points per unit of relative rounding error) may run in any precision; what that costs is
 *     drop = Σ sensitivity · error(device, precision)
 * over all ops, with the devices' relative rounding errors (fp32 = 0), whoever chose the precision.
 * Of an op that states none, nothing is known but class rules: half precisions (tf32, bf16, fp16) where automatic mixed precision computes in them or
 * lets them pass (PyTorch's documentation of torch.amp, "CUDA Ops that can autocast to float16": products, convolutions, attention,
 * recurrent cells; pointwise ops, pooling and data movement follow their inputs); norms, softmax, reductions, gathers, and kinds that nobody knows keep
 * their own; nothing goes to fp8 or integers. Such an op counts nothing in the drop. A fused op goes by its own family, but below half only where all
 * that it is made of and that has FLOPs states a sensitivity. */
#ifndef HO_SIM_ACCURACY_H
#define HO_SIM_ACCURACY_H

#include "sim/plan.h"
#include "sim/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HO_ACCURACY_LIMIT 0.2 /* points: default limit of the drop */

/* Whether a plan may choose precision p for op o: its own dtype and all above it always; lower ones as said above. */
int ho_accuracy_allows(const ho_graph *g, ho_op o, ho_dtype p);

/* Points that one entry loses. */
double ho_accuracy_entry_drop(const ho_problem *q, const ho_entry *e);
/* Points that a plan of the problem's graph loses. O(entries). */
double ho_accuracy_drop(const ho_problem *q, const ho_plan *plan);

#ifdef __cplusplus
}
#endif

#endif
