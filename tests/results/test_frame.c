/* test_frame.c: frames: known answers by hand and the laws they obey. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "results/frame.h"
#include "sim/problem.h"

/* Three references: the fastest, the least energy, the least memory. */
static const double rows[] = {1, 8, 0.5, /**/ 4, 2, 0.25, /**/ 2, 4, 0.125};

Test(frame, payoff_takes_best_and_worst_of_each_column_on_a_logarithmic_scale) {
  ho_frame f = ho_frame_payoff(rows, 3, 3);
  cr_assert(f.defined && f.scale == HO_SCALE_LOG && f.reason[0] == 0);
  const double ideal[] = {1, 2, 0.125}, nadir[] = {4, 8, 0.5};
  double u[3], v[3];
  for (int k = 0; k < 3; k++) {
    cr_assert(f.ideal[k] == ideal[k] && f.nadir[k] == nadir[k]);
    cr_assert_float_eq(f.reference[k], ideal[k] * pow(4, 1.1), 1e-14); /* every range here is a factor of 4 */
  }
  cr_assert_eq(ho_frame_normalise(&f, ideal, u), 3);
  cr_assert_eq(ho_frame_normalise(&f, nadir, v), 3);
  for (int k = 0; k < 3; k++) cr_assert(u[k] == 0 && v[k] == 1);
  const double middle[] = {2, 4, 0.25};
  ho_frame_normalise(&f, middle, u);
  for (int k = 0; k < 3; k++) cr_assert_float_eq(u[k], 0.5, 1e-15, "the geometric mean is half way");
}

/* 0.5 in all of three objectives, up to 1.1: (0.6 / 1.1)^3. */
Test(frame, hypervolume_is_a_share_of_the_box_between_ideal_and_reference) {
  ho_frame f = ho_frame_payoff(rows, 3, 3);
  const double middle[] = {2, 4, 0.25};
  cr_assert_float_eq(ho_frame_hypervolume(&f, middle, 1), pow(0.6 / 1.1, 3), 1e-14);
  cr_assert_float_eq(ho_frame_hypervolume(&f, f.ideal, 1), 1, 1e-15);
  cr_assert_eq(ho_frame_hypervolume(&f, f.reference, 1), 0);
  cr_assert_eq(ho_frame_hypervolume(&f, NULL, 0), 0);
}

/* "10 % is 10 % everywhere": multiplying an objective by a constant, points and references alike, changes nothing but rounding. */
Test(frame, payoff_does_not_depend_on_units) {
  double scaled[9];
  const double point[] = {1.5, 3, 0.2}, unit[] = {1e3, 1e-6, 1.6e10};
  double scaled_point[3];
  for (int i = 0; i < 9; i++) scaled[i] = rows[i] * unit[i % 3];
  for (int k = 0; k < 3; k++) scaled_point[k] = point[k] * unit[k];
  ho_frame f = ho_frame_payoff(rows, 3, 3), g = ho_frame_payoff(scaled, 3, 3);
  cr_assert_float_eq(ho_frame_hypervolume(&f, point, 1), ho_frame_hypervolume(&g, scaled_point, 1), 1e-13);
}

Test(frame, a_constant_objective_is_dropped) {
  const double table[] = {1, 7, 4, /**/ 2, 7, 1};
  ho_frame f = ho_frame_payoff(table, 2, 3);
  cr_assert(f.defined && !f.dropped[0] && f.dropped[1] && !f.dropped[2]);
  const double two[] = {1, 4, /**/ 2, 1};
  ho_frame g = ho_frame_payoff(two, 2, 2);
  const double p[] = {1.2, 9, 2}, q[] = {1.2, 2};
  double out[3];
  cr_assert_eq(ho_frame_normalise(&f, p, out), 2);
  cr_assert_eq(ho_frame_reference(&f, out), 2);
  cr_assert_eq(ho_frame_hypervolume(&f, p, 1), ho_frame_hypervolume(&g, q, 1));
}

Test(frame, without_a_range_it_is_undefined_and_says_why) {
  ho_frame none = ho_frame_payoff(NULL, 0, 3), one = ho_frame_payoff(rows, 1, 3), near = ho_frame_near(NULL, 0, 3, NULL, NULL);
  ho_frame nothing = ho_frame_union(NULL, 0, 2), held = ho_frame_absolute(NAN, 1, (const int32_t[]){HO_OBJECTIVE_LATENCY}, 1);
  const ho_frame *all[] = {&none, &one, &near, &nothing, &held};
  for (int i = 0; i < 5; i++) {
    cr_assert(!all[i]->defined && strlen(all[i]->reason) > 0, "frame %d", i);
    cr_assert(isnan(ho_frame_hypervolume(all[i], rows, 1)));
  }
}

Test(frame, an_ideal_that_is_not_positive_makes_the_scale_linear_and_is_stated) {
  const double table[] = {0, 4, /**/ 2, 1};
  ho_frame f = ho_frame_payoff(table, 2, 2);
  cr_assert(f.defined && f.scale == HO_SCALE_LINEAR);
  cr_assert(strstr(f.reason, "linear") && strstr(f.reason, "objective 1"));
  cr_assert_float_eq(f.reference[0], 2.2, 1e-15);
  const double middle[] = {1, 2.5}; /* (0.6 / 1.1)^2 */
  cr_assert_float_eq(ho_frame_hypervolume(&f, middle, 1), pow(0.6 / 1.1, 2), 1e-15);
}

Test(frame, on_a_logarithmic_scale_a_zero_does_no_harm) {
  ho_frame f = ho_frame_payoff(rows, 3, 3);
  const double p[] = {1, 0, 0.2};
  cr_assert(isfinite(ho_frame_hypervolume(&f, p, 1)));
}

Test(frame, near_puts_the_reference_where_a_user_would_stop) {
  const double factor[] = {2, 2, 1.1};
  ho_frame f = ho_frame_near(rows, 3, 3, rows, factor);
  const double reference[] = {2, 16, 0.55};
  for (int k = 0; k < 3; k++) cr_assert_float_eq(f.reference[k], reference[k], 1e-15);
  /* The fastest reference itself, by hand: (2-1)/(2-1) · (16-8)/(16-2) · (0.55-0.5)/(0.55-0.125). */
  cr_assert_float_eq(ho_frame_hypervolume(&f, rows, 1), 8.0 / 14 * 0.05 / 0.425, 1e-14);
}

Test(frame, absolute_measures_in_the_time_and_power_of_the_fastest_device) {
  const int32_t kind[] = {HO_OBJECTIVE_LATENCY, HO_OBJECTIVE_ENERGY, HO_OBJECTIVE_MEMORY};
  ho_frame f = ho_frame_absolute(0.01, 500, kind, 3);
  const double p[] = {0.01, 2.5, 0.25}; /* normalised: 1, 0.5, 0.25 up to 2, 1, 1 */
  double out[3];
  ho_frame_normalise(&f, p, out);
  cr_assert_float_eq(out[0], 1, 1e-15);
  cr_assert_float_eq(out[1], 0.5, 1e-15);
  cr_assert_float_eq(out[2], 0.25, 1e-15);
  ho_frame_reference(&f, out);
  cr_assert(out[0] == 2 && out[1] == 1 && out[2] == 1);
  cr_assert_float_eq(ho_frame_hypervolume(&f, p, 1), 0.5 * 0.5 * 0.75, 1e-15);
}

Test(frame, union_looks_at_the_non_dominated_points_only) {
  const double p[] = {1, 3, /**/ 3, 1, /**/ 10, 10};
  ho_frame f = ho_frame_union(p, 3, 2);
  cr_assert(f.nadir[0] == 3 && f.nadir[1] == 3 && f.ideal[0] == 1 && f.ideal[1] == 1);
  cr_assert_float_eq(f.reference[0], 3.2, 1e-15);
  /* Two points at (0, 1) and (1, 0) up to 1.1: 2 · 1.1 · 0.1 - 0.1². */
  cr_assert_float_eq(ho_frame_hypervolume(&f, p, 3), (2 * 1.1 * 0.1 - 0.01) / 1.21, 1e-14);
}

Test(frame, kinds_read_back) {
  for (int k = HO_FRAME_PAYOFF; k <= HO_FRAME_UNION; k++)
    cr_assert_eq(ho_frame_kind_parse(ho_frame_kind_name((ho_frame_kind)k)), k);
  cr_assert_eq(ho_frame_kind_parse("pareto"), -1);
}
