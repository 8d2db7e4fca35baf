/* read_wfcommons.c: workflows in WfFormat (WfCommons), schema 1.3 to 1.6.
 *
 * Since 1.5 the structure is in workflow.specification, run times in workflow.execution, and files are listed once; before, a task
 * in workflow.tasks holds all of that. The lists of parents and children say the same twice and must agree. What files become is
 * said in task_flow.h.
 *
 * Coleman et al., Future Generation Computer Systems 128, 2022; https://github.com/wfcommons/WfFormat */
#include <string.h>

#include "base/error.h"
#include "base/jsonio.h"
#include "models/read_task.h"
#include "models/task_flow.h"

typedef struct {
  const char *file;
  const ho_bindings *bindings;
  json_t *tasks; /* of the specification */
  json_t **run;  /* of every task: its entry under execution, or itself, or NULL */
  const char **id;
  int32_t n;
  gboolean flat;               /* before 1.5 */
  GHashTable *by_id, *by_name; /* index + 1; names: 0 when several tasks have it */
  ho_flow flow;
  ho_graph_build *build;
  int32_t untimed;
} workflow;

static char *place_of(const workflow *w, int32_t i) {
  return g_strdup_printf("workflow.%stasks[%d]", w->flat ? "" : "specification.", i);
}

static gboolean fail_task(const workflow *w, int32_t i, GError **error, const char *format, ...) G_GNUC_PRINTF(4, 5);
static gboolean fail_task(const workflow *w, int32_t i, GError **error, const char *format, ...) {
  va_list args;
  va_start(args, format);
  g_autofree char *what = g_strdup_vprintf(format, args), *place = place_of(w, i);
  va_end(args);
  g_autofree char *shown = ho_printable(w->id[i] ? w->id[i] : "");
  return ho_fail(error, HO_ERROR_INPUT, "%s: %s '%s': %s", w->file, place, shown, what);
}

static gpointer pair(int32_t parent, int32_t child) {
  return GSIZE_TO_POINTER((gsize)(guint32)parent << 32 | (guint32)child);
}

/* The array `key`, or NULL in *list when absent; its elements are for the caller to check. */
static gboolean get_list(const workflow *w, int32_t i, const char *key, json_t **list, GError **error) {
  *list = json_object_get(json_array_get(w->tasks, (size_t)i), key);
  return !*list || json_is_array(*list) || fail_task(w, i, error, "%s: expected a list", key);
}

/* ---- tasks ----------------------------------------------------------------------------------------------------------- */

static gboolean name_tasks(workflow *w, GError **error) {
  w->n = (int32_t)json_array_size(w->tasks);
  w->id = g_new0(const char *, w->n + 1);
  w->run = g_new0(json_t *, w->n + 1);
  for (int32_t i = 0; i < w->n; i++) {
    json_t *task = json_array_get(w->tasks, (size_t)i);
    g_autofree char *place = place_of(w, i);
    ho_json_at at = {w->file, place};
    const char *id = NULL, *name = NULL;
    if (!json_is_object(task)) return ho_fail(error, HO_ERROR_INPUT, "%s: %s: expected an object", w->file, place);
    if (!ho_json_get_string(task, at, "id", FALSE, &id, error)) return FALSE;
    if (!ho_json_get_string(task, at, "name", id == NULL, &name, error)) return FALSE;
    w->id[i] = id ? id : name;
    if (w->flat) w->run[i] = task;
    if (g_hash_table_contains(w->by_id, w->id[i])) return fail_task(w, i, error, "another task has this id: ids must differ");
    g_hash_table_insert(w->by_id, (gpointer)w->id[i], GINT_TO_POINTER(i + 1));
    if (name)
      g_hash_table_insert(w->by_name, (gpointer)name, g_hash_table_contains(w->by_name, name) ? NULL : GINT_TO_POINTER(i + 1));
  }
  return TRUE;
}

static int32_t find_task(const workflow *w, const char *name) {
  int32_t i = GPOINTER_TO_INT(g_hash_table_lookup(w->by_id, name));
  return (i ? i : GPOINTER_TO_INT(g_hash_table_lookup(w->by_name, name))) - 1;
}

static gboolean match_runs(workflow *w, const json_t *spec, GError **error) {
  json_t *execution = json_object_get(spec, "execution"), *runs = json_object_get(execution, "tasks");
  if (!execution || !runs) return TRUE; /* a workflow that was not run */
  if (!json_is_array(runs)) return ho_fail(error, HO_ERROR_INPUT, "%s: workflow.execution.tasks: expected a list", w->file);
  for (size_t k = 0; k < json_array_size(runs); k++) {
    json_t *run = json_array_get(runs, k);
    g_autofree char *place = g_strdup_printf("workflow.execution.tasks[%zu]", k);
    const char *id = NULL;
    if (!json_is_object(run)) return ho_fail(error, HO_ERROR_INPUT, "%s: %s: expected an object", w->file, place);
    if (!ho_json_get_string(run, (ho_json_at){w->file, place}, "id", TRUE, &id, error)) return FALSE;
    int32_t i = find_task(w, id);
    g_autofree char *shown = ho_printable(id);
    if (i < 0)
      return ho_fail(error, HO_ERROR_INPUT, "%s: %s.id: no task of the specification has the id '%s'", w->file, place, shown);
    if (w->run[i]) return ho_fail(error, HO_ERROR_INPUT, "%s: %s.id: '%s' was run already further up", w->file, place, shown);
    w->run[i] = run;
  }
  return TRUE;
}

/* The program's name says more of what a task is than the task's own. */
static char *kind_of(const json_t *run) {
  const char *program = json_string_value(json_object_get(json_object_get(run, "command"), "program"));
  return program && *program ? g_path_get_basename(program) : g_strdup("task");
}

static gboolean make_op(workflow *w, int32_t i, GError **error) {
  g_autofree char *place = place_of(w, i), *kind = kind_of(w->run[i]);
  ho_json_at at = {w->file, place};
  ho_op_info op = ho_op_info_init(w->id[i], kind);
  double seconds = -1;
  if (w->run[i]) {
    const char *key = json_object_get(w->run[i], "runtimeInSeconds") ? "runtimeInSeconds" : "runtime";
    if (!ho_json_get_double(w->run[i], at, key, FALSE, 0, &seconds, error)) return FALSE;
    double memory = 0;
    if (!ho_json_get_double(w->run[i], at, "memoryInBytes", FALSE, 0, &memory, error)) return FALSE;
    op.workspace = ho_task_bytes(memory);
  }
  w->untimed += seconds < 0;
  ho_task_op(w->build, &op, MAX(seconds, 0), w->bindings);
  return TRUE;
}

/* ---- files ----------------------------------------------------------------------------------------------------------- */

static gboolean read_size(const workflow *w, const json_t *object, const char *place, int64_t *bytes, GError **error) {
  const char *key = json_object_get(object, "sizeInBytes") ? "sizeInBytes" : "size";
  double size = 0;
  if (!ho_json_get_double(object, (ho_json_at){w->file, place}, key, FALSE, 0, &size, error)) return FALSE;
  *bytes = ho_task_bytes(size);
  return *bytes >= 0 || ho_fail(error, HO_ERROR_INPUT, "%s: %s.%s: more than %" G_GINT64_FORMAT " bytes", w->file, place, key,
                                HO_GRAPH_MAX_BYTES);
}

static gboolean list_files(workflow *w, const json_t *specification, GError **error) {
  json_t *files = json_object_get(specification, "files");
  if (files && !json_is_array(files))
    return ho_fail(error, HO_ERROR_INPUT, "%s: workflow.specification.files: expected a list", w->file);
  for (size_t k = 0; k < json_array_size(files); k++) {
    const json_t *f = json_array_get(files, k);
    g_autofree char *place = g_strdup_printf("workflow.specification.files[%zu]", k);
    const char *id = NULL;
    int64_t bytes = 0;
    if (!json_is_object(f)) return ho_fail(error, HO_ERROR_INPUT, "%s: %s: expected an object", w->file, place);
    if (!ho_json_get_string(f, (ho_json_at){w->file, place}, "id", TRUE, &id, error)) return FALSE;
    if (!read_size(w, f, place, &bytes, error)) return FALSE;
    if (ho_flow_has_file(&w->flow, id)) {
      g_autofree char *shown = ho_printable(id);
      return ho_fail(error, HO_ERROR_INPUT, "%s: %s: a file with the id '%s' is further up: ids must differ", w->file, place,
                     shown);
    }
    ho_flow_add_file(&w->flow, id, bytes);
  }
  return TRUE;
}

/* inputFiles or outputFiles of a task since 1.5. */
static gboolean use_listed(workflow *w, int32_t i, const char *key, GError **error) {
  json_t *list;
  if (!get_list(w, i, key, &list, error)) return FALSE;
  for (size_t k = 0; k < json_array_size(list); k++) {
    const char *name = json_string_value(json_array_get(list, k));
    g_autofree char *shown = ho_printable(name ? name : "?");
    if (!name || !ho_flow_has_file(&w->flow, name))
      return fail_task(w, i, error, "%s[%zu]: specification.files does not list '%s'", key, k, shown);
    ho_flow_use_file(&w->flow, i, name, *key == 'i' ? HO_FLOW_READS : HO_FLOW_WRITES);
  }
  return TRUE;
}

/* `files` of a task before 1.5: name and size here, `link` says whether it is read or written. The largest size counts. */
static gboolean use_own(workflow *w, int32_t i, GError **error) {
  json_t *list;
  if (!get_list(w, i, "files", &list, error)) return FALSE;
  for (size_t k = 0; k < json_array_size(list); k++) {
    const json_t *object = json_array_get(list, k);
    g_autofree char *place = g_strdup_printf("workflow.tasks[%d].files[%zu]", i, k);
    ho_json_at at = {w->file, place};
    const char *name = NULL, *link = NULL;
    int64_t bytes = 0;
    if (!json_is_object(object)) return ho_fail(error, HO_ERROR_INPUT, "%s: %s: expected an object", w->file, place);
    if (!ho_json_get_string(object, at, json_object_get(object, "id") ? "id" : "name", TRUE, &name, error)) return FALSE;
    if (!ho_json_get_string(object, at, "link", TRUE, &link, error)) return FALSE;
    if (!read_size(w, object, place, &bytes, error)) return FALSE;
    if (strcmp(link, "input") != 0 && strcmp(link, "output") != 0)
      return ho_fail(error, HO_ERROR_INPUT, "%s: %s.link: expected input or output", w->file, place);
    ho_flow_add_file(&w->flow, name, bytes);
    ho_flow_use_file(&w->flow, i, name, *link == 'i' ? HO_FLOW_READS : HO_FLOW_WRITES);
  }
  return TRUE;
}

/* ---- dependencies ---------------------------------------------------------------------------------------------------- */

static gboolean read_relatives(workflow *w, int32_t i, const char *key, GHashTable *into, GError **error) {
  json_t *list;
  if (!get_list(w, i, key, &list, error)) return FALSE;
  for (size_t k = 0; k < json_array_size(list); k++) {
    const char *name = json_string_value(json_array_get(list, k));
    int32_t other = name ? find_task(w, name) : -1;
    g_autofree char *shown = ho_printable(name ? name : "?");
    if (other < 0) return fail_task(w, i, error, "%s[%zu]: no task has the id '%s'", key, k, shown);
    g_hash_table_add(into, *key == 'p' ? pair(other, i) : pair(i, other));
  }
  return TRUE;
}

/* Every pair of `a` must be in `b`. */
static gboolean check_within(const workflow *w, GHashTable *a, GHashTable *b, const char *lists, GError **error) {
  gsize wrong = G_MAXSIZE; /* the least, since hash tables have no order */
  GHashTableIter each;
  gpointer key;
  g_hash_table_iter_init(&each, a);
  while (g_hash_table_iter_next(&each, &key, NULL))
    if (!g_hash_table_contains(b, key)) wrong = MIN(wrong, GPOINTER_TO_SIZE(key));
  if (wrong == G_MAXSIZE) return TRUE;
  g_autofree char *parent = ho_printable(w->id[wrong >> 32]), *child = ho_printable(w->id[wrong & G_MAXUINT32]);
  return ho_fail(error, HO_ERROR_INPUT, "%s: '%s' and '%s' disagree: %s", w->file, parent, child, lists);
}

static gboolean read_dependencies(workflow *w, GError **error) {
  g_autoptr(GHashTable) child_of = g_hash_table_new(NULL, NULL);
  gboolean parents = FALSE, children = FALSE;
  for (int32_t i = 0; i < w->n; i++) {
    const json_t *task = json_array_get(w->tasks, (size_t)i);
    parents |= json_object_get(task, "parents") != NULL;
    children |= json_object_get(task, "children") != NULL;
    if (!read_relatives(w, i, "parents", w->flow.parent_of, error)) return FALSE;
    if (!read_relatives(w, i, "children", child_of, error)) return FALSE;
  }
  if (parents && children) {
    if (!check_within(w, w->flow.parent_of, child_of, "the second names the first as a parent, which does not list it as a child",
                      error))
      return FALSE;
    return check_within(w, child_of, w->flow.parent_of,
                        "the first names the second as a child, which does not list it as a parent", error);
  }
  GHashTableIter each;
  gpointer key;
  g_hash_table_iter_init(&each, child_of);
  while (g_hash_table_iter_next(&each, &key, NULL)) g_hash_table_add(w->flow.parent_of, key);
  return TRUE;
}

/* ---- the file -------------------------------------------------------------------------------------------------------- */

static void put_note(const workflow *w, const char *version) {
  g_autofree char *time = ho_task_time_note(w->bindings);
  g_autoptr(GString) note = g_string_new(NULL);
  g_string_append_printf(note, "WfCommons %s: %s", version, time);
  if (w->untimed) g_string_append_printf(note, "; %d tasks have no run time: taken as 0", w->untimed);
  ho_flow_put_note(&w->flow, note);
  ho_graph_build_note(w->build, w->untimed, note->str);
}

static gboolean read_tasks(workflow *w, const json_t *spec, const json_t *specification, GError **error) {
  if (!json_is_array(w->tasks))
    return ho_fail(error, HO_ERROR_INPUT, "%s: workflow.%stasks: expected a list of tasks", w->file,
                   w->flat ? "" : "specification.");
  if (!name_tasks(w, error)) return FALSE;
  if (!w->flat && (!match_runs(w, spec, error) || !list_files(w, specification, error))) return FALSE;
  for (int32_t i = 0; i < w->n; i++) {
    if (!make_op(w, i, error)) return FALSE;
    if (w->flat ? !use_own(w, i, error) : !(use_listed(w, i, "inputFiles", error) && use_listed(w, i, "outputFiles", error)))
      return FALSE;
  }
  if (!read_dependencies(w, error)) return FALSE;
  ho_flow_connect(&w->flow, w->build, w->id);
  return TRUE;
}

static gboolean read_root(workflow *w, const json_t *root, GError **error) {
  static const char *const versions[] = {"1.3", "1.4", "1.5", "1.6", NULL};
  const char *version = NULL, *name = NULL;
  if (!json_is_object(root)) return ho_fail(error, HO_ERROR_INPUT, "%s: expected an object", w->file);
  if (!ho_json_get_string(root, (ho_json_at){w->file, ""}, "schemaVersion", TRUE, &version, error)) return FALSE;
  if (!ho_json_get_string(root, (ho_json_at){w->file, ""}, "name", FALSE, &name, error)) return FALSE;
  g_autofree char *shown = ho_printable(version), *base = ho_task_name_of_file(w->file);
  if (!g_strv_contains(versions, version))
    return ho_fail(error, HO_ERROR_INPUT, "%s: schemaVersion: found \"%s\", expected 1.3, 1.4, 1.5 or 1.6", w->file, shown);
  const json_t *spec = json_object_get(root, "workflow");
  if (!json_is_object(spec)) return ho_fail(error, HO_ERROR_INPUT, "%s: workflow: expected an object", w->file);
  const json_t *specification = json_object_get(spec, "specification");
  w->flat = specification == NULL;
  w->tasks = json_object_get(w->flat ? spec : specification, "tasks");
  w->build = ho_graph_build_new(name && *name ? name : base, w->file);
  if (!read_tasks(w, spec, specification, error)) return FALSE;
  put_note(w, version);
  return TRUE;
}

static ho_graph *read_wfcommons(const char *file, const ho_bindings *bindings, GError **error) {
  if (!ho_task_no_bindings(file, "a workflow", bindings, error)) return NULL;
  json_t *root = ho_json_read(file, error);
  if (!root) return NULL;
  workflow w = {.file = file,
                .bindings = bindings,
                .by_id = g_hash_table_new(g_str_hash, g_str_equal),
                .by_name = g_hash_table_new(g_str_hash, g_str_equal)};
  ho_flow_init(&w.flow);
  ho_graph *g = NULL;
  if (read_root(&w, root, error))
    g = ho_graph_build_finish(w.build, error);
  else
    ho_graph_build_free(w.build);
  g_hash_table_destroy(w.by_id);
  g_hash_table_destroy(w.by_name);
  ho_flow_clear(&w.flow);
  g_free(w.id);
  g_free(w.run);
  json_decref(root);
  return g;
}

static gboolean sniff(const char *file, const unsigned char *head, size_t n) {
  (void)file;
  return n > 0 && !ho_task_head_has(head, n, "heteroopt-graph/") && ho_task_head_has(head, n, "\"schemaVersion\"");
}

const ho_graph_reader ho_graph_reader_wfcommons = {
    .name = "wfcommons",
    .summary = "workflow in WfFormat 1.3 to 1.6, with run times and files",
    .extension = ".json",
    .measured = TRUE,
    .sniff = sniff,
    .read = read_wfcommons,
};
