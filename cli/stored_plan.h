/* stored_plan.h: a plan out of a results database, replayed. */
#ifndef HO_CLI_STORED_PLAN_H
#define HO_CLI_STORED_PLAN_H

#include <glib.h>
#include <jansson.h>

/* What `simulate --json` would print of plan `plan_id` (a plan_id of the view final_front) of database `file`, from the graph and the
 * platform that the database keeps. New reference; *title (g_free) says whose plan of what it is. NULL on error. */
json_t *ho_cli_replay_stored(const char *file, gint64 plan_id, char **title, GError **error);

#endif
