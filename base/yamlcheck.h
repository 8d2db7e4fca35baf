/* yamlcheck.h: holding a YAML tree against a libcyaml schema, before libcyaml sees it.
 *
 * libcyaml stops at the first fault too, but reports an unknown key at the previous value's line, and takes much for granted: it
 * reads `seed: -1` into an unsigned number, `noise: nan` into a double and any word but "no" as a true. Here each of
 * these is an error at its own place. Internal to base/. */
#ifndef HO_BASE_YAMLCHECK_H
#define HO_BASE_YAMLCHECK_H

#include <cyaml/cyaml.h>

#include "base/yamltree.h"

gboolean ho_yaml_check(const char *file, const ho_yaml_tree *t, const cyaml_schema_value_t *schema, GError **error);

#endif
