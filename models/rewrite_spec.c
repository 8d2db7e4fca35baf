/* rewrite_spec.c: see rewrite_spec.h. */
#include "models/rewrite_spec.h"

#include <string.h>

#include "base/error.h"
#include "base/jsonio.h"
#include "base/units.h"
#include "models/rewrite_json.h"

/* ---- ops ------------------------------------------------------------------------------------------------------------- */

static ho_op find_op(const ho_workgraph *w, const char *name, GError **error) {
  ho_op o = ho_workgraph_find_op(w, name);
  if (o >= 0) return o;
  g_autofree char *shown = ho_printable(name);
  ho_fail(error, HO_ERROR_PLAN, "ops: there is no op '%s' in the graph at this point", shown);
  return -1;
}

/* Marks what o reaches (or what reaches it). */
static void reach(const ho_workgraph *w, ho_op from, gboolean forwards, guint8 *mark, guint8 bit) {
  g_autoptr(GArray) stack = g_array_new(FALSE, FALSE, sizeof(ho_op));
  g_array_append_val(stack, from);
  mark[from] |= bit;
  while (stack->len > 0) {
    ho_op o = g_array_index(stack, ho_op, stack->len - 1);
    g_array_set_size(stack, stack->len - 1);
    const ho_row *row = forwards ? &w->op[o].out : &w->op[o].in;
    for (int32_t i = 0; i < row->n; i++) {
      const ho_work_tensor *t = &w->tensor[row->item[i]];
      for (int32_t k = 0; k < (forwards ? t->use.n : 1); k++) {
        ho_op next = forwards ? t->use.item[k] : t->info.producer;
        if (next < 0 || mark[next] & bit) continue;
        mark[next] |= bit;
        g_array_append_val(stack, next);
      }
    }
  }
}

static gboolean add_between(const ho_workgraph *w, const char *from, const char *to, GPtrArray *names, GError **error) {
  ho_op a = find_op(w, from, error), b = a < 0 ? -1 : find_op(w, to, error);
  if (b < 0) return FALSE;
  g_autofree guint8 *mark = g_malloc0((gsize)w->n_ops + 1);
  reach(w, a, TRUE, mark, 1);
  reach(w, b, FALSE, mark, 2);
  if (mark[b] != 3) return ho_fail(error, HO_ERROR_PLAN, "ops: no path leads from '%s' to '%s'", from, to);
  for (ho_op o = 0; o < w->n_ops; o++)
    if (mark[o] == 3) g_ptr_array_add(names, g_strdup(w->op[o].info.name));
  return TRUE;
}

static gboolean read_ops(const ho_workgraph *w, const char *text, ho_rewrite *r, GError **error) {
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
  g_auto(GStrv) each = g_strsplit(text, "|", -1);
  for (char **name = each; *name; name++) {
    const char *dots = ho_workgraph_find_op(w, *name) < 0 ? strstr(*name, "..") : NULL;
    g_autofree char *from = dots ? g_strndup(*name, (gsize)(dots - *name)) : NULL;
    if (!dots)
      g_ptr_array_add(names, g_strdup(*name));
    else if (!add_between(w, from, dots + 2, names, error))
      return FALSE;
  }
  r->n_ops = (int32_t)names->len;
  g_ptr_array_add(names, NULL);
  r->ops = (char **)g_ptr_array_free(g_steal_pointer(&names), FALSE);
  return TRUE;
}

/* ---- one rewrite ----------------------------------------------------------------------------------------------------- */

static gboolean read_shares(const char *text, ho_rewrite *r, GError **error) {
  g_auto(GStrv) each = g_strsplit(text, "/", -1);
  r->shares = g_new0(double, g_strv_length(each) + 1);
  for (char **word = each; *word; word++)
    if (!ho_double_parse(*word, &r->shares[r->n_shares++], error)) {
      g_prefix_error(error, "shares: ");
      return FALSE;
    }
  return TRUE;
}

static gboolean read_setting(const ho_workgraph *w, const char *key, const char *value, ho_rewrite *r, GError **error) {
  if (strcmp(key, "ops") == 0 && !r->ops) return read_ops(w, value, r, error);
  if (strcmp(key, "shares") == 0 && !r->shares) return read_shares(value, r, error);
  if (strcmp(key, "axis") == 0 && !r->axis) {
    r->axis = g_strdup(value);
  } else if (strcmp(key, "tensor") == 0 && !r->tensor) {
    r->tensor = g_strdup(value);
  } else {
    g_autofree char *shown = ho_printable(key);
    return ho_fail(error, HO_ERROR_PLAN, "'%s': expected ops, axis, shares or tensor, each once", shown);
  }
  return TRUE;
}

/* The op of a rule that a tensor alone names is the one that makes it. */
static void ops_of_tensor(const ho_workgraph *w, ho_rewrite *r) {
  ho_tensor t = r->tensor && !r->ops ? ho_workgraph_find_tensor(w, r->tensor) : -1;
  if (t < 0 || w->tensor[t].info.producer < 0) return;
  r->ops = g_new0(char *, 2);
  r->ops[r->n_ops++] = g_strdup(w->op[w->tensor[t].info.producer].info.name);
}

static ho_rewrite *parse(const ho_workgraph *w, const char *text, GError **error) {
  g_autoptr(ho_rewrite) r = g_new0(ho_rewrite, 1);
  g_auto(GStrv) fields = g_strsplit(text, ":", -1);
  r->rule = g_strdup(fields[0]);
  for (char **field = fields + 1; *field; field++) {
    char *equals = strchr(*field, '=');
    if (!equals) {
      ho_fail(error, HO_ERROR_PLAN, "'%s': expected KEY=VALUE", *field);
      return NULL;
    }
    *equals = '\0';
    if (!read_setting(w, *field, equals + 1, r, error)) return NULL;
  }
  ops_of_tensor(w, r);
  return g_steal_pointer(&r);
}

/* Lists r with the names of what it made: behind what there was. */
static gboolean carry_out(ho_workgraph *w, ho_rewrite *r, GPtrArray *list, GError **error) {
  ho_op from = w->n_ops;
  if (!ho_rewrite_apply(w, r, error)) return FALSE;
  if (!r->n_into) {
    g_free(r->into);
    r->into = g_new0(char *, (size_t)(w->n_ops - from) + 1);
    for (ho_op o = from; o < w->n_ops; o++)
      if (w->op[o].alive) r->into[r->n_into++] = g_strdup(w->op[o].info.name);
  }
  g_ptr_array_add(list, r);
  return TRUE;
}

static gboolean apply_one(ho_workgraph *w, const char *text, GPtrArray *list, GError **error) {
  g_autoptr(ho_rewrite) r = parse(w, text, error);
  if (!r || !carry_out(w, r, list, error)) {
    g_prefix_error(error, "rewrite '%s': ", text);
    return FALSE;
  }
  r = NULL; /* the list's now */
  return TRUE;
}

/* ---- files ----------------------------------------------------------------------------------------------------------- */

static gboolean apply_file(ho_workgraph *w, const char *file, GPtrArray *list, GError **error) {
  json_t *root = ho_json_read(file, error);
  if (!root) return FALSE;
  const json_t *array = json_is_array(root) ? root : json_object_get(root, "rewrites");
  g_autoptr(GPtrArray) read = NULL;
  if (json_is_array(array))
    read = ho_rewrites_from_json(array, (ho_json_at){file, ""}, error);
  else
    ho_fail(error, HO_ERROR_PLAN, "%s: expected an array of rewrites, or an object with \"rewrites\"", file);
  json_decref(root);
  for (guint i = 0; read && i < read->len; i++) {
    g_autoptr(ho_rewrite) r = ho_rewrite_copy(read->pdata[i]);
    if (!carry_out(w, r, list, error)) {
      g_prefix_error(error, "%s: rewrites[%u]: ", file, i);
      return FALSE;
    }
    r = NULL;
  }
  return read != NULL;
}

gboolean ho_rewrites_by_spec(ho_workgraph *w, const char *spec, GPtrArray *list, GError **error) {
  g_auto(GStrv) items = g_strsplit(spec, ",", -1);
  if (!*items) return ho_fail(error, HO_ERROR_PLAN, "no rewrites are named: expected rules such as remove,fold,fuse");
  for (char **item = items; *item; item++) {
    gboolean ok = g_str_has_suffix(*item, ".json") ? apply_file(w, *item, list, error)
                  : strchr(*item, ':')             ? apply_one(w, *item, list, error)
                                                   : ho_rewrite_everywhere(w, *item, list, error) >= 0;
    if (!ok) return FALSE;
  }
  return TRUE;
}
