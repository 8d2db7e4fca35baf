/* rewriting.c: see rewriting.h. */
#include "sched/search/rewriting.h"

#include <string.h>

#include "models/rewrite_json.h"

#define LEAST_SHARE 0.05
#define GROWTH 2 /* a graph that has more than that many times the ops of the user's own, and 64, is not looked at */

/* Parts of ops that were whole on `before`, all but the first, go to a drawn device that can run them. */
static void scatter_parts(ho_solution *a, const ho_stage *before, ho_stream *s) {
  size_t m = (size_t)ho_stage_base(before->root)->n_ops + 1;
  g_autofree uint8_t *whole = g_new0(uint8_t, m);
  ho_origin self;
  int32_t n;
  for (ho_op o = 0; o < ho_stage_ops(before); o++) {
    const ho_origin *from = ho_stage_origins(before, o, &self, &n);
    for (int32_t i = 0; i < n; i++)
      if (from[i].from == 0 && from[i].to == 1) whole[from[i].op] = 1;
  }
  int16_t d = (int16_t)ho_stream_below(s, (uint64_t)a->stage->space->n_devices);
  for (ho_op o = 0; o < a->n; o++) {
    const ho_origin *from = ho_stage_origins(a->stage, o, &self, &n);
    if (n > 0 && from[0].from > 0 && whole[from[0].op] && ho_space_allowed(a->stage->space, o, d) == d) a->device[o] = d;
  }
}

static ho_solution *on_new_stage(const ho_solution *a, ho_stage *x, gboolean scatter, ho_stream *s) {
  if (!x) return NULL;
  ho_solution *c = NULL;
  if (ho_stage_ops(x) <= GROWTH * ho_stage_base(x->root)->n_ops + 64) {
    c = ho_solution_carry(a, x);
    if (scatter) scatter_parts(c, a->stage, s);
  }
  ho_stage_unref(x);
  return c;
}

/* --- one more ---------------------------------------------------------------------------------------------------------------------- */
typedef struct {
  ho_candidate *kept;
  int32_t seen;
  ho_stream *s;
} drawing;

/* Keeps each of those seen with the same probability. */
static ho_find_answer draw_one(const ho_candidate *c, void *data) {
  drawing *x = data;
  if (ho_stream_below(x->s, (uint64_t)++x->seen) == 0) *x->kept = *c;
  return x->seen < 64 ? HO_FIND_ON : HO_FIND_ENOUGH;
}

static const ho_rewrite_rule *draw_rule(const ho_workgraph *w, ho_stream *s) {
  const char *const rules[] = {"fuse", "split", "recompute", "offload"};
  return ho_rewrite_rule_find(rules[ho_stream_below(s, w->trains ? 4 : 2)]);
}

static ho_op draw_living(const ho_workgraph *w, ho_stream *s) {
  for (;;) {
    ho_op o = (ho_op)ho_stream_below(s, (uint64_t)w->n_ops);
    if (w->op[o].alive) return o;
  }
}

ho_solution *ho_rewriting_add(const ho_solution *a, ho_stream *s) {
  const ho_stage *x = a->stage;
  g_autoptr(ho_workgraph) w = ho_stage_workgraph(x);
  const ho_rewrite_rule *rule = draw_rule(w, s);
  g_autofree ho_candidate *c = g_new0(ho_candidate, 1);
  drawing d = {.kept = c, .s = s};
  rule->find(w, draw_living(w, s), draw_one, &d);
  if (d.seen == 0) return NULL;
  gboolean split = strcmp(rule->name, "split") == 0;
  if (split) {
    c->n_shares = 2;
    c->share[0] = LEAST_SHARE + (1 - 2 * LEAST_SHARE) * ho_stream_uniform(s);
    c->share[1] = 1 - c->share[0];
  }
  ho_rewrite *r = ho_candidate_apply_named(w, c, NULL);
  if (!r) return NULL;
  GPtrArray *list = ho_rewrites_copy(x->rewrites);
  g_ptr_array_add(list, r);
  return on_new_stage(a, ho_stage_of(x->root, w, list, x->living), split, s);
}

/* --- one less, another share ----------------------------------------------------------------------------------------------------- */
ho_solution *ho_rewriting_drop(const ho_solution *a, ho_stream *s) {
  const ho_stage *x = a->stage;
  guint own = (guint)x->own;
  if (x->rewrites->len <= own) return NULL;
  GPtrArray *list = ho_rewrites_copy(x->rewrites);
  g_ptr_array_remove_index(list, own + (guint)ho_stream_below(s, x->rewrites->len - own));
  return on_new_stage(a, ho_stage_rewritten(x->root, list, x->living), FALSE, s);
}

static gboolean is_split_in_two(const ho_rewrite *r) {
  return strcmp(r->rule, "split") == 0 && r->n_shares == 2;
}

ho_solution *ho_rewriting_shares(const ho_solution *a, ho_stream *s) {
  const ho_stage *x = a->stage;
  guint own = (guint)x->own;
  uint64_t n = 0;
  for (guint i = own; i < x->rewrites->len; i++) n += is_split_in_two(x->rewrites->pdata[i]) ? 1 : 0;
  if (n == 0) return NULL;
  uint64_t which = ho_stream_below(s, n);
  GPtrArray *list = ho_rewrites_copy(x->rewrites);
  for (guint i = own; i < list->len; i++) {
    ho_rewrite *r = list->pdata[i];
    if (!is_split_in_two(r) || which-- > 0) continue;
    double share = r->shares[0] + 0.1 * ho_stream_normal(s);
    r->shares[0] = CLAMP(share, LEAST_SHARE, 1 - LEAST_SHARE);
    r->shares[1] = 1 - r->shares[0];
    break;
  }
  return on_new_stage(a, ho_stage_rewritten(x->root, list, x->living), FALSE, s);
}
