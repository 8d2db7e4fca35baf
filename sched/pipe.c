/* pipe.c: see pipe.h. The child's standard input is a socket, so that writing to a child that is gone is an error and no signal. */
#include "sched/pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"

#define MOST_LINE ((size_t)256 << 20)

struct ho_pipe {
  GPid child;
  int to, from;
  GString *read;   /* what has come and is not given out yet */
  size_t given;    /* of it, with the line feed of the last line */
  gint64 deadline; /* µs; G_MAXINT64: none */
  gint64 allowed;  /* µs that the deadline was set for: for the message */
  FILE *log;
  gboolean gone; /* it has been waited for */
};

typedef struct {
  int64_t memory;
} child_limits;

/* Between fork and exec: only calls that are safe there. */
static void set_up_child(gpointer data) {
  const child_limits *limits = data;
  setpgid(0, 0);
  if (limits->memory <= 0) return;
  struct rlimit r = {(rlim_t)limits->memory, (rlim_t)limits->memory};
  setrlimit(RLIMIT_AS, &r);
}

ho_pipe *ho_pipe_open(const char *command, const char *folder, int64_t memory, GError **error) {
  g_auto(GStrv) words = NULL;
  g_autoptr(GError) why = NULL;
  int input[2], output = -1;
  if (!g_shell_parse_argv(command, NULL, &words, &why)) {
    ho_fail(error, HO_ERROR_INPUT, "exec:%s: %s", command, why->message);
    return NULL;
  }
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, input)) {
    ho_fail(error, HO_ERROR_IO, "exec:%s: %s", command, g_strerror(errno));
    return NULL;
  }
  child_limits limits = {memory};
  ho_pipe *p = g_new0(ho_pipe, 1);
  int pipes[2];
  gboolean ok = pipe2(pipes, O_CLOEXEC) == 0 &&
                g_spawn_async_with_fds(folder, words, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD, set_up_child,
                                       &limits, &p->child, input[1], pipes[1], STDERR_FILENO, &why);
  output = ok ? pipes[0] : -1;
  close(input[1]);
  if (ok) close(pipes[1]);
  if (!ok) {
    close(input[0]);
    g_free(p);
    ho_fail(error, HO_ERROR_INPUT, "exec:%s: cannot be started: %s", command, why ? why->message : "no pipe");
    return NULL;
  }
  p->to = input[0];
  p->from = output;
  p->read = g_string_new(NULL);
  p->deadline = G_MAXINT64;
  return p;
}

void ho_pipe_free(ho_pipe *p) {
  if (!p) return;
  close(p->to);
  close(p->from);
  if (!p->gone) {
    kill(-p->child, SIGKILL);
    kill(p->child, SIGKILL); /* before it has made its group */
    waitpid(p->child, NULL, 0);
  }
  g_spawn_close_pid(p->child);
  g_string_free(p->read, TRUE);
  g_free(p);
}

void ho_pipe_log(ho_pipe *p, FILE *log) {
  p->log = log;
}

void ho_pipe_deadline(ho_pipe *p, gint64 at) {
  p->deadline = at;
  p->allowed = at == G_MAXINT64 ? 0 : at - g_get_monotonic_time();
}

/* ---- what went wrong ------------------------------------------------------------------------------------------------------------ */
static gboolean fail_gone(ho_pipe *p, GError **error) {
  int status = 0;
  for (int i = 0; i < 200 && !p->gone; i++) { /* its pipe may close a moment before it ends */
    p->gone = waitpid(p->child, &status, WNOHANG) == p->child;
    if (!p->gone) g_usleep(5000);
  }
  if (!p->gone) return ho_fail(error, HO_ERROR_INPUT, "closed its output and went on");
  kill(-p->child, SIGKILL); /* what it may have started */
  if (WIFSIGNALED(status))
    return ho_fail(error, HO_ERROR_INPUT, "was ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
  return ho_fail(error, HO_ERROR_INPUT, "exited with status %d before it was done", WEXITSTATUS(status));
}

static gboolean fail_late(const ho_pipe *p, GError **error) {
  return ho_fail(error, HO_ERROR_INPUT, "time-out: no answer within %.3g s", (double)p->allowed * 1e-6);
}

/* ---- lines ---------------------------------------------------------------------------------------------------------------------- */
/* Takes what there is. 0: end of file, -1: nothing to be had now. */
static gssize take(ho_pipe *p) {
  char buffer[65536];
  gssize n = read(p->from, buffer, sizeof buffer);
  if (n > 0) g_string_append_len(p->read, buffer, n);
  return n < 0 && (errno == EINTR || errno == EAGAIN) ? -1 : MAX(n, 0);
}

/* Waits until one of the two can go on; FALSE: too late. */
static gboolean wait_for(const ho_pipe *p, gboolean write, gboolean *readable, gboolean *writable) {
  struct pollfd fds[2] = {{.fd = p->from, .events = POLLIN}, {.fd = p->to, .events = POLLOUT}};
  for (;;) {
    gint64 left = p->deadline == G_MAXINT64 ? G_MAXINT64 : p->deadline - g_get_monotonic_time();
    if (left <= 0) return FALSE;
    int timeout = left == G_MAXINT64 ? -1 : (int)MIN(left / 1000 + 1, 1000000);
    int n = poll(fds, write ? 2 : 1, timeout);
    if (n < 0 && errno != EINTR) return FALSE;
    *readable = n > 0 && fds[0].revents != 0;
    *writable = n > 0 && write && fds[1].revents != 0;
    if (*readable || *writable) return TRUE;
  }
}

static gboolean check_flood(const ho_pipe *p, GError **error) {
  return p->read->len - p->given <= MOST_LINE ||
         ho_fail(error, HO_ERROR_INPUT, "wrote more than %zu MiB without being asked, or in one line", MOST_LINE >> 20);
}

const char *ho_pipe_read(ho_pipe *p, GError **error) {
  if (p->given) g_string_erase(p->read, 0, (gssize)p->given);
  p->given = 0;
  for (size_t looked = 0;;) {
    char *end = memchr(p->read->str + looked, '\n', p->read->len - looked);
    if (end) {
      *end = '\0';
      p->given = (size_t)(end - p->read->str) + 1;
      if (p->log) fprintf(p->log, "< %s\n", p->read->str);
      if (strlen(p->read->str) + 1 == p->given) return p->read->str;
      ho_fail(error, HO_ERROR_INPUT, "wrote a line with a zero byte, expected JSON");
      return NULL;
    }
    looked = p->read->len;
    gboolean readable, writable;
    if (!check_flood(p, error)) return NULL;
    if (!wait_for(p, FALSE, &readable, &writable)) {
      fail_late(p, error);
      return NULL;
    }
    if (take(p) == 0) {
      if (p->read->len > 0)
        ho_fail(error, HO_ERROR_INPUT, "ended within a line, expected a line feed");
      else
        fail_gone(p, error);
      return NULL;
    }
  }
}

gboolean ho_pipe_write(ho_pipe *p, const char *text, GError **error) {
  g_autofree char *line = g_strconcat(text, "\n", NULL);
  size_t length = strlen(line), done = 0;
  if (p->log) fprintf(p->log, "> %s", line);
  while (done < length) {
    gboolean readable, writable;
    if (!wait_for(p, TRUE, &readable, &writable)) return fail_late(p, error);
    if (readable && take(p) == 0) return fail_gone(p, error);
    if (!check_flood(p, error)) return FALSE;
    if (!writable) continue;
    gssize n = send(p->to, line + done, length - done, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && (errno == EPIPE || errno == ECONNRESET)) return fail_gone(p, error);
    if (n < 0 && errno != EAGAIN && errno != EINTR)
      return ho_fail(error, HO_ERROR_IO, "cannot be written to: %s", g_strerror(errno));
    if (n > 0) done += (size_t)n;
  }
  return TRUE;
}
