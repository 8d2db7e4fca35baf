/* onnx_files.h: finding and reading the ONNX files that tests use. */
#ifndef TESTS_MODELS_ONNX_FILES_H
#define TESTS_MODELS_ONNX_FILES_H

#include <glib.h>

#include "models/source.h"

/* Path of a file in tests/data/onnx. Caller frees. */
char *fixture_path(const char *name);
/* Reads a fixture; the test fails where that fails. `bind` is "a=1,b=2" or NULL. */
ho_graph *fixture_graph(const char *name, const char *bind);
/* Reads any file with "a=1,b=2" bound. */
ho_graph *read_bound(const char *path, const char *bind, GError **error);
/* Writes bytes to a temporary file of the test's own. Caller frees the path; unlink when done. */
char *temporary_onnx(const void *bytes, size_t size);
/* The directory of reference data, or a visible skip of the test. Caller frees. */
char *shared_onnx(void);

ho_op op_that_makes(const ho_graph *g, const char *tensor); /* -1 */
char *shape_text(const ho_graph *g, const char *tensor);    /* "2x3x4", "" of a scalar, "?" when not known; caller frees */

#endif
