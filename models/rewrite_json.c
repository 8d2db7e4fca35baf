/* rewrite_json.c: see rewrite_json.h. */
#include "models/rewrite_json.h"

#include "base/error.h"

static void free_rewrite(gpointer r) {
  ho_rewrite_free(r);
}

GPtrArray *ho_rewrites_new(void) {
  return g_ptr_array_new_with_free_func(free_rewrite);
}

GPtrArray *ho_rewrites_copy(const GPtrArray *list) {
  GPtrArray *copy = ho_rewrites_new();
  for (guint i = 0; i < list->len; i++) g_ptr_array_add(copy, ho_rewrite_copy(list->pdata[i]));
  return copy;
}

/* ---- writing --------------------------------------------------------------------------------------------------------- */

static json_t *words(char *const *list, int32_t n) {
  json_t *j = json_array();
  for (int32_t i = 0; i < n; i++) json_array_append_new(j, json_string(list[i]));
  return j;
}

json_t *ho_rewrite_to_json(const ho_rewrite *r) {
  json_t *j = json_object();
  json_object_set_new(j, "rule", json_string(r->rule));
  json_object_set_new(j, "ops", words(r->ops, r->n_ops));
  if (r->axis) json_object_set_new(j, "axis", json_string(r->axis));
  if (r->n_shares) {
    json_t *shares = json_array();
    for (int32_t i = 0; i < r->n_shares; i++) json_array_append_new(shares, json_real(r->shares[i]));
    json_object_set_new(j, "shares", shares);
  }
  if (r->tensor) json_object_set_new(j, "tensor", json_string(r->tensor));
  if (r->n_into) json_object_set_new(j, "into", words(r->into, r->n_into));
  return j;
}

json_t *ho_rewrites_to_json(const GPtrArray *list) {
  json_t *j = json_array();
  for (guint i = 0; list && i < list->len; i++) json_array_append_new(j, ho_rewrite_to_json(list->pdata[i]));
  return j;
}

/* ---- reading --------------------------------------------------------------------------------------------------------- */

static gboolean read_words(const json_t *j, ho_json_at at, const char *key, gboolean required, char ***out, int32_t *n,
                           GError **error) {
  json_t *list = NULL;
  if (!ho_json_get_array(j, at, key, required, &list, error)) return FALSE;
  size_t count = list ? json_array_size(list) : 0;
  if (count > INT32_MAX / 2) return ho_fail(error, HO_ERROR_PLAN, "%s: %s.%s: too many names", at.file, at.place, key);
  *out = g_new0(char *, count + 1);
  for (size_t i = 0; i < count; i++) {
    const char *word = json_string_value(json_array_get(list, i));
    if (!word) return ho_fail(error, HO_ERROR_PLAN, "%s: %s.%s[%zu]: expected a name", at.file, at.place, key, i);
    (*out)[i] = g_strdup(word);
    *n = (int32_t)i + 1;
  }
  return TRUE;
}

static gboolean read_shares(const json_t *j, ho_json_at at, ho_rewrite *r, GError **error) {
  json_t *list = NULL;
  if (!ho_json_get_array(j, at, "shares", FALSE, &list, error)) return FALSE;
  size_t n = list ? json_array_size(list) : 0;
  if (n > HO_REWRITE_MAX_SHARES)
    return ho_fail(error, HO_ERROR_PLAN, "%s: %s.shares: %zu of them, expected at most %d", at.file, at.place, n,
                   HO_REWRITE_MAX_SHARES);
  r->shares = n ? g_new0(double, n) : NULL;
  for (; r->n_shares < (int32_t)n; r->n_shares++) {
    const json_t *x = json_array_get(list, (size_t)r->n_shares);
    double v = json_is_number(x) ? json_number_value(x) : -1;
    if (!(v > 0 && v <= 1))
      return ho_fail(error, HO_ERROR_PLAN, "%s: %s.shares[%d]: expected a number above 0 and at most 1", at.file, at.place,
                     r->n_shares);
    r->shares[r->n_shares] = v;
  }
  return TRUE;
}

static ho_rewrite *read_rewrite(const json_t *j, ho_json_at at, GError **error) {
  static const char *const keys[] = {"rule", "ops", "axis", "shares", "tensor", "into", NULL};
  g_autoptr(ho_rewrite) r = g_new0(ho_rewrite, 1);
  const char *rule = NULL, *axis = NULL, *tensor = NULL;
  if (!ho_json_object_only(j, at, keys, error) || !ho_json_get_string(j, at, "rule", TRUE, &rule, error) ||
      !read_words(j, at, "ops", TRUE, &r->ops, &r->n_ops, error) || !ho_json_get_string(j, at, "axis", FALSE, &axis, error) ||
      !read_shares(j, at, r, error) || !ho_json_get_string(j, at, "tensor", FALSE, &tensor, error) ||
      !read_words(j, at, "into", FALSE, &r->into, &r->n_into, error))
    return NULL;
  r->rule = g_strdup(rule);
  r->axis = g_strdup(axis);
  r->tensor = g_strdup(tensor);
  return g_steal_pointer(&r);
}

GPtrArray *ho_rewrites_from_json(const json_t *array, ho_json_at at, GError **error) {
  g_autoptr(GPtrArray) list = ho_rewrites_new();
  for (size_t i = 0; i < json_array_size(array); i++) {
    g_autofree char *place = g_strdup_printf("%s%srewrites[%zu]", at.place, *at.place ? "." : "", i);
    ho_rewrite *r = read_rewrite(json_array_get(array, i), (ho_json_at){at.file, place}, error);
    if (!r) return NULL;
    g_ptr_array_add(list, r);
  }
  return g_steal_pointer(&list);
}
