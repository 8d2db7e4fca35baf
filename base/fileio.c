/* fileio.c: see fileio.h. */
#include "base/fileio.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

static const size_t LARGEST = (size_t)2 << 30; /* B */

static gboolean is_standard(const char *file) {
  return strcmp(file, "-") == 0;
}

static gboolean refused(GError **error, const char *file, const char *doing) {
  int code = errno; /* before anything else can change it */
  return ho_fail(error, HO_ERROR_IO, "%s: cannot %s: %s", file, doing, g_strerror(code));
}

static ssize_t read_piece(int fd, char *to, size_t most) {
  ssize_t n;
  do n = read(fd, to, most);
  while (n < 0 && errno == EINTR);
  return n;
}

static gboolean read_all(int fd, GString *text, const char *name, GError **error) {
  enum { PIECE = 1 << 16 };
  for (;;) {
    gsize before = text->len;
    g_string_set_size(text, before + PIECE);
    ssize_t n = read_piece(fd, text->str + before, PIECE);
    g_string_set_size(text, before + (gsize)MAX(n, 0));
    if (n < 0) return refused(error, name, "read");
    if (n == 0) return TRUE;
    if (text->len > LARGEST) return ho_fail(error, HO_ERROR_INPUT, "%s: larger than 2 GB", name);
  }
}

/* Opening waits for nobody: a pipe without a writer is an empty file. Reading then waits for what its writers write. */
static int open_to_read(const char *file, GError **error) {
  int fd = g_open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
  struct stat found;
  if (fd < 0 || fstat(fd, &found) != 0 || fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK) != 0)
    refused(error, file, "open");
  else if ((S_ISCHR(found.st_mode) || S_ISBLK(found.st_mode)) && !isatty(fd))
    ho_fail(error, HO_ERROR_INPUT, "%s: is a device, expected a file or a pipe", file);
  else
    return fd;
  if (fd >= 0) close(fd);
  return -1;
}

gboolean ho_file_read(const char *file, char **text, size_t *length, GError **error) {
  const char *name = is_standard(file) ? "standard input" : file;
  int fd = is_standard(file) ? STDIN_FILENO : open_to_read(file, error);
  if (fd < 0) return FALSE;
  GString *read = g_string_new(NULL);
  gboolean done = read_all(fd, read, name, error);
  if (fd != STDIN_FILENO) close(fd);
  if (!done) {
    g_string_free(read, TRUE);
    return FALSE;
  }
  if (length) *length = read->len;
  *text = g_string_free(read, FALSE);
  return TRUE;
}

static gboolean write_all(int fd, const char *text, size_t length) {
  while (length) {
    ssize_t n = write(fd, text, length);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return FALSE;
    text += n;
    length -= (size_t)n;
  }
  return TRUE;
}

static gboolean write_pieces(int fd, const ho_file_piece *piece, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!write_all(fd, piece[i].at, piece[i].size)) return FALSE;
  return TRUE;
}

static gboolean write_in_place(int fd, const char *name, const ho_file_piece *piece, size_t n, GError **error) {
  gboolean written = write_pieces(fd, piece, n);
  if (!written) refused(error, name, "write");
  if (fd != STDOUT_FILENO && close(fd) != 0 && written) return refused(error, name, "write");
  return written;
}

/* `target` has no symbolic links left in it: the rename must replace the file, not the link to it. */
static gboolean write_and_rename(const char *target, const char *name, const ho_file_piece *piece, size_t n, GError **error) {
  g_autofree char *temporary = g_strconcat(target, ".XXXXXX", NULL);
  int fd = g_mkstemp_full(temporary, O_WRONLY | O_CLOEXEC, 0666);
  if (fd < 0) return refused(error, name, "write");
  gboolean written = write_pieces(fd, piece, n);
  if (!written) refused(error, name, "write");
  if (close(fd) != 0 && written) written = refused(error, name, "write");
  if (written && g_rename(temporary, target) != 0) written = refused(error, name, "write");
  if (!written) g_unlink(temporary);
  return written;
}

gboolean ho_file_write_pieces(const char *file, const ho_file_piece *piece, size_t n, GError **error) {
  if (is_standard(file)) return write_in_place(STDOUT_FILENO, "standard output", piece, n, error);
  struct stat found;
  if (stat(file, &found) != 0) return write_and_rename(file, file, piece, n, error);
  if (!S_ISREG(found.st_mode)) {
    int fd = g_open(file, O_WRONLY | O_CLOEXEC, 0);
    return fd < 0 ? refused(error, file, "write") : write_in_place(fd, file, piece, n, error);
  }
  char *target = realpath(file, NULL);
  if (!target) return refused(error, file, "write");
  gboolean written = write_and_rename(target, file, piece, n, error);
  free(target);
  return written;
}

gboolean ho_file_write(const char *file, const char *text, size_t length, GError **error) {
  const ho_file_piece all = {text, length};
  return ho_file_write_pieces(file, &all, 1, error);
}
