/* plan_json.c: heteroopt-plan/1 and heteroopt-front/1; see plan_check.h. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "models/rewrite_json.h"
#include "sim/plan_check.h"
#include "sim/variant.h"

#define PLAN_FORMAT "heteroopt-plan/1"
#define FRONT_FORMAT "heteroopt-front/1"

/* ---- writing ----------------------------------------------------------------------------------------------------------------- */

static json_t *entry_to_json(const ho_entry *e, const ho_graph *g, const ho_platform *p) {
  const ho_device_info *d = &p->device[e->device];
  json_t *j = json_object();
  json_object_set_new(j, "op", json_string(g->op[e->op].name));
  json_object_set_new(j, "device", json_string(d->name));
  if (e->stream) json_object_set_new(j, "stream", json_integer(e->stream));
  if (e->precision != HO_DTYPE_NONE) json_object_set_new(j, "precision", json_string(ho_dtype_name((ho_dtype)e->precision)));
  if (e->point) json_object_set_new(j, "point", json_string(d->point[e->point].name));
  if (e->copy) json_object_set_new(j, "copy", json_integer(e->copy));
  if (e->not_before > 0) json_object_set_new(j, "not_before", json_real(e->not_before));
  return j;
}

static void set_objectives(json_t *j, const ho_plan_note *note) {
  const struct {
    const char *name;
    double value;
  } all[] = {{"latency", note->latency}, {"energy", note->energy}, {"memory", note->memory}};
  json_t *o = json_object();
  for (size_t i = 0; i < G_N_ELEMENTS(all); i++)
    if (!isnan(all[i].value)) json_object_set_new(o, all[i].name, json_real(all[i].value));
  if (json_object_size(o) > 0)
    json_object_set_new(j, "objectives", o);
  else
    json_decref(o);
}

json_t *ho_plan_to_json(const ho_plan *plan, const ho_graph *g, const ho_platform *p, const ho_plan_note *note) {
  const ho_variant *v = plan->variant;
  json_t *j = json_object();
  if (v) g = v->base;
  json_object_set_new(j, "format", json_string(PLAN_FORMAT));
  json_object_set_new(j, "graph", json_string(g->name));
  json_object_set_new(j, "graph_digest", json_string(g->digest));
  json_object_set_new(j, "platform", json_string(p->name));
  json_object_set_new(j, "platform_digest", json_string(p->digest));
  json_object_set_new(j, "rewrites", ho_rewrites_to_json(v ? v->rewrites : NULL));
  json_t *assign = json_array();
  const ho_graph *own = v ? v->graph : g;
  for (int32_t i = 0; i < plan->n; i++) json_array_append_new(assign, entry_to_json(&plan->entry[i], own, p));
  json_object_set_new(j, "assign", assign);
  if (note) {
    if (note->scheduler) {
      json_object_set_new(j, "scheduler", json_string(note->scheduler));
      /* JSON integers are signed: seeds above 2^63-1 wrap, and wrap back when read. */
      json_object_set_new(j, "seed", json_integer((json_int_t)note->seed));
    }
    set_objectives(j, note);
  }
  return j;
}

json_t *ho_front_to_json(ho_plan *const *plans, const ho_plan_note *notes, int32_t n, const ho_graph *g, const ho_platform *p) {
  json_t *j = json_object(), *list = json_array();
  for (int32_t i = 0; i < n; i++) json_array_append_new(list, ho_plan_to_json(plans[i], g, p, notes ? &notes[i] : NULL));
  json_object_set_new(j, "format", json_string(FRONT_FORMAT));
  json_object_set_new(j, "plans", list);
  return j;
}

/* ---- reading ----------------------------------------------------------------------------------------------------------------- */

typedef struct {
  const ho_graph *g;
  const ho_platform *p;
  ho_json_at at;
  GError **error;
} reader;

static gboolean read_small_int(const json_t *j, ho_json_at at, const char *key, int16_t *out, GError **error) {
  int64_t v = *out;
  if (!ho_json_get_int(j, at, key, FALSE, 0, &v, error)) return FALSE;
  if (v > INT16_MAX)
    return ho_fail(error, HO_ERROR_PLAN, "%s: %s.%s: %" G_GINT64_FORMAT " is too large", at.file, at.place, key, v);
  *out = (int16_t)v;
  return TRUE;
}

static gboolean read_point(const reader *r, const char *name, const ho_device_info *d, ho_json_at at, ho_entry *e) {
  for (int i = 0; i < d->n_points; i++)
    if (strcmp(d->point[i].name, name) == 0) {
      e->point = (int8_t)i;
      return TRUE;
    }
  return ho_fail(r->error, HO_ERROR_PLAN, "%s: %s.point: device '%s' has no operating point '%s'", at.file, at.place, d->name,
                 name);
}

static gboolean read_entry(const reader *r, const json_t *j, ho_json_at at, ho_entry *e) {
  static const char *const keys[] = {"op", "device", "stream", "precision", "point", "copy", "not_before", NULL};
  const char *op = NULL, *device = NULL, *precision = NULL, *point = NULL;
  if (!ho_json_object_only(j, at, keys, r->error) || !ho_json_get_string(j, at, "op", TRUE, &op, r->error) ||
      !ho_json_get_string(j, at, "device", TRUE, &device, r->error) ||
      !ho_json_get_string(j, at, "precision", FALSE, &precision, r->error) ||
      !ho_json_get_string(j, at, "point", FALSE, &point, r->error) || !read_small_int(j, at, "stream", &e->stream, r->error) ||
      !read_small_int(j, at, "copy", &e->copy, r->error) ||
      !ho_json_get_double(j, at, "not_before", FALSE, 0, &e->not_before, r->error))
    return FALSE;
  e->op = ho_graph_find_op(r->g, op);
  if (e->op < 0)
    return ho_fail(r->error, HO_ERROR_PLAN, "%s: %s.op: graph '%s'%s has no op '%s'", at.file, at.place, r->g->name,
                   r->g->original ? " after the plan's rewrites" : "", op);
  ho_device d = ho_platform_find_device(r->p, device);
  if (d < 0)
    return ho_fail(r->error, HO_ERROR_PLAN, "%s: %s.device: platform '%s' has no device '%s'", at.file, at.place, r->p->name,
                   device);
  e->device = (int16_t)d;
  if (precision) {
    ho_dtype t = ho_dtype_parse(precision);
    if (t < 0 || t >= HO_N_PRECISIONS)
      return ho_fail(r->error, HO_ERROR_PLAN, "%s: %s.precision: '%s' is not a precision, expected fp32, fp16, …", at.file,
                     at.place, precision);
    e->precision = (int8_t)t;
  }
  return !point || read_point(r, point, &r->p->device[d], at, e);
}

static gboolean same(const reader *r, const json_t *j, const char *key, const char *expected, const char *what) {
  const char *found = NULL;
  if (!ho_json_get_string(j, r->at, key, FALSE, &found, r->error)) return FALSE;
  if (!found || strcmp(found, expected) == 0) return TRUE;
  const char *dot = *r->at.place ? "." : "";
  return ho_fail(r->error, HO_ERROR_PLAN, "%s: %s%s%s: the plan is for %s '%s', expected '%s'", r->at.file, r->at.place, dot, key,
                 what, found, expected);
}

/* A plan for the platform as it is, or as it was before its memories were limited: a plan says nothing about capacities. */
static gboolean same_platform(const reader *r, const json_t *j) {
  return g_strcmp0(json_string_value(json_object_get(j, "platform_digest")), r->p->file_digest) == 0 ||
         same(r, j, "platform_digest", r->p->digest, "the platform with digest");
}

/* Nothing depends on the notes, but what is not one is an error like anywhere else. */
static gboolean check_notes(const reader *r, const json_t *j) {
  const char *scheduler = NULL, *dot = *r->at.place ? "." : "";
  int64_t seed = 0;
  json_t *objectives = json_object_get(j, "objectives");
  if (!ho_json_get_string(j, r->at, "scheduler", FALSE, &scheduler, r->error) ||
      !ho_json_get_int(j, r->at, "seed", FALSE, 0, &seed, r->error))
    return FALSE;
  return !objectives || json_is_object(objectives) ||
         ho_fail(r->error, HO_ERROR_PLAN, "%s: %s%sobjectives: expected an object of numbers by objective", r->at.file,
                 r->at.place, dot);
}

static gboolean read_head(const reader *r, const json_t *j, json_t **rewrites) {
  static const char *const keys[] = {"format",    "graph", "graph_digest", "platform", "platform_digest", "rewrites", "assign",
                                     "scheduler", "seed",  "objectives",   NULL};
  if (!ho_json_object_only(j, r->at, keys, r->error) || !ho_json_check_format(j, r->at, PLAN_FORMAT, r->error) ||
      !same(r, j, "graph", r->g->name, "graph") || !same(r, j, "graph_digest", r->g->digest, "the graph with digest") ||
      !same(r, j, "platform", r->p->name, "platform") || !same_platform(r, j) ||
      !ho_json_get_array(j, r->at, "rewrites", FALSE, rewrites, r->error))
    return FALSE;
  return check_notes(r, j);
}

/* The variant that a plan is about. `last`: that of the plan before it in the file, which is likely the same. */
static gboolean read_variant(const reader *r, const json_t *rewrites, const ho_cost *c, ho_variant **last) {
  if (!rewrites || json_array_size(rewrites) == 0) {
    g_clear_pointer(last, ho_variant_unref);
    return TRUE;
  }
  GPtrArray *list = ho_rewrites_from_json(rewrites, r->at, r->error);
  if (!list) return FALSE;
  if (*last && ho_variant_same_rewrites(*last, list)) {
    g_ptr_array_unref(list);
    return TRUE;
  }
  g_clear_pointer(last, ho_variant_unref);
  *last = ho_variant_new(r->g, r->p, c, list, r->error);
  if (!*last) g_prefix_error(r->error, "%s: %s%s", r->at.file, r->at.place, *r->at.place ? "." : "");
  return *last != NULL;
}

static ho_plan *read_plan(const json_t *j, ho_json_at at, const ho_graph *g, const ho_platform *p, const ho_cost *c,
                          ho_variant **last, GError **error) {
  reader r = {g, p, at, error};
  json_t *assign = NULL, *rewrites = NULL;
  if (!read_head(&r, j, &rewrites) || !ho_json_get_array(j, at, "assign", TRUE, &assign, error) ||
      !read_variant(&r, rewrites, c, last))
    return NULL;
  if (*last) r.g = (*last)->graph;
  if (json_array_size(assign) > INT32_MAX / 2) {
    ho_fail(error, HO_ERROR_PLAN, "%s: assign: too many entries", at.file);
    return NULL;
  }
  g_autoptr(ho_plan) plan = ho_plan_new((int32_t)json_array_size(assign));
  ho_plan_set_variant(plan, *last);
  for (int32_t i = 0; i < plan->n; i++) {
    g_autofree char *place = g_strdup_printf("%s%sassign[%d]", at.place, *at.place ? "." : "", i);
    if (!read_entry(&r, json_array_get(assign, (size_t)i), (ho_json_at){at.file, place}, &plan->entry[i])) return NULL;
  }
  if (!ho_plan_check(plan, g, p, c, error)) {
    g_prefix_error(error, "%s: %s%s", at.file, at.place, *at.place ? ": " : "");
    return NULL;
  }
  return g_steal_pointer(&plan);
}

ho_plan *ho_plan_from_json(const json_t *j, ho_json_at at, const ho_graph *g, const ho_platform *p, const ho_cost *c,
                           GError **error) {
  g_autoptr(ho_variant) last = NULL;
  return read_plan(j, at, g, p, c, &last, error);
}

static void free_plan(gpointer p) {
  ho_plan_free(p);
}

GPtrArray *ho_plans_read(const char *file, const ho_graph *g, const ho_platform *p, const ho_cost *c, GError **error) {
  json_t *root = ho_json_read(file, error);
  if (!root) return NULL;
  g_autoptr(ho_variant) last = NULL;
  g_autoptr(GPtrArray) plans = g_ptr_array_new_with_free_func(free_plan);
  const char *format = json_string_value(json_object_get(root, "format"));
  gboolean ok = TRUE;
  if (format && strcmp(format, FRONT_FORMAT) == 0) {
    static const char *const keys[] = {"format", "plans", NULL};
    json_t *list = NULL;
    ho_json_at top = {file, ""};
    ok = ho_json_object_only(root, top, keys, error) && ho_json_get_array(root, top, "plans", TRUE, &list, error);
    for (size_t i = 0; ok && i < json_array_size(list); i++) {
      g_autofree char *place = g_strdup_printf("plans[%zu]", i);
      ho_plan *plan = read_plan(json_array_get(list, i), (ho_json_at){file, place}, g, p, c, &last, error);
      ok = plan != NULL;
      if (ok) g_ptr_array_add(plans, plan);
    }
  } else {
    ho_plan *plan = read_plan(root, (ho_json_at){file, ""}, g, p, c, &last, error);
    ok = plan != NULL;
    if (ok) g_ptr_array_add(plans, plan);
  }
  json_decref(root);
  return ok ? g_steal_pointer(&plans) : NULL;
}
