/* rewrite.c: rewrites as values, and applying them; see rewrite.h. */
#include "models/rewrite.h"

#include <string.h>

#include "base/error.h"

/* ---- values ---------------------------------------------------------------------------------------------------------- */

static void free_words(char **words, int32_t n) {
  for (int32_t i = 0; i < n; i++) g_free(words[i]);
  g_free(words);
}

static char **copy_words(char *const *words, int32_t n) {
  char **copy = g_new0(char *, (size_t)n + 1);
  for (int32_t i = 0; i < n; i++) copy[i] = g_strdup(words[i]);
  return copy;
}

static gboolean equal_words(char *const *a, int32_t n, char *const *b, int32_t m) {
  if (n != m) return FALSE;
  for (int32_t i = 0; i < n; i++)
    if (strcmp(a[i], b[i]) != 0) return FALSE;
  return TRUE;
}

void ho_rewrite_free(ho_rewrite *r) {
  if (!r) return;
  free_words(r->ops, r->n_ops);
  free_words(r->into, r->n_into);
  g_free(r->rule);
  g_free(r->axis);
  g_free(r->shares);
  g_free(r->tensor);
  g_free(r);
}

ho_rewrite *ho_rewrite_copy(const ho_rewrite *r) {
  ho_rewrite *c = g_memdup2(r, sizeof *r);
  c->rule = g_strdup(r->rule);
  c->ops = copy_words(r->ops, r->n_ops);
  c->axis = g_strdup(r->axis);
  c->shares = r->n_shares ? g_memdup2(r->shares, sizeof *r->shares * (size_t)r->n_shares) : NULL;
  c->tensor = g_strdup(r->tensor);
  c->into = copy_words(r->into, r->n_into);
  return c;
}

gboolean ho_rewrite_equal(const ho_rewrite *a, const ho_rewrite *b) {
  return strcmp(a->rule, b->rule) == 0 && equal_words(a->ops, a->n_ops, b->ops, b->n_ops) && g_strcmp0(a->axis, b->axis) == 0 &&
         a->n_shares == b->n_shares &&
         (a->n_shares == 0 || memcmp(a->shares, b->shares, sizeof *a->shares * (size_t)a->n_shares) == 0) &&
         g_strcmp0(a->tensor, b->tensor) == 0 && equal_words(a->into, a->n_into, b->into, b->n_into);
}

/* ---- applying -------------------------------------------------------------------------------------------------------- */

static gboolean guarded(ho_workgraph *w, const ho_candidate *c, int32_t n_into, const char *const *into, GError **error) {
  int32_t mark = ho_workgraph_mark(w);
  if (c->rule->apply(w, c, n_into, into, error)) return TRUE;
  ho_workgraph_undo(w, mark);
  return FALSE;
}

gboolean ho_candidate_apply(ho_workgraph *w, const ho_candidate *c, GError **error) {
  return guarded(w, c, 0, NULL, error);
}

/* What it made lies behind what there was. */
static void name_into(ho_rewrite *r, const ho_workgraph *w, ho_op from) {
  r->into = g_new0(char *, (size_t)(w->n_ops - from) + 1);
  for (ho_op o = from; o < w->n_ops; o++)
    if (w->op[o].alive) r->into[r->n_into++] = g_strdup(w->op[o].info.name);
}

ho_rewrite *ho_candidate_apply_named(ho_workgraph *w, const ho_candidate *c, GError **error) {
  g_autoptr(ho_rewrite) r = g_new0(ho_rewrite, 1);
  r->rule = g_strdup(c->rule->name);
  r->n_ops = c->n_ops;
  r->ops = g_new0(char *, (size_t)c->n_ops + 1);
  for (int32_t i = 0; i < c->n_ops; i++) r->ops[i] = g_strdup(w->op[c->op[i]].info.name);
  r->axis = g_strdup(c->axis);
  r->n_shares = c->n_shares;
  if (c->n_shares) r->shares = g_memdup2(c->share, sizeof *c->share * (size_t)c->n_shares);
  if (c->tensor >= 0) r->tensor = g_strdup(w->tensor[c->tensor].info.name);
  ho_op from = w->n_ops;
  if (!ho_candidate_apply(w, c, error)) return NULL;
  name_into(r, w, from);
  return g_steal_pointer(&r);
}

static gboolean find_ops(const ho_workgraph *w, const ho_rewrite *r, ho_candidate *c, GError **error) {
  if (r->n_ops < 1 || r->n_ops > HO_REWRITE_MAX_OPS)
    return ho_fail(error, HO_ERROR_PLAN, "ops: %d names, expected 1 to %d", r->n_ops, HO_REWRITE_MAX_OPS);
  for (int32_t i = 0; i < r->n_ops; i++) {
    c->op[i] = ho_workgraph_find_op(w, r->ops[i]);
    if (c->op[i] < 0)
      return ho_fail(error, HO_ERROR_PLAN, "ops[%d]: there is no op '%s' in the graph at this point", i, r->ops[i]);
    for (int32_t k = 0; k < i; k++)
      if (c->op[k] == c->op[i]) return ho_fail(error, HO_ERROR_PLAN, "ops[%d]: '%s' is named twice", i, r->ops[i]);
  }
  c->n_ops = r->n_ops;
  return TRUE;
}

static gboolean take_shares(const ho_rewrite *r, ho_candidate *c, GError **error) {
  if (r->n_shares > HO_REWRITE_MAX_SHARES)
    return ho_fail(error, HO_ERROR_PLAN, "shares: %d of them, expected at most %d", r->n_shares, HO_REWRITE_MAX_SHARES);
  c->n_shares = r->n_shares;
  for (int32_t i = 0; i < r->n_shares; i++) c->share[i] = r->shares[i];
  return TRUE;
}

static gboolean check_into(const ho_workgraph *w, const ho_rewrite *r, GError **error) {
  for (int32_t i = 0; i < r->n_into; i++) {
    if (!*r->into[i]) return ho_fail(error, HO_ERROR_PLAN, "into[%d]: the name is empty", i);
    if (!ho_workgraph_fresh_op(w, r->into[i]))
      return ho_fail(error, HO_ERROR_PLAN, "into[%d]: there is or was an op '%s': expected a fresh name", i, r->into[i]);
    for (int32_t k = 0; k < i; k++)
      if (strcmp(r->into[k], r->into[i]) == 0)
        return ho_fail(error, HO_ERROR_PLAN, "into[%d]: '%s' is named twice", i, r->into[i]);
  }
  return TRUE;
}

static gboolean no_rule(const char *name, GError **error) {
  g_autoptr(GString) all = g_string_new(NULL);
  for (int i = 0; ho_rewrite_rules[i]; i++) g_string_append_printf(all, "%s%s", i ? ", " : "", ho_rewrite_rules[i]->name);
  g_autofree char *shown = ho_printable(name);
  return ho_fail(error, HO_ERROR_PLAN, "rule: '%s' is not known, expected one of %s", shown, all->str);
}

gboolean ho_rewrite_apply(ho_workgraph *w, const ho_rewrite *r, GError **error) {
  g_autofree ho_candidate *c = g_new0(ho_candidate, 1);
  c->rule = ho_rewrite_rule_find(r->rule);
  if (!c->rule) return no_rule(r->rule, error);
  c->pattern = c->rule->name;
  c->axis = r->axis;
  c->tensor = -1;
  if (r->tensor && (c->tensor = ho_workgraph_find_tensor(w, r->tensor)) < 0)
    return ho_fail(error, HO_ERROR_PLAN, "tensor: there is no tensor '%s' in the graph at this point", r->tensor);
  return find_ops(w, r, c, error) && take_shares(r, c, error) && check_into(w, r, error) &&
         guarded(w, c, r->n_into, (const char *const *)r->into, error);
}

/* ---- everywhere ------------------------------------------------------------------------------------------------------ */

typedef struct {
  ho_workgraph *w;
  GPtrArray *list;
  int32_t n;
  GArray *pending; /* ho_candidate, none of which overlap */
  guint8 *taken;   /* by op */
  int32_t room;
} everywhere;

/* Takes a candidate none of whose ops was taken in this round. Applying waits: `find` walks the graph. */
static ho_find_answer take(const ho_candidate *c, void *data) {
  everywhere *e = data;
  for (int32_t i = 0; i < c->n_ops; i++)
    if (e->taken[c->op[i]]) return HO_FIND_ON;
  for (int32_t i = 0; i < c->n_ops; i++) e->taken[c->op[i]] = 1;
  g_array_append_vals(e->pending, c, 1);
  return HO_FIND_ON;
}

static gboolean apply_one(everywhere *e, const ho_candidate *c) {
  if (!e->list) return ho_candidate_apply(e->w, c, NULL);
  ho_rewrite *r = ho_candidate_apply_named(e->w, c, NULL);
  if (r) g_ptr_array_add(e->list, r);
  return r != NULL;
}

/* Those of one round do not overlap, but the second of two may have become illegal by the first (a cycle): it is left out. */
static int32_t round_of(everywhere *e, const ho_rewrite_rule *rule) {
  e->taken = g_malloc0((gsize)e->w->n_ops + 1);
  g_array_set_size(e->pending, 0);
  rule->find(e->w, -1, take, e);
  int32_t done = 0;
  for (guint i = 0; i < e->pending->len; i++) done += apply_one(e, &g_array_index(e->pending, ho_candidate, i));
  g_clear_pointer(&e->taken, g_free);
  return done;
}

int32_t ho_rewrite_everywhere(ho_workgraph *w, const char *names, GPtrArray *list, GError **error) {
  g_auto(GStrv) each = g_strsplit(names, ",", -1);
  for (char **name = each; *name; name++)
    if (!ho_rewrite_rule_find(*name)) {
      no_rule(*name, error);
      return -1;
    }
  everywhere e = {.w = w, .list = list, .pending = g_array_new(FALSE, FALSE, sizeof(ho_candidate))};
  for (char **name = each; *name; name++) {
    const ho_rewrite_rule *rule = ho_rewrite_rule_find(*name);
    int32_t done;
    do {
      done = round_of(&e, rule);
      e.n += done;
    } while (done > 0 && rule->shrinks);
  }
  g_array_free(e.pending, TRUE);
  return e.n;
}
