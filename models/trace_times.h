/* trace_times.h: a graph with the times that a profiler measured laid over it.
 *
 * The profile is in the Trace Event Format (chrome://tracing, Perfetto): what PyTorch's profiler (Kineto), ONNX Runtime's profiler and
 * `heteroopt simulate --trace` write. A complete event (ph "X", times in µs) whose name is that of an op is a measurement of it; the median
 * of several counts. Where it was measured:
 *   - the devices given, if any;
 *   - `cpu` for the categories cpu_op, user_annotation, python_function, `gpu0` for kernel, gpu_memcpy, gpu_memset,
 *     gpu_user_annotation (PyTorch);
 *   - `cpu` or `gpu0` by the provider of a Node event, whose name ends in _kernel_time (ONNX Runtime);
 *   - else the process of the event, by its process_name.
 * Transfers and calls of the driver are no measurements of ops. */
#ifndef HO_MODELS_TRACE_TIMES_H
#define HO_MODELS_TRACE_TIMES_H

#include <glib.h>

#include "models/source.h"

G_BEGIN_DECLS

/* A copy of `g` in which ops that the trace names have time tables; the others stay as they are. How many of each is in its note. An error
 * when the trace names no op of the graph. */
ho_graph *ho_graph_with_times(const ho_graph *g, const char *trace, const ho_bindings *bindings, GError **error);

G_END_DECLS

#endif
