/* calibrate.h: fitting a device profile to measured kernel times.
 *
 * What is predicted is a kernel behind others on an idle device, as the replay takes it (cost.h, docs/replay.md):
 *     t = launch.device + max(FLOP / (peak · efficiency · occupancy), bytes / (bandwidth · memory efficiency))
 * Fitted are launch.device, the memory efficiency of every family (`efficiency_memory`), the efficiency of every family in every precision of which there are rows with FLOPs (fp32 the base; others in `efficiency_in`), and the
 * saturation where rows state their parallelism. What no row tells keeps the profile's value.
 *
 * The sum of squares of log(predicted / measured) is minimised by GSL's Levenberg-Marquardt, again and again with weights that put rows
 * far off aside (Huber's, then Tukey's biweight: Holland & Welsch, Comm. Statist. A6(9), 1977; scale: median absolute residual /
 * 0.6745). The maximum of the roofline has no derivative at its edge and none at all for the smaller term: it is approached by p-norms of
 * growing exponent. Efficiencies run over a logistic curve, so that they stay between 0 and 1. A pull towards the profile's values, the
 * prior of one row that scatters by 0.2 against a value known to 0.5 (both in logarithm), keeps what rows hardly tell from running away. */
#ifndef HO_SIM_CALIBRATE_H
#define HO_SIM_CALIBRATE_H

#include <glib.h>

#include "hwprofiles/platform.h"
#include "sim/kernel_times.h"

G_BEGIN_DECLS

typedef struct {
  int32_t n;
  double total;    /* sum of predicted over sum of measured */
  double mape;     /* mean of |predicted - measured| / measured */
  double spearman; /* of predicted and measured; NAN with fewer than 3 rows, or when one of them does not vary */
} ho_calibrate_error;

typedef struct {
  ho_device_info device; /* the fitted one; its lists are those of the device given */
  int fitted[HO_N_PRECISIONS][HO_N_FAMILIES], fitted_memory[HO_N_FAMILIES], fitted_launch, fitted_saturation;
  int32_t folds, set_aside;                    /* rows whose last weight is 0 */
  int32_t n_groups;                            /* ops by precision, as in ho_kernel_time; one more entry in the lists: all rows */
  ho_calibrate_error *before, *after, *unseen; /* by the profile; by the fit; each row by a fit to the other folds */
} ho_calibration;

/* Seconds that a device would take. INFINITY when it has FLOPs and the device no peak in that precision. */
double ho_calibrate_predict(const ho_device_info *d, const ho_kernel_time *t);

/* Whether a device has the bandwidth and the peaks that rows need; `name`: what messages call the rows. */
gboolean ho_calibrate_can_predict(const ho_kernel_times *t, const ho_device_info *d, const char *name, GError **error);
/* The errors of a device, which can predict them, on all rows. */
ho_calibrate_error ho_calibrate_error_of(const ho_device_info *d, const ho_kernel_times *t);

/* `folds` ≥ 2 parts, drawn by `seed`, each with its share of every group. `name`: what messages call the rows. NULL with an error: too
 * few rows, a precision that the device does not have, no bandwidth. */
ho_calibration *ho_calibrate(const ho_kernel_times *t, const ho_device_info *d, int32_t folds, guint64 seed, const char *name,
                             GError **error);
void ho_calibration_free(ho_calibration *c); /* NULL is allowed */

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ho_calibration, ho_calibration_free)

G_END_DECLS

#endif
