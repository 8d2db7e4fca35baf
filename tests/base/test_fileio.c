/* test_fileio.c: whole files in and out. */
#include <criterion/criterion.h>
#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fileio.h"

static char folder[] = "/tmp/heteroopt-fileio-XXXXXX";

static void make_folder(void) {
  cr_assert_not_null(g_mkdtemp(folder));
  cr_assert_eq(chdir(folder), 0);
}

static void remove_folder(void) {
  GDir *d = g_dir_open(folder, 0, NULL);
  for (const char *name; d && (name = g_dir_read_name(d));) g_unlink(name);
  if (d) g_dir_close(d);
  g_rmdir(folder);
}

TestSuite(fileio, .init = make_folder, .fini = remove_folder);

static int files_here(void) {
  int n = 0;
  GDir *d = g_dir_open(".", 0, NULL);
  while (g_dir_read_name(d)) n++;
  g_dir_close(d);
  return n;
}

Test(fileio, what_is_written_is_read_back) {
  g_autofree char *text = g_strnfill(200000, 'x'), *back = NULL;
  text[100] = '\0';
  size_t length = 0;
  cr_assert(ho_file_write("a", text, 200000, NULL));
  cr_assert(ho_file_write("a", text, 200000, NULL), "over an old one");
  cr_assert(ho_file_read("a", &back, &length, NULL));
  cr_assert_eq(length, 200000);
  cr_assert_arr_eq(back, text, 200001);
  cr_assert_eq(files_here(), 1, "no temporary stays");
}

Test(fileio, an_empty_file_is_a_text_of_no_length) {
  g_autofree char *back = NULL;
  size_t length = 1;
  cr_assert(ho_file_write("empty", "", 0, NULL));
  cr_assert(ho_file_read("empty", &back, &length, NULL));
  cr_assert_eq(length, 0);
  cr_assert_str_eq(back, "");
}

Test(fileio, permissions_are_those_of_any_new_file) {
  struct stat s;
  umask(022);
  cr_assert(ho_file_write("a", "x", 1, NULL));
  cr_assert_eq(stat("a", &s), 0);
  cr_assert_eq(s.st_mode & 0777, 0644);
}

Test(fileio, a_link_stays_a_link) {
  struct stat s;
  g_autofree char *back = NULL;
  cr_assert(ho_file_write("target", "old", 3, NULL));
  cr_assert_eq(symlink("target", "link"), 0);
  cr_assert(ho_file_write("link", "new", 3, NULL));
  cr_assert_eq(lstat("link", &s), 0);
  cr_assert(S_ISLNK(s.st_mode));
  cr_assert(ho_file_read("target", &back, NULL, NULL));
  cr_assert_str_eq(back, "new");
}

static void must_refuse(gboolean done, GError **e, const char *message) {
  cr_assert_not(done);
  cr_assert_eq((*e)->code, HO_ERROR_IO);
  cr_assert_str_eq((*e)->message, message);
}

Test(fileio, a_pipe_that_nobody_writes_to_is_empty, .timeout = 10) {
  g_autofree char *back = NULL;
  size_t length = 1;
  cr_assert_eq(mkfifo("pipe", 0600), 0);
  cr_assert(ho_file_read("pipe", &back, &length, NULL));
  cr_assert_eq(length, 0);
}

Test(fileio, a_device_that_never_ends_is_refused, .timeout = 10) {
  g_autofree char *back = NULL;
  g_autoptr(GError) error = NULL;
  if (g_access("/dev/zero", R_OK) != 0) return;
  cr_assert_not(ho_file_read("/dev/zero", &back, NULL, &error));
  cr_assert_str_eq(error->message, "/dev/zero: is a device, expected a file or a pipe");
}

Test(fileio, what_cannot_be_read_is_said_in_one_line) {
  g_autoptr(GError) absent = NULL, directory = NULL;
  char *text = NULL;
  must_refuse(ho_file_read("absent", &text, NULL, &absent), &absent, "absent: cannot open: No such file or directory");
  must_refuse(ho_file_read(".", &text, NULL, &directory), &directory, ".: cannot read: Is a directory");
  cr_assert_null(text);
}

Test(fileio, what_cannot_be_written_is_said_in_one_line) {
  g_autoptr(GError) directory = NULL, nowhere = NULL, full = NULL;
  must_refuse(ho_file_write(".", "x", 1, &directory), &directory, ".: cannot write: Is a directory");
  must_refuse(ho_file_write("no/where", "x", 1, &nowhere), &nowhere, "no/where: cannot write: No such file or directory");
  if (access("/dev/full", W_OK) != 0) cr_skip_test("no /dev/full on this machine");
  must_refuse(ho_file_write("/dev/full", "x", 1, &full), &full, "/dev/full: cannot write: No space left on device");
}

Test(fileio, a_device_is_written_in_place) {
  struct stat s;
  cr_assert(ho_file_write("/dev/null", "x", 1, NULL));
  cr_assert_eq(stat("/dev/null", &s), 0);
  cr_assert(S_ISCHR(s.st_mode));
}
