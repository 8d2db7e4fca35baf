/* progress.h: a progress bar on standard error: only on a terminal, and only when work takes longer than a second. */
#ifndef HO_CLI_PROGRESS_H
#define HO_CLI_PROGRESS_H

#include "experiments/runner.h"

typedef struct {
  const char *noun; /* what is counted: "runs" */
  gboolean terminal;
  gboolean shown;
  double last; /* s: when it was last drawn */
} ho_progress;

ho_progress ho_progress_begin(const char *noun);
/* A ho_run_setup.progress whose user is the ho_progress. */
void ho_progress_show(const ho_run_progress *p, void *bar);
void ho_progress_end(ho_progress *bar); /* wipes it */

#endif
