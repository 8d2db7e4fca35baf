/* source.h: a graph from a specification: a file in any format that a reader knows, or a built-in model.
 *
 * "resnet50:batch=8,mode=training" names a built-in; anything with a '.' or '/' before the first ':' is a file, whose reader is
 * chosen by content (its first bytes) and then by name. One const struct each, listed in one table (source.c). */
#ifndef HO_MODELS_SOURCE_H
#define HO_MODELS_SOURCE_H

#include <glib.h>

#include "base/options.h"
#include "models/graph.h"

G_BEGIN_DECLS

/* Values for symbolic dimensions (--bind name=n) and for other things only the user knows. */
typedef struct {
  int32_t n;
  const char *const *name;
  const int64_t *value;
  int32_t n_devices; /* --device: where times were measured that a file gives without saying so */
  const char *const *device;
} ho_bindings;

typedef struct {
  const char *name; /* "resnet50" */
  const char *summary;
  const char *source; /* paper */
  const ho_option *options;
  ho_graph *(*build)(const char *name, const ho_options *options, GError **error);
} ho_model_builder;

typedef struct {
  const char *name; /* "onnx" */
  const char *summary;
  const char *extension; /* ".onnx" */
  int measured;          /* its times can be said to be those of given devices (ho_bindings.device) */
  /* TRUE when the first `n` bytes look like this format. */
  gboolean (*sniff)(const char *file, const unsigned char *head, size_t n);
  ho_graph *(*read)(const char *file, const ho_bindings *bindings, GError **error);
} ho_graph_reader;

extern const ho_model_builder *const ho_model_builders[]; /* ends with NULL */
extern const ho_graph_reader *const ho_graph_readers[];   /* ends with NULL */

const ho_model_builder *ho_model_find(const char *name); /* NULL */

/* `extra`: further "k=v" options for a built-in (e.g. "mode=training" from a config), NULL-terminated or NULL; for a file they
 * are an error unless they are `mode=inference`. */
ho_graph *ho_graph_load(const char *spec, const char *const *extra, const ho_bindings *bindings, GError **error);

/* Whether `spec` names a file rather than a built-in. */
gboolean ho_graph_spec_is_file(const char *spec);
/* The reader whose format a file has; NULL with an error. Not for standard input. */
const ho_graph_reader *ho_graph_reader_of(const char *file, GError **error);

/* heteroopt-graph/1 (graph_json.c, graph_json_write.c); "-" is standard input or output. */
extern const ho_graph_reader ho_graph_reader_json;
extern const ho_graph_reader ho_graph_reader_onnx;
extern const ho_graph_reader ho_graph_reader_wfcommons;
extern const ho_graph_reader ho_graph_reader_chakra;
extern const ho_graph_reader ho_graph_reader_dax;
extern const ho_graph_reader ho_graph_reader_dot;
extern const ho_graph_reader ho_graph_reader_partitioning;
extern const ho_graph_reader ho_graph_reader_pipedream;
extern const ho_graph_reader ho_graph_reader_stg;
extern const ho_graph_reader ho_graph_reader_tgff;
ho_graph *ho_graph_read_json(const char *file, const ho_bindings *bindings, GError **error);
gboolean ho_graph_write_json(const ho_graph *g, const char *file, GError **error);
/* The same from and to a text; `name` is for messages. */
ho_graph *ho_graph_parse_json(const char *name, const char *text, GError **error);
char *ho_graph_json(const ho_graph *g); /* g_free */
/* The Standard Task Graph Set's text; what it cannot say is in its comments (write_stg.c). */
gboolean ho_graph_write_stg(const ho_graph *g, const char *file, GError **error);
gboolean ho_graph_write_dot(const ho_graph *g, const char *file, GError **error); /* for `dot -Tsvg` (graph_dot.c) */

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ho_graph, ho_graph_free)

G_END_DECLS

#endif
