/* remove.c: the rule `remove`: ops that do nothing: identity, dropout at inference, casts to the same type. See rewrite.h.
 *
 * The readers of the op's output read its input. Where the output is the graph's own, its name must stay: then the producer of the
 * input makes it in the input's place, which must be nobody else's. */
#include <string.h>

#include "base/error.h"
#include "models/rules/rules.h"

/* The tensor that passes through o unchanged, and what it is called behind; FALSE when o does something. */
static gboolean passes(const ho_workgraph *w, ho_op o, ho_tensor *in, ho_tensor *out) {
  const ho_work_op *x = &w->op[o];
  gboolean identity = strcmp(x->info.kind, "identity") == 0, cast = strcmp(x->info.kind, "cast") == 0;
  gboolean dropout = strcmp(x->info.kind, "dropout") == 0 && !w->trains;
  if ((!identity && !cast && !dropout) || x->in.n < 1 || x->out.n < 1) return FALSE;
  *in = *out = -1;
  for (int32_t i = 0; i < x->in.n; i++) { /* others are a ratio, a seed, a switch */
    if (w->tensor[x->in.item[i]].info.role == HO_ROLE_WEIGHT && x->in.n > 1) continue;
    if (*in >= 0) return FALSE;
    *in = x->in.item[i];
  }
  for (int32_t i = 0; i < x->out.n; i++) { /* a mask that nobody reads does not count */
    const ho_work_tensor *t = &w->tensor[x->out.item[i]];
    if (*in >= 0 && t->info.dtype == w->tensor[*in].info.dtype && t->info.bytes == w->tensor[*in].info.bytes && *out < 0)
      *out = x->out.item[i];
    else
      return FALSE;
  }
  return *in >= 0 && *out >= 0 && x->info.n_times < 0;
}

/* The input can take the output's name only where its producer makes it for this op alone. */
static gboolean can_go(const ho_workgraph *w, ho_op o, ho_tensor in, ho_tensor out) {
  if (!w->tensor[out].info.is_output) return TRUE;
  const ho_work_tensor *x = &w->tensor[in];
  return x->info.producer >= 0 && x->use.n == 1 && x->use.item[0] == o && !x->info.is_output &&
         x->n_aliases == (w->tensor[out].info.alias == in);
}

/* Views of `from` become views of `to`. */
static void move_aliases(ho_workgraph *w, ho_tensor from, ho_tensor to) {
  for (int32_t i = 0; w->tensor[from].n_aliases > 0 && i < w->n_tensors; i++) {
    if (!w->tensor[i].alive || w->tensor[i].info.alias != from) continue;
    ho_tensor_info info = w->tensor[i].info;
    info.alias = to;
    ho_workgraph_set_tensor(w, i, &info);
  }
}

static gboolean read_input_instead(ho_workgraph *w, ho_tensor in, ho_tensor out) {
  gboolean ok = TRUE;
  while (w->tensor[out].use.n > 0) {
    ho_op c = w->tensor[out].use.item[w->tensor[out].use.n - 1];
    ho_workgraph_unconsume(w, out, c);
    ok &= ho_workgraph_consume(w, in, c);
  }
  move_aliases(w, out, in);
  ho_workgraph_remove_tensor(w, out);
  return ok;
}

static gboolean make_output_instead(ho_workgraph *w, ho_tensor in, ho_tensor out) {
  ho_op producer = w->tensor[in].info.producer;
  ho_tensor_info info = w->tensor[out].info;
  info.alias = w->tensor[in].info.alias;
  ho_workgraph_set_tensor(w, out, &info);
  ho_workgraph_remove_tensor(w, in);
  return ho_workgraph_produce(w, out, producer);
}

static void find(const ho_workgraph *w, ho_op near, ho_found found, void *data) {
  for (ho_op o = near >= 0 ? near : 0; o < (near >= 0 ? near + 1 : w->n_ops); o++) {
    ho_tensor in, out;
    if (!w->op[o].alive || !passes(w, o, &in, &out) || !can_go(w, o, in, out)) continue;
    ho_candidate c = {.rule = &ho_rewrite_rule_remove, .pattern = w->op[o].info.kind, .n_ops = 1, .tensor = -1};
    c.op[0] = o;
    c.flops_added = -w->op[o].info.flops;
    c.bytes_saved = w->op[o].info.read + w->op[o].info.write;
    c.memory_saved = w->tensor[out].info.alias < 0 ? w->tensor[out].info.bytes : 0;
    if (found(&c, data) == HO_FIND_ENOUGH) return;
  }
}

static gboolean apply(ho_workgraph *w, const ho_candidate *c, int32_t n_into, const char *const *into, GError **error) {
  (void)into;
  ho_op o = c->op[0];
  ho_tensor in, out;
  if (c->n_ops != 1 || n_into || c->axis || c->n_shares || c->tensor >= 0)
    return ho_fail(error, HO_ERROR_PLAN, "remove takes one op, and no into, axis, shares or tensor");
  const char *name = w->op[o].info.name;
  if (!passes(w, o, &in, &out))
    return ho_fail(error, HO_ERROR_PLAN,
                   "ops[0]: '%s' (%s) does something: expected an identity, a dropout at inference or a cast "
                   "to the same type",
                   name, w->op[o].info.kind);
  if (!can_go(w, o, in, out))
    return ho_fail(error, HO_ERROR_PLAN, "ops[0]: '%s' makes the output '%s' of something that is read elsewhere too", name,
                   w->tensor[out].info.name);
  gboolean outputs = w->tensor[out].info.is_output;
  ho_workgraph_remove_op(w, o);
  if (outputs ? make_output_instead(w, in, out) : read_input_instead(w, in, out)) return TRUE;
  return ho_fail(error, HO_ERROR_PLAN, "ops[0]: without '%s' the graph has a cycle", name);
}

const ho_rewrite_rule ho_rewrite_rule_remove = {
    .name = "remove",
    .summary = "ops that do nothing: identity, dropout at inference, casts to the same type",
    .source = "ONNX Runtime's and TensorRT's elimination passes",
    .shrinks = 1,
    .find = find,
    .apply = apply,
};
