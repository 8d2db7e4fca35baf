/* split_plan.c: works a split out: which tensors are cut, into how many pieces, and what each part moves; see split.h. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "models/rules/split_private.h"

/* ---- what is touched ------------------------------------------------------------------------------------------------- */

static ho_cut_tensor *find_tensor(const ho_split *s, ho_tensor t) {
  for (guint i = 0; i < s->tensors->len; i++)
    if (g_array_index(s->tensors, ho_cut_tensor, i).tensor == t) return &g_array_index(s->tensors, ho_cut_tensor, i);
  return NULL;
}

const char *ho_split_obstacle(const ho_workgraph *w, ho_op o, const ho_split_axis *axis) {
  for (int a = 0; a < HO_N_AXES; a++)
    if ((w->op[o].info.unsplit >> a & 1) && strcmp(axis->name, ho_axis_name((ho_axis)a)) == 0)
      return "mixes what would be cut, says the graph";
  return axis->obstacle(w, o);
}

const ho_cut_tensor *ho_split_tensor(const ho_split *s, ho_tensor t) {
  return find_tensor(s, t);
}

static gboolean in_run(const ho_split *s, ho_op o) {
  for (int32_t i = 0; i < s->n_ops; i++)
    if (s->op[i] == o) return TRUE;
  return FALSE;
}

static gboolean note_tensor(ho_split *s, ho_op o, ho_tensor t, int32_t dim, gboolean made, GError **error) {
  const ho_workgraph *w = s->w;
  if (dim == HO_CUT_NEVER || (dim >= 0 && dim >= w->tensor[t].info.rank))
    return ho_fail(error, HO_ERROR_PLAN, "ops: '%s' does not split by %s: nothing says how '%s' is cut", w->op[o].info.name,
                   s->axis->name, w->tensor[t].info.name);
  ho_cut_tensor *have = find_tensor(s, t);
  if (!have) {
    ho_cut_tensor fresh = {.tensor = t, .dim = dim};
    g_array_append_val(s->tensors, fresh);
    have = find_tensor(s, t);
  }
  if (have->dim != dim)
    return ho_fail(error, HO_ERROR_PLAN,
                   "ops: '%s' does not split by %s together with the others: they need '%s' cut another way", w->op[o].info.name,
                   s->axis->name, w->tensor[t].info.name);
  if (made)
    have->made = TRUE;
  else
    have->read = TRUE;
  return TRUE;
}

static gboolean note_op(ho_split *s, ho_op o, GError **error) {
  const ho_work_op *x = &s->w->op[o];
  const char *why = ho_split_obstacle(s->w, o, s->axis);
  if (why) return ho_fail(error, HO_ERROR_PLAN, "ops: '%s' does not split by %s: it %s", x->info.name, s->axis->name, why);
  for (int32_t i = 0; i < x->n_origins; i++)
    if (x->origin[i].axis && strcmp(x->origin[i].axis, s->axis->name) != 0)
      return ho_fail(error, HO_ERROR_PLAN, "ops: '%s' was split by %s already: expected one axis for an op", x->info.name,
                     x->origin[i].axis);
  gboolean cuts = x->in.n == 0;
  for (int32_t i = 0; i < x->in.n; i++) {
    int32_t dim = s->axis->in(s->w, o, x->in.item[i]);
    if (!note_tensor(s, o, x->in.item[i], dim, FALSE, error)) return FALSE;
    cuts |= dim >= 0;
  }
  for (int32_t i = 0; i < x->out.n; i++)
    if (!note_tensor(s, o, x->out.item[i], s->axis->out(s->w, o, x->out.item[i]), TRUE, error)) return FALSE;
  return cuts || ho_fail(error, HO_ERROR_PLAN, "ops: '%s' does not split by %s: every part would read all that it reads",
                         x->info.name, s->axis->name);
}

/* Views: of pieces are pieces; the whole of something outside cannot be one of what is joined again. */
static gboolean check_views(const ho_split *s, const ho_cut_tensor *t, GError **error) {
  const ho_tensor_info *x = &s->w->tensor[t->tensor].info;
  const ho_cut_tensor *of = x->alias >= 0 ? find_tensor(s, x->alias) : NULL;
  if (t->made && x->alias >= 0 && (!of || of->dim < 0 || (t->leaves && !of->made)))
    return ho_fail(error, HO_ERROR_PLAN, "ops: '%s' is a view of what is not cut: it cannot be put together from pieces",
                   x->name);
  int32_t inside = 0;
  for (guint i = 0; i < s->tensors->len; i++) {
    const ho_cut_tensor *v = &g_array_index(s->tensors, ho_cut_tensor, i);
    inside += v->made && s->w->tensor[v->tensor].info.alias == t->tensor;
  }
  if (t->made && !t->leaves && s->w->tensor[t->tensor].n_aliases > inside)
    return ho_fail(error, HO_ERROR_PLAN, "ops: something outside is a view of '%s', which would be in pieces", x->name);
  return TRUE;
}

static gboolean note_leaving(ho_split *s, GError **error) {
  for (guint i = 0; i < s->tensors->len; i++) {
    ho_cut_tensor *t = &g_array_index(s->tensors, ho_cut_tensor, i);
    const ho_work_tensor *x = &s->w->tensor[t->tensor];
    if (t->made) {
      t->leaves = x->info.is_output || x->use.n == 0 || t->dim == HO_CUT_SUM;
      for (int32_t k = 0; k < x->use.n; k++) t->leaves |= !in_run(s, x->use.item[k]);
    }
  }
  for (guint i = 0; i < s->tensors->len; i++)
    if (!check_views(s, &g_array_index(s->tensors, ho_cut_tensor, i), error)) return FALSE;
  return TRUE;
}

/* ---- pieces ---------------------------------------------------------------------------------------------------------- */

static int64_t common_divisor(int64_t a, int64_t b) {
  while (b) {
    int64_t r = a % b;
    a = b;
    b = r;
  }
  return a;
}

/* As many pieces as every tensor that is cut, and every op, falls into. */
static void count_units(ho_split *s) {
  for (guint i = 0; i < s->tensors->len; i++) {
    const ho_cut_tensor *t = &g_array_index(s->tensors, ho_cut_tensor, i);
    if (t->dim >= 0) s->units = common_divisor(s->units, s->w->tensor[t->tensor].info.shape[t->dim]);
  }
  for (int32_t i = 0; s->axis->units && i < s->n_ops; i++) {
    int64_t units = s->axis->units(s->w, s->op[i]);
    if (units > 0) s->units = common_divisor(s->units, units);
  }
}

static gboolean check_shares(int32_t n, const double *share, GError **error) {
  double sum = 0;
  if (n == 1) return ho_fail(error, HO_ERROR_PLAN, "shares: 1 of them, expected at least 2");
  for (int32_t i = 0; i < n; i++) {
    if (!(share[i] > 0 && share[i] < 1))
      return ho_fail(error, HO_ERROR_PLAN, "shares[%d]: %g, expected more than 0 and less than 1", i, share[i]);
    sum += share[i];
  }
  if (n > 0 && !(fabs(sum - 1) <= 1e-9)) return ho_fail(error, HO_ERROR_PLAN, "shares: they add up to %.10g, expected 1", sum);
  return TRUE;
}

/* Ends are rounded to whole pieces, so that the rounding does not add up. */
static gboolean cut(ho_split *s, int32_t n, const double *share, GError **error) {
  s->parts = n ? n : 2;
  double sum = 0;
  for (int32_t i = 0; i < s->parts; i++) {
    sum += n ? share[i] : 0.5;
    s->end[i + 1] = i + 1 == s->parts ? s->units : (int64_t)floor(sum * (double)s->units + 0.5);
    if (s->end[i + 1] <= s->end[i])
      return ho_fail(error, HO_ERROR_PLAN, "shares[%d]: %g of the %" G_GINT64_FORMAT " pieces that %s allows is none", i,
                     n ? share[i] : 0.5, s->units, s->axis->name);
  }
  return TRUE;
}

/* Softmax could go over any dimension, but not where it stands between the products of attention. */
static gboolean check_run(const ho_split *s, GError **error) {
  if (s->axis->one_op && s->n_ops != 1)
    return ho_fail(error, HO_ERROR_PLAN, "ops: %d of them, expected one: %s splits a single op", s->n_ops, s->axis->name);
  if (s->n_ops > 1 && !ho_workgraph_convex(s->w, s->n_ops, s->op))
    return ho_fail(error, HO_ERROR_PLAN, "ops: a path leaves them and comes back: their parts would wait for each other");
  if (strcmp(s->axis->name, "heads") != 0) return TRUE;
  for (int32_t i = 0; i < s->n_ops; i++) {
    const char *kind = s->w->op[s->op[i]].info.kind;
    if (strcmp(kind, "matmul") == 0 || strcmp(kind, "attention") == 0) return TRUE;
  }
  return ho_fail(error, HO_ERROR_PLAN,
                 "ops: no product of attention is among them: expected the ops between queries, keys, values and context");
}

gboolean ho_split_init(ho_split *s, const ho_workgraph *w, int32_t n_ops, const ho_op *ops, const char *axis, int32_t n_shares,
                       const double *share, GError **error) {
  *s = (ho_split){.w = w,
                  .axis = ho_split_axis_find(axis),
                  .n_ops = n_ops,
                  .op = ops,
                  .tensors = g_array_new(FALSE, FALSE, sizeof(ho_cut_tensor))};
  if (!s->axis)
    return ho_fail(error, HO_ERROR_PLAN, "axis: '%s', expected rows, columns, reduction, channels, batch or heads",
                   axis ? axis : "");
  if (!check_shares(n_shares, share, error) || !check_run(s, error)) return FALSE;
  for (int32_t i = 0; i < n_ops; i++)
    if (!note_op(s, ops[i], error)) return FALSE;
  if (!note_leaving(s, error)) return FALSE;
  count_units(s);
  return cut(s, n_shares, share, error);
}

void ho_split_clear(ho_split *s) {
  g_array_free(s->tensors, TRUE);
}

/* ---- shares ---------------------------------------------------------------------------------------------------------- */

static double up_to(const ho_split *s, int32_t i, double whole) {
  if (i == s->parts) return whole;
  double part = whole / (double)s->units * (double)s->end[i];
  return whole == floor(whole) ? floor(part + 0.5) : part;
}

double ho_split_part(const ho_split *s, int32_t i, double whole) {
  return up_to(s, i + 1, whole) - up_to(s, i, whole);
}

int64_t ho_split_part_bytes(const ho_split *s, int32_t i, ho_tensor t) {
  return (int64_t)ho_split_part(s, i, (double)s->w->tensor[t].info.bytes);
}

/* In training, or where others read it too, a weight is cut each time anew. */
gboolean ho_split_slices(const ho_split *s, const ho_cut_tensor *t) {
  const ho_work_tensor *x = &s->w->tensor[t->tensor];
  if (t->made || t->dim < 0) return FALSE;
  if (x->info.role != HO_ROLE_WEIGHT) return TRUE;
  if (s->w->trains || x->n_aliases > 0 || x->info.alias >= 0 || x->info.is_output) return TRUE;
  for (int32_t i = 0; i < x->use.n; i++)
    if (!in_run(s, x->use.item[i])) return TRUE;
  return FALSE;
}

static double moved(const ho_split *s, int32_t i, const ho_cut_tensor *t, double whole, gboolean spread) {
  if (t->dim >= 0 || (spread && t->dim == HO_CUT_WHOLE)) return ho_split_part(s, i, whole);
  return t->dim == HO_CUT_FIRST && i > 0 ? 0 : whole;
}

/* An op that says itself how much it reads, like a gather out of a table, reads of everything in proportion. */
double ho_split_read(const ho_split *s, int32_t i, ho_op o) {
  const ho_work_op *x = &s->w->op[o];
  double sum = 0;
  for (int32_t k = 0; k < x->in.n; k++)
    sum +=
        moved(s, i, find_tensor(s, x->in.item[k]), ho_workgraph_read(s->w, o, x->in.item[k]), x->info.family == HO_FAMILY_GATHER);
  return sum;
}

double ho_split_write(const ho_split *s, int32_t i, ho_op o) {
  const ho_work_op *x = &s->w->op[o];
  double sum = 0;
  for (int32_t k = 0; k < x->out.n; k++)
    sum += moved(s, i, find_tensor(s, x->out.item[k]), ho_workgraph_write(s->w, o, x->out.item[k]), FALSE);
  return sum;
}

double ho_split_elements(const ho_workgraph *w, ho_tensor t) {
  const ho_tensor_info *x = &w->tensor[t].info;
  double n = x->rank >= 0;
  for (int32_t d = 0; d < x->rank; d++) n *= (double)x->shape[d];
  return n;
}

double ho_split_bytes_added(const ho_split *s) {
  double added = 0;
  for (int32_t k = 0; k < s->n_ops; k++) {
    const ho_op_info *x = &s->w->op[s->op[k]].info;
    added -= x->read + x->write;
    for (int32_t i = 0; i < s->parts; i++) added += ho_split_read(s, i, s->op[k]) + ho_split_write(s, i, s->op[k]);
  }
  for (guint i = 0; i < s->tensors->len; i++) {
    const ho_cut_tensor *t = &g_array_index(s->tensors, ho_cut_tensor, i);
    double bytes = (double)s->w->tensor[t->tensor].info.bytes;
    if (ho_split_slices(s, t)) added += 2 * bytes;
    if (t->leaves) added += t->dim == HO_CUT_SUM ? (s->parts + 1) * bytes : 2 * bytes;
  }
  return added;
}

double ho_split_flops_added(const ho_split *s) {
  double added = 0;
  for (guint i = 0; i < s->tensors->len; i++) {
    const ho_cut_tensor *t = &g_array_index(s->tensors, ho_cut_tensor, i);
    if (t->dim == HO_CUT_SUM) added += (s->parts - 1) * ho_split_elements(s->w, t->tensor);
  }
  return added;
}
