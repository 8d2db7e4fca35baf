/* trace_file.c: which trace the ending of a file's name asks for; see trace.h. */
#include "plots/trace.h"

gboolean ho_trace_write(const ho_problem *q, ho_replay *replay, const ho_replay_result *r, const char *file, GError **error) {
  if (g_str_has_suffix(file, ".csv")) return ho_trace_write_csv(q, replay, r, file, error);
  if (g_str_has_suffix(file, ".paje") || g_str_has_suffix(file, ".trace")) return ho_trace_write_paje(q, replay, r, file, error);
  return ho_trace_write_json(q, replay, r, file, error);
}
