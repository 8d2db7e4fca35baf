/* fuse_cost.c: what a fused op costs: kind, FLOPs and traffic out of its members; see fuse.h. */
#include <math.h>

#include "models/rules/fuse.h"

static const ho_tensor_info *info_of(const ho_workgraph *w, ho_tensor t) {
  return &w->tensor[t].info;
}

static double macs_twice(const ho_op_info *x) {
  return ho_family_has_macs(x->family) ? x->flops - x->other_flops : 0;
}

/* The member that the kernel is built around: the one with most multiply-accumulates, or, without any, with most FLOPs. */
static ho_op heaviest(const ho_workgraph *w, const ho_group *g) {
  ho_op best = g->op[0];
  for (int32_t i = 1; i < g->n; i++) {
    const ho_op_info *x = &w->op[g->op[i]].info, *b = &w->op[best].info;
    double m = macs_twice(x), n = macs_twice(b);
    if (m > n || (m == n && m == 0 && x->flops > b->flops)) best = g->op[i];
  }
  return best;
}

static int32_t count_kind(const ho_workgraph *w, const ho_group *g, const char *kind) {
  int32_t n = 0;
  for (int32_t i = 0; i < g->n; i++) n += ho_is_kind(w, g->op[i], kind);
  return n;
}

static int32_t count_macs(const ho_workgraph *w, const ho_group *g) {
  int32_t n = 0;
  for (int32_t i = 0; i < g->n; i++) n += ho_family_has_macs(w->op[g->op[i]].info.family);
  return n;
}

/* Pieces that together are something with a name of its own; else what the heaviest member is. */
static const char *kind_of(const ho_workgraph *w, const ho_group *g, ho_op heavy) {
  int32_t macs = count_macs(w, g);
  if (macs >= 2 && count_kind(w, g, "softmax") > 0) return "attention";
  if (macs > 0) return w->op[heavy].info.kind;
  if (count_kind(w, g, "layernorm") > 0 || (count_kind(w, g, "reduce_mean") >= 2 && count_kind(w, g, "sqrt") > 0))
    return "layernorm";
  if (count_kind(w, g, "erf") == 1 && count_kind(w, g, "mul") >= 1 && count_kind(w, g, "add") >= 1) return "gelu";
  return w->op[heavy].info.kind;
}

/* Where the bytes of t lie as long as it is inside: at the end of its chain of views, or where the chain leaves the group. */
static ho_tensor storage(const ho_workgraph *w, const ho_group *g, ho_tensor t) {
  while (ho_group_makes(w, g, t) && info_of(w, t)->alias >= 0) t = info_of(w, t)->alias;
  return t;
}

/* Whether bytes that are made inside leave the group: some output that is not kept is, or is a view of, `t`. */
static gboolean leaves(const ho_workgraph *w, const ho_group *g, ho_tensor t) {
  for (int32_t i = 0; i < g->n; i++) {
    const ho_row *out = &w->op[g->op[i]].out;
    for (int32_t k = 0; k < out->n; k++)
      if (!ho_fuse_keeps(w, g, out->item[k]) && storage(w, g, out->item[k]) == t) return TRUE;
  }
  return FALSE;
}

typedef struct {
  ho_tensor tensor;
  double most, all;
} outside_read;

/* B that members read of what others of them made, or read more than once of what comes from outside. */
static double reads_saved(const ho_workgraph *w, const ho_group *g) {
  g_autoptr(GArray) outside = g_array_new(FALSE, FALSE, sizeof(outside_read));
  double saved = 0;
  for (int32_t i = 0; i < g->n; i++) {
    const ho_row *in = &w->op[g->op[i]].in;
    for (int32_t k = 0; k < in->n; k++) {
      ho_tensor from = storage(w, g, in->item[k]);
      double bytes = ho_workgraph_read(w, g->op[i], in->item[k]);
      if (ho_group_makes(w, g, from)) {
        saved += bytes;
        continue;
      }
      guint j = 0;
      while (j < outside->len && g_array_index(outside, outside_read, j).tensor != from) j++;
      if (j == outside->len) {
        outside_read fresh = {from, bytes, bytes};
        g_array_append_val(outside, fresh);
      } else {
        outside_read *r = &g_array_index(outside, outside_read, j);
        r->most = MAX(r->most, bytes);
        r->all += bytes;
      }
    }
  }
  for (guint j = 0; j < outside->len; j++) {
    const outside_read *r = &g_array_index(outside, outside_read, j);
    saved += r->all - r->most;
  }
  return saved;
}

static double writes_saved(const ho_workgraph *w, const ho_group *g, int64_t *memory) {
  double saved = 0;
  for (int32_t i = 0; i < g->n; i++) {
    const ho_row *out = &w->op[g->op[i]].out;
    for (int32_t k = 0; k < out->n; k++) {
      ho_tensor t = out->item[k], s = storage(w, g, t);
      if (!ho_group_makes(w, g, s) || leaves(w, g, s)) continue;
      saved += ho_workgraph_write(w, g->op[i], t);
      if (s == t) *memory += info_of(w, t)->bytes;
    }
  }
  return saved;
}

ho_fused ho_fuse_describe(const ho_workgraph *w, const ho_group *g) {
  ho_fused f = {.heaviest = heaviest(w, g)};
  ho_op_info *x = &f.info;
  *x = w->op[f.heaviest].info;
  x->kind = kind_of(w, g, f.heaviest);
  x->family = ho_family_of_kind(x->kind);
  x->flops = x->other_flops = x->read = x->write = x->sensitivity = x->release = 0;
  x->workspace = 0;
  x->unsplit = 0;
  x->priority = -INFINITY;
  int macs = ho_family_has_macs(x->family);
  for (int32_t i = 0; i < g->n; i++) {
    const ho_op_info *m = &w->op[g->op[i]].info;
    x->flops += m->flops;
    if (macs) x->other_flops += m->flops - macs_twice(m);
    x->read += m->read;
    x->write += m->write;
    x->sensitivity += m->sensitivity;
    x->unsplit |= m->unsplit;
    x->release = MAX(x->release, m->release);
    x->priority = MAX(x->priority, m->priority);
    x->workspace = MAX(x->workspace, m->workspace);
  }
  double reads = reads_saved(w, g), writes = writes_saved(w, g, &f.memory_saved);
  f.bytes_saved = reads + writes;
  x->read = MAX(0, x->read - reads);
  x->write = MAX(0, x->write - writes);
  return f;
}
