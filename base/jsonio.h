/* jsonio.h: jansson with errors that say file and place, and writing that never varies.
 *
 * Reading: files up to 2 GB, duplicate keys refused, depth limited. ho_json_object_only refuses keys that are not listed.
 * Writing: keys in the order they were set, doubles with the shortest text that reads back to the same bits. */
#ifndef HO_BASE_JSONIO_H
#define HO_BASE_JSONIO_H

#include <glib.h>
#include <jansson.h>
#include <stdint.h>

G_BEGIN_DECLS

/* Reads a file ("-": standard input). New reference, or NULL with "file:line:column: …". */
json_t *ho_json_read(const char *file, GError **error);

/* Writes to a file by way of a temporary beside it and a rename ("-": standard output). */
gboolean ho_json_write(const json_t *value, const char *file, GError **error);
char *ho_json_text(const json_t *value); /* pretty, two-space indent, what is short on one line, a line break at the end; caller frees */
char *ho_json_line(const json_t *value); /* compact, no line break; caller frees */

/* Where a reader is: "graph.json" and "ops[3].time". Cheap to copy; `where` texts are built only for errors. */
typedef struct {
  const char *file;
  const char *place; /* e.g. "ops[3]" */
} ho_json_at;

/* Refuses keys of `object` outside `keys` (NULL-terminated), with "did you mean". Also refuses a non-object. */
gboolean ho_json_object_only(const json_t *object, ho_json_at at, const char *const *keys, GError **error);

/* Typed members. A missing optional member leaves *out as it was. Numbers must be finite; `min` ≤ value. */
gboolean ho_json_get_double(const json_t *object, ho_json_at at, const char *key, gboolean required, double min, double *out, GError **error);
gboolean ho_json_get_int(const json_t *object, ho_json_at at, const char *key, gboolean required, int64_t min, int64_t *out, GError **error);
gboolean ho_json_get_string(const json_t *object, ho_json_at at, const char *key, gboolean required, const char **out, GError **error);
gboolean ho_json_get_array(const json_t *object, ho_json_at at, const char *key, gboolean required, json_t **out, GError **error);
/* Checks "format": "heteroopt-…/1". */
gboolean ho_json_check_format(const json_t *object, ho_json_at at, const char *format, GError **error);

G_END_DECLS

#endif
