/* foreign.h: a scheduler of an experiment that is a process: processes at hand for the threads that run it.
 *
 * With `keep` a process that has done a run serves the next one, with a reset between; without, every run has a fresh one. A process that failed is
 * never used again. Taking and giving are thread safe. */
#ifndef HO_EXPERIMENTS_FOREIGN_H
#define HO_EXPERIMENTS_FOREIGN_H

#include <glib.h>

#include "sched/exec.h"

G_BEGIN_DECLS

typedef struct ho_foreign ho_foreign;

/* Starts a first process, to hear its name and its options. `folder`: where it runs. `timeout`: s, of a run; 0: the default. */
ho_foreign *ho_foreign_open(const char *command, const char *folder, double timeout, gboolean keep, GError **error);
void ho_foreign_free(ho_foreign *f); /* NULL is allowed */
const ho_scheduler *ho_foreign_scheduler(const ho_foreign *f);

/* A process to run with, and the way back; `fine`: it did its run. */
ho_exec *ho_foreign_take(ho_foreign *f, GError **error);
void ho_foreign_give(ho_foreign *f, ho_exec *x, gboolean fine);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ho_foreign, ho_foreign_free)

G_END_DECLS

#endif
