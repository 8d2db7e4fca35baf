/* frame.h: ideal, nadir, reference and scale of one problem: what an indicator belongs to.
 *
 * Values of different frames are never compared. A frame of one problem maps raw objectives to normalised ones; an objective that is
 * constant in it is dropped; an undefined frame (all references infeasible) keeps the reason. (docs/results.md, Frames.) */
#ifndef HO_RESULTS_FRAME_H
#define HO_RESULTS_FRAME_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HO_FRAME_MAX 4

typedef enum { HO_FRAME_PAYOFF, HO_FRAME_NEAR, HO_FRAME_ABSOLUTE, HO_FRAME_UNION } ho_frame_kind;
typedef enum { HO_SCALE_LINEAR, HO_SCALE_LOG } ho_scale;

typedef struct {
  ho_frame_kind kind;
  int32_t n;   /* objectives of the problem */
  int defined; /* 0: `reason` says why */
  char reason[200];
  uint8_t dropped[HO_FRAME_MAX];                                            /* 1: constant, not part of indicators */
  double ideal[HO_FRAME_MAX], nadir[HO_FRAME_MAX], reference[HO_FRAME_MAX]; /* raw units */
  ho_scale scale;
} ho_frame;

const char *ho_frame_kind_name(ho_frame_kind k);
int ho_frame_kind_parse(const char *name); /* -1 */

/* payoff: rows of a pay-off table (each the raw objectives of one feasible single-objective reference), best and worst of each
 * column; logarithmic scale where ideal > 0; reference at 1.1 of the range. n_rows 0: undefined. */
ho_frame ho_frame_payoff(const double *rows, int32_t n_rows, int32_t n_objectives);
/* near: reference = factor[k] × the fastest reference's objective k (2, 2, 1.1 by default); ideal and nadir as payoff; linear. */
ho_frame ho_frame_near(const double *rows, int32_t n_rows, int32_t n_objectives, const double *fastest, const double *factor);
/* absolute: latency / t_ref, energy / (t_ref · watts), memory as is; linear; reference (2, 1, 1). */
ho_frame ho_frame_absolute(double t_ref, double watts, const int32_t *objective_kind, int32_t n_objectives);
/* union: of the non-dominated union of all points; linear; reference = nadir + 10 % of the range. */
ho_frame ho_frame_union(const double *points, int32_t n_points, int32_t n_objectives);

/* Normalised: 0 at ideal, 1 at nadir (payoff, union: range; near: reference at its own place). `out` gets the kept objectives
 * only; returns how many. The reference normalised alike. */
int32_t ho_frame_normalise(const ho_frame *f, const double *raw, double *out);
int32_t ho_frame_reference(const ho_frame *f, double *out);

/* Hypervolume of raw points in the frame, divided by the volume between ideal and reference, so that 1 is the ideal point alone.
 * NAN when undefined. */
double ho_frame_hypervolume(const ho_frame *f, const double *points, int32_t n);

#ifdef __cplusplus
}
#endif

#endif
