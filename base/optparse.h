/* optparse.h: reading "name=value" texts against a table of typed options (options.h). */
#ifndef HO_BASE_OPTPARSE_H
#define HO_BASE_OPTPARSE_H

#include <glib.h>

#include "base/options.h"

G_BEGIN_DECLS

/* Reads `given` ("k=v" texts, NULL-terminated, may be NULL) against `table` (NULL: no options). An unknown name, a value of
 * the wrong type or out of range, or a name given twice is an error that starts with `who` and says what was expected. */
ho_options *ho_options_parse(const ho_option *table, const char *const *given, const char *who, GError **error);
void ho_options_free(ho_options *o);

int64_t ho_options_int(const ho_options *o, const char *name);       /* also: index of a choice. The name must be in the table */
double ho_options_double(const ho_options *o, const char *name);
const char *ho_options_string(const ho_options *o, const char *name); /* also: text of a choice */

/* "k=v,k=v" of every option in table order, defaults included: the canonical form that content keys use. Caller frees. */
char *ho_options_canonical(const ho_options *o);

/* Splits "name:k=v,k=v" (also with ':' between options) into name and NULL-terminated "k=v" texts. Both owned by the caller
 * (g_free, g_strfreev). */
void ho_spec_split(const char *spec, char **name, char ***given);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ho_options, ho_options_free)

G_END_DECLS

#endif
