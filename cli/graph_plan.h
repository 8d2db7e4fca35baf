/* graph_plan.h: `heteroopt graph info --plan`: a graph as a plan places it. */
#ifndef HO_CLI_GRAPH_PLAN_H
#define HO_CLI_GRAPH_PLAN_H

#include <glib.h>
#include <jansson.h>

#include "models/graph.h"

/* Replays plan `number` (from 1; NULL: the only one) of a file on a platform, and appends its edges and a table of what if; into `json`
 * as member "placed" where that is not NULL. */
gboolean ho_cli_graph_plan(const ho_graph *g, const char *platform, const char *file, const char *number, json_t *json,
                           GString *out, GError **error);

#endif
