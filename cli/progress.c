/* progress.c: see progress.h. */
#include "cli/progress.h"

#include <stdio.h>
#include <unistd.h>

#define CELLS 24
#define PATIENCE 1.0 /* s before it appears */
#define PERIOD 0.1   /* s between two drawings */

ho_progress ho_progress_begin(const char *noun) {
  return (ho_progress){.noun = noun, .terminal = isatty(STDERR_FILENO) == 1};
}

void ho_progress_show(const ho_run_progress *p, void *user) {
  ho_progress *bar = user;
  if (!bar->terminal || p->seconds < PATIENCE || (p->seconds - bar->last < PERIOD && p->done < p->total)) return;
  int full = p->total > 0 ? (int)((gint64)CELLS * p->done / p->total) : 0;
  fputs("\r\033[K▕", stderr);
  for (int i = 0; i < CELLS; i++) fputs(i < full ? "█" : " ", stderr);
  int elapsed = (int)p->seconds;
  fprintf(stderr, "▏ %d/%d %s %d:%02d", p->done, p->total, bar->noun, elapsed / 60, elapsed % 60);
  if (p->done > 0 && p->done < p->total) {
    int left = (int)(p->seconds / p->done * (p->total - p->done));
    fprintf(stderr, ", about %d:%02d left", left / 60, left % 60);
  }
  fflush(stderr);
  bar->shown = TRUE;
  bar->last = p->seconds;
}

void ho_progress_end(ho_progress *bar) {
  if (bar->shown) fputs("\r\033[K", stderr);
  bar->shown = FALSE;
}
