/* graph_rewrite.h: `heteroopt graph rewrite`: where rules apply, or the graph that they leave. */
#ifndef HO_CLI_GRAPH_REWRITE_H
#define HO_CLI_GRAPH_REWRITE_H

#include <glib.h>

#include "models/graph.h"

typedef struct {
  char *rules;      /* "fuse,remove" */
  char *output;     /* the rewritten graph; NULL: not written; .onnx: as an ONNX file */
  const char *spec; /* what the graph was read from */
  char **bind;
  gboolean list, json;
} ho_cli_rewrite_options;

/* Whether a list such as "remove,fuse" names rules; else a usage error that names the option. */
gboolean ho_cli_rules(const char *option, const char *list, GError **error);

gboolean ho_cli_graph_rewrite(const ho_graph *g, const ho_cli_rewrite_options *o, GString *out, GError **error);

#endif
