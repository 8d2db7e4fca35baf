/* rewrite_json.h: rewrites as plans write them: {"rule":"fuse","ops":["a","b"],"into":["a+b"]}, and, where the rule has them, "axis",
 * "shares" and "tensor". */
#ifndef HO_MODELS_REWRITE_JSON_H
#define HO_MODELS_REWRITE_JSON_H

#include <glib.h>

#include "base/jsonio.h"
#include "models/rewrite.h"

G_BEGIN_DECLS

/* New references. `list`: of ho_rewrite*; NULL is empty. */
json_t *ho_rewrite_to_json(const ho_rewrite *r);
json_t *ho_rewrites_to_json(const GPtrArray *list);

/* An array of rewrites; the free function is set. Errors name `at`, such as rewrites[3].ops. */
GPtrArray *ho_rewrites_from_json(const json_t *array, ho_json_at at, GError **error);

/* An empty list that frees its rewrites. */
GPtrArray *ho_rewrites_new(void);
GPtrArray *ho_rewrites_copy(const GPtrArray *list);

G_END_DECLS

#endif
