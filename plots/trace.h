/* trace.h: a replay as a trace that other tools read. The ending of the file's name says which:
 *
 *   .csv            a row per kernel, transfer and buffer, for a spreadsheet or data frame (trace_csv.c)
 *   .paje, .trace   Paje, for ViTE and pj_dump (trace_paje.c)
 *   anything else   trace events (JSON), for chrome://tracing and ui.perfetto.dev (trace.c)
 *
 * All of the same run: the same kernels, transfers, buffers and curves. docs/formats.md says what stands where. */
#ifndef HO_PLOTS_TRACE_H
#define HO_PLOTS_TRACE_H

#include "sim/replay.h"

G_BEGIN_DECLS

/* Writes the last run of `replay`, whose result is `r`, to `file`. */
gboolean ho_trace_write(const ho_problem *q, ho_replay *replay, const ho_replay_result *r, const char *file, GError **error);

/* "Trace Event Format" (Google, 2016), JSON object form; times in µs. Processes are devices (threads: streams) and links (threads: lanes of
 * one direction each); kernels and transfers are complete events ("X"), the ways of data (arrows.h) flow events ("s", "f"); bytes per
 * memory, watts per device and bytes per second of each direction of a link are counters ("C"). */
gboolean ho_trace_write_json(const ho_problem *q, ho_replay *replay, const ho_replay_result *r, const char *file, GError **error);

/* Paje (de Kergommeaux, Stein & Bernard, Parallel Computing 26(10), 2000); times in s, events in order of time. */
gboolean ho_trace_write_paje(const ho_problem *q, ho_replay *replay, const ho_replay_result *r, const char *file, GError **error);

/* CSV (RFC 4180, lines end with a line feed): times in s, bytes in B; a field that does not apply is empty. */
gboolean ho_trace_write_csv(const ho_problem *q, ho_replay *replay, const ho_replay_result *r, const char *file, GError **error);

G_END_DECLS

#endif
