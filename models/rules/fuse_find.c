/* fuse_find.c: where the rule `fuse` applies: its patterns, in the order in which they are preferred; see fuse.h. */
#include "models/rules/fuse.h"

#define MOST_NEAR 128 /* ops around one that are tried as anchors */

static const ho_fuse_pattern *const patterns[] = {&ho_fuse_attention,      &ho_fuse_layernorm, &ho_fuse_gelu,
                                                  &ho_fuse_quantized,      &ho_fuse_conv,      &ho_fuse_gemm,
                                                  &ho_fuse_skip_layernorm, &ho_fuse_pointwise};

/* Ops within a few steps of `near`, in both directions, at most MOST_NEAR. */
static void neighbourhood(const ho_workgraph *w, ho_op near, ho_group *g) {
  ho_group_add(g, near);
  for (int32_t i = 0; i < g->n && g->n < MOST_NEAR; i++) {
    const ho_work_op *x = &w->op[g->op[i]];
    for (int32_t k = 0; k < x->in.n && g->n < MOST_NEAR; k++) {
      ho_op p = w->tensor[x->in.item[k]].info.producer;
      if (p >= 0) ho_group_add(g, p);
    }
    for (int32_t k = 0; k < x->out.n; k++) {
      const ho_row *use = &w->tensor[x->out.item[k]].use;
      for (int32_t j = 0; j < use->n && g->n < MOST_NEAR; j++) ho_group_add(g, use->item[j]);
    }
  }
}

static ho_find_answer try_anchor(const ho_workgraph *w, const ho_fuse_pattern *p, ho_op anchor, ho_op near, ho_found found,
                                 void *data) {
  ho_group g = {.n = 0};
  if (!w->op[anchor].alive || !p->match(w, anchor, &g)) return HO_FIND_ON;
  if (near >= 0 && !ho_group_has(&g, near)) return HO_FIND_ON;
  return ho_fuse_report(w, &g, p->name, found, data);
}

static void find(const ho_workgraph *w, ho_op near, ho_found found, void *data) {
  ho_group around = {.n = 0};
  if (near >= 0) neighbourhood(w, near, &around);
  for (size_t k = 0; k < G_N_ELEMENTS(patterns); k++) {
    int32_t n = near >= 0 ? around.n : w->n_ops;
    for (int32_t i = 0; i < n; i++)
      if (try_anchor(w, patterns[k], near >= 0 ? around.op[i] : i, near, found, data) == HO_FIND_ENOUGH) return;
  }
}

const ho_rewrite_rule ho_rewrite_rule_fuse = {
    .name = "fuse",
    .summary =
        "one kernel out of several ops: convolution or product with its epilogue, layer normalisation, GELU, attention, "
        "quantised ops, pointwise chains",
    .source = "patterns of ONNX Runtime's graph optimisers (basic, extended, layout); Dao et al., NeurIPS 2022, for attention",
    .shrinks = 1,
    .find = find,
    .apply = ho_fuse_apply,
};
