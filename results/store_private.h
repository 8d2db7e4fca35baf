/* store_private.h: what the files of the store share: the connection, and SQL in one call. Private to results/.
 *
 * Values are bound by a string of types: i int64_t, d double (NAN becomes NULL), s text (NULL becomes NULL; must outlive the
 * statement's use). Every function that takes `error` words it with the file's name. */
#ifndef HO_RESULTS_STORE_PRIVATE_H
#define HO_RESULTS_STORE_PRIVATE_H

#include <sqlite3.h>

#include "results/store.h"

struct ho_store {
  sqlite3 *db;
  char *file;
  ho_store_mode mode;
  GRecMutex lock;
};

#define HO_STORE_LOCK(s)                                                         \
  g_autoptr(GRecMutexLocker) lock_of_store = g_rec_mutex_locker_new(&(s)->lock); \
  (void)lock_of_store

/* Words SQLite's last error. Always FALSE. */
gboolean ho_sql_fail(ho_store *s, GError **error);

/* A prepared and bound statement; NULL on error. Free with sqlite3_finalize. */
sqlite3_stmt *ho_sql(ho_store *s, GError **error, const char *sql, const char *types, ...);
/* Binds again, for use in loops: reset, bind, run to the end. */
gboolean ho_sql_again(ho_store *s, sqlite3_stmt *q, GError **error, const char *types, ...);
/* 1: a row; 0: no more; -1: error. */
int ho_sql_step(ho_store *s, sqlite3_stmt *q, GError **error);
/* Runs one statement that gives no rows. */
gboolean ho_sql_run(ho_store *s, GError **error, const char *sql, const char *types, ...);
/* First column of the first row as an integer; 0 when there is no row, -1 on error. */
int64_t ho_sql_int(ho_store *s, GError **error, const char *sql, const char *types, ...);

/* Columns of the current row. */
double ho_sql_column_double(sqlite3_stmt *q, int column); /* NAN for NULL */
char *ho_sql_column_text(sqlite3_stmt *q, int column);    /* a copy; NULL for NULL */

/* begin … end around a public write: a transaction of its own unless one is open. `ok` FALSE: rolled back. */
gboolean ho_store_enter(ho_store *s, int *own, GError **error);
gboolean ho_store_leave(ho_store *s, int own, gboolean ok, GError **error);

/* store_schema.c */
gboolean ho_store_make_schema(ho_store *s, GError **error);
extern const char *const ho_store_result_columns[]; /* names that a swept parameter cannot have; ends with NULL */
gboolean ho_store_make_results_view(ho_store *s, GError **error);

/* "latency,energy" into out; how many. Unknown words are left out. */
int32_t ho_store_parse_objectives(const char *text, ho_objective *out);

ho_memory_measure ho_store_parse_measure(const char *name);

int ho_store_parse_status(const char *name); /* ho_run_status */
/* Whether study and problem (each may be NULL) are in the database; the error lists what is. */
gboolean ho_store_check_names(ho_store *s, const char *study, const char *problem, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(sqlite3_stmt, sqlite3_finalize)

#endif
