/* fold.c: the rule `fold`: what can be computed before the model runs: ops on constants only, and shapes. See rewrite.h.
 *
 * The op goes; what it made becomes a weight. Inputs that nobody else reads go with it. In a graph that trains, weights change, and nothing
 * is folded. A folded tensor may be larger than what it was made of by at most a mebibyte: expanding a constant at run time can be
 * the better deal. */
#include <string.h>

#include "base/error.h"
#include "models/rules/rules.h"

#define MOST_GROWTH (INT64_C(1) << 20)

static gboolean is_shape(const ho_work_op *x) {
  return strcmp(x->info.kind, "shape") == 0;
}

/* Why o cannot be folded; NULL when it can. */
static const char *obstacle(const ho_workgraph *w, ho_op o) {
  static const char *const never[] = {"random", "if", "loop", "scan", NULL};
  const ho_work_op *x = &w->op[o];
  if (w->trains) return "belongs to a graph that trains, where weights change";
  if (x->info.n_times >= 0) return "has a time table";
  for (int i = 0; never[i]; i++)
    if (strcmp(x->info.kind, never[i]) == 0) return "does not give the same every time, or has a body";
  if (x->out.n == 0) return "makes nothing";
  int64_t before = 0, after = 0;
  for (int32_t i = 0; i < x->in.n; i++) {
    const ho_tensor_info *t = &w->tensor[x->in.item[i]].info;
    if (t->role != HO_ROLE_WEIGHT && !is_shape(x)) return "reads what is no constant";
    before += t->role == HO_ROLE_WEIGHT ? t->bytes : 0;
  }
  for (int32_t i = 0; i < x->out.n; i++) {
    const ho_work_tensor *t = &w->tensor[x->out.item[i]];
    if (t->info.is_output || t->use.n == 0) return "makes an output of the graph";
    after += t->info.bytes;
  }
  return after > before + MOST_GROWTH ? "makes far more bytes than it reads" : NULL;
}

static ho_candidate describe(const ho_workgraph *w, ho_op o) {
  const ho_work_op *x = &w->op[o];
  ho_candidate c = {.rule = &ho_rewrite_rule_fold,
                    .pattern = is_shape(x) ? "shape" : "constant",
                    .n_ops = 1,
                    .tensor = -1,
                    .flops_added = -x->info.flops,
                    .bytes_saved = x->info.read + x->info.write};
  c.op[0] = o;
  for (int32_t i = 0; i < x->in.n; i++) {
    const ho_work_tensor *t = &w->tensor[x->in.item[i]];
    if (t->info.role == HO_ROLE_WEIGHT && t->use.n == 1) c.memory_saved += t->info.bytes;
  }
  return c;
}

static void find(const ho_workgraph *w, ho_op near, ho_found found, void *data) {
  for (ho_op o = near >= 0 ? near : 0; o < (near >= 0 ? near + 1 : w->n_ops); o++) {
    if (!w->op[o].alive || obstacle(w, o)) continue;
    ho_candidate c = describe(w, o);
    if (found(&c, data) == HO_FIND_ENOUGH) return;
  }
}

static void become_weight(ho_workgraph *w, ho_tensor t) {
  ho_tensor_info info = w->tensor[t].info;
  info.role = HO_ROLE_WEIGHT;
  info.alias = -1;
  ho_workgraph_produce(w, t, -1);
  ho_workgraph_set_tensor(w, t, &info);
}

static gboolean apply(ho_workgraph *w, const ho_candidate *c, int32_t n_into, const char *const *into, GError **error) {
  (void)into;
  ho_op o = c->op[0];
  if (c->n_ops != 1 || n_into || c->axis || c->n_shares || c->tensor >= 0)
    return ho_fail(error, HO_ERROR_PLAN, "fold takes one op, and no into, axis, shares or tensor");
  const char *why = obstacle(w, o);
  if (why) return ho_fail(error, HO_ERROR_PLAN, "ops[0]: '%s' cannot be folded: it %s", w->op[o].info.name, why);
  while (w->op[o].out.n > 0) become_weight(w, w->op[o].out.item[w->op[o].out.n - 1]);
  while (w->op[o].in.n > 0) {
    ho_tensor t = w->op[o].in.item[w->op[o].in.n - 1];
    ho_workgraph_unconsume(w, t, o);
    const ho_work_tensor *x = &w->tensor[t];
    if (x->info.role == HO_ROLE_WEIGHT && x->use.n == 0 && x->n_aliases == 0 && !x->info.is_output)
      ho_workgraph_remove_tensor(w, t);
  }
  ho_workgraph_remove_op(w, o);
  return TRUE;
}

const ho_rewrite_rule ho_rewrite_rule_fold = {
    .name = "fold",
    .summary = "what can be computed before the model runs: ops on constants only, and shapes",
    .source = "ONNX Runtime's constant folding",
    .shrinks = 1,
    .find = find,
    .apply = apply,
};
