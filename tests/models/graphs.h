/* graphs.h: graphs for the tests of models/: random ones with every feature, and files out of texts. */
#ifndef HO_TESTS_MODELS_GRAPHS_H
#define HO_TESTS_MODELS_GRAPHS_H

#include "base/stream.h"
#include "models/graph_build.h"
#include "models/source.h"

/* A valid random graph of `n` ops: types, shapes, aliases, time tables, odd names. The same for the same stream. */
ho_graph *random_graph(ho_stream *s, int32_t n);

/* A built-in model; the test fails with the message when there is none. */
ho_graph *built_in(const char *spec);

/* Reads a text as a graph file. The error's message (NULL when it was read) is in *message, without the file's name; caller
 * frees both. */
ho_graph *graph_of_text(const char *text, char **message);

/* What a graph is written as; caller frees. */
char *text_of_graph(const ho_graph *g);

/* A file of the shared reference data (HO_SHARED, or ../shared beside the sources); skips the test, saying so, where it is absent.
 * Caller frees. */
char *shared_file(const char *name);

#endif
