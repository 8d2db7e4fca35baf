/* fuse.h: what the files of the rule `fuse` share: groups of ops, their legality, what they save, and the patterns. Not installed.
 *
 * A fused op is one kernel that does what its members did. It reads what comes from outside once, keeps inside what only members
 * read, and writes the rest. Patterns say which groups are worth a kernel that exists; whether a group may become one op is decided in
 * one place (ho_fuse_check), for patterns and for plans from files alike. */
#ifndef HO_MODELS_RULES_FUSE_H
#define HO_MODELS_RULES_FUSE_H

#include "models/rules/rules.h"

typedef struct {
  int32_t n;
  ho_op op[HO_REWRITE_MAX_OPS];
} ho_group;

/* FALSE when the group is full. */
gboolean ho_group_add(ho_group *g, ho_op o);
gboolean ho_group_has(const ho_group *g, ho_op o);
gboolean ho_group_makes(const ho_workgraph *w, const ho_group *g, ho_tensor t);

/* Legal: two to 256 living ops of one phase, connected, of kinds that can be part of a kernel, all or none with a time table and
 * then with a common device; no path leaves the group and comes back; nothing outside is a view of what only members read; the heaviest member has at least 1/64 of the parallelism of any other
 * that does a tenth of the work; the workspace is at most 1 GiB. */
gboolean ho_fuse_check(const ho_workgraph *w, const ho_group *g, GError **error);

/* The parts of the fused op that follow from its members: kind, flops, traffic, … without name and times. */
typedef struct {
  ho_op_info info;
  ho_op heaviest;
  double bytes_saved;
  int64_t memory_saved;
} ho_fused;
ho_fused ho_fuse_describe(const ho_workgraph *w, const ho_group *g);
/* Whether a member's output is kept inside: only members read it, it is no output, and nothing outside is a view of it. */
gboolean ho_fuse_keeps(const ho_workgraph *w, const ho_group *g, ho_tensor t);

gboolean ho_fuse_apply(ho_workgraph *w, const ho_candidate *c, int32_t n_into, const char *const *into, GError **error);
/* Sorts the group by edges, and reports it when it is legal. */
ho_find_answer ho_fuse_report(const ho_workgraph *w, ho_group *g, const char *pattern, ho_found found, void *data);

/* ---- patterns -------------------------------------------------------------------------------------------------------- */

/* Looks whether the pattern begins at its anchor op, and fills the group. */
typedef struct {
  const char *name;
  gboolean (*match)(const ho_workgraph *w, ho_op anchor, ho_group *g);
} ho_fuse_pattern;

extern const ho_fuse_pattern ho_fuse_attention, ho_fuse_layernorm, ho_fuse_gelu, ho_fuse_quantized, ho_fuse_conv, ho_fuse_gemm,
    ho_fuse_skip_layernorm, ho_fuse_pointwise;

/* ---- questions that patterns ask --------------------------------------------------------------------------------------- */

gboolean ho_is_kind(const ho_workgraph *w, ho_op o, const char *kind); /* o may be -1 */
gboolean ho_is_one_of(const ho_workgraph *w, ho_op o, const char *const *kinds);
gboolean ho_is_constant(const ho_workgraph *w, ho_tensor t); /* a weight of a graph that does not train */
/* The one input that is no weight; -1 when there are several or none. */
ho_tensor ho_only_data_input(const ho_workgraph *w, ho_op o);
/* The only consumer of o's only output, which nothing else may see; -1. */
ho_op ho_next(const ho_workgraph *w, ho_op o);
/* Element by element on one data input: an activation, a scale or bias by weights. */
gboolean ho_is_pointwise(const ho_workgraph *w, ho_op o);
/* The same with one data input only. */
gboolean ho_is_unary(const ho_workgraph *w, ho_op o);

#endif
