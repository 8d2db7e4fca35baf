/* pipe.h: a child process that is spoken to in lines.
 *
 * The child leads a process group of its own, which is killed as a whole; its standard error is ours. Writing and reading wait on both
 * pipes at once, so that neither side can block the other for ever, and no longer than until a deadline. A line has at most 256 MiB: a child
 * that floods is told by that.
 * Failure: one line that says what happened: time-out, exit with its status, signal, flood, half a line. */
#ifndef HO_SCHED_PIPE_H
#define HO_SCHED_PIPE_H

#include <glib.h>
#include <stdio.h>

G_BEGIN_DECLS

typedef struct ho_pipe ho_pipe;

/* `command`: words as a shell splits them; no shell runs. `folder`: where it runs; NULL: here. `memory`: B of address space, 0: no limit. */
ho_pipe *ho_pipe_open(const char *command, const char *folder, int64_t memory, GError **error);
void ho_pipe_free(ho_pipe *p); /* kills what is left; NULL is allowed */

/* Every line both ways is also written to `log`, "> " before ours and "< " before theirs; NULL: to none. Not owned. */
void ho_pipe_log(ho_pipe *p, FILE *log);

/* Monotonic microseconds (g_get_monotonic_time) after which reading and writing fail. */
void ho_pipe_deadline(ho_pipe *p, gint64 at);

/* A line without its line feed, valid until the next call; NULL on failure. */
const char *ho_pipe_read(ho_pipe *p, GError **error);
/* `text` has no line feed. */
gboolean ho_pipe_write(ho_pipe *p, const char *text, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ho_pipe, ho_pipe_free)

G_END_DECLS

#endif
