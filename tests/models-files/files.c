/* files.c: see files.h. */
#include "files.h"

#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

const char *const samples[] = {
    "simgrid.dot",        "plain.stg",         "costs.stg",       "two.tgff",      "five.dax", "wfcommons-1.5.json",
    "wfcommons-1.4.json", "partitioning.json", "three.graph.txt", "four_nodes.et", NULL};

char *sample_path(const char *name) {
  const char *source = g_getenv("HO_TEST_SRCDIR");
  return g_build_filename(source ? source : ".", "tests", "data", "graphs", name, NULL);
}

char *shared_path(const char *folder, const char *name) {
  const char *shared = g_getenv("HO_SHARED"), *source = g_getenv("HO_TEST_SRCDIR");
  g_autofree char *top = shared ? g_strdup(shared) : g_build_filename(source ? source : ".", "..", "shared", NULL);
  char *path = g_build_filename(top, folder, name, NULL);
  if (!g_file_test(path, G_FILE_TEST_EXISTS)) cr_skip("no reference data: %s is absent", path);
  return path;
}

ho_graph *read_file(const char *path, const char *const *bind, const char *const *device) {
  const char *names[4];
  int64_t values[4];
  ho_bindings b = {.name = names, .value = values, .device = device};
  for (; bind && bind[b.n]; b.n++) {
    const char *equals = strchr(bind[b.n], '=');
    g_autofree char *name = g_strndup(bind[b.n], (gsize)(equals - bind[b.n]));
    names[b.n] = g_intern_string(name);
    values[b.n] = g_ascii_strtoll(equals + 1, NULL, 10);
  }
  while (device && device[b.n_devices]) b.n_devices++;
  g_autoptr(GError) error = NULL;
  ho_graph *g = ho_graph_load(path, NULL, &b, &error);
  cr_assert_not_null(g, "%s", error ? error->message : "no error either");
  return g;
}

ho_graph *read_sample(const char *name) {
  g_autofree char *path = sample_path(name);
  return read_file(path, NULL, NULL);
}

static char *temporary(const char *suffix) {
  g_autofree char *template = g_strconcat("ho-graph-XXXXXX", suffix, NULL);
  char *path = NULL;
  int fd = g_file_open_tmp(template, &path, NULL);
  cr_assert_geq(fd, 0);
  close(fd);
  return path;
}

ho_graph *read_bytes(const char *bytes, size_t length, const char *suffix, char **message) {
  g_autofree char *path = temporary(suffix);
  cr_assert(g_file_set_contents_full(path, bytes, (gssize)length, G_FILE_SET_CONTENTS_NONE, 0600, NULL)); /* without fsync */
  g_autoptr(GError) error = NULL;
  ho_graph *g = ho_graph_load(path, NULL, NULL, &error);
  g_unlink(path);
  *message = NULL;
  if (g) return g;
  cr_assert_not_null(error);
  cr_assert_null(strchr(error->message, '\n'), "%s", error->message);
  cr_assert(g_str_has_prefix(error->message, path), "%s", error->message);
  *message = g_strdup(error->message + strlen(path) + 1);
  return NULL;
}

void expect_refused(const char *text, const char *suffix, const char *part) {
  g_autofree char *message = NULL;
  g_autoptr(ho_graph) g = read_bytes(text, strlen(text), suffix, &message);
  cr_assert_null(g, "read, although: %s", part);
  cr_assert_not_null(strstr(message, part), "'%s' is not in: %s", part, message);
}

ho_graph *write_and_read(const ho_graph *g, writer write, const char *suffix, const char *const *device) {
  g_autofree char *path = temporary(suffix);
  g_autoptr(GError) error = NULL;
  cr_assert(write(g, path, &error), "%s", error ? error->message : "");
  ho_graph *again = read_file(path, NULL, device);
  g_unlink(path);
  return again;
}

double time_on(const ho_graph *g, const char *op, const char *device) {
  ho_op o = ho_graph_find_op(g, op);
  cr_assert_geq(o, 0, "%s", op);
  for (int32_t i = 0; i < g->op[o].n_times; i++)
    if (strcmp(g->time_devices[g->op[o].times[i].device], device) == 0) return g->op[o].times[i].seconds;
  return -1;
}

int64_t bytes_of(const ho_graph *g, const char *tensor) {
  ho_tensor t = ho_graph_find_tensor(g, tensor);
  cr_assert_geq(t, 0, "%s", tensor);
  return g->tensor[t].bytes;
}

int64_t bytes_made(const ho_graph *g) {
  int64_t sum = 0;
  for (ho_tensor t = 0; t < g->n_tensors; t++)
    if (g->tensor[t].producer >= 0) sum += g->tensor[t].bytes;
  return sum;
}

gboolean has_edge(const ho_graph *g, const char *from, const char *to) {
  ho_op o = ho_graph_find_op(g, to);
  for (int32_t i = g->in_start[o]; i < g->in_start[o + 1]; i++) {
    ho_op p = g->tensor[g->in[i]].producer;
    if (p >= 0 && strcmp(g->op[p].name, from) == 0) return TRUE;
  }
  return FALSE;
}
