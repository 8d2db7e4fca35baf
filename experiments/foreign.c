/* foreign.c: see foreign.h. */
#include "experiments/foreign.h"

struct ho_foreign {
  char *command, *folder;
  double timeout;
  gboolean keep;
  ho_exec *first;    /* says name and options for as long as the experiment lasts; makes no run */
  GAsyncQueue *idle; /* of ho_exec* */
};

static ho_exec *start(const ho_foreign *f, GError **error) {
  const ho_exec_limits limits = {.timeout = f->timeout, .folder = f->folder};
  return ho_exec_open(f->command, &limits, error);
}

ho_foreign *ho_foreign_open(const char *command, const char *folder, double timeout, gboolean keep, GError **error) {
  g_autoptr(ho_foreign) f = g_new0(ho_foreign, 1);
  f->command = g_strdup(command);
  f->folder = g_strdup(folder);
  f->timeout = timeout;
  f->keep = keep;
  f->idle = g_async_queue_new();
  f->first = start(f, error);
  return f->first ? g_steal_pointer(&f) : NULL;
}

void ho_foreign_free(ho_foreign *f) {
  if (!f) return;
  for (ho_exec *x = g_async_queue_try_pop(f->idle); x; x = g_async_queue_try_pop(f->idle)) ho_exec_free(x);
  g_async_queue_unref(f->idle);
  ho_exec_free(f->first);
  g_free(f->command);
  g_free(f->folder);
  g_free(f);
}

const ho_scheduler *ho_foreign_scheduler(const ho_foreign *f) {
  return ho_exec_scheduler(f->first);
}

ho_exec *ho_foreign_take(ho_foreign *f, GError **error) {
  ho_exec *x = g_async_queue_try_pop(f->idle);
  return x ? x : start(f, error);
}

void ho_foreign_give(ho_foreign *f, ho_exec *x, gboolean fine) {
  if (fine && f->keep)
    g_async_queue_push(f->idle, x);
  else
    ho_exec_free(x);
}
