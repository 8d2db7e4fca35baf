/* test_store_crash.c: the database when the process is killed, the disk is full, or the file is not what it should be. */
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/stream.h"
#include "results/store_private.h"
#include "results/store_query.h"
#include "tests/results/store_fixture.h"

static char *folder, *file;

static void set_up(void) {
  folder = make_folder();
  file = g_build_filename(folder, "x.db", NULL);
}

static void tear_down(void) {
  g_free(file);
  remove_folder(folder);
}

TestSuite(store_crash, .init = set_up, .fini = tear_down);

static void lay_out_file(fixture *f, int32_t replicates) {
  ho_store *s = ho_store_open(file, HO_STORE_CREATE, NULL);
  cr_assert(s && ho_store_add_environment(s, "{}", "environment", NULL) > 0 && lay_out(s, f, replicates, NULL) &&
            ho_store_close(s, NULL));
}

/* Computes all open runs, telling `pipe` one byte after each. For a process of its own. */
static void compute_all_and_tell(const fixture *f, int pipe) {
  ho_store *s = ho_store_open(file, HO_STORE_WRITE, NULL);
  for (int32_t i = 0; s && i < f->n_runs; i++)
    if (!compute_run(s, f->run[i], NULL) || write(pipe, "x", 1) != 1) _exit(1);
  _exit(s ? 0 : 1);
}

/* Starts a process that computes, and kills it after `runs` runs and a random while. Returns how many runs it had told of. */
static int32_t compute_and_kill(const fixture *f, int32_t runs, ho_stream *random) {
  int fd[2];
  char byte;
  int32_t told = 0;
  cr_assert_eq(pipe(fd), 0);
  pid_t child = fork();
  if (child == 0) compute_all_and_tell(f, fd[1]);
  close(fd[1]);
  while (told < runs && read(fd[0], &byte, 1) == 1) told++;
  g_usleep(ho_stream_below(random, 1500));
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  while (read(fd[0], &byte, 1) == 1) told++;
  close(fd[0]);
  return told;
}

Test(store_crash, a_killed_process_loses_only_the_run_in_flight) {
  fixture f;
  ho_stream random = ho_stream_small(99);
  lay_out_file(&f, 30);
  g_autofree char *interrupted = NULL;
  for (int32_t kill_after = 3; kill_after < f.n_runs; kill_after += 9) {
    int32_t told = compute_and_kill(&f, 3, &random);
    g_autofree char *integrity = sql_text(file, "PRAGMA integrity_check");
    cr_assert_str_eq(integrity, "ok");
    int64_t done = sql_number(file, "SELECT count(*) FROM run WHERE status = 'done'");
    cr_assert_geq(done, told, "a finished run is not lost");
    cr_assert_leq(sql_number(file, "SELECT count(*) FROM run WHERE status = 'running'"), 1);
    /* No half of a run: each done run has all its rows, each other one none. */
    cr_assert_eq(sql_number(file, "SELECT count(*) FROM plan"), 3 * done);
    cr_assert_eq(sql_number(file, "SELECT count(*) FROM replay"), 15 * done);
    cr_assert_eq(sql_number(file, "SELECT count(*) FROM front_point"), 3 * done);
  }
  ho_store *s = ho_store_open(file, HO_STORE_WRITE, NULL);
  fixture again;
  cr_assert(s && lay_out(s, &again, 30, NULL));
  for (int32_t i = 0; i < f.n_runs; i++) cr_assert(compute_run(s, f.run[i], NULL));
  cr_assert(ho_store_close(s, NULL));
  g_autofree char *resumed = dump_content(file);
  interrupted = file;
  file = g_build_filename(folder, "whole.db", NULL);
  lay_out_file(&f, 30);
  s = ho_store_open(file, HO_STORE_WRITE, NULL);
  for (int32_t i = 0; i < f.n_runs; i++) cr_assert(compute_run(s, f.run[i], NULL));
  cr_assert(ho_store_close(s, NULL));
  g_autofree char *whole = dump_content(file);
  cr_assert_str_eq(resumed, whole, "resumed as if never interrupted");
}

/* Computes until something fails; the message, or NULL. */
static char *compute_until_failure(ho_store *s, const fixture *f) {
  for (int32_t i = 0; i < f->n_runs; i++) {
    GError *error = NULL;
    if (compute_run(s, f->run[i], &error)) continue;
    char *message = g_strdup(error ? error->message : "no message");
    g_clear_error(&error);
    return message;
  }
  return NULL;
}

static void check_full(const char *message) {
  cr_assert_not_null(message, "the disk never filled");
  cr_assert(g_str_has_prefix(message, file) && !strchr(message, '\n'), "%s", message);
  g_autofree char *integrity = sql_text(file, "PRAGMA integrity_check");
  cr_assert_str_eq(integrity, "ok");
  cr_assert_eq(sql_number(file, "SELECT count(*) FROM plan"),
               3 * sql_number(file, "SELECT count(*) FROM run WHERE status = 'done'"));
}

static void check_goes_on(const fixture *f) {
  ho_store *s = ho_store_open(file, HO_STORE_WRITE, NULL);
  g_autofree char *message = compute_until_failure(s, f);
  cr_assert_null(message, "%s", message);
  cr_assert(ho_store_close(s, NULL));
  cr_assert_eq(sql_number(file, "SELECT count(*) FROM run WHERE status = 'done'"), f->n_runs);
}

Test(store_crash, a_database_that_may_not_grow_fails_in_one_line_and_goes_on_later) {
  fixture f;
  lay_out_file(&f, 30);
  ho_store *s = ho_store_open(file, HO_STORE_WRITE, NULL);
  g_autofree char *limit = g_strdup_printf("PRAGMA max_page_count = %d", (int)sql_number(file, "PRAGMA page_count") + 2);
  cr_assert_eq(sqlite3_exec(s->db, limit, NULL, NULL, NULL), SQLITE_OK);
  g_autofree char *message = compute_until_failure(s, &f);
  ho_store_free(s);
  check_full(message);
  cr_assert_not_null(strstr(message, "no space left"));
  check_goes_on(&f);
}

Test(store_crash, a_disk_that_refuses_to_write_fails_in_one_line_and_goes_on_later) {
  fixture f;
  char text[500] = "";
  int fd[2];
  lay_out_file(&f, 30);
  GStatBuf st;
  cr_assert_eq(g_stat(file, &st), 0);
  cr_assert_eq(pipe(fd), 0);
  pid_t child = fork();
  if (child == 0) { /* no file may grow beyond this: the kernel says so as it would of a full disk */
    struct rlimit most = {(rlim_t)st.st_size / 2, (rlim_t)st.st_size / 2};
    signal(SIGXFSZ, SIG_IGN);
    ho_store *s = ho_store_open(file, HO_STORE_WRITE, NULL);
    setrlimit(RLIMIT_FSIZE, &most);
    g_autofree char *message = s ? compute_until_failure(s, &f) : g_strdup("not opened");
    ssize_t written = message ? write(fd[1], message, strlen(message)) : 0;
    _exit(written < 0);
  }
  close(fd[1]);
  ssize_t n = read(fd[0], text, sizeof text - 1);
  close(fd[0]);
  waitpid(child, NULL, 0);
  check_full(n > 0 ? text : NULL);
  check_goes_on(&f);
}

static void refused(ho_store_mode mode, const char *expected) {
  g_autoptr(GError) error = NULL;
  cr_assert_null(ho_store_open(file, mode, &error));
  cr_assert(error && g_str_has_prefix(error->message, file) && strstr(error->message, expected) && !strchr(error->message, '\n'),
            "'%s', expected '%s'", error ? error->message : "", expected);
  cr_assert_eq(ho_error_exit_status(error), 1);
}

static void make_database(const char *sql) {
  sqlite3 *db;
  cr_assert_eq(sqlite3_open(file, &db), SQLITE_OK);
  cr_assert_eq(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
  sqlite3_close(db);
}

Test(store_crash, a_text_file_is_not_a_database) {
  g_autofree char *text = g_strnfill(5000, 'x');
  cr_assert(g_file_set_contents(file, text, -1, NULL));
  refused(HO_STORE_CREATE, "not an SQLite database");
  refused(HO_STORE_READ, "not an SQLite database");
}

Test(store_crash, another_programs_database_is_left_alone) {
  make_database("CREATE TABLE bookmarks(url TEXT); INSERT INTO bookmarks VALUES('x')");
  refused(HO_STORE_CREATE, "another program");
  refused(HO_STORE_READ, "another program");
  make_database("PRAGMA application_id = -5");
  refused(HO_STORE_WRITE, "another program");
  cr_assert_eq(sql_number(file, "SELECT count(*) FROM sqlite_schema"), 1);
}

Test(store_crash, a_newer_schema_is_refused) {
  ho_store_free(ho_store_open(file, HO_STORE_CREATE, NULL));
  make_database("PRAGMA user_version = 99");
  refused(HO_STORE_CREATE, "schema 99, this program knows 1");
  refused(HO_STORE_READ, "newer version");
}

Test(store_crash, what_is_absent_empty_or_a_folder_is_refused) {
  refused(HO_STORE_READ, "no such file");
  refused(HO_STORE_WRITE, "no such file");
  cr_assert(g_file_set_contents(file, "", 0, NULL));
  refused(HO_STORE_READ, "is empty");
  g_free(file);
  file = g_strdup(folder);
  refused(HO_STORE_CREATE, "is a folder");
  g_free(file);
  file = g_build_filename(folder, "no", "such", "x.db", NULL);
  refused(HO_STORE_CREATE, "there is no folder");
  g_free(file);
  file = g_strdup("/dev/null");
  refused(HO_STORE_CREATE, "not a regular file");
}

Test(store_crash, an_empty_file_may_become_a_database) {
  cr_assert(g_file_set_contents(file, "", 0, NULL));
  ho_store *s = ho_store_open(file, HO_STORE_CREATE, NULL);
  cr_assert_not_null(s);
  ho_store_free(s);
}

Test(store_crash, a_cut_file_is_damaged_wherever_it_was_cut) {
  fixture f;
  lay_out_file(&f, 30);
  g_autofree char *whole = NULL;
  gsize size;
  cr_assert(g_file_get_contents(file, &whole, &size, NULL));
  for (gsize cut = 1; cut < size; cut += size / 23) {
    cr_assert(g_file_set_contents(file, whole, (gssize)cut, NULL));
    g_autoptr(GError) error = NULL;
    ho_store *s = ho_store_open(file, HO_STORE_READ, &error);
    GPtrArray *rows = s ? ho_store_results(s, NULL, &error) : NULL;
    cr_assert(!rows && error && g_str_has_prefix(error->message, file) && !strchr(error->message, '\n'), "cut at %zu: %s", cut,
              error ? error->message : "read all the same");
    cr_assert_eq(ho_error_exit_status(error), 1);
    ho_store_free(s);
  }
}
