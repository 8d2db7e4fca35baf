/* error.h: the one error domain, and how a message is worded.
 *
 * Library code never prints and never exits: what is wrong with the user's input is a GError of this domain. A message is
 * one line in the form
 *     file:line:column: what was found, what was expected         (text files whose reader knows lines)
 *     file: place: what was found, what was expected              (place: a path such as ops[3].flops, or a byte offset)
 * The code decides the exit status of the command: see ho_error_exit_status. */
#ifndef HO_BASE_ERROR_H
#define HO_BASE_ERROR_H

#include <glib.h>

G_BEGIN_DECLS

#define HO_ERROR (ho_error_quark())

typedef enum {
  HO_ERROR_INPUT,       /* a file, a value or a combination of them is at fault: exit 1 */
  HO_ERROR_PLAN,        /* the plan does not fit its graph or platform, or cannot be executed: exit 1 */
  HO_ERROR_INFEASIBLE,  /* the plan is well formed but memory cannot hold it: exit 1 */
  HO_ERROR_IO,          /* the operating system refused (no such file, disk full): exit 1 */
  HO_ERROR_USAGE,       /* the command line is wrong: exit 2 */
  HO_ERROR_INTERNAL     /* a fault of this program: exit 3 */
} ho_error_code;

GQuark ho_error_quark(void);

/* Sets *error (when error is not NULL) to a formatted message; line breaks in it become blanks. Always returns FALSE, so that a reader can write
 * `return ho_fail(error, HO_ERROR_INPUT, "%s: …", file)`. */
gboolean ho_fail(GError **error, ho_error_code code, const char *format, ...) G_GNUC_PRINTF(3, 4);

/* `text` of the user's as a message may show it: control characters and bytes that are not UTF-8 escaped, at most 80
 * characters. Caller frees. */
char *ho_printable(const char *text);

/* The exit status of the command for an error: 1, 2 or 3 (GLib's own file errors count as 1). */
int ho_error_exit_status(const GError *error);

/* The name among `names` (NULL-terminated) nearest to `word` by edit distance, or NULL when none is near enough to be a
 * likely typing error. Used for "did you mean". Ties: the earlier name. */
const char *ho_did_you_mean(const char *word, const char *const *names);

G_END_DECLS

#endif
