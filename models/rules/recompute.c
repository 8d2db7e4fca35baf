/* recompute.c: the rule `recompute`: activations that the backward pass needs are dropped after the forward pass and computed again. See
 * rewrite.h and again.h.
 *
 * The ops of a candidate run once more in the backward pass, before the first op there that reads what they make; what they read from
 * outside is kept as it was. A whole layer computed again from its input is the checkpointing of Chen et al.; layers are reported first. Every op must be needed for
 * something that the backward pass reads. A random op would not give the same again. */
#include <string.h>

#include "base/error.h"
#include "models/rules/again.h"

/* ---- legality -------------------------------------------------------------------------------------------------------- */

static gboolean is_among(const ho_candidate *c, ho_op o) {
  for (int32_t i = 0; i < c->n_ops; i++)
    if (c->op[i] == o) return TRUE;
  return FALSE;
}

static gboolean read_by_members(const ho_workgraph *w, const ho_candidate *c, ho_tensor t) {
  for (int32_t i = 0; i < w->tensor[t].use.n; i++)
    if (is_among(c, w->tensor[t].use.item[i])) return TRUE;
  return FALSE;
}

static gboolean is_needed(const ho_workgraph *w, const ho_candidate *c, ho_op o) {
  for (int32_t i = 0; i < w->op[o].out.n; i++)
    if (ho_read_backward(w, w->op[o].out.item[i]) || read_by_members(w, c, w->op[o].out.item[i])) return TRUE;
  return FALSE;
}

/* Once it is made again, nothing reads the first one. */
static gboolean is_for_backward_only(const ho_workgraph *w, ho_tensor t) {
  const ho_work_tensor *x = &w->tensor[t];
  for (int32_t i = 0; i < x->use.n; i++)
    if (w->op[x->use.item[i]].info.phase != HO_PHASE_BACKWARD) return FALSE;
  return x->use.n > 0 && x->n_aliases == 0;
}

static const char *obstacle(const ho_workgraph *w, ho_op o) {
  static const char *const never[] = {"dropout", "random", "if", "loop", "scan", "loss", "optimizer", NULL};
  const ho_work_op *x = &w->op[o];
  if (x->info.phase != HO_PHASE_FORWARD) return "is not of the forward pass";
  if (g_strv_contains(never, x->info.kind)) return "does not give the same again, or has a body";
  for (int32_t i = 0; i < x->out.n; i++)
    if (w->tensor[x->out.item[i]].info.is_output) return "makes an output of the graph";
  for (int32_t i = 0; i < x->out.n; i++)
    if (w->tensor[x->out.item[i]].info.alias >= 0 && w->tensor[w->tensor[x->out.item[i]].info.alias].info.role == HO_ROLE_WEIGHT)
      return "changes a weight";
  for (int32_t i = 0; i < x->out.n; i++)
    if (!is_for_backward_only(w, x->out.item[i])) return NULL;
  return "makes nothing that the forward pass reads";
}

/* The op for which what is computed again must be there first. */
static ho_op first_reader(const ho_workgraph *w, const ho_candidate *c) {
  ho_op first = -1;
  for (int32_t i = 0; i < c->n_ops; i++)
    for (int32_t k = 0; k < w->op[c->op[i]].out.n; k++) {
      ho_op o = ho_first_backward_reader(w, w->op[c->op[i]].out.item[k]);
      if (o >= 0 && (first < 0 || w->op[o].level < w->op[first].level || (w->op[o].level == w->op[first].level && o < first)))
        first = o;
    }
  return first;
}

static gboolean check(const ho_workgraph *w, const ho_candidate *c, GError **error) {
  for (int32_t i = 0; i < c->n_ops; i++) {
    const char *name = w->op[c->op[i]].info.name, *why = obstacle(w, c->op[i]);
    if (why) return ho_fail(error, HO_ERROR_PLAN, "ops[%d]: '%s' cannot be computed again: it %s", i, name, why);
    if (!is_needed(w, c, c->op[i]))
      return ho_fail(error, HO_ERROR_PLAN, "ops[%d]: nothing in the backward pass needs '%s' again", i, name);
  }
  ho_op first = first_reader(w, c);
  if (first < 0) return ho_fail(error, HO_ERROR_PLAN, "ops: nothing in the backward pass reads what they make");
  if (ho_backward_before(w, first, 0) < 0)
    return ho_fail(error, HO_ERROR_PLAN, "ops: the backward pass begins with '%s', which reads what they make",
                   w->op[first].info.name);
  return TRUE;
}

/* ---- what it saves --------------------------------------------------------------------------------------------------- */

static gboolean is_remade(const ho_workgraph *w, const ho_candidate *c, ho_tensor t) {
  return ho_read_backward(w, t) || read_by_members(w, c, t);
}

/* B that o writes when it runs again: only what is needed of its outputs. */
static double write_again(const ho_workgraph *w, const ho_candidate *c, ho_op o) {
  double sum = 0;
  for (int32_t i = 0; i < w->op[o].out.n; i++)
    if (is_remade(w, c, w->op[o].out.item[i])) sum += ho_workgraph_write(w, o, w->op[o].out.item[i]);
  return sum;
}

static gboolean noted(const ho_candidate *c, const ho_workgraph *w, int32_t before, ho_tensor t) {
  for (int32_t i = 0; i < before; i++)
    if (ho_workgraph_consumes(w, t, c->op[i])) return TRUE;
  return FALSE;
}

static void count_savings(const ho_workgraph *w, ho_candidate *c) {
  c->flops_added = c->bytes_saved = 0;
  c->memory_saved = 0;
  for (int32_t i = 0; i < c->n_ops; i++) {
    const ho_work_op *x = &w->op[c->op[i]];
    c->flops_added += x->info.flops;
    c->bytes_saved -= x->info.read + write_again(w, c, c->op[i]);
    for (int32_t k = 0; k < x->out.n; k++) {
      const ho_tensor_info *t = &w->tensor[x->out.item[k]].info;
      if (t->alias < 0 && ho_read_backward(w, x->out.item[k])) c->memory_saved += t->bytes;
      if (is_for_backward_only(w, x->out.item[k])) c->bytes_saved += ho_workgraph_write(w, c->op[i], x->out.item[k]);
    }
    for (int32_t k = 0; k < x->in.n; k++) { /* kept longer now */
      ho_tensor t = x->in.item[k];
      ho_op p = w->tensor[t].info.producer;
      if (p >= 0 && !is_among(c, p) && !ho_read_backward(w, t) && !noted(c, w, i, t)) c->memory_saved -= w->tensor[t].info.bytes;
    }
  }
}

/* ---- finding --------------------------------------------------------------------------------------------------------- */

static ho_find_answer report(const ho_workgraph *w, ho_candidate *c, const char *pattern, ho_found found, void *data) {
  c->pattern = pattern;
  if (c->n_ops == 0 || !check(w, c, NULL)) return HO_FIND_ON;
  count_savings(w, c);
  return c->memory_saved > 0 ? found(c, data) : HO_FIND_ON;
}

/* Whether only the layer itself and the backward pass read what o makes: else it is the layer's result, a checkpoint. */
static gboolean stays_in_layer(const ho_workgraph *w, ho_op o, const char *layer) {
  for (int32_t i = 0; i < w->op[o].out.n; i++) {
    const ho_row *use = &w->tensor[w->op[o].out.item[i]].use;
    for (int32_t k = 0; k < use->n; k++) {
      const ho_op_info *r = &w->op[use->item[k]].info;
      if (r->phase == HO_PHASE_FORWARD && g_strcmp0(r->layer, layer) != 0) return FALSE;
    }
  }
  return TRUE;
}

static void gather_layer(const ho_workgraph *w, const char *layer, ho_candidate *c) {
  c->n_ops = 0;
  for (ho_op o = 0; o < w->n_ops && c->n_ops < HO_REWRITE_MAX_OPS; o++)
    if (w->op[o].alive && g_strcmp0(w->op[o].info.layer, layer) == 0 && !obstacle(w, o) && stays_in_layer(w, o, layer))
      c->op[c->n_ops++] = o;
  for (gboolean more = TRUE; more;) { /* what nothing needs again goes */
    more = FALSE;
    for (int32_t i = 0; i < c->n_ops; i++)
      if (!is_needed(w, c, c->op[i])) {
        memmove(c->op + i, c->op + i + 1, sizeof *c->op * (size_t)(--c->n_ops - i));
        more = TRUE;
        i--;
      }
  }
}

static void find(const ho_workgraph *w, ho_op near, ho_found found, void *data) {
  g_autoptr(GHashTable) layers = g_hash_table_new(g_str_hash, g_str_equal);
  ho_candidate c = {.rule = &ho_rewrite_rule_recompute, .tensor = -1};
  for (ho_op o = MAX(near, 0); o < (near >= 0 ? near + 1 : w->n_ops); o++) {
    if (!w->op[o].alive || !w->trains || obstacle(w, o)) continue;
    const char *layer = w->op[o].info.layer;
    if (layer && g_hash_table_add(layers, (gpointer)layer)) {
      gather_layer(w, layer, &c);
      if (c.n_ops > 1 && report(w, &c, "layer", found, data) == HO_FIND_ENOUGH) return;
    }
    c.n_ops = 1;
    c.op[0] = o;
    if (report(w, &c, "op", found, data) == HO_FIND_ENOUGH) return;
  }
}

/* ---- applying -------------------------------------------------------------------------------------------------------- */

typedef struct {
  ho_tensor of, again;
} remade;

static ho_tensor again_of(const GArray *list, ho_tensor t) {
  for (guint i = 0; i < list->len; i++)
    if (g_array_index(list, remade, i).of == t) return g_array_index(list, remade, i).again;
  return -1;
}

static ho_op add_copy(ho_workgraph *w, const ho_candidate *c, ho_op o, const char *name, ho_op place) {
  ho_origin self;
  int32_t n;
  const ho_origin *origin = ho_workgraph_origins(w, o, &self, &n);
  ho_op_info info = w->op[o].info;
  info.name = name;
  info.phase = HO_PHASE_BACKWARD;
  info.write = write_again(w, c, o);
  info.sensitivity = 0; /* its error was counted once */
  return ho_workgraph_add_op(w, &info, place, n, origin);
}

static void add_outputs(ho_workgraph *w, const ho_candidate *c, ho_op o, GArray *list) {
  for (int32_t i = 0; i < w->op[o].out.n; i++) {
    ho_tensor t = w->op[o].out.item[i];
    if (!is_remade(w, c, t)) continue;
    ho_tensor_info info = w->tensor[t].info;
    g_autofree char *name = ho_again_tensor_name(w, info.name, "again");
    ho_tensor alias = info.alias >= 0 ? again_of(list, info.alias) : -1;
    info.name = name;
    if (alias >= 0) info.alias = alias;
    remade x = {t, ho_workgraph_add_tensor(w, &info, t)};
    g_array_append_val(list, x);
  }
}

static int by_level(const void *a, const void *b, void *data) {
  const ho_workgraph *w = data;
  ho_op x = *(const ho_op *)a, y = *(const ho_op *)b;
  if (w->op[x].level != w->op[y].level) return w->op[x].level < w->op[y].level ? -1 : 1;
  return x < y ? -1 : x > y;
}

static gboolean connect(ho_workgraph *w, ho_op o, ho_op copy, ho_tensor token, const GArray *list) {
  gboolean ok = TRUE, waits = FALSE;
  for (int32_t i = 0; i < w->op[o].in.n; i++) {
    ho_tensor t = w->op[o].in.item[i], again = again_of(list, t);
    ok &= ho_workgraph_consume(w, again >= 0 ? again : t, copy);
    waits |= again >= 0;
  }
  if (!waits) ok &= ho_workgraph_consume(w, token, copy);
  for (int32_t i = 0; i < w->op[o].out.n; i++) {
    ho_tensor again = again_of(list, w->op[o].out.item[i]);
    if (again >= 0) ok &= ho_workgraph_produce(w, again, copy);
  }
  return ok;
}

/* What the forward pass itself does not read is not made there any more. */
static void drop(ho_workgraph *w, ho_tensor t) {
  const ho_work_tensor *x = &w->tensor[t];
  if (x->use.n > 0 || x->n_aliases > 0) return;
  ho_op maker = x->info.producer;
  ho_op_info info = w->op[maker].info;
  info.write -= ho_workgraph_write(w, maker, t);
  ho_workgraph_remove_tensor(w, t);
  ho_workgraph_set_op(w, maker, &info);
}

static gboolean apply(ho_workgraph *w, const ho_candidate *candidate, int32_t n_into, const char *const *into, GError **error) {
  g_autofree ho_candidate *c = g_memdup2(candidate, sizeof *c);
  if (c->axis || c->n_shares || c->tensor >= 0)
    return ho_fail(error, HO_ERROR_PLAN, "recompute takes ops and into: no axis, shares or tensor");
  if (n_into && n_into != c->n_ops)
    return ho_fail(error, HO_ERROR_PLAN, "into: %d names, expected %d, one per op", n_into, c->n_ops);
  if (!check(w, c, error)) return FALSE;
  ho_op first = first_reader(w, c), copy[HO_REWRITE_MAX_OPS];
  g_autoptr(GArray) list = g_array_new(FALSE, FALSE, sizeof(remade));
  ho_tensor token = ho_add_token(w, ho_backward_before(w, first, 0), w->op[c->op[0]].info.name, w->op[c->op[0]].out.item[0]);
  for (int32_t i = 0; i < c->n_ops; i++) {
    g_autofree char *own = n_into ? NULL : ho_again_op_name(w, w->op[c->op[i]].info.name, "again");
    copy[i] = add_copy(w, c, c->op[i], n_into ? into[i] : own, first);
  }
  ho_op sorted[HO_REWRITE_MAX_OPS]; /* what is viewed comes before its views */
  memcpy(sorted, c->op, sizeof *sorted * (size_t)c->n_ops);
  g_qsort_with_data(sorted, c->n_ops, sizeof *sorted, by_level, w);
  for (int32_t i = 0; i < c->n_ops; i++) add_outputs(w, c, sorted[i], list);
  gboolean ok = token >= 0;
  for (int32_t i = 0; i < c->n_ops && ok; i++) ok &= connect(w, c->op[i], copy[i], token, list);
  for (guint i = 0; i < list->len && ok; i++)
    ok &= ho_backward_reads_instead(w, g_array_index(list, remade, i).of, g_array_index(list, remade, i).again);
  for (guint i = 0; i < list->len; i++) drop(w, g_array_index(list, remade, i).of);
  return ok || ho_fail(error, HO_ERROR_PLAN, "ops: computed again they would form a cycle");
}

const ho_rewrite_rule ho_rewrite_rule_recompute = {
    .name = "recompute",
    .summary = "activations that training keeps are dropped and computed again, op by op or layer by layer",
    .source = "Chen, Xu, Zhang & Guestrin, Training Deep Nets with Sublinear Memory Cost, 2016, section 4",
    .shrinks = 0,
    .find = find,
    .apply = apply,
};
