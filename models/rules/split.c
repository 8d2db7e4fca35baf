/* split.c: the rule `split`: a run of ops in parts along an axis, so that several devices each take a share. See rewrite.h and split.h.
 *
 * Part i of an op has the share of its work, its pieces of what is cut, and all of the rest. Constant weights are cut beforehand; everything
 * else that comes from outside is cut by slices, and what leaves is joined by a concat or a sum, ops with work of their own, so that
 * what synchronisation costs shows. Inside a run pieces pass from part to part.
 *
 * `into` names the parts op by op (op 0 part 0, op 0 part 1, …), then the joins, and, where wanted, the slices.
 * A tensor's pieces are called as it is, with ".0", ".1", … behind. */
#include "models/rules/split.h"

#include <string.h>

#include "base/error.h"
#include "models/graph_build.h"

/* ---- names ----------------------------------------------------------------------------------------------------------- */

typedef struct {
  ho_workgraph *w;
  const ho_split *s;
  int32_t n_into, next;
  const char *const *into;
  GHashTable *pieces; /* tensor -> ho_tensor[parts] */
} splitter;

/* The next name of the user's, or the rule's own, with apostrophes where that was taken. Caller frees. */
static char *next_name(splitter *x, const char *base, const char *suffix, int32_t number) {
  if (x->next < x->n_into) return g_strdup(x->into[x->next++]);
  GString *name = g_string_new(base);
  if (*suffix) g_string_append_printf(name, ".%s", suffix);
  if (number >= 0) g_string_append_printf(name, ".%d", number);
  while (!ho_workgraph_fresh_op(x->w, name->str)) g_string_append_c(name, '\'');
  return g_string_free(name, FALSE);
}

static char *piece_name(const ho_workgraph *w, const char *base, int32_t i) {
  GString *name = g_string_new(NULL);
  g_string_printf(name, "%s.%d", base, i);
  while (!ho_workgraph_fresh_tensor(w, name->str)) g_string_append_c(name, '\'');
  return g_string_free(name, FALSE);
}

/* ---- pieces ---------------------------------------------------------------------------------------------------------- */

static ho_tensor *pieces_of(const splitter *x, ho_tensor t) {
  return g_hash_table_lookup(x->pieces, GINT_TO_POINTER(t + 1));
}

static ho_tensor add_piece(splitter *x, const ho_cut_tensor *t, int32_t i, gboolean weight) {
  const ho_split *s = x->s;
  ho_tensor_info info = x->w->tensor[t->tensor].info;
  g_autofree char *name = piece_name(x->w, info.name, i);
  g_autofree int64_t *shape = g_new(int64_t, (size_t)MAX(info.rank, 0) + 1); /* rank 0 has a shape too */
  if (info.rank > 0) memcpy(shape, info.shape, sizeof *shape * (size_t)info.rank);
  gboolean plain = ho_graph_shape_bytes(info.dtype, info.rank, shape) == info.bytes;
  if (t->dim >= 0) {
    shape[t->dim] = shape[t->dim] / s->units * (s->end[i + 1] - s->end[i]);
    info.bytes = plain ? ho_graph_shape_bytes(info.dtype, info.rank, shape) : ho_split_part_bytes(s, i, t->tensor);
  }
  ho_tensor *of = info.alias >= 0 && t->made ? pieces_of(x, info.alias) : NULL;
  info.alias = of ? of[i] : -1;
  info.name = name;
  info.shape = shape;
  info.is_output = 0;
  info.role = weight ? HO_ROLE_WEIGHT : HO_ROLE_NONE;
  info.memory = NULL;
  return ho_workgraph_add_tensor(x->w, &info, t->tensor);
}

/* Pieces of what is viewed come before those of the view. */
static void add_pieces(splitter *x, const ho_cut_tensor *t) {
  if (t->dim == HO_CUT_WHOLE || t->dim == HO_CUT_FIRST || pieces_of(x, t->tensor)) return;
  ho_tensor alias = x->w->tensor[t->tensor].info.alias;
  const ho_cut_tensor *of = alias >= 0 && t->made ? ho_split_tensor(x->s, alias) : NULL;
  if (of) add_pieces(x, of);
  gboolean weight = !t->made && !ho_split_slices(x->s, t);
  ho_tensor *piece = g_new(ho_tensor, x->s->parts);
  for (int32_t i = 0; i < x->s->parts; i++) piece[i] = add_piece(x, t, i, weight);
  g_hash_table_insert(x->pieces, GINT_TO_POINTER(t->tensor + 1), piece);
}

/* ---- parts ----------------------------------------------------------------------------------------------------------- */

static ho_op_info part_info(const ho_split *s, ho_op o, int32_t i, const char *name, ho_time *times) {
  const ho_op_info *whole = &s->w->op[o].info;
  ho_op_info x = *whole;
  double share = (double)(s->end[i + 1] - s->end[i]) / (double)s->units;
  x.name = name;
  x.flops = ho_split_part(s, i, whole->flops);
  x.other_flops = ho_split_part(s, i, whole->other_flops);
  x.read = ho_split_read(s, i, o);
  x.write = ho_split_write(s, i, o);
  x.workspace = (int64_t)ho_split_part(s, i, (double)whole->workspace);
  x.sensitivity = whole->sensitivity * share;
  if (s->w->op[o].out.n == 0 || ho_split_tensor(s, s->w->op[o].out.item[0])->dim >= 0) x.parallelism = whole->parallelism * share;
  for (int32_t k = 0; k < x.n_times; k++) times[k] = (ho_time){whole->times[k].device, whole->times[k].seconds * share};
  x.times = times;
  return x;
}

static ho_op add_part(splitter *x, ho_op o, int32_t i) {
  const ho_split *s = x->s;
  ho_origin self;
  int32_t n;
  const ho_origin *whole = ho_workgraph_origins(x->w, o, &self, &n);
  g_autofree ho_origin *part = g_memdup2(whole, sizeof *part * (size_t)n);
  for (int32_t k = 0; k < n; k++) {
    double size = part[k].to - part[k].from, from = part[k].from;
    part[k].axis = s->axis->name;
    part[k].from = from + size * ((double)s->end[i] / (double)s->units);
    part[k].to = from + size * ((double)s->end[i + 1] / (double)s->units);
  }
  g_autofree char *name = next_name(x, x->w->op[o].info.name, "", i);
  g_autofree ho_time *times = g_new0(ho_time, (size_t)MAX(0, x->w->op[o].info.n_times) + 1);
  ho_op_info info = part_info(s, o, i, name, times);
  return ho_workgraph_add_op(x->w, &info, o, n, part);
}

static gboolean connect_part(splitter *x, ho_op o, ho_op part, int32_t i) {
  gboolean ok = TRUE;
  for (int32_t k = 0; k < x->w->op[o].in.n; k++) {
    ho_tensor t = x->w->op[o].in.item[k], *piece = pieces_of(x, t);
    if (!piece && i > 0 && ho_split_tensor(x->s, t)->dim == HO_CUT_FIRST) continue;
    ok &= ho_workgraph_consume(x->w, piece ? piece[i] : t, part);
  }
  for (int32_t k = 0; k < x->w->op[o].out.n; k++)
    ok &= ho_workgraph_produce(x->w, pieces_of(x, x->w->op[o].out.item[k])[i], part);
  return ok;
}

/* ---- what cuts and joins --------------------------------------------------------------------------------------------- */

static ho_op_info glue_info(const ho_workgraph *w, const char *name, const char *kind, ho_op beside) {
  ho_op_info x = {.name = name, .kind = kind, .n_times = -1};
  x.phase = w->op[beside].info.phase;
  x.layer = w->op[beside].info.layer;
  x.priority = w->op[beside].info.priority;
  return x;
}

/* The first op of the run that reads t. */
static ho_op reader_of(const ho_split *s, ho_tensor t) {
  for (int32_t i = 0; i < s->n_ops; i++)
    if (ho_workgraph_consumes(s->w, t, s->op[i])) return s->op[i];
  return s->op[0];
}

static gboolean add_slices(splitter *x, const ho_cut_tensor *t, int32_t entry) {
  ho_op beside = reader_of(x->s, t->tensor);
  g_autofree char *suffix = entry ? g_strdup_printf("slice%d", entry) : g_strdup("slice");
  gboolean ok = TRUE;
  for (int32_t i = 0; i < x->s->parts; i++) {
    ho_tensor piece = pieces_of(x, t->tensor)[i];
    g_autofree char *name = next_name(x, x->w->op[beside].info.name, suffix, i);
    ho_op_info info = glue_info(x->w, name, "slice", beside);
    info.read = info.write = (double)ho_split_part_bytes(x->s, i, t->tensor);
    info.parallelism = ho_split_elements(x->w, piece);
    ho_op slice = ho_workgraph_add_op(x->w, &info, beside, 0, NULL);
    ok &= ho_workgraph_consume(x->w, t->tensor, slice) && ho_workgraph_produce(x->w, piece, slice);
  }
  return ok;
}

/* The tensor itself stays, with its name and readers. */
static gboolean add_join(splitter *x, const ho_cut_tensor *t) {
  ho_op maker = x->w->tensor[t->tensor].info.producer;
  gboolean sums = t->dim == HO_CUT_SUM, several = x->w->op[maker].out.n > 1;
  g_autofree char *name =
      next_name(x, several ? x->w->tensor[t->tensor].info.name : x->w->op[maker].info.name, sums ? "sum" : "concat", -1);
  ho_op_info info = glue_info(x->w, name, sums ? "sum" : "concat", maker);
  double bytes = (double)x->w->tensor[t->tensor].info.bytes;
  info.write = bytes;
  info.read = sums ? x->s->parts * bytes : bytes;
  info.parallelism = ho_split_elements(x->w, t->tensor);
  info.flops = sums ? (x->s->parts - 1) * info.parallelism : 0;
  ho_op join = ho_workgraph_add_op(x->w, &info, maker, 0, NULL);
  ho_tensor_info free_standing = x->w->tensor[t->tensor].info;
  free_standing.alias = -1;
  if (x->w->tensor[t->tensor].info.alias >= 0) ho_workgraph_set_tensor(x->w, t->tensor, &free_standing);
  gboolean ok = TRUE;
  for (int32_t i = 0; i < x->s->parts; i++) ok &= ho_workgraph_consume(x->w, pieces_of(x, t->tensor)[i], join);
  return ok & ho_workgraph_produce(x->w, t->tensor, join);
}

/* ---- all of it ------------------------------------------------------------------------------------------------------- */

static void count_glue(const ho_split *s, int32_t *joins, int32_t *slices) {
  *joins = *slices = 0;
  for (guint i = 0; i < s->tensors->len; i++) {
    const ho_cut_tensor *t = &g_array_index(s->tensors, ho_cut_tensor, i);
    *joins += t->leaves;
    *slices += ho_split_slices(s, t) ? s->parts : 0;
  }
}

static gboolean check_into(const ho_split *s, int32_t n_into, GError **error) {
  int32_t joins, slices;
  count_glue(s, &joins, &slices);
  int32_t parts = s->n_ops * s->parts;
  return n_into == 0 || n_into == parts + joins || n_into == parts + joins + slices ||
         ho_fail(error, HO_ERROR_PLAN, "into: %d names, expected %d (%d parts, %d joins), or %d with the slices", n_into,
                 parts + joins, parts, joins, parts + joins + slices);
}

static gboolean add_all_parts(splitter *x) {
  const ho_split *s = x->s;
  gboolean ok = TRUE;
  g_autofree ho_op *part = g_new(ho_op, (size_t)(s->n_ops * s->parts));
  for (int32_t k = 0; k < s->n_ops; k++)
    for (int32_t i = 0; i < s->parts; i++) part[k * s->parts + i] = add_part(x, s->op[k], i);
  for (int32_t k = 0; k < s->n_ops; k++)
    for (int32_t i = 0; i < s->parts; i++) ok &= connect_part(x, s->op[k], part[k * s->parts + i], i);
  return ok;
}

/* What was cut and is no longer there as a whole: what stays inside, and constant weights. */
static void remove_whole(splitter *x) {
  for (int32_t k = 0; k < x->s->n_ops; k++) ho_workgraph_remove_op(x->w, x->s->op[k]);
  for (guint i = x->s->tensors->len; i > 0; i--) {
    const ho_cut_tensor *t = &g_array_index(x->s->tensors, ho_cut_tensor, i - 1);
    gboolean cut_weight =
        !t->made && t->dim >= 0 && x->w->tensor[t->tensor].info.role == HO_ROLE_WEIGHT && x->w->tensor[t->tensor].use.n == 0;
    if ((t->made && !t->leaves) || cut_weight) ho_workgraph_remove_tensor(x->w, t->tensor);
  }
}

static gboolean carry_out(ho_workgraph *w, const ho_split *s, int32_t n_into, const char *const *into) {
  splitter x = {.w = w, .s = s, .n_into = n_into, .into = into, .pieces = g_hash_table_new_full(NULL, NULL, NULL, g_free)};
  for (guint i = 0; i < s->tensors->len; i++) add_pieces(&x, &g_array_index(s->tensors, ho_cut_tensor, i));
  gboolean ok = add_all_parts(&x);
  for (guint i = 0; i < s->tensors->len; i++) {
    const ho_cut_tensor *t = &g_array_index(s->tensors, ho_cut_tensor, i);
    if (t->leaves) ok &= add_join(&x, t);
  }
  int32_t entry = 0;
  for (guint i = 0; i < s->tensors->len; i++) {
    const ho_cut_tensor *t = &g_array_index(s->tensors, ho_cut_tensor, i);
    if (!t->made && t->dim >= 0 && w->tensor[pieces_of(&x, t->tensor)[0]].info.role == HO_ROLE_NONE)
      ok &= add_slices(&x, t, entry++);
  }
  remove_whole(&x);
  g_hash_table_destroy(x.pieces);
  return ok;
}

static gboolean apply(ho_workgraph *w, const ho_candidate *c, int32_t n_into, const char *const *into, GError **error) {
  if (c->tensor >= 0) return ho_fail(error, HO_ERROR_PLAN, "split takes ops, axis, shares and into: no tensor");
  if (!c->axis)
    return ho_fail(error, HO_ERROR_PLAN, "axis is missing: expected rows, columns, reduction, channels, batch or heads");
  ho_split s;
  gboolean ok = ho_split_init(&s, w, c->n_ops, c->op, c->axis, c->n_shares, c->share, error) && check_into(&s, n_into, error);
  if (ok && !carry_out(w, &s, n_into, into)) ok = ho_fail(error, HO_ERROR_PLAN, "ops: in parts they would form a cycle");
  ho_split_clear(&s);
  return ok;
}

const ho_rewrite_rule ho_rewrite_rule_split = {
    .name = "split",
    .summary = "a run of ops in parts, any shares, by rows, columns, reduction, channels, batch or heads",
    .source = "Shoeybi et al., Megatron-LM, 2019, section 3; Jia et al., FlexFlow, MLSys 2019, section 4",
    .shrinks = 0,
    .find = ho_split_find,
    .apply = apply,
};
