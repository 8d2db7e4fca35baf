/* store_sql.c: SQL in one call, and the wording of what SQLite refuses (store_private.h). */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "results/store_private.h"

/* The operating system's reason, when there is one. */
static const char *system_reason(ho_store *s, const char *otherwise) {
  int code = s->db ? sqlite3_system_errno(s->db) : 0;
  return code ? g_strerror(code) : otherwise;
}

static const char *operation(int code) {
  switch (code) {
    case SQLITE_IOERR_READ:
    case SQLITE_IOERR_SHORT_READ:
      return "a read";
    case SQLITE_IOERR_WRITE:
    case SQLITE_IOERR_TRUNCATE:
    case SQLITE_IOERR_SHMSIZE:
      return "a write";
    case SQLITE_IOERR_FSYNC:
    case SQLITE_IOERR_DIR_FSYNC:
      return "flushing to disk";
    default:
      return "input or output";
  }
}

gboolean ho_sql_fail(ho_store *s, GError **error) {
  int code = s->db ? sqlite3_extended_errcode(s->db) : SQLITE_NOMEM;
  const char *text = s->db ? sqlite3_errmsg(s->db) : "out of memory";
  switch (code & 0xff) {
    case SQLITE_NOTADB:
      return ho_fail(error, HO_ERROR_INPUT, "%s: not an SQLite database, expected a results database", s->file);
    case SQLITE_CORRUPT:
      return ho_fail(error, HO_ERROR_INPUT, "%s: damaged: %s", s->file, text);
    case SQLITE_CANTOPEN:
      return ho_fail(error, HO_ERROR_IO, "%s: cannot be opened: %s", s->file, system_reason(s, text));
    case SQLITE_READONLY:
      return ho_fail(error, HO_ERROR_IO, "%s: cannot be written: the file or its folder is read-only", s->file);
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return ho_fail(error, HO_ERROR_IO, "%s: access refused: %s", s->file, text);
    case SQLITE_FULL:
      return ho_fail(error, HO_ERROR_IO, "%s: cannot be written: %s", s->file, system_reason(s, "no space left"));
    case SQLITE_IOERR:
      return ho_fail(error, HO_ERROR_IO, "%s: %s failed: %s", s->file, operation(code), system_reason(s, text));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return ho_fail(error, HO_ERROR_IO, "%s: locked by another program", s->file);
    case SQLITE_ERROR: /* a table or view that is not there: somebody changed the file */
      return ho_fail(error, HO_ERROR_INPUT, "%s: not the schema that was expected: %s", s->file, text);
    default:
      return ho_fail(error, HO_ERROR_INTERNAL, "%s: %s", s->file, text);
  }
}

static int bind_all(sqlite3_stmt *q, const char *types, va_list args) {
  int code = SQLITE_OK;
  for (int i = 1; types[i - 1] && code == SQLITE_OK; i++) {
    if (types[i - 1] == 'i') {
      code = sqlite3_bind_int64(q, i, va_arg(args, int64_t));
    } else if (types[i - 1] == 'd') {
      double v = va_arg(args, double);
      code = isnan(v) ? sqlite3_bind_null(q, i) : sqlite3_bind_double(q, i, v);
    } else {
      code = sqlite3_bind_text(q, i, va_arg(args, const char *), -1, SQLITE_STATIC);
    }
  }
  return code;
}

static sqlite3_stmt *prepare(ho_store *s, GError **error, const char *sql, const char *types, va_list args) {
  sqlite3_stmt *q = NULL;
  if (sqlite3_prepare_v2(s->db, sql, -1, &q, NULL) == SQLITE_OK && bind_all(q, types, args) == SQLITE_OK) return q;
  ho_sql_fail(s, error);
  sqlite3_finalize(q);
  return NULL;
}

sqlite3_stmt *ho_sql(ho_store *s, GError **error, const char *sql, const char *types, ...) {
  va_list args;
  va_start(args, types);
  sqlite3_stmt *q = prepare(s, error, sql, types, args);
  va_end(args);
  return q;
}

int ho_sql_step(ho_store *s, sqlite3_stmt *q, GError **error) {
  int code = sqlite3_step(q);
  if (code == SQLITE_ROW) return 1;
  if (code == SQLITE_DONE) return 0;
  ho_sql_fail(s, error);
  return -1;
}

gboolean ho_sql_again(ho_store *s, sqlite3_stmt *q, GError **error, const char *types, ...) {
  sqlite3_reset(q);
  va_list args;
  va_start(args, types);
  int code = bind_all(q, types, args);
  va_end(args);
  if (code != SQLITE_OK) return ho_sql_fail(s, error);
  return ho_sql_step(s, q, error) >= 0;
}

gboolean ho_sql_run(ho_store *s, GError **error, const char *sql, const char *types, ...) {
  va_list args;
  va_start(args, types);
  g_autoptr(sqlite3_stmt) q = prepare(s, error, sql, types, args);
  va_end(args);
  if (!q) return FALSE;
  int row;
  while ((row = ho_sql_step(s, q, error)) > 0) {
  }
  return row == 0;
}

int64_t ho_sql_int(ho_store *s, GError **error, const char *sql, const char *types, ...) {
  va_list args;
  va_start(args, types);
  g_autoptr(sqlite3_stmt) q = prepare(s, error, sql, types, args);
  va_end(args);
  if (!q) return -1;
  int row = ho_sql_step(s, q, error);
  return row > 0 ? sqlite3_column_int64(q, 0) : row;
}

double ho_sql_column_double(sqlite3_stmt *q, int column) {
  return sqlite3_column_type(q, column) == SQLITE_NULL ? NAN : sqlite3_column_double(q, column);
}

char *ho_sql_column_text(sqlite3_stmt *q, int column) {
  return g_strdup((const char *)sqlite3_column_text(q, column));
}

gboolean ho_store_enter(ho_store *s, int *own, GError **error) {
  g_rec_mutex_lock(&s->lock);
  *own = sqlite3_get_autocommit(s->db);
  if (!*own || ho_sql_run(s, error, "BEGIN IMMEDIATE", "")) return TRUE;
  g_rec_mutex_unlock(&s->lock);
  return FALSE;
}

gboolean ho_store_leave(ho_store *s, int own, gboolean ok, GError **error) {
  if (own) {
    if (ok) ok = ho_sql_run(s, error, "COMMIT", "");
    /* SQLite has rolled back by itself when the disk was full. */
    if (!ok && !sqlite3_get_autocommit(s->db)) sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
  }
  g_rec_mutex_unlock(&s->lock);
  return ok;
}

gboolean ho_store_begin(ho_store *s, GError **error) {
  g_rec_mutex_lock(&s->lock);
  if (ho_sql_run(s, error, "BEGIN IMMEDIATE", "")) return TRUE;
  g_rec_mutex_unlock(&s->lock);
  return FALSE;
}

gboolean ho_store_commit(ho_store *s, GError **error) {
  return ho_store_leave(s, 1, TRUE, error);
}

void ho_store_rollback(ho_store *s) {
  ho_store_leave(s, 1, FALSE, NULL);
}
