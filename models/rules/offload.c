/* offload.c: the rule `offload`: an activation goes to the host's memory and comes back when the backward pass nears. See rewrite.h and
 * again.h.
 *
 * Two ops that only a device in the host's memory can run: `offload` reads the tensor, so that it crosses to the host and is then free where
 * it was; `fetch` makes it anew from there for the backward pass, and waits for an op a step before the one that its first reader waits
 * for, so that the way back overlaps with that step. Neither computes nor counts traffic of its own: the links carry what it costs. */
#include <string.h>

#include "base/error.h"
#include "models/rules/again.h"

static const char *obstacle(const ho_workgraph *w, ho_op o, ho_tensor t) {
  const ho_tensor_info *x = &w->tensor[t].info;
  if (x->producer != o) return "is not made by the op";
  if (w->op[o].info.phase != HO_PHASE_FORWARD || ho_kind_is_host_copy(w->op[o].info.kind))
    return "is not made by an op of the forward pass";
  if (x->is_output) return "is an output of the graph";
  if (x->alias >= 0) return "is a view";
  if (w->tensor[t].n_aliases > 0) return "has views, which would be left behind";
  ho_op first = ho_first_backward_reader(w, t);
  if (first < 0) return "is not read in the backward pass";
  if (ho_backward_before(w, first, 1) < 0) return "is read where the backward pass begins";
  return NULL;
}

static void find(const ho_workgraph *w, ho_op near, ho_found found, void *data) {
  ho_candidate c = {.rule = &ho_rewrite_rule_offload, .pattern = "offload", .n_ops = 1};
  for (ho_op o = MAX(near, 0); o < (near >= 0 ? near + 1 : w->n_ops); o++) {
    if (!w->op[o].alive || !w->trains) continue;
    for (int32_t i = 0; i < w->op[o].out.n; i++) {
      c.tensor = w->op[o].out.item[i];
      if (obstacle(w, o, c.tensor)) continue;
      c.op[0] = o;
      c.memory_saved = w->tensor[c.tensor].info.bytes;
      if (found(&c, data) == HO_FIND_ENOUGH) return;
    }
  }
}

static ho_op add_copy(ho_workgraph *w, const char *name, const char *kind, ho_phase phase, ho_op beside) {
  ho_op_info info = {.name = name, .kind = kind, .phase = phase, .n_times = -1};
  info.layer = w->op[beside].info.layer;
  info.priority = w->op[beside].info.priority;
  return ho_workgraph_add_op(w, &info, beside, 0, NULL);
}

static ho_tensor add_image(ho_workgraph *w, ho_tensor t, const char *suffix) {
  ho_tensor_info info = w->tensor[t].info;
  g_autofree char *name = ho_again_tensor_name(w, info.name, suffix);
  info.name = name;
  return ho_workgraph_add_tensor(w, &info, t);
}

static gboolean apply(ho_workgraph *w, const ho_candidate *c, int32_t n_into, const char *const *into, GError **error) {
  if (c->n_ops != 1 || c->axis || c->n_shares || c->tensor < 0)
    return ho_fail(error, HO_ERROR_PLAN, "offload takes one op, the tensor that it makes, and into: no axis or shares");
  if (n_into && n_into != 2)
    return ho_fail(error, HO_ERROR_PLAN, "into: %d names, expected 2: the way out and the way back", n_into);
  ho_tensor t = c->tensor;
  const char *why = obstacle(w, c->op[0], t);
  if (why) return ho_fail(error, HO_ERROR_PLAN, "tensor: '%s' cannot be offloaded: it %s", w->tensor[t].info.name, why);
  ho_op first = ho_first_backward_reader(w, t), before = ho_backward_before(w, first, 1);
  g_autofree char *out_name = n_into ? g_strdup(into[0]) : ho_again_op_name(w, w->tensor[t].info.name, "offload");
  ho_op out = add_copy(w, out_name, "offload", HO_PHASE_FORWARD, c->op[0]);
  g_autofree char *back_name = n_into ? g_strdup(into[1]) : ho_again_op_name(w, w->tensor[t].info.name, "fetch");
  ho_op back = add_copy(w, back_name, "fetch", HO_PHASE_BACKWARD, first);
  ho_tensor token = ho_add_token(w, before, w->tensor[t].info.name, t);
  ho_tensor image = add_image(w, t, "host"), again = add_image(w, t, "back");
  gboolean ok = token >= 0 && ho_workgraph_produce(w, image, out) && ho_workgraph_produce(w, again, back) &&
                ho_workgraph_consume(w, image, back) && ho_workgraph_consume(w, token, back);
  ok = ok && ho_backward_reads_instead(w, t, again) && ho_workgraph_consume(w, t, out);
  return ok || ho_fail(error, HO_ERROR_PLAN, "tensor: '%s' would come back in a cycle", w->tensor[t].info.name);
}

const ho_rewrite_rule ho_rewrite_rule_offload = {
    .name = "offload",
    .summary = "an activation that training keeps goes to the host's memory and comes back for the backward pass",
    .source = "Rhu et al., vDNN, MICRO 2016, section III",
    .shrinks = 0,
    .find = find,
    .apply = apply,
};
