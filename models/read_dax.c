/* read_dax.c: Pegasus DAX, the XML of scientific workflows: jobs with a run time, files they use, and who is whose parent.
 *
 * What files become is said in task_flow.h. Both spellings of a file are read: `uses file="…"` (DAX 2) and `uses name="…"` (DAX 3).
 * Only jobs, uses, child and parent matter; everything else (arguments, profiles, catalogues) is passed over.
 *
 * Juve et al., Characterizing and profiling scientific workflows, Future Generation Computer Systems 29(3), 2013 */
#include <string.h>

#include "base/error.h"
#include "base/fileio.h"
#include "base/units.h"
#include "models/read_task.h"
#include "models/task_flow.h"

typedef struct {
  const char *file;
  const ho_bindings *bindings;
  ho_graph_build *build;
  ho_flow flow;
  GPtrArray *ids;      /* of jobs, in order */
  GStringChunk *names; /* of files */
  ho_op job;           /* the open job, -1 */
  ho_op child;         /* the open child, -1 */
  int32_t untimed;
  gboolean rooted;
  GError *error;
} dax;

static gboolean fail(dax *d, GMarkupParseContext *context, const char *format, ...) G_GNUC_PRINTF(3, 4);
/* Keeps the first failure. Always FALSE. */
static gboolean fail(dax *d, GMarkupParseContext *context, const char *format, ...) {
  if (d->error) return FALSE;
  va_list args;
  va_start(args, format);
  g_autofree char *what = g_strdup_vprintf(format, args);
  va_end(args);
  int line = 0;
  g_markup_parse_context_get_position(context, &line, NULL);
  return ho_fail(&d->error, HO_ERROR_INPUT, "%s:%d: %s", d->file, line, what);
}

static const char *attribute(const char **names, const char **values, const char *name) {
  for (; *names; names++, values++)
    if (strcmp(*names, name) == 0) return *values;
  return NULL;
}

static double number(dax *d, GMarkupParseContext *context, const char *what, const char *text) {
  double value = 0;
  if (ho_double_parse(text, &value, NULL) && value >= 0) return value;
  g_autofree char *shown = ho_printable(text);
  fail(d, context, "%s is '%s': expected a finite number, 0 or more", what, shown);
  return 0;
}

/* ---- elements -------------------------------------------------------------------------------------------------------- */

static gboolean open_job(dax *d, GMarkupParseContext *context, const char **names, const char **values) {
  const char *id = attribute(names, values, "id"), *name = attribute(names, values, "name");
  const char *runtime = attribute(names, values, "runtime");
  g_autofree char *shown = ho_printable(id ? id : "");
  if (!id || !*id) return fail(d, context, "a job has no id");
  if (d->job >= 0) return fail(d, context, "job '%s' begins inside another", shown);
  if (ho_graph_build_find_op(d->build, id) >= 0) return fail(d, context, "a second job has the id '%s': ids must differ", shown);
  d->untimed += runtime == NULL;
  ho_op_info op = ho_op_info_init(id, name && *name ? name : "task");
  d->job = ho_task_op(d->build, &op, runtime ? number(d, context, "runtime", runtime) : 0, d->bindings);
  g_ptr_array_add(d->ids, g_strdup(id));
  return TRUE;
}

static gboolean use_file(dax *d, GMarkupParseContext *context, const char **names, const char **values) {
  const char *file = attribute(names, values, "file"), *link = attribute(names, values, "link");
  const char *size = attribute(names, values, "size");
  if (d->job < 0) return TRUE; /* of a transformation */
  if (!file) file = attribute(names, values, "name");
  if (!file || !*file) return fail(d, context, "uses: neither file nor name is given");
  if (!link) return fail(d, context, "uses: link is missing: expected input, output or inout");
  int64_t bytes = ho_task_bytes(size ? number(d, context, "size", size) : 0);
  if (bytes < 0) return fail(d, context, "size is beyond %" G_GINT64_FORMAT " bytes", HO_GRAPH_MAX_BYTES);
  const char *name = g_string_chunk_insert_const(d->names, file);
  gboolean reads = strcmp(link, "input") == 0, writes = strcmp(link, "output") == 0;
  if (strcmp(link, "inout") == 0) reads = writes = TRUE;
  g_autofree char *shown = ho_printable(link);
  if (!reads && !writes) return fail(d, context, "link is '%s': expected input, output or inout", shown);
  ho_flow_add_file(&d->flow, name, bytes);
  if (reads) ho_flow_use_file(&d->flow, d->job, name, HO_FLOW_READS);
  if (writes) ho_flow_use_file(&d->flow, d->job, name, HO_FLOW_WRITES);
  return TRUE;
}

static ho_op find_job(dax *d, GMarkupParseContext *context, const char *element, const char *ref) {
  ho_op o = ref ? ho_graph_build_find_op(d->build, ref) : -1;
  g_autofree char *shown = ho_printable(ref ? ref : "nothing");
  if (o < 0) fail(d, context, "%s: ref is '%s': no job further up has this id", element, shown);
  return o;
}

static void open_element(GMarkupParseContext *context, const char *element, const char **names, const char **values,
                         gpointer user, GError **error) {
  dax *d = user;
  if (!d->rooted) {
    if (strcmp(element, "adag") != 0) fail(d, context, "the root is not an adag: expected a Pegasus DAX");
    const char *name = attribute(names, values, "name");
    g_autofree char *base = ho_task_name_of_file(d->file);
    d->build = ho_graph_build_new(name && *name ? name : base, d->file);
    d->rooted = TRUE;
  } else if (strcmp(element, "job") == 0) {
    open_job(d, context, names, values);
  } else if (strcmp(element, "uses") == 0) {
    use_file(d, context, names, values);
  } else if (strcmp(element, "child") == 0) {
    d->child = find_job(d, context, element, attribute(names, values, "ref"));
  } else if (strcmp(element, "parent") == 0) {
    ho_op parent = find_job(d, context, element, attribute(names, values, "ref"));
    if (d->child < 0) fail(d, context, "a parent stands outside of a child");
    if (!d->error) ho_flow_add_parent(&d->flow, parent, d->child);
  }
  if (d->error) g_set_error(error, G_MARKUP_ERROR, G_MARKUP_ERROR_INVALID_CONTENT, "%s", d->error->message);
}

static void close_element(GMarkupParseContext *context, const char *element, gpointer user, GError **error) {
  (void)context;
  (void)error;
  dax *d = user;
  if (strcmp(element, "job") == 0) d->job = -1;
  if (strcmp(element, "child") == 0) d->child = -1;
}

/* ---- the file -------------------------------------------------------------------------------------------------------- */

static gboolean parse(dax *d, const char *text, size_t length, GError **error) {
  static const GMarkupParser parser = {.start_element = open_element, .end_element = close_element};
  GMarkupParseContext *context = g_markup_parse_context_new(&parser, 0, d, NULL);
  g_autoptr(GError) wrong = NULL;
  gboolean ok =
      g_markup_parse_context_parse(context, text, (gssize)length, &wrong) && g_markup_parse_context_end_parse(context, &wrong);
  if (!ok && !d->error) fail(d, context, "not XML: %s", wrong->message);
  if (ok && !d->rooted) ok = fail(d, context, "there is no adag: expected a Pegasus DAX");
  g_markup_parse_context_free(context);
  if (d->error) g_propagate_error(error, g_steal_pointer(&d->error));
  return ok;
}

static gboolean read_text(dax *d, GError **error) {
  g_autofree char *text = NULL;
  size_t length = 0;
  if (!ho_file_read(d->file, &text, &length, error) || !parse(d, text, length, error)) return FALSE;
  ho_flow_connect(&d->flow, d->build, (const char *const *)d->ids->pdata);
  g_autofree char *time = ho_task_time_note(d->bindings);
  g_autoptr(GString) note = g_string_new("Pegasus DAX: ");
  g_string_append(note, time);
  if (d->untimed) g_string_append_printf(note, "; %d jobs have no run time: taken as 0", d->untimed);
  ho_flow_put_note(&d->flow, note);
  ho_graph_build_note(d->build, d->untimed, note->str);
  return TRUE;
}

static ho_graph *read_dax(const char *file, const ho_bindings *bindings, GError **error) {
  if (!ho_task_no_bindings(file, "a DAX", bindings, error)) return NULL;
  dax d = {.file = file, .bindings = bindings, .job = -1, .child = -1};
  d.ids = g_ptr_array_new_with_free_func(g_free);
  d.names = g_string_chunk_new(4096);
  ho_flow_init(&d.flow);
  ho_graph *g = NULL;
  if (read_text(&d, error))
    g = ho_graph_build_finish(d.build, error);
  else
    ho_graph_build_free(d.build);
  ho_flow_clear(&d.flow);
  g_ptr_array_free(d.ids, TRUE);
  g_string_chunk_free(d.names);
  return g;
}

static gboolean sniff(const char *file, const unsigned char *head, size_t n) {
  size_t i = 0;
  while (i < n && g_ascii_isspace(head[i])) i++;
  if (i == n || head[i] != '<') return FALSE;
  return ho_task_head_has(head, n, "<adag") || g_str_has_suffix(file, ".dax");
}

const ho_graph_reader ho_graph_reader_dax = {
    .name = "dax",
    .summary = "Pegasus workflow in XML, with run times and files",
    .extension = ".dax",
    .measured = TRUE,
    .sniff = sniff,
    .read = read_dax,
};
