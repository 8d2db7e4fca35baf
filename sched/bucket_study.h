/* bucket_study.h: what it costs to plan for buckets of shapes, or once for all, in place of for every shape.
 *
 * Two layers, as run times for dynamic shapes have them: a plan (placement, order, rewrites) is made on the graph at a bucket's upper edge,
 * where it is known to fit; kernels are those of the actual shape when it is replayed, that is, the plan is replayed on the graph at the
 * actual size. Padded: kernels, too, are those of the edge, as where every input is filled up to it. Of the plans that a scheduler leaves the
 * one with the least objective under replay is taken (ties: the least by the other figures, in the archive's order). */
#ifndef HO_SCHED_BUCKET_STUDY_H
#define HO_SCHED_BUCKET_STUDY_H

#include <glib.h>

#include "models/sizes.h"
#include "models/symbolic.h"
#include "sched/search.h"

G_BEGIN_DECLS

typedef enum {
  HO_SHAPES_EXACT,         /* a plan for every size */
  HO_SHAPES_BUCKET,        /* a plan per bucket, kernels of the actual size */
  HO_SHAPES_BUCKET_PADDED, /* a plan per bucket, everything at its edge */
  HO_SHAPES_STATIC,        /* the plan for the largest edge, kernels of the actual size */
  HO_SHAPES_STATIC_PADDED, /* that plan, everything at that edge */
  HO_N_SHAPES_WAYS
} ho_shapes_way;

const char *ho_shapes_way_name(ho_shapes_way way); /* "exact" */

typedef struct {
  ho_symbolic *source;
  const ho_bindings *fixed; /* values of other symbols; NULL: none */
  const char *dim;          /* the symbol that varies */
  const ho_sizes *sizes;
  int32_t n_edges;
  const int64_t *edges; /* increasing; the last one not below any size */
  const ho_platform *platform;
  const char *rewrites; /* models/rewrite_spec.h, applied at every edge and size that is planned for; NULL: none */
  const ho_scheduler *scheduler;
  const ho_options *options;
  uint64_t seed;
  int64_t evaluations; /* of each search */
  ho_objective objective;
  ho_memory_measure measure;
} ho_bucket_setup;

typedef struct {
  int32_t n;           /* sizes */
  int32_t *bucket;     /* n */
  ho_figures *figures; /* n × HO_N_SHAPES_WAYS, replayed without noise */
  int32_t plans;       /* searches that were made */
  int32_t graphs;      /* that the source was evaluated for */
  double seconds;      /* of that, by the clock; in no other figure */
} ho_bucket_study;

/* NULL on error: the graphs at two sizes differ in their ops, a plan does not fit, nothing runs. */
ho_bucket_study *ho_bucket_study_run(const ho_bucket_setup *setup, GError **error);
void ho_bucket_study_free(ho_bucket_study *s); /* NULL is allowed */

/* The weighted mean of an objective over all sizes (bucket -1) or those of one bucket. */
double ho_bucket_study_mean(const ho_bucket_study *s, const ho_bucket_setup *setup, ho_shapes_way way, ho_objective o,
                            int32_t bucket);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ho_bucket_study, ho_bucket_study_free)

G_END_DECLS

#endif
