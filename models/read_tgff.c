/* read_tgff.c: TGFF ("task graphs for free"): task graphs with types, and tables that give times and quantities by type.
 *
 *   @TASK_GRAPH 0 {                        @PE 0 {                     @COMMUN_QUANT 0 {
 *     PERIOD 300                             # price                     # type  quantity
 *     TASK t0_0 TYPE 1                       70.1                        0       5.5
 *     ARC a0_0 FROM t0_0 TO t0_1 TYPE 0      # type  exec_time           }
 *     HARD_DEADLINE d0_0 ON t0_1 AT 300      0       12.5
 *   }                                        }
 *
 * The comment above the rows of a table names its columns. A table with a column `type` and one whose name ends in "time" gives the
 * seconds of a task type on a device, which is called as the table: PE0; a row whose `valid` is 0 says that it cannot run there, and
 * of several versions the fastest counts. A table with a column `type` and another one gives the bytes of an arc type. All graphs of
 * a file make one; `--bind graph=N` takes the one numbered N. Deadlines are counted, not used.
 *
 * Dick, Rhodes, Wolf, TGFF: task graphs for free, CODES 1998 */
#include <string.h>

#include "base/error.h"
#include "base/units.h"
#include "models/read_task.h"

typedef struct {
  char *name;
  int64_t type;
} task;

typedef struct {
  char *name;
  ho_op from, to;
  int64_t type;
} arc;

typedef struct {
  const char *table; /* of a time: the device; NULL: a quantity */
  int64_t type;
  double value;
} row;

typedef struct {
  ho_text text;
  int64_t graph; /* -1: all of them */
  GArray *tasks, *arcs, *rows;
  GHashTable *task_by_name, *arc_names;
  GPtrArray *devices; /* tables with times, in order */
  double period;
  int32_t n_graphs, n_periods, n_deadlines;
} tgff;

static void clear_task(gpointer p) {
  g_free(((task *)p)->name);
}

static void clear_arc(gpointer p) {
  g_free(((arc *)p)->name);
}

/* ---- task graphs ----------------------------------------------------------------------------------------------------- */

/* The word behind `key` among the words of a line, or NULL. */
static const char *value_of(char **words, const char *key) {
  for (; *words && words[1]; words++)
    if (strcmp(*words, key) == 0) return words[1];
  return NULL;
}

static gboolean read_task(tgff *t, char **words, GError **error) {
  task new = {.name = g_strdup(words[1] ? words[1] : "")};
  g_array_append_val(t->tasks, new);
  g_autofree char *shown = ho_printable(new.name);
  if (!*new.name) return ho_text_fail(&t->text, error, "TASK has no name");
  if (g_hash_table_contains(t->task_by_name, new.name))
    return ho_text_fail(&t->text, error, "task '%s' is here a second time", shown);
  g_hash_table_insert(t->task_by_name, new.name, GINT_TO_POINTER((gint)t->tasks->len));
  return ho_text_index(&t->text, value_of(words + 1, "TYPE"), "TYPE", INT32_MAX,
                       &g_array_index(t->tasks, task, t->tasks->len - 1).type, error);
}

static gboolean find_task(const tgff *t, const char *name, const char *key, ho_op *o, GError **error) {
  *o = GPOINTER_TO_INT(name ? g_hash_table_lookup(t->task_by_name, name) : NULL) - 1;
  g_autofree char *shown = ho_printable(name ? name : "nothing");
  return *o >= 0 || ho_text_fail(&t->text, error, "%s is '%s': no task further up has this name", key, shown);
}

static gboolean read_arc(tgff *t, char **words, GError **error) {
  arc new = {.name = g_strdup(words[1] ? words[1] : "")};
  gboolean ok = find_task(t, value_of(words, "FROM"), "FROM", &new.from, error) &&
                find_task(t, value_of(words, "TO"), "TO", &new.to, error) &&
                ho_text_index(&t->text, value_of(words, "TYPE"), "TYPE", INT32_MAX, &new.type, error);
  if (ok && !g_hash_table_add(t->arc_names, new.name)) ok = ho_text_fail(&t->text, error, "this arc is here a second time");
  g_array_append_val(t->arcs, new);
  return ok;
}

static gboolean read_statement(tgff *t, char **words, GError **error) {
  double period = 0;
  ho_op unused;
  if (strcmp(words[0], "TASK") == 0) return read_task(t, words, error);
  if (strcmp(words[0], "ARC") == 0) return read_arc(t, words, error);
  if (strcmp(words[0], "APERIODIC") == 0) return TRUE;
  if (strcmp(words[0], "PERIOD") == 0) {
    if (!ho_text_number(&t->text, words[1], "PERIOD", &period, error)) return FALSE;
    t->n_periods += t->n_periods == 0 || period != t->period;
    t->period = period;
    return TRUE;
  }
  if (g_str_has_suffix(words[0], "_DEADLINE")) {
    t->n_deadlines++;
    return find_task(t, value_of(words, "ON"), "ON", &unused, error) &&
           ho_text_number(&t->text, value_of(words, "AT"), "AT", &period, error);
  }
  g_autofree char *shown = ho_printable(words[0]);
  return ho_text_fail(&t->text, error, "'%s': expected PERIOD, APERIODIC, TASK, ARC, HARD_DEADLINE, SOFT_DEADLINE or }", shown);
}

/* ---- tables ---------------------------------------------------------------------------------------------------------- */

static int column(char **header, const char *name) {
  for (int i = 0; header && header[i]; i++)
    if (strcmp(header[i], name) == 0) return i;
  return -1;
}

static int time_column(char **header) {
  for (int i = 0; header && header[i]; i++)
    if (g_str_has_suffix(header[i], "time")) return i;
  return -1;
}

/* A row below the header; rows that are not by type (the price of a device) say nothing here. */
static gboolean read_row(tgff *t, const char *table, char **header, char **words, GError **error) {
  int type = column(header, "type"), value = time_column(header), valid = column(header, "valid");
  gboolean is_time = value >= 0;
  if (type < 0) return TRUE;
  if (!is_time) value = type == 0 ? 1 : 0;
  if (g_strv_length(words) != g_strv_length(header) || !header[value])
    return ho_text_fail(&t->text, error, "%u values below %u columns", g_strv_length(words), g_strv_length(header));
  row new = {.table = is_time ? table : NULL};
  double usable = 1;
  if (!ho_text_index(&t->text, words[type], "type", INT32_MAX, &new.type, error)) return FALSE;
  if (!ho_text_number(&t->text, words[value], header[value], &new.value, error)) return FALSE;
  if (valid >= 0 && !ho_text_number(&t->text, words[valid], "valid", &usable, error)) return FALSE;
  if (usable != 0) g_array_append_val(t->rows, new);
  return TRUE;
}

/* ---- blocks ---------------------------------------------------------------------------------------------------------- */

/* Words of a line, separated by any blanks; caller frees. */
static char **words_of(const char *line) {
  g_autoptr(GPtrArray) words = g_ptr_array_new();
  for (const char *at = line + strspn(line, " \t"); *at; at += strspn(at, " \t")) {
    size_t n = strcspn(at, " \t");
    g_ptr_array_add(words, g_strndup(at, n));
    at += n;
  }
  g_ptr_array_add(words, NULL);
  return (char **)g_ptr_array_steal(words, NULL);
}

static gboolean is_task_graph(const char *keyword) {
  return strcmp(keyword, "@TASK_GRAPH") == 0;
}

/* The lines between { and }. `device` is what a table of times is called. */
static gboolean read_block(tgff *t, const char *keyword, const char *device, gboolean wanted, GError **error) {
  g_auto(GStrv) header = NULL;
  int begun = t->text.line;
  for (char *line; (line = ho_text_line(&t->text));) {
    line = g_strstrip(line);
    gboolean comment = *line == '#';
    g_auto(GStrv) words = words_of(line + comment);
    if (!words[0]) continue;
    if (comment) {
      if (g_str_has_prefix(words[0], "---")) continue;
      g_strfreev(header);
      header = g_steal_pointer(&words);
    } else if (strcmp(line, "}") == 0) {
      return TRUE;
    } else if (wanted &&
               !(is_task_graph(keyword) ? read_statement(t, words, error) : read_row(t, device, header, words, error))) {
      return FALSE;
    }
  }
  t->text.line = begun;
  return ho_text_fail(&t->text, error, "the block that begins here has no end: expected a line with }");
}

/* "@PE 0 {", the brace perhaps on the next line. "@HYPERPERIOD 300" has no block. */
static gboolean read_keyword(tgff *t, const char *line, GError **error) {
  g_auto(GStrv) words = words_of(line);
  guint n = g_strv_length(words);
  gboolean opened = strcmp(words[n - 1], "{") == 0, graph = is_task_graph(words[0]);
  if (!opened) {
    const char *rest = t->text.text + MIN(t->text.at, t->text.length);
    rest += strspn(rest, " \t\r\n");
    if (*rest != '{') return TRUE;
    while (*g_strstrip(ho_text_line(&t->text)) != '{') continue;
  }
  int64_t number = 0;
  if (graph && !ho_text_index(&t->text, words[1], "the number of the graph", INT32_MAX, &number, error)) return FALSE;
  gboolean wanted = !graph || t->graph < 0 || number == t->graph;
  t->n_graphs += graph && wanted;
  char *device = g_strconcat(words[0] + 1, n > 1 && strcmp(words[1], "{") != 0 ? words[1] : "", NULL);
  g_ptr_array_add(t->devices, device);
  return read_block(t, words[0], device, wanted, error);
}

static gboolean read_file(tgff *t, GError **error) {
  for (char *line; (line = ho_text_line(&t->text));) {
    line = g_strstrip(line);
    if (!*line || *line == '#') continue;
    g_autofree char *shown = ho_printable(line);
    if (*line != '@') return ho_text_fail(&t->text, error, "'%s': expected a block such as @TASK_GRAPH 0 {", shown);
    if (!read_keyword(t, line, error)) return FALSE;
  }
  if (t->n_graphs) return TRUE;
  if (t->graph >= 0)
    return ho_fail(error, HO_ERROR_INPUT, "%s: there is no @TASK_GRAPH %" G_GINT64_FORMAT, t->text.file, t->graph);
  return ho_fail(error, HO_ERROR_INPUT, "%s: there is no @TASK_GRAPH", t->text.file);
}

/* ---- the graph ------------------------------------------------------------------------------------------------------- */

/* The least value of a type in a table (NULL: in the tables of quantities), or -1. */
static double look_up(const tgff *t, const char *table, int64_t type) {
  double least = -1;
  for (guint k = 0; k < t->rows->len; k++) {
    const row *r = &g_array_index(t->rows, row, k);
    if (r->table == table && r->type == type && (least < 0 || r->value < least)) least = r->value;
  }
  return least;
}

/* Returns whether any table knows how long it takes. */
static gboolean add_task(const tgff *t, ho_graph_build *b, const task *new) {
  g_autofree char *kind = g_strdup_printf("type%" G_GINT64_FORMAT, new->type);
  ho_op_info op = ho_op_info_init(new->name, kind);
  ho_op o = ho_graph_build_op(b, &op);
  gboolean known = FALSE;
  for (guint k = 0; k < t->devices->len; k++) {
    const char *device = g_ptr_array_index(t->devices, k);
    double seconds = look_up(t, device, new->type);
    if (seconds < 0) continue;
    ho_graph_build_time(b, o, device, seconds);
    known = TRUE;
  }
  return known;
}

static gboolean add_arc(const tgff *t, ho_graph_build *b, const arc *new, int32_t *unsized, GError **error) {
  double quantity = look_up(t, NULL, new->type);
  *unsized += quantity < 0;
  int64_t bytes = ho_task_bytes(MAX(quantity, 0));
  if (bytes < 0)
    return ho_fail(error, HO_ERROR_INPUT, "%s: arc '%s': the quantity is more than this program counts in bytes", t->text.file,
                   new->name);
  g_autofree char *fresh = ho_task_fresh_tensor(b, new->name);
  ho_tensor tensor = ho_graph_build_tensor(b, fresh, HO_UINT8, -1, NULL, bytes, HO_ROLE_NONE, new->from);
  ho_graph_build_consume(b, tensor, new->to);
  return TRUE;
}

static void put_note(const tgff *t, ho_graph_build *b, int32_t untimed, int32_t unsized) {
  g_autoptr(GString) note = g_string_new("TGFF: 1 unit of time is 1 s, 1 unit of quantity 1 B");
  if (t->n_graphs > 1) g_string_append_printf(note, "; %d task graphs in one (--bind graph=N takes one)", t->n_graphs);
  if (t->n_periods > 1) g_string_append_printf(note, "; %d periods differ: none is used", t->n_periods);
  if (t->n_deadlines) g_string_append_printf(note, "; %d deadlines are not used", t->n_deadlines);
  if (untimed) g_string_append_printf(note, "; %d tasks are in no table of times: taken as 0 on any device", untimed);
  if (unsized) g_string_append_printf(note, "; %d arcs are in no table of quantities: taken as 0 B", unsized);
  ho_graph_build_note(b, untimed, note->str);
}

static ho_graph *build(const tgff *t, GError **error) {
  g_autofree char *name = ho_task_name_of_file(t->text.file);
  ho_graph_build *b = ho_graph_build_new(name, t->text.file);
  int32_t untimed = 0, unsized = 0;
  for (guint k = 0; k < t->tasks->len; k++) untimed += !add_task(t, b, &g_array_index(t->tasks, task, k));
  for (guint k = 0; k < t->arcs->len; k++)
    if (!add_arc(t, b, &g_array_index(t->arcs, arc, k), &unsized, error)) {
      ho_graph_build_free(b);
      return NULL;
    }
  if (t->n_periods == 1) ho_graph_build_set(b, t->period, 1);
  put_note(t, b, untimed, unsized);
  return ho_graph_build_finish(b, error);
}

static gboolean read_bindings(tgff *t, const char *file, const ho_bindings *bindings, GError **error) {
  t->graph = -1;
  for (int32_t i = 0; bindings && i < bindings->n; i++) {
    if (strcmp(bindings->name[i], "graph") != 0)
      return ho_fail(error, HO_ERROR_INPUT, "%s: '%s' cannot be bound: expected graph=N", file, bindings->name[i]);
    t->graph = bindings->value[i];
  }
  return TRUE;
}

static ho_graph *read_tgff(const char *file, const ho_bindings *bindings, GError **error) {
  tgff t = {.tasks = g_array_new(FALSE, FALSE, sizeof(task)),
            .arcs = g_array_new(FALSE, FALSE, sizeof(arc)),
            .rows = g_array_new(FALSE, FALSE, sizeof(row)),
            .task_by_name = g_hash_table_new(g_str_hash, g_str_equal),
            .arc_names = g_hash_table_new(g_str_hash, g_str_equal),
            .devices = g_ptr_array_new_with_free_func(g_free)};
  g_array_set_clear_func(t.tasks, clear_task);
  g_array_set_clear_func(t.arcs, clear_arc);
  ho_graph *g = NULL;
  if (read_bindings(&t, file, bindings, error) && ho_text_open(&t.text, file, error) && read_file(&t, error))
    g = build(&t, error);
  g_array_free(t.tasks, TRUE);
  g_array_free(t.arcs, TRUE);
  g_array_free(t.rows, TRUE);
  g_hash_table_destroy(t.task_by_name);
  g_hash_table_destroy(t.arc_names);
  g_ptr_array_free(t.devices, TRUE);
  ho_text_clear(&t.text);
  return g;
}

static gboolean sniff(const char *file, const unsigned char *head, size_t n) {
  return g_str_has_suffix(file, ".tgff") || ho_task_head_has(head, n, "@TASK_GRAPH ") ||
         ho_task_head_has(head, n, "@HYPERPERIOD ");
}

const ho_graph_reader ho_graph_reader_tgff = {
    .name = "tgff",
    .summary = "task graphs for free, with tables of times and quantities",
    .extension = ".tgff",
    .sniff = sniff,
    .read = read_tgff,
};
