/* exec.h: a scheduler in any language: a child process that speaks JSON lines. docs/exec.md has the protocol.
 *
 * One object is one process; it serves one problem after the other, with a reset between them. It is a ho_scheduler for the search context, with
 * options that the process declares. Not thread safe: one per thread. */
#ifndef HO_SCHED_EXEC_H
#define HO_SCHED_EXEC_H

#include <glib.h>
#include <stdio.h>

#include "sched/scheduler.h"

G_BEGIN_DECLS

typedef struct {
  double timeout;     /* s for a problem, and for hello; 0: 600 */
  int64_t memory;     /* B of address space; 0: no limit */
  FILE *log;          /* every line both ways; NULL */
  const char *folder; /* where it runs; NULL: here */
} ho_exec_limits;

typedef struct ho_exec ho_exec;

/* Starts `command` and hears its hello. NULL with one line that says what was wrong. */
ho_exec *ho_exec_open(const char *command, const ho_exec_limits *limits, GError **error);
void ho_exec_free(ho_exec *x); /* says quit, and kills what has not gone; NULL is allowed */

/* What a search takes. Lives as long as x. */
const ho_scheduler *ho_exec_scheduler(const ho_exec *x);

/* Seconds for the problems that follow. */
void ho_exec_set_timeout(ho_exec *x, double seconds);
/* The first plan that was refused since ho_exec_open, as "plan 3: op …"; NULL: none was. */
const char *ho_exec_complaint(const ho_exec *x);
/* evaluate lines of the last problem */
int64_t ho_exec_lines(const ho_exec *x);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ho_exec, ho_exec_free)

G_END_DECLS

#endif
