/* fuse.c: the rule `fuse`: several ops become one kernel. Legality, cost and the rewrite itself; see fuse.h. */
#include "models/rules/fuse.h"

#include <string.h>

#include "base/error.h"

#define MOST_WORKSPACE (INT64_C(1) << 30)
#define PARALLELISM_LOSS 64.0
#define MOST_NAMES 6 /* joined in the name of a fused op */

/* ---- groups ---------------------------------------------------------------------------------------------------------- */

gboolean ho_group_has(const ho_group *g, ho_op o) {
  for (int32_t i = 0; i < g->n; i++)
    if (g->op[i] == o) return TRUE;
  return FALSE;
}

gboolean ho_group_add(ho_group *g, ho_op o) {
  if (o < 0 || g->n == HO_REWRITE_MAX_OPS) return FALSE;
  if (!ho_group_has(g, o)) g->op[g->n++] = o;
  return TRUE;
}

static const ho_tensor_info *tensor(const ho_workgraph *w, ho_tensor t) {
  return &w->tensor[t].info;
}

gboolean ho_group_makes(const ho_workgraph *w, const ho_group *g, ho_tensor t) {
  ho_op p = tensor(w, t)->producer;
  return p >= 0 && ho_group_has(g, p);
}

static int32_t aliases_inside(const ho_workgraph *w, const ho_group *g, ho_tensor t) {
  int32_t n = 0;
  for (int32_t i = 0; i < g->n; i++) {
    const ho_row *out = &w->op[g->op[i]].out;
    for (int32_t k = 0; k < out->n; k++) n += tensor(w, out->item[k])->alias == t;
  }
  return n;
}

static gboolean read_inside_only(const ho_workgraph *w, const ho_group *g, ho_tensor t) {
  const ho_work_tensor *x = &w->tensor[t];
  if (x->info.is_output || x->use.n == 0) return FALSE;
  for (int32_t i = 0; i < x->use.n; i++)
    if (!ho_group_has(g, x->use.item[i])) return FALSE;
  return TRUE;
}

static gboolean viewed_outside(const ho_workgraph *w, const ho_group *g, ho_tensor t) {
  return w->tensor[t].n_aliases > 0 && aliases_inside(w, g, t) != w->tensor[t].n_aliases;
}

gboolean ho_fuse_keeps(const ho_workgraph *w, const ho_group *g, ho_tensor t) {
  return read_inside_only(w, g, t) && !viewed_outside(w, g, t);
}

/* ---- legality -------------------------------------------------------------------------------------------------------- */

static gboolean can_be_part(const ho_workgraph *w, ho_op o) {
  static const char *const never[] = {"random",    "nonzero", "nms",     "compress", "unique",
                                      "optimizer", "sgd",     "offload", "fetch",    NULL};
  ho_family f = w->op[o].info.family;
  return f != HO_FAMILY_DEFAULT && f != HO_FAMILY_RECURRENT && !ho_is_one_of(w, o, never);
}

static gboolean check_members(const ho_workgraph *w, const ho_group *g, GError **error) {
  if (g->n < 2) return ho_fail(error, HO_ERROR_PLAN, "ops: one op alone cannot be fused, expected two or more");
  const ho_op_info *first = &w->op[g->op[0]].info;
  for (int32_t i = 0; i < g->n; i++) {
    const ho_op_info *x = &w->op[g->op[i]].info;
    if (!can_be_part(w, g->op[i]))
      return ho_fail(error, HO_ERROR_PLAN, "ops[%d]: '%s' is of kind '%s', which cannot be part of a fused op", i, x->name,
                     x->kind);
    if (x->phase != first->phase)
      return ho_fail(error, HO_ERROR_PLAN, "ops[%d]: '%s' belongs to phase %s, '%s' to %s: expected one phase", i, x->name,
                     ho_phase_name(x->phase), first->name, ho_phase_name(first->phase));
    if ((x->n_times >= 0) != (first->n_times >= 0))
      return ho_fail(error, HO_ERROR_PLAN, "ops[%d]: of '%s' and '%s' only one has a time table", i, first->name, x->name);
    if (x->workspace > MOST_WORKSPACE)
      return ho_fail(error, HO_ERROR_PLAN,
                     "ops[%d]: '%s' needs %" G_GINT64_FORMAT " B of workspace, expected at most %" G_GINT64_FORMAT, i, x->name,
                     x->workspace, MOST_WORKSPACE);
  }
  return TRUE;
}

/* Every op hangs together with the first by edges inside the group. */
static gboolean check_connected(const ho_workgraph *w, const ho_group *g, GError **error) {
  gboolean reached[HO_REWRITE_MAX_OPS] = {TRUE};
  for (gboolean more = TRUE; more;) {
    more = FALSE;
    for (int32_t i = 0; i < g->n; i++)
      for (int32_t k = 0; k < w->op[g->op[i]].in.n; k++) {
        ho_op p = tensor(w, w->op[g->op[i]].in.item[k])->producer;
        for (int32_t j = 0; j < g->n && p >= 0; j++)
          if (g->op[j] == p && reached[i] != reached[j]) reached[i] = reached[j] = more = TRUE;
      }
  }
  for (int32_t i = 0; i < g->n; i++)
    if (!reached[i])
      return ho_fail(error, HO_ERROR_PLAN, "ops[%d]: no edge joins '%s' to the others", i, w->op[g->op[i]].info.name);
  return TRUE;
}

static double time_on(const ho_op_info *x, int32_t device) {
  for (int32_t i = 0; i < x->n_times; i++)
    if (x->times[i].device == device) return x->times[i].seconds;
  return NAN;
}

/* The fused op takes the sum of its members' times, on the devices that all of them list. Returns how many. */
static int32_t sum_times(const ho_workgraph *w, const ho_group *g, ho_time *out) {
  const ho_op_info *first = &w->op[g->op[0]].info;
  int32_t n = 0;
  for (int32_t i = 0; i < first->n_times; i++) {
    double sum = 0;
    for (int32_t k = 0; k < g->n; k++) sum += time_on(&w->op[g->op[k]].info, first->times[i].device);
    if (!isnan(sum)) out[n++] = (ho_time){first->times[i].device, sum};
  }
  return n;
}

static gboolean check_times(const ho_workgraph *w, const ho_group *g, GError **error) {
  int32_t most = w->op[g->op[0]].info.n_times;
  if (most < 0) return TRUE;
  g_autofree ho_time *times = g_new(ho_time, (size_t)most + 1);
  return sum_times(w, g, times) > 0 || ho_fail(error, HO_ERROR_PLAN, "ops: no device is in the time tables of all of them");
}

/* A tensor that is read inside only would come out with no reader, as if it were an output of the graph. */
static gboolean check_views(const ho_workgraph *w, const ho_group *g, GError **error) {
  for (int32_t i = 0; i < g->n; i++) {
    const ho_row *out = &w->op[g->op[i]].out;
    for (int32_t k = 0; k < out->n; k++)
      if (read_inside_only(w, g, out->item[k]) && viewed_outside(w, g, out->item[k]))
        return ho_fail(error, HO_ERROR_PLAN, "ops[%d]: '%s' makes '%s', which only they read but something else is a view of", i,
                       w->op[g->op[i]].info.name, tensor(w, out->item[k])->name);
  }
  return TRUE;
}

static gboolean check_parallelism(const ho_workgraph *w, const ho_group *g, GError **error) {
  ho_fused f = ho_fuse_describe(w, g);
  if (!(f.info.parallelism > 0)) return TRUE;
  for (int32_t i = 0; i < g->n; i++) {
    const ho_op_info *x = &w->op[g->op[i]].info;
    if (x->flops > 0.1 * f.info.flops && x->parallelism > PARALLELISM_LOSS * f.info.parallelism)
      return ho_fail(error, HO_ERROR_PLAN, "ops[%d]: '%s' would lose its parallelism: %g items in place of %g", i, x->name,
                     f.info.parallelism, x->parallelism);
  }
  return TRUE;
}

gboolean ho_fuse_check(const ho_workgraph *w, const ho_group *g, GError **error) {
  if (!check_members(w, g, error) || !check_connected(w, g, error) || !check_times(w, g, error) || !check_views(w, g, error) ||
      !check_parallelism(w, g, error))
    return FALSE;
  return ho_workgraph_convex(w, g->n, g->op) ||
         ho_fail(error, HO_ERROR_PLAN, "ops: a path leaves them and comes back: as one op they would form a cycle");
}

/* ---- the rewrite ----------------------------------------------------------------------------------------------------- */

/* "a+b+c", of many "a+…8…+z"; with an apostrophe where that was taken. Caller frees. */
static char *default_name(const ho_workgraph *w, const ho_group *g) {
  GString *s = g_string_new(w->op[g->op[0]].info.name);
  if (g->n <= MOST_NAMES)
    for (int32_t i = 1; i < g->n; i++) g_string_append_printf(s, "+%s", w->op[g->op[i]].info.name);
  else
    g_string_append_printf(s, "+…%d…+%s", g->n - 2, w->op[g->op[g->n - 1]].info.name);
  while (!ho_workgraph_fresh_op(w, s->str)) g_string_append_c(s, '\'');
  return g_string_free(s, FALSE);
}

static ho_op make_op(ho_workgraph *w, const ho_group *g, const char *name) {
  ho_fused f = ho_fuse_describe(w, g);
  g_autoptr(GArray) origins = g_array_new(FALSE, FALSE, sizeof(ho_origin));
  ho_op place = g->op[0];
  for (int32_t i = 0; i < g->n; i++) {
    ho_origin self;
    int32_t n;
    const ho_origin *part = ho_workgraph_origins(w, g->op[i], &self, &n);
    g_array_append_vals(origins, part, (guint)n);
    if (w->op[g->op[i]].place < w->op[place].place) place = g->op[i];
  }
  g_autofree ho_time *times = NULL;
  if (f.info.n_times >= 0) {
    times = g_new(ho_time, (size_t)w->op[g->op[0]].info.n_times + 1);
    f.info.n_times = sum_times(w, g, times);
    f.info.times = times;
  }
  f.info.name = name;
  return ho_workgraph_add_op(w, &f.info, place, (int32_t)origins->len, (const ho_origin *)(const void *)origins->data);
}

/* The nearest tensor up the chain of views that is still there; -1. */
static ho_tensor kept_alias(const ho_workgraph *w, const ho_group *g, ho_tensor t) {
  ho_tensor a = tensor(w, t)->alias;
  while (a >= 0 && ho_group_makes(w, g, a) && ho_fuse_keeps(w, g, a)) a = tensor(w, a)->alias;
  return a;
}

static void append(GArray *list, ho_tensor t) {
  for (guint i = 0; i < list->len; i++)
    if (g_array_index(list, ho_tensor, i) == t) return;
  g_array_append_val(list, t);
}

/* Sorts what members touch into what comes in, goes out, and is kept; views are freed of what is kept. */
static void sort_tensors(ho_workgraph *w, const ho_group *g, GArray *in, GArray *out, GArray *kept) {
  for (int32_t i = 0; i < g->n; i++) {
    const ho_work_op *x = &w->op[g->op[i]];
    for (int32_t k = 0; k < x->in.n; k++)
      if (!ho_group_makes(w, g, x->in.item[k])) append(in, x->in.item[k]);
    for (int32_t k = 0; k < x->out.n; k++) append(ho_fuse_keeps(w, g, x->out.item[k]) ? kept : out, x->out.item[k]);
  }
  for (guint i = 0; i < out->len; i++) {
    ho_tensor t = g_array_index(out, ho_tensor, i), a = kept_alias(w, g, t);
    if (a == tensor(w, t)->alias) continue;
    ho_tensor_info info = *tensor(w, t);
    info.alias = a;
    ho_workgraph_set_tensor(w, t, &info);
  }
}

gboolean ho_fuse_apply(ho_workgraph *w, const ho_candidate *c, int32_t n_into, const char *const *into, GError **error) {
  ho_group g = {.n = c->n_ops};
  memcpy(g.op, c->op, sizeof *c->op * (size_t)c->n_ops);
  if (c->axis || c->n_shares || c->tensor >= 0)
    return ho_fail(error, HO_ERROR_PLAN, "fuse takes ops and into only: no axis, shares or tensor");
  if (n_into > 1) return ho_fail(error, HO_ERROR_PLAN, "into: %d names, expected one: fuse makes one op", n_into);
  if (!ho_fuse_check(w, &g, error)) return FALSE;
  g_autofree char *own = n_into ? NULL : default_name(w, &g);
  g_autoptr(GArray) in = g_array_new(FALSE, FALSE, sizeof(ho_tensor)), out = g_array_new(FALSE, FALSE, sizeof(ho_tensor)),
                    kept = g_array_new(FALSE, FALSE, sizeof(ho_tensor));
  ho_op fused = make_op(w, &g, n_into ? into[0] : own);
  sort_tensors(w, &g, in, out, kept);
  for (int32_t i = 0; i < g.n; i++) ho_workgraph_remove_op(w, g.op[i]);
  for (guint i = kept->len; i > 0; i--) ho_workgraph_remove_tensor(w, g_array_index(kept, ho_tensor, i - 1));
  gboolean ok = TRUE;
  for (guint i = 0; i < in->len; i++) ok &= ho_workgraph_consume(w, g_array_index(in, ho_tensor, i), fused);
  for (guint i = 0; i < out->len; i++) ok &= ho_workgraph_produce(w, g_array_index(out, ho_tensor, i), fused);
  return ok || ho_fail(error, HO_ERROR_PLAN, "ops: as one op they would form a cycle");
}

/* In the order of the edges, whatever the anchor was. */
static void sort_group(const ho_workgraph *w, ho_group *g) {
  for (int32_t i = 1; i < g->n; i++) {
    ho_op o = g->op[i];
    int64_t level = w->op[o].level;
    int32_t k = i;
    for (; k > 0 && (w->op[g->op[k - 1]].level > level || (w->op[g->op[k - 1]].level == level && g->op[k - 1] > o)); k--)
      g->op[k] = g->op[k - 1];
    g->op[k] = o;
  }
}

ho_find_answer ho_fuse_report(const ho_workgraph *w, ho_group *g, const char *pattern, ho_found found, void *data) {
  if (g->n < 2 || !ho_fuse_check(w, g, NULL)) return HO_FIND_ON;
  sort_group(w, g);
  ho_fused f = ho_fuse_describe(w, g);
  ho_candidate c = {.rule = &ho_rewrite_rule_fuse,
                    .pattern = pattern,
                    .n_ops = g->n,
                    .tensor = -1,
                    .bytes_saved = f.bytes_saved,
                    .memory_saved = f.memory_saved};
  memcpy(c.op, g->op, sizeof *g->op * (size_t)g->n);
  return found(&c, data);
}
