/* yamlio.h: YAML files read by libcyaml against a schema, with errors that say file, line, column, key and expectation.
 *
 * libcyaml loads the whole file into C structs. When it refuses, and for values that it lets pass (NaN, negative sizes, bad
 * unit suffixes), the place of a key is looked up in the file's own event stream: ho_yaml_fail does that. */
#ifndef HO_BASE_YAMLIO_H
#define HO_BASE_YAMLIO_H

#include <cyaml/cyaml.h>
#include <glib.h>

G_BEGIN_DECLS

/* A file, loaded or about to be. Keeps the text for error places. */
typedef struct ho_yaml ho_yaml;

ho_yaml *ho_yaml_open(const char *file, GError **error); /* reads and parses; NULL when it is not YAML */
ho_yaml *ho_yaml_from_text(const char *name,
                           const char *text); /* `name` stands for the file in messages; faults show at ho_yaml_load */
void ho_yaml_free(ho_yaml *y);
const char *ho_yaml_file(const ho_yaml *y);
const char *ho_yaml_text(const ho_yaml *y);

/* Loads against `schema` (a CYAML_VALUE_MAPPING_PTR). *data is freed with ho_yaml_release(schema, data). */
gboolean ho_yaml_load(ho_yaml *y, const cyaml_schema_value_t *schema, void **data, GError **error);
void ho_yaml_release(const cyaml_schema_value_t *schema, void *data);

/* Whether the text has a value at a path such as "devices[2].points": tells an empty list from an absent one. */
gboolean ho_yaml_has(const ho_yaml *y, const char *path);

/* Fails at a path such as "devices[2].power.idle" with "file:line:column: key 'idle': message". If the path is not there (an absent
 * key), at its nearest enclosing entry. Always FALSE. */
gboolean ho_yaml_fail(const ho_yaml *y, GError **error, const char *path, const char *format, ...) G_GNUC_PRINTF(4, 5);

/* "file:line:column: key 'idle'", as ho_yaml_fail has it, for faults that show once the file is gone. Caller frees. */
char *ho_yaml_place(const ho_yaml *y, const char *path);

/* Top-level "format" must equal `format`. `found` NULL: it is looked up in the text, which may be done before loading, so that a file
 * of another format is called that instead of being blamed for its first key. */
gboolean ho_yaml_check_format(const ho_yaml *y, const char *found, const char *format, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ho_yaml, ho_yaml_free)

G_END_DECLS

#endif
