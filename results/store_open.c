/* store_open.c: opening and closing the database (store.h), and refusing what is not ours. */
#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

#include "base/error.h"
#include "results/store_private.h"

#define BUSY_MS 30000

static ho_store *store_new(const char *file, ho_store_mode mode) {
  ho_store *s = g_new0(ho_store, 1);
  s->file = g_strdup(file);
  s->mode = mode;
  g_rec_mutex_init(&s->lock);
  return s;
}

void ho_store_free(ho_store *s) {
  if (!s) return;
  sqlite3_close(s->db);
  g_rec_mutex_clear(&s->lock);
  g_free(s->file);
  g_free(s);
}

const char *ho_store_file(const ho_store *s) {
  return s->file;
}

/* What the file system says, before SQLite words it worse. An absent or empty file is fine when it may be made. */
static gboolean check_file(const char *file, ho_store_mode mode, GError **error) {
  GStatBuf st;
  if (g_stat(file, &st) != 0) {
    if (errno != ENOENT) return ho_fail(error, HO_ERROR_IO, "%s: cannot be opened: %s", file, g_strerror(errno));
    if (mode != HO_STORE_CREATE) return ho_fail(error, HO_ERROR_IO, "%s: no such file, expected a results database", file);
    g_autofree char *folder = g_path_get_dirname(file);
    if (!g_file_test(folder, G_FILE_TEST_IS_DIR)) return ho_fail(error, HO_ERROR_IO, "%s: there is no folder %s", file, folder);
    return TRUE;
  }
  if (S_ISDIR(st.st_mode)) return ho_fail(error, HO_ERROR_IO, "%s: is a folder, expected a results database", file);
  if (!S_ISREG(st.st_mode)) return ho_fail(error, HO_ERROR_IO, "%s: is not a regular file, expected a results database", file);
  if (st.st_size == 0 && mode != HO_STORE_CREATE)
    return ho_fail(error, HO_ERROR_INPUT, "%s: is empty, expected a results database", file);
  return TRUE;
}

/* A database in write-ahead mode needs a -shm file beside it even for reading; where the folder cannot be written and no log is left,
 * the file is all there is and can be read as it stands. */
static gboolean open_immutable(ho_store *s, GError **error) {
  g_autofree char *escaped = g_uri_escape_string(s->file, "/", FALSE);
  g_autofree char *uri = g_strdup_printf("file:%s?immutable=1", escaped);
  sqlite3_close(s->db);
  s->db = NULL;
  if (sqlite3_open_v2(uri, &s->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK) return TRUE;
  return ho_sql_fail(s, error);
}

static gboolean open_reading(ho_store *s, GError **error) {
  if (sqlite3_exec(s->db, "SELECT count(*) FROM sqlite_schema", NULL, NULL, NULL) == SQLITE_OK) return TRUE;
  int code = sqlite3_errcode(s->db) & 0xff;
  g_autofree char *log = g_strconcat(s->file, "-wal", NULL);
  GStatBuf st;
  if ((code == SQLITE_CANTOPEN || code == SQLITE_READONLY) && (g_stat(log, &st) != 0 || st.st_size == 0))
    return open_immutable(s, error);
  return ho_sql_fail(s, error);
}

/* SQLite notices that whole pages are missing, but not that the last one is cut. A log may hold what the file lacks. */
static gboolean check_length(ho_store *s, GError **error) {
  int64_t bytes = ho_sql_int(s, error, "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size", "");
  if (bytes < 0) return FALSE;
  GStatBuf st;
  g_autofree char *log = g_strconcat(s->file, "-wal", NULL);
  if ((g_stat(log, &st) == 0 && st.st_size > 0) || g_stat(s->file, &st) != 0 || st.st_size >= bytes) return TRUE;
  return ho_fail(error, HO_ERROR_INPUT, "%s: damaged: %" G_GINT64_FORMAT " bytes, expected %" G_GINT64_FORMAT, s->file,
                 (int64_t)st.st_size, bytes);
}

/* 0: ours; 1: an empty database; -1: refused. */
static int identify(ho_store *s, GError **error) {
  int64_t id = ho_sql_int(s, error, "SELECT application_id & 0xffffffff FROM pragma_application_id", "");
  if (id < 0) return -1;
  int64_t version = ho_sql_int(s, error, "SELECT user_version & 0xffffffff FROM pragma_user_version", "");
  int64_t tables = version < 0 ? -1 : ho_sql_int(s, error, "SELECT count(*) FROM sqlite_schema", "");
  if (tables < 0) return -1;
  if (id == 0 && version == 0 && tables == 0) return 1;
  if (id != HO_STORE_APPLICATION_ID) {
    ho_fail(error, HO_ERROR_INPUT, "%s: an SQLite database of another program, expected a results database", s->file);
    return -1;
  }
  if (version == HO_STORE_SCHEMA) return 0;
  ho_fail(error, HO_ERROR_INPUT, "%s: results schema %d, this program knows %d%s", s->file, (int)version, HO_STORE_SCHEMA,
          version > HO_STORE_SCHEMA ? ": a newer version wrote it" : "");
  return -1;
}

/* Two processes may make the same file at once: the loser finds it made. */
static gboolean make(ho_store *s, GError **error) {
  if (!ho_store_begin(s, error)) return FALSE;
  int found = identify(s, error);
  if (found == 1 && !ho_store_make_schema(s, error)) found = -1;
  if (found < 0) {
    ho_store_rollback(s);
    return FALSE;
  }
  return ho_store_commit(s, error);
}

static gboolean prepare(ho_store *s, GError **error) {
  sqlite3_extended_result_codes(s->db, 1);
  sqlite3_busy_timeout(s->db, BUSY_MS);
  if (s->mode == HO_STORE_READ && !open_reading(s, error)) return FALSE;
  int found = identify(s, error);
  if (found < 0 || !check_length(s, error)) return FALSE;
  if (found == 1 && s->mode != HO_STORE_CREATE)
    return ho_fail(error, HO_ERROR_INPUT, "%s: an empty SQLite database, expected a results database", s->file);
  if (!ho_sql_run(s, error, "PRAGMA foreign_keys = ON", "") || !ho_sql_run(s, error, "PRAGMA trusted_schema = OFF", ""))
    return FALSE;
  if (s->mode == HO_STORE_READ) return ho_sql_run(s, error, "PRAGMA query_only = ON", "");
  /* In write-ahead mode NORMAL survives a killed process whole, and a power cut without damage. */
  if (!ho_sql_run(s, error, "PRAGMA journal_mode = WAL", "") || !ho_sql_run(s, error, "PRAGMA synchronous = NORMAL", ""))
    return FALSE;
  return found == 0 || make(s, error);
}

ho_store *ho_store_open(const char *file, ho_store_mode mode, GError **error) {
  if (!check_file(file, mode, error)) return NULL;
  ho_store *s = store_new(file, mode);
  int flags = mode == HO_STORE_READ ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
  if (mode == HO_STORE_CREATE) flags |= SQLITE_OPEN_CREATE;
  /* NOMUTEX: the store's own lock serialises. A name such as ":memory:" or "file:x" is a file like any other. */
  g_autofree char *path = g_path_is_absolute(file) ? g_strdup(file) : g_build_filename(".", file, NULL);
  gboolean ok = sqlite3_open_v2(path, &s->db, flags | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK || ho_sql_fail(s, error);
  if (ok && prepare(s, error)) return s;
  ho_store_free(s);
  return NULL;
}

gboolean ho_store_close(ho_store *s, GError **error) {
  gboolean ok = TRUE;
  if (s->mode != HO_STORE_READ) {
    sqlite3_busy_timeout(s->db, 0); /* another reader may keep the log: not our error */
    int code = sqlite3_wal_checkpoint_v2(s->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL) & 0xff;
    if (code != SQLITE_OK && code != SQLITE_BUSY && code != SQLITE_LOCKED) ok = ho_sql_fail(s, error);
  }
  ho_store_free(s);
  return ok;
}
