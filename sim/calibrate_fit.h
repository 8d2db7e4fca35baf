/* calibrate_fit.h: the robust regression behind calibrate.h. Not installed. */
#ifndef HO_SIM_CALIBRATE_FIT_H
#define HO_SIM_CALIBRATE_FIT_H

#include "sim/calibrate.h"

/* Which parameter is where in the vector that is fitted; -1: not fitted. */
typedef struct {
  int n;
  int family[HO_N_PRECISIONS][HO_N_FAMILIES], memory[HO_N_FAMILIES], launch, saturation;
  ho_dtype base; /* the precision whose efficiencies are those of no precision in particular */
} ho_fit_layout;

#define HO_FIT_MOST (HO_N_PRECISIONS * HO_N_FAMILIES + HO_N_FAMILIES + 2) /* parameters */

ho_fit_layout ho_fit_layout_of(const ho_kernel_times *t, const ho_device_info *d);

/* Fits to the rows with use[i] != 0. *weight (n of t, may be NULL): the last robust weights, 0 of rows not used. */
ho_device_info ho_fit(const ho_kernel_times *t, const uint8_t *use, const ho_device_info *start, const ho_fit_layout *layout,
                      double *weight);

#endif
