/* trace.h: a replay as trace events that chrome://tracing and ui.perfetto.dev open.
 *
 * Format: "Trace Event Format" (Google, 2016), JSON object form; times in µs. Processes are devices (threads: streams) and links
 * (threads: lanes of one direction each); kernels and transfers are complete events ("X"), arrows from a producer through its
 * transfers to the consumers are flow events ("s", "f"), memory per memory (B) and power per device (W) are counters ("C"). */
#ifndef HO_PLOTS_TRACE_H
#define HO_PLOTS_TRACE_H

#include "sim/replay.h"

G_BEGIN_DECLS

/* Writes the last run of `replay`, whose result is `r`, to `file`. */
gboolean ho_trace_write(const ho_problem *q, ho_replay *replay, const ho_replay_result *r, const char *file, GError **error);

G_END_DECLS

#endif
