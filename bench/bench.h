/* bench.h: how fast the engine and the estimate are on this machine. Numbers are of one thread. */
#ifndef HO_BENCH_BENCH_H
#define HO_BENCH_BENCH_H

#include <glib.h>

#include "sim/problem.h"

G_BEGIN_DECLS

typedef struct {
  int64_t things; /* per repetition: activities (kernels and transfers), or 1 estimate */
  int64_t repeats;
  double seconds; /* of all repetitions */
  double rate;    /* things per second */
} ho_bench_result;

/* Replays of a plan that places every op at random (seeded), repeated for at least `least` seconds. */
gboolean ho_bench_replay(const ho_problem *q, double least, ho_bench_result *out, GError **error);

/* Estimates of 64 plans in turn, such as a search looks at: HEFT's with every tenth op, on average, on a random device. */
gboolean ho_bench_estimate(const ho_problem *q, double least, ho_bench_result *out, GError **error);
/* The same with plans that place every op at random: most tensors cross between memories. */
gboolean ho_bench_estimate_random(const ho_problem *q, double least, ho_bench_result *out, GError **error);

G_END_DECLS

#endif
