/* split_find.c: where `split` applies: every op along each of its axes, and runs by batch and by heads. See split.h.
 *
 * All are reported in two halves; a search varies the shares. Near an op are those that begin there. Runs by batch take every op behind it all of whose inputs
 * that are cut come from the run, as far as that goes, and, as a second candidate, as far as the op's own layer goes. Runs by heads begin
 * at the first product of attention and end with the last. */
#include <string.h>

#include "models/rules/split.h"

typedef struct {
  const ho_workgraph *w;
  ho_op near;
  ho_found found;
  void *data;
  ho_candidate c;
} search;

/* FALSE: enough. */
static gboolean report(search *x, const char *axis) {
  ho_split s;
  gboolean more = TRUE;
  if (ho_split_init(&s, x->w, x->c.n_ops, x->c.op, axis, 0, NULL, NULL)) {
    x->c.pattern = s.axis->name;
    x->c.axis = s.axis->name;
    x->c.bytes_saved = -ho_split_bytes_added(&s);
    x->c.flops_added = ho_split_flops_added(&s);
    more = x->found(&x->c, x->data) != HO_FIND_ENOUGH;
  }
  ho_split_clear(&s);
  return more;
}

/* ---- runs ------------------------------------------------------------------------------------------------------------ */

static gboolean has(const ho_candidate *c, ho_op o) {
  for (int32_t i = 0; i < c->n_ops; i++)
    if (c->op[i] == o) return TRUE;
  return FALSE;
}

static gboolean splits_alone(const ho_workgraph *w, ho_op o, const ho_split_axis *axis) {
  if (ho_split_obstacle(w, o, axis)) return FALSE;
  for (int32_t i = 0; i < w->op[o].in.n; i++)
    if (axis->in(w, o, w->op[o].in.item[i]) == HO_CUT_NEVER) return FALSE;
  for (int32_t i = 0; i < w->op[o].out.n; i++)
    if (axis->out(w, o, w->op[o].out.item[i]) == HO_CUT_NEVER) return FALSE;
  return TRUE;
}

/* Whether all that o has cut is made by the run, so that taking it in needs no further slice. */
static gboolean fed_by(const ho_workgraph *w, const ho_candidate *c, ho_op o, const ho_split_axis *axis) {
  gboolean fed = FALSE;
  for (int32_t i = 0; i < w->op[o].in.n; i++) {
    ho_tensor t = w->op[o].in.item[i];
    gboolean inside = w->tensor[t].info.producer >= 0 && has(c, w->tensor[t].info.producer);
    if (axis->in(w, o, t) < 0 ? inside : !inside) return FALSE;
    fed |= inside;
  }
  return fed;
}

static gboolean same_layer(const ho_workgraph *w, ho_op a, ho_op b) {
  return g_strcmp0(w->op[a].info.layer, w->op[b].info.layer) == 0;
}

/* Grows the run behind c->op[0]. */
static void grow(const ho_workgraph *w, ho_candidate *c, const ho_split_axis *axis, gboolean in_layer) {
  for (int32_t i = 0; i < c->n_ops; i++) {
    const ho_row *out = &w->op[c->op[i]].out;
    for (int32_t k = 0; k < out->n; k++) {
      const ho_row *use = &w->tensor[out->item[k]].use;
      for (int32_t j = 0; j < use->n && c->n_ops < HO_REWRITE_MAX_OPS; j++) {
        ho_op o = use->item[j];
        if (has(c, o) || w->op[o].info.phase != w->op[c->op[0]].info.phase || (in_layer && !same_layer(w, o, c->op[0]))) continue;
        if (splits_alone(w, o, axis) && fed_by(w, c, o, axis)) c->op[c->n_ops++] = o;
      }
    }
  }
}

/* Whether no op in front could have taken o into its run. */
static gboolean begins(const ho_workgraph *w, ho_op o, const ho_split_axis *axis, gboolean in_layer) {
  for (int32_t i = 0; i < w->op[o].in.n; i++) {
    ho_op p = w->tensor[w->op[o].in.item[i]].info.producer;
    if (p >= 0 && w->op[p].info.phase == w->op[o].info.phase && (!in_layer || same_layer(w, p, o)) && splits_alone(w, p, axis))
      return FALSE;
  }
  return TRUE;
}

static gboolean report_runs(search *x, ho_op o) {
  const ho_split_axis *batch = ho_split_axis_find("batch");
  int32_t before = 0;
  if (!splits_alone(x->w, o, batch)) return TRUE;
  for (int32_t in_layer = 1; in_layer >= 0; in_layer--) {
    if (x->near < 0 && !begins(x->w, o, batch, in_layer)) continue;
    x->c.n_ops = 1;
    x->c.op[0] = o;
    grow(x->w, &x->c, batch, in_layer);
    if (x->c.n_ops > 1 && x->c.n_ops != before && !report(x, "batch")) return FALSE;
    before = x->c.n_ops;
  }
  return TRUE;
}

/* From a product of queries and keys on, as far as heads stay apart. */
static gboolean report_heads(search *x, ho_op o) {
  const char *kind = x->w->op[o].info.kind;
  if (strcmp(kind, "matmul") != 0 && strcmp(kind, "attention") != 0) return TRUE;
  x->c.n_ops = 1;
  x->c.op[0] = o;
  for (gboolean more = strcmp(kind, "matmul") == 0; more;) {
    ho_op last = x->c.op[x->c.n_ops - 1];
    const ho_row *out = &x->w->op[last].out;
    ho_op next = out->n == 1 ? ho_workgraph_only_consumer(x->w, out->item[0]) : -1;
    more = next >= 0 && x->c.n_ops < 16 && splits_alone(x->w, next, ho_split_axis_find("heads"));
    if (!more) break;
    x->c.op[x->c.n_ops++] = next;
    more = strcmp(x->w->op[next].info.kind, "matmul") != 0;
  }
  return report(x, "heads");
}

static gboolean report_at(search *x, ho_op o) {
  for (int i = 0; ho_split_axes[i]; i++) {
    x->c.n_ops = 1;
    x->c.op[0] = o;
    if (strcmp(ho_split_axes[i]->name, "heads") != 0 && !report(x, ho_split_axes[i]->name)) return FALSE;
  }
  return report_heads(x, o) && report_runs(x, o);
}

void ho_split_find(const ho_workgraph *w, ho_op near, ho_found found, void *data) {
  search x = {.w = w, .found = found, .data = data, .near = near, .c = {.rule = &ho_rewrite_rule_split, .tensor = -1}};
  for (ho_op o = MAX(near, 0); o < (near >= 0 ? near + 1 : w->n_ops); o++)
    if (w->op[o].alive && !report_at(&x, o)) return;
}
