/* plugin.h: schedulers in shared objects.
 *
 * A plug-in defines one object, `const ho_scheduler ho_plugin_scheduler`, built against the installed headers (scheduler.h has the contract). Its
 * first two fields, abi and struct_size, must be those of this program. It stays loaded until the program ends. */
#ifndef HO_SCHED_PLUGIN_H
#define HO_SCHED_PLUGIN_H

#include <glib.h>

#include "sched/scheduler.h"

G_BEGIN_DECLS

/* NULL with one line: the file is none, lacks the object, or was built against another version. */
const ho_scheduler *ho_plugin_load(const char *file, GError **error);

G_END_DECLS

#endif
