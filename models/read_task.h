/* read_task.h: what the readers of task graphs share: ops with a measured time, edges with so many bytes, files read line by
 * line. Not installed.
 *
 * A time that was measured on a machine the file does not name becomes work: HO_TASK_FLOPS FLOP per second, so that any platform
 * can run the task and a faster one runs it faster. With `--device NAME` (ho_bindings.device) it becomes a time table instead:
 * those seconds on the devices named, and no other device can run the task.
 *
 * Data of task graphs is opaque: its bytes do not shrink when an op runs at a lower precision. */
#ifndef HO_MODELS_READ_TASK_H
#define HO_MODELS_READ_TASK_H

#include <glib.h>

#include "models/graph_build.h"
#include "models/source.h"

#define HO_TASK_FLOPS 1e9 /* FLOP that stand for one second on a machine without a name */

/* An op of so many seconds, as above. A table that the op's format names devices for is made with ho_graph_build_time. */
ho_op ho_task_op(ho_graph_build *b, ho_op_info *op, double seconds, const ho_bindings *bindings);
/* The same where the format says on what was measured: `devices` (NULL-terminated) unless the user named others. */
ho_op ho_task_op_on(ho_graph_build *b, const ho_op_info *op, double seconds, const char *const *devices,
                    const ho_bindings *bindings);
gboolean ho_task_has_devices(const ho_bindings *bindings);
/* "1 s of run time is taken as 1 GFLOP (--device says on what it was measured)", or "run times are those of cpu, gpu". Caller frees. */
char *ho_task_time_note(const ho_bindings *bindings);

/* Whole bytes, rounded up; -1 when not finite, negative or beyond HO_GRAPH_MAX_BYTES. */
int64_t ho_task_bytes(double bytes);
/* What `from` hands to `to`: a tensor of its own, named "from>to". No bytes: the edge only orders. */
ho_tensor ho_task_edge(ho_graph_build *b, const char *from_name, ho_op from, const char *to_name, ho_op to, int64_t bytes,
                       ho_dtype dtype);
/* `name`, or with "#2", "#3", … behind it when a tensor has it already. Caller frees. */
char *ho_task_fresh_tensor(const ho_graph_build *b, const char *name);

/* Fails when something is bound: `format` ("an STG graph") has no symbolic dimensions. */
gboolean ho_task_no_bindings(const char *file, const char *format, const ho_bindings *bindings, GError **error);
/* The file's name without folder and extension: what a graph is called whose file does not name it. Caller frees. */
char *ho_task_name_of_file(const char *file);
/* Whether `word` is among the first `n` bytes. */
gboolean ho_task_head_has(const unsigned char *head, size_t n, const char *word);

/* ---- text ------------------------------------------------------------------------------------------------------------ */

typedef struct {
  const char *file;
  char *text;
  size_t length, at;
  int line; /* of what was read last, counted from 1 */
} ho_text;

/* Reads the whole file; a NUL byte in it is refused. */
gboolean ho_text_open(ho_text *t, const char *file, GError **error);
void ho_text_clear(ho_text *t);
/* The next line without its end, or NULL. Lies in t->text. */
char *ho_text_line(ho_text *t);
/* "file:line: …". Always FALSE. */
gboolean ho_text_fail(const ho_text *t, GError **error, const char *format, ...) G_GNUC_PRINTF(3, 4);
/* A finite number, 0 or more, or a failure that names `what`. */
gboolean ho_text_number(const ho_text *t, const char *word, const char *what, double *value, GError **error);
/* A whole number from 0 to `most`. */
gboolean ho_text_index(const ho_text *t, const char *word, const char *what, int64_t most, int64_t *value, GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ho_text, ho_text_clear)

#endif
