/* gantt.h: the result of `simulate --json` as a Gantt chart: a lane per stream of a device and per pair of memories. */
#ifndef HO_PLOTS_GANTT_H
#define HO_PLOTS_GANTT_H

#include <glib.h>
#include <jansson.h>

G_BEGIN_DECLS

/* `name` stands for the replay in the title and in messages. `outputs` and `note`: as for ho_figure_draw. */
gboolean ho_gantt_draw(const json_t *replay, const char *name, const char *const *outputs, char **note, GError **error);

G_END_DECLS

#endif
