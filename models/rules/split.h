/* split.h: what the files of the rule `split` share: axes, and what is cut along one. Not installed.
 *
 * A split divides a run of ops (often one) into parts along an axis. For every tensor that the run touches the axis says along which
 * dimension it is cut, judging by kinds and shapes alone: a graph knows no attributes, and where shapes leave a doubt the answer is no.
 *
 *   axis       of            cuts                                                     what comes out
 *   rows       gemm, matmul  the rows of the left operand                             is joined
 *   columns    gemm, matmul  the columns of the right operand, and the bias           is joined
 *   reduction  gemm, matmul  what is summed over; one part takes the bias             is added up
 *              …_wgrad       the first dimension, samples, of both operands           is added up
 *   channels   conv          output channels; input channels too where there are groups   is joined
 *   batch      any run       the first dimension of what is no weight                 is joined
 *   heads      attention     dimension 1 of tensors [batch, heads, …]                 is joined */
#ifndef HO_MODELS_RULES_SPLIT_H
#define HO_MODELS_RULES_SPLIT_H

#include "models/rules/rules.h"

enum {
  HO_CUT_WHOLE = -1, /* every part reads all of it */
  HO_CUT_FIRST = -2, /* the first part alone reads it */
  HO_CUT_SUM = -3,   /* an output: every part makes a summand of all of it */
  HO_CUT_NEVER = -4  /* there is no such split */
};

typedef struct {
  const char *name;
  /* Why an op cannot be split so; NULL when its kind allows it. */
  const char *(*obstacle)(const ho_workgraph *w, ho_op o);
  /* The dimension along which t, an input (output) of o, is cut; or one of the above. */
  int32_t (*in)(const ho_workgraph *w, ho_op o, ho_tensor t);
  int32_t (*out)(const ho_workgraph *w, ho_op o, ho_tensor t);
  /* How many pieces the op falls into at most when more than shapes decide it; 0: shapes do. NULL: shapes always do. */
  int64_t (*units)(const ho_workgraph *w, ho_op o);
  int one_op; /* runs of one op only */
} ho_split_axis;

extern const ho_split_axis *const ho_split_axes[]; /* ends with NULL */
const ho_split_axis *ho_split_axis_find(const char *name);

/* Why an op does not split so: its kind, or what the graph says of it (ho_op_info.unsplit); NULL: shapes decide. */
const char *ho_split_obstacle(const ho_workgraph *w, ho_op o, const ho_split_axis *axis);

/* A tensor that the run touches. */
typedef struct {
  ho_tensor tensor;
  int32_t dim;
  gboolean made, read; /* by an op of the run */
  gboolean leaves;     /* it is made here, and read elsewhere or an output */
} ho_cut_tensor;

/* A split, worked out. Part i is [end[i-1], end[i]) of `units` pieces. */
typedef struct {
  const ho_workgraph *w;
  const ho_split_axis *axis;
  int32_t n_ops;
  const ho_op *op; /* not owned */
  GArray *tensors; /* ho_cut_tensor */
  int64_t units;
  int32_t parts;
  int64_t end[HO_REWRITE_MAX_SHARES + 1];
} ho_split;

/* FALSE and why not when the ops cannot be split so. `share`: n_shares numbers that add up to one; n_shares 0: two halves. */
gboolean ho_split_init(ho_split *s, const ho_workgraph *w, int32_t n_ops, const ho_op *ops, const char *axis, int32_t n_shares,
                       const double *share, GError **error);
void ho_split_clear(ho_split *s);

const ho_cut_tensor *ho_split_tensor(const ho_split *s, ho_tensor t);
/* What of `whole`, spread evenly, falls to part i; whole numbers stay whole, and the parts add up. */
double ho_split_part(const ho_split *s, int32_t i, double whole);
int64_t ho_split_part_bytes(const ho_split *s, int32_t i, ho_tensor t);
/* Whether the pieces of t are made by slices: it comes from outside, and is no weight that can be cut beforehand. */
gboolean ho_split_slices(const ho_split *s, const ho_cut_tensor *t);
/* B that part i of op o reads, writes. */
double ho_split_read(const ho_split *s, int32_t i, ho_op o);
double ho_split_write(const ho_split *s, int32_t i, ho_op o);
/* B that the graph moves more than before, and FLOPs that adding up takes. */
double ho_split_bytes_added(const ho_split *s);
double ho_split_flops_added(const ho_split *s);
void ho_split_find(const ho_workgraph *w, ho_op near, ho_found found, void *data);
/* The number of elements of t; 0 when its shape is not known. */
double ho_split_elements(const ho_workgraph *w, ho_tensor t);

#endif
