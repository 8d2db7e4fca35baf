/* fileio.h: whole files in and out, with one-line errors.
 *
 * Reading takes regular files, pipes and terminals, never directories or devices (they need not end), and at most 2 GB; a named
 * pipe that nobody has open for writing is empty. Writing goes to a temporary beside the file and
 * a rename, so that a reader never meets half a file and a full disk leaves the old one. What exists and is not a regular
 * file (a device, a pipe) is written in place. Nothing is flushed to the medium: a power cut may lose the last write. */
#ifndef HO_BASE_FILEIO_H
#define HO_BASE_FILEIO_H

#include <glib.h>

G_BEGIN_DECLS

/* Reads a file ("-": standard input). *text is NUL-terminated beyond *length bytes (length may be NULL); caller frees. */
gboolean ho_file_read(const char *file, char **text, size_t *length, GError **error);

/* What lies apart in memory and goes into one file. */
typedef struct {
  const void *at;
  size_t size; /* B */
} ho_file_piece;

/* Writes n pieces one behind the other, as ho_file_write does. They may lie in a mapping of the file that is replaced. */
gboolean ho_file_write_pieces(const char *file, const ho_file_piece *piece, size_t n, GError **error);

/* Writes `length` bytes to a file ("-": standard output). */
gboolean ho_file_write(const char *file, const char *text, size_t length, GError **error);

G_END_DECLS

#endif
