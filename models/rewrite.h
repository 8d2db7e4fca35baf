/* rewrite.h: rewrite rules: where each applies, what that saves, and applying it.
 *
 * A rewrite, as a plan lists it, is a ho_rewrite: the rule's name and the names of the ops as they stand before it. A candidate is
 * the same by index, with what it would save: what rules find and what a search tries by the thousand. Both are applied to
 * a work graph (rewrite_graph.h), and undone by going back to a mark.
 *
 * Writing a rule: one const struct in models/rules/, listed in models/rules.c.
 * - `find` reports every place near an op (or everywhere) through a call-back. It must only report what `apply` accepts.
 * - `apply` checks the candidate itself, since plans come from files: whatever a user may write must end in an error that says
 *   what is wrong, never in an illegal graph. It may leave the graph half changed when it fails: the caller goes back to its mark.
 * - New ops state their origins, and stand in the place of an op that they replace, so that the order of the others stays.
 * - Graph inputs and outputs keep name and shape. Weights may be replaced.
 * docs/rewrites.md states the laws that tests/models/test_rewrite_laws.c checks for every rule on every model. */
#ifndef HO_MODELS_REWRITE_H
#define HO_MODELS_REWRITE_H

#include <glib.h>

#include "models/rewrite_graph.h"

G_BEGIN_DECLS

#define HO_REWRITE_MAX_OPS 256 /* in one candidate; TVM's default for a group */
#define HO_REWRITE_MAX_SHARES 64

typedef struct {
  char *rule;
  int32_t n_ops, n_shares, n_into;
  char **ops;     /* names before the rewrite */
  char *axis;     /* NULL: the rule has none */
  double *shares; /* n_shares; 0: equal */
  char *tensor;   /* NULL: the rule has none */
  char **into;    /* fresh names of what it makes, as many as the rule makes; n_into 0: the rule's own choice */
} ho_rewrite;

void ho_rewrite_free(ho_rewrite *r); /* NULL is allowed */
ho_rewrite *ho_rewrite_copy(const ho_rewrite *r);
gboolean ho_rewrite_equal(const ho_rewrite *a, const ho_rewrite *b);

struct ho_rewrite_rule;

/* A place where a rule applies. In `find`'s call-back it is valid during the call. */
typedef struct {
  const struct ho_rewrite_rule *rule;
  const char *pattern; /* which of the rule's patterns: static text */
  int32_t n_ops;
  ho_op op[HO_REWRITE_MAX_OPS];
  const char *axis; /* static text; NULL */
  int32_t n_shares;
  double share[HO_REWRITE_MAX_SHARES];
  ho_tensor tensor;   /* -1 */
  double bytes_saved; /* B of traffic over all ops; negative: added */
  double flops_added;
  int64_t memory_saved;    /* B of tensors that need not be kept any more, or not so long */
  int64_t workspace_added; /* B */
} ho_candidate;

typedef enum { HO_FIND_ON, HO_FIND_ENOUGH } ho_find_answer;
typedef ho_find_answer (*ho_found)(const ho_candidate *c, void *data);

typedef struct ho_rewrite_rule {
  const char *name; /* "fuse" */
  const char *summary;
  const char *source; /* paper or program it follows */
  int shrinks; /* every application leaves fewer ops: ho_rewrite_everywhere repeats it until none is left, others it applies once */
  /* Calls `found` for every candidate that touches op `near`, or (-1) for every one at all, in a fixed order, until told that it
   * is enough. Candidates may overlap. */
  void (*find)(const ho_workgraph *w, ho_op near, ho_found found, void *data);
  /* Applies c. `into`: the names of new ops, or NULL for the rule's own (`n_into` must then be 0). On failure: FALSE, an error that begins
   * with what is wrong (the caller puts "rewrites[i]" before it), and a graph that is only good for undo. */
  gboolean (*apply)(ho_workgraph *w, const ho_candidate *c, int32_t n_into, const char *const *into, GError **error);
} ho_rewrite_rule;

extern const ho_rewrite_rule *const ho_rewrite_rules[];        /* ends with NULL */
const ho_rewrite_rule *ho_rewrite_rule_find(const char *name); /* NULL */

/* Applies a rewrite or a candidate. On failure the graph is as it was. */
gboolean ho_rewrite_apply(ho_workgraph *w, const ho_rewrite *r, GError **error);
gboolean ho_candidate_apply(ho_workgraph *w, const ho_candidate *c, GError **error);

/* Applies c and gives the rewrite as a plan lists it, with the names of what it made; NULL on failure. */
ho_rewrite *ho_candidate_apply_named(ho_workgraph *w, const ho_candidate *c, GError **error);

/* Applies rules ("remove,fold,fuse") everywhere, one after the other, each in rounds: candidates that share no op are taken in the order in
 * which `find` reports them, then applied. Appends ho_rewrite* to `list` (NULL: not wanted). Returns how many; -1: a name is not
 * known. */
int32_t ho_rewrite_everywhere(ho_workgraph *w, const char *names, GPtrArray *list, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ho_rewrite, ho_rewrite_free)

G_END_DECLS

#endif
