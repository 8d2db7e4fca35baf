/* files.h: graph files for the tests of the readers: samples beside the sources, reference data, and texts made up on the spot. */
#ifndef HO_TESTS_MODELS_FILES_H
#define HO_TESTS_MODELS_FILES_H

#include <glib.h>

#include "models/source.h"

/* Every file under tests/data/graphs that is a graph; ends with NULL. */
extern const char *const samples[];

/* Path of a sample; caller frees. */
char *sample_path(const char *name);
/* Path of data/graphs/NAME (or cases/NAME/graph.json) in the folder HO_SHARED names, or ../shared beside the sources; skips the test,
 * saying so, where it is absent. Caller frees. */
char *shared_path(const char *folder, const char *name);

/* Reads a file with bindings such as "graph=1" (NULL-terminated or NULL) for devices (likewise). The test fails when it is refused. */
ho_graph *read_file(const char *path, const char *const *bind, const char *const *device);
/* The same for a sample without bindings. */
ho_graph *read_sample(const char *name);
/* Reads bytes as a file whose name ends in `suffix`. NULL: *message is the error without the file's name, one line; caller frees both. */
ho_graph *read_bytes(const char *bytes, size_t length, const char *suffix, char **message);
/* A text must be refused with a message that contains `part`. */
void expect_refused(const char *text, const char *suffix, const char *part);

/* Writes with `write` to a temporary file and reads that for `device`. */
typedef gboolean (*writer)(const ho_graph *g, const char *file, GError **error);
ho_graph *write_and_read(const ho_graph *g, writer write, const char *suffix, const char *const *device);

/* Seconds of an op on a device, -1 when its table does not list it. */
double time_on(const ho_graph *g, const char *op, const char *device);
/* Bytes of a tensor by name; the test fails when there is none. */
int64_t bytes_of(const ho_graph *g, const char *tensor);
/* Bytes of all tensors with a producer. */
int64_t bytes_made(const ho_graph *g);
gboolean has_edge(const ho_graph *g, const char *from, const char *to);

#endif
