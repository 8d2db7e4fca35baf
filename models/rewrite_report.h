/* rewrite_report.h: what rewriting did to a graph: the figures before and after. */
#ifndef HO_MODELS_REWRITE_REPORT_H
#define HO_MODELS_REWRITE_REPORT_H

#include <glib.h>
#include <jansson.h>

#include "models/rewrite.h"

G_BEGIN_DECLS

/* B that all ops read and write of tensors that are no weights. */
double ho_graph_activation_traffic(const ho_graph *g);

/* Both new: a table for people (caller frees), and {"rewrites":[…],"before":{…},"after":{…}}. `list`: of ho_rewrite*. */
char *ho_rewrite_report_text(const ho_graph *before, const ho_graph *after, const GPtrArray *list);
json_t *ho_rewrite_report_json(const ho_graph *before, const ho_graph *after, const GPtrArray *list);

G_END_DECLS

#endif
