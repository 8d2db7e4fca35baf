/* rates.h: what each link passes and each device draws at every moment of a replay, exactly: step curves.
 *
 * A replay keeps times, not rates. The rates are found by going through the starts and ends of the last run once more, with the same
 * sharing (fluid.h). A link's curve counts bytes that arrive: where noise stretches a transfer, its bytes pass more slowly. A device's curve
 * is what it draws at rest (idle, or off), what it draws above that while kernels run, and the per-FLOP and per-byte energy of each
 * kernel at the speed at which it goes on.
 * So the integral of a link's two curves is its bytes, and that of a device's up to the makespan its energy, less idling after the makespan
 * (a period). Kernels and transfers that take no time at all have no rate and do not show. Allocates: not for hot loops. */
#ifndef HO_SIM_RATES_H
#define HO_SIM_RATES_H

#include "sim/replay.h"

G_BEGIN_DECLS

/* A point of a step curve: `value` holds from `time` (s) to the next point's. */
typedef struct {
  double time, value;
} ho_curve_point;

typedef struct {
  int32_t n_links, n_devices;
  GArray **link;   /* [2 * link + backward]: of ho_curve_point, B/s */
  GArray **device; /* of ho_curve_point, W */
} ho_rates;

/* Of the last run, which must have succeeded. */
ho_rates *ho_rates_new(ho_replay *r);
void ho_rates_free(ho_rates *rates); /* NULL is allowed */

/* Integral of a curve from 0 to `until` (s). */
double ho_curve_integral(const GArray *curve, double until);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ho_rates, ho_rates_free)

G_END_DECLS

#endif
